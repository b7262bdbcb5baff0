//! Writes forms of one expression in its place in a file.
//!
//! Every text is read again and must mean what it was made of. Must never change how often or in which order something is evaluated that
//! could have an effect, nor touch a byte outside the expression.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use sumac_la::{Dag, NodeId, Op};
use sumac_language::{Notation, Setting, Spelling};
use sumac_text::{TextEdit, TextRange};

use crate::lower::lower;
use crate::price::price;
use crate::print::{Strength, print};
use crate::raise::{number_key, raise_with};
use crate::style::Style;
use crate::tree::{Step, Tree};
use crate::value::{DType, Value};

/// Reads an expression where the written one stands, with all that is known there.
pub trait Reader: fmt::Debug + Send + Sync {
    /// The expression of a text, if all of it is NumPy.
    fn tree(&self, text: &str) -> Option<Tree>;
}

/// An expression in its place.
#[derive(Clone, Debug)]
pub struct Place {
    /// What is written.
    pub tree: Tree,
    /// Its text.
    pub text: Arc<str>,
    /// The person's habits.
    pub style: Style,
    /// Where it stands.
    pub range: TextRange,
    /// Whether an expression of any strength, also one over several lines, can stand there without parentheses.
    pub is_bare: bool,
    /// Reads there.
    pub reader: Arc<dyn Reader>,
}

impl Notation for Place {
    fn write(&self, form: &Dag) -> Result<Vec<Spelling>, String> {
        let mut problem = "it is what is written".to_owned();
        let mut found: Vec<Spelling> = Vec::new();
        let functions = self.style.numpy.is_some();
        let leaves = leaves(&self.tree);
        for tree in raise_with(form, &leaves, &self.tree.value, functions)? {
            match self.spelling(&tree) {
                Ok(Some(spelling)) => {
                    if found.iter().all(|other| other.text != spelling.text) {
                        found.push(spelling);
                    }
                }
                Ok(None) => {}
                Err(why) => problem = why.to_owned(),
            }
        }
        if found.is_empty() {
            Err(problem)
        } else {
            Ok(found)
        }
    }

    fn setting(&self) -> Result<Setting, String> {
        crate::setting::setting(self)
    }

    fn say(&self, form: &Dag, node: NodeId) -> String {
        let mut one = Dag::default();
        let root = one.import(form, node);
        one.push_root(root);
        let ty = form.ty(node);
        let shapes = match (ty.is_scalar(), ty.cols.is_one()) {
            (true, _) => vec![Vec::new()],
            (false, true) => vec![
                vec![ty.rows.clone()],
                vec![ty.rows.clone(), ty.cols.clone()],
            ],
            (false, false) => vec![vec![ty.rows.clone(), ty.cols.clone()]],
        };
        // The form may be over other sizes than the written one: data for a look at it is small.
        let mut leaves = leaves(&self.tree);
        for input in form.inputs() {
            if let Some(leaf) = leaves.get_mut(&input.name) {
                let sizes = [&input.ty.rows, &input.ty.cols].into_iter().cloned();
                leaf.value.shape = sizes.take(leaf.value.rank()).collect();
            }
        }
        let mut texts = shapes.into_iter().filter_map(|shape| {
            let wanted = Value::array(shape, self.tree.value.dtype);
            let trees = raise_with(&one, &leaves, &wanted, true).ok()?;
            trees.iter().find_map(|tree| print(tree, &self.style))
        });
        texts
            .next()
            .map_or_else(|| form.print(node), |(text, _)| text)
    }
}

impl Place {
    /// One spelling; nothing where it is what is written.
    fn spelling(&self, tree: &Tree) -> Result<Option<Spelling>, &'static str> {
        if effects(tree) != effects(&self.tree) {
            return Err(
                "a call that may have an effect would run at another time or another number of times",
            );
        }
        if is_view(tree) != is_view(&self.tree) {
            return Err(
                "it would be an array that is there already where a new one is made, and a write to either would reach both",
            );
        }
        if has_new_scalars(tree, &self.tree) {
            return Err(
                "it would compute with numbers of Python in another way, which may overflow or raise an error there",
            );
        }
        let Some((text, strength)) = print(tree, &self.style) else {
            return Err("it needs a function, and NumPy is not imported by a name");
        };
        if without_spaces(&text) == without_spaces(&self.text) {
            return Ok(None);
        }
        let read = self
            .reader
            .tree(&text)
            .filter(|read| are_one(read, tree))
            .ok_or("its text would be read as something else here")?;
        let (Some(dag), Some(price)) = (lower(&read), price(&read)) else {
            return Err("a size in it is not known");
        };
        let needs_parentheses = !self.is_bare && strength != Strength::Whole;
        let new_text = if needs_parentheses {
            format!("({text})")
        } else {
            text.clone()
        };
        Ok(Some(Spelling {
            text,
            dag,
            price,
            assumes: row_by_row(tree),
            edit: TextEdit {
                range: self.range,
                new_text,
            },
        }))
    }
}

