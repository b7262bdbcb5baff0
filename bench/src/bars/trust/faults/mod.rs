//! A thousand faults of processes, pipes, disks, files and clocks, put into the program while it works: nothing may be lost.
//!
//! A kind of fault is a function and a line in [`KINDS`]. Each fault has a seed of its own, that follows from the seed of the
//! bar, from the kind and from its number, and a folder of its own. What it did before is never asked of the program: texts are
//! compared with what was sent or stood there, and processes are looked for by a mark in their environment.
//!
//! The clock of the system is never changed: what jumps are the times that files carry.

mod cache;
mod changed;
mod clock;
mod command;
mod common;
mod disk;
mod full;
mod garbled;
mod ground;
mod input;
mod killed;
mod pipes;
mod processes;
mod scenes;
mod server;
mod session;
mod tally;

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use anyhow::Result;
use rand::SeedableRng;

use super::{Options, Program};
use crate::report::Report;
use common::{Dice, PROMPT};
use ground::Ground;
use tally::{Seen, Tally, What};

/// Puts one fault into the program, and notes what went wrong.
type Inject = fn(&Ground, &mut Dice, &mut Seen) -> Result<()>;

/// A kind of fault, and how many there are of it in all.
struct Kind {
    name: &'static str,
    faults: usize,
    inject: Inject,
}

const fn kind(name: &'static str, faults: usize, inject: Inject) -> Kind {
    Kind {
        name,
        faults,
        inject,
    }
}

/// All kinds: 1,000 faults.
const KINDS: [Kind; 20] = [
    kind("server: worker killed", 60, server::worker_killed),
    kind("server: input closed", 60, server::input_closed),
    kind("server: output closed or stalled", 50, server::output_gone),
    kind("server: client gone", 50, server::client_gone),
    kind("server: killed", 50, server::killed),
    kind("server: garbled messages", 50, server::garbled),
    kind("command: killed", 150, killed::command),
    kind("command: worker killed", 40, killed::worker),
    kind("command: reader gone", 50, pipes::reader_gone),
    kind("disk full: output", 40, full::standard_output),
    kind("disk full: written data", 40, full::data),
    kind("disk full: scripts", 40, full::scripts),
    kind("disk full: cache", 20, full::cache),
    kind("disk full: records and logs", 20, full::records),
    kind("script changed meanwhile", 60, changed::script),
    kind("data changed meanwhile", 40, changed::data),
    kind("data truncated or garbled", 100, garbled::data),
    kind("cache truncated or garbled", 30, cache::garbled),
    kind("cache shared, with kills", 20, cache::shared),
    kind("clock jumps", 30, clock::jumps),
];

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    report.note(&disk::means());
    report.note("clock jumps: times of files; the system's clock stays, for others use it");
    let mut all = Tally::default();
    for kind in &KINDS {
        let mut tally = Tally::default();
        for number in 0..options.count(kind.faults) {
            let seed = seed_of(options.seed, kind.name, number);
            let seen = one(program, kind, seed, options.keep.as_deref(), number)?;
            for wrong in seen.wrongs() {
                report.note(&format!(
                    "{} #{number}, seed {seed}, {}: {wrong}",
                    kind.name,
                    seen.did()
                ));
            }
            tally.add(&seen);
        }
        report.bar(kind.name, &tally.shown(), Tally::TARGET, tally.is_clean());
        all.join(&tally);
    }
    report.bar(
        "injected faults",
        &all.shown(),
        Tally::TARGET,
        all.is_clean(),
    );
    Ok(())
}

/// One fault in a folder of its own, which is kept where something went wrong.
fn one(
    program: &Program,
    kind: &Kind,
    seed: u64,
    keep: Option<&Path>,
    number: usize,
) -> Result<Seen> {
    let ground = Ground::new(program.path())?;
    let mut seen = Seen::default();
    let mut dice = Dice::seed_from_u64(seed);
    if let Err(error) = (kind.inject)(&ground, &mut dice, &mut seen) {
        seen.wrong(What::NotInjected, format!("{error:#}"));
    }
    for left in ground.processes_left(PROMPT) {
        seen.wrong(What::Orphan, left);
    }
    if let Some(keep) = keep.filter(|_| !seen.is_clean()) {
        let name = kind.name.replace([':', ' ', ','], "-");
        let kept = keep.join(format!("{name}-{number}"));
        ground.keep(&kept, &seen.told(seed))?;
    }
    Ok(seen)
}

/// What a fault's dice begin with.
fn seed_of(seed: u64, kind: &str, number: usize) -> u64 {
    let mut hash = DefaultHasher::new();
    hash.write_u64(seed);
    hash.write(kind.as_bytes());
    hash.write_usize(number);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_a_thousand_faults_and_each_has_its_own_dice() {
        let faults: usize = KINDS.iter().map(|kind| kind.faults).sum();
        assert_eq!(faults, 1000);
        let seeds: std::collections::BTreeSet<u64> = KINDS
            .iter()
            .flat_map(|kind| (0..kind.faults).map(|number| seed_of(1, kind.name, number)))
            .collect();
        assert_eq!(seeds.len(), faults);
    }
}
