//! The blocks of one script's units, kept from text to text: an edit costs as much as the units that it touches, and as those
//! that can notice it.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sumac_analysis::{PlacedUnit, UnitId};

use crate::block_key::BlockKey;
use crate::cache::Block;
use crate::snapshot::Snapshot;
use crate::suggest::surroundings::{Beside, Together, Told};

/// The blocks of the units of one script.
#[derive(Debug, Default)]
pub struct UnitBlocks {
    /// The options of the search (any rendering that tells options apart).
    options: String,
    /// In the order of the units.
    units: Vec<Kept>,
    together: Together,
    /// Those of the last text.
    keys: Vec<BlockKey>,
}

/// A unit, whether a line before it asks for silence, and whether it is one of several sections of the main program: these tell each
/// other their names.
type Id = (UnitId, bool, bool);

/// What is kept of a unit.
#[derive(Debug)]
struct Kept {
    id: Id,
    told: Arc<Told>,
    /// What its blocks were made with, and they.
    beside: Beside,
    blocks: Option<Arc<[Block]>>,
}

impl Kept {
    fn new(unit: PlacedUnit<'_>) -> Self {
        Kept {
            id: id(unit),
            told: Arc::new(Told::of(unit)),
            beside: Beside::default(),
            blocks: None,
        }
    }

    /// From now on this stands beside it.
    fn stand(&mut self, beside: Beside) {
        if self.beside != beside {
            self.beside = beside;
            self.blocks = None;
        }
    }
}

fn id(unit: PlacedUnit<'_>) -> Id {
    (unit.id(), unit.is_off(), unit.is_segment())
}

impl UnitBlocks {
    /// The blocks of a script, searched with `options`, in source order as in [`sumac_analysis::Analysis::blocks`].
    pub fn of(&mut self, snapshot: &Snapshot, options: &str) -> Vec<Block> {
        if self.options != options {
            *self = UnitBlocks {
                options: options.to_owned(),
                ..UnitBlocks::default()
            };
        }
        let units: Vec<PlacedUnit<'_>> = snapshot.analysis.parts().units().collect();
        self.know(&units);
        let known = self.units.iter().map(|kept| kept.blocks.as_ref());
        let known = known.map(|blocks| blocks.map_or(1, |blocks| blocks.len()));
        let mut blocks = Vec::with_capacity(known.sum());
        for (number, (unit, kept)) in units.iter().zip(&mut self.units).enumerate() {
            let own = kept
                .blocks
                .get_or_insert_with(|| Block::of_unit(*unit, &kept.beside, options).into());
            let text = snapshot.text();
            let placed = own.iter().map(|block| block.placed(number, *unit, text));
            blocks.extend(placed.map(|block| block.damaged(snapshot, *unit)));
        }
        blocks.sort_by_key(|block| block.range);
        self.keys.clear();
        self.keys.extend(blocks.iter().map(|block| block.key));
        blocks
    }

    /// The blocks of the last text, by content.
    #[must_use]
    pub fn keys(&self) -> &[BlockKey] {
        &self.keys
    }

    /// Keeps what is known of the units that are there, and forgets the others.
    fn know(&mut self, units: &[PlacedUnit<'_>]) {
        let is_same = |(unit, kept): &(&PlacedUnit<'_>, &Kept)| {
            let (known, is_off, is_segment) = &kept.id;
            *is_off == unit.is_off() && *is_segment == unit.is_segment() && unit.is(known)
        };
        let before = units.iter().zip(&self.units).take_while(is_same).count();
        let (rest, known) = (&units[before..], &self.units[before..]);
        let behind = rest.iter().rev().zip(known.iter().rev());
        let behind = behind.take_while(is_same).count();
        let new = &units[before..units.len() - behind];
        let tail = self.units.split_off(self.units.len() - behind);
        let gone = self.units.split_off(before);
        let was = gone.iter();
        let (told, earlier): (Vec<_>, Vec<_>) = was
            .map(|kept| (Arc::clone(&kept.told), kept.beside.earlier.clone()))
            .unzip();
        let gone = gone.into_iter().map(|kept| (kept.id.clone(), kept));
        #[expect(
            clippy::mutable_key_type,
            reason = "units are told apart by where they stand"
        )]
        let mut gone: FxHashMap<Id, Kept> = gone.collect();
        let new = new.iter().map(|unit| {
            let known = gone.remove(&id(*unit));
            known.unwrap_or_else(|| Kept::new(*unit))
        });
        let mut new: Vec<Kept> = new.collect();
        let tells: Vec<Arc<Told>> = new.iter().map(|kept| Arc::clone(&kept.told)).collect();
        if self.together.exchange(&told, &tells) {
            for (kept, earlier) in new.iter_mut().zip(earlier) {
                kept.stand(self.together.beside_one(&kept.told, earlier));
            }
            self.units.extend(new.into_iter().chain(tail));
        } else {
            self.units.extend(new.into_iter().chain(tail));
            let all = || self.units.iter().map(|kept| &*kept.told);
            self.together = Together::of(all());
            let besides = self.together.beside(all());
            for (kept, beside) in self.units.iter_mut().zip(besides) {
                kept.stand(beside);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use sumac_analysis::{Database, NoFiles};
    use sumac_syntax::parse;

    use super::*;

    /// Segments that others notice: names that could be ours, long names, loops that assign the same.
    const SECTIONS: &[&str] = &[
        "X = rand(rows=10, cols=7)\ns = 0\n",
        "if (sum(X) > 1) {\n  s = 1\n}\n",
        "for (i in 1:3) {\n  s = s + sum(X %*% t(X))\n}\n",
        "for (i in 1:3) {\n  sum_X = sum(X)\n  s = s + i * sum_X\n}\n",
        "temp1 = sum(X)\nprint(temp1)\n",
        "once_s = 1\nprint(once_s + s)\n",
        "for (j in 1:2) {\n  print(sum(X) + j)\n}\n",
        "b = 1\nif (b > s) print(b)\n",
        "while (s < 9) {\n  X = X + t(colSums(X)) %*% colSums(X)\n  s = s + 1\n}\n",
        "f = function(Matrix[Double] A) return (Double d) {\n  d = sum(A %*% t(A))\n}\n",
        "s = f(X)\n",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn after_any_edits_the_blocks_are_those_of_a_new_script(
            start in prop::collection::vec(0..SECTIONS.len(), 0..9),
            edits in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), 0..SECTIONS.len()), 0..6),
        ) {
            let mut pieces: Vec<&str> = start.iter().map(|at| SECTIONS[*at]).collect();
            let (mut db, path) = (Database::new(NoFiles), Path::new("/w/main.dml"));
            let mut kept = UnitBlocks::default();
            let mut check = |pieces: &[&str]| {
                let script = parse(pieces.concat());
                db.open(path, &script);
                let snapshot = Snapshot::new(script, db.known(path));
                let (found, fresh) = (kept.of(&snapshot, ""), UnitBlocks::default().of(&snapshot, ""));
                let keys: Vec<BlockKey> = found.iter().map(|block| block.key).collect();
                prop_assert_eq!(kept.keys(), keys);
                let shown = |blocks: &[Block]| format!("{blocks:#?}");
                prop_assert_eq!(shown(&found), shown(&fresh));
                Ok(())
            };
            check(&pieces)?;
            for (is_removal, at, piece) in edits {
                if is_removal && !pieces.is_empty() {
                    pieces.remove(at.index(pieces.len()));
                } else {
                    pieces.insert(at.index(pieces.len() + 1), SECTIONS[piece]);
                }
                check(&pieces)?;
            }
        }
    }
}
