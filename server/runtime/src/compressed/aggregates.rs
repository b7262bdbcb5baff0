//! Aggregates over compressed matrices: distinct tuples with their counts, and for rows one value for each tuple.
//!
//! What all cells or columns give costs as much as there are distinct tuples, whatever the number of rows (Elgohary et al.,
//! PVLDB 9(12), 2016, section 3.3). Never looks at a row but to give the rows' results.

use sumac_la::Op;

use super::Compressed;
use super::group::Group;
use crate::kernels::aggregate;
use crate::kernels::fused::Fold;
use crate::kernels::parallel::for_rows;
use crate::kernels::simd;
use crate::matrix::Matrix;

impl Compressed {
    /// All cells, folded. A sum is off by a few units in the last place of the sum of the magnitudes.
    #[must_use]
    pub fn fold(&self, fold: Fold) -> f64 {
        let of = |group: &Group| match (group, fold) {
            (Group::Coded(coded), Fold::Sum) => {
                let products = coded
                    .counted()
                    .flat_map(|(tuple, count)| tuple.iter().map(move |x| x * count as f64));
                simd::sum(&products.collect::<Vec<f64>>())
            }
            (Group::Coded(coded), Fold::Min | Fold::Max) => fold.cells(&coded.values),
            (Group::Plain(_, matrix), _) => {
                aggregate::full(all(fold), matrix).expect("an aggregate of all cells")
            }
        };
        let parts: Vec<f64> = self.groups.iter().map(of).collect();
        fold.cells(&parts)
    }

    /// Each column, folded.
    #[must_use]
    pub fn fold_cols(&self, fold: Fold) -> Vec<f64> {
        let mut out = vec![fold.start(); self.cols];
        for group in &self.groups {
            let folded: Vec<f64> = match group {
                Group::Coded(coded) => (0..coded.width())
                    .map(|j| {
                        let column: Vec<f64> = coded
                            .counted()
                            .map(|(tuple, count)| match fold {
                                Fold::Sum => tuple[j] * count as f64,
                                Fold::Min | Fold::Max => tuple[j],
                            })
                            .collect();
                        fold.cells(&column)
                    })
                    .collect(),
                Group::Plain(_, matrix) => {
                    let op = match fold {
                        Fold::Sum => Op::ColSums,
                        Fold::Min => Op::ColMins,
                        Fold::Max => Op::ColMaxs,
                    };
                    let folded = aggregate::cols(op, matrix);
                    folded.expect("an aggregate of columns").to_cells()
                }
            };
            for (col, x) in group.cols().iter().zip(folded) {
                out[*col as usize] = x;
            }
        }
        out
    }

    /// Each row, folded.
    #[must_use]
    pub fn fold_rows(&self, fold: Fold) -> Vec<f64> {
        let mut out = vec![fold.start(); self.rows];
        let mut coded = Vec::new();
        for group in &self.groups {
            match group {
                Group::Coded(group) => {
                    let table: Vec<f64> = group.tuples().map(|tuple| fold.cells(tuple)).collect();
                    coded.push((group, table));
                }
                Group::Plain(_, matrix) => {
                    let op = match fold {
                        Fold::Sum => Op::RowSums,
                        Fold::Min => Op::RowMins,
                        Fold::Max => Op::RowMaxs,
                    };
                    let folded = aggregate::rows(op, matrix);
                    for (to, x) in out
                        .iter_mut()
                        .zip(folded.expect("an aggregate of rows").to_cells())
                    {
                        *to = fold.join(*to, x);
                    }
                }
            }
        }
        for_rows(&mut out, 1, coded.len(), |first, part| {
            for (group, table) in &coded {
                let range = first..first + part.len();
                if group.rows.has_rest() {
                    let mut all = vec![table[group.last()]; part.len()];
                    group
                        .rows
                        .each_run(range, |id, run| all[run].fill(table[id]));
                    for (to, x) in part.iter_mut().zip(all) {
                        *to = fold.join(*to, x);
                    }
                } else {
                    group.rows.each_run(range, |id, run| {
                        let to = &mut part[run.start];
                        *to = fold.join(*to, table[id]);
                    });
                }
            }
        });
        out
    }
}

/// The aggregate of all cells that a fold is.
fn all(fold: Fold) -> Op {
    match fold {
        Fold::Sum => Op::Sum,
        Fold::Min => Op::Min,
        Fold::Max => Op::Max,
    }
}

/// An aggregate of all cells; `None` where there is no short way.
#[must_use]
pub fn full(op: Op, m: &Matrix) -> Option<f64> {
    let compressed = m.compressed()?;
    let folded = compressed.fold(match op {
        Op::Sum | Op::Mean => Fold::Sum,
        Op::Min => Fold::Min,
        Op::Max => Fold::Max,
        _ => return None,
    });
    Some(match op {
        Op::Mean => folded / m.len() as f64,
        _ => folded,
    })
}

/// An aggregate of each row; `None` where there is no short way.
#[must_use]
pub fn rows(op: Op, m: &Matrix) -> Option<Matrix> {
    let compressed = m.compressed()?;
    let mut folded = compressed.fold_rows(Fold::of(op)?);
    if op == Op::RowMeans {
        folded.iter_mut().for_each(|x| *x /= m.cols() as f64);
    }
    Some(Matrix::dense(m.rows(), 1, folded))
}

/// An aggregate of each column; `None` where there is no short way.
#[must_use]
pub fn cols(op: Op, m: &Matrix) -> Option<Matrix> {
    let compressed = m.compressed()?;
    let mut folded = compressed.fold_cols(Fold::of(op)?);
    if op == Op::ColMeans {
        folded.iter_mut().for_each(|x| *x /= m.rows() as f64);
    }
    Some(Matrix::dense(1, m.cols(), folded).settled())
}
