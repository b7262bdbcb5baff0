//! Pairs of expressions whose relation is known, given to `sumac prove` with sizes as numbers and as names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use rayon::prelude::*;
use serde_json::Value;

use super::{Options, Program};
use crate::report::Report;

/// The least share of pairs that must be decided.
const DECIDED: f64 = 0.85;
/// Sizes where they are numbers: all different, so that no two dimensions fit by chance.
const NUMBERS: [(&str, &str); 4] = [("n", "4"), ("m", "3"), ("k", "2"), ("p", "5")];

/// How the sides of a pair are related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Truth {
    /// Equal for all finite values.
    Equal,
    /// Equal wherever both sides are defined.
    WhereDefined,
    Different,
}

/// What the program said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Proved {
        names_condition: bool,
    },
    Refuted,
    Undecided,
    /// It fell over.
    Crashed,
}

struct Pair {
    left: String,
    right: String,
    truth: Truth,
}

/// A name and its size, as the file declares it.
struct Declared {
    name: String,
    fact: String,
}

/// The pairs of a file and what its names stand for.
struct Pairs {
    declared: Vec<Declared>,
    pairs: Vec<Pair>,
}

impl Pairs {
    /// The first line declares names, `… : X: n x m; a: scalar`; each other line is a left side, a right side and T, D or F.
    fn read(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let header = lines.next().context("it is empty")?;
        let (_, names) = header
            .split_once("): ")
            .context("its first line declares no names")?;
        let declared = names
            .split(';')
            .map(|fact| {
                let fact = fact.trim();
                let (name, _) = fact
                    .split_once(':')
                    .with_context(|| format!("`{fact}` is no size"))?;
                Ok(Declared {
                    name: name.trim().to_owned(),
                    fact: fact.to_owned(),
                })
            })
            .collect::<Result<_>>()?;
        let pairs = lines
            .filter(|line| !line.trim().is_empty())
            .map(pair)
            .collect::<Result<_>>()?;
        Ok(Pairs { declared, pairs })
    }

    /// The declarations of the names in a pair.
    fn of(&self, pair: &Pair, with_numbers: bool) -> Vec<String> {
        let used: BTreeSet<&str> = words(&pair.left).chain(words(&pair.right)).collect();
        let named = self
            .declared
            .iter()
            .filter(|declared| used.contains(declared.name.as_str()));
        named
            .map(|declared| {
                if with_numbers {
                    in_numbers(&declared.fact)
                } else {
                    declared.fact.clone()
                }
            })
            .collect()
    }
}

fn pair(line: &str) -> Result<Pair> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [left, right, truth] = fields[..] else {
        bail!("`{line}` has not three fields");
    };
    let truth = match truth.trim() {
        "T" => Truth::Equal,
        "D" => Truth::WhereDefined,
        "F" => Truth::Different,
        other => bail!("`{other}` is none of T, D, F"),
    };
    Ok(Pair {
        left: left.to_owned(),
        right: right.to_owned(),
        truth,
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.')
}

/// `X: n x m` with numbers for the names of sizes.
fn in_numbers(fact: &str) -> String {
    let Some((name, size)) = fact.split_once(':') else {
        return fact.to_owned();
    };
    let size: Vec<&str> = size
        .split_whitespace()
        .map(|word| {
            let number = NUMBERS.iter().find(|(name, _)| *name == word);
            number.map_or(word, |(_, number)| number)
        })
        .collect();
    format!("{name}: {}", size.join(" "))
}

/// Why a verdict is wrong; `None` where it is not.
fn wrong(truth: Truth, verdict: Verdict) -> Option<&'static str> {
    match (truth, verdict) {
        (_, Verdict::Crashed) => Some("it falls over"),
        (Truth::Different, Verdict::Proved { .. }) => Some("different, proved"),
        (Truth::Equal, Verdict::Refuted) => Some("equal, refuted"),
        (Truth::WhereDefined, Verdict::Refuted) => Some("equal where defined, refuted"),
        (
            Truth::WhereDefined,
            Verdict::Proved {
                names_condition: false,
            },
        ) => Some("equal where defined, proved without a condition"),
        _ => None,
    }
}

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    const NAME: &str = "pairs of known relation";
    const TARGET: &str = "no wrong verdict, at least 85 % decided";
    let Some(folder) = options.cases() else {
        report.bar(NAME, "no folder of cases: --cases PATH", TARGET, false);
        return Ok(());
    };
    let file = folder.join("prove.tsv");
    let text =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let pairs = Pairs::read(&text).with_context(|| file.display().to_string())?;
    for (how, with_numbers) in [("sizes as numbers", true), ("sizes as names", false)] {
        let name = format!("{} {NAME}, {how}", pairs.pairs.len());
        let verdicts = verdicts(program, &pairs, with_numbers);
        if let Some(verdicts) = report.expect(&name, TARGET, verdicts) {
            judge(report, &name, &pairs, &verdicts);
        }
    }
    Ok(())
}

