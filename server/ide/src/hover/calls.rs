//! Hovers of what is called: builtins, functions of the script and of other scripts, named arguments, namespaces.

use std::fmt::Write;

use sumac_syntax::ast::{Call, Expr, ExprKind, Ident, StmtKind};
use sumac_syntax::walk::{Node, walk};

use super::value::Hover;
use crate::callable::{self, Callable};
use crate::files::{self, Files};
use crate::snapshot::Snapshot;

/// A namespace of more functions shows this many.
const MOST_FUNCTIONS: usize = 20;

/// The hover of a call's name, namespace or named argument.
pub(super) fn call(snapshot: &Snapshot, offset: usize, files: &dyn Files) -> Option<Hover> {
    let mut found = None;
    walk(snapshot.parse.program(), &mut |node| {
        if let Node::Expr(expr) = node
            && let ExprKind::Call(call) = &expr.kind
            && let Some(part) = part_at(call, offset)
        {
            found = Some((expr, call, part));
        }
    });
    let (expr, call, part) = found?;
    match part {
        Part::Namespace(name) => namespace(snapshot, name, files),
        Part::Name => {
            let mut markdown = called(snapshot, call, files)?.markdown();
            here(snapshot, expr, &mut markdown);
            Some(Hover {
                range: call.name.range,
                markdown,
            })
        }
        Part::Argument(name) => {
            let callable = called(snapshot, call, files)?;
            let param = callable.params.iter().find(|p| *p.name == *name.name)?;
            let mut markdown =
                format!("**`{}`** · parameter of `{}`\n", param.label, callable.name);
            if !param.docs.is_empty() {
                let _ = write!(markdown, "\n{}\n", param.docs);
            }
            Some(Hover {
                range: name.range,
                markdown,
            })
        }
    }
}

enum Part<'a> {
    Namespace(&'a Ident),
    Name,
    Argument(&'a Ident),
}

fn part_at(call: &Call, offset: usize) -> Option<Part<'_>> {
    let touched = |ident: &&Ident| !ident.range.is_empty() && ident.range.touches(offset);
    if touched(&&call.name) {
        return Some(Part::Name);
    }
    if let Some(namespace) = call.namespace.as_ref().filter(touched) {
        return Some(Part::Namespace(namespace));
    }
    let mut names = call.args.iter().filter_map(|arg| arg.name.as_ref());
    names.find(touched).map(Part::Argument)
}

fn called(snapshot: &Snapshot, call: &Call, files: &dyn Files) -> Option<Callable> {
    if let Some(namespace) = &call.namespace {
        let script = files::namespace(snapshot, &namespace.name, files)?;
        let def = callable::definition(script.program(), &call.name.name)?;
        return Some(Callable::of_function(&script, def, None).in_namespace(&namespace.name));
    }
    if let Some(def) = callable::definition(snapshot.parse.program(), &call.name.name) {
        return Some(Callable::of_function(&snapshot.parse, def, None));
    }
    sumac_builtins::find(&call.name.name).map(Callable::of_builtin)
}

/// What this very call gives.
fn here(snapshot: &Snapshot, expr: &Expr, markdown: &mut String) {
    let info = snapshot.analysis.type_at(expr.range);
    if let Some(facts) = info.and_then(callable::facts) {
        let _ = write!(markdown, "\nHere: {facts}\n");
    }
}

/// The hover of a namespace, or of the path that it is read from.
pub(super) fn source(snapshot: &Snapshot, offset: usize, files: &dyn Files) -> Option<Hover> {
    let mut statements = snapshot.parse.program().statements.iter();
    statements.find_map(|stmt| {
        let StmtKind::Source {
            path: Some(path),
            alias,
        } = &stmt.kind
        else {
            return None;
        };
        let alias = alias.as_ref();
        let touched = [Some(path.range), alias.map(|alias| alias.range)];
        let range = touched
            .into_iter()
            .flatten()
            .find(|range| range.touches(offset))?;
        let name = alias.map_or("", |alias| &*alias.name);
        let script = files.script(&path.value);
        Some(Hover {
            range,
            markdown: script_text(name, &path.value, script.as_ref()),
        })
    })
}

fn namespace(snapshot: &Snapshot, name: &Ident, files: &dyn Files) -> Option<Hover> {
    let paths = files::namespaces(snapshot.parse.program());
    let path = paths.get(&*name.name)?;
    let script = files.script(path);
    Some(Hover {
        range: name.range,
        markdown: script_text(&name.name, path, script.as_ref()),
    })
}

fn script_text(name: &str, path: &str, script: Option<&sumac_syntax::Parse>) -> String {
    let mut out = format!("**`{name}`** · namespace\n\n- File: `{path}`\n");
    let Some(script) = script else {
        out.push_str("- The file cannot be read.\n");
        return out;
    };
    let all: Vec<String> = callable::definitions(script.program())
        .map(|def| {
            Callable::of_function(script, def, None)
                .in_namespace(name)
                .label()
                .0
        })
        .collect();
    if !all.is_empty() {
        let shown = &all[..all.len().min(MOST_FUNCTIONS)];
        let _ = write!(out, "\n```systemds\n{}\n```\n", shown.join("\n"));
    }
    if all.len() > MOST_FUNCTIONS {
        let _ = writeln!(out, "\n… and {} more", all.len() - MOST_FUNCTIONS);
    }
    out
}
