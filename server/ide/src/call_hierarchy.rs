//! Who calls a function, and what it calls, across files. A main program is a caller too.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sumac_syntax::Parse;
use sumac_text::TextRange;

use crate::document_symbols::signature;
use crate::workspace::{FunctionRef, Index, Symbol};

/// Something that calls or is called.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Caller {
    /// Its file.
    pub file: Arc<Path>,
    /// The function; `None` is the main program.
    pub function: Option<Arc<str>>,
}

/// How a caller is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallItem {
    /// What it is.
    pub caller: Caller,
    /// Its name; of a main program, the file's.
    pub name: String,
    /// How it is called.
    pub detail: String,
    /// All of it.
    pub full_range: TextRange,
    /// The name in it.
    pub focus: TextRange,
}

/// A caller or callee with the places of the calls, which stand in the calling file.
pub type Calls = Vec<(CallItem, Vec<TextRange>)>;

/// The function that a cursor at `offset` of `file` touches.
#[must_use]
pub fn call_item(
    index: &Index,
    file: &Arc<Path>,
    parse: &Parse,
    offset: usize,
) -> Option<CallItem> {
    match Symbol::at(index, file, parse, offset)? {
        (_, Symbol::Function(FunctionRef { file, name })) => {
            let caller = Caller {
                file,
                function: Some(name),
            };
            item(index, caller)
        }
        _ => None,
    }
}

/// What calls it, sorted by file and place.
#[must_use]
pub fn incoming_calls(index: &Index, called: &Caller) -> Calls {
    // Nothing calls a main program.
    let Some(name) = called.function.clone() else {
        return Vec::new();
    };
    let wanted = FunctionRef {
        file: called.file.clone(),
        name,
    };
    let mut callers: BTreeMap<(Arc<Path>, Option<usize>), Vec<TextRange>> = BTreeMap::new();
    for (file, call) in index.calls(&wanted) {
        let places = callers.entry((file.clone(), call.function)).or_default();
        places.push(call.name.range);
    }
    let show = |((file, number), places): ((Arc<Path>, Option<usize>), _)| {
        let function = match number {
            Some(number) => Some(index.get(&file)?.functions.get(number)?.name.name.clone()),
            None => None,
        };
        Some((item(index, Caller { file, function })?, places))
    };
    callers.into_iter().filter_map(show).collect()
}

/// What it calls, in the order of the first calls. Functions of SystemDS are left out.
#[must_use]
pub fn outgoing_calls(index: &Index, caller: &Caller) -> Calls {
    let Some(outline) = index.get(&caller.file) else {
        return Vec::new();
    };
    let is_in = |number: Option<usize>| match (number, &caller.function) {
        (Some(number), Some(name)) => outline
            .functions
            .get(number)
            .is_some_and(|function| function.name.name == *name),
        (None, None) => true,
        _ => false,
    };
    let mut found: Calls = Vec::new();
    for call in outline.calls.iter().filter(|call| is_in(call.function)) {
        let called = index.called(&caller.file, call.namespace.as_deref(), &call.name.name);
        let Some(FunctionRef { file, name }) = called else {
            continue;
        };
        let callee = Caller {
            file,
            function: Some(name),
        };
        match found.iter_mut().find(|(item, _)| item.caller == callee) {
            Some((_, places)) => places.push(call.name.range),
            None => found.extend(item(index, callee).map(|item| (item, vec![call.name.range]))),
        }
    }
    found
}

fn item(index: &Index, caller: Caller) -> Option<CallItem> {
    let outline = index.get(&caller.file)?;
    Some(match &caller.function {
        Some(name) => {
            let (_, function) = outline.function(name)?;
            CallItem {
                name: name.to_string(),
                detail: signature(function),
                full_range: function.full_range,
                focus: function.name.range,
                caller,
            }
        }
        None => {
            let name = caller.file.file_name().unwrap_or_default();
            CallItem {
                name: name.to_string_lossy().into_owned(),
                detail: "main program".to_owned(),
                full_range: TextRange::default(),
                focus: TextRange::default(),
                caller,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::workspace::Location;
    use crate::workspace::fixture::Files;

    const PROJECT: &str = "\
//- lib.dml
square = function(Double a) return (Double b) { b = a * abs(a) }
twice = function(Double a) return (Double b) { b = square(a) + square(2 * a) }
//- main.dml
source(\"lib.dml\") as lib
x = lib::twice(1) + lib::square(2)
";

    #[track_caller]
    fn check(fixture: &str, expected: &Expect) {
        let files = Files::new(fixture);
        let index = files.workspace().index;
        let (file, offset) = files.cursor();
        let parse = files.snapshot(&file).parse;
        let mut out = String::new();
        if let Some(item) = call_item(index, &file, &parse, offset) {
            out.push_str(&format!("{} {}\n", item.name, item.detail));
            for (caller, places) in incoming_calls(index, &item.caller) {
                out.push_str(&format!("from {} ({})\n", caller.name, caller.detail));
                let at = |range| Location {
                    file: caller.caller.file.clone(),
                    range,
                };
                out.push_str(&files.show(places.into_iter().map(at)));
            }
            for (callee, places) in outgoing_calls(index, &item.caller) {
                out.push_str(&format!("to {} ({})\n", callee.name, callee.detail));
                let at = |range| Location {
                    file: item.caller.file.clone(),
                    range,
                };
                out.push_str(&files.show(places.into_iter().map(at)));
            }
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn callers_and_callees_are_found_across_files() {
        check(
            &PROJECT.replace("::twice", "::$0twice"),
            &expect![[r#"
                twice (a) → (b)
                from main.dml (main program)
                main.dml:2: x = lib::[twice](1) + lib::square(2)
                to square ((a) → (b))
                lib.dml:2: twice = function(Double a) return (Double b) { b = [square](a) + square(2 * a) }
                lib.dml:2: twice = function(Double a) return (Double b) { b = square(a) + [square](2 * a) }
            "#]],
        );
        check(
            &PROJECT.replacen("square", "$0square", 1),
            &expect![[r#"
                square (a) → (b)
                from twice ((a) → (b))
                lib.dml:2: twice = function(Double a) return (Double b) { b = [square](a) + square(2 * a) }
                lib.dml:2: twice = function(Double a) return (Double b) { b = square(a) + [square](2 * a) }
                from main.dml (main program)
                main.dml:2: x = lib::twice(1) + lib::[square](2)
            "#]],
        );
    }

    #[test]
    fn variables_and_functions_of_systemds_have_no_hierarchy() {
        check("$0x = 1\n", &expect![""]);
        check("x = $0sum(matrix(1, 2, 2))\n", &expect![""]);
    }
}
