//! The program under measurement: built once for release, called as a person or another program would call it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;
use serde_json::Value;

use xtask::{shell, workspace};

/// A built `sumac`.
pub(crate) struct Sumac {
    /// The program.
    pub(crate) program: PathBuf,
}

/// One suggestion of `sumac optimize --format json`, as far as bars look at it. Counts are FLOPs.
#[derive(Debug)]
pub(super) struct Suggested {
    pub(super) original: String,
    pub(super) optimized: String,
    pub(super) statement: String,
    pub(super) flops_original: f64,
    pub(super) flops_optimized: f64,
    pub(super) proof: String,
    pub(super) max_relative_error: f64,
}

impl Sumac {
    /// Builds the program of this checkout for release.
    ///
    /// # Errors
    /// It does not build.
    pub(crate) fn build_release() -> Result<Self> {
        let root = workspace::root();
        shell::run(
            Command::new("cargo")
                .args(["build", "--release", "--package", "sumac"])
                .current_dir(&root),
        )?;
        let metadata = MetadataCommand::new()
            .manifest_path(root.join("Cargo.toml"))
            .no_deps()
            .exec()?;
        let program = metadata
            .target_directory
            .into_std_path_buf()
            .join("release")
            .join(format!("sumac{}", std::env::consts::EXE_SUFFIX));
        anyhow::ensure!(
            program.is_file(),
            "cargo built no program {}",
            program.display()
        );
        Ok(Sumac { program })
    }

    /// Runs the program to its end.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn call(&self, arguments: &[&str]) -> Result<Output> {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(workspace::root())
            .stdin(Stdio::null());
        command
            .output()
            .with_context(|| format!("cannot start `{}`", shell::shown(&command)))
    }

    /// Runs the program with `--format json` and reads its answer; the exit code must be 0.
    ///
    /// # Errors
    /// It failed, or wrote no JSON.
    pub(super) fn json(&self, arguments: &[&str]) -> Result<Value> {
        let all = [arguments, &["--format", "json"]].concat();
        let output = self.call(&all)?;
        let shown = || format!("`sumac {}`", all.join(" "));
        anyhow::ensure!(
            output.status.success(),
            "{} failed: {}: {}",
            shown(),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
        serde_json::from_slice(&output.stdout).with_context(|| format!("{} wrote no JSON", shown()))
    }

    /// The suggestions for a script; with `apply` they are also written into the file.
    ///
    /// # Errors
    /// The command failed, or its answer breaks the contract.
    pub(super) fn optimize(
        &self,
        file: &Path,
        cost: Option<&str>,
        apply: bool,
    ) -> Result<Vec<Suggested>> {
        let file = file.to_str().context("the path is no text")?;
        let mut arguments = vec!["optimize", file];
        if let Some(cost) = cost {
            arguments.extend(["--cost", cost]);
        }
        if apply {
            arguments.push("--apply");
        }
        let answer = self.json(&arguments)?;
        let rows = answer
            .as_array()
            .context("`sumac optimize` wrote no array")?;
        rows.iter().map(suggested).collect()
    }
}

fn suggested(row: &Value) -> Result<Suggested> {
    Ok(Suggested {
        original: text(row, "/original")?,
        optimized: text(row, "/optimized")?,
        statement: text(row, "/statement")?,
        flops_original: figure(row, "/flops/original")?,
        flops_optimized: figure(row, "/flops/optimized")?,
        proof: text(row, "/proof")?,
        max_relative_error: figure(row, "/check/max_relative_error")?,
    })
}

/// The number at a place of an answer.
///
/// # Errors
/// There is none.
pub(super) fn figure(value: &Value, place: &str) -> Result<f64> {
    value
        .pointer(place)
        .and_then(Value::as_f64)
        .with_context(|| format!("the answer has no number {place}"))
}

/// The text at a place of an answer.
///
/// # Errors
/// There is none.
pub(super) fn text(value: &Value, place: &str) -> Result<String> {
    let found = value.pointer(place).and_then(Value::as_str);
    Ok(found
        .with_context(|| format!("the answer has no text {place}"))?
        .to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_suggestion_without_a_figure_of_the_contract_is_refused() {
        let mut row = json!({
            "original": "a", "optimized": "b", "statement": "y = b", "proof": "steps",
            "flops": {"original": 9, "optimized": 3}, "check": {"max_relative_error": 0.0},
        });
        assert_eq!(suggested(&row).unwrap().flops_original, 9.0);
        row["check"] = json!({});
        let error = suggested(&row).unwrap_err().to_string();
        assert!(error.contains("/check/max_relative_error"), "{error}");
    }
}
