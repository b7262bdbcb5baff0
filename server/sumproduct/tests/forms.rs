//! The paper's expressions, end to end: the form that the search finds, and what it saves.

use std::time::Duration;

use sumac_cost::{Cost, Engine, Machine, Priced};
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_sumproduct::canonical::{Verdict, decide};
use sumac_sumproduct::{
    CostModel, Extraction, Options, Outcome, Problem, Request, Strategy, derives, optimize,
};

/// A request for one root on its own: nothing is held, and there is no loop.
fn request<'a>(dag: &'a Dag, root: &'a NodeId, machine: &'a Machine) -> Request<'a> {
    Request {
        dag,
        roots: std::slice::from_ref(root),
        held: &[],
        machine,
        around: None,
        fusing: None,
    }
}

struct Script {
    dag: Dag,
}

impl Script {
    fn new() -> Self {
        Script {
            dag: Dag::default(),
        }
    }
    fn input(&mut self, name: &str, rows: u64, cols: u64, sparsity: f64) -> NodeId {
        self.dag.input(name, Type::sparse(rows, cols, sparsity))
    }
    fn op<const N: usize>(&mut self, op: Op, args: [NodeId; N]) -> NodeId {
        self.dag.op(op, args).unwrap()
    }
    fn num(&mut self, v: f64) -> NodeId {
        self.dag.num(v)
    }
    fn best(&self, root: NodeId, cost: CostModel) -> Outcome {
        let machine = Machine::default();
        let request = request(&self.dag, &root, &machine);
        let options = Options {
            cost,
            ..Options::default()
        };
        optimize(request, &options, &|| false).unwrap()
    }
    fn before(&self, root: NodeId) -> Cost {
        self.dag.cost(&[root], &Machine::default()).unwrap()
    }
}

fn loss(sign: Op, factor: f64) -> (Script, NodeId) {
    let mut s = Script::new();
    let x = s.input("X", 20000, 10000, 0.001);
    let u = s.input("U", 20000, 10, 1.0);
    let v = s.input("V", 10000, 10, 1.0);
    let vt = s.op(Op::Transpose, [v]);
    let uv = s.op(Op::MatMul, [u, vt]);
    let k = s.num(factor);
    let x = if factor == 1.0 {
        x
    } else {
        s.op(Op::Mul, [k, x])
    };
    let e = s.op(sign, [x, uv]);
    let two = s.num(2.0);
    let sq = s.op(Op::Pow, [e, two]);
    let sum = s.op(Op::Sum, [sq]);
    (s, sum)
}

#[test]
fn losses_never_form_the_dense_product() {
    for cost in [
        CostModel::Time,
        CostModel::Nnz,
        CostModel::Flops,
        CostModel::Bytes,
    ] {
        for (sign, factor) in [(Op::Sub, 1.0), (Op::Add, 1.0), (Op::Sub, 2.0)] {
            let (s, root) = loss(sign, factor);
            let out = s.best(root, cost);
            let before = s.before(root);
            assert!(
                before.flops > 100.0 * out.after.flops,
                "{:?} {:?}",
                before,
                out.after
            );
            // A sparse matrix may sample the product, which has 2e8 cells.
            assert!(out.after.peak_bytes < 1e8, "{:?}", out.after);
        }
    }
}

#[test]
fn the_als_gradient_distributes() {
    let mut s = Script::new();
    let x = s.input("X", 20000, 10000, 0.001);
    let u = s.input("U", 20000, 10, 1.0);
    let v = s.input("V", 10000, 10, 1.0);
    let vt = s.op(Op::Transpose, [v]);
    let uv = s.op(Op::MatMul, [u, vt]);
    let e = s.op(Op::Sub, [uv, x]);
    let g = s.op(Op::MatMul, [e, v]);
    let out = s.best(g, CostModel::Time);
    assert_eq!(
        out.dag.print(out.dag.roots()[0]),
        "U %*% (t(V) %*% V) - X %*% V"
    );
}

