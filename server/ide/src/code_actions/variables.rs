//! The variables that suggestions bring along: each was named for itself, and where several are applied at once one name must not stand
//! for two values, which may be of two kinds.

use std::collections::BTreeSet;

use sumac_syntax::lex::{TokenKind, lex, words};
use sumac_text::TextEdit;

use crate::suggest::temporaries::{TEMPORARY, is_temporary};

/// The names that are taken.
pub(super) struct Variables<'a> {
    script: BTreeSet<&'a str>,
    brought: BTreeSet<String>,
}

impl<'a> Variables<'a> {
    /// Those of a script.
    pub(super) fn of(script: &'a str) -> Self {
        Variables {
            script: words(script).collect(),
            brought: BTreeSet::new(),
        }
    }

    /// The edits of one more suggestion, in which variables whose names others have brought are called otherwise; but for those before
    /// a loop, which are told apart already.
    pub(super) fn apart(
        &mut self,
        mut edits: Vec<TextEdit>,
        before_loop: &[String],
    ) -> Vec<TextEdit> {
        let lines = edits.iter().flat_map(|edit| edit.new_text.lines());
        let assigned = lines.filter_map(|line| Some(line.split_once(" = ")?.0.trim()));
        let is_brought = |name: &&str| {
            is_temporary(name)
                && !self.script.contains(name)
                && !before_loop.iter().any(|known| known == name)
        };
        let names: BTreeSet<String> = assigned.filter(is_brought).map(str::to_owned).collect();
        let taken: Vec<&String> = names.intersection(&self.brought).collect();
        let mut free = (1..).map(|n| format!("{TEMPORARY}{n}")).filter(|name| {
            !self.script.contains(&**name) && !self.brought.contains(name) && !names.contains(name)
        });
        let other: Vec<(&String, String)> = taken
            .into_iter()
            .map(|name| (name, free.next().expect("numbers do not end")))
            .collect();
        for (name, new) in &other {
            for edit in &mut edits {
                edit.new_text = renamed(&edit.new_text, name, new);
            }
        }
        let new: Vec<String> = other.into_iter().map(|(_, new)| new).collect();
        self.brought.extend(new);
        self.brought.extend(names);
        edits
    }
}

/// A text of DML in which a variable has another name.
pub(super) fn renamed(text: &str, name: &str, new: &str) -> String {
    let mut renamed = String::with_capacity(text.len());
    let mut from = 0;
    for token in lex(text) {
        if token.kind == TokenKind::Word && &text[token.range] == name {
            renamed.push_str(&text[from..token.range.start]);
            renamed.push_str(new);
            from = token.range.end;
        }
    }
    renamed.push_str(&text[from..]);
    renamed
}

#[cfg(test)]
mod tests {
    use sumac_text::TextRange;

    use super::*;

    #[test]
    fn one_name_is_one_value() {
        let edit = |text: &str| {
            vec![TextEdit {
                range: TextRange::new(0, 0),
                new_text: text.to_owned(),
            }]
        };
        let mut variables = Variables::of("tmp2 = 1\nx = sum(A)\nprint(x)\n");
        let mut text = |new: &str| {
            variables
                .apart(edit(new), &["once_x".to_owned()])
                .remove(0)
                .new_text
        };
        assert_eq!(
            text("tmp1 = A\nsum_P = sum(tmp1)"),
            "tmp1 = A\nsum_P = sum(tmp1)"
        );
        assert_eq!(
            text("tmp1 = \"tmp1\"\nsum_P = tmp1"),
            "tmp4 = \"tmp1\"\ntmp3 = tmp4"
        );
        // Variables of the script, and what is computed before a loop, keep their names.
        assert_eq!(text("x = tmp2\nonce_x = x"), "x = tmp2\nonce_x = x");
        assert_eq!(text("once_x = 2"), "once_x = 2");
    }
}
