//! The statement that a command is about, and what is known of it when the command begins.

use serde_json::Value;
use sumac_ide::suggest::Suggestion;
use sumac_text::TextRange;
use tower_lsp::ls_types::{Position, Uri};

use crate::lsp::background::Failure;
use crate::lsp::document::Versioned;
use crate::lsp::state::Shared;
use crate::lsp::{convert, to_proto};

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
    pub(crate) fn read(name: &str, arguments: &[Value]) -> Result<Self, Failure> {
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
        let (found, place) = self.line(shared, true).await?;
        let suggestion = found.snapshot.applicable(place).next().cloned();
        let suggestion =
            suggestion.ok_or_else(|| Failure::Refused(self.none_at(&found, place, shared)))?;
        Ok((found, suggestion))
    }

    /// That there is no suggestion, and which there are elsewhere on the line.
    fn none_at(&self, found: &Versioned, place: TextRange, shared: &Shared) -> String {
        let (snapshot, number) = (&found.snapshot, self.line + 1);
        let line = TextRange::new(
            snapshot.lines.line_start(snapshot.lines.line(place.start)),
            snapshot.line_end(place.start),
        );
        let converter = to_proto::converter(snapshot, shared.session().encoding);
        let on_line = |range: &TextRange| range.start <= line.end && line.start <= range.end;
        let ranges = snapshot
            .applicable(line)
            .flat_map(|it| it.statement_ranges.to_vec());
        let columns: Vec<String> = ranges
            .filter(on_line)
            .map(|range| (converter.range(range).start.character + 1).to_string())
            .collect();
        match &columns[..] {
            [] => format!("there is no suggestion for line {number}"),
            columns => format!(
                "the statement under the cursor has no suggestion; on line {number} there is one for what begins in column {}",
                columns.join(" and one in column ")
            ),
        }
    }
}