/// `t(V) %*% V` is symmetric: it does not matter which way round a form reads it.
#[test]
fn what_is_symmetric_is_reached_either_way_round() {
    let mut s = Script::new();
    let x = s.input("X", 2000, 1000, 1.0);
    let u = s.input("U", 2000, 10, 1.0);
    let v = s.input("V", 1000, 10, 1.0);
    let vt = s.op(Op::Transpose, [v]);
    let uv = s.op(Op::MatMul, [u, vt]);
    let error = s.op(Op::Sub, [uv, x]);
    let gradient = s.op(Op::MatMul, [error, v]);
    let xv = s.op(Op::MatMul, [x, v]);
    let gram = s.op(Op::MatMul, [vt, v]);
    let transposed = s.op(Op::Transpose, [gram]);
    let options = Options {
        strategy: Strategy::DepthFirst,
        max_nodes: Some(20_000),
        max_iterations: 12,
        ..Options::default()
    };
    for gram in [gram, transposed] {
        let product = s.op(Op::MatMul, [u, gram]);
        let goal = s.op(Op::Sub, [product, xv]);
        let found = derives(&s.dag, gradient, goal, &options).unwrap();
        assert!(found.is_found, "{}: {found:?}", s.dag.print(goal));
    }
    // What is not symmetric is not taken to be.
    let vu = s.input("A", 1000, 10, 1.0);
    let other = s.op(Op::MatMul, [vt, vu]);
    let transposed = s.op(Op::Transpose, [other]);
    let [one, two] = [other, transposed].map(|g| s.op(Op::MatMul, [u, g]));
    let found = derives(&s.dag, one, two, &options).unwrap();
    assert!(!found.is_found);
}

#[test]
fn the_sum_of_a_product_is_a_dot_product() {
    let mut s = Script::new();
    let w = s.input("W", 10000, 20, 1.0);
    let h = s.input("H", 20, 5000, 1.0);
    let wh = s.op(Op::MatMul, [w, h]);
    let sum = s.op(Op::Sum, [wh]);
    let out = s.best(sum, CostModel::Time);
    let before = s.before(sum);
    assert!(
        before.flops > 100.0 * out.after.flops,
        "{:?} {:?}",
        before,
        out.after
    );
}

#[test]
fn the_logistic_gradient_factors() {
    let mut s = Script::new();
    let p = s.input("P", 200_000, 1, 1.0);
    let x = s.input("X", 200_000, 100, 1.0);
    let px = s.op(Op::Mul, [x, p]);
    let rs = s.op(Op::RowSums, [p]);
    let pr = s.op(Op::Mul, [p, rs]);
    let prx = s.op(Op::Mul, [x, pr]);
    let d = s.op(Op::Sub, [px, prx]);
    let out = s.best(d, CostModel::Time);
    let before = s.before(d);
    assert!(
        before.seconds > 1.5 * out.after.seconds,
        "{:?} {:?}",
        before,
        out.after
    );
}

#[test]
fn functions_are_optimized_inside_and_around() {
    let mut s = Script::new();
    let x = s.input("X", 10000, 5000, 0.001);
    let w = s.input("W", 10000, 20, 1.0);
    let h = s.input("H", 20, 5000, 1.0);
    let wh = s.op(Op::MatMul, [w, h]);
    let sum = s.op(Op::Sum, [wh]);
    let eps = s.num(1e-15);
    let inside = s.op(Op::Add, [wh, eps]);
    let log = s.op(Op::Log, [inside]);
    let xlog = s.op(Op::Mul, [x, log]);
    let second = s.op(Op::Sum, [xlog]);
    let both = s.op(Op::Sub, [sum, second]);
    let out = s.best(both, CostModel::Time);
    let text = out.dag.print(out.dag.roots()[0]);
    assert!(!text.contains("sum(W %*% H)"), "{text}");
    assert!(text.contains("sum(X * log(W %*% H + 1e-15))"), "{text}");
}

#[test]
fn equal_requests_give_equal_results() {
    let (s, root) = loss(Op::Sub, 1.0);
    let (a, b) = (s.best(root, CostModel::Time), s.best(root, CostModel::Time));
    assert_eq!((a.dag, a.search.enodes), (b.dag, b.search.enodes));
}

#[test]
fn a_held_value_is_used_only_where_that_is_cheaper() {
    let (s, root) = loss(Op::Sub, 1.0);
    let machine = Machine::default();
    // The error matrix, and a vector of its row sums.
    let square = s.dag.args(root)[0];
    let error = s.dag.args(square)[0];
    let held = [(error, "E = 1")];
    let request = Request {
        dag: &s.dag,
        roots: &[root],
        held: &held,
        machine: &machine,
        around: None,
        fusing: None,
    };
    let out = optimize(request, &Options::default(), &|| false).unwrap();
    assert!(out.after.flops < 1e8, "{:?}", out.after);
}

