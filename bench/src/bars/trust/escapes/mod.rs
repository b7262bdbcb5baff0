//! Ways out of a run, of a look and of an editor's session, each tried as the kernel helps (Landlock) and as if it did not.
//!
//! An escape is data (`table`); a world of its own is laid around each ([`world`]), and held against what it was when the program
//! has ended. What is read by a script that is run is no escape: `docs/threat-model.md` says so.

mod escape;
mod lay;
mod runner;
mod session;
mod table;
mod world;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use rayon::prelude::*;

use super::{Options, Program};
use crate::report::Report;
use escape::{Act, Ends, Escape, TRIED};
use runner::{Held, Runner, Seen};
use world::World;

/// Fewer escapes than these are no measurement.
const LEAST: usize = 100;
/// How many failures are shown; the others stand in the folder of `--keep`.
const SHOWN: usize = 12;
/// What a run is told that may not write because the kernel does not help.
const REFUSED: &str = "--unconfined";

/// What became of one way, held in one way.
#[derive(Debug, Default)]
struct Tried {
    name: String,
    /// What was changed, shown or run that should not have been.
    harm: Vec<String>,
    /// It fell over.
    crash: Option<String>,
    /// It took more than it may.
    over: Option<String>,
    /// It ended otherwise than it should: then nothing was tried, or nobody was told.
    odd: Option<String>,
}

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let runner = Runner::new(program.path())?;
    detects(report, &runner)?;
    let own = own_bytes(&runner)?;
    let all = table::all();
    let wanted = options.count(all.len());
    let mut tried = Vec::new();
    for held in Held::ALL {
        let fitting = all
            .iter()
            .take(wanted)
            .filter(|escape| held != Held::Unconfined || escape.is_run());
        let of_this: Vec<Tried> = fitting
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|escape| {
                attempt(&runner, escape, held, own)
                    .with_context(|| format!("{} ({})", escape.name, held.shown()))
            })
            .collect::<Result<_>>()?;
        report.note(&format!("{}: {} tried", held.shown(), of_this.len()));
        tried.extend(of_this);
    }
    judge(report, wanted, &tried);
    if let Some(folder) = &options.keep {
        keep(folder, &tried)?;
    }
    Ok(())
}

/// A way out that is left open is noticed, in each of the ways to notice one; else the figures below mean nothing.
fn detects(report: &mut Report, runner: &Runner) -> Result<()> {
    let written = |held| -> Result<(World, Seen)> {
        let words = ["run", "a.dml", "--allow-write", "{beside}"];
        let escape = Escape::typed("a folder that the person opens", &words)
            .text("a.dml", escape::writing("{beside}/data.csv"));
        let mut world = World::new(&escape)?;
        let seen = runner.run(&escape, &mut world, held)?;
        Ok((world, seen))
    };
    for (held, is_written) in [
        (Held::WithLandlock, true),
        (Held::Refusing, false),
        (Held::Unconfined, true),
    ] {
        let (world, seen) = written(held)?;
        let harm = world.harm(&[])?;
        let is_told = held != Held::Refusing || seen.ended.stderr.contains(REFUSED);
        report.bar(
            &format!("a write that is allowed is seen, {}", held.shown()),
            &format!("{}; {}", seen.ended.how(), list(&harm)),
            if is_written {
                "one file is changed"
            } else {
                "nothing is changed, and that is said"
            },
            harm.is_empty() != is_written && is_told,
        );
    }
    let said = Escape::run("a secret that is printed", "F = read(\"{home}/.ssh/id_ed25519\", data_type=\"frame\", format=\"csv\")\nprint(toString(F))\n")
        .unsaid("{secret}");
    let mut world = World::new(&said)?;
    let seen = runner.run(&said, &mut world, Held::WithLandlock)?;
    let shown = world.shown(&seen.ended.stdout, &said.unsaid);
    report.bar(
        "a secret that a run prints is heard",
        &format!("{}; {}", seen.ended.how(), list(&shown)),
        "one",
        shown.len() == 1,
    );
    notices_code(report, runner)
}

