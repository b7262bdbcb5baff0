//! The interpreter of scripts: walks the AST, one statement after the other.
//!
//! It runs only what a person asked to run, in a worker process. It never panics on a script: whatever does not work
//! is a [`RunError`] with the statement's line. `parfor` runs its iterations in order.

mod builtins;
mod call;
mod expr;
mod printing;
mod scalar_ops;
mod stats;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sumac_la::Op;
use sumac_syntax::ast::{
    AssignOp, Block, Expr, FunctionDef, LoopRange, Program, Stmt, StmtKind, Target,
};
use thiserror::Error;

use crate::apply::apply;
use crate::cancel::Cancel;
use crate::error::OpError;
use crate::io::IoError;
use crate::value::Value;

pub use stats::StatRow;
use stats::Stats;

/// Stack of the thread that interprets; only what is used of it costs memory.
const STACK_BYTES: usize = 128 << 20;

/// Function calls inside each other at most.
const MOST_CALLS: usize = 500;

/// Reads and parses the script that `source` names.
pub type Loader<'a> = dyn Fn(&Path) -> Result<(Program, String), String> + Sync + 'a;

/// What a run starts from.
pub struct RunOptions<'a> {
    /// `$name` and `$1` without the dollar sign.
    pub args: BTreeMap<String, Value>,
    /// Where relative paths of the script start.
    pub base: PathBuf,
    /// Seed of `rand` calls that give none.
    pub seed: u64,
    /// Polled between statements.
    pub cancel: Cancel,
    /// For `source("file") as name`.
    pub loader: &'a Loader<'a>,
}

/// What a run leaves behind.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunOutcome {
    /// The variables at the end.
    pub variables: BTreeMap<String, Value>,
    /// Operators by the time they took, longest first.
    pub stats: Vec<StatRow>,
}

/// Why a run ended early.
#[derive(Clone, PartialEq, Debug, Error, Serialize, Deserialize)]
#[error("{}{message}", location(.file.as_deref(), *.line))]
pub struct RunError {
    /// The file, where it is not the script itself but one that it sources.
    pub file: Option<PathBuf>,
    /// The line of the statement, from 1.
    pub line: usize,
    /// What happened.
    pub message: String,
    /// Which kind of end this is.
    pub kind: RunErrorKind,
}

fn location(file: Option<&Path>, line: usize) -> String {
    match file {
        Some(file) => format!("{}:{line}: ", file.display()),
        None => format!("line {line}: "),
    }
}

/// The kinds of early ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RunErrorKind {
    /// The script did something that does not work.
    Failure,
    /// The script called `stop`.
    Stop,
    /// An `assert` did not hold.
    Assertion,
    /// Called off from outside.
    Cancelled,
}

/// Runs a script. `text` is what `program` was parsed from; each printed line goes to `print` without its end.
///
/// # Errors
/// See [`RunError`].
pub fn run(
    program: &Program,
    text: &str,
    options: &RunOptions<'_>,
    print: &mut (dyn FnMut(&str) + Send),
) -> Result<RunOutcome, RunError> {
    let work = move || {
        let mut interpreter = Interpreter {
            options,
            print,
            functions: BTreeMap::new(),
            stats: Stats::default(),
            random_calls: 0,
            depth: 0,
            calls: 0,
            base: options.base.clone(),
        };
        let unit = Unit {
            text: text.into(),
            file: None,
            namespace: Arc::from(""),
        };
        let mut scope = Scope::new();
        interpreter.declare(&program.statements, &Arc::new(unit.clone()), 0)?;
        interpreter.statements(&program.statements, &mut scope, &unit)?;
        let variables = scope
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect();
        Ok(RunOutcome {
            variables,
            stats: interpreter.stats.rows(),
        })
    };
    std::thread::scope(|threads| {
        let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
        match builder.spawn_scoped(threads, work) {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(RunError {
                file: None,
                line: 1,
                message: format!("no thread could be started: {error}"),
                kind: RunErrorKind::Failure,
            }),
        }
    })
}

/// A command-line argument as SystemDS reads it: a truth value, a number, or else text.
#[must_use]
pub fn argument_value(text: &str) -> Value {
    match text {
        "TRUE" => return Value::Bool(true),
        "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let is_numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    if let Ok(i) = text.parse::<i64>() {
        return Value::Int(i);
    }
    match text.parse::<f64>() {
        Ok(x) if is_numeric => Value::Double(x),
        _ => Value::text(text),
    }
}