/// The leaves of a tree by their texts, numbers with a point among them.
fn leaves(tree: &Tree) -> BTreeMap<Arc<str>, Tree> {
    let named = tree.nodes().filter_map(|node| match &node.step {
        Step::Atom(atom) => Some((Arc::clone(&atom.text), node.clone())),
        Step::Size(text) => Some((Arc::clone(text), node.clone())),
        Step::Number {
            value,
            is_int: false,
        } => Some((number_key(*value).into(), node.clone())),
        _ => None,
    });
    named.collect()
}

/// Whether a value shares its cells with an array that is there: a variable, or a view of one.
fn is_view(tree: &Tree) -> bool {
    match &tree.step {
        Step::Atom(_) => tree.value.rank() > 0,
        Step::Transpose | Step::AsColumn | Step::AsRow | Step::AsVector => {
            tree.args.iter().all(is_view)
        }
        // Of a matrix it is a view of its cells.
        Step::Diag => tree
            .args
            .iter()
            .all(|arg| arg.value.rank() == 2 && is_view(arg)),
        _ => false,
    }
}

/// Whether a form computes with numbers of Python in a way in which what is written does not: powers and quotients of floats, which raise
/// errors where arrays give infinity, and anything of whole numbers that are no sizes, which may be of NumPy and wrap.
fn has_new_scalars(tree: &Tree, written: &Tree) -> bool {
    let reads = |node: &Tree| node.nodes().any(|part| matches!(part.step, Step::Atom(_)));
    let is_risky = |node: &Tree| {
        let is_plain = match &node.step {
            Step::Cell(op) => matches!(op, Op::Add | Op::Sub | Op::Mul),
            Step::Map(op) => *op == Op::Neg,
            Step::Atom(_) => true,
            _ => false,
        };
        let is_float = matches!(node.value.dtype, DType::Float64 | DType::Float32);
        node.value.is_weak
            && !matches!(node.step, Step::Atom(_))
            && reads(node)
            && !(is_plain && is_float)
    };
    tree.nodes()
        .filter(|node| is_risky(node))
        .any(|node| !written.nodes().any(|known| known == node))
}

/// That arrays are stored row by row, where a spelling copies what is not: `np.vdot` of matrices.
fn row_by_row(tree: &Tree) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for node in tree.nodes().filter(|node| node.step == Step::Vdot) {
        for arg in &node.args {
            if let Step::Atom(atom) = &arg.step
                && arg.value.rank() == 2
                && !names.contains(&&*atom.text)
            {
                names.push(&atom.text);
            }
        }
    }
    names
        .iter()
        .map(|name| format!("`{name}` is stored row by row, as NumPy makes arrays"))
        .collect()
}

/// The texts of what may have an effect, in the order in which it runs.
fn effects(tree: &Tree) -> Vec<Arc<str>> {
    let texts = tree.nodes().filter_map(|node| match &node.step {
        Step::Atom(atom) if !atom.is_pure => Some(Arc::clone(&atom.text)),
        _ => None,
    });
    texts.collect()
}

/// The text without its blanks and line ends.
fn without_spaces(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether two trees are the same steps with the same kinds of values; or where they differ in a step, mean the same in linear algebra.
fn are_one(a: &Tree, b: &Tree) -> bool {
    let are_same_steps = a.step == b.step
        && a.args.len() == b.args.len()
        && a.args.iter().zip(&b.args).all(|(a, b)| are_one(a, b));
    are_alike(&a.value, &b.value)
        && (are_same_steps
            || (effects(a) == effects(b)
                && lower(a).is_some_and(|dag| lower(b).is_some_and(|other| dag == other))))
}

/// Whether two values have as many axes and the same kind of numbers. Where that is assumed, it is 64-bit floats.
fn are_alike(a: &Value, b: &Value) -> bool {
    let kind = |dtype: DType| match dtype {
        DType::Assumed => DType::Float64,
        known => known,
    };
    a.rank() == b.rank() && kind(a.dtype) == kind(b.dtype) && a.is_weak == b.is_weak
}
