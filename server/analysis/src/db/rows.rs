//! The functions of a file in rows. What is known of those of a row is asked for together, so that rows that nothing can have
//! changed cost one look and not one for each function.
#![allow(clippy::needless_pass_by_value, reason = "a query owns its key")]

use std::collections::HashSet;
use std::sync::Arc;

use super::api::{Db, Kept};
use super::inputs::{Function, SourceFile};
use super::key::key;
use super::queries::{function_analysis, main_analysis, merged};
use super::recorded::{Has, Recorded};
use super::resolve::{Declaration, declaration};
use super::row::Row;
use super::segment_tree::ByPlace;
use super::signature::Signature;
use crate::checks::checked::Declarations;
use crate::params::default_args;
use crate::value::ValueInfo;

/// What holds over all calls of functions in a row; nothing where a function is not called.
#[salsa::tracked(returns(clone))]
fn passed(db: &dyn Db, file: SourceFile, row: Row) -> Arc<Vec<Option<Vec<ValueInfo>>>> {
    let merged = merged(db, file);
    let known = row.0.iter().map(|function| merged.get(function).cloned());
    Arc::new(known.collect())
}

/// The heads of functions in a row.
#[salsa::tracked(returns(clone))]
fn declarations(db: &dyn Db, _file: SourceFile, row: Row) -> Arc<Vec<Option<Arc<Declaration>>>> {
    let all = row.0.iter().map(|function| declaration(db, *function));
    Arc::new(all.collect())
}

/// What functions in a row are recorded with: what their calls pass, or what they declare where nothing calls them.
type Passed = ByPlace<Vec<(Function, Option<Signature>)>>;

#[salsa::tracked(returns(clone), no_eq)]
fn recorded_with(db: &dyn Db, file: SourceFile, row: Row) -> Passed {
    let (passed, declared) = (
        passed(db, file, row.clone()),
        declarations(db, file, row.clone()),
    );
    let all = row.0.iter().zip(declared.iter().zip(&*passed));
    let all = all.map(|(function, (declared, passed))| {
        let declared = declared.as_ref();
        let args = declared.map(|declared| default_args(&declared.def, passed.clone()));
        (*function, args)
    });
    ByPlace(Arc::new(all.collect()))
}

/// What is recorded of functions in a row; `None` where there is no such function any more.
pub(crate) struct RowRecorded {
    pub(crate) functions: Vec<Option<Arc<Recorded>>>,
    pub(crate) has: Has,
}

/// What is recorded of functions in a row. It asks nothing that the main program has a say in.
#[salsa::tracked(returns(clone), no_eq)]
fn row_analysis(db: &dyn Db, file: SourceFile, passed: Passed) -> Arc<RowRecorded> {
    db.keep(Kept::SegmentTree, key((file, &passed)), 0);
    let recorded = passed.0.iter();
    let recorded =
        recorded.map(|(function, args)| Some(function_analysis(db, *function, args.clone()?)));
    let functions: Vec<Option<Arc<Recorded>>> = recorded.collect();
    let has = functions.iter().flatten().map(|recorded| recorded.has());
    Arc::new(RowRecorded {
        has: has.fold(Has::default(), Has::and),
        functions,
    })
}

fn row(db: &dyn Db, file: SourceFile, row: Row) -> Arc<RowRecorded> {
    row_analysis(db, file, recorded_with(db, file, row))
}

/// What is recorded of all functions of a file, row by row.
pub(super) fn analysis(db: &dyn Db, file: SourceFile) -> Vec<Arc<RowRecorded>> {
    let rows = file.rows(db);
    let rows = rows.iter().map(|known| row(db, file, known.clone()));
    rows.collect()
}

/// The functions that those of a row call.
#[salsa::tracked(returns(clone))]
fn row_called(db: &dyn Db, file: SourceFile, of: Row) -> Arc<HashSet<Arc<str>>> {
    let row = row(db, file, of);
    let called = row.functions.iter().flatten();
    let called = called.flat_map(|recorded| &recorded.summary.called);
    Arc::new(called.cloned().collect())
}

/// The functions that the main program calls.
#[salsa::tracked(returns(clone))]
fn main_called(db: &dyn Db, file: SourceFile) -> Arc<HashSet<Arc<str>>> {
    let mut called = HashSet::new();
    main_analysis(db, file)
        .units
        .each(|has| has.calls, &mut |_, recorded| {
            called.extend(recorded.summary.called.iter().cloned());
        });
    Arc::new(called)
}

#[salsa::tracked(returns(clone))]
pub(super) fn file_declarations(db: &dyn Db, file: SourceFile) -> Arc<Declarations> {
    let functions = file.functions(db);
    let mut called = vec![main_called(db, file)];
    called.extend(
        file.rows(db)
            .iter()
            .map(|row| row_called(db, file, row.clone())),
    );
    let mut declarations = Declarations::default();
    let called: HashSet<&Arc<str>> = called.iter().flat_map(|called| &**called).collect();
    for (name, all) in functions.iter().filter(|(name, _)| !name.is_empty()) {
        if !called.contains(name) {
            declarations.uncalled.insert(Arc::clone(name));
        }
        if all.len() > 1 {
            declarations.repeated.insert(Arc::clone(name));
        }
        if sumac_builtins::find(name).is_some() {
            declarations.builtins.insert(Arc::clone(name));
        }
    }
    Arc::new(declarations)
}
