//! Everything that is suggested, held against SystemDS: its compiler must take each form, and a sample is run as written and
//! as suggested and must print the same, kinds of values included.
//!
//! Whether a suggestion pays is not looked at here, nor whether its proof is right.

mod scripts;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use self::scripts::{Script, fixture, generated};
use super::compiler::Compiler;
use super::conversation::Conversation;
use super::guess::{GUESSES, Inputs};
use super::systemds::{Program, SystemDs};
use crate::bars::Sumac;
use crate::corpus;
use crate::report::Report;
use xtask::workspace;

/// Scripts that one process of ours searches.
const BATCH: usize = 20;
/// Sums in another order: what counts here are kinds and gross errors.
const TOLERANCE: f64 = 1e-6;
/// Findings that are shown of each kind.
const SHOWN: usize = 12;

/// The command line of `cargo xtask peer suggestions`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Generated scripts
    #[arg(long, default_value_t = 400)]
    count: usize,
    /// The same seed gives the same scripts
    #[arg(long, default_value_t = 20_260_101)]
    seed: u64,
    /// Scripts that are run by SystemDS as written and as suggested, at most
    #[arg(long, default_value_t = 500)]
    runs: usize,
    /// Also look at the scripts of a checkout of apache/systemds; without it, of the one that `SYSTEMDS_CHECKOUT` names
    #[arg(long)]
    checkout: Option<PathBuf>,
    /// A built `sumac`; otherwise it is built for release
    #[arg(long)]
    program: Option<PathBuf>,
}

impl Args {
    /// So many generated scripts, of which so many run at most, with a program that is built already.
    pub(crate) fn new(count: usize, seed: u64, runs: usize, program: PathBuf) -> Self {
        Args {
            count,
            seed,
            runs,
            checkout: None,
            program: Some(program),
        }
    }
}

/// A script with its suggestions.
struct Suggested {
    script: Script,
    /// With all of them applied.
    applied: String,
    /// With another form in the place of one statement.
    others: Vec<String>,
    /// How many suggestions it has.
    count: usize,
}

/// Compares, and prints what SystemDS refuses and what differs. Gives the number of scripts that ran on both sides.
///
/// # Errors
/// SystemDS or `sumac` cannot be started.
pub(crate) fn measure(report: &mut Report, args: &Args) -> Result<usize> {
    let systemds = SystemDs::open()?;
    let sumac = match &args.program {
        Some(program) => Sumac {
            program: std::path::absolute(program)?,
        },
        None => Sumac::build_release()?,
    };
    report.heading("Suggestions in SystemDS");
    let folder = tempfile::tempdir()?;
    let all = suggested(&sumac, corpus_of(args)?, folder.path())?;
    let checkout = corpus::checkout(args.checkout.as_deref()).ok();
    let compiled = compile(&systemds, &all, folder.path(), checkout.as_deref())?;
    let differing = run(&systemds, &all, args.runs, folder.path())?;
    let suggestions: usize = all.iter().map(|it| it.count).sum();
    report.note(&format!(
        "{} scripts, {suggestions} suggestions and {} other forms; SystemDS takes {} of the scripts as written",
        all.len(),
        all.iter().map(|it| it.others.len()).sum::<usize>(),
        compiled.scripts,
    ));
    for found in compiled.refused.iter().take(SHOWN) {
        report.note(found);
    }
    // For whoever reads figures: name, figure, target.
    for (name, found) in [
        ("suggestions.refused", compiled.refused.len()),
        ("suggestions.failed", differing.failed.len()),
        ("suggestions.kinds", differing.kinds.len()),
        ("suggestions.values", differing.values.len()),
    ] {
        println!("{name} {found} 0");
    }
    report.bar(
        "forms that SystemDS does not compile",
        &format!("{} of {}", compiled.refused.len(), compiled.forms),
        "0",
        compiled.refused.is_empty() && compiled.forms > 0,
    );
    for found in differing
        .failed
        .iter()
        .chain(&differing.kinds)
        .chain(&differing.values)
        .take(3 * SHOWN)
    {
        report.note(found);
    }
    report.note(&format!(
        "{} scripts where both forms print the same only without SystemDS's own rewrites (sysds.optlevel 1), which are wrong for one of them",
        differing.theirs
    ));
    for (name, found) in [
        (
            "scripts that do not run any more as suggested",
            &differing.failed,
        ),
        (
            "scripts that print another kind of value as suggested",
            &differing.kinds,
        ),
        (
            "scripts that print other values as suggested",
            &differing.values,
        ),
    ] {
        report.bar(
            name,
            &format!("{} of {}", found.len(), differing.scripts),
            "0",
            found.is_empty() && differing.scripts > 0,
        );
    }
    Ok(differing.scripts)
}

