//! The queries: units of a file, what a call gives, what is recorded of each unit, and the whole of a file.
#![allow(clippy::needless_pass_by_value, reason = "a query owns its key")]

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, OnceLock};

use super::api::{Db, Kept};
use super::assemble::Parts;
use super::inputs::{Function, Main, SourceFile};
use super::key::key;
use super::recorded::{Has, Prepared, Recorded};
use super::signature::Signature;
use super::world::World;
use super::{chain, rows};
use crate::analyzer::Analyzer;
use crate::checks;
use crate::made::Made;
use crate::value::ValueInfo;

#[salsa::tracked(returns(clone), no_eq)]
fn prepared_function(db: &dyn Db, function: Function) -> Option<Arc<Prepared>> {
    let unit = function.unit(db)?;
    Some(Arc::new(Prepared::new(db, function.file(db), unit, false)))
}

/// What a call of a function comes to.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Walked {
    /// In the function's own names of sizes.
    results: Vec<ValueInfo>,
    calls: Vec<Made>,
}

/// The world as a function sees it, or the main program.
pub(crate) fn world_of(db: &dyn Db, file: SourceFile, caller: Option<Function>) -> World<'_> {
    World::new(db, file, caller, |db, function, args| {
        function_results(db, function, args)
    })
}

/// A walk over a function's body for one signature, without a record.
#[salsa::tracked(returns(clone), no_eq)]
fn function_walk(db: &dyn Db, function: Function, args: Signature) -> Arc<Walked> {
    let Some(prepared) = prepared_function(db, function) else {
        return Arc::default();
    };
    db.keep(Kept::Walk, key((function, &args)), prepared.unit.text.len());
    let mut analyzer = Analyzer::new(&prepared, world_of(db, function.file(db), Some(function)));
    let results = analyzer.walk_function(args.args());
    Arc::new(Walked {
        results,
        calls: analyzer.into_calls(),
    })
}

/// What a function gives for a signature. Callers look here, so what changes inside without changing this is nothing
/// to them.
#[salsa::tracked(returns(clone))]
pub(crate) fn function_results(
    db: &dyn Db,
    function: Function,
    args: Signature,
) -> Arc<Vec<ValueInfo>> {
    Arc::new(function_walk(db, function, args).results.clone())
}

#[salsa::tracked(returns(clone))]
fn function_calls(db: &dyn Db, function: Function, args: Signature) -> Arc<Vec<Made>> {
    Arc::new(function_walk(db, function, args).calls.clone())
}

/// What is recorded of a file's main program, or of its segments.
pub(crate) struct MainRecorded {
    pub(crate) units: Units,
    pub(crate) calls: Vec<Made>,
}

/// A main program at once or, where it is cut, as its subtrees have it: those that are the same are not copied from text to text.
pub(crate) enum Units {
    One(Arc<Recorded>),
    Several(Vec<Arc<chain::Walked>>),
}

impl Units {
    /// Those in which there is what is meant, in source order, each with its number.
    pub(crate) fn each(
        &self,
        is_meant: fn(Has) -> bool,
        each: &mut impl FnMut(usize, &Arc<Recorded>),
    ) {
        match self {
            Units::One(recorded) if is_meant(recorded.has()) => each(0, recorded),
            Units::One(_) => {}
            Units::Several(parts) => {
                let mut number = 0;
                for part in parts {
                    part.each(number, is_meant, each);
                    number += part.count();
                }
            }
        }
    }
}

/// What is recorded of a file's main program.
#[salsa::tracked(returns(clone), no_eq)]
pub(crate) fn main_analysis(db: &dyn Db, file: SourceFile) -> Arc<MainRecorded> {
    let unit = match file.main(db) {
        Main::Whole(unit) => unit,
        Main::Cut(segments) => return Arc::new(chain::analysis(db, file, &segments)),
    };
    let prepared = Prepared::new(db, file, unit, true);
    let world = world_of(db, file, None);
    let mut analyzer = Analyzer::new(&prepared, world.clone());
    analyzer.record_main();
    let recorded = checked(&prepared, &world, analyzer.finish());
    Arc::new(MainRecorded {
        calls: recorded.calls.clone(),
        units: Units::One(Arc::new(recorded)),
    })
}

#[salsa::tracked(returns(clone))]
fn main_calls(db: &dyn Db, file: SourceFile) -> Arc<Vec<Made>> {
    Arc::new(main_analysis(db, file).calls.clone())
}

/// What is recorded of a function, with what holds over all its calls.
#[salsa::tracked(returns(clone), no_eq)]
pub(crate) fn function_analysis(db: &dyn Db, function: Function, args: Signature) -> Arc<Recorded> {
    let Some(prepared) = prepared_function(db, function) else {
        return Arc::default();
    };
    db.keep(
        Kept::Record,
        key((function, &args)),
        prepared.unit.text.len(),
    );
    let world = world_of(db, function.file(db), Some(function));
    let mut analyzer = Analyzer::new(&prepared, world.clone());
    analyzer.record_function(args.args());
    Arc::new(checked(&prepared, &world, analyzer.finish()))
}

/// With what the checks of a unit find.
pub(crate) fn checked(prepared: &Prepared, world: &World<'_>, mut recorded: Recorded) -> Recorded {
    recorded.unit = prepared.unit.clone();
    recorded.summary = checks::of_unit(&prepared.unit, world, &mut recorded.analysis);
    recorded
}

/// Every function that the file's main program comes to, with what holds over all its calls.
#[salsa::tracked(returns(clone))]
pub(super) fn merged(db: &dyn Db, file: SourceFile) -> Arc<HashMap<Function, Vec<ValueInfo>>> {
    let mut merged: HashMap<Function, Vec<ValueInfo>> = HashMap::new();
    let mut seen: HashSet<(Function, Signature)> = HashSet::new();
    let mut queue: VecDeque<Arc<Vec<Made>>> = [main_calls(db, file)].into();
    while let Some(calls) = queue.pop_front() {
        for made in &*calls {
            match merged.get_mut(&made.callee) {
                Some(known) => {
                    for (old, new) in known.iter_mut().zip(made.args.args()) {
                        *old = old.join(new, true);
                    }
                }
                None => {
                    merged.insert(made.callee, made.args.args().to_vec());
                }
            }
            if made.is_followed && seen.insert((made.callee, made.args.clone())) {
                queue.push_back(function_calls(db, made.callee, made.args.clone()));
            }
        }
    }
    Arc::new(merged)
}

/// What is recorded of each unit of a file. It is put together outside of the database, by whoever needs the whole.
#[salsa::tracked(returns(clone), no_eq)]
pub(crate) fn parts(db: &dyn Db, file: SourceFile) -> Arc<Parts> {
    Arc::new(Parts {
        main: main_analysis(db, file),
        rows: rows::analysis(db, file),
        declarations: rows::file_declarations(db, file),
        reading: file.reading(db),
        flat: OnceLock::new(),
    })
}
