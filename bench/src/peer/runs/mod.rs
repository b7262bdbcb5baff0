//! What scripts give: SystemDS's own test scripts, run by SystemDS and by `sumac run`, and compared in what they print and
//! write.
//!
//! Both sides get the same text, arguments, inputs and seeds (`prepare`). A script that SystemDS itself does not run with
//! any of these, or that needs something that cannot be made up, is left out and says why.

mod inputs;
mod outputs;
mod prepare;
mod sides;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use self::outputs::Left;
use self::prepare::{Prepared, TRIALS, prepare};
use self::sides::{Ours, Ran, Theirs};
use super::systemds::{Program, SystemDs};
use crate::bars::Sumac;
use crate::corpus;
use crate::report::Report;
use xtask::workspace;

/// Where the scripts are in a checkout of SystemDS.
const FOLDER: &str = "src/test/scripts/functions";
/// Its folders that are run, and whether each has a bar of its own.
#[rustfmt::skip]
const FOLDERS: &[(&str, Group)] = &[
    ("codegen",     Group::Codegen),
    ("rewrite",     Group::Others),
    ("unary",       Group::Others),
    ("binary",      Group::Others),
    ("aggregate",   Group::Others),
    ("ternary",     Group::Others),
    ("indexing",    Group::Others),
    ("reorg",       Group::Others),
];
/// Values of arguments that no use of them tells: `script<TAB>name=value<TAB>…`, as SystemDS's test classes give them.
const VALUES: &str = "bench/src/peer/runs/values.tsv";

/// Values of arguments by script; a script is run with each set of them.
type Told = BTreeMap<String, Vec<BTreeMap<String, String>>>;

/// What a bar is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Group {
    Codegen,
    Others,
}

impl Group {
    /// Name and target, in percent.
    fn bar(self) -> (&'static str, f64) {
        match self {
            Group::Codegen => ("codegen", 95.0),
            Group::Others => ("all other folders", 90.0),
        }
    }
}

/// Which scripts are run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A checkout of apache/systemds
    checkout: PathBuf,
    /// A built `sumac` to be run instead of a fresh release build
    #[arg(long)]
    program: Option<PathBuf>,
    /// Only scripts whose paths contain this
    #[arg(long)]
    only: Option<String>,
    /// Also scripts that read: their inputs are made up
    #[arg(long)]
    with_inputs: bool,
}

impl Args {
    /// All scripts of a checkout that need no inputs, run by this program.
    pub(crate) fn of(checkout: &Path, program: &Path) -> Self {
        Args {
            checkout: checkout.to_owned(),
            program: Some(program.to_owned()),
            only: None,
            with_inputs: false,
        }
    }
}

/// What became of a script.
enum Fate {
    /// It cannot be compared, and why.
    LeftOut(String),
    Equal,
    /// Both do not run it.
    Missed(String),
}

/// A script's fate, and how many of its calls were given a seed.
struct Compared {
    fate: Fate,
    seeded: usize,
}

/// How many there are of each fate.
#[derive(Clone, Copy, Default)]
struct Counts {
    equal: usize,
    missed: usize,
    left_out: usize,
    seeded: usize,
}

impl Counts {
    fn share(self) -> f64 {
        100.0 * self.equal as f64 / (self.equal + self.missed).max(1) as f64
    }
}

