//! The parts of a `#@` line.

use sumac_syntax::ast::{Fact, FactKind, Ident, Size};
use sumac_syntax::lex::{TokenKind, lex};
use sumac_text::TextRange;

use super::names;
use super::token::{Modifier, Modifiers, Piece, SemanticKind, kind_of, piece};
use crate::sketch;
use crate::snapshot::Snapshot;

const SIGN: &str = "#@";
/// The words of `#@` lines.
const WORDS: &[&str] = &["allow", "assert", "file", "off", "sketch", "sparsity", "x"];

/// The pieces of the line, in order.
pub(super) fn pieces(snapshot: &Snapshot, fact: &Fact) -> Vec<Piece> {
    let text = &snapshot.text()[fact.range];
    if !text.starts_with(SIGN) {
        return Vec::new();
    }
    let start = fact.range.start;
    let sign = TextRange::new(start, start + SIGN.len());
    let mut known = vec![piece(sign, SemanticKind::Comment)];
    known.extend(parts(snapshot, fact));
    known.sort_by_key(|piece| piece.range);

    let mut all = Vec::new();
    let mut at = start;
    for part in known {
        if part.range.start < at {
            continue;
        }
        between(snapshot, at, part.range.start, &mut all);
        at = part.range.end;
        all.push(part);
    }
    between(snapshot, at, fact.range.end, &mut all);
    all
}

/// What the reader of facts says of the line.
fn parts(snapshot: &Snapshot, fact: &Fact) -> Vec<Piece> {
    let named = |name: &Ident, kind, modifiers| Piece {
        modifiers,
        ..piece(name.range, kind)
    };
    let none = Modifiers::default();
    let number = |range| piece(range, SemanticKind::Number);
    let size = |size: &Size| match size {
        Size::Number(_, range) => number(*range),
        Size::Name(name) => named(name, SemanticKind::Variable, none.with(Modifier::Constant)),
        Size::Unknown(range) => piece(*range, SemanticKind::Operator),
    };
    match &fact.kind {
        FactKind::Size {
            name,
            rows,
            cols,
            sparsity,
        } => {
            let modifiers = names::by_name(snapshot, &name.name);
            let mut parts = vec![
                named(name, SemanticKind::Variable, modifiers),
                size(rows),
                size(cols),
            ];
            parts.extend(sparsity.map(|(_, range)| number(range)));
            parts
        }
        FactKind::Bind { name, value } => vec![
            named(name, SemanticKind::Variable, none.with(Modifier::Constant)),
            number(value.1),
        ],
        FactKind::Arg { name, value } => {
            let mut parts = vec![named(name, SemanticKind::Macro, none)];
            parts.extend(names::in_expression(snapshot, value));
            parts
        }
        FactKind::Assert { lhs, rhs } => {
            let mut parts = names::in_expression(snapshot, lhs);
            parts.extend(names::in_expression(snapshot, rhs));
            parts
        }
        FactKind::Sketch { name } => vec![named(name, SemanticKind::Function, none)],
        FactKind::Allow { codes, .. } => {
            let codes = codes.iter();
            codes
                .map(|code| named(code, SemanticKind::EnumMember, none))
                .collect()
        }
        FactKind::SketchLine => sketch::inline_tokens(snapshot, fact.range),
        FactKind::Off | FactKind::Invalid { .. } => Vec::new(),
    }
}

/// Words, numbers and signs between two parts.
fn between(snapshot: &Snapshot, start: usize, end: usize, out: &mut Vec<Piece>) {
    let text = &snapshot.text()[start..end];
    for token in lex(text) {
        let range = TextRange::new(start + token.range.start, start + token.range.end);
        let kind = match token.kind {
            TokenKind::Word if WORDS.contains(&&text[token.range]) => Some(SemanticKind::Keyword),
            TokenKind::Word => None,
            _ => kind_of(token, text),
        };
        out.extend(kind.map(|kind| piece(range, kind)));
    }
}
