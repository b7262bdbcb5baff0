//! What made the value under the cursor: for a call of a script's function, and for a variable that is assigned from
//! one, the function.

use std::path::Path;
use std::sync::Arc;

use sumac_syntax::ast::{Call, Expr, ExprKind, StmtKind, Target as Assigned};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use crate::definition::{Target, definition, of_function};
use crate::snapshot::Snapshot;
use crate::workspace::{Index, Symbol, Workspace};

/// The functions that make the value at `offset` of `file`, with the place that they are of.
#[must_use]
pub fn type_definition(
    workspace: Workspace<'_>,
    file: &Arc<Path>,
    snapshot: &Snapshot,
    offset: usize,
) -> Option<(TextRange, Vec<Target>)> {
    let (found, symbol) = Symbol::at(workspace.index, file, &snapshot.parse, offset)?;
    let mut targets = match symbol {
        Symbol::Function(function) => of_function(workspace.index, &function),
        Symbol::Variable { file: own, .. } if own == *file => {
            let (_, assigned) = definition(workspace, file, snapshot, offset)?;
            let places: Vec<TextRange> = assigned.iter().map(|target| target.focus).collect();
            makers(workspace.index, file, snapshot, &places)
        }
        _ => Vec::new(),
    };
    targets.dedup();
    (!targets.is_empty()).then_some((found.range, targets))
}

/// The functions whose results the assignments to `places` take.
fn makers(index: &Index, file: &Path, snapshot: &Snapshot, places: &[TextRange]) -> Vec<Target> {
    let mut found = Vec::new();
    walk(snapshot.parse.program(), &mut |node| {
        let Node::Stmt(stmt) = node else { return };
        let (targets, value): (&[Assigned], &Expr) = match &stmt.kind {
            StmtKind::Assign { target, value, .. } => (std::slice::from_ref(target), value),
            StmtKind::MultiAssign { targets, value } => (targets, value),
            _ => return,
        };
        if !targets
            .iter()
            .any(|target| places.contains(&target.name.range))
        {
            return;
        }
        if let Some(call) = call(value) {
            let namespace = call.namespace.as_ref().map(|ident| &*ident.name);
            if let Some(function) = index.called(file, namespace, &call.name.name) {
                found.extend(of_function(index, &function));
            }
        }
    });
    found
}

fn call(value: &Expr) -> Option<&Call> {
    match &value.kind {
        ExprKind::Paren(inner) => call(inner),
        ExprKind::Call(call) => Some(call),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::Location;
    use crate::workspace::fixture::Files;

    #[track_caller]
    fn check(main: &str, expected: &Expect) {
        let library = "//- l.dml\nf = function(Double a) return (Double b, Double c) {\n  b = a\n  c = a\n}\n";
        let files = Files::new(&format!(
            "{library}//- main.dml\nsource(\"l.dml\") as l\n{main}"
        ));
        let (file, offset) = files.cursor();
        let snapshot = files.snapshot(&file);
        let found = type_definition(files.workspace(), &file, &snapshot, offset);
        let targets = found.map(|(_, targets)| targets).unwrap_or_default();
        let places = targets.into_iter().map(|target| Location {
            file: target.file,
            range: target.focus,
        });
        expected.assert_eq(&files.show(places));
    }

    #[test]
    fn calls_and_their_variables_lead_to_the_function() {
        let function = expect![[r#"
            l.dml:1: [f] = function(Double a) return (Double b, Double c) {
        "#]];
        check("y = l::$0f(1)\n", &function);
        check("y = l::f(1)\nprint($0y)\n", &function);
        check("[y, z] = l::f(1)\nprint($0z)\n", &function);
    }

    #[test]
    fn other_values_lead_nowhere() {
        check("y = 1 + 2\nprint($0y)\n", &expect![""]);
        check("y = sum(matrix(1, 2, 2))\nprint($0y)\n", &expect![""]);
    }
}
