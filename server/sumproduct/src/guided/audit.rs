//! Tests only: every rule of guided searches by itself, as [`rule_audit`](crate::rule_audit) does it for the rules of relations.
//!
//! A row of the table is an equation, so what it fires on is its own left side, and its near misses are that side with one operator
//! changed, and operands of shapes that it does not ask for.

#![expect(
    clippy::print_stdout,
    reason = "the figures are what an audit is asked for"
)]

use std::collections::BTreeMap;

use egg::Id;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sumac_la::{Node, NodeId, Type};

use super::apply::{Match, Verdict, apply, judge, search};
use super::filter::Filter;
use super::language::{La, LaGraph};
use super::lower::graph_of;
use super::rules::{self, LaRule, letter};
use crate::rule_audit::digits::{INSTANCES, Worst};
use crate::rule_audit::matrices::Matrix;
use crate::rule_audit::number::Agreement;
use crate::rule_audit::write::{Instance, Text};
use crate::rule_audit::{Counts, SEED, agreement_over, whole_numbers};

/// A rule with both sides as they are written.
struct Sides {
    rule: &'static LaRule,
    left: Text,
    right: Text,
}

fn all() -> Vec<Sides> {
    let sides = rules::all().iter().zip(rules::equations());
    sides
        .map(|(rule, (name, equation))| {
            assert_eq!(*rule.name, *name);
            let (left, right) = equation.split_once(" = ").expect("an equation");
            Sides {
                rule,
                left: Text::new(left),
                right: Text::new(right),
            }
        })
        .collect()
}

/// The names of all rules.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    rules::equations().map(|(name, _)| name)
}

/// Whether the rule's conditions hold where its letters have the types in this order.
fn asks_hold(rule: &LaRule, letters: &[String], types: &[Type]) -> bool {
    let ty = |own: &egg::Var| {
        let place = letters.iter().position(|name| letter(name) == *own);
        &types[place.expect("a letter of the left side")]
    };
    rule.asks.iter().all(|asked| asked.holds(ty))
}

fn types(instance: &Instance) -> Vec<Type> {
    let inputs = instance.dag.inputs().iter();
    inputs.map(|input| input.ty.clone()).collect()
}

impl Sides {
    fn asks(&self, instance: &Instance) -> bool {
        asks_hold(self.rule, self.left.letters(), &types(instance))
    }

    /// Both sides over all shapes that the rule asks for, where its right side has the shape of its left one.
    fn instances(&self) -> impl Iterator<Item = (Instance, Instance)> + '_ {
        let left = self.left.instances().filter(|left| self.asks(left));
        left.filter_map(|left| {
            let right = self.right.over(self.left.letters(), left.shapes.clone())?;
            let (x, y) = (left.dag.ty(left.root), right.dag.ty(right.root));
            let are_alike = (x.kind, &x.rows, &x.cols) == (y.kind, &y.rows, &y.cols);
            are_alike.then_some((left, right))
        })
    }
}

/// The class of a node of another DAG over the same inputs.
fn added(graph: &mut LaGraph, instance: &Instance) -> Id {
    let mut known: BTreeMap<NodeId, Id> = BTreeMap::new();
    for id in instance.dag.reachable(&[instance.root]) {
        let node = match instance.dag.node(id) {
            Node::Input(number) => La::Input(*number),
            Node::Num(bits) => La::Num(*bits),
            Node::Op(op, args) => La::op(*op, args.iter().map(|arg| known[arg])),
        };
        known.insert(id, graph.add(node));
    }
    known[&instance.root]
}

/// The matches of a rule at the root of an expression that it may be applied at.
fn at_root(rule: &LaRule, instance: &Instance) -> (LaGraph, Vec<Match>) {
    let (graph, root) = graph_of(&instance.dag, instance.root);
    let mut found = search(&graph, rule, &|| false).expect("nobody cancels");
    found.retain(|found| {
        found.class == root && judge(&graph, rule, found, &Filter::NONE) == Verdict::Applies
    });
    (graph, found)
}

