//! Scripts as trees: their text, and what they compute by the reference.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::reference;
use super::value::Val;

/// What an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// A variable.
    Var(String),
    /// A number, a multiple of an eighth.
    Num(f64),
    /// A matrix of these cells by rows.
    Cells(usize, usize, Vec<f64>),
    /// A large matrix of small whole numbers over `over`: `((matrix(seq(1, n), rows, cols) * times) %% modulus - shift) / over`,
    /// and zero wherever the number of the cell is no multiple of `keep`.
    Pattern {
        rows: usize,
        cols: usize,
        times: usize,
        modulus: usize,
        shift: usize,
        keep: usize,
    },
    /// All cells alike.
    Fill(f64, usize, usize),
    /// `-a` or `!a`.
    Prefix(&'static str, Box<Expr>),
    /// `a op b`.
    Infix(&'static str, Box<Expr>, Box<Expr>),
    /// `name(a, …)`.
    Call(&'static str, Vec<Expr>),
    /// `X[a:b, c:d]` of a variable, from 1.
    Index(String, [usize; 4]),
    /// `X[i, ]` of a variable, by a number that is one.
    Row(String, String),
    /// `matrix(a, rows, cols)`: the same cells in another shape.
    Reshape(Box<Expr>, usize, usize),
}

/// One statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// `x = e`.
    Assign(String, Expr),
    /// `x += e`.
    Add(String, Expr),
    /// `X[a:b, c:d] = e`.
    Patch(String, [usize; 4], Expr),
    /// `X[i, ] = e`, by a number.
    PatchRow(String, String, Expr),
    /// `if (e) … else …`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `for (i in 1:n) …`.
    For(String, usize, Vec<Stmt>),
    /// `parfor (i in 1:n) …`, whose iterations write different rows.
    ParFor(String, usize, Vec<Stmt>),
    /// `i = 0; while (i < n) { … i = i + 1 }`.
    While(String, usize, Vec<Stmt>),
    /// `[x, y] = f(a, b)`, by the number of the function.
    Call(usize, Vec<String>, Vec<String>),
}

/// `f = function(matrix[double] A, …) return (matrix[double] R, …) { … }`
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Parameters, and whether each is a number.
    pub(crate) parameters: Vec<(String, bool)>,
    /// Results, and whether each is a number.
    pub(crate) results: Vec<(String, bool)>,
    pub(crate) body: Vec<Stmt>,
}

/// A script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) functions: Vec<Function>,
    pub(crate) statements: Vec<Stmt>,
}

/// Variables by name.
pub(crate) type Env = BTreeMap<String, Val>;

impl Expr {
    /// Its value.
    pub(crate) fn eval(&self, env: &Env) -> Option<Val> {
        Some(match self {
            Expr::Var(name) => env.get(name)?.clone(),
            Expr::Num(x) => Val::number(*x),
            Expr::Cells(rows, cols, cells) => Val::exact(*rows, *cols, cells.clone()),
            Expr::Pattern {
                rows,
                cols,
                times,
                modulus,
                shift,
                keep,
            } => {
                let cell = |n: usize| {
                    let x = ((n * times) % modulus) as f64 - *shift as f64;
                    if n.is_multiple_of(*keep) {
                        x / 4.0
                    } else {
                        0.0
                    }
                };
                Val::exact(*rows, *cols, (1..=rows * cols).map(cell).collect())
            }
            Expr::Fill(x, rows, cols) => Val::exact(*rows, *cols, vec![*x; rows * cols]),
            Expr::Prefix(op, a) => reference::unary(op, &a.eval(env)?)?,
            Expr::Infix(op, a, b) => reference::binary(op, &a.eval(env)?, &b.eval(env)?)?,
            Expr::Call(name, args) => {
                let values: Vec<Val> = args
                    .iter()
                    .map(|arg| arg.eval(env))
                    .collect::<Option<_>>()?;
                match (*name, values.as_slice()) {
                    ("min" | "max", [a, b]) => reference::binary(name, a, b)?,
                    ("sum" | "mean" | "min" | "max", [a]) => reference::aggregate(name, a)?,
                    (name, [a]) if is_aggregate(name) => reference::aggregate(name, a)?,
                    (name, [a]) if is_cellwise(name) => reference::unary(name, a)?,
                    (name, values) => reference::moved(name, values)?,
                }
            }
            Expr::Index(name, range) => reference::indexed(env.get(name)?, *range)?,
            Expr::Row(name, at) => {
                let (of, at) = (env.get(name)?, place(env, at)?);
                reference::indexed(of, [at, at, 1, of.cols])?
            }
            Expr::Reshape(a, rows, cols) => {
                let a = a.eval(env)?;
                let fits = !a.is_scalar && a.cells.len() == rows * cols;
                fits.then(|| a.with_cells(*rows, *cols, a.cells.clone()))?
            }
        })
    }

