//! Limits of non-zero cells through operators, and the sparsities that follow from them.

use sumac_la::{Dag, Dim, Limits, NodeId, Op, Type};

const N: u64 = 1_000_000;

struct Case {
    dag: Dag,
    /// N x 10, one non-zero cell a row.
    onehot: NodeId,
    /// N x 20, a tenth of its cells.
    x: NodeId,
    /// 10 x 30, a tenth of its cells.
    w: NodeId,
    /// N x 1, half of its cells.
    v: NodeId,
}

impl Case {
    fn new() -> Self {
        let mut dag = Dag::default();
        let onehot = dag.input("T", Type::matrix(N, 10).within(Limits::ONE_A_ROW));
        let x = dag.input("X", Type::sparse(N, 20, 0.1));
        let w = dag.input("W", Type::sparse(10, 30, 0.1));
        let v = dag.input("v", Type::sparse(N, 1, 0.5));
        Case {
            dag,
            onehot,
            x,
            w,
            v,
        }
    }

    fn op(&mut self, op: Op, args: &[NodeId]) -> NodeId {
        self.dag.op(op, args.iter().copied()).unwrap()
    }

    #[track_caller]
    fn check(&self, node: NodeId, sparsity: f64, limits: Limits) {
        let ty = self.dag.ty(node);
        let found = ty.sparsity.unwrap();
        assert!((found - sparsity).abs() <= 1e-12 * sparsity, "{found}");
        assert_eq!(ty.limits, limits);
    }
}

#[test]
fn a_diagonal_keeps_the_other_sides_sparsity() {
    let mut c = Case::new();
    let (v, x) = (c.v, c.x);
    let d = c.op(Op::Diag, &[v]);
    c.check(d, 0.5e-6, Limits::ONE_EACH);
    let product = c.op(Op::MatMul, &[d, x]);
    c.check(product, 0.05, Limits::NONE);
    let square = c.op(Op::MatMul, &[d, d]);
    c.check(square, 0.25e-6, Limits::ONE_EACH);
    let rows = c.op(Op::RowSums, &[d]);
    c.check(rows, 0.5, Limits::NONE);
}

#[test]
fn a_one_hot_matrix_selects_rows_and_groups_them() {
    let mut c = Case::new();
    let (t, w, x) = (c.onehot, c.w, c.x);
    c.check(t, 0.1, Limits::ONE_A_ROW);
    let selected = c.op(Op::MatMul, &[t, w]);
    c.check(selected, 0.1, Limits::NONE);
    let rows = c.op(Op::RowSums, &[t]);
    c.check(rows, 1.0, Limits::NONE);
    let transposed = c.op(Op::Transpose, &[t]);
    c.check(transposed, 0.1, Limits::ONE_A_COLUMN);
    let groups = c.op(Op::MatMul, &[transposed, x]);
    c.check(groups, 1.0, Limits::NONE);
    let counts = c.op(Op::MatMul, &[transposed, t]);
    c.check(counts, 0.1, Limits::ONE_EACH);
    // Which rows are in the same group is no diagonal.
    let same = c.op(Op::MatMul, &[t, transposed]);
    c.check(same, 0.1, Limits::NONE);
}

#[test]
fn groups_hold_no_more_cells_than_there_are() {
    let mut c = Case::new();
    let t = c.onehot;
    let transposed = c.op(Op::Transpose, &[t]);
    let rare = c.dag.input("R", Type::sparse(N, 20, 1e-6));
    let groups = c.op(Op::MatMul, &[transposed, rare]);
    // 20 cells at most, in 200.
    let share = c.dag.ty(groups).sparsity.unwrap();
    assert!(share <= 0.1 && share > 0.09, "{share}");
}

#[test]
fn limits_go_through_cellwise_operators_only_where_zeros_do() {
    let mut c = Case::new();
    let (t, v) = (c.onehot, c.v);
    let two = c.dag.num(2.0);
    let row = c
        .dag
        .input("r", Type::matrix(1, 10).within(Limits::ONE_A_ROW));
    for (op, other, limits) in [
        (Op::Mul, v, Limits::ONE_A_ROW),
        (Op::Mul, two, Limits::ONE_A_ROW),
        (Op::Add, two, Limits::NONE),
        (Op::Pow, two, Limits::ONE_A_ROW),
        (Op::Div, two, Limits::ONE_A_ROW),
        (Op::Div, v, Limits::NONE),
        (Op::Gt, two, Limits::ONE_A_ROW),
        (Op::Lt, two, Limits::NONE),
        (Op::Sub, v, Limits::NONE),
    ] {
        let node = c.op(op, &[t, other]);
        assert_eq!(c.dag.ty(node).limits, limits, "{}", c.dag.print(node));
    }
    // A row that is repeated in each row of the sum keeps its limit.
    let sum = c.op(Op::Add, &[t, row]);
    assert_eq!(c.dag.ty(sum).limits.row, Some(2));
    // A column that is repeated does not limit rows: all cells of one may be non-zero.
    let wide = c.dag.input("Y", Type::matrix(N, 10));
    let product = c.op(Op::Mul, &[wide, v]);
    assert_eq!(c.dag.ty(product).limits, Limits::NONE);
}

