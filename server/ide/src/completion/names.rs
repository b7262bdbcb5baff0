//! Names: variables, functions, namespaces and their functions, builtins, `$` arguments.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use sumac_analysis::ValueInfo;
use sumac_syntax::ast::{ExprKind, FactKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::item::{Ask, CompletionItem, CompletionKind, Rank, Topic};
use super::scope::{Local, locals};
use crate::callable::{self, Callable};
use crate::files;

/// All names that an expression can begin with.
pub(super) fn everything(ask: &Ask<'_>) -> Vec<CompletionItem> {
    let mut items = variables(ask);
    items.extend(functions(ask));
    items.extend(namespaces(ask));
    items.extend(builtins(ask));
    items
}

/// The variables that may have a value here.
pub(super) fn variables(ask: &Ask<'_>) -> Vec<CompletionItem> {
    let snapshot = ask.snapshot;
    let word = ask.cursor.word;
    let found = locals(snapshot.parse.program(), snapshot.text(), word.start);
    let item = |(name, local): (&str, Local<'_>)| {
        let (kind, rank) = match local.parameter_of {
            Some(_) => (CompletionKind::Parameter, Rank::Parameter),
            None => (CompletionKind::Variable, Rank::Local),
        };
        CompletionItem::new(name, kind, rank, word).detailed(known(ask, &local))
    };
    found.into_iter().map(item).collect()
}

/// Kind and shape of a variable.
fn known(ask: &Ask<'_>, local: &Local<'_>) -> Option<String> {
    let analysis = &ask.snapshot.analysis;
    if let Some(fact) = analysis.variable_at(local.range()) {
        let info = ValueInfo {
            rows: fact.ty.rows.clone(),
            cols: fact.ty.cols.clone(),
            sparsity: fact.ty.sparsity,
            ..ValueInfo::of(fact.kind).with_constant(fact.constant.clone())
        };
        return callable::facts(&info);
    }
    let function = local.parameter_of?;
    let info = analysis
        .functions
        .iter()
        .find(|info| info.name == function.name.name)?;
    let mut params = info.params.iter().chain(&info.results);
    callable::facts(
        &params
            .find(|param| param.name == local.definition.name)?
            .info,
    )
}

fn functions(ask: &Ask<'_>) -> Vec<CompletionItem> {
    let parse = &ask.snapshot.parse;
    let infos = &ask.snapshot.analysis.functions;
    callable::definitions(parse.program())
        .filter(|def| !def.name.name.is_empty())
        .map(|def| {
            let known = infos.iter().find(|info| info.name == def.name.name);
            let callable = Callable::of_function(parse, def, known);
            let topic = Topic::Function(callable.name.clone());
            function(ask, &callable, callable.name.clone(), Rank::Function, topic)
        })
        .collect()
}

/// A name of a builtin, and how it is listed.
struct Listed {
    name: &'static str,
    label: String,
    has_params: bool,
    is_deprecated: bool,
}

/// All names of builtins, which are the same for every script.
static LISTED: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    let all = sumac_builtins::all().iter();
    let listed = all.flat_map(|builtin| {
        let callable = Callable::of_builtin(builtin);
        builtin.names().map(move |name| Listed {
            name,
            label: callable.label().0,
            has_params: takes_arguments(&callable),
            is_deprecated: callable.deprecated.is_some(),
        })
    });
    listed.collect()
});

fn builtins(ask: &Ask<'_>) -> Vec<CompletionItem> {
    // A function of the script hides a builtin of its name.
    let own: BTreeSet<&str> = callable::definitions(ask.snapshot.parse.program())
        .map(|def| &*def.name.name)
        .collect();
    let others = LISTED.iter().filter(|listed| !own.contains(listed.name));
    let item = |listed: &Listed| CompletionItem {
        topic: Some(Topic::Builtin(listed.name.to_owned())),
        is_deprecated: listed.is_deprecated,
        ..CompletionItem::new(
            listed.name,
            CompletionKind::Function,
            Rank::Builtin,
            ask.cursor.word,
        )
        .detailed(Some(listed.label.clone()))
        .called(listed.has_params, ask.cursor)
    };
    others.map(item).collect()
}

fn takes_arguments(callable: &Callable) -> bool {
    !callable.params.is_empty() || callable.rest.is_some()
}

/// The functions of the script behind a namespace.
pub(super) fn members(ask: &Ask<'_>, namespace: &str) -> Vec<CompletionItem> {
    let Some(script) = files::namespace(ask.snapshot, namespace, ask.files) else {
        return Vec::new();
    };
    callable::definitions(script.program())
        .map(|def| {
            let callable = Callable::of_function(&script, def, None);
            let topic = Topic::Member(namespace.to_owned(), callable.name.clone());
            function(ask, &callable, callable.name.clone(), Rank::Function, topic)
        })
        .collect()
}

fn function(
    ask: &Ask<'_>,
    callable: &Callable,
    name: String,
    rank: Rank,
    topic: Topic,
) -> CompletionItem {
    CompletionItem {
        topic: Some(topic),
        is_deprecated: callable.deprecated.is_some(),
        ..CompletionItem::new(name, CompletionKind::Function, rank, ask.cursor.word)
            .detailed(Some(callable.label().0))
            .called(takes_arguments(callable), ask.cursor)
    }
}

fn namespaces(ask: &Ask<'_>) -> Vec<CompletionItem> {
    let found = files::namespaces(ask.snapshot.parse.program());
    let behind = ask.cursor.behind();
    let item = |(name, path): (&str, &str)| {
        let kind = CompletionKind::Namespace;
        let mut item = CompletionItem::new(name, kind, Rank::Function, ask.cursor.word)
            .detailed(Some(format!("source(\"{path}\")")));
        if !behind.starts_with("::") {
            item.text.push_str("::");
        }
        item
    };
    found.into_iter().map(item).collect()
}

/// The `$` arguments that the file names, and what is known of them.
pub(super) fn script_arguments(ask: &Ask<'_>, replaces: TextRange) -> Vec<CompletionItem> {
    let program = ask.snapshot.parse.program();
    let mut found: BTreeSet<String> = BTreeSet::new();
    walk(program, &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Arg(name) = &expr.kind
            // Not the one that is being typed.
            && !expr.range.touches(ask.cursor.offset)
        {
            found.insert(name.name.to_string());
        }
    });
    let text = ask.snapshot.text();
    let stated = program.facts.iter().filter_map(|fact| match &fact.kind {
        FactKind::Arg { name, value } if !name.range.touches(ask.cursor.offset) => {
            Some((&*name.name, &text[value.range]))
        }
        _ => None,
    });
    let stated: std::collections::BTreeMap<&str, &str> = stated.collect();
    found.extend(stated.keys().map(|name| (*name).to_owned()));
    let item = |name: String| {
        let kind = CompletionKind::ScriptArgument;
        let value = stated.get(&*name).map(|value| format!("= {value}"));
        CompletionItem::new(format!("${name}"), kind, Rank::ScriptArgument, replaces)
            .detailed(value)
    };
    found
        .into_iter()
        .filter(|name| !name.is_empty())
        .map(item)
        .collect()
}
