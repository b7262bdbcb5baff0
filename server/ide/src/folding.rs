//! What an editor can fold away. Lines are folded whole; the line that opens a fold stays in sight, and so does a
//! closing bracket that begins its line.
//!
//! ```text
//! f = function(Double a) return (Double b) { …
//! }
//! ```

use std::collections::BTreeMap;

use sumac_syntax::Parse;
use sumac_syntax::ast::{Block, ExprKind, FunctionDef, Stmt, StmtKind};
use sumac_syntax::comments::{Comment, CommentKind};
use sumac_syntax::walk::{Node, walk};
use sumac_text::{LineIndex, TextRange};

/// Something that can be folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// From the end of the line that stays in sight to the end of the last line that is hidden.
    pub range: TextRange,
    /// What it is.
    pub kind: FoldKind,
}

/// The kinds of folds that editors tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldKind {
    /// A body, or what stands between brackets.
    Code,
    /// Comments, or `#@` lines.
    Comment,
    /// `source` lines.
    Imports,
    /// From `# region` to `# endregion`.
    Region,
}

/// The folds of a script, in the order of their first lines; never two with the same first line.
#[must_use]
pub fn folding_ranges(parse: &Parse) -> Vec<Fold> {
    let lines = parse.lines();
    let mut folds = Folds {
        text: parse.text(),
        lines,
        found: BTreeMap::new(),
    };
    folds.code(parse);
    folds.comments(parse.comments());
    let found = folds.found.into_iter();
    found
        .map(|(first, (last, kind))| Fold {
            range: TextRange {
                start: lines.line_end(first),
                end: lines.line_end(last),
            },
            kind,
        })
        .collect()
}

struct Folds<'a> {
    text: &'a str,
    lines: &'a LineIndex,
    /// By first line: the last line and the kind.
    found: BTreeMap<usize, (usize, FoldKind)>,
}

impl Folds<'_> {
    /// Notes a fold; of two that begin in the same line the longer one stays.
    fn add(&mut self, first: usize, last: usize, kind: FoldKind) {
        if last <= first {
            return;
        }
        let entry = self.found.entry(first).or_insert((last, kind));
        if entry.0 < last {
            *entry = (last, kind);
        }
    }

    /// A fold between brackets: the closing one stays in sight if nothing but space stands before it.
    fn brackets(&mut self, range: TextRange) {
        if range.is_empty() {
            return;
        }
        let close = self.lines.line(range.end - 1);
        // What is not closed ends with any character.
        let line = &self.text[self.lines.line_start(close)..range.end];
        let before = line
            .char_indices()
            .next_back()
            .map_or("", |(at, _)| &line[..at]);
        let last = close - usize::from(close > 0 && before.trim().is_empty());
        self.add(self.lines.line(range.start), last, FoldKind::Code);
    }

    fn code(&mut self, parse: &Parse) {
        walk(parse.program(), &mut |node| match node {
            Node::Stmt(stmt) => self.statement(stmt),
            Node::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => self.brackets(call.parens),
                ExprKind::Index(_, index) => self.brackets(index.range),
                ExprKind::Paren(_) | ExprKind::List(_) => self.brackets(expr.range),
                _ => {}
            },
        });
        self.imports(&parse.program().statements);
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => self.block(body),
            StmtKind::Function(function) => self.function(function),
            _ => {}
        }
    }

    fn block(&mut self, block: &Block) {
        if self.text[block.range].starts_with('{') {
            self.brackets(block.range);
        }
    }

    fn function(&mut self, function: &FunctionDef) {
        let Some(body) = &function.body else { return };
        self.block(body);
        // A head of several lines folds apart from the body.
        let head = self.lines.line(function.name.range.start);
        let open = self.lines.line(body.range.start);
        self.add(head, open.saturating_sub(1), FoldKind::Code);
    }

    fn imports(&mut self, statements: &[Stmt]) {
        let is_import = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Source { .. });
        let runs = statements.chunk_by(|a, b| is_import(&a) == is_import(&b));
        for run in runs.filter(|run| run.first().as_ref().is_some_and(is_import)) {
            if let [first, .., last] = run {
                let (first, last) = (first.range.start, last.range.end);
                self.add(
                    self.lines.line(first),
                    self.lines.line(last),
                    FoldKind::Imports,
                );
            }
        }
    }

    fn comments(&mut self, comments: &[Comment]) {
        let mut regions = Vec::new();
        // First line, last line and kind of the run that may still grow.
        let mut run: Option<(usize, usize, CommentKind)> = None;
        for comment in comments {
            let first = self.lines.line(comment.range.start);
            let last = self.lines.line(comment.range.end);
            let is_alone = self.text[self.lines.line_start(first)..comment.range.start]
                .trim()
                .is_empty();
            let marker = Marker::of(&self.text[comment.range]).filter(|_| is_alone);
            match marker {
                Some(Marker::Begin) => regions.push(first),
                Some(Marker::End) => {
                    if let Some(begin) = regions.pop() {
                        self.add(begin, last, FoldKind::Region);
                    }
                }
                None => {}
            }
            let continues = run.is_some_and(|(_, before, kind)| {
                kind == comment.kind && before + 1 == first && kind != CommentKind::Block
            });
            run = if marker.is_some() || !is_alone {
                self.end_run(run);
                None
            } else if continues {
                run.map(|(begin, _, kind)| (begin, last, kind))
            } else {
                self.end_run(run);
                Some((first, last, comment.kind))
            };
        }
        self.end_run(run);
    }

    fn end_run(&mut self, run: Option<(usize, usize, CommentKind)>) {
        if let Some((first, last, _)) = run {
            self.add(first, last, FoldKind::Comment);
        }
    }
}

