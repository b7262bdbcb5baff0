//! Records a session: every message both ways, as one line of JSON each.
//!
//! A line is `{"at": 12.345, "from": "client", "message": {…}}`, in milliseconds since the start; the first line says what
//! recorded. What the client says stands in the file before the server sees it, so the file ends with
//! the message that ended the server. The bytes themselves pass through untouched: a recorder never changes, delays or
//! reads a message for anyone else, and one that cannot write any more falls silent.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;

use serde::de::IgnoredAny;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The form of the lines. Whoever reads another one must refuse it.
pub const FORM: u32 = 1;

/// What ends the headers of a message.
const HEADERS_END: &[u8] = b"\r\n\r\n";

/// A file that a session is recorded in.
#[derive(Clone, Debug)]
pub struct Recorder {
    file: Arc<Mutex<Option<File>>>,
    began: Instant,
}

/// Who a message is from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum From {
    Client,
    Server,
}

impl From {
    fn name(self) -> &'static str {
        match self {
            From::Client => "client",
            From::Server => "server",
        }
    }
}

impl Recorder {
    /// Begins a session in this file, behind the sessions that it holds. Only its owner may read it, for it holds the
    /// person's texts (where the system knows such permissions).
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let mut file = append_for_the_owner(path)?;
        let head = json!({"sumac": env!("CARGO_PKG_VERSION"), "form": FORM});
        // A disk that was full, or a signal, may have cut off the last line of the session before.
        let start = if ends_within_a_line(path)? { "\n" } else { "" };
        file.write_all(format!("{start}{head}\n").as_bytes())?;
        Ok(Recorder {
            file: Arc::new(Mutex::new(Some(file))),
            began: Instant::now(),
        })
    }

    /// What the client says, recorded on the way.
    pub fn from_client<S>(&self, stream: S) -> Recorded<S> {
        Recorded::new(self, From::Client, stream)
    }

    /// What the server says, recorded on the way.
    pub fn from_server<S>(&self, stream: S) -> Recorded<S> {
        Recorded::new(self, From::Server, stream)
    }

    fn write(&self, from: From, body: &[u8]) {
        let at = self.began.elapsed().as_secs_f64() * 1e3;
        let line = line(at, from, body);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = file.as_mut().and_then(|file| file.write_all(&line).err());
        if let Some(error) = failed {
            tracing::error!("the session is not recorded any more: {error}");
            *file = None;
        }
    }
}

/// Whether the last line of a file has no end.
fn ends_within_a_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

/// Opens a regular file, new or not, to write at its end. Only its owner may read it (where the system knows such permissions).
///
/// # Errors
/// It is a link, a pipe or a device, or cannot be written.
pub fn append_for_the_owner(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    for_the_owner(&mut options);
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    keep_for_the_owner(&file)?;
    Ok(file)
}

#[cfg(unix)]
fn for_the_owner(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // A link that somebody laid there would lead a person's texts to who knows where; a pipe would wait for a reader.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.mode(0o600).custom_flags(flags.bits().cast_signed());
}

