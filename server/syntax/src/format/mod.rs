//! The formatter: the same tokens and comments in the same order, with other blanks, newlines and semicolons between
//! them. A pure function of the text and the options.
//!
//! It must never change what a script means. Every result is parsed and compared with the original before it is
//! handed out: the same tree, the same comments, the same signs. What is broken stays as it is.

mod broken;
mod builder;
mod doc;
mod edits;
mod expr;
mod indent;
mod range;
mod same;
mod stmt;

use crate::parse::{BYTE_ORDER_MARK, Parse, parse};
use builder::Builder;
use doc::Page;
use edits::GapEdit;
use sumac_text::{TextEdit, TextRange, apply_edits};

pub use indent::line_indent;

/// How scripts are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FormatOptions {
    /// Columns that a line should not exceed.
    pub line_width: usize,
    /// Blanks for each level.
    pub indent_width: usize,
    /// Most empty lines in a row.
    pub max_blank_lines: usize,
}

impl Default for FormatOptions {
    fn default() -> Self {
        FormatOptions {
            line_width: 100,
            indent_width: 2,
            max_blank_lines: 2,
        }
    }
}

impl FormatOptions {
    /// The widest indentation of a level.
    pub const MOST_INDENT: usize = 32;
    /// The longest line.
    pub const MOST_WIDTH: usize = 10_000;
    /// The most empty lines that are kept.
    pub const MOST_BLANK: usize = 1000;

    /// The same where it makes sense, and the nearest that does otherwise: editors and files say what they like.
    fn bounded(self) -> FormatOptions {
        FormatOptions {
            line_width: self.line_width.min(Self::MOST_WIDTH),
            indent_width: self.indent_width.min(Self::MOST_INDENT),
            max_blank_lines: self.max_blank_lines.min(Self::MOST_BLANK),
        }
    }
}

/// Why a script was not formatted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatError {
    /// It is nested too deeply.
    TooDeep,
    /// The result would not mean the same; the text says in what it would differ. Never the author's fault.
    Differs(&'static str),
}

impl std::fmt::Display for FormatError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FormatError::TooDeep => {
                f.write_str("nested too deeply to be formatted; move inner parts into functions")
            }
            FormatError::Differs(what) => write!(
                f,
                "formatting would change {what}, so nothing was changed; please report this script, \
                 and keep the place apart with `# fmt: off` and `# fmt: on`"
            ),
        }
    }
}

impl std::error::Error for FormatError {}

/// The whole script, formatted.
///
/// # Errors
/// It is nested too deeply, or the result would not be the same script.
pub fn format(script: &Parse, options: &FormatOptions) -> Result<String, FormatError> {
    let edits = changed_gaps(script, options)?;
    let edits: Vec<TextEdit> = edits
        .into_iter()
        .map(|edit| edit.minimal(script.text()))
        .collect();
    let formatted = apply_edits(script.text(), &edits);
    if !edits.is_empty() {
        same::check(script, &parse(formatted.as_str()))?;
    }
    Ok(formatted)
}

/// What formatting changes, as edits that touch only blanks, newlines and semicolons. With a range, only in the
/// statements that it touches.
///
/// # Errors
/// As [`format()`].
pub fn format_edits(
    script: &Parse,
    range: Option<TextRange>,
    options: &FormatOptions,
) -> Result<Vec<TextEdit>, FormatError> {
    let edits = changed_gaps(script, options)?;
    let edits = match range {
        Some(range) => edits::inside(edits, script.text(), range::statements(script, range)),
        None => edits,
    };
    let edits: Vec<TextEdit> = edits
        .into_iter()
        .map(|edit| edit.minimal(script.text()))
        .collect();
    if !edits.is_empty() {
        same::check(script, &script.edit(&edits))?;
    }
    Ok(edits)
}

/// The gaps that formatting changes: in a script that cannot be read as a whole, as many as leave it what it is.
fn changed_gaps(script: &Parse, options: &FormatOptions) -> Result<Vec<GapEdit>, FormatError> {
    let whole = gaps_of(script, options);
    if script.errors().is_empty() || whole == Err(FormatError::TooDeep) {
        return whole;
    }
    Ok(broken::safe_gaps(script, whole.ok(), options))
}

fn gaps_of(script: &Parse, options: &FormatOptions) -> Result<Vec<GapEdit>, FormatError> {
    edits::between(script.text(), &layout(script, options)?)
}

fn layout(script: &Parse, options: &FormatOptions) -> Result<String, FormatError> {
    let text: &str = script.text();
    let options = options.bounded();
    let tree = crate::tree::parse_tree(text);
    let mut builder = Builder::new(script, options);
    builder.list(tree.root_node(), text.len());
    if builder.too_deep {
        return Err(FormatError::TooDeep);
    }
    // The last line always ends with what this finds, so a second pass finds the same.
    let newline = match text.rfind('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    };
    let page = Page {
        width: options.line_width,
        indent: options.indent_width,
        newline,
    };
    let mut formatted = doc::render(&builder.finish(), page);
    if let Some(rest) = text.strip_prefix(BYTE_ORDER_MARK)
        && !rest.is_empty()
    {
        formatted.insert(0, BYTE_ORDER_MARK);
    }
    if !formatted.is_empty() && !formatted.ends_with('\n') {
        formatted.push_str(newline);
    }
    Ok(formatted)
}
