//! Sketches made from what a person has: *Write a sketch from this form*, of a statement and its suggestion, and *Turn my edit
//! into a sketch*, of a statement as it was saved or opened last and as it is now. Both stand in the script as lines above
//! the statement, and were tried before they are written.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sumac_ide::suggest::{Search, SketchSearch, sketch_from, statement_of, written_at};
use sumac_ide::{CancelToken, Snapshot, UnitBlocks};
use sumac_text::{TextEdit, TextRange};
use tower_lsp::ls_types as ls;

use super::of_script;
use super::searching::{Asked, Wish, blocks};
use crate::lsp::activity::{Task, What};
use crate::lsp::background::{Failure, background};
use crate::lsp::document::Versioned;
use crate::lsp::progress::{Shown, with_progress};
use crate::lsp::state::Shared;
use crate::lsp::{configuration, convert, to_proto};
use crate::script::{Context, Script, Stated};

/// A search that takes longer is shown to the user, with a way to cancel it.
const SHOW_SEARCH_AFTER: Duration = Duration::from_millis(300);

/// What can be made of the statement at a place: the wish, and its title in the menu. Nothing is searched.
#[must_use]
pub fn offered(
    shared: &Shared,
    uri: &ls::Uri,
    snapshot: &Snapshot,
    place: TextRange,
) -> Vec<(Wish, &'static str)> {
    let mut found = Vec::new();
    if snapshot
        .applicable(place)
        .any(|suggestion| suggestion.sketch.is_none())
    {
        found.push((Wish::FromForm, "Write a sketch from this form"));
    }
    let saved = shared
        .documents()
        .get(uri)
        .map(|document| Arc::clone(&document.saved));
    if saved.is_some_and(|saved| is_edited(&saved, snapshot, place)) {
        found.push((Wish::FromEdit, "Turn my edit into a sketch"));
    }
    found
}

/// Whether a statement that was there under this variable has another text now.
fn is_edited(saved: &str, snapshot: &Snapshot, place: TextRange) -> bool {
    let statements = snapshot
        .analysis
        .blocks
        .iter()
        .flat_map(|block| &block.statements);
    let mut here = statements.filter(|statement| {
        statement.range.start <= place.end && place.start <= statement.range.end
    });
    here.any(|statement| {
        let Some(target) = &statement.target else {
            return false;
        };
        let assigns = |line: &str| {
            let rest = line.trim_start().strip_prefix(&*target.name);
            rest.is_some_and(|rest| rest.trim_start().starts_with(['=', '<']))
        };
        let is_there = saved.contains(&snapshot.text()[statement.range]);
        !statement.parts.is_empty() && !is_there && saved.lines().any(assigns)
    })
}

/// The edit that writes the sketch. `None`: none could be made, and the person was told why.
///
/// # Errors
/// The search was cancelled.
pub(super) async fn edit(
    shared: &Arc<Shared>,
    asked: &Asked,
    known: Versioned,
) -> Result<Option<ls::WorkspaceEdit>, Failure> {
    let token = CancelToken::default();
    let task = Task::new(
        &shared.activity,
        What::Sketch,
        Some(&asked.uri),
        token.clone(),
    );
    let (keeper, asking, snapshot) = (Arc::clone(shared), asked.clone(), known.snapshot.clone());
    let work = background(task, move |token| made(&keeper, &asking, &known, token));
    let shown = Shown {
        title: "Making a sketch",
        after: SHOW_SEARCH_AFTER,
    };
    match with_progress(shared, shown, token, work).await? {
        Ok(edit) => {
            let session = shared.session();
            let document = ls::OptionalVersionedTextDocumentIdentifier {
                uri: asked.uri.clone(),
                version: Some(asked.version),
            };
            let converter = to_proto::converter(&snapshot, session.encoding);
            Ok(Some(to_proto::workspace_edit(
                &converter,
                &document,
                &[edit],
                session,
            )))
        }
        Err(why) => {
            let shared = Arc::clone(shared);
            tokio::spawn(async move {
                let message = format!("no sketch was written: {why}");
                shared
                    .client
                    .show_message(ls::MessageType::WARNING, message)
                    .await;
            });
            Ok(None)
        }
    }
}

/// The lines of the sketch above the statement.
fn made(
    shared: &Shared,
    asked: &Asked,
    known: &Versioned,
    cancel: &CancelToken,
) -> Result<TextEdit, String> {
    let (snapshot, options) = (&known.snapshot, &known.options);
    let place = to_proto::converter(snapshot, shared.session().encoding).text_range(asked.range);
    let place = snapshot.aimed_at(place);
    let here = blocks(shared, &asked.uri, snapshot, options);
    let now = written_at(snapshot, &here, place)
        .ok_or("there is no expression of linear algebra at this place")?;
    let name = free_name(shared, asked, snapshot, now.target.as_deref());
    let how = SketchSearch {
        search: Search {
            options,
            searches: &shared.searches,
            store: None,
            cancel,
        },
        cache: &shared.searches.stages,
        forms: 1,
        explains: false,
        bridges: false,
    };
    let text = match asked.wish {
        Wish::FromEdit => {
            let path = convert::file_path(&asked.uri);
            let (config, _) = configuration::of_script(shared, path.as_deref());
            let saved = shared
                .documents()
                .get(&asked.uri)
                .map(|document| Arc::clone(&document.saved));
            let saved = saved.ok_or("the script is not open any more")?;
            let path = path.unwrap_or_else(|| Path::new(asked.uri.as_str()).to_path_buf());
            let before =
                Script::new(&path, &saved, &Context::new(config, &Stated::default())).snapshot;
            let target = now
                .target
                .as_deref()
                .ok_or("the statement assigns no variable")?;
            let old = statement_of(&before, target, now.number).ok_or_else(|| {
                format!("the text that was saved or opened last assigns `{target}` in no statement like this one")
            })?;
            let there = UnitBlocks::default().of(&before, "");
            sketch_from(&before, &there, old, (&name, &now.form), how)?
        }
        _ => {
            let mut suggestions = snapshot.applicable(place);
            let suggestion = suggestions.find(|suggestion| suggestion.sketch.is_none());
            let suggestion = suggestion.ok_or("there is no other form of this statement yet")?;
            sketch_from(snapshot, &here, place, (&name, &suggestion.optimized), how)?
        }
    };
    let start = snapshot
        .lines
        .line_start(snapshot.lines.line(now.range.start));
    let indent = &snapshot.text()[start..now.range.start];
    let indent: String = indent.chars().take_while(|c| c.is_whitespace()).collect();
    let lines = text.lines().map(|line| {
        let sign = if line.starts_with('#') { "" } else { "#@ " };
        format!("{indent}{sign}{line}\n")
    });
    Ok(TextEdit {
        range: TextRange::new(start, start),
        new_text: lines.collect(),
    })
}

/// A name that no sketch has which the script sees.
fn free_name(shared: &Shared, asked: &Asked, snapshot: &Snapshot, target: Option<&str>) -> String {
    let library = of_script(shared, &asked.uri, snapshot);
    let base = target.map_or("form".to_owned(), |target| {
        format!("{}_form", target.replace('.', "_"))
    });
    let is_free = |name: &String| {
        library
            .sketches()
            .all(|(_, sketch)| *sketch.name.text != **name)
    };
    let numbered = (2..).map(|number| format!("{base}{number}"));
    let mut all = std::iter::once(base.clone()).chain(numbered);
    all.find(is_free).unwrap_or(base)
}
