//! The outline of a script: what it sources, its functions with their parameters and variables, and the variables of
//! the main program where they are first assigned.

use std::collections::BTreeSet;

use sumac_analysis::ValueKind;
use sumac_text::TextRange;

use crate::snapshot::Snapshot;
use crate::workspace::{Access, Function, Outline, Parameter, Role, occurrences};

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SymbolKind {
    /// A sourced script.
    Source,
    /// A function.
    Function,
    /// A parameter or result.
    Parameter,
    /// A variable.
    Variable,
    /// A sketch.
    Sketch,
    /// A guide or goal of a sketch.
    Stage,
}

/// An entry of the outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocumentSymbol {
    /// Its name.
    pub name: String,
    /// What stands beside it: a signature, a type, a shape.
    pub detail: String,
    /// What it is.
    pub kind: SymbolKind,
    /// All of it.
    pub full_range: TextRange,
    /// Its name's place.
    pub focus: TextRange,
    /// What is inside it.
    pub children: Vec<DocumentSymbol>,
}

/// The outline of a script in the order of its text.
#[must_use]
pub fn document_symbols(snapshot: &Snapshot) -> Vec<DocumentSymbol> {
    let outline = Outline::of(&snapshot.parse);
    let mut symbols: Vec<DocumentSymbol> = outline.functions.iter().map(function).collect();
    let mut main = sources(&outline);
    let mut seen: BTreeSet<_> = (outline.functions.iter().enumerate())
        .flat_map(|(number, function)| {
            let own = function.params.iter().chain(&function.results);
            own.map(move |param| (Some(number), param.name.name.clone()))
        })
        .collect();
    for found in occurrences(snapshot.parse.program()) {
        if found.role == Role::Variable(Access::Write)
            && seen.insert((found.function, found.name.clone()))
        {
            let into = match found.function {
                Some(number) => &mut symbols[number].children,
                None => &mut main,
            };
            into.push(variable(snapshot, &found.name, found.range));
        }
    }
    symbols.extend(main);
    symbols.sort_by_key(|symbol| symbol.full_range);
    symbols
}

/// How a function is called: `(A, k) → (B)`.
#[must_use]
pub fn signature(function: &Function) -> String {
    let list = |params: &[Parameter]| {
        let names: Vec<&str> = params.iter().map(|param| &*param.name.name).collect();
        names.join(", ")
    };
    format!(
        "({}) → ({})",
        list(&function.params),
        list(&function.results)
    )
}

fn function(function: &Function) -> DocumentSymbol {
    let own = function.params.iter().chain(&function.results);
    DocumentSymbol {
        name: function.name.name.to_string(),
        detail: signature(function),
        kind: SymbolKind::Function,
        full_range: function.full_range,
        focus: function.name.range,
        children: own.map(parameter).collect(),
    }
}

fn parameter(param: &Parameter) -> DocumentSymbol {
    DocumentSymbol {
        name: param.name.name.to_string(),
        detail: param.ty.as_deref().unwrap_or_default().to_owned(),
        kind: SymbolKind::Parameter,
        full_range: param.name.range,
        focus: param.name.range,
        children: Vec::new(),
    }
}

fn sources(outline: &Outline) -> Vec<DocumentSymbol> {
    let one = |source: &crate::workspace::Source| {
        let shown = source.alias.as_ref().unwrap_or(&source.path);
        DocumentSymbol {
            name: shown.name.to_string(),
            detail: source.path.name.to_string(),
            kind: SymbolKind::Source,
            full_range: source.full_range,
            focus: shown.range,
            children: Vec::new(),
        }
    };
    outline.sources.iter().map(one).collect()
}

fn variable(snapshot: &Snapshot, name: &str, range: TextRange) -> DocumentSymbol {
    let detail = match snapshot.analysis.variable_at(range) {
        Some(fact) if fact.kind == ValueKind::Unknown => String::new(),
        Some(fact) if fact.kind == ValueKind::Matrix => {
            format!("{} {} x {}", fact.kind.name(), fact.ty.rows, fact.ty.cols)
        }
        Some(fact) => fact.kind.name().to_owned(),
        None => String::new(),
    };
    DocumentSymbol {
        name: name.to_owned(),
        detail,
        kind: SymbolKind::Variable,
        full_range: range,
        focus: range,
        children: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::snapshot;

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        fn show(text: &str, symbols: &[DocumentSymbol], depth: usize, out: &mut String) {
            for symbol in symbols {
                assert!(symbol.full_range.contains(symbol.focus), "{symbol:?}");
                assert!(!text[symbol.focus].is_empty(), "{symbol:?}");
                let indent = "  ".repeat(depth);
                let line = format!(
                    "{indent}{:?} {} {}",
                    symbol.kind, symbol.name, symbol.detail
                );
                out.push_str(line.trim_end());
                out.push('\n');
                show(text, &symbol.children, depth + 1, out);
            }
        }
        let mut out = String::new();
        show(text, &document_symbols(&snapshot(text)), 0, &mut out);
        expected.assert_eq(&out);
    }

    #[test]
    fn sources_functions_and_variables_are_listed() {
        check(
            "source(\"lib/losses.dml\") as losses\n\
             f = function(Matrix[Double] A, Double k = 2) return (Matrix[Double] B) {\n  s = sum(A)\n  B = A * k + s\n}\n\
             X = matrix(1, rows=3, cols=2)\nX = X + 1\nfor (i in 1:3) { y = f(X) }\n",
            &expect![[r#"
                Source losses lib/losses.dml
                Function f (A, k) → (B)
                  Parameter A Matrix[Double]
                  Parameter k Double
                  Parameter B Matrix[Double]
                  Variable s double
                Variable X matrix 3 x 2
                Variable i
                Variable y matrix 3 x 2
            "#]],
        );
    }

    #[test]
    fn a_broken_script_keeps_its_outline() {
        check(
            "x = 1\ny = x %*%\nf = function(Double a) return (Double b) {\n  b = a +\n}\n",
            &expect![[r#"
                Variable x int
                Variable y
                Function f (a) → (b)
                  Parameter a Double
                  Parameter b Double
            "#]],
        );
    }

    #[test]
    fn an_empty_script_has_none() {
        check("# nothing\n", &expect![""]);
    }
}
