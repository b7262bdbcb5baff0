//! Gives the thing under the cursor another name, in all files, or says what is in the way.
//!
//! A variable is renamed in its scope, with the `#@` lines that speak of it; a parameter also in the calls that name
//! it; a function in every file that calls it; a namespace in its file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sumac_syntax::ast::{ExprKind, StmtKind};
use sumac_syntax::walk::{Node, walk};
use sumac_syntax::{Parse, parse};
use sumac_text::{LineIndex, TextEdit, TextRange};

use crate::workspace::{FunctionRef, Occurrence, Role, Symbol, Workspace, occurrences};

/// The edits of each file, sorted by place.
pub type Edits = BTreeMap<Arc<Path>, Vec<TextEdit>>;

/// Whether what a cursor at `offset` of `file` touches can be renamed: its place and its name. `None` where nothing
/// has a name.
///
/// # Errors
/// It cannot, and why: text for the user.
pub fn prepare_rename(
    workspace: Workspace<'_>,
    file: &Arc<Path>,
    parse: &Parse,
    offset: usize,
) -> Result<Option<(TextRange, Arc<str>)>, String> {
    let Some((found, symbol)) = Symbol::at(workspace.index, file, parse, offset) else {
        return Ok(None);
    };
    let name = &found.name;
    match symbol {
        Symbol::Unknown(..) if sumac_builtins::find(name).is_some() => Err(format!(
            "`{name}` is a function of SystemDS; its name cannot be changed"
        )),
        Symbol::Unknown(..) => Err(format!(
            "no script of the workspace defines `{name}`, so it cannot be renamed; open the folder that holds it"
        )),
        Symbol::Argument(..) => Err(format!(
            "whoever runs the script calls this argument `${name}`; change it by hand, here and in the calls"
        )),
        Symbol::File(_) => Err(
            "this is the path of a file; rename the file and write its new path here".to_owned(),
        ),
        Symbol::Variable { .. }
        | Symbol::Function(_)
        | Symbol::Namespace(..)
        | Symbol::Size(..) => Ok(Some((found.range, found.name))),
    }
}

/// Whether scripts that nobody looked at may have the name that a cursor at `offset` of `file` touches.
#[must_use]
pub fn reaches_other_files(
    workspace: Workspace<'_>,
    file: &Arc<Path>,
    parse: &Parse,
    offset: usize,
) -> bool {
    let found = Symbol::at(workspace.index, file, parse, offset);
    found.is_some_and(|(_, symbol)| matches!(symbol, Symbol::Function(_)))
}

/// The edits that rename what a cursor at `offset` of `file` touches.
///
/// # Errors
/// It cannot be renamed so, and what is in the way: text for the user.
pub fn rename(
    workspace: Workspace<'_>,
    file: &Arc<Path>,
    parse: &Parse,
    offset: usize,
    new_name: &str,
) -> Result<Edits, String> {
    let Some((_, old)) = prepare_rename(workspace, file, parse, offset)? else {
        return Err("there is no name here that could be changed".to_owned());
    };
    let Some((_, symbol)) = Symbol::at(workspace.index, file, parse, offset) else {
        return Ok(Edits::new());
    };
    if *old == *new_name {
        return Ok(Edits::new());
    }
    check_name(new_name)?;
    check_free(workspace, &symbol, new_name)?;
    let found = symbol.everywhere(workspace);
    let mut edits = Edits::new();
    for place in found {
        let edit = TextEdit {
            range: place.location.range,
            new_text: new_name.to_owned(),
        };
        edits.entry(place.location.file).or_default().push(edit);
    }
    for file in touched(workspace, &symbol, &edits) {
        check_readable(workspace, &file, &old)?;
    }
    Ok(edits)
}

/// A name is one that the language takes for a variable, and that SystemDS has no function of.
fn check_name(name: &str) -> Result<(), String> {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !begins || name.contains(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        return Err(format!(
            "`{name}` is no name: a name begins with a letter and goes on with letters, digits and `_`"
        ));
    }
    let assigned = parse(format!("{name} = 1"));
    let is_target = |stmt: &sumac_syntax::ast::Stmt| matches!(&stmt.kind, StmtKind::Assign { target, .. } if *target.name.name == *name);
    if !assigned.errors().is_empty() || !assigned.program().statements.iter().all(is_target) {
        return Err(format!(
            "`{name}` is a word of the language; choose another name"
        ));
    }
    if sumac_builtins::find(name).is_some() {
        return Err(format!(
            "`{name}` is a function of SystemDS; choose another name"
        ));
    }
    Ok(())
}

