//! What a suggestion is about: what is computed before it, which values may be anything, and both forms of it.
//!
//! A variable that was computed from others is no value of its own: data that its definition cannot give is met by nobody. Variables
//! that a loop changes, that a function computes or that are read may be anything of their shape.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;
use sumac_syntax::ast::{Expr, Stmt, StmtKind};
use sumac_syntax::parse;
use sumac_syntax::print::print_stmt;
use sumac_syntax::walk::{Node, walk_stmt};

use super::before::{Before, Source, accumulated, names_of};
use super::evaluate::Scope;
use super::number::Number;
use super::offered::Offered;
use super::sizes;
use super::value::{Known, Value};

/// A step before the suggestion.
#[derive(Clone, Debug)]
enum Step {
    /// The statement says what it is.
    Computed(Box<Stmt>),
    /// It may be anything.
    Free(usize),
}

/// A value that may be anything of its shape.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Free {
    pub(super) name: Arc<str>,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) is_scalar: bool,
    pub(super) is_whole: bool,
    /// The stated share of cells that are not zero.
    pub(super) density: f64,
}

/// Both forms over values that may be anything.
#[derive(Debug)]
pub(super) struct Task {
    steps: Vec<Step>,
    pub(super) free: Vec<Free>,
    written: Vec<Stmt>,
    suggested: Vec<Stmt>,
    /// Variables that both forms compute.
    results: Vec<Arc<str>>,
    /// Stated sizes that are others here.
    sizes: BTreeMap<u64, usize>,
}

/// One of the two forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Written,
    Suggested,
}

impl Task {
    /// # Errors
    /// Why there is no small data for it.
    pub(super) fn of(offered: &Offered) -> Known<Self> {
        let script = parse(offered.script.as_str());
        let lines = script.lines();
        let start = lines.line_start(offered.line - 1);
        let end = lines.line_end(offered.end_line - 1);
        let mut before = Before::default();
        let written = before
            .walk(script.program(), (start, end))
            .ok_or("the statement is part of none that is known")?;
        let other = parse(offered.statement.as_str());
        if !other.errors().is_empty() {
            return Err("the suggestion is not read".to_owned());
        }
        let suggested = other.program().statements.clone();
        let mut task = Task {
            steps: Vec::new(),
            free: Vec::new(),
            results: shared(&written, &suggested),
            written,
            suggested,
            sizes: BTreeMap::new(),
        };
        let line_of = |offset: usize| lines.line(offset) + 1;
        task.take(before.steps, &offered.facts, line_of)?;
        let share = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let small = sizes::small(&task.free);
        for free in &mut task.free {
            for side in [&mut free.rows, &mut free.cols] {
                *side = small.get(&share(*side)).copied().unwrap_or(*side);
            }
        }
        task.sizes = small;
        Ok(task)
    }

    /// Those steps that the forms need, in order.
    fn take(
        &mut self,
        steps: Vec<(Arc<str>, Source)>,
        facts: &[Json],
        line_of: impl Fn(usize) -> usize,
    ) -> Known<()> {
        let mut needed = BTreeSet::new();
        for form in [&self.written, &self.suggested] {
            let mut own = BTreeSet::new();
            for stmt in form {
                let mut read = BTreeSet::new();
                names_of(stmt, &mut read);
                needed.extend(read.difference(&own).cloned());
                if let StmtKind::Assign { target, .. } = &stmt.kind {
                    own.insert(Arc::clone(&target.name.name));
                }
            }
        }
        let mut taken = Vec::new();
        for (name, source) in steps.into_iter().rev() {
            if !needed.contains(&name) {
                continue;
            }
            match source {
                Source::Computed(stmt) => {
                    if accumulated(&stmt).is_none() {
                        needed.remove(&name);
                    }
                    names_of(&stmt, &mut needed);
                    taken.push(Step::Computed(stmt));
                }
                Source::Anything(offset) => {
                    needed.remove(&name);
                    let free = shape_of(&name, offset.map(&line_of), facts)?;
                    taken.push(Step::Free(self.free.len()));
                    self.free.push(free);
                }
            }
        }
        if let Some(unknown) = needed.first() {
            return Err(format!("no value of `{unknown}`"));
        }
        taken.reverse();
        self.steps = taken;
        Ok(())
    }

