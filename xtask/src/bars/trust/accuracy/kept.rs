//! What a suggestion loses more than it says, kept as two scripts that run by themselves: as written and as suggested, over the data.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::Searched;
use super::meaning::Form;
use super::number::Pair;
use super::value::Value;

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
    use super::number::Number;
    Value {
        is_scalar: value.is_scalar,
        rows: value.rows,
        cols: value.cols,
        cells: value.cells.iter().map(|x| x.near()).collect(),
    }
}
