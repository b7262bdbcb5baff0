//! What is planned to run as one becomes a candidate at the price of the plan, so that the next choice counts on it.
//!
//! SPORES names this as future work: extraction that knows which operators are fused. Nothing here plans.

use rustc_hash::FxHashMap;
use sumac_cost::{Region, matrix_bytes};
use sumac_la::{Dag, Node, NodeId, Op};

use super::graph::Plan;
use super::{States, choice};
use crate::axes::Term;
use crate::candidates::{Build, Candidate};
use crate::fusions::{Inside, Part};

/// A candidate, and the state that it computes.
pub type Fed = (usize, Candidate);

impl States<'_> {
    /// The candidates that run as one in a plan's DAG, as `regions` says of it.
    pub fn regions_of(
        &self,
        plan: &Plan,
        regions: impl FnOnce(&Dag) -> Vec<Region>,
        machine: &sumac_cost::Machine,
    ) -> Vec<Fed> {
        let Ok((dag, nodes)) = self.traced(plan) else {
            return Vec::new();
        };
        // Several states may be one node; what they read and how is the same.
        let mut states: FxHashMap<NodeId, usize> = FxHashMap::default();
        for (state, node) in &nodes {
            let first = states.entry(*node).or_insert(*state);
            *first = (*first).min(*state);
        }
        let tracer = Tracer {
            of: self,
            plan,
            dag: &dag,
            nodes: &nodes,
        };
        let fed = |region: Region| -> Option<Fed> {
            // A pass that several results share has no single state.
            let [root] = region.roots[..] else {
                return None;
            };
            let state = *states.get(&root)?;
            let inside = tracer.inside(state, &region)?;
            let mut children = Default::default();
            Part::Inside(inside.clone()).reads(&mut children);
            let read = region.reads.iter().map(|id| matrix_bytes(dag.ty(*id)));
            let footprint = read
                .chain([matrix_bytes(dag.ty(root))])
                .sum::<Option<f64>>()?;
            let candidate = Candidate {
                build: Build::Fused(Box::new(inside)),
                children,
                cost: region.cost(&dag, root, machine)?,
                footprint,
            };
            Some((state, candidate))
        };
        regions(&dag).into_iter().filter_map(fed).collect()
    }

    /// Adds candidates; one that is there already gets the new price. Whether anything has changed.
    pub fn add(&mut self, fed: Vec<Fed>) -> bool {
        let mut is_new = false;
        for (state, candidate) in fed {
            let price = self.shares[state] * self.model.of(&candidate.cost);
            let made = choice(&candidate, price, &self.places);
            let known = &mut self.candidates[state].1;
            let is_it = |known: &Candidate| known.build == candidate.build;
            match known.iter().position(is_it) {
                Some(place) if self.graph.states[state][place] == made => {}
                Some(place) => {
                    is_new = true;
                    known[place] = candidate;
                    self.graph.states[state][place] = made;
                }
                None => {
                    is_new = true;
                    known.push(candidate);
                    self.graph.states[state].push(made);
                }
            }
        }
        is_new
    }
}

struct Tracer<'a> {
    of: &'a States<'a>,
    plan: &'a Plan,
    dag: &'a Dag,
    nodes: &'a FxHashMap<usize, NodeId>,
}

impl Tracer<'_> {
    /// What a region computes for a state; `None` where a skeleton cannot say that.
    fn inside(&self, state: usize, region: &Region) -> Option<Inside> {
        let (term, candidates) = &self.of.candidates[state];
        let candidate = &candidates[self.plan[state]?];
        match &candidate.build {
            Build::Op(_) | Build::Square | Build::Product { .. } => {
                let children = candidate.children.iter();
                let parts = children.map(|child| self.part(*child, region));
                let parts = parts.collect::<Option<Vec<_>>>()?;
                let below: f64 = parts.iter().map(Part::seconds).sum();
                Some(Inside {
                    state: *term,
                    build: candidate.build.clone(),
                    seconds: candidate.cost.seconds + below,
                    parts,
                })
            }
            Build::Fused(inside) => self.deeper(inside, region),
            _ => None,
        }
    }

    /// A fused candidate with more inside.
    fn deeper(&self, inside: &Inside, region: &Region) -> Option<Inside> {
        let part = |part: &Part| match part {
            Part::Read(term) => self.part(*term, region),
            Part::Inside(inside) => Some(Part::Inside(self.deeper(inside, region)?)),
        };
        let parts = inside.parts.iter().map(part).collect::<Option<Vec<_>>>()?;
        Some(Inside {
            parts,
            ..inside.clone()
        })
    }

    fn part(&self, term: Term, region: &Region) -> Option<Part> {
        let state = self.of.places[&term];
        let node = *self.nodes.get(&state)?;
        if region.reads.contains(&node) || self.dag.args(node).is_empty() {
            return Some(Part::Read(term));
        }
        // A transpose that is never formed is nobody's.
        let is_transposed = matches!(self.dag.node(node), Node::Op(Op::Transpose, _));
        if is_transposed || region.covers.contains(&node) {
            return Some(Part::Inside(self.inside(state, region)?));
        }
        None
    }
}
