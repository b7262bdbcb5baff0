//! The protocol's methods, each handed to its own file. Nothing is computed here.

use std::sync::Arc;

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as ls;
use tower_lsp::{Client, LanguageServer};

use super::background::Failure;
use super::message_writer::MessageWriter;
use super::requests::{
    alternatives, call_hierarchy, code_action, code_lens, completion, definition, diagnostic,
    document, document_highlight, document_link, document_symbol, folding_range, formatting, hover,
    inlay_hint, linked_editing_range, references, rename, schedules, selection_range,
    semantic_tokens, signature_help, workspace_symbol,
};
use super::settings::{Encoding, Session};
use super::state::Shared;
use super::workspace::{self, watch};
use super::{commands, configuration, status, sync};
use crate::lsp::pipeline;

/// The server of one session.
#[derive(Debug)]
pub struct Backend {
    shared: Arc<Shared>,
}

impl Backend {
    /// A server that speaks to `client`, whose messages leave by `writer`.
    #[must_use]
    pub fn new(client: Client, writer: MessageWriter) -> Self {
        Backend {
            shared: Arc::new(Shared::new(client, writer)),
        }
    }

    /// The state of the session.
    #[must_use]
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// `sumac/document`.
    ///
    /// # Errors
    /// The document is not known.
    #[expect(clippy::unused_async, reason = "custom methods are futures")]
    pub async fn document(
        &self,
        params: document::DocumentParams,
    ) -> Result<document::DocumentResult> {
        Ok(document::handle(&self.shared, &params)?)
    }

    /// `sumac/alternatives`.
    ///
    /// # Errors
    /// There is no suggestion, the script has changed, or the search was cancelled.
    pub async fn alternatives(
        &self,
        params: alternatives::AlternativesParams,
    ) -> Result<alternatives::AlternativesResult> {
        Ok(alternatives::handle(&self.shared, params).await?)
    }

    /// `sumac/schedules`.
    ///
    /// # Errors
    /// There is no product on the line, or the script has changed.
    pub async fn schedules(
        &self,
        params: schedules::SchedulesParams,
    ) -> Result<schedules::SchedulesResult> {
        Ok(schedules::handle(&self.shared, params).await?)
    }

    /// `sumac/status`.
    ///
    /// # Errors
    /// None.
    #[expect(clippy::unused_async, reason = "custom methods are futures")]
    pub async fn status(&self) -> Result<status::Status> {
        Ok(status::status(&self.shared))
    }

    /// `sumac/cancel`.
    ///
    /// # Errors
    /// None.
    #[expect(clippy::unused_async, reason = "custom methods are futures")]
    pub async fn cancel(&self, params: status::CancelParams) -> Result<usize> {
        Ok(status::cancel(&self.shared, &params))
    }

    /// `sumac/clearCaches`.
    ///
    /// # Errors
    /// None.
    #[expect(clippy::unused_async, reason = "custom methods are futures")]
    pub async fn clear_caches(&self) -> Result<()> {
        self.shared.clear_caches();
        Ok(())
    }

    /// `window/workDoneProgress/cancel`.
    #[expect(clippy::unused_async, reason = "custom methods are futures")]
    pub async fn cancel_progress(&self, params: ls::WorkDoneProgressCancelParams) {
        self.shared.running.cancel(&params);
    }

