//! Whether two scripts are the same but for places: the same tree, the same comments, no other errors.

use std::fmt::{self, Write};

use super::FormatError;
use crate::comments::Comment;
use crate::parse::Parse;

/// Says in what two scripts differ.
pub(super) fn check(old: &Parse, new: &Parse) -> Result<(), FormatError> {
    if !old
        .comments()
        .iter()
        .map(|comment| words(old, comment))
        .eq(new.comments().iter().map(|comment| words(new, comment)))
    {
        return Err(FormatError::Differs("its comments"));
    }
    if old.errors().is_empty() != new.errors().is_empty() || shape(old) != shape(new) {
        return Err(FormatError::Differs("what it means"));
    }
    Ok(())
}

/// A comment without the blanks at the ends of its lines.
fn words<'a>(script: &'a Parse, comment: &Comment) -> Vec<&'a str> {
    script.text()[comment.range]
        .lines()
        .map(str::trim)
        .collect()
}

/// The tree as text without places.
fn shape(script: &Parse) -> String {
    let mut out = WithoutPlaces {
        out: String::new(),
        skips: false,
    };
    // Writing into a string cannot fail.
    let _ = write!(out, "{:?}", script.program());
    out.out
}

/// Drops what stands between `TextRange {` and the next `}`.
struct WithoutPlaces {
    out: String,
    skips: bool,
}

impl Write for WithoutPlaces {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.skips {
            self.skips = !piece.contains('}');
        } else if piece == "TextRange" {
            self.skips = true;
        } else {
            self.out.push_str(piece);
        }
        Ok(())
    }
}