fn corpus_of(args: &Args) -> Result<Vec<Script>> {
    let mut all = generated(args.count, args.seed);
    for path in corpus::scripts(&workspace::root().join("fixtures"))? {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path
            .parent()
            .is_some_and(|folder| folder.ends_with("fixtures"))
        {
            all.push(fixture(&name, &fs::read_to_string(&path)?));
        }
    }
    if let Ok(checkout) = corpus::checkout(args.checkout.as_deref()) {
        for (number, path) in corpus::scripts(&checkout)?.into_iter().enumerate() {
            // What is no UTF-8 is no script.
            if let Ok(text) = fs::read_to_string(&path) {
                all.push(Script {
                    name: format!("checkout_{number:04}.dml"),
                    text,
                    runs: false,
                });
            }
        }
    }
    Ok(all)
}

/// Has `sumac optimize` apply the suggestions of each script.
fn suggested(sumac: &Sumac, scripts: Vec<Script>, folder: &Path) -> Result<Vec<Suggested>> {
    let mut all = Vec::new();
    let mut rest = scripts.into_iter().peekable();
    while rest.peek().is_some() {
        let batch: Vec<Script> = rest.by_ref().take(BATCH).collect();
        let mut files = Vec::new();
        for script in &batch {
            let file = folder.join(&script.name);
            fs::write(&file, &script.text)?;
            files.push(file.to_string_lossy().into_owned());
        }
        let options = [
            "optimize",
            "--apply",
            "--alternatives",
            "2",
            // What saves little is written, too.
            "--least-saving",
            "0",
            "--format",
            "json",
        ];
        let arguments: Vec<&str> = options
            .into_iter()
            .chain(files.iter().map(String::as_str))
            .collect();
        let output = sumac.call(&arguments)?;
        let rows: Value = serde_json::from_slice(&output.stdout).with_context(|| {
            format!(
                "`sumac optimize` wrote no JSON: {}",
                String::from_utf8_lossy(&output.stderr)
            )
        })?;
        for (script, file) in batch.into_iter().zip(&files) {
            let own = rows.as_array().into_iter().flatten();
            let own: Vec<&Value> = own.filter(|row| row["file"] == file.as_str()).collect();
            let others = own
                .iter()
                .flat_map(|row| others(&script.text, row))
                .collect();
            all.push(Suggested {
                applied: fs::read_to_string(file)?,
                others,
                count: own.len(),
                script,
            });
        }
    }
    Ok(all)
}

/// The script with each alternative in the place of the statement's lines.
fn others(text: &str, row: &Value) -> Vec<String> {
    let line = |key: &str| row[key].as_u64().and_then(|n| usize::try_from(n).ok());
    let (Some(first), Some(last)) = (line("line"), line("end_line")) else {
        return Vec::new();
    };
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.get(..first.saturating_sub(1)).unwrap_or_default();
    let tail = lines.get(last..).unwrap_or_default();
    let forms = row["alternatives"].as_array().into_iter().flatten();
    let forms = forms.filter_map(|form| form["statement"].as_str());
    // On a line that holds more than the statement, more would go.
    let old = lines
        .get(first.saturating_sub(1)..last)
        .unwrap_or_default()
        .concat();
    let is_alone = !old.contains(';') && !old.contains('}') && !old.contains("if (");
    forms
        .filter(|_| is_alone)
        .map(|form| [head, &[form], tail].concat().join("\n") + "\n")
        .collect()
}

/// What the compiler said.
#[derive(Default)]
struct Compiled {
    /// Scripts that it takes as written and that have a suggestion.
    scripts: usize,
    forms: usize,
    refused: Vec<String>,
}

