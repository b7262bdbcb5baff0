//! Editor features on the sketches that stand in a script, and on its pins. Must never decide what a pin means.

use std::sync::Arc;

use sumac_analysis::{Severities, Severity, codes};
use sumac_syntax::ast::Ident;
use sumac_text::TextRange;

use super::completion::completion;
use super::diagnostics::diagnostics;
use super::hover::{hover, of_sketch};
use super::navigation::definition;
use super::pins::{is_in_sketch, name_of};
use super::tokens::semantic_tokens;
use crate::completion::item::{CompletionItem, CompletionKind, Rank};
use crate::diagnostic::Diagnostic;
use crate::hover::value::Hover;
use crate::semantic_tokens::token::SemanticToken;
use crate::snapshot::Snapshot;

/// Where what is named at a place of a script is defined, by a pin or in a sketch that it holds: the place of the name, the
/// path of the file of the definition (empty: the script itself), all of it and its name.
#[must_use]
pub fn pin_definition(
    snapshot: &Snapshot,
    offset: usize,
) -> Option<(TextRange, Arc<str>, TextRange, TextRange)> {
    let facts = snapshot.parse.facts();
    let pins = &snapshot.pins;
    let path = |file: usize| {
        let is_own = pins.is_inline && file == 0;
        let known = pins.library.files().get(file)?;
        Some(if is_own {
            Arc::from("")
        } else {
            Arc::clone(&known.path)
        })
    };
    let mut named = facts.iter().filter_map(name_of);
    if let Some(name) = named.find(|name| name.range.touches(offset)) {
        let (file, sketch) = pins.sketch(&name.name)?;
        return Some((name.range, path(file)?, sketch.range, sketch.name.range));
    }
    if !pins.is_inline || !is_in_sketch(facts, offset) {
        return None;
    }
    let (origin, found) = definition(&pins.library, 0, offset)?;
    Some((origin, path(found.file)?, found.full_range, found.focus))
}

/// The hover of a pin: the sketch that it names.
pub(crate) fn pin_hover(snapshot: &Snapshot, name: &Ident) -> Option<Hover> {
    let (_, sketch) = snapshot.pins.sketch(&name.name)?;
    Some(Hover {
        range: name.range,
        markdown: of_sketch(sketch),
    })
}

/// The hover of a place in a line of a sketch that stands in a script.
pub(crate) fn inline_hover(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let pins = &snapshot.pins;
    pins.is_inline
        .then(|| hover(&pins.library, 0, offset))
        .flatten()
}

/// What could be written at a place in a line of a sketch that stands in a script.
pub(crate) fn inline_completion(snapshot: &Snapshot, offset: usize) -> Vec<CompletionItem> {
    let pins = &snapshot.pins;
    if pins.is_inline {
        completion(&pins.library, 0, offset)
    } else {
        Vec::new()
    }
}

/// The sketches that could be pinned, in place of `word`.
pub(crate) fn pin_completion(snapshot: &Snapshot, word: TextRange) -> Vec<CompletionItem> {
    let sketches = snapshot.pins.library.sketches();
    sketches
        .map(|(_, sketch)| {
            let name = &sketch.name.text;
            let mut item =
                CompletionItem::new(&**name, CompletionKind::Function, Rank::Value, word);
            if !sketch.parameters.is_empty() {
                let places = (1..).zip(&sketch.parameters);
                let places = places.map(|(n, parameter)| format!("${{{n}:{}}}", parameter.text));
                let places: Vec<String> = places.collect();
                item.snippet = Some(format!("{name}({})$0", places.join(", ")));
            }
            item.detailed(sketch.doc.lines().next().map(str::to_owned))
        })
        .collect()
}

/// The tokens of a line of a sketch that stands in a script.
pub(crate) fn inline_tokens(snapshot: &Snapshot, line: TextRange) -> Vec<SemanticToken> {
    let pins = &snapshot.pins;
    if !pins.is_inline {
        return Vec::new();
    }
    let sign = TextRange::new(line.start + "#@".len(), line.end);
    let mut tokens = semantic_tokens(&pins.library, 0, sign);
    tokens.retain(|token| sign.contains(token.range));
    tokens
}

