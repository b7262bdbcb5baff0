//! What the canonical form says of scalar operators against what they compute: `Op::eval` is the one place that says so.

use sumac_la::{Dag, NodeId, Op, ShapeRule};
use sumac_sumproduct::canonical::{Verdict, decide};

/// Numbers whose sums, products and halves are exact.
const NUMBERS: [f64; 12] = [
    0.0, 1.0, -1.0, 0.5, -0.5, -2.5, 2.0, -2.0, -7.0, 3.0, 1.5, 4096.0,
];

fn expression(op: Op, args: &[f64]) -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let args: Vec<NodeId> = args.iter().map(|x| dag.num(*x)).collect();
    let root = dag.op(op, args).expect("numbers fit");
    (dag, root)
}

fn number(x: f64) -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let root = dag.num(x);
    (dag, root)
}

fn verdict(op: Op, args: &[f64], value: f64) -> Verdict {
    let ((left, a), (right, b)) = (expression(op, args), number(value));
    decide((&left, a), (&right, b))
}

/// Never equal to another number than it is, never different from the one that it is.
fn check(op: Op, args: &[f64]) -> bool {
    let Some(value) = op.eval(args) else {
        return false;
    };
    for other in NUMBERS.into_iter().filter(|other| *other != value) {
        let found = verdict(op, args, other);
        assert!(
            !matches!(&found, Verdict::Equal(proof) if proof.conditions.is_empty()),
            "{op:?} of {args:?} is no {other}"
        );
    }
    if value.is_finite() {
        let found = verdict(op, args, value);
        // A quotient that is no short binary fraction is rounded; the proof is about the exact one.
        let is_exact = match op {
            Op::Div => value * args[1] == args[0] && args[1].abs().log2().fract() == 0.0,
            Op::Pow => args[1] >= 0.0 || args[0].abs().log2().fract() == 0.0,
            _ => true,
        };
        // What a script writes in decimals is what these say.
        let is_short = (value * 1_048_576.0).fract() == 0.0;
        let is_different = found == Verdict::Different && is_exact && is_short;
        assert!(!is_different, "{op:?} of {args:?} is {value}");
    }
    true
}

#[test]
fn what_is_proved_of_numbers_is_what_operators_compute() {
    let is_scalar = |op: &&Op| op.info().shape == ShapeRule::Cellwise;
    let mut checked = 0;
    for op in Op::ALL.iter().filter(is_scalar) {
        for a in NUMBERS {
            if op.info().arity.accepts(1) {
                checked += u32::from(check(*op, &[a]));
            }
            for b in NUMBERS {
                if op.info().arity.accepts(2) {
                    checked += u32::from(check(*op, &[a, b]));
                }
            }
        }
        if *op == Op::IfElse {
            checked += u32::from(check(*op, &[1.0, 2.0, 3.0]));
            checked += u32::from(check(*op, &[0.0, 2.0, 3.0]));
        }
    }
    assert_eq!(checked, 20 * 12 + 18 * 144 + 2);
}
