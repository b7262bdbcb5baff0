//! An expression as a tree of NumPy's steps, over what is known of its names.
//!
//! Each part is looked at once, inner parts first. Where a part is no algebra, the largest algebra inside of it is handed out. Must
//! never build a tree over a value whose rank is not known, or over numbers that are not real floats.

mod calls;
mod combine;
mod create;
mod einsum;
mod parts;
mod sizes;

pub(crate) use combine::ON_PURPOSE;
pub(crate) use create::dtype_by_name;
pub(crate) use sizes::{axis, stated_dim};

use combine::{is_real, rename};
use std::sync::Arc;

use sumac_la::Op;
use sumac_language::{Diagnostic, Severity};
use sumac_text::TextRange;

use crate::env::{Binding, Env};
use crate::imports;
use crate::parse::{self, CmpOp, Expr, Number, Operator, UnaryOp, place};
use crate::scope::Sizes;
use crate::tree::{Atom, Step, Tree};
use crate::value::{DType, Value};

/// The largest integer up to which floats hold every one.
const EXACT: i64 = 1 << 53;

/// What was made of a part of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Its value, where it is known.
    pub(crate) value: Option<Value>,
    /// Its tree, where it is algebra.
    pub(crate) tree: Option<Tree>,
    range: TextRange,
    is_bare: bool,
}

/// A largest piece of algebra.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) range: TextRange,
    pub(crate) tree: Tree,
    pub(crate) is_bare: bool,
    pub(crate) env: Env,
}

