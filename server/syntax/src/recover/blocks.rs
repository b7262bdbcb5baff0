//! Blocks whose inside is broken: the frame is read with its bodies blanked out, and each body is recovered alone.

use sumac_text::{SyntaxError, TextRange};

use super::{Recovery, lines};
use crate::ast::{Block, Stmt, StmtKind};
use crate::lex::{Token, TokenKind};
use crate::lower::View;

/// How many bodies one frame may have (`if … else if … else`).
const MAX_BODIES: usize = 64;

impl Recovery<'_> {
    /// Reads a statement with braces that starts at a line and, if its braces close, ends at line `whole`; gives the
    /// line behind it.
    pub(super) fn block(
        &mut self,
        at: usize,
        whole: Option<usize>,
        found: &mut Vec<Stmt>,
    ) -> Option<usize> {
        let last = whole.unwrap_or_else(|| self.unclosed_end(at));
        let tokens: Vec<Token> = self.lines[at..=last]
            .iter()
            .flat_map(|line| line.tokens.iter().copied())
            .collect();
        let (start, mut end) = (tokens.first()?.range.start, tokens.last()?.range.end);
        let mut suffix = String::new();
        if whole.is_none() {
            let open = lines::open_brackets(&tokens, self.text);
            let brace = open.iter().find(|token| &self.text[token.range] == "{")?;
            if open[0] != *brace {
                return None;
            }
            suffix.push('}');
        }
        let bodies = bodies(&tokens, self.text, end);
        if bodies.is_empty() || bodies.len() > MAX_BODIES {
            return None;
        }
        let semicolons = tokens
            .iter()
            .rev()
            .take_while(|token| &self.text[token.range] == ";")
            .count();
        let mut frame = self.blanked(start, end, &bodies);
        let mut read = self.read(&frame, &suffix, start, end - start);
        if read.is_none() && semicolons > 0 {
            let first = tokens[tokens.len() - semicolons].range;
            end = tokens[tokens.len() - semicolons - 1].range.end;
            frame.truncate(end - start);
            read = self.read(&frame, "", start, end - start);
            if read.is_some() {
                self.error(
                    self.range(first.start, first.end),
                    "unexpected `;` behind a block; remove it",
                );
            }
        }
        let mut statements = read?;
        if whole.is_none() {
            let brace = lines::open_brackets(&tokens, self.text)[0];
            let last = tokens.last()?.range;
            let mut error = SyntaxError::new(
                self.range(last.start, last.end),
                "expected `}` to close the block",
            );
            error.opened = Some(self.base + brace.range.start);
            self.findings.errors.push(error);
        }
        for body in bodies {
            let inside = self.inside(body);
            let place = self.base + body.start - 1;
            for statement in &mut statements {
                if let Some(block) = block_at(&mut statement.kind, place) {
                    block.statements = inside;
                    break;
                }
            }
        }
        found.extend(statements);
        Some(last + 1)
    }

    /// The last line of a block that is never closed: functions are not nested, so the next one ends it.
    fn unclosed_end(&self, at: usize) -> usize {
        let next = self.lines[at + 1..]
            .iter()
            .position(|line| lines::starts_function(line, self.text));
        next.map_or(self.lines.len() - 1, |next| at + next)
    }

    /// The piece with everything inside its bodies replaced by spaces, byte for byte.
    fn blanked(&self, start: usize, end: usize, bodies: &[TextRange]) -> String {
        let mut frame = String::with_capacity(end - start);
        let mut copied = start;
        for body in bodies {
            frame.push_str(&self.text[copied..body.start]);
            frame.push_str(&" ".repeat(body.len()));
            copied = body.end;
        }
        frame.push_str(&self.text[copied..end]);
        frame
    }

    fn inside(&mut self, body: TextRange) -> Vec<Stmt> {
        let text = &self.text[body];
        if text.trim().is_empty() {
            return Vec::new();
        }
        let range = self.range(body.start, body.end);
        if self.depth >= crate::lower::MAX_DEPTH {
            return vec![Stmt {
                range,
                kind: StmtKind::Error,
                is_damaged: true,
            }];
        }
        let view = View {
            text,
            base: range.start,
            skip: 0,
            limit: text.len(),
        };
        super::inside_of_block(view, self.findings, self.depth + 1)
    }
}

/// What lies between the outermost braces; an unclosed one reaches to `end`.
fn bodies(tokens: &[Token], text: &str, end: usize) -> Vec<TextRange> {
    let mut bodies = Vec::new();
    let mut open = 0_usize;
    let mut start = 0;
    for token in tokens {
        match (token.kind, &text[token.range]) {
            (TokenKind::Open, "{") => {
                if open == 0 {
                    start = token.range.end;
                }
                open += 1;
            }
            (TokenKind::Close, "}") if open > 0 => {
                open -= 1;
                if open == 0 {
                    bodies.push(TextRange::new(start, token.range.start));
                }
            }
            _ => {}
        }
    }
    if open > 0 {
        bodies.push(TextRange::new(start, end));
    }
    bodies
}

/// The block inside a statement that opens at byte `place`.
fn block_at(kind: &mut StmtKind, place: usize) -> Option<&mut Block> {
    for block in kind.bodies_mut() {
        if block.range.start == place && block.statements.is_empty() {
            return Some(block);
        }
        for statement in &mut block.statements {
            if let Some(found) = block_at(&mut statement.kind, place) {
                return Some(found);
            }
        }
    }
    None
}
