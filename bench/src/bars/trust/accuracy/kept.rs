//! What a suggestion loses more than it says, kept as two scripts that run by themselves: as written and as suggested, over the data.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::super::Program;
use super::Searched;
use super::loss::digits_lost;
use super::meaning::Form;
use super::number::{Number, Pair};
use super::value::Value;

/// Matrices are printed with as many decimals: of smaller cells too few digits are seen.
const LEAST_PRINTED: f64 = 0.1;

/// What is lost on the found data where the program itself runs both forms: it adds up in another order. `None` where that cannot be
/// seen in what it prints.
pub(super) fn as_run(program: &Program, one: &Searched) -> Result<Option<f64>> {
    let data = &one.worst.data;
    let Ok(exact) = one.task.run::<Pair>(Form::Written, data) else {
        return Ok(None);
    };
    let is_seen = |value: &Value<Pair>| {
        value.is_scalar || value.cells.iter().any(|x| x.near().abs() >= LEAST_PRINTED)
    };
    if !exact.iter().all(is_seen) {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    let run = |form: Form| -> Result<Option<Vec<Value<f64>>>> {
        fs::write(folder.path().join("form.dml"), one.task.script(form, data))?;
        let ended = program.call(folder.path(), &["run", "form.dml"])?;
        let words = ended.stdout.split_whitespace();
        let printed: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        Ok(shaped(&exact, &printed))
    };
    let (written, suggested) = (run(Form::Written)?, run(Form::Suggested)?);
    Ok(written
        .zip(suggested)
        .and_then(|(written, suggested)| digits_lost(&exact, &written, &suggested)))
}

/// Numbers one after the other as values like others; `None` where there are more or fewer.
fn shaped(like: &[Value<Pair>], numbers: &[f64]) -> Option<Vec<Value<f64>>> {
    let mut rest = numbers;
    let mut all = Vec::new();
    for value in like {
        let (cells, more) = rest.split_at_checked(value.cells.len())?;
        rest = more;
        all.push(Value {
            is_scalar: value.is_scalar,
            rows: value.rows,
            cols: value.cols,
            cells: cells.to_vec(),
        });
    }
    rest.is_empty().then_some(all)
}

/// Writes both scripts, the script that the suggestion is for, and what the results are; the note for the report says where.
pub(super) fn keep(folder: &Path, number: usize, one: &Searched) -> Result<String> {
    fs::create_dir_all(folder)?;
    let name = format!("accuracy-{number:03}");
    let file = |end: &str| folder.join(format!("{name}{end}"));
    fs::write(file(".dml"), &one.offered.script)?;
    for (form, end) in [
        (Form::Written, "-written.dml"),
        (Form::Suggested, "-suggested.dml"),
    ] {
        fs::write(file(end), one.task.script(form, &one.worst.data))?;
    }
    let mut told = format!(
        "{}\nsaid: {:?} {:?}\nfound: {:.2}: {}\n",
        one.offered.shown(),
        one.offered.lost,
        one.offered.worst,
        one.worst.digits,
        one.worst.shown,
    );
    let data = &one.worst.data;
    let exact = one.task.run::<Pair>(Form::Written, data);
    for (what, values) in [
        ("exact", exact.map(|all| all.iter().map(near).collect())),
        ("written", one.task.run(Form::Written, data)),
        ("suggested", one.task.run(Form::Suggested, data)),
    ] {
        for value in values.unwrap_or_default() {
            told.push_str(&format!("{what}: {:?}\n", value.cells));
        }
    }
    fs::write(file(".txt"), told)?;
    Ok(format!("\n  kept as {name}"))
}

fn near(value: &Value<Pair>) -> Value<f64> {
    Value {
        is_scalar: value.is_scalar,
        rows: value.rows,
        cols: value.cols,
        cells: value.cells.iter().map(|x| x.near()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_numbers_are_values_only_if_there_are_as_many() {
        let like = [
            Value::number(Pair::of(0.0)),
            Value::matrix(1, 2, |_, _| Pair::of(0.0)).unwrap(),
        ];
        let found = shaped(&like, &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(found[1].cells, [2.0, 3.0]);
        assert!(shaped(&like, &[1.0, 2.0]).is_none());
        assert!(shaped(&like, &[1.0, 2.0, 3.0, 4.0]).is_none());
    }
}
