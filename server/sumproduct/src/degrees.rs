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

#[cfg(test)]
mod tests {
    use super::*;

    fn map<const N: usize>(labels: [u8; N]) -> Map {
        Map::collect(labels).unwrap()
    }

    /// A matrix with at most so many non-zero cells in a row and in a column.
    fn matrix(row: Option<u64>, col: Option<u64>) -> Degrees {
        Degrees::of_matrix(Limits { row, col }, [true, true])
    }

    #[test]
    fn limits_come_back_as_they_were() {
        for (row, col) in [(Some(1), Some(7)), (Some(3), None), (None, None)] {
            let degrees = matrix(row, col);
            assert_eq!(degrees.limits(0, 1), Limits { row, col });
            let transposed = Limits { row: col, col: row };
            assert_eq!(degrees.limits(1, 0), transposed, "of the transpose");
        }
        assert!(matrix(None, None).is_unknown());
        let empty = matrix(Some(0), None);
        assert_eq!(empty.most(0, 1), 1.0, "an empty row counts as one");
        let vector = Degrees::of_matrix(
            Limits {
                row: Some(1),
                col: Some(1),
            },
            [true, false],
        );
        assert!(vector.is_unknown(), "one axis stands beside no other");
    }

    #[test]
    fn an_axis_stands_beside_one_of_itself() {
        assert_eq!(Degrees::unknown(3).most(2, 2), 1.0);
        assert_eq!(Degrees::unknown(3).most(2, 1), f64::INFINITY);
        let eye = Degrees::one_for_one();
        assert_eq!((eye.most(0, 1), eye.most(1, 0)), (1.0, 1.0));
    }

    #[test]
    fn a_join_multiplies_along_chains() {
        // X(i, j) * Y(j, k): beside one i stand 2 j, beside each of these 3 k.
        let (x, y) = (matrix(Some(2), Some(5)), matrix(Some(3), Some(7)));
        let both = Degrees::join(3, [&map([0, 1]), &map([1, 2])], [&x, &y]);
        assert_eq!(both.most(0, 1), 2.0);
        assert_eq!(both.most(0, 2), 6.0);
        assert_eq!(both.most(2, 0), 35.0);
        // Where both factors say something of the same axes, the tighter one counts.
        let same = Degrees::join(2, [&map([0, 1]), &map([0, 1])], [&x, &y]);
        assert_eq!(same.limits(0, 1), x.limits(0, 1));
        let transposed = Degrees::join(2, [&map([0, 1]), &map([1, 0])], [&x, &y]);
        assert_eq!((transposed.most(0, 1), transposed.most(1, 0)), (2.0, 3.0));
    }

    #[test]
    fn nothing_follows_from_factors_of_which_nothing_is_known() {
        let unknown = Degrees::unknown(2);
        let join = Degrees::join(3, [&map([0, 1]), &map([1, 2])], [&unknown, &unknown]);
        assert!(join.is_unknown());
        let one = Degrees::join(
            3,
            [&map([0, 1]), &map([1, 2])],
            [&matrix(Some(2), None), &unknown],
        );
        assert_eq!(one.most(0, 1), 2.0);
        assert_eq!(one.most(0, 2), f64::INFINITY);
    }

    #[test]
    fn copies_that_one_axis_decides_are_the_same() {
        // A one-hot matrix S(i, j) * S(i, k): i decides j and k, which are therefore equal.
        let one_hot = matrix(Some(1), None);
        let maps = [map([0, 1]), map([0, 2])];
        let mut twice = Degrees::join(3, [&maps[0], &maps[1]], [&one_hot, &one_hot]);
        assert_eq!(twice.most(1, 2), f64::INFINITY);
        twice.join_with_itself([&maps[0], &maps[1]], &one_hot);
        assert_eq!((twice.most(1, 2), twice.most(2, 1)), (1.0, 1.0));
        // S(i, j) * S(k, j): nothing decides i from j.
        let maps = [map([0, 1]), map([2, 1])];
        let mut apart = Degrees::join(3, [&maps[0], &maps[1]], [&one_hot, &one_hot]);
        apart.join_with_itself([&maps[0], &maps[1]], &one_hot);
        assert_eq!(apart.most(0, 2), f64::INFINITY);
    }

    #[test]
    fn an_aggregate_keeps_what_holds_of_the_axes_that_stay() {
        let (x, y) = (matrix(Some(2), Some(5)), matrix(Some(3), Some(7)));
        let both = Degrees::join(3, [&map([0, 1]), &map([1, 2])], [&x, &y]);
        let product = Degrees::mapped(2, &map([0, BOUND, 1]), &both);
        assert_eq!(product.limits(0, 1).row, Some(6));
        assert_eq!(product.limits(0, 1).col, Some(35));
        let sums = Degrees::mapped(1, &map([0, BOUND]), &x);
        assert!(sums.is_unknown(), "of one axis there is nothing to say");
    }

