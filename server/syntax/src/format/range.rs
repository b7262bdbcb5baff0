//! From a selection to the statements that it touches: nothing smaller can be formatted alone.

use sumac_text::TextRange;

use crate::ast::{Block, Stmt, StmtKind};
use crate::parse::Parse;

/// The whole lines of the innermost statements that cover a range; of its own lines where it touches none.
pub(super) fn statements(script: &Parse, range: TextRange) -> TextRange {
    let text: &str = script.text();
    let end = range.end.min(text.len());
    let range = TextRange::new(range.start.min(end), end);
    let mut list = &script.program().statements[..];
    let covered = loop {
        let touched: Vec<&Stmt> = list
            .iter()
            .filter(|stmt| stmt.range.start <= range.end && range.start <= stmt.range.end)
            .collect();
        let ([first, ..], [.., last]) = (&touched[..], &touched[..]) else {
            break range;
        };
        let block = blocks(first)
            .into_iter()
            .flatten()
            .find(|block| block.range.contains(range) && is_inside(block, range, text));
        match (touched.len(), block) {
            (1, Some(block)) => list = &block.statements,
            _ => break range.cover(first.range).cover(last.range),
        }
    };
    let start = text[..covered.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[covered.end..]
        .find('\n')
        .map_or(text.len(), |len| covered.end + len);
    TextRange::new(start, end)
}

/// Whether the range leaves the lines of the block's braces alone.
fn is_inside(block: &Block, range: TextRange, text: &str) -> bool {
    text[block.range].starts_with('{')
        && text[block.range.start..range.start].contains('\n')
        && text[range.end..block.range.end].contains('\n')
}

fn blocks(stmt: &Stmt) -> [Option<&Block>; 2] {
    match &stmt.kind {
        StmtKind::If {
            then, otherwise, ..
        } => [Some(then), otherwise.as_ref()],
        StmtKind::While { body, .. } | StmtKind::For { body, .. } => [Some(body), None],
        StmtKind::Function(function) => [function.body.as_ref(), None],
        _ => [None, None],
    }
}
