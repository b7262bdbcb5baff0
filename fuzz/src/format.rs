//! Formatting: the same tree and the same comments, a second pass changes nothing, and edits come to the same text. That the
//! formatter finds its own result to be another script is a defect too.

use sumac_syntax::format::{FormatError, FormatOptions, format, format_edits};
use sumac_syntax::{Parse, parse};
use sumac_text::{TextRange, apply_edits};

use crate::bytes::{Change, text_and_changes};
use crate::places::without_places;

pub fn check(data: &[u8]) {
    let (text, changes) = text_and_changes(data);
    let options = changes.first().map_or_else(FormatOptions::default, options);
    let script = parse(text);
    let formatted = match format(&script, &options) {
        Ok(formatted) => formatted,
        Err(FormatError::TooDeep) => return,
        Err(error) => panic!("{error}: {:?}", script.text()),
    };
    let again = parse(formatted.as_str());
    assert_eq!(
        without_places(script.program()),
        without_places(again.program()),
        "{:?}",
        script.text()
    );
    assert_eq!(comments(&script), comments(&again), "{:?}", script.text());
    let twice = format(&again, &options);
    assert_eq!(twice.as_ref(), Ok(&formatted), "{:?}", script.text());
    let edits = format_edits(&script, None, &options).expect("it was formatted");
    assert_eq!(apply_edits(script.text(), &edits), formatted);
    if let Some(change) = changes.get(1) {
        let range: TextRange = change.on(script.text()).range;
        match format_edits(&script, Some(range), &options) {
            Ok(_) | Err(FormatError::TooDeep) => {}
            Err(error) => panic!("{error} within {range:?}: {:?}", script.text()),
        }
    }
}

/// Options from the numbers of a change.
fn options(change: &Change) -> FormatOptions {
    FormatOptions {
        line_width: change.at % 240,
        indent_width: change.len % 12,
        max_blank_lines: change.new.len(),
    }
}

/// The lines of all comments, without the blanks around them.
fn comments(script: &Parse) -> Vec<Vec<&str>> {
    let words = |range: TextRange| script.text()[range].lines().map(str::trim).collect();
    let comments = script.comments().iter();
    comments.map(|comment| words(comment.range)).collect()
}
