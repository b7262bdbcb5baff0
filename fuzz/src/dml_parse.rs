//! Any text parses. Every range lies inside, everything but blanks and signs between statements is in a statement, a comment or
//! an error (of broken text, every word), and an edit gives what a fresh parse gives.

use sumac_syntax::walk::{Node, walk};
use sumac_syntax::{Parse, parse, parse_expression};
use sumac_text::{LineIndex, TextRange, apply_edits};

use crate::bytes::text_and_changes;
use crate::places::assert_inside;

pub fn check(data: &[u8]) {
    let (text, changes) = text_and_changes(data);
    // A line is as much as an expression has; of many broken ones each would be read as its end.
    let _ = parse_expression(text.lines().next().unwrap_or_default());
    let mut now = parse(text);
    everything_is_somewhere(&now);
    for change in &changes {
        let edit = change.on(now.text());
        let expected = apply_edits(now.text(), std::slice::from_ref(&edit));
        let _ = now.lines();
        now = now.edit(&[edit]);
        assert_eq!(**now.text(), *expected);
        let fresh = parse(expected.as_str());
        assert_same(&now, &fresh);
        everything_is_somewhere(&fresh);
    }
}

/// Panics unless two parses say the same.
#[track_caller]
pub fn assert_same(now: &Parse, fresh: &Parse) {
    assert_eq!(now.program(), fresh.program(), "{:?}", now.text());
    assert_eq!(now.errors(), fresh.errors(), "{:?}", now.text());
    assert_eq!(now.comments(), fresh.comments(), "{:?}", now.text());
    assert_eq!(now.facts(), fresh.facts(), "{:?}", now.text());
    assert_eq!(now.lines(), &LineIndex::new(fresh.text().clone()));
}

#[track_caller]
fn everything_is_somewhere(parse: &Parse) {
    let text = parse.text();
    walk(parse.program(), &mut |node| {
        let range = match node {
            Node::Stmt(stmt) => stmt.range,
            Node::Expr(expr) => expr.range,
        };
        assert_inside(text, range, "a node");
    });
    let statements = parse.program().statements.iter();
    let statements: Vec<TextRange> = statements.map(|stmt| stmt.range).collect();
    let in_order = |pair: &[TextRange]| pair[0].end <= pair[1].start;
    assert!(statements.windows(2).all(in_order), "{statements:?}");
    let comments = parse.comments().iter().map(|comment| comment.range);
    let errors = parse.errors().iter().map(|error| error.range);
    let is_broken = !parse.errors().is_empty();
    let mut is_somewhere = vec![false; text.len()];
    for range in statements.into_iter().chain(comments).chain(errors) {
        assert_inside(text, range, "a statement, comment or error");
        is_somewhere[range.start..range.end].fill(true);
    }
    let lost = text.char_indices().find(|(at, sign)| {
        let is_between = match is_broken {
            true => !sign.is_alphanumeric(),
            false => sign.is_whitespace() || matches!(sign, ';' | '\u{feff}'),
        };
        !is_between && !is_somewhere[*at]
    });
    assert_eq!(lost, None, "in no statement, comment or error of {text:?}");
}
