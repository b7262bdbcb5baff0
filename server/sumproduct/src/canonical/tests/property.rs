//! Random expressions: verdicts agree with evaluation, identities are recognized, and every step of a proof keeps the
//! canonical form.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sumac_la::{Dag, Node, NodeId, Op, Type};

use super::reference::{Matrix, evaluate};
use crate::canonical::atom::Context;
use crate::canonical::poly::{Algebra, Poly};
use crate::canonical::proof::{Side, is_flat};
use crate::canonical::term::Ix;
use crate::canonical::translate::canonicalize_all;
use crate::canonical::tree::{Indices, Tree};
use crate::canonical::{Limits, Refused, Verdict, decide};

const INPUTS: [(&str, u64, u64); 7] = [
    ("A", 5, 6),
    ("B", 6, 5),
    ("C", 5, 6),
    ("S", 5, 5),
    ("v", 5, 1),
    ("w", 6, 1),
    ("s", 1, 1),
];

/// One operator over earlier nodes, all picked by number.
type Instruction = (u8, u16, u16);

fn programs(length: usize) -> impl Strategy<Value = Vec<Instruction>> {
    vec((any::<u8>(), any::<u16>(), any::<u16>()), 1..length)
}

fn run<S: Strategy>(
    cases: u32,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases,
        failure_persistence: None,
        max_global_rejects: cases * 20,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
        .run(strategy, test)
        .unwrap();
}

fn start() -> (Dag, Vec<NodeId>) {
    let mut dag = Dag::default();
    let inputs = INPUTS.map(|(name, rows, cols)| {
        let ty = if rows == 1 {
            Type::scalar()
        } else {
            Type::matrix(rows, cols)
        };
        dag.input(name, ty)
    });
    (dag, inputs.to_vec())
}

/// Runs a program: instructions that do not fit the shapes are skipped. The result is the last node.
fn build(dag: &mut Dag, inputs: &[NodeId], program: &[Instruction]) -> NodeId {
    const OPS: [Op; 14] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::MatMul,
        Op::Transpose,
        Op::Sum,
        Op::RowSums,
        Op::ColSums,
        Op::Pow,
        Op::Neg,
        Op::Trace,
        Op::Diag,
        Op::Fill,
        Op::Nrow,
    ];
    let mut pool = inputs.to_vec();
    for (op, a, b) in program {
        let op = OPS[*op as usize % OPS.len()];
        let pick = |n: u16| {
            // Newer nodes are picked more often, so that expressions become deep.
            let n = n as usize % (pool.len() * 2);
            if n < pool.len() {
                pool[n]
            } else {
                pool[pool.len() - 1 - (n % 3).min(pool.len() - 1)]
            }
        };
        let (a, b) = (pick(*a), pick(*b));
        let args = match op {
            Op::Pow => vec![a, dag.num(2.0)],
            Op::Fill => {
                if !dag.is_scalar(a) {
                    continue;
                }
                vec![a, dag.num(5.0), dag.num(6.0)]
            }
            _ if op.info().arity.accepts(1) => vec![a],
            _ => vec![a, b],
        };
        if let Ok(id) = dag.op(op, args) {
            pool.push(id);
        }
    }
    pool[pool.len() - 1]
}

fn values(seed: u64) -> BTreeMap<String, Matrix> {
    // A linear congruential generator is random enough for test data, and the same everywhere.
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from((state >> 33) % 15).unwrap()) - 7.0
    };
    let size = |n: u64| usize::try_from(n).unwrap();
    INPUTS
        .iter()
        .map(|(name, rows, cols)| {
            (
                name.to_string(),
                Matrix::from_fn(size(*rows), size(*cols), |_, _| next()),
            )
        })
        .collect()
}

fn are_equal_in_numbers(dag: &Dag, a: NodeId, b: NodeId) -> bool {
    (0..5).all(|seed| {
        let inputs = values(seed);
        evaluate(dag, a, &inputs).is_near(&evaluate(dag, b, &inputs))
    })
}

