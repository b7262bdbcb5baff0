//! What an expression of NumPy needs to run on made-up values: imports, arrays, sizes. Must never run anything.

use std::collections::BTreeMap;

use sumac_la::Dim;
use sumac_language::Setting;

use crate::notation::Place;
use crate::tree::{Step, Tree};
use crate::value::DType;

/// What is needed in a place.
///
/// # Errors
/// What of it cannot be made up.
pub(crate) fn setting(place: &Place) -> Result<Setting, String> {
    let mut setting = Setting {
        imports: place
            .style
            .numpy
            .iter()
            .map(|name| format!("import numpy as {name}"))
            .collect(),
        ..Setting::default()
    };
    let mut arrays: BTreeMap<String, Tree> = BTreeMap::new();
    let mut needs = |text: &str| -> Result<(), String> {
        let base = text.split('[').next().unwrap_or(text);
        let base = base.strip_suffix(".shape").unwrap_or(base);
        if !is_path(base) {
            return Err(format!(
                "`{text}` is no variable, and its value cannot be made up"
            ));
        }
        let indices = &text[base.len()..];
        let is_plain = |word: &str| {
            matches!(word, "" | "None" | "shape") || word.chars().all(|c| c.is_ascii_digit())
        };
        if !indices
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .all(is_plain)
        {
            return Err(format!(
                "`{text}` reads a part whose place cannot be made up"
            ));
        }
        let tree = place.reader.tree(base);
        let tree =
            tree.ok_or_else(|| format!("nothing is known of `{base}`, so it cannot be made up"))?;
        arrays.insert(base.to_owned(), tree);
        Ok(())
    };
    for node in place.tree.nodes() {
        match &node.step {
            Step::Atom(atom) => needs(&atom.text)?,
            Step::Size(text) if is_path(text) && !text.contains('.') => {
                let size = (text.to_string(), Dim::Named((&**text).into()));
                if !setting.integers.contains(&size) {
                    setting.integers.push(size);
                }
            }
            Step::Size(text) => {
                let inner = text
                    .strip_prefix("len(")
                    .and_then(|rest| rest.strip_suffix(')'));
                needs(inner.unwrap_or(text))?;
            }
            _ => {}
        }
    }
    for (target, tree) in arrays {
        let number = match tree.value.dtype {
            DType::Float32 => "float32",
            DType::Float64 | DType::Assumed => "float64",
            DType::Bool | DType::Int | DType::Complex => {
                return Err(format!(
                    "`{target}` holds no floats, and others cannot be made up"
                ));
            }
        };
        setting.arrays.push((target, tree.value.shape, number));
    }
    Ok(setting)
}

/// `X`, `self.X`.
fn is_path(text: &str) -> bool {
    let is_name = |part: &str| {
        let mut all = part.chars();
        all.next().is_some_and(|c| c.is_alphabetic() || c == '_')
            && all.all(|c| c.is_alphanumeric() || c == '_')
    };
    text.split('.').all(is_name)
}
