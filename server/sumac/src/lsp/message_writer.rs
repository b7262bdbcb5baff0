//! The way out of a session. The protocol library builds every message as a tree of values before it writes it down; what is long
//! and said at each keystroke is written here at once, between two messages of the library's.
//!
//! Must never keep the session from reading: whoever speaks waits where the client does not listen, and nobody else.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use serde::Serialize;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::PollSender;
use tower_lsp::ls_types::notification::Notification;

/// Messages on their way at a time.
const WAITING: usize = 16;

/// Where messages go.
#[derive(Clone, Debug)]
pub struct MessageWriter(mpsc::Sender<Vec<u8>>);

/// What is on its way to the client.
#[derive(Debug)]
pub struct Messages(mpsc::Receiver<Vec<u8>>);

/// A way out, and what leaves by it.
pub fn message_writer() -> (MessageWriter, Messages) {
    let (sender, receiver) = mpsc::channel(WAITING);
    (MessageWriter(sender), Messages(receiver))
}

/// What stands in a notification.
#[derive(Serialize)]
struct Said<'a, P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: &'a P,
}

impl MessageWriter {
    /// Tells the client something. One that went away hears nothing.
    pub async fn notify<N: Notification>(&self, params: &N::Params) {
        let said = Said {
            jsonrpc: "2.0",
            method: N::METHOD,
            params,
        };
        match serde_json::to_vec(&said) {
            Ok(body) => self.send_body(body).await,
            Err(error) => tracing::error!("{} cannot be written: {error}", N::METHOD),
        }
    }

    /// Tells the client something that is a message as it is.
    pub async fn send(&self, message: &serde_json::Value) {
        self.send_body(message.to_string().into_bytes()).await;
    }

    async fn send_body(&self, body: Vec<u8>) {
        let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        message.extend(body);
        let _ = self.0.send(message).await;
    }

    /// Where the library writes. It hands over whole messages: it writes down each before it writes out any.
    pub fn stream(&self) -> impl AsyncWrite + use<> {
        Stream(PollSender::new(self.0.clone()))
    }
}

impl Messages {
    /// Carries all out while the session lasts, and the last ones behind its end.
    pub async fn carry(self, output: impl AsyncWrite, session: impl Future<Output = ()>) {
        let Messages(mut waiting) = self;
        let (lasts, mut ended) = oneshot::channel::<()>();
        let carry = async move {
            let mut output = pin!(output);
            let mut is_open = true;
            loop {
                tokio::select! {
                    message = waiting.recv() => {
                        let Some(message) = message else { return };
                        let written = output.write_all(&message).await;
                        if written.is_err() || output.flush().await.is_err() {
                            return;
                        }
                    }
                    _ = &mut ended, if is_open => {
                        is_open = false;
                        waiting.close();
                    }
                }
            }
        };
        let session = async move {
            session.await;
            drop(lasts);
        };
        tokio::join!(session, carry);
    }
}

/// The writer as a stream of bytes.
struct Stream(PollSender<Vec<u8>>);

fn nobody_listens<E>(_: E) -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.0.poll_reserve(context)).map_err(nobody_listens)?;
        self.0.send_item(bytes.to_vec()).map_err(nobody_listens)?;
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tower_lsp::ls_types as ls;
    use tower_lsp::ls_types::notification::LogMessage;

    use super::*;

    fn said(text: &str) -> ls::LogMessageParams {
        ls::LogMessageParams {
            typ: ls::MessageType::INFO,
            message: text.to_owned(),
        }
    }

    #[tokio::test]
    async fn all_that_is_said_arrives_though_the_client_listens_late() {
        let (writer, messages) = message_writer();
        // A narrow pipe.
        let (mut client, server) = tokio::io::duplex(8);
        let session = async move {
            let mut stream = writer.stream();
            for number in 0..50 {
                stream
                    .write_all(format!("<{number}>").as_bytes())
                    .await
                    .unwrap();
                writer
                    .notify::<LogMessage>(&said(&number.to_string()))
                    .await;
            }
        };
        let carried = tokio::spawn(messages.carry(server, session));
        let mut heard = String::new();
        client.read_to_string(&mut heard).await.unwrap();
        carried.await.unwrap();
        for number in 0..50 {
            let body = format!(
                r#"{{"jsonrpc":"2.0","method":"window/logMessage","params":{{"type":3,"message":"{number}"}}}}"#
            );
            let both = format!("<{number}>Content-Length: {}\r\n\r\n{body}", body.len());
            assert!(heard.starts_with(&both), "{heard}");
            heard.drain(..both.len());
        }
        assert_eq!(heard, "");
    }

    #[tokio::test]
    async fn a_session_goes_on_when_nobody_listens_any_more() {
        let (writer, messages) = message_writer();
        let (client, server) = tokio::io::duplex(8);
        drop(client);
        let session = async move {
            let mut stream = writer.stream();
            let mut failed = false;
            for _ in 0..100 {
                writer.notify::<LogMessage>(&said("anyone?")).await;
                failed |= stream.write_all(b"hello").await.is_err();
                tokio::task::yield_now().await;
            }
            assert!(failed, "the library is told");
        };
        messages.carry(server, session).await;
    }
}
