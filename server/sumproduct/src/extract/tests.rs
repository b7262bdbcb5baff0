//! Extraction against all plans, one by one, on small graphs; and on graphs made so that sharing or circles matter.

use std::cell::Cell;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::exact::{self, Exact, Proof};
use super::graph::{Choice, Graph, NoPlan, Plan};
use super::greedy::greedy;
use super::reduce::{count, reduce};
use super::share::{greedy_over_sets, improve};
use super::{ilp, landmarks};

const NEVER: &dyn Fn() -> bool = &|| false;

/// Exact extraction from both greedy plans.
fn exact(graph: &Graph, cancelled: &dyn Fn() -> bool) -> Option<Exact> {
    let mut known = vec![greedy(graph, |_| false).0];
    known.extend(greedy_over_sets(graph, cancelled));
    exact::exact(graph, &known, cancelled)
}

/// The least cost of all plans, by trying them all.
fn least_of_all(graph: &Graph) -> Option<f64> {
    fn go(graph: &Graph, state: usize, plan: &mut Plan, least: &mut Option<f64>) {
        if state == graph.states.len() {
            if let Some(cost) = graph.cost(plan) {
                *least = Some(least.map_or(cost, |known: f64| known.min(cost)));
            }
            return;
        }
        for k in 0..graph.states[state].len() {
            plan[state] = Some(k);
            go(graph, state + 1, plan, least);
        }
        if graph.states[state].is_empty() {
            go(graph, state + 1, plan, least);
        }
        plan[state] = None;
    }
    let mut least = None;
    go(graph, 0, &mut vec![None; graph.states.len()], &mut least);
    least
}

/// A graph with circles, sharing, equal costs, dead ends and one to three roots.
fn random_graph(rng: &mut ChaCha8Rng, states: usize) -> Graph {
    let costs = [0.5, 1.0, 1.0, 2.0, 3.0, 7.0];
    let states: Vec<Vec<Choice>> = (0..states)
        .map(|_| {
            let choices = if rng.random_bool(0.05) {
                0
            } else {
                rng.random_range(2..=3)
            };
            (0..choices)
                .map(|_| {
                    let count = *[0, 1, 2, 2, 3].choose(rng).expect("not empty");
                    let needs = (0..count).map(|_| rng.random_range(0..states));
                    let needs: Vec<usize> = needs.collect();
                    let own = *costs.choose(rng).expect("not empty");
                    // What needs nothing is a leaf for nothing, or dear: a start that is worth sharing.
                    let cost = match (needs.is_empty(), rng.random_bool(0.2)) {
                        (true, true) => 0.0,
                        (true, false) => 4.0 * own,
                        (false, _) => own,
                    };
                    Choice::new(cost, needs)
                })
                .collect()
        })
        .collect();
    let roots = (0..rng.random_range(1..=3))
        .map(|_| rng.random_range(0..states.len()))
        .collect();
    Graph { states, roots }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
}

#[test]
fn the_cheapest_of_all_plans_is_found() {
    let (mut solvable, mut programs, mut gains) = (0, 0, 0);
    for seed in 0..1500 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(&mut rng, 8);
        let least = least_of_all(&graph);
        let found = exact(&graph, NEVER);
        assert_eq!(least.is_some(), found.is_some(), "seed {seed}: {graph:?}");
        let (Some(least), Some(found)) = (least, found) else {
            continue;
        };
        solvable += 1;
        programs += usize::from(matches!(found.proof, Proof::Program(_)));
        let by_greedy = graph.cost(&greedy(&graph, |_| false).0).unwrap();
        gains += usize::from(found.cost < by_greedy * (1.0 - 1e-9));
        assert!(
            close(found.cost, least) && close(found.least, least),
            "seed {seed}: {found:?}, least {least}: {graph:?}"
        );
        assert_eq!(graph.cost(&found.plan), Some(found.cost), "seed {seed}");
    }
    assert!(
        solvable > 700 && gains > 20,
        "{solvable} solvable, {programs} by a program, {gains} cheaper than greedy"
    );
}

