//! A test script of SystemDS made ready to be run: holes filled, arguments and inputs made up, random numbers seeded.
//!
//! Whatever is made up is the same for both sides, so that what they write must be equal. It never changes what a script
//! computes of its inputs, and never runs anything. `{out}` in a text or a value stands for the folder of a side.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sumac_syntax::ast::{BinaryOp, Call, Expr, ExprKind, StmtKind};
use sumac_syntax::parse;
use sumac_syntax::walk::{Node, walk};

use super::inputs::{self, Input};

/// What is made up: some scripts want other sizes and numbers than others do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// Whether an input is a column where its variable's name says so.
    pub(super) columns: bool,
    /// Any argument of which nothing is known.
    pub(super) number: &'static str,
    /// Whether inputs are whole numbers from 1 to 9.
    pub(super) whole: bool,
}

/// Tried in this order, until SystemDS runs a script. Unequal sides first: equal ones hide a wrong transpose.
#[rustfmt::skip]
pub(super) const TRIALS: [Trial; 8] = [
    Trial { rows: 60, cols: 40, columns: true,  number: "7",    whole: false },
    Trial { rows: 60, cols: 40, columns: false, number: "1",    whole: false },
    Trial { rows: 50, cols: 50, columns: false, number: "50",   whole: false },
    Trial { rows: 50, cols: 1,  columns: false, number: "TRUE", whole: false },
    Trial { rows: 60, cols: 40, columns: false, number: "+",    whole: false },
    Trial { rows: 50, cols: 1,  columns: false, number: "2",    whole: true  },
    Trial { rows: 50, cols: 1,  columns: false, number: "50",   whole: true  },
    Trial { rows: 1,  cols: 1,  columns: false, number: "1",    whole: false },
];

/// What stands in the holes `$$name$$` of scripts that SystemDS's test classes fill.
const HOLES: &[(&str, &str)] = &[
    ("readhelper", "Helper = matrix(1, rows=1, cols=1);"),
    ("outdir", "{out}/"),
    ("indir", "{in}/"),
    ("summand", "7"),
    ("minuend", "7"),
    ("subtrahend", "2.5"),
    ("factor", "2.5"),
    ("divisor", "2.5"),
    ("dividend", "7"),
    ("int", "7"),
    ("double", "7.5"),
    ("negativeint", "-7"),
    ("negativedouble", "-7.5"),
    ("scalar", "7"),
    ("value", "7"),
    ("op", "7"),
    ("op1", "7"),
    ("op2", "3"),
    ("intop", "7"),
    ("doubleop", "0.5"),
    ("intintop1", "7"),
    ("intintop2", "3"),
    ("intdoubleop1", "7"),
    ("intdoubleop2", "2.5"),
    ("doubledoubleop1", "7.5"),
    ("doubledoubleop2", "2.5"),
    ("doubleintop1", "7.5"),
    ("doubleintop2", "2"),
    ("intintintop1", "7"),
    ("intintintop2", "3"),
    ("intintintop3", "2"),
    ("doubledoubledoubleop1", "7.5"),
    ("doubledoubledoubleop2", "3.5"),
    ("doubledoubledoubleop3", "2.5"),
];

/// Holes that are sizes: whether each is a number of rows.
const SIZES: &[(&str, bool)] = &[
    ("rows", true),
    ("rows1", true),
    ("rows2", true),
    ("m", true),
    ("n1", true),
    ("cols", false),
    ("cols1", false),
    ("cols2", false),
    ("n2", false),
    ("k", false),
];

/// A script that can be run.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub(super) text: String,
    pub(super) arguments: BTreeMap<String, String>,
    /// Files that must be there.
    pub(super) inputs: Vec<Input>,
    /// How many calls were given a seed.
    pub(super) seeded: usize,
}

/// Makes a script ready; an error says why it cannot be.
pub(super) fn prepare(
    text: &str,
    trial: &Trial,
    told: &BTreeMap<String, String>,
    folder: &Path,
) -> Result<Prepared, String> {
    let filled = fill_holes(text, trial)?;
    let (mut text, seeded) = with_seeds(&filled);
    let parsed = parse(text.as_str());
    let mut seen = Seen::default();
    walk(parsed.program(), &mut |node| seen.visit(node));
    if let Some(why) = seen.obstacle {
        return Err(why);
    }
    let mut inputs = Vec::new();
    let mut arguments = BTreeMap::new();
    for literal in &seen.literals {
        let shape = (
            literal.rows.unwrap_or(trial.rows),
            literal.cols.unwrap_or(trial.cols),
        );
        let input = inputs::named(folder, &literal.name, shape, trial.whole, &literal.format)?;
        let written = format!("\"{INPUT}{}\"", literal.name);
        text = text.replace(&written, &format!("\"{}\"", input.path.display()));
        inputs.push(input);
    }
    for (name, uses) in &seen.all {
        if seen.optional.get(name) == Some(uses) && !told.contains_key(name) {
            continue;
        }
        let value = if let Some(value) = told.get(name) {
            match shape(value) {
                Some((shape, whole)) => {
                    let format = seen.read.get(name).map_or("text", String::as_str);
                    let input = inputs::named(folder, name, shape, whole, format)?;
                    let path = input.path.to_string_lossy().into_owned();
                    inputs.push(input);
                    path
                }
                None => value.clone(),
            }
        } else if seen.written.contains(name) {
            format!("{{out}}/{name}")
        } else if let Some(format) = seen.read.get(name) {
            let is_column = trial.columns && seen.columns.contains(name);
            let cols = if is_column { 1 } else { trial.cols };
            let input = inputs::named(folder, name, (trial.rows, cols), trial.whole, format)?;
            let path = input.path.to_string_lossy().into_owned();
            inputs.push(input);
            path
        } else if let Some(text) = seen.texts.get(name) {
            text.clone()
        } else {
            trial.number.to_owned()
        };
        arguments.insert(name.clone(), value);
    }
    Ok(Prepared {
        text,
        arguments,
        inputs,
        seeded,
    })
}

