//! Searching by way of a sketch, when a person asks for it: from the light bulb, or by the command `sumac.sketch`.
//!
//! Which sketches are offered is answered without a search. A search has a progress with a cancel, tells how far it is and
//! the best form so far, and ends with the text that it is for.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sumac_ide::sketch::Filled;
use sumac_ide::suggest::{
    NoForm, Offer, Search, SketchProgress, SketchSearch, Suggestion, sketch_offers, sketched,
    to_keep,
};
use sumac_ide::{Block, CancelToken, Snapshot};
use sumac_sumproduct::Options;
use sumac_text::TextRange;
use tokio::sync::watch;
use tower_lsp::ls_types as ls;

use super::{of_script, writing};
use crate::lsp::activity::{Task, What};
use crate::lsp::background::{Failure, background};
use crate::lsp::commands::Place;
use crate::lsp::document::Versioned;
use crate::lsp::progress::{Shown, while_current, with_reports};
use crate::lsp::search::{block_options, kept};
use crate::lsp::state::Shared;
use crate::lsp::{convert, to_proto, virtual_document};

/// A search that takes longer is shown to the user, with a way to cancel it.
const SHOW_SEARCH_AFTER: Duration = Duration::from_millis(300);
/// Ways to fill in a sketch's parameters that are searched.
const MOST_TRIED: usize = 8;

/// A sketch for a place of a version of a script: what an action carries until it is resolved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Asked {
    /// The script.
    pub uri: ls::Uri,
    /// The version of its text that the person saw.
    pub version: i32,
    /// The cursor or selection.
    pub range: ls::Range,
    /// What is to be done.
    pub wish: Wish,
}

/// What is to be done with a statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Wish {
    /// It is written as the sketch of this name leads to.
    Sketch(String),
    /// A sketch is made of its suggestion.
    FromForm,
    /// A sketch is made of what it was when it was saved or opened last, and what it is now.
    FromEdit,
}

/// The sketches that could lead somewhere from the statements at a place. Searches nothing.
#[must_use]
pub fn offers(
    shared: &Shared,
    uri: &ls::Uri,
    snapshot: &Snapshot,
    options: &Options,
    place: TextRange,
) -> Vec<Offer> {
    let library = of_script(shared, uri, snapshot);
    if library.files().is_empty() {
        return Vec::new();
    }
    let blocks = blocks(shared, uri, snapshot, options);
    sketch_offers(snapshot, &blocks, place, &library, options)
}

/// The blocks of a script, by content; the document keeps them for its next version.
pub(super) fn blocks(
    shared: &Shared,
    uri: &ls::Uri,
    snapshot: &Snapshot,
    options: &Options,
) -> Vec<Block> {
    let kept = shared
        .documents()
        .get(uri)
        .map(|document| Arc::clone(&document.blocks));
    let kept = kept.unwrap_or_default();
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.of(snapshot, &block_options(snapshot, options))
}

/// The edit that writes the best form that fits. `None`: there is none, and the person was told why.
///
/// # Errors
/// The script has changed, the sketch could lead nowhere from the place, or the search was cancelled.
pub async fn edit(
    shared: &Arc<Shared>,
    asked: &Asked,
) -> Result<Option<ls::WorkspaceEdit>, Failure> {
    let known = shared.versioned(&asked.uri, false).await;
    let Some(known) = known.filter(|known| known.version == asked.version) else {
        return Err(stale(asked));
    };
    let Wish::Sketch(name) = &asked.wish else {
        return writing::edit(shared, asked, known).await;
    };
    let session = shared.session();
    let found = search(shared, asked, name, &known).await?;
    if shared.version(&asked.uri) != Some(asked.version) {
        return Err(stale(asked));
    }
    match found {
        Ok((suggestion, kept)) => {
            if let Some(guides) = kept {
                tell_to_keep(shared, name, &guides);
            }
            let converter = to_proto::converter(&known.snapshot, session.encoding);
            let document = ls::OptionalVersionedTextDocumentIdentifier {
                uri: asked.uri.clone(),
                version: Some(asked.version),
            };
            let edits = suggestion.edits.to_vec();
            Ok(Some(to_proto::workspace_edit(
                &converter, &document, &edits, session,
            )))
        }
        Err((_, NoForm::Cancelled)) => Err(Failure::Cancelled),
        Err((call, miss)) => {
            explain(shared, asked, &known, &call, &miss).await;
            Ok(None)
        }
    }
}

