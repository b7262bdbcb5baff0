//! What several suggestions compute before the same loop is computed once for all of them. Must never change what a variable holds.

use std::collections::BTreeMap;

use sumac_text::TextEdit;

use super::variables::renamed;

/// The statements that suggestions put before loops so far: the name of each value by its place and expression.
#[derive(Default)]
pub(super) struct Hoisted {
    names: BTreeMap<(usize, String), String>,
}

impl Hoisted {
    /// The edits of one more suggestion, those of its variables `own` that hold what another one's hold replaced by these.
    pub(super) fn shared(&mut self, mut edits: Vec<TextEdit>, own: &[String]) -> Vec<TextEdit> {
        for at in 0..edits.len() {
            let place = edits[at].range;
            // Behind a condition it may not be computed at all.
            let mut lines = edits[at]
                .new_text
                .lines()
                .filter(|line| !line.trim().is_empty());
            if !place.is_empty() || !lines.all(|line| assigned(line, own).is_some()) {
                continue;
            }
            // One by one, for what comes later may read what has another name by now.
            let mut from = 0;
            while let Some((name, expression)) = assigned(&edits[at].new_text[from..], own) {
                let key = (place.start, expression.to_owned());
                let name = name.to_owned();
                let rest = &edits[at].new_text[from..];
                let next = rest
                    .find('\n')
                    .map_or(rest, |end| &rest[end..])
                    .trim_start();
                let length = rest.len() - next.len();
                match self.names.get(&key) {
                    Some(known) => {
                        edits[at].new_text.replace_range(from..from + length, "");
                        for edit in &mut edits {
                            edit.new_text = renamed(&edit.new_text, &name, known);
                        }
                    }
                    None => {
                        self.names.insert(key, name);
                        from += length;
                    }
                }
            }
        }
        edits.retain(|edit| !edit.range.is_empty() || !edit.new_text.trim().is_empty());
        edits
    }
}

/// The variable and the value of the assignment to one of these variables that the first line of a text is.
fn assigned<'a>(text: &'a str, own: &[String]) -> Option<(&'a str, &'a str)> {
    let (name, expression) = text.lines().next()?.split_once(" = ")?;
    let name = name.trim_start();
    own.iter()
        .any(|own| own == name)
        .then(|| (name, expression.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sumac_text::TextRange;

    fn edits(before: &str, statement: &str) -> Vec<TextEdit> {
        let at = |start, end, text: &str| TextEdit {
            range: TextRange::new(start, end),
            new_text: text.to_owned(),
        };
        vec![at(7, 7, before), at(20, 30, statement)]
    }

    fn texts(edits: &[TextEdit]) -> Vec<&str> {
        edits.iter().map(|edit| edit.new_text.as_str()).collect()
    }

    #[test]
    fn what_two_suggestions_compute_before_a_loop_is_computed_once() {
        let mut hoisted = Hoisted::default();
        let own = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let first = edits("once_a = t(X) %*% X\n  ", "once_a %*% a");
        assert_eq!(hoisted.shared(first.clone(), &own(&["once_a"])), first);
        let second = edits(
            "once_b = t(X) %*% X\n  once_b_b = once_b %*% v\n  ",
            "once_b %*% once_b_b",
        );
        let second = hoisted.shared(second, &own(&["once_b", "once_b_b"]));
        assert_eq!(
            texts(&second),
            ["once_b_b = once_a %*% v\n  ", "once_a %*% once_b_b"]
        );
        // Nothing is left of it, and another loop's is another.
        let third = hoisted.shared(edits("once_c = t(X) %*% X\n", "once_c"), &own(&["once_c"]));
        assert_eq!(texts(&third), ["once_a"]);
        let mut other = edits("once_d = t(X) %*% X\n", "once_d");
        other[0].range = TextRange::new(3, 3);
        assert_eq!(hoisted.shared(other.clone(), &own(&["once_d"])), other);
    }

    #[test]
    fn what_stands_behind_a_condition_is_left_alone() {
        let mut hoisted = Hoisted::default();
        let own = ["once_a".to_owned()];
        let first = edits("once_a = t(X) %*% X\n", "once_a");
        hoisted.shared(first, &own);
        let guarded = edits("if (n > 1) {\n  once_a = t(X) %*% X\n}\n", "once_a");
        assert_eq!(hoisted.shared(guarded.clone(), &own), guarded);
    }
}
