//! `#@ assert` lines: where they hold, and which definitions count as given there.

use std::collections::BTreeMap;

use sumac_syntax::ast::{Block, Fact, FactKind, Program, Stmt};
use sumac_text::TextRange;

use crate::given::{self, Given};
use crate::names;

/// The script's asserts by the statements that they stand beside, each as its place among the facts.
#[derive(Debug, Default)]
pub(crate) struct Asserts {
    /// Behind a statement.
    pub(crate) behind: BTreeMap<TextRange, Vec<usize>>,
    /// In front of the first statement of a list.
    pub(crate) before: BTreeMap<TextRange, Vec<usize>>,
    /// In a list without statements.
    pub(crate) alone: Vec<usize>,
    /// Definitions whose value the script does not compute.
    pub(crate) given: BTreeMap<TextRange, Given>,
}

impl Asserts {
    pub(crate) fn of(program: &Program) -> Asserts {
        let mut asserts = Asserts::default();
        for (index, fact) in program.facts.iter().enumerate() {
            if matches!(fact.kind, FactKind::Assert { .. }) {
                asserts.place(program, index, fact);
            }
        }
        let is_empty = asserts.behind.is_empty() && asserts.before.is_empty();
        if !is_empty {
            asserts.given = given::given(program);
        }
        asserts
    }

    fn place(&mut self, program: &Program, index: usize, fact: &Fact) {
        let mut list: &[Stmt] = &program.statements;
        loop {
            let around = |block: &&Block| block.range.contains(fact.range);
            let inner = list
                .iter()
                .filter(|stmt| stmt.range.contains(fact.range))
                .find_map(|stmt| names::bodies(stmt).into_iter().find(around));
            match inner {
                Some(block) => list = &block.statements,
                None => break,
            }
        }
        let earlier = |stmt: &&Stmt| stmt.range.start < fact.range.start;
        let place = match (list.iter().rfind(earlier), list.first()) {
            (Some(stmt), _) => self.behind.entry(stmt.range).or_default(),
            (None, Some(first)) => self.before.entry(first.range).or_default(),
            (None, None) => &mut self.alone,
        };
        place.push(index);
    }
}
