//! The typed AST of a DML script: owned, immutable, cheap to share between threads.
//!
//! It is lowered from the tree-sitter tree in one pass. Broken code is normal: what could not be read is
//! [`ExprKind::Missing`], [`StmtKind::Error`] or `None`, never a panic and never a dropped statement.
//! Every node knows its byte range in the text it came from.

use std::sync::Arc;

use sumac_text::TextRange;

/// A whole script.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// Statements, function definitions and imports in source order.
    pub statements: Vec<Stmt>,
    /// The `#@` lines in source order.
    pub facts: Vec<Fact>,
}

/// Statements between braces, or the single statement of a brace-less body.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// With the braces, where there are any.
    pub range: TextRange,
    /// In source order.
    pub statements: Vec<Stmt>,
}

/// A statement with its place (without a trailing semicolon or comment).
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// The statement's bytes.
    pub range: TextRange,
    /// What it is.
    pub kind: StmtKind,
    /// Whether a syntax error stands in it, touches it, or could swallow it: what it says is a guess then. Of a compound statement
    /// this is its head.
    pub is_damaged: bool,
}

impl StmtKind {
    /// The blocks inside.
    pub(crate) fn bodies_mut(&mut self) -> Vec<&mut Block> {
        match self {
            StmtKind::If {
                then, otherwise, ..
            } => std::iter::once(then).chain(otherwise).collect(),
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => vec![body],
            StmtKind::Function(function) => function.body.iter_mut().collect(),
            _ => Vec::new(),
        }
    }
}

/// The statements of DML.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// `x = e`, `X[i, j] = e`, `x += e` (also written with `<-`).
    Assign {
        /// Left of the sign.
        target: Target,
        /// Whether the value is added to the old one.
        op: AssignOp,
        /// Right of the sign.
        value: Expr,
    },
    /// `[a, b] = f(x)`.
    MultiAssign {
        /// The names that receive the results.
        targets: Vec<Target>,
        /// The call on the right.
        value: Expr,
    },
    /// An expression for its effect: `print(x)`, `write(X, $out)`, `foo(x)`.
    Expr(Expr),
    /// `if (cond) … else …`.
    If {
        /// The condition.
        cond: Expr,
        /// When true.
        then: Block,
        /// When false; an `else if` is a block of one `If`.
        otherwise: Option<Block>,
    },
    /// `while (cond) …`.
    While {
        /// The condition.
        cond: Expr,
        /// The body.
        body: Block,
    },
    /// `for (i in range) …` and `parfor`.
    For {
        /// Whether iterations may run side by side.
        parallel: bool,
        /// The loop variable.
        var: Ident,
        /// What it runs over.
        range: LoopRange,
        /// `parfor`'s options such as `check = 0`.
        options: Vec<Arg>,
        /// The body.
        body: Block,
    },
    /// `f = function(Matrix[Double] X, Integer k = 1) return (Matrix[Double] Y) { … }`.
    Function(FunctionDef),
    /// `source("file.dml") as ns`.
    Source {
        /// The path as written, without quotes.
        path: Option<Literal>,
        /// The namespace.
        alias: Option<Ident>,
    },
    /// `setwd("dir")`.
    SetWd {
        /// The path as written, without quotes.
        path: Option<Literal>,
    },
    /// Text that is no statement.
    Error,
}

/// How an assignment combines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignOp {
    /// `=` or `<-`.
    Set,
    /// `+=`.
    Accumulate,
}

/// What a `for` runs over.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopRange {
    /// `a:b`, both ends included.
    FromTo(Expr, Expr),
    /// `seq(a, b, step)` or any other expression (a vector).
    Over(Expr),
}

/// A function definition.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionDef {
    /// Its name.
    pub name: Ident,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Results in order.
    pub results: Vec<Param>,
    /// The body; `None` for `externalFunction`.
    pub body: Option<Block>,
    /// What stands in the parentheses behind `implemented in` of an `externalFunction`: names with texts.
    pub options: Vec<Arg>,
}

/// A parameter or a result.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The whole declaration.
    pub range: TextRange,
    /// The type as written, such as `Matrix[Double]`; results and parameters may leave it out.
    pub ty: Option<Ident>,
    /// The name.
    pub name: Ident,
    /// The default value.
    pub default: Option<Expr>,
}

/// An identifier, dots included (`as.scalar`), without quotes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ident {
    /// Where it stands.
    pub range: TextRange,
    /// Its text.
    pub name: Arc<str>,
}

/// A string literal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Literal {
    /// Where it stands, with quotes.
    pub range: TextRange,
    /// Its value, escapes resolved.
    pub value: Arc<str>,
}

/// What an assignment writes to.
#[derive(Clone, PartialEq, Debug)]
pub struct Target {
    /// The whole target.
    pub range: TextRange,
    /// The variable.
    pub name: Ident,
    /// `[rows, cols]` for left indexing.
    pub index: Option<Index>,
}

/// The inside of `[rows, cols]`, or `[i]` of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    /// With the brackets.
    pub range: TextRange,
    /// Before the comma; the only part of a list's index.
    pub rows: Span,
    /// After the comma; `None` where there is no comma.
    pub cols: Option<Span>,
}

/// One side of an index.
#[derive(Clone, PartialEq, Debug)]
pub enum Span {
    /// Nothing written: everything.
    All,
    /// One position.
    At(Box<Expr>),
    /// `a:b`, both included; an end may be left out.
    Range(Option<Box<Expr>>, Option<Box<Expr>>),
}

