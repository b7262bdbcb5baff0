//! The way into a session. What a client sends is cut into messages here and looked at before the protocol library
//! sees it: the library ends a session at the first message that it cannot read.
//!
//! - What is no message is answered by one error, and the session goes on with the next one.
//! - A request of the protocol's own (`$/…`) that nobody knows is answered; such a notification is passed over.
//! - The end of the input, `exit`, and the end of the process that started the server end the session.
//!
//! Must never change a message that is well formed.

mod frames;
mod look;

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::message_writer::{MessageWriter, message_writer};
use frames::{Frames, Piece};
use look::{Looked, look};

/// How often it is looked whether the process that started the server is still there.
const LOOKS: Duration = Duration::from_secs(1);

/// How a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The client said `shutdown` before.
    InOrder,
    /// It did not.
    Abruptly,
}

/// Passes on what the client says until the session is to end; says how it ended.
pub async fn pass(
    input: impl AsyncRead + Unpin,
    session: impl AsyncWrite + Unpin,
    writer: &MessageWriter,
) -> Ended {
    let mut reader = MessageReader {
        frames: Frames::new(input),
        session,
        writer,
        parent: None,
        ended: Ended::Abruptly,
    };
    while reader.one().await {}
    reader.ended
}

/// The way in by itself, for checks of it: the bytes that would reach a session, those that the client is answered, and how the
/// session would end. Nothing is served.
pub async fn sifted(input: impl AsyncRead + Unpin) -> (Vec<u8>, Vec<u8>, Ended) {
    let (writer, messages) = message_writer();
    let (mut passed, mut answered) = (Vec::new(), Vec::new());
    let mut ended = Ended::Abruptly;
    let passing = async { ended = pass(input, &mut passed, &writer).await };
    messages.carry(&mut answered, passing).await;
    (passed, answered, ended)
}

struct MessageReader<'a, R, W> {
    frames: Frames<R>,
    session: W,
    writer: &'a MessageWriter,
    /// The process that started the server, where it said so.
    parent: Option<i32>,
    ended: Ended,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> MessageReader<'_, R, W> {
    /// Passes on one message; whether there are more to come. A session that is stuck takes none, because nobody reads its
    /// answers: then, too, it is seen that the client has gone.
    async fn one(&mut self) -> bool {
        let parent = self.parent;
        let step = async {
            match self.frames.next().await {
                None => false,
                Some(piece) => self.take(piece).await,
            }
        };
        tokio::select! {
            biased;
            goes_on = step => goes_on,
            () = gone(parent) => {
                tracing::warn!("the process that started this server has ended");
                false
            }
        }
    }

    async fn take(&mut self, piece: Piece) -> bool {
        let body = match piece {
            Piece::Wrong(message) => {
                self.writer.send(&look::refused_headers(&message)).await;
                return true;
            }
            Piece::Body(body) => body,
        };
        match look(body) {
            Looked::Refused(answer) => {
                self.writer.send(&answer).await;
                true
            }
            Looked::PassedOver => true,
            Looked::Fine {
                body,
                method,
                params,
                told,
            } => {
                if let Some(told) = told {
                    self.writer.send(&told).await;
                }
                match &*method {
                    "initialize" => self.parent = started_by(params.as_ref()),
                    "shutdown" => self.ended = Ended::InOrder,
                    _ => {}
                }
                self.hand_on(&body).await && method != "exit"
            }
        }
    }

    async fn hand_on(&mut self, body: &[u8]) -> bool {
        let head = format!("Content-Length: {}\r\n\r\n", body.len());
        let written = self.session.write_all(head.as_bytes()).await;
        written.is_ok() && self.session.write_all(body).await.is_ok()
    }
}

/// The process that the client says it is.
fn started_by(params: Option<&Value>) -> Option<i32> {
    let id = params?.get("processId")?.as_i64()?;
    i32::try_from(id).ok().filter(|id| *id > 0)
}

/// Ends when the process does; never where there is none, or the system does not tell.
async fn gone(process: Option<i32>) {
    let Some(process) = process else {
        return std::future::pending().await;
    };
    loop {
        tokio::time::sleep(LOOKS).await;
        if !is_there(process) {
            return;
        }
    }
}

#[cfg(unix)]
fn is_there(process: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    Pid::from_raw(process).is_none_or(|process| test_kill_process(process) != Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn is_there(_: i32) -> bool {
    true
}

#[cfg(test)]
mod tests;
