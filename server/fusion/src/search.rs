//! MPSkipEnum: the cheapest choice for the points of a partition.
//!
//! Choices stand in a row, from nothing written down to everything. The row is walked from the front; where the cheapest
//! that can follow is no cheaper than what is known, all choices that share the beginning are skipped, and where a cut
//! set is written down the two parts are searched apart. What is skipped is never cheaper, so the result is that of
//! looking at all of them, unless the search is cut short, which the result then says.

use serde::Serialize;

use crate::bits::Bits;
use crate::costing::Costing;
use crate::cuts::{Cut, cuts};
use crate::memo::Memo;
use crate::partition::PointKind;

/// How far a search goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Plans that are costed at most, of one partition.
    pub plans: u64,
    /// Whether costs skip choices.
    pub by_cost: bool,
    /// Whether cut sets do.
    pub by_structure: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            plans: 5000,
            by_cost: true,
            by_structure: true,
        }
    }
}

/// The outcome of a search.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Found {
    /// The points that are written down.
    #[serde(skip)]
    pub written: Bits,
    /// What the plan takes, in seconds.
    pub seconds: f64,
    /// Points.
    pub points: usize,
    /// Choices that there are.
    pub choices: f64,
    /// Choices that were costed.
    pub costed: u64,
    /// Choices that costs skipped.
    pub skipped_by_cost: f64,
    /// Times that a cut set split the search.
    pub splits: u64,
    /// Whether the limit on plans ended the search: then the choice is the best of the two heuristics and of what was
    /// seen, improved one point at a time.
    pub cut_short: bool,
}

/// The choice that writes nothing down.
#[must_use]
pub fn fuse_all(costing: &Costing<'_>) -> Bits {
    Bits::none(costing.points())
}

/// The choice that computes nothing twice.
#[must_use]
pub fn fuse_no_redundancy(costing: &Costing<'_>) -> Bits {
    let mut bits = Bits::none(costing.points());
    for (i, point) in costing.partition().points.iter().enumerate() {
        bits.set(i, point.kind == PointKind::Shared);
    }
    bits
}

/// The cheapest choice.
#[must_use]
pub fn search(costing: &Costing<'_>, memo: &Memo, limits: Limits) -> Found {
    let count = costing.points();
    let cuts = if limits.by_structure && count > 2 {
        cuts(costing, memo)
    } else {
        Vec::new()
    };
    let mut layout: Vec<usize> = cuts.iter().flat_map(|cut| cut.points.clone()).collect();
    for point in 0..count {
        if !layout.contains(&point) {
            layout.push(point);
        }
    }
    let mut walk = Walk {
        costing,
        limits,
        heuristics: [fuse_all(costing), fuse_no_redundancy(costing)],
        costed: 0,
        skipped: 0.0,
        splits: 0,
        cut_short: false,
    };
    let mut best = (f64::INFINITY, Bits::none(count));
    for choice in walk.heuristics.clone() {
        walk.offer(&choice, &mut best);
    }
    walk.scan(&layout, &Bits::none(count), &cuts, &mut best);
    if walk.cut_short {
        walk.improve(&mut best);
    }
    Found {
        seconds: best.0,
        points: count,
        choices: 2_f64.powi(i32::try_from(count).unwrap_or(i32::MAX)),
        costed: walk.costed,
        skipped_by_cost: walk.skipped,
        splits: walk.splits,
        cut_short: walk.cut_short,
        written: best.1,
    }
}

struct Walk<'a> {
    costing: &'a Costing<'a>,
    limits: Limits,
    /// The choices that are costed before the walk.
    heuristics: [Bits; 2],
    costed: u64,
    skipped: f64,
    splits: u64,
    cut_short: bool,
}

type Best = (f64, Bits);

impl Walk<'_> {
    fn offer(&mut self, choice: &Bits, best: &mut Best) {
        if best.1 == *choice && best.0.is_finite() {
            return;
        }
        self.costed += 1;
        let cost = self.costing.cost(choice, &[], best.0);
        if cost < best.0 {
            *best = (cost, choice.clone());
        }
    }

    /// All choices for the points of `layout`, beside those that are `fixed`.
    fn scan(&mut self, layout: &[usize], fixed: &Bits, cuts: &[Cut], best: &mut Best) {
        let mut row = vec![false; layout.len()];
        let starts: Vec<usize> = cuts
            .iter()
            .scan(0, |at, cut| {
                let start = *at;
                *at += cut.points.len();
                Some(start)
            })
            .collect();
        loop {
            if self.costed >= self.limits.plans {
                self.cut_short = true;
                return;
            }
            let last = row.iter().rposition(|written| *written);
            let mut choice = fixed.clone();
            for (point, written) in layout.iter().zip(&row) {
                choice.set(*point, *written);
            }
            let rest = layout.len() - last.map_or(0, |last| last + 1);
            let is_dear = |walk: &Self, best: &Best| {
                walk.limits.by_cost && walk.costing.at_least(&choice) >= best.0
            };
            let next = if is_dear(self, best) {
                self.skipped += 2_f64.powi(i32::try_from(rest).unwrap_or(i32::MAX));
                last
            } else if let Some(cut) = cuts.iter().zip(&starts).find_map(|(cut, start)| {
                let end = start + cut.points.len();
                (rest > 1 && last == Some(end - 1) && row[*start..end].iter().all(|w| *w))
                    .then_some(cut)
            }) {
                self.splits += 1;
                let free = &layout[last.map_or(0, |last| last + 1)..];
                self.apart(free, cut, &choice, best);
                last
            } else {
                // Beside fixed points, `best` is that of a part, which a heuristic for all of them did not set.
                if fixed.count() > 0 || !self.heuristics.contains(&choice) {
                    self.offer(&choice, best);
                }
                row.len().checked_sub(1)
            };
            let Some(next) = next else { return };
            if !advance(&mut row, next) {
                return;
            }
        }
    }

    /// Both sides of a cut: what one chooses changes nothing for the other.
    fn apart(&mut self, free: &[usize], cut: &Cut, choice: &Bits, best: &mut Best) {
        let of = |side: &[usize]| -> Vec<usize> {
            free.iter()
                .copied()
                .filter(|point| side.contains(point))
                .collect()
        };
        let mut upper = (f64::INFINITY, choice.clone());
        self.scan(&of(&cut.upper), choice, &[], &mut upper);
        self.scan(&of(&cut.lower), &upper.1, &[], best);
    }

    /// Changes one point at a time as long as that is cheaper: what is left where there are too many choices.
    fn improve(&mut self, best: &mut Best) {
        const ROUNDS: usize = 4;
        for _ in 0..ROUNDS {
            let before = best.0;
            for point in 0..self.costing.points() {
                let mut choice = best.1.clone();
                choice.set(point, !choice.get(point));
                self.offer(&choice, best);
            }
            if best.0 >= before {
                return;
            }
        }
    }
}

/// The next choice that differs at `at` or before; whether there is one.
fn advance(row: &mut [bool], at: usize) -> bool {
    for later in &mut row[at + 1..] {
        *later = false;
    }
    for place in (0..=at).rev() {
        row[place] = !row[place];
        if row[place] {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_stand_in_a_row_and_areas_are_skipped() {
        let mut row = vec![false; 3];
        let mut seen = vec![row.clone()];
        while advance(&mut row, 2) {
            seen.push(row.clone());
        }
        assert_eq!(seen.len(), 8);
        let mut row = vec![false, true, false];
        assert!(advance(&mut row, 1));
        assert_eq!(row, [true, false, false]);
        assert!(!advance(&mut row, 0));
    }
}
