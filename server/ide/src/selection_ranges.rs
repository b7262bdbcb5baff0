//! What "expand selection" selects, step by step.
//!
//! ```text
//! Y = sum(A * B$0, k = 2)
//! ```
//! goes from `B` to `A * B`, all arguments, the call, the statement, the block around it, and the file.

use sumac_syntax::Parse;
use sumac_syntax::ast::{Arg, Block, Expr, ExprKind, FunctionDef, Stmt, StmtKind};
use sumac_syntax::comments::{Comment, CommentKind};
use sumac_syntax::lex::{TokenKind, lex};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

/// The ranges around `offset`, from the innermost to the whole text. Each lies inside the next and is shorter.
#[must_use]
pub fn selection_ranges(parse: &Parse, offset: usize) -> Vec<TextRange> {
    let text: &str = parse.text();
    let offset = offset.min(text.len());
    let mut enclosing = Enclosing {
        text,
        offset,
        ranges: vec![TextRange::new(0, text.len())],
    };
    walk(parse.program(), &mut |node| match node {
        Node::Stmt(stmt) => enclosing.statement(stmt),
        Node::Expr(expr) => enclosing.expression(expr),
    });
    enclosing.comment(parse.comments());
    enclosing.token(parse.comments());
    nested(enclosing.ranges)
}

/// The ranges from the shortest on, without those that cross a shorter one.
fn nested(mut ranges: Vec<TextRange>) -> Vec<TextRange> {
    ranges.sort_by_key(|range| (range.len(), range.start));
    ranges.dedup();
    let mut chain: Vec<TextRange> = Vec::new();
    for range in ranges {
        if chain.last().is_none_or(|inner| range.contains(*inner)) {
            chain.push(range);
        }
    }
    chain
}

struct Enclosing<'a> {
    text: &'a str,
    offset: usize,
    ranges: Vec<TextRange>,
}

impl Enclosing<'_> {
    fn add(&mut self, range: TextRange) {
        if range.touches(self.offset) && !range.is_empty() {
            self.ranges.push(range);
        }
    }

    /// A bracketed range, and what stands inside without the space around it.
    fn bracketed(&mut self, range: TextRange) {
        let inner = self.text[range].get(1..range.len().saturating_sub(1));
        if let Some(inner) = inner {
            let content = inner.trim();
            let start = range.start + 1 + (inner.len() - inner.trim_start().len());
            self.add(TextRange::new(start, start + content.len()));
        }
        self.add(range);
    }

    fn statement(&mut self, stmt: &Stmt) {
        if !stmt.range.touches(self.offset) {
            return;
        }
        self.add(stmt.range);
        match &stmt.kind {
            StmtKind::Assign { target, .. } => self.add(target.range),
            StmtKind::MultiAssign { targets, .. } => {
                for target in targets {
                    self.add(target.range);
                }
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
            }
            StmtKind::While { body, .. } => self.block(body),
            StmtKind::For { options, body, .. } => {
                self.arguments(options);
                self.block(body);
            }
            StmtKind::Function(function) => self.function(function),
            _ => {}
        }
    }

    fn block(&mut self, block: &Block) {
        if self.text[block.range].starts_with('{') {
            self.bracketed(block.range);
        }
    }

    fn function(&mut self, function: &FunctionDef) {
        for list in [&function.params, &function.results] {
            for param in list {
                self.add(param.range);
            }
            if let [first, .., last] = list.as_slice() {
                self.add(first.range.cover(last.range));
            }
        }
        if let Some(body) = &function.body {
            self.block(body);
        }
    }

    fn expression(&mut self, expr: &Expr) {
        if !expr.range.touches(self.offset) {
            return;
        }
        self.add(expr.range);
        match &expr.kind {
            ExprKind::Call(call) => {
                self.arguments(&call.args);
                if let (Some(first), Some(last)) = (call.args.first(), call.args.last()) {
                    self.add(argument(first).cover(argument(last)));
                }
            }
            ExprKind::Index(_, index) => self.bracketed(index.range),
            ExprKind::List(_) => self.bracketed(expr.range),
            ExprKind::Str(_) if expr.range.len() > 2 => {
                self.add(TextRange::new(expr.range.start + 1, expr.range.end - 1));
            }
            _ => {}
        }
    }

    fn arguments(&mut self, args: &[Arg]) {
        for arg in args {
            self.add(argument(arg));
        }
    }

    /// The comment at the cursor, and the lines of its kind around it.
    fn comment(&mut self, comments: &[Comment]) {
        let Some(at) = comments.iter().position(|c| c.range.touches(self.offset)) else {
            return;
        };
        self.add(comments[at].range);
        if comments[at].kind == CommentKind::Block {
            return;
        }
        let joined = |a: &Comment, b: &Comment| {
            let between = &self.text[a.range.end..b.range.start];
            a.kind == b.kind
                && between.trim().is_empty()
                && between.bytes().filter(|byte| *byte == b'\n').count() == 1
        };
        let (mut first, mut last) = (at, at);
        while first > 0 && joined(&comments[first - 1], &comments[first]) {
            first -= 1;
        }
        while last + 1 < comments.len() && joined(&comments[last], &comments[last + 1]) {
            last += 1;
        }
        self.add(comments[first].range.cover(comments[last].range));
    }

    /// The word or number at the cursor, in code and in comments.
    fn token(&mut self, comments: &[Comment]) {
        let start = self.text[..self.offset].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[self.offset..]
            .find('\n')
            .map_or(self.text.len(), |at| self.offset + at);
        let comment = comments.iter().find(|c| c.range.touches(self.offset));
        // A comment's words begin behind its sign.
        let start = match comment {
            Some(comment) => start.max(comment.range.start + "#".len()).min(end),
            None => start,
        };
        let is_word = |kind| {
            matches!(
                kind,
                TokenKind::Word | TokenKind::Number | TokenKind::Argument
            )
        };
        for token in lex(&self.text[start..end]) {
            if is_word(token.kind) {
                self.add(TextRange::new(
                    start + token.range.start,
                    start + token.range.end,
                ));
            }
        }
    }
}

