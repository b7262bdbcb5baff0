//! `#@` lines: what an author states about a script. What cannot be read becomes [`FactKind::Invalid`] with the
//! place and what was expected there. Whether a fact is true is not for this module.

use sumac_text::{SyntaxError, TextRange};

use crate::ast::{BinaryOp, Expr, ExprKind, Fact, FactKind, Ident, Size, UnaryOp};
use crate::expression::parse_expression_at;
use crate::lex::{TokenKind, lex};
use crate::meant::is_meant;

/// The words, beside `sketch`, that a line of an inline sketch begins with.
const SKETCH_WORDS: [&str; 8] = [
    "import", "def", "rule", "guide", "goal", "using", "minimize", "within",
];

/// Sizes up to here are exact in every kind of number.
const LARGEST_SIZE: f64 = 9_007_199_254_740_992.0;

/// Reads a fact from the text of a `#@` line, with or without the `#@`, that starts at byte `offset` of its script.
#[must_use]
pub fn parse_fact(text: &str, offset: usize) -> Fact {
    let text = text.trim_end();
    let range = TextRange::new(offset, offset + text.len());
    let mut reader = Reader {
        text: content(text),
        at: 0,
        offset,
    };
    if text.starts_with("#@") {
        reader.at = "#@".len();
    }
    let kind = reader
        .fact()
        .unwrap_or_else(|SyntaxError { range, message, .. }| FactKind::Invalid {
            at: range,
            message,
            is_meant: is_meant(reader.text.trim_start_matches("#@")),
        });
    Fact { range, kind }
}

