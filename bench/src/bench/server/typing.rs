//! Keystrokes in long scripts: each leaves a text that was never there before.
//!
//! Everything that is typed stays, so that no two texts of a session are equal and nothing can be answered from memory.

use std::ops::Range;

use crate::client::document::Edit;

/// A kind of keystroke: behind which text it is made, and what is typed there; `N` becomes a running number.
pub(super) struct Kind {
    pub(super) name: &'static str,
    behind: &'static str,
    typed: &'static str,
}

#[rustfmt::skip]
pub(super) const KINDS: &[Kind] = &[
    Kind { name: "a statement in a function",       behind: "  m = ncol(X)\n",    typed: "  zN = N * sum(X)\n" },
    Kind { name: "a comment in a function",         behind: "  m = ncol(X)\n",    typed: "  # note N\n" },
    Kind { name: "a statement in the main program", behind: "# next\n",          typed: "zN = N * sum(X)\n" },
    Kind { name: "a digit of a number",             behind: "step = 1 / (n + ",   typed: "7" },
    Kind { name: "a factor that is searched with",  behind: "sum((X - ",         typed: "7 * " },
];

/// Types into a script, kind after kind, from place to place.
pub(super) struct Typist {
    next: usize,
}

impl Typist {
    pub(super) fn new() -> Self {
        Typist { next: 0 }
    }

    /// The keystrokes that type one thing of this kind; none if the script has no place for it.
    pub(super) fn keystrokes(&mut self, kind: &Kind, text: &str) -> Vec<Edit> {
        let places: Vec<usize> = text
            .match_indices(kind.behind)
            .map(|(at, found)| at + found.len())
            .collect();
        if places.is_empty() {
            return Vec::new();
        }
        self.next += 1;
        // A step that shares no factor with the number of places would visit all; near enough to evenly spread is enough.
        let place = places[self.next * 7919 % places.len()];
        let typed = kind.typed.replace('N', &(1000 + self.next).to_string());
        typed
            .char_indices()
            .map(|(at, c)| Edit {
                range: empty(place + at),
                text: c.to_string(),
            })
            .collect()
    }
}

fn empty(at: usize) -> Range<usize> {
    at..at
}

#[cfg(test)]
mod tests {
    use super::super::super::synthetic;
    use super::*;

    #[test]
    fn every_keystroke_leaves_a_text_that_was_never_there() {
        for mut text in [synthetic::modular(300), synthetic::monolith(300)] {
            let mut typist = Typist::new();
            let mut seen = std::collections::BTreeSet::from([text.clone()]);
            for kind in KINDS.iter().cycle().take(4 * KINDS.len()) {
                for edit in typist.keystrokes(kind, &text.clone()) {
                    text.replace_range(edit.range, &edit.text);
                    assert!(seen.insert(text.clone()), "{}", kind.name);
                }
            }
            assert!(seen.len() > 100);
            assert_eq!(sumac_syntax::parse(text).errors(), []);
        }
    }
}
