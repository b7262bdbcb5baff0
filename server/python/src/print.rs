//! An expression of NumPy as text, with the habits of its file and no parentheses that are not needed.
//!
//! A product by `@` beside one by `*` always has them: both bind alike, and nobody reads them so. Must never print what is read as
//! another expression.

use sumac_la::Op;

use crate::sound::is_comparison;
use crate::style::{Product, Style};
use crate::tree::{Step, Tree};
use crate::value::DType;

/// How strongly a text holds together, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Strength {
    /// `a < b`.
    Comparison,
    /// `a + b`.
    Sum,
    /// `a * b`, `a @ b`.
    Product,
    /// `-a`.
    Sign,
    /// `a ** b`.
    Power,
    /// `2.5`: nothing may follow directly.
    Number,
    /// A name, a call, anything in brackets.
    Whole,
}

/// The text and its strength; `None` where it needs a function of NumPy and NumPy has no name,
/// or it is too long.
#[must_use]
pub fn print(tree: &Tree, style: &Style) -> Option<(String, Strength)> {
    tree.is_short().then(|| Printer { style }.node(tree))?
}

/// The text of an atom such that `.shape` may follow.
pub(crate) fn receiver(text: &str) -> String {
    if is_whole(text) {
        text.to_owned()
    } else {
        format!("({text})")
    }
}

/// Whether a text is a name, or one with calls, parts and attributes, or all in brackets.
fn is_whole(text: &str) -> bool {
    let (mut open, mut quote, mut was_space) = (Vec::new(), None, false);
    let mut characters = text.chars().peekable();
    let (mut is_first, mut was_closed) = (true, false);
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                characters.next();
            }
            (Some(mark), _) if c == mark => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => open.push(c),
            (None, ')' | ']' | '}') => {
                if open.pop().is_none() {
                    return false;
                }
            }
            // A remark may hold any bracket.
            (None, '#') => return false,
            (None, _) if !open.is_empty() => {}
            (None, '.' | '_') => {}
            (None, _) if is_first && c.is_ascii_digit() => return false,
            // A word behind a bracket is one of the language: `x[1]or y`.
            (None, _) if was_closed && c.is_alphanumeric() => return false,
            (None, _) if c.is_alphanumeric() => {}
            (None, _) => was_space = true,
        }
        is_first = false;
        was_closed = matches!(c, ')' | ']' | '}');
    }
    !is_first && open.is_empty() && quote.is_none() && !was_space
}

/// A number as Python writes it: the shortest text that is read as the same.
fn number(value: f64, is_int: bool) -> String {
    if is_int {
        return format!("{value:.0}");
    }
    let size = value.abs();
    if value != 0.0 && !(1e-4..1e16).contains(&size) {
        format!("{value:e}")
    } else {
        format!("{value:?}")
    }
}

/// Prints with the habits of a file.
struct Printer<'a> {
    /// The habits.
    style: &'a Style,
}

