//! The encoding that Sumac has, seen through what its crate offers: no class has names, so the graph is not looked into.

use std::fmt::Write;

use sumac_analysis::{NoFiles, StatementBlock};
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId};
use sumac_sumproduct::{Options, Request, Strategy, derives, optimize};

use crate::grow::{Growth, MAX_NODES, MAX_ROUNDS};

/// What the scripts read.
const INPUTS: [(&str, &str); 10] = [
    ("X", "2000 x 1000"),
    ("P", "2000 x 1000"),
    ("U", "2000 x 10"),
    ("V", "1000 x 10"),
    ("W", "2000 x 10"),
    ("H", "10 x 1000"),
    ("A", "2000 x 50"),
    ("B", "50 x 60"),
    ("C", "60 x 70"),
    ("D", "70 x 80"),
];

/// As the tables show it.
pub const NAME: &str = "positional axes";

/// Grows the first expression, all matches in each round, and looks for the second.
pub fn grow(source: &str, goal: &str) -> Growth {
    let (dag, left, right) = sides(source, goal);
    let at_most = |rounds| Options {
        strategy: Strategy::DepthFirst,
        max_nodes: Some(MAX_NODES),
        max_iterations: rounds,
        ..Options::default()
    };
    let machine = Machine::default();
    let request = Request {
        dag: &dag,
        roots: &[left],
        held: &[],
        machine: &machine,
        around: None,
        fusing: None,
    };
    let search = |rounds| {
        let outcome = optimize(request, &at_most(rounds), &|| false);
        outcome.expect("the search ends by itself").search
    };
    let whole = search(MAX_ROUNDS);
    let is_found = |rounds: &usize| {
        let found = derives(&dag, left, right, &at_most(*rounds));
        found.expect("both sides are relations").is_found
    };
    let found = (0..=whole.iterations).find(is_found).map(|rounds| {
        let phases = search(rounds).phases;
        (rounds, phases.translate + phases.saturate)
    });
    Growth {
        enodes: whole.enodes,
        eclasses: whole.eclasses,
        rounds: whole.iterations,
        milliseconds: whole.phases.translate + whole.phases.saturate,
        stopped: match whole.stopped.as_str() {
            "saturated" => "saturated",
            "node limit" => "nodes",
            "iteration limit" => "rounds",
            _ => "time",
        },
        found,
        duplicates: None,
    }
}

/// Two expressions in one DAG.
fn sides(source: &str, goal: &str) -> (Dag, NodeId, NodeId) {
    let mut script = String::new();
    for (name, ty) in INPUTS {
        let _ = writeln!(script, "#@ {name}: {ty}\n{name} = read(${name})");
    }
    let _ = writeln!(script, "left_side = {source}\nright_side = {goal}");
    let parse = sumac_syntax::parse(script);
    let options = sumac_analysis::Options::default();
    let analysis = sumac_analysis::analyze(&parse, &options, &NoFiles);
    let node = |block: &StatementBlock, name: &str| {
        let mut targets = block.statements.iter().filter_map(|s| s.target.as_ref());
        let target = targets.find(|target| &*target.name == name);
        target.map(|target| target.version_node)
    };
    let sides = |block: &StatementBlock| {
        Some((
            block.dag.clone(),
            node(block, "left_side")?,
            node(block, "right_side")?,
        ))
    };
    let found = analysis.blocks.iter().find_map(sides);
    found.expect("two expressions of linear algebra")
}
