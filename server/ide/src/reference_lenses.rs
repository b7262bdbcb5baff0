//! How often a function is called, above it, for those who switch it on: in all scripts of the workspace.
//!
//! ```text
//! 3 references
//! f = function(Double a) return (Double b) { b = a }
//! ```

use std::path::Path;
use std::sync::Arc;

use sumac_text::TextRange;

use crate::workspace::{FunctionRef, Index, Location};

/// The number of calls of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReferenceLens {
    /// The function's name at its definition.
    pub range: TextRange,
    /// Its text.
    pub title: String,
    /// The calls, sorted by file and place.
    pub places: Vec<Location>,
}

/// Where the lenses of a file stand, in the order of [`reference_lenses`]: nothing is counted.
#[must_use]
pub fn reference_places(index: &Index, file: &Arc<Path>) -> Vec<TextRange> {
    let functions = index.get(file).into_iter().flat_map(|o| &o.functions);
    let named = functions.filter(|function| !function.name.name.is_empty());
    named.map(|function| function.name.range).collect()
}

/// The lenses of a file, one for each function that it defines.
#[must_use]
pub fn reference_lenses(index: &Index, file: &Arc<Path>) -> Vec<ReferenceLens> {
    let Some(outline) = index.get(file) else {
        return Vec::new();
    };
    let functions = outline.functions.iter();
    functions
        .filter(|function| !function.name.name.is_empty())
        .map(|function| {
            let wanted = FunctionRef {
                file: file.clone(),
                name: function.name.name.clone(),
            };
            let calls = index.calls(&wanted);
            let places: Vec<Location> = calls
                .map(|(file, call)| Location {
                    file: file.clone(),
                    range: call.name.range,
                })
                .collect();
            ReferenceLens {
                range: function.name.range,
                title: title(places.len()),
                places,
            }
        })
        .collect()
}

fn title(count: usize) -> String {
    match count {
        0 => "no references".to_owned(),
        1 => "1 reference".to_owned(),
        many => format!("{many} references"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::fixture::Files;

    #[track_caller]
    fn check(fixture: &str, expected: &Expect) {
        let files = Files::new(fixture);
        let (file, _) = files.cursor();
        let shown: String = reference_lenses(files.workspace().index, &file)
            .into_iter()
            .map(|lens| {
                let name = &files.text(&file)[lens.range];
                format!("{name}: {}\n{}", lens.title, files.show(lens.places))
            })
            .collect();
        expected.assert_eq(&shown);
    }

    #[test]
    fn calls_are_counted_in_all_files() {
        check(
            "\
//- lib.dml
$0f = function(Double a) return (Double b) { b = a }
g = function(Double a) return (Double b) { b = f(a) }
h = function(Double a) return (Double b) { b = a }
//- main.dml
source(\"lib.dml\") as lib
x = lib::f(1) + lib::f(2) + lib::g(3)
//- other.dml
f = function(Double a) return (Double b) { b = a }
y = f(1)
",
            &expect![[r#"
                f: 3 references
                lib.dml:2: g = function(Double a) return (Double b) { b = [f](a) }
                main.dml:2: x = lib::[f](1) + lib::f(2) + lib::g(3)
                main.dml:2: x = lib::f(1) + lib::[f](2) + lib::g(3)
                g: 1 reference
                main.dml:2: x = lib::f(1) + lib::f(2) + lib::[g](3)
                h: no references
            "#]],
        );
    }

    #[test]
    fn a_script_without_functions_has_none() {
        check("$0x = 1\n", &expect![[""]]);
    }
}