/// The 0/1 program alone: no better start, and only what cannot be computed taken away.
#[test]
fn the_program_alone_finds_the_cheapest_plan() {
    let mut solved = 0;
    for seed in 0..800 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(&mut rng, 8);
        let Some(least) = least_of_all(&graph).filter(|least| *least > 0.0) else {
            continue;
        };
        let most = least * 4.0;
        let reduced = reduce(&graph, most, NEVER).expect("there is a plan below the bound");
        match ilp::solve(&graph, &reduced, most, NEVER) {
            ilp::Solved::Best(plan) => {
                let cost = graph.cost(&plan).expect("a plan");
                assert!(
                    close(cost, least),
                    "seed {seed}: {cost}, not {least}: {graph:?}"
                );
                solved += 1;
            }
            other => panic!("seed {seed}: {other:?}: {graph:?}"),
        }
    }
    assert!(solved > 200, "{solved}");
}

#[test]
fn bounds_and_reductions_lose_no_cheaper_plan() {
    for seed in 0..800 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(&mut rng, 8);
        let Some(least) = least_of_all(&graph) else {
            continue;
        };
        let all = graph
            .states
            .iter()
            .map(|choices| vec![true; choices.len()])
            .collect::<Vec<_>>();
        let bound = landmarks::bound(&graph, &all, NEVER).expect("there is a plan");
        assert!(
            bound.least <= least * (1.0 + 1e-9),
            "seed {seed}: {graph:?}"
        );
        let most = least * 1.01 + 1e-6;
        let reduced = reduce(&graph, most, NEVER).expect("there is a cheaper plan");
        let left = Graph {
            states: graph
                .states
                .iter()
                .zip(&reduced.allowed)
                .map(|(choices, allowed)| {
                    let kept = choices.iter().zip(allowed).filter(|(_, kept)| **kept);
                    kept.map(|(choice, _)| choice.clone()).collect()
                })
                .collect(),
            roots: graph.roots.clone(),
        };
        let still = least_of_all(&left).expect("the cheapest plan is left");
        assert!(
            close(still, least),
            "seed {seed}: {still}, not {least}: {graph:?}"
        );
        assert!(count(&reduced.allowed) <= count(&all));
    }
}

#[test]
fn better_plans_by_sharing_are_plans_and_never_dearer() {
    for seed in 0..2000 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(&mut rng, 12);
        let (plan, _) = greedy(&graph, |_| false);
        let Some(before) = graph.cost(&plan) else {
            continue;
        };
        let after = graph.cost(&improve(&graph, plan, NEVER)).expect("a plan");
        assert!(after <= before, "seed {seed}");
        if let Some(plan) = greedy_over_sets(&graph, NEVER) {
            assert!(graph.cost(&plan).is_some(), "seed {seed}");
        }
    }
}

/// SPORES Figure 10: a root over two states; the one is cheapest by itself in another way than beside the other.
#[test]
fn a_part_that_two_share_is_chosen_though_it_is_dearer_for_each() {
    let graph = Graph {
        states: vec![
            vec![Choice::new(0.0, [1, 2])],
            vec![Choice::new(1.0, [3]), Choice::new(2.0, [4])],
            vec![Choice::new(0.0, [4])],
            vec![Choice::new(4.0, [])],
            vec![Choice::new(4.0, [])],
        ],
        roots: vec![0],
    };
    let (plan, _) = greedy(&graph, |_| false);
    assert_eq!(graph.cost(&plan), Some(9.0));
    let found = exact(&graph, NEVER).unwrap();
    assert_eq!((found.cost, found.least), (6.0, 6.0));
}

/// Both need a step that neither would take alone: no single other choice is better, so only the bound or the
/// program can tell.
#[test]
fn two_choices_that_pay_only_together_are_found() {
    let graph = Graph {
        states: vec![
            vec![Choice::new(0.0, [1, 2])],
            vec![Choice::new(3.0, []), Choice::new(0.0, [3])],
            vec![Choice::new(3.0, []), Choice::new(0.0, [3])],
            vec![Choice::new(5.0, [])],
        ],
        roots: vec![0],
    };
    let (plan, _) = greedy(&graph, |_| false);
    assert_eq!(graph.cost(&improve(&graph, plan, NEVER)), Some(6.0));
    let found = exact(&graph, NEVER).unwrap();
    assert_eq!((found.cost, found.least), (5.0, 5.0));
    assert!(matches!(found.proof, Proof::Program(_)), "{found:?}");
}

