//! Explanations: every step is proved by the canonical form and has a rule, for the fixtures, for the rewrites that people
//! wrote by hand, and for random expressions. The chains of the fixtures are kept as text.
//! `UPDATE_EXPECT=1` writes them anew.

use std::fmt::Write;
use std::path::Path;

use expect_test::expect_file;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use sumac_analysis::{NoFiles, analyze};
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_sumproduct::canonical::{Verdict, decide};
use sumac_sumproduct::explain::{Chain, explain};
use sumac_sumproduct::{Options, Request, optimize};
use sumac_syntax::{parse, parse_fact};

/// The cheapest form that a search finds, and the chain to it.
struct Explained {
    best: Dag,
    chain: Option<Chain>,
}

/// `None` where the search gives the expression back as it is.
fn explained(dag: &Dag, root: NodeId) -> Option<Explained> {
    let machine = Machine::default();
    let request = Request {
        dag,
        roots: &[root],
        held: &[],
        machine: &machine,
        around: None,
        fusing: None,
    };
    let best = optimize(request, &Options::default(), &|| false).ok()?.dag;
    let goal = best.roots()[0];
    let is_equal = matches!(decide((dag, root), (&best, goal)), Verdict::Equal(_));
    (best.print(goal) != dag.print(root) && is_equal).then(|| Explained {
        chain: explain((dag, root), (&best, goal), &|| false),
        best,
    })
}

/// The chain as lines. Each form must be proved equal to the one before, be another, and have a rule.
fn checked(chain: &Chain) -> String {
    let mut text = format!("  {}\n", chain.dag.print(chain.start));
    let mut before = chain.start;
    for step in &chain.steps {
        let (dag, form) = (&chain.dag, step.form);
        let shown = dag.print(form);
        let laws: Vec<_> = step.laws.iter().map(|law| law.name()).collect();
        assert!(!laws.is_empty(), "{text}= {shown}");
        assert!(step.laws.iter().all(|law| !law.says().is_empty()));
        let verdict = decide((dag, before), (dag, form));
        assert!(
            matches!(verdict, Verdict::Equal(_)),
            "not proved: {text}= {shown}"
        );
        assert_ne!(dag.print(before), shown, "a step that changes nothing");
        let _ = writeln!(text, "= {shown}\n      [{}]", laws.join(", "));
        before = form;
    }
    text
}

/// What the statements of a script compute, each with the script's line.
fn expressions(script: &str) -> Vec<(Dag, NodeId)> {
    let parse = parse(script);
    let options = sumac_analysis::Options::default();
    let analysis = analyze(&parse, &options, &NoFiles);
    let mut found = Vec::new();
    for block in &analysis.blocks {
        let statements = block.statements.iter();
        for part in statements.flat_map(|statement| &statement.parts) {
            let needed = block.dag.reachable(&[part.root]);
            if needed.iter().all(|id| block.dag.ty(*id).is_sized()) {
                found.push((block.dag.clone(), part.root));
            }
        }
    }
    found
}

/// Letters of a line; chains with longer ones are checked and not kept.
const READABLE: usize = 120;

/// Expressions of fixtures that have no chain, by how they begin: zeros, which are written by other sizes of equal number, and
/// an update through four layers of functions, which is beyond the bounds of a search for steps.
const WITHOUT_CHAIN: [&str; 3] = [
    "mlr.dml: matrix(0, rows=ncol(X), cols=ncol(Y) - 1)",
    "mlr.dml: matrix(0, rows=D, cols=K)",
    "autoencoder.dml: momentum * ub1 - rate / batch * rowSums(",
];

/// The chains of a fixture's suggestions as text, and the expressions of which the suggestion has none.
fn chains(path: &Path) -> (String, Vec<String>) {
    let script = std::fs::read_to_string(path).expect("readable");
    let name = path.file_name().expect("a file").to_string_lossy();
    let expressions = expressions(&script);
    let of = |(dag, root): &(Dag, NodeId)| chain_of(&name, dag, *root);
    let (texts, missing): (Vec<String>, Vec<Option<String>>) =
        expressions.par_iter().map(of).unzip();
    (texts.concat(), missing.into_iter().flatten().collect())
}

/// The chain of an expression's suggestion as text, or the expression where the suggestion has none.
fn chain_of(name: &str, dag: &Dag, root: NodeId) -> (String, Option<String>) {
    let Some(Explained { best, chain }) = explained(dag, root) else {
        return Default::default();
    };
    let Some(chain) = chain else {
        let missing = format!("{name}: {}", dag.print(root));
        return (String::new(), Some(missing));
    };
    let last = chain.steps.last().map_or(chain.start, |step| step.form);
    assert_eq!(
        chain.dag.print(last),
        best.print(best.roots()[0]),
        "{name}: a chain ends in the suggestion"
    );
    let lines = checked(&chain);
    let is_kept = lines.lines().all(|line| line.len() <= READABLE);
    let text = is_kept.then(|| format!("# {name}\n{lines}\n"));
    (text.unwrap_or_default(), None)
}

