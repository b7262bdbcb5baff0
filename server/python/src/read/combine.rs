//! Steps over parts that were read: values, trees, and what is handed out where they make none.
//!
//! Must never put a part into a tree whose value or numbers do not allow it.

use sumac_la::Op;
use sumac_language::{Diagnostic, Severity};
use sumac_text::TextRange;

use super::{Found, Reader, Seen};
use crate::env::Env;
use crate::infer::{Inferred, NoValue, infer};
use crate::tree::{Step, Tree};
use crate::value::{DType, Value};

/// So many cells are repeated on purpose.
const FEW: u64 = 10;

/// Words of an expression whose author wants a column.
pub(crate) const ON_PURPOSE: &[&str] = &["None", "newaxis", "reshape", "keepdims", "expand_dims"];

impl Reader<'_> {
    /// The value of a step over parts. Sizes that have to be equal are taken for one from here.
    pub(super) fn value_of(
        &mut self,
        step: &Step,
        parts: &[&Seen],
        range: TextRange,
    ) -> Option<Value> {
        let values: Option<Vec<Value>> = parts
            .iter()
            .map(|part| part.value.as_ref().map(|value| self.env.value(value)))
            .collect();
        let values = values?;
        let args: Vec<&Value> = values.iter().collect();
        match infer(step, &args) {
            Ok(inferred) => {
                self.warn_of_spread(step, parts, &values, &inferred, range);
                for (a, b) in &inferred.equal {
                    if self.env.dim(a) != self.env.dim(b) {
                        self.has_assumed = true;
                        // Without names there is nobody to tell.
                        if self.sizes.is_none() || !self.env.unify(a, b, true) {
                            return None;
                        }
                    }
                }
                Some(self.env.value(&inferred.value))
            }
            Err(NoValue::Mismatch(_)) if self.conditions > 0 => None,
            Err(NoValue::Mismatch(message)) => {
                let related = parts.iter().zip(&values);
                self.problems.push(Diagnostic {
                    range,
                    severity: Severity::Error,
                    code: "shape-mismatch",
                    message,
                    related: related
                        .map(|(part, value)| (part.range, format!("this is {value}")))
                        .collect(),
                });
                None
            }
            Err(NoValue::OutOfReach) => None,
        }
    }

    fn warn_of_spread(
        &mut self,
        step: &Step,
        parts: &[&Seen],
        values: &[Value],
        inferred: &Inferred,
        range: TextRange,
    ) {
        if !inferred.is_spread || !matches!(step, Step::Cell(Op::Add | Op::Sub | Op::Mul | Op::Div))
        {
            return;
        }
        let [a, b] = values else { return };
        let (column, vector) = if a.rank() == 2 { (a, b) } else { (b, a) };
        let ([n, one], [m]) = (column.shape.as_slice(), vector.shape.as_slice()) else {
            return;
        };
        // Few cells in numbers are a table that somebody meant.
        if !one.is_one()
            || self.env.dim(n) != self.env.dim(m)
            || n.known().is_some_and(|n| n <= FEW)
        {
            return;
        }
        let text = self.text_of(range);
        let is_column = |tree: &Tree| {
            let mut nodes = tree.nodes();
            nodes.any(
                |node| matches!(&node.step, Step::Atom(atom) if self.env.is_column(&atom.text)),
            )
        };
        if ON_PURPOSE.iter().any(|word| text.contains(word))
            || parts
                .iter()
                .filter_map(|part| part.tree.as_ref())
                .any(is_column)
        {
            return;
        }
        self.problems.push(Diagnostic {
            range,
            severity: Severity::Warning,
            code: "accidental-broadcast",
            message: format!(
                "{column} with {vector} gives {}: if cell by cell was meant, take `.ravel()` of the column",
                inferred.value
            ),
            related: Vec::new(),
        });
    }

    /// One step over parts: a tree where all of them are.
    pub(super) fn combine(&mut self, step: Step, parts: Vec<Seen>, at: (TextRange, bool)) -> Seen {
        let value = self.value_of(&step, &parts.iter().collect::<Vec<_>>(), at.0);
        self.made(step, parts, value, at)
    }

    /// A step whose value is known otherwise.
    pub(super) fn made(
        &mut self,
        step: Step,
        parts: Vec<Seen>,
        value: Option<Value>,
        at: (TextRange, bool),
    ) -> Seen {
        let is_tree =
            value.as_ref().is_some_and(is_real) && parts.iter().all(|part| part.tree.is_some());
        if !is_tree {
            let seen = self.opaque(&parts, at);
            return Seen { value, ..seen };
        }
        let tree = value.clone().map(|value| Tree {
            step,
            args: parts.into_iter().filter_map(|part| part.tree).collect(),
            value,
        });
        Seen {
            value,
            tree,
            range: at.0,
            is_bare: at.1,
        }
    }

    /// Several steps over parts at one place: where they make no tree together, the parts stand alone.
    pub(super) fn together(
        &mut self,
        parts: &[Seen],
        at: (TextRange, bool),
        steps: impl FnOnce(&mut Self, Vec<Seen>) -> Seen,
    ) -> Seen {
        let mark = self.found.len();
        let seen = steps(self, parts.to_vec());
        if seen.tree.is_some() {
            return seen;
        }
        self.found.truncate(mark);
        let alone = self.opaque(parts, at);
        Seen {
            value: seen.value,
            ..alone
        }
    }

    /// Notes a part's algebra as a largest one.
    pub(super) fn hand_out(&mut self, part: &Seen) {
        let Some(tree) = &part.tree else { return };
        if !computes(tree) {
            return;
        }
        let mut tree = tree.clone();
        rename(&mut tree, self.env);
        self.found.push(Found {
            range: part.range,
            tree,
            is_bare: part.is_bare || self.is_in_parentheses(part.range),
            env: self.env.clone(),
        });
    }

    fn is_in_parentheses(&self, range: TextRange) -> bool {
        let before = self.text.get(..range.start).unwrap_or_default().trim_end();
        let after = self.text.get(range.end..).unwrap_or_default().trim_start();
        before.ends_with('(') && after.starts_with(')')
    }
}

/// Whether a tree may be over such numbers: real floats, and numbers of Python beside them.
pub(super) fn is_real(value: &Value) -> bool {
    match value.dtype {
        DType::Float32 | DType::Float64 | DType::Assumed => true,
        DType::Int => value.is_weak,
        DType::Bool | DType::Complex => false,
    }
}

/// Whether a tree computes something of arrays.
fn computes(tree: &Tree) -> bool {
    let mut has_work = false;
    for node in tree.nodes() {
        let of_array = node.value.rank() > 0 || node.args.iter().any(|part| part.value.rank() > 0);
        has_work |= of_array
            && !matches!(
                node.step,
                Step::Atom(_)
                    | Step::Number { .. }
                    | Step::Size(_)
                    | Step::Transpose
                    | Step::AsColumn
                    | Step::AsRow
                    | Step::AsVector
                    | Step::Eye
                    | Step::Fill(_)
            );
    }
    has_work
}

/// Gives all sizes of a tree the names that they go by.
pub(super) fn rename(tree: &mut Tree, env: &Env) {
    tree.value = env.value(&tree.value);
    for part in &mut tree.args {
        rename(part, env);
    }
}
