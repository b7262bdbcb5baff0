//! The text of a program as a syntax tree: the only module that knows the parser.
//!
//! Broken code is normal input. Must never panic, and must never hand out a tree so deep that walking it could.

pub(crate) use ruff_python_ast::visitor::{self, Visitor};
pub(crate) use ruff_python_ast::{
    Alias, BoolOp, CmpOp, Comprehension, ExceptHandler, Expr, ExprAttribute, ExprCall, ExprContext,
    ExprSlice, ExprSubscript, Number, Operator, Pattern, Stmt, StmtAnnAssign, StmtAssign,
    StmtAugAssign, StmtFunctionDef, Suite, UnaryOp,
};

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::Ranged;
use sumac_text::{SyntaxError, TextRange};

/// The most tokens that may lead to another one without a comma between them: deeper trees are not read.
const DEEPEST: usize = 800;

/// What a level of indentation counts.
const PER_INDENT: usize = 10;

/// A program.
#[derive(Default)]
pub(crate) struct Program {
    /// Its statements.
    pub(crate) body: Suite,
    /// What is wrong with it, in the order of the text.
    pub(crate) errors: Vec<SyntaxError>,
    /// Its comments, with their signs.
    pub(crate) comments: Vec<TextRange>,
}

/// The place of a part of the tree.
pub(crate) fn place(node: &impl Ranged) -> TextRange {
    from(node.range())
}

fn from(range: ruff_text_size::TextRange) -> TextRange {
    TextRange::new(range.start().to_usize(), range.end().to_usize())
}

/// Reads a program, as far as it can be read.
pub(crate) fn program(text: &str) -> Program {
    let Some(parsed) = parsed(text, Mode::Module).and_then(Parsed::try_into_module) else {
        return Program::default();
    };
    let error = |error: &ruff_python_parser::ParseError| {
        SyntaxError::new(from(error.location), error.error.to_string())
    };
    let mut errors: Vec<SyntaxError> = parsed.errors().iter().map(error).collect();
    errors.sort();
    let is_comment = |kind: TokenKind| kind == TokenKind::Comment;
    let comments = parsed
        .tokens()
        .iter()
        .filter(|token| is_comment(token.kind()))
        .map(|token| from(token.range()))
        .collect();
    Program {
        body: parsed.into_syntax().body,
        errors,
        comments,
    }
}

/// Reads one expression; `None` where the text is not exactly one.
pub(crate) fn expression(text: &str) -> Option<Expr> {
    let parsed = parsed(text, Mode::ParenthesizedExpression)?;
    if !parsed.errors().is_empty() {
        return None;
    }
    Some(*parsed.into_syntax().expression()?.body)
}

fn parsed(text: &str, mode: Mode) -> Option<Parsed<ruff_python_ast::Mod>> {
    if u32::try_from(text.len()).is_err() {
        return None;
    }
    let parsed = parse_unchecked(text, ParseOptions::from(mode));
    if is_deep(&parsed) {
        // Taking it apart needs a stack as deep as it is.
        let thread = std::thread::Builder::new().stack_size(text.len().max(1 << 12) << 10);
        // Where no thread can be had it is dropped with the closure, as good as can be.
        let _ = thread
            .spawn(move || drop(parsed))
            .map(std::thread::JoinHandle::join);
        return None;
    }
    Some(parsed)
}

/// Whether walking the tree could take more stack than there is. Each token counts as a level, until a comma or a closing bracket.
fn is_deep(parsed: &Parsed<ruff_python_ast::Mod>) -> bool {
    let (mut open, mut run, mut before, mut sticky, mut indent) = (Vec::new(), 0, 0, 0, 0);
    for token in parsed.tokens().iter() {
        match token.kind() {
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => {
                open.push(run);
                before += run + 1;
                run = 0;
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => {
                if let Some(outer) = open.pop() {
                    run = outer + 1;
                    before -= outer + 1;
                }
            }
            TokenKind::Comma => run = 0,
            TokenKind::Newline => {
                open.clear();
                (run, before, sticky) = (0, 0, 0);
            }
            TokenKind::Lambda => sticky += 1,
            TokenKind::Indent => indent += PER_INDENT,
            TokenKind::Dedent => indent = indent.saturating_sub(PER_INDENT),
            _ => run += 1,
        }
        if before + run + sticky + indent > DEEPEST {
            return true;
        }
    }
    false
}

/// The text of a name with attributes: `self.X`.
pub(crate) fn dotted(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Attribute(attribute) => {
            let base = match &*attribute.value {
                Expr::Name(name) => name.id.to_string(),
                other => dotted(other)?,
            };
            Some(format!("{base}.{}", attribute.attr.as_str()))
        }
        _ => None,
    }
}
