//! What guides are worth: forms that a guided search reaches within a twentieth of the budget of an unguided one, and
//! what the unguided search reaches within that twentieth.
//!
//! The last lines are figures that `cargo xtask bars sketches` reads.

#![expect(
    clippy::print_stdout,
    reason = "the table is a figure that people ask for"
)]

use std::sync::Arc;
use std::time::Instant;

use sumac_analysis::NoFiles;
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId};
use sumac_sketch::text::{Filled, Library};
use sumac_sumproduct::guided::{Asked, Cache, Miss, Progress, guided, vocabulary};
use sumac_sumproduct::{CostModel, node_budget};
use sumac_syntax::parse;

const DEFINITIONS: &str = "def gram(A) = t(A) %*% A\n";
/// What an unguided search may apply: everything.
const ALL_RULES: &str = "sum_product, fuse";

struct Form {
    name: &'static str,
    given: &'static str,
    expression: &'static str,
    guides: &'static str,
    goal: &'static str,
    /// The rules and the cost of the goal, where it is guided.
    by: &'static str,
}

/// The inner loops of the paper's five workloads, then six forms of our own.
const FORMS: [Form; 11] = [
    Form {
        name: "ALS gradient",
        given: "X: 2000 x 1000, sparsity 0.01; U: 2000 x 10; V: 1000 x 10",
        expression: "(U %*% t(V) - X) %*% V",
        guides: "",
        goal: "U %*% gram(V) - X %*% V",
        by: "using distribute, associate minimize nnz",
    },
    Form {
        name: "PNMF objective",
        given: "X: 2000 x 1000, sparsity 0.01; W: 2000 x 10; H: 10 x 1000",
        expression: "sum(W %*% H) - sum(X * log(W %*% H + 0.1))",
        guides: "",
        goal: "sum(t(colSums(W)) * rowSums(H)) - ?",
        by: "using sum_of_matmul minimize flops",
    },
    Form {
        name: "MLR Hessian",
        given: "X: 2000 x 100; p: 2000 x 1; P: 2000 x 5",
        expression: "t(X) %*% (X * p - X * p * rowSums(P))",
        guides: "guide contains(? * p - ? * p) using associate minimize size",
        goal: "t(X) %*% (X * (p * (1 - rowSums(P)))) | t(X) %*% (p * (X * (1 - rowSums(P))))",
        by: "using factor, associate minimize flops",
    },
    Form {
        name: "SVM line search",
        given: "X: 2000 x 100; out: 2000 x 1; Y: 2000 x 1; s: 100 x 1; w: 100 x 1; l: scalar; q: scalar",
        expression: "l * sum(w * s) + q * l * sum(s * s) - sum(out * Y * (X %*% s))",
        guides: "guide contains(sum(out * Y * (? %*% ?))) - sum(s * ?) | ? - sum(s * ?) using around_to_right, associate minimize size",
        goal: "l * (sum(w * s) + q * sum(s^2)) - sum(s * (t(X) %*% (out * Y)))",
        by: "using factor, associate, product_is_square minimize size",
    },
    Form {
        name: "GLM Hessian",
        given: "X: 2000 x 100; w: 2000 x 1; p: 100 x 1; l: scalar",
        expression: "t(X) %*% diag(w) %*% X %*% p + l * p",
        guides: "guide contains(X * w) using associate minimize size",
        goal: "t(X) %*% (w * (X %*% p)) + l * p",
        by: "using associate minimize flops",
    },
    Form {
        name: "squared loss",
        given: "X: 2000 x 1000, sparsity 0.01; U: 2000 x 10; V: 1000 x 10",
        expression: "sum((X - U %*% t(V))^2)",
        guides: "guide contains(X^2 - ? + ?^2) using distribute minimize size\n guide sum(X^2) - ? + sum(?^2) using distribute minimize size",
        goal: "sum(X^2) - 2 * sum(? * (X %*% ?)) + sum(gram(?) * gram(?))",
        by: "using aggregate, transpose, constants minimize nnz within 2 rounds",
    },
    Form {
        name: "scaled loss",
        given: "X: 2000 x 1000, sparsity 0.01; U: 2000 x 10; V: 1000 x 10; c: scalar",
        expression: "sum((c * X - U %*% t(V))^2)",
        guides: "guide contains((c * X)^2 - ? + ?^2) using square_of_difference minimize size\n \
            guide sum(c^2 * X^2) - ? + sum(?^2) using distribute minimize size\n \
            guide c^2 * sum(X^2) - 2 * (c * sum(? * (? %*% ?))) + ? using sum_of_multiple, mul_in_another_order minimize size",
        goal: "c^2 * sum(X^2) - 2 * (c * sum(? * (X %*% ?))) + sum(gram(?) * gram(?))",
        by: "using around_to_left, sum_of_square_product minimize nnz within 2 rounds",
    },
    Form {
        // What X says of the loss is two small matrices, which an iteration over `b` computes once.
        name: "least squares",
        given: "X: 2000 x 100; b: 100 x 1; y: 2000 x 1",
        expression: "sum((y - X %*% b)^2)",
        guides: "guide contains(y^2 - ? + ?^2) using square_of_difference minimize size\n \
            guide sum(y^2) - ? + sum(?^2) using distribute minimize size\n \
            guide sum(y^2) - 2 * sum(b * (t(X) %*% y)) + sum(b * ?) using sum_of_multiple, square_is_product, around_to_right minimize size",
        goal: "sum(y^2) - 2 * sum(b * (t(X) %*% y)) + sum(b * (gram(X) %*% b))",
        by: "using matmul_to_left minimize flops within 2 rounds",
    },
    Form {
        name: "sum of a chain",
        given: "A: 200 x 300; B: 300 x 300; C: 300 x 300; D: 300 x 300; E: 300 x 200",
        expression: "sum(A %*% B %*% C %*% D %*% E)",
        guides: "guide A %*% ? | sum(A %*% ?) using matmul_to_right minimize size",
        goal: "sum(t(colSums(A)) * (B %*% (C %*% (D %*% rowSums(E)))))",
        by: "using sum_of_matmul, row_sums_of_matmul, matmul_to_right minimize flops",
    },
    Form {
        name: "chain of products",
        given: "A: 200 x 200; B: 200 x 200; C: 200 x 200; D: 200 x 200; E: 200 x 200; F: 200 x 200; v: 200 x 1",
        expression: "A %*% B %*% C %*% D %*% E %*% F %*% v",
        guides: "",
        goal: "A %*% (B %*% (C %*% (D %*% (E %*% (F %*% v)))))",
        by: "using matmul_to_right minimize flops",
    },
    Form {
        name: "sum of traces",
        given: "A: 300 x 200; B: 300 x 200; C: 300 x 200; D: 300 x 200",
        expression: "trace(A %*% t(B)) + trace(C %*% t(B)) + trace(D %*% t(B)) - sum(A * C)",
        guides: "guide sum(?) + sum(?) + sum(?) - ? using trace_of_matmul minimize size\n \
            guide sum(?) - ? using add_of_sums minimize size",
        goal: "sum(B * (A + C + D)) - sum(A * C)",
        by: "using factor_of_add, turned_twice minimize size",
    },
];

