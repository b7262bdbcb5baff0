//! `cargo xtask peer builtins CHECKOUT`: our table of builtins against the sources of SystemDS.
//!
//! Every name of its list of builtins has to be in the table, with the same origin and the same aliases; and every
//! function that a script of `scripts/builtin` defines, with the same parameters, defaults and results.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use sumac_builtins::{Builtin, Presence, Source};
use sumac_syntax::ast::{FunctionDef, Param, StmtKind};

use crate::report::Report;

/// Where SystemDS lists its builtins, and where the scripts are.
const LIST: &str = "src/main/java/org/apache/sysds/common/Builtins.java";
const SCRIPTS: &str = "scripts/builtin";

/// A line of the list.
#[derive(PartialEq, Eq, Debug)]
struct Listed {
    name: String,
    alias: Option<String>,
    is_script: bool,
}

/// Compares, and prints each difference.
///
/// # Errors
/// The sources cannot be read.
pub(crate) fn measure(report: &mut Report, checkout: &Path) -> Result<()> {
    report.heading("The table of builtins and SystemDS's sources");
    let path = checkout.join(LIST);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let list = listed(&text);
    let differences: Vec<String> = list.iter().filter_map(against_list).collect();
    judge(report, "names of the list", list.len(), &differences);

    let mut headers = 0;
    let mut differences = Vec::new();
    let folder = checkout.join(SCRIPTS);
    let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    for path in paths
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "dml"))
    {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let parse = sumac_syntax::parse(text.as_str());
        let mut found = parse
            .program()
            .statements
            .iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Function(def) if is_called(&def.name.name, &stem) => Some(def),
                _ => None,
            });
        // The others of a name take scalars or frames in place of matrices.
        if let Some(def) = found.next() {
            headers += 1;
            let differs = against_header(&stem, def, &text);
            differences.extend(differs.map(|what| format!("{stem}: {what}")));
        }
    }
    judge(report, "headers of scripts", headers, &differences);
    Ok(())
}

fn judge(report: &mut Report, name: &str, count: usize, differences: &[String]) {
    let alike = count.saturating_sub(differences.len());
    let holds = count > 0 && differences.is_empty();
    report.bar(name, &format!("{alike} of {count}"), "all", holds);
    report.note(&differences.join("\n"));
}

/// Whether a function is what calls of `name` reach: SystemDS puts the kind of the first argument before it.
fn is_called(function: &str, name: &str) -> bool {
    let kind = function.strip_suffix(name);
    kind.is_some_and(|kind| ["m_", "f_", "s_"].contains(&kind))
}

/// The entries of the enumeration: `NAME("name", "alias", script, …)`.
fn listed(java: &str) -> Vec<Listed> {
    let entry = |line: &str| {
        let line = line.trim();
        let (constant, rest) = line.split_once('(')?;
        let is_constant = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if constant.is_empty() || !constant.chars().all(is_constant) {
            return None;
        }
        let inside = &rest[..rest.find(')')?];
        let mut args = inside.split(',').map(str::trim);
        let name = args.next()?.trim_matches('"').to_owned();
        let mut next = args.next()?;
        let alias = next
            .starts_with('"')
            .then(|| next.trim_matches('"').to_owned());
        if alias.is_some() {
            next = args.next()?;
        }
        Some(Listed {
            name,
            alias,
            is_script: next == "true",
        })
    };
    java.lines().filter_map(entry).collect()
}

/// What differs between an entry of the list and our row.
fn against_list(entry: &Listed) -> Option<String> {
    let name = &entry.name;
    let Some(row) = sumac_builtins::find(name).filter(|row| row.name == name) else {
        return Some(format!("{name}: no row of the table"));
    };
    if (row.source == Source::Script) != entry.is_script {
        return Some(format!("{name}: we say that it is {:?}", row.source));
    }
    let alias = entry.alias.as_deref()?;
    let known = row.aliases.contains(&alias);
    (!known).then(|| format!("{name}: also called {alias}"))
}

/// What differs between the header of a script and our row.
fn against_header(name: &str, def: &FunctionDef, text: &str) -> Option<String> {
    let Some(row) = sumac_builtins::find(name) else {
        return Some("no row of the table".to_owned());
    };
    let differs = |what: &str, ours: &[String], theirs: &[String]| {
        let (ours, theirs) = (ours.join(", "), theirs.join(", "));
        (ours != theirs).then(|| format!("{what}: we say ({ours}), the script says ({theirs})"))
    };
    let names = |params: &[Param]| -> Vec<String> {
        params
            .iter()
            .map(|param| param.name.name.to_string())
            .collect()
    };
    let results: Vec<String> = row.results.iter().map(|r| r.name.to_owned()).collect();
    let theirs: Vec<String> = def.params.iter().map(|param| shown(param, text)).collect();
    differs("parameters", &ours(row), &theirs)
        .or_else(|| differs("results", &results, &names(&def.results)))
}

fn ours(row: &Builtin) -> Vec<String> {
    let param = |param: &sumac_builtins::Param| match param.default {
        Presence::Optional(Some(default)) => format!("{} = {}", param.name, bare(default)),
        _ => param.name.to_owned(),
    };
    row.params.iter().map(param).collect()
}

fn shown(param: &Param, text: &str) -> String {
    match &param.default {
        Some(default) => {
            let written = text.get(default.range.start..default.range.end);
            format!(
                "{} = {}",
                param.name.name,
                bare(written.unwrap_or_default())
            )
        }
        None => param.name.name.to_string(),
    }
}

/// A default without blanks, which mean nothing.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_list_are_read() {
        let read = listed(
            "public enum Builtins {\n\tABS(\"abs\", false),\n\tFDR(\"fdr\", \"FDR\", true), // x\n\tBuiltins(String name) {\n",
        );
        let shown: Vec<String> = read
            .iter()
            .map(|e| format!("{} {:?} {}", e.name, e.alias, e.is_script))
            .collect();
        assert_eq!(shown, ["abs None false", "fdr Some(\"FDR\") true"]);
    }

    #[test]
    fn a_header_that_differs_is_told() {
        let told = |text: &str| {
            let parse = sumac_syntax::parse(text);
            match &parse.program().statements[0].kind {
                StmtKind::Function(def) => against_header("cor", def, text),
                _ => None,
            }
        };
        let same = "m_cor = function(Matrix[Double] X) return (Matrix[Double] Y) { Y = X }";
        assert_eq!(told(same), None);
        let other =
            "m_cor = function(Matrix[Double] X, Integer k = 2) return (Matrix[Double] Y) { Y = X }";
        assert_eq!(
            told(other).as_deref(),
            Some("parameters: we say (X), the script says (X, k = 2)")
        );
    }

    #[test]
    fn the_function_of_a_script_is_told_from_its_helpers() {
        assert!(is_called("m_pca", "pca") && is_called("f_dmv", "dmv"));
        assert!(!is_called("pca", "pca") && !is_called("m_pcaInverse", "pca"));
    }
}
