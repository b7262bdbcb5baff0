//! Statements out of text that the grammar could not read.
//!
//! A newline ends no statement, so one half-typed line makes the parser guess about the lines behind it. An author
//! thinks in lines, and so does this: a broken region is cut into pieces at line starts that look like statements,
//! each piece is parsed alone, and one that fails is completed with what is missing. What was completed becomes
//! [`ExprKind::Missing`](crate::ast::ExprKind::Missing). The work is bounded; what is left over when the bound is
//! reached becomes one [`StmtKind::Error`].

mod blocks;
pub(crate) mod lines;
mod repair;

use tree_sitter::Tree;

use crate::ast::{Stmt, StmtKind};
use crate::comments::{Comment, CommentKind, Trivia};
use crate::lex::{TokenKind, lex};
use crate::lower::{Ends, Findings, Lowering, View, is_readable, skipped, stray};
use crate::tree::parse_tree;
use lines::Line;
use sumac_text::{SyntaxError, TextRange};

/// How many bytes the recovery of one script may parse: a small multiple of its length.
pub(crate) fn budget(text: &str) -> usize {
    text.len().saturating_mul(15).saturating_add(30_000)
}

/// The statements of a broken region.
pub(crate) fn statements(
    region: View<'_>,
    findings: &mut Findings,
    depth: usize,
    nested: bool,
) -> Vec<Stmt> {
    let errors_before = findings.errors.len();
    let lines = lines::split(region.text);
    let whole = region.range(0, region.limit);
    let mut recovery = Recovery {
        text: region.text,
        base: region.base,
        lines,
        findings,
        depth,
        nested,
        open_braces: 0,
    };
    let found = recovery.run();
    for comment in comments(region.text, region.base) {
        let text = &region.text[comment.range.start - region.base..comment.range.end - region.base];
        if comment.kind == CommentKind::Block && !text.ends_with("*/") {
            findings.errors.push(SyntaxError::new(
                comment.range,
                "this comment is never closed: expected `*/`",
            ));
        }
    }
    if findings.errors.len() == errors_before {
        let first = found.first().map_or(whole, |statement| statement.range);
        findings.errors.push(SyntaxError::new(
            first,
            "this could not be read together with what surrounds it",
        ));
    }
    found
}

/// The statements of a broken block; an empty list of errors is fine here, for the block's own is reported already.
fn inside_of_block(body: View<'_>, findings: &mut Findings, depth: usize) -> Vec<Stmt> {
    let lines = lines::split(body.text);
    Recovery {
        text: body.text,
        base: body.base,
        lines,
        findings,
        depth,
        nested: true,
        open_braces: 0,
    }
    .run()
}

/// The comments of a broken region, which starts at byte `base` of the script.
pub(crate) fn comments(region: &str, base: usize) -> Vec<Comment> {
    let mut comments = Vec::new();
    for token in lex(region) {
        if token.kind == TokenKind::Comment {
            let range = TextRange::new(base + token.range.start, base + token.range.end);
            comments.push(Comment {
                range,
                kind: CommentKind::of(&region[token.range]),
            });
        }
    }
    comments
}

/// The first broken place of a tree.
pub(crate) fn first_error(tree: &Tree, view: View<'_>) -> Option<SyntaxError> {
    let mut node = tree.root_node();
    while node.has_error() && !node.is_error() && !node.is_missing() {
        let mut cursor = node.walk();
        let broken = node
            .children(&mut cursor)
            .find(tree_sitter::Node::has_error)?;
        node = broken;
    }
    let message = if node.is_missing() {
        format!("expected `{}`", node.kind())
    } else {
        "unexpected text".to_owned()
    };
    Some(SyntaxError::new(
        view.range(node.start_byte(), node.end_byte()),
        message,
    ))
}

pub(crate) struct Recovery<'a> {
    /// The region.
    text: &'a str,
    /// Where it starts in the script.
    base: usize,
    lines: Vec<Line>,
    findings: &'a mut Findings,
    depth: usize,
    nested: bool,
    /// Blocks whose head was broken; the braces that close them were opened.
    open_braces: usize,
}