    /// The results of a form on values for [`Task::free`].
    ///
    /// # Errors
    /// There is something that is not computed here.
    pub(super) fn run<N: Number>(&self, form: Form, data: &[Value<f64>]) -> Known<Vec<Value<N>>> {
        let mut scope = self.prepared(data)?;
        let statements = match form {
            Form::Written => &self.written,
            Form::Suggested => &self.suggested,
        };
        for stmt in statements {
            scope.run(stmt)?;
        }
        let mut results = std::mem::take(&mut scope.shown);
        for name in &self.results {
            results.push(scope.get(name)?.clone());
        }
        Ok(results)
    }

    /// What variables hold before the forms.
    fn prepared<N: Number>(&self, data: &[Value<f64>]) -> Known<Scope<'_, N>> {
        let mut scope = Scope::new(&self.sizes);
        for step in &self.steps {
            match step {
                Step::Computed(stmt) => scope.run(stmt)?,
                Step::Free(at) => {
                    let value = &data[*at];
                    let cells = value.cells.iter().map(|x| N::of(*x)).collect();
                    let value = Value {
                        is_scalar: value.is_scalar,
                        rows: value.rows,
                        cols: value.cols,
                        cells,
                    };
                    scope.set(&self.free[*at].name, value);
                }
            }
        }
        Ok(scope)
    }

    /// The value of an expression of either form; `None` where it has none before both have run.
    pub(super) fn value_of(&self, expr: &Expr, data: &[Value<f64>]) -> Option<Value<f64>> {
        let mut scope = self.prepared(data).ok()?;
        for stmt in &self.written {
            scope.run(stmt).ok()?;
        }
        scope.eval(expr).ok()
    }

    /// A form with its data as a script that runs by itself.
    pub(super) fn script(&self, form: Form, data: &[Value<f64>]) -> String {
        let mut text = String::new();
        for step in &self.steps {
            match step {
                Step::Computed(stmt) => text.push_str(&print_stmt(stmt)),
                Step::Free(at) => {
                    let (name, value) = (&self.free[*at].name, &data[*at]);
                    let cells: Vec<String> = value.cells.iter().map(|x| format!("{x:?}")).collect();
                    text.push_str(&if value.is_scalar {
                        format!("{name} = {}", cells.join(""))
                    } else {
                        format!(
                            "{name} = matrix(\"{}\", rows={}, cols={})",
                            cells.join(" "),
                            value.rows,
                            value.cols
                        )
                    });
                }
            }
            text.push('\n');
        }
        let statements = match form {
            Form::Written => &self.written,
            Form::Suggested => &self.suggested,
        };
        for stmt in statements {
            text.push_str(&print_stmt(stmt));
            text.push('\n');
        }
        for name in &self.results {
            text.push_str(&format!("print(toString({name}, decimal=17))\n"));
        }
        text
    }

    /// The expressions of both forms and of what is computed before them.
    pub(super) fn expressions(&self) -> Vec<&Expr> {
        let before = self.steps.iter().filter_map(|step| match step {
            Step::Computed(stmt) => Some(&**stmt),
            Step::Free(_) => None,
        });
        let mut all = Vec::new();
        for stmt in before.chain(&self.written).chain(&self.suggested) {
            walk_stmt(stmt, &mut |node| {
                if let Node::Expr(expr) = node {
                    all.push(expr);
                }
            });
        }
        all
    }
}