fn stale(asked: &Asked) -> Failure {
    let name = convert::file_name(&asked.uri);
    Failure::Refused(format!("{name} has changed since; ask again"))
}

/// The best form with the guides that were put in by the search, or the way that came nearest and why it did not get there.
type Best = Result<(Suggestion, Option<String>), (String, NoForm)>;

/// Searches by a sketch in all ways to fill it in.
async fn search(
    shared: &Arc<Shared>,
    asked: &Asked,
    name: &str,
    known: &Versioned,
) -> Result<Best, Failure> {
    let token = CancelToken::default();
    let task = Task::new(
        &shared.activity,
        What::Sketch,
        Some(&asked.uri),
        token.clone(),
    );
    let (tell, told) = watch::channel(String::new());
    let keeper = Arc::clone(shared);
    let (asking, known, wanted) = (asked.clone(), known.clone(), name.to_owned());
    let work = background(task, move |token| {
        find(&keeper, &asking, &wanted, &known, token, &tell)
    });
    let title = format!("Searching by the sketch {name}");
    let shown = Shown {
        title: &title,
        after: SHOW_SEARCH_AFTER,
    };
    let of = (&asked.uri, asked.version);
    let shown = with_reports(shared, shown, token.clone(), told, work);
    while_current(shared, of, &token, shown).await?
}

/// The search itself.
fn find(
    shared: &Shared,
    asked: &Asked,
    name: &str,
    known: &Versioned,
    token: &CancelToken,
    tell: &watch::Sender<String>,
) -> Result<Best, Failure> {
    let Versioned {
        snapshot,
        options,
        config,
        ..
    } = known;
    let encoding = shared.session().encoding;
    let place = to_proto::converter(snapshot, encoding).text_range(asked.range);
    let place = snapshot.aimed_at(place);
    let offers = offers(shared, &asked.uri, snapshot, options, place);
    let offer = offers.into_iter().find(|offer| *offer.name == *name);
    let Some(offer) = offer else {
        let message = format!("the sketch `{name}` could lead nowhere from this statement");
        return Err(Failure::Refused(message));
    };
    let blocks = blocks(shared, &asked.uri, snapshot, options);
    let how = SketchSearch {
        search: Search {
            options,
            searches: &shared.searches,
            store: kept(shared, config),
            cancel: token,
        },
        cache: &shared.searches.stages,
        forms: 1,
        explains: true,
        bridges: true,
    };
    Ok(best_of(&offer, snapshot, (&blocks, place), how, tell))
}

/// The best form of all ways to fill in a sketch's parameters.
fn best_of(
    offer: &Offer,
    snapshot: &Snapshot,
    (blocks, place): (&[Block], TextRange),
    how: SketchSearch<'_>,
    tell: &watch::Sender<String>,
) -> Best {
    let mut best: Option<(Suggestion, Option<String>)> = None;
    let mut miss = (offer.name.to_string(), NoForm::Nothing);
    for sketch in offer.calls.iter().take(MOST_TRIED) {
        let mut watch = |progress: SketchProgress| {
            let so_far = best.as_ref().map(|(best, _)| best.optimized.as_str());
            // Nobody listens to a search that no client shows.
            let _ = tell.send(text_of(sketch, &progress, so_far));
        };
        match sketched(snapshot, blocks, place, sketch, how, &mut watch) {
            Ok(found) => {
                let kept = to_keep(&found.stages);
                let forms = found.suggestions.into_iter();
                let forms = forms.map(|form| (form, kept.clone())).chain(best.take());
                best = forms.min_by(|(a, _), (b, _)| a.cost.1.total_cmp(&b.cost.1));
            }
            Err(NoForm::Cancelled) => return Err((sketch.name.clone(), NoForm::Cancelled)),
            Err(other) => {
                let (call, known) = miss;
                let nearer = known.clone().or_nearer(other);
                let call = if nearer == known {
                    call
                } else {
                    sketch.name.clone()
                };
                miss = (call, nearer);
            }
        }
    }
    best.ok_or(miss)
}

