//! Expressions from public code, each with the form that an expert wrote: whether Sumac finds it or one as good, and what both take in
//! real NumPy.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::numpy;
use super::{Options, Program};
use crate::report::Report;

/// Rows of the table whose expression is not NumPy's, in NumPy.
const RESTATED: &str = include_str!("restated.tsv");
/// Cells of these sizes, where a case names no number.
const SIZES: [(&str, u64); 11] = [
    ("n", 1000),
    ("m", 800),
    ("p", 200),
    ("k", 50),
    ("d", 60),
    ("j", 40),
    ("c", 30),
    ("obs", 1000),
    ("t", 100),
    ("e", 40),
    ("u", 500),
];
/// Any other name of a size.
const OTHER_SIZE: u64 = 300;
/// A larger size counts as this: what is written may need the square of it in memory.
const MOST: u64 = 10_000;
/// A form as good as an expert's takes at most this many times as long.
const AS_GOOD: f64 = 1.1;
/// A suggestion must run at least so fast beside what was written.
const NEVER_BELOW: f64 = 0.95;
/// Seconds of measuring for each case.
const SECONDS: f64 = 0.6;
/// Share of the cases that must come out as good as an expert's.
const WANTED: f64 = 0.9;

/// A case.
struct Case {
    id: String,
    /// Each array with its sizes.
    inputs: BTreeMap<String, Vec<String>>,
    written: String,
    good: Option<String>,
}

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let folder = options
        .cases()
        .context("no folder of cases: --cases PATH")?;
    let table =
        fs::read_to_string(folder.join("numpy.tsv")).context("the table of cases is gone")?;
    let cases = cases(&table);
    let all = table
        .lines()
        .filter(|line| line.split('\t').nth(5) == Some("algebra"))
        .count();
    let work = tempfile::tempdir()?;
    let mut requests = Vec::new();
    let mut suggested = Vec::new();
    let mut slowest_search: f64 = 0.0;
    for case in &cases {
        let file = work.path().join(format!("{}.py", case.id));
        fs::write(&file, case.program())?;
        let path = file.display().to_string();
        let started = Instant::now();
        let ended = program.call(work.path(), &["optimize", &path, "--format", "json"])?;
        slowest_search = slowest_search.max(started.elapsed().as_secs_f64());
        let rows = ended.json()?;
        let of = |row: &Value| {
            Some((
                row["optimized"].as_str()?.to_owned(),
                row["proof"].as_str()?.to_owned(),
            ))
        };
        let found = rows.as_array().and_then(|rows| rows.iter().find_map(of));
        let mut forms = BTreeMap::from([("written", case.written.clone())]);
        if let Some((text, _)) = &found {
            // Where only a part of the expression changes, the rest stays around it.
            let changed = program.call(work.path(), &["optimize", &path, "--apply"])?;
            let applied = fs::read_to_string(&file)?;
            let line = applied
                .lines()
                .find_map(|line| line.trim().strip_prefix("return "));
            let whole = line
                .filter(|line| *line != case.written)
                .map_or_else(|| text.clone(), str::to_owned);
            forms.insert("suggested", whole);
            drop(changed);
        }
        forms.extend(case.good.clone().map(|good| ("good", good)));
        requests.push(case.request(&forms));
        suggested.push(found);
    }
    let answer = numpy::asked("compare.py", &Value::Array(requests))?;
    report.note(&format!(
        "NumPy {}",
        answer["numpy"].as_str().unwrap_or("?")
    ));
    let (mut good, mut slower, mut wrong, mut unproved) = (0, 0, 0, 0);
    for ((case, found), answer) in cases
        .iter()
        .zip(&suggested)
        .zip(answer["answers"].as_array().unwrap_or(&Vec::new()))
    {
        let time = |key: &str| answer["times"][key].as_f64();
        let (written, expert) = (time("written"), time("good"));
        let best = time("suggested").or(written);
        let told = |key: &str| {
            time(key).map_or("-".to_owned(), |seconds| format!("{:.3} ms", 1e3 * seconds))
        };
        if let Some(error) = answer["error"].as_str() {
            report.note(&format!("{}: cannot be timed: {error}", case.id));
            continue;
        }
        let plain = |text: &str| text.replace(' ', "");
        let is_the_same = found
            .as_ref()
            .zip(case.good.as_ref())
            .is_some_and(|((text, _), good)| plain(text) == plain(good));
        let is_as_good = match (best, expert) {
            _ if is_the_same => true,
            (Some(best), Some(expert)) => best <= AS_GOOD * expert,
            _ => found.is_some(),
        };
        good += usize::from(is_as_good);
        if found.is_some() {
            let is_slower = written
                .zip(time("suggested"))
                .is_some_and(|(a, b)| a < NEVER_BELOW * b);
            slower += usize::from(is_slower);
            let gap = answer["differences"]["suggested"]
                .as_f64()
                .unwrap_or(f64::INFINITY);
            let is_alike = answer["alike"]["suggested"].as_bool().unwrap_or(false);
            wrong += usize::from(gap > 1e-9 || !is_alike);
            unproved += usize::from(
                found
                    .as_ref()
                    .is_some_and(|(_, proof)| proof != "canonical"),
            );
        }
        let text = found.as_ref().map_or("nothing", |(text, _)| text.as_str());
        report.note(&format!(
            "{} {}: `{}` → `{text}`: {} → {} (expert {})",
            case.id,
            if is_as_good { "as good" } else { "MISSED" },
            case.written,
            told("written"),
            told("suggested"),
            told("good"),
        ));
    }
    for id in table
        .lines()
        .filter(|line| line.split('\t').nth(5) == Some("algebra"))
        .filter_map(|line| line.split('\t').next())
    {
        if !cases.iter().any(|case| case.id == id) {
            report.note(&format!(
                "{id}: MISSED, the row holds no expression of NumPy over real dense arrays"
            ));
        }
    }
    let share = good as f64 / all.max(1) as f64;
    report.bar(
        "as good as the expert's form",
        &format!("{good} of {all} ({:.0} %)", 100.0 * share),
        &format!("at least {:.0} %", 100.0 * WANTED),
        share >= WANTED,
    );
    report.bar(
        "suggestions that give another value, rank or dtype",
        &wrong.to_string(),
        "0",
        wrong == 0,
    );
    report.bar(
        "suggestions without a proof",
        &unproved.to_string(),
        "0",
        unproved == 0,
    );
    report.bar(
        "suggestions slower than written",
        &slower.to_string(),
        "0",
        slower == 0,
    );
    report.bar(
        "longest command",
        &format!("{slowest_search:.2} s"),
        "under 1 s",
        slowest_search < 1.0,
    );
    Ok(())
}

