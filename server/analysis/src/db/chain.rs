//! A main program, subtree by subtree: what each is analysed with follows from those before it and behind it, restricted to
//! what it mentions. A subtree that is the same and is given the same is not looked into again.
//!
//! The parts of a subtree are gone through in a loop, first to last, so that no query waits for a chain of others; queries
//! nest as deep as subtrees do.

#![allow(clippy::needless_pass_by_value, reason = "a query owns its key")]

mod context;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::api::{Db, Kept};
use super::inputs::{Function, SourceFile};
use super::key::key;
use super::outline::Counts;
use super::queries::{MainRecorded, Units, checked, world_of};
use super::recorded::{Has, Prepared, Recorded};
use super::segment_tree::{ByPlace, SegmentTree, Several};
use super::segments::{Segment, Segments, labelled};
use super::world::World;
use crate::analyzer::{Analyzer, Env, Var};
use crate::equality::Equality;
use crate::lines::Lines;
use crate::liveness::Liveness;
use crate::made::{Calls, Made, most_signatures};
use crate::names::{Names, is_constant_name};
use crate::sites::Facts;
use context::{Context, Key, Wanted};

/// What comes out of a subtree.
pub(crate) struct Walked {
    of: Of,
    /// How many segments it has, and what there is in them.
    count: usize,
    has: Has,
    /// The variables that it changed: all of one segment, of several those that are needed behind them.
    changed: Vec<(Arc<str>, Arc<Var>)>,
    /// The sizes that go by another name since.
    equalities: Vec<Equality>,
    calls: Vec<Made>,
    /// Of which functions not all calls could be followed.
    counted: HashSet<Function>,
}

/// What was looked at.
enum Of {
    One(Arc<Recorded>),
    Several(Vec<Arc<Walked>>),
    /// Nothing: one of the segments reads what is not known, and must be told all names that are.
    Asks,
}

/// One of the segments must be told all names that are known before the subtree.
struct Asks;

impl Walked {
    /// The names that it changed.
    fn names(&self, out: &mut Names) {
        match &self.of {
            Of::Several(parts) => parts.iter().for_each(|part| part.names(out)),
            _ => out.extend(self.changed.iter().map(|(name, _)| Arc::clone(name))),
        }
    }

    /// How many segments it has.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// What is recorded of those of its segments in which there is what is meant, in source order; the first has number `from`.
    pub(super) fn each(
        &self,
        from: usize,
        is_meant: fn(Has) -> bool,
        each: &mut impl FnMut(usize, &Arc<Recorded>),
    ) {
        if !is_meant(self.has) {
            return;
        }
        match &self.of {
            Of::One(recorded) => each(from, recorded),
            Of::Several(parts) => {
                let mut number = from;
                for part in parts {
                    part.each(number, is_meant, each);
                    number += part.count;
                }
            }
            Of::Asks => {}
        }
    }
}

/// What is known of a subtree that stands among others.
fn analysed(db: &dyn Db, file: SourceFile, subtree: &SegmentTree, context: Key) -> Arc<Walked> {
    match subtree {
        SegmentTree::One(segment) => {
            let key = key((segment, &context));
            db.keep(Kept::Record, key, segment.0.unit.text.len());
            segment_analysis(db, file, segment.clone(), context)
        }
        SegmentTree::Several(several) => {
            db.keep(Kept::SegmentTree, key((several, &context)), 0);
            tree_analysis(db, file, several.clone(), context)
        }
    }
}

#[salsa::tracked(returns(clone), no_eq)]
fn tree_analysis(
    db: &dyn Db,
    file: SourceFile,
    several: ByPlace<Several>,
    context: Key,
) -> Arc<Walked> {
    let chain = Chain::within(db, file, &context.1);
    Arc::new(
        chain
            .walked(&several.0.parts)
            .unwrap_or_else(|Asks| Walked {
                of: Of::Asks,
                count: 0,
                has: Has::default(),
                changed: Vec::new(),
                equalities: Vec::new(),
                calls: Vec::new(),
                counted: HashSet::new(),
            }),
    )
}

