//! A DAG in the form that DML can say and that SystemDS takes.
//!
//! The algebra is more lenient than the language: it repeats a vector on either side of an operator, counts a truth value
//! among the numbers and aggregates a number. SystemDS repeats a vector on the right side alone, refuses `TRUE * 2`, and
//! aggregates matrices only. What is written into a script goes through here, so that a form which the language has not
//! cannot be written. It must never change a value, and never look at costs.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use crate::dag::{Args, Dag, Input, Node, NodeId};
use crate::rules::ShapeError;
use crate::table::{Op, ShapeRule};
use crate::types::{Dim, Type};

/// The language has no expression for an operator over these arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unwritable(pub Op);

impl Dag {
    /// The same values in operators that SystemDS takes as they are printed. `is_truth` says which scalar inputs hold truth
    /// values.
    ///
    /// # Errors
    /// An operator cannot be said.
    pub fn writable(&self, is_truth: &dyn Fn(&Input) -> bool) -> Result<Dag, Unwritable> {
        let mut writer = Writer {
            dag: Dag::default(),
            is_truth,
        };
        let mut map: HashMap<NodeId, NodeId, FxBuildHasher> = HashMap::default();
        for id in self.reachable(self.roots()) {
            let new = match self.node(id) {
                Node::Input(_) => {
                    let input = self.input_of(id).expect("it is an input");
                    writer.dag.input(&input.name, input.ty.clone())
                }
                Node::Num(bits) => writer.dag.num(f64::from_bits(*bits)),
                Node::Op(op, args) => {
                    let args: Args = args.iter().map(|arg| map[arg]).collect();
                    writer.op(*op, args, self.ty(id))?
                }
            };
            map.insert(id, new);
        }
        for root in self.roots() {
            writer.dag.push_root(map[root]);
        }
        Ok(writer.dag)
    }

    /// Whether a vector is repeated on the left side of this operator, where SystemDS takes none.
    #[must_use]
    pub fn repeats_left(left: &Type, right: &Type) -> bool {
        !left.is_scalar() && !right.is_scalar() && !repeats_into(right, left)
    }

    /// The rows (`of` is [`Op::Nrow`]) or columns ([`Op::Ncol`]) of a node, said by what decides them: `ncol(X)` for `t(X)`'s
    /// rows. `None` where nothing does.
    pub fn size_of(&mut self, id: NodeId, of: Op) -> Option<NodeId> {
        let other = if of == Op::Nrow { Op::Ncol } else { Op::Nrow };
        let side = |ty: &Type| {
            if of == Op::Nrow {
                ty.rows.clone()
            } else {
                ty.cols.clone()
            }
        };
        let wanted = side(self.ty(id));
        if wanted.is_one() {
            return Some(self.num(1.0));
        }
        match self.node(id).clone() {
            Node::Input(_) => self.op(of, [id]).ok(),
            Node::Num(_) => None,
            Node::Op(op, args) => match op.info().shape {
                ShapeRule::Transpose => self.size_of(args[0], other),
                ShapeRule::MatMul => self.size_of(args[usize::from(of == Op::Ncol)], of),
                ShapeRule::Same | ShapeRule::RowAgg | ShapeRule::ColAgg => {
                    self.size_of(args[0], of)
                }
                ShapeRule::Cellwise => {
                    let has_it =
                        |arg: &&NodeId| !self.is_scalar(**arg) && side(self.ty(**arg)) == wanted;
                    let arg = args.iter().find(has_it).copied()?;
                    self.size_of(arg, of)
                }
                ShapeRule::Diag => self.size_of(args[0], Op::Nrow),
                ShapeRule::Cbind if of == Op::Nrow => self.size_of(args[0], of),
                ShapeRule::Rbind if of == Op::Ncol => self.size_of(args[0], of),
                ShapeRule::Fill | ShapeRule::Reshape => {
                    Some(args[if of == Op::Nrow { 1 } else { 2 }])
                }
                _ => wanted.known().map(|n| self.num(crate::rules::as_f64(n))),
            },
        }
    }
}

/// Whether a matrix on the right is repeated to the shape of the one on the left, or has it.
fn repeats_into(right: &Type, left: &Type) -> bool {
    let fits = |right: &Dim, left: &Dim| right.is_one() || (right == left && *left != Dim::Unknown);
    fits(&right.rows, &left.rows) && fits(&right.cols, &left.cols)
}

