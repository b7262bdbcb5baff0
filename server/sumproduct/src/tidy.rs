//! A form without what nobody would write: double minus signs, factors of one, sums of one term, transposes that undo each
//! other, a product with a reciprocal where a quotient does.
//!
//! Each step keeps the value over the reals and the shape, and makes nothing dearer. Must never look at costs.

mod sums;

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;
use sumac_la::{Dag, Node, NodeId, Op, ShapeRule};

/// Operators below a transpose that are looked through to take it away.
const DEPTH: usize = 8;

/// The same roots, tidied.
pub(crate) fn tidy(dag: &Dag) -> Dag {
    let mut uses: BTreeMap<NodeId, usize> = BTreeMap::new();
    let nodes = dag.reachable(dag.roots());
    for id in nodes.iter().flat_map(|id| dag.args(*id)).chain(dag.roots()) {
        *uses.entry(*id).or_default() += 1;
    }
    let mut writer = Writer {
        out: Dag::default(),
        shared: BTreeSet::new(),
    };
    let mut done: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for id in nodes {
        let node = match dag.node(id) {
            Node::Op(op, args) => {
                let args: SmallVec<[NodeId; 2]> = args.iter().map(|arg| done[arg]).collect();
                writer.op(*op, &args)
            }
            Node::Input(_) | Node::Num(_) => writer.out.import(dag, id),
        };
        if uses.get(&id).is_some_and(|uses| *uses > 1) {
            writer.shared.insert(node);
        }
        done.insert(id, node);
    }
    // What was left on the way is nobody's.
    let mut whole = Dag::default();
    for root in dag.roots() {
        let root = whole.import(&writer.out, done[root]);
        whole.push_root(root);
    }
    whole
}

struct Writer {
    out: Dag,
    /// What several operators read: it is computed whatever one of them does.
    shared: BTreeSet<NodeId>,
}

impl Writer {
    /// The operator, or what says the same more shortly.
    fn op(&mut self, op: Op, args: &[NodeId]) -> NodeId {
        let plain = self
            .out
            .op(op, args.iter().copied())
            .expect("shapes are as before");
        match self.simpler(op, args) {
            Some(simpler) if self.is_same_shape(simpler, plain) => simpler,
            _ => plain,
        }
    }

    /// The operator, where its arguments fit.
    fn try_op(&mut self, op: Op, args: &[NodeId]) -> Option<NodeId> {
        self.out.op(op, args.iter().copied()).ok()?;
        Some(self.op(op, args))
    }

    fn is_same_shape(&self, a: NodeId, b: NodeId) -> bool {
        let (a, b) = (self.out.ty(a), self.out.ty(b));
        (a.kind, &a.rows, &a.cols) == (b.kind, &b.rows, &b.cols)
    }

