//! A sketch's text as a sketch over the e-graph of one expression: its names are the inputs of that expression.

use sumac_la::{Dag, Dim, Kind, Op, Type};
use sumac_sketch::text::ast::{Expr, ExprKind, Size, TypeExpr, TypeKind};
use sumac_sketch::{Condition, Shape, SketchId, Sketches};

use super::language::{Fact, La};
use super::operators;

/// What an annotation asks of a class.
#[derive(Clone, PartialEq, Debug)]
pub enum Wanted {
    /// So many rows and columns, where they are given.
    Shape(Option<Dim>, Option<Dim>),
    /// A scalar.
    Scalar,
    /// A matrix.
    Matrix,
    /// A matrix of one row or one column.
    Vector,
    /// A matrix of one row.
    Row,
    /// A matrix of one column.
    Column,
    /// Not kept in a sparse format.
    Dense,
    /// An estimated share of non-zero cells, compared by the sign.
    Sparse(&'static str, f64),
}

impl Condition<Fact> for Wanted {
    fn holds(&self, fact: &Fact) -> bool {
        self.is_true_of(&fact.ty)
    }
}

impl Wanted {
    fn is_true_of(&self, ty: &Type) -> bool {
        let is_matrix = ty.kind == Kind::Matrix;
        match self {
            Wanted::Shape(rows, cols) => {
                let fits = |asked: &Option<Dim>, known: &Dim| {
                    asked.as_ref().is_none_or(|asked| match asked.known() {
                        Some(number) => known.estimate() == Some(number),
                        None => asked == known,
                    })
                };
                is_matrix && fits(rows, &ty.rows) && fits(cols, &ty.cols)
            }
            Wanted::Scalar => !is_matrix,
            Wanted::Matrix => is_matrix,
            Wanted::Vector => is_matrix && (ty.rows.is_one() || ty.cols.is_one()),
            Wanted::Row => is_matrix && ty.rows.is_one(),
            Wanted::Column => is_matrix && ty.cols.is_one(),
            Wanted::Dense => !ty.is_stored_sparse(),
            Wanted::Sparse(sign, share) => {
                let found = ty.density();
                is_matrix
                    && match *sign {
                        "<" => found < *share,
                        "<=" => found <= *share,
                        ">" => found > *share,
                        _ => found >= *share,
                    }
            }
        }
    }
}

/// Sketches over the terms of one expression.
pub type LaSketches = Sketches<La, Wanted>;

/// What the script calls the inputs of an expression.
pub struct Inputs<'a> {
    /// The expression's inputs.
    pub dag: &'a Dag,
    /// An input by the name that the script has for it; `None` if it reads none of that name.
    pub by_name: &'a dyn Fn(&str) -> Option<u32>,
}

/// Adds a pattern in which everything is filled in.
///
/// # Errors
/// It names what the expression does not read, or what is no operator: text for a person.
pub fn sketch_of(
    expr: &Expr,
    inputs: &Inputs<'_>,
    sketches: &mut LaSketches,
) -> Result<SketchId, String> {
    let mut inner = |part: &Expr| sketch_of(part, inputs, sketches);
    let (op, args): (Op, Vec<SketchId>) = match &expr.kind {
        ExprKind::Hole => return Ok(sketches.add(Shape::Any)),
        ExprKind::Missing => {
            return Err("a part of the sketch could not be read; see `sumac check`".to_owned());
        }
        ExprKind::Number(value) => {
            return Ok(sketches.add(Shape::Node(La::num(*value), Vec::new(), false)));
        }
        ExprKind::Name(name) => {
            let number = (inputs.by_name)(name).ok_or_else(|| unknown(name, inputs.dag))?;
            return Ok(sketches.add(Shape::Node(La::Input(number), Vec::new(), false)));
        }
        ExprKind::Call(name, args) if &*name.text == "contains" && args.len() == 1 => {
            let part = inner(&args[0])?;
            return Ok(sketches.add(Shape::Contains(part)));
        }
        ExprKind::Either(left, right) => {
            let parts = vec![inner(left)?, inner(right)?];
            return Ok(sketches.add(Shape::Either(parts)));
        }
        ExprKind::Annotated(of, ty) => {
            let part = inner(of)?;
            return Ok(sketches.add(Shape::Such(part, asked(ty)?)));
        }
        // A negative number may stand in the script as one number, or as a sign before one.
        ExprKind::Unary("-", of) if matches!(of.kind, ExprKind::Number(_)) => {
            let ExprKind::Number(value) = of.kind else {
                unreachable!("matched above")
            };
            let part = inner(of)?;
            let one = sketches.add(Shape::Node(La::num(-value), Vec::new(), false));
            let head = La::op(Op::Neg, [egg::Id::from(0)]);
            let two = sketches.add(Shape::Node(head, vec![part], false));
            return Ok(sketches.add(Shape::Either(vec![two, one])));
        }
        ExprKind::Call(name, args) => {
            let op = Op::by_call_name(&name.text, args.len()).ok_or_else(|| {
                format!(
                    "there is no operator `{}` of {} arguments in linear algebra",
                    name.text,
                    args.len()
                )
            })?;
            (op, args.iter().map(inner).collect::<Result<_, _>>()?)
        }
        ExprKind::Unary(sign, of) => (
            operators::prefix(sign).ok_or_else(|| format!("there is no operator `{sign}`"))?,
            vec![inner(of)?],
        ),
        ExprKind::Binary(sign, left, right) => (
            operators::infix(sign).ok_or_else(|| format!("there is no operator `{sign}`"))?,
            vec![inner(left)?, inner(right)?],
        ),
    };
    let head = La::op(op, args.iter().map(|_| egg::Id::from(0)));
    Ok(sketches.add(Shape::Node(head, args, op.info().commutative)))
}

fn unknown(name: &str, dag: &Dag) -> String {
    let names: Vec<&str> = dag.inputs().iter().map(|input| &*input.name).collect();
    format!(
        "the statement reads no `{name}`; it reads {}, and `?` stands for anything",
        names.join(", ")
    )
}

fn asked(ty: &TypeExpr) -> Result<Wanted, String> {
    Ok(match &ty.kind {
        TypeKind::Shape(rows, cols) => Wanted::Shape(size(rows)?, size(cols)?),
        TypeKind::Named("scalar") => Wanted::Scalar,
        TypeKind::Named("matrix") => Wanted::Matrix,
        TypeKind::Named("vector") => Wanted::Vector,
        TypeKind::Named("row") => Wanted::Row,
        TypeKind::Named("column") => Wanted::Column,
        TypeKind::Named(_) => Wanted::Dense,
        TypeKind::Sparse(sign, share) => Wanted::Sparse(sign, *share),
        TypeKind::Array(..) => {
            return Err(
                "arrays belong to sketches `on array`; a matrix is written `: m x n`".to_owned(),
            );
        }
        TypeKind::Missing => {
            return Err("an annotation could not be read; see `sumac check`".to_owned());
        }
    })
}

fn size(size: &Size) -> Result<Option<Dim>, String> {
    match size {
        Size::Any => Ok(None),
        Size::Name(name) => Ok(Some(Dim::symbol(name.text.clone(), None))),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be whole and in range"
        )]
        Size::Number(value) if value.fract() == 0.0 && (0.0..9e15).contains(value) => {
            Ok(Some(Dim::Known(*value as u64)))
        }
        size => Err(format!(
            "expected a whole number, a name or `?` as a size, found `{size}`"
        )),
    }
}
