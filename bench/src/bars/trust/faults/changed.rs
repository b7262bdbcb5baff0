//! Files that somebody else changes while a command works on them: what was written meanwhile stays, and whatever stands there
//! instead is never waited for.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rand::RngExt;

use super::command::{self, Ended, judge_message, judge_time, start};
use super::common::{Dice, PROMPT};
use super::garbled::{self, Data};
use super::ground::Ground;
use super::scenes::{self, Scene};
use super::tally::{Seen, What};

/// What somebody else does with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// Another text, in one step.
    Renamed(Vec<u8>),
    /// Another text, in the same file.
    Written(Vec<u8>),
    Removed,
    /// A folder in its place.
    Folder,
    /// A pipe in its place, into which nobody writes.
    Pipe,
}

impl Change {
    /// One by chance, with another text where it needs one.
    pub(super) fn any(other: Vec<u8>, dice: &mut Dice) -> Change {
        match dice.random_range(0..7) {
            0 | 1 => Change::Renamed(other),
            2 | 3 => Change::Written(other),
            4 => Change::Removed,
            5 => Change::Folder,
            _ => Change::Pipe,
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn make(&self, path: &Path) -> Result<()> {
        match self {
            Change::Renamed(text) => {
                // Beside, so that it can be renamed, and outside of the folder that is looked at.
                let beside = path.with_file_name("..").join("typed-meanwhile");
                fs::write(&beside, text)?;
                fs::rename(&beside, path)?;
            }
            Change::Written(text) => fs::write(path, text)?,
            Change::Removed => fs::remove_file(path)?,
            Change::Folder => {
                fs::remove_file(path)?;
                fs::create_dir(path)?;
            }
            Change::Pipe => {
                fs::remove_file(path)?;
                let made = Command::new("mkfifo").arg(path).output();
                let made = made.context("there is no `mkfifo`")?;
                ensure!(made.status.success(), "no pipe can be made");
            }
        }
        Ok(())
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Change::Renamed(_) => "replaced by another text",
            Change::Written(_) => "written over",
            Change::Removed => "removed",
            Change::Folder => "replaced by a folder",
            Change::Pipe => "replaced by a pipe",
        }
    }
}

/// Runs a scene and changes a file after a pause.
fn meanwhile(
    ground: &Ground,
    scene: &Scene,
    (path, change, pause): (&Path, &Change, Duration),
    undisturbed: Duration,
    seen: &mut Seen,
) -> Result<Ended> {
    seen.does(format!(
        "{} while a file is {} after {:.1} ms",
        scene.shown(),
        change.name(),
        pause.as_secs_f64() * 1e3
    ));
    let running = start(ground.command(&scene.arguments), None)?;
    std::thread::sleep(pause);
    change.make(path)?;
    let ended = running.end_within(undisturbed + PROMPT * 2)?;
    judge_time(&ended, undisturbed, seen);
    Ok(ended)
}

/// A script that is changed between its analysis and the moment when its new text would be written.
pub(super) fn script(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    const NAME: &str = "main.dml";
    let words: &[&str] = if dice.random_bool(0.6) {
        &["optimize", "--apply", NAME]
    } else {
        &["fmt", NAME]
    };
    let text = |dice: &mut Dice| match words.len() {
        3 => scenes::loss(dice, 20_000, 10_000),
        _ => scenes::untidy(dice, 1000),
    };
    let scene = Scene::new(words).with(NAME, text(dice));
    let undisturbed = scene.undisturbed(ground)?;
    let mut other = text(dice).into_bytes();
    if dice.random_bool(0.3) {
        other.truncate(dice.random_range(0..other.len()));
    }
    let change = Change::any(other.clone(), dice);
    let pause = undisturbed.ended.took.mul_f64(dice.random_range(0.0..1.1));
    ground.fill(&scene.files)?;
    let path = ground.file(NAME);
    let place = (&*path, &change, pause);
    let ended = meanwhile(ground, &scene, place, undisturbed.ended.took, seen)?;
    judge_message(&ended, &[NAME], seen);
    let files = ground.files()?;
    match &change {
        Change::Renamed(_) | Change::Written(_) => {
            // The same command, with the text that was written meanwhile from the start.
            let later = ground.another()?;
            later.fill(&[(NAME.to_owned(), other.clone())].into())?;
            command::run(later.command(&scene.arguments))?;
            let found = files.get(NAME);
            if found != Some(&other) && found != later.files()?.get(NAME) {
                let how = match found == undisturbed.files.get(NAME) {
                    true => "what was written meanwhile is written over",
                    false => "the script is neither what was written meanwhile nor its new form",
                };
                seen.wrong(What::Lost, how);
            }
        }
        Change::Removed => {
            let found = files.get(NAME);
            if found.is_some() && found != undisturbed.files.get(NAME) {
                seen.wrong(What::Half, "the script came back as something else");
            }
        }
        Change::Folder => {
            if !path.is_dir() {
                seen.wrong(What::Lost, "the folder is not there any more");
            }
        }
        Change::Pipe => {
            if path.is_file() || !path.exists() {
                seen.wrong(What::Lost, "the pipe is not there any more");
            }
        }
    }
    for name in files.keys().filter(|name| *name != NAME) {
        seen.wrong(What::Half, format!("{name} is left"));
    }
    Ok(())
}

/// Data that is changed while a script reads it: the values are those of one file, or the error names it.
pub(super) fn data(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let data = Data::made(ground, dice, (200..400, 200..400))?;
    let other = Data::like(&data, ground, dice)?;
    let undisturbed = data.read_by(ground)?;
    let read_later = other.read_by(ground)?;
    let truncates = dice.random_bool(0.4);
    let change = if truncates {
        let mut begun = data.bytes().clone();
        begun.truncate(dice.random_range(0..garbled::surely_incomplete(&data)));
        Change::Written(begun)
    } else {
        // The metadata fits both. What is written over is of both times for a moment, which nobody can tell.
        match Change::any(other.bytes().clone(), dice) {
            Change::Written(text) => Change::Renamed(text),
            change => change,
        }
    };
    let pause = undisturbed.took.mul_f64(dice.random_range(0.0..1.0));
    let scene = data.scene();
    ground.fill(&scene.files)?;
    let path = ground.file(&data.name);
    let place = (&*path, &change, pause);
    let ended = meanwhile(ground, &scene, place, undisturbed.took, seen)?;
    judge_message(&ended, &[&data.name], seen);
    let is_old = ended.stdout == undisturbed.stdout;
    let is_new = matches!(change, Change::Renamed(_)) && ended.stdout == read_later.stdout;
    if ended.code == Some(0) && !is_old && !is_new {
        let how = format!(
            "the script read {} of no whole file",
            command::short(&ended.stdout)
        );
        seen.wrong(What::Lost, how);
    }
    Ok(())
}
