//! The interpreter of scripts: walks the AST, one statement after the other.
//!
//! It runs only what a person asked to run, in a worker process. It never panics on a script: whatever does not work
//! is a [`RunError`] with the statement's line. What a script computes never depends on the number of threads.

mod algebra;
mod blocks;
mod builtins;
mod call;
mod compression;
mod dynamic;
mod expr;
mod frame_files;
mod idioms;
mod in_turn;
mod indexing;
mod inlining;
mod library;
mod liveness;
mod merge;
mod operators;
mod parfor;
mod printing;
mod scalar_ops;
mod scripts;
mod statements;
mod stats;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sumac_syntax::ast::{Program, Stmt};
use thiserror::Error;

use crate::cancel::Cancel;
use crate::error::OpError;
use crate::fused::{Planner, Planning};
use crate::io::IoError;
use crate::memory::{self, BufferPool};
use crate::value::Value;

pub use compression::Compression;
use compression::Ledger;
use library::Library;
use liveness::Liveness;
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
    /// How operators are fused.
    pub planning: Planning,
    /// When matrices are compressed.
    pub compression: Compression,
    /// Whether assignments that follow each other are planned and evaluated as one; else each is by itself. Fusion that is off
    /// and compression of everything imply the latter.
    pub blocks: bool,
    /// Whether somebody looks at the variables at the end. Else what is not read any more need not be computed.
    pub wants_variables: bool,
    /// A SystemDS installation, whose scripts serve the builtins that are DML functions: its folder, a folder with
    /// `scripts/builtin` or `builtin`, or its jar file. Without one, a few scripts that come with this crate serve.
    pub installation: Option<PathBuf>,
}

/// What a run leaves behind.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunOutcome {
    /// The variables at the end; all of them only if they were wanted.
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
        let _pool = BufferPool::start();
        let mut interpreter = Interpreter {
            options,
            print,
            library: Arc::new(Library::default()),
            planner: Arc::new(Planner::new(&options.planning)),
            program,
            passed: BTreeMap::new(),
            returned: Vec::new(),
            main: Arc::default(),
            caller: Arc::default(),
            lost: BTreeSet::new(),
            live: Arc::default(),
            ranges: BTreeMap::new(),
            stats: Stats::default(),
            ledger: Ledger::default(),
            random_calls: 0,
            depth: 0,
            calls: 0,
            parallel: false,
            base: options.base.clone(),
        };
        let mut scope = Scope::new();
        let unit = interpreter.declare(&program.statements, Unit::main(text))?;
        interpreter.main = unit.clone();
        let read_at_the_end: Option<&[Arc<str>]> = (!options.wants_variables).then_some(&[]);
        interpreter.live = interpreter
            .liveness(&program.statements, read_at_the_end, &unit)
            .into();
        interpreter.statements(&program.statements, &mut scope, &unit)?;
        let variables = scope
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect();
        Ok(RunOutcome {
            variables,
            stats: interpreter.stats.rows(&interpreter.ledger.done),
        })
    };
    let _stack = memory::Stack::of(STACK_BYTES);
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
#[derive(Clone, Default)]
struct Unit {
    text: Arc<str>,
    file: Option<PathBuf>,
    /// Where its functions are known: empty for the script itself, else a name that only this file has.
    namespace: Arc<str>,
    /// What its `source` statements call other namespaces.
    aliases: BTreeMap<Arc<str>, Arc<str>>,
}

impl Unit {
    fn main(text: &str) -> Unit {
        Unit {
            text: text.into(),
            ..Unit::default()
        }
    }

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

struct Interpreter<'a> {
    options: &'a RunOptions<'a>,
    print: &'a mut (dyn FnMut(&str) + Send),
    library: Arc<Library>,
    planner: Arc<Planner>,
    /// The statements of the script.
    program: &'a Program,
    /// Scalars of the running body as they are printed, where that is not what they are declared.
    passed: BTreeMap<Arc<str>, Value>,
    /// The same for the results of the last call.
    returned: Vec<Option<Value>>,
    /// The script itself: where functions that `eval` names are looked for.
    main: Arc<Unit>,
    /// The namespace of the file that calls a builtin.
    caller: Arc<str>,
    /// Scalars that a `parfor` gave values, one for each iteration: behind the loop they have none.
    lost: BTreeSet<Arc<str>>,
    /// Who reads what in the body that runs.
    live: Arc<Liveness>,
    /// Ranges of columns by their place; none where it has had several.
    ranges: BTreeMap<(Arc<str>, usize), Option<[u64; 2]>>,
    stats: Stats,
    /// Large matrices and what was done with them.
    ledger: Ledger,
    random_calls: u64,
    /// Nesting of expressions.
    depth: usize,
    /// Nesting of function calls.
    calls: usize,
    /// Whether this is inside of a `parfor` already.
    parallel: bool,
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

    /// The same for a variable whose part was looked for.
    fn naming(self, variable: &str) -> Fail {
        match self {
            Fail::Message(kind, message) => {
                Fail::Message(kind, message.replace("`[…]", &format!("`{variable}[…]")))
            }
            placed => placed,
        }
    }

    fn cancelled() -> Fail {
        Fail::Message(RunErrorKind::Cancelled, "cancelled".to_owned())
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
