//! `cargo xtask stress`: types into a server, like a person or like a machine, and holds what it says against a fresh server.
//!
//! Everything follows from the seed. The server records the session; if anything is wrong, the recording stays, for
//! `cargo xtask replay`.

mod hostile;
mod machine;
mod person;
mod places;
mod world;

use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use anyhow::{Context, Result};
use clap::ValueEnum;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::bars::Sumac;
use crate::bench::synthetic;
use crate::client::{Launch, Session};
use crate::difference;
use machine::Machine;
use person::Person;
use world::{File, Step, World};

/// The command line of `cargo xtask stress`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    plan: Plan,
    /// Speak nonsense instead of typing, as often as there would be edits
    #[arg(long)]
    hostile: bool,
    /// Stress this program instead of the release build of this checkout
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
}

/// What is to be done.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Everything follows from this
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many edits
    #[arg(long, default_value_t = 5000)]
    pub(crate) edits: usize,
    /// Over how many files
    #[arg(long, default_value_t = 10)]
    pub(crate) files: usize,
    /// How often everything is compared with a fresh server
    #[arg(long, default_value_t = 20)]
    pub(crate) checks: usize,
    /// Who types
    #[arg(long = "as", value_enum, default_value_t = Kind::Person)]
    pub(crate) kind: Kind,
}

/// Who types.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Kind {
    /// Letter by letter, with slips, undo, cut and paste
    Person,
    /// Whatever the protocol allows
    Machine,
}

/// Decides what is done next.
trait Writer {
    /// A file and what is done to it.
    fn next(&mut self, files: &[File]) -> (usize, Step);
}

impl Plan {
    /// The one who types, and after how many edits everything is compared.
    fn begin(self) -> (Box<dyn Writer>, Peekable<IntoIter<usize>>) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let points = (0..self.checks).map(|_| rng.random_range(0..self.edits.max(1)));
        let mut points: Vec<usize> = points.collect();
        points.sort_unstable();
        let writer: Box<dyn Writer> = match self.kind {
            Kind::Person => Box::new(Person::new(rng)),
            Kind::Machine => Box::new(Machine::new(rng)),
        };
        (writer, points.into_iter().peekable())
    }
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) edits: usize,
    pub(crate) checks: usize,
    /// Where the server said something else than a fresh one.
    pub(crate) differences: Vec<String>,
    /// What the server took of memory, at even distances.
    pub(crate) memory: Vec<Memory>,
}

/// What a server takes of memory, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    /// After how many edits.
    pub(crate) edits: usize,
    /// Of the process, as the system says.
    pub(crate) resident: u64,
    /// Of what it remembers, as it says itself.
    pub(crate) cached: u64,
    /// Of all texts, open or on disk.
    pub(crate) texts: usize,
}

/// Stresses; an error if anything is wrong.
///
/// # Errors
/// The server ended, did not answer, answered wrongly, or differs from a fresh one.
pub(crate) fn run(args: &Args) -> Result<()> {
    let program = match &args.program {
        Some(program) => program.clone(),
        None => Sumac::build_release()?.program,
    };
    println!("seed {}", args.plan.seed);
    if args.hostile {
        return hostile::run(&program, args.plan.seed, args.plan.edits);
    }
    let folder = tempfile::tempdir()?;
    let record = std::env::temp_dir().join(format!("sumac-stress-{}.jsonl", args.plan.seed));
    // A recording is appended to: what an earlier run left would be replayed too.
    let _ = std::fs::remove_file(&record);
    let outcome = stress(
        &Launch::new(&program),
        folder.path(),
        args.plan,
        Some(&record),
    );
    let result = outcome.and_then(|outcome| judge(&outcome));
    if result.is_err() {
        // The recording names the scripts.
        let folder = folder.keep();
        println!(
            "the session is recorded in {}; its scripts, as they were last saved, are in {}",
            record.display(),
            folder.display()
        );
    } else {
        std::fs::remove_file(&record)?;
    }
    result
}

fn judge(outcome: &Outcome) -> Result<()> {
    println!(
        "{} edits, {} comparisons with a fresh server",
        outcome.edits, outcome.checks
    );
    for difference in &outcome.differences {
        println!("DIFFERENT {difference}");
    }
    anyhow::ensure!(
        outcome.differences.is_empty(),
        "the server differs from a fresh one"
    );
    Ok(())
}

/// How many edits lie between two looks at the memory.
const LOOK_EVERY: usize = 100;

