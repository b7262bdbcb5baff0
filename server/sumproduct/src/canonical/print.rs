//! Index notation as text, with names that a person would choose. Must never lose a parenthesis that matters.

use std::collections::BTreeSet;

use sumac_la::{Print, number};

use super::atom::{AtomId, AtomKind, Context, Function};
use super::poly::Poly;
use super::sizes::SizeId;
use super::term::Ix;
use super::tree::{Indices, Tree, from_poly};

/// The letters of indices in the order of preference.
const LETTERS: [char; 12] = ['i', 'j', 'k', 'l', 'm', 'p', 'q', 'r', 's', 't', 'u', 'v'];

/// Terms of a polyterm that are written out; nobody reads more.
const MAX_SHOWN: usize = 64;

const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const SINGLE: u8 = 3;

/// How a negative constant in a sum is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Minus {
    /// `a + (-1)*b`
    Factor,
    /// `a - b`
    Sign,
}

/// The text of a tree over the free indices of a shape.
pub(super) fn text(
    tree: &Tree,
    shape: (SizeId, SizeId),
    ctx: &Context,
    indices: &Indices,
    minus: Minus,
) -> String {
    let mut names = Vec::new();
    for (ix, size, name) in [(Ix::ROW, shape.0, "i"), (Ix::COL, shape.1, "j")] {
        if !ctx.sizes.is_one(size) {
            names.push((ix, name.to_owned()));
        }
    }
    let mut printer = Printer {
        ctx,
        indices: indices.clone(),
        taken: taken(ctx),
        names,
        given: Vec::new(),
        beside: Vec::new(),
        minus,
    };
    printer.tree(tree, 0)
}

/// The text of a polyterm over the free indices of a shape.
pub(super) fn poly_text(poly: &Poly, shape: (SizeId, SizeId), ctx: &Context) -> String {
    let left_out = poly.terms.len().saturating_sub(MAX_SHOWN);
    if left_out > 0 {
        let mut shown = poly.clone();
        shown.terms = shown.terms.into_iter().take(MAX_SHOWN).collect();
        let shown = poly_text(&shown, shape, ctx);
        return format!("{shown} + … ({left_out} more terms)");
    }
    let mut indices = Indices::default();
    let tree = from_poly(poly, (Ix::ROW, Ix::COL), ctx, &mut indices);
    text(&tree, shape, ctx, &indices, Minus::Sign)
}

/// Names that mean something else already.
fn taken(ctx: &Context) -> BTreeSet<String> {
    let name = |kind: &AtomKind| match kind {
        AtomKind::Input(name) => Some(name.to_string()),
        AtomKind::Size(size) => Some(ctx.sizes.key(*size).to_string()),
        _ => None,
    };
    ctx.atoms()
        .filter_map(|(_, atom)| name(&atom.kind))
        .collect()
}

struct Printer<'a> {
    ctx: &'a Context,
    indices: Indices,
    taken: BTreeSet<String>,
    names: Vec<(Ix, String)>,
    /// Every name that was ever given to a bound index.
    given: Vec<String>,
    /// Names of bound indices of the factors before this one.
    beside: Vec<String>,
    minus: Minus,
}