#[test]
fn verdicts_on_random_pairs_agree_with_evaluation() {
    let counts = std::cell::RefCell::new(BTreeMap::<&str, usize>::new());
    run(1500, &(programs(5), programs(5)), |(p, q)| {
        let (mut dag, inputs) = start();
        let a = build(&mut dag, &inputs[..], &p);
        let b = build(&mut dag, &inputs[..], &q);
        let verdict = decide((&dag, a), (&dag, b));
        let shape = |id: NodeId| (dag.ty(id).rows.clone(), dag.ty(id).cols.clone());
        let is_same_shape = shape(a) == shape(b);
        let numbers = is_same_shape && are_equal_in_numbers(&dag, a, b);
        let kind = match &verdict {
            Verdict::Equal(_) => "equal",
            Verdict::Different if is_same_shape => "different",
            Verdict::Different => "of different shapes",
            Verdict::Undecided(_) => "undecided",
        };
        *counts.borrow_mut().entry(kind).or_default() += 1;
        let text = format!("{} == {}", dag.print(a), dag.print(b));
        match verdict {
            Verdict::Equal(_) => prop_assert!(numbers, "{text} is not so"),
            Verdict::Different => prop_assert!(!numbers, "{text} holds on random inputs"),
            Verdict::Undecided(reason) => {
                prop_assert!(reason.contains("multiplied out"), "{text}: {reason}");
            }
        }
        Ok(())
    });
    let counts = counts.into_inner();
    assert!(
        counts["equal"] >= 30 && counts["different"] >= 100,
        "{counts:?}"
    );
}

fn make(dag: &mut Dag, op: Op, args: &[NodeId]) -> NodeId {
    dag.op(op, args.iter().copied()).unwrap()
}

/// An expression that is equal by identities of linear algebra, which `choices` picks at each node.
fn rewrite(dag: &mut Dag, id: NodeId, choices: &mut dyn Iterator<Item = u8>) -> NodeId {
    let Node::Op(op, args) = dag.node(id).clone() else {
        return id;
    };
    let new: Vec<NodeId> = args.iter().map(|a| rewrite(dag, *a, choices)).collect();
    let choice = choices.next().unwrap_or(0);
    match (op, choice % 3) {
        (Op::Add, 1) => make(dag, Op::Add, &[new[1], new[0]]),
        (Op::Sub, 1) => {
            let negative = make(dag, Op::Neg, &[new[1]]);
            make(dag, Op::Add, &[new[0], negative])
        }
        (Op::Sub, 2) => {
            let swapped = make(dag, Op::Sub, &[new[1], new[0]]);
            make(dag, Op::Neg, &[swapped])
        }
        (Op::Mul, 1) => make(dag, Op::Mul, &[new[1], new[0]]),
        (Op::Mul | Op::MatMul, 2) => match dag.node(new[1]).clone() {
            Node::Op(inner @ (Op::Add | Op::Sub), parts)
                if dag.ty(parts[0]).rows == dag.ty(parts[1]).rows
                    && dag.ty(parts[0]).cols == dag.ty(parts[1]).cols
                    && dag.is_scalar(parts[0]) == dag.is_scalar(parts[1]) =>
            {
                let first = dag.op(op, [new[0], parts[0]]).unwrap();
                let second = dag.op(op, [new[0], parts[1]]).unwrap();
                dag.op(inner, [first, second]).unwrap()
            }
            _ => dag.op(op, new).unwrap(),
        },
        (Op::MatMul, 1) => {
            let (a, b) = (
                make(dag, Op::Transpose, &[new[0]]),
                make(dag, Op::Transpose, &[new[1]]),
            );
            let product = make(dag, Op::MatMul, &[b, a]);
            make(dag, Op::Transpose, &[product])
        }
        (Op::Sum, 1) => match dag.node(new[0]).clone() {
            Node::Op(Op::MatMul, factors) => {
                let columns = dag.op(Op::ColSums, [factors[0]]).unwrap();
                let columns = dag.op(Op::Transpose, [columns]).unwrap();
                let rows = dag.op(Op::RowSums, [factors[1]]).unwrap();
                let product = dag.op(Op::Mul, [columns, rows]).unwrap();
                dag.op(Op::Sum, [product]).unwrap()
            }
            _ => dag.op(Op::Sum, new).unwrap(),
        },
        (Op::Sum, 2) if !dag.is_scalar(new[0]) => {
            let rows = dag.op(Op::RowSums, new).unwrap();
            dag.op(Op::Sum, [rows]).unwrap()
        }
        (Op::RowSums, 1) => {
            let transposed = make(dag, Op::Transpose, &[new[0]]);
            let sums = make(dag, Op::ColSums, &[transposed]);
            make(dag, Op::Transpose, &[sums])
        }
        (Op::RowSums, 2) => {
            let cols = dag.ty(new[0]).cols.known().unwrap();
            let cols = dag.num(f64::from(u32::try_from(cols).unwrap()));
            let one = dag.num(1.0);
            let ones = dag.op(Op::Fill, [one, cols, one]).unwrap();
            dag.op(Op::MatMul, [new[0], ones]).unwrap()
        }
        (Op::Pow, 1) => make(dag, Op::Mul, &[new[0], new[0]]),
        (Op::Trace, 1) if !dag.is_scalar(new[0]) => {
            let transposed = dag.op(Op::Transpose, new).unwrap();
            dag.op(Op::Trace, [transposed]).unwrap()
        }
        (Op::Trace, 2) if !dag.is_scalar(new[0]) && !dag.ty(new[0]).cols.is_one() => {
            let diagonal = dag.op(Op::Diag, new).unwrap();
            dag.op(Op::Sum, [diagonal]).unwrap()
        }
        (_, 2) if !dag.is_scalar(id) => {
            let same = dag.op(op, new).unwrap();
            let double = dag.op(Op::Add, [same, same]).unwrap();
            dag.op(Op::Sub, [double, same]).unwrap()
        }
        _ => dag.op(op, new).unwrap(),
    }
}

