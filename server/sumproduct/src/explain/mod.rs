//! Why two forms are equal, as a chain of matrix expressions that a person can follow, each step named by rules of the search.
//!
//! An explanation is a search of its own, made when somebody asks. Parts that have one value in both forms come first,
//! each explained for itself ([`parts`]); what is shared then is put aside. The rest is multiplied out on both sides by
//! rules, each applied to one term of a graph in which nothing merges ([`walk`]), and the products exchanged ([`path`]).
//! Where that leads nowhere, both forms go into one graph that grows until they meet, and the fewest rules that do it name
//! one step ([`justify`]). No decision rests on any of this: a form that the canonical form does not find equal is left out.

mod justify;
mod laws;
mod parts;
mod path;
mod show;
mod walk;

use std::collections::BTreeSet;

use sumac_la::{Dag, Dim, Node, NodeId, Op, Type};

pub use laws::Law;
use parts::{Apart, Equals};

/// Parts within parts.
const MOST_DEPTH: usize = 6;
/// Parts of one form that are explained for themselves.
const MOST_PARTS: usize = 12;
/// A form is shown up to so many letters beside a few times those of the ends.
const SHORT: usize = 160;
/// Sizes without a number count as numbers from here on while forms are looked for.
const FIRST_SIZE: u64 = 1_009;

/// A chain of equal forms.
#[derive(Clone, Debug)]
pub struct Chain {
    /// All forms.
    pub dag: Dag,
    /// The first one.
    pub start: NodeId,
    /// The others in order; the last is the form to be explained.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// What makes it; never empty.
    pub laws: Vec<Law>,
    /// The whole form after it.
    pub form: NodeId,
}

/// A step before it is decided whether it can be read: a form may be missing, or be the one before.
struct Raw {
    laws: BTreeSet<Law>,
    form: Option<NodeId>,
}

/// The chain from `left` to `right`; inputs are matched by name. `None` where the canonical forms differ, or where no chain
/// is found within bounds.
#[must_use]
pub fn explain(
    left: (&Dag, NodeId),
    right: (&Dag, NodeId),
    cancelled: &dyn Fn() -> bool,
) -> Option<Chain> {
    let mut dag = Dag::default();
    let start = dag.import(left.0, left.1);
    let goal = dag.import(right.0, right.1);
    let has_names = settle(&mut dag);
    if !Equals::new(&dag, [start, goal])?.are_equal(start, goal) {
        return None;
    }
    let mut search = Search { dag, cancelled };
    let raw = search.between(start, goal, 0)?;
    let dag = search.dag;
    let mut chain = Chain {
        dag,
        start,
        steps: Vec::new(),
    };
    chain.steps = readable(&chain.dag, start, goal, raw, has_names)?;
    (!cancelled()).then_some(chain)
}

/// Gives each size without a number the one that is assumed of it, or one of its own. Whether there were any.
fn settle(dag: &mut Dag) -> bool {
    let mut next = FIRST_SIZE;
    let mut has_names = false;
    if dag
        .ids()
        .any(|id| dag.ty(id).rows.known().is_none() || dag.ty(id).cols.known().is_none())
    {
        // Sizes are equal where an operator needs them to be.
        *dag = dag.symbolic(&|_| false).as_assumed();
    }
    for id in dag.ids() {
        if let Node::Op(Op::MatMul, args) = dag.node(id).clone()
            && let (Some(a), Some(b)) = (
                dag.ty(args[0]).cols.lone_name().map(str::to_owned),
                dag.ty(args[1]).rows.lone_name().map(str::to_owned),
            )
            && a != b
        {
            dag.rename_size(&b, &Dim::symbol(&*a, None));
            has_names = true;
        }
    }
    loop {
        let size_of = |ty: &Type| {
            let name = ty.rows.lone_name().or(ty.cols.lone_name())?;
            Some(name.to_owned())
        };
        let Some(name) = dag.inputs().iter().find_map(|input| size_of(&input.ty)) else {
            return has_names;
        };
        dag.rename_size(&name, &Dim::Known(next));
        has_names = true;
        // Sums of such sizes are no such size.
        next = 2 * next + 1;
    }
}

