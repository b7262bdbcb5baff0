//! Results of `ide` as protocol types. Decides nothing.

use std::collections::HashMap;

use serde_json::Value;
use sumac_analysis::Severity;
use sumac_analysis::catalogue::Tag;
use sumac_ide::{LensEffect, Snapshot, code_actions::Effect};
use sumac_text::{TextEdit, TextRange};
use tower_lsp::ls_types as ls;

use super::convert::Converter;
use super::settings::{Encoding, Session};

/// The converter of a snapshot's text.
#[must_use]
pub fn converter(snapshot: &Snapshot, encoding: Encoding) -> Converter<'_> {
    Converter::new(&snapshot.lines, encoding)
}

/// Diagnostics.
#[must_use]
pub fn diagnostics(snapshot: &Snapshot, uri: &ls::Uri, encoding: Encoding) -> Vec<ls::Diagnostic> {
    let converter = converter(snapshot, encoding);
    sumac_ide::diagnostics(snapshot)
        .into_iter()
        .map(|found| diagnostic(&converter, uri, found))
        .collect()
}

/// A diagnostic of a document.
#[must_use]
pub fn diagnostic(
    converter: &Converter<'_>,
    uri: &ls::Uri,
    found: sumac_ide::Diagnostic,
) -> ls::Diagnostic {
    let related = |(range, message): &(TextRange, String)| ls::DiagnosticRelatedInformation {
        location: ls::Location {
            uri: uri.clone(),
            range: converter.range(*range),
        },
        message: message.clone(),
    };
    ls::Diagnostic {
        range: converter.range(found.range),
        severity: Some(severity(found.severity)),
        code: Some(ls::NumberOrString::String(found.code.to_owned())),
        code_description: page(found.code),
        source: Some("sumac".to_owned()),
        message: found.message,
        related_information: (!found.related.is_empty())
            .then(|| found.related.iter().map(related).collect()),
        tags: found.tag.map(|tag| vec![diagnostic_tag(tag)]),
        ..ls::Diagnostic::default()
    }
}

/// Where the page of a code is, if the package says where its pages are.
fn page(code: &str) -> Option<ls::CodeDescription> {
    let repository = env!("CARGO_PKG_REPOSITORY").trim_end_matches('/');
    if repository.is_empty() {
        return None;
    }
    // What is wrong with a sketch is explained with the language of sketches.
    let page = if code.starts_with("sketch-") {
        "sketches.md".to_owned()
    } else {
        format!("diagnostics/{code}.md")
    };
    let page = format!("{repository}/blob/HEAD/docs/{page}");
    let href = page.parse().ok()?;
    Some(ls::CodeDescription { href })
}

fn severity(severity: Severity) -> ls::DiagnosticSeverity {
    match severity {
        Severity::Error => ls::DiagnosticSeverity::ERROR,
        Severity::Warning => ls::DiagnosticSeverity::WARNING,
        Severity::Information => ls::DiagnosticSeverity::INFORMATION,
        Severity::Hint => ls::DiagnosticSeverity::HINT,
    }
}

fn diagnostic_tag(tag: Tag) -> ls::DiagnosticTag {
    match tag {
        Tag::Unnecessary => ls::DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => ls::DiagnosticTag::DEPRECATED,
    }
}

/// A hover.
#[must_use]
pub fn hover(snapshot: &Snapshot, hover: sumac_ide::Hover, session: Session) -> ls::Hover {
    ls::Hover {
        contents: ls::HoverContents::Markup(markup(hover.markdown, session)),
        range: Some(converter(snapshot, session.encoding).range(hover.range)),
    }
}

/// Markdown, or what remains of it where the client shows plain text only: it was written to be read so too.
#[must_use]
pub fn markup(markdown: String, session: Session) -> ls::MarkupContent {
    let kind = if session.markdown {
        ls::MarkupKind::Markdown
    } else {
        ls::MarkupKind::PlainText
    };
    ls::MarkupContent {
        kind,
        value: markdown,
    }
}