struct Writer<'a> {
    dag: Dag,
    is_truth: &'a dyn Fn(&Input) -> bool,
}

impl Writer<'_> {
    fn op(&mut self, op: Op, mut args: Args, ty: &Type) -> Result<NodeId, Unwritable> {
        let no = Unwritable(op);
        let is_scalar = |it: &Self, id: NodeId| it.dag.is_scalar(id);
        match op {
            // No expression changes a part of a matrix.
            Op::LeftIndex => return Err(no),
            // Of a number, these are the number.
            Op::Sum | Op::Mean | Op::Min | Op::Max | Op::Prod | Op::AsScalar
                if is_scalar(self, args[0]) =>
            {
                return self.number(args[0]).map_err(|_| no);
            }
            Op::AsMatrix if !is_scalar(self, args[0]) => return Ok(args[0]),
            Op::Nrow | Op::Ncol | Op::Length if is_scalar(self, args[0]) => {
                return Ok(self.dag.num(1.0));
            }
            Op::Cbind | Op::Rbind => {
                for arg in &mut args {
                    if is_scalar(self, *arg) {
                        let number = self.number(*arg).map_err(|_| no)?;
                        *arg = self.dag.op(Op::AsMatrix, [number]).map_err(|_| no)?;
                    }
                }
            }
            Op::And | Op::Or if args.iter().all(|arg| is_scalar(self, *arg)) => {
                for arg in &mut args {
                    *arg = self.truth(*arg).map_err(|_| no)?;
                }
            }
            _ => {}
        }
        if let Some((left, right)) = self.turned_around(op, &args) {
            let minus: Args = [left].into_iter().collect();
            let minus = self.op(Op::Neg, minus, ty)?;
            return self.dag.op(Op::Add, [minus, right]).map_err(|_| no);
        }
        if takes_numbers(op) {
            for arg in &mut args {
                *arg = self.number(*arg).map_err(|_| no)?;
            }
        }
        let made = match (op.info().shape, args.as_slice()) {
            (ShapeRule::Cellwise, [left, right]) => self.cellwise(op, *left, *right),
            (ShapeRule::Cellwise, [cond, yes, no]) => self.choice(op, [*cond, *yes, *no]),
            (ShapeRule::MatMul, [left, right]) => self.product(*left, *right, ty),
            _ => Ok(self.dag.op_of_type(op, args, ty)),
        };
        made.map_err(|_| no)
    }

    /// Both sides of a difference that the operator turns around, where the right one is repeated. SystemDS 3.4 makes `b - a` of
    /// `-(a - b)`, and then refuses the vector on the left.
    fn turned_around(&self, op: Op, args: &[NodeId]) -> Option<(NodeId, NodeId)> {
        let is = |id: NodeId, number: f64| self.dag.value(id) == Some(number);
        let inner = match (op, args) {
            (Op::Neg, [inner]) => inner,
            (Op::Mul, [number, inner]) | (Op::Mul, [inner, number]) if is(*number, -1.0) => inner,
            (Op::Sub, [number, inner]) if is(*number, 0.0) => inner,
            _ => return None,
        };
        let Node::Op(Op::Sub, sides) = self.dag.node(*inner) else {
            return None;
        };
        let (left, right) = (self.dag.ty(sides[0]), self.dag.ty(sides[1]));
        let is_repeated = !right.is_scalar() && Dag::repeats_left(right, left);
        is_repeated.then_some((sides[0], sides[1]))
    }

    /// `left op right`, with a repeated vector on the right.
    fn cellwise(&mut self, op: Op, left: NodeId, right: NodeId) -> Result<NodeId, ShapeError> {
        // SystemDS 3.4 takes `2 - u %*% matrix(1, rows=1, cols=n)` for `2 - u`.
        for (number, matrix) in [(left, right), (right, left)] {
            if self.dag.is_scalar(number)
                && let Some((vector, is_column)) = self.written_out(matrix)
            {
                let sides = if number == left {
                    [number, vector]
                } else {
                    [vector, number]
                };
                let (made, args) = (self.dag.op(op, sides)?, self.dag.args(matrix));
                let sides = if is_column {
                    [made, args[1]]
                } else {
                    [args[0], made]
                };
                let ty = self.dag.ty(matrix).clone();
                return Ok(self.dag.op_of_type(Op::MatMul, sides, &ty));
            }
        }
        // SystemDS 3.4 negates `max(0, matrix(1, rows=n, cols=m))` and `0 != matrix(1, rows=n, cols=m)`.
        if self.dag.is_scalar(left)
            && self.is_filled(right)
            && let Some(mirrored) = mirrored(op)
        {
            return self.dag.op(mirrored, [right, left]);
        }
        let (a, b) = (self.dag.ty(left), self.dag.ty(right));
        if left == right || !Dag::repeats_left(a, b) {
            return self.dag.op(op, [left, right]);
        }
        if repeats_into(a, b) {
            if let Some(mirrored) = mirrored(op) {
                return self.dag.op(mirrored, [right, left]);
            }
            if op == Op::Sub {
                let minus = self.dag.op(Op::Neg, [right])?;
                return self.dag.op(Op::Add, [minus, left]);
            }
        }
        let spread = self.spread(left, right)?;
        if Dag::repeats_left(self.dag.ty(spread), self.dag.ty(right)) {
            return Err(unfit(op));
        }
        self.dag.op(op, [spread, right])
    }

    /// Whether a matrix has one number in all of its cells, by what makes it.
    fn is_filled(&self, id: NodeId) -> bool {
        match self.dag.node(id) {
            Node::Op(Op::Fill, _) => true,
            Node::Op(op, args) if op.info().shape == ShapeRule::Cellwise => {
                let is_plain = |arg: &NodeId| self.dag.is_scalar(*arg) || self.is_filled(*arg);
                !self.dag.is_scalar(id) && args.iter().all(is_plain)
            }
            _ => false,
        }
    }

    /// The vector that a product with ones repeats, and whether it is a column.
    fn written_out(&self, id: NodeId) -> Option<(NodeId, bool)> {
        let Node::Op(Op::MatMul, args) = self.dag.node(id) else {
            return None;
        };
        let is_ones = |id: NodeId| matches!(self.dag.node(id), Node::Op(Op::Fill, args) if self.dag.value(args[0]) == Some(1.0));
        let inner = &self.dag.ty(args[0]).cols;
        if !inner.is_one() {
            None
        } else if is_ones(args[1]) {
            Some((args[0], true))
        } else {
            is_ones(args[0]).then_some((args[1], false))
        }
    }

    /// `left %*% right`. SystemDS 3.4 cannot run `t(X) %*% (2 * (X %*% v))` everywhere: it takes the number for weights.
    fn product(&mut self, left: NodeId, right: NodeId, ty: &Type) -> Result<NodeId, ShapeError> {
        let product = |it: &mut Self, right| it.dag.op_of_type(Op::MatMul, [left, right], ty);
        // SystemDS 3.4 does not find the sizes of `t(X) %*% t(r)` where `r` is a row.
        if let (Node::Op(Op::Transpose, a), Node::Op(Op::Transpose, b)) =
            (self.dag.node(left), self.dag.node(right))
        {
            let (a, b) = (a[0], b[0]);
            if ty.rows.is_one() && ty.cols.is_one() {
                return Ok(self.dag.op_of_type(Op::MatMul, [b, a], ty));
            }
            let inner = self.dag.op(Op::MatMul, [b, a])?;
            return Ok(self.dag.op_of_type(Op::Transpose, [inner], ty));
        }
        let Node::Op(Op::Mul, factors) = self.dag.node(right).clone() else {
            return Ok(product(self, right));
        };
        for (number, inner) in [(factors[0], factors[1]), (factors[1], factors[0])] {
            let is_transposed = |a: NodeId, b: NodeId| matches!(self.dag.node(a), Node::Op(Op::Transpose, args) if args[0] == b);
            if self.dag.is_scalar(number)
                && let Node::Op(Op::MatMul, args) = self.dag.node(inner)
                && (is_transposed(left, args[0]) || is_transposed(args[0], left))
            {
                let chain = product(self, inner);
                return self.dag.op(Op::Mul, [number, chain]);
            }
        }
        Ok(product(self, right))
    }

    /// A vector on the left as a matrix that is as large as both together.
    fn spread(&mut self, left: NodeId, right: NodeId) -> Result<NodeId, ShapeError> {
        let ty = self.dag.ty(left);
        match (ty.rows.is_one(), ty.cols.is_one()) {
            (true, true) => self.dag.op(Op::AsScalar, [left]),
            (false, true) => {
                let ones = self.ones(None, Some(right))?;
                self.dag.op(Op::MatMul, [left, ones])
            }
            (true, false) => {
                let ones = self.ones(Some(right), None)?;
                self.dag.op(Op::MatMul, [ones, left])
            }
            (false, false) => Err(unfit(Op::Fill)),
        }
    }

    /// A vector of ones with as many rows, or columns, as a matrix.
    fn ones(&mut self, rows: Option<NodeId>, cols: Option<NodeId>) -> Result<NodeId, ShapeError> {
        let side = |it: &mut Self, like: Option<NodeId>, of| match like {
            None => Some((it.dag.num(1.0), Dim::Known(1))),
            Some(like) => {
                let ty = it.dag.ty(like);
                let dim = if of == Op::Nrow { &ty.rows } else { &ty.cols };
                let dim = dim.clone();
                Some((it.dag.size_of(like, of)?, dim))
            }
        };
        let rows = side(self, rows, Op::Nrow).ok_or_else(|| unfit(Op::Fill))?;
        let cols = side(self, cols, Op::Ncol).ok_or_else(|| unfit(Op::Fill))?;
        let one = self.dag.num(1.0);
        let ty = Type::sparse(rows.1, cols.1, 1.0);
        Ok(self.dag.op_of_type(Op::Fill, [one, rows.0, cols.0], &ty))
    }

    /// `ifelse`, whose matrices must all have one shape.
    fn choice(&mut self, op: Op, mut args: [NodeId; 3]) -> Result<NodeId, ShapeError> {
        let truths = args[1..].iter().all(|arg| self.is_truth(*arg));
        if !truths {
            for arg in &mut args[1..] {
                *arg = self.number(*arg)?;
            }
        }
        let matrices = args.iter().filter(|arg| !self.dag.is_scalar(**arg));
        let matrices: Vec<&Type> = matrices.map(|arg| self.dag.ty(*arg)).collect();
        let same =
            |pair: &[&Type]| repeats_into(pair[1], pair[0]) && repeats_into(pair[0], pair[1]);
        if !matrices.windows(2).all(same) {
            return Err(unfit(op));
        }
        self.dag.op(op, args)
    }

    /// Whether a node is a scalar that holds a truth value.
    fn is_truth(&self, id: NodeId) -> bool {
        self.dag.is_scalar(id)
            && match self.dag.node(id) {
                Node::Input(_) => self.dag.input_of(id).is_some_and(self.is_truth),
                Node::Num(_) => false,
                Node::Op(op, args) => match op {
                    Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::And | Op::Or => true,
                    Op::Not => self.is_truth(args[0]),
                    Op::IfElse => args[1..].iter().all(|arg| self.is_truth(*arg)),
                    _ => false,
                },
            }
    }

    /// The number of a truth value; anything else as it is.
    fn number(&mut self, id: NodeId) -> Result<NodeId, ShapeError> {
        if !self.is_truth(id) {
            return Ok(id);
        }
        let (one, zero) = (self.dag.num(1.0), self.dag.num(0.0));
        self.dag.op(Op::IfElse, [id, one, zero])
    }

    /// The truth value of a number.
    fn truth(&mut self, id: NodeId) -> Result<NodeId, ShapeError> {
        if self.is_truth(id) {
            return Ok(id);
        }
        let zero = self.dag.num(0.0);
        self.dag.op(Op::Ne, [id, zero])
    }
}

