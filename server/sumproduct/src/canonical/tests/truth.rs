//! Comparisons, logic, and what is made of them: what must be proved, and that nothing else is.

use rand::{RngExt, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, Node, NodeId, Op, Type};

use super::super::{Context, Limits, Polyterm, canonicalize, isomorphic};
use super::Build;

#[test]
fn comparisons_and_logic_are_boolean_algebra() {
    let mut b = Build::new(&[("A", "6 x 7"), ("B", "6 x 7"), ("v", "6 x 1")]);
    let (a, m, v) = (b.v("A"), b.v("B"), b.v("v"));
    let zero = b.num(0.0);
    // !(A > B) == (A <= B) == (B >= A) == 1 - (A > B)
    let (gt, le) = (b.op(Op::Gt, &[a, m]), b.op(Op::Le, &[a, m]));
    let ge = b.op(Op::Ge, &[m, a]);
    let not = b.op(Op::Not, &[gt]);
    b.equal(not, le);
    b.equal(ge, le);
    let one = b.num(1.0);
    let rest = b.sub(one, gt);
    b.equal(rest, not);
    b.undecided(gt, le, "`>`");
    // (A > v) * (A > v) == (A > v), !(p & q) == !p | !q
    let q = b.op(Op::Gt, &[a, v]);
    let square = b.mul(q, q);
    b.equal(square, q);
    let and = b.op(Op::And, &[gt, q]);
    let (not_and, not_q) = (b.op(Op::Not, &[and]), b.op(Op::Not, &[q]));
    let either = b.op(Op::Or, &[not, not_q]);
    b.equal(not_and, either);
    // (A + A > 2 * B) == (A > B), (A - B > 0) == (A > B), but not of (B > A)
    let two = b.num(2.0);
    let (twice, double) = (b.add(a, a), b.mul(two, m));
    let scaled = b.op(Op::Gt, &[twice, double]);
    b.equal(scaled, gt);
    let minus = b.sub(a, m);
    let above = b.op(Op::Gt, &[minus, zero]);
    b.equal(above, gt);
    let below = b.op(Op::Lt, &[minus, zero]);
    b.undecided(below, gt, "`>`");
    let equal = (b.op(Op::Eq, &[a, m]), b.op(Op::Eq, &[m, a]));
    b.equal(equal.0, equal.1);
    // sum((A > B) * (A <= B)) == 0
    let never = b.mul(gt, le);
    let never = b.sum(never);
    b.equal(never, zero);
}

#[test]
fn signs_and_extrema_are_made_of_comparisons() {
    let mut b = Build::new(&[("A", "6 x 7"), ("B", "6 x 7")]);
    let (a, m) = (b.v("A"), b.v("B"));
    let zero = b.num(0.0);
    let (above, below) = (b.op(Op::Gt, &[a, zero]), b.op(Op::Lt, &[a, zero]));
    // sign(A) == (A > 0) - (A < 0), A * (A > 0) == max(A, 0), min(A, 0) == A * (A < 0)
    let (sign, difference) = (b.op(Op::Sign, &[a]), b.sub(above, below));
    b.equal(sign, difference);
    let (part, max) = (b.mul(a, above), b.op(Op::Max2, &[zero, a]));
    b.equal(part, max);
    let (part, min) = (b.mul(a, below), b.op(Op::Min2, &[a, zero]));
    b.equal(part, min);
    let one = b.num(1.0);
    // max(A, max(B, 1)) == max(max(A, 1), B), not min
    let inner = b.op(Op::Max2, &[m, one]);
    let left = b.op(Op::Max2, &[a, inner]);
    let inner = b.op(Op::Max2, &[a, one]);
    let right = b.op(Op::Max2, &[inner, m]);
    b.equal(left, right);
    let other = b.op(Op::Min2, &[inner, m]);
    b.undecided(left, other, "`max`");
    // abs(A * B) == abs(B) * abs(A), abs(abs(A)) == abs(A), abs(A)^2 == A^2
    let product = b.mul(a, m);
    let left = b.op(Op::Abs, &[product]);
    let (x, y) = (b.op(Op::Abs, &[a]), b.op(Op::Abs, &[m]));
    let right = b.mul(y, x);
    b.equal(left, right);
    let twice = b.op(Op::Abs, &[x]);
    b.equal(twice, x);
    let (left, right) = (b.pow(x, 2.0), b.pow(a, 2.0));
    b.equal(left, right);
    let left = b.op(Op::Abs, &[right]);
    b.equal(left, right);
    b.undecided(x, a, "`abs`");
    // log(exp(A) * B) == A + log(B)
    let e = b.exp(a);
    let product = b.mul(m, e);
    let left = b.op(Op::Log, &[product]);
    let right = b.op(Op::Log, &[m]);
    let right = b.add(right, a);
    b.equal(left, right);
}

