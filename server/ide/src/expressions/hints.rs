//! Hints behind statements that hold an expression with a cheaper form.

use sumac_text::TextRange;

use super::File;
use super::summary::{caveat, gain, summary};
use crate::describe::one_line;
use crate::inlay_hints::InlayHint;

/// Those whose place lies in `range`.
#[must_use]
pub fn hints(file: &File, range: TextRange) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for (expression, found) in file.suggested() {
        let Some(best) = found.first() else {
            continue;
        };
        let offset = file
            .lines
            .line_end(file.lines.line(expression.statement.end));
        if !range.touches(offset) {
            continue;
        }
        let warning = caveat(best).map_or_else(String::new, |why| format!(" ⚠ {why}"));
        hints.push(InlayHint {
            offset,
            label: format!("⇒ {}   {} ✓{warning}", one_line(&best.text), gain(best)),
            tooltip: format!("`{}`\n\n{}", best.text, summary(best)),
            edits: vec![super::moved(&best.edit, expression.range.start)],
        });
    }
    hints
}
