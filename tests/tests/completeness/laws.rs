//! Laws of linear algebra as people know them, each applied where it fits. They are written from textbooks and not from
//! the optimizer, which they test; a law that does not hold is found by evaluation.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, Node, NodeId, Op};

use super::random::{is_matrix, same_shape};

/// An equal expression at the root of `id`, or `None` where the law does not fit.
type Law = fn(&mut At<'_>) -> Option<NodeId>;

/// The expression that a law is tried on.
struct At<'a> {
    dag: &'a mut Dag,
    id: NodeId,
}

/// Applies a random law at about a `share` of the nodes of an expression.
pub fn rewrite(dag: &mut Dag, id: NodeId, share: f64, rng: &mut ChaCha8Rng) -> NodeId {
    let mut new = id;
    if let Node::Op(op, args) = dag.node(id).clone() {
        let mut args = args.to_vec();
        // An exponent stays a number.
        let open = if op == Op::Pow { 1 } else { args.len() };
        for arg in &mut args[..open] {
            *arg = rewrite(dag, *arg, share, rng);
        }
        // A law keeps the shape, so everything above it still fits.
        new = dag.op(op, args).expect("laws keep shapes");
    }
    if !rng.random_bool(share) {
        return new;
    }
    // Most laws do not fit most places: some tries find one.
    for _ in 0..12 {
        let law = LAWS[rng.random_range(0..LAWS.len())];
        let found = law(&mut At { dag, id: new });
        if let Some(found) = found.filter(|found| *found != new && same_shape(dag, *found, new)) {
            return found;
        }
    }
    new
}

impl At<'_> {
    fn make(&mut self, op: Op, args: &[NodeId]) -> Option<NodeId> {
        self.dag.op(op, args.iter().copied()).ok()
    }

    /// The arguments if the node is such an operator.
    fn is(&self, id: NodeId, op: Op) -> Option<Vec<NodeId>> {
        match self.dag.node(id) {
            Node::Op(own, args) if *own == op => Some(args.to_vec()),
            _ => None,
        }
    }

    fn root(&self, op: Op) -> Option<Vec<NodeId>> {
        self.is(self.id, op)
    }

    fn t(&mut self, id: NodeId) -> Option<NodeId> {
        self.make(Op::Transpose, &[id])
    }

    fn times(&mut self, factor: f64, id: NodeId) -> Option<NodeId> {
        let factor = self.dag.num(factor);
        self.make(Op::Mul, &[factor, id])
    }

    /// Two terms of one shape under a sum or difference.
    fn equal_terms(&self, id: NodeId) -> Option<(Op, NodeId, NodeId)> {
        [Op::Add, Op::Sub].into_iter().find_map(|op| {
            let args = self.is(id, op)?;
            same_shape(self.dag, args[0], args[1]).then_some((op, args[0], args[1]))
        })
    }

    /// A sum or difference of any two.
    fn terms(&self, id: NodeId) -> Option<(Op, NodeId, NodeId)> {
        [Op::Add, Op::Sub].into_iter().find_map(|op| {
            let args = self.is(id, op)?;
            Some((op, args[0], args[1]))
        })
    }

    fn is_scalar(&self, id: NodeId) -> bool {
        self.dag.is_scalar(id)
    }

    fn is_column(&self, id: NodeId) -> bool {
        is_matrix(self.dag, id) && self.dag.ty(id).cols.is_one()
    }

    fn is_row(&self, id: NodeId) -> bool {
        is_matrix(self.dag, id) && self.dag.ty(id).rows.is_one()
    }

    /// Applies `op` to both terms of a sum.
    fn over_terms(&mut self, op: Op) -> Option<NodeId> {
        let inner = self.root(op)?[0];
        let (sign, a, b) = self.equal_terms(inner)?;
        let (a, b) = (self.make(op, &[a])?, self.make(op, &[b])?);
        self.make(sign, &[a, b])
    }

    /// A scalar factor of the only argument comes out of `op`.
    fn scalar_out(&mut self, op: Op) -> Option<NodeId> {
        let inner = self.root(op)?[0];
        let product = self.is(inner, Op::Mul)?;
        let (s, x) = match product[..] {
            [s, x] if self.is_scalar(s) && !self.is_scalar(x) => (s, x),
            [x, s] if self.is_scalar(s) && !self.is_scalar(x) => (s, x),
            _ => return None,
        };
        let inner = self.make(op, &[x])?;
        self.make(Op::Mul, &[s, inner])
    }
}

