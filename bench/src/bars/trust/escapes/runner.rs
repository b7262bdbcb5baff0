//! Does what an escape says with the program under measurement, with Landlock or as if the kernel had none, and watches it to its
//! end.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::escape::{Act, Escape, Put, Race};
use super::session;
use super::world::{Places, World};
use crate::bars::program::{Ended, Limits, watch};
use xtask::shell;

/// Runs a program without Landlock.
const LAUNCHER: &str = include_str!("without_landlock.c");
/// Code that leaves a mark as soon as it is loaded, where it can: a confined process writes in the folder of its objects only.
const PLANTED: &str = r#"
#include <stdio.h>
static void leave(const char *place) { FILE *file = fopen(place, "w"); if (file) fclose(file); }
__attribute__((constructor)) static void mark(void) { leave(MARK); leave(BESIDE); }
"#;
/// Processes of a run are known by this variable.
const TAG: &str = "SUMAC_ESCAPE";
/// A run that is not over by then hangs.
const PATIENCE: u64 = 120;
/// A run that takes more is ended; each escape has a bound of its own below that.
const MOST_BYTES: u64 = 4 << 30;
/// What is looked at of what a run says.
const MOST_SAID: u64 = 8 << 20;
/// How long what a run started may take to be gone behind it.
const GRACE: Duration = Duration::from_secs(3);
/// While something changes under the feet of runs, so many are begun.
const RACES: usize = 30;

/// How a run is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Held {
    /// By the kernel and the program.
    WithLandlock,
    /// By the program alone, which then writes nothing.
    Refusing,
    /// By the program alone, which was told to write all the same.
    Unconfined,
}

impl Held {
    pub(super) const ALL: [Held; 3] = [Held::WithLandlock, Held::Refusing, Held::Unconfined];

    pub(super) fn shown(self) -> &'static str {
        match self {
            Held::WithLandlock => "with Landlock",
            Held::Refusing => "without Landlock",
            Held::Unconfined => "without Landlock, --unconfined",
        }
    }
}

/// What happened.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) ended: Ended,
    pub(super) seconds: f64,
    /// Processes that were left behind.
    pub(super) left: usize,
}

/// The program, and what it is started with.
pub(super) struct Runner {
    program: PathBuf,
    launcher: PathBuf,
    /// Where the launcher lies.
    _folder: tempfile::TempDir,
}

impl Runner {
    /// # Errors
    /// There is no C compiler, which makes the program that hides Landlock.
    pub(super) fn new(program: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let source = folder.path().join("launcher.c");
        fs::write(&source, LAUNCHER)?;
        let launcher = folder.path().join("launcher");
        shell::read(Command::new("cc").arg("-o").arg(&launcher).arg(&source))
            .context("without a C compiler Landlock cannot be hidden")?;
        Ok(Runner {
            program: program.to_owned(),
            launcher,
            _folder: folder,
        })
    }

