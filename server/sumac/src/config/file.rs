//! `sumac.toml`: where it is looked for, and how it is read.

use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use serde_json::Value;
use sumac_runtime::io::text_at_most;
use sumac_text::TextRange;
use toml::de::{DeTable, DeValue};

use super::layer::{Layer, Problem, Wrong, check_section};

/// The file's name.
pub const FILE_NAME: &str = "sumac.toml";

/// Bytes that a file has at most: the longest list of facts that a person writes is far from it.
const MOST_BYTES: u64 = 1 << 20;

/// A file that was found, with what could be read of it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Found {
    /// Where.
    pub path: PathBuf,
    /// Its text; empty where it cannot be read.
    pub text: String,
    /// What it sets.
    pub layer: Layer,
    /// What is wrong with it, in source order.
    pub problems: Vec<Problem>,
}

/// The nearest `sumac.toml` at or above the folder of `script`. The search ends at the folder `root`, and at the
/// top of a repository.
#[must_use]
pub fn nearest_file(script: &Path, root: Option<&Path>) -> Option<PathBuf> {
    let script = std::path::absolute(script).ok()?;
    for folder in script.parent()?.ancestors() {
        let file = folder.join(FILE_NAME);
        if file.is_file() {
            return Some(file);
        }
        if root == Some(folder) || folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// Finds and reads the file for `script`.
#[must_use]
pub fn find(script: &Path, root: Option<&Path>) -> Option<Found> {
    nearest_file(script, root).map(load)
}

/// Reads a file. What is wrong with it is a problem among others.
#[must_use]
pub fn load(path: PathBuf) -> Found {
    let (text, (mut layer, mut problems)) = match text_at_most(&path, MOST_BYTES) {
        Ok(text) => {
            let read = read(&text);
            (text, read)
        }
        Err(error) => {
            let problem = Problem {
                range: TextRange::default(),
                message: format!("cannot be read: {error}"),
            };
            (String::new(), (Layer::default(), vec![problem]))
        }
    };
    if let Some(folder) = path.parent() {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        if let Err(wrong) = layer.start_beside(folder) {
            problems.push(Problem {
                range: place_of(&text, "machine"),
                message: wrong.message(),
            });
            problems.sort_by(|a, b| (a.range, &a.message).cmp(&(b.range, &b.message)));
        }
    }
    Found {
        path,
        text,
        layer,
        problems,
    }
}

/// Where a key of `[search]` has its value.
fn place_of(text: &str, key: &str) -> TextRange {
    let (table, _) = DeTable::parse_recoverable(text);
    let value = table.get_ref().get("search").and_then(|section| {
        let DeValue::Table(keys) = section.get_ref() else {
            return None;
        };
        keys.get(key).map(|value| range(value.span()))
    });
    value.unwrap_or_default()
}

/// Reads the text of a file.
#[must_use]
pub fn read(text: &str) -> (Layer, Vec<Problem>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> = errors
        .iter()
        .map(|error| Problem {
            range: error.span().map_or_else(TextRange::default, range),
            message: error.message().to_owned(),
        })
        .collect();
    let mut layer = Layer::default();
    for (section, value) in table.get_ref() {
        let at_section = range(section.span());
        let section = &**section.get_ref();
        if let Err(wrong) = check_section(section) {
            problems.push(Problem {
                range: at_section,
                message: wrong.message(),
            });
            continue;
        }
        let DeValue::Table(keys) = value.get_ref() else {
            problems.push(Problem {
                range: range(value.span()),
                message: format!(
                    "expected a section, found a value; write [{section}] on a line of its own"
                ),
            });
            continue;
        };
        for (key, value) in keys {
            let set = Value::deserialize(value.clone().into_deserializer())
                .map_err(|error| Wrong::Value(error.message().to_owned()))
                .and_then(|json| match json {
                    // JSON has no other word for `nan` and `inf`, and TOML none for null.
                    Value::Null => Err(Wrong::Value(format!(
                        "`{}` in [{section}]: expected a finite number",
                        key.get_ref()
                    ))),
                    json => layer.set(section, key.get_ref(), json),
                });
            if let Err(wrong) = set {
                let at = match &wrong {
                    Wrong::Section(_) => at_section,
                    Wrong::Key(_) => range(key.span()),
                    Wrong::Value(_) => range(value.span()),
                };
                problems.push(Problem {
                    range: at,
                    message: wrong.message(),
                });
            }
        }
    }
    problems.sort_by(|a, b| (a.range, &a.message).cmp(&(b.range, &b.message)));
    (layer, problems)
}

fn range(span: std::ops::Range<usize>) -> TextRange {
    TextRange {
        start: span.start,
        end: span.end.max(span.start),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
    fn check(text: &str, expected: Expect) -> Layer {
        let (layer, problems) = read(text);
        let lines: Vec<String> = problems
            .iter()
            .map(|problem| {
                let line = 1 + text[..problem.range.start].matches('\n').count();
                format!("{line} `{}`: {}\n", &text[problem.range], problem.message)
            })
            .collect();
        expected.assert_eq(&lines.concat());
        layer
    }

    #[test]
    fn every_wrong_key_is_told_at_its_place_and_the_others_count() {
        let layer = check(
            "max-nodes = 3\n[serch]\nseed = 1\n[search]\nmax-node = 5\nmax-iterations = \"ten\"\nseed = 7\nmin-speedup = -1\ncost = \"beauty\"\n[diagnostics]\nunused-valeu = \"off\"\nunused-value = \"loud\"\n[facts]\nX = \"10 by 20\"\nn = 5\n[engine]\nmemory = \"lots\"\n",
            expect![[r#"
                1 `max-nodes`: there is no section [max-nodes]; it belongs under [search]
                2 `serch`: there is no section [serch]; did you mean [search]?
                5 `max-node`: [search] has no key `max-node`; did you mean `max-nodes`?
                6 `"ten"`: `max-iterations` in [search]: invalid type: string "ten", expected a whole number
                8 `-1`: `min-speedup` in [search]: expected a number above 0, found -1
                9 `"beauty"`: `cost` in [search]: unknown variant `beauty`, expected one of `nnz`, `flops`, `bytes`, `time`
                11 `unused-valeu`: there is no diagnostic `unused-valeu`; did you mean `unused-value`?
                12 `"loud"`: `unused-value` in [diagnostics]: unknown variant `loud`, expected one of `off`, `hint`, `information`, `warning`, `error`
                14 `"10 by 20"`: `X: 10 by 20` is no fact: expected `x` and the number of columns, found `by`
                17 `"lots"`: `memory` in [engine]: `lots` is no size; write bytes, or a number with K, M, G or T: 500M, 4G
            "#]],
        );
        let config = layer.config();
        assert_eq!(config.search.seed, Some(7));
        assert_eq!(config.facts.len(), 1);
    }

    #[test]
    fn a_line_that_is_no_toml_loses_only_itself() {
        let layer = check(
            "[search]\nseed = = 3\nmax-nodes = 9\n[format\nline-width = 100\n",
            expect![[r#"
                2 `=`: extra `=`, expected nothing
                2 ``: unexpected key or value, expected newline, `#`
                4 ``: unclosed table, expected `]`
                5 `line-width`: there is no section [line-width]; it belongs under [format]
            "#]],
        );
        assert_eq!(layer.config().search.max_nodes, Some(9));
    }

    #[test]
    fn the_nearest_file_wins_and_the_search_ends_at_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path);
        std::fs::create_dir_all(at("a/b")).unwrap();
        let script = at("a/b/s.dml");
        std::fs::write(at("sumac.toml"), "").unwrap();
        assert_eq!(nearest_file(&script, None), Some(at("sumac.toml")));
        assert_eq!(nearest_file(&script, Some(&at("a"))), None);
        std::fs::create_dir(at("a/.git")).unwrap();
        assert_eq!(nearest_file(&script, None), None);
        std::fs::write(at("a/b/sumac.toml"), "").unwrap();
        assert_eq!(nearest_file(&script, None), Some(at("a/b/sumac.toml")));
    }
}
