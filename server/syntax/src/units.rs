//! A script's functions, each by itself, and what stands between them: a function does not know where it stands, so an
//! edit elsewhere leaves it the very same value.

use std::sync::Arc;

use sumac_text::{SyntaxError, TextRange};

use crate::ast::{Program, Stmt, StmtKind};
use crate::comments::CommentKind;
use crate::facts::parse_fact;
use crate::lower::Lowered;
use crate::ranges::map_stmt;
use crate::unit::{PlacedUnit, Unit};

/// Statements that are read together. Places inside count from its start.
pub struct Piece<'a> {
    /// Where it starts in the script.
    pub start: usize,
    /// Its text.
    pub text: &'a str,
    /// Whether something in it is not DML, even if the language passes over it.
    pub is_broken: bool,
    /// All of its statements, functions included.
    pub statements: &'a [Stmt],
    functions: &'a [PlacedUnit],
    errors: &'a [SyntaxError],
}

impl<'a> Piece<'a> {
    pub(crate) fn new(start: usize, text: &'a str, lowered: &'a Lowered) -> Self {
        Piece {
            start,
            text,
            is_broken: !lowered.errors.is_empty(),
            statements: &lowered.statements,
            functions: lowered.functions.get_or_init(|| functions(text, lowered)),
            errors: &lowered.errors,
        }
    }

    /// Where it cannot be read, counted from its start.
    pub fn errors(&self) -> impl Iterator<Item = TextRange> + use<'a> {
        let errors = self.errors.iter().filter(|error| error.is_refused());
        errors.map(|error| error.range)
    }

    /// Its functions in source order, each with its place in the script.
    pub fn functions(&self) -> impl Iterator<Item = (TextRange, &'a Arc<Unit>)> + use<'a> {
        let start = self.start;
        self.functions
            .iter()
            .map(move |PlacedUnit { range, unit }| {
                let range = TextRange::new(range.start + start, range.end + start);
                (range, unit)
            })
    }
}

/// The functions of a piece.
fn functions(text: &str, lowered: &Lowered) -> Vec<PlacedUnit> {
    let mut end = 0;
    let found = lowered.statements.iter().filter(|stmt| {
        let is_one = matches!(stmt.kind, StmtKind::Function(_)) && stmt.range.start >= end;
        if is_one {
            end = stmt.range.end;
        }
        is_one
    });
    let units = found.map(|stmt| PlacedUnit {
        range: stmt.range,
        unit: Arc::new(unit(text, stmt, lowered)),
    });
    units.collect()
}

fn unit(text: &str, stmt: &Stmt, lowered: &Lowered) -> Unit {
    let around = stmt.range;
    let inward = |range: TextRange| {
        let end = range.end.min(around.end);
        TextRange::new(range.start - around.start, end - around.start)
    };
    let mut stmt = stmt.clone();
    map_stmt(&mut stmt, &|range| *range = inward(*range));
    let facts = lowered
        .comments
        .iter()
        .filter(|comment| comment.kind == CommentKind::Fact && around.contains(comment.range));
    let facts = facts.map(|fact| parse_fact(&text[fact.range], fact.range.start - around.start));
    let errors = lowered.errors.iter().filter(|error| error.is_refused());
    let errors = errors
        .map(|error| error.range)
        .filter(|range| around.touches(range.start));
    Unit {
        text: text
            .get(around.start..around.end)
            .unwrap_or_default()
            .to_owned(),
        program: Program {
            facts: facts.collect(),
            statements: vec![stmt],
        },
        errors: errors.map(inward).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Parse, parse};
    use sumac_text::TextEdit;

    const SCRIPT: &str = "\
# before
f = function(Double a) return (Double b) {
  #@ a: 1 x 1
  b = a + 1
}
x = 1
g = function(Double a) return (Double b) {
  b = a *
}
";

    fn functions(parse: &Parse) -> Vec<(TextRange, Arc<Unit>)> {
        let all = parse.pieces().flat_map(|piece| piece.functions());
        all.map(|(range, unit)| (range, Arc::clone(unit))).collect()
    }

    #[test]
    fn a_function_stands_alone_with_its_facts_and_errors() {
        let parse = parse(SCRIPT);
        let [(f, first), (g, second)] = &functions(&parse)[..] else {
            panic!("two functions")
        };
        for (range, unit) in [(f, first), (g, second)] {
            assert_eq!(unit.text, SCRIPT[*range]);
            assert_eq!(
                unit.program.statements[0].range,
                TextRange::new(0, range.len())
            );
        }
        assert_eq!((first.program.facts.len(), first.errors.len()), (1, 0));
        let fact = first.program.facts[0].range;
        assert_eq!(&first.text.as_str()[fact], "#@ a: 1 x 1");
        assert_eq!((second.program.facts.len(), second.errors.len()), (0, 1));
    }

    #[test]
    fn an_edit_elsewhere_leaves_the_very_same_function() {
        let before = parse(SCRIPT);
        let old = functions(&before);
        let at = SCRIPT.find("x = 1").expect("it is there");
        let after = before.edit(&[TextEdit {
            range: TextRange::new(at, at + 1),
            new_text: "longer".to_owned(),
        }]);
        let new = functions(&after);
        assert_eq!(new.len(), old.len());
        for ((was, old), (is, new)) in old.iter().zip(&new) {
            assert!(Arc::ptr_eq(old, new));
            let moved = if was.start < at {
                0
            } else {
                "longer".len() - 1
            };
            assert_eq!(is.start, was.start + moved);
        }
        let inside = before.edit(&[TextEdit {
            range: TextRange::new(old[0].0.end - 3, old[0].0.end - 2),
            new_text: "2".to_owned(),
        }]);
        let new = functions(&inside);
        assert!(!Arc::ptr_eq(&old[0].1, &new[0].1) && Arc::ptr_eq(&old[1].1, &new[1].1));
    }
}
