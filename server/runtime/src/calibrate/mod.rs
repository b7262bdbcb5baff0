//! How fast our kernels are on this machine: a short measurement that fits the figures of [`Machine`], and an honest
//! check of estimates by them.
//!
//! Each figure has a probe in which it decides the time, on data that do not fit into the caches. Probes take turns, so
//! that a busy moment disturbs all alike, and the median counts. Nothing is stored here.

mod check;
mod expressions;
mod probes;

use std::time::Instant;

use serde::Serialize;
use sumac_cost::{FIGURES, Figure, Machine, Unit};
use sumac_la::Dag;
use thiserror::Error;

use crate::cancel::Cancel;
use crate::eval::EvalError;
use crate::fused::Planner;
use crate::memory;
use crate::synthesize::{Range, SynthesizeError, synthesize};
use crate::timing::inputs_of;
use crate::value::Value;
pub use check::Prediction;

/// Changes with the kernels: figures that were measured with others say nothing about these.
pub const KERNELS: u32 = 2;

/// How much is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Matrices beyond the caches, some seconds.
    Full,
    /// Small matrices, for a first impression: less than a second.
    Quick,
}

impl Effort {
    /// `full`, or the size that stands for it in a quick run.
    fn size(self, full: u64) -> u64 {
        match self {
            Effort::Full => full,
            Effort::Quick => (full / 10).max(10),
        }
    }

    fn rounds(self) -> usize {
        match self {
            Effort::Full => 9,
            Effort::Quick => 3,
        }
    }
}

/// What was measured.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Calibration {
    /// This machine.
    pub machine: Machine,
    /// How each of its figures came about.
    pub figures: Vec<Measured>,
    /// What the default machine's figures and these say of other expressions, and what these take.
    pub check: Vec<Prediction>,
    /// How long all this took.
    pub seconds: f64,
}

/// A measured figure.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measured {
    /// Its name.
    pub name: &'static str,
    /// What it counts.
    #[serde(skip)]
    pub unit: Unit,
    /// Of the default machine.
    pub default: f64,
    /// The median.
    pub measured: f64,
    /// Half of the measurements lie within a range of this share of the median.
    pub spread: f64,
}