fn judge(report: &mut Report, name: &str, pairs: &Pairs, verdicts: &[Verdict]) {
    let mut wrongs = 0;
    for (pair, verdict) in pairs.pairs.iter().zip(verdicts) {
        if let Some(why) = wrong(pair.truth, *verdict) {
            wrongs += 1;
            report.note(&format!("{why}: {}  |  {}", pair.left, pair.right));
        }
    }
    let undecided: Vec<&Pair> = pairs
        .pairs
        .iter()
        .zip(verdicts)
        .filter(|(_, verdict)| **verdict == Verdict::Undecided)
        .map(|(pair, _)| pair)
        .collect();
    for pair in &undecided {
        report.note(&format!("not decided: {}  |  {}", pair.left, pair.right));
    }
    let share = 1.0 - undecided.len() as f64 / verdicts.len().max(1) as f64;
    report.bar(
        &format!("{name}: wrong verdicts"),
        &wrongs.to_string(),
        "0",
        wrongs == 0,
    );
    report.bar(
        &format!("{name}: decided"),
        &format!("{:.1} %", 100.0 * share),
        &format!(">= {:.0} %", 100.0 * DECIDED),
        share >= DECIDED && !verdicts.is_empty(),
    );
}

fn verdicts(program: &Program, pairs: &Pairs, with_numbers: bool) -> Result<Vec<Verdict>> {
    let folder = tempfile::tempdir()?;
    pairs
        .pairs
        .par_iter()
        .map(|pair| verdict(program, folder.path(), pair, &pairs.of(pair, with_numbers)))
        .collect()
}

fn verdict(program: &Program, folder: &Path, pair: &Pair, facts: &[String]) -> Result<Verdict> {
    let mut arguments = vec!["prove", "--format", "json"];
    for fact in facts {
        arguments.extend(["--decl", fact]);
    }
    // Behind it a side may begin with a minus.
    arguments.extend(["--", &pair.left, &pair.right]);
    let ended = program.call(folder, &arguments)?;
    let shown = || format!("{}  |  {}: {}", pair.left, pair.right, ended.how());
    if ended.is_crash() {
        return Ok(Verdict::Crashed);
    }
    if ended.code == Some(64) {
        // What it cannot read it has not decided.
        return Ok(Verdict::Undecided);
    }
    read_verdict(&ended.json()?, ended.code).with_context(shown)
}

/// The word and the exit code must say the same.
fn read_verdict(answer: &Value, code: Option<i32>) -> Result<Verdict> {
    let word = super::super::sumac::text(answer, "/verdict")?;
    let (verdict, wanted) = match word.as_str() {
        "proved" => {
            let assumes = answer.pointer("/assumes").and_then(Value::as_array);
            let names_condition = assumes.is_some_and(|all| all.iter().any(is_condition));
            (Verdict::Proved { names_condition }, 0)
        }
        "refuted" => (Verdict::Refuted, 1),
        "undecided" => (Verdict::Undecided, 2),
        other => bail!("`{other}` is no verdict"),
    };
    ensure!(code == Some(wanted), "`{word}` with exit code {code:?}");
    Ok(verdict)
}

/// Whether an assumption restricts the values of the pair: that arithmetic is real, and what sizes are, is assumed always.
fn is_condition(assumption: &Value) -> bool {
    let text = assumption.as_str().unwrap_or_default();
    !text.is_empty() && !text.starts_with("real arithmetic") && !text.starts_with("size")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str = "# truth (n, m are sizes): X: n x m; a: scalar\nsum(a * X)\ta * sum(X)\tT\nX\t-X\tF\nX / X\tX^0\tD\n";

    #[test]
    fn a_file_of_pairs_is_read_with_its_names() {
        let pairs = Pairs::read(FILE).unwrap();
        assert_eq!(pairs.pairs.len(), 3);
        assert_eq!(pairs.of(&pairs.pairs[0], true), ["X: 4 x 3", "a: scalar"]);
        assert_eq!(pairs.of(&pairs.pairs[1], false), ["X: n x m"]);
        assert!(Pairs::read("# (n): X: n x m\nX\tX\tmaybe\n").is_err());
    }

    #[test]
    fn only_what_is_false_is_wrong() {
        let bare = Verdict::Proved {
            names_condition: false,
        };
        let named = Verdict::Proved {
            names_condition: true,
        };
        assert!(wrong(Truth::Equal, Verdict::Crashed).is_some());
        let all = [bare, named, Verdict::Refuted, Verdict::Undecided];
        let wrongs = |truth| all.map(|verdict| wrong(truth, verdict).is_some());
        assert_eq!(wrongs(Truth::Equal), [false, false, true, false]);
        assert_eq!(wrongs(Truth::WhereDefined), [true, false, true, false]);
        assert_eq!(wrongs(Truth::Different), [true, true, false, false]);
    }

    #[test]
    fn the_word_and_the_exit_code_must_agree() {
        let answer = json!({"verdict": "refuted"});
        assert_eq!(read_verdict(&answer, Some(1)).unwrap(), Verdict::Refuted);
        assert!(read_verdict(&answer, Some(0)).is_err());
    }
}
