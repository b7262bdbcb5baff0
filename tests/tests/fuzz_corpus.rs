//! What must hold of any bytes, on the committed corpus of each fuzzing target and on what once broke it.
//!
//! `cargo xtask fuzz --replay` runs this; with `SUMAC_FUZZ_TARGET` it is one target's, with `SUMAC_FUZZ_INPUT` one file's too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sumac_fuzz::{TARGETS, check};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus")
}

fn names_in(folder: &Path) -> BTreeSet<String> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let names = entries.map(|entry| entry.expect("readable").file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .collect()
}

fn replay(target: &str, file: &Path) {
    let data = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    if std::panic::catch_unwind(|| check(target, &data)).is_err() {
        panic!("`{target}` does not hold of {}", file.display());
    }
}

#[test]
fn the_committed_corpus_holds() {
    let only = std::env::var("SUMAC_FUZZ_TARGET").ok();
    let input = std::env::var_os("SUMAC_FUZZ_INPUT").map(PathBuf::from);
    for target in TARGETS {
        if only.as_ref().is_some_and(|only| only != target.name) {
            continue;
        }
        if let Some(file) = &input {
            replay(target.name, file);
            continue;
        }
        let folder = corpus().join(target.name);
        for name in names_in(&folder) {
            replay(target.name, &folder.join(name));
        }
    }
}

#[test]
fn each_target_has_a_program_and_a_corpus() {
    let targets: BTreeSet<String> = TARGETS
        .iter()
        .map(|target| target.name.to_owned())
        .collect();
    assert_eq!(names_in(&corpus()), targets);
    let programs = names_in(&corpus().join("../fuzz_targets"));
    let files: BTreeSet<String> = targets.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(programs, files);
    let manifest = std::fs::read_to_string(corpus().join("../Cargo.toml")).expect("readable");
    for name in targets {
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
}