/// Why nothing was measured.
#[derive(Debug, Error)]
pub enum CalibrateError {
    /// An expression could not be run.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// Its data could not be made.
    #[error(transparent)]
    Synthesize(#[from] SynthesizeError),
}

/// Measures this machine.
///
/// # Errors
/// When memory does not suffice for the data, or `cancel` is called.
pub fn calibrate(effort: Effort, cancel: &Cancel) -> Result<Calibration, CalibrateError> {
    let start = Instant::now();
    let mut machine = Machine {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        memory: memory::total_bytes().map(|bytes| bytes as f64),
        ..Machine::default()
    };
    let probes = probes::all(effort);
    let dags: Vec<&Dag> = probes.iter().map(|probe| &probe.dag).collect();
    let times = run(&dags, effort.rounds(), cancel)?;
    let mut figures = Vec::new();
    for figure in FIGURES {
        figures.extend(fit(figure, &probes, &times, &mut machine));
    }
    let check = check::check(effort, &machine, cancel)?;
    Ok(Calibration {
        machine,
        figures,
        check,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Sets one figure from the times of its probe.
fn fit(
    figure: Figure,
    probes: &[probes::Probe],
    times: &[Vec<f64>],
    machine: &mut Machine,
) -> Option<Measured> {
    let place = probes
        .iter()
        .position(|probe| probe.figure == figure.name)?;
    let probe = &probes[place];
    let default = *(figure.of)(&mut Machine::default());
    let values: Vec<f64> = times[place]
        .iter()
        .filter_map(|seconds| (probe.value)(probe, *seconds, machine))
        // What takes no longer than the rest of the estimate costs nothing of its own.
        .map(|value| {
            if figure.may_be_zero {
                value.max(0.0)
            } else {
                value
            }
        })
        .filter(|value| value.is_finite() && (*value > 0.0 || figure.may_be_zero))
        .collect();
    let quartiles = quartiles(values)?;
    *(figure.of)(machine) = quartiles[1];
    Some(Measured {
        name: figure.name,
        unit: figure.unit,
        default,
        measured: quartiles[1],
        spread: match quartiles[1] {
            0.0 => 0.0,
            median => (quartiles[2] - quartiles[0]) / median,
        },
    })
}

/// The first quartile, the median and the third quartile.
fn quartiles(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some([1, 2, 3].map(|k| {
        let (low, high) = (last * k / 4, (last * k).div_ceil(4));
        f64::midpoint(values[low], values[high])
    }))
}

/// Seconds of each round of each DAG. The same name stands for the same data in all of them. They take turns; a first
/// round does not count.
fn run(dags: &[&Dag], rounds: usize, cancel: &Cancel) -> Result<Vec<Vec<f64>>, CalibrateError> {
    let mut values: Vec<(String, Value)> = Vec::new();
    for input in dags.iter().flat_map(|dag| dag.inputs()) {
        if values.iter().all(|(name, _)| *name != *input.name) {
            let seed = values.len() as u64;
            let value = synthesize(&input.ty, seed, Range::Positive)?;
            values.push((input.name.to_string(), value));
        }
    }
    let inputs: Vec<Vec<Value>> = dags
        .iter()
        .map(|dag| inputs_of(dag, &values))
        .collect::<Result<_, _>>()?;
    let _pool = memory::BufferPool::start();
    let planner = Planner::default();
    let mut times = vec![Vec::with_capacity(rounds); dags.len()];
    for round in 0..=rounds {
        for ((dag, inputs), times) in dags.iter().zip(&inputs).zip(&mut times) {
            let began = Instant::now();
            let evaluated = planner.eval(dag, inputs, cancel, &mut |_, _| ())?;
            let took = began.elapsed().as_secs_f64();
            drop(evaluated);
            if round > 0 {
                times.push(took);
            }
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use sumac_cost::Priced;

    use super::*;

    #[test]
    fn each_figure_has_one_probe_and_each_probe_one_figure() {
        let probes = probes::all(Effort::Quick);
        let mut named: Vec<&str> = probes.iter().map(|probe| probe.figure).collect();
        let mut figures: Vec<&str> = FIGURES.iter().map(|figure| figure.name).collect();
        named.sort_unstable();
        figures.sort_unstable();
        assert_eq!(named, figures);
    }

    /// A machine's own estimates for the probes are the times from which its figures come back: what is fitted is
    /// what estimates are made of.
    #[test]
    fn the_fit_inverts_the_estimate() {
        let truth = Machine {
            overhead: 3e-7,
            bandwidth: 2.5e10,
            transpose_bandwidth: 5e9,
            cell_flops: 7e9,
            product_flops: 6e10,
            sparse_flops: 7e9,
            scatter: 1.9,
            move_seconds: 1.7e-8,
            merge_seconds: 1.5e-8,
            ..Machine::default()
        };
        let probes = probes::all(Effort::Full);
        let times: Vec<Vec<f64>> = probes
            .iter()
            .map(|probe| vec![probe.dag.cost(probe.dag.roots(), &truth).unwrap().seconds; 3])
            .collect();
        let mut fitted = Machine::default();
        for figure in FIGURES {
            let measured = fit(figure, &probes, &times, &mut fitted).unwrap();
            let expected = *(figure.of)(&mut truth.clone());
            let error = (measured.measured / expected - 1.0).abs();
            assert!(
                error < 0.02,
                "{}: {} for {expected}",
                figure.name,
                measured.measured
            );
            assert!(measured.spread < 1e-9);
        }
    }

    #[test]
    fn quartiles_of_known_values_are_known() {
        assert_eq!(
            quartiles(vec![5.0, 1.0, 3.0, 2.0, 4.0]),
            Some([2.0, 3.0, 4.0])
        );
        assert_eq!(quartiles(vec![7.0]), Some([7.0; 3]));
        assert_eq!(quartiles(vec![]), None);
    }

    #[test]
    fn a_quick_measurement_gives_a_machine_that_makes_sense() {
        let done = calibrate(Effort::Quick, &Cancel::default()).unwrap();
        assert_eq!(done.machine.nonsense(), None);
        assert_eq!(done.figures.len(), FIGURES.len());
        assert!(done.check.len() >= 8);
        for row in &done.check {
            assert!(
                row.measured > 0.0 && row.by_default > 0.0 && row.by_measured > 0.0,
                "{row:?}"
            );
        }
    }

    #[test]
    fn a_cancelled_measurement_says_so() {
        let cancel = Cancel::default();
        cancel.cancel();
        let error = calibrate(Effort::Quick, &cancel).unwrap_err();
        assert_eq!(error.to_string(), "cancelled");
    }
}