    fn number(&self, id: NodeId) -> Option<f64> {
        match self.out.node(id) {
            Node::Num(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// The arguments of a node, if it is this operator.
    fn args_of(&self, id: NodeId, wanted: Op) -> Option<SmallVec<[NodeId; 2]>> {
        match self.out.node(id) {
            Node::Op(op, args) if *op == wanted => Some(args.iter().copied().collect()),
            _ => None,
        }
    }

    fn arg_of(&self, id: NodeId, wanted: Op) -> Option<NodeId> {
        Some(self.args_of(id, wanted)?[0])
    }

    /// `(c, x)` where the node is `c * x` or `-x`.
    fn scaled(&self, id: NodeId) -> Option<(f64, NodeId)> {
        if let Some(x) = self.arg_of(id, Op::Neg) {
            return Some((-1.0, x));
        }
        let args = self.args_of(id, Op::Mul)?;
        let (a, b) = (args[0], args[1]);
        match (self.number(a), self.number(b)) {
            (Some(c), None) => Some((c, b)),
            (None, Some(c)) => Some((c, a)),
            _ => None,
        }
    }

    /// `(c, x)` where the node is `c * x` with a negative `c`, and nobody else reads a product that was computed for it.
    fn subtrahend(&self, id: NodeId) -> Option<(f64, NodeId)> {
        let (c, x) = self.scaled(id)?;
        let is_free = c == -1.0 || !self.shared.contains(&id);
        (c < 0.0 && is_free).then_some((c, x))
    }

    fn times(&mut self, c: f64, x: NodeId) -> Option<NodeId> {
        if !c.is_finite() {
            return None;
        }
        let c = self.out.num(c);
        self.try_op(Op::Mul, &[c, x])
    }

    /// Rows and columns, where they are numbers.
    fn size(&self, id: NodeId) -> Option<(u64, u64)> {
        let ty = self.out.ty(id);
        Some((ty.rows.known()?, ty.cols.known()?))
    }

    fn is_one_by_one(&self, id: NodeId) -> bool {
        self.out.is_scalar(id) || self.size(id) == Some((1, 1))
    }

    fn simpler(&mut self, op: Op, args: &[NodeId]) -> Option<NodeId> {
        let a = *args.first()?;
        match op {
            Op::Neg => self.negated(a),
            Op::Add | Op::Sub => self.sum(a, args[1], op == Op::Sub),
            Op::Mul => self.product(a, args[1]),
            Op::Div => self.quotient(a, args[1]),
            Op::Pow => (self.number(args[1]) == Some(1.0)).then_some(a),
            Op::Min2 | Op::Max2 => (a == args[1]).then_some(a),
            Op::Transpose if self.is_one_by_one(a) => Some(a),
            Op::Transpose => self.transposed(a, DEPTH),
            Op::AsScalar => match self.arg_of(a, Op::AsMatrix) {
                Some(inner) => Some(inner),
                None => {
                    let inner = self.arg_of(a, Op::Transpose)?;
                    self.try_op(op, &[inner])
                }
            },
            Op::AsMatrix => self.arg_of(a, Op::AsScalar),
            Op::MatMul => self.scaled_by_diagonal(a, args[1]),
            Op::Trace => {
                let v = self.on_diagonal(a)?;
                self.try_op(Op::Sum, &[v])
            }
            Op::Sum | Op::RowSums | Op::ColSums | Op::Mean | Op::RowMeans | Op::ColMeans => {
                self.aggregate(op, a)
            }
            _ => None,
        }
    }

    fn negated(&mut self, a: NodeId) -> Option<NodeId> {
        if let Some(value) = self.number(a) {
            return Some(self.out.num(-value));
        }
        if let Some((c, x)) = self.scaled(a) {
            return self.times(-c, x);
        }
        let args = self.args_of(a, Op::Sub)?;
        let is_free = self.is_same_shape(args[0], args[1]) && !self.shared.contains(&a);
        is_free.then(|| self.op(Op::Sub, &[args[1], args[0]]))
    }

    /// `c * a + c * b` as `c * (a + b)` for a number `c` that is computed, or the same with a minus; also where the first stands
    /// behind another sum.
    fn factored(&mut self, a: NodeId, b: NodeId, is_minus: bool) -> Option<NodeId> {
        let both = |is_minus| if is_minus { Op::Sub } else { Op::Add };
        if self.shared.contains(&a) || self.shared.contains(&b) {
            return None;
        }
        if let Some((factor, [x, y])) = self.common_factor(a, b) {
            let sum = self.try_op(both(is_minus), &[x, y])?;
            return self.try_op(Op::Mul, &[factor, sum]);
        }
        let (first, last, was_minus) = match self.out.node(a) {
            Node::Op(op @ (Op::Add | Op::Sub), args) => (args[0], args[1], *op == Op::Sub),
            _ => return None,
        };
        if self.shared.contains(&last) || !self.is_same_shape(last, a) {
            return None;
        }
        let (factor, [x, y]) = self.common_factor(last, b)?;
        let sum = self.try_op(both(was_minus != is_minus), &[x, y])?;
        let product = self.try_op(Op::Mul, &[factor, sum])?;
        self.try_op(both(was_minus), &[first, product])
    }

    /// The number that two products have in common, and what else they multiply, if one of them is a matrix.
    fn common_factor(&self, a: NodeId, b: NodeId) -> Option<(NodeId, [NodeId; 2])> {
        let (a, b) = (self.args_of(a, Op::Mul)?, self.args_of(b, Op::Mul)?);
        for (factor, x) in [(a[0], a[1]), (a[1], a[0])] {
            let is_number = self.out.is_scalar(factor) && self.number(factor).is_none();
            let Some(y) = [(b[0], b[1]), (b[1], b[0])]
                .into_iter()
                .find_map(|(other, y)| (other == factor).then_some(y))
                .filter(|_| is_number)
            else {
                continue;
            };
            if !self.out.is_scalar(x) || !self.out.is_scalar(y) {
                return Some((factor, [x, y]));
            }
        }
        None
    }

    /// `a + b`, or `a - b`.
    fn sum(&mut self, a: NodeId, b: NodeId, is_minus: bool) -> Option<NodeId> {
        let (left, right) = (self.number(a), self.number(b));
        if let (Some(x), Some(y)) = (left, right) {
            let total = if is_minus { x - y } else { x + y };
            return total.is_finite().then(|| self.out.num(total));
        }
        if right == Some(0.0) {
            return Some(a);
        }
        if left == Some(0.0) {
            return if is_minus {
                self.try_op(Op::Neg, &[b])
            } else {
                Some(b)
            };
        }
        let other = if is_minus { Op::Add } else { Op::Sub };
        if let Some(y) = right.filter(|y| *y < 0.0) {
            let y = self.out.num(-y);
            return self.try_op(other, &[a, y]);
        }
        if let Some((c, x)) = self.subtrahend(b) {
            let x = self.times(-c, x)?;
            return self.try_op(other, &[a, x]);
        }
        if let Some(product) = self.factored(a, b, is_minus) {
            return Some(product);
        }
        // A sum begins with what is added.
        let (c, x) = self.subtrahend(a)?;
        if is_minus || !self.is_same_shape(a, b) {
            return None;
        }
        let x = self.times(-c, x)?;
        self.try_op(Op::Sub, &[b, x])
    }

    fn product(&mut self, a: NodeId, b: NodeId) -> Option<NodeId> {
        for (one, other) in [(a, b), (b, a)] {
            if let Some(c) = self.number(one) {
                return self.multiple(c, other);
            }
        }
        if let (Some((c, x)), Some((d, y))) = (self.scaled(a), self.scaled(b))
            && (c == -1.0 && d == -1.0 || !self.shared.contains(&a) && !self.shared.contains(&b))
        {
            let product = self.try_op(Op::Mul, &[x, y])?;
            return self.times(c * d, product);
        }
        for (one, other) in [(a, b), (b, a)] {
            let Some(parts) = self.args_of(other, Op::Div) else {
                continue;
            };
            if self.number(parts[0]) == Some(1.0)
                && !self.shared.contains(&other)
                && let Some(quotient) = self.try_op(Op::Div, &[one, parts[1]])
            {
                return Some(quotient);
            }
        }
        None
    }

    /// `c * x`.
    fn multiple(&mut self, c: f64, x: NodeId) -> Option<NodeId> {
        if let Some(value) = self.number(x) {
            let product = c * value;
            return product.is_finite().then(|| self.out.num(product));
        }
        if c == 1.0 {
            return Some(x);
        }
        if let Some((d, inner)) = self.scaled(x) {
            return self.times(c * d, inner);
        }
        if c == -1.0 {
            return self.try_op(Op::Neg, &[x]);
        }
        if let Some(parts) = self.args_of(x, Op::Div)
            && self.number(parts[1]) == Some(c)
        {
            return Some(parts[0]);
        }
        self.as_mean(x, 1.0 / c)
    }

    fn quotient(&mut self, a: NodeId, b: NodeId) -> Option<NodeId> {
        let by = self.number(b).filter(|by| *by != 0.0)?;
        if let Some(value) = self.number(a) {
            let quotient = value / by;
            return quotient.is_finite().then(|| self.out.num(quotient));
        }
        match self.scaled(a) {
            _ if by == 1.0 => Some(a),
            Some((c, x)) if c == by => Some(x),
            Some((c, x)) if c == -by => self.try_op(Op::Neg, &[x]),
            _ => self.as_mean(a, by),
        }
    }

    /// The transpose of a node by fewer transposes than one more.
    fn transposed(&mut self, id: NodeId, depth: usize) -> Option<NodeId> {
        if self.out.is_scalar(id) {
            return Some(id);
        }
        if let Some(inner) = self.arg_of(id, Op::Transpose) {
            return Some(inner);
        }
        let depth = depth.checked_sub(1)?;
        if self.shared.contains(&id) {
            return None;
        }
        let Node::Op(op, args) = self.out.node(id).clone() else {
            return None;
        };
        match op {
            Op::MatMul => {
                let sides = [args[1], args[0]].map(|side| self.transposed(side, depth));
                if sides == [None, None] {
                    return None;
                }
                let [left, right] = [(sides[0], args[1]), (sides[1], args[0])];
                // The transpose of what is computed would have to be formed.
                let is_formed = |&(side, arg): &(Option<NodeId>, NodeId)| {
                    side.is_none() && !self.out.args(arg).is_empty()
                };
                if [left, right].iter().any(is_formed) {
                    return None;
                }
                let mut turned = |(side, arg): (Option<NodeId>, NodeId)| match side {
                    Some(side) => Some(side),
                    None => self.out.op(Op::Transpose, [arg]).ok(),
                };
                let (left, right) = (turned(left)?, turned(right)?);
                self.try_op(Op::MatMul, &[left, right])
            }
            Op::RowSums | Op::ColSums => {
                let inner = self.transposed(args[0], depth)?;
                let turned = if op == Op::RowSums {
                    Op::ColSums
                } else {
                    Op::RowSums
                };
                self.try_op(turned, &[inner])
            }
            _ if op.info().shape == ShapeRule::Cellwise => {
                // Vectors that repeat are turned for nothing, but not alone: then nothing would be gained.
                let mut turned: SmallVec<[NodeId; 3]> = SmallVec::new();
                let mut is_gain = false;
                for arg in &args {
                    let is_vector = self.size(*arg).is_some_and(|(r, c)| r == 1 || c == 1);
                    let side = self.transposed(*arg, depth);
                    is_gain |= side.is_some() && !self.out.is_scalar(*arg);
                    turned.push(match side {
                        Some(side) => side,
                        None if is_vector => self.out.op(Op::Transpose, [*arg]).ok()?,
                        None => return None,
                    });
                }
                if is_gain {
                    self.try_op(op, &turned)
                } else {
                    None
                }
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use sumac_la::Type;

    use super::*;

    /// Writes a form over `A`, `B` (4 x 3), `S` (3 x 3), `v` (3 x 1) and `w` (4 x 1), and tidies it.
    fn tidied(build: impl Fn(&mut Dag, &dyn Fn(&mut Dag, &str) -> NodeId) -> NodeId) -> String {
        let input = |dag: &mut Dag, name: &str| {
            let (rows, cols) = match name {
                "S" => (3, 3),
                "v" => (3, 1),
                "w" => (4, 1),
                "s" => return dag.input(name, Type::scalar()),
                _ => (4, 3),
            };
            dag.input(name, Type::matrix(rows, cols))
        };
        let mut dag = Dag::default();
        let root = build(&mut dag, &input);
        dag.push_root(root);
        let tidy = tidy(&dag);
        tidy.print(tidy.roots()[0])
    }

    fn op(dag: &mut Dag, op: Op, args: &[NodeId]) -> NodeId {
        dag.op(op, args.iter().copied()).unwrap()
    }

    #[test]
    fn signs_and_factors_are_written_once() {
        let minus_minus = tidied(|d, x| {
            let (a, b) = (x(d, "A"), x(d, "B"));
            let minus = d.num(-0.5);
            let scaled = op(d, Op::Mul, &[minus, b]);
            op(d, Op::Sub, &[a, scaled])
        });
        assert_eq!(minus_minus, "A + 0.5 * B");
        let twice_half = tidied(|d, x| {
            let a = x(d, "A");
            let (two, half) = (d.num(2.0), d.num(0.5));
            let inner = op(d, Op::Mul, &[half, a]);
            op(d, Op::Mul, &[two, inner])
        });
        assert_eq!(twice_half, "A");
        let sum_of_minus = tidied(|d, x| {
            let (a, b) = (x(d, "A"), x(d, "B"));
            let minus = op(d, Op::Neg, &[b]);
            let c = d.num(0.25);
            let scaled = op(d, Op::Mul, &[c, minus]);
            op(d, Op::Add, &[a, scaled])
        });
        assert_eq!(sum_of_minus, "A - 0.25 * B");
        let numbers = tidied(|d, x| {
            let s = x(d, "s");
            let (two, zero) = (d.num(2.0), d.num(0.0));
            let nothing = op(d, Op::Mul, &[two, zero]);
            op(d, Op::Add, &[nothing, s])
        });
        assert_eq!(numbers, "s");
        let minus_five = tidied(|d, x| {
            let s = x(d, "s");
            let five = d.num(-5.0);
            op(d, Op::Sub, &[s, five])
        });
        assert_eq!(minus_five, "s + 5");
    }

    #[test]
    fn a_number_that_is_not_known_is_no_factor_of_each_summand() {
        for aggregate in [Op::Sum, Op::ColSums, Op::RowSums, Op::Mean, Op::ColMeans] {
            let text = tidied(|d, x| {
                let (s, a) = (x(d, "s"), x(d, "A"));
                let scaled = op(d, Op::Mul, &[a, s]);
                op(d, aggregate, &[scaled])
            });
            let name = aggregate.info().call_name().unwrap();
            assert_eq!(text, format!("s * {name}(A)"));
        }
    }

    #[test]
    fn means_are_called_so_and_sums_of_one_term_are_none() {
        for (aggregate, share, text) in [
            (Op::Sum, 1.0 / 12.0, "mean(A)"),
            (Op::ColSums, 0.25, "colMeans(A)"),
            (Op::RowSums, 1.0 / 3.0, "rowMeans(A)"),
            (Op::RowSums, 0.25, "0.25 * rowSums(A)"),
        ] {
            let inside = tidied(|d, x| {
                let a = x(d, "A");
                let share = d.num(share);
                let scaled = op(d, Op::Mul, &[share, a]);
                op(d, aggregate, &[scaled])
            });
            assert_eq!(inside, text);
            let outside = tidied(|d, x| {
                let a = x(d, "A");
                let share = d.num(share);
                let total = op(d, aggregate, &[a]);
                op(d, Op::Mul, &[share, total])
            });
            assert_eq!(outside, text);
        }
        let one = tidied(|d, x| {
            let v = x(d, "v");
            op(d, Op::RowSums, &[v])
        });
        assert_eq!(one, "v");
    }

    #[test]
    fn transposes_that_undo_each_other_go() {
        let around = tidied(|d, x| {
            let a = x(d, "A");
            let t = op(d, Op::Transpose, &[a]);
            let exp = op(d, Op::Exp, &[t]);
            op(d, Op::Transpose, &[exp])
        });
        assert_eq!(around, "exp(A)");
        let product = tidied(|d, x| {
            let (a, b) = (x(d, "A"), x(d, "B"));
            let t = op(d, Op::Transpose, &[b]);
            let p = op(d, Op::MatMul, &[t, a]);
            let c = d.num(3.0);
            let scaled = op(d, Op::Mul, &[c, p]);
            op(d, Op::Transpose, &[scaled])
        });
        assert_eq!(product, "3 * (t(A) %*% B)");
        let kept = tidied(|d, x| {
            let a = x(d, "A");
            let exp = op(d, Op::Exp, &[a]);
            op(d, Op::Transpose, &[exp])
        });
        assert_eq!(kept, "t(exp(A))");
        let shared = tidied(|d, x| {
            let s = x(d, "S");
            let t = op(d, Op::Transpose, &[s]);
            let exp = op(d, Op::Exp, &[t]);
            let turned = op(d, Op::Transpose, &[exp]);
            op(d, Op::Add, &[exp, turned])
        });
        assert_eq!(shared, "exp(t(S)) + t(exp(t(S)))");
    }

    #[test]
    fn a_number_is_multiplied_once_and_a_vector_not_turned_for_a_sum() {
        let scaled = |dag: &mut Dag, input: &dyn Fn(&mut Dag, &str) -> NodeId, name: &str| {
            let (s, x) = (input(dag, "s"), input(dag, name));
            op(dag, Op::Mul, &[s, x])
        };
        let both = tidied(|dag, input| {
            let (a, b) = (scaled(dag, input, "A"), scaled(dag, input, "w"));
            op(dag, Op::Sub, &[a, b])
        });
        assert_eq!(both, "s * (A - w)");
        let behind = tidied(|dag, input| {
            let (b, first, last) = (
                input(dag, "B"),
                scaled(dag, input, "A"),
                scaled(dag, input, "w"),
            );
            let inner = op(dag, Op::Sub, &[b, first]);
            op(dag, Op::Add, &[inner, last])
        });
        assert_eq!(behind, "B - s * (A - w)");
        let dot = tidied(|dag, input| {
            let (s, v) = (input(dag, "S"), input(dag, "v"));
            let row = op(dag, Op::ColSums, &[s]);
            let column = op(dag, Op::Transpose, &[row]);
            let products = op(dag, Op::Mul, &[column, v]);
            op(dag, Op::Sum, &[products])
        });
        assert_eq!(dot, "as.scalar(colSums(S) %*% v)");
    }

    #[test]
    fn no_square_matrix_is_made_of_a_column() {
        let diagonal = |dag: &mut Dag, input: &dyn Fn(&mut Dag, &str) -> NodeId| {
            let v = input(dag, "v");
            op(dag, Op::Diag, &[v])
        };
        for (of, text) in [
            (Op::Sum, "sum(v)"),
            (Op::RowSums, "v"),
            (Op::ColSums, "t(v)"),
            (Op::Trace, "sum(v)"),
            (Op::Mean, "mean(diag(v))"),
        ] {
            let form = tidied(|dag, input| {
                let d = diagonal(dag, input);
                op(dag, of, &[d])
            });
            assert_eq!(form, text);
        }
        let left = tidied(|dag, input| {
            let (d, s) = (diagonal(dag, input), input(dag, "S"));
            op(dag, Op::MatMul, &[d, s])
        });
        assert_eq!(left, "S * v");
        let right = tidied(|dag, input| {
            let (a, d) = (input(dag, "A"), diagonal(dag, input));
            op(dag, Op::MatMul, &[a, d])
        });
        assert_eq!(right, "A * t(v)");
        let of_square = tidied(|dag, input| {
            let s = input(dag, "S");
            let d = op(dag, Op::Diag, &[s]);
            op(dag, Op::MatMul, &[s, d])
        });
        assert_eq!(of_square, "S %*% diag(S)");
    }

    #[test]
    fn a_vector_beside_a_matrix_is_a_product_and_a_reciprocal_a_quotient() {
        let rows = tidied(|d, x| {
            let (a, v) = (x(d, "A"), x(d, "v"));
            let row = op(d, Op::Transpose, &[v]);
            let cells = op(d, Op::Mul, &[a, row]);
            op(d, Op::RowSums, &[cells])
        });
        assert_eq!(rows, "A %*% v");
        let cols = tidied(|d, x| {
            let (a, w) = (x(d, "A"), x(d, "w"));
            let cells = op(d, Op::Mul, &[a, w]);
            op(d, Op::ColSums, &[cells])
        });
        assert_eq!(cols, "t(w) %*% A");
        let quotient = |twice: bool| {
            tidied(move |d, x| {
                let (a, w) = (x(d, "A"), x(d, "w"));
                let one = d.num(1.0);
                let share = op(d, Op::Div, &[one, w]);
                let product = op(d, Op::Mul, &[a, share]);
                if twice {
                    op(d, Op::Mul, &[product, share])
                } else {
                    product
                }
            })
        };
        assert_eq!(quotient(false), "A / w");
        assert_eq!(quotient(true), "A * (1 / w) * (1 / w)", "computed once");
    }
}
