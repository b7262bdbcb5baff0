//! Random functions, written over by `sumac optimize --apply` and run in real NumPy as they were and as they are: the same values,
//! ranks, kinds of numbers, and the same changes to arguments.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::functions::{Function, functions};
use super::numpy;
use super::{Options, Program};
use crate::report::Report;

/// Functions at full share.
const FUNCTIONS: usize = 20_000;
/// Functions of a file.
const IN_A_FILE: usize = 5;
/// Share of the functions that must change at least: of a program that suggests nothing this says nothing.
const CHANGED: f64 = 0.2;

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    let count = options.count(FUNCTIONS);
    let all = functions(options.seed, count);
    let work = tempfile::tempdir()?;
    let (mut changed, mut requests, mut texts) = (0, Vec::new(), Vec::new());
    for (at, some) in all.chunks(IN_A_FILE).enumerate() {
        let file = work.path().join(format!("functions{at}.py"));
        let joined: Vec<String> = some.iter().map(|one| one.text.clone()).collect();
        let text = format!("import numpy as np\n\n\n{}", joined.join("\n\n"));
        fs::write(&file, &text)?;
        let path = file.display().to_string();
        let ended = program.call(
            work.path(),
            &["optimize", &path, "--lines", "1:", "--apply"],
        )?;
        ensure!(ended.is_success(), "{path}: {}", ended.how());
        let after = fs::read_to_string(&file)?;
        for one in some {
            let new = body(&after, &one.name).with_context(|| format!("{} is gone", one.name))?;
            if new.trim_end() != one.text.trim_end() {
                changed += 1;
                requests.push(request(one, new, options.seed));
                texts.push((one.text.clone(), new.to_owned()));
            }
        }
    }
    let answer = numpy::asked("functions.py", &Value::Array(requests))?;
    let answers = answer["answers"].as_array().cloned().unwrap_or_default();
    let mut wrong = 0;
    for (why, (before, after)) in answers.iter().zip(&texts) {
        if let Some(why) = why.as_str() {
            wrong += 1;
            if wrong <= 5 {
                report.note(&format!("{why}\n{before}\n{after}"));
            }
            if let Some(folder) = &options.keep {
                fs::create_dir_all(folder)?;
                fs::write(
                    folder.join(format!("numpy-{wrong}.txt")),
                    format!("{why}\n\n{before}\n\n{after}"),
                )?;
            }
        }
    }
    let share = changed as f64 / count as f64;
    report.note(&format!(
        "NumPy {}, seed {}",
        answer["numpy"].as_str().unwrap_or("?"),
        options.seed
    ));
    report.bar(
        "functions that are changed",
        &format!("{changed} of {count} ({:.0} %)", 100.0 * share),
        &format!("at least {:.0} %", 100.0 * CHANGED),
        share >= CHANGED,
    );
    report.bar(
        "changed functions that do otherwise",
        &format!("{wrong} of {changed}"),
        "0",
        wrong == 0 && answers.len() == changed,
    );
    Ok(())
}

/// A function's text in a file: to the next one.
fn body<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let start = text.find(&format!("def {name}("))?;
    let rest = &text[start..];
    Some(&rest[..rest[1..].find("\ndef ").map_or(rest.len(), |at| at + 2)])
}

fn request(one: &Function, after: &str, seed: u64) -> Value {
    json!({
        "name": one.name,
        "before": one.text,
        "after": after,
        "parameters": one.parameters,
        "dtype": one.dtype,
        "seed": seed,
        "sizes": [{"n": 5, "m": 4, "k": 3}, {"n": 2, "m": 7, "k": 6}, {"n": 1, "m": 3, "k": 1}],
    })
}
