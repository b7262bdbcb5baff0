//! Which of the `$` arguments that a person typed name what the script writes, and which what it reads. Looks at the
//! program only. A script can claim what it likes here; what it gains is the one name that the person typed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sumac_engine::{Writable, closed_folder};
use sumac_syntax::ast::{BinaryOp, Call, Expr, ExprKind, FunctionDef, Program, Stmt, StmtKind};
use sumac_syntax::walk::{Node, walk_stmt};

/// What a script does with the names that arguments hold, by the names of the arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Uses {
    /// Those from which a `read` gets its path.
    read: BTreeSet<String>,
    /// Those from which a `write` gets its path.
    written: BTreeSet<String>,
    /// Those given to functions that stand elsewhere.
    unknown: BTreeSet<String>,
}

/// Functions that neither read nor write what their arguments name.
const HARMLESS: [&str; 10] = [
    "print",
    "ifdef",
    "stop",
    "assert",
    "toString",
    "as.scalar",
    "as.double",
    "as.integer",
    "as.logical",
    "nchar",
];

/// What a run may write: below the folder where the command was typed, below those that are allowed besides, and the
/// files and folders that `typed` arguments name by absolute paths where the script writes them. What it reads by them stays.
pub fn writable(
    program: &Program,
    base: &Path,
    allowed: &[PathBuf],
    typed: &BTreeMap<String, String>,
) -> Writable {
    let uses = uses(program);
    let mut writable = Writable::default();
    if closed_folder(base).is_none() {
        writable.folders.push(base.to_path_buf());
    }
    writable.folders.extend_from_slice(allowed);
    for (name, value) in typed {
        let path = base.join(local(value));
        if uses.read.contains(name) && path.is_file() {
            writable.inputs.push(path);
            continue;
        }
        let is_written = uses.written.contains(name);
        if !path.is_absolute() || !Path::new(local(value)).is_absolute() {
            continue;
        }
        if path.is_dir() {
            if is_written && closed_folder(&path).is_none() {
                writable.folders.push(path);
            }
        } else if (is_written || (uses.unknown.contains(name) && !path.exists()))
            && path
                .parent()
                .is_some_and(|at| at.is_dir() && closed_folder(at).is_none())
        {
            writable.files.push(path);
        }
    }
    writable
}

/// A path as `read` and `write` take it.
fn local(path: &str) -> &str {
    let without = path.strip_prefix("file://");
    without
        .or_else(|| path.strip_prefix("file:"))
        .unwrap_or(path)
}

/// A variable: the number of its unit, and its name.
type Variable = (usize, String);
/// The arguments that may be in variables.
type Flows = BTreeMap<Variable, BTreeSet<String>>;

/// Stretches of a script whose variables are their own: the main program, then functions.
struct Units<'a> {
    main: Vec<&'a Stmt>,
    functions: Vec<&'a FunctionDef>,
}