type Scope = BTreeMap<Arc<str>, Value>;

/// The text that statements came from.
#[derive(Clone)]
struct Unit {
    text: Arc<str>,
    file: Option<PathBuf>,
    namespace: Arc<str>,
}

impl Unit {
    fn line(&self, offset: usize) -> usize {
        1 + self
            .text
            .as_bytes()
            .iter()
            .take(offset)
            .filter(|b| **b == b'\n')
            .count()
    }
}

#[derive(Clone)]
struct Function {
    definition: Arc<FunctionDef>,
    unit: Arc<Unit>,
}

struct Interpreter<'a> {
    options: &'a RunOptions<'a>,
    print: &'a mut (dyn FnMut(&str) + Send),
    /// By namespace and name.
    functions: BTreeMap<(Arc<str>, Arc<str>), Function>,
    stats: Stats,
    random_calls: u64,
    /// Nesting of expressions.
    depth: usize,
    /// Nesting of function calls.
    calls: usize,
    base: PathBuf,
}

/// Why a statement stopped, before its line is known.
#[derive(Debug)]
enum Fail {
    Message(RunErrorKind, String),
    /// A statement further in already said where.
    Placed(RunError),
}

impl Fail {
    fn new(message: impl Into<String>) -> Fail {
        Fail::Message(RunErrorKind::Failure, message.into())
    }
}

impl From<OpError> for Fail {
    fn from(error: OpError) -> Fail {
        Fail::new(error.to_string())
    }
}

impl From<IoError> for Fail {
    fn from(error: IoError) -> Fail {
        Fail::new(error.to_string())
    }
}

impl From<RunError> for Fail {
    fn from(error: RunError) -> Fail {
        Fail::Placed(error)
    }
}