    /// Does it in its world.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(super) fn run(&self, escape: &Escape, world: &mut World, held: Held) -> Result<Seen> {
        for put in &escape.put {
            if let Put::PlantedObjects { is_open } = put {
                self.plant(escape, &world.places, *is_open)?;
                world.remember()?;
            }
        }
        match &escape.act {
            Act::Typed(_) => match &escape.race {
                None => self.once(escape, &world.places, held),
                Some(race) => self.racing(escape, race, &world.places, held),
            },
            Act::Opened(script) => {
                let mut command = self.command(escape, &world.places, held);
                command.arg("lsp");
                let begun = Instant::now();
                let mut seen = session::open(command, &world.places, script)?;
                seen.seconds = begun.elapsed().as_secs_f64();
                seen.left = left(&world.places);
                Ok(seen)
            }
        }
    }

    fn once(&self, escape: &Escape, places: &Places, held: Held) -> Result<Seen> {
        let mut command = self.command(escape, places, held);
        if let Act::Typed(words) = &escape.act {
            command.args(words.iter().take(1));
            if held == Held::Unconfined {
                command.arg("--unconfined");
            }
            command.args(words.iter().skip(1).map(|word| places.fill(word)));
        }
        let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
        command
            .stdin(Stdio::null())
            .stdout(stdout.try_clone()?)
            .stderr(stderr.try_clone()?);
        let begun = Instant::now();
        let child = command
            .spawn()
            .with_context(|| format!("cannot start `{}`", shell::shown(&command)))?;
        let limits = Limits {
            seconds: PATIENCE,
            bytes: MOST_BYTES,
        };
        let mut ended = watch(child, limits)?;
        let seconds = begun.elapsed().as_secs_f64();
        ended.stdout = beginning(&mut stdout)?;
        ended.stderr = beginning(&mut stderr)?;
        Ok(Seen {
            ended,
            seconds,
            left: left(places),
        })
    }

    /// Several runs while somebody puts a link where a folder was, and the folder where the link was.
    fn racing(&self, escape: &Escape, race: &Race, places: &Places, held: Held) -> Result<Seen> {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let swapping = scope.spawn(|| swap(places, race, &is_over));
            let mut worst = Ok(Seen::default());
            for _ in 0..RACES {
                worst = self.once(escape, places, held);
                if !matches!(&worst, Ok(seen) if !seen.ended.is_crash()) {
                    break;
                }
            }
            is_over.store(true, Ordering::Release);
            match swapping.join() {
                Ok(swapped) => swapped?,
                Err(_) => anyhow::bail!("the thread that lays links panicked"),
            }
            worst
        })
    }

    fn command(&self, escape: &Escape, places: &Places, held: Held) -> Command {
        let mut command = match held {
            Held::WithLandlock => Command::new(&self.program),
            Held::Refusing | Held::Unconfined => {
                let mut command = Command::new(&self.launcher);
                command.arg(&self.program);
                command
            }
        };
        command
            .current_dir(places.work().join(places.fill(&escape.folder)))
            .env("HOME", places.home())
            .env("SUMAC_MACHINE", "default")
            .env(TAG, &places.root)
            .env_remove("XDG_CACHE_HOME")
            .env_remove("SYSTEMDS_ROOT")
            .env_remove("CC");
        for (name, value) in &escape.environment {
            match value {
                Some(value) => command.env(name, places.fill(value)),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Code that leaves a mark, in a folder that the program writes to; its place.
    ///
    /// # Errors
    /// It cannot be compiled.
    pub(super) fn code_that_marks(&self, places: &Places) -> Result<String> {
        let folder = places.home().join(".cache");
        let (source, object) = (folder.join("code.c"), folder.join("code.so"));
        fs::write(&source, PLANTED)?;
        compile(&source, &object, &places.mark(), &places.mark_in(&folder))?;
        Ok(object.display().to_string())
    }

    /// Lets the program compile what it compiles, and puts other code in its place.
    fn plant(&self, escape: &Escape, places: &Places, is_open: bool) -> Result<()> {
        let own = Escape {
            environment: Vec::new(),
            put: Vec::new(),
            ..escape.clone()
        };
        let seen = self.once(&own, places, Held::WithLandlock)?;
        ensure!(
            seen.ended.is_success(),
            "nothing was compiled: {}",
            seen.ended.how()
        );
        let source = places.home().join("planted.c");
        fs::write(&source, PLANTED)?;
        let mut planted = 0;
        for folder in folders(&places.home().join(".cache"))? {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.extension().is_some_and(|ending| ending == "so") {
                    compile(&source, &path, &places.mark(), &places.mark_in(&folder))?;
                    planted += 1;
                }
            }
            if is_open {
                open_to_all(&folder)?;
            }
        }
        ensure!(
            planted > 0,
            "the program keeps no compiled code in its cache"
        );
        fs::remove_file(source)?;
        Ok(())
    }
}

/// Code that leaves its mark in one of two places.
fn compile(source: &Path, object: &Path, mark: &Path, beside: &Path) -> Result<()> {
    let mut command = Command::new("cc");
    command
        .args(["-shared", "-fPIC", "-o"])
        .args([object, source])
        .arg(format!("-DMARK=\"{}\"", mark.display()))
        .arg(format!("-DBESIDE=\"{}\"", beside.display()));
    shell::read(&mut command)?;
    Ok(())
}

#[cfg(unix)]
fn open_to_all(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::set_permissions(
        folder,
        fs::Permissions::from_mode(0o777),
    )?)
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) -> Result<()> {
    Ok(())
}

fn folders(root: &Path) -> Result<Vec<PathBuf>> {
    let mut all = vec![root.to_owned()];
    let mut next = 0;
    while next < all.len() {
        for entry in fs::read_dir(&all[next])? {
            let path = entry?.path();
            if path.is_dir() {
                all.push(path);
            }
        }
        next += 1;
    }
    Ok(all)
}

/// Puts a link where a folder was and back again, until it is over; at the end the folder stands there.
#[cfg(unix)]
fn swap(places: &Places, race: &Race, is_over: &AtomicBool) -> Result<()> {
    let place = places.work().join(&race.place);
    let away = places.home().join(".cache/away");
    let to = places.fill(&race.to);
    while !is_over.load(Ordering::Acquire) {
        fs::rename(&place, &away)?;
        std::os::unix::fs::symlink(&to, &place)?;
        std::thread::yield_now();
        fs::remove_file(&place)?;
        fs::rename(&away, &place)?;
        std::thread::yield_now();
    }
    Ok(())
}

#[cfg(not(unix))]
fn swap(_: &Places, _: &Race, _: &AtomicBool) -> Result<()> {
    Ok(())
}

fn beginning(file: &mut File) -> Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MOST_SAID).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// How many processes of a run are still there when they had time to go.
fn left(places: &Places) -> usize {
    let until = Instant::now() + GRACE;
    loop {
        let alive = alive(places);
        if alive == 0 || Instant::now() > until {
            return alive;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn alive(places: &Places) -> usize {
    let tag = format!("{TAG}={}", places.root.display());
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|process| process.file_name().to_string_lossy().parse::<u32>().is_ok())
        .filter_map(|process| fs::read(process.path().join("environ")).ok())
        .filter(|environment| {
            environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == tag.as_bytes())
        })
        .count()
}

/// Waits for a server to end by itself, or ends it.
pub(super) fn end(child: &mut Child) -> Result<Ended> {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended {
                code: status.code(),
                ..Ended::default()
            });
        }
        if Instant::now() > until {
            child.kill()?;
            child.wait()?;
            return Ok(Ended {
                stopped: Some("the server did not end".to_owned()),
                ..Ended::default()
            });
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