impl<'a> Units<'a> {
    fn of(program: &'a Program) -> Units<'a> {
        let mut units = Units {
            main: Vec::new(),
            functions: Vec::new(),
        };
        for statement in &program.statements {
            match &statement.kind {
                StmtKind::Function(function) => units.functions.push(function),
                _ => units.main.push(statement),
            }
        }
        units
    }

    /// Every statement and expression with the number of its unit.
    fn walk(&self, visit: &mut dyn FnMut(usize, Node<'a>)) {
        for statement in &self.main {
            walk_stmt(statement, &mut |node| visit(0, node));
        }
        for (number, function) in (1..).zip(&self.functions) {
            for statement in function.body.iter().flat_map(|body| &body.statements) {
                walk_stmt(statement, &mut |node| visit(number, node));
            }
        }
    }

    fn function(&self, call: &Call) -> Option<(usize, &'a FunctionDef)> {
        let found = self
            .functions
            .iter()
            .position(|function| function.name.name == call.name.name)?;
        call.namespace
            .is_none()
            .then(|| (found + 1, self.functions[found]))
    }
}

fn uses(program: &Program) -> Uses {
    let units = Units::of(program);
    let mut flows = Flows::new();
    // Each round passes arguments on by one variable at least.
    loop {
        let mut grown = Flows::new();
        units.walk(&mut |unit, node| passed(unit, node, &units, &flows, &mut grown));
        let mut is_new = false;
        for (variable, args) in grown {
            let known = flows.entry(variable).or_default();
            let before = known.len();
            known.extend(args);
            is_new |= known.len() > before;
        }
        if !is_new {
            break;
        }
    }
    let mut uses = Uses::default();
    units.walk(&mut |unit, node| {
        if let Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) = node
        {
            used(unit, call, &units, &flows, &mut uses);
        }
    });
    uses
}

/// What a statement or a call passes on to variables.
fn passed(unit: usize, node: Node<'_>, units: &Units<'_>, flows: &Flows, grown: &mut Flows) {
    let mut pass = |variable: Variable, value: &Expr, from: usize| {
        let args = sources(from, value, flows);
        if !args.is_empty() {
            grown.entry(variable).or_default().extend(args);
        }
    };
    match node {
        Node::Stmt(Stmt {
            kind: StmtKind::Assign { target, value, .. },
            ..
        }) => pass((unit, target.name.name.to_string()), value, unit),
        Node::Expr(Expr {
            kind: ExprKind::Call(call),
            ..
        }) => {
            let Some((number, function)) = units.function(call) else {
                return;
            };
            for (place, arg) in call.args.iter().enumerate() {
                let param = match &arg.name {
                    Some(name) => Some(&*name.name),
                    None => function.params.get(place).map(|param| &*param.name.name),
                };
                if let Some(param) = param {
                    pass((number, param.to_owned()), &arg.value, unit);
                }
            }
        }
        _ => {}
    }
}

/// What a call does with the arguments in its paths.
fn used(unit: usize, call: &Call, units: &Units<'_>, flows: &Flows, uses: &mut Uses) {
    if units.function(call).is_some() {
        return;
    }
    let name = &*call.name.name;
    let path_at = match (name, &call.namespace) {
        ("read", None) => 0,
        ("write", None) => 1,
        _ if HARMLESS.contains(&name) => return,
        _ => {
            for arg in &call.args {
                uses.unknown.extend(sources(unit, &arg.value, flows));
            }
            return;
        }
    };
    let named =
        |arg: &&sumac_syntax::ast::Arg| arg.name.as_ref().is_some_and(|name| &*name.name == "file");
    let path = call.args.iter().find(named).or_else(|| {
        let mut unnamed = call.args.iter().filter(|arg| arg.name.is_none());
        unnamed.nth(path_at)
    });
    let Some(path) = path else {
        return;
    };
    let args = sources(unit, &path.value, flows);
    if path_at == 0 {
        uses.read.extend(args);
    } else {
        uses.written.extend(args);
    }
}

/// The arguments whose values may be in a text.
fn sources(unit: usize, value: &Expr, flows: &Flows) -> BTreeSet<String> {
    match &value.kind {
        ExprKind::Arg(name) => BTreeSet::from([name.name.to_string()]),
        ExprKind::Name(name) => {
            let known = flows.get(&(unit, name.name.to_string()));
            known.cloned().unwrap_or_default()
        }
        ExprKind::Paren(inner) => sources(unit, inner, flows),
        ExprKind::Binary(BinaryOp::Add, left, right) => {
            let mut all = sources(unit, left, flows);
            all.extend(sources(unit, right, flows));
            all
        }
        ExprKind::Call(call) if HARMLESS.contains(&&*call.name.name) => {
            let args = call.args.iter();
            args.flat_map(|arg| sources(unit, &arg.value, flows))
                .collect()
        }
        _ => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str) -> [String; 3] {
        let uses = uses(sumac_syntax::parse(script).program());
        [uses.read, uses.written, uses.unknown]
            .map(|names| names.into_iter().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn paths_are_followed_through_variables_and_functions() {
        let script = "\
save = function(Matrix[Double] X, String file) {
  place = file + \".csv\"
  write(X, place, format=\"csv\")
}
X = read($X)
path = ifdef($out, \"m.txt\")
if (path != \" \") { write(X, path) }
save(X, $table)
lib::store(X, $far)
print($title)
write(X, file=$named)
";
        assert_eq!(of(script), ["X", "named out table", "far"]);
        assert_eq!(of("f = $1\nX = read(f)\nwrite(X, f)"), ["1", "1", ""]);
        assert_eq!(of("a = $1\nb = a\na = b\nwrite(1, b)"), ["", "1", ""]);
    }

    #[test]
    fn typed_outputs_are_opened_and_typed_inputs_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["in.csv", "old.csv"] {
            std::fs::write(root.join(name), "1\n").unwrap();
        }
        std::fs::create_dir(root.join("results")).unwrap();
        let at = |name: &str| root.join(name).display().to_string();
        let typed = |values: &[(&str, String)]| {
            let values = values.iter().map(|(k, v)| ((*k).to_owned(), v.clone()));
            values.collect::<BTreeMap<_, _>>()
        };
        let script = "X = read($X)\nwrite(X, $out)\nwrite(X, $old)\nwrite(X, $dir + \"/a.csv\")\nwrite(X, $pw)\nl::f($new)";
        let parse = sumac_syntax::parse(script);
        let typed = typed(&[
            ("X", at("in.csv")),
            ("out", at("new.csv")),
            ("old", at("old.csv")),
            ("dir", at("results")),
            ("new", at("in_time.csv")),
            ("other", at("other.csv")),
            ("pw", "/etc/passwd".to_owned()),
        ]);
        let base = Path::new("/");
        let writable = writable(parse.program(), base, &[], &typed);
        let paths = |names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
        assert_eq!(writable.folders, paths(&["results"]));
        assert_eq!(writable.inputs, paths(&["in.csv"]));
        assert_eq!(
            writable.files,
            paths(&["in_time.csv", "old.csv", "new.csv"])
        );
    }
}
