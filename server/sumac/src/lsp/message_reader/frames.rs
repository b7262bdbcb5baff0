//! Messages cut out of a stream of bytes: headers, an empty line, a body. What is no header is said once, and skipped
//! up to the next one that says how long a message is.

use memchr::memmem;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Bytes that headers have at most.
const MOST_HEADERS: usize = 16 << 10;
/// Bytes that a body has at most: scripts are smaller.
const MOST_BODY: usize = 256 << 20;
/// Bytes that are read at once, at least.
const AT_ONCE: usize = 16 << 10;
/// What says how long a body is, as it is compared.
const LENGTH: &[u8] = b"content-length";

/// What came in.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Piece {
    /// The body of a message.
    Body(Vec<u8>),
    /// No message: what is wrong with it.
    Wrong(String),
}

/// A stream of messages.
pub(super) struct Frames<R> {
    input: R,
    bytes: Vec<u8>,
    /// Bytes of the beginning that were looked at and hold no end of headers.
    searched: usize,
    /// Length of the body that comes next.
    length: Option<usize>,
    /// Bytes of a body that is too long, still to come.
    skip: usize,
    /// What was wrong was said, and no message has come since.
    was_said: bool,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(super) fn new(input: R) -> Frames<R> {
        Frames {
            input,
            bytes: Vec::new(),
            searched: 0,
            length: None,
            skip: 0,
            was_said: false,
        }
    }

    /// The next message, or what stands where one should; `None` at the end. Nothing is lost if nobody waits for it.
    pub(super) async fn next(&mut self) -> Option<Piece> {
        loop {
            while let Some(piece) = self.cut() {
                match piece {
                    Piece::Wrong(_) if self.was_said => {}
                    Piece::Wrong(message) => {
                        self.was_said = true;
                        return Some(Piece::Wrong(message));
                    }
                    Piece::Body(body) => {
                        self.was_said = false;
                        return Some(Piece::Body(body));
                    }
                }
            }
            self.bytes.reserve(AT_ONCE);
            let read = self.input.read_buf(&mut self.bytes).await;
            if !read.is_ok_and(|read| read > 0) {
                return None;
            }
        }
    }

    /// What the bytes that are there begin with; `None` where it needs more of them.
    fn cut(&mut self) -> Option<Piece> {
        let skipped = self.skip.min(self.bytes.len());
        self.bytes.drain(..skipped);
        self.skip -= skipped;
        if self.skip > 0 {
            return None;
        }
        if let Some(length) = self.length {
            if self.bytes.len() < length {
                return None;
            }
            let rest = self.bytes.split_off(length);
            self.length = None;
            return Some(Piece::Body(std::mem::replace(&mut self.bytes, rest)));
        }
        let from = self.searched.saturating_sub(3);
        let Some((end, next)) = headers_end(&self.bytes, from) else {
            self.searched = self.bytes.len();
            if self.bytes.len() <= MOST_HEADERS {
                return None;
            }
            return Some(self.wrong(self.bytes.len(), "headers that do not end".to_owned()));
        };
        match length(&self.bytes[..end]) {
            Ok(length) if length <= MOST_BODY => {
                self.take(next);
                self.length = Some(length);
                self.cut()
            }
            Ok(length) => {
                self.take(next);
                self.skip = length;
                Some(Piece::Wrong(format!(
                    "a message of {length} bytes; {MOST_BODY} are read at most"
                )))
            }
            Err(message) => Some(self.wrong(next, message)),
        }
    }

    /// Leaves out so many bytes, or fewer where one of them begins what may be a header.
    fn wrong(&mut self, bytes: usize, message: String) -> Piece {
        let lower = self.bytes[..bytes].to_ascii_lowercase();
        let next = lower
            .get(1..)
            .and_then(|rest| memmem::find(rest, LENGTH))
            .map_or(bytes, |at| at + 1);
        self.take(next);
        Piece::Wrong(message)
    }

    fn take(&mut self, bytes: usize) {
        self.bytes.drain(..bytes);
        self.searched = 0;
    }
}