struct Search<'a> {
    dag: Dag,
    cancelled: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// The steps from one node to another of the same value.
    fn between(&mut self, start: NodeId, goal: NodeId, depth: usize) -> Option<Vec<Raw>> {
        let mut steps = Vec::new();
        let mut tried = BTreeSet::new();
        let mut now = start;
        while now != goal && depth < MOST_DEPTH && tried.len() < MOST_PARTS {
            if (self.cancelled)() {
                return None;
            }
            let Some([part, equal]) = Equals::new(&self.dag, [now, goal])?.lemma(now, goal, &tried)
            else {
                break;
            };
            tried.insert(part);
            let Some(inner) = self.between(part, equal, depth + 1) else {
                continue;
            };
            for step in inner {
                let form = step.form.map(|form| self.exchanged(now, part, form));
                let laws = step.laws;
                steps.push(Raw { laws, form });
            }
            now = self.exchanged(now, part, equal);
        }
        if now != goal {
            let apart = Apart::new(&self.dag, [now, goal]);
            for found in path::path(&apart.dag, apart.sides, self.cancelled)? {
                let form = found
                    .form
                    .map(|form| apart.whole(&form, form.roots()[0], &mut self.dag));
                let laws = found.laws;
                steps.push(Raw { laws, form });
            }
        }
        Some(steps)
    }

    /// The form `whole` with `part` exchanged for `other`.
    fn exchanged(&mut self, whole: NodeId, part: NodeId, other: NodeId) -> NodeId {
        let from = self.dag.clone();
        self.dag.import_with(&from, whole, &mut |_, id| match id {
            id if id == part => Some(other),
            _ => None,
        })
    }
}

/// The steps that a person reads: forms that can be written, are proved equal, and differ from the one before.
fn readable(
    dag: &Dag,
    start: NodeId,
    goal: NodeId,
    raw: Vec<Raw>,
    has_names: bool,
) -> Option<Vec<Step>> {
    let forms = raw.iter().filter_map(|step| step.form);
    let mut roots = vec![start, goal];
    roots.extend(forms);
    let equal = Equals::among(dag, &roots)?;
    let (first, last) = (dag.print(start), dag.print(goal));
    let longest = SHORT + 3 * first.len().max(last.len());
    let ends = sizes_in(dag, &[start, goal]);
    let is_shown = |form: NodeId| {
        form == goal
            || (equal.are_equal(start, form)
                && !(has_names && sizes_in(dag, &[form]).iter().any(|n| !ends.contains(n))))
    };
    let mut texts = vec![first];
    let mut steps: Vec<Step> = Vec::new();
    // Of forms that are left out, and of steps that change nothing.
    let (mut joined, mut idle) = (BTreeSet::new(), BTreeSet::new());
    for step in raw {
        let form = step.form.filter(|form| is_shown(*form));
        let text = form.map(|form| dag.print(form));
        let (Some(form), Some(text)) = (form, text.filter(|text| text.len() <= longest)) else {
            joined.extend(step.laws);
            continue;
        };
        if let Some(seen) = texts.iter().position(|known| *known == text) {
            // A way round leads nowhere; what changes nothing is bookkeeping.
            texts.truncate(seen + 1);
            steps.truncate(seen);
            idle.extend(std::mem::take(&mut joined));
            idle.extend(step.laws);
            continue;
        }
        let mut laws = std::mem::take(&mut joined);
        laws.extend(step.laws);
        let idle = std::mem::take(&mut idle);
        let laws = [laws, idle]
            .into_iter()
            .flat_map(|laws| [named(&laws, false), named(&laws, true)])
            .find(|laws| !laws.is_empty())
            .unwrap_or_else(|| vec![Law::SAME]);
        texts.push(text);
        steps.push(Step { laws, form });
    }
    Some(compressed(steps))
}

/// Without the steps that no rule makes, each joined with the one after it, and at the end with the one before; several steps
/// that only associate are one.
fn compressed(steps: Vec<Step>) -> Vec<Step> {
    let is_same = |step: &Step| step.laws == [Law::SAME];
    let is_minor = |step: &Step| step.laws.iter().all(|law| law.is_minor());
    let mut kept: Vec<Step> = Vec::new();
    for step in steps {
        match kept.last_mut() {
            Some(last) if is_same(last) => *last = step,
            Some(last) if is_minor(last) && is_minor(&step) => {
                let both: BTreeSet<Law> = last.laws.iter().chain(&step.laws).copied().collect();
                let laws = both.into_iter().filter(|law| *law != Law::SAME);
                *last = Step {
                    laws: laws.collect(),
                    form: step.form,
                };
            }
            _ => kept.push(step),
        }
    }
    if let [.., before, last] = &mut kept[..]
        && is_same(last)
    {
        before.form = last.form;
        kept.pop();
    }
    kept
}

/// Those of the laws that name a step, or only help.
fn named(laws: &BTreeSet<Law>, is_minor: bool) -> Vec<Law> {
    let laws = laws.iter().copied();
    laws.filter(|law| law.is_minor() == is_minor).collect()
}

/// Numbers that only sizes make so large or so small.
fn sizes_in(dag: &Dag, roots: &[NodeId]) -> BTreeSet<u64> {
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let least = FIRST_SIZE as f64 / 2.0;
    let nodes = dag.reachable(roots).into_iter();
    nodes
        .filter_map(|id| match dag.node(id) {
            Node::Num(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        })
        .filter(|n| *n != 0.0 && (n.abs() >= least || n.abs() <= 1.0 / least))
        .map(f64::to_bits)
        .collect()
}
