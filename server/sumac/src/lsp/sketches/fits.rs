//! Where the sketches of an open file fit: searched in the background over the scripts that are known, for the lenses above
//! them. Bounded in scripts, statements and nodes; a lens says so where a bound was met.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use sumac_ide::sketch::Library;
use sumac_ide::suggest::{Search, SketchSearch, sketch_offers, sketched};
use sumac_ide::{CancelToken, Snapshot, UnitBlocks};
use sumac_sumproduct::Options;
use sumac_text::LineIndex;
use tower_lsp::ls_types::{self as ls, Uri};

use super::store::{Moment, Places};
use super::{library, with_imports};
use crate::lsp::activity::{Task, What};
use crate::lsp::background::{Failure, background};
use crate::lsp::convert::{self, Converter};
use crate::lsp::state::Shared;
use crate::lsp::{configuration, pipeline, requests, workspace};
use crate::script::{Context, Script, Stated};

/// Scripts that are looked at.
const MOST_SCRIPTS: usize = 300;
/// Statements of them that are searched.
const MOST_STATEMENTS: usize = 3000;
/// Places after which a sketch is not looked for any more.
const MOST_PLACES: usize = 50;
/// Ways to fill in the parameters that are searched for each statement.
const MOST_CALLS: usize = 4;
/// E-nodes of each stage.
const NODES: usize = 1500;

fn moment(shared: &Shared) -> Moment {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hash = DefaultHasher::new();
    shared.sketches.lock().change.hash(&mut hash);
    for (uri, document) in shared.documents().iter() {
        (uri.as_str(), document.change).hash(&mut hash);
    }
    shared.workspace().scripts().hash(&mut hash);
    hash.finish()
}

/// The lenses above the sketches of a file. `None`: it is no open sketch file. A client that can be told to ask again gets
/// what is known at once; any other waits for the count.
///
/// # Errors
/// The request was cancelled, or counting panicked.
pub async fn lenses(shared: &Arc<Shared>, uri: &Uri) -> Result<Option<Vec<ls::CodeLens>>, Failure> {
    if !shared.sketches.is_open(uri) {
        return Ok(None);
    }
    let now = moment(shared);
    let is_known = {
        let mut all = shared.sketches.fits.lock();
        let entry = all.entry(uri.clone()).or_default();
        entry
            .known
            .as_ref()
            .is_some_and(|(known, ..)| *known == now)
    };
    if !is_known {
        if shared.session().refreshes_lenses {
            start(shared, uri, now);
        } else {
            count_now(shared, uri, now, CancelToken::default()).await?;
        }
    }
    let (keeper, of) = (Arc::clone(shared), uri.clone());
    background(shared.task_for(What::Answer, uri), move |_| {
        encoded(&keeper, &of)
    })
    .await
}

/// Counts in the background, unless that is under way; then the client asks again.
fn start(shared: &Arc<Shared>, uri: &Uri, now: Moment) {
    let token = CancelToken::default();
    {
        let mut all = shared.sketches.fits.lock();
        let entry = all.entry(uri.clone()).or_default();
        if entry
            .running
            .as_ref()
            .is_some_and(|(moment, _)| *moment == now)
        {
            return;
        }
        if let Some((_, before)) = entry.running.replace((now, token.clone())) {
            before.cancel();
        }
    }
    let (shared, uri) = (Arc::clone(shared), uri.clone());
    tokio::spawn(async move {
        if count_now(&shared, &uri, now, token).await.is_ok() {
            pipeline::refresh(&shared).await;
        } else if let Some(entry) = shared.sketches.fits.lock().get_mut(&uri) {
            // Whoever asks again may count again.
            entry.running.take_if(|(moment, _)| *moment == now);
        }
    });
}

async fn count_now(
    shared: &Arc<Shared>,
    uri: &Uri,
    now: Moment,
    token: CancelToken,
) -> Result<(), Failure> {
    // What is open counts as it stands now, so its analysis is waited for.
    let open: Vec<Uri> = shared.documents().keys().cloned().collect();
    for script in &open {
        shared.versioned(script, false).await;
    }
    let task = Task::new(&shared.activity, What::Sketch, Some(uri), token);
    let (keeper, of) = (Arc::clone(shared), uri.clone());
    let counted = background(task, move |token| count(&keeper, &of, token)).await?;
    let (places, is_all) = counted.ok_or(Failure::Cancelled)?;
    let mut all = shared.sketches.fits.lock();
    // The file may be closed by now.
    if let Some(entry) = all.get_mut(uri) {
        entry.known = Some((now, Arc::new(places), is_all));
        entry.running.take_if(|(moment, _)| *moment == now);
    }
    Ok(())
}

/// The places of each sketch of a file, and whether no bound was met. `None` if it was cancelled.
fn count(shared: &Shared, uri: &Uri, token: &CancelToken) -> Option<(Places, bool)> {
    let known = library(shared, uri);
    let file = known.number(uri)?;
    let files = with_imports(&known.library, vec![file]).into_iter();
    let files = files.map(|file| &known.library.files()[file]);
    let texts = files.map(|file| (Arc::clone(&file.path), Arc::clone(&file.text)));
    let own = Library::new(texts, &sumac_ide::sketch::vocabulary());
    let sketches = own.files().first()?.parse.file.sketches.iter();
    let mut places: Places = sketches
        .filter(|sketch| sketch.language.is_none())
        .map(|sketch| (Arc::clone(&sketch.name.text), Vec::new()))
        .collect();
    let (mut statements, mut is_all) = (0, true);
    let mut scripts = scripts(shared);
    if scripts.len() > MOST_SCRIPTS {
        scripts.truncate(MOST_SCRIPTS);
        is_all = false;
    }
    for of in scripts {
        shared.pace.give_way(token);
        if token.is_cancelled() {
            return None;
        }
        let Some((snapshot, options)) = analysed(shared, &of) else {
            continue;
        };
        is_all &= in_script(
            shared,
            &own,
            (&of, &snapshot, options),
            (&mut places, &mut statements),
            token,
        )?;
    }
    Some((places, is_all))
}

