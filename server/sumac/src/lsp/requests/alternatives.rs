//! `sumac/alternatives`: the forms of a statement to choose from, the suggestion first.
//!
//! Parameters `{uri, line, version, sketches}`; result `{title, message, document, items: [{title, detail, edit}]}`. The client
//! opens `document`, lets the person choose an item, and applies its edit if the script still has the edit's version.
//! With `sketches: true` the forms are those that the sketches of the workspace lead to, one for each that fits.
//! Without alternatives there are no items, and `message` says so. A client that offers this says `picksAlternatives`
//! in its `initializationOptions`, and has the command `sumac.pickAlternative`, whose arguments are the parameters.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sumac_ide::suggest::{Search, Suggestion, alternatives, preview};
use sumac_ide::{Block, CancelToken, Comparison, Form, MOST_ALTERNATIVES, compare};
use tower_lsp::ls_types::{OptionalVersionedTextDocumentIdentifier, Uri, WorkspaceEdit};

use crate::lsp::activity::{Task, What};
use crate::lsp::background::{Failure, background};
use crate::lsp::commands::Place;
use crate::lsp::document::Versioned;
use crate::lsp::progress::{Shown, while_current, with_progress};
use crate::lsp::sketches::searching::previews;
use crate::lsp::state::Shared;
use crate::lsp::{to_proto, virtual_document};

/// The method's name.
pub const METHOD: &str = "sumac/alternatives";

/// A search that takes longer is shown to the user, with a way to cancel it.
const SHOW_SEARCH_AFTER: Duration = Duration::from_secs(1);

/// Which statement.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct AlternativesParams {
    /// The document.
    pub uri: Uri,
    /// A line of the statement, from 0.
    pub line: u32,
    /// The version of the text that the person saw. Another one is refused.
    pub version: Option<i32>,
    /// Whether the forms are those that sketches lead to.
    #[serde(default)]
    pub sketches: bool,
}

/// What there is to choose from.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct AlternativesResult {
    /// What is chosen.
    pub title: String,
    /// Why there is nothing to choose, if there is nothing.
    pub message: Option<String>,
    /// The forms side by side, as a document that `sumac/document` gives.
    pub document: Option<Uri>,
    /// The forms.
    pub items: Vec<Item>,
}

/// A form.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Item {
    /// The gain and the form, in one line.
    pub title: String,
    /// What it costs and how it differs, in one line.
    pub detail: String,
    /// The change that writes it.
    pub edit: WorkspaceEdit,
}

/// Answers the request.
///
/// # Errors
/// See [`find`].
pub async fn handle(
    shared: &Arc<Shared>,
    params: AlternativesParams,
) -> Result<AlternativesResult, Failure> {
    let AlternativesParams {
        uri,
        line,
        version,
        sketches,
    } = params;
    of(
        shared,
        Place {
            uri,
            line,
            character: None,
            version,
        },
        sketches,
    )
    .await
}

/// The forms of the statement at a place, or those that sketches lead to.
///
/// # Errors
/// As [`find`].
pub async fn of(
    shared: &Arc<Shared>,
    place: Place,
    sketches: bool,
) -> Result<AlternativesResult, Failure> {
    if !sketches {
        return find(shared, place).await;
    }
    let (found, forms) = previews(shared, &place).await?;
    if forms.is_empty() {
        let message = format!(
            "no sketch that could apply fits {}; *Optimize with sketch* says of each what it misses",
            place.title()
        );
        return Ok(AlternativesResult {
            message: Some(message),
            ..AlternativesResult::default()
        });
    }
    let compared = preview(&forms, &place.title());
    Ok(encoded(shared, &place, &found, "sketches", compared))
}

/// Searches the forms of the statement at a place.
///
/// # Errors
/// There is no suggestion, the script has changed, or the search was cancelled.
pub async fn find(shared: &Arc<Shared>, place: Place) -> Result<AlternativesResult, Failure> {
    let (found, suggestion) = place.suggestion(shared).await?;
    let others = others(shared, &place, &found, &suggestion).await?;
    if others.is_empty() {
        let message = format!(
            "no other form of {} is cheaper than it is as written",
            place.title()
        );
        return Ok(AlternativesResult {
            message: Some(message),
            ..AlternativesResult::default()
        });
    }
    let title = place.title();
    let task = shared.task_for(What::Answer, &place.uri);
    let compared = background(task, move |_| compare(&suggestion, &others, &title)).await?;
    Ok(encoded(shared, &place, &found, "forms", compared))
}

/// A comparison as the client gets it; `kind` is that of its document.
fn encoded(
    shared: &Shared,
    place: &Place,
    found: &Versioned,
    kind: &str,
    compared: Comparison,
) -> AlternativesResult {
    let session = shared.session();
    let converter = to_proto::converter(&found.snapshot, session.encoding);
    let document = OptionalVersionedTextDocumentIdentifier {
        uri: place.uri.clone(),
        version: Some(found.version),
    };
    let item = |form: Form| Item {
        edit: to_proto::workspace_edit(&converter, &document, &form.edits.to_vec(), session),
        title: form.title,
        detail: form.detail,
    };
    AlternativesResult {
        title: compared.title,
        message: None,
        document: Some(virtual_document::publish(
            shared,
            kind,
            place,
            compared.markdown,
        )),
        items: compared.forms.into_iter().map(item).collect(),
    }
}

/// The other forms: known ones, or those of a search that ends with the text that it is for.
async fn others(
    shared: &Arc<Shared>,
    place: &Place,
    found: &Versioned,
    suggestion: &Suggestion,
) -> Result<Vec<Suggestion>, Failure> {
    let snapshot = found.snapshot.clone();
    let options = found.options;
    let suggestion = suggestion.clone();
    let task = shared.task_for(What::Answer, &place.uri);
    let block = background(task, {
        let (snapshot, suggestion) = (snapshot.clone(), suggestion.clone());
        move |_| Block::of_alternatives(&snapshot, &suggestion, &format!("{options:?}"))
    })
    .await?;
    if let Some(Block { key, place, .. }) = &block
        && let Some(known) = shared.alternatives().get(*key, place)
    {
        let forms = known.into_iter().map(|form| (*form.suggestion).clone());
        return Ok(forms.collect());
    }
    let token = CancelToken::default();
    let keeper = Arc::clone(shared);
    let what = What::Alternatives;
    let task = Task::new(&shared.activity, what, Some(&place.uri), token.clone());
    let work = background(task, move |token| {
        let most = MOST_ALTERNATIVES;
        let search = Search {
            options: &options,
            searches: &keeper.searches,
            store: None,
            cancel: token,
        };
        let forms = alternatives(&snapshot, &suggestion, most, search);
        if token.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        if let Some(Block { key, place, .. }) = block {
            keeper.alternatives().insert(key, place, forms.clone());
        }
        Ok(forms)
    });
    let title = format!("Searching other forms of {}", place.title());
    let shown = Shown {
        title: &title,
        after: SHOW_SEARCH_AFTER,
    };
    let shown = with_progress(shared, shown, token.clone(), work);
    let forms = while_current(shared, (&place.uri, found.version), &token, shown).await?;
    if shared.version(&place.uri) == Some(found.version) {
        forms
    } else {
        Err(place.stale())
    }
}
