//! One layer of configuration: keys with values, each checked by itself, so that one wrong key loses no other.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::LazyLock;

use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use sumac_analysis::{catalogue, nearest};
use sumac_text::TextRange;

use super::ranges;
use super::schema::Config;
use crate::machine;
use crate::script::Stated;

/// Sections whose keys are not ours: any name is good, or any that [`check_name`] lets through.
const OPEN: [&str; 3] = [ARGS, FACTS, DIAGNOSTICS];
const ARGS: &str = "args";
const FACTS: &str = "facts";
const DIAGNOSTICS: &str = "diagnostics";

/// Something wrong with a configuration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where in the text.
    pub range: TextRange,
    /// What was found, what was expected, a way out.
    pub message: String,
}

/// What is wrong with a key or its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// The section.
    Section(String),
    /// The key in it.
    Key(String),
    /// The value.
    Value(String),
}

impl Wrong {
    /// In words.
    #[must_use]
    pub fn message(self) -> String {
        let (Wrong::Section(message) | Wrong::Key(message) | Wrong::Value(message)) = self;
        message
    }
}

/// One layer of configuration.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layer(BTreeMap<(String, String), Value>);

/// The keys of each section, as the schema has them.
static KEYS: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    let empty = serde_json::to_value(Config::default()).unwrap_or_default();
    let sections = empty.as_object().into_iter().flatten();
    let keys = |section: &Value| match section.as_object() {
        Some(section) => section.keys().cloned().collect(),
        None => Vec::new(),
    };
    sections
        .map(|(name, section)| (name.clone(), keys(section)))
        .collect()
});

impl Layer {
    /// Sets a key.
    ///
    /// # Errors
    /// There is no such key, or the value does not fit; the layer is as before.
    pub fn set(&mut self, section: &str, key: &str, value: Value) -> Result<(), Wrong> {
        check_section(section)?;
        check_name(section, key)?;
        let one = json!({ section: { key: value.clone() } });
        match Config::deserialize(&one) {
            Ok(config) => {
                check_fact(&config, key)?;
                ranges::check(section, key, &value)?;
            }
            Err(error) => {
                // Names of Rust's types are no words for people.
                let words = [
                    ("a nonzero u64", "a whole number above 0"),
                    ("usize", "a whole number"),
                    ("u64", "a whole number"),
                ];
                let error = words
                    .iter()
                    .fold(error.to_string(), |error, (name, words)| {
                        error.replace(name, words)
                    });
                return Err(Wrong::Value(format!("`{key}` in [{section}]: {error}")));
            }
        }
        self.0.insert((section.to_owned(), key.to_owned()), value);
        Ok(())
    }

    /// Takes a key, or what is set of an open section, out.
    pub fn unset(&mut self, section: &str, key: &str) {
        self.0.remove(&(section.to_owned(), key.to_owned()));
    }

    /// Takes all of a section out.
    pub fn clear(&mut self, section: &str) {
        self.0.retain(|(own, _), _| own != section);
    }

    /// Lets a relative path in the layer begin in `folder`.
    ///
    /// # Errors
    /// It leads out of the folder, and is taken out of the layer: whoever wrote the file does not choose what else is read.
    pub fn start_beside(&mut self, folder: &Path) -> Result<(), Wrong> {
        let key = ("search".to_owned(), "machine".to_owned());
        let Some(Value::String(name)) = self.0.get_mut(&key) else {
            return Ok(());
        };
        if name == machine::DEFAULT {
            return Ok(());
        }
        let path = folder.join(&*name);
        let resolved = |path: &Path| std::fs::canonicalize(path).ok();
        // What is not there leads nowhere yet, and is told when it is read.
        let leaves = match (resolved(&path), resolved(folder)) {
            (Some(path), Some(folder)) => !path.starts_with(folder),
            _ => !is_below(Path::new(&*name)),
        };
        if leaves {
            let wrong = Wrong::Value(format!(
                "`machine` in [search]: expected \"default\" or a file beside this one or below, found \"{name}\"; \
                 `--machine FILE` and the variable {} name any other",
                machine::VARIABLE
            ));
            self.0.remove(&key);
            return Err(wrong);
        }
        *name = path.to_string_lossy().into_owned();
        Ok(())
    }

