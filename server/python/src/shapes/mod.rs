//! What texts beside the code say of shapes: docstrings, comments, annotations, `#@` lines.
//!
//! Each gives claims, with the sizes as they are written. Must never know what variables hold.

mod annotation;
mod comment;
mod docstring;

pub(crate) use annotation::annotated;
pub(crate) use comment::{Pin, commented, pinned};
pub(crate) use docstring::documented;

use crate::parse::{self, Expr};
use crate::value::DType;

/// What a text says of a value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Claim {
    /// It is an array with these sizes.
    Array {
        /// The sizes, outermost first.
        dims: Vec<Expr>,
        /// Its kind of numbers.
        dtype: DType,
    },
    /// It is a number of Python.
    Number(DType),
    /// It is, or may be, no dense array.
    Other,
}

/// Words that are no names of sizes.
const NO_SIZES: &[&str] = &[
    "optional",
    "default",
    "required",
    "int",
    "float",
    "str",
    "bool",
    "or",
    "None",
    "True",
    "False",
    "see",
    "e",
    "i",
    "inclusive",
    "exclusive",
    "deprecated",
    "unused",
    "keyword",
];

/// The tuples of sizes in a text that `is_it` takes, by what stands before and behind; `None` where they differ.
fn sizes_in(text: &str, is_it: &dyn Fn(&str, &str) -> bool) -> Option<Vec<Expr>> {
    let mut found: Option<(String, Vec<Expr>)> = None;
    let mut open: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => open.push(at),
            ')' | ']' => {
                let Some(start) = open.pop() else { continue };
                let end = at + c.len_utf8();
                let (Some(inside), Some(before), Some(behind)) =
                    (text.get(start..end), text.get(..start), text.get(end..))
                else {
                    continue;
                };
                let Some(dims) = sizes(inside).filter(|_| is_it(before, behind)) else {
                    continue;
                };
                let short: String = inside.chars().filter(|c| !c.is_whitespace()).collect();
                match &found {
                    Some((known, _)) if *known != short => return None,
                    _ => found = Some((short, dims)),
                }
            }
            _ => {}
        }
    }
    found.map(|(_, dims)| dims)
}

/// The sizes of a tuple: `(n, d)`, `(n,)`.
fn sizes(text: &str) -> Option<Vec<Expr>> {
    // Most brackets in texts hold something else: that is seen without reading it.
    let is_plain = |c: char| c.is_alphanumeric() || "_.,+-* ()[]".contains(c);
    if text.len() > 80 || !text.contains(',') || !text.chars().all(is_plain) {
        return None;
    }
    let dims = match parse::expression(text)? {
        Expr::Tuple(tuple) => tuple.elts,
        Expr::List(list) => list.elts,
        _ => return None,
    };
    let is_size = |dim: &Expr| match dim {
        Expr::Name(name) => !NO_SIZES.contains(&name.id.as_str()),
        Expr::NumberLiteral(_) | Expr::BinOp(_) | Expr::Attribute(_) => true,
        _ => false,
    };
    (!dims.is_empty() && dims.iter().all(is_size)).then_some(dims)
}