/// Nothing of this name may be where the symbol is.
fn check_free(workspace: Workspace<'_>, symbol: &Symbol, name: &str) -> Result<(), String> {
    let Some(file) = symbol.file() else {
        return Ok(());
    };
    let Some(parse) = workspace.texts.parse(file) else {
        return Err(format!("{} cannot be read", file.display()));
    };
    let is_taken = |found: &&Occurrence| {
        *found.name == *name
            && match (symbol, &found.role) {
                (Symbol::Variable { function, .. }, Role::Variable(_)) => {
                    found.function == *function
                }
                (Symbol::Function(_), Role::Function | Role::Call { namespace: None })
                | (Symbol::Namespace(..), Role::Namespace(_))
                | (Symbol::Size(..), Role::Size(_)) => true,
                _ => false,
            }
    };
    let what = match symbol {
        Symbol::Function(_) => "function",
        Symbol::Namespace(..) => "namespace",
        Symbol::Size(..) => "size",
        _ => "variable",
    };
    match occurrences(parse.program()).iter().find(is_taken) {
        Some(taken) => Err(format!(
            "there is a {what} `{name}` already, at {}; choose another name",
            place(file, &parse, taken.range.start)
        )),
        None => Ok(()),
    }
}

/// The files that may name the symbol: those with an edit, and those that could call a function or name a parameter.
fn touched(workspace: Workspace<'_>, symbol: &Symbol, edits: &Edits) -> Vec<Arc<Path>> {
    let mut files: Vec<Arc<Path>> = edits.keys().cloned().collect();
    if let Symbol::Function(FunctionRef { file, .. })
    | Symbol::Variable {
        file,
        function: Some(_),
        ..
    } = symbol
    {
        files.extend(workspace.index.sourcing(file).cloned());
    }
    files.sort();
    files.dedup();
    files
}

/// In a file with errors, every mention of the name must be understood, and be of one scope only: where a brace is
/// missing, scopes are guesses.
fn check_readable(workspace: Workspace<'_>, file: &Arc<Path>, name: &str) -> Result<(), String> {
    if !workspace
        .index
        .get(file)
        .is_some_and(|outline| outline.is_broken)
    {
        return Ok(());
    }
    let Some(parse) = workspace.texts.parse(file) else {
        return Err(format!("{} cannot be read", file.display()));
    };
    let all = occurrences(parse.program());
    let mut named = all.iter().filter(|found| *found.name == *name);
    let several = named
        .next()
        .is_some_and(|first| named.any(|other| other.function != first.function));
    if several || let_slip(&parse, &all, name) {
        let error = parse.refusals().next().map_or(0, |error| error.range.start);
        return Err(format!(
            "{} cannot be read, so some `{name}` could be missed; mend it first",
            place(file, &parse, error)
        ));
    }
    Ok(())
}

/// Whether the text mentions the name where the syntax does not: not in a comment, not in a string.
fn let_slip(parse: &Parse, all: &[Occurrence], name: &str) -> bool {
    let mut known: Vec<TextRange> = all.iter().map(|found| found.range).collect();
    known.extend(parse.comments().iter().map(|comment| comment.range));
    walk(parse.program(), &mut |node| match node {
        Node::Expr(expr) if matches!(expr.kind, ExprKind::Str(_)) => known.push(expr.range),
        Node::Stmt(stmt) => match &stmt.kind {
            StmtKind::SetWd { .. } => known.push(stmt.range),
            StmtKind::Function(def) => {
                let types = def.params.iter().chain(&def.results);
                known.extend(types.filter_map(|param| Some(param.ty.as_ref()?.range)));
            }
            _ => {}
        },
        Node::Expr(_) => {}
    });
    let text = parse.text();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    text.match_indices(name).any(|(start, _)| {
        let range = TextRange::new(start, start + name.len());
        let is_word =
            !text[..range.start].ends_with(is_part) && !text[range.end..].starts_with(is_part);
        is_word && !known.iter().any(|known| known.contains(range))
    })
}

