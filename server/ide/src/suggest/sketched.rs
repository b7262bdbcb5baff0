//! A form that a person asked for by a sketch: searched, proved, checked by running and written as suggestions are, but
//! shown also where it does not pay: the person knows what it is for.

mod generalize;
mod offers;
mod previews;
mod told;

use std::sync::Arc;

use sumac_cost::Machine;
use sumac_la::{Dag, NodeId};
use sumac_sketch::text::Filled;
use sumac_sumproduct::guided::{Asked, Cache, Found, GuideStore, Miss, Progress, guided};
use sumac_sumproduct::{Options, Outcome, SearchStats};
use sumac_text::TextRange;

use super::group::Group;
use super::site::Site;
use super::{as_suggestion, group};
use crate::cache::Block;
use crate::estimate;
use crate::searches::Search;
use crate::snapshot::Snapshot;
use crate::suggestion::Suggestion;

pub use generalize::{Written, sketch_from, statement_of, written_at};
pub use offers::{Offer, sketch_offers};
pub use previews::preview;
pub use told::{stage_lines, to_keep};

/// How a sketch is searched.
#[derive(Clone, Copy)]
pub struct SketchSearch<'a> {
    /// As any search.
    pub search: Search<'a>,
    /// What stages found before.
    pub cache: &'a Cache,
    /// Forms that are wanted at most.
    pub forms: usize,
    /// Whether it is found out what would help where a stage is not reached.
    pub explains: bool,
    /// Whether a stage that was not reached is searched by way of guides that nobody wrote. The answer may then depend on
    /// what was searched before.
    pub bridges: bool,
}

/// How far a search is, in the script's names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SketchProgress {
    /// The stage that is searched: `guide split`, `goal`.
    pub label: String,
    /// Its number, from 1, and how many there are.
    pub stage: (usize, usize),
    /// Rounds of the stage so far.
    pub round: usize,
    /// E-nodes of the stage so far.
    pub nodes: usize,
    /// The best form of the stage before: the statement itself in the first.
    pub best: String,
}

/// A stage that was reached, in the script's names.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// `guide split`, `goal`.
    pub label: String,
    /// Its best form.
    pub form: String,
    /// What was minimized, and the figure; `None` where sizes are no numbers.
    pub cost: (&'static str, Option<f64>),
    /// E-nodes before the first round and after each.
    pub growth: Vec<usize>,
    /// Why it ended.
    pub ended: &'static str,
    /// Whether it was known from an earlier search.
    pub was_known: bool,
    /// The stage as it would be written, where nobody wrote it: by way of it the next stage was reached.
    pub proposed: Option<String>,
}

/// Forms that fit a sketch.
#[derive(Clone, Debug)]
pub struct Sketched {
    /// Each as an edit, the best first.
    pub suggestions: Vec<Suggestion>,
    /// The stages on the way.
    pub stages: Vec<Stage>,
}

/// Why there is no form.
#[derive(Clone, PartialEq, Debug)]
pub enum NoForm {
    /// There is nothing to search at the place.
    Nothing,
    /// The sketch cannot be used here: text for a person.
    Wrong(String),
    /// A form was found, and nothing can be written: text for a person.
    Unwritten(String, Vec<Stage>),
    /// What is written fits, and no cheaper form does: text for a person.
    AsWritten(String, Vec<Stage>),
    /// A stage was not reached.
    Unreached(Box<Unreached>),
    /// It was cancelled.
    Cancelled,
}

/// A stage that was not reached, in the script's names.
#[derive(Clone, PartialEq, Debug)]
pub struct Unreached {
    /// `guide split`, `goal`.
    pub label: String,
    /// Its number, from 0.
    pub stage: usize,
    /// The pattern, with everything filled in.
    pub pattern: String,
    /// The parts of the pattern that the nearest form misses.
    pub missed: Vec<TextRange>,
    /// The form that misses the least.
    pub nearest: Option<String>,
    /// E-nodes before the first round and after each.
    pub growth: Vec<usize>,
    /// Why the search ended.
    pub ended: &'static str,
    /// The stages that were reached before.
    pub stages: Vec<Stage>,
    /// A set of rules with which the stage is reached.
    pub add: Option<&'static str>,
    /// A guide with which, put before it, the stage is reached.
    pub guide: Option<String>,
}

/// Searches for forms of the statements at `wanted` that fit a sketch. `watch` is told how far it is.
///
/// # Errors
/// See [`NoForm`].
pub fn sketched(
    snapshot: &Snapshot,
    blocks: &[Block],
    wanted: TextRange,
    sketch: &Filled,
    how: SketchSearch<'_>,
    watch: &mut dyn FnMut(SketchProgress),
) -> Result<Sketched, NoForm> {
    let mut miss = NoForm::Nothing;
    for (site, group) in groups_at(snapshot, blocks, wanted) {
        match of_group(site, &group, sketch, how, watch) {
            Ok(found) => return Ok(found),
            Err(NoForm::Cancelled) => return Err(NoForm::Cancelled),
            Err(other) => miss = miss.or_nearer(other),
        }
    }
    Err(miss)
}

