//! From terms back to text that reads as the same term.

use std::sync::Arc;

use egg::Id;

use crate::node::{Node, Term};
use crate::prim::Prim;
use crate::types::{Scalar, Types};

/// Columns that a line should not exceed.
const WIDTH: usize = 100;

/// Levels of expressions, from the loosest on.
const LOOSE: usize = 0;
const SUM: usize = 1;
const PRODUCT: usize = 2;
const TIGHT: usize = 3;

/// A term as an expression. `outer` are the names of the parameters around it, the outermost first.
#[must_use]
pub fn print(term: &Term, types: &Types, outer: &[Arc<str>]) -> String {
    let mut printer = Printer {
        term,
        types,
        scope: outer.to_vec(),
        taken: outer.to_vec(),
    };
    printer.show(term.root(), LOOSE, 0)
}

/// A name that is not taken: a letter, then letters with numbers.
pub(crate) fn fresh_name(taken: &[Arc<str>], sizes: &[String]) -> Arc<str> {
    let letters = (b'a'..=b'z').map(char::from);
    let plain = letters.clone().map(|letter| letter.to_string());
    let numbered = (1..).flat_map(|n| letters.clone().map(move |letter| format!("{letter}{n}")));
    let is_free = |name: &String| {
        !taken.iter().any(|known| **known == **name) && !sizes.iter().any(|known| known == name)
    };
    let name = plain.chain(numbered).find(is_free);
    Arc::from(name.expect("there is always one more name"))
}

struct Printer<'a> {
    term: &'a Term,
    types: &'a Types,
    scope: Vec<Arc<str>>,
    taken: Vec<Arc<str>>,
}

impl Printer<'_> {
    /// The text of a part at a level, its further lines indented.
    fn show(&mut self, id: Id, level: usize, indent: usize) -> String {
        let flat = self.write(id, level, None);
        if indent + flat.chars().count() <= WIDTH {
            return flat;
        }
        self.write(id, level, Some(indent))
    }

    /// On one line, or with its parts on lines of their own.
    fn part(&mut self, id: Id, level: usize, indent: Option<usize>) -> String {
        match indent {
            None => self.write(id, level, None),
            Some(indent) => self.show(id, level, indent),
        }
    }

    fn write(&mut self, id: Id, level: usize, indent: Option<usize>) -> String {
        let (text, own) = match &self.term[id] {
            Node::Var(index, _) => {
                let place = self.scope.len().checked_sub(1 + *index as usize);
                let name = place.map(|place| self.scope[place].to_string());
                // An open term may mention what has no name here.
                (name.unwrap_or_else(|| format!("free{index}")), TIGHT)
            }
            Node::Number(bits, ty) => {
                let suffix = match self.types.scalar_of(*ty) {
                    Some(Scalar::F64) => "f64",
                    _ => "",
                };
                (format!("{}{suffix}", bits.value()), TIGHT)
            }
            Node::Prim(prim, sizes, _) => {
                let sizes: Vec<String> = sizes
                    .iter()
                    .flatten()
                    .map(|size| self.types.show_nat(*size))
                    .collect();
                let brackets = if sizes.is_empty() {
                    String::new()
                } else {
                    format!("[{}]", sizes.join(", "))
                };
                (format!("{}{brackets}", prim.row().name), TIGHT)
            }
            Node::Lam(_, body) => (self.lambda(*body, indent), LOOSE),
            Node::App(_) => self.application(id, indent),
        };
        if own < level {
            return format!("({text})");
        }
        text
    }

    fn bind<T>(&mut self, show: impl FnOnce(&mut Self, &str) -> T) -> T {
        let name = fresh_name(&self.taken, self.types.sizes());
        self.scope.push(Arc::clone(&name));
        self.taken.push(Arc::clone(&name));
        let shown = show(self, &name);
        self.scope.pop();
        self.taken.pop();
        shown
    }

    fn lambda(&mut self, body: Id, indent: Option<usize>) -> String {
        // Functions of several parameters are written as one.
        let (mut body, mut names) = (body, Vec::new());
        loop {
            let name = fresh_name(&self.taken, self.types.sizes());
            self.scope.push(Arc::clone(&name));
            self.taken.push(Arc::clone(&name));
            names.push(name.to_string());
            match &self.term[body] {
                Node::Lam(_, inner) => body = *inner,
                _ => break,
            }
        }
        let head = format!("fun {} =>", names.join(" "));
        let text = match indent {
            None => format!("{head} {}", self.write(body, LOOSE, None)),
            Some(indent) => {
                let body = self.show(body, LOOSE, indent + 2);
                format!("{head}\n{}{body}", blanks(indent + 2))
            }
        };
        self.scope.truncate(self.scope.len() - names.len());
        self.taken.truncate(self.taken.len() - names.len());
        text
    }

    fn application(&mut self, id: Id, indent: Option<usize>) -> (String, usize) {
        let mut arguments = Vec::new();
        let mut head = id;
        while let Node::App([function, argument]) = &self.term[head] {
            arguments.push(*argument);
            head = *function;
        }
        arguments.reverse();
        let prim = match &self.term[head] {
            Node::Prim(prim, ..) => Some(*prim),
            _ => None,
        };
        if let (Some(prim), [left, right]) = (prim, arguments.as_slice()) {
            if let Some(sign) = prim.row().infix {
                let level = if matches!(prim, Prim::Add | Prim::Sub) {
                    SUM
                } else {
                    PRODUCT
                };
                let left = self.part(*left, level, indent);
                let right = self.part(*right, level + 1, indent);
                return (format!("{left} {sign} {right}"), level);
            }
            if prim == Prim::Let
                && let Node::Lam(_, body) = &self.term[*right]
            {
                let (value, body) = (*left, *body);
                let value = self.part(value, LOOSE, indent.map(|indent| indent + 2));
                return (
                    self.bind(|printer, name| match indent {
                        None => {
                            let body = printer.write(body, LOOSE, None);
                            format!("let {name} = {value} in {body}")
                        }
                        Some(indent) => {
                            let body = printer.show(body, LOOSE, indent);
                            format!("let {name} = {value} in\n{}{body}", blanks(indent))
                        }
                    }),
                    LOOSE,
                );
            }
        }
        let inner = indent.map(|indent| indent + 2);
        let shown: Vec<String> = arguments
            .iter()
            .map(|argument| self.part(*argument, LOOSE, inner))
            .collect();
        let function = if prim == Some(Prim::Pair) && arguments.len() == 2 {
            String::new()
        } else {
            self.part(head, TIGHT, indent)
        };
        let text = match inner {
            None => format!("{function}({})", shown.join(", ")),
            Some(inner) => {
                let gap = format!(",\n{}", blanks(inner));
                let (start, end) = (blanks(inner), blanks(inner - 2));
                format!("{function}(\n{start}{}\n{end})", shown.join(&gap))
            }
        };
        (text, TIGHT)
    }
}

fn blanks(n: usize) -> String {
    " ".repeat(n)
}
