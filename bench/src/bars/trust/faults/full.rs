//! Disks without room: what stood there stays whole, the message names the place, and a session goes on.

use std::fs::{self, File};

use anyhow::{Context, Result};
use rand::RngExt;
use serde_json::json;

use super::command::{Ended, judge_message, judge_time, start};
use super::common::{Dice, PROMPT};
use super::disk::{Disk, is_filler};
use super::ground::{Files, Ground};
use super::scenes::{self, Scene};
use super::server::{KEEPING, opened_with, unreadable};
use super::session::Server;
use super::tally::{Seen, What};
use super::{command, pipes};

/// The standard output is a disk without room: the results are lost, and the command must say so.
pub(super) fn standard_output(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let scene = pipes::speaking(dice);
    seen.does(scene.shown());
    let undisturbed = scene.undisturbed(ground)?;
    ground.fill(&scene.files)?;
    let full = File::options().write(true).open("/dev/full");
    let full = full.context("this system has no /dev/full")?;
    let running = start(ground.command(&scene.arguments), Some(full.into()))?;
    let own = undisturbed.ended.took;
    let ended = running.end_within(own + PROMPT * 2)?;
    judge_time(&ended, own, seen);
    judge_message(&ended, &["standard output"], seen);
    if ended.code == Some(0) && !undisturbed.ended.stdout.is_empty() {
        seen.wrong(What::Lost, "no word that the results could not be written");
    }
    Ok(())
}

/// Runs a scene on a disk with little room; gives how it ended, and the files.
fn on_full_disk(
    ground: &Ground,
    scene: &Scene,
    (kilobytes, left): (usize, usize),
    seen: &mut Seen,
) -> Result<(Ended, Files, Files)> {
    seen.does(format!("{}, {left} bytes left", scene.shown()));
    let undisturbed = scene.undisturbed(ground)?;
    let mut disk = Disk::small(&ground.work(), kilobytes);
    ground.fill(&scene.files)?;
    disk.fill(left)?;
    let command = ground.by_shell(&disk.before(), &scene.arguments);
    let ended = command::disturbed(command, undisturbed.ended.took, seen)?;
    let mut files = ground.files()?;
    files.retain(|name, _| !is_filler(name));
    Ok((ended, files, undisturbed.files))
}

/// Each file is as before, or as where there is room; and none of the first sort where the command says that all went well.
fn judge_files(ended: &Ended, scene: &Scene, files: &Files, new: &Files, seen: &mut Seen) {
    for (name, bytes) in files {
        let (old, new) = (scene.files.get(name), new.get(name));
        if old.is_none() && new.is_none() {
            seen.wrong(What::Half, format!("{name} is left"));
        } else if old != Some(bytes) && new != Some(bytes) {
            seen.wrong(What::Half, format!("{name} is neither the old nor the new"));
        }
    }
    for name in scene.files.keys() {
        if !files.contains_key(name) && new.contains_key(name) {
            seen.wrong(What::Lost, format!("{name} is not there any more"));
        }
    }
    if ended.code == Some(0) && files != new {
        seen.wrong(What::Lost, "no word that something could not be written");
    }
}

/// What a script writes, in each format.
pub(super) fn data(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let scene = scenes::writing(dice);
    let left = dice.random_range(0..60_000);
    let (ended, files, new) = on_full_disk(ground, &scene, (512, left), seen)?;
    judge_message(&ended, &["out."], seen);
    judge_files(&ended, &scene, &files, &new, seen);
    let is_new = |name: &str| files.get(name) == new.get(name);
    let written: Vec<&String> = new.keys().filter(|name| name.starts_with("out.")).collect();
    let changed = written.iter().filter(|name| is_new(name)).count();
    if changed > 0 && changed < written.len() {
        seen.wrong(What::Half, "data and metadata are not of one time");
    }
    Ok(())
}

/// Scripts that are laid out, or get their cheaper forms.
pub(super) fn scripts(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let scene = scenes::changing(dice);
    let left = dice.random_range(0..20_000);
    let (ended, files, new) = on_full_disk(ground, &scene, (4096, left), seen)?;
    judge_message(&ended, &[".dml"], seen);
    judge_files(&ended, &scene, &files, &new, seen);
    Ok(())
}