fn dag(form: &Form) -> (Dag, NodeId) {
    let mut script = String::new();
    for declaration in form.given.split("; ") {
        let (name, ty) = declaration.split_once(": ").expect("`name: type`");
        script.push_str(&match ty {
            "scalar" => format!("{name} = as.double(${name})\n"),
            _ => format!("#@ {declaration}\n{name} = read(${name})\n"),
        });
    }
    script.push_str(&format!("made = {}\nprint(nrow(made))\n", form.expression));
    let analysis = sumac_analysis::analyze(&parse(script), &Default::default(), &NoFiles);
    let found = analysis.blocks.iter().find_map(|block| {
        let mut targets = block.statements.iter().filter_map(|s| s.target.as_ref());
        let node = targets.find(|target| &*target.name == "made")?.version_node;
        Some((block.dag.clone(), node))
    });
    found.unwrap_or_else(|| panic!("{} is no expression", form.name))
}

fn sketch(text: &str) -> Filled {
    let text = format!("{DEFINITIONS}sketch s {{\n{text}\n}}");
    let library = Library::new([(Arc::from("s"), Arc::from(text.as_str()))], &vocabulary());
    assert_eq!(library.findings(0), [], "{text}");
    library
        .fill("s")
        .unwrap_or_else(|why| panic!("{text}: {why}"))
}

