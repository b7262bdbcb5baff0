//! Places of the protocol turned into bytes, so that two clients that count columns differently can be compared.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::client::document::{Encoding, byte};

/// The texts by their addresses, and how columns are counted.
pub(super) struct Places<'a> {
    pub(super) texts: BTreeMap<&'a str, &'a str>,
    pub(super) encoding: Encoding,
}

impl Places<'_> {
    /// The value with each `{line, character}` turned into a byte: of the document that the value around it names, or of
    /// this one.
    pub(super) fn in_bytes(&self, uri: &str, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::Array(items) => {
                let items: Result<Vec<Value>> =
                    items.iter().map(|item| self.in_bytes(uri, item)).collect();
                Value::Array(items?)
            }
            Value::Object(map) if map.len() == 2 && map.contains_key("character") => {
                let text = self.texts.get(uri);
                match text {
                    Some(text) => json!({"byte": byte(text, value, self.encoding)?}),
                    // A file that is not open: its lines are the same in both.
                    None => json!({"line": value["line"]}),
                }
            }
            Value::Object(map) => {
                let named = map.get("uri").and_then(Value::as_str).unwrap_or(uri);
                let entries: Result<serde_json::Map<String, Value>> = map
                    .iter()
                    .map(|(key, value)| Ok((key.clone(), self.in_bytes(named, value)?)))
                    .collect();
                Value::Object(entries?)
            }
            other => other.clone(),
        })
    }

    /// Semantic tokens, each with its bytes, kind and modifiers.
    pub(super) fn tokens(&self, uri: &str, tokens: &Value) -> Result<Value> {
        let text = self
            .texts
            .get(uri)
            .context("tokens of a document that is not open")?;
        let numbers = tokens["data"].as_array().context("tokens without data")?;
        let numbers: Vec<u64> = numbers.iter().filter_map(Value::as_u64).collect();
        let (mut line, mut column) = (0, 0);
        let mut all = Vec::new();
        for token in numbers.chunks_exact(5) {
            if token[0] > 0 {
                column = 0;
            }
            line += token[0];
            column += token[1];
            let at = |column| {
                let place = json!({"line": line, "character": column});
                byte(text, &place, self.encoding)
            };
            all.push(json!([
                at(column)?,
                at(column + token[2])?,
                token[3],
                token[4]
            ]));
        }
        Ok(Value::Array(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, encoding: Encoding) -> Places<'_> {
        Places {
            texts: BTreeMap::from([("a", text)]),
            encoding,
        }
    }

    #[test]
    fn both_ways_to_count_lead_to_the_same_byte() {
        let text = "x\n𝕏 = y";
        let told = |character: u64| json!([{"range": {"start": {"line": 1, "character": character}}, "n": 1}]);
        let utf16 = places(text, Encoding::Utf16)
            .in_bytes("a", &told(5))
            .unwrap();
        let utf8 = places(text, Encoding::Utf8)
            .in_bytes("a", &told(7))
            .unwrap();
        assert_eq!(utf16, utf8);
        assert_eq!(utf16, json!([{"range": {"start": {"byte": 9}}, "n": 1}]));
    }

    #[test]
    fn tokens_are_told_apart_by_their_bytes() {
        let text = "x 𝕏\n y";
        let tokens =
            |length: u64| json!({"data": [0, 0, 1, 5, 0, 0, 2, length, 6, 1, 1, 1, 1, 7, 0]});
        let utf16 = places(text, Encoding::Utf16)
            .tokens("a", &tokens(2))
            .unwrap();
        assert_eq!(utf16, json!([[0, 1, 5, 0], [2, 6, 6, 1], [8, 9, 7, 0]]));
        assert_eq!(
            utf16,
            places(text, Encoding::Utf8)
                .tokens("a", &tokens(4))
                .unwrap()
        );
    }
}
