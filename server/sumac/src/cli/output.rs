//! What goes to the standard output and the standard error, and in which colours.
//!
//! Results go to the standard output, messages to the standard error; a reader that went away is no error.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};

use serde::Serialize;

use super::args::{Color, Common, Format};

/// Where the results and messages of one command go.
#[derive(Debug)]
pub struct Output {
    /// How results are written.
    pub format: Format,
    color: Color,
    quiet: bool,
    /// What need not be said twice.
    said: RefCell<BTreeSet<String>>,
    /// Whether who read the results went away.
    is_gone: Cell<bool>,
    /// Whether results could not be written though somebody waits for them.
    is_lost: Cell<bool>,
}

impl Output {
    /// As the options ask.
    #[must_use]
    pub fn new(common: &Common) -> Self {
        Output {
            format: common.format,
            color: common.color,
            quiet: common.quiet,
            said: RefCell::default(),
            is_gone: Cell::default(),
            is_lost: Cell::default(),
        }
    }

    /// Whether results are for programs.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Whether text on the standard output is coloured.
    #[must_use]
    pub fn colors_stdout(&self) -> bool {
        self.colors(std::io::stdout().is_terminal())
    }

    /// Whether text on the standard error is coloured.
    #[must_use]
    pub fn colors_stderr(&self) -> bool {
        self.colors(std::io::stderr().is_terminal())
    }

    fn colors(&self, is_terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            }
        }
    }

    /// Writes text to the standard output as it is.
    pub fn print(&self, text: impl Display) {
        self.written(write!(std::io::stdout().lock(), "{text}"));
    }

    /// Writes a line of text to the standard output.
    pub fn line(&self, text: impl Display) {
        self.written(writeln!(std::io::stdout().lock(), "{text}"));
    }

    /// Notes how it went to write something to the standard output.
    pub fn written(&self, outcome: std::io::Result<()>) {
        match outcome {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.is_gone.set(true),
            // A disk that is full, for one: said once, however much more there is to write.
            Err(error) => {
                if !self.is_lost.replace(true) {
                    self.error(format_args!(
                        "the standard output cannot be written: {error}"
                    ));
                }
            }
        }
    }

    /// Whether nobody gets the results any more.
    pub fn is_gone(&self) -> bool {
        self.is_gone.get() || self.is_lost.get()
    }

    /// Writes what has not been written yet, and says whether all results got where they should: a reader that went away
    /// wanted no more.
    pub fn is_written(&self) -> bool {
        self.written(std::io::stdout().lock().flush());
        !self.is_lost.get()
    }

    /// Writes a value as JSON to the standard output.
    pub fn json(&self, value: &impl Serialize) {
        let text = serde_json::to_string_pretty(value).unwrap_or_else(|error| {
            // Plain data with text keys always serializes; if it ever does not, a program must not read half of it.
            self.error(format_args!(
                "the result cannot be written as JSON: {error}"
            ));
            "null".to_owned()
        });
        self.line(text);
    }

    /// A remark on the standard error, unless `--quiet`.
    pub fn note(&self, text: impl Display) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }

    /// As [`Output::note`], once for a command that would say it of each script.
    pub fn note_once(&self, text: &str) {
        if self.said.borrow_mut().insert(text.to_owned()) {
            self.note(text);
        }
    }

    /// An error on the standard error.
    pub fn error(&self, text: impl Display) {
        let _ = if self.colors_stderr() {
            writeln!(std::io::stderr().lock(), "\x1b[1;31merror\x1b[0m: {text}")
        } else {
            writeln!(std::io::stderr().lock(), "error: {text}")
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(color: Color) -> Output {
        Output::new(&Common {
            color,
            ..Common::default()
        })
    }

    #[test]
    fn a_reader_that_went_away_is_no_loss_and_a_full_disk_is_one() {
        let gone = output(Color::Never);
        gone.written(Err(ErrorKind::BrokenPipe.into()));
        assert!(gone.is_gone() && gone.is_written());
        let full = output(Color::Never);
        full.written(Err(ErrorKind::StorageFull.into()));
        full.written(Ok(()));
        assert!(full.is_gone() && !full.is_written());
    }

    #[test]
    fn colours_follow_the_option_before_the_terminal() {
        assert!(output(Color::Always).colors(false));
        assert!(!output(Color::Never).colors(true));
        assert!(!output(Color::Auto).colors(false));
    }
}
