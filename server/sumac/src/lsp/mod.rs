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
mod inlet;
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
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;
use tower_lsp::{LspService, Server};

use backend::Backend;
use gate::Gate;
pub use inlet::{Ended, sifted};
use outlet::outlet;

/// Messages handled side by side: all that the gate leaves open, and as many commands and notifications. Whatever waits
/// (for an analysis, a run, the client) costs nothing, and a cancel behind it must be read.
const CONCURRENT_REQUESTS: usize = 2 * gate::OPEN;

/// Bytes on their way from the inlet to the session.
const ON_THE_WAY: usize = 1 << 16;

/// How long answers may take behind the end of the input: what runs was called off by then, and what waits for an answer
/// of the client waits in vain.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// Serves one session until the client says `exit`, its process ends or the input does; says how it ended.
pub async fn serve(input: impl AsyncRead + Unpin, output: impl AsyncWrite) -> Ended {
    let (outlet, messages) = outlet();
    let stream = outlet.stream();
    let refusals = outlet.clone();
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
    let (to_session, from_client) = tokio::io::duplex(ON_THE_WAY);
    let session = Server::new(from_client, stream, socket)
        .concurrency_level(CONCURRENT_REQUESTS)
        .serve(Gate::new(service, Arc::clone(&shared)));
    let over = Notify::new();
    let reading = async {
        let ended = inlet::pass(input, to_session, &refusals).await;
        drop(refusals);
        // Nobody waits any more for what runs.
        shared.activity.close();
        over.notify_one();
        ended
    };
    let session = async {
        let late = async {
            over.notified().await;
            tokio::time::sleep(LAST_ANSWERS).await;
        };
        tokio::select! {
            () = session => {}
            () = late => tracing::warn!("answers were left behind when the session ended"),
        }
    };
    let (ended, ()) = tokio::join!(reading, messages.carry(output, session));
    ended
}