    /// Asks the client for its settings, where it answers such questions.
    async fn pull_settings(&self) {
        if !self.shared.session().has_configuration {
            return;
        }
        let item = ls::ConfigurationItem {
            scope_uri: None,
            section: Some("sumac".to_owned()),
        };
        if let Ok(values) = self.shared.client.configuration(vec![item]).await
            && values
                .first()
                .is_some_and(|value| self.shared.configure(value))
        {
            configuration::limit(&self.shared);
            pipeline::invalidate(&self.shared);
        }
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, params: ls::InitializeParams) -> Result<ls::InitializeResult> {
        let session = self.shared.begin(&params);
        workspace::start(&self.shared, watch::roots(&params));
        if let Some(options) = &params.initialization_options {
            self.shared
                .configure(options.get("settings").unwrap_or(options));
        }
        configuration::limit(&self.shared);
        Ok(ls::InitializeResult {
            capabilities: capabilities(session),
            server_info: Some(ls::ServerInfo {
                name: "sumac".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            ..ls::InitializeResult::default()
        })
    }

    async fn initialized(&self, _: ls::InitializedParams) {
        if self.shared.session().shows_status {
            tokio::spawn(status::tell(Arc::clone(&self.shared)));
        }
        tokio::join!(self.pull_settings(), watch::register(&self.shared));
    }

    async fn shutdown(&self) -> Result<()> {
        for document in self.shared.documents().values() {
            document.token.cancel();
        }
        workspace::stop(&self.shared);
        Ok(())
    }

    async fn did_open(&self, params: ls::DidOpenTextDocumentParams) {
        sync::open(&self.shared, params.text_document);
    }

    async fn did_change(&self, params: ls::DidChangeTextDocumentParams) {
        sync::change(&self.shared, &params);
    }

    async fn did_close(&self, params: ls::DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        sync::close(&self.shared, &uri);
        diagnostic::withdraw(&self.shared, &uri).await;
    }

    async fn did_save(&self, params: ls::DidSaveTextDocumentParams) {
        sync::save(&self.shared, &params.text_document.uri);
    }

    async fn did_change_configuration(&self, params: ls::DidChangeConfigurationParams) {
        if params.settings.is_null() {
            self.pull_settings().await;
        } else if self.shared.configure(&params.settings) {
            configuration::limit(&self.shared);
            pipeline::invalidate(&self.shared);
        }
    }

    async fn did_change_watched_files(&self, params: ls::DidChangeWatchedFilesParams) {
        watch::changed(&self.shared, &params.changes);
        configuration::limit(&self.shared);
        configuration::recheck(&self.shared).await;
    }

    async fn did_change_workspace_folders(&self, params: ls::DidChangeWorkspaceFoldersParams) {
        watch::folders_changed(&self.shared, &params.event);
        configuration::limit(&self.shared);
    }

    async fn goto_definition(
        &self,
        params: ls::GotoDefinitionParams,
    ) -> Result<Option<ls::GotoDefinitionResponse>> {
        Ok(definition::handle(&self.shared, params, sumac_ide::definition).await?)
    }

    async fn goto_type_definition(
        &self,
        params: ls::GotoDefinitionParams,
    ) -> Result<Option<ls::GotoDefinitionResponse>> {
        Ok(definition::handle(&self.shared, params, sumac_ide::type_definition).await?)
    }

    async fn references(&self, params: ls::ReferenceParams) -> Result<Option<Vec<ls::Location>>> {
        Ok(references::handle(&self.shared, params).await?)
    }

    async fn document_highlight(
        &self,
        params: ls::DocumentHighlightParams,
    ) -> Result<Option<Vec<ls::DocumentHighlight>>> {
        Ok(document_highlight::handle(&self.shared, params).await?)
    }

    async fn document_symbol(
        &self,
        params: ls::DocumentSymbolParams,
    ) -> Result<Option<ls::DocumentSymbolResponse>> {
        Ok(document_symbol::handle(&self.shared, params).await?)
    }

    async fn hover(&self, params: ls::HoverParams) -> Result<Option<ls::Hover>> {
        Ok(hover::handle(&self.shared, params).await?)
    }

    async fn diagnostic(
        &self,
        params: ls::DocumentDiagnosticParams,
    ) -> Result<ls::DocumentDiagnosticReportResult> {
        Ok(diagnostic::handle(&self.shared, params).await?)
    }

    async fn inlay_hint(&self, params: ls::InlayHintParams) -> Result<Option<Vec<ls::InlayHint>>> {
        Ok(inlay_hint::handle(&self.shared, params).await?)
    }

    async fn symbol(
        &self,
        params: ls::WorkspaceSymbolParams,
    ) -> Result<Option<ls::WorkspaceSymbolResponse>> {
        Ok(workspace_symbol::handle(&self.shared, params).await?)
    }

    async fn prepare_rename(
        &self,
        params: ls::TextDocumentPositionParams,
    ) -> Result<Option<ls::PrepareRenameResponse>> {
        Ok(rename::prepare(&self.shared, params).await?)
    }

    async fn rename(&self, params: ls::RenameParams) -> Result<Option<ls::WorkspaceEdit>> {
        Ok(rename::handle(&self.shared, params).await?)
    }

    async fn prepare_call_hierarchy(
        &self,
        params: ls::CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<ls::CallHierarchyItem>>> {
        Ok(call_hierarchy::prepare(&self.shared, params).await?)
    }

    async fn incoming_calls(
        &self,
        params: ls::CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<ls::CallHierarchyIncomingCall>>> {
        Ok(call_hierarchy::incoming(&self.shared, params).await?)
    }

    async fn outgoing_calls(
        &self,
        params: ls::CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<ls::CallHierarchyOutgoingCall>>> {
        Ok(call_hierarchy::outgoing(&self.shared, params).await?)
    }

    async fn document_link(
        &self,
        params: ls::DocumentLinkParams,
    ) -> Result<Option<Vec<ls::DocumentLink>>> {
        Ok(document_link::handle(&self.shared, params).await?)
    }

    async fn document_link_resolve(&self, link: ls::DocumentLink) -> Result<ls::DocumentLink> {
        Ok(document_link::resolve(&self.shared, link).await?)
    }

    async fn linked_editing_range(
        &self,
        params: ls::LinkedEditingRangeParams,
    ) -> Result<Option<ls::LinkedEditingRanges>> {
        Ok(linked_editing_range::handle(&self.shared, params).await?)
    }

    async fn code_lens(&self, params: ls::CodeLensParams) -> Result<Option<Vec<ls::CodeLens>>> {
        Ok(code_lens::handle(&self.shared, params).await?)
    }

    async fn code_lens_resolve(&self, lens: ls::CodeLens) -> Result<ls::CodeLens> {
        Ok(code_lens::resolve(&self.shared, lens).await?)
    }

    async fn code_action_resolve(&self, action: ls::CodeAction) -> Result<ls::CodeAction> {
        Ok(code_action::resolve(&self.shared, action).await?)
    }

    async fn code_action(
        &self,
        params: ls::CodeActionParams,
    ) -> Result<Option<ls::CodeActionResponse>> {
        Ok(code_action::handle(&self.shared, params).await?)
    }

    async fn completion(
        &self,
        params: ls::CompletionParams,
    ) -> Result<Option<ls::CompletionResponse>> {
        Ok(completion::handle(&self.shared, params).await?)
    }

    async fn completion_resolve(&self, params: ls::CompletionItem) -> Result<ls::CompletionItem> {
        Ok(completion::resolve(&self.shared, params).await?)
    }

    async fn signature_help(
        &self,
        params: ls::SignatureHelpParams,
    ) -> Result<Option<ls::SignatureHelp>> {
        Ok(signature_help::handle(&self.shared, params).await?)
    }

    async fn folding_range(
        &self,
        params: ls::FoldingRangeParams,
    ) -> Result<Option<Vec<ls::FoldingRange>>> {
        Ok(folding_range::handle(&self.shared, params).await?)
    }

    async fn selection_range(
        &self,
        params: ls::SelectionRangeParams,
    ) -> Result<Option<Vec<ls::SelectionRange>>> {
        Ok(selection_range::handle(&self.shared, params).await?)
    }

    async fn semantic_tokens_full(
        &self,
        params: ls::SemanticTokensParams,
    ) -> Result<Option<ls::SemanticTokensResult>> {
        Ok(semantic_tokens::full(&self.shared, params).await?)
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: ls::SemanticTokensDeltaParams,
    ) -> Result<Option<ls::SemanticTokensFullDeltaResult>> {
        Ok(semantic_tokens::full_delta(&self.shared, params).await?)
    }

    async fn semantic_tokens_range(
        &self,
        params: ls::SemanticTokensRangeParams,
    ) -> Result<Option<ls::SemanticTokensRangeResult>> {
        Ok(semantic_tokens::range(&self.shared, params).await?)
    }

    async fn formatting(
        &self,
        params: ls::DocumentFormattingParams,
    ) -> Result<Option<Vec<ls::TextEdit>>> {
        Ok(formatting::document(&self.shared, params).await?)
    }

    async fn range_formatting(
        &self,
        params: ls::DocumentRangeFormattingParams,
    ) -> Result<Option<Vec<ls::TextEdit>>> {
        Ok(formatting::range(&self.shared, params).await?)
    }

    async fn on_type_formatting(
        &self,
        params: ls::DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<ls::TextEdit>>> {
        Ok(formatting::on_type(&self.shared, params).await?)
    }

    async fn execute_command(
        &self,
        params: ls::ExecuteCommandParams,
    ) -> Result<Option<ls::LSPAny>> {
        match commands::run(&self.shared, &params.command, &params.arguments).await {
            Ok(result) => Ok(Some(result)),
            // Who calls a command off knows that, and needs no error.
            Err(Failure::Cancelled) => Ok(None),
            Err(failure) => Err(failure.into()),
        }
    }
}

fn capabilities(session: Session) -> ls::ServerCapabilities {
    let encoding = match session.encoding {
        Encoding::Utf16 => ls::PositionEncodingKind::UTF16,
        Encoding::Utf8 => ls::PositionEncodingKind::UTF8,
        Encoding::Utf32 => ls::PositionEncodingKind::UTF32,
    };
    let kinds = sumac_ide::code_actions::kinds::ALL;
    let all = ls::ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(ls::TextDocumentSyncCapability::Options(
            ls::TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(ls::TextDocumentSyncKind::INCREMENTAL),
                save: Some(true.into()),
                ..ls::TextDocumentSyncOptions::default()
            },
        )),
        completion_provider: Some(completion::capability()),
        signature_help_provider: Some(signature_help::capability()),
        folding_range_provider: Some(true.into()),
        selection_range_provider: Some(true.into()),
        semantic_tokens_provider: Some(semantic_tokens::capability()),
        hover_provider: Some(ls::HoverProviderCapability::Simple(true)),
        definition_provider: Some(ls::OneOf::Left(true)),
        type_definition_provider: Some(ls::TypeDefinitionProviderCapability::Simple(true)),
        references_provider: Some(ls::OneOf::Left(true)),
        document_highlight_provider: Some(ls::OneOf::Left(true)),
        document_symbol_provider: Some(ls::OneOf::Left(true)),
        workspace_symbol_provider: Some(ls::OneOf::Left(true)),
        rename_provider: Some(ls::OneOf::Right(ls::RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: ls::WorkDoneProgressOptions::default(),
        })),
        call_hierarchy_provider: Some(ls::CallHierarchyServerCapability::Simple(true)),
        document_link_provider: Some(ls::DocumentLinkOptions {
            resolve_provider: Some(true),
            work_done_progress_options: ls::WorkDoneProgressOptions::default(),
        }),
        linked_editing_range_provider: Some(ls::LinkedEditingRangeServerCapabilities::Simple(true)),
        workspace: Some(ls::WorkspaceServerCapabilities {
            workspace_folders: Some(ls::WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(ls::OneOf::Left(true)),
            }),
            ..ls::WorkspaceServerCapabilities::default()
        }),
        diagnostic_provider: session.pulls_diagnostics.then(diagnostic::capability),
        inlay_hint_provider: Some(ls::OneOf::Left(true)),
        code_lens_provider: Some(ls::CodeLensOptions {
            resolve_provider: Some(true),
        }),
        code_action_provider: Some(ls::CodeActionProviderCapability::Options(
            ls::CodeActionOptions {
                code_action_kinds: Some(
                    kinds.iter().map(|kind| (*kind).to_owned().into()).collect(),
                ),
                resolve_provider: Some(session.resolves_edits),
                ..ls::CodeActionOptions::default()
            },
        )),
        document_formatting_provider: Some(ls::OneOf::Left(true)),
        document_range_formatting_provider: Some(ls::OneOf::Left(true)),
        document_on_type_formatting_provider: Some(formatting::typed()),
        execute_command_provider: Some(ls::ExecuteCommandOptions {
            commands: commands::ALL.map(str::to_owned).to_vec(),
            ..ls::ExecuteCommandOptions::default()
        }),
        ..ls::ServerCapabilities::default()
    };
    if !session.only_expressions {
        return all;
    }
    // An editor asks every server for what it says it can do: a second formatter of Python is one too many.
    ls::ServerCapabilities {
        position_encoding: all.position_encoding,
        text_document_sync: all.text_document_sync,
        hover_provider: all.hover_provider,
        diagnostic_provider: all.diagnostic_provider,
        inlay_hint_provider: all.inlay_hint_provider,
        code_action_provider: all.code_action_provider,
        workspace: all.workspace,
        ..ls::ServerCapabilities::default()
    }
}