#[test]
fn the_fixtures_suggestions_are_explained_in_steps_that_are_proved() {
    let fixtures: Vec<_> = sumac_tests::fixtures().into_iter().collect();
    let (texts, missing): (Vec<String>, Vec<Vec<String>>) =
        fixtures.par_iter().map(|path| chains(path)).unzip();
    let mut missing = missing.concat();
    missing.retain(|text| !WITHOUT_CHAIN.iter().any(|known| text.starts_with(known)));
    assert!(missing.is_empty(), "no chain:\n{}", missing.join("\n"));
    expect_file!["explanations/fixtures.txt"].assert_eq(&texts.concat());
}

/// The rewrites of `derivations`: of those that are equal by the canonical form, so many have no chain.
#[test]
fn rewrites_that_people_wrote_have_chains() {
    let tables = [
        include_str!("derivations/figure14.tsv"),
        include_str!("derivations/systemds.tsv"),
    ];
    let (mut found, mut missing) = (0, Vec::new());
    for row in tables.iter().flat_map(|table| table.lines().skip(1)) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [_, given, left, right] = cells[..] else {
            continue;
        };
        let given = given.split("; ").filter(|text| !text.is_empty());
        let (scalars, facts): (Vec<&str>, Vec<&str>) =
            given.partition(|text| text.ends_with(": scalar"));
        let facts: Vec<_> = facts.iter().map(|text| parse_fact(text, 0)).collect();
        let scalars: Vec<String> = scalars
            .iter()
            .map(|text| text.replace(": scalar", ""))
            .collect();
        match sumac_ide::prove(left, right, &facts, &scalars) {
            Ok(sumac_ide::Answer::Proved(_, Some(chain))) => {
                assert!(chain.steps.iter().all(|step| !step.rules.is_empty()));
                found += 1;
            }
            Ok(sumac_ide::Answer::Proved(_, None)) => missing.push(format!("{left} -> {right}")),
            _ => {}
        }
    }
    assert!(
        missing.len() <= MOST_MISSING && found >= 300,
        "{found} found; no chain:\n{}",
        missing.join("\n")
    );
}

/// Rewrites without a chain.
const MOST_MISSING: usize = 10;
const EXPRESSIONS: u64 = 400;
const OPS: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::MatMul,
    Op::MatMul,
    Op::Transpose,
    Op::Sum,
    Op::RowSums,
    Op::ColSums,
    Op::Neg,
    Op::Pow,
    Op::Div,
    Op::Exp,
    Op::Max,
];

/// A random expression; products are as likely as sums.
fn expression(rng: &mut ChaCha8Rng) -> (Dag, NodeId) {
    let mut dag = Dag::default();
    let mut nodes = Vec::new();
    for name in ["A", "B", "C", "v"] {
        let mut size = || *[1, 40, 40, 300].choose(rng).expect("not empty");
        let (rows, cols) = (size(), size());
        nodes.push(dag.input(name, Type::sparse(rows, cols, 0.1)));
    }
    nodes.push(dag.num(2.0));
    let mut root = nodes[0];
    let mut left = rng.random_range(2..=8);
    for _ in 0..300 {
        let op = *OPS.choose(rng).expect("not empty");
        let mut any = || *nodes.choose(rng).expect("not empty");
        let args = match op {
            Op::Pow => vec![any(), nodes[4]],
            _ if op.info().arity.accepts(1) && !op.info().arity.accepts(2) => vec![any()],
            _ => vec![any(), any()],
        };
        let before = dag.len();
        let made = dag.op(op, args).ok().filter(|id| id.index() >= before);
        if let Some(node) = made {
            nodes.push(node);
            root = node;
            left -= 1;
        }
        if left == 0 {
            break;
        }
    }
    (dag, root)
}

#[test]
fn random_suggestions_have_chains_whose_steps_are_proved() {
    let (mut found, mut missing) = (0, Vec::new());
    for seed in 0..EXPRESSIONS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (dag, root) = expression(&mut rng);
        let Some(explained) = explained(&dag, root) else {
            continue;
        };
        match &explained.chain {
            Some(chain) => {
                checked(chain);
                found += 1;
            }
            None => missing.push(format!("seed {seed}: {}", dag.print(root))),
        }
    }
    assert!(
        found >= 100 && missing.len() * 20 <= found,
        "{found} found; no chain:\n{}",
        missing.join("\n")
    );
}

#[test]
fn a_chain_is_the_same_each_time() {
    let script = "#@ X: 1000 x 500, sparsity 0.01\n#@ U: 1000 x 10\n#@ V: 500 x 10\n\
        X = read($X)\nU = read($U)\nV = read($V)\nprint(sum((X - U %*% t(V))^2))\n";
    let expressions = expressions(script);
    let texts: Vec<String> = (0..3)
        .flat_map(|_| &expressions)
        .filter_map(|(dag, root)| explained(dag, *root)?.chain)
        .map(|chain| checked(&chain))
        .collect();
    assert!(texts.len() >= 3 && texts.iter().all(|text| *text == texts[0]));
}
