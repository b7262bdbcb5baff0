//! The paper's examples: the memo table of its Figure 5, and the plan that it shows for each expression.

use sumac_cost::Machine;
use sumac_fusion::template::{Sizes, Template};
use sumac_fusion::{Finish, Graph, Memo, Options, Plan, Rates, explore, plan};
use sumac_la::{Dag, NodeId, Op, Type};

struct Script {
    dag: Dag,
}

impl Script {
    fn new() -> Script {
        Script {
            dag: Dag::default(),
        }
    }

    fn dense(&mut self, name: &str, rows: u64, cols: u64) -> NodeId {
        self.dag.input(name, Type::sparse(rows, cols, 1.0))
    }

    fn sparse(&mut self, name: &str, rows: u64, cols: u64, sparsity: f64) -> NodeId {
        self.dag.input(name, Type::sparse(rows, cols, sparsity))
    }

    fn op(&mut self, op: Op, args: &[NodeId]) -> NodeId {
        self.dag.op(op, args.iter().copied()).unwrap()
    }

    fn num(&mut self, value: f64) -> NodeId {
        self.dag.num(value)
    }

    fn t(&mut self, a: NodeId) -> NodeId {
        self.op(Op::Transpose, &[a])
    }

    fn plan(&self, roots: &[NodeId]) -> Plan {
        plan(
            &self.dag,
            roots,
            &Options::new(Rates::from(&Machine::default())),
        )
    }

    /// Template, variant and number of operators of each fused operator.
    fn shown(&self, roots: &[NodeId]) -> Vec<(Template, String, usize)> {
        let plan = self.plan(roots);
        let of =
            |o: &sumac_fusion::PlannedOperator| (o.template, o.kernel.variant(), o.covers.len());
        plan.operators.iter().map(of).collect()
    }
}

/// Expression (2): the inner loop of multinomial logistic regression.
struct Mlogreg {
    script: Script,
    rix: NodeId,
    xv: NodeId,
    q: NodeId,
    sums: NodeId,
    scaled: NodeId,
    minus: NodeId,
    transposed: NodeId,
    h: NodeId,
}

fn mlogreg() -> Mlogreg {
    let mut s = Script::new();
    let (x, p, v) = (
        s.dense("X", 100_000, 100),
        s.dense("P", 100_000, 5),
        s.dense("V", 100, 4),
    );
    let (one, rows, k) = (s.num(1.0), s.num(100_000.0), s.num(4.0));
    let xv = s.op(Op::MatMul, &[x, v]);
    let rix = s.op(Op::RightIndex, &[p, one, rows, one, k]);
    let q = s.op(Op::Mul, &[rix, xv]);
    let sums = s.op(Op::RowSums, &[q]);
    let scaled = s.op(Op::Mul, &[rix, sums]);
    let minus = s.op(Op::Sub, &[q, scaled]);
    let transposed = s.t(x);
    let h = s.op(Op::MatMul, &[transposed, minus]);
    Mlogreg {
        script: s,
        rix,
        xv,
        q,
        sums,
        scaled,
        minus,
        transposed,
        h,
    }
}

/// The entries of an operator, with the numbers of the figure in place of ours.
fn entries(m: &Mlogreg, memo: &Memo, id: NodeId) -> Vec<String> {
    let graph = Graph::new(&m.script.dag, &[m.h]);
    let numbers = [
        (m.h, 11),
        (m.transposed, 10),
        (m.minus, 9),
        (m.scaled, 8),
        (m.sums, 7),
        (m.q, 6),
        (m.rix, 5),
        (m.xv, 4),
    ];
    let figure = |text: String| {
        let (head, rest) = text.split_once('(').unwrap();
        let (inside, _) = rest.split_once(')').unwrap();
        let inputs: Vec<String> = inside
            .split(',')
            .map(|input| {
                let known = numbers
                    .iter()
                    .find(|(id, _)| id.index().to_string() == input);
                known.map_or(input.to_owned(), |(_, number)| number.to_string())
            })
            .collect();
        format!("{head}({})", inputs.join(","))
    };
    let mut found: Vec<String> = memo
        .entries(id)
        .iter()
        .map(|entry| figure(memo.entry_text(&graph, id, entry)))
        .collect();
    found.sort();
    found
}

