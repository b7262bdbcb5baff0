//! Renders an analysis over its source, so that expectations read like the script itself.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use sumac_analysis::{Analysis, Files, Known, NoFiles, Options, analyze};

/// Analyses a script without files.
#[must_use]
pub fn check(text: &str) -> Known {
    with(text, &Options::default(), &NoFiles)
}

/// Analyses a script with options and files.
#[must_use]
pub fn with(text: &str, options: &Options, files: &(impl Files + Clone + Send + 'static)) -> Known {
    let parse = sumac_syntax::parse(text);
    analyze(&parse, options, files)
}

/// Files in memory under `/data`, and the options that look there.
#[must_use]
pub fn disk(files: &[(&str, &[u8])]) -> (Options, BTreeMap<PathBuf, Vec<u8>>) {
    let options = Options {
        base_dir: Some(PathBuf::from("/data")),
        ..Options::default()
    };
    let files = files
        .iter()
        .map(|(name, bytes)| (PathBuf::from("/data").join(name), bytes.to_vec()));
    (options, files.collect())
}

/// Diagnostics under the lines that they are about.
#[must_use]
pub fn diagnostics(text: &str, analysis: &Analysis) -> String {
    let mut out = String::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let own: Vec<_> = analysis
            .diagnostics
            .iter()
            .filter(|d| (start..end).contains(&d.range.start))
            .collect();
        if !own.is_empty() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
        for d in own {
            let width = d.range.end.min(end).saturating_sub(d.range.start).max(1);
            let shown = text
                .get(d.range.start..d.range.start + width)
                .unwrap_or("x")
                .trim_end();
            let _ = writeln!(
                out,
                "{}{} {:?} {}: {}",
                " ".repeat(d.range.start - start),
                "^".repeat(shown.chars().count().max(1)),
                d.severity,
                d.code,
                d.message
            );
            for (range, note) in &d.related {
                let at = text
                    .get(..range.start)
                    .unwrap_or_default()
                    .matches('\n')
                    .count()
                    + 1;
                let _ = writeln!(
                    out,
                    "{}  line {at}: {note}",
                    " ".repeat(d.range.start - start)
                );
            }
        }
        start = end;
    }
    out
}

/// Each assigned variable: `line name: kind type = constant (source)`.
#[must_use]
pub fn variables(text: &str, analysis: &Analysis) -> String {
    let mut out = String::new();
    for v in &analysis.variables {
        let line = text[..v.range.start].matches('\n').count() + 1;
        let _ = write!(out, "{line} {}: {}", v.name, v.kind.name());
        if !v.kind.is_scalar() {
            let _ = write!(out, " {}", v.ty);
        }
        if let Some(constant) = &v.constant {
            let _ = write!(out, " = {constant:?}");
        }
        let _ = writeln!(out, " ({})", v.source);
    }
    out
}

/// The blocks: targets, parts as the DAG prints them, liveness and readers.
#[must_use]
pub fn blocks(text: &str, analysis: &Analysis) -> String {
    let mut out = String::new();
    for block in &analysis.blocks {
        let inside = block
            .function
            .as_deref()
            .map(|f| format!(" in {f}"))
            .unwrap_or_default();
        let _ = writeln!(out, "block, depth {}{inside}", block.loop_depth);
        for (i, s) in block.statements.iter().enumerate() {
            let first = text[s.range].lines().next().unwrap_or_default();
            let _ = write!(out, "  {i} `{first}`");
            if let Some(target) = &s.target {
                let _ = write!(
                    out,
                    " {} = {}",
                    target.name,
                    block.dag.print(target.version_node)
                );
            }
            if s.live_after_block {
                out.push_str(", live");
            }
            if !s.readers.is_empty() {
                let _ = write!(out, ", read by {:?}", s.readers);
            }
            if s.hints_off {
                out.push_str(", off");
            }
            if let Some(sketch) = &s.sketch {
                let _ = write!(out, ", sketch {sketch}");
            }
            out.push('\n');
            for part in &s.parts {
                let _ = writeln!(
                    out,
                    "    `{}` -> {} [{}]",
                    &text[part.range],
                    block.dag.print(part.root),
                    block.dag.ty(part.root)
                );
            }
        }
    }
    out
}
