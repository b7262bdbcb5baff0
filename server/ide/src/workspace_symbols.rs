//! Functions, and variables of main programs, by a part of their name, in all files.

use crate::document_symbols::{SymbolKind, signature};
use crate::workspace::{Index, Location, Name};

/// More than a person looks through.
const MOST: usize = 400;

/// A symbol of some file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkspaceSymbol {
    /// Its name.
    pub name: String,
    /// The file's name, and how a function is called.
    pub detail: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Its name's place.
    pub location: Location,
}

/// How well a name fits a query; the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    Same,
    Start,
    Inside,
    Scattered,
}

/// The symbols whose names fit the query: functions first, better fits first, shorter names first.
#[must_use]
pub fn workspace_symbols(index: &Index, query: &str) -> Vec<WorkspaceSymbol> {
    let query = query.trim().to_lowercase();
    let mut found = Vec::new();
    for (file, outline) in index.files() {
        let functions = outline
            .functions
            .iter()
            .map(|function| (SymbolKind::Function, &function.name, Some(function)));
        let variables = outline
            .variables
            .iter()
            .map(|variable| (SymbolKind::Variable, variable, None));
        for (kind, name, function) in functions.chain(variables) {
            if let Some(fit) = fit(&query, &name.name) {
                found.push(((kind, fit, name.name.len()), (name, file, function)));
            }
        }
    }
    let key = |(rank, (name, file, _)): &(_, (&Name, &std::sync::Arc<std::path::Path>, _))| {
        (*rank, name.name.clone(), (*file).clone(), name.range)
    };
    found.sort_by_cached_key(key);
    found.truncate(MOST);
    let symbol = |((kind, ..), (name, file, function)): (
        (SymbolKind, Fit, usize),
        (
            &Name,
            &std::sync::Arc<std::path::Path>,
            Option<&crate::workspace::Function>,
        ),
    )| {
        let shown = file.file_name().unwrap_or_default().to_string_lossy();
        WorkspaceSymbol {
            name: name.name.to_string(),
            detail: match function {
                Some(function) => format!("{shown} {}", signature(function)),
                None => shown.into_owned(),
            },
            kind,
            location: Location {
                file: file.clone(),
                range: name.range,
            },
        }
    };
    found.into_iter().map(symbol).collect()
}

/// `query` is in lower case.
fn fit(query: &str, name: &str) -> Option<Fit> {
    let name = name.to_lowercase();
    if name == query {
        return Some(Fit::Same);
    }
    match name.find(query) {
        Some(0) => Some(Fit::Start),
        Some(_) => Some(Fit::Inside),
        None => {
            let mut rest = name.chars();
            let is_there = query.chars().all(|wanted| rest.any(|c| c == wanted));
            is_there.then_some(Fit::Scattered)
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::fixture::Files;

    #[track_caller]
    fn check(query: &str, expected: &Expect) {
        let files = Files::new(
            "//- a.dml\nlossOf = function(Double x) return (Double y) { y = x }\nl_or_s = function() return (Double s) { s = 1 }\n\
             //- b.dml\nloss = 1\nnot_loss = 2\nloss = 3\nother = 4\n",
        );
        let lines = workspace_symbols(files.workspace().index, query)
            .into_iter()
            .map(|symbol| {
                assert_eq!(
                    files.text(&symbol.location.file)
                        [symbol.location.range.start..symbol.location.range.end],
                    symbol.name
                );
                format!("{:?} {} in {}\n", symbol.kind, symbol.name, symbol.detail)
            });
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn functions_come_first_then_better_fits() {
        check(
            "LOS",
            &expect![[r#"
                Function lossOf in a.dml (x) → (y)
                Function l_or_s in a.dml () → (s)
                Variable loss in b.dml
                Variable not_loss in b.dml
            "#]],
        );
    }

    #[test]
    fn every_symbol_fits_nothing_and_none_fits_nonsense() {
        check(
            "",
            &expect![[r#"
                Function l_or_s in a.dml () → (s)
                Function lossOf in a.dml (x) → (y)
                Variable loss in b.dml
                Variable other in b.dml
                Variable not_loss in b.dml
            "#]],
        );
        check("xyz", &expect![""]);
    }
}