    #[test]
    fn a_union_adds_and_a_side_that_repeats_an_axis_allows_all() {
        let (x, y) = (matrix(Some(2), Some(5)), matrix(Some(3), None));
        let sum = Degrees::union(2, [&map([0, 1]), &map([0, 1])], [&x, &y]);
        assert_eq!((sum.most(0, 1), sum.most(1, 0)), (5.0, f64::INFINITY));
        let vector = Degrees::unknown(1);
        let repeated = Degrees::union(2, [&map([0, 1]), &map([0])], [&x, &vector]);
        assert!(repeated.is_unknown());
    }

    #[test]
    fn what_either_knows_holds_once_they_are_equal() {
        let mut x = matrix(Some(2), None);
        assert!(!x.meet(&Degrees::unknown(2)));
        assert!(x.meet(&matrix(Some(4), Some(3))));
        assert_eq!((x.most(0, 1), x.most(1, 0)), (2.0, 3.0));
        assert!(!x.meet(&matrix(Some(2), Some(3))), "that is known");
        let mut unknown = Degrees::unknown(2);
        assert!(unknown.meet(&x));
        assert_eq!(unknown, x);
        // What comes together also holds along chains.
        let chain = |map: &Map| Degrees::mapped(3, map, &matrix(Some(2), None));
        let mut both = chain(&map([0, 1]));
        assert!(both.meet(&chain(&map([1, 2]))));
        assert_eq!(both.most(0, 2), 4.0);
    }

    #[test]
    fn reach_takes_the_axis_that_adds_least_first() {
        let (x, y) = (matrix(Some(2), Some(5)), matrix(Some(3), Some(7)));
        let both = Degrees::join(3, [&map([0, 1]), &map([1, 2])], [&x, &y]);
        let size = |_: usize| 100.0;
        assert_eq!(both.reach(&[0], &[0, 1, 2], size), 6.0);
        assert_eq!(both.reach(&[0], &[2], size), 6.0, "k by way of j");
        assert_eq!(both.reach(&[], &[0], size), 100.0);
        assert_eq!(both.reach(&[1], &[1], size), 1.0);
        // An axis of size 4 has at most 4 values, whatever the degrees say.
        assert_eq!(both.reach(&[1], &[0], |_| 4.0), 4.0);
    }

    #[test]
    fn cells_are_counted_from_the_axis_that_leads_to_fewest() {
        let sizes = [1000.0, 10.0];
        let size = |axis: usize| sizes[axis];
        assert_eq!(Degrees::one_for_one().most_cells(size), 10.0);
        assert_eq!(matrix(Some(1), None).most_cells(size), 1000.0);
        assert_eq!(matrix(None, Some(20)).most_cells(size), 200.0);
        assert_eq!(Degrees::unknown(2).most_cells(size), 10_000.0);
    }

    /// Of every 0/1 matrix of 3 x 3 cells: its products with itself stay within what their degrees say.
    #[test]
    fn degrees_are_bounds_on_all_small_matrices() {
        let cells = |bits: u32| {
            (0..9)
                .map(move |k| bits >> k & 1 == 1)
                .collect::<Vec<bool>>()
        };
        let degrees = |a: &[bool]| {
            let most = |stride: usize, step: usize| {
                let count = |k: usize| (0..3).filter(|l| a[k * stride + l * step]).count() as u64;
                (0..3).map(count).max()
            };
            matrix(most(3, 1), most(1, 3))
        };
        for bits in 0..512 {
            let a = cells(bits);
            let known = degrees(&a);
            let maps = [map([0, 1]), map([1, 2])];
            let join = Degrees::join(3, [&maps[0], &maps[1]], [&known, &known]);
            let product = Degrees::mapped(2, &map([0, BOUND, 1]), &join);
            let of_product: Vec<bool> = (0..9)
                .map(|cell| (0..3).any(|j| a[cell / 3 * 3 + j] && a[j * 3 + cell % 3]))
                .collect();
            let real = degrees(&of_product);
            for (from, to) in [(0, 1), (1, 0)] {
                assert!(real.most(from, to) <= product.most(from, to), "{bits:b}");
            }
            let nonzero = of_product.iter().filter(|cell| **cell).count();
            assert!(nonzero as f64 <= product.most_cells(|_| 3.0), "{bits:b}");
        }
    }
}
