//! Whole programs. Expected output is what SystemDS 3.4 prints for the same script, unless a test says otherwise.

mod blocks;
mod builtin_scripts;
mod frames;
mod functions;
mod indexing;
mod lists;
mod numbers;
mod parfor;
mod printing;
mod transform;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sumac_runtime::Cancel;
use sumac_runtime::interp::{RunError, RunOptions, run};

/// Runs a script in a folder, with the scripts of an installation; gives what it printed.
fn run_with(
    base: &Path,
    installation: Option<PathBuf>,
    text: &str,
) -> (String, Result<(), RunError>) {
    let parsed = sumac_syntax::parse(text);
    assert!(parsed.errors().is_empty(), "{:?}", parsed.errors());
    let load = |path: &Path| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Ok((
            (**sumac_syntax::parse(text.as_str()).program()).clone(),
            text,
        ))
    };
    let options = RunOptions {
        args: BTreeMap::new(),
        base: base.to_owned(),
        seed: 1,
        cancel: Cancel::default(),
        loader: &load,
        planning: sumac_runtime::fused::Planning::default(),
        compression: sumac_runtime::interp::Compression::default(),
        blocks: true,
        wants_variables: true,
        installation,
    };
    let mut printed = String::new();
    let result = run(parsed.program(), text, &options, &mut |line| {
        printed.push_str(line);
        printed.push('\n');
    });
    (printed, result.map(drop))
}

#[track_caller]
fn check_in(base: &Path, text: &str, expected: &str) {
    let (printed, result) = run_with(base, None, text);
    if let Err(error) = result {
        panic!("{error}\nprinted before: {printed}");
    }
    assert_eq!(printed.trim_end(), expected.trim_end());
}

#[track_caller]
fn check(text: &str, expected: &str) {
    check_in(Path::new("."), text, expected);
}

#[track_caller]
fn fails_with(text: &str, part: &str) {
    let error = run_with(Path::new("."), None, text)
        .1
        .expect_err("a failing script");
    assert!(error.message.contains(part), "{error}");
}