/// Whether the rule fires on its left side, and the class gets the right one.
fn fires(rule: &LaRule, (left, right): &(Instance, Instance)) -> bool {
    let (mut graph, found) = at_root(rule, left);
    let Some(root) = found.first().map(|found| found.class) else {
        return false;
    };
    for found in &found {
        apply(&mut graph, rule, found, &Filter::NONE);
    }
    let other = added(&mut graph, right);
    graph.rebuild();
    assert!(!graph.analysis.broken, "{}: another shape", rule.name);
    graph.find(root) == graph.find(other)
}

/// The same inputs with zeros for their scalars: no rule's verdict waits for one to be drawn.
fn with_zeros(
    instance: &Instance,
    drawn: &BTreeMap<String, Matrix<f64>>,
) -> BTreeMap<String, Matrix<f64>> {
    let mut inputs = drawn.clone();
    let scalars = instance.dag.inputs().iter();
    for scalar in scalars.filter(|input| input.ty.is_scalar()) {
        let cells = inputs.get_mut(&*scalar.name).map(|value| &mut value.cells);
        cells.into_iter().flatten().for_each(|cell| *cell = 0.0);
    }
    inputs
}

#[test]
fn every_guided_rule_fires_and_keeps_the_value_over_all_small_shapes() {
    println!("seed {SEED}");
    let mut wrong = Vec::new();
    for sides in all() {
        let name: &str = &sides.rule.name;
        // What is drawn for a rule depends on no other rule.
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut counts = Counts::default();
        for pair in sides.instances() {
            let drawn = whole_numbers(&pair.0, &mut rng);
            for inputs in [with_zeros(&pair.0, &drawn), drawn] {
                let agreement = agreement_over(&inputs, [&pair.0, &pair.1]);
                let agreement = agreement.unwrap_or(Agreement::Unequal);
                counts.judge((name, &pair.0), agreement, || {
                    format!("{name} over {:?}: {inputs:?}", pair.0.shapes)
                });
            }
            counts.shapes += 1;
            counts.forms += 1;
            // Where both sides are one expression, nothing is new.
            counts.fires += usize::from(fires(sides.rule, &pair));
        }
        counts.fires = counts.fires.min(1);
        wrong.extend(counts.judged(name));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether the shapes fit the rule's letters in no order.
fn never_asked(sides: &Sides, instance: &Instance) -> bool {
    fn orders(types: &[Type]) -> Vec<Vec<Type>> {
        if types.is_empty() {
            return vec![Vec::new()];
        }
        let mut found = Vec::new();
        for place in 0..types.len() {
            let mut rest = types.to_vec();
            let first = rest.remove(place);
            for mut order in orders(&rest) {
                order.insert(0, first.clone());
                found.push(order);
            }
        }
        found
    }
    let letters = sides.left.letters();
    let orders = orders(&types(instance));
    orders
        .iter()
        .all(|types| !asks_hold(sides.rule, letters, types))
}

#[test]
fn no_guided_rule_fires_on_its_near_misses() {
    let mut wrong = Vec::new();
    for sides in all() {
        let name = &sides.rule.name;
        let mut misses = 0;
        for mutant in sides.left.mutants() {
            // What fits at all fits some of the first shapes.
            const ENOUGH: usize = 12;
            for instance in mutant.instances().take(ENOUGH) {
                misses += 1;
                if !at_root(sides.rule, &instance).1.is_empty() {
                    let (text, shapes) = (&mutant.text, &instance.shapes);
                    wrong.push(format!("{name} fires on `{text}` over {shapes:?}"));
                }
            }
        }
        let others = sides.left.instances();
        for instance in others.filter(|instance| never_asked(&sides, instance)) {
            misses += 1;
            if !at_root(sides.rule, &instance).1.is_empty() {
                wrong.push(format!("{name} fires over {:?}", instance.shapes));
            }
        }
        println!("rule audit: {name} misses={misses}");
        if misses == 0 {
            wrong.push(format!("{name} has no near miss"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn guided_rules_that_lose_digits_are_listed_with_what_they_lose() {
    let mut wrong = Vec::new();
    for sides in all() {
        let pairs: Vec<(Instance, Instance)> = sides.instances().collect();
        let step = pairs.len().div_ceil(INSTANCES).max(1);
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut worst = Worst::default();
        for (left, right) in pairs.iter().step_by(step) {
            worst.look([left, right], &mut rng);
        }
        wrong.extend(worst.judged(&sides.rule.name));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