impl Printer<'_> {
    /// Text and strength.
    fn node(&self, tree: &Tree) -> Option<(String, Strength)> {
        let whole = |text: String| Some((text, Strength::Whole));
        match (&tree.step, tree.args.as_slice()) {
            (Step::Atom(atom), []) => whole(receiver(&atom.text)),
            (Step::Size(text), []) => whole(receiver(text)),
            (Step::Number { value, is_int }, []) => {
                let strength = if value.is_sign_negative() {
                    Strength::Sign
                } else {
                    Strength::Number
                };
                Some((number(*value, *is_int), strength))
            }
            (Step::MatMul, [a, b]) => self.product(a, b),
            (Step::Cell(op), [a, b]) => self.cells(*op, a, b),
            (Step::Map(Op::Neg), [a]) => Some((
                format!("-{}", self.above(a, Strength::Power)?),
                Strength::Sign,
            )),
            (Step::Map(op), [a]) => self.call(map_name(*op)?, &[self.text(a)?]),
            (Step::Square, [a]) => {
                let base = self.above(a, Strength::Number)?;
                Some((format!("{base} ** 2"), Strength::Power))
            }
            (Step::Transpose, [a]) => whole(format!("{}.T", self.whole(a)?)),
            (Step::Diag, [a]) => self.of_method("diag", "diagonal", a, a.value.rank() == 2),
            (Step::Trace, [a]) => self.of_method("trace", "trace", a, true),
            (Step::Reduce { by, axis, keepdims }, [a]) => self.reduce(*by, *axis, *keepdims, a),
            (Step::Outer, [a, b]) => self.call("outer", &[self.text(a)?, self.text(b)?]),
            (Step::Vdot, [a, b]) => self.call("vdot", &[self.text(a)?, self.text(b)?]),
            (Step::Norm, [a]) => self.call("linalg.norm", &[self.text(a)?]),
            (Step::AsColumn, [a]) => whole(format!("{}[:, None]", self.whole(a)?)),
            (Step::AsRow, [a]) => whole(format!("{}[None, :]", self.whole(a)?)),
            (Step::AsVector, [a]) => whole(format!("{}.ravel()", self.whole(a)?)),
            (Step::Eye, [n]) => self.call("eye", &self.shaped(tree, self.text(n)?)?),
            (Step::Fill(value), [n]) => self.filled(*value, tree, self.text(n)?),
            (Step::Fill(value), [n, m]) => {
                let shape = format!("({}, {})", self.text(n)?, self.text(m)?);
                self.filled(*value, tree, shape)
            }
            _ => None,
        }
    }

    /// The text alone, where anything can stand.
    fn text(&self, tree: &Tree) -> Option<String> {
        Some(self.node(tree)?.0)
    }

    /// The text in parentheses, unless it is as strong.
    fn above(&self, tree: &Tree, least: Strength) -> Option<String> {
        let (text, strength) = self.node(tree)?;
        Some(if strength >= least {
            text
        } else {
            format!("({text})")
        })
    }

    /// A text that an attribute may follow.
    fn whole(&self, tree: &Tree) -> Option<String> {
        self.above(tree, Strength::Whole)
    }

    /// A call of a function of NumPy.
    fn call(&self, name: &str, args: &[String]) -> Option<(String, Strength)> {
        let numpy = self.style.numpy.as_ref()?;
        let text = format!("{numpy}.{name}({})", args.join(", "));
        Some((text, Strength::Whole))
    }

    /// A function of NumPy, or where NumPy has no name the method.
    fn of_method(
        &self,
        function: &str,
        method: &str,
        a: &Tree,
        has_method: bool,
    ) -> Option<(String, Strength)> {
        if self.style.numpy.is_none() && has_method {
            let text = format!("{}.{method}()", self.whole(a)?);
            return Some((text, Strength::Whole));
        }
        self.call(function, &[self.text(a)?])
    }

    /// The arguments that make an array of a shape and of the kind of numbers that it has.
    fn shaped(&self, tree: &Tree, shape: String) -> Option<Vec<String>> {
        let numpy = self.style.numpy.as_ref()?;
        Some(match tree.value.dtype {
            DType::Float64 | DType::Assumed => vec![shape],
            DType::Bool | DType::Int | DType::Complex => return None,
            DType::Float32 => vec![shape, format!("dtype={numpy}.float32")],
        })
    }

    /// Ones or zeros.
    fn filled(&self, value: f64, tree: &Tree, shape: String) -> Option<(String, Strength)> {
        let name = match value {
            0.0 => "zeros",
            1.0 => "ones",
            _ => return None,
        };
        self.call(name, &self.shaped(tree, shape)?)
    }

    /// A product as the person writes it.
    fn product(&self, a: &Tree, b: &Tree) -> Option<(String, Strength)> {
        match (self.style.product, &self.style.numpy) {
            (Product::Function, Some(_)) => self.call("dot", &[self.text(a)?, self.text(b)?]),
            (Product::Method, _) => {
                let text = format!("{}.dot({})", self.whole(a)?, self.text(b)?);
                Some((text, Strength::Whole))
            }
            _ => {
                // What is written beside the sign by another one of the same strength is put in parentheses.
                let left = if a.step == Step::MatMul {
                    self.above(a, Strength::Product)?
                } else {
                    self.above(a, Strength::Sign)?
                };
                let right = self.above(b, Strength::Sign)?;
                Some((format!("{left} @ {right}"), Strength::Product))
            }
        }
    }

    /// A sign between two operands, each in parentheses where it is too weak.
    fn cells(&self, op: Op, a: &Tree, b: &Tree) -> Option<(String, Strength)> {
        use Strength::{Comparison, Number, Power, Product, Sign, Sum};
        let is_product = |tree: &Tree| tree.step == Step::MatMul;
        let (sign, strength, left, right) = match op {
            Op::Add => ("+", Sum, Sum, Product),
            Op::Sub => ("-", Sum, Sum, Product),
            Op::Mul if is_product(a) => ("*", Product, Sign, Sign),
            Op::Div if is_product(a) => ("/", Product, Sign, Sign),
            Op::Mul => ("*", Product, Product, Sign),
            Op::Div => ("/", Product, Product, Sign),
            // A sign may stand in the exponent, and what is raised there is raised first.
            Op::Pow => ("**", Power, Number, Sign),
            Op::Eq => ("==", Comparison, Sum, Sum),
            Op::Ne => ("!=", Comparison, Sum, Sum),
            Op::Lt => ("<", Comparison, Sum, Sum),
            Op::Le => ("<=", Comparison, Sum, Sum),
            Op::Gt => (">", Comparison, Sum, Sum),
            Op::Ge => (">=", Comparison, Sum, Sum),
            _ => return None,
        };
        debug_assert!(strength != Comparison || is_comparison(op));
        let (left, right) = (self.above(a, left)?, self.above(b, right)?);
        Some((format!("{left} {sign} {right}"), strength))
    }

    /// A sum or its like, as a method or a function.
    fn reduce(
        &self,
        by: Op,
        axis: Option<usize>,
        keepdims: bool,
        a: &Tree,
    ) -> Option<(String, Strength)> {
        let name = match by {
            Op::Sum => "sum",
            Op::Mean => "mean",
            Op::Min => "min",
            Op::Max => "max",
            Op::Prod => "prod",
            _ => return None,
        };
        let mut args = Vec::new();
        if let Some(axis) = axis {
            args.push(if self.style.axis_without_name {
                axis.to_string()
            } else {
                format!("axis={axis}")
            });
        }
        if keepdims {
            args.push("keepdims=True".to_owned());
        }
        // A number of Python has no such method.
        let has_method = !a.value.is_weak;
        if has_method && (!self.style.sums_by_function || self.style.numpy.is_none()) {
            let text = format!("{}.{name}({})", self.whole(a)?, args.join(", "));
            return Some((text, Strength::Whole));
        }
        args.insert(0, self.text(a)?);
        self.call(name, &args)
    }
}

/// How NumPy calls a function of single cells.
fn map_name(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Exp => "exp",
        Op::Log => "log",
        Op::Sqrt => "sqrt",
        Op::Abs => "abs",
        Op::Sin => "sin",
        Op::Cos => "cos",
        Op::Tan => "tan",
        Op::Tanh => "tanh",
        Op::Sinh => "sinh",
        Op::Cosh => "cosh",
        _ => return None,
    })
}