    /// Its text, in parentheses wherever it stands inside of another one.
    pub(crate) fn text(&self) -> String {
        match self {
            Expr::Var(name) => name.clone(),
            Expr::Num(x) => number(*x),
            Expr::Cells(rows, cols, cells) if cells.is_empty() => {
                format!("matrix(0, rows={rows}, cols={cols})")
            }
            Expr::Cells(rows, cols, cells) => {
                let cells: Vec<String> = cells.iter().map(|x| x.to_string()).collect();
                format!("matrix(\"{}\", rows={rows}, cols={cols})", cells.join(" "))
            }
            Expr::Pattern {
                rows,
                cols,
                times,
                modulus,
                shift,
                keep,
            } => {
                let n = format!("matrix(seq(1, {}), rows={rows}, cols={cols})", rows * cols);
                let x = format!("((({n} * {times}) %% {modulus}) - {shift}) / 4");
                match keep {
                    1 => format!("({x})"),
                    _ => format!("(({x}) * (({n} %% {keep}) == 0))"),
                }
            }
            Expr::Fill(x, rows, cols) => {
                format!("matrix({}, rows={rows}, cols={cols})", number(*x))
            }
            Expr::Prefix(op, a) => format!("({op}{})", a.text()),
            Expr::Infix(op, a, b) => format!("({} {op} {})", a.text(), b.text()),
            Expr::Call(name, args) => {
                let args: Vec<String> = args.iter().map(Expr::text).collect();
                match *name {
                    "outer" => format!("outer({}, \"*\")", args.join(", ")),
                    name => format!("{name}({})", args.join(", ")),
                }
            }
            Expr::Index(name, range) => format!("{name}{}", bounds(*range)),
            Expr::Row(name, at) => format!("{name}[{at}, ]"),
            Expr::Reshape(a, rows, cols) => {
                format!("matrix({}, rows={rows}, cols={cols})", a.text())
            }
        }
    }
}

/// A variable as the number of a row.
fn place(env: &Env, name: &str) -> Option<usize> {
    let val = env
        .get(name)
        .filter(|val| val.is_scalar && val.is_exact())?;
    let x = val.cells[0];
    (x >= 1.0 && x.fract() == 0.0).then_some(x as usize)
}

fn number(x: f64) -> String {
    if x < 0.0 {
        format!("({x})")
    } else {
        x.to_string()
    }
}

fn bounds([from, to, left, right]: [usize; 4]) -> String {
    let range = |a: usize, b: usize| {
        if a == b {
            a.to_string()
        } else {
            format!("{a}:{b}")
        }
    };
    format!("[{}, {}]", range(from, to), range(left, right))
}

fn is_aggregate(name: &str) -> bool {
    name.len() > 3 && matches!(&name[3..], "Sums" | "Means" | "Mins" | "Maxs")
}

fn is_cellwise(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "abs", "sign", "round", "floor", "ceil", "exp", "sqrt", "log", "sigmoid", "tanh", "sin",
        "cos",
    ];
    NAMES.contains(&name)
}

/// Statements that run at most: loops in loops of functions with loops.
const MOST_STEPS: usize = 4000;

impl Script {
    /// The variables at the end; `None` where a value is not worth comparing.
    pub(crate) fn run(&self) -> Option<Env> {
        let mut env = Env::new();
        self.exec(&self.statements, &mut env, &mut 0)?;
        Some(env)
    }

