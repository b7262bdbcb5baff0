//! Whether the body of a message is one that can be handed on, and the answer to one that cannot.

use std::collections::HashSet;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};

/// What came of looking at a body.
#[derive(Debug)]
pub(super) enum Looked {
    /// A message.
    Fine {
        /// As it came; of a notification with half characters, with others in their place: what it says of a document is not
        /// lost.
        body: Vec<u8>,
        /// Its method; empty for an answer.
        method: String,
        /// Its parameters, of the first message only.
        params: Option<Value>,
        /// What the client is told of half characters all the same.
        told: Option<Value>,
    },
    /// No message, with the answer.
    Refused(Value),
    /// A notification that nobody must know.
    PassedOver,
}

/// JSON-RPC's codes.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;

/// The protocol's own notifications that are known here.
const KNOWN: [&str; 3] = ["$/cancelRequest", "$/setTrace", "$/progress"];

fn refused(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The answer to what has no headers of a message.
pub(super) fn refused_headers(found: &str) -> Value {
    let message = format!("expected the headers of a message, found {found}");
    refused(&Value::Null, PARSE_ERROR, &message)
}

/// Looks at a body.
pub(super) fn look(body: Vec<u8>) -> Looked {
    match serde_json::from_slice::<Value>(&body) {
        Ok(message) => shape(body, message),
        Err(error) => {
            let told = format!("the message is no JSON: {error}");
            let whole = with_whole_characters(&body);
            let read = whole
                .as_deref()
                .and_then(|whole| serde_json::from_slice::<Value>(whole).ok());
            match (whole, read) {
                (Some(whole), Some(message)) if is_notification(&message) => {
                    let answer = refused(&Value::Null, PARSE_ERROR, &told);
                    match shape(whole, message) {
                        Looked::Fine {
                            body,
                            method,
                            params,
                            ..
                        } => Looked::Fine {
                            body,
                            method,
                            params,
                            told: Some(answer),
                        },
                        // It would be no message with whole characters either.
                        other => other,
                    }
                }
                (Some(_), Some(message)) => Looked::Refused(refused(
                    &id(&message).unwrap_or_default(),
                    PARSE_ERROR,
                    &told,
                )),
                _ => Looked::Refused(refused(&Value::Null, PARSE_ERROR, &told)),
            }
        }
    }
}

fn is_notification(message: &Value) -> bool {
    message["method"].is_string() && message.get("id").is_none()
}

/// The id, where it is one.
fn id(message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    (id.is_string() || id.is_i64() || id.is_null()).then(|| id.clone())
}

fn shape(body: Vec<u8>, mut message: Value) -> Looked {
    let wrong = |message: &str| Looked::Refused(refused(&Value::Null, INVALID_REQUEST, message));
    if message.is_array() {
        return wrong("several messages in one are not taken; send each by itself");
    }
    if let Some(member) = repeated(&body) {
        return wrong(&format!("`{member}` stands twice in the message"));
    }
    if !message.is_object() || message["jsonrpc"] != "2.0" {
        return wrong("expected an object with \"jsonrpc\": \"2.0\"");
    }
    let id = match message.get("id") {
        None => None,
        Some(_) => match id(&message) {
            None => return wrong("expected a whole number or a text as `id`"),
            known => known,
        },
    };
    let Some(method) = message.get("method") else {
        return answer(body, &message, id.is_some());
    };
    let Some(method) = method.as_str().map(str::to_owned) else {
        return wrong("expected a text as `method`");
    };
    let refuse = |code, message: &str| {
        Looked::Refused(refused(id.as_ref().unwrap_or(&Value::Null), code, message))
    };
    let params = message.get("params");
    if params.is_some_and(|params| !params.is_object() && !params.is_array() && !params.is_null()) {
        return refuse(INVALID_REQUEST, "expected an object or a list as `params`");
    }
    let is_own = method.starts_with("$/");
    if is_own && (id.is_some() || !KNOWN.contains(&&*method)) {
        return match id {
            Some(_) => refuse(METHOD_NOT_FOUND, &format!("there is no method {method}")),
            None => Looked::PassedOver,
        };
    }
    match (&*method, &id) {
        ("exit", Some(_)) => {
            return refuse(INVALID_REQUEST, "`exit` is a notification: it has no `id`");
        }
        ("shutdown", None) => return Looked::PassedOver,
        _ => {}
    }
    let params = (method == "initialize").then(|| message["params"].take());
    Looked::Fine {
        body,
        method,
        params,
        told: None,
    }
}

/// A member of an object that stands there twice: which of them counts, readers of JSON do not agree on.
fn repeated(body: &[u8]) -> Option<String> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Option<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let (mut known, mut twice) = (HashSet::new(), None);
            while let Some((member, IgnoredAny)) = map.next_entry::<String, _>()? {
                if !known.insert(member.clone()) {
                    twice = Some(member);
                }
            }
            Ok(twice)
        }
    }
    serde_json::Deserializer::from_slice(body)
        .deserialize_map(Members)
        .ok()
        .flatten()
}