/// A value `@RxC` is an input of that shape, `@RxC!` one of whole numbers.
fn shape(value: &str) -> Option<((usize, usize), bool)> {
    let value = value.strip_prefix('@')?;
    let (shape, whole) = match value.strip_suffix('!') {
        Some(shape) => (shape, true),
        None => (value, false),
    };
    let (rows, cols) = shape.split_once('x')?;
    Some(((rows.parse().ok()?, cols.parse().ok()?), whole))
}

/// Fills `$$name$$`. A declaration of a variable is left out: its place is taken by the value.
fn fill_holes(text: &str, trial: &Trial) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("$$") {
        let (name, tail) = after
            .split_once("$$")
            .ok_or("a hole `$$` that is not closed")?;
        out.push_str(before);
        if !name.ends_with("vardeclaration") {
            let size = SIZES.iter().find(|(hole, _)| *hole == name);
            let value = HOLES.iter().find(|(hole, _)| *hole == name);
            match (size, value) {
                (Some((_, true)), _) => out.push_str(&trial.rows.to_string()),
                (Some(_), _) => out.push_str(&trial.cols.to_string()),
                (None, Some((_, value))) => out.push_str(value),
                (None, None) => {
                    return Err(format!("a hole `$${name}$$` of which nothing is known"));
                }
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    Ok(out)
}

/// Gives each random matrix without a seed one of its own, and says how many there were.
fn with_seeds(text: &str) -> (String, usize) {
    let parsed = parse(text);
    let mut places = Vec::new();
    walk(parsed.program(), &mut |node| {
        let Node::Expr(expr) = node else { return };
        let ExprKind::Call(call) = &expr.kind else {
            return;
        };
        let has_seed = match &*call.name.name {
            "rand" | "Rand" => call
                .args
                .iter()
                .any(|arg| arg.name.as_ref().is_some_and(|name| &*name.name == "seed")),
            _ => true,
        };
        if !has_seed && call.namespace.is_none() && text[..call.parens.end].ends_with(')') {
            places.push((call.parens.end - 1, !call.args.is_empty()));
        }
    });
    // From the end, so that earlier places stay where they are.
    places.sort_unstable();
    let mut out = text.to_owned();
    for (index, (at, has_arguments)) in places.iter().enumerate().rev() {
        let comma = if *has_arguments { ", " } else { "" };
        out.insert_str(*at, &format!("{comma}seed={}", 101 + index));
    }
    (out, places.len())
}

/// How the path of an input begins that the script itself names.
const INPUT: &str = "{in}/";

/// An input that the script itself names.
struct Literal {
    name: String,
    format: String,
    rows: Option<usize>,
    cols: Option<usize>,
}

/// How a script uses its arguments.
#[derive(Default)]
struct Seen {
    all: BTreeMap<String, usize>,
    optional: BTreeMap<String, usize>,
    written: BTreeSet<String>,
    /// With the format.
    read: BTreeMap<String, String>,
    texts: BTreeMap<String, String>,
    /// `y = read($y)` is a column, `X = read($X)` a matrix: that is how people name them.
    columns: BTreeSet<String>,
    literals: Vec<Literal>,
    obstacle: Option<String>,
}

impl Seen {
    fn visit(&mut self, node: Node<'_>) {
        let expr = match node {
            Node::Expr(expr) => expr,
            Node::Stmt(stmt) => {
                match &stmt.kind {
                    StmtKind::Assign { target, value, .. }
                        if target.name.name.starts_with(char::is_lowercase)
                            || &*target.name.name == "Y" =>
                    {
                        if let ExprKind::Call(call) = &value.kind {
                            self.columns
                                .extend(call.args.first().and_then(|arg| argument(&arg.value)));
                        }
                    }
                    StmtKind::Source { .. } => self.obstruct("it sources other scripts"),
                    _ => {}
                }
                return;
            }
        };
        match &expr.kind {
            ExprKind::Arg(ident) => {
                *self.all.entry(ident.name.to_string()).or_default() += 1;
            }
            ExprKind::Call(call) => self.call(call),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => {
                if let (Some(name), ExprKind::Str(text)) = (argument(left), &right.kind) {
                    self.texts.insert(name, text.value.to_string());
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let named = |name: &str| {
            call.args
                .iter()
                .find(|arg| arg.name.as_ref().is_some_and(|n| &*n.name == name))
                .map(|arg| &arg.value)
        };
        let literal = |name: &str| match named(name).map(|expr| &expr.kind) {
            Some(ExprKind::Str(text)) => Some(text.value.to_string()),
            _ => None,
        };
        match &*call.name.name {
            "ifdef" => {
                if let Some(name) = call.args.first().and_then(|arg| argument(&arg.value)) {
                    *self.optional.entry(name).or_default() += 1;
                }
            }
            "read" => {
                match literal("data_type").as_deref() {
                    None | Some("matrix") => {}
                    Some(other) => self.obstruct(&format!("it reads a {other}")),
                }
                let format = literal("format").unwrap_or_else(|| "text".to_owned());
                let size = |name: &str| match named(name).map(|expr| &expr.kind) {
                    Some(ExprKind::Int(size)) => usize::try_from(*size).ok(),
                    _ => None,
                };
                let file = call.args.first().map(|arg| &arg.value);
                let path = file.and_then(|file| match &file.kind {
                    ExprKind::Str(path) => path.value.strip_prefix(INPUT),
                    _ => None,
                });
                match (file.and_then(argument), path) {
                    (Some(name), _) => {
                        self.read.insert(name, format);
                    }
                    (None, Some(name)) => self.literals.push(Literal {
                        name: name.to_owned(),
                        format,
                        rows: size("rows"),
                        cols: size("cols"),
                    }),
                    (None, None) => self.obstruct("it reads a file that no argument names"),
                }
            }
            "time" => self.obstruct("it reads the clock"),
            "write" => match call.args.get(1).map(|arg| &arg.value) {
                Some(path) => self
                    .written
                    .extend(argument(path).or_else(|| beginning(path))),
                None => self.obstruct("it writes nowhere"),
            },
            _ => {}
        }
    }

    fn obstruct(&mut self, why: &str) {
        self.obstacle.get_or_insert_with(|| why.to_owned());
    }
}

fn argument(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Arg(ident) => Some(ident.name.to_string()),
        ExprKind::Paren(inner) => argument(inner),
        _ => None,
    }
}

/// The argument that a path such as `$1 + "/X"` begins with.
fn beginning(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Add, left, _) => argument(left).or_else(|| beginning(left)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(text: &str) -> Prepared {
        prepare(text, &TRIALS[0], &BTreeMap::new(), Path::new("in")).unwrap()
    }

    #[test]
    fn arguments_get_what_their_uses_ask_for() {
        let text = "X = read($1)\ny = read($v)\nif ($3 == \"a\") { X = X * $4 }\nwrite(X, $5)\n";
        let seen = prepared(text);
        let value = |name: &str| seen.arguments[name].clone();
        assert!(
            value("1").starts_with("in/") && value("1").contains("60x40"),
            "{}",
            value("1")
        );
        assert!(value("v").contains("60x1"), "{}", value("v"));
        assert_eq!(
            (value("3"), value("4"), value("5")),
            ("a".into(), "7".into(), "{out}/5".into())
        );
        assert_eq!(seen.inputs.len(), 2);
    }

    #[test]
    fn random_matrices_without_a_seed_get_different_ones() {
        let seen = prepared("X = rand(rows=2, cols=2) + rand(rows=2, cols=2, seed=3) + rand()\n");
        assert_eq!(seen.seeded, 2);
        assert_eq!(
            seen.text,
            "X = rand(rows=2, cols=2, seed=101) + rand(rows=2, cols=2, seed=3) + rand(seed=102)\n"
        );
    }

    #[test]
    fn holes_are_filled_and_unknown_ones_named() {
        let seen =
            prepared("$$readhelper$$\n$$intvardeclaration$$\nwrite($$int$$, \"$$outdir$$a\")\n");
        assert!(
            seen.text.ends_with("write(7, \"{out}/a\")\n"),
            "{}",
            seen.text
        );
        assert!(
            fill_holes("$$what$$", &TRIALS[0])
                .unwrap_err()
                .contains("$$what$$")
        );
        let seen = prepared("X = read(\"$$indir$$a\", rows=$$rows$$, cols=1)\n");
        assert_eq!(
            seen.text,
            "X = read(\"in/a-60x1-any.text\", rows=60, cols=1)\n"
        );
    }

    #[test]
    fn what_cannot_be_made_up_is_said() {
        for (text, why) in [
            (
                "X = read(\"a.csv\")",
                "it reads a file that no argument names",
            ),
            ("X = read($1, data_type=\"frame\")", "it reads a frame"),
        ] {
            let found = prepare(text, &TRIALS[0], &BTreeMap::new(), Path::new("in")).unwrap_err();
            assert_eq!(found, why);
        }
    }
}
