//! What a main program brings in from other files, as it is written. Where that leads is not for this module.

use std::sync::Arc;

use sumac_syntax::ast::{Program, StmtKind};
use sumac_syntax::walk::{Node, walk};

/// What decides where a namespace leads, in source order.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Import {
    /// From here on, sourced paths start in this folder.
    WorkingDir(Arc<str>),
    /// `source("path") as alias`.
    Source { path: Arc<str>, alias: Arc<str> },
}

/// What a main program brings in. As SystemDS has it, the last `setwd` before a `source` counts.
pub(crate) fn imports(main: &Program) -> Vec<Import> {
    let mut found = Vec::new();
    walk(main, &mut |node| {
        let Node::Stmt(stmt) = node else { return };
        match &stmt.kind {
            StmtKind::SetWd { path: Some(path) } => {
                found.push(Import::WorkingDir(Arc::clone(&path.value)));
            }
            StmtKind::Source {
                path: Some(path),
                alias: Some(alias),
            } => found.push(Import::Source {
                path: Arc::clone(&path.value),
                alias: Arc::clone(&alias.name),
            }),
            _ => {}
        }
    });
    found
}