impl Printer<'_> {
    fn tree(&mut self, tree: &Tree, at_least: u8) -> String {
        let (text, strength) = match tree {
            Tree::Num(x) => (number(*x), if *x < 0.0 { 0 } else { SINGLE }),
            Tree::Atom(id, at) => (self.atom(*id, at), SINGLE),
            Tree::Add(ts) => (self.add(ts), 0),
            Tree::Sub(a, b) => {
                let (a, b) = (self.scoped(a, 0), self.scoped(b, SUM));
                (format!("{a} - {b}"), 0)
            }
            Tree::Neg(t) => (format!("-{}", self.tree(t, PRODUCT)), 0),
            Tree::Mul(ts) => (self.mul(ts), PRODUCT),
            Tree::Pow(t, k) => (format!("{}^{k}", self.tree(t, SINGLE)), SINGLE),
            Tree::Sum(ids, body) => (self.sum(ids, body), SUM),
        };
        if strength < at_least {
            format!("({text})")
        } else {
            text
        }
    }

    /// A part whose names may be used again beside it.
    fn scoped(&mut self, tree: &Tree, at_least: u8) -> String {
        let outer = self.names.len();
        let text = self.tree(tree, at_least);
        self.names.truncate(outer);
        text
    }

    fn add(&mut self, ts: &[Tree]) -> String {
        let mut text = String::new();
        for t in ts {
            let positive = match t {
                _ if self.minus == Minus::Factor => None,
                Tree::Num(x) if *x < 0.0 => Some(Tree::Num(-x)),
                Tree::Mul(factors) => match factors.split_first() {
                    Some((Tree::Num(x), rest)) if *x < 0.0 => {
                        let product = std::iter::once(Tree::Num(-x)).chain(rest.iter().cloned());
                        Some(super::tree::tidy(Tree::Mul(product.collect())))
                    }
                    _ => None,
                },
                _ => None,
            };
            let sign = match (text.is_empty(), positive.is_some()) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            text.push_str(sign);
            let at_least = match t {
                Tree::Sub(..) if text.is_empty() => 0,
                _ => SUM,
            };
            let part = self.scoped(positive.as_ref().unwrap_or(t), at_least);
            text.push_str(&part);
        }
        text
    }

    fn mul(&mut self, ts: &[Tree]) -> String {
        let beside = self.beside.len();
        let mut parts = Vec::with_capacity(ts.len());
        for (place, t) in ts.iter().enumerate() {
            let is_last = place + 1 == ts.len();
            let after_numbers = ts[..place].iter().all(|t| matches!(t, Tree::Num(_)));
            let at_least = if is_last && after_numbers {
                SUM
            } else {
                SINGLE
            };
            let given = self.given.len();
            parts.push(self.scoped(t, at_least));
            // Names stay apart within one product, so that moving factors into a Σ renames nothing.
            self.beside.extend_from_slice(&self.given[given..]);
        }
        self.beside.truncate(beside);
        parts.join("*")
    }

    fn sum(&mut self, ids: &[Ix], body: &Tree) -> String {
        let mut chosen = Vec::with_capacity(ids.len());
        for ix in ids {
            let name = self.choose(*ix);
            self.names.push((*ix, name.clone()));
            self.given.push(name.clone());
            chosen.push(name);
        }
        let body = self.tree(body, PRODUCT);
        match &chosen[..] {
            [one] if one.chars().count() == 1 => format!("Σ_{one} {body}"),
            _ => format!("Σ_{{{}}} {body}", chosen.join(",")),
        }
    }

    fn choose(&self, ix: Ix) -> String {
        let hint = self.indices.get(ix).map_or('i', |(hint, _)| hint);
        let start = LETTERS.iter().position(|l| *l == hint).unwrap_or(0);
        let letters = LETTERS[start..].iter().map(char::to_string);
        let numbered = (1..).map(|n| format!("{hint}{n}"));
        let is_free = |name: &String| {
            let is_used = self.taken.contains(name) || self.beside.contains(name);
            !is_used && self.names.iter().all(|(_, n)| n != name)
        };
        letters.chain(numbered).find(is_free).unwrap_or_default()
    }

    fn name(&self, ix: Ix) -> String {
        let known = self.names.iter().rev().find(|(known, _)| *known == ix);
        known.map_or_else(|| "?".to_owned(), |(_, name)| name.clone())
    }

    fn atom(&mut self, id: AtomId, at: &[Ix]) -> String {
        let ctx = self.ctx;
        let head = match &ctx.atom(id).kind {
            AtomKind::Delta => "δ".to_owned(),
            AtomKind::Input(name) => name.to_string(),
            AtomKind::Size(size) => ctx.sizes.key(*size).to_string(),
            AtomKind::NonFinite(bits) => number(f64::from_bits(*bits)),
            AtomKind::Whole { text, .. } | AtomKind::Call { text, .. } => text.clone(),
            AtomKind::Cell(function, args) => return self.function(*function, args, at),
        };
        if at.is_empty() {
            return head;
        }
        let indices: Vec<String> = at.iter().map(|ix| self.name(*ix)).collect();
        format!("{head}[{}]", indices.join(","))
    }

    fn function(&mut self, function: Function, args: &[Poly], at: &[Ix]) -> String {
        let place = (
            at.first().copied().unwrap_or(Ix::ROW),
            at.get(1).copied().unwrap_or(Ix::COL),
        );
        let mut texts = Vec::with_capacity(args.len());
        let style = match function {
            Function::Recip => Print::Prefix("1/", 0),
            Function::Cellwise(op) => op.info().print,
        };
        let at_least = if matches!(style, Print::Call(_)) {
            0
        } else {
            SINGLE
        };
        for arg in args {
            let tree = from_poly(arg, place, self.ctx, &mut self.indices);
            let minus = std::mem::replace(&mut self.minus, Minus::Sign);
            texts.push(self.scoped(&tree, at_least));
            self.minus = minus;
        }
        match style {
            Print::Infix(sign, _) => format!("({})", texts.join(&format!(" {sign} "))),
            Print::Prefix(sign, _) => format!("({sign}{})", texts.join(", ")),
            Print::Call(name) => format!("{name}({})", texts.join(", ")),
            Print::RightIndex | Print::LeftIndex | Print::Fill => texts.join(", "),
        }
    }
}
