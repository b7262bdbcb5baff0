//! The language server: protocol on the outside, `ide` on the inside.
//!
//! [`serve`] works over any pair of streams; tests drive it in process over a pipe.

mod around;
mod backend;
pub mod background;
mod commands;
mod configuration;
mod convert;
mod pipeline;
mod progress;
pub mod record;
mod requests;
mod settings;
mod state;
mod sync;
mod to_proto;
mod virtual_document;
mod workspace;

use tokio::io::{AsyncRead, AsyncWrite};
use tower_lsp::{LspService, Server};

use backend::Backend;

/// Requests answered side by side. Requests that wait (for an analysis, a run, the client) cost nothing, and a
/// cancel behind them must be read.
const CONCURRENT_REQUESTS: usize = 256;

/// Serves one session until the client says `exit` or the input ends.
pub async fn serve(input: impl AsyncRead + Unpin, output: impl AsyncWrite) {
    let (service, socket) = LspService::build(Backend::new)
        .custom_method(requests::document::METHOD, Backend::document)
        .custom_method(requests::alternatives::METHOD, Backend::alternatives)
        .custom_method("window/workDoneProgress/cancel", Backend::cancel_progress)
        .finish();
    Server::new(input, output, socket)
        .concurrency_level(CONCURRENT_REQUESTS)
        .serve(service)
        .await;
}
