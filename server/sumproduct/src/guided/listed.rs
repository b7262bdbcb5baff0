//! Rules that a sketch file lists: an equation becomes a rule once the canonical form has proved it, and not before.
//!
//! A letter stands for any value that its annotation allows: a number, a matrix, a row, a column. An equation is proved for
//! each kind of each letter with sizes of their own, which the canonical form equates where operators need that. So it
//! holds for all sizes for which both sides have a value of one shape; where they have none, no rule is applied.

use std::fmt;
use std::sync::{Arc, LazyLock};

use quick_cache::sync;
use sumac_la::{Dag, Dim, NodeId, Op, ShapeRule, Type};
use sumac_sketch::text::Equation;
use sumac_sketch::text::ast::{Expr, ExprKind, Size, TypeKind};

use super::asks::{Asks, Axis};
use super::operators;
use super::rules::{self, LaRule, RuleSet, letter};
use crate::canonical::{self, Limits, Verdict};

/// Proofs that are kept.
const MOST_KNOWN: usize = 256;
/// Letters of one rule: the kinds of all of them are tried together.
const MOST_LETTERS: usize = 5;
/// Parts of one side.
const MOST_PARTS: usize = 40;
/// Orders of commutative operators on the left; each is a pattern of its own.
const MOST_ORDERS: u32 = 64;
/// Smaller than for forms: there are many shapes, and a rule is short.
const LIMITS: Limits = Limits {
    max_terms: 256,
    max_atoms_per_term: 32,
    max_labelings: 1000,
};

/// Why an equation is no rule.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Text for a person.
    pub message: String,
    /// Both sides for shapes with which they differ.
    pub sides: Option<Box<(Dag, [NodeId; 2])>>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

type Known = Result<Arc<LaRule>, Refused>;

/// What was proved and refused before, by what the equation says.
static KNOWN: LazyLock<sync::Cache<String, Known>> = LazyLock::new(|| sync::Cache::new(MOST_KNOWN));

/// What an equation says, letter by letter: equal text is an equal rule.
pub(super) fn key(equation: &Equation) -> String {
    equation.to_string()
}

/// Proves an equation for all values of all sizes that its annotations allow.
///
/// # Errors
/// It does not hold, or could not be proved.
pub fn prove(equation: &Equation) -> Result<(), Refused> {
    proved(equation).map(drop)
}

/// The rules of these equations.
///
/// # Errors
/// One was not proved: text for a person.
pub(super) fn all(equations: &[Equation]) -> Result<Vec<Arc<LaRule>>, String> {
    let rules = equations.iter().map(|equation| {
        let rule = proved(equation);
        rule.map_err(|refused| format!("`{}` is no rule: {refused}", equation.name))
    });
    rules.collect()
}

/// The rule of an equation that holds.
pub(super) fn proved(equation: &Equation) -> Known {
    let key = format!("{}\n{}", equation.name, key(equation));
    if let Some(known) = KNOWN.get(&key) {
        return known;
    }
    let found = compiled(equation);
    KNOWN.insert(key, found.clone());
    found
}

fn refused(message: String) -> Refused {
    Refused {
        message,
        sides: None,
    }
}

fn compiled(equation: &Equation) -> Known {
    let Equation { name, left, right } = equation;
    for side in [left, right] {
        let (mut parts, mut orders) = (0_usize, 0_u32);
        side.walk(&mut |part| {
            parts += 1;
            if let ExprKind::Binary(sign, ..) = part.kind {
                orders += u32::from(operators::infix(sign).is_some_and(|op| op.info().commutative));
            }
        });
        if parts > MOST_PARTS || 2_u32.saturating_pow(orders) > MOST_ORDERS {
            return Err(refused(format!(
                "`{side}` is too large for a rule: expected at most {MOST_PARTS} parts, and at most {} operators whose sides may be swapped; make two rules of it",
                MOST_ORDERS.ilog2()
            )));
        }
    }
    let letters = Letter::all(left).map_err(refused)?;
    if letters.len() > MOST_LETTERS {
        return Err(refused(format!(
            "a rule has at most {MOST_LETTERS} letters, and this one has {}; make two rules of it",
            letters.len()
        )));
    }
    let asks = asks(&letters);
    let rule = rules::rule(name, RuleSet::Listed, (left, right), asks).map_err(refused)?;
    decide(equation, &letters, &rule.asks)?;
    Ok(Arc::new(rule))
}

/// A letter and what it may stand for.
struct Letter {
    name: Arc<str>,
    allowed: Vec<Allowed>,
}

/// What an annotation allows.
#[derive(Clone)]
enum Allowed {
    Scalar,
    Matrix,
    Vector,
    Row,
    Column,
    Shape(Size, Size),
}