#[rustfmt::skip]
const LAWS: &[Law] = &[
    // a + b = b + a, a * b = b * a
    |x| { let a = x.root(Op::Add)?; x.make(Op::Add, &[a[1], a[0]]) },
    |x| { let a = x.root(Op::Mul)?; x.make(Op::Mul, &[a[1], a[0]]) },
    // (a + b) + c = a + (b + c), and so for * and %*%
    |x| associate(x, Op::Add),
    |x| associate(x, Op::Mul),
    |x| associate(x, Op::MatMul),
    |x| associate_left(x, Op::Add),
    |x| associate_left(x, Op::Mul),
    |x| associate_left(x, Op::MatMul),
    // a - b = a + (-b) = -(b - a)
    |x| { let a = x.root(Op::Sub)?; let b = x.make(Op::Neg, &[a[1]])?; x.make(Op::Add, &[a[0], b]) },
    |x| { let a = x.root(Op::Sub)?; let d = x.make(Op::Sub, &[a[1], a[0]])?; x.make(Op::Neg, &[d]) },
    // -a = -1 * a
    |x| { let a = x.root(Op::Neg)?; x.times(-1.0, a[0]) },
    // x = 2 * x - x, x = 0.5 * (x + x), x = -(-x), x = x + 0 * x
    |x| { let d = x.times(2.0, x.id)?; x.make(Op::Sub, &[d, x.id]) },
    |x| { let d = x.make(Op::Add, &[x.id, x.id])?; x.times(0.5, d) },
    |x| { let d = x.make(Op::Neg, &[x.id])?; x.make(Op::Neg, &[d]) },
    |x| { let d = x.times(0.0, x.id)?; x.make(Op::Add, &[x.id, d]) },
    // a * (b + c) = a * b + a * c, and back
    |x| {
        let a = x.root(Op::Mul)?;
        let (sign, b, c) = x.terms(a[1])?;
        let (b, c) = (x.make(Op::Mul, &[a[0], b])?, x.make(Op::Mul, &[a[0], c])?);
        x.make(sign, &[b, c])
    },
    |x| {
        let (sign, p, q) = x.terms(x.id)?;
        let (p, q) = (x.is(p, Op::Mul)?, x.is(q, Op::Mul)?);
        if p[0] != q[0] { return None; }
        let inner = x.make(sign, &[p[1], q[1]])?;
        x.make(Op::Mul, &[p[0], inner])
    },
    // A %*% (B + C) = A %*% B + A %*% C, from both sides
    |x| {
        let a = x.root(Op::MatMul)?;
        let (sign, b, c) = x.equal_terms(a[1])?;
        let (b, c) = (x.make(Op::MatMul, &[a[0], b])?, x.make(Op::MatMul, &[a[0], c])?);
        x.make(sign, &[b, c])
    },
    |x| {
        let a = x.root(Op::MatMul)?;
        let (sign, b, c) = x.equal_terms(a[0])?;
        let (b, c) = (x.make(Op::MatMul, &[b, a[1]])?, x.make(Op::MatMul, &[c, a[1]])?);
        x.make(sign, &[b, c])
    },
    // Transposes: of products, of what is cellwise, twice
    |x| {
        let a = x.root(Op::MatMul)?;
        let (l, r) = (x.t(a[0])?, x.t(a[1])?);
        let p = x.make(Op::MatMul, &[r, l])?;
        x.t(p)
    },
    |x| {
        let inner = x.root(Op::Transpose)?[0];
        let a = x.is(inner, Op::MatMul)?;
        let (l, r) = (x.t(a[0])?, x.t(a[1])?);
        x.make(Op::MatMul, &[r, l])
    },
    |x| {
        let inner = x.root(Op::Transpose)?[0];
        let (op, a) = [Op::Add, Op::Sub, Op::Mul].into_iter().find_map(|op| Some((op, x.is(inner, op)?)))?;
        let side = |x: &mut At<'_>, id| if x.is_scalar(id) { Some(id) } else { x.t(id) };
        let (l, r) = (side(x, a[0])?, side(x, a[1])?);
        x.make(op, &[l, r])
    },
    |x| { let inner = x.root(Op::Transpose)?[0]; Some(x.is(inner, Op::Transpose)?[0]) },
    |x| { if x.is_scalar(x.id) { return None; } let once = x.t(x.id)?; x.t(once) },
    // Sums: of sums, of transposes, by rows, by columns, of products
    |x| x.over_terms(Op::Sum),
    |x| x.over_terms(Op::RowSums),
    |x| x.over_terms(Op::ColSums),
    |x| x.over_terms(Op::Trace),
    |x| x.scalar_out(Op::Sum),
    |x| x.scalar_out(Op::RowSums),
    |x| x.scalar_out(Op::ColSums),
    |x| x.scalar_out(Op::Transpose),
    |x| x.scalar_out(Op::Trace),
    |x| x.scalar_out(Op::Diag),
    |x| { let a = x.root(Op::Sum)?; let a = x.t(a[0])?; x.make(Op::Sum, &[a]) },
    |x| { let a = x.root(Op::Sum)?; let a = x.make(Op::RowSums, &a)?; x.make(Op::Sum, &[a]) },
    |x| { let a = x.root(Op::Sum)?; let a = x.make(Op::ColSums, &a)?; x.make(Op::Sum, &[a]) },
    |x| { let a = x.root(Op::RowSums)?; let a = x.t(a[0])?; let a = x.make(Op::ColSums, &[a])?; x.t(a) },
    |x| { let a = x.root(Op::ColSums)?; let a = x.t(a[0])?; let a = x.make(Op::RowSums, &[a])?; x.t(a) },
    |x| {
        let inner = x.root(Op::Sum)?[0];
        let a = x.is(inner, Op::MatMul)?;
        let c = x.make(Op::ColSums, &[a[0]])?;
        let c = x.t(c)?;
        let r = x.make(Op::RowSums, &[a[1]])?;
        let p = x.make(Op::Mul, &[c, r])?;
        x.make(Op::Sum, &[p])
    },
    |x| {
        let inner = x.root(Op::RowSums)?[0];
        let a = x.is(inner, Op::MatMul)?;
        let r = x.make(Op::RowSums, &[a[1]])?;
        x.make(Op::MatMul, &[a[0], r])
    },
    |x| {
        let inner = x.root(Op::ColSums)?[0];
        let a = x.is(inner, Op::MatMul)?;
        let c = x.make(Op::ColSums, &[a[0]])?;
        x.make(Op::MatMul, &[c, a[1]])
    },
    // rowSums(v * A) = v * rowSums(A) for a column v
    |x| {
        let inner = x.root(Op::RowSums)?[0];
        let a = x.is(inner, Op::Mul)?;
        if !x.is_column(a[0]) || x.is_column(a[1]) || x.dag.ty(a[0]).rows != x.dag.ty(a[1]).rows { return None; }
        let r = x.make(Op::RowSums, &[a[1]])?;
        x.make(Op::Mul, &[a[0], r])
    },
    // rowSums(A * r) = A %*% t(r) for a row r
    |x| {
        let inner = x.root(Op::RowSums)?[0];
        let a = x.is(inner, Op::Mul)?;
        if !x.is_row(a[1]) || x.dag.ty(a[0]).cols != x.dag.ty(a[1]).cols
            || x.dag.ty(inner).rows != x.dag.ty(a[0]).rows || !is_matrix(x.dag, a[0]) { return None; }
        let r = x.t(a[1])?;
        x.make(Op::MatMul, &[a[0], r])
    },
    // Products with scalars: s * (A %*% B) = (s * A) %*% B, (-A) %*% B = -(A %*% B)
    |x| {
        let a = x.root(Op::Mul)?;
        let p = x.is(a[1], Op::MatMul)?;
        if !x.is_scalar(a[0]) { return None; }
        let l = x.make(Op::Mul, &[a[0], p[0]])?;
        x.make(Op::MatMul, &[l, p[1]])
    },
    |x| {
        let a = x.root(Op::MatMul)?;
        let n = x.is(a[0], Op::Neg)?;
        let p = x.make(Op::MatMul, &[n[0], a[1]])?;
        x.make(Op::Neg, &[p])
    },
    // Powers
    |x| { let a = x.root(Op::Pow)?; (x.dag.value(a[1]) == Some(2.0)).then_some(())?; x.make(Op::Mul, &[a[0], a[0]]) },
    |x| {
        let a = x.root(Op::Pow)?;
        (x.dag.value(a[1]) == Some(3.0)).then_some(())?;
        let two = x.dag.num(2.0);
        let square = x.make(Op::Pow, &[a[0], two])?;
        x.make(Op::Mul, &[square, a[0]])
    },
    |x| {
        let a = x.root(Op::Mul)?;
        (a[0] == a[1]).then_some(())?;
        let two = x.dag.num(2.0);
        x.make(Op::Pow, &[a[0], two])
    },
    |x| {
        let a = x.root(Op::Pow)?;
        let p = x.is(a[0], Op::Mul)?;
        let (l, r) = (x.make(Op::Pow, &[p[0], a[1]])?, x.make(Op::Pow, &[p[1], a[1]])?);
        x.make(Op::Mul, &[l, r])
    },
    // (a ± b)^2 = a^2 ± 2 a b + b^2
    |x| {
        let p = x.root(Op::Pow)?;
        (x.dag.value(p[1]) == Some(2.0)).then_some(())?;
        let (sign, a, b) = x.terms(p[0])?;
        let (aa, bb) = (x.make(Op::Pow, &[a, p[1]])?, x.make(Op::Pow, &[b, p[1]])?);
        let ab = x.make(Op::Mul, &[a, b])?;
        let ab = x.times(2.0, ab)?;
        let left = x.make(sign, &[aa, ab])?;
        x.make(Op::Add, &[left, bb])
    },
    // a^2 - b^2 = (a - b) * (a + b)
    |x| {
        let a = x.root(Op::Sub)?;
        let (p, q) = (x.is(a[0], Op::Pow)?, x.is(a[1], Op::Pow)?);
        (x.dag.value(p[1]) == Some(2.0) && x.dag.value(q[1]) == Some(2.0)).then_some(())?;
        let (d, s) = (x.make(Op::Sub, &[p[0], q[0]])?, x.make(Op::Add, &[p[0], q[0]])?);
        x.make(Op::Mul, &[d, s])
    },
    // Traces and diagonals
    |x| { let a = x.root(Op::Trace)?; let a = x.t(a[0])?; x.make(Op::Trace, &[a]) },
    |x| {
        let inner = x.root(Op::Trace)?[0];
        let a = x.is(inner, Op::MatMul)?;
        let p = x.make(Op::MatMul, &[a[1], a[0]])?;
        x.make(Op::Trace, &[p])
    },
    |x| {
        let inner = x.root(Op::Trace)?[0];
        let a = x.is(inner, Op::MatMul)?;
        let r = x.t(a[1])?;
        let p = x.make(Op::Mul, &[a[0], r])?;
        x.make(Op::Sum, &[p])
    },
    |x| {
        let a = x.root(Op::Trace)?;
        if x.dag.ty(a[0]).rows.is_one() { return None; }
        let d = x.make(Op::Diag, &a)?;
        x.make(Op::Sum, &[d])
    },
    // diag(v) %*% A = A * v for a column v
    |x| {
        let a = x.root(Op::MatMul)?;
        let v = x.is(a[0], Op::Diag)?;
        if !x.is_column(v[0]) { return None; }
        x.make(Op::Mul, &[a[1], v[0]])
    },
    // A %*% diag(v) = A * t(v)
    |x| {
        let a = x.root(Op::MatMul)?;
        let v = x.is(a[1], Op::Diag)?;
        if !x.is_column(v[0]) { return None; }
        let row = x.t(v[0])?;
        x.make(Op::Mul, &[a[0], row])
    },
    // diag(A %*% B) = rowSums(A * t(B))
    |x| {
        let inner = x.root(Op::Diag)?[0];
        let a = x.is(inner, Op::MatMul)?;
        if x.dag.ty(inner).cols.is_one() { return None; }
        let b = x.t(a[1])?;
        let p = x.make(Op::Mul, &[a[0], b])?;
        x.make(Op::RowSums, &[p])
    },
    // Scalars and matrices of one cell
    |x| { if !x.is_scalar(x.id) { return None; } let m = x.make(Op::AsMatrix, &[x.id])?; x.make(Op::AsScalar, &[m]) },
    |x| {
        if !x.is_column(x.id) || !x.is_row(x.id) { return None; }
        let s = x.make(Op::Sum, &[x.id])?;
        x.make(Op::AsMatrix, &[s])
    },
    // sum(v * w) = as.scalar(t(v) %*% w) for columns
    |x| {
        let inner = x.root(Op::Sum)?[0];
        let a = x.is(inner, Op::Mul)?;
        if !x.is_column(a[0]) || !same_shape(x.dag, a[0], a[1]) { return None; }
        let v = x.t(a[0])?;
        let p = x.make(Op::MatMul, &[v, a[1]])?;
        x.make(Op::AsScalar, &[p])
    },
    // A column times a row: v %*% r = v * r
    |x| {
        let a = x.root(Op::MatMul)?;
        if !x.is_column(a[0]) || !x.is_row(a[1]) { return None; }
        x.make(Op::Mul, &[a[0], a[1]])
    },
];

/// (a b) c = a (b c).
fn associate(x: &mut At<'_>, op: Op) -> Option<NodeId> {
    let a = x.root(op)?;
    let left = x.is(a[0], op)?;
    let right = x.make(op, &[left[1], a[1]])?;
    x.make(op, &[left[0], right])
}

/// a (b c) = (a b) c.
fn associate_left(x: &mut At<'_>, op: Op) -> Option<NodeId> {
    let a = x.root(op)?;
    let right = x.is(a[1], op)?;
    let left = x.make(op, &[a[0], right[0]])?;
    x.make(op, &[left, right[1]])
}
