//! A search that looks through the rounds of an earlier one must find what it would have found alone, whatever was searched
//! before: every sketch of the library on every example, in two orders, with its own rules and with all of them.
//!
//! The last line is a figure that `cargo xtask bars sketches` reads.

#![expect(clippy::print_stdout, reason = "the figures are what people ask for")]

mod examples;

use std::sync::Arc;
use std::time::{Duration, Instant};

use sumac_cost::Machine;
use sumac_la::{Dag, NodeId};
use sumac_sketch::text::{Filled, Library, parse_expression};
use sumac_sumproduct::CostModel;
use sumac_sumproduct::guided::{Asked, Cache, Found, Miss, Reached, guided, vocabulary};

use examples::{EXAMPLES, LIBRARY, calls, statements};

const NODES: usize = 700;

fn search(dag: &Dag, root: NodeId, sketch: &Filled, nodes: usize, cache: &Cache) -> String {
    let machine = Machine::default();
    let asked = Asked {
        dag,
        root,
        name_of: &|name| Some(Arc::from(name)),
        machine: &machine,
        cost: CostModel::Nnz,
        max_nodes: Some(nodes),
        max_rounds: None,
        forms: 3,
        seed: 7,
        explains: false,
        bridges: false,
        learned: None,
    };
    shown(&guided(asked, sketch, cache, &|| false, &mut |_| {}))
}

/// All that a search came to, but for times.
fn shown(found: &Result<Found, Miss>) -> String {
    let form = |dag: &Dag| dag.print(dag.roots()[0]);
    let stages = |all: &[Reached]| {
        let stage = |it: &Reached| {
            let form = form(&it.form);
            format!(
                "{} {form} {:?} {:?} {:?}\n",
                it.label, it.cost, it.growth, it.ended
            )
        };
        all.iter().map(stage).collect::<String>()
    };
    match found {
        Ok(found) => {
            let forms: Vec<String> = found.forms.iter().map(form).collect();
            format!("{}{}", stages(&found.reached), forms.join("\n"))
        }
        Err(Miss::Unreached(it)) => {
            let nearest = it.nearest.as_ref().map(form);
            let before = stages(&it.reached);
            format!(
                "{before}{} {nearest:?} {:?} {:?} {:?}",
                it.label, it.missed, it.growth, it.ended
            )
        }
        Err(other) => format!("{other:?}"),
    }
}

#[test]
fn what_was_searched_before_changes_no_result() {
    let library = Library::new([(Arc::from("s"), Arc::from(LIBRARY))], &vocabulary());
    let (mut stages, mut all_rounds, mut rounds) = (0, 0, 0);
    for (dag, root) in statements(EXAMPLES) {
        let inputs = dag.inputs().iter();
        let names: Vec<Arc<str>> = inputs.map(|input| Arc::clone(&input.name)).collect();
        let own = calls(&library, &names);
        // With all rules, the stages of all sketches begin alike, and each looks through what the others grew.
        let with_all = own.iter().map(|sketch| {
            let mut sketch = sketch.clone();
            sketch
                .stages
                .iter_mut()
                .for_each(|stage| stage.rules.clear());
            sketch
        });
        let sketches: Vec<Filled> = own.iter().cloned().chain(with_all).collect();
        let alone: Vec<String> = sketches
            .iter()
            .map(|sketch| {
                let cache = Cache::default();
                let found = search(&dag, root, sketch, NODES, &cache);
                (stages, all_rounds) = (stages + cache.searches(), all_rounds + cache.rounds());
                found
            })
            .collect();
        let (forwards, backwards) = (Cache::default(), Cache::default());
        for (place, sketch) in sketches.iter().enumerate() {
            let found = search(&dag, root, sketch, NODES, &forwards);
            assert_eq!(
                found,
                alone[place],
                "{} on {}",
                sketch.name,
                dag.print(root)
            );
        }
        for (place, sketch) in sketches.iter().enumerate().rev() {
            let found = search(&dag, root, sketch, NODES, &backwards);
            assert_eq!(
                found,
                alone[place],
                "{} on {}",
                sketch.name,
                dag.print(root)
            );
        }
        rounds += forwards.rounds();
    }
    assert!(2 * rounds < all_rounds, "{rounds} of {all_rounds} rounds");
    println!(
        "growths: {stages} stages find the same, and grow {rounds} rounds in a row instead of {all_rounds} alone"
    );
}

#[test]
fn editing_a_goal_looks_through_the_graph_that_is_there() {
    let library = |goal: &str| {
        let text = format!("sketch s(X, U, V) {{ goal {goal} }}");
        let library = Library::new([(Arc::from("s"), Arc::from(text))], &vocabulary());
        library.fill("s(X, U, V)").unwrap()
    };
    let (dag, root) = statements(EXAMPLES).swap_remove(0);
    assert_eq!(
        parse_expression(&dag.print(root)).unwrap().to_string(),
        "sum((X - U %*% t(V))^2)"
    );
    let kept = Cache::default();
    let (mut first, mut fresh, mut again) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let goals = [
        "contains(X * 17)",
        "contains(X * 18)",
        "sum(X^2) - ? + trace(?)",
        "contains(sum(U * (X %*% ?)))",
        "sum(X^2) - 2 * sum(X * ?) + ?",
    ];
    for (number, goal) in goals.into_iter().enumerate() {
        let sketch = library(goal);
        let begun = Instant::now();
        let found = search(&dag, root, &sketch, usize::MAX, &kept);
        let took = begun.elapsed();
        let begun = Instant::now();
        let alone = search(&dag, root, &sketch, usize::MAX, &Cache::default());
        if number == 0 {
            first = took;
        } else {
            fresh += begun.elapsed();
            again += took;
        }
        assert_eq!(found, alone, "{goal}");
    }
    let rounds = kept.rounds();
    // The first one grew to the limit of nodes.
    let alone = Cache::default();
    search(&dag, root, &library(goals[0]), usize::MAX, &alone);
    assert_eq!(rounds, alone.rounds());
    println!(
        "an edited goal: {:.0} ms after a search of {:.0} ms, {:.0} ms alone, of four; {:.1} MB are kept",
        again.as_secs_f64() * 1e3 / 4.0,
        first.as_secs_f64() * 1e3,
        fresh.as_secs_f64() * 1e3 / 4.0,
        kept.bytes() as f64 / 1e6
    );
}
