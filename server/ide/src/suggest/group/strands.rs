//! Which parts of a group do not need each other: statements that gain nothing as one keep their names, whatever others gain.

use std::collections::{BTreeMap, BTreeSet};

use super::{Group, Site};

/// Parts of the statement that stays in a group, and the inlined statements that they alone need.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Strand {
    /// Among [`Group::parts`].
    pub(crate) parts: Vec<usize>,
    /// Places in the block.
    pub(crate) members: BTreeSet<usize>,
}

impl<'a> Group<'a> {
    /// The parts of the statement that stays, those together that need one statement which is inlined.
    pub(crate) fn strands(&self, site: Site<'a>) -> Vec<Strand> {
        let (last, parts) = (self.last_place(), self.parts());
        // Which of the parts need the value of an inlined statement, which the last one is not: what stands behind it is known first.
        let mut needed: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for place in self.members.iter().rev().filter(|place| **place != last) {
            let statement = &self.block.statements[*place];
            let name = statement.target.as_ref().map(|target| &target.name);
            let mut by = BTreeSet::new();
            for reader in &statement.readers {
                if *reader != last {
                    by.extend(needed.get(reader).into_iter().flatten());
                    continue;
                }
                let uses = site.names_in(self.last().range);
                for used in uses.filter(|used| Some(&used.name) == name) {
                    by.extend(
                        parts
                            .iter()
                            .position(|part| part.range.contains(used.range)),
                    );
                }
            }
            needed.insert(*place, by);
        }
        let mut strands: Vec<Strand> = Vec::new();
        for at in 0..parts.len() {
            let mut strand = Strand {
                parts: vec![at],
                members: needed
                    .iter()
                    .filter(|(_, by)| by.contains(&at))
                    .map(|(place, _)| *place)
                    .collect(),
            };
            let meets = |other: &Strand| !other.members.is_disjoint(&strand.members);
            let (joined, apart): (Vec<_>, Vec<_>) = strands.into_iter().partition(meets);
            for other in joined {
                strand.parts.extend(other.parts);
                strand.members.extend(other.members);
            }
            strands = apart;
            strands.push(strand);
        }
        strands
    }

    /// The group without some of its [strands](Group::strands), whose statements stay.
    pub(crate) fn without(&self, strands: &[Strand]) -> Group<'a> {
        let parts = self.parts();
        let left = strands.iter().flat_map(|strand| &strand.parts);
        let stay: BTreeSet<usize> = strands
            .iter()
            .flat_map(|strand| &strand.members)
            .copied()
            .collect();
        let members = self
            .members
            .iter()
            .copied()
            .filter(|place| !stay.contains(place));
        self.of(
            members.collect(),
            &stay,
            left.map(|at| parts[*at].range).collect(),
        )
    }
}