#[test]
fn aggregates_do_not_see_that_cells_have_moved() {
    let mut b = Build::new(&[
        ("A", "6 x 7"),
        ("B", "6 x 7"),
        ("v", "6 x 1"),
        ("c", "7 x 1"),
    ]);
    let (a, m, v, c) = (b.v("A"), b.v("B"), b.v("v"), b.v("c"));
    let rev = b.op(Op::Rev, &[a]);
    // rev(rev(A)) == A, sum(2 * rev(A) + B) == 2 * sum(A) + sum(B), colSums(rev(A) %*% diag(c))
    let twice = b.op(Op::Rev, &[rev]);
    b.equal(twice, a);
    let two = b.num(2.0);
    let double = b.mul(two, rev);
    let both = b.add(double, m);
    let left = b.sum(both);
    let (x, y) = (b.sum(a), b.sum(m));
    let x = b.mul(two, x);
    let right = b.add(x, y);
    b.equal(left, right);
    let reversed = b.mm(rev, c);
    let left = b.sum(reversed);
    let plain = b.mm(a, c);
    let right = b.sum(plain);
    b.equal(left, right);
    // rows have moved, so neither rowSums nor a product with what has rows, too
    let (left, right) = (b.op(Op::RowSums, &[rev]), b.op(Op::RowSums, &[a]));
    b.undecided(left, right, "`rev`");
    let left = b.mul(rev, v);
    let left = b.sum(left);
    let right = b.mul(a, v);
    let right = b.sum(right);
    b.undecided(left, right, "`rev`");
    let t = b.t(rev);
    let trace = b.mm(rev, t);
    let left = b.op(Op::Trace, &[trace]);
    let t = b.t(a);
    let trace = b.mm(a, t);
    let right = b.op(Op::Trace, &[trace]);
    b.undecided(left, right, "`rev`");
    // min(rowMins(A)) == min(A) == min(colMins(A)), not max
    let (rows, cols) = (b.op(Op::RowMins, &[a]), b.op(Op::ColMins, &[a]));
    let (left, right) = (b.op(Op::Min, &[rows]), b.op(Op::Min, &[cols]));
    b.equal(left, right);
    let other = b.op(Op::Max, &[rows]);
    b.undecided(left, other, "`min`");
    // colMaxs(rev(A)) == colMaxs(A), rowMaxs(t(rev(A))) == t(colMaxs(A)), not rowMaxs(rev(A))
    let (left, right) = (b.op(Op::ColMaxs, &[rev]), b.op(Op::ColMaxs, &[a]));
    b.equal(left, right);
    let t = b.t(rev);
    let left = b.op(Op::RowMaxs, &[t]);
    let right = b.t(right);
    b.equal(left, right);
    let (left, right) = (b.op(Op::RowMaxs, &[rev]), b.op(Op::RowMaxs, &[a]));
    b.undecided(left, right, "`row");
    // sum(matrix(A, 14, 3)) == sum(A), sum(matrix(A, 14, 3) * D) says nothing
    let (rows, cols) = (b.num(14.0), b.num(3.0));
    let reshaped = b.op(Op::Reshape, &[a, rows, cols]);
    let (left, right) = (b.sum(reshaped), b.sum(a));
    b.equal(left, right);
    let square = b.pow(reshaped, 2.0);
    let (left, square) = (b.sum(square), b.pow(a, 2.0));
    let right = b.sum(square);
    b.undecided(left, right, "`");
}