struct Ended {
    reached: bool,
    nodes: usize,
    rounds: usize,
    milliseconds: f64,
    what: String,
}

fn search(dag: &Dag, root: NodeId, text: &str, nodes: usize) -> Ended {
    let machine = Machine::default();
    let asked = Asked {
        dag,
        root,
        name_of: &|name| Some(Arc::from(name)),
        machine: &machine,
        cost: CostModel::Nnz,
        max_nodes: Some(nodes),
        max_rounds: None,
        forms: 1,
        seed: 7,
        explains: false,
        bridges: false,
        learned: None,
    };
    let (mut last, mut nodes, mut rounds) = ((0, 0), 0, 0);
    let mut watch = |progress: Progress<'_>| {
        // Each stage counts with its last round.
        if progress.stage.0 == last.0 {
            nodes -= last.1;
        }
        last = (progress.stage.0, progress.nodes);
        nodes += progress.nodes;
        rounds += 1;
    };
    let start = Instant::now();
    let filled = sketch(text);
    let found = guided(asked, &filled, &Cache::default(), &|| false, &mut watch);
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let what = match &found {
        Ok(found) => found.forms[0].print(found.forms[0].roots()[0]),
        Err(Miss::Unreached(it)) => format!(
            "{} not reached: {}; nearest {}",
            it.label,
            it.ended.text(),
            it.nearest
                .as_ref()
                .map_or_else(String::new, |dag| dag.print(dag.roots()[0]))
        ),
        Err(other) => format!("{other:?}"),
    };
    Ended {
        reached: found.is_ok(),
        nodes,
        rounds,
        milliseconds,
        what,
    }
}

#[test]
fn guides_reach_what_a_twentieth_of_the_budget_does_not() {
    // The optimizer's own budget for an expression of this size.
    let budget = node_budget(20) / 20;
    let (mut guided_ones, mut unguided_ones) = (0, 0);
    println!("e-nodes / rounds / ms within {budget} e-nodes, with and without guides");
    let mut wrong = Vec::new();
    for form in &FORMS {
        let (dag, root) = dag(form);
        let with = format!("{}\ngoal {} {}", form.guides, form.goal, form.by);
        let with = search(&dag, root, &with, budget);
        let without = format!(
            "goal {} using {ALL_RULES} minimize nnz within 100 rounds",
            form.goal
        );
        let without = search(&dag, root, &without, budget);
        let shown = |it: &Ended| {
            let how = if it.reached { "reached" } else { "not" };
            format!(
                "{how:8} {:5} {:3} {:7.1}",
                it.nodes, it.rounds, it.milliseconds
            )
        };
        println!("{:18} {}   {}", form.name, shown(&with), shown(&without));
        guided_ones += usize::from(with.reached && with.nodes <= budget);
        unguided_ones += usize::from(without.reached);
        if !with.reached || with.nodes > budget {
            wrong.push(format!(
                "{}: {} nodes, {}",
                form.name, with.nodes, with.what
            ));
        }
    }
    println!(
        "sketches: {guided_ones} of {} reached with guides, {unguided_ones} without",
        FORMS.len()
    );
    // How many the unguided search reaches is a figure, and the bar judges it.
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
