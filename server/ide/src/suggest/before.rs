//! What a suggestion computes before the loop around it: the part that does not change there, under a name of its own.

use std::sync::Arc;

use sumac_analysis::{Analysis, StatementBlock};
use sumac_la::{Cost, Dag, Hoisted, Input, Machine};
use sumac_syntax::text::{TextEdit, TextRange};

use super::around::Around;
use super::group::Group;

/// What the variables are called, with the name of what they are needed for behind.
const PREFIX: &str = "once";

/// Whether a variable of this name could be one of ours.
pub(super) fn is_its_name(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// A form that was cut in two by the loop around it.
#[derive(Clone, Debug)]
pub(super) struct Before<'a> {
    /// The loop in front of which the first part is written.
    around: &'a Around,
    /// Its place among the loops around the block: 0 is the innermost.
    pub(super) level: usize,
    /// Both parts.
    pub(super) cut: Hoisted,
}

impl<'a> Before<'a> {
    /// Cuts a form, in the names of the script, by the innermost loop; written before the outermost in which the part
    /// does not change either. `None` if there is nothing to compute before.
    pub(super) fn of(
        form: &Dag,
        loops: &'a [Around],
        analysis: &Analysis,
        group: &Group<'_>,
        machine: &Machine,
    ) -> Option<Self> {
        let inner = loops.first()?;
        let is_steady = |input: &Input| inner.is_steady(&input.name);
        let stem = stem(analysis, group);
        let name = |n: usize| free_name(analysis, &stem, n);
        let cut = form.hoisted(&is_steady, machine, &name)?;
        let stays = |around: &&Around| {
            let mut inputs = cut.once.inputs().iter();
            inputs.all(|input| around.is_steady(&input.name)) && around.has_room()
        };
        let level = loops.iter().take_while(stays).count().checked_sub(1)?;
        Some(Before {
            around: &loops[level],
            level,
            cut,
        })
    }

    /// The statements to write before the loop, and where.
    pub(super) fn edit(&self) -> TextEdit {
        let indent = &self.around.indent;
        let statements = self.statements().map(|text| format!("{text}\n{indent}"));
        TextEdit {
            range: TextRange::new(self.around.start, self.around.start),
            new_text: statements.collect(),
        }
    }

    /// The same, each as one line.
    pub(super) fn statements(&self) -> impl Iterator<Item = String> + '_ {
        let once = &self.cut.once;
        let parts = self.cut.names.iter().zip(once.roots());
        parts.map(|(name, root)| format!("{name} = {}", once.print(*root)))
    }

    /// What a person must know of the loop: its length, and the run from which on the first part has paid.
    pub(super) fn assumes(&self, before: &Cost, inner: &Around, machine: &Machine) -> Vec<String> {
        let cost = |dag: &Dag| dag.cost(dag.roots(), machine).map(|cost| cost.seconds);
        let names = self.cut.names.join(" and ");
        let runs = sumac_la::number(inner.runs);
        let mut assumes = vec![if inner.is_counted {
            format!("{names} is computed before the loop, which runs {runs} times")
        } else {
            format!("{names} is computed before the loop, which is taken to run {runs} times")
        }];
        if let Some((once, run)) = cost(&self.cut.once).zip(cost(&self.cut.body))
            && run < before.seconds
        {
            let needed = (once / (before.seconds - run)).ceil().max(1.0);
            assumes.push(format!(
                "cheaper if the loop runs at least {} times",
                sumac_la::number(needed)
            ));
        }
        assumes
    }
}

/// `once_` and the statement's variable, with a number if it is not the first of that variable in a loop.
fn stem(analysis: &Analysis, group: &Group<'_>) -> String {
    let targets = group.targets();
    let name = targets.first().map_or("", |name| &**name);
    match earlier(analysis, group.block, group.last().range.start, name) {
        0 if name.is_empty() => PREFIX.to_owned(),
        0 => format!("{PREFIX}_{name}"),
        n if name.is_empty() => format!("{PREFIX}_{}", n + 1),
        n => format!("{PREFIX}_{name}_{}", n + 1),
    }
}

/// How many statements in loops before `start` assign the variable; for no name, how many assign none.
fn earlier(analysis: &Analysis, block: &StatementBlock, start: usize, name: &str) -> usize {
    let target = |statement: &sumac_analysis::BlockStatement| {
        statement
            .target
            .as_ref()
            .map(|target| Arc::clone(&target.name))
    };
    analysis
        .blocks
        .iter()
        .filter(|other| other.loop_depth > 0 && other.function == block.function)
        .flat_map(|other| &other.statements)
        .take_while(|statement| statement.range.start < start)
        .filter(|statement| target(statement).as_deref().unwrap_or("") == name)
        .count()
}

/// The `n`-th name from a stem that the script does not use.
fn free_name(analysis: &Analysis, stem: &str, n: usize) -> String {
    let taken = |name: &String| analysis.names.iter().any(|known| *known.name == **name);
    let numbered = (2..).map(|number| format!("{stem}{number}"));
    let letters = ('b'..='z').map(|letter| format!("{stem}_{letter}"));
    let names = std::iter::once(stem.to_owned())
        .chain(letters)
        .chain(numbered);
    let mut free = names.filter(|name| !taken(name));
    free.nth(n).expect("there are infinitely many names")
}

/// What makes the names of a block's statements: for its cache.
pub(crate) fn ordinals(analysis: &Analysis, block: &StatementBlock) -> Vec<usize> {
    let of = |statement: &sumac_analysis::BlockStatement| {
        let name = statement.target.as_ref().map_or("", |target| &*target.name);
        earlier(analysis, block, statement.range.start, name)
    };
    block.statements.iter().map(of).collect()
}
