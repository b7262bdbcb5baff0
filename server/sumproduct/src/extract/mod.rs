//! Extraction: which candidates compute the roots most cheaply, and the chosen ones as a DAG again.
//!
//! [`States`] turns the classes that the roots lead to into a [`graph`] of states and choices; [`greedy`] and [`exact`]
//! choose there and know nothing of algebra; [`lower`] builds what was chosen.

mod exact;
mod feed;
mod graph;
mod greedy;
mod ilp;
mod landmarks;
mod loop_invariant;
mod lower;
mod reduce;
mod share;
#[cfg(test)]
mod tests;
mod worker;

use rustc_hash::FxHashMap;
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId, Type};

use crate::axes::{Map, Term};
use crate::candidates::{Candidate, Candidates};
use crate::optimize::Loop;
use crate::options::{CostModel, Extraction};
use crate::translate::Translation;
pub use graph::Plan;
use graph::{Choice, Graph};

/// A value that the caller holds under a name.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its node in the request.
    pub node: NodeId,
    /// Its relation.
    pub term: Term,
    /// Its name in the new DAG.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// The states that the roots lead to.
pub struct States<'a> {
    dag: &'a Dag,
    translation: &'a Translation,
    held: &'a [Held],
    /// Each state and its candidates; a choice of the graph stands where its candidate does.
    candidates: Vec<(Term, Vec<Candidate>)>,
    places: FxHashMap<Term, usize>,
    graph: Graph,
    /// By state: what of a candidate's price one run pays.
    shares: Vec<f64>,
    model: CostModel,
    /// The kinds that the roots are wanted in.
    types: Vec<&'a Type>,
}

/// What makes a candidate's price.
#[derive(Clone, Copy, Debug)]
pub struct Pricing<'a> {
    /// What is minimized.
    pub model: CostModel,
    /// The machine that costs are for.
    pub machine: &'a Machine,
    /// The loop around the roots: what is loop-invariant in it is paid for once.
    pub around: Option<Loop<'a>>,
}

/// A plan, and how it was proved.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// The plan.
    pub plan: Plan,
    /// The share by which another plan could be cheaper: 0 if it is proved that none is, `None` if nobody asked.
    pub gap: Option<f64>,
}

