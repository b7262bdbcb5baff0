//! The language server: protocol on the outside, `ide` on the inside.
//!
//! [`serve`] works over any pair of streams; tests drive it in process over a pipe.

mod activity;
mod allocator_trim;
mod backend;
pub mod background;
mod commands;
mod configuration;
mod convert;
mod document;
mod documents;
mod given_tokens;
mod languages;
mod message_reader;
mod message_writer;
mod middleware;
mod nearby_files;
mod pace;
mod pipeline;
mod priority_semaphore;
mod progress;
mod pulled;
pub mod record;
mod requests;
mod running;
mod search;
mod settings;
mod sketches;
mod state;
mod status;
mod sync;
mod to_proto;
mod virtual_document;
mod workspace;

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tower_lsp::{LspService, Server};

use backend::Backend;
pub use message_reader::{Ended, sifted};
use message_writer::message_writer;
use middleware::Middleware;

/// Messages handled side by side: all that the middleware leaves open, and as many commands and notifications. Whatever waits
/// (for an analysis, a run, the client) costs nothing, and a cancel behind it must be read.
const CONCURRENT_REQUESTS: usize = 2 * middleware::OPEN;

/// Bytes on their way from the reader to the session.
const ON_THE_WAY: usize = 1 << 16;

/// How long answers may take behind the end of the input: what runs was cancelled by then, and what waits for an answer
/// of the client waits in vain.
const LAST_ANSWERS: Duration = Duration::from_millis(1500);

/// How long the client may take to read them. Its end of the pipe may be held open by a process that never reads: one that the
/// client started and left behind, or the client itself where it is stuck.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Serves one session until the client says `exit`, its process ends or the input does; says how it ended.
pub async fn serve(input: impl AsyncRead + Unpin, output: impl AsyncWrite) -> Ended {
    let (writer, messages) = message_writer();
    let stream = writer.stream();
    let refusals = writer.clone();
    let (service, socket) = LspService::build(|client| Backend::new(client, writer))
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
        .serve(Middleware::new(service, Arc::clone(&shared)));
    let over = CancellationToken::new();
    let reading = async {
        let ended = message_reader::pass(input, to_session, &refusals).await;
        drop(refusals);
        // Nobody waits any more for what runs.
        shared.activity.close();
        over.cancel();
        ended
    };
    let late = async |after: Duration| {
        over.cancelled().await;
        tokio::time::sleep(after).await;
    };
    let session = async {
        tokio::select! {
            () = session => {}
            () = late(LAST_ANSWERS) => tracing::warn!("answers were left behind when the session ended"),
        }
    };
    let talking = async {
        tokio::select! {
            () = messages.carry(output, session) => {}
            () = late(LAST_ANSWERS + LAST_WORDS) => tracing::warn!("nobody reads the last answers"),
        }
    };
    let (ended, ()) = tokio::join!(reading, talking);
    ended
}