const FUNCTIONS: &[(Op, usize)] = &[
    (Op::Add, 2),
    (Op::Sub, 2),
    (Op::Mul, 2),
    (Op::Gt, 2),
    (Op::Lt, 2),
    (Op::Ge, 2),
    (Op::Le, 2),
    (Op::Eq, 2),
    (Op::Ne, 2),
    (Op::And, 2),
    (Op::Or, 2),
    (Op::Min2, 2),
    (Op::Max2, 2),
    (Op::Not, 1),
    (Op::Abs, 1),
    (Op::Sign, 1),
    (Op::Neg, 1),
    (Op::Floor, 1),
];

fn random(dag: &mut Dag, rng: &mut ChaCha8Rng, depth: usize) -> NodeId {
    if depth == 0 || rng.random_ratio(1, 5) {
        return match rng.random_range(0..4) {
            0 => dag.input("x", Type::scalar()),
            1 => dag.input("y", Type::scalar()),
            2 => dag.num(0.0),
            _ => dag.num(f64::from(rng.random_range(-1..=2))),
        };
    }
    let (op, arity) = *FUNCTIONS.choose(rng).expect("some");
    let args: Vec<NodeId> = (0..arity).map(|_| random(dag, rng, depth - 1)).collect();
    dag.op(op, args).expect("scalars fit")
}

/// The value at a point, by the arithmetic of cells.
fn value(dag: &Dag, id: NodeId, at: (f64, f64)) -> f64 {
    match dag.node(id) {
        Node::Num(bits) => f64::from_bits(*bits),
        Node::Input(n) => match &*dag.inputs()[*n as usize].name {
            "x" => at.0,
            _ => at.1,
        },
        Node::Op(op, args) => {
            let args: Vec<f64> = args.iter().map(|arg| value(dag, *arg, at)).collect();
            match (op, &args[..]) {
                (Op::Add, [a, b]) => a + b,
                (Op::Sub, [a, b]) => a - b,
                (Op::Mul, [a, b]) => a * b,
                (Op::Neg, [a]) => -a,
                _ => function(*op, &args),
            }
        }
    }
}

/// The cellwise functions of the random expressions.
fn function(op: Op, args: &[f64]) -> f64 {
    let truth = |holds: bool| f64::from(u8::from(holds));
    match (op, args) {
        (Op::Gt, [a, b]) => truth(a > b),
        (Op::Lt, [a, b]) => truth(a < b),
        (Op::Ge, [a, b]) => truth(a >= b),
        (Op::Le, [a, b]) => truth(a <= b),
        (Op::Eq, [a, b]) => truth(a == b),
        (Op::Ne, [a, b]) => truth(a != b),
        (Op::And, [a, b]) => truth(*a != 0.0 && *b != 0.0),
        (Op::Or, [a, b]) => truth(*a != 0.0 || *b != 0.0),
        (Op::Not, [a]) => truth(*a == 0.0),
        (Op::Min2, [a, b]) => a.min(*b),
        (Op::Max2, [a, b]) => a.max(*b),
        (Op::Abs, [a]) => a.abs(),
        (Op::Sign, [a]) => truth(*a > 0.0) - truth(*a < 0.0),
        (Op::Floor, [a]) => a.floor(),
        other => panic!("{other:?} is no function of the test"),
    }
}

#[test]
fn what_is_proved_of_comparisons_holds_at_all_points() {
    check_points(false, 3_500);
}

#[test]
fn what_is_proved_by_definitions_holds_at_all_points() {
    check_points(true, 6_000);
}

/// Each expression at each point of a grid, exactly: what is called equal is equal everywhere there.
fn check_points(is_deep: bool, least: usize) {
    const EXPRESSIONS: usize = 600;
    let grid = [-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 5.0];
    let points: Vec<(f64, f64)> = grid
        .iter()
        .flat_map(|x| grid.iter().map(|y| (*x, *y)))
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut dag, mut ctx, limits) = (Dag::default(), Context::default(), Limits::default());
    ctx.is_deep = is_deep;
    let mut known: Vec<(NodeId, Polyterm, Vec<f64>)> = Vec::new();
    while known.len() < EXPRESSIONS {
        let id = random(&mut dag, &mut rng, 3);
        if known.iter().any(|(other, ..)| *other == id) {
            continue;
        }
        let Ok(polyterm) = canonicalize(&dag, id, &mut ctx, &limits) else {
            continue;
        };
        let values = points.iter().map(|at| value(&dag, id, *at)).collect();
        known.push((id, polyterm, values));
    }
    let mut proved = 0;
    for (n, (a, p, x)) in known.iter().enumerate() {
        for (b, q, y) in &known[..n] {
            if isomorphic(p, q) {
                assert_eq!(x, y, "{} is not {}", dag.print(*a), dag.print(*b));
                proved += 1;
            }
        }
    }
    // The test would say nothing if hardly any pair were called equal.
    assert!(proved > least, "only {proved} pairs are called equal");
}

