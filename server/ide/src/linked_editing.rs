//! Places that change together while one of them is typed.
//!
//! Only names that nothing outside of a small piece of the script can use: a namespace of the file, and a loop
//! variable that is used inside of its loop alone. Parameters are left out on purpose: calls in other files may name
//! them, and typing would part the two. Renaming looks at conflicts and at other files; this looks at neither.

use sumac_syntax::Parse;
use sumac_syntax::ast::StmtKind;
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use crate::workspace::{Occurrence, Role, at, occurrences};

/// What a name may look like while it is typed, as editors write patterns.
pub const NAME_PATTERN: &str = "[a-zA-Z][a-zA-Z0-9_]*";

/// The places that change with the one that a cursor at `offset` touches, that one included, in the order of the text.
#[must_use]
pub fn linked_ranges(parse: &Parse, offset: usize) -> Option<Vec<TextRange>> {
    let all = occurrences(parse.program());
    let here = at(&all, offset)?;
    let is_same = |found: &&Occurrence| {
        found.name == here.name
            && match (&here.role, &found.role) {
                (Role::Namespace(_), Role::Namespace(_)) => true,
                (Role::Variable(_), Role::Variable(_)) => found.function == here.function,
                _ => false,
            }
    };
    let places: Vec<TextRange> = all
        .iter()
        .filter(is_same)
        .map(|found| found.range)
        .collect();
    let is_linked = match here.role {
        Role::Namespace(_) => true,
        Role::Variable(_) => is_of_one_loop(parse, &here.name, &places),
        _ => false,
    };
    (is_linked && places.len() > 1).then_some(places)
}

/// Whether one loop runs over the variable, and all of its places lie in it.
fn is_of_one_loop(parse: &Parse, name: &str, places: &[TextRange]) -> bool {
    let mut loops = Vec::new();
    walk(parse.program(), &mut |node| {
        if let Node::Stmt(stmt) = node
            && let StmtKind::For { var, .. } = &stmt.kind
            && *var.name == *name
            && places.contains(&var.range)
        {
            loops.push(stmt.range);
        }
    });
    let [only] = loops[..] else { return false };
    places.iter().all(|place| only.contains(*place))
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
        let ranges = linked_ranges(&files.snapshot(&file).parse, offset).unwrap_or_default();
        let place = |range| Location {
            file: file.clone(),
            range,
        };
        expected.assert_eq(&files.show(ranges.into_iter().map(place)));
    }

    #[test]
    fn a_loop_variable_changes_with_its_loop() {
        check(
            "i = 0\nf = function() return (Double s) {\n  s = 0\n  for ($0i in 1:3) s = s + i\n}\n",
            &expect![[r#"
                main.dml:4:   for ([i] in 1:3) s = s + i
                main.dml:4:   for (i in 1:3) s = s + [i]
            "#]],
        );
    }

    #[test]
    fn a_loop_variable_that_is_used_elsewhere_is_left_alone() {
        check("for ($0i in 1:3) print(i)\nprint(i)\n", &expect![""]);
        check(
            "for ($0i in 1:3) print(i)\nfor (i in 1:3) print(i)\n",
            &expect![""],
        );
    }

    #[test]
    fn a_namespace_changes_with_its_uses() {
        check(
            "source(\"l.dml\") as $0l\nl = l::f(l::g(1))\n",
            &expect![[r#"
                main.dml:1: source("l.dml") as [l]
                main.dml:2: l = [l]::f(l::g(1))
                main.dml:2: l = l::f([l]::g(1))
            "#]],
        );
    }

    #[test]
    fn parameters_and_other_variables_are_left_alone() {
        check(
            "f = function(Double $0a) return (Double b) { b = a }\n",
            &expect![""],
        );
        check("$0x = 1\ny = x\n", &expect![""]);
    }
}