/// Reads expressions.
pub(crate) struct Reader<'a> {
    text: &'a str,
    /// What is known of names.
    pub(crate) env: &'a mut Env,
    /// Where new names of sizes come from; without it there are none, and no size is taken for another.
    sizes: Option<&'a mut Sizes>,
    /// The largest algebra so far, inside of what is none.
    pub(crate) found: Vec<Found>,
    /// What is wrong.
    pub(crate) problems: Vec<Diagnostic>,
    /// Whether two sizes had to be taken for one.
    pub(crate) has_assumed: bool,
    /// How many conditions are around, under which only a part is evaluated.
    conditions: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str, env: &'a mut Env, sizes: Option<&'a mut Sizes>) -> Self {
        Reader {
            text,
            env,
            sizes,
            found: Vec::new(),
            problems: Vec::new(),
            has_assumed: false,
            conditions: 0,
        }
    }

    /// Reads a whole expression and hands out all of its algebra.
    pub(crate) fn whole(&mut self, expr: &Expr, is_bare: bool) -> Seen {
        let seen = self.visit(expr, is_bare);
        self.hand_out(&seen);
        seen
    }

    /// The text of a part.
    pub(crate) fn text_of(&self, range: TextRange) -> &'a str {
        self.text.get(range.start..range.end).unwrap_or_default()
    }

    /// Reads a part.
    fn visit(&mut self, expr: &Expr, is_bare: bool) -> Seen {
        let range = place(expr);
        let at = (range, is_bare);
        match expr {
            Expr::Name(name) => match self.env.get(&name.id) {
                Some(Binding::Value(value)) => Self::atom(self.text_of(range), value, true, at),
                Some(Binding::Size(_)) => self.size(at),
                _ => Self::unknown(at),
            },
            Expr::NumberLiteral(number) => Self::number(&number.value, at),
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => {
                let operand = self.visit(&unary.operand, false);
                let number = operand.tree.as_ref().map(|tree| tree.step.clone());
                if let Some(Step::Number { value, is_int }) = number {
                    let step = Step::Number {
                        value: -value,
                        is_int,
                    };
                    return self.combine(step, Vec::new(), at);
                }
                self.combine(Step::Map(Op::Neg), vec![operand], at)
            }
            Expr::BinOp(binary) => {
                let left = self.visit(&binary.left, false);
                let right = self.visit(&binary.right, false);
                match operation(binary.op) {
                    Some(Step::Cell(Op::Pow)) => self.power(left, right, at),
                    Some(step) => self.combine(step, vec![left, right], at),
                    None => self.opaque(&[left, right], at),
                }
            }
            Expr::Compare(compare) => {
                let mut parts = vec![self.visit(&compare.left, false)];
                for other in &compare.comparators {
                    parts.push(self.visit(other, false));
                }
                match (&*compare.ops, comparison(&compare.ops)) {
                    ([_], Some(op)) => self.combine(Step::Cell(op), parts, at),
                    _ => self.opaque(&parts, at),
                }
            }
            Expr::Attribute(attribute) => self.attribute(expr, attribute, at),
            Expr::Subscript(subscript) => self.subscript(subscript, at),
            Expr::Call(call) => self.call(call, at),
            Expr::If(choice) => {
                let test = self.visit(&choice.test, false);
                // What is asked of there holds on one side only.
                let asked = crate::doubts::asked_of(&choice.test);
                let before = (!asked.is_empty()).then(|| self.env.clone());
                for name in &asked {
                    self.env.set(name, Binding::Unknown);
                }
                self.conditions += 1;
                let first = self.visit(&choice.body, false);
                let second = self.visit(&choice.orelse, false);
                self.conditions -= 1;
                if let Some(before) = before {
                    *self.env = before;
                }
                let value = (first.value == second.value).then(|| first.value.clone());
                let seen = self.opaque(&[test, first, second], at);
                Seen {
                    value: value.flatten(),
                    ..seen
                }
            }
            _ => self.inside(expr, at),
        }
    }

    /// Reads the parts of what is no algebra itself.
    fn inside(&mut self, expr: &Expr, at: (TextRange, bool)) -> Seen {
        let mut parts: Vec<(&Expr, bool)> = Vec::new();
        match expr {
            Expr::Tuple(tuple) => parts.extend(tuple.elts.iter().map(|part| (part, true))),
            Expr::List(list) => parts.extend(list.elts.iter().map(|part| (part, true))),
            Expr::Set(set) => parts.extend(set.elts.iter().map(|part| (part, true))),
            Expr::Dict(dict) => {
                for item in dict.iter() {
                    parts.extend(item.key.as_ref().map(|key| (key, true)));
                    parts.push((&item.value, true));
                }
            }
            Expr::BoolOp(of) => parts.extend(of.values.iter().map(|part| (part, false))),
            Expr::UnaryOp(of) => parts.push((&of.operand, false)),
            Expr::Named(named) => parts.push((&named.value, true)),
            Expr::Await(of) => parts.push((&of.value, false)),
            Expr::Yield(of) => parts.extend(of.value.as_deref().map(|part| (part, true))),
            Expr::YieldFrom(of) => parts.push((&of.value, true)),
            Expr::Starred(of) => parts.push((&of.value, false)),
            Expr::Attribute(of) => parts.push((&of.value, false)),
            Expr::Subscript(of) => parts.extend([(&*of.value, false), (&*of.slice, true)]),
            Expr::Slice(of) => {
                let bounds = [&of.lower, &of.upper, &of.step];
                parts.extend(bounds.into_iter().flatten().map(|part| (&**part, false)));
            }
            // What has names of its own, or is evaluated when nobody knows: lambdas, comprehensions, texts with places.
            _ => {}
        }
        let is_conditional = matches!(expr, Expr::BoolOp(_));
        self.conditions += usize::from(is_conditional);
        let parts: Vec<Seen> = parts
            .into_iter()
            .map(|(part, is_bare)| self.visit(part, is_bare))
            .collect();
        self.conditions -= usize::from(is_conditional);
        self.opaque(&parts, at)
    }

    /// Something unknown made of parts.
    fn opaque(&mut self, parts: &[Seen], at: (TextRange, bool)) -> Seen {
        for part in parts {
            self.hand_out(part);
        }
        Self::unknown(at)
    }

    fn unknown((range, is_bare): (TextRange, bool)) -> Seen {
        Seen {
            value: None,
            tree: None,
            range,
            is_bare,
        }
    }

    /// A value without a tree.
    fn valued(value: Option<Value>, at: (TextRange, bool)) -> Seen {
        Seen {
            value,
            ..Self::unknown(at)
        }
    }

    fn atom(text: &str, value: Value, is_pure: bool, (range, is_bare): (TextRange, bool)) -> Seen {
        let is_plain = !text.contains(['\n', '\r', '#', '\\']);
        let tree = (is_plain && is_real(&value) && value.rank() <= 2).then(|| Tree {
            step: Step::Atom(Atom {
                text: text.into(),
                is_pure,
            }),
            args: Vec::new(),
            value: value.clone(),
        });
        Seen {
            value: (value.rank() <= 2).then_some(value),
            tree,
            range,
            is_bare,
        }
    }

    /// A size, by the text of the part.
    fn size(&mut self, at: (TextRange, bool)) -> Seen {
        let text: Arc<str> = self.text_of(at.0).into();
        self.combine(Step::Size(text), Vec::new(), at)
    }

    fn number(number: &Number, (range, is_bare): (TextRange, bool)) -> Seen {
        let at = (range, is_bare);
        #[expect(clippy::cast_precision_loss, reason = "floats hold it exactly")]
        let (value, is_int) = match number {
            Number::Int(int) => match int.as_i64() {
                Some(int) if int.abs() <= EXACT => (int as f64, true),
                _ => return Self::unknown(at),
            },
            Number::Float(float) => (*float, false),
            Number::Complex { .. } => {
                return Self::valued(Some(Value::python_number(DType::Complex)), at);
            }
        };
        let dtype = if is_int { DType::Int } else { DType::Float64 };
        let tree = Tree {
            step: Step::Number { value, is_int },
            args: Vec::new(),
            value: Value::python_number(dtype),
        };
        Seen {
            value: Some(tree.value.clone()),
            tree: Some(tree),
            range,
            is_bare,
        }
    }

    /// `a ** b`: a square, or a power with a number for its exponent.
    fn power(&mut self, base: Seen, exponent: Seen, at: (TextRange, bool)) -> Seen {
        match exponent.tree.as_ref().map(|tree| &tree.step) {
            Some(Step::Number { value: 2.0, is_int })
                if *is_int
                    || base
                        .value
                        .as_ref()
                        .is_some_and(|value| is_float(value.dtype)) =>
            {
                self.combine(Step::Square, vec![base], at)
            }
            Some(Step::Number { .. }) => {
                self.combine(Step::Cell(Op::Pow), vec![base, exponent], at)
            }
            _ => {
                let value = self.value_of(&Step::Cell(Op::Pow), &[&base, &exponent], at.0);
                let seen = self.opaque(&[base, exponent], at);
                Seen { value, ..seen }
            }
        }
    }

    /// The name of what an expression calls, of NumPy: `linalg.norm`.
    fn numpy_name(&self, expr: &Expr) -> Option<String> {
        let path = imports::path(expr, self.env)?;
        path.strip_prefix("numpy.").map(str::to_owned)
    }
}