fn compile(
    systemds: &SystemDs,
    all: &[Suggested],
    folder: &Path,
    checkout: Option<&Path>,
) -> Result<Compiled> {
    let program = systemds.compile("CompileScripts")?;
    let mut compiler = Compiler::start(&program, checkout.unwrap_or(folder))?;
    let inputs = Inputs::create(&folder.join("inputs"))?;
    let file = folder.join("compiled.dml");
    let mut ask = |text: &str, arguments: &BTreeMap<String, String>| -> Result<Option<String>> {
        fs::write(&file, text)?;
        let answer = compiler.compile(&file, arguments)?;
        if answer.skips {
            return Ok(Some("characters are skipped".to_owned()));
        }
        Ok(answer.plan.err().map(|refusal| refusal.message))
    };
    let mut compiled = Compiled::default();
    for it in all.iter().filter(|it| it.count > 0) {
        let parsed = sumac_syntax::parse(it.script.text.as_str());
        let mut taken = None;
        for guess in &GUESSES {
            let arguments = inputs.arguments(parsed.program(), guess);
            if ask(&it.script.text, &arguments)?.is_none() {
                taken = Some(arguments);
                break;
            }
        }
        // What it refuses as written says nothing of the suggestion.
        let Some(arguments) = taken else { continue };
        compiled.scripts += 1;
        for form in std::iter::once(&it.applied).chain(&it.others) {
            compiled.forms += 1;
            if let Some(why) = ask(form, &arguments)? {
                compiled.refused.push(format!(
                    "{}: refused: {}\n{}",
                    it.script.name,
                    why.replace('\n', " / "),
                    changed(&it.script.text, form)
                ));
            }
        }
    }
    Ok(compiled)
}

/// What runs of both sides said.
#[derive(Default)]
struct Differing {
    scripts: usize,
    failed: Vec<String>,
    kinds: Vec<String>,
    values: Vec<String>,
    /// Where SystemDS agrees only without its own rewrites, which are wrong then.
    theirs: usize,
}

/// SystemDS as a process that runs scripts.
struct Runner {
    process: Conversation,
    file: PathBuf,
    arguments: BTreeMap<String, String>,
}

/// What a script printed, or why it did not run to its end.
type Ran = std::result::Result<String, String>;

impl Runner {
    /// Starts it; `configured` is what the configuration says.
    fn start(program: &Program<'_>, folder: &Path, configured: Option<&str>) -> Result<Self> {
        fs::create_dir_all(folder)?;
        let mut arguments = BTreeMap::new();
        if let Some(settings) = configured {
            let file = folder.join("systemds.xml");
            fs::write(&file, format!("<root>{settings}</root>"))?;
            arguments.insert("-config".to_owned(), file.to_string_lossy().into_owned());
        }
        Ok(Runner {
            process: Conversation::start(program, folder)?,
            file: folder.join("run.dml"),
            arguments,
        })
    }

    fn run(&mut self, text: &str) -> Result<Ran> {
        fs::write(&self.file, text)?;
        let answer = self.process.ask(&self.file, &self.arguments)?;
        Ok(match answer["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer["printed"].as_str().unwrap_or_default().to_owned()),
        })
    }
}

fn run(systemds: &SystemDs, all: &[Suggested], most: usize, folder: &Path) -> Result<Differing> {
    let program = systemds.compile("RunScripts")?;
    let mut usual = Runner::start(&program, &folder.join("usual"), None)?;
    // Without its own rewrites SystemDS computes what the script says.
    let settings = "<sysds.optlevel>1</sysds.optlevel>";
    let mut plain = Runner::start(&program, &folder.join("plain"), Some(settings))?;
    let mut found = Differing::default();
    for it in all.iter().filter(|it| it.script.runs && it.count > 0) {
        if found.scripts >= most {
            break;
        }
        // What does not run as written says nothing of the suggestion.
        let Ok(before) = usual.run(&it.script.text)? else {
            continue;
        };
        found.scripts += 1;
        let after = usual.run(&it.applied)?;
        let is_same = |before: &str, after: &Ran| {
            let after = after.as_ref().ok();
            after.is_some_and(|after| difference(before, after).is_none())
        };
        if is_same(&before, &after) {
            continue;
        }
        if let Ok(before) = plain.run(&it.script.text)?
            && is_same(&before, &plain.run(&it.applied)?)
        {
            found.theirs += 1;
            continue;
        }
        let shown = |what: &str| {
            let change = changed(&it.script.text, &it.applied);
            format!("{}: {what}\n{change}", it.script.name)
        };
        match after {
            Err(error) => found.failed.push(shown(&error.replace('\n', " / "))),
            Ok(after) => match difference(&before, &after) {
                Some(Difference::Kind(what)) => found.kinds.push(shown(&what)),
                Some(Difference::Value(what)) => found.values.push(shown(&what)),
                None => {}
            },
        }
    }
    Ok(found)
}

