//! Functions, and variables of main programs, by a part of their name, in all files.

use std::path::Path;
use std::sync::Arc;

use crate::document_symbols::{SymbolKind, signature};
use crate::workspace::{Function, Index, Location, Name};

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
    let mut found: Vec<Found<'_>> = Vec::new();
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
                found.push(Found {
                    kind,
                    fit,
                    name,
                    file,
                    function,
                });
            }
        }
    }
    found.sort_by(|a, b| a.rank().cmp(&b.rank()));
    found.truncate(MOST);
    found.iter().map(Found::symbol).collect()
}

/// A name that fits the query.
struct Found<'a> {
    kind: SymbolKind,
    fit: Fit,
    name: &'a Name,
    file: &'a Arc<Path>,
    function: Option<&'a Function>,
}

impl Found<'_> {
    /// The order in which they are shown.
    fn rank(&self) -> impl Ord + use<'_> {
        let name = &self.name.name;
        (
            (self.kind, self.fit, name.len()),
            (name, self.file, self.name.range),
        )
    }

    fn symbol(&self) -> WorkspaceSymbol {
        let shown = self.file.file_name().unwrap_or_default().to_string_lossy();
        WorkspaceSymbol {
            name: self.name.name.to_string(),
            detail: match self.function {
                Some(function) => format!("{shown} {}", signature(function)),
                None => shown.into_owned(),
            },
            kind: self.kind,
            location: Location {
                file: self.file.clone(),
                range: self.name.range,
            },
        }
    }
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
