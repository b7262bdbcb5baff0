//! `textDocument/codeAction` and `codeAction/resolve`: answered from what is known, never by a search. Edits are written
//! when an action is chosen, where the client asks for them then.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sumac_ide::Snapshot;
use sumac_ide::code_actions::{Action, ActionContext, Effect, code_actions, kinds};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse,
    OptionalVersionedTextDocumentIdentifier, Range, Uri,
};

use crate::lsp::activity::What;
use crate::lsp::background::{Failure, background};
use crate::lsp::document::Versioned;
use crate::lsp::settings::Session;
use crate::lsp::sketches::searching::{self, Wish};
use crate::lsp::sketches::writing;
use crate::lsp::state::Shared;
use crate::lsp::{commands, convert, languages, to_proto};

/// What the action is called that searches by all sketches.
const PREVIEW: &str = "Preview what sketches make of it";

/// Answers the request.
///
/// # Errors
/// The request was cancelled or the feature panicked.
pub async fn handle(
    shared: &Arc<Shared>,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>, Failure> {
    let uri = params.text_document.uri;
    let known = shared.versioned(&uri, false).await;
    let Some(Versioned {
        version,
        snapshot,
        options,
        ..
    }) = known
    else {
        let only = params.context.only.map(|kinds| {
            let texts = kinds.iter().map(|kind| kind.as_str().to_owned());
            texts.collect()
        });
        return languages::code_actions(shared, &uri, params.range, only).await;
    };
    let session = shared.session();
    let document = OptionalVersionedTextDocumentIdentifier {
        uri,
        version: Some(version),
    };
    let asked = Asked {
        uri: document.uri.clone(),
        version,
        range: params.range,
        only: params.context.only,
    };
    let keeper = Arc::clone(shared);
    background(shared.task_for(What::Answer, &document.uri), move |_| {
        let later = session.resolves_edits.then(|| json!(asked));
        let encode = |action| {
            let mut action = to_proto::code_action(&snapshot, &document, action, session);
            if later.is_some() && action.edit.take().is_some() {
                action.data = later.clone();
            }
            CodeActionOrCommand::CodeAction(action)
        };
        let offered = asked.offered(&snapshot, session).map(encode);
        let mut actions: Vec<CodeActionOrCommand> = offered.collect();
        if asked.wants_sketches() {
            let place = to_proto::converter(&snapshot, session.encoding).text_range(asked.range);
            let place = snapshot.aimed_at(place);
            let offers = searching::offers(&keeper, &asked.uri, &snapshot, &options, place);
            if !offers.is_empty() {
                let preview = asked.preview(session);
                actions.push(CodeActionOrCommand::CodeAction(preview));
            }
            let offers = offers.iter();
            let by_sketch = offers.map(|offer| {
                let title = format!("Optimize with sketch {}", offer.name);
                (Wish::Sketch(offer.name.to_string()), title)
            });
            let made = writing::offered(&keeper, &asked.uri, &snapshot, place).into_iter();
            let made = made.map(|(wish, title)| (wish, title.to_owned()));
            let all = by_sketch.chain(made);
            let all = all.map(|(wish, title)| asked.later(wish, &title, session));
            actions.extend(all.map(CodeActionOrCommand::CodeAction));
        }
        Some(actions)
    })
    .await
}

/// Answers `codeAction/resolve`: adds the edit of an action that was offered without one.
///
/// # Errors
/// The script has changed since, or the action is not one of ours; or as [`handle`].
pub async fn resolve(shared: &Arc<Shared>, action: CodeAction) -> Result<CodeAction, Failure> {
    let Some(data) = action.data.clone() else {
        return Ok(action);
    };
    if let Ok(asked) = serde_json::from_value::<searching::Asked>(data.clone()) {
        let edit = searching::edit(shared, &asked).await?;
        return Ok(CodeAction { edit, ..action });
    }
    let asked: Asked = serde_json::from_value(data)
        .map_err(|_| Failure::Refused("this action was not made by sumac".to_owned()))?;
    let known = shared.versioned(&asked.uri, false).await;
    let Some(known) = known.filter(|known| known.version == asked.version) else {
        let name = convert::file_name(&asked.uri);
        return Err(Failure::Refused(format!(
            "{name} has changed since; ask again"
        )));
    };
    let session = shared.session();
    let document = OptionalVersionedTextDocumentIdentifier {
        uri: asked.uri.clone(),
        version: Some(asked.version),
    };
    background(shared.task_for(What::Answer, &asked.uri), move |_| {
        let encode = |found| to_proto::code_action(&known.snapshot, &document, found, session);
        let same = |found: &CodeAction| found.title == action.title && found.kind == action.kind;
        let found = asked
            .offered(&known.snapshot, session)
            .map(encode)
            .find(same);
        // A search that has ended since may have found something else, and the person did not choose that.
        let gone = || Failure::Refused(format!("{:?} is not offered any more", action.title));
        found.ok_or_else(gone)
    })
    .await?
}

/// What actions were asked for; what they carry until they are resolved.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Asked {
    uri: Uri,
    version: i32,
    range: Range,
    only: Option<Vec<CodeActionKind>>,
}

impl Asked {
    /// Whether actions that rewrite are asked for.
    fn wants_sketches(&self) -> bool {
        let covers = |asked: &CodeActionKind| {
            let rest = kinds::REWRITE.strip_prefix(asked.as_str());
            rest.is_some_and(|rest| {
                asked.as_str().is_empty() || rest.is_empty() || rest.starts_with('.')
            })
        };
        self.only
            .as_ref()
            .is_none_or(|only| only.iter().any(covers))
    }

    /// An action that searches when it is chosen.
    fn later(&self, wish: Wish, title: &str, session: Session) -> CodeAction {
        let mut action = CodeAction {
            title: title.to_owned(),
            kind: Some(kinds::REWRITE.to_owned().into()),
            ..CodeAction::default()
        };
        if session.resolves_edits {
            action.data = Some(json!(searching::Asked {
                uri: self.uri.clone(),
                version: self.version,
                range: self.range,
                wish,
            }));
        } else {
            let line = self.range.start.line;
            let mut command = to_proto::command(title, commands::SKETCH, &self.uri, line);
            let arguments = command.arguments.get_or_insert_default();
            arguments.extend([self.version.into(), json!(wish)]);
            action.command = Some(command);
        }
        action
    }

    /// The action that shows what each sketch makes of the statement before one is chosen.
    fn preview(&self, session: Session) -> CodeAction {
        let line = self.range.start.line;
        let mut command = to_proto::comparison(PREVIEW, &self.uri, line, session);
        let arguments = command.arguments.get_or_insert_default();
        arguments.extend([self.version.into(), true.into()]);
        CodeAction {
            title: PREVIEW.to_owned(),
            kind: Some(kinds::REWRITE.to_owned().into()),
            command: Some(command),
            ..CodeAction::default()
        }
    }

    fn offered(
        &self,
        snapshot: &Snapshot,
        session: Session,
    ) -> impl Iterator<Item = Action> + use<> {
        let kinds = self.only.iter().flatten();
        let kinds: Vec<String> = kinds.map(|kind| kind.as_str().to_owned()).collect();
        let context = ActionContext {
            snapshot,
            range: to_proto::converter(snapshot, session.encoding).text_range(self.range),
            only: self.only.as_ref().map(|_| &*kinds),
        };
        // Nests are there to be timed, which nothing is where the workspace is not trusted.
        let may =
            move |action: &Action| session.trusted || !matches!(action.effect, Effect::Schedule(_));
        code_actions(&context).into_iter().filter(may)
    }
}