fn argument(arg: &Arg) -> TextRange {
    match &arg.name {
        Some(name) => name.range.cover(arg.value.range),
        None => arg.value.range,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(fixture: &str, expected: &Expect) {
        let offset = fixture.find("$0").expect("the fixture has a cursor");
        let text = fixture.replacen("$0", "", 1);
        let parse = sumac_syntax::parse(text.as_str());
        let shown: String = selection_ranges(&parse, offset)
            .into_iter()
            .map(|range| format!("{:?}\n", &text.as_str()[range]))
            .collect();
        expected.assert_eq(&shown);
    }

    #[test]
    fn a_token_grows_to_the_file() {
        check(
            "f = function(Double a) return (Double b) {\n  if (a > 0) {\n    b = max(a * 2, min(c$0, k = 2))\n    d = 1\n  }\n}\nx = 1\n",
            &expect![[r#"
                "c"
                "c, k = 2"
                "min(c, k = 2)"
                "a * 2, min(c, k = 2)"
                "max(a * 2, min(c, k = 2))"
                "b = max(a * 2, min(c, k = 2))"
                "b = max(a * 2, min(c, k = 2))\n    d = 1"
                "{\n    b = max(a * 2, min(c, k = 2))\n    d = 1\n  }"
                "if (a > 0) {\n    b = max(a * 2, min(c, k = 2))\n    d = 1\n  }"
                "{\n  if (a > 0) {\n    b = max(a * 2, min(c, k = 2))\n    d = 1\n  }\n}"
                "f = function(Double a) return (Double b) {\n  if (a > 0) {\n    b = max(a * 2, min(c, k = 2))\n    d = 1\n  }\n}"
                "f = function(Double a) return (Double b) {\n  if (a > 0) {\n    b = max(a * 2, min(c, k = 2))\n    d = 1\n  }\n}\nx = 1\n"
            "#]],
        );
    }

    #[test]
    fn a_named_argument_is_selected_whole() {
        check(
            "X = rand(rows = n$0 + 1, cols = 2)",
            &expect![[r#"
                "n"
                "n + 1"
                "rows = n + 1"
                "rows = n + 1, cols = 2"
                "rand(rows = n + 1, cols = 2)"
                "X = rand(rows = n + 1, cols = 2)"
            "#]],
        );
    }

    #[test]
    fn strings_and_indexes_are_selected_without_their_brackets_first() {
        check(
            "print(\"a w$0ord\")",
            &expect![[r#"
                "a word"
                "\"a word\""
                "print(\"a word\")"
            "#]],
        );
        check(
            "y = X[i$0, ]",
            &expect![[r#"
                "i"
                "i,"
                "[i, ]"
                "X[i, ]"
                "y = X[i, ]"
            "#]],
        );
    }

    #[test]
    fn comments_grow_by_their_run() {
        check(
            "x = 1\n# one\n# t$0wo\n#@ off\ny = 1\n",
            &expect![[r##"
                "two"
                "# two"
                "# one\n# two"
                "x = 1\n# one\n# two\n#@ off\ny = 1\n"
            "##]],
        );
    }

    #[test]
    fn a_place_with_nothing_is_the_file_alone() {
        check(
            "x = 1\n\n$0\n\ny = 2\n",
            &expect![[r#"
            "x = 1\n\n\n\ny = 2\n"
        "#]],
        );
        check(
            "$0",
            &expect![[r#"
            ""
        "#]],
        );
    }

    #[test]
    fn half_typed_code_has_what_can_be_read() {
        check(
            "y = sum(X, a$0\nz = 1\n",
            &expect![[r#"
                "a"
                "X, a"
                "sum(X, a"
                "y = sum(X, a"
                "y = sum(X, a\nz = 1\n"
            "#]],
        );
    }
}