impl Recovery<'_> {
    fn run(&mut self) -> Vec<Stmt> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.lines.len() {
            if self.findings.budget == 0 {
                let range = self.range(self.lines[at].start(), self.text.len());
                self.error(
                    range,
                    "too much is broken before this place to read on; mend the errors above first",
                );
                found.push(Stmt {
                    range,
                    kind: StmtKind::Error,
                    is_damaged: true,
                });
                break;
            }
            if self.stray_brace(at, &mut found) {
                if self.lines[at].tokens.is_empty() {
                    at += 1;
                }
                continue;
            }
            at = self.piece(at, &mut found);
        }
        found
    }

    /// Reads a piece that starts at a line; the line behind it.
    fn piece(&mut self, at: usize, found: &mut Vec<Stmt>) -> usize {
        let start = self.lines[at].start();
        let whole = lines::balanced_end(&self.lines, at, self.text);
        if let Some(last) = whole {
            let end = self.lines[last].end();
            if let Some(statements) = self.read(&self.text[start..end], "", start, end - start) {
                found.extend(statements);
                return last + 1;
            }
        }
        if let Some(next) = self.long_string(at, found) {
            return next;
        }
        if let Some(next) = self.block(at, whole, found) {
            return next;
        }
        let last = lines::broken_end(&self.lines, at, self.text);
        self.repair(at, last, found);
        last + 1
    }

    /// Reads a statement whose string runs over the end of line `at`, where that makes sense of the next lines.
    fn long_string(&mut self, at: usize, found: &mut Vec<Stmt>) -> Option<usize> {
        const MAX_LINES: usize = 20;
        let open = |line: &Line| {
            line.tokens
                .iter()
                .any(|token| token.kind == TokenKind::Str { closed: false })
        };
        if !open(&self.lines[at]) {
            return None;
        }
        let start = self.lines[at].start();
        for last in (at + 1..self.lines.len()).take(MAX_LINES) {
            if lines::starts_statement(&self.lines[last], self.text) {
                return None;
            }
            // The quote that closes the string looks like one that opens another.
            if !open(&self.lines[last]) {
                continue;
            }
            let end = self.lines[last].end();
            if let Some(statements) = self.read(&self.text[start..end], "", start, end - start) {
                found.extend(statements);
                return Some(last + 1);
            }
        }
        None
    }

    /// Takes a closing brace off the front of a line, where no statement can start.
    fn stray_brace(&mut self, at: usize, found: &mut Vec<Stmt>) -> bool {
        let first = self.lines[at].tokens[0];
        if !self.text[first.range].starts_with('}') {
            return false;
        }
        if self.open_braces > 0 {
            self.open_braces -= 1;
        } else {
            let range = self.range(first.range.start, first.range.end);
            self.error(range, "unexpected `}`: no block is open here");
            found.push(Stmt {
                range,
                kind: StmtKind::Error,
                is_damaged: true,
            });
        }
        self.lines[at].tokens.remove(0);
        true
    }

    /// The statements of `piece` completed with `suffix`, if they can be read so; `base` is the piece's place in
    /// the region and `limit` its length without the suffix.
    fn read(&mut self, piece: &str, suffix: &str, base: usize, limit: usize) -> Option<Vec<Stmt>> {
        let cost = piece.len() + suffix.len();
        if self.findings.budget < cost {
            self.findings.budget = 0;
            return None;
        }
        self.findings.budget -= cost;
        let text = format!("{piece}{suffix}");
        let tree = parse_tree(&text);
        let root = tree.root_node();
        if root.is_error() || root.named_child_count() == 0 {
            return None;
        }
        let mut cursor = root.walk();
        let readable = root
            .children(&mut cursor)
            .all(|child| child.is_extra() && !child.is_error() || is_readable(child));
        if !readable {
            return None;
        }
        let view = View {
            text: &text,
            base: self.base + base,
            skip: 0,
            limit,
        };
        let mut lowering = Lowering {
            view,
            findings: self.findings,
            depth: self.depth,
            nested: self.nested,
            ends: Ends::default(),
        };
        let statements = lowering.statements(root);
        if !root.has_error() {
            let found = Trivia::of_readable(piece);
            let base = self.base + base;
            let passed_over = found.skipped.into_iter();
            let errors = passed_over.map(|range| skipped(range.moved(base)));
            self.findings.errors.extend(errors);
            let errors = found.stray.into_iter();
            let errors = errors.map(|range| stray(range.moved(base)));
            self.findings.errors.extend(errors);
        }
        Some(statements)
    }

    fn range(&self, start: usize, end: usize) -> TextRange {
        TextRange::new(self.base + start, self.base + end)
    }

    fn error(&mut self, range: TextRange, message: impl Into<String>) {
        self.findings.errors.push(SyntaxError::new(range, message));
    }
}
