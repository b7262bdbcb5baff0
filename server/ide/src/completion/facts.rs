//! `#@` lines: variables that are read, words, symbolic sizes, codes of diagnostics.

use std::collections::BTreeSet;

use sumac_syntax::ast::{ExprKind, FactKind, Size, StmtKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::item::{Ask, CompletionItem, CompletionKind, Rank};
use super::names;
use crate::sketch;

/// Words that begin a line: label, what the line says, snippet, text.
#[rustfmt::skip]
const WORDS: &[(&str, &str, &str, &str)] = &[
    ("allow",  "silences a diagnostic for the next statement", "allow ${1:code}$0",       "allow "),
    ("allow-file", "silences a diagnostic for the whole script", "allow-file ${1:code}$0", "allow-file "),
    ("assert", "an equation that is proved",                   "assert ${1:a} == ${2:b}$0", "assert "),
    ("off",    "no hints for the next statement",              "off$0",                   "off"),
    ("sketch", "pins a sketch to the next statement",          "sketch ${1:name}$0",      "sketch "),
];

/// What could be written at the cursor in the `#@` line.
pub(super) fn items(ask: &Ask<'_>, line: TextRange) -> Vec<CompletionItem> {
    let text = ask.snapshot.text();
    let sign = line.start + "#@".len();
    if ask.cursor.offset < sign {
        return Vec::new();
    }
    let before = &text[sign..ask.cursor.offset];
    let word = word(text, sign, ask.cursor.offset);
    let told = before[..word.start - sign].trim();
    let first = told.split_whitespace().next();
    match (told, first) {
        ("", _) => beginning(ask, word),
        (_, Some("allow" | "allow-file")) if told.ends_with(',') || !told.contains(' ') => {
            codes(word)
        }
        (_, Some("assert")) => equation(ask, word),
        ("sketch", _) => sketch::pin_completion(ask.snapshot, word),
        _ if is_sketch_line(ask, line) => {
            sketch::inline_completion(ask.snapshot, ask.cursor.offset)
        }
        _ if told.ends_with(':') || told.ends_with(" x") || told.ends_with('×') => {
            sizes(ask, word)
        }
        _ if told.contains(':') && told.ends_with(',') => {
            let kind = CompletionKind::Keyword;
            let mut item = CompletionItem::new("sparsity", kind, Rank::Value, word)
                .detailed(Some("share of cells that are not zero".to_owned()));
            item.text.push(' ');
            vec![item]
        }
        _ => Vec::new(),
    }
}

/// Whether the line is one of a sketch that stands in the script.
fn is_sketch_line(ask: &Ask<'_>, line: TextRange) -> bool {
    let mut facts = ask.snapshot.parse.facts().iter();
    facts.any(|fact| fact.range.start == line.start && fact.kind == FactKind::SketchLine)
}

/// The word at the cursor, dashes and a dollar sign included.
fn word(text: &str, from: usize, offset: usize) -> TextRange {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-$".contains(c);
    let start = from + text[from..offset].trim_end_matches(is_part).len();
    let end = text.len() - text[offset..].trim_start_matches(is_part).len();
    TextRange::new(start, end)
}

fn beginning(ask: &Ask<'_>, word: TextRange) -> Vec<CompletionItem> {
    let mut items: Vec<CompletionItem> = WORDS
        .iter()
        .map(|(label, detail, snippet, text)| {
            let kind = CompletionKind::Keyword;
            let item = CompletionItem::new(*label, kind, Rank::Keyword, word);
            CompletionItem {
                text: (*text).to_owned(),
                snippet: Some((*snippet).to_owned()),
                ..item.detailed(Some((*detail).to_owned()))
            }
        })
        .collect();
    items.extend(inputs(ask).into_iter().map(|name| {
        let item = CompletionItem::new(&*name, CompletionKind::Variable, Rank::Local, word);
        CompletionItem {
            text: format!("{name}: "),
            snippet: Some(format!("{name}: ${{1:rows}} x ${{2:columns}}$0")),
            ..item.detailed(Some("size of an input".to_owned()))
        }
    }));
    items.extend(names::script_arguments(ask, word));
    items
}

/// The variables that are read from files and whose size no line states yet.
fn inputs(ask: &Ask<'_>) -> BTreeSet<String> {
    let program = ask.snapshot.parse.program();
    let mut found = BTreeSet::new();
    walk(program, &mut |node| {
        if let Node::Stmt(stmt) = node
            && let StmtKind::Assign { target, value, .. } = &stmt.kind
            && let ExprKind::Call(call) = &value.kind
            && &*call.name.name == "read"
        {
            found.insert(target.name.name.to_string());
        }
    });
    for fact in &program.facts {
        if let FactKind::Size { name, .. } = &fact.kind
            && !name.range.touches(ask.cursor.offset)
        {
            found.remove(&*name.name);
        }
    }
    found
}

/// The symbolic sizes of other lines.
fn sizes(ask: &Ask<'_>, word: TextRange) -> Vec<CompletionItem> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for fact in &ask.snapshot.parse.program().facts {
        match &fact.kind {
            FactKind::Size { rows, cols, .. } => {
                for size in [rows, cols] {
                    if let Size::Name(name) = size
                        && !name.range.touches(ask.cursor.offset)
                    {
                        found.insert(&name.name);
                    }
                }
            }
            FactKind::Bind { name, .. } => {
                found.insert(&name.name);
            }
            _ => {}
        }
    }
    let item = |name: &str| CompletionItem::new(name, CompletionKind::Variable, Rank::Local, word);
    found.into_iter().map(item).collect()
}

fn codes(word: TextRange) -> Vec<CompletionItem> {
    let item = |code: &sumac_analysis::catalogue::Code| {
        CompletionItem::new(code.name, CompletionKind::Code, Rank::Value, word)
            .detailed(Some(code.title.to_owned()))
    };
    // No script in DML has it.
    let is_numpys = |code: &&sumac_analysis::catalogue::Code| {
        code.name == sumac_analysis::codes::ACCIDENTAL_BROADCAST
    };
    let codes = sumac_analysis::catalogue::CODES.iter();
    codes.filter(|code| !is_numpys(code)).map(item).collect()
}

/// What an equation can be made of: the variables of the whole script, and builtins.
fn equation(ask: &Ask<'_>, word: TextRange) -> Vec<CompletionItem> {
    let variables: BTreeSet<&str> = ask
        .snapshot
        .analysis
        .variables
        .iter()
        .map(|fact| &*fact.name)
        .collect();
    let variables = variables
        .into_iter()
        .map(|name| CompletionItem::new(name, CompletionKind::Variable, Rank::Local, word));
    let everything = names::everything(ask)
        .into_iter()
        .map(|item| CompletionItem {
            replaces: word,
            ..item
        });
    variables.chain(everything).collect()
}