/// Searches for forms of one of a group's expressions that fit a sketch.
pub(super) fn of_group(
    site: Site<'_>,
    group: &Group<'_>,
    sketch: &Filled,
    how: SketchSearch<'_>,
    watch: &mut dyn FnMut(SketchProgress),
) -> Result<Sketched, NoForm> {
    let mut miss = NoForm::Nothing;
    for dag in group.readings() {
        for part in 0..dag.roots().len() {
            match one(site, group, (&dag, part), sketch, how, watch) {
                Ok(found) => return Ok(found),
                Err(NoForm::Cancelled) => return Err(NoForm::Cancelled),
                Err(other) => miss = miss.or_nearer(other),
            }
        }
    }
    Err(miss)
}

impl NoForm {
    /// How near it came.
    fn rank(&self) -> usize {
        match self {
            NoForm::Nothing => 0,
            NoForm::Wrong(_) => 1,
            NoForm::Unreached(it) => 2 + it.stage,
            NoForm::Unwritten(..) | NoForm::AsWritten(..) | NoForm::Cancelled => usize::MAX,
        }
    }

    /// Of two reasons the one that came nearer, which says more; of equal ones this.
    #[must_use]
    pub fn or_nearer(self, other: NoForm) -> NoForm {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }
}

/// The groups of which a statement is at `wanted`, each followed by its statements alone.
fn groups_at<'a>(
    snapshot: &'a Snapshot,
    blocks: &'a [Block],
    wanted: TextRange,
) -> Vec<(Site<'a>, Group<'a>)> {
    let mut found = Vec::new();
    for site in blocks.iter().filter_map(|block| Site::of(snapshot, block)) {
        let is_there = |group: &Group<'_>| {
            let ranges = group.ranges();
            let mut ranges = ranges.iter().map(|range| site.in_file(*range));
            ranges.any(|range| range.start <= wanted.end && wanted.start <= range.end)
        };
        for group in group::groups(site) {
            if !is_there(&group) {
                continue;
            }
            let alone: Vec<_> = if group.members.len() > 1 {
                group.split().filter(|one| is_there(one)).collect()
            } else {
                Vec::new()
            };
            // Who points at a statement that would be inlined means that one first.
            let last = site.in_file(group.last().range);
            let is_last = last.start <= wanted.end && wanted.start <= last.end;
            if is_last {
                found.push((site, group));
                found.extend(alone.into_iter().map(|one| (site, one)));
            } else {
                found.extend(alone.into_iter().map(|one| (site, one)));
                found.push((site, group));
            }
        }
    }
    found
}

/// What guided searches of a group's expressions are asked.
#[derive(Clone, Copy)]
struct Question<'a> {
    dag: &'a Dag,
    names: &'a dyn Fn(&str) -> Option<Arc<str>>,
    machine: &'a Machine,
    options: &'a Options,
}

impl<'a> Question<'a> {
    fn about(&self, root: NodeId, forms: usize) -> Asked<'a> {
        Asked {
            dag: self.dag,
            root,
            name_of: self.names,
            machine: self.machine,
            cost: self.options.cost,
            max_nodes: self.options.max_nodes,
            max_rounds: None,
            forms,
            seed: self.options.seed,
            explains: false,
            bridges: false,
            learned: None,
        }
    }
}

