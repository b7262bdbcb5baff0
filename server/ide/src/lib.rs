//! Editor features as plain functions: data in, data out.
//!
//! Each feature is one file with one public function over an immutable [`Snapshot`]. No protocol types, no files,
//! no clock, no threads: positions are byte offsets, and what a feature returns is rendered by its caller.

pub mod array_program;
mod asserts;
mod block_key;
mod cache;
mod call_hierarchy;
mod callable;
mod chain;
pub mod code_actions;
mod code_lens;
mod comparison;
pub mod completion;
mod definition;
mod describe;
mod diagnostic;
mod diagnostics;
mod document_links;
mod document_symbols;
mod estimate;
mod explain;
pub mod expressions;
mod files;
#[cfg(test)]
mod fixture;
mod folding;
mod formatting;
pub mod fusion;
mod highlight;
mod hover;
mod inlay_hints;
pub mod linked_editing;
mod memory;
mod no_suggestion;
mod prove;
pub mod quantity;
mod reference_lenses;
mod references;
mod rename;
pub mod schedule;
pub mod searches;
mod selection_ranges;
pub mod semantic_tokens;
mod shape_hints;
mod signature_help;
pub mod sketch;
mod snapshot;
pub mod suggest;
mod suggestion;
mod timing;
mod tokens;
mod type_definition;
mod unit_blocks;
mod weight;
pub mod workspace;
mod workspace_symbols;

pub use asserts::{
    AssertKey, AssertVerdict, VerdictCache, Verdicts, decide_assert, decide_asserts,
};
pub use block_key::BlockKey;
pub use cache::{Block, BlockPlace, SuggestionCache};
pub use call_hierarchy::{CallItem, Caller, Calls, call_item, incoming_calls, outgoing_calls};
pub use chain::{Chain, ChainStep, RuleText, chains};
pub use code_actions::{AllEdits, MOST_ALTERNATIVES, all_edits, edits_of};
pub use code_lens::{CodeLens, LensEffect, code_lenses};
pub use comparison::{Comparison, Form, compare};
pub use definition::{Target, definition};
pub use diagnostic::Diagnostic;
pub use diagnostics::diagnostics;
pub use document_links::{DocumentLink, document_links};
pub use document_symbols::{DocumentSymbol, SymbolKind, document_symbols};
pub use explain::{explain, explain_by};
pub use files::{Entry, Files};
pub use folding::{Fold, FoldKind, folding_ranges};
pub use formatting::{format_document, format_on_type, format_range};
pub use highlight::{Highlight, highlights};
pub use hover::{Hover, hover};
pub use inlay_hints::{InlayHint, inlay_hints};
pub use prove::{Answer, Counterexample, prove};
pub use reference_lenses::{ReferenceLens, reference_lenses, reference_places};
pub use references::references;
pub use rename::{Edits, prepare_rename, reaches_other_files, rename};
pub use selection_ranges::selection_ranges;
pub use shape_hints::{ShapeHint, shape_hints};
pub use signature_help::{Signature, SignatureHelp, signature_help};
pub use snapshot::{BROKEN, Placed, Snapshot, Timings, UNSURE, moved_by};
pub use sumac_runtime::Cancel as CancelToken;
pub use sumac_sumproduct::canonical::{
    Proof as CanonicalProof, REAL_ARITHMETIC, Step as ProofStep,
};
pub use sumac_syntax::Damage;
pub use timing::{Inputs, Measured, Timing, TimingKey, TimingState};
pub use type_definition::type_definition;
pub use unit_blocks::UnitBlocks;
pub use workspace_symbols::{WorkspaceSymbol, workspace_symbols};
