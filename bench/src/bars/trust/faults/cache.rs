//! A cache that is damaged, or that several programs use at once while some are killed: it changes no result.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use rand::RngExt;

use super::command::{self, Running, end_by, judge_message, judge_time, start};
use super::common::{Dice, PROMPT};
use super::full::hints_of;
use super::ground::Ground;
use super::killed::SIGNALS;
use super::scenes::{self, Scene};
use super::server::KEEPING;
use super::session::Server;
use super::tally::{Seen, What};

/// Files of a cache that are cut off, are noise, or are not files any more.
pub(super) fn garbled(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    if dice.random_bool(0.5) {
        return garbled_code(ground, dice, seen);
    }
    let text = scenes::loss(dice, 2000, 1000);
    // The first server fills the cache.
    let (first, expected) = hints_of(ground, &text, seen)?;
    ensure!(
        first == expected,
        "hints with a cache are others from the start"
    );
    damage(&ground.cache(), dice, seen)?;
    let (hints, expected) = hints_of(ground, &text, seen)?;
    if hints != expected {
        seen.wrong(
            What::Lost,
            format!("hints are {hints:?} instead of {expected:?}"),
        );
    }
    Ok(())
}

/// Compiled code.
fn garbled_code(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let scene = scenes::compiling(dice);
    let first = command::clean(ground, &scene.arguments)?;
    damage(&ground.cache(), dice, seen)?;
    let ended = command::disturbed(ground.command(&scene.arguments), first.took, seen)?;
    judge_message(&ended, &["compiled"], seen);
    if value(&ended.stdout) != value(&first.stdout) {
        let said = command::short(&ended.stderr);
        seen.wrong(
            What::Lost,
            format!("the nest gives {:?}: {said}", value(&ended.stdout)),
        );
    }
    Ok(())
}

/// The value that a nest came to: the times behind it are others each time.
fn value(stdout: &str) -> Option<&str> {
    stdout.lines().next()
}

/// Damages each file by chance, at least one.
fn damage(cache: &Path, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let files: Vec<PathBuf> = super::ground::files_below(cache)?
        .keys()
        .map(|name| cache.join(name))
        .collect();
    ensure!(!files.is_empty(), "nothing was kept");
    let always = dice.random_range(0..files.len());
    for (number, path) in files.iter().enumerate() {
        if number != always && dice.random_bool(0.5) {
            continue;
        }
        let mut bytes = fs::read(path)?;
        // A file with its old content in place, as a cut that a full disk or a lost power supply leaves.
        // Nothing makes a folder of compiled code.
        let ways = if path.extension().is_some_and(|end| end == "json") {
            5
        } else {
            4
        };
        let how = match dice.random_range(0..ways) {
            0 | 1 => {
                bytes.truncate(dice.random_range(0..bytes.len().max(1)));
                "cut off"
            }
            2 => {
                bytes.iter_mut().for_each(|byte| *byte = dice.random());
                "noise"
            }
            3 => {
                bytes.clear();
                "empty"
            }
            _ => {
                fs::remove_file(path)?;
                fs::create_dir(path)?;
                "a folder"
            }
        };
        if path.is_file() {
            fs::write(path, bytes)?;
        }
        let name = path.strip_prefix(cache).unwrap_or(path);
        seen.does(format!("{} is {how}", name.display()));
    }
    Ok(())
}

/// Several programs with one cache at once, some of which are killed.
pub(super) fn shared(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    if dice.random_bool(0.5) {
        shared_by_servers(ground, dice, seen)
    } else {
        shared_by_commands(ground, dice, seen)
    }
}

fn shared_by_servers(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    ground.fill(&[("sumac.toml".to_owned(), KEEPING.into())].into())?;
    let text = scenes::loss(dice, 2000, 1000);
    let mut victim = Server::open(ground, &[], None, &text)?;
    let mut other = Server::open(ground, &[], None, &text)?;
    let pause = Duration::from_micros(dice.random_range(0..60_000));
    std::thread::sleep(pause);
    let signal = SIGNALS[dice.random_range(0..SIGNALS.len())];
    seen.does(format!("two servers, SIG{signal} for one"));
    victim.signal(signal)?;
    victim.ended(seen)?;
    let hints = other.hints()?;
    other.judge(seen)?;
    other.end(seen)?;
    drop((victim, other));
    judge_leftovers(ground, signal, seen)?;
    let (again, expected) = hints_of(ground, &text, seen)?;
    for hints in [hints, again] {
        if hints != expected {
            seen.wrong(
                What::Lost,
                format!("hints are {hints:?} instead of {expected:?}"),
            );
        }
    }
    Ok(())
}

/// What is left in the folders of kept results has the name of a result, or of something temporary.
fn judge_leftovers(ground: &Ground, signal: &str, seen: &mut Seen) -> Result<()> {
    for name in super::ground::files_below(&ground.cache())?.keys() {
        let is_kept = name.ends_with(".json") || name.ends_with(".sketch");
        let is_temporary = name.ends_with(".part") && signal == "KILL";
        if !is_kept && !is_temporary {
            seen.wrong(
                What::Half,
                format!("cache/{name} is left behind SIG{signal}"),
            );
        }
    }
    Ok(())
}

fn shared_by_commands(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let scene: Scene = scenes::compiling(dice);
    let undisturbed = scene.undisturbed(ground)?;
    let count = dice.random_range(2..5);
    let victims: BTreeSet<usize> = (0..count).filter(|_| dice.random_bool(0.5)).collect();
    seen.does(format!(
        "{count} times {}, of which {victims:?} are killed",
        scene.shown()
    ));
    let mut running: Vec<Running> = Vec::new();
    for _ in 0..count {
        running.push(start(ground.command(&scene.arguments), None)?);
    }
    let pause = undisturbed.ended.took.mul_f64(dice.random_range(0.0..1.5));
    std::thread::sleep(pause);
    // They share the processors.
    let own = undisturbed.ended.took * count as u32;
    let mut survivors = Vec::new();
    for (number, running) in running.into_iter().enumerate() {
        if victims.contains(&number) {
            end_by(running, "KILL", seen)?;
        } else {
            survivors.push(running);
        }
    }
    for running in survivors {
        let ended = running.end_within(own + PROMPT * 2)?;
        judge_time(&ended, own, seen);
        judge_message(&ended, &[], seen);
        if ended.code == Some(0) && value(&ended.stdout) != value(&undisturbed.ended.stdout) {
            let how = format!("the nest gives {:?}", value(&ended.stdout));
            seen.wrong(What::Lost, how);
        }
    }
    // The next one finds a cache that is whole.
    let next = command::disturbed(ground.command(&scene.arguments), own, seen)?;
    judge_message(&next, &[], seen);
    if value(&next.stdout) != value(&undisturbed.ended.stdout) {
        seen.wrong(
            What::Lost,
            format!("the next nest gives {:?}", value(&next.stdout)),
        );
    }
    let left = super::ground::files_below(&ground.cache())?;
    if let Some(name) = left.keys().find(|name| name.contains("making.")) {
        let is_used = left.keys().any(|name| name.ends_with(".so"));
        // A folder of a killed process goes when something is made the next time.
        if !is_used {
            seen.wrong(What::Half, format!("cache/{name} is left"));
        }
    }
    Ok(())
}
