//! The worked examples of the SPORES paper, and identities and non-identities of linear algebra.

use sumac_la::{Dag, Op, Type};

use super::Build;
use crate::canonical::{
    Context, Limits, Refused, Verdict, canonicalize, decide, decide_within, isomorphic,
};

fn loss() -> Build {
    Build::new(&[
        ("X", "20 x 30"),
        ("U", "20 x 4"),
        ("V", "30 x 4"),
        ("u", "20 x 1"),
        ("v", "30 x 1"),
    ])
}

#[test]
fn the_loss_is_its_expansion() {
    let mut b = loss();
    let (x, u, v) = (b.v("X"), b.v("U"), b.v("V"));
    let (ut, vt) = (b.t(u), b.t(v));
    let uv = b.mm(u, vt);
    let d = b.sub(x, uv);
    let d = b.pow(d, 2.0);
    let original = b.sum(d);
    let xx = b.pow(x, 2.0);
    let xx = b.sum(xx);
    // sum(X * (U %*% t(V))) as trace(t(U) %*% X %*% V)
    let utx = b.mm(ut, x);
    let utxv = b.mm(utx, v);
    let cross = b.op(Op::Trace, &[utxv]);
    let two = b.num(2.0);
    let cross = b.mul(two, cross);
    let (utu, vtv) = (b.mm(ut, u), b.mm(vt, v));
    let square = b.mul(utu, vtv);
    let square = b.sum(square);
    let expanded = b.sub(xx, cross);
    let expanded = b.add(expanded, square);
    b.equal(original, expanded);
    let wrong = b.add(xx, cross);
    let wrong = b.add(wrong, square);
    b.different(original, wrong);
}

#[test]
fn a_rank_one_square_is_a_product_of_two_scalars() {
    let mut b = loss();
    let (u, v) = (b.v("u"), b.v("v"));
    let (ut, vt) = (b.t(u), b.t(v));
    let uv = b.mm(u, vt);
    let square = b.pow(uv, 2.0);
    let left = b.sum(square);
    let (uu, vv) = (b.mm(ut, u), b.mm(vt, v));
    let right = b.mul(uu, vv);
    b.equal(left, right);
    let (uu, vv) = (b.op(Op::AsScalar, &[uu]), b.op(Op::AsScalar, &[vv]));
    let right = b.mul(uu, vv);
    b.equal(left, right);
}

#[test]
fn isomorphic_terms_collect_into_one() {
    // Q(i) = sum_j x(i,j) (sum_k y(j,k) x(i,j)) + sum_{m,n} x(i,m)^2 y(m,n) is 2 sum_{j,k} x(i,j)^2 y(j,k).
    let mut b = Build::new(&[("x", "7 x 8"), ("y", "8 x 9")]);
    let (x, y) = (b.v("x"), b.v("y"));
    let ys = b.op(Op::RowSums, &[y]);
    let yst = b.t(ys);
    let inner = b.mul(x, yst);
    let first = b.mul(x, inner);
    let first = b.op(Op::RowSums, &[first]);
    let xx = b.pow(x, 2.0);
    let second = b.mm(xx, y);
    let second = b.op(Op::RowSums, &[second]);
    let q = b.add(first, second);
    let two = b.num(2.0);
    let half = b.mm(xx, ys);
    let canonical = b.mul(two, half);
    b.equal(q, canonical);
    let mut ctx = Context::default();
    let form = canonicalize(&b.dag, q, &mut ctx, &Limits::default()).unwrap();
    assert_eq!(form.len(), 1);
}

#[test]
fn the_order_of_indices_matters_unless_all_sizes_are_one() {
    let mut b = Build::new(&[
        ("x", "5 x 5"),
        ("y", "5 x 5"),
        ("p", "1 x 1"),
        ("q", "1 x 1"),
    ]);
    for (left, right, is_one) in [("x", "y", false), ("p", "q", true)] {
        let (x, y) = (b.v(left), b.v(right));
        let yt = b.t(y);
        let (straight, crossed) = (b.mul(x, y), b.mul(x, yt));
        let (straight, crossed) = (b.sum(straight), b.sum(crossed));
        if is_one {
            b.equal(straight, crossed);
        } else {
            b.different(straight, crossed);
        }
    }
}