/// An expression with its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// The expression's bytes.
    pub range: TextRange,
    /// What it is.
    pub kind: ExprKind,
}

/// The expressions of DML.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// Nothing readable where an expression should stand.
    Missing,
    /// `3`.
    Int(i64),
    /// `3.0`, `1e-6`.
    Double(f64),
    /// `TRUE`, `FALSE`.
    Bool(bool),
    /// `"text"` or `'text'`.
    Str(Literal),
    /// A variable.
    Name(Ident),
    /// `$name` or `$1`, without the dollar sign.
    Arg(Ident),
    /// `-x`, `+x`, `!x`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `f(a, k = b)`, `ns::f(a)`.
    Call(Call),
    /// `X[i, j]`.
    Index(Box<Expr>, Index),
    /// `(e)`.
    Paren(Box<Expr>),
    /// `[a, b, c]`.
    List(Vec<Expr>),
}

/// A call.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// `ns` in `ns::f(…)`.
    pub namespace: Option<Ident>,
    /// The function's name.
    pub name: Ident,
    /// Arguments in order.
    pub args: Vec<Arg>,
    /// From the opening to the closing parenthesis.
    pub parens: TextRange,
}

/// One argument.
#[derive(Clone, PartialEq, Debug)]
pub struct Arg {
    /// `k` in `k = e`.
    pub name: Option<Ident>,
    /// The value.
    pub value: Expr,
}

/// Prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `+`
    Plus,
    /// `!`
    Not,
}

/// Infix operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "each is named by its sign below")]
pub enum BinaryOp {
    Pow,
    MatMul,
    Mod,
    IntDiv,
    Mul,
    Div,
    Add,
    Sub,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
}

impl BinaryOp {
    /// Sign and binding strength, tightest 9; `^` alone groups to the right. Unary `+ -` bind at 8
    /// (between `^` and `%*%`), `!` at 3 (between comparisons and `&`), as SystemDS's grammar has it.
    #[must_use]
    pub fn sign_and_strength(self) -> (&'static str, u8) {
        match self {
            BinaryOp::Pow => ("^", 9),
            BinaryOp::MatMul => ("%*%", 7),
            BinaryOp::Mod => ("%%", 6),
            BinaryOp::IntDiv => ("%/%", 6),
            BinaryOp::Mul => ("*", 5),
            BinaryOp::Div => ("/", 5),
            BinaryOp::Add => ("+", 4),
            BinaryOp::Sub => ("-", 4),
            BinaryOp::Lt => ("<", 3),
            BinaryOp::Le => ("<=", 3),
            BinaryOp::Gt => (">", 3),
            BinaryOp::Ge => (">=", 3),
            BinaryOp::Eq => ("==", 3),
            BinaryOp::Ne => ("!=", 3),
            BinaryOp::And => ("&", 1),
            BinaryOp::Or => ("|", 0),
        }
    }
}

/// A `#@` line: something the author states about the script. To SystemDS it is a comment.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// From `#@` to the end of the line.
    pub range: TextRange,
    /// What it states.
    pub kind: FactKind,
}

/// The kinds of `#@` lines.
#[derive(Clone, PartialEq, Debug)]
pub enum FactKind {
    /// `X: 100 x n, sparsity 0.1`.
    Size {
        /// The variable.
        name: Ident,
        /// Number of rows.
        rows: Size,
        /// Number of columns.
        cols: Size,
        /// Share of non-zero cells, 0 to 1, with its place.
        sparsity: Option<(f64, TextRange)>,
    },
    /// `n = 10000`: binds a symbolic size.
    Bind {
        /// The symbolic size.
        name: Ident,
        /// Its value, with its place.
        value: (u64, TextRange),
    },
    /// `$rank = 10`: a value for a command-line argument.
    Arg {
        /// Without the dollar sign.
        name: Ident,
        /// A literal expression.
        value: Expr,
    },
    /// `assert a == b`.
    Assert {
        /// Left of `==`.
        lhs: Expr,
        /// Right of `==`.
        rhs: Expr,
    },
    /// `sketch name` or `sketch name(X)`: pins a sketch to the next statement.
    Sketch {
        /// The sketch, with its arguments as they are written.
        name: Ident,
    },
    /// A line of a sketch that stands in the script: `sketch name {`, `goal …`, `}`. What it says is not for this crate.
    SketchLine,
    /// `off`: no hints for the next statement.
    Off,
    /// `allow code, code`: silences diagnostics for the next statement; `allow-file` for the whole script.
    Allow {
        /// The diagnostics' codes, at least one.
        codes: Vec<Ident>,
        /// Whether it holds for the whole script.
        whole_file: bool,
    },
    /// A line that is no fact, with what was expected.
    Invalid {
        /// Where the trouble is.
        at: TextRange,
        /// What was found, what was expected.
        message: String,
        /// Whether it clearly begins as a fact; otherwise it is a comment like any other.
        is_meant: bool,
    },
}

/// A size in a `#@` line.
#[derive(Clone, PartialEq, Debug)]
pub enum Size {
    /// `100`, `1e6`.
    Number(u64, TextRange),
    /// `n`.
    Name(Ident),
    /// `?`: not known.
    Unknown(TextRange),
}
