//! Paths in a script that lead to files: sourced scripts, and data that is read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sumac_analysis::source_paths;
use sumac_syntax::Parse;
use sumac_syntax::ast::{Call, ExprKind, Literal, StmtKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use crate::workspace::{Outline, Source, Texts, Workspace, unquoted};

/// A path that leads to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocumentLink {
    /// What is between the quotes.
    pub range: TextRange,
    /// The file.
    pub target: PathBuf,
}

/// The links of a script in the order of its text. Files that are not there, or not to be looked at, have none. Where
/// data has only its header here, the link leads to that.
#[must_use]
pub fn document_links(
    workspace: Workspace<'_>,
    file: &Arc<Path>,
    parse: &Parse,
) -> Vec<DocumentLink> {
    let outline = Outline::of(parse);
    let mut links = Vec::new();
    let mut work_dir: Option<Arc<str>> = None;
    walk(parse.program(), &mut |node| {
        let found = match node {
            Node::Stmt(stmt) => match &stmt.kind {
                StmtKind::Source {
                    path: Some(path), ..
                } => sourced(workspace, file, &outline, path).map(|target| (path, target)),
                StmtKind::SetWd { path } => {
                    work_dir = path.as_ref().map(|path| path.value.clone());
                    None
                }
                _ => None,
            },
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => data(call).and_then(|path| {
                    let target = on_disk(workspace.texts, file, work_dir.as_deref(), path)?;
                    Some((path, target))
                }),
                _ => None,
            },
        };
        links.extend(found.map(|(path, target)| DocumentLink {
            range: unquoted(path),
            target,
        }));
    });
    links
}

fn sourced(
    workspace: Workspace<'_>,
    file: &Path,
    outline: &Outline,
    path: &Literal,
) -> Option<PathBuf> {
    let is_it = |source: &&Source| source.path.range == unquoted(path);
    let source = outline.sources.iter().find(is_it)?;
    let mut candidates = workspace.index.candidates(file, source).into_iter();
    candidates
        .find(|target| workspace.index.get(target).is_some() || workspace.texts.exists(target))
}

/// The path of `read("path", …)`.
fn data(call: &Call) -> Option<&Literal> {
    let is_read = call.namespace.is_none() && &*call.name.name == "read";
    let first = call
        .args
        .iter()
        .find(|arg| arg.name.is_none())
        .filter(|_| is_read)?;
    match &first.value.kind {
        ExprKind::Str(path) => Some(path),
        _ => None,
    }
}

/// Data lies where the script runs: in its own folder, or in the one that it changes to.
fn on_disk(
    texts: &dyn Texts,
    file: &Path,
    work_dir: Option<&str>,
    path: &Literal,
) -> Option<PathBuf> {
    source_paths(file, work_dir, &path.value, &[])
        .into_iter()
        .flat_map(|target| {
            let mut header = OsString::from(&target);
            header.push(".mtd");
            [target, header.into()]
        })
        .find(|target| texts.exists(target))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::fixture::{Files, name};

    #[track_caller]
    fn check(fixture: &str, expected: &Expect) {
        let files = Files::new(fixture);
        let file: Arc<Path> = Path::new("/w/a/main.dml").into();
        let parse = files.snapshot(&file).parse;
        let links = document_links(files.workspace(), &file, &parse);
        let lines = links
            .iter()
            .map(|link| format!("{} → {}\n", &parse.text()[link.range], name(&link.target)));
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn sources_and_data_that_are_there_have_links() {
        check(
            "//- a/main.dml\nsource(\"../lib/l.dml\") as l\nX = read(\"x.mtx\", rows=3)\nY = read('y.csv')\nZ = read(\"nowhere\")\nsource(\"nowhere.dml\") as n\nprint(\"x.mtx\")\n\
             //- lib/l.dml\ny = 1\n//- a/x.mtx\n1\n//- a/x.mtx.mtd\n{}\n//- a/y.csv.mtd\n{}\n",
            &expect![[r#"
                ../lib/l.dml → lib/l.dml
                x.mtx → a/x.mtx
                y.csv → a/y.csv.mtd
            "#]],
        );
    }

    #[test]
    fn data_is_looked_for_where_the_script_changes_to() {
        check(
            "//- a/main.dml\nsetwd(\"data\")\nX = read(\"x.mtx\")\nY = read(\"y.mtx\")\n//- a/data/x.mtx\n1\n//- y.mtx\n1\n",
            &expect![[r#"
                x.mtx → a/data/x.mtx
            "#]],
        );
    }
}