#[test]
fn the_memo_table_of_figure_5() {
    let m = mlogreg();
    let graph = Graph::new(&m.script.dag, &[m.h]);
    let memo = explore(&graph, Sizes::default(), false);
    let of = |id| entries(&m, &memo, id);
    // All eight operators have groups; three entries of the last one fuse right, left and both.
    assert_eq!(memo.operators().len(), 8);
    assert_eq!(of(m.h), ["R(-1,9)", "R(10,-1)", "R(10,9)"]);
    assert_eq!(of(m.transposed), ["R(-1)"]);
    assert_eq!(
        of(m.minus),
        [
            "C(-1,-1)", "C(-1,8)", "C(6,-1)", "C(6,8)", "R(-1,-1)", "R(-1,8)", "R(6,-1)", "R(6,8)"
        ]
    );
    assert_eq!(
        of(m.scaled),
        ["C(-1,-1)", "R(-1,-1)", "R(-1,7)", "R(5,-1)", "R(5,7)"]
    );
    // A sum of rows alone closes Cell and would cover one operator.
    assert_eq!(of(m.sums), ["C(6)", "R(-1)", "R(6)"]);
    assert_eq!(
        of(m.q),
        ["C(-1,-1)", "R(-1,-1)", "R(-1,4)", "R(5,-1)", "R(5,4)"]
    );
    assert_eq!(of(m.rix), ["R(-1)"]);
    assert_eq!(of(m.xv), ["R(-1,-1)"]);
}

#[test]
fn dominated_entries_go_only_where_a_policy_has_no_use_for_them() {
    let m = mlogreg();
    let graph = Graph::new(&m.script.dag, &[m.h]);
    let memo = explore(&graph, Sizes::default(), true);
    // R(10,9) dominates R(10,-1) and R(-1,9).
    assert_eq!(entries(&m, &memo, m.h), ["R(10,9)"]);
    // R(6,8) does not dominate R(-1,8): several read 6.
    let minus = entries(&m, &memo, m.minus);
    assert!(minus.contains(&"R(-1,8)".to_owned()), "{minus:?}");
    assert!(!minus.contains(&"R(6,-1)".to_owned()) || minus.contains(&"R(6,8)".to_owned()));
}