#[test]
fn forms_that_are_equal_only_for_two_cells_are_equal_there() {
    // sum(x) sum(y) sum(z) + 2 sum(xyz) against sum(xy) sum(z) + sum(xz) sum(y) + sum(yz) sum(x).
    for (size, is_equal) in [("2", true), ("3", false), ("n", false)] {
        let shape = format!("{size} x 1");
        let mut b = Build::new(&[("x", &shape), ("y", &shape), ("z", &shape)]);
        let (x, y, z) = (b.v("x"), b.v("y"), b.v("z"));
        let (sx, sy, sz) = (b.sum(x), b.sum(y), b.sum(z));
        let (xy, xz, yz) = (b.mul(x, y), b.mul(x, z), b.mul(y, z));
        let xyz = b.mul(xy, z);
        let all = b.mul(sx, sy);
        let all = b.mul(all, sz);
        let two = b.num(2.0);
        let together = b.sum(xyz);
        let together = b.mul(two, together);
        let left = b.add(all, together);
        let mut right = b.num(0.0);
        for (pair, single) in [(xy, sz), (xz, sy), (yz, sx)] {
            let pair = b.sum(pair);
            let product = b.mul(pair, single);
            right = b.add(right, product);
        }
        if is_equal {
            b.equal(left, right);
        } else {
            b.different(left, right);
        }
    }
}

#[test]
fn identities_of_linear_algebra_are_equal() {
    let mut b = Build::new(&[
        ("A", "6 x 7"),
        ("B", "7 x 5"),
        ("C", "6 x 5"),
        ("S", "6 x 6"),
        ("D", "7 x 6"),
        ("y", "6 x 1"),
        ("s", "scalar"),
    ]);
    let (a, m, c, d, y, s) = (b.v("A"), b.v("B"), b.v("C"), b.v("D"), b.v("y"), b.v("s"));
    let square = b.v("S");
    let (at, mt, ct, yt, dt) = (b.t(a), b.t(m), b.t(c), b.t(y), b.t(d));

    // sum(A %*% B) == sum(t(colSums(A)) * rowSums(B))
    let am = b.mm(a, m);
    let left = b.sum(am);
    let (cs, rs) = (b.op(Op::ColSums, &[a]), b.op(Op::RowSums, &[m]));
    let cst = b.t(cs);
    let right = b.mul(cst, rs);
    let right = b.sum(right);
    b.equal(left, right);

    // t(t(B) %*% t(A) + t(C)) == A %*% B + C
    let product = b.mm(mt, at);
    let left = b.add(product, ct);
    let left = b.t(left);
    let right = b.add(am, c);
    b.equal(left, right);

    // trace(A %*% D) == trace(D %*% A) == sum(A * t(D))
    let (ad, da) = (b.mm(a, d), b.mm(d, a));
    let (left, right) = (b.op(Op::Trace, &[ad]), b.op(Op::Trace, &[da]));
    b.equal(left, right);
    let sum = b.mul(a, dt);
    let sum = b.sum(sum);
    b.equal(left, sum);

    // sum(t(A)) == sum(A)
    let (left, right) = (b.sum(at), b.sum(a));
    b.equal(left, right);

    // colSums(A * y) == t(y) %*% A
    let left = b.mul(a, y);
    let left = b.op(Op::ColSums, &[left]);
    let right = b.mm(yt, a);
    b.equal(left, right);

    // diag(y) %*% A == y * A, A %*% diag(1) == A, diag(diag(y)) == y, trace(S) == sum(diag(S))
    let dy = b.op(Op::Diag, &[y]);
    let (left, right) = (b.mm(dy, a), b.mul(a, y));
    b.equal(left, right);
    let (one, seven) = (b.num(1.0), b.num(7.0));
    let ones = b.fill(1.0, seven, one);
    let identity = b.op(Op::Diag, &[ones]);
    let left = b.mm(a, identity);
    b.equal(left, a);
    let left = b.op(Op::Diag, &[dy]);
    b.equal(left, y);
    let dyt = b.t(dy);
    b.equal(dy, dyt);
    let diagonal = b.op(Op::Diag, &[square]);
    let (left, right) = (b.op(Op::Trace, &[square]), b.sum(diagonal));
    b.equal(left, right);
    let masked = b.mul(square, dy);
    let square_t = b.t(square);
    let masked_t = b.mul(dy, square_t);
    b.equal(masked, masked_t);

    // C * (A %*% matrix(1, 7, 1)) == C * rowSums(A)
    let row_sums = b.mm(a, ones);
    let left = b.mul(c, row_sums);
    let right = b.op(Op::RowSums, &[a]);
    let right = b.mul(c, right);
    b.equal(left, right);

    // (s * A) %*% B / 2 == (A * 0.5) %*% (B * s)
    let sa = b.mul(s, a);
    let left = b.mm(sa, m);
    let two = b.num(2.0);
    let left = b.div(left, two);
    let half = b.num(0.5);
    let (ha, sm) = (b.mul(a, half), b.mul(m, s));
    let right = b.mm(ha, sm);
    b.equal(left, right);

    // mean(A) == sum(A) / length(A), colMeans(A) == colSums(A) / nrow(A)
    let length = b.op(Op::Length, &[a]);
    let (left, right) = (b.op(Op::Mean, &[a]), b.sum(a));
    let right = b.div(right, length);
    b.equal(left, right);
    let rows = b.op(Op::Nrow, &[a]);
    let (left, right) = (b.op(Op::ColMeans, &[a]), b.op(Op::ColSums, &[a]));
    let right = b.div(right, rows);
    b.equal(left, right);

    // C - C == 0 * C, and rounding does not matter: 0.1 C + 0.2 C == 0.3 C
    let left = b.sub(c, c);
    let zero = b.num(0.0);
    let right = b.mul(zero, c);
    b.equal(left, right);
    let (p, q, r) = (b.num(0.1), b.num(0.2), b.num(0.3));
    let (p, q, r) = (b.mul(p, c), b.mul(q, c), b.mul(r, c));
    let left = b.add(p, q);
    b.equal(left, r);
    let left = b.sub(left, r);
    b.equal(left, right);
}

