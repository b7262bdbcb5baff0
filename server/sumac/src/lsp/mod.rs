//! The language server: protocol on the outside, `ide` on the inside.
//!
//! [`serve`] works over any pair of streams; tests drive it in process over a pipe.

mod activity;
mod around;
mod backend;
pub mod background;
mod commands;
mod configuration;
mod convert;
mod document;
mod gate;
mod outlet;
mod pace;
mod pipeline;
mod progress;
pub mod record;
mod requests;
mod search;
mod settings;
mod sketches;
mod state;
mod status;
mod sync;
mod to_proto;
mod turns;
mod upkeep;
mod virtual_document;
mod workspace;

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::{LspService, Server};

use backend::Backend;
use gate::Gate;
use outlet::outlet;

/// Messages handled side by side: all that the gate leaves open, and as many commands and notifications. Whatever waits
/// (for an analysis, a run, the client) costs nothing, and a cancel behind it must be read.
const CONCURRENT_REQUESTS: usize = 2 * gate::OPEN;

/// Serves one session until the client says `exit` or the input ends.
pub async fn serve(input: impl AsyncRead + Unpin, output: impl AsyncWrite) {
    let (outlet, messages) = outlet();
    let stream = outlet.stream();
    let (service, socket) = LspService::build(|client| Backend::new(client, outlet))
        .custom_method(requests::document::METHOD, Backend::document)
        .custom_method(requests::alternatives::METHOD, Backend::alternatives)
        .custom_method(requests::schedules::METHOD, Backend::schedules)
        .custom_method(status::METHOD, Backend::status)
        .custom_method(status::CANCEL, Backend::cancel)
        .custom_method(status::CLEAR, Backend::clear_caches)
        .custom_method("window/workDoneProgress/cancel", Backend::cancel_progress)
        .finish();
    let shared = Arc::clone(service.inner().shared());
    let session = Server::new(input, stream, socket)
        .concurrency_level(CONCURRENT_REQUESTS)
        .serve(Gate::new(service, shared));
    messages.carry(output, session).await;
}
