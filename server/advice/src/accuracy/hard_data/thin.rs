//! A sparse matrix near a product: its factors have few rows that are not zero, so that the product is as sparse as it is. Must
//! never say of a factor that is drawn full that it is sparse: such data is told apart.

use std::collections::BTreeSet;

use sumac_runtime::{Value, eval};

use super::cancelling::{Near, Pair, near};
use super::{EXPONENTS, From, mapped};

/// Above, a matrix has no room for a product that is sparser.
const FULL: f64 = 0.9;

impl<'a> From<'a> {
    /// Sparse inputs near what they are subtracted from, of which sparse factors have few rows.
    pub(super) fn near_thin_products(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.thinned(move |pair| {
            let read = pair.read.iter().copied();
            read.filter(|input| self.share(*input) < FULL).collect()
        })
    }

    /// The same where also factors have few rows that are stated to be full, or of which nothing is said. Such data is not as it is
    /// stated.
    pub(crate) fn near_thin_full_products(self) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        self.thinned(move |pair| match self.full(pair).is_empty() {
            true => Vec::new(),
            false => pair.read.clone(),
        })
    }

    /// The factors that such data makes thin against what is stated, by name.
    pub(crate) fn full_factors(self) -> BTreeSet<String> {
        let factors = self.sparse_pairs().flat_map(|pair| self.full(&pair));
        factors.map(|input| self.name(input).to_owned()).collect()
    }

    /// With few rows in the factors that `chosen` names of a pair, if it names any.
    fn thinned(
        self,
        chosen: impl Fn(&Pair) -> Vec<usize> + 'a,
    ) -> impl Iterator<Item = (Vec<Value>, String)> + 'a {
        let pairs = self
            .sparse_pairs()
            .map(move |pair| (chosen(&pair), pair))
            .filter(|(factors, _)| !factors.is_empty());
        pairs.flat_map(move |(factors, pair)| {
            let trials = self.with_thin_factors(&pair, &factors).into_iter();
            trials.flat_map(move |(inputs, target)| {
                let (pair, factors) = (pair.clone(), factors.clone());
                EXPONENTS.into_iter().filter_map(move |exponent| {
                    let noise = Near {
                        gap: 10_f64.powi(-exponent),
                        seed: u64::from(exponent.unsigned_abs()),
                    };
                    let mut inputs = inputs.clone();
                    inputs[pair.input] = near(&inputs[pair.input], &target, noise)?;
                    let factors: Vec<&str> =
                        factors.iter().map(|input| self.name(*input)).collect();
                    let have = if factors.len() > 1 { "have" } else { "has" };
                    let name = format!(
                        "{} {have} few rows that are not zero and {}",
                        factors.join(" and "),
                        pair.name
                    );
                    Some((inputs, name))
                })
            })
        })
    }

    /// Pairs of a sparse input and what it is subtracted from.
    fn sparse_pairs(self) -> impl Iterator<Item = Pair> + 'a {
        let pairs = self.differences().into_iter();
        pairs.filter(move |pair| self.share(pair.input) < FULL && !pair.read.is_empty())
    }

    /// The factors that are drawn full.
    fn full(self, pair: &Pair) -> Vec<usize> {
        let read = pair.read.iter().copied();
        read.filter(|input| self.share(*input) >= FULL).collect()
    }

    /// The share of non-zero cells of an input as it is drawn.
    fn share(self, input: usize) -> f64 {
        let Some(matrix) = self.like[input].as_matrix() else {
            return 1.0;
        };
        let cells = matrix.to_cells();
        let filled = cells.iter().filter(|cell| **cell != 0.0).count();
        filled as f64 / cells.len().max(1) as f64
    }

    /// The data with so few rows in the factors that their product is about as sparse as the input, and that product.
    fn with_thin_factors(self, pair: &Pair, factors: &[usize]) -> Option<(Vec<Value>, Value)> {
        let share = self
            .share(pair.input)
            .powf(1.0 / factors.len().max(1) as f64);
        let mut inputs = self.start.to_vec();
        for factor in factors {
            inputs[*factor] = with_few_rows(&inputs[*factor], share)?;
        }
        let target = eval(&pair.formula, &inputs).ok()?.pop()?;
        Some((inputs, target))
    }
}

/// The value with such a share of its rows, those with the most cells that are not zero; the others are zero.
fn with_few_rows(value: &Value, share: f64) -> Option<Value> {
    let matrix = value.as_matrix()?;
    let cells = matrix.to_cells();
    let filled = |row: usize| {
        let row = &cells[row * matrix.cols()..(row + 1) * matrix.cols()];
        row.iter().filter(|cell| **cell != 0.0).count()
    };
    let mut rows: Vec<usize> = (0..matrix.rows()).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(filled(*row)));
    let kept = (matrix.rows() as f64 * share).round().max(1.0) as usize;
    let kept: BTreeSet<usize> = rows.into_iter().take(kept).collect();
    mapped(
        value,
        |(row, _), x| if kept.contains(&row) { x } else { 0.0 },
    )
}
