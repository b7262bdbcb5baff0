//! Clocks that jump: files whose times lie long ago or far ahead, or go back while a server looks. The system's clock stays as it is.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use rand::RngExt;
use serde_json::json;

use super::command::{self, judge_message};
use super::common::Dice;
use super::full::hints_of;
use super::ground::{Files, Ground};
use super::scenes::{self, Scene};
use super::session::Server;
use super::tally::{Seen, What};

/// Seconds from now, or from 1970 where they are that far away.
const DAY: u64 = 24 * 3600;
const YEAR: u64 = 365 * DAY;

/// A time by chance, at which no clock should be.
fn strange(dice: &mut Dice) -> SystemTime {
    let now = SystemTime::now();
    let epoch = SystemTime::UNIX_EPOCH;
    match dice.random_range(0..6) {
        0 => epoch,
        1 => epoch - Duration::from_secs(dice.random_range(1..60 * YEAR)),
        2 => now + Duration::from_secs(dice.random_range(1..DAY)),
        3 => now + Duration::from_secs(dice.random_range(YEAR..300 * YEAR)),
        4 => now - Duration::from_secs(dice.random_range(1..30 * YEAR)),
        // The last second of 32 bits.
        _ => epoch + Duration::from_secs((1 << 31) - 1),
    }
}

fn set(path: &Path, time: SystemTime) -> Result<()> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    file.set_modified(time)?;
    Ok(())
}

/// Gives all files below a folder times by chance.
fn set_all(folder: &Path, files: &Files, dice: &mut Dice) -> Result<()> {
    for name in files.keys() {
        set(&folder.join(name), strange(dice))?;
    }
    Ok(())
}

/// Times of files jump: no result changes.
pub(super) fn jumps(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    match dice.random_range(0..3) {
        0 => command_line(ground, dice, seen),
        1 => kept(ground, dice, seen),
        _ => watched(ground, dice, seen),
    }
}

/// A command on files of strange times.
fn command_line(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let scene: Scene = scenes::any(dice);
    let undisturbed = scene.undisturbed(ground)?;
    seen.does(format!("{} on files of strange times", scene.shown()));
    ground.fill(&scene.files)?;
    set_all(&ground.work(), &scene.files, dice)?;
    let own = undisturbed.ended.took;
    let ended = command::disturbed(ground.command(&scene.arguments), own, seen)?;
    judge_message(&ended, &[], seen);
    if ended.code != undisturbed.ended.code || ground.files()? != undisturbed.files {
        seen.wrong(What::Lost, "the command comes to something else");
    }
    Ok(())
}

/// Kept results and compiled code of strange times.
fn kept(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    seen.does("a cache with strange times");
    let text = scenes::loss(dice, 2000, 1000);
    hints_of(ground, &text, seen)?;
    let cache = ground.cache();
    set_all(&cache, &super::ground::files_below(&cache)?, dice)?;
    let (hints, expected) = hints_of(ground, &text, seen)?;
    if hints != expected {
        seen.wrong(
            What::Lost,
            format!("hints are {hints:?} instead of {expected:?}"),
        );
    }
    Ok(())
}

/// A script that another one calls changes on the disk, and its time goes back: the server says what a fresh one says.
fn watched(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    const OTHER: &str = "other.dml";
    seen.does("a script changes on the disk, and its time jumps");
    let library = |cols: u32| {
        format!(
            "f = function(Double x) return (Matrix[Double] y) {{ y = matrix(x, rows=2, cols={cols}) }}\n"
        )
    };
    let text = "source(\"other.dml\") as o\nA = o::f(1)\nB = matrix(1, rows=3, cols=3)\nC = A %*% B\nprint(sum(C))\n";
    // As long as the other one, which only its content tells.
    let (before, after) = (dice.random_range(1..5), dice.random_range(5..10));
    ground.fill(&[(OTHER.to_owned(), library(before).into())].into())?;
    let mut server = Server::open(ground, &[], None, text)?;
    server.judge(seen)?;
    let path = ground.file(OTHER);
    let time = match dice.random_bool(0.5) {
        true => fs::metadata(&path)?.modified()?,
        false => strange(dice),
    };
    fs::write(&path, library(after))?;
    set(&path, time)?;
    let uri = crate::client::document::uri(&path);
    let change = json!({"changes": [{"uri": uri, "type": 2}]});
    server.notify("workspace/didChangeWatchedFiles", &change)?;
    server.judge(seen)?;
    let own = server.problems(seen)?;
    server.end(seen)?;
    let mut fresh = Server::open(ground, &[], None, text)?;
    let expected = fresh.problems(seen)?;
    fresh.end(seen)?;
    if own != expected {
        seen.wrong(
            What::Lost,
            format!("problems are {own} instead of {expected}"),
        );
    }
    Ok(())
}