/// One of the expressions of a group.
fn one(
    site: Site<'_>,
    group: &Group<'_>,
    (dag, part): (&Dag, usize),
    sketch: &Filled,
    how: SketchSearch<'_>,
    watch: &mut dyn FnMut(SketchProgress),
) -> Result<Sketched, NoForm> {
    let options = how.search.options;
    let (names, machine) = (group.script_names(), options.machine());
    let question = Question {
        dag,
        names: &names,
        machine: &machine,
        options,
    };
    let asked = Asked {
        explains: how.explains,
        bridges: how.bridges,
        learned: how
            .search
            .store
            .filter(|_| how.bridges)
            .map(|store| store as &dyn GuideStore),
        ..question.about(dag.roots()[part], how.forms)
    };
    let cancelled = || how.search.cancel.is_cancelled();
    let shown = |form: &Dag| {
        let form = group.in_script_names(form)?;
        Some(form.print(*form.roots().last()?))
    };
    let text = |form: &Dag| shown(form).unwrap_or_else(|| form.print(form.roots()[0]));
    let stages = |reached: &[sumac_sumproduct::guided::Reached]| {
        let stage = |one: &sumac_sumproduct::guided::Reached| Stage {
            label: one.label.clone(),
            form: text(&one.form),
            cost: one.cost,
            growth: one.growth.iter().map(|round| round.nodes).collect(),
            ended: one.ended.text(),
            was_known: one.was_known,
            proposed: one.proposed.clone(),
        };
        reached.iter().map(stage).collect::<Vec<_>>()
    };
    let mut told = |progress: Progress<'_>| {
        watch(SketchProgress {
            label: progress.label.to_owned(),
            stage: progress.stage,
            round: progress.round,
            nodes: progress.nodes,
            best: text(progress.best),
        });
    };
    let found =
        guided(asked, sketch, how.cache, &cancelled, &mut told).map_err(|miss| match miss {
            Miss::Wrong(text) => NoForm::Wrong(text),
            Miss::Cancelled => NoForm::Cancelled,
            Miss::Unproved => NoForm::Unwritten(
                "forms that fit were found, and none could be proved equal within its bounds"
                    .to_owned(),
                Vec::new(),
            ),
            Miss::Unreached(it) => NoForm::Unreached(Box::new(Unreached {
                label: it.label.clone(),
                stage: it.stage,
                pattern: it.pattern.clone(),
                missed: it.missed.clone(),
                nearest: it.nearest.as_ref().and_then(shown),
                growth: it.growth.iter().map(|round| round.nodes).collect(),
                ended: it.ended.text(),
                stages: stages(&it.reached),
                add: it.add,
                guide: it.guide.clone(),
            })),
        })?;
    let stages = stages(&found.reached);
    let mut suggestions = Vec::new();
    let mut why = None;
    for form in &found.forms {
        match written(site, group, (dag, part), (form, sketch), &found, how) {
            Ok(suggestion) => suggestions.push(suggestion),
            Err(reason) => why = why.or(Some(reason)),
        }
    }
    match why {
        Some(Why::AsWritten(text)) if suggestions.is_empty() => {
            Err(NoForm::AsWritten(text, stages))
        }
        Some(Why::Other(text)) if suggestions.is_empty() => Err(NoForm::Unwritten(text, stages)),
        _ => Ok(Sketched {
            suggestions,
            stages,
        }),
    }
}

/// Why a form is not written.
enum Why {
    AsWritten(String),
    Other(String),
}

/// A form in its place, or why it cannot be written.
fn written(
    site: Site<'_>,
    group: &Group<'_>,
    (dag, part): (&Dag, usize),
    (form, sketch): (&Dag, &Filled),
    found: &Found,
    how: SketchSearch<'_>,
) -> Result<Suggestion, Why> {
    let mut whole = Dag::default();
    for (number, root) in dag.roots().iter().enumerate() {
        let made: NodeId = if number == part {
            whole.import(form, form.roots()[0])
        } else {
            whole.import(dag, *root)
        };
        whole.push_root(made);
    }
    let machine = how.search.options.machine();
    let no_name =
        || Why::Other("a value that it needs has no name at this place any more".to_owned());
    let named = group.in_script_names(&whole).ok_or_else(no_name)?;
    let text = named.print(named.roots()[part]);
    let original = group.original();
    if original.print(original.roots()[part]) == text && group.members.len() == 1 {
        let text = format!("`{text}` fits the sketch as it is written");
        return Err(Why::AsWritten(text));
    }
    let costs = |dag: &Dag| estimate::cost(dag, how.search.options);
    let no_sizes = || {
        Why::Other(format!(
            "`{text}` fits the sketch, but its sizes are not known, so it cannot be checked by a run; state them in the script: `#@ X: 1000 x 20`"
        ))
    };
    let (Some(_), Some(after)) = (costs(&original), costs(&named)) else {
        return Err(no_sizes());
    };
    let rounds = |of: fn(&sumac_sumproduct::guided::Round) -> usize| {
        let largest = |it: &sumac_sumproduct::guided::Reached| it.growth.iter().map(of).max();
        found.reached.iter().filter_map(largest).sum()
    };
    let outcome = Outcome {
        dag: whole,
        after,
        search: SearchStats {
            iterations: found.reached.iter().map(|it| it.growth.len() - 1).sum(),
            enodes: rounds(|round| round.nodes),
            eclasses: rounds(|round| round.classes),
            milliseconds: found.milliseconds,
            ..SearchStats::unsearched("sketch")
        },
    };
    let made = as_suggestion(site, group, outcome, how.search, &|_, _| true);
    let mut suggestion = made.map_err(|_| {
        Why::Other(if machine.fits(after.peak_bytes) {
            format!(
                "`{text}` fits the sketch, and could not be written in place: a run on random data must agree, and no comment may stand inside the expression"
            )
        } else {
            format!("`{text}` fits the sketch, and needs more memory than there is")
        })
    })?;
    Arc::make_mut(&mut suggestion.advice).sketch = Some(sketch.name.as_str().into());
    Ok(suggestion)
}
