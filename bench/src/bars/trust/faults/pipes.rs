//! Readers that go away: a command ends soon, says nothing of it as if it were its fault, and writes what it was to write.

use std::io::Read;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result};
use rand::RngExt;

use super::command::{self, judge_signalled, start};
use super::common::{Dice, PROMPT};
use super::ground::Ground;
use super::scenes::{self, Scene};
use super::tally::{Seen, What};

/// The standard output is closed after some bytes.
pub(super) fn reader_gone(ground: &Ground, dice: &mut Dice, seen: &mut Seen) -> Result<()> {
    let endless = dice.random_bool(0.3);
    let scene = if endless {
        Scene::new(&["run", "endless.dml"]).with("endless.dml", ENDLESS)
    } else {
        speaking(dice)
    };
    let most = dice.random_range(0..2000);
    seen.does(format!("{}, {most} bytes read", scene.shown()));
    let undisturbed = match endless {
        true => None,
        false => Some(scene.undisturbed(ground)?),
    };
    ground.fill(&scene.files)?;
    let mut running = start(ground.command(&scene.arguments), Some(Stdio::piped()))?;
    let output = running.output().context("there is no output")?;
    let mut read = Vec::new();
    output.take(most).read_to_end(&mut read)?;
    // The pipe is closed by now.
    let gone = Instant::now();
    let ended = running.end_within(PROMPT * 2)?;
    let own = undisturbed
        .as_ref()
        .map_or(Default::default(), |it| it.ended.took);
    seen.took(
        "the end without a reader",
        gone.elapsed().saturating_sub(own),
    );
    judge_signalled(&ended, seen);
    if ended.code.is_none() && !ended.is_hung {
        let said = command::short(&ended.stderr);
        seen.wrong(What::Unclear, format!("ended by a signal: {said}"));
    }
    let expected = undisturbed.map_or(scene.files, |it| it.files);
    if ground.files()? != expected {
        seen.wrong(What::Lost, "files are not those of an undisturbed run");
    }
    Ok(())
}

const ENDLESS: &str = "i = 0\nwhile (TRUE) { i = i + 1; print(\"line \" + i) }\n";

/// A command that says something, or much.
pub(super) fn speaking(dice: &mut Dice) -> Scene {
    let words: &[&str] = match dice.random_range(0..10) {
        0 => &["check", "loss.dml"],
        1 => &["optimize", "loss.dml"],
        2 => &["optimize", "--format", "json", "loss.dml"],
        3 => &["facts", "loss.dml"],
        4 => &["parse", "loss.dml"],
        5 => &["fuse", "loss.dml:7"],
        6 => &["explain", "loss.dml:7"],
        7 => &[
            "prove",
            "sum(A + B)",
            "sum(A) + sum(B)",
            "--decl",
            "A: 9 x 8",
            "--decl",
            "B: 9 x 8",
        ],
        8 => &["array", "mm", "--emit", "c"],
        _ => &["run", "prints.dml"],
    };
    let text = scenes::loss(dice, 20_000, 10_000);
    Scene::new(words)
        .with("loss.dml", text)
        .with("prints.dml", "for (i in 1:500) print(\"line \" + i)\n")
}
