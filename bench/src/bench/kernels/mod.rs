//! `cargo xtask bench kernels`: the kernels beside NumPy, SciPy and what the machine allows, all in one run.
//!
//! Kernels, limits and peers take turns within each round, so that a machine whose speed drifts disturbs all alike. A
//! figure is the median of the rounds' ratios, with the lowest and the highest beside it; all ratios are of speeds.

mod bars;
pub(crate) mod player;

use anyhow::Result;

use self::bars::{BARS, Bar};
use self::player::{Kernels, Peer, Player};
use crate::report::Report;

/// Rounds of a bar.
const ROUNDS: usize = 9;

/// The command line of `cargo xtask bench kernels`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only bars with this in their name
    #[arg(long)]
    only: Option<String>,
    /// How often each figure is taken
    #[arg(long, default_value_t = ROUNDS)]
    rounds: usize,
}

impl Default for Args {
    fn default() -> Self {
        Args {
            only: None,
            rounds: ROUNDS,
        }
    }
}

/// What a bar's rounds say.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Seen {
    ratio: f64,
    least: f64,
    most: f64,
    /// Seconds of the kernel and of what it is held against.
    ours: f64,
    other: f64,
}

/// Measures the bars; an error if one is missed.
pub(crate) fn run(args: &Args) -> Result<()> {
    let mut report = Report::default();
    measure_all(&mut report, args)?;
    report.finish()
}

/// Measures the bars.
///
/// # Errors
/// A program could not be built, installed or started.
pub(crate) fn measure_all(report: &mut Report, args: &Args) -> Result<()> {
    anyhow::ensure!(args.rounds > 0, "--rounds 0 measures nothing: at least 1");
    let (mut kernels, mut peer) = (Kernels::start()?, Peer::start()?);
    report.note(&peer.about()?);
    report.note(
        "ratios of speeds, kernel / other, each the median of the rounds (lowest to highest); times are medians, too",
    );
    let mut group = "";
    for bar in BARS {
        if args
            .only
            .as_ref()
            .is_some_and(|only| !bar.name.contains(only.as_str()))
        {
            continue;
        }
        if bar.group != group {
            group = bar.group;
            report.heading(group);
        }
        let target = format!("at least {} of {}", bar.target, bar.against.name());
        let seen = measure(bar, args.rounds, &mut kernels, &mut peer);
        if let Some(seen) = report.expect(bar.name, &target, seen) {
            report.bar(
                bar.name,
                &describe(bar, &seen),
                &target,
                seen.ratio >= bar.target,
            );
        }
        kernels.forget()?;
        peer.forget()?;
    }
    Ok(())
}

fn describe(bar: &Bar, seen: &Seen) -> String {
    let rate = |seconds: f64, work: f64| match bar.unit {
        bars::Unit::Flops => format!(
            "{:.2} ms, {:.1} GFLOP/s",
            seconds * 1e3,
            work / seconds / 1e9
        ),
        bars::Unit::Bytes => format!("{:.2} ms, {:.1} GB/s", seconds * 1e3, work / seconds / 1e9),
        bars::Unit::Time => format!("{:.3} ms", seconds * 1e3),
    };
    format!(
        "{:.2} ({:.2} to {:.2}); {} to {}",
        seen.ratio,
        seen.least,
        seen.most,
        rate(seen.ours, bar.work),
        rate(seen.other, bar.other_work),
    )
}

fn measure(bar: &Bar, rounds: usize, kernels: &mut Kernels, peer: &mut Peer) -> Result<Seen> {
    let mut ratios = Vec::new();
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let own = kernels.seconds(bar.case)?;
        let mut other = f64::INFINITY;
        for case in bar.against.cases() {
            let seconds = if bar.against.is_peer() {
                peer.seconds(case)?
            } else {
                kernels.seconds(case)?
            };
            // Of several ways the fastest is the limit.
            other = other.min(seconds);
        }
        ratios.push((bar.work / own) / (bar.other_work / other));
        ours.push(own);
        others.push(other);
    }
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
    };
    Ok(Seen {
        ratio: median(&mut ratios),
        least: ratios[0],
        most: ratios[ratios.len() - 1],
        ours: median(&mut ours),
        other: median(&mut others),
    })
}