/// The two ends of a region.
#[derive(Clone, Copy)]
enum Marker {
    Begin,
    End,
}

impl Marker {
    fn of(comment: &str) -> Option<Marker> {
        let text = comment.strip_prefix('#')?.trim_start();
        let word = text.split(|c: char| !c.is_alphanumeric()).next()?;
        match word {
            "region" => Some(Marker::Begin),
            "endregion" => Some(Marker::End),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// The script with each fold's extent and kind in front of its first line.
    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        let parse = sumac_syntax::parse(text);
        let lines = parse.lines();
        let shown: String = folding_ranges(&parse)
            .iter()
            .map(|fold| {
                let first = lines.line(fold.range.start);
                let last = lines.line(fold.range.end);
                let opens = text[lines.line_start(first)..fold.range.start].trim();
                format!("{first}-{last} {:?}: {opens}\n", fold.kind)
            })
            .collect();
        expected.assert_eq(&shown);
    }

    #[test]
    fn bodies_fold_and_their_closing_brackets_stay_in_sight() {
        check(
            "f = function(Double a)\n    return (Double b) {\n  b = a\n}\n\
             if (x > 0) {\n  y = 1\n} else {\n  y = 2\n}\n\
             parfor (i in 1:3) {\n  while (TRUE) {\n    z = 1\n  } }\n",
            &expect![[r#"
                1-2 Code: return (Double b) {
                4-5 Code: if (x > 0) {
                6-7 Code: } else {
                9-12 Code: parfor (i in 1:3) {
                10-11 Code: while (TRUE) {
            "#]],
        );
    }

    #[test]
    fn calls_heads_and_imports_of_several_lines_fold() {
        check(
            "source(\"a.dml\") as a\nsource(\"b.dml\") as b\n\
             X = rand(\n  rows=10,\n  cols=10\n)\nY = X[1:2,\n  1:2]\n\
             f = function(\n  Double a,\n  Double b\n) return (Double c) {\n  c = a\n}\n",
            &expect![[r#"
                0-1 Imports: source("a.dml") as a
                2-4 Code: X = rand(
                6-7 Code: Y = X[1:2,
                8-10 Code: f = function(
                11-12 Code: ) return (Double c) {
            "#]],
        );
    }

    #[test]
    fn comments_facts_and_regions_fold_apart() {
        check(
            "# one\n# two\n#@ X: 1 x 1\n#@ Y: 1 x 1\n# region data\nx = 1 # a\n# b\n#endregion\n/* c\n d */\ny = 1\n# alone\n",
            &expect![[r#"
                0-1 Comment: # one
                2-3 Comment: #@ X: 1 x 1
                4-7 Region: # region data
                8-9 Comment: /* c
            "#]],
        );
    }

    #[test]
    fn nothing_folds_in_one_line_or_without_its_other_end() {
        check(
            "f = function(Double a) return (Double b) { b = a }\nx = sum(\n# region open\n# regional\nif (a) b = 1\n# endregions\n",
            &expect![""],
        );
        check("", &expect![""]);
    }

    #[test]
    fn half_typed_scripts_fold_what_can_be_read() {
        check(
            "if (x > 0) {\n  y = sum(\n  z = 2\n}\n",
            &expect![[r#"
                0-2 Code: if (x > 0) {
            "#]],
        );
    }

    #[test]
    fn a_bracket_that_is_not_closed_may_end_with_any_character() {
        for text in ["x = f(\n  𝕏", "x = (1 +\n  y𝕏\n", "{ 𝕏", "f(é"] {
            let parse = sumac_syntax::parse(text);
            for fold in folding_ranges(&parse) {
                assert!(text.get(fold.range.start..fold.range.end).is_some());
            }
        }
    }
}