#[test]
fn expression_2_is_one_row_operator_over_x() {
    let m = mlogreg();
    let plan = m.script.plan(&[m.h]);
    assert_eq!(plan.operators.len(), 1);
    let operator = &plan.operators[0];
    assert_eq!(
        (operator.template, operator.covers.len()),
        (Template::Row, 8)
    );
    assert_eq!(operator.kernel.variant(), "col_t_agg_B1");
    let name = |id| {
        if id == m.h {
            "H".to_owned()
        } else {
            m.script.dag.print(id)
        }
    };
    expect_test::expect![[r#"
        for each row r of X:
          a = P[r,][1:4]
          b = a * (X[r,] %*% V)
          H += t(X[r,]) %*% (b - a * sum(b))
    "#]]
    .assert_eq(&operator.program(&m.script.dag, &name));
}

#[test]
fn a_sum_of_products_is_one_cell_operator() {
    let mut s = Script::new();
    let [x, y, z] = ["X", "Y", "Z"].map(|name| s.dense(name, 10_000, 1000));
    let xy = s.op(Op::Mul, &[x, y]);
    let xyz = s.op(Op::Mul, &[xy, z]);
    let sum = s.op(Op::Sum, &[xyz]);
    assert_eq!(
        s.shown(&[sum]),
        [(Template::Cell, "full_agg".to_owned(), 3)]
    );
}

#[test]
fn aggregates_with_a_shared_input_are_one_pass() {
    for sparsity in [1.0, 0.1] {
        let mut s = Script::new();
        let x = s.sparse("X", 10_000, 1000, sparsity);
        let (y, z) = (s.dense("Y", 10_000, 1000), s.dense("Z", 10_000, 1000));
        let (xy, xz) = (s.op(Op::Mul, &[x, y]), s.op(Op::Mul, &[x, z]));
        let (a, b) = (s.op(Op::Sum, &[xy]), s.op(Op::Sum, &[xz]));
        let plan = s.plan(&[a, b]);
        assert_eq!(plan.operators.len(), 1, "{sparsity}");
        let operator = &plan.operators[0];
        assert_eq!(operator.template, Template::MAgg);
        assert_eq!(operator.kernel.outputs.len(), 2);
        assert_eq!(operator.driver, (sparsity < 1.0).then_some(x));
    }
}

#[test]
fn chains_read_their_matrix_once() {
    for cols in [1, 2] {
        let mut s = Script::new();
        let (x, v) = (s.dense("X", 100_000, 100), s.dense("V", 100, cols));
        let xt = s.t(x);
        let xv = s.op(Op::MatMul, &[x, v]);
        let chain = s.op(Op::MatMul, &[xt, xv]);
        assert_eq!(
            s.shown(&[chain]),
            [(Template::Row, "col_t_agg_B1".to_owned(), 3)]
        );
    }
}

#[test]
fn a_sparse_matrix_drives_the_outer_product() {
    let mut s = Script::new();
    let x = s.sparse("X", 20_000, 20_000, 0.001);
    let (u, v) = (s.dense("U", 20_000, 100), s.dense("V", 20_000, 100));
    let vt = s.t(v);
    let uv = s.op(Op::MatMul, &[u, vt]);
    let small = s.num(1e-15);
    let shifted = s.op(Op::Add, &[uv, small]);
    let log = s.op(Op::Log, &[shifted]);
    let weighted = s.op(Op::Mul, &[x, log]);
    let sum = s.op(Op::Sum, &[weighted]);
    let plan = s.plan(&[sum]);
    assert_eq!(plan.operators.len(), 1);
    let operator = &plan.operators[0];
    assert_eq!(operator.template, Template::Outer);
    assert_eq!((operator.covers.len(), operator.driver), (5, Some(x)));
    assert_eq!(operator.kernel.outputs[0].finish, Finish::All(Op::Sum));
}

/// A sparse matrix that is computed cell by cell drives, too, once it is written down: for another reader, or because
/// nothing that it is computed from is zero wherever it is.
#[test]
fn a_computed_sparse_matrix_drives_the_outer_product() {
    for is_read_twice in [false, true] {
        let mut s = Script::new();
        let a = s.sparse("A", 20_000, 20_000, 0.0001);
        let d = s.dense("d", 20_000, 1);
        let (turned, zero) = (s.t(a), s.num(0.0));
        let both = s.op(Op::Add, &[a, turned]);
        let linked = s.op(Op::Gt, &[both, zero]);
        let dt = s.t(d);
        let weights = s.op(Op::MatMul, &[d, dt]);
        let normal = s.op(Op::Mul, &[linked, weights]);
        let mut roots = vec![s.op(Op::Sum, &[normal])];
        if is_read_twice {
            roots.push(s.op(Op::RowSums, &[linked]));
        }
        let plan = s.plan(&roots);
        let outer = plan
            .operators
            .iter()
            .find(|o| o.template == Template::Outer)
            .expect("the outer product is not formed");
        assert_eq!(outer.covers[..2], [weights, normal]);
        assert_eq!(outer.driver, Some(linked));
    }
}

/// A Row operator goes through all cells of its rows, those that a sparse matrix does not store, too: operators alone skip them.
#[test]
fn rows_of_sparse_matrices_are_fused_only_where_that_is_cheaper() {
    let mut s = Script::new();
    let x = s.sparse("X", 50_000, 50_000, 0.0002);
    let (degrees, v) = (s.dense("d", 50_000, 1), s.dense("v", 50_000, 1));
    let row = s.dense("r", 1, 50_000);
    // t(X / d) %*% v
    let shares = s.op(Op::Div, &[x, degrees]);
    let turned = s.t(shares);
    let image = s.op(Op::MatMul, &[turned, v]);
    // sqrt(rowSums((X * r)^2)) + 1
    let (one, two) = (s.num(1.0), s.num(2.0));
    let scaled = s.op(Op::Mul, &[x, row]);
    let square = s.op(Op::Pow, &[scaled, two]);
    let sums = s.op(Op::RowSums, &[square]);
    let root = s.op(Op::Sqrt, &[sums]);
    let norms = s.op(Op::Add, &[root, one]);
    for result in [image, norms] {
        let plan = s.plan(&[result]);
        assert!(plan.seconds.unwrap() <= plan.unfused_seconds.unwrap());
        let is_row = |o: &sumac_fusion::PlannedOperator| o.template == Template::Row;
        assert!(!plan.operators.iter().any(is_row));
    }
}

/// Expression (1): the update rule of ALS-CG, `((X != 0) * (U %*% t(V))) %*% V + 1e-6 * U * r`.
#[test]
fn expression_1_is_an_outer_operator_and_a_cell_operator() {
    let mut s = Script::new();
    let x = s.sparse("X", 100_000, 50_000, 0.001);
    let (u, v) = (s.dense("U", 100_000, 20), s.dense("V", 50_000, 20));
    let r = s.dense("r", 100_000, 1);
    let (zero, small) = (s.num(0.0), s.num(1e-6));
    let there = s.op(Op::Ne, &[x, zero]);
    let vt = s.t(v);
    let uv = s.op(Op::MatMul, &[u, vt]);
    let sampled = s.op(Op::Mul, &[there, uv]);
    let update = s.op(Op::MatMul, &[sampled, v]);
    let scaled = s.op(Op::Mul, &[u, small]);
    let weighted = s.op(Op::Mul, &[scaled, r]);
    let o = s.op(Op::Add, &[update, weighted]);
    let plan = s.plan(&[o]);
    let shown: Vec<_> = plan
        .operators
        .iter()
        .map(|o| (o.template, o.kernel.variant(), o.covers.clone(), o.driver))
        .collect();
    assert_eq!(
        shown,
        [
            (
                Template::Outer,
                "right_mm".to_owned(),
                vec![there, uv, sampled, update],
                Some(x)
            ),
            (
                Template::Cell,
                "no_agg".to_owned(),
                vec![scaled, weighted, o],
                None
            ),
        ]
    );
    // The heuristics let a Row operator swallow the product's reader, and form the product.
    for policy in [
        sumac_fusion::Policy::FuseAll,
        sumac_fusion::Policy::FuseNoRedundancy,
    ] {
        let options = Options {
            policy,
            ..Options::new(Rates::from(&Machine::default()))
        };
        let other = sumac_fusion::plan(&s.dag, &[o], &options);
        assert!(other.seconds.unwrap() >= plan.seconds.unwrap());
    }
}

#[test]
fn a_switch_of_templates_is_a_choice() {
    // Y + X * (U %*% t(V)): a Cell operator over the sum and the product with X would form U %*% t(V).
    let mut s = Script::new();
    let x = s.sparse("X", 20_000, 10_000, 0.001);
    let y = s.sparse("Y", 20_000, 10_000, 0.001);
    let (u, v) = (s.dense("U", 20_000, 20), s.dense("V", 10_000, 20));
    let vt = s.t(v);
    let uv = s.op(Op::MatMul, &[u, vt]);
    let sampled = s.op(Op::Mul, &[x, uv]);
    let sum = s.op(Op::Add, &[y, sampled]);
    let plan = s.plan(&[sum]);
    let shown: Vec<_> = plan
        .operators
        .iter()
        .map(|o| (o.template, o.covers.clone()))
        .collect();
    assert_eq!(shown, [(Template::Outer, vec![uv, sampled])]);
    assert_eq!(plan.points(), 1);
}

#[test]
fn a_chain_of_a_hundred_row_operators_is_one_operator() {
    let mut s = Script::new();
    let x = s.dense("X", 100_000, 100);
    let sums = s.op(Op::RowSums, &[x]);
    let mut value = s.op(Op::Div, &[x, sums]);
    for i in 0..100 {
        let factor = s.num(1.0 + f64::from(i) * 1e-3);
        value = s.op(Op::Mul, &[value, factor]);
    }
    let sum = s.op(Op::Sum, &[value]);
    let shown = s.shown(&[sum]);
    assert_eq!(shown, [(Template::Row, "full_agg".to_owned(), 103)]);
}