/// Code that is loaded is noticed, also where nothing else tells of it.
fn notices_code(report: &mut Report, runner: &Runner) -> Result<()> {
    let escape = Escape::run("code that the person has loaded", "print(1)\n");
    let mut world = World::new(&escape)?;
    let code = runner.code_that_marks(&world.places)?;
    world.remember()?;
    let loading = escape.with("LD_PRELOAD", Some(code.as_str()));
    let seen = runner.run(&loading, &mut world, Held::WithLandlock)?;
    let harm = world.harm(&[])?;
    report.bar(
        "code that is loaded is noticed",
        &format!("{}; {}", seen.ended.how(), list(&harm)),
        "it ran",
        harm.iter().any(|harm| harm.contains("ran")),
    );
    Ok(())
}

/// What the program takes by itself, besides what a script asks for.
fn own_bytes(runner: &Runner) -> Result<u64> {
    // Long enough to be seen in both of its processes.
    let script = "s = 0\nfor (i in 1:1000000) { s = s + i }\nprint(s)\n";
    let plain = Escape::run("a script that takes no memory", script);
    let mut world = World::new(&plain)?;
    let seen = runner.run(&plain, &mut world, Held::WithLandlock)?;
    anyhow::ensure!(seen.ended.is_success(), "{}", seen.ended.how());
    Ok(seen.ended.peak_bytes)
}

fn attempt(runner: &Runner, escape: &Escape, held: Held, own: u64) -> Result<Tried> {
    let mut world = World::new(escape)?;
    let seen = runner.run(escape, &mut world, held)?;
    let ended = &seen.ended;
    // Where nothing may be written at all, not even the workspace's own data are.
    let may: Vec<String> = match held {
        Held::Refusing if escape.is_run() => Vec::new(),
        _ => escape
            .may
            .iter()
            .map(|may| world.places.fill(may))
            .collect(),
    };
    let mut harm = world.harm(&may)?;
    harm.extend(world.shown(&format!("{}{}", ended.stdout, ended.stderr), &escape.unsaid));
    if seen.left > 0 {
        harm.push(format!("{} processes run on", seen.left));
    }
    let bounds = escape.bounds;
    let bytes = bounds.bytes + own;
    let over = (seen.seconds > bounds.seconds || ended.peak_bytes > bytes).then(|| {
        format!(
            "{:.1} s of {:.0}, {} MB of {}",
            seen.seconds,
            bounds.seconds,
            ended.peak_bytes >> 20,
            bytes >> 20
        )
    });
    Ok(Tried {
        name: format!("{} ({})", escape.name, held.shown()),
        harm,
        crash: ended.is_crash().then(|| ended.how()),
        over,
        odd: odd(escape, &seen, held),
    })
}

/// Why a way was not tried in earnest, or the person was not told that it is closed.
fn odd(escape: &Escape, seen: &Seen, held: Held) -> Option<String> {
    let ended = &seen.ended;
    let is_good = match escape.ends {
        Ends::Refused => !ended.is_success() && !ended.stderr.trim().is_empty(),
        // A run that writes is refused where the kernel does not help.
        Ends::Well if held == Held::Refusing && escape.is_run() && !escape.may.is_empty() => {
            !ended.is_success() && ended.stderr.contains(REFUSED)
        }
        Ends::Well => ended.is_success(),
        Ends::Either => {
            ended.is_success() || !ended.stderr.trim().is_empty() || !ended.stdout.is_empty()
        }
    };
    // Wrong usage is refused before anything begins.
    const USAGE: Option<i32> = Some(64);
    let claims = escape.put.iter().any(
        |put| matches!(put, escape::Put::Text(name, text) if name == escape::SCRIPT && text.contains(TRIED)),
    );
    let is_typed = matches!(escape.act, Act::Typed(_));
    let came = !(is_typed && claims && escape.is_run())
        || ended.stdout.contains(TRIED)
        || ended.code == USAGE
        || escape.is_unreadable();
    (!is_good || !came).then(|| ended.how())
}

