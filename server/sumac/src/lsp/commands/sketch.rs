//! `sumac.sketch`: optimizes a line's statement by way of a sketch, for clients that ask for no edit of an action. Its fourth
//! argument is the sketch's name.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::ls_types::{Position, Range};

use super::{Place, SKETCH, apply};
use crate::lsp::background::Failure;
use crate::lsp::sketches::searching::{self, Asked, Wish};
use crate::lsp::state::Shared;

/// Runs the command; the result says whether the client applied an edit. `false`: no form fits, and the person was told why.
///
/// # Errors
/// There is no such sketch, the script has changed, the search was cancelled, or the client refused the edit.
pub async fn run(
    shared: &Arc<Shared>,
    place: Place,
    arguments: &[Value],
) -> Result<Value, Failure> {
    let wish = arguments.get(3).and_then(|wish| match wish {
        Value::String(name) => Some(Wish::Sketch(name.clone())),
        other => serde_json::from_value(other.clone()).ok(),
    });
    let wish = wish.ok_or_else(|| {
        Failure::Refused(format!(
            "{SKETCH} takes a document's uri, a line from 0, a version and the name of a sketch"
        ))
    })?;
    let closed = || Failure::Refused(format!("{} is not open", place.uri.as_str()));
    let version = match place.version {
        Some(version) => version,
        None => shared.version(&place.uri).ok_or_else(closed)?,
    };
    let asked = Asked {
        uri: place.uri.clone(),
        version,
        range: Range::new(
            Position::new(place.line, 0),
            Position::new(place.line, u32::MAX),
        ),
        wish,
    };
    let Some(edit) = searching::edit(shared, &asked).await? else {
        return Ok(Value::Bool(false));
    };
    apply::in_editor(shared, edit).await
}
