//! Names, kinds, shapes and sparsity through a whole script, and one LA DAG for each block of statements.
//!
//! [`Database`] keeps what is known of the files of a session; [`analyze`] is the same for one script. The answer is a
//! pure function of texts, options and what [`Files`] shows. It must never panic on any script, never read a data
//! value, and never know of edits, protocols or e-graphs.

mod analyzer;
mod assertions;
mod asserts;
mod assign;
mod block;
mod broadcast;
mod builtins;
mod calls;
pub mod catalogue;
mod checks;
mod db;
mod equalities;
mod equality;
mod expr;
mod files;
mod flow;
mod fold;
mod found;
mod functions;
mod given;
mod globals;
mod index;
mod kind_changes;
mod lines;
mod liveness;
mod made;
pub mod meta;
mod names;
mod operators;
mod options;
mod params;
mod parfor;
mod position;
mod positions;
mod provenance;
mod reads;
mod result;
mod result_kinds;
mod sites;
mod size_names;
mod source_paths;
mod stated;
mod suggest;
mod tabular;
mod value;

pub use analyzer::MOST_DEFINITIONS;
pub use catalogue::Severities;
pub use checks::{REPLACEMENTS, Solved, fitting, is_constant};
pub use db::api::Workspace;
pub use db::assemble::{Known, Parts, PlacedUnit, UnitId};
pub use db::database::{Database, analyze};
pub use expr::la_op;
pub use files::{DiskFiles, Files, NoFiles};
pub use given::Values;
pub use options::Options;
pub use provenance::{Origin, Provenance, SizeNames, Source, Stated};
pub use result::{
    Analysis, AssertInput, Assertion, BlockStatement, BlockTarget, Diagnostic, FunctionInfo,
    NameUse, ParamInfo, Part, Severity, StatementBlock, Symbol, VariableFact, codes,
};
pub use source_paths::source_paths;
pub use suggest::nearest;
pub use value::{Constant, ValueInfo, ValueKind};