impl<'a> States<'a> {
    /// Lists the states of `roots`, which are wanted in the kinds that `types` name; `None` if cancelled.
    pub fn new(
        dag: &'a Dag,
        translation: &'a Translation,
        (roots, types): (&[Term], Vec<&'a Type>),
        held: &'a [Held],
        pricing: Pricing<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let leaves: Vec<Map> = translation
            .leaves
            .iter()
            .map(|leaf| translation.term(*leaf).map)
            .collect();
        let held_terms: Vec<Term> = held
            .iter()
            .map(|h| translation.relations.resolve(h.term))
            .collect();
        let lister = Candidates {
            relations: &translation.relations,
            leaves: &leaves,
            held: &held_terms,
            machine: pricing.machine,
        };
        let roots: Vec<Term> = roots
            .iter()
            .map(|root| translation.relations.resolve(*root))
            .collect();
        let mut candidates = Vec::new();
        let mut places: FxHashMap<Term, usize> = FxHashMap::default();
        let mut open = roots.clone();
        while let Some(term) = open.pop() {
            if cancelled() {
                return None;
            }
            if places.contains_key(&term) {
                continue;
            }
            places.insert(term, candidates.len());
            let found = lister.of(term);
            open.extend(found.iter().flat_map(|c| c.children.iter().copied()));
            candidates.push((term, found));
        }
        crate::fusions::add_fused(&mut candidates, &places, &lister);
        if cancelled() {
            return None;
        }
        let shares = match pricing.around {
            Some(around) => {
                let is_loop_invariant = |leaf: u32| {
                    around
                        .loop_invariant
                        .contains(&translation.leaves[leaf as usize])
                };
                let loop_invariant = loop_invariant::keep_loop_invariant(
                    &mut candidates,
                    &places,
                    &is_loop_invariant,
                );
                loop_invariant
                    .into_iter()
                    .map(|is_loop_invariant| {
                        if is_loop_invariant {
                            1.0 / around.trip_count
                        } else {
                            1.0
                        }
                    })
                    .collect()
            }
            None => vec![1.0; candidates.len()],
        };
        let choice = |candidate: &Candidate, share: f64| {
            choice(
                candidate,
                share * pricing.model.of(&candidate.cost),
                &places,
            )
        };
        let graph = Graph {
            states: candidates
                .iter()
                .zip(&shares)
                .map(|((_, found), share)| found.iter().map(|c| choice(c, *share)).collect())
                .collect(),
            roots: roots.iter().map(|root| places[root]).collect(),
        };
        Some(States {
            dag,
            translation,
            held,
            candidates,
            places,
            graph,
            shares,
            model: pricing.model,
            types,
        })
    }

    /// Plans beside this one, about the cheapest first, at most so many.
    pub fn others(&self, plan: &Plan, most: usize, cancelled: &dyn Fn() -> bool) -> Vec<Plan> {
        share::others(&self.graph, plan, most, cancelled)
    }

    /// Whether the states are few enough to look at many plans.
    pub fn are_few(&self) -> bool {
        self.graph.is_small()
    }

    /// The greedy plans, over trees and, if that is affordable, over DAGs; and, if exact extraction is wanted, a plan that
    /// is cheaper, or the same with a proof.
    /// Empty if some root has no plan.
    pub fn plans(&self, extraction: Extraction, cancelled: &dyn Fn() -> bool) -> Vec<Chosen> {
        plans(&self.graph, extraction, cancelled)
    }

    /// As [`States::plans`], of the operators that need at most so many bytes for what they read and give, wherever
    /// there is such a way. Nothing is proved of plans that others were kept from.
    pub fn plans_within(
        &self,
        bytes: f64,
        extraction: Extraction,
        cancelled: &dyn Fn() -> bool,
    ) -> Vec<Chosen> {
        let part = self
            .graph
            .only(|state, k| self.candidates[state].1[k].footprint <= bytes);
        let chosen = plans(&part.graph, extraction, cancelled).into_iter();
        chosen
            .map(|chosen| Chosen {
                plan: part.in_whole(&chosen.plan),
                gap: None,
            })
            .collect()
    }
}

/// A candidate as a choice of the graph at this price.
fn choice(candidate: &Candidate, price: f64, places: &FxHashMap<Term, usize>) -> Choice {
    // Whatever needs something costs something, so that no choice can lean on itself.
    const LEAST: f64 = 1e-12;
    let own = if candidate.children.is_empty() {
        0.0
    } else {
        LEAST
    };
    let needs = candidate.children.iter().map(|child| places[child]);
    Choice::new(own + price, needs)
}

fn plans(graph: &Graph, extraction: Extraction, cancelled: &dyn Fn() -> bool) -> Vec<Chosen> {
    let (plan, _) = greedy::greedy(graph, |_| false);
    if graph.cost(&plan).is_none() {
        return Vec::new();
    }
    let mut known = vec![plan];
    if extraction == Extraction::Ilp || graph.is_small() {
        known.extend(share::greedy_over_sets(graph, cancelled));
    }
    let exact = match extraction {
        Extraction::Greedy => None,
        Extraction::Ilp => exact::exact(graph, &known, cancelled),
    };
    let greedy = known.into_iter().map(|plan| Chosen { plan, gap: None });
    greedy
        .chain(exact.map(|exact| Chosen {
            gap: Some(match exact.cost {
                0.0 => 0.0,
                cost => (1.0 - exact.least / cost).max(0.0),
            }),
            plan: exact.plan,
        }))
        .collect()
}