#[salsa::tracked(returns(clone), no_eq)]
fn segment_analysis(
    db: &dyn Db,
    file: SourceFile,
    segment: ByPlace<Segment>,
    context: Key,
) -> Arc<Walked> {
    let (segment, context) = (segment.0, context.1);
    let unit = segment.unit.clone();
    let (program, text) = (&unit.program, &unit.text);
    let mut facts = Facts::of(program, &Lines::of(text), &[], &file.globals(db));
    let writes = segment.writes.keys();
    let earlier = writes.filter_map(|name| Some((Arc::clone(name), context.earlier.get(name)?)));
    facts.earlier = earlier.collect();
    let prepared = Prepared {
        facts,
        liveness: Liveness::behind(program, text, context.live.clone()),
        unreadable: context.unreadable.clone(),
        options: file.options(db),
        unit: unit.clone(),
    };
    let world = world_of(db, file, None);
    let mut analyzer = Analyzer::new(&prepared, world.clone());
    analyzer.env = context.env.clone();
    analyzer.elsewhere.clone_from(&context.elsewhere);
    analyzer.equalities = context.equalities.to_vec();
    analyzer.calls = Calls::after(context.calls.iter());
    analyzer.record_main();
    let label = segment.label;
    let changed = changed(&context.env, &analyzer.env);
    let changed = changed.map(|(name, var)| (Arc::clone(name), Arc::new(outside(var, label))));
    let changed = changed.collect();
    let new = analyzer.equalities[context.equalities.len()..].iter();
    let equalities = new.map(|equality| Equality {
        range: labelled(label, equality.range),
        ..equality.clone()
    });
    let equalities = equalities.collect();
    let recorded = Recorded {
        set_before: context.set.clone(),
        ..checked(&prepared, &world, analyzer.finish())
    };
    Arc::new(Walked {
        calls: recorded.calls.clone(),
        count: 1,
        has: recorded.has(),
        of: Of::One(Arc::new(recorded)),
        changed,
        equalities,
        counted: HashSet::new(),
    })
}

/// The variables that are not what they were.
fn changed<'a>(
    before: &'a Env,
    behind: &'a Env,
) -> impl Iterator<Item = (&'a Arc<str>, &'a Arc<Var>)> {
    behind.iter().filter(|(name, var)| {
        let before = before.get(*name);
        before.is_none_or(|before| !Arc::ptr_eq(before, var))
    })
}

/// A variable as other segments see it.
fn outside(var: &Var, label: usize) -> Var {
    let mut var = var.clone();
    var.defs = var.defs.iter().map(|def| labelled(label, *def)).collect();
    if let Some(origin) = &mut var.info.origin {
        origin.range = labelled(label, origin.range);
    }
    let read = var.info.unsized_read;
    var.info.unsized_read = read.map(|read| labelled(label, read));
    var
}

/// All segments of a main program.
pub(super) fn analysis(db: &dyn Db, file: SourceFile, segments: &Segments) -> MainRecorded {
    let outlines = segments.trees().iter().map(SegmentTree::outline);
    let unreadable = outlines.flat_map(|outline| &outline.unreadable);
    let context = Context {
        elsewhere: Some(Arc::new([])),
        unreadable: unreadable.cloned().collect(),
        ..Context::default()
    };
    // All that is known before the first one is told, so none has to ask.
    let walked = Chain::within(db, file, &context).walked(segments.trees());
    let (units, calls) = match walked {
        Ok(Walked {
            of: Of::Several(parts),
            calls,
            ..
        }) => (parts, calls),
        _ => Default::default(),
    };
    MainRecorded {
        units: Units::Several(units),
        calls,
    }
}

/// What is known between two subtrees.
struct Chain<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    world: World<'a>,
    /// What is known around all of them.
    context: &'a Context,
    env: Env,
    equalities: Arc<[Equality]>,
    earlier: Counts,
    set: Names,
    /// The calls before, and those within.
    calls: Vec<Made>,
    /// The same by what they call.
    made: HashMap<Function, HashSet<Made>>,
    counted: HashSet<Function>,
    walked: Vec<Arc<Walked>>,
}

impl<'a> Chain<'a> {
    fn within(db: &'a dyn Db, file: SourceFile, context: &'a Context) -> Self {
        let mut chain = Chain {
            db,
            file,
            world: world_of(db, file, None),
            context,
            env: context.env.clone(),
            equalities: Arc::clone(&context.equalities),
            earlier: context.earlier.clone(),
            set: context.set.clone(),
            calls: Vec::new(),
            made: HashMap::new(),
            counted: HashSet::new(),
            walked: Vec::new(),
        };
        chain.call(&context.calls);
        chain
    }

    /// Goes through all subtrees there are.
    fn walked(mut self, parts: &[SegmentTree]) -> Result<Walked, Asks> {
        let context = self.context;
        for (part, wanted) in parts.iter().zip(Wanted::by(
            parts,
            context.live.clone(),
            context.needed.clone(),
        )) {
            self.world.poll();
            let walked = self.walk(part, &wanted)?;
            self.pass(part, &wanted, walked);
        }
        let changed = changed(&context.env, &self.env);
        let changed = changed.filter(|(name, _)| context.needed.contains(*name));
        let changed = changed.map(|(name, var)| (Arc::clone(name), Arc::clone(var)));
        let has = self.walked.iter().map(|walked| walked.has);
        Ok(Walked {
            count: self.walked.iter().map(|walked| walked.count).sum(),
            has: has.fold(Has::default(), Has::and),
            changed: changed.collect(),
            equalities: self.equalities[context.equalities.len()..].to_vec(),
            calls: self.calls.split_off(context.calls.len()),
            counted: self.counted,
            of: Of::Several(self.walked),
        })
    }

