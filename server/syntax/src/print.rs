//! The one printer: AST to DML text. It writes no parentheses but those that the meaning needs, and those that the
//! author wrote ([`ExprKind::Paren`]). Reading back what it prints gives the same tree; comments and layout are its
//! caller's.

use crate::ast::{
    Arg, AssignOp, BinaryOp, Block, Call, Expr, ExprKind, Index, LoopRange, Param, Program, Span,
    Stmt, StmtKind, Target, UnaryOp,
};

/// One level of indentation.
const INDENT: &str = "  ";

/// Binding strength of what needs no parentheses anywhere.
const ATOM: u8 = 10;

/// A whole script, one statement a line.
#[must_use]
pub fn print_program(program: &Program) -> String {
    let mut printer = Printer::default();
    printer.statements(&program.statements);
    printer.out
}

/// A statement without a newline behind it. Lines inside it start at the left edge. What the AST does not hold is not
/// printed: broken statements; callers keep their source.
#[must_use]
pub fn print_stmt(stmt: &Stmt) -> String {
    let mut printer = Printer::default();
    printer.stmt(stmt);
    printer.out
}

/// An expression on one line.
#[must_use]
pub fn print_expr(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr, 0);
    printer.out
}

/// A text as DML writes it, in double quotes wherever they can be.
#[must_use]
pub fn print_string(value: &str) -> String {
    // An odd number of backslashes before a quote stands between quotes of the other kind only.
    let backslashes = |text: &str| text.len() - text.trim_end_matches('\\').len();
    let mut before_quotes = value.split('"').rev().skip(1);
    let is_odd = before_quotes.any(|before| backslashes(before) % 2 == 1);
    let quote = if is_odd { '\'' } else { '"' };
    let mut out = String::with_capacity(value.len() + 2);
    out.push(quote);
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            // A backslash is written as it is: two read as two, and what it could bind has one of its own.
            '\'' if quote == '\'' || out.ends_with('\\') => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// A number as DML reads it back, bit for bit; infinities as a quotient, for the language has no word for them.
#[must_use]
pub fn print_double(value: f64) -> String {
    if value.is_nan() {
        "0.0 / 0.0".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 {
            "1.0 / 0.0"
        } else {
            "-1.0 / 0.0"
        }
        .to_owned()
    } else if value != 0.0 && (value.abs() < 1e-4 || value.abs() >= 1e16) {
        format!("{value:e}")
    } else {
        format!("{value:?}")
    }
}

/// How tightly an expression holds together: an operand of less than its operator needs takes parentheses.
fn strength(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Binary(op, ..) => doubled(*op),
        ExprKind::Unary(op, _) => unary(*op),
        ExprKind::Int(value) if *value < 0 => unary(UnaryOp::Neg),
        ExprKind::Double(value) if value.is_nan() || value.is_infinite() => doubled(BinaryOp::Div),
        ExprKind::Double(value) if value.is_sign_negative() => unary(UnaryOp::Neg),
        _ => ATOM * 2,
    }
}

// Strengths are doubled to leave room for `!`, which stands between comparisons (3) and `&` (1).
fn doubled(op: BinaryOp) -> u8 {
    op.sign_and_strength().1 * 2
}

fn unary(op: UnaryOp) -> u8 {
    match op {
        UnaryOp::Neg | UnaryOp::Plus => 16,
        UnaryOp::Not => 4,
    }
}

#[derive(Default)]
struct Printer {
    out: String,
    level: usize,
}

impl Printer {
    fn word(&mut self, word: &str) {
        self.out.push_str(word);
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.level {
            self.out.push_str(INDENT);
        }
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for (at, statement) in statements.iter().enumerate() {
            if at > 0 {
                self.new_line();
            }
            self.stmt(statement);
        }
    }