/// Types and compares.
///
/// # Errors
/// The server ended, did not answer, or refused what it must not refuse.
pub(crate) fn stress(
    launch: &Launch,
    folder: &Path,
    plan: Plan,
    record: Option<&Path>,
) -> Result<Outcome> {
    let launch = launch.clone().in_folder(folder);
    let mut recorded = launch.clone();
    if let Some(record) = record {
        recorded.arguments.push("--record".into());
        recorded.arguments.push(record.into());
    }
    let session = Session::start(&recorded)?;
    let mut world = World::new(session, launch, folder, &texts(plan.files))?;
    let outcome = drive(&mut world, plan)?;
    world.end()?;
    Ok(outcome)
}

/// Types and compares, in a world.
fn drive(world: &mut World, plan: Plan) -> Result<Outcome> {
    let (mut writer, mut points) = plan.begin();
    let mut outcome = Outcome::default();
    while outcome.edits < plan.edits {
        let (file, step) = writer.next(&world.files);
        let is_edit = world
            .take(file, &step)
            .with_context(|| format!("after {} edits", outcome.edits))?;
        if !is_edit {
            continue;
        }
        outcome.edits += 1;
        if outcome.edits % LOOK_EVERY == 0
            && let Ok(resident) = world.session.process.resident()
        {
            let cached = world.session.cached()?;
            outcome.memory.push(Memory {
                edits: outcome.edits,
                resident,
                cached,
                texts: world.files.iter().map(File::bytes).sum(),
            });
        }
        while points.next_if(|point| *point < outcome.edits).is_some() {
            let difference = world
                .difference()
                .with_context(|| format!("after {} edits", outcome.edits))?;
            outcome.checks += 1;
            let Some(difference) = difference else {
                continue;
            };
            let name = format!("sumac-stress-{}-{}", plan.seed, outcome.edits);
            let kept = std::env::temp_dir().join(name);
            world.keep_open(&kept)?;
            let difference = format!(
                "after {} edits: {difference} (texts in {})",
                outcome.edits,
                kept.display()
            );
            // At once: what comes after may never end.
            eprintln!("DIFFERENT {difference}");
            outcome.differences.push(difference);
        }
    }
    Ok(outcome)
}

/// Types the same into two servers, for two clients, and compares what they say, with bytes for places.
///
/// # Errors
/// As of [`stress`].
pub(crate) fn twins(launches: [&Launch; 2], folder: &Path, plan: Plan) -> Result<Outcome> {
    let (mut writer, mut points) = plan.begin();
    let texts = texts(plan.files);
    let world = |launch: &Launch| {
        let launch = launch.clone().in_folder(folder);
        World::new(Session::start(&launch)?, launch, folder, &texts)
    };
    let (mut one, mut other) = (world(launches[0])?, world(launches[1])?);
    let mut outcome = Outcome::default();
    while outcome.edits < plan.edits {
        let (file, step) = writer.next(&one.files);
        other.take(file, &step)?;
        if !one.take(file, &step)? {
            continue;
        }
        outcome.edits += 1;
        while points.next_if(|point| *point < outcome.edits).is_some() {
            outcome.checks += 1;
            let place = |difference| format!("after {} edits: {difference}", outcome.edits);
            let difference = difference::first(&one.in_bytes()?, &other.in_bytes()?);
            outcome.differences.extend(difference.map(place));
        }
    }
    one.end()?;
    other.end()?;
    Ok(outcome)
}

/// Scripts of different lengths; some call functions of others.
fn texts(count: usize) -> Vec<String> {
    (0..count)
        .map(|index| {
            let lines = 70 + 12 * (index % 7);
            match index % 5 {
                4 => synthetic::script(lines),
                3 => format!(
                    "# é, 𝕏 and others\nsource(\"script{}.dml\") as other; name = \"𝕏\"; print(name)\n{}",
                    index - 1,
                    synthetic::monolith(lines)
                ),
                2 => format!(
                    "{}[w, loss] = fit3(V, {})\n",
                    synthetic::modular(lines),
                    index + 2
                ),
                _ => format!(
                    "{}#@ A: {} x 50\nA = read($A)\nloss = sum((A - {} * (A %*% t(A) %*% A))^2)\n",
                    synthetic::modular(lines),
                    100 + index,
                    index + 2
                ),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scripts_are_well_formed_and_all_different() {
        let texts = texts(20);
        let different: std::collections::BTreeSet<&String> = texts.iter().collect();
        assert!(different.len() >= 10);
        for text in &texts {
            assert_eq!(sumac_syntax::parse(text.as_str()).errors(), []);
        }
    }
}