impl Letter {
    /// The letters of a left side, in the order of the text.
    fn all(left: &Expr) -> Result<Vec<Letter>, String> {
        let mut letters: Vec<Letter> = Vec::new();
        let mut wrong = None;
        left.walk(&mut |part| match &part.kind {
            ExprKind::Name(name) => {
                Letter::of(&mut letters, name);
            }
            ExprKind::Annotated(of, ty) => {
                let ExprKind::Name(name) = &of.kind else {
                    return;
                };
                let allowed = match &ty.kind {
                    TypeKind::Named("scalar") => Allowed::Scalar,
                    TypeKind::Named("matrix") => Allowed::Matrix,
                    TypeKind::Named("vector") => Allowed::Vector,
                    TypeKind::Named("row") => Allowed::Row,
                    TypeKind::Named("column") => Allowed::Column,
                    TypeKind::Shape(rows, cols) => Allowed::Shape(rows.clone(), cols.clone()),
                    _ => {
                        wrong = Some(format!("`{ty}` is nothing that a letter of a rule can be"));
                        return;
                    }
                };
                Letter::of(&mut letters, name).allowed.push(allowed);
            }
            _ => {}
        });
        wrong.map_or(Ok(letters), Err)
    }

    fn of<'a>(letters: &'a mut Vec<Letter>, name: &Arc<str>) -> &'a mut Letter {
        let place = letters.iter().position(|known| known.name == *name);
        let place = place.unwrap_or_else(|| {
            letters.push(Letter {
                name: Arc::clone(name),
                allowed: Vec::new(),
            });
            letters.len() - 1
        });
        &mut letters[place]
    }

    /// The sizes of this letter that annotations name.
    fn sizes(&self) -> impl Iterator<Item = (Axis, &Size)> {
        let shapes = self.allowed.iter().filter_map(|allowed| match allowed {
            Allowed::Shape(rows, cols) => Some([(Axis::Rows, rows), (Axis::Columns, cols)]),
            _ => None,
        });
        shapes.flatten()
    }

    /// A scalar, and matrices with one row or column and with more: each size that is not one has a name of its own.
    fn types(&self) -> Vec<Type> {
        let sides = |axis: &str| {
            [
                Dim::Known(1),
                Dim::Named(format!("{axis}({})", self.name).into()),
            ]
        };
        let mut types = vec![Type::scalar()];
        for rows in sides("nrow") {
            types.extend(sides("ncol").map(|cols| Type::matrix(rows.clone(), cols)));
        }
        types
    }
}

/// What annotations ask of the values of a match.
fn asks(letters: &[Letter]) -> Vec<Asks<egg::Var>> {
    let mut asks = Vec::new();
    // Each named size is that of the axis where it stands first.
    let mut named: Vec<(&str, (egg::Var, Axis))> = Vec::new();
    for own in letters {
        let var = letter(&own.name);
        for allowed in &own.allowed {
            asks.push(match allowed {
                Allowed::Scalar => Asks::Scalar(var),
                Allowed::Matrix | Allowed::Shape(..) => Asks::Matrix(var),
                Allowed::Vector => Asks::Vector(var),
                Allowed::Row => Asks::Row(var),
                Allowed::Column => Asks::Column(var),
            });
        }
        for (axis, size) in own.sizes() {
            let here = (var, axis);
            match size {
                Size::Number(_) => asks.push(Asks::One(here)),
                Size::Name(name) => match named.iter().find(|(known, _)| **known == *name.text) {
                    Some((_, first)) => asks.push(Asks::Equal(*first, here)),
                    None => named.push((&*name.text, here)),
                },
                Size::Any | Size::Scaled(..) => {}
            }
        }
    }
    asks
}

/// Decides the equation for every kind of every letter.
fn decide(equation: &Equation, letters: &[Letter], asks: &[Asks<egg::Var>]) -> Result<(), Refused> {
    let kinds: Vec<Vec<Type>> = letters.iter().map(Letter::types).collect();
    let mut places = vec![0; letters.len()];
    let mut is_used = false;
    loop {
        let types = places
            .iter()
            .zip(&kinds)
            .map(|(place, of)| of[*place].clone());
        is_used |= of_kinds(equation, (letters, asks), types.collect())?;
        // The next of all combinations.
        let Some(turn) = places
            .iter()
            .zip(&kinds)
            .position(|(place, of)| place + 1 < of.len())
        else {
            break;
        };
        places[turn] += 1;
        places[..turn].fill(0);
    }
    if is_used {
        return Ok(());
    }
    Err(refused(format!(
        "there are no sizes for which both sides of `{equation}` have a value of one shape"
    )))
}

