//! The way from an expression to its polyterm in steps that a person can follow. It explains what [`decide`](super::decide)
//! found and must never be what a decision rests on.

use std::borrow::Cow;
use std::collections::BTreeSet;

use sumac_la::{Dag, NodeId};

use super::atom::Context;
use super::poly::{Algebra, Poly};
use super::print::{Minus, poly_text, text};
use super::rewrite::Rule;
use super::shapes::Shapes;
use super::term::Ix;
use super::translate::Polys;
use super::tree::{Indices, Tree, tidy};
use super::writer::Writer;
use super::{Limits, Refused};

/// Nodes of an expression that is still worth showing.
const MAX_TREE: usize = 1_500;
/// Rounds over all rules; a deeper nesting is shown as one last step.
const MAX_ROUNDS: usize = 24;

/// What every proof assumes.
pub const REAL_ARITHMETIC: &str = "real arithmetic: rounding may differ in the last digits, and NaN or infinite cells are not looked at";

/// Why two expressions are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The common canonical form in index notation.
    pub polyterm: String,
    /// From the left expression to the canonical form.
    pub left_steps: Vec<Step>,
    /// From the right expression to the canonical form.
    pub right_steps: Vec<Step>,
    /// What was taken for granted of sizes without a number, such as `n > 0`, and of inputs without a non-zero cell.
    pub assumes: Vec<String>,
    /// Where the sides are equal, if not for all inputs: what one of them needs to have a value and the other does not.
    pub conditions: Vec<String>,
}

impl Proof {
    /// The same proof with its texts told in other words, such as other names.
    #[must_use]
    pub fn told(mut self, words: &dyn Fn(&str) -> String) -> Self {
        let steps = self.left_steps.iter_mut().chain(&mut self.right_steps);
        let texts = steps.map(|step| &mut step.text);
        let texts = texts.chain([&mut self.polyterm]);
        let texts = texts.chain(&mut self.assumes).chain(&mut self.conditions);
        texts.for_each(|text| *text = words(text));
        self
    }

    /// The proof that the right side equals the left one.
    pub(super) fn reversed(self) -> Self {
        Proof {
            left_steps: self.right_steps,
            right_steps: self.left_steps,
            ..self
        }
    }
}

/// One step of a proof. Commutativity, associativity and the renaming of bound indices are not steps of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The rule that was applied, wherever it fits.
    pub rule: Cow<'static, str>,
    /// The whole expression after the step, in index notation.
    pub text: String,
}