    /// Runs statements.
    pub(crate) fn exec(&self, statements: &[Stmt], env: &mut Env, steps: &mut usize) -> Option<()> {
        for statement in statements {
            *steps += 1;
            if *steps > MOST_STEPS {
                return None;
            }
            match statement {
                Stmt::Assign(name, value) => {
                    let value = value.eval(env)?;
                    env.insert(name.clone(), value);
                }
                Stmt::Add(name, value) => {
                    let value = value.eval(env)?;
                    let sum = reference::binary("+", env.get(name)?, &value)?;
                    env.insert(name.clone(), sum);
                }
                Stmt::PatchRow(name, at, value) => {
                    let (value, at) = (value.eval(env)?, place(env, at)?);
                    let of = env.get(name)?;
                    let patched = reference::assigned(of, [at, at, 1, of.cols], &value)?;
                    env.insert(name.clone(), patched);
                }
                Stmt::Patch(name, range, value) => {
                    let value = value.eval(env)?;
                    let patched = reference::assigned(env.get(name)?, *range, &value)?;
                    env.insert(name.clone(), patched);
                }
                Stmt::If(test, yes, no) => {
                    let test = test.eval(env)?;
                    if !test.is_exact() {
                        return None;
                    }
                    let chosen = if test.cells[0] != 0.0 { yes } else { no };
                    self.exec(chosen, env, steps)?;
                }
                Stmt::ParFor(name, count, body) => {
                    // Neither the counter nor what an iteration makes anew is there after the loop.
                    let before: Vec<String> = env.keys().cloned().collect();
                    let mut inside = env.clone();
                    for i in 1..=*count {
                        inside.insert(name.clone(), Val::number(i as f64));
                        self.exec(body, &mut inside, steps)?;
                    }
                    inside.retain(|name, _| before.contains(name));
                    *env = inside;
                }
                Stmt::For(name, count, body) => {
                    for i in 1..=*count {
                        env.insert(name.clone(), Val::number(i as f64));
                        self.exec(body, env, steps)?;
                    }
                }
                Stmt::While(name, count, body) => {
                    for i in 0..=*count {
                        env.insert(name.clone(), Val::number(i as f64));
                        if i < *count {
                            self.exec(body, env, steps)?;
                        }
                    }
                }
                Stmt::Call(number, args, outs) => {
                    let function = &self.functions[*number];
                    let mut own = Env::new();
                    for ((name, _), arg) in function.parameters.iter().zip(args) {
                        own.insert(name.clone(), env.get(arg)?.clone());
                    }
                    self.exec(&function.body, &mut own, steps)?;
                    for ((name, _), out) in function.results.iter().zip(outs) {
                        env.insert(out.clone(), own.get(name)?.clone());
                    }
                }
            }
        }
        Some(())
    }

    /// The script as a person would write it, with one line for each of `printed` at its end.
    pub(crate) fn text<'a>(&self, printed: impl Iterator<Item = (&'a String, &'a Val)>) -> String {
        let mut out = String::new();
        for (number, function) in self.functions.iter().enumerate() {
            let list = |all: &[(String, bool)]| {
                let one = |(name, is_scalar): &(String, bool)| match is_scalar {
                    true => format!("double {name}"),
                    false => format!("matrix[double] {name}"),
                };
                all.iter().map(one).collect::<Vec<_>>().join(", ")
            };
            let (parameters, results) = (list(&function.parameters), list(&function.results));
            let _ = writeln!(
                out,
                "f{number} = function({parameters}) return ({results}) {{"
            );
            write_all(&function.body, 1, &mut out);
            out.push_str("}\n");
        }
        write_all(&self.statements, 0, &mut out);
        for (name, value) in printed {
            match value.is_scalar {
                true => writeln!(out, "print(\"{name} \" + {name})"),
                false => writeln!(out, "print(\"{name} \" + sum({name}))"),
            }
            .expect("text grows");
        }
        out
    }
}

fn write_all(statements: &[Stmt], depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for statement in statements {
        let _ = match statement {
            Stmt::Assign(name, value) => writeln!(out, "{indent}{name} = {}", value.text()),
            Stmt::Add(name, value) => writeln!(out, "{indent}{name} += {}", value.text()),
            Stmt::Patch(name, range, value) => {
                writeln!(out, "{indent}{name}{} = {}", bounds(*range), value.text())
            }
            Stmt::PatchRow(name, at, value) => {
                writeln!(out, "{indent}{name}[{at}, ] = {}", value.text())
            }
            Stmt::ParFor(name, count, body) => {
                let _ = writeln!(out, "{indent}parfor ({name} in 1:{count}) {{");
                write_all(body, depth + 1, out);
                writeln!(out, "{indent}}}")
            }
            Stmt::If(test, yes, no) => {
                let _ = writeln!(out, "{indent}if ({}) {{", test.text());
                write_all(yes, depth + 1, out);
                if !no.is_empty() {
                    let _ = writeln!(out, "{indent}}} else {{");
                    write_all(no, depth + 1, out);
                }
                writeln!(out, "{indent}}}")
            }
            Stmt::For(name, count, body) => {
                let _ = writeln!(out, "{indent}for ({name} in 1:{count}) {{");
                write_all(body, depth + 1, out);
                writeln!(out, "{indent}}}")
            }
            Stmt::While(name, count, body) => {
                let _ = writeln!(out, "{indent}{name} = 0");
                let _ = writeln!(out, "{indent}while ({name} < {count}) {{");
                write_all(body, depth + 1, out);
                let _ = writeln!(out, "{indent}  {name} = {name} + 1");
                writeln!(out, "{indent}}}")
            }
            Stmt::Call(number, args, outs) => {
                let args = args.join(", ");
                match outs.as_slice() {
                    [out_name] => writeln!(out, "{indent}{out_name} = f{number}({args})"),
                    outs => writeln!(out, "{indent}[{}] = f{number}({args})", outs.join(", ")),
                }
            }
        };
    }
}
