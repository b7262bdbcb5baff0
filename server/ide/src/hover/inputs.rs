//! Hovers of what comes from outside of the script: `$` arguments, and the parts of `#@` lines.

use std::fmt::Write;
use std::sync::Arc;

use sumac_la::Dim;
use sumac_syntax::ast::{ExprKind, Fact, FactKind, Ident, Size};
use sumac_syntax::lex::{TokenKind, lex};
use sumac_syntax::walk::{Node, walk, walk_expr};
use sumac_text::TextRange;

use super::value::Hover;
use crate::asserts::{self, AssertKey};
use crate::callable;
use crate::sketch;
use crate::snapshot::Snapshot;

/// The words of `#@` lines.
#[rustfmt::skip]
const WORDS: &[(&str, &str)] = &[
    ("allow",    "`#@ allow CODE` silences a diagnostic for the next statement."),
    ("allow-file", "`#@ allow-file CODE` silences a diagnostic for the whole script."),
    ("assert",   "`#@ assert A == B` states an equation. It is proved, or refuted with a counterexample."),
    ("off",      "`#@ off`: no hints for the next statement."),
    ("sketch",   "`#@ sketch NAME` pins a sketch to the next statement."),
    ("sparsity", "The share of cells that are not zero, from 0 to 1."),
    ("x",        "Rows x columns. A size is a number, a name, or `?` where it is not known."),
];

/// The hover of a `$` argument in code.
pub(super) fn argument(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let mut found = None;
    walk(snapshot.parse.program(), &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Arg(name) = &expr.kind
            && expr.range.touches(offset)
        {
            found = Some(name);
        }
    });
    found.map(|name| argument_hover(snapshot, name))
}

fn argument_hover(snapshot: &Snapshot, name: &Ident) -> Hover {
    let mut markdown = format!("**`${}`** · argument of the script\n\n", name.name);
    let stated = snapshot.parse.program().facts.iter();
    let mut values = stated.filter_map(|fact| match &fact.kind {
        FactKind::Arg { name: own, value } if own.name == name.name => Some(value.range),
        _ => None,
    });
    match values.next() {
        Some(value) => {
            let line = snapshot.lines.line(value.start) + 1;
            let value = &snapshot.text()[value];
            let _ = writeln!(markdown, "- Value: `{value}`\n- Source: #@ line {line}");
        }
        None => {
            let info = snapshot.analysis.type_at(name.range);
            if let Some(facts) = info.and_then(callable::facts) {
                let _ = writeln!(markdown, "- Known: {facts}");
            }
            let is_number = name.name.starts_with(|c: char| c.is_ascii_digit());
            let given = if is_number {
                format!(
                    "by its place behind `-args`, or by a line `#@ ${} = …`",
                    name.name
                )
            } else {
                format!("`-nvargs {0}=…`, or by a line `#@ ${0} = …`", name.name)
            };
            let _ = writeln!(markdown, "- Given: {given}");
        }
    }
    Hover {
        range: name.range,
        markdown,
    }
}

/// The hover of a part of a `#@` line.
pub(super) fn fact(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let facts = &snapshot.parse.program().facts;
    let fact = facts.iter().find(|fact| fact.range.touches(offset))?;
    part(snapshot, fact, offset).or_else(|| word(snapshot, fact, offset))
}

/// What was decided of an assert.
fn assertion(snapshot: &Snapshot, fact: &Fact) -> Option<Hover> {
    let mut known = snapshot.analysis.assertions.iter();
    let assertion = known.find(|assertion| assertion.range == fact.range && !assertion.is_wrong)?;
    let verdict = snapshot.verdicts.get(&AssertKey::of(assertion));
    Some(Hover {
        range: fact.range,
        markdown: asserts::markdown(verdict.map(|verdict| &**verdict)),
    })
}