/// What is wrong with the sketches that stand in a script, and with its pins.
pub(crate) fn pin_diagnostics(snapshot: &Snapshot) -> Vec<Diagnostic> {
    let pins = &snapshot.pins;
    let mut all = if pins.is_inline {
        // How serious they are is decided with those of the whole script.
        diagnostics(&pins.library, 0, &Severities::default())
    } else {
        Vec::new()
    };
    let facts = snapshot.parse.facts().iter();
    let mut facts = facts.filter_map(name_of).peekable();
    if facts.peek().is_none() {
        return all;
    }
    // Which statement a pin is about, by the order of both. Each unit is asked for its own: a keystroke waits for this.
    let units = snapshot.analysis.parts().units();
    let statements = units.flat_map(|unit| {
        let blocks = unit.analysis().blocks.iter();
        let statements = blocks.flat_map(|block| &block.statements);
        statements
            .filter(|statement| statement.sketch.is_some() && !statement.parts.is_empty())
            .map(move |statement| unit.range(statement.range))
    });
    let mut pinned: Vec<TextRange> = statements.collect();
    pinned.sort_unstable();
    while let Some(name) = facts.next() {
        let until = facts.peek().map_or(usize::MAX, |next| next.range.start);
        let mut behind = pinned.iter();
        let statement = behind.find(|range| range.start >= name.range.end && range.start < until);
        let missed = |statement: &TextRange| {
            let mut missed = snapshot.missed.iter();
            missed.find(|missed| missed.statement == *statement)
        };
        let found = match (pins.calls.get(&name.name), statement) {
            (Some(Err(why)), _) => Some((Severity::Error, why.clone())),
            (Some(Ok(_)), None) => Some((
                Severity::Warning,
                "there is no statement of linear algebra behind this line that the sketch could be for"
                    .to_owned(),
            )),
            (Some(Ok(_)), Some(statement)) => {
                missed(statement).map(|missed| (Severity::Warning, missed.message.clone()))
            }
            (None, _) => None,
        };
        all.extend(found.map(|(severity, message)| Diagnostic {
            range: name.range,
            severity,
            code: codes::SKETCH_PIN,
            message,
            related: Vec::new(),
            tag: None,
            meant: None,
        }));
    }
    all
}

#[cfg(test)]
mod tests {
    use sumac_syntax::ast::Fact;

    use super::*;
    use crate::fixture::snapshot;
    use crate::sketch::{Pins, has_sketches, inline_text};

    fn pinned(text: &str, files: &[(&str, &str)]) -> Snapshot {
        let mut snapshot = snapshot(text);
        let facts = snapshot.parse.facts().to_vec();
        let files = files
            .iter()
            .map(|(path, text)| (Arc::from(*path), Arc::from(*text)));
        let pins = Pins::new("/w/x.dml", &facts, inline_text(text, &facts), files);
        snapshot.pins = Arc::new(pins);
        snapshot
    }

    fn told(snapshot: &Snapshot) -> Vec<(String, String)> {
        let found = crate::diagnostics(snapshot).into_iter();
        let found = found.filter(|found| found.code.starts_with("sketch-"));
        let text = |range: TextRange| snapshot.text()[range].to_owned();
        found
            .map(|found| (text(found.range), found.message))
            .collect()
    }

    const INLINE: &str = "\
X = rand(rows=9, cols=5)
#@ sketch together(A) {
#@   goal sum(A * ?)   # one sum
#@     using factor
#@ }
#@ sketch together(X)
s = sum(X * X) + sum(X)
print(s)
";

    #[test]
    fn a_script_holds_sketches_and_pins_them() {
        let snapshot = pinned(INLINE, &[]);
        assert_eq!(told(&snapshot), []);
        let filled = snapshot.pins.get("together(X)").unwrap();
        assert_eq!(filled.stages[0].pattern.to_string(), "sum(X * ?)");
        assert_eq!(&*filled.stages[0].rules[0], "factor");
        // A sketch of the script itself counts before others of its name.
        let other = [("a.sketch", "sketch together { goal ? }")];
        assert!(pinned(INLINE, &other).pins.get("together(X)").is_some());
    }

    #[test]
    fn an_inline_sketch_imports_files_by_their_place() {
        let text = "#@ import \"b.sketch\"\n#@ rule mine: A + A = 2 * A\n#@ sketch s { goal gram(?) using mine }\nx = 1\n";
        let snapshot = pinned(text, &[("/w/b.sketch", "def gram(X) = t(X) %*% X")]);
        assert_eq!(told(&snapshot), []);
        let (_, path, _, _) = pin_definition(&snapshot, text.find("gram").unwrap()).unwrap();
        assert_eq!(&*path, "/w/b.sketch");
    }

    #[test]
    fn errors_of_inline_sketches_stand_at_their_places_in_the_script() {
        let broken = INLINE.replace("sum(A * ?)", "summ(A * ?)");
        let found = told(&pinned(&broken, &[]));
        assert_eq!(found[0].0, "summ", "{found:?}");
        assert!(found[1].1.contains("has an error"), "{found:?}");
        let unicode = format!("# é𝒳\n{broken}");
        assert_eq!(told(&pinned(&unicode, &[]))[0].0, "summ");
    }