/// Runs and compares, and prints each script that differs or is left out.
///
/// # Errors
/// SystemDS cannot be asked, or the program does not build.
pub(crate) fn measure(report: &mut Report, args: &Args) -> Result<()> {
    report.heading("What scripts print and write, beside SystemDS");
    let systemds = SystemDs::open()?;
    let program = systemds.compile("RunScripts")?;
    let ours = Ours {
        program: match &args.program {
            Some(program) => std::path::absolute(program)?,
            None => Sumac::build_release()?.program,
        },
    };
    let scratch = tempfile::tempdir()?;
    let mut runner = Runner {
        told: told()?,
        ours,
        theirs: Theirs::start(&program, scratch.path())?,
        program: &program,
        scratch: scratch.path().to_owned(),
        with_inputs: args.with_inputs,
    };
    let mut groups: Vec<(Group, Counts)> = Vec::new();
    for (folder, group) in FOLDERS {
        let counts = runner.folder(report, &args.checkout, folder, args.only.as_deref())?;
        report.note(&format!(
            "{folder}: {} equal of {} eligible, {} left out; {} scripts were given seeds",
            counts.equal,
            counts.equal + counts.missed,
            counts.left_out,
            counts.seeded,
        ));
        let at = groups.iter().position(|(g, _)| g == group);
        let at = at.unwrap_or_else(|| {
            groups.push((*group, Counts::default()));
            groups.len() - 1
        });
        let sum = &mut groups[at].1;
        sum.equal += counts.equal;
        sum.missed += counts.missed;
    }
    for (group, counts) in groups {
        let (name, target) = group.bar();
        let seen = format!(
            "{:.1} %, {} of {}",
            counts.share(),
            counts.equal,
            counts.equal + counts.missed
        );
        let holds = counts.share() >= target;
        report.bar(
            &format!("scripts of {name} that give what SystemDS gives"),
            &seen,
            &format!(">= {target:.0} %"),
            holds,
        );
    }
    Ok(())
}

struct Runner<'a> {
    /// By script, below [`FOLDER`].
    told: Told,
    ours: Ours,
    theirs: Theirs,
    program: &'a Program<'a>,
    scratch: PathBuf,
    with_inputs: bool,
}

