//! Made-up inputs: matrices in files with metadata, each a function of its name and size.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A file that a script reads.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    rows: usize,
    cols: usize,
    format: &'static str,
    /// Whole numbers from 1 to 9 instead of others with zeros among them: groups, weights, places.
    whole: bool,
    seed: u64,
}

/// The input for the argument `name`.
///
/// # Errors
/// The format is none of those that can be written here; in words.
pub(super) fn named(
    folder: &Path,
    name: &str,
    (rows, cols): (usize, usize),
    whole: bool,
    format: &str,
) -> Result<Input, String> {
    let format = match format {
        "text" => "text",
        "csv" => "csv",
        other => return Err(format!("it reads the format {other}")),
    };
    let seed = name.bytes().fold(17, |seed: u64, byte| {
        seed.wrapping_mul(31) + u64::from(byte)
    });
    let kind = if whole { "whole" } else { "any" };
    let path = folder.join(format!("{name}-{rows}x{cols}-{kind}.{format}"));
    Ok(Input {
        path,
        rows,
        cols,
        format,
        whole,
        seed,
    })
}

impl Input {
    /// Writes file and metadata, unless they are there.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub(super) fn ensure(&self) -> Result<()> {
        if self.path.is_file() {
            return Ok(());
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut text = String::new();
        let mut nonzeros = 0;
        for row in 1..=self.rows {
            let mut line = Vec::new();
            for col in 1..=self.cols {
                // Positive values with ties, and every fourth cell empty: what orders, tables and quotients need.
                let value = if self.whole {
                    f64::from(rng.random_range(1..10_u8))
                } else if rng.random::<f64>() < 0.25 {
                    0.0
                } else {
                    (rng.random::<f64>() * 40.0).round() / 4.0 + 0.25
                };
                nonzeros += usize::from(value != 0.0);
                if self.format == "csv" {
                    line.push(value.to_string());
                } else if value != 0.0 {
                    let _ = writeln!(text, "{row} {col} {value}");
                }
            }
            if self.format == "csv" {
                let _ = writeln!(text, "{}", line.join(","));
            }
        }
        let metadata = format!(
            r#"{{"data_type": "matrix", "value_type": "double", "rows": {}, "cols": {}, "nnz": {nonzeros}, "format": "{}", "header": false, "sep": ","}}"#,
            self.rows, self.cols, self.format
        );
        let name = self.path.to_string_lossy();
        fs::write(&self.path, text).with_context(|| format!("cannot write {name}"))?;
        fs::write(format!("{name}.mtd"), metadata)
            .with_context(|| format!("cannot write {name}.mtd"))
    }
}