    fn separated<T>(&mut self, items: &[T], mut print: impl FnMut(&mut Self, &T)) {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.word(", ");
            }
            print(self, item);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, op, value } => {
                self.target(target);
                self.word(match op {
                    AssignOp::Set => " = ",
                    AssignOp::Accumulate => " += ",
                });
                self.expr(value, 0);
            }
            StmtKind::MultiAssign { targets, value } => {
                self.word("[");
                self.separated(targets, Self::target);
                self.word("] = ");
                self.expr(value, 0);
            }
            StmtKind::Expr(expr) => self.expr(expr, 0),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => self.if_else(cond, then, otherwise.as_ref()),
            StmtKind::While { cond, body } => {
                self.word("while (");
                self.expr(cond, 0);
                self.word(") ");
                self.block(body);
            }
            StmtKind::For {
                parallel,
                var,
                range,
                options,
                body,
            } => {
                self.word(if *parallel { "parfor (" } else { "for (" });
                self.word(&var.name);
                self.word(" in ");
                match range {
                    LoopRange::FromTo(from, to) => {
                        self.expr(from, 0);
                        self.word(":");
                        self.expr(to, 0);
                    }
                    LoopRange::Over(over) => self.expr(over, 0),
                }
                for option in options {
                    self.word(", ");
                    self.arg(option);
                }
                self.word(") ");
                self.block(body);
            }
            StmtKind::Function(function) => {
                self.word(&function.name.name);
                self.word(if function.body.is_some() {
                    " = function("
                } else {
                    " = externalFunction("
                });
                self.separated(&function.params, Self::param);
                self.word(")");
                if !function.results.is_empty() {
                    self.word(" return (");
                    self.separated(&function.results, Self::param);
                    self.word(")");
                }
                match &function.body {
                    Some(body) => {
                        self.word(" ");
                        self.block(body);
                    }
                    None => {
                        self.word(" implemented in (");
                        self.separated(&function.options, Self::arg);
                        self.word(")");
                    }
                }
            }
            StmtKind::Source { path, alias } => {
                self.word("source(");
                self.word(
                    &path
                        .as_ref()
                        .map_or_else(String::new, |path| print_string(&path.value)),
                );
                self.word(")");
                if let Some(alias) = alias {
                    self.word(" as ");
                    self.word(&alias.name);
                }
            }
            StmtKind::SetWd { path } => {
                self.word("setwd(");
                self.word(
                    &path
                        .as_ref()
                        .map_or_else(String::new, |path| print_string(&path.value)),
                );
                self.word(")");
            }
            StmtKind::Error => {}
        }
    }

    fn if_else(&mut self, cond: &Expr, then: &Block, otherwise: Option<&Block>) {
        self.word("if (");
        self.expr(cond, 0);
        self.word(") ");
        self.block(then);
        let Some(otherwise) = otherwise else { return };
        self.word(" else ");
        match &otherwise.statements[..] {
            // An `else if` is written flat, unless the author wrote braces around it.
            [
                Stmt {
                    range,
                    kind:
                        StmtKind::If {
                            cond,
                            then,
                            otherwise: rest,
                        },
                    ..
                },
            ] if *range == otherwise.range => {
                self.if_else(cond, then, rest.as_ref());
            }
            _ => self.block(otherwise),
        }
    }

    fn block(&mut self, block: &Block) {
        if block.statements.is_empty() {
            self.word("{}");
            return;
        }
        self.word("{");
        self.level += 1;
        self.new_line();
        self.statements(&block.statements);
        self.level -= 1;
        self.new_line();
        self.word("}");
    }

    fn param(&mut self, param: &Param) {
        if let Some(ty) = &param.ty {
            self.word(&ty.name);
            self.word(" ");
        }
        self.word(&param.name.name);
        if let Some(default) = &param.default {
            self.word(" = ");
            self.expr(default, 0);
        }
    }

    fn target(&mut self, target: &Target) {
        self.word(&target.name.name);
        if let Some(index) = &target.index {
            self.index(index);
        }
    }

    fn index(&mut self, index: &Index) {
        self.word("[");
        self.span(&index.rows);
        if let Some(cols) = &index.cols {
            self.word(if matches!(cols, Span::All) { "," } else { ", " });
            self.span(cols);
        }
        self.word("]");
    }

    fn span(&mut self, span: &Span) {
        match span {
            Span::All => {}
            Span::At(at) => self.expr(at, 0),
            Span::Range(from, to) => {
                if let Some(from) = from {
                    self.expr(from, 0);
                }
                self.word(":");
                if let Some(to) = to {
                    self.expr(to, 0);
                }
            }
        }
    }

    fn arg(&mut self, arg: &Arg) {
        if let Some(name) = &arg.name {
            self.word(&name.name);
            self.word(" = ");
        }
        self.expr(&arg.value, 0);
    }

    fn call(&mut self, call: &Call) {
        if let Some(namespace) = &call.namespace {
            self.word(&namespace.name);
            self.word("::");
        }
        self.word(&call.name.name);
        self.word("(");
        self.separated(&call.args, Self::arg);
        self.word(")");
    }

    /// Prints an expression where at least the strength `needed` is.
    fn expr(&mut self, expr: &Expr, needed: u8) {
        if strength(&expr.kind) < needed {
            self.word("(");
            self.expr(expr, 0);
            self.word(")");
            return;
        }
        match &expr.kind {
            ExprKind::Missing => {}
            ExprKind::Int(value) => self.word(&value.to_string()),
            ExprKind::Double(value) => self.word(&print_double(*value)),
            ExprKind::Bool(value) => self.word(if *value { "TRUE" } else { "FALSE" }),
            ExprKind::Str(literal) => self.word(&print_string(&literal.value)),
            ExprKind::Name(name) => self.word(&name.name),
            ExprKind::Arg(name) => {
                self.word("$");
                self.word(&name.name);
            }
            ExprKind::Unary(op, operand) => {
                self.word(match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Plus => "+",
                    UnaryOp::Not => "!",
                });
                self.expr(operand, unary(*op));
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right),
            ExprKind::Call(call) => self.call(call),
            ExprKind::Index(operand, index) => {
                self.expr(operand, ATOM * 2);
                self.index(index);
            }
            ExprKind::Paren(inner) => {
                self.word("(");
                self.expr(inner, 0);
                self.word(")");
            }
            ExprKind::List(elements) => {
                self.word("[");
                self.separated(elements, |printer, element| printer.expr(element, 0));
                self.word("]");
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        let own = doubled(op);
        let (sign, _) = op.sign_and_strength();
        if op == BinaryOp::Pow {
            self.expr(left, own + 1);
            self.word(sign);
            // A sign may stand right of `^` although it binds less: nothing else can claim it there.
            let is_sign = strength(&right.kind) == unary(UnaryOp::Neg);
            self.expr(right, if is_sign { 0 } else { own });
            return;
        }
        self.expr(left, own);
        self.word(" ");
        self.word(sign);
        self.word(" ");
        self.expr(right, own + 1);
    }
}