/// How two prints differ.
#[derive(Debug, PartialEq)]
enum Difference {
    Kind(String),
    Value(String),
}

/// The first difference of what two runs printed, line by line and word by word.
fn difference(before: &str, after: &str) -> Option<Difference> {
    let lines = |text: &str| -> Vec<String> {
        let all = text.lines().map(str::to_owned);
        all.filter(|line| {
            !line.starts_with("Total execution time") && !line.starts_with("SystemDS Statistics")
        })
        .filter(|line| !line.trim().is_empty())
        .collect()
    };
    let (a, b) = (lines(before), lines(after));
    if a.len() != b.len() {
        return Some(Difference::Value(format!(
            "{} lines became {}",
            a.len(),
            b.len()
        )));
    }
    let mut values = None;
    for (x, y) in a.iter().zip(&b) {
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let (left, right) = (words(x), words(y));
        if left.len() != right.len() {
            return Some(Difference::Value(format!("`{x}` became `{y}`")));
        }
        for (left, right) in left.iter().zip(&right) {
            if kind(left) != kind(right) {
                return Some(Difference::Kind(format!("`{x}` became `{y}`")));
            }
            if !agree(left, right) {
                values.get_or_insert_with(|| Difference::Value(format!("`{x}` became `{y}`")));
            }
        }
    }
    values
}

/// The kind of value that a printed word shows.
fn kind(word: &str) -> &'static str {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if matches!(word, "TRUE" | "FALSE") {
        "boolean"
    } else if is_digits(word.trim_start_matches('-')) {
        "int"
    } else if word.parse::<f64>().is_ok() || matches!(word, "Infinity" | "-Infinity") {
        "double"
    } else {
        "text"
    }
}

fn agree(left: &str, right: &str) -> bool {
    match (left.parse::<f64>(), right.parse::<f64>()) {
        (Ok(a), Ok(b)) if a.is_finite() && b.is_finite() => {
            (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0)
        }
        _ => left == right,
    }
}

/// The lines that a script has and the other has not.
fn changed(before: &str, after: &str) -> String {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = after.lines().collect();
    let gone = old
        .iter()
        .filter(|line| !new.contains(line))
        .map(|line| format!("  - {line}"));
    let come = new
        .iter()
        .filter(|line| !old.contains(line))
        .map(|line| format!("  + {line}"));
    gone.chain(come).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_printed_values_are_told_apart() {
        let found = |a: &str, b: &str| difference(a, b);
        assert_eq!(found("t = 0.0\n", "t = 0.0\n"), None);
        assert!(matches!(
            found("t = 0.0", "t = 0"),
            Some(Difference::Kind(_))
        ));
        assert!(matches!(found("1.0", "TRUE"), Some(Difference::Kind(_))));
        assert!(matches!(found("1.0", "2.0"), Some(Difference::Value(_))));
        assert_eq!(found("100.00000001", "100.0"), None);
        assert_eq!(found("-Infinity", "-Infinity"), None);
        assert!(matches!(found("NaN", "1.0"), Some(Difference::Value(_))));
    }

    #[test]
    fn an_alternative_takes_the_place_of_its_statement() {
        let row = serde_json::json!({
            "line": 2, "end_line": 2, "alternatives": [{"statement": "b = 2"}]
        });
        assert_eq!(
            others("a = 1\nb = 1 + 1\nc = 3\n", &row),
            ["a = 1\nb = 2\nc = 3\n"]
        );
    }
}