/// Decides the equation for letters of these types; `false`: it says nothing about them.
fn of_kinds(
    equation: &Equation,
    (letters, asks): (&[Letter], &[Asks<egg::Var>]),
    mut types: Vec<Type>,
) -> Result<bool, Refused> {
    if !narrowed(letters, asks, &mut types) {
        return Ok(false);
    }
    let mut dag = Dag::default();
    let inputs: Vec<(Arc<str>, NodeId)> = letters
        .iter()
        .zip(&types)
        .map(|(own, ty)| (Arc::clone(&own.name), dag.input(&own.name, ty.clone())))
        .collect();
    let sides = [&equation.left, &equation.right];
    let [Some(left), Some(right)] = sides.map(|side| built(&mut dag, side, &inputs)) else {
        return Ok(false);
    };
    // A rule never changes a shape, so where the sides have different ones it is not applied.
    let (a, b) = (dag.ty(left), dag.ty(right));
    let known = |dim: &Dim| *dim != Dim::Unknown;
    let alike = |x: &Dim, y: &Dim| match (x, y) {
        (Dim::Known(x), Dim::Known(y)) => x == y,
        (x, y) => x.is_one() == y.is_one(),
    };
    if a.kind != b.kind || !alike(&a.rows, &b.rows) || !alike(&a.cols, &b.cols) {
        return Ok(false);
    }
    let shapes = || shapes(&dag, letters, &inputs);
    if ![&a.rows, &a.cols, &b.rows, &b.cols].into_iter().all(known) {
        return Err(refused(format!(
            "the size of `{equation}` is not known{}; say with `: m x n` what the letters stand for",
            shapes()
        )));
    }
    match canonical::decide_within((&dag, left), (&dag, right), &LIMITS) {
        Verdict::Equal(proof) if proof.conditions.is_empty() => Ok(true),
        Verdict::Equal(proof) => Err(refused(format!(
            "`{equation}` holds only where {}{}; a rule holds for all values",
            proof.conditions.join(" and "),
            shapes()
        ))),
        Verdict::Different => Err(Refused {
            message: format!(
                "`{}` is not always `{}`: they differ{}",
                equation.left,
                equation.right,
                shapes()
            ),
            sides: Some(Box::new((dag, [left, right]))),
        }),
        Verdict::Undecided(why) => Err(Refused {
            message: format!("`{equation}` could not be proved{}: {why}", shapes()),
            sides: Some(Box::new((dag.clone(), [left, right]))),
        }),
    }
}

/// Gives letters the sizes that annotations name, and says whether these kinds are allowed.
fn narrowed(letters: &[Letter], asks: &[Asks<egg::Var>], types: &mut [Type]) -> bool {
    for (own, ty) in letters.iter().zip(&mut *types) {
        for (axis, size) in own.sizes() {
            let dim = match axis {
                Axis::Rows => &mut ty.rows,
                Axis::Columns => &mut ty.cols,
            };
            if let Size::Name(name) = size
                && !dim.is_one()
            {
                *dim = Dim::symbol(Arc::clone(&name.text), None);
            }
        }
    }
    let of = |var: &egg::Var| {
        let place = letters.iter().position(|own| letter(&own.name) == *var);
        &types[place.expect("annotations are of letters")]
    };
    asks.iter().all(|asked| asked.holds(of))
}

/// A side over its letters; `None` where it has no value for them.
fn built(dag: &mut Dag, expr: &Expr, inputs: &[(Arc<str>, NodeId)]) -> Option<NodeId> {
    let (op, args) = match &expr.kind {
        ExprKind::Name(name) => {
            let (_, id) = inputs.iter().find(|(known, _)| known == name)?;
            return Some(*id);
        }
        ExprKind::Number(value) => return Some(dag.num(*value)),
        ExprKind::Annotated(inner, _) => return built(dag, inner, inputs),
        ExprKind::Unary(sign, inner) => {
            (operators::prefix(sign)?, vec![built(dag, inner, inputs)?])
        }
        ExprKind::Binary(sign, left, right) => (
            operators::infix(sign)?,
            vec![built(dag, left, inputs)?, built(dag, right, inputs)?],
        ),
        ExprKind::Call(name, args) => (
            Op::by_call_name(&name.text, args.len())?,
            args.iter()
                .map(|arg| built(dag, arg, inputs))
                .collect::<Option<_>>()?,
        ),
        _ => return None,
    };
    if !could_fit(dag, op, &args) {
        return None;
    }
    let swapped = (op.info().commutative && args.len() == 2).then(|| [args[1], args[0]]);
    match dag.op(op, args) {
        Ok(id) => Some(id),
        Err(_) => dag.op(op, swapped?).ok(),
    }
}

