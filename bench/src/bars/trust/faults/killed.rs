//! Commands and their workers that a signal ends at any moment: each file is the old one or the new one, nothing is left beside,
//! and the next run goes well.

use std::time::{Duration, Instant};

use anyhow::Result;
use rand::RngExt;

use super::command::{self, end_by, judge_message, judge_signalled, judge_time, start};
use super::common::{Dice, PROMPT};
use super::ground::{Files, Ground, files_below};
use super::processes;
use super::scenes::{self, Scene, Undisturbed};
use super::tally::{Seen, What};

/// The signals that end a command, by their names.
pub(super) const SIGNALS: [&str; 3] = ["KILL", "TERM", "INT"];

/// A command that is ended at any moment.
pub(super) fn command(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let scene = scenes::any(dice);
    let after = scene.undisturbed(ground)?;
    let signal = SIGNALS[dice.random_range(0..SIGNALS.len())];
    let pause = after.ended.took.mul_f64(dice.random_range(0.0..1.1));
    seen.does(format!(
        "{}, SIG{signal} after {:.1} ms",
        scene.shown(),
        pause.as_secs_f64() * 1e3
    ));
    ground.fill(&scene.files)?;
    let running = start(ground.command(&scene.arguments), None)?;
    std::thread::sleep(pause);
    let ended = end_by(running, signal, seen)?;
    judge_signalled(&ended, seen);
    judge_files(ground, &scene, &after, signal, seen)?;
    next_run(ground, &scene, &after, seen)
}

/// Each file is as before or as behind the whole command, and there is no other.
fn judge_files(
    ground: &Ground,
    scene: &Scene,
    after: &Undisturbed,
    signal: &str,
    seen: &mut Seen,
) -> Result<()> {
    // What the worker, or a compiler that it started, holds is decided when they have ended.
    processes::left(ground.mark(), PROMPT);
    let files = ground.files()?;
    for (name, bytes) in &files {
        let (old, new) = (scene.files.get(name), after.files.get(name));
        if old.is_none() && new.is_none() {
            if signal != "KILL" || !is_clearly_temporary(name) {
                seen.wrong(What::Half, format!("{name} is left behind SIG{signal}"));
            }
        } else if old != Some(bytes) && new != Some(bytes) {
            seen.wrong(What::Half, format!("{name} is neither the old nor the new"));
        }
    }
    for name in scene.files.keys() {
        // A Matrix Market file takes the metadata of what it replaces along.
        if !files.contains_key(name) && after.files.contains_key(name) {
            seen.wrong(What::Lost, format!("{name} is not there any more"));
        }
    }
    pairs(&files, scene, after, seen);
    for name in files_below(&ground.temporary())?.keys() {
        if signal != "KILL" {
            seen.wrong(What::Half, format!("tmp/{name} is left behind SIG{signal}"));
        }
    }
    for name in files_below(&ground.cache())?.keys() {
        // What is being made there has a folder that names its process, and goes with the next run.
        let is_known = name.ends_with(".c") || name.ends_with(".so") || name.contains("making.");
        if !is_known && !is_clearly_temporary(name) {
            seen.wrong(
                What::Half,
                format!("cache/{name} is left behind SIG{signal}"),
            );
        }
    }
    Ok(())
}

/// Data and its metadata are of one time.
fn pairs(files: &Files, scene: &Scene, after: &Undisturbed, seen: &mut Seen) {
    for (name, metadata) in files {
        let Some(data_name) = name.strip_suffix(".mtd") else {
            continue;
        };
        let is_old = |name: &str, bytes: &Vec<u8>| scene.files.get(name) == Some(bytes);
        let is_new = |name: &str, bytes: &Vec<u8>| after.files.get(name) == Some(bytes);
        if let Some(data) = files.get(data_name)
            && !(is_old(name, metadata) && is_old(data_name, data))
            && !(is_new(name, metadata) && is_new(data_name, data))
        {
            let how = format!("{data_name} and {name} are not of one time");
            seen.wrong(What::Half, how);
        }
    }
}

/// Whether a name says that it is nothing for a person: `.loss.dml.1234-0.part`.
fn is_clearly_temporary(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.starts_with('.') && name.ends_with(".part")
}

/// The same command once more goes well, and ends where an undisturbed one does.
fn next_run(ground: &Ground, scene: &Scene, after: &Undisturbed, seen: &mut Seen) -> Result<()> {
    let again = command::run(ground.command(&scene.arguments))?;
    if again.code != after.ended.code {
        let said = command::short(&again.stderr);
        let how = format!("the next run ends with {:?}: {said}", again.code);
        seen.wrong(What::Lost, how);
    }
    let files = ground.files()?;
    for (name, new) in &after.files {
        if files.get(name) != Some(new) {
            let how = format!("behind the next run {name} is not the new one");
            seen.wrong(What::Lost, how);
        }
    }
    Ok(())
}

/// The worker of a command that is killed at any moment: the command says so, and writes nothing.
pub(super) fn worker(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let scene = match dice.random_range(0..3) {
        0 => scenes::timing(),
        1 => Scene::new(&["run", "endless.dml"]).with("endless.dml", ENDLESS[0]),
        _ => Scene::new(&["run", "endless.dml"]).with("endless.dml", ENDLESS[1]),
    };
    ground.fill(&scene.files)?;
    let running = start(ground.command(&scene.arguments), None)?;
    let workers = processes::workers(ground.mark(), PROMPT);
    let pause = Duration::from_micros(dice.random_range(0..400_000));
    seen.does(format!(
        "{}, its worker killed after {:.1} ms",
        scene.shown(),
        pause.as_secs_f64() * 1e3
    ));
    std::thread::sleep(pause);
    anyhow::ensure!(!workers.is_empty(), "no worker was started");
    for worker in workers {
        processes::signal(worker.pid, "KILL")?;
    }
    let asked = Instant::now();
    let mut ended = running.end_within(PROMPT * 2)?;
    ended.took = asked.elapsed();
    judge_time(&ended, Duration::ZERO, seen);
    let name = scene.files.keys().next().map_or("", String::as_str);
    judge_message(&ended, &["ended without a result"], seen);
    if ended.code != Some(1) || !ended.stderr.contains(name) {
        let said = command::short(&ended.stderr);
        let how = format!(
            "exit code {:?}, and {name} is not named: {said}",
            ended.code
        );
        seen.wrong(What::Unclear, how);
    }
    if ground.files()? != scene.files {
        seen.wrong(What::Half, "the worker left files");
    }
    Ok(())
}

/// Scripts without end: one computes and writes behind it, one prints.
const ENDLESS: [&str; 2] = [
    "while (TRUE) { X = rand(rows=300, cols=300); Y = X %*% X }\nwrite(Y, \"out.csv\", format=\"csv\")\n",
    "i = 0\nwhile (TRUE) { i = i + 1; print(i) }\n",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hidden_parts_are_clearly_temporary() {
        assert!(is_clearly_temporary("scripts/.a.dml.12-0.part"));
        for name in [".tmpAb3", "a.part", "scripts/a.dml", ".a.dml"] {
            assert!(!is_clearly_temporary(name), "{name}");
        }
    }
}
