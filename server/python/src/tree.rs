//! An expression of NumPy as it is evaluated: one node for each call or operator, each with what is known of its value.
//!
//! Reading makes it of the text, writing makes it of a form and prints it, prices are told of it. It says nothing of how the text
//! spells a step (`X @ Y`, `np.dot(X, Y)` and `X.dot(Y)` are one node). Must never hold a value whose rank is not known.

use std::sync::Arc;

use sumac_la::Op;

use crate::value::Value;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Tree {
    /// What computes it.
    pub step: Step,
    /// What of.
    pub args: Vec<Tree>,
    /// Its value.
    pub value: Value,
}

/// What computes a value.
#[derive(Clone, PartialEq, Debug)]
pub enum Step {
    /// A variable, or an expression that stands for itself by its text.
    Atom(Atom),
    /// A number; `2` is an integer and `2.0` is not.
    Number {
        /// Its value.
        value: f64,
        /// Whether it is written as an integer.
        is_int: bool,
    },
    /// A size by name, as an integer: `n` after `n, d = X.shape`, `X.shape[0]`, `len(X)`. The text is how it is read.
    Size(Arc<str>),
    /// `a @ b`.
    MatMul,
    /// `a * b` and its like, cell by cell with broadcasting: `Add`, `Sub`, `Mul`, `Div`, `Pow`, `Eq`, `Ne`, `Lt`, `Le`, `Gt`, `Ge`.
    Cell(Op),
    /// `-a`, `np.exp(a)`: `Neg`, `Exp`, `Log`, `Sqrt`, `Abs`, `Sin`, `Cos`, `Tan`, `Tanh`, `Sinh`, `Cosh`.
    Map(Op),
    /// `a ** 2` or `np.square(a)`.
    Square,
    /// `a.T`; of one axis the same again.
    Transpose,
    /// `np.diag(a)`: a vector to a matrix, a matrix to its diagonal.
    Diag,
    /// `np.trace(a)`.
    Trace,
    /// `a.sum(axis=…, keepdims=…)` and its like: `Sum`, `Mean`, `Min`, `Max`, `Prod` of the table of operators.
    Reduce {
        /// What is computed.
        by: Op,
        /// Along which axis; `None`: all.
        axis: Option<usize>,
        /// Whether the axis stays, with size one.
        keepdims: bool,
    },
    /// `np.outer(a, b)` of two vectors.
    Outer,
    /// `np.vdot(a, b)`, `np.inner` of two vectors: the sum of products of cells, of real arrays of one shape.
    Vdot,
    /// `np.linalg.norm(a)`: the root of the sum of squares.
    Norm,
    /// `a[:, None]` of a vector.
    AsColumn,
    /// `a[None, :]` of a vector.
    AsRow,
    /// `a.reshape(-1)`, `a.ravel()` of a matrix with one row or one column: a vector.
    AsVector,
    /// `np.eye(n)`; its shape says the size, and its argument the text of it.
    Eye,
    /// `np.ones(shape)`, `np.zeros(shape)`: that number everywhere; its arguments say the sizes.
    Fill(f64),
}

/// What stands for itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Atom {
    /// Its text.
    pub text: Arc<str>,
    /// Whether evaluating it again gives the same, and has no effect: a variable, an attribute of one, a part of one. Otherwise it is
    /// evaluated exactly as often as it is written.
    pub is_pure: bool,
}

/// The most nodes of an expression that is worked on: whatever goes down a longer one could run out of stack.
const MOST: usize = 400;

impl Tree {
    /// Whether it is short enough to be worked on.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.nodes().take(MOST + 1).count() <= MOST
    }

    /// All nodes, each before what it is of.
    pub fn nodes(&self) -> impl Iterator<Item = &Tree> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let next = open.pop()?;
            open.extend(next.args.iter().rev());
            Some(next)
        })
    }
}
