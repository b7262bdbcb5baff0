//! Candidate exploration: every valid partial plan of every operator, in one pass from the inputs up.
//!
//! At each operator, templates *open*; what ends at its inputs *fuses* into it, and with other inputs it *merges*; then
//! each plan is asked whether it *closes*. Conditions are the templates'; nothing here knows one of them. Each operator
//! is looked at once, and has at most a handful of plans for each template, so the work is linear in the operators.

use smallvec::SmallVec;
use sumac_la::NodeId;

use crate::graph::Graph;
use crate::memo::{Entry, Memo, Reference, without_dominated};
use crate::template::{Close, Sizes, Template};

/// Operators with more arguments than this have no plans that take several in.
const MOST_ARGUMENTS: usize = 6;

/// The memo table of a graph. `prune_dominated` leaves out plans that a policy has no use for which writes down only
/// what several operators read.
#[must_use]
pub fn explore(graph: &Graph<'_>, sizes: Sizes, prune_dominated: bool) -> Memo {
    explore_allowed(graph, sizes, prune_dominated, &|_, _| true)
}

/// As [`explore`], without the plans that are not allowed: nothing grows out of them.
pub(crate) fn explore_allowed(
    graph: &Graph<'_>,
    sizes: Sizes,
    prune_dominated: bool,
    is_allowed: &dyn Fn(NodeId, &Entry) -> bool,
) -> Memo {
    let mut memo = Memo::default();
    for &id in &graph.order {
        if graph.op(id).is_none() || graph.dag.args(id).len() > MOST_ARGUMENTS {
            continue;
        }
        let mut entries = Vec::new();
        for template in Template::EXPLORED {
            candidates(graph, &memo, id, template, sizes, &mut entries);
        }
        close(graph, id, sizes, &mut entries);
        entries.retain(|entry| is_allowed(id, entry));
        if prune_dominated {
            let is_read_once = |arg: NodeId| graph.consumers(arg).len() == 1;
            entries = without_dominated(&entries, graph.dag.args(id), &is_read_once);
        }
        memo.set(id, entries);
    }
    memo
}

/// All plans of one template that end at `h`, still open.
fn candidates(
    graph: &Graph<'_>,
    memo: &Memo,
    h: NodeId,
    template: Template,
    sizes: Sizes,
    entries: &mut Vec<Entry>,
) {
    let pattern = template.pattern();
    let args = graph.dag.args(h);
    let mut fusable: SmallVec<[bool; 6]> = SmallVec::new();
    let mut references: SmallVec<[Option<Reference>; 6]> = SmallVec::new();
    for &arg in args {
        let same = memo.has_open(arg, template);
        let fuses = same && pattern.fuse(graph, h, arg, sizes);
        let merges = pattern.merge(graph, h, arg, sizes);
        let cell = template != Template::Cell && merges && memo.has_open(arg, Template::Cell);
        let reference = Reference::Fused {
            same: fuses || (merges && same),
            cell,
        };
        let is_any = fuses || (merges && (same || cell));
        fusable.push(fuses);
        references.push(is_any.then_some(reference));
    }
    let opens = pattern.open(graph, h, sizes);
    if !opens && !fusable.contains(&true) {
        return;
    }
    for chosen in 0..1_usize << args.len() {
        let takes_in = |i: usize| chosen & (1 << i) != 0;
        let is_possible = (0..args.len()).all(|i| {
            let first = args.iter().position(|arg| *arg == args[i]) == Some(i);
            // What stands there twice is taken in for both, or for none.
            let alike = first
                || takes_in(i)
                    == takes_in(args.iter().position(|arg| *arg == args[i]).unwrap_or(i));
            alike && (!takes_in(i) || references[i].is_some())
        });
        let begins = opens || (0..args.len()).any(|i| takes_in(i) && fusable[i]);
        if !is_possible || !begins {
            continue;
        }
        let inputs = (0..args.len())
            .map(|i| match references[i] {
                Some(reference) if takes_in(i) => reference,
                _ => Reference::Materialized,
            })
            .collect();
        entries.push(Entry {
            template,
            inputs,
            close: Close::OpenValid,
        });
    }
}

/// Closes the plans at `h`: those that are no operators go, and so do those of one operator alone.
fn close(graph: &Graph<'_>, h: NodeId, sizes: Sizes, entries: &mut Vec<Entry>) {
    for entry in entries.iter_mut() {
        entry.close = entry.template.pattern().close(graph, h, sizes);
    }
    entries.retain(|entry| match entry.close {
        Close::ClosedInvalid => false,
        Close::ClosedValid => entry.references() > 0,
        Close::OpenValid | Close::OpenInvalid => true,
    });
}
