//! The server's commands. Each takes `[uri, line, version]` (the line counts from 0; where a line holds several statements, a
//! position stands in its place) and waits for the suggestions of the
//! document's present text, so that it never acts on an earlier one. Where a version is given, any other is refused.

pub mod alternatives;
pub mod apply;
pub mod apply_all;
pub mod explain;
pub mod fusion;
pub mod schedule;
pub mod sketch;
pub mod time;
pub mod why_none;

use std::sync::Arc;

use serde_json::Value;
use sumac_ide::suggest::Suggestion;
use sumac_syntax::text::TextRange;
use tower_lsp::ls_types::{Position, Uri};

use super::background::Failure;
use super::document::Versioned;
use super::state::Shared;
use super::{convert, to_proto};

/// Times a statement as written and as suggested.
pub const TIME: &str = "sumac.time";
/// Shows the proof of a suggestion.
pub const EXPLAIN: &str = "sumac.explain";
/// Shows how the operators of a block are fused.
pub const FUSION: &str = "sumac.fusion";
/// Applies a suggestion.
pub const APPLY: &str = "sumac.apply";
/// Applies all suggestions of a document, once the person has seen what that changes.
pub const APPLY_ALL: &str = "sumac.applyAll";
/// Shows the forms of a statement side by side.
pub const ALTERNATIVES: &str = "sumac.alternatives";

/// Optimizes a statement by way of a sketch.
pub const SKETCH: &str = "sumac.sketch";
/// Finds and times loop nests for a product.
pub const SCHEDULE: &str = "sumac.schedule";

/// Says why a statement has no suggestion.
pub const WHY_NONE: &str = "sumac.whyNoSuggestion";

/// All commands.
pub const ALL: [&str; 9] = [
    TIME,
    EXPLAIN,
    FUSION,
    APPLY,
    APPLY_ALL,
    ALTERNATIVES,
    SKETCH,
    SCHEDULE,
    WHY_NONE,
];

/// A command of the client: asks by `sumac/alternatives`, and lets the person choose.
pub const PICK_ALTERNATIVE: &str = "sumac.pickAlternative";
/// A command of the client: asks by `sumac/schedules`, and lets the person choose.
pub const PICK_SCHEDULE: &str = "sumac.pickSchedule";

/// Runs a command.
///
/// # Errors
/// There is no such command, its arguments are wrong, or it cannot be done.
pub async fn run(shared: &Arc<Shared>, name: &str, arguments: &[Value]) -> Result<Value, Failure> {
    let place = Place::read(name, arguments)?;
    match name {
        TIME => time::run(shared, place).await,
        EXPLAIN => explain::run(shared, place).await,
        FUSION => fusion::run(shared, place).await,
        APPLY => apply::run(shared, place).await,
        APPLY_ALL => apply_all::run(shared, place).await,
        ALTERNATIVES => alternatives::run(shared, place, arguments).await,
        SKETCH => sketch::run(shared, place, arguments).await,
        SCHEDULE => schedule::run(shared, place, arguments).await,
        WHY_NONE => why_none::run(shared, place).await,
        _ => Err(Failure::Refused(format!(
            "there is no command {name:?}; there are {}",
            ALL.join(", ")
        ))),
    }
}

/// The statement that a command is about.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The document.
    pub uri: Uri,
    /// A line of the statement, from 0.
    pub line: u32,
    /// Where the statement is on the line, if that is said; otherwise it is the first.
    pub character: Option<u32>,
    /// The version of the text that the line is of, if that is known.
    pub version: Option<i32>,
}

impl Place {
    fn read(name: &str, arguments: &[Value]) -> Result<Self, Failure> {
        let uri = arguments
            .first()
            .and_then(Value::as_str)
            .and_then(|uri| uri.parse().ok());
        let number = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok());
        let at = arguments.get(1);
        let part = |name: &str| at.and_then(|at| at.get(name)).and_then(number);
        let line = at.and_then(number).or_else(|| part("line"));
        let character = part("character");
        let version = arguments
            .get(2)
            .and_then(Value::as_i64)
            .and_then(|n| i32::try_from(n).ok());
        uri.zip(line)
            .map(|(uri, line)| Place {
                uri,
                line,
                character,
                version,
            })
            .ok_or_else(|| {
                Failure::Refused(format!(
                    "{name} takes a document's uri and a line from 0, not {}",
                    Value::from(arguments)
                ))
            })
    }

    /// The statement as people name it: `loss.dml:7`.
    pub fn title(&self) -> String {
        format!("{}:{}", convert::file_name(&self.uri), self.line + 1)
    }

    /// Why nothing is done for an earlier text.
    pub fn stale(&self) -> Failure {
        let name = convert::file_name(&self.uri);
        Failure::Refused(format!("{name} has changed since; ask again"))
    }

    /// The document, as far as it must be known, and the bytes of the line.
    ///
    /// # Errors
    /// The document is not open, or has another version.
    pub async fn line(
        &self,
        shared: &Shared,
        settled: bool,
    ) -> Result<(Versioned, TextRange), Failure> {
        let closed = || Failure::Refused(format!("{} is not open", self.uri.as_str()));
        let found = shared
            .versioned(&self.uri, settled)
            .await
            .ok_or_else(closed)?;
        if self.version.is_some_and(|version| version != found.version) {
            return Err(self.stale());
        }
        let snapshot = &found.snapshot;
        let converter = to_proto::converter(snapshot, shared.session().encoding);
        let start = converter.offset(Position::new(self.line, 0));
        let line = TextRange {
            start,
            end: snapshot.line_end(start),
        };
        let at = self.character.map(|character| {
            let at = converter.offset(Position::new(self.line, character));
            snapshot.aimed_at(TextRange::new(at, at))
        });
        Ok((found, at.unwrap_or(line)))
    }

    /// The first suggestion for a statement on the line.
    ///
    /// # Errors
    /// The document is not open, has another version, or has no suggestion there.
    pub async fn suggestion(&self, shared: &Shared) -> Result<(Versioned, Suggestion), Failure> {
        let (found, line) = self.line(shared, true).await?;
        let suggestion = found
            .snapshot
            .applicable(line)
            .next()
            .cloned()
            .ok_or_else(|| {
                Failure::Refused(format!("there is no suggestion for line {}", self.line + 1))
            })?;
        Ok((found, suggestion))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_a_uri_and_a_line() {
        let place = Place::read(TIME, &[json!("file:///a.dml"), json!(7)]).unwrap();
        assert_eq!((place.uri.as_str(), place.line), ("file:///a.dml", 7));
        assert_eq!(place.version, None);
        let place = Place::read(TIME, &[json!("file:///a.dml"), json!(7), json!(3)]).unwrap();
        assert_eq!((place.version, &*place.title()), (Some(3), "a.dml:8"));
        assert_eq!(place.character, None);
        let at = json!({"line": 7, "character": 12});
        let place = Place::read(TIME, &[json!("file:///a.dml"), at]).unwrap();
        assert_eq!((place.line, place.character), (7, Some(12)));
        for bad in [
            vec![],
            vec![json!(1), json!(2)],
            vec![json!("file:///a.dml"), json!(-1)],
        ] {
            assert!(
                matches!(Place::read(TIME, &bad), Err(Failure::Refused(_))),
                "{bad:?}"
            );
        }
    }
}