impl Runner<'_> {
    fn folder(
        &mut self,
        report: &Report,
        checkout: &Path,
        folder: &str,
        only: Option<&str>,
    ) -> Result<Counts> {
        let root = checkout.join(FOLDER);
        let mut counts = Counts::default();
        for path in corpus::scripts(&root.join(folder))? {
            let name = path.strip_prefix(&root)?.to_string_lossy().into_owned();
            if only.is_some_and(|part| !name.contains(part)) {
                continue;
            }
            let compared = self.script(&path, &name)?;
            counts.seeded += usize::from(compared.seeded > 0);
            match compared.fate {
                Fate::Equal => counts.equal += 1,
                Fate::Missed(why) => {
                    counts.missed += 1;
                    report.note(&format!("MISSED   {name}: {}", one_line(&why)));
                }
                Fate::LeftOut(why) => {
                    counts.left_out += 1;
                    report.note(&format!("left out {name}: {}", one_line(&why)));
                }
            }
        }
        Ok(counts)
    }

    /// With each set of values: equal if it is with all that SystemDS runs it with.
    fn script(&mut self, path: &Path, name: &str) -> Result<Compared> {
        let Ok(text) = fs::read_to_string(path) else {
            let fate = Fate::LeftOut("it is no text".to_owned());
            return Ok(Compared { fate, seeded: 0 });
        };
        let sets = self.told.get(name).cloned();
        let mut all = Compared {
            fate: Fate::LeftOut("it has no set of values".to_owned()),
            seeded: 0,
        };
        for told in sets.unwrap_or_else(|| vec![BTreeMap::new()]) {
            let one = self.variant(&text, &told)?;
            all.seeded = all.seeded.max(one.seeded);
            all.fate = match (all.fate, one.fate) {
                (Fate::Missed(why), _) => Fate::Missed(why),
                (_, Fate::Missed(why)) if told.is_empty() => Fate::Missed(why),
                (_, Fate::Missed(why)) => Fate::Missed(format!("with {told:?}: {why}")),
                (Fate::Equal, _) | (_, Fate::Equal) => Fate::Equal,
                (Fate::LeftOut(_), Fate::LeftOut(why)) => Fate::LeftOut(why),
            };
        }
        Ok(all)
    }

    fn variant(&mut self, text: &str, told: &BTreeMap<String, String>) -> Result<Compared> {
        let left_out = |why: String| {
            Ok(Compared {
                fate: Fate::LeftOut(why),
                seeded: 0,
            })
        };
        let inputs = self.scratch.join("inputs");
        fs::create_dir_all(&inputs)?;
        let mut refusal = String::new();
        for trial in &TRIALS {
            let prepared = match prepare(text, trial, told, &inputs) {
                Ok(prepared) => prepared,
                Err(why) => return left_out(why),
            };
            if !prepared.inputs.is_empty() && !self.with_inputs {
                return left_out("it reads inputs".to_owned());
            }
            for input in &prepared.inputs {
                input.ensure()?;
            }
            match self.in_systemds(&prepared)? {
                Ok(theirs) => {
                    let fate = match self.in_sumac(&prepared)? {
                        Ok(ours) => match ours.difference(&theirs) {
                            None => Fate::Equal,
                            Some(difference) => Fate::Missed(difference),
                        },
                        Err(why) => Fate::Missed(why),
                    };
                    let seeded = prepared.seeded;
                    return Ok(Compared { fate, seeded });
                }
                Err(why) if refusal.is_empty() => refusal = why,
                Err(_) => {}
            }
        }
        left_out(format!("SystemDS does not run it: {refusal}"))
    }

    fn in_systemds(&mut self, prepared: &Prepared) -> Result<std::result::Result<Left, String>> {
        let (folder, script, arguments) = self.side("theirs", prepared)?;
        match self.theirs.run(&script, &arguments)? {
            Ok(printed) => Ok(Ok(Left::collect(printed, &folder)?)),
            Err(why) => {
                if why.starts_with("no end within") {
                    // It still runs there: begin anew.
                    self.theirs = Theirs::start(self.program, &self.scratch)?;
                }
                Ok(Err(why))
            }
        }
    }

    fn in_sumac(&self, prepared: &Prepared) -> Result<std::result::Result<Left, String>> {
        let (folder, script, arguments) = self.side("ours", prepared)?;
        let ran: Ran = self.ours.run(&script, &arguments, &self.scratch)?;
        Ok(match ran {
            Ok(printed) => Ok(Left::collect(printed, &folder)?),
            Err(why) => Err(why),
        })
    }

    /// A side's empty folder of results, its script and its arguments.
    fn side(
        &self,
        side: &str,
        prepared: &Prepared,
    ) -> Result<(PathBuf, PathBuf, BTreeMap<String, String>)> {
        let folder = self.scratch.join(side);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        let here = folder.to_string_lossy();
        let script = self.scratch.join(format!("{side}.dml"));
        fs::write(&script, prepared.text.replace("{out}", &here))?;
        let arguments = prepared
            .arguments
            .iter()
            .map(|(name, value)| (name.clone(), value.replace("{out}", &here)))
            .collect();
        Ok((folder, script, arguments))
    }
}

/// The first words of a message, on one line.
fn one_line(text: &str) -> String {
    const MOST: usize = 300;
    let line: Vec<&str> = text.split_whitespace().collect();
    line.join(" ").chars().take(MOST).collect()
}

/// The values that are written down.
fn told() -> Result<Told> {
    let path = workspace::root().join(VALUES);
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut all = Told::new();
    for (number, line) in text.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut words = line.split('\t');
        let script = words.next().unwrap_or_default().to_owned();
        let values: Option<BTreeMap<String, String>> = words
            .map(|word| {
                let (name, value) = word.split_once('=')?;
                Some((name.to_owned(), value.to_owned()))
            })
            .collect();
        let values =
            values.with_context(|| format!("{VALUES}:{}: name=value expected", number + 1))?;
        all.entry(script).or_default().push(values);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_written_down_value_can_be_read() {
        let told = told().unwrap();
        assert!(told.values().flatten().all(|values| !values.is_empty()));
    }
}
