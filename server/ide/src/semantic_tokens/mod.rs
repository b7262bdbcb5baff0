//! Colours by meaning: matrices, scalars and sparse inputs told apart, parameters from variables, builtins from the
//! script's own functions, and the parts of `#@` lines.
//!
//! ```text
//! Y = X %*% w
//! ```
//! gives `Y` (variable: matrix, modification), `=` (operator), `X` (variable: matrix, sparse), …

mod delta;
mod fact;
mod names;
pub(crate) mod token;

pub use delta::{TokensEdit, delta};
pub use token::{Modifier, Modifiers, SemanticKind, SemanticToken};

use sumac_syntax::comments::CommentKind;
use sumac_syntax::lex::{self, lex};
use sumac_text::TextRange;

use crate::snapshot::Snapshot;
use token::{Piece, kind_of, piece};

/// The tokens that touch `range`, in the order of the text, never one over another.
#[must_use]
pub fn semantic_tokens(snapshot: &Snapshot, range: TextRange) -> Vec<SemanticToken> {
    let mut out = Painter {
        text: snapshot.text(),
        range,
        tokens: Vec::new(),
        painted: range.start.min(snapshot.text().len()),
    };
    out.painted = snapshot.lines.line_start(snapshot.lines.line(out.painted));
    let mut pieces = names::pieces(snapshot);
    pieces.extend(comments(snapshot));
    pieces.sort_by_key(|piece| piece.range);
    // A text or comment that begins in an earlier line may reach into the range.
    let reaches = |piece: &&Piece| piece.range.end > out.painted;
    if let Some(first) = pieces.iter().find(reaches) {
        out.painted = out.painted.min(first.range.start);
    }
    for piece in pieces {
        if piece.range.end > out.painted && piece.range.start <= range.end {
            out.piece(piece);
        }
    }
    let end = snapshot.text().len().min(range.end);
    out.gap(snapshot.lines.line_end(snapshot.lines.line(end)));
    out.tokens
}

fn comments(snapshot: &Snapshot) -> Vec<Piece> {
    let comments = snapshot.parse.comments().iter();
    let plain = comments.filter(|comment| comment.kind != CommentKind::Fact);
    let plain = plain.map(|comment| piece(comment.range, SemanticKind::Comment));
    let facts = &snapshot.parse.program().facts;
    let facts = facts.iter().flat_map(|line| fact::pieces(snapshot, line));
    plain.chain(facts).collect()
}

/// Puts the pieces and what stands between them into the order of the text.
struct Painter<'a> {
    text: &'a str,
    range: TextRange,
    tokens: Vec<SemanticToken>,
    /// Everything before is painted.
    painted: usize,
}

impl Painter<'_> {
    fn piece(&mut self, piece: Piece) {
        if piece.range.start < self.painted {
            return;
        }
        self.gap(piece.range.start);
        self.push(piece);
        self.painted = piece.range.end;
    }

    /// Keywords, numbers, signs and what could not be read, up to `end`.
    fn gap(&mut self, end: usize) {
        let start = self.painted;
        let Some(text) = self.text.get(start..end) else {
            return;
        };
        for token in lex(text) {
            if let Some(kind) = kind_of(token, text) {
                let lex::Token { range, .. } = token;
                self.push(piece(
                    TextRange::new(start + range.start, start + range.end),
                    kind,
                ));
            }
        }
        self.painted = end;
    }

    /// Adds a token, cut at the ends of lines.
    fn push(&mut self, token: SemanticToken) {
        let mut start = token.range.start;
        for line in self.text[token.range].split_inclusive(['\n', '\r']) {
            let range = TextRange::new(start, start + line.trim_end_matches(['\r', '\n']).len());
            start += line.len();
            let is_wanted = range.end >= self.range.start && range.start <= self.range.end;
            if !range.is_empty() && is_wanted {
                self.tokens.push(SemanticToken { range, ..token });
            }
        }
    }
}

#[cfg(test)]
mod tests;
