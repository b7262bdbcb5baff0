//! Words of the language, and patterns of statements.

use super::item::{Ask, CompletionItem, CompletionKind, Rank};

/// A pattern: label, what it is, snippet, and the text without one.
type Pattern = (&'static str, &'static str, &'static str, &'static str);

/// What a statement can begin with.
#[rustfmt::skip]
const STATEMENTS: &[Pattern] = &[
    ("for",      "loop over a range",        "for (${1:i} in ${2:1:n}) {\n  $0\n}",                  "for ("),
    ("function", "a new function",           "${1:f} = function(${2:Matrix[Double] X}) return (${3:Matrix[Double] Y}) {\n  $0\n}", "function("),
    ("if",       "a condition",              "if (${1:condition}) {\n  $0\n}",                        "if ("),
    ("ifelse",   "a condition with else",    "if (${1:condition}) {\n  $2\n} else {\n  $0\n}",        "if ("),
    ("parfor",   "rounds side by side",      "parfor (${1:i} in ${2:1:n}) {\n  $0\n}",                "parfor ("),
    ("setwd",    "the folder of the script", "setwd(\"${1:folder}\")$0",                              "setwd("),
    ("source",   "functions of a file",      "source(\"${1:file.dml}\") as ${2:name}$0",              "source("),
    ("while",    "loop while it holds",      "while (${1:condition}) {\n  $0\n}",                     "while ("),
];

/// What a value can begin with besides an expression.
#[rustfmt::skip]
const VALUES: &[Pattern] = &[
    ("function", "a new function", "function(${1:Matrix[Double] X}) return (${2:Matrix[Double] Y}) {\n  $0\n}", "function("),
];

const TYPES: &[&str] = &[
    "Boolean",
    "Double",
    "Frame[Unknown]",
    "Integer",
    "List[Unknown]",
    "Matrix[Double]",
    "String",
];

/// The options of `parfor`.
const LOOP_OPTIONS: &[&str] = &[
    "check",
    "datapartitioner",
    "log",
    "mode",
    "opt",
    "par",
    "profile",
    "resultmerge",
    "taskpartitioner",
    "tasksize",
];

pub(super) fn statements(ask: &Ask<'_>) -> Vec<CompletionItem> {
    let mut items = patterns(ask, STATEMENTS);
    if ask.cursor.back(1) == Some("}") {
        items.push(word(ask, "else"));
    }
    items
}

pub(super) fn after_equals(ask: &Ask<'_>) -> Vec<CompletionItem> {
    patterns(ask, VALUES)
}

pub(super) fn constants(ask: &Ask<'_>) -> Vec<CompletionItem> {
    listed(ask, &["FALSE", "TRUE"])
}

/// These words.
pub(super) fn listed(ask: &Ask<'_>, words: &[&str]) -> Vec<CompletionItem> {
    words.iter().map(|text| word(ask, text)).collect()
}

pub(super) fn types(ask: &Ask<'_>) -> Vec<CompletionItem> {
    let item = |name: &&str| {
        let kind = CompletionKind::Type;
        CompletionItem::new(*name, kind, Rank::Value, ask.cursor.word)
    };
    TYPES.iter().map(item).collect()
}

pub(super) fn loop_options(ask: &Ask<'_>) -> Vec<CompletionItem> {
    let item = |name: &&str| {
        let kind = CompletionKind::NamedArgument;
        let mut item = CompletionItem::new(*name, kind, Rank::Parameter, ask.cursor.word);
        item.text.push('=');
        item
    };
    LOOP_OPTIONS.iter().map(item).collect()
}

fn word(ask: &Ask<'_>, text: &str) -> CompletionItem {
    let kind = CompletionKind::Keyword;
    CompletionItem::new(text, kind, Rank::Keyword, ask.cursor.word)
}

fn patterns(ask: &Ask<'_>, patterns: &[Pattern]) -> Vec<CompletionItem> {
    let is_headed = ask.cursor.behind().starts_with('(');
    let item = |(label, detail, snippet, text): &Pattern| {
        let mut item = word(ask, label).detailed(Some((*detail).to_owned()));
        // Before a parenthesis only the word is missing.
        if !is_headed {
            item.kind = CompletionKind::Snippet;
            item.snippet = Some((*snippet).to_owned());
            item.text = (*text).to_owned();
        }
        item
    };
    let fits = |pattern: &&Pattern| !is_headed || pattern.0 != "ifelse";
    patterns.iter().filter(fits).map(item).collect()
}
