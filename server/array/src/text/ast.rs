//! The tree of an array program or a rule as it is written. Signs and `let` are calls already.

use std::sync::Arc;

use sumac_text::TextRange;

use crate::types::Scalar;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: Arc<str>,
    /// Its place.
    pub range: TextRange,
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Its place.
    pub range: TextRange,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// A variable or a primitive, with the sizes in brackets.
    Name(Arc<str>, Vec<Size>),
    /// A number, perhaps with its type behind it: `1f64`.
    Number(f64, Option<Scalar>),
    /// `f(a)`.
    Apply(Box<Expr>, Box<Expr>),
    /// `fun x => e`, `fun (x : t) => e`.
    Fun(Name, Option<TypeExpr>, Box<Expr>),
    /// `(e : t)`.
    Typed(Box<Expr>, TypeExpr),
}

/// A type as it is written.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeExpr {
    /// Its place.
    pub range: TextRange,
    /// What it is.
    pub kind: TypeKind,
}

/// What a type is.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `f32`, `f64`, or a variable of a rule.
    Name(Arc<str>),
    /// `[n]a`.
    Array(Size, Box<TypeExpr>),
    /// `<n>s`.
    Vector(Size, Box<TypeExpr>),
    /// `(a, b)`.
    Pair(Box<TypeExpr>, Box<TypeExpr>),
    /// `a -> b`.
    Fun(Box<TypeExpr>, Box<TypeExpr>),
}

/// A size as it is written.
#[derive(Clone, PartialEq, Debug)]
pub struct Size {
    /// Its place.
    pub range: TextRange,
    /// What it is.
    pub kind: SizeKind,
}

/// What a size is.
#[derive(Clone, PartialEq, Debug)]
pub enum SizeKind {
    /// A number.
    Number(i64),
    /// A name.
    Name(Arc<str>),
    /// `a + b`, `a - b`, `a * b`, `a / b`.
    Binary(char, Box<Size>, Box<Size>),
}

/// `program mm(m, n, k)(A: [m][k]f32) = …`.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramText {
    /// Its name.
    pub name: Name,
    /// Its sizes.
    pub sizes: Vec<Name>,
    /// Its inputs.
    pub inputs: Vec<(Name, TypeExpr)>,
    /// What it computes.
    pub body: Expr,
    /// The comment lines directly above it.
    pub doc: String,
}

/// `rule name: left = right`.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleText {
    /// Its name.
    pub name: Name,
    /// What it looks for.
    pub left: Expr,
    /// What that equals.
    pub right: Expr,
    /// Functions of the right side that work on vectors as ones of the left side do on numbers: `g = f on w`.
    pub vectorized: Vec<(Name, Name, Size)>,
    /// The comment lines directly above it.
    pub doc: String,
}

/// `set name`, and the rules behind it.
#[derive(Clone, PartialEq, Debug)]
pub struct SetText {
    /// Its name.
    pub name: Name,
    /// Its rules.
    pub rules: Vec<RuleText>,
    /// Rules of other sets that it also has: `also name`.
    pub also: Vec<Name>,
    /// The comment lines directly above it.
    pub doc: String,
}

impl Expr {
    /// `function(argument)`.
    pub(crate) fn apply(function: Expr, argument: Expr) -> Expr {
        Expr {
            range: function.range.cover(argument.range),
            kind: ExprKind::Apply(Box::new(function), Box::new(argument)),
        }
    }

    /// A name without sizes.
    pub(crate) fn name(text: &str, range: TextRange) -> Expr {
        Expr {
            range,
            kind: ExprKind::Name(Arc::from(text), Vec::new()),
        }
    }
}