impl Interpreter<'_> {
    /// Makes the functions of a script known, and those of the scripts that it sources.
    fn declare(
        &mut self,
        statements: &[Stmt],
        unit: &Arc<Unit>,
        nesting: usize,
    ) -> Result<(), RunError> {
        for statement in statements {
            match &statement.kind {
                StmtKind::Function(definition) => {
                    let key = (unit.namespace.clone(), definition.name.name.clone());
                    let function = Function {
                        definition: Arc::new(definition.clone()),
                        unit: unit.clone(),
                    };
                    self.functions.insert(key, function);
                }
                StmtKind::Source {
                    path: Some(path),
                    alias,
                } => {
                    let placed = |message| place(Fail::new(message), unit, statement);
                    if nesting > 20 {
                        return Err(placed(
                            "scripts source each other more than 20 levels deep".to_owned(),
                        ));
                    }
                    let from = unit
                        .file
                        .as_deref()
                        .and_then(Path::parent)
                        .unwrap_or(&self.base)
                        .to_owned();
                    let file = from.join(&*path.value);
                    let (program, text) = (self.options.loader)(&file).map_err(placed)?;
                    let namespace = alias
                        .as_ref()
                        .map_or_else(|| Arc::from(""), |a| a.name.clone());
                    let inner = Arc::new(Unit {
                        text: text.into(),
                        file: Some(file),
                        namespace,
                    });
                    self.declare(&program.statements, &inner, nesting + 1)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn statements(
        &mut self,
        statements: &[Stmt],
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), RunError> {
        statements.iter().try_for_each(|statement| {
            if self.options.cancel.is_cancelled() {
                let fail = Fail::Message(RunErrorKind::Cancelled, "cancelled".to_owned());
                return Err(place(fail, unit, statement));
            }
            self.statement(statement, scope, unit)
                .map_err(|fail| place(fail, unit, statement))
        })
    }

    fn statement(&mut self, statement: &Stmt, scope: &mut Scope, unit: &Unit) -> Result<(), Fail> {
        match &statement.kind {
            StmtKind::Assign { target, op, value } => {
                let mut value = self.expr(value, scope, unit)?;
                if *op == AssignOp::Accumulate {
                    let old = self.variable(&target.name, scope)?;
                    value = scalar_ops::binary(sumac_syntax::ast::BinaryOp::Add, old, value)?;
                }
                self.assign(target, value, scope, unit)
            }
            StmtKind::MultiAssign { targets, value } => {
                let values = self.multiple(value, scope, unit)?;
                if values.len() < targets.len() {
                    return Err(Fail::new(format!(
                        "{} results are asked for, {} are given",
                        targets.len(),
                        values.len()
                    )));
                }
                targets
                    .iter()
                    .zip(values)
                    .try_for_each(|(target, value)| self.assign(target, value, scope, unit))
            }
            StmtKind::Expr(value) => self.effect(value, scope, unit),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let block = if self.condition(cond, scope, unit)? {
                    Some(then)
                } else {
                    otherwise.as_ref()
                };
                block.map_or(Ok(()), |block| self.block(block, scope, unit))
            }
            StmtKind::While { cond, body } => {
                while self.condition(cond, scope, unit)? {
                    if self.options.cancel.is_cancelled() {
                        return Err(Fail::Message(
                            RunErrorKind::Cancelled,
                            "cancelled".to_owned(),
                        ));
                    }
                    self.block(body, scope, unit)?;
                }
                Ok(())
            }
            StmtKind::For {
                var, range, body, ..
            } => {
                for value in self.loop_values(range, scope, unit)? {
                    if self.options.cancel.is_cancelled() {
                        return Err(Fail::Message(
                            RunErrorKind::Cancelled,
                            "cancelled".to_owned(),
                        ));
                    }
                    // A whole number counts as an integer, as in SystemDS.
                    let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
                    let value = if is_whole {
                        Value::Int(value as i64)
                    } else {
                        Value::Double(value)
                    };
                    scope.insert(var.name.clone(), value);
                    self.block(body, scope, unit)?;
                }
                Ok(())
            }
            StmtKind::SetWd { path } => {
                if let Some(path) = path {
                    self.base = self.base.join(&*path.value);
                }
                Ok(())
            }
            // Both were looked at before the run.
            StmtKind::Function(_) | StmtKind::Source { path: Some(_), .. } => Ok(()),
            StmtKind::Source { path: None, .. } => {
                Err(Fail::new("`source` expects a path, found none"))
            }
            StmtKind::Error => Err(Fail::new("expected a statement, found text that is none")),
        }
    }

    fn block(&mut self, block: &Block, scope: &mut Scope, unit: &Unit) -> Result<(), Fail> {
        Ok(self.statements(&block.statements, scope, unit)?)
    }

    fn condition(&mut self, cond: &Expr, scope: &mut Scope, unit: &Unit) -> Result<bool, Fail> {
        let value = self.expr(cond, scope, unit)?;
        match &value {
            Value::Bool(b) => Ok(*b),
            other => Ok(other.number("if")? != 0.0),
        }
    }

    fn loop_values(
        &mut self,
        range: &LoopRange,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Vec<f64>, Fail> {
        match range {
            LoopRange::FromTo(from, to) => {
                let from = self.expr(from, scope, unit)?.number("for")?;
                let to = self.expr(to, scope, unit)?.number("for")?;
                let count = (to - from).abs().floor() + 1.0;
                if count.is_nan() || count >= 1e12 {
                    return Err(Fail::new(format!(
                        "a range from {from} to {to} cannot be walked"
                    )));
                }
                let step = if to >= from { 1.0 } else { -1.0 };
                Ok((0..count as usize)
                    .map(|i| from + step * i as f64)
                    .collect())
            }
            LoopRange::Over(values) => {
                let value = self.expr(values, scope, unit)?;
                let m = value.matrix("for")?;
                if m.cols() != 1 && m.rows() != 1 && !m.is_empty() {
                    return Err(OpError::argument("for", "a vector", value.describe()).into());
                }
                Ok(m.to_cells())
            }
        }
    }

    fn assign(
        &mut self,
        target: &Target,
        value: Value,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<(), Fail> {
        let Some(index) = &target.index else {
            scope.insert(target.name.name.clone(), value);
            return Ok(());
        };
        let old = self.variable(&target.name, scope)?;
        let bounds = self.bounds(&old, index, scope, unit)?;
        // The scope lets go of the matrix, so that its last owner is changed in place.
        scope.remove(&target.name.name);
        let mut args = vec![old, value];
        args.extend(bounds.map(Value::Double));
        let start = std::time::Instant::now();
        let new = apply(Op::LeftIndex, args)?;
        self.stats.add("leftIndex", start.elapsed());
        scope.insert(target.name.name.clone(), new);
        Ok(())
    }
}

fn place(fail: Fail, unit: &Unit, statement: &Stmt) -> RunError {
    match fail {
        Fail::Placed(error) => error,
        Fail::Message(kind, message) => RunError {
            file: unit.file.clone(),
            line: unit.line(statement.range.start),
            message,
            kind,
        },
    }
}
