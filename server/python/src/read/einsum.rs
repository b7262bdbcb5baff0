//! `np.einsum` where its letters say a product, a trace or a sum.
//!
//! The letters are renamed in the order in which they occur, and looked up. Must never take a text for one that it is not.

use std::collections::BTreeMap;

use sumac_la::{Dim, Op};
use sumac_text::TextRange;

use super::{Reader, Seen};
use crate::parse::{Expr, ExprCall};
use crate::tree::Step;
use crate::value::{DType, Value};

/// How the operands are put together.
#[derive(Clone, Copy)]
enum Recipe {
    /// A product of the operands, each transposed or not, and the result too.
    Product(bool, bool, bool),
    /// The same in the other order.
    Swapped(bool, bool, bool),
    /// The product of cells, of the second operand transposed or not, and then a sum along an axis or over all.
    Cells(bool, Sums),
    /// The sum of products of cells.
    Vdot,
    /// The trace of a product.
    TraceOfProduct,
    /// The outer product.
    Outer,
    /// The second operand as a column, times the cells of the first.
    ByColumn,
    /// The diagonal.
    Diag,
    /// The trace.
    Trace,
    /// The transpose.
    Transpose,
    /// A sum of the only operand.
    Only(Sums),
}

/// Which cells are summed up.
#[derive(Clone, Copy)]
enum Sums {
    None,
    All,
    Along(usize),
}

fn recipe(letters: &str) -> Option<Recipe> {
    use Recipe::{Cells, Only, Product, Swapped};
    Some(match letters {
        "ij,jk->ik" | "ij,j->i" | "i,ij->j" => Product(false, false, false),
        "ij,jk->ki" => Product(false, false, true),
        "ij,kj->ik" => Product(false, true, false),
        "ij,kj->ki" => Product(false, true, true),
        "ij,ik->jk" | "ij,i->j" => Product(true, false, false),
        "ij,ik->kj" => Product(true, false, true),
        "ij,ki->jk" => Product(true, true, false),
        "ij,ki->kj" | "i,ji->j" => Swapped(false, false, false),
        "i,i->" | "ij,ij->" => Recipe::Vdot,
        "ij,ji->" => Recipe::TraceOfProduct,
        "ij,ij->ij" | "i,i->i" | "ij,j->ij" => Cells(false, Sums::None),
        "ij,ij->i" => Cells(false, Sums::Along(1)),
        "ij,ij->j" => Cells(false, Sums::Along(0)),
        "ij,ji->i" => Cells(true, Sums::Along(1)),
        "ij,ji->j" => Cells(true, Sums::Along(0)),
        "i,j->ij" => Recipe::Outer,
        "ij,i->ij" => Recipe::ByColumn,
        "ii->i" => Recipe::Diag,
        "ii->" => Recipe::Trace,
        "ij->ji" => Recipe::Transpose,
        "ij->" | "i->" => Only(Sums::All),
        "ij->i" => Only(Sums::Along(1)),
        "ij->j" => Only(Sums::Along(0)),
        _ => return None,
    })
}

/// The letters with other names, in the order in which they occur; what is left out after the arrow is added.
fn normal(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs.to_owned(), output.to_owned()),
        None => {
            let mut counts: BTreeMap<char, usize> = BTreeMap::new();
            for letter in text.chars().filter(|c| *c != ',') {
                *counts.entry(letter).or_default() += 1;
            }
            let once = counts.iter().filter(|(_, count)| **count == 1);
            (text.clone(), once.map(|(letter, _)| *letter).collect())
        }
    };
    let mut names: BTreeMap<char, char> = BTreeMap::new();
    let mut normal = String::new();
    for c in inputs.chars().chain("->".chars()).chain(output.chars()) {
        if c.is_ascii_alphabetic() {
            let next = char::from(b'i' + u8::try_from(names.len().min(9)).ok()?);
            normal.push(*names.entry(c).or_insert(next));
        } else if matches!(c, ',' | '-' | '>') {
            normal.push(c);
        } else {
            return None;
        }
    }
    Some(normal)
}