/// The rows that hold an expression.
fn cases(table: &str) -> Vec<Case> {
    let mut found = Vec::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [id, _, shapes, written, good, "algebra", ..] = cells.as_slice() else {
            continue;
        };
        let restated = RESTATED.lines().filter(|line| !line.starts_with('#'));
        let restated = restated.map(|line| line.split('\t').collect::<Vec<_>>());
        match restated
            .filter(|cells| cells.len() == 4)
            .find(|cells| cells[0] == *id)
        {
            Some(cells) => found.push(Case {
                id: (*id).to_owned(),
                inputs: declared(cells[1]),
                written: cells[2].to_owned(),
                good: Some(cells[3].to_owned()),
            }),
            None => {
                let inputs = told(shapes);
                let is_numpy = written.contains("np.")
                    || written.contains('@')
                    || written.contains(".dot(")
                    || written.contains("numpy.");
                if is_numpy
                    && !inputs.is_empty()
                    && !shapes.contains("complex")
                    && !shapes.contains("sparse")
                {
                    let first = good.split(" | ").find(|form| names_only(form, &inputs));
                    found.push(Case {
                        id: (*id).to_owned(),
                        inputs,
                        written: written.replace("jnp.", "np.").replace("numpy.", "np."),
                        good: first.map(|form| form.replace("jnp.", "np.")),
                    });
                }
            }
        }
    }
    found
}

