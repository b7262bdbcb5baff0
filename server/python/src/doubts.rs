//! Variables of which a program itself asks what they are: `if X.ndim == 0`, `np.isscalar(w)`, `isinstance(X, list)`, `except ValueError`
//! after `n, d = X.shape`. What a text says of such a variable does not hold on each way, so that nothing is known of it behind the question.
//!
//! Must never take a question about a size alone (`X.shape[0] > 3`, `X.size == 0`) for one about what it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::parse::{Expr, Stmt, Visitor, dotted, visitor};

/// Functions that ask what their first argument is, by the last part of their names.
const QUESTIONS: [&str; 16] = [
    "ndim",
    "isscalar",
    "isinstance",
    "issubclass",
    "hasattr",
    "issparse",
    "isspmatrix",
    "is_scalar",
    "is_number",
    "iterable",
    "isiterable",
    "callable",
    "type",
    "shape",
    "iscomplexobj",
    "isrealobj",
];

/// The variables, and attributes by their texts, of which an expression asks what they are.
pub(crate) fn asked_of(expr: &Expr) -> BTreeSet<Arc<str>> {
    let mut asking = Asking::default();
    asking.visit_expr(expr);
    asking.found
}

/// The same of statements: those whose shapes are read at all, where an error may be caught.
pub(crate) fn read_in(body: &[Stmt]) -> BTreeSet<Arc<str>> {
    let mut asking = Asking {
        any: true,
        ..Asking::default()
    };
    asking.visit_body(body);
    asking.found
}

#[derive(Default)]
struct Asking {
    found: BTreeSet<Arc<str>>,
    /// Whether a part of a shape counts, too.
    any: bool,
}

impl Asking {
    fn note(&mut self, of: &Expr) {
        let text = match of {
            Expr::Name(name) => Some(name.id.to_string()),
            _ => dotted(of),
        };
        self.found.extend(text.map(Arc::from));
    }
}

impl<'a> Visitor<'a> for Asking {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Subscript(part) if !self.any => {
                // A size of it.
                if let Expr::Attribute(of) = &*part.value
                    && of.attr.as_str() == "shape"
                {
                    return self.visit_expr(&part.slice);
                }
            }
            Expr::Attribute(of) if matches!(of.attr.as_str(), "ndim" | "shape") => {
                self.note(&of.value);
            }
            Expr::Call(call) => {
                let name = match &*call.func {
                    Expr::Name(name) => name.id.as_str(),
                    Expr::Attribute(of) => of.attr.as_str(),
                    _ => "",
                };
                if QUESTIONS.contains(&name)
                    && let Some(first) = call.arguments.args.first()
                {
                    self.note(first);
                }
            }
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}