    #[test]
    fn an_unknown_sketch_and_a_pin_to_nothing_are_said() {
        let found = told(&pinned(
            "#@ sketch nobody(X)\nx = sum(rand(rows=2, cols=2))\nprint(x)\n",
            &[],
        ));
        assert_eq!(found[0].0, "nobody(X)");
        assert!(
            found[0].1.contains("there is no sketch `nobody`"),
            "{found:?}"
        );
        let file = [("a.sketch", "sketch some { goal ? }")];
        let found = told(&pinned("#@ sketch some\nprint(\"a\")\n", &file));
        assert!(
            found[0].1.contains("no statement of linear algebra"),
            "{found:?}"
        );
    }

    #[test]
    fn no_diagnostic_looks_at_a_whole_script() {
        for text in [INLINE, "x = sum(rand(rows=2, cols=2))\nprint(x)\n"] {
            let snapshot = pinned(text, &[]);
            assert_eq!(told(&snapshot), []);
            assert!(!snapshot.analysis.is_whole(), "{text}");
        }
    }

    #[test]
    fn an_allow_line_silences_what_is_wrong_with_sketches() {
        let pin = "#@ sketch nobody(X)\nx = sum(rand(rows=2, cols=2))\nprint(x)\n";
        assert_eq!(
            told(&pinned(&format!("#@ allow sketch-pin\n{pin}"), &[])),
            []
        );
        assert_eq!(
            told(&pinned(&format!("#@ allow sketch-rule\n{pin}"), &[])).len(),
            1
        );
        let unused = "#@ allow-file sketch-unused\nx = 1\n#@ sketch s(A) { goal ? }\nprint(x)\n";
        assert_eq!(told(&pinned(unused, &[])), []);
    }

    #[test]
    fn pins_and_inline_sketches_are_explained_completed_and_coloured() {
        let snapshot = pinned(INLINE, &[("a.sketch", "# Other.\nsketch other { goal ? }")]);
        let hover = |text: &str| {
            let offset = INLINE.find(text).unwrap() + 1;
            crate::hover(&snapshot, offset, &NO_FILES).map(|hover| hover.markdown)
        };
        assert!(hover("together(X)").unwrap().contains("sketch together(A)"));
        assert!(hover("sum(A").unwrap().contains("sum(X: matrix)"));
        let labels = |text: &str| {
            let offset = INLINE.find(text).unwrap();
            let items = crate::completion::completion(&snapshot, offset, None, &NO_FILES);
            items.into_iter().map(|item| item.label).collect::<Vec<_>>()
        };
        assert_eq!(labels("together(X)"), ["other", "together"]);
        assert!(labels("factor").contains(&"distribute".to_owned()));
        let offset = INLINE.find("together(X)").unwrap();
        let (_, path, _, name) = pin_definition(&snapshot, offset).unwrap();
        assert_eq!((&*path, &INLINE[name]), ("", "together"));
        // Inside of the sketch, too.
        let offset = INLINE.find("A * ?").unwrap();
        let (_, path, _, name) = pin_definition(&snapshot, offset).unwrap();
        assert_eq!((&*path, name.start), ("", INLINE.find("A) {").unwrap()));
        assert!(pin_definition(&snapshot, INLINE.find("sum(X * X)").unwrap()).is_none());
        let all = TextRange::new(0, INLINE.len());
        let tokens = crate::semantic_tokens::semantic_tokens(&snapshot, all);
        let rule = tokens
            .iter()
            .find(|token| &INLINE[token.range] == "factor")
            .unwrap();
        assert_eq!(rule.kind.name(), "enumMember");
        assert!(has_sketches(
            "#@ sketch",
            snapshot_facts("#@ sketch").as_slice()
        ));
        assert!(!has_sketches(
            "#@ n = 1",
            snapshot_facts("#@ n = 1").as_slice()
        ));
    }

    const NO_FILES: crate::files::fixture::Scripts = crate::files::fixture::Scripts(&[]);

    fn snapshot_facts(text: &str) -> Vec<Fact> {
        snapshot(text).parse.facts().to_vec()
    }

    #[test]
    fn a_key_follows_what_the_sketch_says_and_not_where_it_stands() {
        let key = |text: &str| pinned(INLINE, &[("a.sketch", text)]).pins.key();
        assert_eq!(key(""), key("# a comment"));
        let of = |text: &str| {
            pinned("#@ sketch s\nx = 1\n", &[("a.sketch", text)])
                .pins
                .key()
        };
        assert_eq!(
            of("sketch s { goal sum(?) }"),
            of("\n\nsketch s { goal sum( ? ) }")
        );
        assert_ne!(of("sketch s { goal sum(?) }"), of("sketch s { goal t(?) }"));
        assert_eq!(pinned("x = 1\n", &[]).pins.key(), "");
    }
}