#[cfg(unix)]
fn keep_for_the_owner(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    // It may have been there before, open to everyone.
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn for_the_owner(_: &mut OpenOptions) {}

#[cfg(not(unix))]
fn keep_for_the_owner(_: &File) -> io::Result<()> {
    Ok(())
}

/// One line of the file. What is no JSON stands there as a text.
fn line(at: f64, from: From, body: &[u8]) -> Vec<u8> {
    let from = from.name();
    let mut line = format!("{{\"at\": {at:.3}, \"from\": \"{from}\", \"message\": ").into_bytes();
    match serde_json::from_slice::<IgnoredAny>(body) {
        // Between the parts of a JSON text a newline is as good as a space, and inside of a string there is none.
        Ok(_) => line.extend(body.iter().map(|byte| match byte {
            b'\n' | b'\r' => b' ',
            other => *other,
        })),
        Err(_) => line.extend(json!(String::from_utf8_lossy(body)).to_string().bytes()),
    }
    line.extend(b"}\n");
    line
}

/// A stream whose messages are recorded on the way.
#[derive(Debug)]
pub struct Recorded<S> {
    recorder: Recorder,
    from: From,
    /// The beginning of a message that has not come in full.
    begun: Vec<u8>,
    stream: S,
}

impl<S> Recorded<S> {
    fn new(recorder: &Recorder, from: From, stream: S) -> Self {
        Recorded {
            recorder: recorder.clone(),
            from,
            begun: Vec::new(),
            stream,
        }
    }

    fn pass(&mut self, bytes: &[u8]) {
        self.begun.extend(bytes);
        let mut start = 0;
        while let Some((body, end)) = message(&self.begun[start..]) {
            let body = &self.begun[start + body..start + end];
            self.recorder.write(self.from, body);
            start += end;
        }
        self.begun.drain(..start);
    }
}

/// Where the body of the first message starts and ends, if it is there in full.
fn message(bytes: &[u8]) -> Option<(usize, usize)> {
    let headers = bytes
        .windows(HEADERS_END.len())
        .position(|window| window == HEADERS_END)?;
    let length = std::str::from_utf8(&bytes[..headers])
        .ok()?
        .lines()
        .find_map(|line| {
            let (name, value) = line.split_once(':')?;
            let is_length = name.trim().eq_ignore_ascii_case("Content-Length");
            is_length.then(|| value.trim().parse::<usize>().ok())?
        })
        // A message that does not say how long it is has no body that could be told from the next one's headers.
        .unwrap_or(0);
    let start = headers + HEADERS_END.len();
    let end = start.checked_add(length)?;
    (bytes.len() >= end).then_some((start, end))
}

impl<S: AsyncRead + Unpin> AsyncRead for Recorded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.pass(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Recorded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.pass(&bytes[..written]);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn framed(body: &str) -> Vec<u8> {
        format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    }

    fn lines(path: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[tokio::test]
    async fn messages_pass_untouched_and_stand_in_the_file_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let recorder = Recorder::begin(&path).unwrap();
        let sent = [framed("{\"id\": 1}"), framed("{\n  \"text\": \"é\\n\"\n}")].concat();
        let mut seen = Vec::new();
        // However the bytes are cut.
        let mut client = recorder.from_client(in_pieces(&sent));
        client.read_to_end(&mut seen).await.unwrap();
        assert_eq!(seen, sent);
        let mut out = Vec::new();
        let mut server = recorder.from_server(&mut out);
        server.write_all(&framed("{\"id\":1}")).await.unwrap();
        assert_eq!(out, framed("{\"id\":1}"));

        let lines = lines(&path);
        assert_eq!(lines[0]["form"], FORM);
        assert_eq!(lines[1]["message"], json!({"id": 1}));
        assert_eq!(lines[2]["message"], json!({"text": "é\n"}));
        assert_eq!(
            (&lines[1]["from"], &lines[3]["from"]),
            (&json!("client"), &json!("server"))
        );
        assert!(lines[3]["at"].as_f64() >= lines[1]["at"].as_f64());
        assert_eq!(lines.len(), 4);
    }

    /// A stream that gives three bytes at a time.
    fn in_pieces(bytes: &[u8]) -> impl AsyncRead + Unpin {
        struct Pieces(Vec<u8>);
        impl AsyncRead for Pieces {
            fn poll_read(
                mut self: Pin<&mut Self>,
                _: &mut Context<'_>,
                buffer: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                let some = self.0.len().min(3);
                buffer.put_slice(&self.0[..some]);
                self.0.drain(..some);
                Poll::Ready(Ok(()))
            }
        }
        Pieces(bytes.to_vec())
    }

    #[tokio::test]
    async fn what_is_no_json_is_recorded_as_a_text_and_what_is_cut_off_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        let recorder = Recorder::begin(&path).unwrap();
        let mut out = recorder.from_server(Vec::new());
        let cut = b"Content-Length: 10\r\n\r\n{\"i";
        out.write_all(&[&framed("no\njson")[..], cut].concat())
            .await
            .unwrap();
        let lines = lines(&path);
        assert_eq!(lines[1]["message"], "no\njson");
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn a_second_session_stands_behind_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        for id in [1, 2] {
            let recorder = Recorder::begin(&path).unwrap();
            recorder.write(From::Client, format!("{{\"id\":{id}}}").as_bytes());
        }
        let lines = lines(&path);
        assert_eq!(lines[1]["message"]["id"], 1);
        assert_eq!(lines[2]["form"], FORM);
        assert_eq!(lines[3]["message"]["id"], 2);
    }

    #[test]
    fn a_session_behind_one_that_was_cut_off_begins_in_a_line_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        std::fs::write(&path, "{\"form\": 1}\n{\"at\": 0.1, \"fr").unwrap();
        Recorder::begin(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((text.lines().count(), &last["form"]), (3, &json!(FORM)));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it_even_if_it_was_there_before() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        Recorder::begin(&path).unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("theirs"), "before").unwrap();
        for (to, link) in [
            ("theirs", "a.jsonl"),
            ("gone", "b.jsonl"),
            ("a.jsonl", "c.jsonl"),
        ] {
            std::os::unix::fs::symlink(to, at(link)).unwrap();
            assert!(Recorder::begin(&at(link)).is_err(), "{link}");
        }
        assert_eq!(std::fs::read_to_string(at("theirs")).unwrap(), "before");
        assert!(!at("gone").exists());
    }
}