/// The expression after each rule, with the indices it uses.
pub(super) type Trees = (Vec<(&'static str, Tree)>, Indices);

/// One side of a proof: an expression, and what is known of its nodes.
pub(super) struct Side<'a> {
    pub(super) dag: &'a Dag,
    pub(super) root: NodeId,
    pub(super) polys: &'a Polys,
    pub(super) shapes: &'a Shapes,
    /// The identities of functions that its polyterms rest on.
    pub(super) used: &'a BTreeSet<&'static str>,
}

impl Side<'_> {
    /// The expression after each step.
    pub(super) fn trees(&self, ctx: &mut Context, limits: &Limits) -> Result<Trees, Refused> {
        let mut writer = Writer {
            dag: self.dag,
            shapes: self.shapes,
            polys: self.polys,
            algebra: Algebra { ctx, limits },
            indices: Indices::default(),
            left: MAX_TREE,
        };
        let mut trees: Vec<(&'static str, Tree)> = Vec::new();
        let Some(written) = writer.write(self.root, Ix::ROW, Ix::COL)? else {
            return Ok((trees, writer.indices));
        };
        let mut tree = tidy(written);
        if tree.size() > MAX_TREE {
            return Ok((trees, writer.indices));
        }
        trees.push(("write out indices", tree.clone()));
        for _ in 0..MAX_ROUNDS {
            let before = tree.clone();
            for rule in Rule::ALL {
                let name = match rule {
                    Rule::Power if has_only_squares(&tree) => "square as product",
                    _ => rule.name(),
                };
                let Some(after) = exhaust(&mut writer, rule, &tree) else {
                    return Ok((trees, writer.indices));
                };
                if after != tree {
                    tree = after;
                    trees.push((name, tree.clone()));
                }
            }
            if tree == before {
                break;
            }
        }
        Ok((trees, writer.indices))
    }

    /// The steps to the polyterm `target`.
    pub(super) fn steps(
        &self,
        ctx: &mut Context,
        limits: &Limits,
        target: &Poly,
    ) -> Result<Vec<Step>, Refused> {
        let shape = self.shapes[&self.root];
        let (trees, indices) = self.trees(ctx, limits)?;
        let mut steps: Vec<Step> = Vec::with_capacity(trees.len() + 1);
        for (rule, tree) in &trees {
            let text = text(tree, shape, ctx, &indices, Minus::Factor);
            if steps.last().is_none_or(|last| last.text != text) {
                let rule = if steps.is_empty() {
                    self.first_rule(rule)
                } else {
                    (*rule).into()
                };
                steps.push(Step { rule, text });
            }
        }
        let last = trees.last().map(|(_, tree)| tree);
        let rule = match last {
            Some(Tree::Add(ts))
                if is_flat(&Tree::Add(ts.clone())) && ts.len() > target.terms.len() =>
            {
                "collect equal terms"
            }
            Some(tree) if is_flat(tree) => "order factors, rename indices",
            _ => "apply the same rules to the end",
        };
        let text = poly_text(target, shape, ctx);
        if steps.last().is_none_or(|last| last.text != text) {
            let rule = rule.into();
            steps.push(Step { rule, text });
        }
        Ok(steps)
    }

    /// The name of the first step, which writes functions by what is known of them.
    fn first_rule(&self, rule: &'static str) -> Cow<'static, str> {
        if self.used.is_empty() {
            return rule.into();
        }
        let used: Vec<&str> = self.used.iter().copied().collect();
        format!("{rule}, with {}", used.join(", ")).into()
    }
}

/// Applies one rule until it changes nothing; `None` if the expression becomes too large to show.
fn exhaust(writer: &mut Writer<'_>, rule: Rule, tree: &Tree) -> Option<Tree> {
    let mut tree = tree.clone();
    loop {
        let after = writer.apply(rule, tree.clone());
        if after == tree {
            return Some(tree);
        }
        if after.size() > MAX_TREE {
            return None;
        }
        tree = after;
    }
}

fn has_only_squares(tree: &Tree) -> bool {
    let mut only = true;
    tree.clone().map(&mut |t| {
        if let Tree::Pow(base, k) = &t {
            only &= *k == 2 || matches!(**base, Tree::Atom(..));
        }
        t
    });
    only
}

/// Whether the tree is a sum of constants times Σ over products of atoms.
pub(super) fn is_flat(tree: &Tree) -> bool {
    fn is_power(t: &Tree) -> bool {
        match t {
            Tree::Num(_) | Tree::Atom(..) => true,
            Tree::Pow(base, _) => matches!(**base, Tree::Atom(..)),
            _ => false,
        }
    }
    fn is_product(t: &Tree) -> bool {
        is_power(t) || matches!(t, Tree::Mul(ts) if ts.iter().all(is_power))
    }
    fn is_aggregate(t: &Tree) -> bool {
        is_product(t) || matches!(t, Tree::Sum(_, body) if is_product(body))
    }
    fn is_term(t: &Tree) -> bool {
        match t {
            Tree::Mul(ts) => match ts.split_last() {
                Some((last, rest)) if rest.iter().all(Tree::is_constant) => is_aggregate(last),
                _ => is_product(t),
            },
            _ => is_aggregate(t),
        }
    }
    match tree {
        Tree::Add(ts) => ts.iter().all(is_term),
        _ => is_term(tree),
    }
}
