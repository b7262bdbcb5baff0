//! Which columns are encoded together, and what that is expected to take.
//!
//! Greedily, as in Elgohary et al. (PVLDB 9(12), 2016, section 4.3): of the pairs of groups in a bin, the one with the fewest tuples
//! is joined if that saves bytes, until none is left. Bins are of neighbouring columns, for what belongs together, such as the
//! columns of one category, mostly stands together. Codes stay a byte: a group with more tuples costs what its parts cost.

use rayon::prelude::*;

use super::GroupPlan;
use super::group::Encoding;
use super::rows::BYTE_TUPLES;
use super::sample::{Coded, Expected, Sample};
use crate::matrix::Matrix;

/// Columns of a bin.
const BIN: usize = 32;

/// Sampled rows by which pairs are compared before they are looked at.
const FEW: usize = 1024;

/// Joining may take this share of the rows in bytes more than its parts: a group less is a walk less.
const SLACK: f64 = 1.0 / 512.0;

/// What compression is expected to give, by a sample of the rows.
#[derive(Clone, PartialEq, Debug)]
pub struct Estimate {
    /// The groups.
    pub plan: Vec<GroupPlan>,
    /// Bytes of all groups.
    pub bytes: f64,
    /// Of these, bytes of columns as they are.
    pub plain_bytes: f64,
    /// Codes of all groups: what a product reads.
    pub codes: f64,
    /// Rows that lists name, in all groups.
    pub listed: f64,
}

struct Candidate {
    cols: Vec<u32>,
    coded: Coded,
    expected: Expected,
}

/// What to expect of a matrix, by a sample of its rows.
///
/// # Panics
/// When the matrix has no rows.
#[must_use]
pub fn estimate(m: &Matrix) -> Estimate {
    let sample = Sample::of(m);
    let plain = m.bytes() as f64 / m.cols().max(1) as f64;
    let candidates: Vec<Candidate> = (0_u32..)
        .zip(&sample.columns)
        .map(|(col, coded)| Candidate {
            cols: vec![col],
            expected: sample.expected(coded, 1, plain),
            coded: coded.clone(),
        })
        .collect();
    let is_plain = |c: &Candidate| c.expected.encoding == Encoding::Uncompressed;
    let (mut groups, rest): (Vec<Candidate>, Vec<Candidate>) =
        candidates.into_iter().partition(is_plain);
    let mut bins: Vec<Vec<Candidate>> = Vec::new();
    for candidate in rest {
        match bins.last_mut() {
            Some(bin) if bin.len() < BIN => bin.push(candidate),
            _ => bins.push(vec![candidate]),
        }
    }
    let joined: Vec<Vec<Candidate>> = bins
        .into_par_iter()
        .map(|bin| join(bin, &sample, m.rows(), plain))
        .collect();
    groups.extend(joined.into_iter().flatten());
    let mut out = Estimate {
        plan: Vec::new(),
        bytes: 0.0,
        plain_bytes: 0.0,
        codes: 0.0,
        listed: 0.0,
    };
    let mut left = Vec::new();
    for group in groups {
        let expected = group.expected;
        out.bytes += expected.bytes;
        match expected.encoding {
            Encoding::Uncompressed => {
                out.plain_bytes += expected.bytes;
                left.extend(group.cols);
                continue;
            }
            Encoding::Dictionary => out.codes += m.rows() as f64,
            Encoding::Offsets | Encoding::Runs => out.listed += expected.extent.listed,
        }
        out.plan.push(GroupPlan {
            cols: group.cols,
            encoding: None,
        });
    }
    out.plan.sort_by(|a, b| a.cols.cmp(&b.cols));
    if !left.is_empty() {
        out.plan.push(GroupPlan {
            cols: left,
            encoding: Some(Encoding::Uncompressed),
        });
    }
    out
}

/// Joins groups while that saves bytes.
fn join(mut groups: Vec<Candidate>, sample: &Sample, rows: usize, plain: f64) -> Vec<Candidate> {
    /// No pair.
    const NEVER: usize = usize::MAX;
    let few = |a: &Candidate, b: &Candidate| match a.coded.tuples_with(&b.coded, FEW, BYTE_TUPLES) {
        tuples if tuples > BYTE_TUPLES => NEVER,
        tuples => tuples,
    };
    let mut tuples: Vec<Vec<usize>> = (0..groups.len())
        .map(|i| (0..i).map(|j| few(&groups[i], &groups[j])).collect())
        .collect();
    loop {
        let pairs = (0..groups.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let Some((i, j)) = pairs.min_by_key(|(i, j)| tuples[*i][*j]) else {
            return groups;
        };
        if tuples[i][j] == NEVER {
            return groups;
        }
        let (a, b) = (&groups[j], &groups[i]);
        let coded = a.coded.with(&b.coded);
        let expected = sample.expected(&coded, a.cols.len() + b.cols.len(), plain);
        let apart = a.expected.bytes + b.expected.bytes + SLACK * rows as f64;
        let is_byte = expected.extent.tuples <= BYTE_TUPLES as f64;
        if !is_byte || expected.encoding == Encoding::Uncompressed || expected.bytes > apart {
            tuples[i][j] = NEVER;
            continue;
        }
        let mut cols = [a.cols.as_slice(), &b.cols].concat();
        cols.sort_unstable();
        // The larger place goes, so that the smaller one stays where it is.
        groups.remove(i);
        tuples.remove(i);
        for row in &mut tuples[i..] {
            row.remove(i);
        }
        groups[j] = Candidate {
            cols,
            coded,
            expected,
        };
        for other in 0..groups.len() {
            if other != j {
                let (high, low) = (other.max(j), other.min(j));
                tuples[high][low] = few(&groups[high], &groups[low]);
            }
        }
    }
}