/// `A %*% B` is wanted anyway. Greedy extraction does not see that when it orders `A %*% B %*% v`.
#[test]
fn exact_extraction_uses_again_what_another_root_computes() {
    let mut s = Script::new();
    let (a, b) = (s.input("A", 2000, 2000, 1.0), s.input("B", 2000, 2000, 1.0));
    let v = s.input("v", 2000, 1, 1.0);
    let ab = s.op(Op::MatMul, [a, b]);
    let abv = s.op(Op::MatMul, [ab, v]);
    let machine = Machine::default();
    let run = |extraction| {
        let request = Request {
            dag: &s.dag,
            roots: &[ab, abv],
            held: &[],
            machine: &machine,
            around: None,
            fusing: None,
        };
        let options = Options {
            extraction,
            cost: CostModel::Flops,
            ..Options::default()
        };
        let out = optimize(request, &options, &|| false).unwrap();
        let text = out.dag.print(out.dag.roots()[1]);
        (text, out.after.flops, out.search.gap)
    };
    let (text, greedy, gap) = run(Extraction::Greedy);
    assert_eq!((text.as_str(), gap), ("A %*% (B %*% v)", None));
    let (text, exact, gap) = run(Extraction::Ilp);
    assert_eq!((text.as_str(), gap), ("A %*% B %*% v", Some(0.0)));
    assert_eq!(greedy - exact, 2.0 * 2000.0 * 2000.0);
}

/// Three other forms.
fn others(request: Request<'_>, options: &Options) -> Vec<Outcome> {
    let (problem, never) = (Problem::new(&request, options), || false);
    let graph = problem.grow(None, &never).unwrap();
    let found = problem.alternatives(&graph, 3, &never).unwrap();
    found.into_iter().map(|form| problem.named(form)).collect()
}

/// A machine on which each operator takes a second to start: the loss as it is written has the fewest, and is 1.6 GB large.
fn few_operators(memory: Option<f64>) -> Machine {
    Machine {
        overhead: 1.0,
        memory,
        ..Machine::default()
    }
}

#[test]
fn what_does_not_fit_is_not_chosen_however_fast_it_is() {
    let (s, root) = loss(Op::Sub, 1.0);
    for extraction in [Extraction::Greedy, Extraction::Ilp] {
        let run = |memory| {
            let machine = few_operators(memory);
            let request = request(&s.dag, &root, &machine);
            let options = Options {
                extraction,
                machine,
                ..Options::default()
            };
            let best = optimize(request, &options, &|| false).unwrap();
            let others = others(request, &options);
            (best.after, others)
        };
        let (open, _) = run(None);
        assert!(open.peak_bytes > 3e9 && open.seconds < 6.0, "{open:?}");
        let (fits, others) = run(Some(1e9));
        assert!(
            fits.peak_bytes < 1e9 && fits.seconds > open.seconds,
            "{fits:?}"
        );
        // Alternatives that fit stand before those that do not.
        let fit: Vec<bool> = others
            .iter()
            .map(|other| other.after.peak_bytes <= 1e9)
            .collect();
        assert!(fit.is_sorted_by(|a, b| a >= b), "{fit:?}");
        assert_eq!(run(Some(4e9)).0, open);
        // Nothing fits: the least that there is.
        let (least, _) = run(Some(1e3));
        assert!(least.peak_bytes <= fits.peak_bytes, "{least:?}");
    }
}

/// Each operator fits into 100 MB, and `A + B` beside `C + D` does not.
#[test]
fn operators_that_fit_alone_must_fit_together() {
    let mut s = Script::new();
    let u = s.input("U", 1000, 2, 1.0);
    let v = s.input("V", 1000, 2, 1.0);
    let product = |s: &mut Script, a: NodeId, b: NodeId| {
        let transposed = s.op(Op::Transpose, [b]);
        s.op(Op::MatMul, [a, transposed])
    };
    let (uv, vu) = (product(&mut s, u, v), product(&mut s, v, u));
    let sum = s.op(Op::Add, [uv, vu]);
    let sum = s.op(Op::Sum, [sum]);
    let one = s.dag.cost(&[uv], &Machine::default()).unwrap().peak_bytes;
    // The two products and their sum are 24 MB; a product and what it is of hardly more than 8.
    let machine = few_operators(Some(1.5 * one));
    let request = request(&s.dag, &sum, &machine);
    let options = Options {
        machine,
        ..Options::default()
    };
    let best = optimize(request, &options, &|| false).unwrap();
    assert!(s.before(sum).peak_bytes > 2.5 * one);
    assert!(machine.fits(best.after.peak_bytes), "{:?}", best.after);
}

#[test]
fn alternatives_are_other_forms_from_cheap_to_dear() {
    let (s, root) = loss(Op::Sub, 1.0);
    let machine = Machine::default();
    let request = request(&s.dag, &root, &machine);
    for extraction in [Extraction::Greedy, Extraction::Ilp] {
        let options = Options {
            extraction,
            ..Options::default()
        };
        let best = optimize(request, &options, &|| false).unwrap();
        let others = others(request, &options);
        assert_eq!(others.len(), 3);
        let text = |outcome: &Outcome| outcome.dag.print(outcome.dag.roots()[0]);
        let mut texts: Vec<String> = others.iter().map(text).collect();
        texts.push(text(&best));
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), 4, "{texts:?}");
        for pair in others.windows(2) {
            assert!(pair[0].after.seconds <= pair[1].after.seconds);
        }
        assert!(best.after.seconds <= others[0].after.seconds * 1.01);
    }
}

