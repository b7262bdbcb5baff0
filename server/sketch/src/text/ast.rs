//! The typed tree of a sketch file. Places that could not be read are [`ExprKind::Missing`].

use std::sync::Arc;

use sumac_text::TextRange;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name.
    pub text: Arc<str>,
    /// Its place.
    pub range: TextRange,
}

/// A sketch file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct File {
    /// `import "…"`, in the order of the text.
    pub imports: Vec<Import>,
    /// `def …`.
    pub abstractions: Vec<Abstraction>,
    /// `rule …`.
    pub rules: Vec<RuleDef>,
    /// `sketch …`.
    pub sketches: Vec<SketchDef>,
}

/// `import "linear_algebra.sketch"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// The path, relative to the file.
    pub path: Arc<str>,
    /// Where the path stands, quotes included.
    pub range: TextRange,
}

/// `def gram(X) = t(X) %*% X`.
#[derive(Clone, PartialEq, Debug)]
pub struct Abstraction {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// What it stands for.
    pub body: Expr,
    /// The comment lines directly above it.
    pub doc: String,
    /// The whole.
    pub range: TextRange,
}

/// `rule square_of_sum: (A + B)^2 = A^2 + 2 * A * B + B^2`.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleDef {
    /// Its name.
    pub name: Name,
    /// What it is read from. Each name stands for any value, perhaps with an annotation.
    pub left: Expr,
    /// What it becomes.
    pub right: Expr,
    /// The comment lines directly above it.
    pub doc: String,
    /// The whole.
    pub range: TextRange,
}

impl RuleDef {
    /// Where the equation stands.
    #[must_use]
    pub fn equation(&self) -> TextRange {
        self.left.range.cover(self.right.range)
    }
}

/// `sketch name(parameters) { guide … goal … }`.
#[derive(Clone, PartialEq, Debug)]
pub struct SketchDef {
    /// Its name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// `on array`; without it, a sketch is about linear algebra.
    pub language: Option<Name>,
    /// Its guides and its goal, in order.
    pub stages: Vec<Stage>,
    /// The comment lines directly above it.
    pub doc: String,
    /// The whole.
    pub range: TextRange,
}

/// Whether a stage is on the way or the end of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StageKind {
    /// `guide`.
    Guide,
    /// `goal`.
    Goal,
}

impl StageKind {
    /// As it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            StageKind::Guide => "guide",
            StageKind::Goal => "goal",
        }
    }
}

/// `guide name: pattern using rules minimize cost within limits`.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// Guide or goal.
    pub kind: StageKind,
    /// Its name.
    pub label: Option<Name>,
    /// What is looked for.
    pub pattern: Expr,
    /// Rule sets and rules; empty where none are given.
    pub rules: Vec<Name>,
    /// What is minimized.
    pub cost: Option<Name>,
    /// `2000 nodes`, `12 rounds`.
    pub limits: Vec<Limit>,
    /// The whole.
    pub range: TextRange,
}

/// `2000 nodes`.
#[derive(Clone, PartialEq, Debug)]
pub struct Limit {
    /// How many.
    pub count: f64,
    /// Of what.
    pub unit: Name,
}

/// An expression with holes.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Its place.
    pub range: TextRange,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is. Parentheses are not kept.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `?`.
    Hole,
    /// A variable, a parameter or an abstraction without parameters.
    Name(Arc<str>),
    /// A number.
    Number(f64),
    /// `f(a, b)`: an operator, an abstraction, or `contains`.
    Call(Name, Vec<Expr>),
    /// `-a`, `!a`.
    Unary(&'static str, Box<Expr>),
    /// `a + b`.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `a | b`: either.
    Either(Box<Expr>, Box<Expr>),
    /// `a : type`.
    Annotated(Box<Expr>, TypeExpr),
    /// Something that could not be read.
    Missing,
}

/// What stands behind a colon.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeExpr {
    /// Its place.
    pub range: TextRange,
    /// What it is.
    pub kind: TypeKind,
}

/// What an annotation asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `m x n`.
    Shape(Size, Size),
    /// `scalar`, `matrix`, `vector`, `row`, `column`, `dense`.
    Named(&'static str),
    /// `sparse < 0.1`: the share of non-zero cells, compared by the sign.
    Sparse(&'static str, f64),
    /// `[n]f32`, `[n]?`: of the array language.
    Array(Size, Option<Box<Element>>),
    /// Something that could not be read.
    Missing,
}

/// What an array holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Element {
    /// `?`.
    Any,
    /// A type by name.
    Named(Name),
    /// Arrays.
    Array(TypeExpr),
}

/// A number of rows, columns or cells.
#[derive(Clone, PartialEq, Debug)]
pub enum Size {
    /// `?`.
    Any,
    /// A parameter, or a size that the script knows by this name.
    Name(Name),
    /// A number.
    Number(f64),
    /// `m/32`, `2*n`.
    Scaled(&'static str, Box<Size>, Box<Size>),
}

/// The names of annotations.
pub const NAMED_TYPES: [&str; 6] = ["scalar", "matrix", "vector", "row", "column", "dense"];

impl Expr {
    /// Calls `visit` with this expression and all below it, from the outside in.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Hole | ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Missing => {}
            ExprKind::Call(_, args) => args.iter().for_each(|arg| arg.walk(visit)),
            ExprKind::Unary(_, inner) | ExprKind::Annotated(inner, _) => inner.walk(visit),
            ExprKind::Binary(_, left, right) | ExprKind::Either(left, right) => {
                left.walk(visit);
                right.walk(visit);
            }
        }
    }
}

impl Size {
    /// Calls `visit` with each name in it.
    pub fn names<'a>(&'a self, visit: &mut dyn FnMut(&'a Name)) {
        match self {
            Size::Any | Size::Number(_) => {}
            Size::Name(name) => visit(name),
            Size::Scaled(_, left, right) => {
                left.names(visit);
                right.names(visit);
            }
        }
    }
}

impl TypeExpr {
    /// Calls `visit` with each name of a size in it.
    pub fn names<'a>(&'a self, visit: &mut dyn FnMut(&'a Name)) {
        match &self.kind {
            TypeKind::Shape(rows, cols) => {
                rows.names(visit);
                cols.names(visit);
            }
            TypeKind::Array(size, element) => {
                size.names(visit);
                if let Some(Element::Array(inner)) = element.as_deref() {
                    inner.names(visit);
                }
            }
            TypeKind::Named(_) | TypeKind::Sparse(..) | TypeKind::Missing => {}
        }
    }
}