fn judge(report: &mut Report, escapes: usize, tried: &[Tried]) {
    let of = |pick: &dyn Fn(&Tried) -> Option<String>| -> Vec<String> {
        tried
            .iter()
            .filter_map(|tried| Some(format!("{}: {}", tried.name, pick(tried)?)))
            .collect()
    };
    report.bar(
        "escapes tried",
        &format!("{escapes}, in {} runs", tried.len()),
        &format!("at least {LEAST}"),
        escapes >= LEAST,
    );
    let zero = |report: &mut Report, name: &str, failed: &[String]| {
        report.bar(name, &failed.len().to_string(), "0", failed.is_empty());
        report.note(&failed[..failed.len().min(SHOWN)].join("\n"));
        if failed.len() > SHOWN {
            report.note(&format!("… and {} more", failed.len() - SHOWN));
        }
    };
    let harm = of(&|tried| (!tried.harm.is_empty()).then(|| list(&tried.harm)));
    zero(report, "escapes that succeeded", &harm);
    zero(report, "crashes", &of(&|tried| tried.crash.clone()));
    zero(
        report,
        "over their limits",
        &of(&|tried| tried.over.clone()),
    );
    zero(
        report,
        "neither tried nor refused in words",
        &of(&|tried| tried.odd.clone()),
    );
}

fn list(all: &[String]) -> String {
    if all.is_empty() {
        "nothing".to_owned()
    } else {
        all.join(", ")
    }
}

/// Writes what failed into a folder.
fn keep(folder: &Path, tried: &[Tried]) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = String::new();
    for tried in tried {
        let failed = !tried.harm.is_empty()
            || tried.crash.is_some()
            || tried.over.is_some()
            || tried.odd.is_some();
        if failed {
            writeln!(text, "{tried:#?}")?;
        }
    }
    fs::write(folder.join("escapes.txt"), text)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bars::program::Ended;

    fn seen(code: i32, stdout: &str, stderr: &str) -> Seen {
        Seen {
            ended: Ended {
                code: Some(code),
                stdout: stdout.to_owned(),
                stderr: stderr.to_owned(),
                ..Ended::default()
            },
            ..Seen::default()
        }
    }

    #[test]
    fn a_way_that_was_never_tried_counts_as_odd() {
        let escape = Escape::run("out", escape::writing("../new.csv"));
        let held = Held::WithLandlock;
        assert_eq!(odd(&escape, &seen(1, TRIED, "may not"), held), None);
        assert_eq!(odd(&escape, &seen(64, "", "unknown key"), held), None);
        assert!(odd(&escape, &seen(1, "", "no such file"), held).is_some());
        assert!(
            odd(&escape, &seen(1, TRIED, ""), held).is_some(),
            "nobody is told"
        );
        assert!(
            odd(&escape, &seen(0, TRIED, ""), held).is_some(),
            "not refused"
        );
    }

    #[test]
    fn each_kind_of_failure_is_a_missed_bar() {
        let failures = [
            Tried {
                harm: vec!["x".to_owned()],
                ..Tried::default()
            },
            Tried {
                crash: Some("x".to_owned()),
                ..Tried::default()
            },
            Tried {
                over: Some("x".to_owned()),
                ..Tried::default()
            },
            Tried {
                odd: Some("x".to_owned()),
                ..Tried::default()
            },
        ];
        for failed in failures {
            let mut report = Report::default();
            judge(&mut report, LEAST, &[Tried::default(), failed]);
            assert_eq!(report.counts(), (4, 1, 0));
        }
        let mut report = Report::default();
        judge(&mut report, LEAST, &[Tried::default()]);
        assert_eq!(report.counts(), (5, 0, 0));
        judge(&mut report, 3, &[]);
        assert_eq!(report.counts().1, 1);
    }
}