/// Two states that are each other's transposes, and a longer circle: a program without cuts would pay for the circle
/// and never for a start.
#[test]
fn nothing_is_computed_from_itself() {
    let ring = |length: usize| Graph {
        states: (0..length)
            .map(|k| vec![Choice::new(1.0, [(k + 1) % length]), Choice::new(100.0, [])])
            .collect(),
        roots: vec![0],
    };
    for length in [2, 3, 5, 9] {
        let graph = ring(length);
        let all_round: Plan = vec![Some(0); length];
        assert_eq!(
            graph.order(&all_round),
            Err(NoPlan::Circle((0..length).collect()))
        );
        assert_eq!(exact(&graph, NEVER).unwrap().cost, 100.0);
        let reduced = reduce(&graph, 1000.0, NEVER).unwrap();
        let ilp::Solved::Best(plan) = ilp::solve(&graph, &reduced, 1000.0, NEVER) else {
            panic!("solved")
        };
        assert_eq!(graph.cost(&plan), Some(100.0));
    }
    let nowhere = Graph {
        states: vec![vec![Choice::new(1.0, [1])], vec![Choice::new(1.0, [0])]],
        roots: vec![0],
    };
    assert_eq!(exact(&nowhere, NEVER), None);
}

#[test]
fn larger_graphs_are_solved_or_say_that_they_are_not() {
    for seed in 0..60 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(&mut rng, 120);
        let by_greedy = graph.cost(&greedy(&graph, |_| false).0);
        let Some(found) = exact(&graph, NEVER) else {
            assert_eq!(by_greedy, None);
            continue;
        };
        let by_greedy = by_greedy.expect("the same states can be computed");
        assert!(
            found.cost <= by_greedy && found.least <= found.cost,
            "seed {seed}"
        );
        assert_eq!(
            Some(&found),
            exact(&graph, NEVER).as_ref(),
            "seed {seed}: not the same twice"
        );
        if !matches!(found.proof, Proof::Open(_)) {
            assert_eq!(found.least, found.cost);
        }
    }
}

#[test]
fn cancelled_it_still_has_a_plan() {
    let mut found = 0;
    for seed in 0..200 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = random_graph(&mut rng, 40);
        let asked = Cell::new(0);
        let cancelled = || asked.replace(asked.get() + 1) > 40 * seed;
        let Some(Exact { plan, cost, .. }) = exact(&graph, &cancelled) else {
            continue;
        };
        found += 1;
        assert_eq!(graph.cost(&plan), Some(cost));
        assert!(cost <= graph.cost(&greedy(&graph, |_| false).0).unwrap());
    }
    assert!(found > 100, "{found}");
}

#[test]
fn a_part_has_a_plan_wherever_the_whole_has_one_and_of_what_is_kept_wherever_that_suffices() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let (mut of_kept, mut of_all) = (0, 0);
    for _ in 0..2000 {
        let graph = random_graph(&mut rng, 6);
        let kept: Vec<Vec<bool>> = graph
            .states
            .iter()
            .map(|choices| choices.iter().map(|_| rng.random_bool(0.6)).collect())
            .collect();
        let part = graph.only(|state, k| kept[state][k]);
        // What is not kept cannot be chosen: the plan of the kept ones alone, if there is one.
        let strict = Graph {
            states: graph
                .states
                .iter()
                .zip(&kept)
                .map(|(choices, kept)| {
                    let both = choices.iter().zip(kept);
                    both.filter(|(_, kept)| **kept)
                        .map(|(choice, _)| choice.clone())
                        .collect()
                })
                .collect(),
            roots: graph.roots.clone(),
        };
        let plan_of = |graph: &Graph| {
            let (plan, _) = greedy(graph, |_| false);
            graph.cost(&plan).map(|cost| (plan, cost))
        };
        let found = plan_of(&part.graph);
        assert_eq!(found.is_some(), plan_of(&graph).is_some());
        let Some((plan, cost)) = found else { continue };
        let whole = part.in_whole(&plan);
        assert_eq!(graph.cost(&whole), Some(cost));
        let order = graph.order(&whole).unwrap();
        let all_kept = order
            .iter()
            .all(|state| kept[*state][whole[*state].unwrap()]);
        assert_eq!(all_kept, plan_of(&strict).is_some());
        *(if all_kept { &mut of_kept } else { &mut of_all }) += 1;
    }
    assert!(of_kept > 100 && of_all > 100, "{of_kept} {of_all}");
}
