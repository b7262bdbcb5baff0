//! What a search takes: memory stays below twice its limit, and time does not run away with the length of a script.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Options;
use super::blocks::{Inputs, Scale};
use super::program::{Ended, Limits, Program};
use crate::report::Report;

const BLOCKS: usize = 2000;
/// Statements of a block, at most.
const LONGEST: usize = 60;
/// The limit that a search is given, as the command line spells it and in bytes.
const LIMIT: (&str, u64) = ("512M", 512 << 20);
/// A search that takes longer is a miss, and is ended.
const PATIENCE: u64 = 600;
/// Statements that depend on each other, short and long, and how many times longer the long ones may take.
const LENGTHS: [usize; 2] = [20, 200];
const TIMES: f64 = 12.0;
/// How often each length is timed; the median counts.
const ROUNDS: usize = 3;
const SCALE: Scale = Scale {
    sizes: [
        &[2, 8, 10, 150, 2000, 20_000],
        &[2, 8, 100, 500],
        &[1, 2, 10],
    ],
    depth: 4,
    sparsities: &[1.0, 1.0, 0.1, 0.001],
};

/// Chains of dependent statements, two for each step: `{i}` is the number of the step.
const CHAINS: [(&str, &str, &str); 3] = [
    (
        "gradient steps",
        "#@ X: 10000 x 100\n#@ w: 100 x 1\n#@ y: 10000 x 1\nX = read($X)\nw = read($w)\ny = read($y)\n",
        "g{i} = t(X) %*% (X %*% w - y)\nw = w - 0.0{i}1 * g{i}\n",
    ),
    (
        "powers and norms",
        "#@ X: 20000 x 200, sparsity 0.01\n#@ w: 200 x 1\nX = read($X)\nw = read($w)\n",
        "q{i} = t(X) %*% (X %*% w)\nw = q{i} / (sqrt(sum(q{i}^2)) + 1)\n",
    ),
    (
        "losses and updates",
        "#@ X: 5000 x 2000, sparsity 0.01\n#@ w: 5000 x 10\n#@ V: 2000 x 10\nX = read($X)\nw = read($w)\nV = read($V)\n",
        "l{i} = sum((X - w %*% t(V))^2)\nw = w - 0.001 * l{i} * ((w %*% t(V) - X) %*% V)\n",
    ),
];

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    memory(report, program, options)?;
    for (name, inputs, step) in CHAINS {
        let name = format!(
            "{name}: processor time of {} dependent statements",
            LENGTHS[1]
        );
        let target = format!("<= {TIMES} times that of {}", LENGTHS[0]);
        let timed = LENGTHS.map(|length| time(program, inputs, step, length));
        let [short, long] = timed;
        let both = short.and_then(|short| Ok((short, long?)));
        if let Some((short, long)) = report.expect(&name, &target, both) {
            let ratio = long / short;
            let seen = format!("{long:.2} s, {ratio:.1} times the {short:.2} s");
            report.bar(&name, &seen, &target, ratio <= TIMES);
        }
    }
    Ok(())
}

fn memory(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let count = options.count(BLOCKS);
    let most = 2 * LIMIT.1;
    let seeds: Vec<u64> = (0..count as u64).map(|at| options.seed + at).collect();
    let ends: Vec<(u64, usize, Ended)> = seeds
        .into_par_iter()
        .map(|seed| {
            let (text, statements) = block(seed);
            let folder = tempfile::tempdir()?;
            fs::write(folder.path().join("block.dml"), &text)?;
            let ended = search(program, folder.path())?;
            if (ended.peak_bytes > most || !ended.is_success())
                && let Some(keep) = &options.keep
            {
                fs::create_dir_all(keep)?;
                fs::write(keep.join(format!("bounds-{seed}.dml")), &text)?;
            }
            Ok((seed, statements, ended))
        })
        .collect::<Result<_>>()?;
    let megabytes = |bytes: u64| bytes >> 20;
    let mut failed = 0;
    for (seed, statements, ended) in &ends {
        if !ended.is_success() {
            failed += 1;
            report.note(&format!(
                "seed {seed}, {statements} statements: {}",
                ended.how()
            ));
        } else if ended.peak_bytes > most {
            report.note(&format!(
                "seed {seed}, {statements} statements: {} MB",
                megabytes(ended.peak_bytes)
            ));
        }
    }
    let above = ends
        .iter()
        .filter(|(_, _, ended)| ended.peak_bytes > most)
        .count();
    let largest = ends.iter().map(|(_, _, ended)| ended.peak_bytes).max();
    report.bar(
        &format!(
            "peak memory of `optimize --max-graph-memory {}`, {count} blocks of 1 to {LONGEST} statements",
            LIMIT.0
        ),
        &format!(
            "at most {} MB, {above} above, {failed} do not end well",
            megabytes(largest.unwrap_or(0))
        ),
        &format!("< {} MB, all end", megabytes(most)),
        above == 0 && failed == 0,
    );
    let slowest = ends
        .iter()
        .map(|(_, _, ended)| ended.cpu_seconds)
        .fold(0.0, f64::max);
    report.note(&format!(
        "the longest search took {slowest:.1} s of a processor"
    ));
    Ok(())
}

/// A script with one block, and how many statements it has.
fn block(seed: u64) -> (String, usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let inputs = Inputs::random(&mut rng, &SCALE);
    let count = rng.random_range(1..=LONGEST);
    let lines = inputs.statements(&mut rng, count, SCALE.depth);
    let text = format!("{}{}{}\n", inputs.facts, inputs.reads, lines.join("\n"));
    (text, count)
}

fn search(program: &Program, folder: &Path) -> Result<Ended> {
    let limits = Limits {
        seconds: PATIENCE,
        bytes: 8 * LIMIT.1,
    };
    let arguments = [
        "optimize",
        "block.dml",
        "--quiet",
        "--max-graph-memory",
        LIMIT.0,
    ];
    program.call_within(folder, &arguments, &[], limits)
}

fn chain(inputs: &str, step: &str, statements: usize) -> String {
    let per_step = step.lines().count();
    let steps: String = (1..=statements / per_step)
        .map(|number| step.replace("{i}", &number.to_string()))
        .collect();
    format!("{inputs}{steps}print(sum(w))\n")
}

/// Seconds of a processor for a chain: the median.
fn time(program: &Program, inputs: &str, step: &str, statements: usize) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    fs::write(
        folder.path().join("block.dml"),
        chain(inputs, step, statements),
    )?;
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let ended = search(program, folder.path())?;
        anyhow::ensure!(
            ended.is_success(),
            "{statements} statements: {}",
            ended.how()
        );
        all.push(ended.cpu_seconds);
    }
    all.sort_by(f64::total_cmp);
    // Below a tick, nothing can be said of a ratio.
    let median = all.get(ROUNDS / 2).copied().context("nothing was timed")?;
    Ok(median.max(0.01))
}

#[cfg(test)]
mod tests {
    use sumac_syntax::parse;

    use super::*;

    #[test]
    fn chains_have_the_statements_that_are_asked_for() {
        for (_, inputs, step) in CHAINS {
            let text = chain(inputs, step, 20);
            assert!(parse(text.as_str()).errors().is_empty(), "{text}");
            let written = chain(inputs, step, 20).lines().count();
            assert_eq!(written - inputs.lines().count() - 1, 20);
        }
    }

    #[test]
    fn a_seed_is_a_block() {
        assert_eq!(block(3), block(3));
        assert!(block(3) != block(4));
    }
}