fn part(snapshot: &Snapshot, fact: &Fact, offset: usize) -> Option<Hover> {
    let touched = |ident: &Ident| ident.range.touches(offset);
    match &fact.kind {
        FactKind::Size {
            name, rows, cols, ..
        } => {
            if touched(name) {
                return variable(snapshot, name);
            }
            let sizes = [rows, cols].into_iter().filter_map(|size| match size {
                Size::Name(name) => Some(name),
                _ => None,
            });
            sizes
                .into_iter()
                .find(|name| touched(name))
                .map(|name| symbolic(snapshot, name))
        }
        FactKind::Sketch { name } if touched(name) => sketch::pin_hover(snapshot, name),
        FactKind::SketchLine => sketch::inline_hover(snapshot, offset),
        FactKind::Bind { name, .. } if touched(name) => Some(symbolic(snapshot, name)),
        FactKind::Arg { name, .. } if touched(name) => Some(argument_hover(snapshot, name)),
        FactKind::Assert { lhs, rhs } => {
            let mut found = None;
            for side in [lhs, rhs] {
                walk_expr(side, &mut |node| {
                    if let Node::Expr(expr) = node {
                        match &expr.kind {
                            ExprKind::Name(name) if touched(name) => {
                                found = variable(snapshot, name);
                            }
                            ExprKind::Call(call) if touched(&call.name) => {
                                let builtin = sumac_builtins::find(&call.name.name);
                                found = builtin.map(|builtin| Hover {
                                    range: call.name.range,
                                    markdown: callable::Callable::of_builtin(builtin).markdown(),
                                });
                            }
                            _ => {}
                        }
                    }
                });
            }
            found.or_else(|| assertion(snapshot, fact))
        }
        FactKind::Allow { codes, .. } => {
            let code = codes.iter().find(|code| touched(code))?;
            let row = sumac_analysis::catalogue::CODES
                .iter()
                .find(|row| *row.name == *code.name)?;
            Some(Hover {
                range: code.range,
                markdown: format!("**`{}`** · diagnostic\n\n{}\n", row.name, row.title),
            })
        }
        _ => None,
    }
}

/// What is known of a variable by its name: at its first assignment behind nothing else.
fn variable(snapshot: &Snapshot, name: &Ident) -> Option<Hover> {
    let mut facts = snapshot.analysis.variables.iter();
    let fact = facts.find(|fact| fact.name == name.name)?;
    let info = fact.info();
    Some(Hover {
        range: name.range,
        markdown: super::value::value(&name.name, &info, Some(&fact.source)),
    })
}

fn symbolic(snapshot: &Snapshot, name: &Ident) -> Hover {
    let facts = snapshot.parse.program().facts.iter();
    let bound = facts.clone().find_map(|fact| match &fact.kind {
        FactKind::Bind { name: own, value } if own.name == name.name => Some(value.0),
        _ => None,
    });
    let mut markdown = format!("**`{}`** · symbolic size\n\n", name.name);
    let _ = match bound {
        Some(value) => writeln!(markdown, "- Value: {value}"),
        None => writeln!(
            markdown,
            "- Value: not bound; a line `#@ {} = …` binds it",
            name.name
        ),
    };
    let users: Vec<Arc<str>> = snapshot
        .analysis
        .variables
        .iter()
        .filter(|fact| {
            [&fact.ty.rows, &fact.ty.cols]
                .into_iter()
                .any(|dim| is(dim, name))
        })
        .map(|fact| fact.name.clone())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    if !users.is_empty() {
        let _ = writeln!(markdown, "- A size of: `{}`", users.join("`, `"));
    }
    Hover {
        range: name.range,
        markdown,
    }
}

fn is(dim: &Dim, name: &Ident) -> bool {
    dim.to_string() == *name.name
}

/// The hover of a word of the line.
fn word(snapshot: &Snapshot, fact: &Fact, offset: usize) -> Option<Hover> {
    let start = fact.range.start + "#@".len();
    let text = snapshot.text().get(start..fact.range.end)?;
    let mut tokens = lex(text);
    let token = tokens.find(|token| {
        let range = token.range;
        token.kind == TokenKind::Word
            && start + range.start <= offset
            && offset <= start + range.end
    })?;
    let own = &text[token.range];
    let (_, meaning) = WORDS.iter().find(|(word, _)| *word == own)?;
    Some(Hover {
        range: TextRange::new(start + token.range.start, start + token.range.end),
        markdown: format!("{meaning}\n"),
    })
}
