//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `callHierarchy/outgoingCalls`.

use std::path::Path;
use std::sync::Arc;

use sumac_ide::{CallItem, Caller, Calls};
use sumac_text::TextRange;
use tower_lsp::ls_types as ls;

use crate::lsp::background::Failure;
use crate::lsp::state::Shared;
use crate::lsp::workspace::{View, key, lookup};

/// Answers `textDocument/prepareCallHierarchy`.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn prepare(
    shared: &Arc<Shared>,
    params: ls::CallHierarchyPrepareParams,
) -> Result<Option<Vec<ls::CallHierarchyItem>>, Failure> {
    let at = params.text_document_position_params;
    lookup(shared, move |view| {
        let (file, parse, offset) = view.place(&at)?;
        let found = sumac_ide::call_item(&view.index, &file, &parse, offset)?;
        Some(vec![item(view, &found)?])
    })
    .await
}

/// Answers `callHierarchy/incomingCalls`.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn incoming(
    shared: &Arc<Shared>,
    params: ls::CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<ls::CallHierarchyIncomingCall>>, Failure> {
    lookup(shared, move |view| {
        let called = caller(&params.item);
        let calls = converted(view, sumac_ide::incoming_calls(&view.index, &called), None);
        let call = |(from, from_ranges)| ls::CallHierarchyIncomingCall { from, from_ranges };
        Some(calls.into_iter().map(call).collect())
    })
    .await
}

/// Answers `callHierarchy/outgoingCalls`.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn outgoing(
    shared: &Arc<Shared>,
    params: ls::CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<ls::CallHierarchyOutgoingCall>>, Failure> {
    lookup(shared, move |view| {
        let from = caller(&params.item);
        let found = sumac_ide::outgoing_calls(&view.index, &from);
        let calls = converted(view, found, Some(&from.file));
        let call = |(to, from_ranges)| ls::CallHierarchyOutgoingCall { to, from_ranges };
        Some(calls.into_iter().map(call).collect())
    })
    .await
}

/// Items with the places of the calls; these stand in `calling`, or else in the item's own file.
fn converted(
    view: &View,
    calls: Calls,
    calling: Option<&Path>,
) -> Vec<(ls::CallHierarchyItem, Vec<ls::Range>)> {
    let convert = |(found, places): (CallItem, Vec<TextRange>)| {
        let file = calling.unwrap_or(&found.caller.file);
        let ranges = places
            .into_iter()
            .filter_map(|place| view.range(file, place));
        Some((item(view, &found)?, ranges.collect()))
    };
    calls.into_iter().filter_map(convert).collect()
}

fn item(view: &View, item: &CallItem) -> Option<ls::CallHierarchyItem> {
    let file = &item.caller.file;
    Some(ls::CallHierarchyItem {
        name: item.name.clone(),
        kind: match item.caller.function {
            Some(_) => ls::SymbolKind::FUNCTION,
            None => ls::SymbolKind::FILE,
        },
        tags: None,
        detail: Some(item.detail.clone()),
        uri: view.uri(file)?,
        range: view.range(file, item.full_range)?,
        selection_range: view.range(file, item.focus)?,
        data: None,
    })
}

/// What an item stands for. The client may show it long after the text has changed, so its name counts.
fn caller(item: &ls::CallHierarchyItem) -> Caller {
    let is_function = item.kind == ls::SymbolKind::FUNCTION;
    Caller {
        file: key(&item.uri),
        function: is_function.then(|| item.name.as_str().into()),
    }
}