    fn walk(&mut self, part: &SegmentTree, wanted: &Wanted) -> Result<Arc<Walked>, Asks> {
        let mut context = Key::of(self.context(part, wanted)?);
        loop {
            let walked = analysed(self.db, self.file, part, context.clone());
            let calls = self.counted(&walked);
            let told = Context::clone(&context.1);
            context = Key::of(if let Of::Asks = walked.of {
                Context {
                    elsewhere: Some(self.elsewhere()?),
                    ..told
                }
            } else if calls.is_empty() || !told.calls.is_empty() {
                return Ok(walked);
            } else {
                self.counted.extend(calls.iter().map(|made| made.callee));
                Context { calls, ..told }
            });
        }
    }

    /// What a subtree is analysed with.
    fn context(&self, part: &SegmentTree, wanted: &Wanted) -> Result<Context, Asks> {
        let outline = part.outline();
        let known = wanted.before.iter();
        let known = known.filter_map(|name| Some((Arc::clone(name), self.env.get(name)?.clone())));
        let is_unreadable = |name: &Arc<str>| self.context.unreadable.contains(name);
        let is_known = |name: &Arc<str>| {
            self.env.contains_key(name) || is_unreadable(name) || is_constant_name(name)
        };
        let elsewhere = if outline.needs.reads.iter().all(is_known) {
            None
        } else {
            Some(self.elsewhere()?)
        };
        // To one that only reads what is known it is nothing whether that is written where nobody can read it.
        let unreadable = self.context.unreadable.iter().filter(|name| {
            outline.mentions.contains(name)
                && (outline.writes.get(name).is_some() || !self.env.contains_key(*name))
        });
        let set = wanted.before.intersection(&self.set);
        Ok(Context {
            env: known.collect(),
            elsewhere,
            equalities: Arc::clone(&self.equalities),
            live: wanted.behind.clone(),
            needed: match part {
                SegmentTree::One(_) => Names::new(),
                SegmentTree::Several(_) => wanted.needed.clone(),
            },
            unreadable: unreadable.cloned().collect(),
            earlier: self.earlier.within(&outline.writes),
            set: set.cloned().collect(),
            calls: Vec::new(),
        })
    }

    /// All names that are known.
    fn elsewhere(&self) -> Result<Arc<[Arc<str>]>, Asks> {
        let before = self.context.elsewhere.as_ref().ok_or(Asks)?;
        let mut names: Names = before.iter().cloned().collect();
        for walked in &self.walked {
            walked.names(&mut names);
        }
        Ok(names.into_iter().collect())
    }

    /// The earlier calls of the functions that a subtree calls, if not all of them and the subtree's can be followed.
    fn counted(&self, walked: &Walked) -> Vec<Made> {
        let mut own: HashMap<Function, HashSet<&Made>> = HashMap::new();
        for made in &walked.calls {
            own.entry(made.callee).or_default().insert(made);
        }
        let mut counted = HashSet::new();
        for (callee, mut all) in own {
            let earlier = || self.made.get(&callee).into_iter().flatten();
            all.extend(earlier());
            let most = most_signatures(self.world.height(callee));
            if all.len() > most || walked.counted.contains(&callee) {
                counted.extend(earlier());
            }
        }
        let counted = self.calls.iter().filter(|made| counted.contains(made));
        counted.cloned().collect()
    }

    /// Goes on behind a subtree.
    fn pass(&mut self, part: &SegmentTree, wanted: &Wanted, walked: Arc<Walked>) {
        for equality in &walked.equalities {
            let renamed = self.env.iter().filter_map(|(name, var)| {
                let mut info = var.info.clone();
                equality.rename(&mut info);
                let defs = || var.defs.clone();
                (info != var.info).then(|| (Arc::clone(name), Arc::new(Var { info, defs: defs() })))
            });
            for (name, var) in renamed.collect::<Vec<_>>() {
                self.env.insert(name, var);
            }
        }
        if !walked.equalities.is_empty() {
            let all = self.equalities.iter().chain(&walked.equalities);
            self.equalities = all.cloned().collect();
        }
        for (name, var) in &walked.changed {
            if wanted.needed.contains(name) {
                self.env.insert(Arc::clone(name), Arc::clone(var));
            }
        }
        let outline = part.outline();
        self.earlier = self.earlier.and(&outline.writes);
        let set = wanted.needed.iter();
        let set = set.filter(|name| outline.sets.contains(name)).cloned();
        self.set.extend(set);
        self.counted.extend(&walked.counted);
        self.call(&walked.calls);
        self.walked.push(walked);
    }

    fn call(&mut self, calls: &[Made]) {
        for made in calls {
            let known = self.made.entry(made.callee).or_default();
            if known.insert(made.clone()) {
                self.calls.push(made.clone());
            }
        }
    }
}