/// Where headers end, and where what follows begins.
fn headers_end(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let end = |with: &[u8]| {
        let at = from + memmem::find(&bytes[from..], with)?;
        Some((at, at + with.len()))
    };
    match (end(b"\r\n\r\n"), end(b"\n\n")) {
        (Some(usual), Some(short)) => Some(usual.min(short)),
        (usual, short) => usual.or(short),
    }
}

/// The length that headers state.
fn length(headers: &[u8]) -> Result<usize, String> {
    let mut stated = None;
    for line in headers.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        let Some(colon) = memchr::memchr(b':', line) else {
            if line.is_empty() {
                continue;
            }
            return Err("a line that is no header".to_owned());
        };
        let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        if !name.eq_ignore_ascii_case(LENGTH) {
            continue;
        }
        let number = std::str::from_utf8(value)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse::<usize>().ok());
        match (number, stated) {
            (None, _) => return Err("a Content-Length that is no number of bytes".to_owned()),
            (Some(number), Some(before)) if number != before => {
                return Err("two lengths that differ".to_owned());
            }
            _ => stated = number,
        }
    }
    stated.ok_or_else(|| "headers without a Content-Length".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn pieces(input: &[u8]) -> Vec<Piece> {
        let mut frames = Frames::new(input);
        let mut all = Vec::new();
        while let Some(piece) = frames.next().await {
            all.push(match piece {
                Piece::Wrong(_) => Piece::Wrong(String::new()),
                body => body,
            });
        }
        all
    }

    fn body(text: &str) -> Piece {
        Piece::Body(text.as_bytes().to_vec())
    }

    fn wrong() -> Piece {
        Piece::Wrong(String::new())
    }

    #[tokio::test]
    async fn names_of_headers_are_read_in_any_case_and_others_are_passed_over() {
        let input = b"content-length: 2\r\n\r\n{}CONTENT-LENGTH:3\r\nContent-Type: x; charset=utf-16\r\n\r\n[1]Content-Length : 1\n\n7";
        assert_eq!(pieces(input).await, [body("{}"), body("[1]"), body("7")]);
    }

    #[tokio::test]
    async fn what_is_no_header_is_said_once_and_the_next_message_comes() {
        let good = "Content-Length: 2\r\n\r\n{}";
        for bad in [
            "garbage\r\n\r\n",
            "garbage",
            "Content-Length: x\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: 99999999999999999999999\r\n\r\n{}",
            "Content-Type: a\r\n\r\n{}\r\n\r\n",
            "\u{0}\u{1}: \r\n\r\n",
        ] {
            let found = pieces(format!("{good}{bad}{good}{good}").as_bytes()).await;
            assert_eq!(
                found,
                [body("{}"), wrong(), body("{}"), body("{}")],
                "{bad:?}"
            );
        }
    }

    #[tokio::test]
    async fn two_lengths_that_differ_are_wrong_and_the_second_begins_again() {
        let input = b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(pieces(input).await, [wrong(), body("{}")]);
        let input = b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(pieces(input).await, [body("{}")]);
    }

    #[tokio::test]
    async fn a_body_that_is_too_long_is_skipped_and_never_held() {
        let long = MOST_BODY + 1;
        let mut frames = Frames::new(
            tokio::io::AsyncReadExt::chain(
                format!("Content-Length: {long}\r\n\r\n").leak().as_bytes(),
                tokio::io::repeat(b'x').take(long as u64),
            )
            .chain(&b"Content-Length: 2\r\n\r\n{}"[..]),
        );
        assert!(matches!(frames.next().await, Some(Piece::Wrong(_))));
        assert_eq!(frames.next().await, Some(body("{}")));
        assert!(frames.bytes.capacity() < 1 << 20);
    }

    #[tokio::test]
    async fn headers_without_an_end_are_not_kept() {
        let mut input = vec![b'x'; 10 * MOST_HEADERS];
        input.extend(b"Content-Length: 2\r\n\r\n{}");
        assert_eq!(pieces(&input).await, [wrong(), body("{}")]);
    }
}
