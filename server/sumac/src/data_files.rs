//! Which file a script reads a variable from. Looks at the program only; opens nothing.

use std::collections::BTreeMap;

use sumac_syntax::ast::{BinaryOp, Block, Expr, ExprKind, FactKind, Program, Stmt, StmtKind};

use crate::script::Stated;

/// The path, as the script writes it, of each variable that the main program assigns once, by a `read` whose path
/// is text that is known before the run.
#[must_use]
pub fn of_variables(program: &Program, stated: &Stated) -> BTreeMap<String, String> {
    let mut assigned: BTreeMap<&str, Vec<Option<&Expr>>> = BTreeMap::new();
    collect(&program.statements, &mut assigned);
    let args = arguments(program, stated);
    assigned
        .into_iter()
        .filter_map(|(name, values)| match values.as_slice() {
            [Some(value)] => Some((name.to_owned(), text(read_path(value)?, &args)?)),
            _ => None,
        })
        .collect()
}

/// The values of `$` arguments: those of `#@` lines, then those stated outside, which win.
fn arguments(program: &Program, stated: &Stated) -> BTreeMap<String, String> {
    let (facts, given) = stated.about(&program.facts);
    let facts = program.facts.iter().chain(&facts);
    let mut args: BTreeMap<String, String> = facts
        .filter_map(|fact| match &fact.kind {
            FactKind::Arg { name, value } => {
                Some((name.name.to_string(), text(value, &BTreeMap::new())?))
            }
            _ => None,
        })
        .collect();
    args.extend(given);
    args
}

fn collect<'a>(statements: &'a [Stmt], acc: &mut BTreeMap<&'a str, Vec<Option<&'a Expr>>>) {
    let mut block = |block: &'a Block| collect(&block.statements, acc);
    for statement in statements {
        match &statement.kind {
            StmtKind::If {
                then, otherwise, ..
            } => {
                block(then);
                otherwise.iter().for_each(&mut block);
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => block(body),
            _ => {}
        }
    }
    for statement in statements {
        match &statement.kind {
            StmtKind::Assign { target, value, .. } => {
                let whole = target.index.is_none().then_some(value);
                acc.entry(&target.name.name).or_default().push(whole);
            }
            StmtKind::MultiAssign { targets, .. } => {
                for target in targets {
                    acc.entry(&target.name.name).or_default().push(None);
                }
            }
            StmtKind::For { var, .. } => acc.entry(&var.name).or_default().push(None),
            _ => {}
        }
    }
}

/// The path of `read(path, …)`.
fn read_path(value: &Expr) -> Option<&Expr> {
    match &value.kind {
        ExprKind::Paren(inner) => read_path(inner),
        ExprKind::Call(call) if &*call.name.name == "read" && call.namespace.is_none() => call
            .args
            .iter()
            .find(|arg| arg.name.is_none())
            .map(|arg| &arg.value),
        _ => None,
    }
}

/// Text that is known before the run.
fn text(expr: &Expr, args: &BTreeMap<String, String>) -> Option<String> {
    match &expr.kind {
        ExprKind::Str(literal) => Some(literal.value.to_string()),
        ExprKind::Arg(name) => args.get(&*name.name).cloned(),
        ExprKind::Paren(inner) => text(inner, args),
        ExprKind::Binary(BinaryOp::Add, a, b) => Some(text(a, args)? + &text(b, args)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(script: &str, args: &[(&str, &str)]) -> Vec<(String, String)> {
        let parse = sumac_syntax::parse(script);
        let args = args
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        let stated = Stated {
            args,
            ..Stated::default()
        };
        of_variables(parse.program(), &stated).into_iter().collect()
    }

    fn pair(name: &str, path: &str) -> (String, String) {
        (name.to_owned(), path.to_owned())
    }

    #[test]
    fn paths_are_literals_arguments_or_their_sums() {
        let script =
            "#@ $dir = \"data\"\nX = read(\"x.mtx\")\nU = read($dir + \"/u.mtx\")\nV = read($V)\n";
        assert_eq!(
            files(script, &[]),
            [pair("U", "data/u.mtx"), pair("X", "x.mtx")]
        );
        assert_eq!(
            files(script, &[("V", "v.csv"), ("dir", "d")])[..2],
            [pair("U", "d/u.mtx"), pair("V", "v.csv")]
        );
    }

    #[test]
    fn a_variable_that_changes_is_no_file() {
        assert_eq!(files("X = read(\"x.mtx\")\nX = X + 1\n", &[]), []);
        assert_eq!(
            files("X = read(\"x.mtx\")\nif (TRUE) { X[1, 1] = 0 }\n", &[]),
            []
        );
        assert_eq!(files("X = rand(rows=2, cols=2)\n", &[]), []);
    }
}
