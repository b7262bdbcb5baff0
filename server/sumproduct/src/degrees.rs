//! How many values of one axis a value of another meets at most: the class invariant behind exact estimates for δ,
//! one-hot and other matrices within [`Limits`]. They tighten estimates; nothing may be concluded from them but a cost.

use sumac_la::{Limits, as_f64};

use crate::axes::{BOUND, Map};

/// For each axis and each other one, the most values of the latter that stand beside one value of the former in
/// non-zero cells. A relation of which nothing is known holds no figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Degrees {
    axes: usize,
    /// Row by row; empty where nothing is known.
    most: Vec<f64>,
}

impl Degrees {
    /// δ: one for one.
    pub fn one_for_one() -> Self {
        let mut degrees = Degrees::unknown(2);
        degrees.lower(0, 1, 1.0);
        degrees.lower(1, 0, 1.0);
        degrees
    }

    /// A matrix's. `is_axis` tells which of its sides are axes: none of size one is.
    pub fn of_matrix(limits: Limits, is_axis: [bool; 2]) -> Self {
        let mut degrees = Degrees::unknown(2);
        if is_axis == [true, true] {
            for (from, to, most) in [(0, 1, limits.row), (1, 0, limits.col)] {
                // An empty row stands beside no column, but it does no harm to count one.
                degrees.lower(
                    from,
                    to,
                    most.map_or(f64::INFINITY, |most| as_f64(most.max(1))),
                );
            }
        }
        degrees
    }

    /// A matrix's limits again, by the places of its rows and columns.
    pub fn limits(&self, rows: usize, cols: usize) -> Limits {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole numbers below 2^53"
        )]
        let limit = |most: f64| (most < 9e15).then_some(most as u64);
        Limits {
            row: limit(self.most(rows, cols)),
            col: limit(self.most(cols, rows)),
        }
    }

    fn unknown(axes: usize) -> Self {
        Degrees {
            axes,
            most: Vec::new(),
        }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        self.most.is_empty()
    }

    /// The most values of `to` beside one of `from`.
    pub fn most(&self, from: usize, to: usize) -> f64 {
        match (self.most.is_empty(), from == to) {
            (_, true) => 1.0,
            (true, _) => f64::INFINITY,
            (false, _) => self.most[from * self.axes + to],
        }
    }

    fn lower(&mut self, from: usize, to: usize, most: f64) {
        if from == to || most >= self.most(from, to) {
            return;
        }
        if self.most.is_empty() {
            self.most = vec![f64::INFINITY; self.axes * self.axes];
        }
        self.most[from * self.axes + to] = most;
    }

    /// What one step leads to, two do: the product of both.
    fn close(&mut self) {
        if self.is_unknown() {
            return;
        }
        for over in 0..self.axes {
            for from in 0..self.axes {
                for to in 0..self.axes {
                    self.lower(from, to, self.most(from, over) * self.most(over, to));
                }
            }
        }
    }

    /// Of a join into `axes` axes: what holds in a factor holds in the whole.
    pub fn join(axes: usize, maps: [&Map; 2], factors: [&Degrees; 2]) -> Self {
        let mut out = Degrees::unknown(axes);
        for (map, degrees) in maps.into_iter().zip(factors) {
            out.lower_through(map, degrees);
        }
        out.close();
        out
    }

    /// Of a relation joined with itself: where one axis decides another in it, both copies of the latter beside one of
    /// the former are the same.
    pub fn join_with_itself(&mut self, maps: [&Map; 2], factor: &Degrees) {
        for (decider, one) in maps[0].iter().enumerate() {
            for decided in 0..maps[0].len() {
                let copies = maps.map(|map| usize::from(map.labels()[decided]));
                if maps[1].labels()[decider] == one && factor.most(decider, decided) <= 1.0 {
                    self.lower(copies[0], copies[1], 1.0);
                    self.lower(copies[1], copies[0], 1.0);
                }
            }
        }
        self.close();
    }

    /// Of an aggregate, or of anything else that is zero where all that it looks at is.
    pub fn mapped(axes: usize, map: &Map, child: &Degrees) -> Self {
        let mut out = Degrees::unknown(axes);
        out.lower_through(map, child);
        out
    }

    fn lower_through(&mut self, map: &Map, child: &Degrees) {
        if child.is_unknown() {
            return;
        }
        let kept = || map.iter().enumerate().filter(|(_, axis)| *axis != BOUND);
        for (from, a) in kept() {
            for (to, b) in kept() {
                self.lower(usize::from(a), usize::from(b), child.most(from, to));
            }
        }
    }

    /// Of a union: both together, for axes that no side repeats.
    pub fn union(axes: usize, maps: [&Map; 2], terms: [&Degrees; 2]) -> Self {
        let mut out = Degrees::unknown(axes);
        let [a, b] = [0, 1].map(|k| Degrees::mapped(axes, maps[k], terms[k]));
        if a.is_unknown() || b.is_unknown() {
            return out;
        }
        for from in 0..axes {
            for to in 0..axes {
                out.lower(from, to, a.most(from, to) + b.most(from, to));
            }
        }
        out
    }

    /// Takes over what the other knows better. Whether there was such.
    pub fn meet(&mut self, other: &Degrees) -> bool {
        if other.is_unknown() {
            return false;
        }
        if self.is_unknown() {
            self.clone_from(other);
            return true;
        }
        let before = self.clone();
        if other.axes == self.axes {
            for from in 0..self.axes {
                for to in 0..self.axes {
                    self.lower(from, to, other.most(from, to));
                }
            }
            self.close();
        }
        *self != before
    }

    /// The most combinations of values of `wanted` beside one of `given`: axis by axis, the one that adds least first.
    pub fn reach(&self, given: &[usize], wanted: &[usize], size: impl Fn(usize) -> f64) -> f64 {
        let mut known = given.to_vec();
        let mut missing = wanted.to_vec();
        missing.retain(|axis| !known.contains(axis));
        let mut cells = 1.0;
        while !missing.is_empty() {
            let step = |to: usize| {
                let degrees = known.iter().map(|from| self.most(*from, to));
                degrees.fold(size(to), f64::min)
            };
            let steps = missing.iter().map(|to| step(*to));
            let (at, least) = steps
                .enumerate()
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .expect("some are missing");
            cells *= least;
            known.push(missing.swap_remove(at));
        }
        cells
    }

    /// The most non-zero cells, from the axis that leads to fewest.
    pub fn most_cells(&self, size: impl Fn(usize) -> f64) -> f64 {
        let all: Vec<usize> = (0..self.axes).collect();
        let from = |axis: usize| size(axis) * self.reach(&[axis], &all, &size);
        all.iter()
            .map(|axis| from(*axis))
            .fold(f64::INFINITY, f64::min)
    }
}