/// Whether sizes that an operator needs to be equal are both one or both not: a size with a name counts as larger than one,
/// for one has a type of its own.
fn could_fit(dag: &Dag, op: Op, args: &[NodeId]) -> bool {
    let one = |n: usize| {
        let ty = dag.ty(args[n]);
        (ty.rows.is_one(), ty.cols.is_one())
    };
    let same = |of: fn((bool, bool)) -> bool| (1..args.len()).all(|n| of(one(n)) == of(one(0)));
    match op.info().shape {
        ShapeRule::MatMul => one(0).1 == one(1).0,
        ShapeRule::Trace => one(0).0 == one(0).1,
        ShapeRule::AsScalar => one(0) == (true, true),
        ShapeRule::Diag => one(0).1 || !one(0).0,
        ShapeRule::Cbind => same(|(rows, _)| rows),
        ShapeRule::Rbind => same(|(_, cols)| cols),
        _ => true,
    }
}

/// ` for A: nrow(A) x 1 and B a number`.
fn shapes(dag: &Dag, letters: &[Letter], inputs: &[(Arc<str>, NodeId)]) -> String {
    let shown: Vec<String> = letters
        .iter()
        .zip(inputs)
        .map(|(own, (_, id))| {
            let ty = dag.ty(*id);
            if ty.is_scalar() {
                format!("{} a number", own.name)
            } else {
                format!("{}: {} x {}", own.name, ty.rows, ty.cols)
            }
        })
        .collect();
    format!(" for {}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sumac_sketch::text::parse_expression;

    fn proof(text: &str) -> Result<(), String> {
        let (left, right) = text.split_once(" = ").unwrap();
        let equation = Equation {
            name: Arc::from("r"),
            left: parse_expression(left).unwrap(),
            right: parse_expression(right).unwrap(),
        };
        prove(&equation).map_err(|refused| refused.message)
    }

    #[test]
    fn equations_that_hold_for_all_sizes_are_rules() {
        for text in [
            "(A + B)^2 = A^2 + 2*A*B + B^2",
            "A %*% (B + C) = A %*% B + A %*% C",
            "sum((A : m x n) + (B : m x n)) = sum(A) + sum(B)",
            "sum(A %*% B) = sum(t(colSums(A)) * rowSums(B))",
            "t(A %*% B) = t(B) %*% t(A)",
            "sum((c : scalar) * (A : matrix)) = c * sum(A)",
            "rowSums(A * (b : row)) = A %*% t(b)",
            "as.scalar(t(a : column) %*% (b : column)) = sum(a * b)",
            "trace(A %*% B) = trace(B %*% A)",
            "sum((A %*% B)^2) = sum((t(A) %*% A) * (B %*% t(B)))",
        ] {
            assert_eq!(proof(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn equations_that_fail_for_some_size_are_refused() {
        for (text, part) in [
            ("A %*% B = B %*% A", "is not always"),
            ("t(A) = A + 0", "is not always"),
            // Only where both have one shape: a column is added to each column of a matrix.
            ("sum(A + B) = sum(A) + sum(B)", "is not always"),
            ("(A + B)^2 = A^2 + B^2", "is not always"),
            // Of a number there is nothing to sum, so the size of a matrix would count.
            (
                "sum((c : scalar) + (A : matrix)) = c + sum(A)",
                "is not always",
            ),
            (
                "(nrow(A) - 1) * (nrow(A) - 2) * (nrow(A) - 3) * A = 0 * A",
                "",
            ),
            (
                "atan(A) = asin(A / sqrt(1 + A^2)) + 0 * A",
                "could not be proved",
            ),
            ("(A + B + C + D + E + F)^2 = A", "at most 5 letters"),
        ] {
            let Err(refused) = proof(text) else {
                panic!("{text} is a rule")
            };
            assert!(refused.contains(part), "{text}: {refused}");
        }
    }

    #[test]
    fn what_a_rule_asks_follows_its_annotations() {
        let left = parse_expression("sum((A : m x n) * (B : m x 1) * (c : scalar))").unwrap();
        let letters = Letter::all(&left).unwrap();
        let asks = asks(&letters);
        let ty = |rows, cols| Type::matrix(rows, cols);
        let hold = |types: [Type; 3]| {
            asks.iter().all(|asked| {
                asked.holds(|own| {
                    let names = ["A", "B", "c"];
                    &types[names.iter().position(|name| letter(name) == *own).unwrap()]
                })
            })
        };
        assert!(hold([ty(3_u64, 2_u64), ty(3, 1), Type::scalar()]));
        assert!(!hold([ty(3, 2), ty(2, 1), Type::scalar()]));
        assert!(!hold([ty(3, 2), ty(3, 2), Type::scalar()]));
        assert!(!hold([ty(3, 2), ty(3, 1), ty(1, 1)]));
    }
}
