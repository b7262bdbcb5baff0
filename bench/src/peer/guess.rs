//! Values for the `$` arguments of a script, guessed from how it uses them, so that it can be compiled at all.
//!
//! It never looks at what a script is for: an argument of `read` is a matrix with metadata, one of `write` a path, one
//! that is compared with text is that text, and any other is a number.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sumac_syntax::ast::{BinaryOp, Call, Expr, ExprKind, Program, StmtKind};
use sumac_syntax::walk::{Node, walk};

/// What inputs are like: some scripts want other sizes than others do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    rows: u64,
    cols: u64,
    /// Whether an input is a column where its variable's name says so.
    columns: bool,
    number: &'static str,
}

/// Tried in this order, until SystemDS accepts a script. Unequal sides first: equal ones hide a wrong transpose.
pub(crate) const GUESSES: [Guess; 5] = [
    Guess {
        rows: 60,
        cols: 40,
        columns: true,
        number: "7",
    },
    Guess {
        rows: 60,
        cols: 40,
        columns: false,
        number: "7",
    },
    Guess {
        rows: 50,
        cols: 50,
        columns: false,
        number: "50",
    },
    Guess {
        rows: 50,
        cols: 1,
        columns: false,
        number: "1",
    },
    Guess {
        rows: 60,
        cols: 40,
        columns: false,
        number: "TRUE",
    },
];

const KINDS: [&str; 3] = ["matrix", "frame", "scalar"];
const FORMATS: [&str; 5] = ["text", "csv", "mm", "binary", "libsvm"];

/// A folder of made-up inputs: empty files with metadata.
pub(crate) struct Inputs {
    folder: PathBuf,
}

impl Inputs {
    /// Writes the inputs of every guess into `folder`.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub(crate) fn create(folder: &Path) -> Result<Self> {
        let inputs = Inputs {
            folder: folder.to_owned(),
        };
        fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
        fs::write(inputs.folder.join("none"), "")?;
        let columns = GUESSES.iter().map(|guess| Guess { cols: 1, ..*guess });
        for guess in GUESSES.iter().copied().chain(columns) {
            for kind in KINDS {
                for format in FORMATS {
                    let file = inputs.file(&guess, kind, format);
                    let (rows, cols) = (guess.rows, guess.cols);
                    let size = if kind == "scalar" {
                        String::new()
                    } else {
                        format!(r#""rows": {rows}, "cols": {cols}, "#)
                    };
                    let metadata = format!(
                        r#"{{"data_type": "{kind}", "value_type": "double", {size}"format": "{format}"}}"#
                    );
                    fs::write(format!("{file}.mtd"), metadata)?;
                    fs::write(file, "")?;
                }
            }
        }
        Ok(inputs)
    }

    fn file(&self, guess: &Guess, kind: &str, format: &str) -> String {
        let name = format!("{kind}-{}x{}.{format}", guess.rows, guess.cols);
        self.folder.join(name).to_string_lossy().into_owned()
    }

    /// A value for each argument that the script cannot do without.
    pub(crate) fn arguments(&self, program: &Program, guess: &Guess) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        let mut told = BTreeMap::new();
        let mut optional = BTreeMap::new();
        // `y = read($y)` is a column, `X = read($X)` a matrix: that is how people name them.
        let mut columns = BTreeSet::new();
        walk(program, &mut |node| {
            let expr = match node {
                Node::Expr(expr) => expr,
                Node::Stmt(stmt) => {
                    if let StmtKind::Assign { target, value, .. } = &stmt.kind
                        && (target.name.name.starts_with(char::is_lowercase)
                            || &*target.name.name == "Y")
                        && let ExprKind::Call(call) = &value.kind
                    {
                        columns.extend(call.args.first().and_then(|arg| argument(&arg.value)));
                    }
                    return;
                }
            };
            match &expr.kind {
                ExprKind::Arg(ident) => {
                    *all.entry(ident.name.to_string()).or_insert(0_usize) += 1;
                }
                ExprKind::Call(call) if &*call.name.name == "ifdef" => {
                    if let Some(name) = call.args.first().and_then(|arg| argument(&arg.value)) {
                        *optional.entry(name).or_insert(0_usize) += 1;
                    }
                }
                ExprKind::Call(call) => {
                    let file = call.args.first().and_then(|arg| argument(&arg.value));
                    let is_column = guess.columns && file.is_some_and(|f| columns.contains(&f));
                    let cols = if is_column { 1 } else { guess.cols };
                    self.of_call(call, &Guess { cols, ..*guess }, &mut told);
                }
                ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => {
                    if let (Some(name), ExprKind::Str(text)) = (argument(left), &right.kind) {
                        told.insert(name, text.value.to_string());
                    }
                }
                _ => {}
            }
        });
        all.into_iter()
            .filter(|(name, uses)| optional.get(name) != Some(uses))
            .map(|(name, _)| {
                let value = told.get(&name).cloned();
                let value = value.unwrap_or_else(|| guess.number.to_owned());
                (name, value)
            })
            .collect()
    }

    fn of_call(&self, call: &Call, guess: &Guess, told: &mut BTreeMap<String, String>) {
        let named = |name: &str| {
            call.args
                .iter()
                .find(|arg| arg.name.as_ref().is_some_and(|n| &*n.name == name))
                .map(|arg| &arg.value)
        };
        let literal = |name: &str, or: &str| match named(name).map(|e| &e.kind) {
            Some(ExprKind::Str(text)) => text.value.to_string(),
            _ => or.to_owned(),
        };
        let path = match &*call.name.name {
            "read" => {
                let (kind, format) = (literal("data_type", "matrix"), literal("format", "text"));
                let open = named("rows").or(named("format"));
                if open.is_some_and(|e| !matches!(e.kind, ExprKind::Str(_))) {
                    // Its own arguments say all, and metadata could only contradict them.
                    self.folder.join("none").to_string_lossy().into_owned()
                } else {
                    self.file(guess, &kind, &format)
                }
            }
            "write" => self.folder.join("out").to_string_lossy().into_owned(),
            _ => return,
        };
        let at = usize::from(&*call.name.name == "write");
        if let Some(name) = call.args.get(at).and_then(|arg| argument(&arg.value)) {
            told.insert(name, path);
        }
        for (parameter, value) in [
            ("format", "csv"),
            ("sep", ","),
            ("header", "FALSE"),
            ("data_type", "matrix"),
            ("value_type", "double"),
        ] {
            if let Some(name) = named(parameter).and_then(argument) {
                told.insert(name, value.to_owned());
            }
        }
    }
}

fn argument(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Arg(ident) => Some(ident.name.to_string()),
        ExprKind::Paren(inner) => argument(inner),
        _ => None,
    }
}