/// The cache: what cannot be kept is computed all the same, or the message says what could not be written where.
pub(super) fn cache(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let mut disk = Disk::small(&ground.cache(), 256);
    let left = dice.random_range(0..40_000);
    disk.fill(left)?;
    if dice.random_bool(0.5) {
        let scene = scenes::compiling(dice);
        seen.does(format!("{}, {left} bytes left", scene.shown()));
        let undisturbed = scene.undisturbed(ground)?;
        let command = ground.by_shell(&disk.before(), &scene.arguments);
        let ended = command::disturbed(command, undisturbed.ended.took, seen)?;
        judge_message(&ended, &["compiled"], seen);
        return Ok(());
    }
    seen.does(format!("a server that keeps results, {left} bytes left"));
    let text = scenes::loss(dice, 2000, 1000);
    let (hints, expected) = hints_of(ground, &text, seen)?;
    if hints != expected {
        seen.wrong(
            What::Lost,
            format!("hints are {hints:?} instead of {expected:?}"),
        );
    }
    Ok(())
}

/// The hints that a server gives which keeps its results, and those of one with a new cache.
pub(super) fn hints_of(
    ground: &Ground,
    text: &str,
    seen: &mut Seen,
) -> Result<(Vec<String>, Vec<String>)> {
    let hints = |ground: &Ground, seen: &mut Seen| -> Result<Vec<String>> {
        ground.fill(&[("sumac.toml".to_owned(), KEEPING.into())].into())?;
        let mut server = Server::open(ground, &[], None, text)?;
        let hints = server.hints()?;
        server.end(seen)?;
        Ok(hints)
    };
    let own = hints(ground, seen)?;
    let expected = hints(&ground.another()?, &mut Seen::default())?;
    Ok((own, expected))
}

/// A recording or a log that finds no room: the session goes on, and what is recorded can be read.
pub(super) fn records(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let mut disk = Disk::small(&ground.temporary(), 256);
    let left = dice.random_range(0..12_000);
    disk.fill(left)?;
    let option = if dice.random_bool(0.7) {
        "--record"
    } else {
        "--log-file"
    };
    seen.does(format!("{option}, {left} bytes left"));
    let file = ground.temporary().join("session.jsonl");
    let arguments = scenes::words(&[option, &file.to_string_lossy()]);
    if matches!(disk, Disk::Limited(_)) {
        // A session is started without a shell.
        return Ok(());
    }
    let opened = opened_with(ground, &arguments, None, dice);
    let mut server = match opened {
        Ok(server) => server,
        // There was no room for the first line.
        Err(_) => return refused(ground, &arguments, seen),
    };
    server.typed(dice)?;
    // What a log would say.
    server.raw(b"Content-Length: 1\r\n\r\n{")?;
    server.judge(seen)?;
    let said = server.end(seen)?;
    drop(server);
    if option == "--record" && !said.contains("not recorded any more") {
        seen.wrong(
            What::Unclear,
            format!("no word of the end of the recording: {said}"),
        );
    }
    if option == "--record" {
        readable_again(ground, &disk, &file, seen)?;
    }
    Ok(())
}

/// A server that does not start says why.
fn refused(ground: &Ground, arguments: &[String], seen: &mut Seen) -> Result<()> {
    let line = [&scenes::words(&["lsp"]), arguments].concat();
    let ended = command::run(ground.command(&line))?;
    judge_message(&ended, &["session.jsonl"], seen);
    if ended.code == Some(0) {
        seen.wrong(What::Unclear, "the server did not start, and does now");
    }
    Ok(())
}

/// Where there is room again, the next session is recorded behind the first, whatever its last line is.
fn readable_again(
    ground: &Ground,
    disk: &Disk,
    file: &std::path::Path,
    seen: &mut Seen,
) -> Result<()> {
    if let Some(why) = unreadable(&fs::read(file)?) {
        seen.wrong(What::Half, format!("the recording: {why}"));
    }
    let Disk::Mounted(at) = disk else {
        return Ok(());
    };
    for entry in fs::read_dir(at)?.flatten() {
        if is_filler(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    let arguments = scenes::words(&["--record", &file.to_string_lossy()]);
    let mut next = Server::open(ground, &arguments, None, "x = 1\nprint(x)\n")?;
    next.end(seen)?;
    let recording = fs::read_to_string(file)?;
    let heads = recording.lines().filter(|line| {
        let read = serde_json::from_str::<serde_json::Value>(line);
        read.is_ok_and(|line| line["form"] != json!(null))
    });
    if heads.count() != 2 {
        seen.wrong(
            What::Half,
            "the next session does not begin in a line of its own",
        );
    }
    Ok(())
}
