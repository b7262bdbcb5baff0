//! The client's settings as a layer. Clients send whole configuration trees: what is not ours is passed over, and
//! what does not fit is told in the log.

use serde_json::Value;

use super::layer::{Layer, check_section, is_closed};

/// Takes what `value` sets over into `layer`; it may be the `sumac` section itself or a tree that holds it, with
/// nested objects or dotted keys. What it leaves out keeps its value; `null` takes a value back. The problems, in words.
pub fn from_client(layer: &mut Layer, value: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    visit(layer, "", value, &mut problems);
    problems
}

fn visit(layer: &mut Layer, path: &str, value: &Value, problems: &mut Vec<String>) {
    let path = path.strip_prefix("sumac.").unwrap_or(path);
    let path = if path == "sumac" { "" } else { path };
    let (section, key) = match path.split_once('.') {
        Some((section, key)) => (kebab(section), Some(key)),
        None => (kebab(path), None),
    };
    let is_known = check_section(&section).is_ok();
    match (key, value) {
        (None, Value::Object(fields)) if path.is_empty() || is_known => {
            if is_known && !is_closed(&section) && section != "diagnostics" {
                layer.clear(&section);
            }
            for (name, value) in fields {
                let inner = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                visit(layer, &inner, value, problems);
            }
        }
        // `diagnostics.severity` holds what `[diagnostics]` of a file does.
        (Some("severity"), Value::Object(codes)) if section == "diagnostics" => {
            layer.clear(&section);
            for (code, level) in codes {
                set(layer, &section, code, level, problems);
            }
        }
        (Some("severity"), Value::Null) if section == "diagnostics" => layer.clear(&section),
        (Some(key), value) if is_known && section != "diagnostics" => {
            let key = if is_closed(&section) {
                kebab(key)
            } else {
                key.to_owned()
            };
            set(layer, &section, &key, value, problems);
        }
        _ => {}
    }
}

fn set(layer: &mut Layer, section: &str, key: &str, value: &Value, problems: &mut Vec<String>) {
    if value.is_null() {
        layer.unset(section, key);
    } else if let Err(wrong) = layer.set(section, key, value.clone()) {
        problems.push(wrong.message());
    }
}

/// `maxNodes` as `max-nodes`.
fn kebab(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars() {
        if c.is_ascii_uppercase() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::{Config, Level};

    fn read(value: &Value) -> (Config, Vec<String>) {
        let mut layer = Layer::default();
        let problems = from_client(&mut layer, value);
        (layer.config(), problems)
    }

    #[test]
    fn settings_come_nested_dotted_or_wrapped() {
        for value in [
            json!({"inlayHints": {"enabled": false}}),
            json!({"inlayHints.enabled": false}),
            json!({"sumac": {"inlayHints": {"enabled": false}}}),
            json!({"sumac.inlayHints.enabled": false}),
        ] {
            let (config, problems) = read(&value);
            assert_eq!(config.inlay_hints.enabled, Some(false), "{value}");
            assert_eq!(problems, Vec::<String>::new());
        }
    }

    #[test]
    fn names_of_arguments_and_codes_keep_their_letters() {
        let (config, _) = read(&json!({
            "args": {"maxIter": 3},
            "diagnostics": {"severity": {"unused-value": "error"}},
        }));
        assert_eq!(config.args["maxIter"].to_string(), "3");
        assert_eq!(config.diagnostics["unused-value"], Level::Error);
    }

    #[test]
    fn what_is_ill_typed_is_told_and_changes_nothing() {
        let (config, problems) = read(&json!({
            "codeLens": {"enabled": "yes"}, "search": {"minSpeedup": -3}, "engine": null,
            "diagnostics": {"severity": {"unused-valeu": "off"}}, "server": {"path": "x"}, "trusted": true,
        }));
        assert_eq!(config, Config::default());
        assert_eq!(problems.len(), 3, "{problems:#?}");
        assert_eq!(read(&json!(null)).0, Config::default());
    }

    #[test]
    fn null_takes_back_and_silence_keeps() {
        let mut layer = Layer::default();
        from_client(
            &mut layer,
            &json!({"search": {"maxNodes": 5, "seed": 1}, "args": {"a": 1}}),
        );
        from_client(
            &mut layer,
            &json!({"search": {"maxNodes": null}, "args": {"b": 2}}),
        );
        let config = layer.config();
        assert_eq!(
            (config.search.max_nodes, config.search.seed),
            (None, Some(1))
        );
        assert_eq!(config.args.keys().collect::<Vec<_>>(), ["b"]);
    }
}