/// What differs by rounding differs by one or more once an operator has jumped.
#[test]
fn what_rounds_is_not_rewritten_below_what_jumps() {
    let mut b = Build::new(&[
        ("A", "6 x 7"),
        ("B", "7 x 5"),
        ("v", "5 x 1"),
        ("a", "scalar"),
    ]);
    let (a, m, v, s) = (b.v("A"), b.v("B"), b.v("v"), b.v("a"));
    let (c, tenth) = (b.num(49.0), b.num(0.1));
    let share = b.op(Op::Div, &[a, c]);
    let same = b.mul(share, c);
    let scaled = b.mul(tenth, a);
    let (scaled, tenfold) = (b.op(Op::Div, &[scaled, tenth]), b.mul(a, tenth));
    let one = b.num(1.0);
    for op in [Op::Floor, Op::Ceil, Op::Round, Op::Sign, Op::Not] {
        for form in [same, scaled] {
            let (left, right) = (b.op(op, &[form]), b.op(op, &[a]));
            b.undecided(left, right, "");
        }
        // In another order nothing rounds otherwise.
        let other = b.mul(tenth, a);
        let (left, right) = (b.op(op, &[tenfold]), b.op(op, &[other]));
        b.equal(left, right);
    }
    for op in [Op::Mod, Op::IntDiv, Op::Lt, Op::Ge, Op::Eq, Op::And] {
        let (left, right) = (b.op(op, &[same, one]), b.op(op, &[a, one]));
        b.undecided(left, right, "");
    }
    let share = b.op(Op::Div, &[s, c]);
    let same = b.mul(share, c);
    let (left, right) = (b.op(Op::Floor, &[same]), b.op(Op::Floor, &[s]));
    b.undecided(left, right, "");
    // Sums and products of whole numbers are exact in any order.
    let (left, right) = (b.op(Op::MatMul, &[a, m]), b.op(Op::MatMul, &[m, v]));
    let (left, right) = (b.op(Op::MatMul, &[left, v]), b.op(Op::MatMul, &[a, right]));
    for (op, is_equal) in [(Op::Gt, true), (Op::Mod, false), (Op::IntDiv, false)] {
        let (left, right) = (b.op(op, &[left, one]), b.op(op, &[right, one]));
        if is_equal {
            b.equal(left, right);
        } else {
            b.undecided(left, right, "");
        }
    }
    for op in [Op::Floor, Op::Ceil, Op::Round] {
        let (first, second) = (b.op(op, &[left]), b.op(op, &[right]));
        b.undecided(first, second, "");
        b.equal(first, first);
        // What is rounded once is the nearest number.
        let (one, other) = (b.add(m, m), b.add(m, m));
        let (first, second) = (b.op(op, &[one]), b.op(op, &[other]));
        b.equal(first, second);
    }
    // A constant but for its rounding may be any small number.
    let sum = b.add(a, scaled);
    let rest = b.sub(sum, a);
    let rest = b.sub(rest, scaled);
    let zero = b.num(0.0);
    let zero = b.mul(zero, a);
    for op in [Op::Sign, Op::Not] {
        let (left, right) = (b.op(op, &[rest]), b.op(op, &[zero]));
        b.undecided(left, right, "");
    }
    let twice = b.add(a, a);
    let (left, right) = (b.op(Op::IfElse, &[rest, a, twice]), twice);
    b.undecided(left, right, "");
    let (half, two) = (b.num(0.5), b.num(2.0));
    let (left, right) = (b.mul(half, a), b.op(Op::Div, &[a, two]));
    let (left, right) = (b.op(Op::Round, &[left]), b.op(Op::Round, &[right]));
    b.equal(left, right);
    // Of constants, a run tells.
    let (left, right) = (b.op(Op::Lt, &[tenth, half]), one);
    b.equal(left, right);
}