#[test]
fn what_only_looks_alike_is_different() {
    let mut b = Build::new(&[("A", "6 x 6"), ("B", "6 x 6"), ("y", "6 x 1")]);
    let (a, m, y) = (b.v("A"), b.v("B"), b.v("y"));
    let mt = b.t(m);
    let (left, right) = (b.mm(a, m), b.mm(m, a));
    b.different(left, right);
    let (left, right) = (b.mul(a, m), b.mul(a, mt));
    let (left, right) = (b.sum(left), b.sum(right));
    b.different(left, right);
    let both = b.add(a, m);
    let left = b.pow(both, 2.0);
    let (aa, mm) = (b.pow(a, 2.0), b.pow(m, 2.0));
    let right = b.add(aa, mm);
    b.different(left, right);
    let yt = b.t(y);
    b.different(y, yt);
    let (left, right) = (b.mul(a, y), b.mul(a, yt));
    b.different(left, right);
    let (left, right) = (b.mm(a, a), b.pow(a, 2.0));
    b.different(left, right);
    let dy = b.op(Op::Diag, &[y]);
    let (left, right) = (b.mul(a, dy), b.mul(a, y));
    b.different(left, right);
}

#[test]
fn symbolic_sizes_count_as_large_and_are_kept_apart() {
    let mut b = Build::new(&[
        ("X", "n x m"),
        ("Y", "m x ?"),
        ("Z", "? x ?"),
        ("k", "scalar"),
    ]);
    let (x, y, z, k) = (b.v("X"), b.v("Y"), b.v("Z"), b.v("k"));
    let one = b.num(1.0);
    // sum(matrix(1, nrow(X), ncol(X))) == length(X)
    let (n, m) = (b.op(Op::Nrow, &[x]), b.op(Op::Ncol, &[x]));
    let ones = b.fill(1.0, n, m);
    let (left, right) = (b.sum(ones), b.op(Op::Length, &[x]));
    b.equal(left, right);
    let square = b.mul(n, n);
    b.different(left, square);
    // ncol(X) and nrow(Y) are the same m
    let rows = b.op(Op::Nrow, &[y]);
    b.equal(m, rows);
    // mean(matrix(1, n, m)) == 1
    let left = b.op(Op::Mean, &[ones]);
    b.equal(left, one);
    // X %*% Y makes the columns of Y those of Z where they meet: rowSums(X %*% Y + Z)
    let xy = b.mm(x, y);
    let both = b.add(xy, z);
    let left = b.op(Op::RowSums, &[both]);
    let (ys, zs) = (b.op(Op::RowSums, &[y]), b.op(Op::RowSums, &[z]));
    let right = b.mm(x, ys);
    let right = b.add(right, zs);
    b.equal(left, right);
    let Verdict::Equal(proof) = b.decide(left, right) else {
        panic!("shown to be equal above");
    };
    assert!(
        proof.assumes.contains(&"n > 0".to_owned()),
        "{:?}",
        proof.assumes
    );
    assert!(
        proof.assumes.contains(&"nrow(Z) = n".to_owned()),
        "{:?}",
        proof.assumes
    );
    // A size that a scalar gives is whole; the scalar need not be.
    let column = b.fill(1.0, k, one);
    let left = b.sum(column);
    b.undecided(left, k, "k need not be a whole number");
}