/// An inlay hint.
#[must_use]
pub fn inlay_hint(converter: &Converter<'_>, hint: &sumac_ide::InlayHint) -> ls::InlayHint {
    ls::InlayHint {
        position: converter.position(hint.offset),
        label: ls::InlayHintLabel::String(hint.label.clone()),
        kind: None,
        text_edits: (!hint.edits.is_empty()).then(|| converter.edits(&hint.edits)),
        tooltip: Some(ls::InlayHintTooltip::MarkupContent(ls::MarkupContent {
            kind: ls::MarkupKind::Markdown,
            value: hint.tooltip.clone(),
        })),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

/// A shape behind a name.
#[must_use]
pub fn shape_hint(converter: &Converter<'_>, hint: &sumac_ide::ShapeHint) -> ls::InlayHint {
    ls::InlayHint {
        position: converter.position(hint.offset),
        label: ls::InlayHintLabel::String(hint.label.clone()),
        kind: Some(ls::InlayHintKind::TYPE),
        text_edits: None,
        tooltip: Some(ls::InlayHintTooltip::String(hint.tooltip.clone())),
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

/// A command of the server on a statement of a document.
#[must_use]
pub fn command(title: &str, name: &str, uri: &ls::Uri, line: u32) -> ls::Command {
    ls::Command {
        title: title.to_owned(),
        command: name.to_owned(),
        arguments: Some(vec![uri.as_str().into(), line.into()]),
    }
}

/// Has a command name its statement by the place and not by the line, where another statement stands before it on the line.
pub fn at_statement(
    snapshot: &Snapshot,
    converter: &Converter<'_>,
    command: &mut ls::Command,
    offset: usize,
) {
    let names = [super::commands::TIME, super::commands::EXPLAIN];
    if snapshot.is_first_on_line(offset) || !names.contains(&&*command.command) {
        return;
    }
    let line = command.arguments.as_mut().and_then(|all| all.get_mut(1));
    if let Some(line) = line {
        let ls::Position {
            line: at,
            character,
        } = converter.position(offset);
        *line = serde_json::json!({"line": at, "character": character});
    }
}

/// The command that compares the forms of a statement, in the client's way if it has one.
#[must_use]
pub fn comparison(title: &str, uri: &ls::Uri, line: u32, session: Session) -> ls::Command {
    let name = if session.picks_alternatives {
        super::commands::PICK_ALTERNATIVE
    } else {
        super::commands::ALTERNATIVES
    };
    command(title, name, uri, line)
}

/// The command that finds loops for a product, in the client's way if it has one.
#[must_use]
fn schedule(title: &str, uri: &ls::Uri, line: u32, session: Session) -> ls::Command {
    let name = if session.picks_schedules {
        super::commands::PICK_SCHEDULE
    } else {
        super::commands::SCHEDULE
    };
    command(title, name, uri, line)
}

/// A code lens. Its command is about the line as it will be: editors keep lenses for a while after an edit.
#[must_use]
pub fn code_lens(
    converter: &Converter<'_>,
    uri: &ls::Uri,
    lens: &sumac_ide::CodeLens,
    session: Session,
) -> ls::CodeLens {
    let range = converter.range(lens.range);
    let line = range.start.line;
    let plain = |name: &str| command(&lens.title, name, uri, line);
    let command = match lens.effect {
        LensEffect::Time => plain(super::commands::TIME),
        LensEffect::Explain => plain(super::commands::EXPLAIN),
        LensEffect::Compare => comparison(&lens.title, uri, line, session),
        LensEffect::Schedule => schedule(&lens.title, uri, line, session),
        // A client shows a lens without a command only after resolving it: an empty name is a text to read.
        LensEffect::Wait => plain(""),
    };
    ls::CodeLens {
        range,
        command: Some(command),
        data: None,
    }
}

/// A code action.
#[must_use]
pub fn code_action(
    snapshot: &Snapshot,
    document: &ls::OptionalVersionedTextDocumentIdentifier,
    action: sumac_ide::code_actions::Action,
    session: Session,
) -> ls::CodeAction {
    let converter = converter(snapshot, session.encoding);
    let fixes = action.fixes.into_iter();
    let fixes = fixes.map(|found| diagnostic(&converter, &document.uri, found));
    let fixes: Vec<ls::Diagnostic> = fixes.collect();
    let mut out = ls::CodeAction {
        kind: Some(action.kind.to_owned().into()),
        diagnostics: (!fixes.is_empty()).then_some(fixes),
        is_preferred: action.is_preferred.then_some(true),
        ..ls::CodeAction::default()
    };
    match action.effect {
        Effect::Edit(edits) => {
            out.edit = Some(workspace_edit(&converter, document, &edits, session));
        }
        Effect::ApplyAll => {
            let name = super::commands::APPLY_ALL;
            let mut command = command(&action.title, name, &document.uri, 0);
            let arguments = command.arguments.get_or_insert_default();
            arguments.extend(document.version.map(Value::from));
            out.command = Some(command);
        }
        Effect::Explain(offset) => {
            let line = converter.position(offset).line;
            let name = super::commands::EXPLAIN;
            let mut command = command(&action.title, name, &document.uri, line);
            at_statement(snapshot, &converter, &mut command, offset);
            out.command = Some(command);
        }
        Effect::WhyNone(offset) => {
            let line = converter.position(offset).line;
            let name = super::commands::WHY_NONE;
            out.command = Some(command(&action.title, name, &document.uri, line));
        }
        Effect::Fusion(offset) => {
            let line = converter.position(offset).line;
            let name = super::commands::FUSION;
            out.command = Some(command(&action.title, name, &document.uri, line));
        }
        Effect::Schedule(offset) => {
            let line = converter.position(offset).line;
            out.command = Some(schedule(&action.title, &document.uri, line, session));
        }
        Effect::Compare(offset) => {
            let line = converter.position(offset).line;
            let mut command = comparison(&action.title, &document.uri, line, session);
            // Whoever chooses it later must not get the forms of another text.
            let arguments = command.arguments.get_or_insert_default();
            arguments.extend(document.version.map(Value::from));
            out.command = Some(command);
        }
    }
    out.title = action.title;
    out
}

/// Edits of one document; with the version they are for, where the client can check it.
#[must_use]
pub fn workspace_edit(
    converter: &Converter<'_>,
    document: &ls::OptionalVersionedTextDocumentIdentifier,
    edits: &[TextEdit],
    session: Session,
) -> ls::WorkspaceEdit {
    let edits = converter.edits(edits);
    if session.versioned_edits {
        let edit = ls::TextDocumentEdit {
            text_document: document.clone(),
            edits: edits.into_iter().map(ls::OneOf::Left).collect(),
        };
        ls::WorkspaceEdit {
            document_changes: Some(ls::DocumentChanges::Edits(vec![edit])),
            ..ls::WorkspaceEdit::default()
        }
    } else {
        ls::WorkspaceEdit {
            changes: Some(HashMap::from([(document.uri.clone(), edits)])),
            ..ls::WorkspaceEdit::default()
        }
    }
}