/// An answer to what the server asked. One that cannot be read answers nothing, and is not answered either.
fn answer(body: Vec<u8>, message: &Value, has_id: bool) -> Looked {
    let error = message.get("error").filter(|error| !error.is_null());
    let is_fine = match error {
        Some(error) => error["code"].is_i64() && error["message"].is_string(),
        None => message.get("result").is_some(),
    };
    if has_id && is_fine {
        let method = String::new();
        let params = None;
        return Looked::Fine {
            body,
            method,
            params,
            told: None,
        };
    }
    Looked::Refused(refused(
        &Value::Null,
        INVALID_REQUEST,
        "expected a `method`, or a `result` or an `error` with an `id`",
    ))
}

/// The same text with the replacement character where half of a pair of UTF-16 stands alone; `None` where none does.
fn with_whole_characters(body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = body.to_vec();
    let mut is_changed = false;
    let mut at = 0;
    while at < whole.len() {
        if whole[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(&whole, at) {
            None => at += 2,
            Some(0xD800..=0xDBFF) if matches!(unit(&whole, at + 6), Some(0xDC00..=0xDFFF)) => {
                at += 12;
            }
            Some(0xD800..=0xDFFF) => {
                whole[at + 2..at + 6].copy_from_slice(b"fffd");
                is_changed = true;
                at += 6;
            }
            Some(_) => at += 6,
        }
    }
    is_changed.then_some(whole)
}

/// The unit of UTF-16 that `\uXXXX` at a place stands for.
fn unit(body: &[u8], at: usize) -> Option<u32> {
    let escape = body.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(escape).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of the refusal and the id in it, or what else came of it.
    fn looked(body: &str) -> String {
        match look(body.as_bytes().to_vec()) {
            Looked::Fine {
                body: same,
                told: None,
                ..
            } => {
                assert_eq!(same, body.as_bytes());
                "fine".to_owned()
            }
            Looked::Fine {
                body,
                told: Some(answer),
                ..
            } => {
                let body = String::from_utf8(body).unwrap();
                format!("{} {body}", answer["error"]["code"])
            }
            Looked::Refused(answer) => format!("{} {}", answer["error"]["code"], answer["id"]),
            Looked::PassedOver => "passed over".to_owned(),
        }
    }

    #[test]
    fn what_is_no_message_has_one_answer() {
        for (body, expected) in [
            ("", "-32700 null"),
            ("{", "-32700 null"),
            ("{}", "-32600 null"),
            ("7", "-32600 null"),
            ("null", "-32600 null"),
            ("[]", "-32600 null"),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]"#,
                "-32600 null",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}"#,
                "-32600 null",
            ),
            (
                r#"{"jsonrpc":"2.0","id":{},"method":"shutdown"}"#,
                "-32600 null",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1e400,"method":"shutdown"}"#,
                "-32700 null",
            ),
            (
                r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"x"}"#,
                "-32600 null",
            ),
            (
                r#"{"jsonrpc":"1.0","id":1,"method":"shutdown"}"#,
                "-32600 null",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "-32600 null"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"x","params":3}"#,
                "-32600 1",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"method":"$/foo"}"#, "-32601 1"),
            (r#"{"jsonrpc":"2.0","method":"$/foo"}"#, "passed over"),
            (
                r#"{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"off"}}"#,
                "fine",
            ),
            (
                r#"{"jsonrpc":"2.0","id":"a","method":"shutdown","params":null}"#,
                "fine",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "fine"),
            (
                r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#,
                "fine",
            ),
            (r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#, "-32600 null"),
            (r#"{"jsonrpc":"2.0","result":1}"#, "-32600 null"),
        ] {
            assert_eq!(looked(body), expected, "{body}");
        }
        assert_eq!(looked(&"[".repeat(100_000)), "-32700 null");
        let looked = look(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}".to_vec());
        assert!(matches!(looked, Looked::Refused(_)));
    }

    #[test]
    fn half_characters_are_told_and_lose_no_edit() {
        let request = r#"{"jsonrpc":"2.0","id":4,"method":"x","params":["\ud83d"]}"#;
        assert_eq!(looked(request), "-32700 4");
        let edit =
            r#"{"jsonrpc":"2.0","method":"x","params":["\\ud83d \ud83d \ud83d\ude00 \ude00"]}"#;
        let mended =
            r#"{"jsonrpc":"2.0","method":"x","params":["\\ud83d \ufffd \ud83d\ude00 \ufffd"]}"#;
        assert_eq!(looked(edit), format!("-32700 {mended}"));
        // What is no message with whole characters either is not handed on: the library would end the session.
        for (body, expected) in [
            (r#"{"method":"x","params":["\ud83d"]}"#, "-32600 null"),
            (
                r#"{"jsonrpc":"2.0","method":"x","params":"\ud83d"}"#,
                "-32600 null",
            ),
            (
                r#"{"jsonrpc":"2.0","method":"$/foo","params":["\ud83d"]}"#,
                "passed over",
            ),
        ] {
            assert_eq!(looked(body), expected, "{body}");
        }
    }
}