#[test]
fn what_cannot_be_compared_says_why() {
    let mut b = Build::new(&[
        ("A", "6 x 7"),
        ("B", "6 x 7"),
        ("v", "n x 1"),
        ("k", "scalar"),
    ]);
    let (a, m, v) = (b.v("A"), b.v("B"), b.v("v"));
    let (left, right) = (b.add(a, m), b.sub(a, m));
    let (left, right) = (b.pow(left, 9.0), b.pow(right, 9.0));
    let limits = Limits {
        max_terms: 5,
        ..Limits::default()
    };
    let verdict = decide_within((&b.dag, left), (&b.dag, right), &limits);
    let why = match verdict {
        Verdict::Undecided(why) => why,
        other => panic!("{other:?}"),
    };
    assert!(why.contains("power that is too long"), "{why}");
    b.different(left, right);
    // The same power on both sides need not be multiplied out.
    let swapped = b.add(m, a);
    let swapped = b.pow(swapped, 9.0);
    let plus = b.add(a, m);
    let plus = b.pow(plus, 9.0);
    let verdict = decide_within((&b.dag, plus), (&b.dag, swapped), &limits);
    assert!(matches!(verdict, Verdict::Equal(_)), "{verdict:?}");
    let (cube, other) = (b.mul(plus, plus), b.add(a, m));
    let squared = b.mul(other, other);
    let fourth = b.mul(squared, squared);
    let eighth = b.mul(fourth, fourth);
    let verdict = decide_within((&b.dag, cube), (&b.dag, eighth), &limits);
    assert_eq!(verdict, Verdict::Undecided(Refused::Terms(5).to_string()));
    // v must have one row here, so n is one for both sides, and that is said.
    let scalar = b.op(Op::AsScalar, &[v]);
    match decide((&b.dag, scalar), (&b.dag, v)) {
        Verdict::Equal(proof) => assert!(proof.assumes.contains(&"n = 1".to_owned())),
        other => panic!("{other:?}"),
    }
    // k must be 6 here, so that it is not free to be anything.
    let k = b.v("k");
    let one = b.num(1.0);
    let ones = b.fill(1.0, k, one);
    let filled = b.mul(ones, a);
    let (left, right) = (b.sum(filled), b.sum(a));
    let (left, right) = (b.mul(left, k), b.mul(right, k));
    b.equal(left, right);
    let six = b.num(6.0);
    let times = b.sum(a);
    let times = b.mul(times, six);
    b.undecided(left, times, "the value of k is tied to a size");
    // The same input with two shapes.
    let mut other = Build::new(&[("A", "5 x 7")]);
    let other_a = other.v("A");
    let verdict = crate::canonical::decide((&b.dag, a), (&other.dag, other_a));
    assert!(matches!(verdict, Verdict::Undecided(text) if text.contains("5 and 6")));
    b.different(a, v);
}

#[test]
fn inputs_of_two_expressions_are_matched_by_name() {
    let mut p = Build::new(&[("A", "6 x 7"), ("B", "7 x 6")]);
    let mut q = Build::new(&[("B", "7 x 6"), ("A", "6 x 7")]);
    let (a, m) = (p.v("A"), p.v("B"));
    let left = p.mm(a, m);
    let left = p.sum(left);
    let (a, m) = (q.v("A"), q.v("B"));
    let (at, mt) = (q.t(a), q.t(m));
    let right = q.mm(mt, at);
    let right = q.sum(right);
    let mut ctx = Context::default();
    ctx.learn(&p.dag, left);
    ctx.learn(&q.dag, right);
    let limits = Limits::default();
    let x = canonicalize(&p.dag, left, &mut ctx, &limits).unwrap();
    let y = canonicalize(&q.dag, right, &mut ctx, &limits).unwrap();
    assert!(isomorphic(&x, &y));
    assert!(!x.is_empty());
}

#[test]
fn an_input_without_non_zero_cells_is_zero_and_the_proof_says_so() {
    let mut dag = Dag::default();
    let x = dag.input("X", Type::sparse(4, 3, 0.0));
    let y = dag.input("Y", Type::matrix(4, 3));
    let zero = dag.num(0.0);
    let mut op = |op: Op, args: &[sumac_la::NodeId]| dag.op(op, args.iter().copied()).unwrap();
    let sum = op(Op::Add, &[x, y]);
    let reversed = op(Op::Rev, &[x]);
    let reversed = op(Op::Max, &[reversed]);
    let quotient = op(Op::Div, &[x, x]);
    let quotient = op(Op::Sum, &[quotient]);
    let decide = |a, b| decide_within((&dag, a), (&dag, b), &Limits::default());
    let Verdict::Equal(proof) = decide(sum, y) else {
        panic!("X + Y is not Y");
    };
    assert_eq!(proof.assumes, ["X = 0"]);
    assert!(matches!(decide(reversed, zero), Verdict::Equal(_)));
    // Zero by zero is no number at all.
    assert!(!matches!(decide(quotient, zero), Verdict::Equal(_)));
}