fn place(file: &Path, parse: &Parse, offset: usize) -> String {
    let line = LineIndex::new(parse.text().clone()).line(offset) + 1;
    let name = file.file_name().unwrap_or(file.as_os_str());
    format!("line {line} of {}", name.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::fixture::{Files, name};

    /// The files that change, after the change; or the refusal.
    #[track_caller]
    fn check(fixture: &str, new_name: &str, expected: &Expect) {
        let files = Files::new(fixture);
        let (file, offset) = files.cursor();
        let parse = files.snapshot(&file).parse;
        let shown = match rename(files.workspace(), &file, &parse, offset, new_name) {
            Err(refusal) => format!("refused: {refusal}\n"),
            Ok(edits) => edits
                .iter()
                .map(|(file, edits)| {
                    let text = sumac_text::apply_edits(files.text(file), edits);
                    format!("//- {}\n{text}", name(file))
                })
                .collect(),
        };
        expected.assert_eq(&shown);
    }

    const PROJECT: &str = "\
//- lib.dml
square = function(Matrix[Double] A) return (Double s) {
  s = sum(A^2) # A squared
}
cube = function(Double a) return (Double s) { s = a^3 }
//- main.dml
source(\"lib.dml\") as lib
#@ A: 10 x 2
A = rand(rows=10, cols=2)
loss = lib::square(A = A)
";

    #[test]
    fn a_variable_is_renamed_in_its_scope_and_in_facts() {
        check(
            &PROJECT.replace("A = rand", "$0A = rand"),
            "X",
            &expect![[r#"
                //- main.dml
                source("lib.dml") as lib
                #@ X: 10 x 2
                X = rand(rows=10, cols=2)
                loss = lib::square(A = X)
            "#]],
        );
    }

    #[test]
    fn a_parameter_is_renamed_in_calls_that_name_it_from_both_ends() {
        let renamed = expect![[r#"
            //- lib.dml
            square = function(Matrix[Double] X) return (Double s) {
              s = sum(X^2) # A squared
            }
            cube = function(Double a) return (Double s) { s = a^3 }
            //- main.dml
            source("lib.dml") as lib
            #@ A: 10 x 2
            A = rand(rows=10, cols=2)
            loss = lib::square(X = A)
        "#]];
        check(&PROJECT.replace("sum(A", "sum($0A"), "X", &renamed);
        check(&PROJECT.replace("(A = A", "($0A = A"), "X", &renamed);
    }

    #[test]
    fn a_function_is_renamed_in_all_files_and_a_namespace_in_one() {
        check(
            &PROJECT.replace("::square", "::$0square"),
            "frobenius",
            &expect![[r#"
                //- lib.dml
                frobenius = function(Matrix[Double] A) return (Double s) {
                  s = sum(A^2) # A squared
                }
                cube = function(Double a) return (Double s) { s = a^3 }
                //- main.dml
                source("lib.dml") as lib
                #@ A: 10 x 2
                A = rand(rows=10, cols=2)
                loss = lib::frobenius(A = A)
            "#]],
        );
        check(
            &PROJECT.replace("as lib", "as $0lib"),
            "losses",
            &expect![[r#"
                //- main.dml
                source("lib.dml") as losses
                #@ A: 10 x 2
                A = rand(rows=10, cols=2)
                loss = losses::square(A = A)
            "#]],
        );
    }

    #[test]
    fn what_is_in_the_way_is_named() {
        let main = |from: &str, to: &str| PROJECT.replace(from, to);
        let variable = main("A = rand", "$0A = rand");
        check(
            &variable,
            "loss",
            &expect![[r#"
            refused: there is a variable `loss` already, at line 4 of main.dml; choose another name
        "#]],
        );
        check(
            &variable,
            "sum",
            &expect![[r#"
            refused: `sum` is a function of SystemDS; choose another name
        "#]],
        );
        check(
            &variable,
            "while",
            &expect![[r#"
            refused: `while` is a word of the language; choose another name
        "#]],
        );
        check(
            &variable,
            "2x",
            &expect![[r#"
            refused: `2x` is no name: a name begins with a letter and goes on with letters, digits and `_`
        "#]],
        );
        check(
            &main("::square", "::$0square"),
            "cube",
            &expect![[r#"
            refused: there is a function `cube` already, at line 4 of lib.dml; choose another name
        "#]],
        );
    }

    #[test]
    fn what_has_no_name_of_its_own_is_refused() {
        check(
            "x = $0sum(matrix(1, 2, 2))\n",
            "total",
            &expect![[r#"
            refused: `sum` is a function of SystemDS; its name cannot be changed
        "#]],
        );
        check(
            "x = $$0rank\n",
            "k",
            &expect![[r#"
            refused: whoever runs the script calls this argument `$rank`; change it by hand, here and in the calls
        "#]],
        );
        check(
            "x = $01\n",
            "y",
            &expect![[r#"
            refused: there is no name here that could be changed
        "#]],
        );
    }

    #[test]
    fn a_broken_file_is_left_alone_where_a_name_could_be_missed() {
        check(
            "x = 1\ny = x %*% ) x x\nz = $0x\n",
            "w",
            &expect![[r#"
            refused: line 2 of main.dml cannot be read, so some `x` could be missed; mend it first
        "#]],
        );
        check(
            "x = 1\ny = 2 %*%\nz = $0x # x\n",
            "w",
            &expect![[r#"
            //- main.dml
            w = 1
            y = 2 %*%
            z = w # x
        "#]],
        );
    }

    #[test]
    fn the_same_name_changes_nothing() {
        check("$0x = 1\n", "x", &expect![""]);
    }
}
