//! SystemDS's compiler as a process that answers for one script after another.
//!
//! It never runs a script, and never says what an answer means.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::conversation::Conversation;
use super::systemds::Program;

/// What SystemDS knows of a variable where a statement has assigned it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Write {
    /// The variable.
    pub(crate) name: String,
    /// The statement's line, from 1.
    pub(crate) line: usize,
    /// `MATRIX`, `SCALAR`, `FRAME`, `LIST`, …
    pub(crate) kind: String,
    /// Rows, where they are known.
    pub(crate) rows: Option<u64>,
    /// Columns, where they are known.
    pub(crate) cols: Option<u64>,
}

/// What came of a compilation: the writes, or the stage that refused the script and its words.
pub(crate) type Outcome = std::result::Result<Vec<Write>, Refusal>;

/// Why SystemDS does not compile a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Refusal {
    /// `parse`, `validate`, `dags`, `sizes` or `rewrite`.
    pub(crate) stage: String,
    /// In SystemDS's words.
    pub(crate) message: String,
}

impl Refusal {
    /// Whether SystemDS refuses the script for what we have that code for, without a line.
    pub(crate) fn is_about_code(&self, code: &str) -> bool {
        let words: &[&str] = match code {
            "parfor-dependency" => &["PARFOR loop dependency analysis"],
            "kind-change" => &["conditional data type change"],
            "argument-form" => &[
                "Wrong number of function input arguments",
                "functions can only have named parameters",
                "Missing default expression",
            ],
            "matrix-type" => &["has an unsupported value type"],
            "result-kind" => &["does not match"],
            _ => &[],
        };
        words.iter().any(|words| self.message.contains(words))
    }

    /// Whether SystemDS finds fault with that line of the script, rather than with a data file that is not there.
    pub(crate) fn is_about_line(&self, line: usize) -> bool {
        let missing_file = self.message.contains("does not exist on FS");
        !missing_file && self.message.contains(&format!("[line {line}:"))
    }
}

/// One script's answer.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The lexer complained of characters, and went on without them.
    pub(crate) skips: bool,
    /// With each statement as a block of its own: one write for each assignment.
    pub(crate) statements: Outcome,
    /// As SystemDS would run it: the writes that are left.
    pub(crate) plan: Outcome,
}

/// The process. It ends with the value.
pub(crate) struct Compiler(Conversation);

impl Compiler {
    /// Starts it in `folder`, where relative paths of scripts begin.
    ///
    /// # Errors
    /// Java does not start.
    pub(crate) fn start(program: &Program<'_>, folder: &Path) -> Result<Self> {
        Ok(Compiler(Conversation::start(program, folder)?))
    }

    /// Compiles one script.
    ///
    /// # Errors
    /// The process has ended, or answered something else.
    pub(crate) fn compile(
        &mut self,
        script: &Path,
        arguments: &BTreeMap<String, String>,
    ) -> Result<Answer> {
        let answer = self.0.ask(script, arguments)?;
        Ok(Answer {
            skips: answer["skips"].as_bool().unwrap_or(false),
            statements: outcome(&answer["statements"]),
            plan: outcome(&answer["plan"]),
        })
    }
}

fn outcome(value: &Value) -> Outcome {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match value["writes"].as_array() {
        Some(writes) => Ok(writes
            .iter()
            .map(|write| Write {
                name: text(&write["name"]),
                line: usize::try_from(write["line"].as_i64().unwrap_or(0)).unwrap_or(0),
                kind: text(&write["type"]),
                rows: write["rows"].as_u64(),
                cols: write["cols"].as_u64(),
            })
            .collect()),
        None => Err(Refusal {
            stage: text(&value["stage"]),
            message: text(&value["error"]),
        }),
    }
}