/// The step of an operator.
pub(crate) fn operation(op: Operator) -> Option<Step> {
    Some(match op {
        Operator::Add => Step::Cell(Op::Add),
        Operator::Sub => Step::Cell(Op::Sub),
        Operator::Mult => Step::Cell(Op::Mul),
        Operator::Div => Step::Cell(Op::Div),
        Operator::Pow => Step::Cell(Op::Pow),
        Operator::MatMult => Step::MatMul,
        _ => return None,
    })
}

fn comparison(ops: &[CmpOp]) -> Option<Op> {
    Some(match ops.first()? {
        CmpOp::Eq => Op::Eq,
        CmpOp::NotEq => Op::Ne,
        CmpOp::Lt => Op::Lt,
        CmpOp::LtE => Op::Le,
        CmpOp::Gt => Op::Gt,
        CmpOp::GtE => Op::Ge,
        _ => return None,
    })
}

/// The tree of an expression's text over an environment; `None` where it is no algebra, damaged, or needs sizes to be equal that
/// are not known to be.
#[must_use]
pub fn expression(text: &str, env: &Env) -> Option<Tree> {
    let expr = parse::expression(text)?;
    let mut env = env.clone();
    let mut reader = Reader::new(text, &mut env, None);
    let seen = reader.whole(&expr, true);
    let is_wrong = |problem: &Diagnostic| problem.severity == Severity::Error;
    if reader.has_assumed || reader.problems.iter().any(is_wrong) {
        return None;
    }
    let mut tree = seen.tree?;
    rename(&mut tree, &env);
    Some(tree)
}

/// Whether a square by `2.0` is of the same kind as one by `2`.
fn is_float(dtype: DType) -> bool {
    matches!(
        dtype,
        DType::Float32 | DType::Float64 | DType::Assumed | DType::Complex
    )
}
