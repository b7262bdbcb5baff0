//! What `sumac lsp --record` wrote, read back.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

/// The form of the lines that is understood here.
const FORM: u64 = 1;

/// Who a message is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum From {
    Client,
    Server,
}

/// One recorded message.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The line of the file, from 1.
    pub(super) line: usize,
    /// Since the start of its session.
    pub(super) at: Duration,
    pub(super) from: From,
    pub(super) message: Value,
}

impl Entry {
    /// The method; none for an answer.
    pub(super) fn method(&self) -> Option<&str> {
        self.message["method"].as_str()
    }

    /// The id, of a request or an answer.
    pub(super) fn id(&self) -> Option<&Value> {
        self.message.get("id")
    }

    /// The version of the text that it speaks of, and the document.
    pub(super) fn versioned(&self) -> Option<(&str, i64)> {
        let params = &self.message["params"];
        let named = match &params["textDocument"] {
            Value::Null => params,
            document => document,
        };
        Some((named["uri"].as_str()?, named["version"].as_i64()?))
    }
}

/// Reads the sessions of a file.
///
/// # Errors
/// It cannot be read, or is no recording of this form; the error names the line.
pub(super) fn read(path: &Path) -> Result<Vec<Vec<Entry>>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    // A line that was cut off may end within a character.
    let text = String::from_utf8_lossy(&bytes);
    parse(&text).with_context(|| format!("{} is no recording of a session", path.display()))
}

/// Whether a session begins in a line.
fn is_head(line: &str) -> bool {
    let value = serde_json::from_str::<Value>(line);
    value.is_ok_and(|value| value.get("form").is_some())
}

fn parse(text: &str) -> Result<Vec<Vec<Entry>>> {
    let mut sessions: Vec<Vec<Entry>> = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        let line_number = index + 1;
        let mut value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            // A machine that lost its power, or a disk that was full, leaves half a line; the next session stands behind it.
            Err(_) if lines.get(line_number).is_none_or(|next| is_head(next)) => continue,
            Err(error) => anyhow::bail!("line {line_number} is no JSON: {error}"),
        };
        if let Some(form) = value.get("form") {
            anyhow::ensure!(
                form.as_u64() == Some(FORM),
                "line {line_number}: the recording has the form {form}, and only {FORM} is understood"
            );
            sessions.push(Vec::new());
            continue;
        }
        let from = match value["from"].as_str() {
            Some("client") => From::Client,
            Some("server") => From::Server,
            _ => anyhow::bail!("line {line_number}: expected \"from\": \"client\" or \"server\""),
        };
        let at = value["at"]
            .as_f64()
            .with_context(|| format!("line {line_number}: expected \"at\" in milliseconds"))?;
        let session = sessions
            .last_mut()
            .with_context(|| format!("line {line_number}: expected a first line with \"form\""))?;
        session.push(Entry {
            line: line_number,
            at: Duration::from_secs_f64(at.max(0.0) / 1e3),
            from,
            message: value["message"].take(),
        });
    }
    anyhow::ensure!(!sessions.is_empty(), "it is empty");
    Ok(sessions)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "{\"sumac\": \"1\", \"form\": 1}\n";
    const LINE: &str =
        "{\"at\": 1.5, \"from\": \"client\", \"message\": {\"id\": 1, \"method\": \"x\"}}\n";

    #[test]
    fn sessions_are_told_apart_and_lines_are_counted() {
        let sessions = parse(&format!("{HEAD}{LINE}{HEAD}{LINE}{{\"at\":")).unwrap();
        assert_eq!(sessions.len(), 2);
        assert_eq!(sessions[1][0].line, 4);
        assert_eq!(sessions[1][0].at, Duration::from_micros(1500));
        assert_eq!(sessions[1][0].method(), Some("x"));
        let behind_half_a_line = parse(&format!("{HEAD}{LINE}{{\"at\":\n{HEAD}{LINE}")).unwrap();
        assert_eq!(behind_half_a_line.len(), 2);
        assert_eq!(behind_half_a_line[1].len(), 1);
    }

    #[test]
    fn a_file_of_another_form_is_refused_with_its_line() {
        for (text, line) in [
            (HEAD.replace('1', "2"), "line 1"),
            (LINE.to_owned(), "line 1"),
            (format!("{HEAD}x\n{LINE}"), "line 2"),
            (format!("{HEAD}{}", LINE.replace("client", "x")), "line 2"),
        ] {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.contains(line), "{error}");
        }
        assert!(parse("").is_err());
    }
}
