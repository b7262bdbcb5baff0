//! Framing of the protocol: one message after the other on a stream. It knows nothing of what they say.

use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use serde_json::Value;

/// Reads one message.
///
/// # Errors
/// The stream has ended, or what stands there is no message.
pub(crate) fn receive(input: &mut impl BufRead) -> Result<Value> {
    let mut length = None;
    loop {
        let mut header = String::new();
        anyhow::ensure!(input.read_line(&mut header)? > 0, "the stream has ended");
        let header = header.trim_end();
        if header.is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("Content-Length:") {
            length = Some(value.trim().parse()?);
        }
    }
    let mut body = vec![0; length.context("a message without its length")?];
    input.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// The bytes of one message.
pub(crate) fn framed(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Writes one message at once.
///
/// # Errors
/// Nobody reads any more.
pub(crate) fn send(output: &mut impl Write, message: &Value) -> Result<()> {
    output
        .write_all(&framed(message))
        .and_then(|()| output.flush())
        .context("the server does not listen any more")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_read_one_after_the_other() {
        let mut stream: &[u8] =
            b"Content-Length: 8\r\nContent-Type: x\r\n\r\n{\"id\":1}Content-Length: 2\r\n\r\n{}";
        assert_eq!(receive(&mut stream).unwrap(), json!({"id": 1}));
        assert_eq!(receive(&mut stream).unwrap(), json!({}));
        assert!(receive(&mut stream).is_err());
    }

    #[test]
    fn what_is_sent_is_what_is_read() {
        let message = json!({"method": "x", "params": {"text": "é 𝕏 \r\n"}});
        let mut bytes = Vec::new();
        send(&mut bytes, &message).unwrap();
        assert_eq!(receive(&mut &bytes[..]).unwrap(), message);
    }
}
