//! What is known of a variable, and what was found for an expression, at a place.

use std::fmt::Write;

use sumac_text::TextRange;

use super::File;
use super::summary::summary;
use crate::hover::Hover;

/// The hover at an offset: a variable's facts where one is given a value there, then the suggestion of the expression around it.
#[must_use]
pub fn hover(file: &File, offset: usize) -> Option<Hover> {
    let mut markdown = String::new();
    let mut range: Option<TextRange> = None;
    for fact in file
        .analysis
        .facts
        .iter()
        .filter(|fact| fact.range.touches(offset))
    {
        let shape = if fact.shape.is_empty() {
            "shape not known"
        } else {
            &fact.shape
        };
        let number = fact
            .number
            .map_or_else(String::new, |number| format!(" · {number}"));
        let _ = writeln!(
            markdown,
            "**`{}`** · {shape}{number}\n\nfrom: {}\n",
            fact.name, fact.source
        );
        range = Some(fact.range);
    }
    let place = TextRange::new(offset, offset);
    for (expression, found) in file.at(place) {
        for (number, one) in found.iter().enumerate() {
            let title = if number == 0 { "Cheaper" } else { "Or" };
            let _ = writeln!(
                markdown,
                "**{title}:** `{}`\n\n{}\n",
                one.text,
                summary(one)
            );
        }
        range = range.or(Some(expression.range));
    }
    let markdown = markdown.trim_end().to_owned();
    range.map(|range| Hover { range, markdown })
}
