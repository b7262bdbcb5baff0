//! Arguments of a call: the names of parameters that are not given yet, and the values of parameters that have a list
//! of them.

use std::collections::BTreeSet;

use sumac_text::TextRange;

use super::item::{Ask, CompletionItem, CompletionKind, Rank};
use crate::callable::{self, Callable, CallableParam};
use crate::files;
use crate::tokens::OpenCall;

/// Names and values for the argument at the cursor.
pub(super) fn items(ask: &Ask<'_>, call: &OpenCall<'_>) -> Vec<CompletionItem> {
    let Some(callable) = called(ask, call) else {
        return Vec::new();
    };
    let mut items = values(ask, call, &callable);
    if ask.cursor.begins_argument(call) {
        items.extend(names(ask, call, &callable));
    }
    items
}

/// What a call calls.
fn called(ask: &Ask<'_>, call: &OpenCall<'_>) -> Option<Callable> {
    let parse = &ask.snapshot.parse;
    match call.namespace {
        Some(namespace) => {
            let script = files::namespace(ask.snapshot, namespace, ask.files)?;
            let def = callable::definition(script.program(), call.name)?;
            Some(Callable::of_function(&script, def, None))
        }
        None => match callable::definition(parse.program(), call.name) {
            Some(def) => Some(Callable::of_function(parse, def, None)),
            None => sumac_builtins::find(call.name).map(Callable::of_builtin),
        },
    }
}

fn names(ask: &Ask<'_>, call: &OpenCall<'_>, callable: &Callable) -> Vec<CompletionItem> {
    let cursor = ask.cursor;
    if !callable.takes_names {
        return Vec::new();
    }
    let others = call
        .args
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != call.active);
    let named: BTreeSet<&str> = others.clone().filter_map(|(_, arg)| arg.name).collect();
    // Arguments without a name take the first parameters.
    let unnamed = others
        .filter(|(i, arg)| *i < call.active && arg.name.is_none())
        .count();
    let free = callable.params.iter().skip(unnamed);
    let is_named_already = cursor.behind().starts_with('=') && !cursor.behind().starts_with("==");
    let item = |param: &CallableParam| {
        let kind = CompletionKind::NamedArgument;
        let mut item = CompletionItem::new(&*param.name, kind, Rank::Parameter, cursor.word)
            .detailed(Some(param.label.clone()));
        if !is_named_already {
            item.text.push('=');
        }
        item
    };
    free.filter(|param| !named.contains(&*param.name))
        .map(item)
        .collect()
}

/// The values that the parameter of the argument at the cursor can have.
fn values(ask: &Ask<'_>, call: &OpenCall<'_>, callable: &Callable) -> Vec<CompletionItem> {
    let values = param_at(call, callable).map(|param| &*param.values);
    let item = |value: &&'static str| {
        CompletionItem::new(*value, CompletionKind::Value, Rank::Value, ask.cursor.word)
    };
    values.unwrap_or_default().iter().map(item).collect()
}

/// The same inside quotes: values that are texts, without their quotes.
pub(super) fn values_in_quotes(ask: &Ask<'_>, content: TextRange) -> Vec<CompletionItem> {
    let Some(call) = ask.cursor.call() else {
        return Vec::new();
    };
    let Some(callable) = called(ask, &call) else {
        return Vec::new();
    };
    let values = param_at(&call, &callable).map(|param| &*param.values);
    let item = |value: &&'static str| {
        let inner = value.strip_prefix('"')?.strip_suffix('"')?;
        Some(CompletionItem::new(
            inner,
            CompletionKind::Value,
            Rank::Value,
            content,
        ))
    };
    values.unwrap_or_default().iter().filter_map(item).collect()
}

fn param_at<'c>(call: &OpenCall<'_>, callable: &'c Callable) -> Option<&'c CallableParam> {
    match call.args.get(call.active)?.name {
        Some(name) => callable.params.iter().find(|param| param.name == name),
        None => callable.params.get(call.active),
    }
}
