//! Where the thing under the cursor comes from.
//!
//! A variable leads to the assignments whose value may arrive here, a function to its definition in whatever file,
//! a namespace to its `source` statement, and the path of a `source` statement to the file.

use std::path::Path;
use std::sync::Arc;

use sumac_text::TextRange;

use crate::snapshot::Snapshot;
use crate::workspace::{
    Access, Function, FunctionRef, Index, Location, Occurrence, Role, Symbol, Workspace,
};

/// Where a definition stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// The file.
    pub file: Arc<Path>,
    /// All of it, such as the whole function.
    pub full_range: TextRange,
    /// The name in it.
    pub focus: TextRange,
}

/// The definitions of what a cursor at `offset` of `file` touches, with the place that they are of.
#[must_use]
pub fn definition(
    workspace: Workspace<'_>,
    file: &Arc<Path>,
    snapshot: &Snapshot,
    offset: usize,
) -> Option<(TextRange, Vec<Target>)> {
    let (found, symbol) = Symbol::at(workspace.index, file, &snapshot.parse, offset)?;
    let targets = match &symbol {
        Symbol::Function(function) => of_function(workspace.index, function),
        Symbol::File(target) => vec![start_of(target)],
        Symbol::Namespace(..) if found.role == Role::Namespace(Access::Write) => {
            let behind = workspace.index.behind(file, Some(&found.name))?;
            vec![start_of(behind)]
        }
        Symbol::Variable { file: own, .. } if own == file => {
            let arriving = arriving(snapshot, &found);
            if arriving.is_empty() {
                given(&symbol, workspace)
            } else {
                let target = |focus| Target {
                    file: file.clone(),
                    full_range: focus,
                    focus,
                };
                arriving.into_iter().map(target).collect()
            }
        }
        _ => given(&symbol, workspace),
    };
    (!targets.is_empty()).then_some((found.range, targets))
}

/// The definition of a function.
pub(crate) fn of_function(index: &Index, wanted: &FunctionRef) -> Vec<Target> {
    let own = index
        .get(&wanted.file)
        .into_iter()
        .flat_map(|outline| &outline.functions);
    let target = |function: &Function| Target {
        file: wanted.file.clone(),
        full_range: function.full_range,
        focus: function.name.range,
    };
    own.filter(|function| function.name.name == wanted.name)
        .map(target)
        .collect()
}

/// The definitions of a variable that reach this place.
fn arriving(snapshot: &Snapshot, found: &Occurrence) -> Vec<TextRange> {
    let known = |name: &&sumac_analysis::NameUse| name.range == found.range;
    let name = snapshot.analysis.name_at(found.range.start).filter(known);
    match name {
        Some(name) if name.is_definition => vec![name.range],
        Some(name) => name.definitions.clone(),
        None => Vec::new(),
    }
}

/// Every place that gives the symbol its value; without one, every place that states something of it.
fn given(symbol: &Symbol, workspace: Workspace<'_>) -> Vec<Target> {
    let all = symbol.everywhere(workspace);
    let of = |wanted: &[Access]| -> Vec<Target> {
        let places = all.iter().filter(|found| wanted.contains(&found.access));
        places
            // The names of arguments in calls write a parameter, and do not define it.
            .filter(|found| Some(&found.location.file) == symbol.file())
            .map(|found| at(&found.location))
            .collect()
    };
    [&[Access::Declare][..], &[Access::Write], &[Access::State]]
        .into_iter()
        .map(of)
        .find(|targets| !targets.is_empty())
        .unwrap_or_default()
}

fn at(location: &Location) -> Target {
    Target {
        file: location.file.clone(),
        full_range: location.range,
        focus: location.range,
    }
}

fn start_of(file: &Arc<Path>) -> Target {
    Target {
        file: file.clone(),
        full_range: TextRange::default(),
        focus: TextRange::default(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::fixture::Files;

    #[track_caller]
    fn check(fixture: &str, expected: &Expect) {
        let files = Files::new(fixture);
        let (file, offset) = files.cursor();
        let snapshot = files.snapshot(&file);
        let found = definition(files.workspace(), &file, &snapshot, offset);
        let targets = found.map(|(_, targets)| targets).unwrap_or_default();
        let places = targets.into_iter().map(|target| Location {
            file: target.file,
            range: target.focus,
        });
        expected.assert_eq(&files.show(places));
    }

    #[test]
    fn a_variable_leads_to_the_assignments_that_arrive() {
        check(
            "x = 1\nif (x > 0) x = 2 else x = 3\nprint($0x)\nx = 4\n",
            &expect![[r#"
                main.dml:2: if (x > 0) [x] = 2 else x = 3
                main.dml:2: if (x > 0) x = 2 else [x] = 3
            "#]],
        );
    }

    #[test]
    fn a_function_leads_to_its_definition_here_and_elsewhere() {
        check(
            "f = function(Double a) return (Double b) {\n  b = a\n}\ny = $0f(1)\n",
            &expect![[r#"
                main.dml:1: [f] = function(Double a) return (Double b) {
            "#]],
        );
        check(
            "//- lib/losses.dml\nf = function(Double a) return (Double b) {\n  b = a\n}\n\
             //- main.dml\nsource(\"lib/losses.dml\") as l\ny = l::f$0(1)\n",
            &expect![[r#"
                lib/losses.dml:1: [f] = function(Double a) return (Double b) {
            "#]],
        );
    }

    #[test]
    fn a_named_argument_leads_to_the_parameter() {
        check(
            "//- l.dml\nf = function(Double a, Double k = 2) return (Double b) {\n  b = a * k\n}\n\
             //- main.dml\nsource(\"l.dml\") as l\nk = 1\ny = l::f(1, $0k = k)\n",
            &expect![[r#"
                l.dml:1: f = function(Double a, Double [k] = 2) return (Double b) {
            "#]],
        );
    }

    #[test]
    fn a_namespace_leads_to_its_statement_and_that_to_the_file() {
        let check_at = |from: &str, to: &str, expected: Expect| {
            let script = "//- l.dml\nf = function() return (Double b) {\n  b = 1\n}\n//- main.dml\nsource(\"l.dml\") as l\ny = l::f()\n";
            check(&script.replace(from, to), &expected);
        };
        check_at(
            "= l::f",
            "= $0l::f",
            expect![[r#"
            main.dml:1: source("l.dml") as [l]
        "#]],
        );
        check_at(
            "as l",
            "as $0l",
            expect![[r#"
            l.dml:1: []f = function() return (Double b) {
        "#]],
        );
        check_at(
            "(\"l.",
            "(\"$0l.",
            expect![[r#"
            l.dml:1: []f = function() return (Double b) {
        "#]],
        );
    }

    #[test]
    fn what_only_a_fact_speaks_of_leads_to_its_assignments() {
        check(
            "#@ $0X: 10 x 20\nX = read($X)\nX = X + 1\n",
            &expect![[r#"
                main.dml:2: [X] = read($X)
                main.dml:3: [X] = X + 1
            "#]],
        );
    }

    #[test]
    fn functions_of_systemds_and_plain_text_lead_nowhere() {
        check("x = $0sum(matrix(1, 2, 2))\n", &expect![""]);
        check("x = 1$0 + 2\n", &expect![""]);
        check("source(\"$0nowhere.dml\") as n\n", &expect![""]);
    }

    #[test]
    fn a_broken_script_still_leads_somewhere() {
        check(
            "x = 1\ny = x %*%\nz = $0x\n",
            &expect![[r#"
                main.dml:1: [x] = 1
            "#]],
        );
    }
}
