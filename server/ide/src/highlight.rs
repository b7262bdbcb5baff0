//! The other places of one file that name the thing under the cursor, and whether they read or write it.

use std::path::Path;
use std::sync::Arc;

use sumac_syntax::Parse;
use sumac_text::TextRange;

use crate::workspace::{Access, Index, Symbol, occurrences};

/// A highlighted place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Highlight {
    /// The place.
    pub range: TextRange,
    /// What happens there.
    pub access: Access,
}

/// The places of `file` that name what a cursor at `offset` touches, in the order of the text.
#[must_use]
pub fn highlights(index: &Index, file: &Arc<Path>, parse: &Parse, offset: usize) -> Vec<Highlight> {
    let Some((_, symbol)) = Symbol::at(index, file, parse, offset) else {
        return Vec::new();
    };
    let all = occurrences(parse.program());
    all.iter()
        .filter(|found| Symbol::of(index, file, found).as_ref() == Some(&symbol))
        .map(|found| Highlight {
            range: found.range,
            access: found.role.access(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::Location;
    use crate::workspace::fixture::Files;

    #[track_caller]
    fn check(fixture: &str, expected: &Expect) {
        let files = Files::new(fixture);
        let (file, offset) = files.cursor();
        let workspace = files.workspace();
        let parse = files.snapshot(&file).parse;
        let mut shown = String::new();
        for found in highlights(workspace.index, &file, &parse, offset) {
            let place = Location {
                file: file.clone(),
                range: found.range,
            };
            let line = files.show([place]);
            shown.push_str(&format!("{:?} {line}", found.access));
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn reads_and_writes_are_told_apart() {
        check(
            "#@ X: 3 x 3\nX = read($X)\nX[1, 1] = sum($0X)\nf = function(Double X) return (Double y) { y = X }\n",
            &expect![[r#"
                State main.dml:1: #@ [X]: 3 x 3
                Write main.dml:2: [X] = read($X)
                Write main.dml:3: [X][1, 1] = sum(X)
                Read main.dml:3: X[1, 1] = sum([X])
            "#]],
        );
    }

    #[test]
    fn functions_of_systemds_are_highlighted_in_the_file() {
        check(
            "a = $0sum(b) + sum(c)\n",
            &expect![[r#"
                Read main.dml:1: a = [sum](b) + sum(c)
                Read main.dml:1: a = sum(b) + [sum](c)
            "#]],
        );
    }

    #[test]
    fn arguments_and_sizes_are_highlighted() {
        check(
            "#@ $$0rank = 10\nk = $rank\n",
            &expect![[r#"
                Write main.dml:1: #@ [$rank] = 10
                Read main.dml:2: k = [$rank]
            "#]],
        );
        check(
            "#@ W: $0n x n\n#@ n = 3\n",
            &expect![[r#"
                Read main.dml:1: #@ W: [n] x n
                Read main.dml:1: #@ W: n x [n]
                Write main.dml:2: #@ [n] = 3
            "#]],
        );
    }

    #[test]
    fn nothing_is_highlighted_between_names() {
        check("x = 1 $0+ 2\n", &expect![""]);
    }
}
