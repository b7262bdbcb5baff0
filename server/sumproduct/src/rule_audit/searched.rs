//! What a search states beside its rules: the polyterm that is planned before it, diagonals as joins with δ, classes that are equal
//! with their axes exchanged, and relations that are symmetric. Each is stated while other rules are applied, so whole searches are
//! held against matrices: every form that extraction offers, cheapest or not.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sumac_cost::Machine;
use sumac_la::{Dag, Op};

use super::digits::Worst;
use super::write::{Instance, Text};
use super::{Counts, SEED, agreement_over, whole_numbers};
use crate::expand::expand;
use crate::extract::{Pricing, States};
use crate::grow::islands;
use crate::normalized::normalized;
use crate::options::{CostModel, Extraction, Options};
use crate::ra::Ra;
use crate::saturate::saturate;
use crate::translate::Translation;

/// Relations of one search.
const NODES: usize = 250;
/// Forms of one search that are looked at.
const FORMS: usize = 6;
/// Shapes of an expression that are searched.
const SEARCHES: usize = 14;

/// What is stated, and how it is seen in a graph.
struct Stated {
    name: &'static str,
    fires: &'static [&'static str],
    misses: &'static [&'static str],
    is_there: fn(&Searched) -> bool,
}

/// A graph after its search.
struct Searched {
    t: Translation,
    /// Ways to compute the expression that planning its polyterm added.
    planned: usize,
}

const STATED: &[Stated] = &[
    Stated {
        name: "polyterm",
        fires: &["sum((A - B)^2)", "(A + B) %*% (A - B)"],
        misses: &["exp(A)", "max(A, B)"],
        is_there: |it| it.planned > 0,
    },
    Stated {
        name: "diagonal",
        fires: &["diag(A)", "diag(A) %*% B", "diag(A %*% B)"],
        misses: &["rowSums(A)", "t(A)"],
        is_there: |it| {
            it.t.relations.graph.classes().any(|class| {
                let is_whole =
                    |node: &Ra| matches!(node, Ra::Opaque(opaque, _) if opaque.op == Op::Diag);
                let is_join = |node: &Ra| matches!(node, Ra::Sum(..) | Ra::Mul(..));
                class.nodes.iter().any(is_whole) && class.nodes.iter().any(is_join)
            })
        },
    },
    Stated {
        name: "mirror",
        fires: &["(A * B) * C + t(t(A) * (t(B) * t(C)))"],
        misses: &["exp(A)", "A + B"],
        is_there: |it| !it.t.relations.mirrors.is_empty(),
    },
    Stated {
        name: "symmetry",
        fires: &["t(A) %*% A", "t(A * B) %*% (A * B)"],
        misses: &["t(A) %*% B where A: 3 x 2, B: 3 x 2", "A + B"],
        is_there: |it| {
            it.t.relations.classes().iter().any(|id| {
                let data = it.t.relations.data(*id);
                data.constant.is_none()
                    && !data.is_eye
                    && data.schema.len() == 2
                    && data.twins.are(0, 1)
            })
        },
    },
];

/// The names of all that is stated.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    STATED.iter().map(|stated| stated.name)
}

fn searched(instance: &Instance) -> Option<Searched> {
    let (dag, roots) = (&instance.dag, [instance.root]);
    let mut t = Translation::new(dag, &roots)?;
    let nodes = |t: &Translation| t.relations.graph[t.term(instance.root).id].nodes.len();
    let before = nodes(&t);
    expand(&mut t, dag, &islands(dag, &roots));
    t.relations.rebuild();
    let planned = nodes(&t) - before;
    saturate(
        &mut t,
        &Options::default(),
        NODES,
        &|| false,
        &mut |_, _| {},
    );
    assert!(!t.relations.graph.analysis.broken, "{:?}", instance.shapes);
    Some(Searched { t, planned })
}

/// The forms of an expression that extraction offers after a search.
fn forms(instance: &Instance, t: &Translation) -> Vec<Dag> {
    let never = || false;
    let machine = Machine::default();
    let pricing = Pricing {
        model: CostModel::Time,
        machine: &machine,
        around: None,
    };
    let ty = instance.dag.ty(instance.root);
    let roots = [t.term(instance.root)];
    let states = States::new(&instance.dag, t, (&roots, vec![ty]), &[], pricing, &never)
        .expect("nobody cancels");
    let mut plans: Vec<_> = states
        .plans(Extraction::Greedy, &never)
        .into_iter()
        .map(|it| it.plan)
        .collect();
    if let Some(first) = plans.first().cloned() {
        plans.extend(states.others(&first, FORMS, &never));
    }
    let lowered = |plan| normalized(&states.lower(plan).expect("a form whose shapes fit"));
    plans.iter().map(lowered).collect()
}

/// Some of an expression's shapes, of all kinds.
fn some(text: &Text) -> Vec<Instance> {
    let all: Vec<Instance> = text.instances().collect();
    let step = all.len().div_ceil(SEARCHES).max(1);
    all.into_iter().step_by(step).collect()
}

#[test]
fn what_a_search_states_keeps_the_value_of_every_form() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    println!("seed {SEED}");
    let mut wrong = Vec::new();
    for stated in STATED {
        let mut counts = Counts::default();
        let mut worst = Worst::default();
        for text in stated.fires.iter().map(|text| Text::new(text)) {
            let mut is_there = false;
            for instance in some(&text) {
                let Some(searched) = searched(&instance) else {
                    continue;
                };
                if !(stated.is_there)(&searched) {
                    continue;
                }
                is_there = true;
                counts.shapes += 1;
                for form in forms(&instance, &searched.t) {
                    let after = Instance {
                        root: form.roots()[0],
                        dag: form,
                        shapes: instance.shapes.clone(),
                    };
                    let inputs = whole_numbers(&instance, &mut rng);
                    let Some(agreement) = agreement_over(&inputs, [&instance, &after]) else {
                        continue;
                    };
                    counts.forms += 1;
                    counts.judge((stated.name, &instance), agreement, || {
                        let form = after.dag.print(after.root);
                        let (name, shapes) = (stated.name, &after.shapes);
                        format!("{name}: `{}` is not `{form}` over {shapes:?}", text.text)
                    });
                    worst.look([&instance, &after], &mut rng);
                }
            }
            counts.fires += usize::from(is_there);
            if !is_there {
                wrong.push(format!("{} is never seen in `{}`", stated.name, text.text));
            }
        }
        wrong.extend(counts.judged(stated.name));
        wrong.extend(worst.judged(stated.name));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_search_states_is_not_seen_in_its_near_misses() {
    let mut wrong = Vec::new();
    for stated in STATED {
        let mut misses = 0;
        for text in stated.misses.iter().map(|text| Text::new(text)) {
            for instance in some(&text) {
                let Some(searched) = searched(&instance) else {
                    continue;
                };
                misses += 1;
                if (stated.is_there)(&searched) {
                    wrong.push(format!(
                        "{} in `{}` over {:?}",
                        stated.name, text.text, instance.shapes
                    ));
                }
            }
        }
        println!("rule audit: {} misses={misses}", stated.name);
        if misses == 0 {
            wrong.push(format!("{} has no near miss", stated.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