/// Variables that both forms assign: the results, and not the helpers of one of them.
fn shared(written: &[Stmt], suggested: &[Stmt]) -> Vec<Arc<str>> {
    let assigned = |all: &[Stmt]| -> BTreeSet<Arc<str>> {
        all.iter()
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Assign { target, .. } => Some(Arc::clone(&target.name.name)),
                _ => None,
            })
            .collect()
    };
    let (one, other) = (assigned(written), assigned(suggested));
    one.intersection(&other).cloned().collect()
}

/// What `sumac facts` says of a variable where it is assigned.
fn shape_of(name: &str, line: Option<usize>, facts: &[Json]) -> Known<Free> {
    let of_name = || {
        facts
            .iter()
            .filter(|fact| fact["name"].as_str() == Some(name))
    };
    let there =
        line.and_then(|line| of_name().find(|fact| fact["line"].as_u64() == Some(line as u64)));
    let fact = there
        .or_else(|| of_name().next_back())
        .ok_or_else(|| format!("nothing is known of `{name}`"))?;
    let size = |side: &str| {
        let size = fact[side].as_u64().filter(|size| *size > 0);
        size.and_then(|size| usize::try_from(size).ok())
            .ok_or_else(|| "a size that is not known".to_owned())
    };
    let kind = fact["kind"].as_str().unwrap_or_default();
    let is_read = fact["source"].as_str().is_some_and(|it| it != "propagated");
    Ok(Free {
        name: name.into(),
        rows: size("rows")?,
        cols: size("cols")?,
        is_scalar: kind != "matrix",
        is_whole: kind == "int",
        density: fact["sparsity"].as_f64().filter(|_| is_read).unwrap_or(1.0),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// A suggestion for the last line of a script, over `X` and `Y` of 500 x 40 and `v` of 40 x 1.
    pub(crate) fn offered(script: &str, statement: &str) -> Offered {
        let shape = |name: &str, rows: u64, cols: u64| json!({"name": name, "line": 1, "kind": "matrix", "rows": rows, "cols": cols, "sparsity": null, "source": "#@ line 1"});
        let line = script.lines().count();
        Offered {
            from: "test.dml".to_owned(),
            script: script.to_owned(),
            line,
            end_line: line,
            original: String::new(),
            optimized: String::new(),
            statement: statement.to_owned(),
            lost: Some(0.0),
            worst: None,
            is_shown_when_strict: true,
            facts: vec![shape("X", 500, 40), shape("Y", 500, 40), shape("v", 40, 1)],
        }
    }

    const READS: &str = "X = read($X)\nY = read($Y)\nv = read($v)\n";

    #[test]
    fn both_forms_are_run_on_what_they_read() {
        let script = format!("{READS}m = colMeans(X)\nr = sum((X - m) %*% v)");
        let task = Task::of(&offered(
            &script,
            "r = sum(X %*% v) - nrow(X) * sum(m %*% v)",
        ))
        .unwrap();
        let names: Vec<&str> = task.free.iter().map(|free| &*free.name).collect();
        assert_eq!(names, ["v", "X"]);
        assert_eq!((task.free[1].rows, task.free[1].cols), (9, 6));
        let data: Vec<Value<f64>> = task
            .free
            .iter()
            .map(|free| Value::matrix(free.rows, free.cols, |i, j| (i * i + j) as f64).unwrap())
            .collect();
        let written = task.run::<f64>(Form::Written, &data).unwrap();
        let suggested = task.run::<f64>(Form::Suggested, &data).unwrap();
        assert_eq!(written.len(), 1);
        assert!((written[0].cells[0] - suggested[0].cells[0]).abs() < 1e-9);
        let kept = task.script(Form::Suggested, &data);
        assert!(parse(kept.as_str()).errors().is_empty(), "{kept}");
    }

    #[test]
    fn what_is_not_known_is_said() {
        let of = |statement: &str| Task::of(&offered(&format!("{READS}r = sum(W)"), statement));
        assert!(of("r = sum(W) + 0").is_err());
    }
}
