//! A result that does not have the kind that its function declares. SystemDS turns a whole number into a double, and nothing else.

use sumac_syntax::ast::{FunctionDef, Param, StmtKind};
use sumac_syntax::walk::{Node, walk_stmt};

use crate::analyzer::{Analyzer, Var};
use crate::names;
use crate::params::declared;
use crate::result::{Severity, codes};
use crate::value::ValueKind;

impl Analyzer<'_> {
    /// Tells of results whose values are not what the function declares; it ends here.
    pub(crate) fn check_results(&mut self, def: &FunctionDef) {
        for result in &def.results {
            let wants = declared(result).kind;
            let Some(var) = self.env.get(&result.name.name).cloned() else {
                continue;
            };
            let is_mixed_integer = wants == ValueKind::Int && self.is_mixed(def, &var);
            if !takes(wants, &var) && !is_mixed_integer {
                self.report_result(def, result, wants, &var);
            }
        }
    }

    /// Whether a double may come of a variable that is an integer on one path and a double on another: SystemDS goes by one of them.
    fn is_mixed(&self, def: &FunctionDef, var: &Var) -> bool {
        let mut found = false;
        for stmt in def.body.iter().flat_map(|body| &body.statements) {
            walk_stmt(stmt, &mut |node| {
                let Node::Stmt(stmt) = node else { return };
                let StmtKind::Assign { target, value, .. } = &stmt.kind else {
                    return;
                };
                if var.defs.contains(&target.name.range) {
                    names::for_each_read(value, &mut |ident| {
                        let read = self.env.get(&ident.name);
                        found |= read.is_some_and(|read| {
                            read.info.kind == ValueKind::Double && read.defs.len() > 1
                        });
                    });
                }
            });
        }
        found
    }

    fn report_result(&mut self, def: &FunctionDef, result: &Param, wants: ValueKind, var: &Var) {
        let (name, found) = (&result.name.name, var.info.kind);
        let message = format!(
            "`{}` declares {} as its result `{name}`, and its value is {}; {}",
            def.name.name,
            wants.with_article(),
            found.with_article(),
            way_out(wants, found, name),
        );
        let related = var
            .defs
            .iter()
            .map(|def| (*def, format!("`{name}` gets its value here")));
        let related: Vec<_> = related
            .filter(|(def, _)| *def != result.name.range)
            .collect();
        self.report_with(
            Severity::Error,
            codes::RESULT_KIND,
            result.range,
            message,
            related,
        );
    }
}

fn takes(wants: ValueKind, var: &Var) -> bool {
    match (wants, var.info.kind) {
        (ValueKind::Unknown, _) | (_, ValueKind::Unknown) => true,
        (wants, found) if wants == found => true,
        (ValueKind::Double, ValueKind::Int | ValueKind::Scalar) => true,
        (ValueKind::Int, ValueKind::Scalar) => true,
        // Where the one or the other value arrives, SystemDS goes by one of them.
        (ValueKind::Int, ValueKind::Double) => var.defs.len() > 1,
        (ValueKind::Bool | ValueKind::String | ValueKind::Scalar, found) => found.is_scalar(),
        _ => false,
    }
}

fn way_out(wants: ValueKind, found: ValueKind, name: &str) -> String {
    match (wants, found) {
        (ValueKind::Int, ValueKind::Double) => {
            format!("write `{name} = as.integer(…)`, or declare a double")
        }
        (ValueKind::Int, ValueKind::Bool) => {
            format!("write `{name} = as.integer(…)`, or declare a boolean")
        }
        (ValueKind::Double, ValueKind::Bool) => {
            format!("write `{name} = as.double(…)`, or declare a boolean")
        }
        (wants, ValueKind::Matrix) if wants.is_scalar() => {
            format!("write `{name} = as.scalar(…)`, or declare a matrix")
        }
        (ValueKind::Matrix, found) if found.is_scalar() => {
            format!("write `{name} = as.matrix(…)`, or declare a scalar")
        }
        _ => format!("declare {}", found.with_article()),
    }
}
