//! The outline of a sketch file, and what of it can be folded away.

use sumac_sketch::text::Library;
use sumac_sketch::text::lex::{comments, lex};
use sumac_text::{LineIndex, TextRange};

use super::hover::stage_name;
use crate::document_symbols::{DocumentSymbol, SymbolKind};
use crate::folding::{Fold, FoldKind};

/// The imports, abstractions, rules and sketches of a file in the order of its text; a sketch holds its stages.
#[must_use]
pub fn document_symbols(library: &Library, file: usize) -> Vec<DocumentSymbol> {
    let Some(source) = library.files().get(file) else {
        return Vec::new();
    };
    let parsed = &source.parse.file;
    let imports = parsed.imports.iter().map(|import| DocumentSymbol {
        name: import.path.to_string(),
        detail: String::new(),
        kind: SymbolKind::Source,
        full_range: import.range,
        focus: import.range,
        children: Vec::new(),
    });
    let abstractions = parsed.abstractions.iter().map(|one| DocumentSymbol {
        name: one.name.text.to_string(),
        detail: one.body.to_string(),
        kind: SymbolKind::Function,
        full_range: one.range,
        focus: one.name.range,
        children: Vec::new(),
    });
    let sketches = parsed.sketches.iter().map(|sketch| {
        let parameters = sketch.parameters.iter().map(|one| &*one.text);
        let stages = (1..).zip(&sketch.stages);
        DocumentSymbol {
            name: sketch.name.text.to_string(),
            detail: parameters.collect::<Vec<_>>().join(", "),
            kind: SymbolKind::Sketch,
            full_range: sketch.range,
            focus: sketch.name.range,
            children: stages
                .map(|(number, stage)| DocumentSymbol {
                    name: stage_name(stage, number),
                    detail: stage.pattern.to_string(),
                    kind: SymbolKind::Stage,
                    full_range: stage.range,
                    focus: stage
                        .label
                        .as_ref()
                        .map_or(stage.range, |label| label.range),
                    children: Vec::new(),
                })
                .collect(),
        }
    });
    let rules = parsed.rules.iter().map(|rule| DocumentSymbol {
        name: rule.name.text.to_string(),
        detail: format!("{} = {}", rule.left, rule.right),
        kind: SymbolKind::Function,
        full_range: rule.range,
        focus: rule.name.range,
        children: Vec::new(),
    });
    let mut all: Vec<_> = imports
        .chain(abstractions)
        .chain(rules)
        .chain(sketches)
        .collect();
    all.sort_by_key(|symbol| symbol.full_range);
    all
}

/// What can be folded: sketches, stages and abstractions over several lines, and comments.
#[must_use]
pub fn folding_ranges(library: &Library, file: usize, lines: &LineIndex) -> Vec<Fold> {
    let Some(source) = library.files().get(file) else {
        return Vec::new();
    };
    let parsed = &source.parse.file;
    let mut folds = Vec::new();
    let mut add = |first: usize, last: usize, kind| {
        if first < last {
            folds.push(Fold {
                range: TextRange {
                    start: lines.line_end(first),
                    end: lines.line_end(last),
                },
                kind,
            });
        }
    };
    let of = |range: TextRange| (lines.line(range.start), lines.line(range.end));
    for sketch in &parsed.sketches {
        let (first, last) = of(sketch.range);
        // The closing brace stays in sight.
        let is_closed = source.text[sketch.range].ends_with('}');
        add(
            first,
            last.saturating_sub(usize::from(is_closed)),
            FoldKind::Code,
        );
        for stage in &sketch.stages {
            let (first, last) = of(stage.range);
            add(first, last, FoldKind::Code);
        }
    }
    let rules = parsed.rules.iter().map(|rule| rule.range);
    let abstractions = parsed.abstractions.iter().map(|one| one.range);
    for range in abstractions.chain(rules) {
        let (first, last) = of(range);
        add(first, last, FoldKind::Code);
    }
    let mut block: Option<(usize, usize)> = None;
    for comment in comments(&source.text, &lex(&source.text)) {
        let line = lines.line(comment.start);
        let is_alone = source.text[lines.line_start(line)..comment.start]
            .trim()
            .is_empty();
        block = match block {
            Some((first, last)) if is_alone && line == last + 1 => Some((first, line)),
            before => {
                if let Some((first, last)) = before {
                    add(first, last, FoldKind::Comment);
                }
                is_alone.then_some((line, line))
            }
        };
    }
    if let Some((first, last)) = block {
        add(first, last, FoldKind::Comment);
    }
    folds.sort_by_key(|fold| fold.range);
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::fixture::library;

    const TEXT: &str = "# one\n# two\nimport \"b\"\ndef g(X) = t(X)\nsketch s(X) {\n  guide a: X\n    using factor\n  goal ?\n}\n";

    #[test]
    fn an_outline_has_sketches_with_their_stages() {
        let library = library(&[("a.sketch", TEXT)]);
        let found = document_symbols(&library, 0);
        let shown: Vec<_> = found.iter().map(|s| (&*s.name, &*s.detail)).collect();
        assert_eq!(shown, [("b", ""), ("g", "t(X)"), ("s", "X")]);
        let stages: Vec<_> = found[2].children.iter().map(|s| &*s.name).collect();
        assert_eq!(stages, ["guide a", "goal"]);
        for symbol in found.iter().chain(&found[2].children) {
            assert!(symbol.full_range.contains(symbol.focus), "{symbol:?}");
        }
    }

    #[test]
    fn what_has_several_lines_folds_and_the_brace_stays() {
        let library = library(&[("a.sketch", TEXT)]);
        let lines = LineIndex::new(TEXT);
        let found = folding_ranges(&library, 0, &lines);
        let shown: Vec<_> = found
            .iter()
            .map(|fold| (lines.line(fold.range.start), lines.line(fold.range.end)))
            .collect();
        assert_eq!(shown, [(0, 1), (4, 7), (5, 6)]);
    }
}