/// The text without a comment behind the fact.
fn content(text: &str) -> &str {
    let start = if text.starts_with("#@") {
        "#@".len()
    } else {
        0
    };
    let comment = lex(&text[start..])
        .into_iter()
        .find(|token| token.kind == TokenKind::Comment);
    match comment {
        Some(comment) => text[..start + comment.range.start].trim_end(),
        None => text,
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    offset: usize,
}

type Result<T> = std::result::Result<T, SyntaxError>;

impl Reader<'_> {
    fn fact(&mut self) -> Result<FactKind> {
        const FACTS: &str = "`X: rows x columns`, `n = 10`, `$arg = value`, `assert a == b`, `sketch name`, `off`, `allow code` or `allow-file code`";
        self.skip_space();
        if self.peek() == Some('$') {
            return self.argument();
        }
        if self.peek() == Some('}') {
            return Ok(FactKind::SketchLine);
        }
        let Some(name) = self.word() else {
            return Err(self.expected(FACTS));
        };
        self.skip_space();
        match (&*name.name, self.peek()) {
            (_, Some(':')) => self.size_fact(name),
            (_, Some('=')) if !self.rest().starts_with("==") => self.binding(name),
            ("off", _) => self.finish(FactKind::Off),
            ("sketch", _) => self.sketch(),
            (word, Some(_)) if SKETCH_WORDS.contains(&word) => Ok(FactKind::SketchLine),
            ("allow", _) => {
                let whole_file = self.bump("-file");
                let codes = self.codes()?;
                self.finish(FactKind::Allow { codes, whole_file })
            }
            ("assert", _) => self.assertion(),
            (word, _) => {
                let message = format!("expected {FACTS}, found `{word}`");
                match self.peek() {
                    Some(_) => Err(self.expected(&format!("`:` or `=` after `{word}`"))),
                    None => Err(SyntaxError::new(name.range, message)),
                }
            }
        }
    }

    /// `name` or `name(X, 2)`; the first line of an inline sketch goes on with its language or its brace.
    fn sketch(&mut self) -> Result<FactKind> {
        let start = self.at;
        let name = self
            .word()
            .ok_or_else(|| self.expected("the name of a sketch"))?;
        let mut range = name.range;
        if self.peek() == Some('(') {
            let mut open = 0_usize;
            let ends = |c: char| {
                open = match c {
                    '(' => open + 1,
                    ')' => open - 1,
                    _ => open,
                };
                open == 0
            };
            let Some(len) = self.rest().find(ends) else {
                self.at = self.text.len();
                return Err(self.expected("`)` behind the arguments of the sketch"));
            };
            self.at += len + 1;
            range = self.range(start);
            self.skip_space();
        }
        let rest = self.rest();
        if rest.starts_with('{') || rest.starts_with("on ") {
            return Ok(FactKind::SketchLine);
        }
        let text = &self.text[range.start - self.offset..range.end - self.offset];
        let name = Ident {
            name: text.into(),
            range,
        };
        self.finish(FactKind::Sketch { name })
    }

    fn size_fact(&mut self, name: Ident) -> Result<FactKind> {
        self.bump(":");
        let rows = self.size("the number of rows")?;
        self.skip_space();
        if !self.bump("x") && !self.bump("×") {
            return Err(self.expected("`x` and the number of columns"));
        }
        let cols = self.size("the number of columns")?;
        self.skip_space();
        let sparsity = if self.bump(",") {
            Some(self.sparsity()?)
        } else {
            None
        };
        self.finish(FactKind::Size {
            name,
            rows,
            cols,
            sparsity,
        })
    }

    fn size(&mut self, what: &str) -> Result<Size> {
        self.skip_space();
        let start = self.at;
        match self.peek() {
            Some('?') => {
                self.bump("?");
                Ok(Size::Unknown(self.range(start)))
            }
            Some(c) if c.is_ascii_alphabetic() => Ok(self
                .word()
                .map_or(Size::Unknown(self.range(start)), Size::Name)),
            _ => {
                let (value, range) =
                    self.whole_number(&format!("{what}: a number, a name or `?`"))?;
                Ok(Size::Number(value, range))
            }
        }
    }

    fn sparsity(&mut self) -> Result<(f64, TextRange)> {
        self.skip_space();
        match self.word() {
            Some(word) if &*word.name == "sparsity" => {}
            Some(word) => {
                return Err(SyntaxError::new(
                    word.range,
                    format!("expected `sparsity`, found `{}`", word.name),
                ));
            }
            None => return Err(self.expected("`sparsity` and a number from 0 to 1")),
        }
        let (value, range) = self.number("the share of cells that are not zero, from 0 to 1")?;
        if (0.0..=1.0).contains(&value) {
            Ok((value, range))
        } else {
            let found = &self.text[range.start - self.offset..range.end - self.offset];
            Err(SyntaxError::new(
                range,
                format!(
                    "a sparsity is the share of cells that are not zero, from 0 to 1, found {found}"
                ),
            ))
        }
    }

    fn binding(&mut self, name: Ident) -> Result<FactKind> {
        self.bump("=");
        let value = self.whole_number("a whole number")?;
        self.finish(FactKind::Bind { name, value })
    }

    fn argument(&mut self) -> Result<FactKind> {
        let start = self.at;
        self.bump("$");
        let len = self
            .rest()
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(self.rest().len());
        if len == 0 {
            return Err(self.expected("the name or the number of an argument behind `$`"));
        }
        let text = &self.text[self.at..self.at + len];
        self.at += len;
        let name = Ident {
            range: self.range(start),
            name: text.into(),
        };
        self.skip_space();
        if self.rest().starts_with("==") || !self.bump("=") {
            return Err(self.expected("`=` and a value"));
        }
        self.skip_space();
        const VALUES: &str = "a number, TRUE, FALSE or a text in quotes";
        if self.rest().is_empty() {
            return Err(self.expected(VALUES));
        }
        let value = self.expression(self.at, self.text.len())?;
        if !is_literal(&value) {
            return Err(SyntaxError::new(value.range, format!("expected {VALUES}")));
        }
        Ok(FactKind::Arg { name, value })
    }

    fn assertion(&mut self) -> Result<FactKind> {
        if self.rest().is_empty() {
            return Err(self.expected("an equation such as `t(t(X)) == X`"));
        }
        let equation = self.expression(self.at, self.text.len())?;
        match equation.kind {
            ExprKind::Binary(BinaryOp::Eq, lhs, rhs) => Ok(FactKind::Assert {
                lhs: *lhs,
                rhs: *rhs,
            }),
            _ => Err(SyntaxError::new(
                equation.range,
                "expected an equation such as `t(t(X)) == X`: there is no `==` here that divides it",
            )),
        }
    }

    fn expression(&self, start: usize, end: usize) -> Result<Expr> {
        let (expr, errors) = parse_expression_at(&self.text[start..end], self.offset + start);
        match (expr, errors.into_iter().next()) {
            (Some(expr), None) => Ok(expr),
            (_, Some(error)) => Err(error),
            (None, None) => Err(SyntaxError::new(
                self.range(start),
                "expected an expression",
            )),
        }
    }

    fn finish(&mut self, kind: FactKind) -> Result<FactKind> {
        self.skip_space();
        if self.rest().is_empty() {
            Ok(kind)
        } else {
            Err(self.expected("the end of the line"))
        }
    }

    fn whole_number(&mut self, what: &str) -> Result<(u64, TextRange)> {
        let (value, range) = self.number(what)?;
        if value.fract() != 0.0 || !(0.0..=LARGEST_SIZE).contains(&value) {
            return Err(SyntaxError::new(
                range,
                format!("expected {what}; a size is whole, not negative and at most 2^53"),
            ));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked above"
        )]
        Ok((value as u64, range))
    }

    fn number(&mut self, what: &str) -> Result<(f64, TextRange)> {
        self.skip_space();
        let start = self.at;
        let negative = self.bump("-");
        let token = lex(self.rest()).next();
        let digits =
            token.filter(|token| token.kind == TokenKind::Number && token.range.start == 0);
        let value = digits.and_then(|token| {
            self.rest()[token.range]
                .parse::<f64>()
                .ok()
                .map(|value| (value, token.range.end))
        });
        match value {
            Some((value, len)) => {
                self.at += len;
                Ok((if negative { -value } else { value }, self.range(start)))
            }
            None => {
                self.at = start;
                Err(self.expected(what))
            }
        }
    }

    fn word(&mut self) -> Option<Ident> {
        let start = self.at;
        if !self.peek()?.is_ascii_alphabetic() {
            return None;
        }
        let len = self
            .rest()
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(self.rest().len());
        self.at += len;
        let ident = Ident {
            range: self.range(start),
            name: self.text[start..self.at].into(),
        };
        self.skip_space();
        Some(ident)
    }

    /// `code, code`; codes are words with dashes.
    fn codes(&mut self) -> Result<Vec<Ident>> {
        let mut codes = Vec::new();
        loop {
            self.skip_space();
            let start = self.at;
            self.at += self
                .rest()
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
                .unwrap_or(self.rest().len());
            if self.at == start {
                return Err(self.expected("the code of a diagnostic"));
            }
            codes.push(Ident {
                range: self.range(start),
                name: self.text[start..self.at].into(),
            });
            self.skip_space();
            if !self.bump(",") {
                return Ok(codes);
            }
        }
    }

    fn expected(&self, what: &str) -> SyntaxError {
        let start = self.at;
        let found = lex(self.rest()).next();
        match found {
            Some(token) => {
                let range = TextRange::new(
                    self.offset + start + token.range.start,
                    self.offset + start + token.range.end,
                );
                SyntaxError::new(
                    range,
                    format!("expected {what}, found `{}`", &self.rest()[token.range]),
                )
            }
            None => SyntaxError::new(
                self.range(start),
                format!("expected {what}, found the end of the line"),
            ),
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn skip_space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn range(&self, start: usize) -> TextRange {
        TextRange::new(self.offset + start, self.offset + self.at)
    }
}

fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Double(_) | ExprKind::Bool(_) | ExprKind::Str(_) => true,
        ExprKind::Unary(UnaryOp::Neg | UnaryOp::Plus, number) => {
            matches!(number.kind, ExprKind::Int(_) | ExprKind::Double(_))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: &Expect) {
        let shown = match parse_fact(text, 0).kind {
            FactKind::Invalid { at, message, .. } => {
                format!("{}..{} {:?}: {message}", at.start, at.end, &text[at])
            }
            kind => format!("{kind:?}"),
        };
        expect.assert_eq(&shown);
    }

    fn size(text: &str) -> (Size, Size, Option<f64>) {
        match parse_fact(text, 0).kind {
            FactKind::Size {
                rows,
                cols,
                sparsity,
                ..
            } => (rows, cols, sparsity.map(|(value, _)| value)),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn sizes_are_numbers_names_or_unknown() {
        let (rows, cols, sparsity) = size("#@ X: 1000000 x 5e5, sparsity 1e-6   # a comment");
        assert!(matches!(
            (rows, cols),
            (Size::Number(1_000_000, _), Size::Number(500_000, _))
        ));
        assert_eq!(sparsity, Some(1e-6));
        let (rows, cols, sparsity) = size("W: n x ?");
        assert!(matches!(&rows, Size::Name(name) if &*name.name == "n"));
        assert!(matches!(cols, Size::Unknown(_)) && sparsity.is_none());
        assert!(matches!(
            size("x:10x20"),
            (Size::Number(10, _), Size::Number(20, _), None)
        ));
        assert!(matches!(size("x: x x x").1, Size::Name(_)));
    }

    #[test]
    fn ranges_count_from_the_offset() {
        let text = "#@ X: 10 x n, sparsity 0.5";
        let FactKind::Size {
            name,
            rows: Size::Number(10, rows),
            cols: Size::Name(cols),
            sparsity: Some((_, sparsity)),
        } = parse_fact(text, 100).kind
        else {
            panic!("a size");
        };
        let at = |range: TextRange| &text[range.start - 100..range.end - 100];
        assert_eq!(
            [at(name.range), at(rows), at(cols.range), at(sparsity)],
            ["X", "10", "n", "0.5"]
        );
    }

    #[test]
    fn the_other_facts_are_read() {
        assert!(matches!(
            parse_fact("#@ n = 10000", 0).kind,
            FactKind::Bind {
                value: (10_000, _),
                ..
            }
        ));
        assert!(matches!(parse_fact("#@off", 0).kind, FactKind::Off));
        assert!(matches!(
            parse_fact("#@ sketch distribute", 0).kind,
            FactKind::Sketch { .. }
        ));
        let pinned = |text| match parse_fact(text, 0).kind {
            FactKind::Sketch { name } => {
                assert_eq!(&text[name.range], &*name.name);
                name.name.to_string()
            }
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(pinned("#@ sketch distribute # why"), "distribute");
        assert_eq!(pinned("#@  sketch s(X, f(2)) "), "s(X, f(2))");
        for line in [
            "#@ sketch s(X) {",
            "#@ sketch s on array {",
            "#@   guide a: X + ?",
            "#@ goal (X : vector)",
            "#@ using factor, transpose",
            "#@ }",
            "#@ def gram(X) = t(X) %*% X",
        ] {
            assert_eq!(parse_fact(line, 0).kind, FactKind::SketchLine, "{line}");
        }
        assert!(matches!(
            parse_fact("#@ goal: 3 x 4", 0).kind,
            FactKind::Size { .. }
        ));
        let allowed = |text| match parse_fact(text, 0).kind {
            FactKind::Allow { codes, whole_file } => {
                let codes: Vec<String> = codes.iter().map(|code| code.name.to_string()).collect();
                (codes.join(" "), whole_file)
            }
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(
            allowed("#@ allow shape-mismatch # known"),
            ("shape-mismatch".to_owned(), false)
        );
        assert_eq!(
            allowed("#@ allow-file unused-value , wrong-arity"),
            ("unused-value wrong-arity".to_owned(), true)
        );
        let FactKind::Arg { name, value } = parse_fact("#@ $file = \"a#b\" # where", 0).kind else {
            panic!("arg")
        };
        assert_eq!(
            (&*name.name, name.range, value.range),
            ("file", TextRange::new(3, 8), TextRange::new(11, 16))
        );
        let text = "#@ assert sum(A %*% B) == sum(t(colSums(A)) * rowSums(B))";
        let FactKind::Assert { lhs, rhs } = parse_fact(text, 0).kind else {
            panic!("assert")
        };
        assert_eq!(
            (&text[lhs.range], &text[rhs.range]),
            ("sum(A %*% B)", "sum(t(colSums(A)) * rowSums(B))")
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        check(
            "#@ X: 10 20",
            &expect![[r#"9..11 "20": expected `x` and the number of columns, found `20`"#]],
        );
        check(
            "#@ X: 10 x 20, sparsity 1.5",
            &expect![[
                r#"24..27 "1.5": a sparsity is the share of cells that are not zero, from 0 to 1, found 1.5"#
            ]],
        );
        check(
            "#@ X: 1.5 x 20",
            &expect![[
                r#"6..9 "1.5": expected the number of rows: a number, a name or `?`; a size is whole, not negative and at most 2^53"#
            ]],
        );
        check(
            "#@ X: 10 x",
            &expect![[
                r#"10..10 "": expected the number of columns: a number, a name or `?`, found the end of the line"#
            ]],
        );
        check(
            "#@ sketch s(X",
            &expect![[
                r#"13..13 "": expected `)` behind the arguments of the sketch, found the end of the line"#
            ]],
        );
        check(
            "#@ ofs",
            &expect![[
                r#"3..6 "ofs": expected `X: rows x columns`, `n = 10`, `$arg = value`, `assert a == b`, `sketch name`, `off`, `allow code` or `allow-file code`, found `ofs`"#
            ]],
        );
        check(
            "#@ n == 3",
            &expect![[r#"5..7 "==": expected `:` or `=` after `n`, found `==`"#]],
        );
        check(
            "#@ $k = n",
            &expect![[r#"8..9 "n": expected a number, TRUE, FALSE or a text in quotes"#]],
        );
        check(
            "#@ assert a + b",
            &expect![[
                r#"10..15 "a + b": expected an equation such as `t(t(X)) == X`: there is no `==` here that divides it"#
            ]],
        );
        check(
            "#@ assert a == ",
            &expect![[r#"12..14 "==": expected an expression after `==`"#]],
        );
        check(
            "#@ allow",
            &expect![[r#"8..8 "": expected the code of a diagnostic, found the end of the line"#]],
        );
        check(
            "#@ allow unused-value,",
            &expect![[
                r#"22..22 "": expected the code of a diagnostic, found the end of the line"#
            ]],
        );
        check(
            "#@ allow a b",
            &expect![[r#"11..12 "b": expected the end of the line, found `b`"#]],
        );
        check(
            "#@ off now",
            &expect![[r#"7..10 "now": expected the end of the line, found `now`"#]],
        );
        check(
            "#@",
            &expect![[
                r#"2..2 "": expected `X: rows x columns`, `n = 10`, `$arg = value`, `assert a == b`, `sketch name`, `off`, `allow code` or `allow-file code`, found the end of the line"#
            ]],
        );
    }
}
