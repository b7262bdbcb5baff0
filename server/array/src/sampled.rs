//! Programs that a search met on its way, taken out of its graphs at random: each computes what the search began with.

use egg::{Id, Language};

use crate::arena::{Arena, normal};
use crate::graph::Graph;
use crate::guided::watched;
use crate::node::Node;
use crate::program::Program;
use crate::steps::{NESTS, library, steps};
use crate::value::{Input, Random, difference};
use crate::{Sizes, interpret};

/// Programs of each graph.
const SAMPLES: u32 = 12;
/// How many nodes a program may have beyond those that the smallest one has.
const SLACK: i64 = 150;

/// A term of a class with at most `most` nodes, any of which is chosen at every step.
fn term(graph: &Graph, class: Id, most: i64, random: &mut Random, made: &mut Arena) -> Id {
    let smallest = |node: &Node| -> i64 {
        let parts = node.children().iter();
        1 + parts.map(|c| i64::from(graph[*c].data.size)).sum::<i64>()
    };
    let nodes = &graph[class].nodes;
    let fitting: Vec<&Node> = nodes.iter().filter(|node| smallest(node) <= most).collect();
    let last = i64::try_from(fitting.len()).unwrap() - 1;
    let chosen = fitting[usize::try_from(random.whole(0, last)).unwrap()];
    let mut left = most - smallest(chosen);
    let node = chosen.clone().map_children(|child| {
        let own = random.whole(0, left);
        left -= own;
        let most = i64::from(graph[child].data.size) + own;
        term(graph, child, most, random, made)
    });
    made.add(node)
}

#[test]
fn programs_in_the_graphs_of_all_goals_compute_the_product() {
    let program = Program::built_in("mm").unwrap();
    let mut random = Random::new(29);
    let mut seen: Vec<String> = Vec::new();
    let (mut compared, mut unsized_ones) = (0, 0);
    for name in NESTS {
        let steps = steps(&program, &library([]), name).unwrap();
        let mut before = String::new();
        let done = watched(&program, &steps, &|| false, &mut |label, graph, root| {
            // Goals share their first stages.
            before = format!("{before}{label} {}; ", graph.total_number_of_nodes());
            if seen.contains(&before) {
                return;
            }
            seen.push(before.clone());
            let sizes: Sizes = [("m", 32, 2), ("n", 32, 2), ("k", 4, 3)]
                .map(|(name, tile, most)| (name.to_owned(), tile * random.whole(1, most)))
                .into_iter()
                .collect();
            let direct = program.sized(&sizes).unwrap();
            let (types, _) = direct.signature();
            let inputs: Vec<Input> = types
                .iter()
                .map(|ty| random.input(&direct.types, *ty).unwrap())
                .collect();
            let product = interpret(&direct, &inputs).unwrap();
            for _ in 0..SAMPLES {
                let mut made = Arena::default();
                let most = i64::from(graph[root].data.size) + SLACK;
                let id = term(graph, root, most, &mut random, &mut made);
                let types = graph.analysis.types.clone();
                let sampled = program.with(normal(&made.term(id)), types);
                let Ok(sampled) = sampled.sized(&sizes) else {
                    unsized_ones += 1;
                    continue;
                };
                compared += 1;
                let value = interpret(&sampled, &inputs).unwrap();
                let apart = difference(&value, &product);
                assert!(
                    apart <= 1e-6,
                    "{name}, {label}, {sizes:?}: {apart}\n{}",
                    sampled.show()
                );
            }
        });
        assert!(done.is_ok(), "{name}");
    }
    assert!(seen.len() >= 10, "{seen:?}");
    assert!(compared > 4 * unsized_ones, "{compared}, {unsized_ones}");
}