/// What the sketches that could apply make of the statement at a place: for each that fits its best form, with the sketch as it
/// was called. Sketches that lead to one form stand together.
///
/// # Errors
/// The script has changed, or the search was cancelled.
pub async fn previews(
    shared: &Arc<Shared>,
    place: &Place,
) -> Result<(Versioned, Vec<(String, Suggestion)>), Failure> {
    let (known, here) = place.line(shared, false).await?;
    let token = CancelToken::default();
    let task = Task::new(
        &shared.activity,
        What::Sketch,
        Some(&place.uri),
        token.clone(),
    );
    let (tell, told) = watch::channel(String::new());
    let (keeper, uri, seen) = (Arc::clone(shared), place.uri.clone(), known.clone());
    let work = background(task, move |token| {
        let Versioned {
            snapshot, options, ..
        } = &seen;
        let blocks = blocks(&keeper, &uri, snapshot, options);
        // Why a sketch does not fit is told to whoever chooses it.
        let how = SketchSearch {
            search: Search {
                options,
                searches: &keeper.searches,
                store: None,
                cancel: token,
            },
            cache: &keeper.searches.stages,
            forms: 1,
            explains: false,
            bridges: false,
        };
        let mut forms: Vec<(String, Suggestion)> = Vec::new();
        for offer in offers(&keeper, &uri, snapshot, options, here) {
            match best_of(&offer, snapshot, (&blocks, here), how, &tell) {
                Err((_, NoForm::Cancelled)) => return Err(Failure::Cancelled),
                Err(_) => {}
                Ok((form, _)) => {
                    let name = form.sketch.as_deref().unwrap_or(&offer.name).to_owned();
                    let same =
                        |(_, other): &&mut (String, Suggestion)| other.statement == form.statement;
                    match forms.iter_mut().find(same) {
                        Some((names, _)) => names.push_str(&format!(", {name}")),
                        None => forms.push((name, form)),
                    }
                }
            }
        }
        forms.sort_by(|(_, a), (_, b)| a.cost.1.total_cmp(&b.cost.1));
        Ok(forms)
    });
    let title = format!("Searching by the sketches for {}", place.title());
    let shown = Shown {
        title: &title,
        after: SHOW_SEARCH_AFTER,
    };
    let shown = with_reports(shared, shown, token.clone(), told, work);
    let forms = while_current(shared, (&place.uri, known.version), &token, shown).await??;
    if shared.version(&place.uri) == Some(known.version) {
        Ok((known, forms))
    } else {
        Err(place.stale())
    }
}

/// Tells the person of guides that nobody wrote and that led to the goal, so that they can be kept.
fn tell_to_keep(shared: &Arc<Shared>, name: &str, guides: &str) {
    let message = format!(
        "the sketch {name} was reached by way of a stage that it does not have; put this before its goal to keep it: {}",
        guides.replace('\n', " ")
    );
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let client = &shared.client;
        client.show_message(ls::MessageType::INFO, message).await;
    });
}

/// `one_pass(X): goal (2 of 2), 340 e-nodes; so far sum(X * Y)`.
fn text_of(sketch: &Filled, progress: &SketchProgress, best: Option<&str>) -> String {
    let (number, count) = progress.stage;
    format!(
        "{}: {} ({number} of {count}), {} e-nodes; so far {}",
        sketch.name,
        progress.label,
        progress.nodes,
        best.unwrap_or(&progress.best)
    )
}

/// Tells the person which guide was not reached; what came nearest stands in a document beside.
async fn explain(
    shared: &Arc<Shared>,
    asked: &Asked,
    known: &Versioned,
    call: &str,
    miss: &NoForm,
) {
    let snapshot = &known.snapshot;
    let converter = to_proto::converter(snapshot, shared.session().encoding);
    let start = converter.offset(ls::Position::new(asked.range.start.line, 0));
    let line = &snapshot.text()[start..snapshot.line_end(start)];
    let place = Place {
        uri: asked.uri.clone(),
        line: asked.range.start.line,
        character: None,
        version: Some(asked.version),
    };
    let document = virtual_document::publish(shared, "sketch", &place, miss.markdown(call, line));
    let way_out = miss
        .way_out()
        .map_or(String::new(), |way| format!("; {way}"));
    let message = format!(
        "the sketch {call} does not fit: {}{way_out}",
        miss.message()
    );
    let shared = Arc::clone(shared);
    // Whoever asked for the edit does not wait for a window to open.
    tokio::spawn(async move {
        let client = &shared.client;
        client.show_message(ls::MessageType::WARNING, message).await;
        virtual_document::show(&shared, &document).await;
    });
}