/// All scripts that are known, the open ones first.
fn scripts(shared: &Shared) -> Vec<Uri> {
    let mut all: Vec<Uri> = shared.documents().keys().cloned().collect();
    let open: BTreeSet<Uri> = all.iter().cloned().collect();
    let on_disk = shared.workspace().scripts();
    let on_disk = on_disk.iter().filter_map(|path| convert::file_uri(path));
    all.extend(on_disk.filter(|uri| !open.contains(uri)));
    all
}

/// An open script as it was last analysed, another one as it is on disk.
fn analysed(shared: &Shared, uri: &Uri) -> Option<(Snapshot, Options)> {
    let open = shared
        .documents()
        .get(uri)
        .map(|document| document.snapshot.clone());
    if let Some(open) = open {
        let known = open?;
        return Some((known.snapshot, known.options));
    }
    let path = convert::file_path(uri)?;
    let text = workspace::text(&path)?;
    let (config, _) = configuration::of_script(shared, Some(&path));
    let options = configuration::search_options(shared, &config);
    let script = Script::new(&path, &text, &Context::new(config, &Stated::default()));
    Some((script.snapshot, options))
}

/// Adds the places of a script; says whether no bound was met. `None` if it was cancelled.
fn in_script(
    shared: &Shared,
    own: &Library,
    (uri, snapshot, options): (&Uri, &Snapshot, Options),
    (places, statements): (&mut Places, &mut usize),
    token: &CancelToken,
) -> Option<bool> {
    let options = Options {
        max_nodes: Some(NODES),
        ..options
    };
    let blocks = UnitBlocks::default().of(snapshot, "");
    let lines: &LineIndex = &snapshot.lines;
    let converter = Converter::new(lines, shared.session().encoding);
    let how = SketchSearch {
        search: Search {
            options: &options,
            searches: &shared.searches,
            store: None,
            cancel: token,
        },
        cache: &shared.searches.stages,
        forms: 1,
        explains: false,
        bridges: false,
    };
    let mut is_all = true;
    let analysed = snapshot.analysis.blocks.iter();
    for statement in analysed.flat_map(|block| &block.statements) {
        if statement.parts.is_empty() {
            continue;
        }
        *statements += 1;
        if *statements > MOST_STATEMENTS {
            return Some(false);
        }
        for offer in sketch_offers(snapshot, &blocks, statement.range, own, &options) {
            let Some(known) = places.get_mut(&offer.name) else {
                continue;
            };
            // The other sketches go on.
            if known.len() >= MOST_PLACES {
                is_all = false;
                continue;
            }
            for call in offer.calls.iter().take(MOST_CALLS) {
                let found = sketched(snapshot, &blocks, statement.range, call, how, &mut |_| {});
                if token.is_cancelled() {
                    return None;
                }
                let Some(form) = found
                    .ok()
                    .and_then(|found| found.suggestions.into_iter().next())
                else {
                    continue;
                };
                let place = ls::Location {
                    uri: uri.clone(),
                    range: converter.range(form.range),
                };
                // Statements that are written as one are one place.
                if !known.contains(&place) {
                    known.push(place);
                }
                break;
            }
        }
    }
    Some(is_all)
}

/// The lenses by what is known.
fn encoded(shared: &Shared, uri: &Uri) -> Option<Vec<ls::CodeLens>> {
    let known = library(shared, uri);
    let file = known.number(uri)?;
    let converter = known.converter(file, shared.session().encoding);
    let counted = {
        let all = shared.sketches.fits.lock();
        all.get(uri).and_then(|entry| entry.known.clone())
    };
    let parsed = &known.library.files().get(file)?.parse.file;
    let sketches = parsed
        .sketches
        .iter()
        .filter(|sketch| sketch.language.is_none());
    let lens = |sketch: &sumac_ide::sketch::SketchDef| {
        let range = converter.range(sketch.name.range);
        let counted = counted.as_ref();
        let found =
            counted.and_then(|(_, places, is_all)| Some((places.get(&sketch.name.text)?, *is_all)));
        let places = found.map_or(&[][..], |(places, _)| places);
        // An empty name is a text to read.
        let name = if places.is_empty() || !shared.session().shows_references {
            ""
        } else {
            requests::code_lens::SHOW_REFERENCES
        };
        ls::CodeLens {
            range,
            command: Some(ls::Command {
                title: title(found.map(|(places, is_all)| (places.len(), is_all))),
                command: name.to_owned(),
                arguments: Some(vec![json!(uri), json!(range.start), json!(places)]),
            }),
            data: None,
        }
    };
    Some(sketches.map(lens).collect())
}

/// `fits 3 expressions in this workspace`; `None`: they are being counted.
fn title(found: Option<(usize, bool)>) -> String {
    match found {
        None => "looking for expressions that it fits …".to_owned(),
        Some((0, _)) => "fits no expression in this workspace".to_owned(),
        Some((1, true)) => "fits 1 expression in this workspace".to_owned(),
        Some((n, true)) => format!("fits {n} expressions in this workspace"),
        Some((n, false)) => format!("fits {n} expressions or more in this workspace"),
    }
}