impl Reader<'_> {
    /// A call of `einsum`.
    pub(super) fn einsum(&mut self, call: &ExprCall, at: (TextRange, bool)) -> Seen {
        let plain = call.arguments.keywords.is_empty();
        let (recipe, letters, operands) = match &*call.arguments.args {
            [Expr::StringLiteral(text), operands @ ..] if plain => {
                match normal(text.value.to_str()).and_then(|text| Some((recipe(&text)?, text))) {
                    Some((recipe, letters)) => (recipe, letters, operands),
                    None => return self.arguments(Vec::new(), call, at),
                }
            }
            _ => return self.arguments(Vec::new(), call, at),
        };
        let inputs = letters.split("->").next().unwrap_or_default();
        let ranks: Vec<usize> = inputs.split(',').map(str::len).collect();
        let parts: Vec<Seen> = operands.iter().map(|of| self.visit(of, true)).collect();
        // Sums of truth values are truth values there.
        let rank = |part: &Seen| {
            let value = part.value.as_ref();
            value.filter(|of| of.dtype != DType::Bool).map(Value::rank)
        };
        let fits = parts.len() == ranks.len()
            && parts
                .iter()
                .zip(&ranks)
                .all(|(part, n)| rank(part) == Some(*n));
        if !fits || !self.agrees(inputs, &parts) {
            return self.opaque(&parts, at);
        }
        self.together(&parts, at, |reader, parts| reader.cooked(recipe, parts, at))
    }

    fn cooked(&mut self, recipe: Recipe, mut parts: Vec<Seen>, at: (TextRange, bool)) -> Seen {
        if let Recipe::Swapped(..) = recipe {
            parts.reverse();
        }
        let second = (parts.len() == 2).then(|| parts.pop()).flatten();
        let (Some(first), second) = (parts.pop(), second) else {
            return Self::unknown(at);
        };
        let turned = |reader: &mut Self, part: Seen, is_turned: bool| match is_turned {
            true => reader.combine(Step::Transpose, vec![part], at),
            false => part,
        };
        let both = |first: Seen, second: Option<Seen>| {
            let mut parts = vec![first];
            parts.extend(second);
            parts
        };
        match recipe {
            Recipe::Product(a, b, c) | Recipe::Swapped(a, b, c) => {
                let first = turned(self, first, a);
                let second = second.map(|part| turned(self, part, b));
                let product = self.combine(Step::MatMul, both(first, second), at);
                turned(self, product, c)
            }
            Recipe::Cells(b, sums) => {
                let second = second.map(|part| turned(self, part, b));
                let product = self.combine(Step::Cell(Op::Mul), both(first, second), at);
                self.summed(product, sums, at)
            }
            Recipe::TraceOfProduct => {
                let product = self.combine(Step::MatMul, both(first, second), at);
                self.combine(Step::Trace, vec![product], at)
            }
            Recipe::ByColumn => {
                let second = second.map(|part| self.combine(Step::AsColumn, vec![part], at));
                self.combine(Step::Cell(Op::Mul), both(first, second), at)
            }
            Recipe::Vdot => self.combine(Step::Vdot, both(first, second), at),
            Recipe::Outer => self.combine(Step::Outer, both(first, second), at),
            Recipe::Diag => self.combine(Step::Diag, vec![first], at),
            Recipe::Trace => self.combine(Step::Trace, vec![first], at),
            Recipe::Transpose => self.combine(Step::Transpose, vec![first], at),
            Recipe::Only(sums) => self.summed(first, sums, at),
        }
    }

    /// Whether each letter stands for one size; names of sizes are taken for one. A size of one would be repeated.
    fn agrees(&mut self, inputs: &str, parts: &[Seen]) -> bool {
        let mut sizes: BTreeMap<char, Dim> = BTreeMap::new();
        for (letters, part) in inputs.split(',').zip(parts) {
            let shape = part.value.iter().flat_map(|value| &value.shape);
            for (letter, size) in letters.chars().zip(shape) {
                let known = sizes.entry(letter).or_insert_with(|| size.clone());
                let (a, b) = (self.env.dim(known), self.env.dim(size));
                if a == b {
                    continue;
                }
                self.has_assumed = true;
                let are_numbers = a.known().is_some() && b.known().is_some();
                if are_numbers
                    || a.is_one()
                    || b.is_one()
                    || self.sizes.is_none()
                    || !self.env.unify(&a, &b, true)
                {
                    return false;
                }
            }
        }
        true
    }

    fn summed(&mut self, of: Seen, sums: Sums, at: (TextRange, bool)) -> Seen {
        let axis = match sums {
            Sums::None => return of,
            Sums::All => None,
            Sums::Along(axis) => Some(axis),
        };
        let step = Step::Reduce {
            by: Op::Sum,
            axis,
            keepdims: false,
        };
        self.combine(step, vec![of], at)
    }
}