#[test]
fn moved_cells_keep_their_limits() {
    let mut c = Case::new();
    let t = c.onehot;
    let twice = c.op(Op::Cbind, &[t, t]);
    c.check(
        twice,
        0.1,
        Limits {
            row: Some(2),
            col: None,
        },
    );
    let stacked = c.op(Op::Rbind, &[t, t]);
    c.check(stacked, 0.1, Limits::ONE_A_ROW);
    let reversed = c.op(Op::Rev, &[t]);
    c.check(reversed, 0.1, Limits::ONE_A_ROW);
    let [one, five] = [1.0, 5.0].map(|n| c.dag.num(n));
    let part = c.op(Op::RightIndex, &[t, one, five, one, five]);
    c.check(part, 0.1, Limits::ONE_A_ROW);
    let two_wide = c.dag.num(20.0);
    let half = c.dag.num(500_000.0);
    let reshaped = c.op(Op::Reshape, &[t, half, two_wide]);
    c.check(reshaped, 0.1, Limits::NONE);
}

#[test]
fn empty_matrices_and_outer_products_are_exact() {
    let mut c = Case::new();
    let (v, w) = (c.v, c.w);
    let empty = c.dag.input("Z", Type::sparse(20, 10, 0.0));
    let product = c.op(Op::MatMul, &[empty, w]);
    assert_eq!(c.dag.ty(product).sparsity, Some(0.0));
    let row = c.op(Op::Transpose, &[v]);
    let outer = c.op(Op::MatMul, &[v, row]);
    assert!((c.dag.ty(outer).density() - 0.25).abs() < 1e-12);
    // No pair of cells: nothing but zeros.
    let none = c.dag.input("N", Type::matrix(3, 0));
    let nothing = c.dag.input("M", Type::matrix(0, 4));
    let zero = c.op(Op::MatMul, &[none, nothing]);
    assert_eq!(c.dag.ty(zero).sparsity.unwrap_or(0.0), 0.0);
}

#[test]
fn a_limit_that_says_less_than_a_size_is_none_and_names_keep_theirs() {
    let mut dag = Dag::default();
    let n = || Dim::Named("n".into());
    let t = dag.input("T", Type::matrix(n(), n()).within(Limits::ONE_A_ROW));
    assert_eq!(dag.ty(t).sparsity, None);
    let square = dag.op(Op::MatMul, [t, t]).unwrap();
    assert_eq!(dag.ty(square).limits, Limits::ONE_A_ROW);
    dag.rename_size("n", &Dim::Known(50));
    assert_eq!(dag.ty(square).limits, Limits::ONE_A_ROW);
    assert_eq!(dag.ty(square).sparsity, Some(0.02));
}

#[test]
fn quotients_and_comparisons_of_two_matrices_keep_what_zeros_they_must() {
    let mut c = Case::new();
    let (x, v) = (c.x, c.v);
    let sums = c.op(Op::RowSums, &[x]);
    let full = c.dag.input("P", Type::sparse(N, 20, 1.0));
    let other = c.dag.input("Y", Type::sparse(N, 20, 0.2));
    let empty = c.dag.input("Z", Type::sparse(N, 20, 0.0));
    let number = c.op(Op::Sum, &[x]);
    let zero = c.dag.num(0.0);
    for (op, left, right, sparsity) in [
        (Op::Div, x, sums, 0.1),
        (Op::Div, x, full, 0.1),
        (Op::Div, x, number, 0.1),
        (Op::Mod, x, full, 0.1),
        // Half of the divisors are zero, and 0 / 0 is none.
        (Op::Div, x, v, 0.6),
        (Op::Div, full, x, 1.0),
        // 0 / 0 where the divisor is zero, which its share does not rule out.
        (Op::Div, empty, full, 1.0),
        (Op::Div, x, zero, 1.0),
        (Op::Pow, x, full, 1.0),
        (Op::Gt, x, other, 0.3),
        (Op::Ne, x, other, 0.3),
        (Op::Ne, empty, empty, 0.0),
        (Op::Lt, zero, x, 0.1),
        (Op::Lt, x, number, 1.0),
        (Op::Le, x, other, 1.0),
    ] {
        let node = c.op(op, &[left, right]);
        let found = c.dag.ty(node).sparsity.unwrap();
        assert!((found - sparsity).abs() < 1e-12, "{op:?}: {found}");
    }
}
