//! Expressions as text that reads back as the same tree, with as few parentheses as that takes.

use std::fmt::{self, Display, Formatter};

use sumac_text::TextRange;

use super::ast::{Element, Expr, ExprKind, Size, TypeExpr, TypeKind};

/// Strengths, as the parser has them: alternatives, annotations, then binary operators, signs, and what never needs
/// parentheses.
const EITHER: u8 = 0;
const ANNOTATED: u8 = 1;
const ATOM: u8 = 20;

/// The strength of a binary operator, and whether it groups to the right.
#[must_use]
pub fn strength(sign: &str) -> (u8, bool) {
    match sign {
        "||" => (2, false),
        "&" | "&&" => (3, false),
        "<" | "<=" | ">" | ">=" | "==" | "!=" => (5, false),
        "+" | "-" => (6, false),
        "*" | "/" => (7, false),
        "%%" | "%/%" => (8, false),
        "%*%" => (9, false),
        _ => (11, true),
    }
}

/// The strength of a prefix sign.
#[must_use]
pub fn prefix_strength(sign: &str) -> u8 {
    if sign == "!" { 4 } else { 10 }
}

fn own(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Either(..) => EITHER,
        ExprKind::Annotated(..) => ANNOTATED,
        ExprKind::Binary(sign, ..) => strength(sign).0,
        ExprKind::Unary(sign, _) => prefix_strength(sign),
        _ => ATOM,
    }
}

/// Text on its way, and where the wanted parts of the expression stand in it.
struct Printer<'a> {
    text: String,
    way: Vec<usize>,
    wanted: &'a [Vec<usize>],
    found: Vec<TextRange>,
}

impl Printer<'_> {
    /// Writes the n-th part of what is being written.
    fn part(&mut self, n: usize, expr: &Expr, least: u8) {
        self.way.push(n);
        self.expr(expr, least);
        self.way.pop();
    }

    /// Writes `expr`, in parentheses if it binds less than `least`.
    fn expr(&mut self, expr: &Expr, least: u8) {
        let start = self.text.len();
        if own(expr) < least {
            self.text.push('(');
            self.inner(expr);
            self.text.push(')');
        } else {
            self.inner(expr);
        }
        if self.wanted.contains(&self.way) {
            self.found.push(TextRange::new(start, self.text.len()));
        }
    }

    fn inner(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Hole => self.text.push('?'),
            ExprKind::Missing => self.text.push('…'),
            ExprKind::Name(name) => self.text.push_str(name),
            ExprKind::Number(value) => self.text.push_str(&value.to_string()),
            ExprKind::Call(name, args) => {
                self.text.push_str(&name.text);
                self.text.push('(');
                for (n, arg) in args.iter().enumerate() {
                    self.text.push_str(if n > 0 { ", " } else { "" });
                    self.part(n, arg, EITHER);
                }
                self.text.push(')');
            }
            ExprKind::Unary(sign, operand) => {
                self.text.push_str(sign);
                self.part(0, operand, prefix_strength(sign));
            }
            ExprKind::Binary(sign, left, right) => {
                let (own, to_the_right) = strength(sign);
                let (a, b) = if to_the_right {
                    (own + 1, own)
                } else {
                    (own, own + 1)
                };
                self.part(0, left, a);
                let blank = if *sign == "^" { "" } else { " " };
                self.text.push_str(&format!("{blank}{sign}{blank}"));
                self.part(1, right, b);
            }
            ExprKind::Either(left, right) => {
                self.part(0, left, EITHER);
                self.text.push_str(" | ");
                self.part(1, right, ANNOTATED);
            }
            ExprKind::Annotated(inner, ty) => {
                self.part(0, inner, ANNOTATED);
                self.text.push_str(&format!(" : {ty}"));
            }
        }
    }
}

/// An expression's text, and the places of some of its parts in it: each is named by the way to it, the numbers of parts
/// from the whole down.
#[must_use]
pub fn with_places(expr: &Expr, parts: &[Vec<usize>]) -> (String, Vec<TextRange>) {
    let mut printer = Printer {
        text: String::new(),
        way: Vec::new(),
        wanted: parts,
        found: Vec::new(),
    };
    printer.expr(expr, EITHER);
    printer.found.sort_unstable();
    (printer.text, printer.found)
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&with_places(self, &[]).0)
    }
}

impl Display for TypeExpr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TypeKind::Shape(rows, cols) => write!(f, "{rows} x {cols}"),
            TypeKind::Named(name) => f.write_str(name),
            TypeKind::Sparse(sign, share) => write!(f, "sparse {sign} {share}"),
            TypeKind::Array(size, element) => {
                write!(f, "[{size}]")?;
                match element.as_deref() {
                    None => Ok(()),
                    Some(Element::Any) => f.write_str("?"),
                    Some(Element::Named(name)) => f.write_str(&name.text),
                    Some(Element::Array(inner)) => inner.fmt(f),
                }
            }
            TypeKind::Missing => f.write_str("…"),
        }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Size::Any => f.write_str("?"),
            Size::Name(name) => f.write_str(&name.text),
            Size::Number(value) => write!(f, "{value}"),
            Size::Scaled(sign, left, right) => write!(f, "{left}{sign}{right}"),
        }
    }
}
