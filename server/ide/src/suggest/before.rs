//! What a suggestion computes before the loop around it: the part that does not change there, under a name of its own.

use std::sync::Arc;

use sumac_cost::{Cost, Hoisted, Machine, Priced};
use sumac_la::{Dag, Input};
use sumac_sumproduct::Options;
use sumac_text::{TextEdit, TextRange};

use super::enclosing_loops::{EnclosingLoop, First};
use super::group::Group;
use super::site::Site;
use super::surroundings::Names;
use super::temporaries::ONCE;
use crate::estimate;

/// A form that was cut in two by the loop around it.
#[derive(Clone, Debug)]
pub(super) struct Before<'a> {
    /// The loop in front of which the first part is written.
    around: &'a EnclosingLoop,
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
        site: Site<'a>,
        group: &Group<'_>,
        machine: &Machine,
    ) -> Option<Self> {
        let loops = &site.around.loops;
        let inner = loops.first()?;
        let is_loop_invariant = |input: &Input| inner.is_loop_invariant(&input.name);
        let targets = group.targets();
        let variable = targets.first().map_or("", |name| &**name);
        let earlier = site.around.earlier[group.last_place()];
        let name = |n: usize| free_name(&site.around.names, variable, earlier, n);
        let cut = form.hoisted(&is_loop_invariant, machine, &name)?;
        let stays = |around: &&Arc<EnclosingLoop>| {
            let mut inputs = cut.once.inputs().iter();
            inputs.all(|input| around.is_loop_invariant(&input.name)) && around.has_room()
        };
        let mut level = loops.iter().take_while(stays).count().checked_sub(1)?;
        // Past a loop that may not run at all nothing is computed for it.
        if let Some(doubtful) = loops[..level]
            .iter()
            .position(|it| it.first != First::Always)
        {
            level = doubtful;
        }
        Some(Before {
            around: &loops[level],
            level,
            cut,
        })
    }

    /// The statements to write before the loop, and where.
    pub(super) fn edit(&self) -> TextEdit {
        let indent = &self.around.indent;
        let new_text = match &self.around.first {
            First::If(condition) => {
                let lines = self.statements().map(|text| format!("{indent}  {text}\n"));
                let lines: String = lines.collect();
                format!("if ({condition}) {{\n{lines}{indent}}}\n{indent}")
            }
            First::Always | First::Unknown => {
                let lines = self.statements().map(|text| format!("{text}\n{indent}"));
                lines.collect()
            }
        };
        TextEdit {
            range: TextRange::new(self.around.start, self.around.start),
            new_text,
        }
    }

    /// The same, each as one line.
    pub(super) fn statements(&self) -> impl Iterator<Item = String> + '_ {
        let once = &self.cut.once;
        let parts = self.cut.names.iter().zip(once.roots());
        parts.map(|(name, root)| format!("{name} = {}", once.print(*root)))
    }

    /// What a person must know of the loop: its length, and the run from which on the first part has paid.
    pub(super) fn assumes(
        &self,
        before: &Cost,
        inner: &EnclosingLoop,
        options: &Options,
    ) -> Vec<String> {
        let cost = |dag: &Dag| estimate::cost(dag, options).map(|cost| cost.seconds);
        let names = self.cut.names.join(" and ");
        let is = if self.cut.names.len() > 1 {
            "are"
        } else {
            "is"
        };
        let runs = sumac_la::number(inner.trip_count);
        let mut assumes = vec![if inner.is_counted {
            format!("{names} {is} computed before the loop, which runs {runs} times")
        } else {
            format!("{names} {is} computed before the loop, which is taken to run {runs} times")
        }];
        if let Some((once, run)) = cost(&self.cut.once).zip(cost(&self.cut.body))
            && run < before.seconds
        {
            let needed = (once / (before.seconds - run)).ceil().max(1.0);
            // Once is what it runs where it runs at all.
            if needed > 1.0 {
                assumes.push(format!(
                    "cheaper if the loop runs at least {} times",
                    sumac_la::number(needed)
                ));
            }
        }
        assumes
    }
}

/// What the variables of a statement are called: `once_` and its own variable, with a number if `earlier` statements in
/// loops have the same.
fn stem(variable: &str, earlier: usize) -> String {
    let mut stem = ONCE.to_owned();
    if !variable.is_empty() {
        stem.push('_');
        stem.push_str(variable);
    }
    if earlier > 0 {
        stem.push_str(&format!("_{}", earlier + 1));
    }
    stem
}

/// The `n`-th name for the parts of a statement. The script does not use it, and no other statement's part can have it:
/// behind the prefix no other variable stands.
fn free_name(names: &Names, variable: &str, earlier: usize, n: usize) -> String {
    let is_used = |name: &str| names.contains(name);
    let is_anothers = |name: &str| {
        let rest = name
            .strip_prefix(ONCE)
            .and_then(|rest| rest.strip_prefix('_'));
        rest.is_some_and(|rest| rest != variable && is_used(rest))
    };
    let stem = stem(variable, earlier);
    let letters = ('b'..='z').map(|letter| format!("{stem}_{letter}"));
    let numbered = (2..).map(|number| format!("{stem}{number}"));
    let all = std::iter::once(stem.clone()).chain(letters).chain(numbered);
    let mut free = all.filter(|name| !is_used(name) && !is_anothers(name));
    free.nth(n).expect("there are infinitely many names")
}