#[test]
fn identities_are_recognized() {
    let decided = std::cell::Cell::new((0, 0));
    run(
        2000,
        &(programs(8), vec(any::<u8>(), 12)),
        |(p, choices)| {
            let (mut dag, inputs) = start();
            let a = build(&mut dag, &inputs, &p);
            let b = rewrite(&mut dag, a, &mut choices.into_iter());
            let text = format!("{} == {}", dag.print(a), dag.print(b));
            prop_assert!(are_equal_in_numbers(&dag, a, b), "{text} is not so");
            let (equal, large) = decided.get();
            match decide((&dag, a), (&dag, b)) {
                Verdict::Equal(_) => decided.set((equal + usize::from(a != b), large)),
                Verdict::Undecided(reason) if reason.contains("multiplied out") => {
                    decided.set((equal, large + 1));
                }
                other => prop_assert!(false, "{text}: {other:?}"),
            }
            Ok(())
        },
    );
    let (equal, large) = decided.get();
    assert!(
        equal > 500 && large < 20,
        "{equal} equal, {large} too large"
    );
}

/// A tree multiplied out by the algebra itself.
fn poly_of(tree: &Tree, algebra: &mut Algebra<'_>, indices: &Indices) -> Result<Poly, Refused> {
    Ok(match tree {
        Tree::Num(x) => algebra.constant(*x),
        Tree::Atom(id, at) => algebra.atom(*id, at.iter().copied())?,
        Tree::Add(ts) => {
            let mut sum = Poly::default();
            for t in ts {
                let t = poly_of(t, algebra, indices)?;
                sum = algebra.add(sum, &t)?;
            }
            sum
        }
        Tree::Mul(ts) => {
            let mut product = algebra.constant(1.0);
            for t in ts {
                let t = poly_of(t, algebra, indices)?;
                product = algebra.mul(&product, &t)?;
            }
            product
        }
        Tree::Sub(a, b) => {
            let (a, b) = (poly_of(a, algebra, indices)?, poly_of(b, algebra, indices)?);
            algebra.add(a, &b.negated())?
        }
        Tree::Neg(t) => poly_of(t, algebra, indices)?.negated(),
        Tree::Pow(t, k) => {
            let base = poly_of(t, algebra, indices)?;
            let base = if *k < 0 { algebra.recip(&base)? } else { base };
            algebra.power(&base, k.unsigned_abs())?
        }
        Tree::Sum(ids, t) => {
            let mut sum = poly_of(t, algebra, indices)?;
            for ix in ids {
                let (_, size) = indices.get(*ix).unwrap();
                sum = algebra.sum(&sum, *ix, size)?;
            }
            sum
        }
    })
}

#[test]
fn each_step_of_an_explanation_keeps_the_canonical_form() {
    let finished = std::cell::Cell::new(0);
    run(600, &programs(8), |p| {
        let (mut dag, inputs) = start();
        let root = build(&mut dag, &inputs, &p);
        let mut ctx = Context::default();
        let limits = Limits::default();
        let Ok((polys, shapes)) = canonicalize_all(&dag, root, &mut ctx, &limits) else {
            return Ok(());
        };
        let used = std::mem::take(&mut ctx.used);
        let side = Side {
            dag: &dag,
            root,
            polys: &polys,
            shapes: &shapes,
            used: &used,
        };
        let (trees, indices) = side.trees(&mut ctx, &limits).unwrap();
        let mut algebra = Algebra {
            ctx: &mut ctx,
            limits: &limits,
        };
        for (rule, tree) in &trees {
            let poly = poly_of(tree, &mut algebra, &indices).unwrap();
            prop_assert!(
                poly.equals(&polys[&root]),
                "{rule} breaks {}",
                dag.print(root)
            );
            prop_assert!(!poly.mentions(Ix::MID));
        }
        if trees.last().is_some_and(|(_, tree)| is_flat(tree)) {
            finished.set(finished.get() + 1);
        }
        Ok(())
    });
    assert!(
        finished.get() > 570,
        "only {} explanations come to an end",
        finished.get()
    );
}