/// The operator that gives the same with both sides in the other order.
fn mirrored(op: Op) -> Option<Op> {
    match op {
        Op::Lt => Some(Op::Gt),
        Op::Gt => Some(Op::Lt),
        Op::Le => Some(Op::Ge),
        Op::Ge => Some(Op::Le),
        _ => op.info().commutative.then_some(op),
    }
}

/// Whether SystemDS refuses truth values as arguments of the operator.
fn takes_numbers(op: Op) -> bool {
    !matches!(
        op,
        Op::And
            | Op::Or
            | Op::Not
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::IfElse
    )
}

fn unfit(op: Op) -> ShapeError {
    ShapeError::Unfit {
        op,
        found: "these arguments".to_owned(),
        expected: "a form that the language has".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a op b` over inputs of these shapes, as it is written.
    fn written(op: Op, a: (u64, u64), b: (u64, u64)) -> String {
        let mut dag = Dag::default();
        let left = dag.input("a", Type::matrix(a.0, a.1));
        let right = dag.input("b", Type::matrix(b.0, b.1));
        let root = dag.op(op, [left, right]).expect("the algebra takes it");
        dag.push_root(root);
        match dag.writable(&|_| false) {
            Ok(dag) => dag.print(dag.roots()[0]),
            Err(Unwritable(op)) => format!("no {op:?}"),
        }
    }

    #[test]
    fn a_vector_is_repeated_on_the_right_alone() {
        let (m, column, row, one) = ((3, 4), (3, 1), (1, 4), (1, 1));
        for (op, a, b, text) in [
            (Op::Add, m, column, "a + b"),
            (Op::Add, column, m, "b + a"),
            (Op::Sub, row, m, "-b + a"),
            (Op::Lt, row, m, "b > a"),
            (Op::Ge, column, m, "b <= a"),
            (Op::Max2, column, m, "max(b, a)"),
            (Op::Mul, one, m, "b * a"),
            (Op::Div, one, m, "as.scalar(a) / b"),
            (
                Op::Div,
                column,
                m,
                "(a %*% matrix(1, rows=1, cols=ncol(b))) / b",
            ),
            (Op::Pow, row, m, "(matrix(1, rows=nrow(b), cols=1) %*% a)^b"),
            (
                Op::Add,
                column,
                row,
                "a %*% matrix(1, rows=1, cols=ncol(b)) + b",
            ),
            (
                Op::Lt,
                row,
                column,
                "matrix(1, rows=nrow(b), cols=1) %*% a < b",
            ),
            (Op::Add, m, m, "a + b"),
            (Op::Add, column, column, "a + b"),
        ] {
            let found = written(op, a, b);
            assert_eq!(found, text, "{op:?} {a:?} {b:?}");
        }
    }

    #[test]
    fn a_difference_with_a_repeated_vector_is_not_turned_around() {
        let mut dag = Dag::default();
        let a = dag.input("a", Type::matrix(9, 5));
        let row = dag.input("r", Type::matrix(1, 5));
        let column = dag.input("c", Type::matrix(9, 1));
        let inner = dag.op(Op::Sub, [a, row]).unwrap();
        let outer = dag.op(Op::Sub, [inner, column]).unwrap();
        let minus = dag.op(Op::Neg, [outer]).unwrap();
        let one = dag.num(-1.0);
        let times = dag.op(Op::Mul, [one, inner]).unwrap();
        let plain = dag.op(Op::Sub, [a, a]).unwrap();
        let plain = dag.op(Op::Neg, [plain]).unwrap();
        for root in [minus, times, plain] {
            dag.push_root(root);
        }
        let dag = dag.writable(&|_| false).unwrap();
        let texts: Vec<String> = dag.roots().iter().map(|root| dag.print(*root)).collect();
        assert_eq!(texts, ["-a + r + c", "-a + r", "-(a - a)"]);
    }

    #[test]
    fn what_systemds_gets_wrong_is_written_in_another_way() {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::matrix(9, 5));
        let row = dag.input("r", Type::matrix(1, 9));
        let (tx, tr) = (
            dag.op(Op::Transpose, [x]).unwrap(),
            dag.op(Op::Transpose, [row]).unwrap(),
        );
        let product = dag.op(Op::MatMul, [tx, tr]).unwrap();
        let [one, zero, rows] = [1.0, 0.0, 4.0].map(|n| dag.num(n));
        let ones = dag.op(Op::Fill, [one, rows, rows]).unwrap();
        let scalar = dag.input("a", Type::scalar());
        let filled = dag.op(Op::Mul, [scalar, ones]).unwrap();
        let largest = dag.op(Op::Max2, [zero, filled]).unwrap();
        let less = dag.op(Op::Lt, [zero, filled]).unwrap();
        for root in [product, largest, less] {
            dag.push_root(root);
        }
        let dag = dag.writable(&|_| false).unwrap();
        let texts: Vec<String> = dag.roots().iter().map(|root| dag.print(*root)).collect();
        let ones = "matrix(1, rows=4, cols=4) * a";
        let expected = [
            "t(r %*% X)",
            &format!("max({ones}, 0)"),
            &format!("{ones} > 0"),
        ];
        assert_eq!(texts, expected);
    }

    #[test]
    fn sizes_are_said_by_what_decides_them() {
        let mut dag = Dag::default();
        let z = dag.input("Z", Type::matrix(30, 5));
        let x = dag.input("X", Type::matrix(20, 5));
        let norms = |dag: &mut Dag, of| {
            let two = dag.num(2.0);
            let squares = dag.op(Op::Pow, [of, two]).unwrap();
            dag.op(Op::RowSums, [squares]).unwrap()
        };
        let (a, b) = (norms(&mut dag, z), norms(&mut dag, x));
        let row = dag.op(Op::Transpose, [b]).unwrap();
        let both = dag.op(Op::Add, [a, row]).unwrap();
        dag.push_root(both);
        let written = dag.writable(&|_| false).unwrap();
        assert_eq!(
            written.print(written.roots()[0]),
            "rowSums(Z^2) %*% matrix(1, rows=1, cols=nrow(X)) + t(rowSums(X^2))"
        );
        assert_eq!(written.ty(written.roots()[0]).to_string(), "30 x 20");
    }

    #[test]
    fn a_truth_value_is_no_number() {
        let mut dag = Dag::default();
        let x = dag.input("x", Type::matrix(3, 4));
        let s = dag.input("s", Type::scalar());
        let b = dag.input("b", Type::scalar());
        let zero = dag.num(0.0);
        let positive = dag.op(Op::Gt, [s, zero]).unwrap();
        let scaled = dag.op(Op::Mul, [positive, x]).unwrap();
        let minus = dag.op(Op::Neg, [b]).unwrap();
        let both = dag.op(Op::And, [b, s]).unwrap();
        let kept = dag.op(Op::And, [b, positive]).unwrap();
        let matrices = dag.op(Op::Gt, [x, zero]).unwrap();
        let matrices = dag.op(Op::Mul, [matrices, x]).unwrap();
        let total = dag.op(Op::Sum, [positive]).unwrap();
        for root in [scaled, minus, both, kept, matrices, total] {
            dag.push_root(root);
        }
        let written = dag.writable(&|input| &*input.name == "b").unwrap();
        let texts: Vec<String> = written.roots().iter().map(|r| written.print(*r)).collect();
        assert_eq!(
            texts,
            [
                "ifelse(s > 0, 1, 0) * x",
                "-ifelse(b, 1, 0)",
                "b & s != 0",
                "b & s > 0",
                "(x > 0) * x",
                "ifelse(s > 0, 1, 0)",
            ]
        );
    }

    #[test]
    fn forms_that_the_engine_gets_wrong_are_said_otherwise() {
        let mut dag = Dag::default();
        let u = dag.input("u", Type::matrix(30, 1));
        let x = dag.input("X", Type::matrix(30, 5));
        let v = dag.input("v", Type::matrix(5, 1));
        let (one, two, seven) = (dag.num(1.0), dag.num(2.0), dag.num(7.0));
        let ones = dag.op(Op::Fill, [one, one, seven]).unwrap();
        let wide = dag.op(Op::MatMul, [u, ones]).unwrap();
        let minus = dag.op(Op::Sub, [two, wide]).unwrap();
        let positive = dag.op(Op::Gt, [minus, one]).unwrap();
        let xv = dag.op(Op::MatMul, [x, v]).unwrap();
        let scaled = dag.op(Op::Mul, [two, xv]).unwrap();
        let xt = dag.op(Op::Transpose, [x]).unwrap();
        let chain = dag.op(Op::MatMul, [xt, scaled]).unwrap();
        let row = dag.input("r", Type::matrix(1, 30));
        let turned = [u, row, v].map(|it| dag.op(Op::Transpose, [it]).unwrap());
        let cell = dag.op(Op::MatMul, [turned[0], turned[1]]).unwrap();
        let table = dag.op(Op::MatMul, [turned[1], turned[2]]).unwrap();
        for root in [positive, chain, cell, table] {
            dag.push_root(root);
        }
        let written = dag.writable(&|_| false).unwrap();
        let texts: Vec<String> = written.roots().iter().map(|r| written.print(*r)).collect();
        assert_eq!(
            texts,
            [
                "(2 - u > 1) %*% matrix(1, rows=1, cols=7)",
                "2 * (t(X) %*% (X %*% v))",
                "r %*% u",
                "t(v %*% r)",
            ]
        );
    }

    #[test]
    fn what_no_expression_says_is_refused() {
        let mut dag = Dag::default();
        let x = dag.input("x", Type::matrix(3, 4));
        let c = dag.input("c", Type::matrix(3, 1));
        let zero = dag.num(0.0);
        let is = dag.op(Op::Gt, [c, zero]).unwrap();
        let choice = dag.op(Op::IfElse, [is, x, zero]).unwrap();
        dag.push_root(choice);
        assert_eq!(dag.writable(&|_| false).err(), Some(Unwritable(Op::IfElse)));
    }
}
