//! Cut sets: points that, once all are written down, leave two parts that no operator spans.
//!
//! What is above a cut is what the needed values reach without crossing it; what is below is what its values reach. A
//! set cuts only where no operator is in both: then what one part chooses changes nothing in the other.

use crate::costing::Costing;
use crate::memo::Memo;

/// A set of points that cuts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Cut {
    /// The points.
    pub(crate) points: Vec<usize>,
    /// The points above.
    pub(crate) upper: Vec<usize>,
    /// The points below.
    pub(crate) lower: Vec<usize>,
    /// Plans that are left when it is tried first.
    score: f64,
}

/// More points are not tried in pairs.
const MOST_PAIRED: usize = 40;

/// Cut sets without points in common, the best first.
pub(crate) fn cuts(costing: &Costing<'_>, memo: &Memo) -> Vec<Cut> {
    let points = &costing.partition().points;
    let below = costing.fusable();
    let always = costing.always_opened(memo);
    let mut candidates: Vec<Vec<usize>> = (0..points.len()).map(|point| vec![point]).collect();
    for first in 0..points.len() {
        let same: Vec<usize> = (first..points.len())
            .filter(|other| points[*other].producer == points[first].producer)
            .collect();
        let is_first = (0..first).all(|other| points[other].producer != points[first].producer);
        if is_first && same.len() > 1 {
            candidates.push(same);
        }
    }
    if candidates.len() <= MOST_PAIRED {
        for a in 0..candidates.len() {
            for b in a + 1..candidates.len() {
                let both = [candidates[a].clone(), candidates[b].clone()].concat();
                let is_disjoint = candidates[a].iter().all(|p| !candidates[b].contains(p));
                if is_disjoint {
                    candidates.push(both);
                }
            }
            if candidates.len() > MOST_PAIRED * MOST_PAIRED {
                break;
            }
        }
    }
    let place = |id| costing.partition().operators.binary_search(&id).ok();
    let mut found: Vec<Cut> = candidates
        .into_iter()
        .filter_map(|cut| {
            let producers: Vec<usize> = cut
                .iter()
                .filter_map(|point| place(points[*point].producer))
                .collect();
            let reach = |from: &[usize]| {
                let mut seen = vec![false; below.len()];
                let mut open = from.to_vec();
                while let Some(at) = open.pop() {
                    if std::mem::replace(&mut seen[at], true) {
                        continue;
                    }
                    open.extend(
                        below[at]
                            .iter()
                            .filter(|(_, point)| point.is_none_or(|point| !cut.contains(&point)))
                            .map(|(node, _)| *node),
                    );
                }
                seen
            };
            let lower = reach(&producers);
            let seeds: Vec<usize> = always
                .iter()
                .copied()
                .filter(|node| !lower[*node])
                .collect();
            let upper = reach(&seeds);
            if upper.iter().zip(&lower).any(|(a, b)| *a && *b) {
                return None;
            }
            let within = |side: &[bool]| -> Vec<usize> {
                (0..points.len())
                    .filter(|point| {
                        !cut.contains(point)
                            && place(points[*point].consumer).is_some_and(|at| side[at])
                    })
                    .collect()
            };
            let (upper, lower) = (within(&upper), within(&lower));
            if upper.is_empty()
                || lower.is_empty()
                || upper.len() + lower.len() + cut.len() != points.len()
            {
                return None;
            }
            let plans = |count: usize| 2_f64.powi(i32::try_from(count).unwrap_or(i32::MAX));
            let ways = plans(cut.len());
            let score = (ways - 1.0) / ways * plans(points.len())
                + (plans(upper.len()) + plans(lower.len())) / ways;
            Some(Cut {
                points: cut,
                upper,
                lower,
                score,
            })
        })
        .collect();
    found.sort_by(|a, b| {
        a.score
            .total_cmp(&b.score)
            .then_with(|| a.points.cmp(&b.points))
    });
    let mut kept: Vec<Cut> = Vec::new();
    for cut in found {
        let is_apart = kept
            .iter()
            .all(|other| other.points.iter().all(|point| !cut.points.contains(point)));
        if is_apart {
            kept.push(cut);
        }
    }
    kept
}
