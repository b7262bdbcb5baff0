//! Where two JSON values differ first, for people.

use serde_json::Value;

/// Most characters of a value that are shown.
const SHOWN: usize = 160;

/// The place and both values there, in words; none if they are equal.
pub(crate) fn first(expected: &Value, found: &Value) -> Option<String> {
    at("", expected, found)
}

fn at(place: &str, expected: &Value, found: &Value) -> Option<String> {
    match (expected, found) {
        (Value::Object(a), Value::Object(b)) => {
            let missing = b.keys().filter(|key| !a.contains_key(*key));
            let mut keys: Vec<&String> = a.keys().chain(missing).collect();
            keys.sort();
            keys.into_iter().find_map(|key| {
                let of = |map: &serde_json::Map<String, Value>| map.get(key).cloned();
                let (a, b) = (of(a).unwrap_or_default(), of(b).unwrap_or_default());
                at(&format!("{place}/{key}"), &a, &b)
            })
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(index, (a, b))| at(&format!("{place}/{index}"), a, b)),
        (a, b) if a == b => None,
        (a, b) => Some(format!(
            "{place}: expected {}, found {}",
            shown(a),
            shown(b)
        )),
    }
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::Array(items) => format!("{} items {value}", items.len()),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named_by_its_place() {
        let a = json!({"b": [1, {"c": "x"}], "d": null});
        assert_eq!(first(&a, &a), None);
        // Nothing and null say the same.
        assert_eq!(first(&a, &json!({"b": [1, {"c": "x"}]})), None);
        let b = json!({"b": [1, {"c": "y"}], "e": 2});
        assert_eq!(
            first(&a, &b).as_deref(),
            Some("/b/1/c: expected \"x\", found \"y\"")
        );
        let short = json!({"b": []});
        assert!(
            first(&a, &short)
                .unwrap()
                .starts_with("/b: expected 2 items")
        );
    }
}