    /// Takes out what lets another file be read, where the person does not trust who wrote this.
    pub fn distrust(&mut self) {
        let key = ("search".to_owned(), "machine".to_owned());
        let is_path = |value: &Value| value != machine::DEFAULT;
        if self.0.get(&key).is_some_and(is_path) {
            self.0.remove(&key);
        }
    }

    /// This layer, and below it `below`, which counts where this one is silent.
    #[must_use]
    pub fn over(&self, below: &Layer) -> Layer {
        let mut all = below.0.clone();
        all.extend(self.0.iter().map(|(k, v)| (k.clone(), v.clone())));
        Layer(all)
    }

    /// What the layer says.
    #[must_use]
    pub fn config(&self) -> Config {
        let mut sections = Map::new();
        for ((section, key), value) in &self.0 {
            let entry = sections.entry(section.clone()).or_insert_with(|| json!({}));
            entry[key] = value.clone();
        }
        // Every key has been checked by itself.
        Config::deserialize(Value::Object(sections)).unwrap_or_default()
    }

    /// Whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The sections with their keys; a section whose keys are free has none here.
#[must_use]
pub fn keys() -> &'static BTreeMap<String, Vec<String>> {
    &KEYS
}

/// Whether the keys of `section` are the schema's own.
#[must_use]
pub fn is_closed(section: &str) -> bool {
    !OPEN.contains(&section)
}

/// # Errors
/// There is no such section.
pub fn check_section(section: &str) -> Result<(), Wrong> {
    if KEYS.contains_key(section) {
        return Ok(());
    }
    let at_home = KEYS
        .iter()
        .find(|(_, keys)| keys.iter().any(|key| key == section));
    let hint = match (at_home, nearest(section, KEYS.keys().map(String::as_str))) {
        (Some((home, _)), _) => format!("; it belongs under [{home}]"),
        (None, Some(near)) => format!("; did you mean [{near}]?"),
        (None, None) => format!("; there are [{}]", join(KEYS.keys(), "], [")),
    };
    Err(Wrong::Section(format!(
        "there is no section [{section}]{hint}"
    )))
}

fn check_name(section: &str, key: &str) -> Result<(), Wrong> {
    let unknown = |what: String, near: Option<&str>, all: String| {
        let hint = near.map_or(all, |near| format!("; did you mean `{near}`?"));
        Err(Wrong::Key(format!("{what}{hint}")))
    };
    if section == DIAGNOSTICS {
        return match catalogue::code(key) {
            Some(_) => Ok(()),
            None => unknown(
                format!("there is no diagnostic `{key}`"),
                catalogue::nearest_code(key),
                "; `sumac check --explain` lists them".to_owned(),
            ),
        };
    }
    if !is_closed(section) {
        return Ok(());
    }
    let keys = &KEYS[section];
    if keys.iter().any(|known| known == key) {
        return Ok(());
    }
    unknown(
        format!("[{section}] has no key `{key}`"),
        nearest(key, keys.iter().map(String::as_str)),
        format!("; it has `{}`", join(keys.iter(), "`, `")),
    )
}

/// Whether a relative path stays below where it begins, links aside.
fn is_below(path: &Path) -> bool {
    let mut parts = path.components();
    parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// A size must read as a `#@` line.
fn check_fact(config: &Config, key: &str) -> Result<(), Wrong> {
    match config.facts.get(key) {
        Some(fact) => match Stated::fact(&fact.line(key)) {
            Ok(_) => Ok(()),
            Err(message) => Err(Wrong::Value(message)),
        },
        None => Ok(()),
    }
}

fn join<'a>(words: impl Iterator<Item = &'a String>, between: &str) -> String {
    words.map(String::as_str).collect::<Vec<_>>().join(between)
}