#[test]
fn what_is_shown_early_is_equal_and_gets_cheaper_and_changes_nothing() {
    let (mut s, loss) = loss(Op::Add, 2.0);
    let rest = s.op(Op::Exp, [loss]);
    let machine = Machine::default();
    let roots = [loss, rest];
    let request = Request {
        roots: &roots,
        ..request(&s.dag, &loss, &machine)
    };
    let options = Options::default();
    let mut early = Vec::new();
    let mut better = |outcome: Outcome| early.push(outcome);
    let problem = Problem::new(&request, &options);
    let never = || false;
    let graph = problem
        .grow(Some((Duration::ZERO, &mut better)), &never)
        .unwrap();
    let found = problem.named(problem.cheapest(&graph, &never).unwrap());
    let alone = optimize(request, &options, &|| false).unwrap();
    assert_eq!((&found.dag, found.after), (&alone.dag, alone.after));
    assert!(!early.is_empty());
    for outcome in &early {
        assert!(outcome.search.cut_short);
        for (old, new) in roots.iter().zip(outcome.dag.roots()) {
            let verdict = decide((&s.dag, *old), (&outcome.dag, *new));
            assert!(matches!(verdict, Verdict::Equal(_)), "{verdict:?}");
        }
    }
    let seconds: Vec<f64> = early.iter().map(|o| o.after.seconds).collect();
    assert!(
        seconds.windows(2).all(|pair| pair[1] < pair[0]),
        "{seconds:?}"
    );
    // The same costs in another order of nodes differ in rounding.
    assert!(found.after.seconds <= seconds[seconds.len() - 1] * (1.0 + 1e-12));
    // Of somebody who looks once in a long while nothing is heard.
    let hour = Duration::from_secs(3600);
    let mut too_soon = |_| panic!("an hour has not passed");
    problem.grow(Some((hour, &mut too_soon)), &never).unwrap();
}

/// The cheapest form for SystemDS, and its estimated seconds.
fn for_systemds(dag: &Dag, root: NodeId) -> (String, f64) {
    let machine = Machine::of(Engine::SystemDs);
    let request = request(dag, &root, &machine);
    let found = optimize(request, &Options::default(), &|| false).unwrap();
    (found.dag.print(found.dag.roots()[0]), found.after.seconds)
}

#[test]
fn what_an_engine_fuses_is_chosen_for_that_engine() {
    // Each is written so that SystemDS would not fuse it.
    let mut s = Script::new();
    let x = s.input("X", 100_000, 100, 1.0);
    let (w, v) = (s.input("w", 100_000, 1, 1.0), s.input("v", 100, 1, 1.0));
    let xw = s.op(Op::Mul, [x, w]);
    let (transposed, xv) = (s.op(Op::Transpose, [xw]), s.op(Op::MatMul, [x, v]));
    let chain = s.op(Op::MatMul, [transposed, xv]);
    let (text, seconds) = for_systemds(&s.dag, chain);
    assert_eq!(text, "t(X) %*% (w * (X %*% v))");
    let apart: f64 = [xw, xv]
        .iter()
        .map(|id| {
            s.dag
                .node_cost(*id, &Machine::of(Engine::SystemDs))
                .unwrap()
                .seconds
        })
        .sum();
    assert!(seconds < 0.8 * apart, "{seconds} against {apart}");
    let ours = s.best(chain, CostModel::Time);
    assert_eq!(ours.dag.print(ours.dag.roots()[0]), text);

    let mut s = Script::new();
    let x = s.input("X", 20_000, 10_000, 0.001);
    let (u, v) = (s.input("U", 20_000, 10, 1.0), s.input("V", 10_000, 10, 1.0));
    let vt = s.op(Op::Transpose, [v]);
    let product = s.op(Op::MatMul, [u, vt]);
    let error = s.op(Op::Sub, [product, x]);
    let square = s.op(Op::Mul, [error, error]);
    let loss = s.op(Op::Sum, [square]);
    let (text, _) = for_systemds(&s.dag, loss);
    assert_eq!(text, "sum((U %*% t(V) - X)^2)");

    let quotient = s.op(Op::Div, [x, product]);
    let transposed = s.op(Op::Transpose, [quotient]);
    let update = s.op(Op::MatMul, [transposed, u]);
    let (text, _) = for_systemds(&s.dag, update);
    assert_eq!(text, "t(t(U) %*% (X / (U %*% t(V))))");
}