/// Whether a text can be an expression over these arrays: every name in it is one of them, or NumPy's.
fn names_only(form: &str, inputs: &BTreeMap<String, Vec<String>>) -> bool {
    let known = [
        "np",
        "sum",
        "einsum",
        "axis",
        "trace",
        "sqrt",
        "diag",
        "outer",
        "T",
        "dot",
        "inner",
        "ravel",
        "flat",
        "ij",
        "ji",
        "i",
        "None",
        "vdot",
        "multi_dot",
        "linalg",
    ];
    let mut words = form
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty());
    words.all(|word| {
        known.contains(&word)
            || inputs.contains_key(word)
            || word.chars().all(|c| c.is_ascii_digit())
    })
}

/// `X: n x k; v: n`.
fn declared(text: &str) -> BTreeMap<String, Vec<String>> {
    let one = |part: &str| {
        let (name, sizes) = part.split_once(':')?;
        let sizes = sizes.trim().split(" x ").map(str::to_owned).collect();
        Some((name.trim().to_owned(), sizes))
    };
    text.split(';').filter_map(one).collect()
}

/// `A,B (n,p), w (n,)`.
fn told(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let Some(close) = rest[open..].find(')').map(|at| open + at) else {
            break;
        };
        let sizes: Vec<String> = rest[open + 1..close]
            .split(',')
            .map(str::trim)
            .filter(|size| !size.is_empty())
            .map(|size| size.replace("2n+1", "m"))
            .collect();
        let names = rest[..open].rsplit(')').next().unwrap_or_default();
        for name in names
            .split([',', ' '])
            .map(str::trim)
            .filter(|name| !name.is_empty())
        {
            found.insert(name.to_owned(), sizes.clone());
        }
        rest = &rest[close + 1..];
    }
    found
}

impl Case {
    /// A function whose only statement returns the expression.
    fn program(&self) -> String {
        let names: Vec<&str> = self.inputs.keys().map(String::as_str).collect();
        let facts: String = self
            .inputs
            .iter()
            .map(|(name, sizes)| format!("    #@ {name}: {}\n", sizes.join(" x ")))
            .collect();
        format!(
            "import numpy as np\n\n\ndef case({}):\n{facts}    return {}\n",
            names.join(", "),
            self.written
        )
    }

    fn request(&self, forms: &BTreeMap<&str, String>) -> Value {
        let size = |text: &String| {
            let known = SIZES
                .iter()
                .find(|(name, _)| name == text)
                .map(|(_, size)| *size);
            let size: u64 = text.parse().ok().or(known).unwrap_or(OTHER_SIZE);
            size.min(MOST)
        };
        let inputs: BTreeMap<&String, Vec<u64>> = self
            .inputs
            .iter()
            .map(|(name, sizes)| (name, sizes.iter().map(size).collect()))
            .collect();
        let names = self
            .inputs
            .values()
            .flatten()
            .filter(|text| text.parse::<u64>().is_err());
        let sizes: BTreeMap<&String, u64> = names
            .filter(|name| !self.inputs.contains_key(*name))
            .map(|name| (name, size(name)))
            .collect();
        json!({"seed": 7, "dtype": "float64", "seconds": SECONDS, "inputs": inputs, "sizes": sizes, "forms": forms})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_as_the_table_tells_them() {
        let found = told("y (2n+1,n), Wc (2n+1,)");
        assert_eq!(found["y"], ["m", "n"]);
        assert_eq!(found["Wc"], ["m"]);
        assert_eq!(told("A,B (3000,3000), y (3000,)").len(), 3);
        assert_eq!(declared("X: n x k; v: n")["X"], ["n", "k"]);
    }
}
