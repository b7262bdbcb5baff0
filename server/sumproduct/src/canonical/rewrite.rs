//! The rules of SPORES (Figures 2 and 3) as single passes over expressions in index notation. They only explain: must never
//! decide anything.

use super::atom::AtomId;
use super::term::Ix;
use super::tree::{Tree, tidy};
use super::writer::Writer;

/// A rule that a proof may name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Minus,
    Power,
    SumOverPlus,
    Distribute,
    IntoSum,
    MergeSums,
    Delta,
    ConstantSum,
}

impl Rule {
    /// All rules in the order in which a proof tries them.
    pub(super) const ALL: [Rule; 8] = [
        Rule::Minus,
        Rule::Power,
        Rule::SumOverPlus,
        Rule::Distribute,
        Rule::IntoSum,
        Rule::MergeSums,
        Rule::Delta,
        Rule::ConstantSum,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Rule::Minus => "A - B = A + (-1)*B",
            Rule::Power => "power as product",
            Rule::SumOverPlus => "Σ over +",
            Rule::Distribute => "distribute * over +",
            Rule::IntoSum => "move factor into Σ",
            Rule::MergeSums => "merge Σ",
            Rule::Delta => "Σ over δ picks one index",
            Rule::ConstantSum => "Σ of a constant",
        }
    }
}

fn minus(tree: Tree) -> Tree {
    let negative = |t: Box<Tree>| Tree::Mul(vec![Tree::Num(-1.0), *t]);
    match tree {
        Tree::Sub(a, b) => Tree::Add(vec![*a, negative(b)]),
        Tree::Neg(t) => negative(t),
        other => other,
    }
}

fn sum_over_plus(tree: Tree) -> Tree {
    match tree {
        Tree::Sum(ids, body) => match *body {
            Tree::Add(ts) => {
                let each = ts.into_iter().map(|t| Tree::Sum(ids.clone(), Box::new(t)));
                Tree::Add(each.collect())
            }
            body => Tree::Sum(ids, Box::new(body)),
        },
        other => other,
    }
}

fn distribute(tree: Tree) -> Tree {
    let Tree::Mul(factors) = tree else {
        return tree;
    };
    let is_sum = |t: &Tree| matches!(t, Tree::Add(_));
    let Some(at) = factors.iter().position(is_sum) else {
        return Tree::Mul(factors);
    };
    let Tree::Add(summands) = &factors[at] else {
        return Tree::Mul(factors);
    };
    let each = summands.iter().map(|summand| {
        let mut product = factors.clone();
        product[at] = summand.clone();
        Tree::Mul(product)
    });
    Tree::Add(each.collect())
}

fn into_sum(tree: Tree) -> Tree {
    let Tree::Mul(factors) = tree else {
        return tree;
    };
    let (mut outside, inside): (Vec<Tree>, Vec<Tree>) =
        factors.into_iter().partition(Tree::is_constant);
    let is_sum = |t: &Tree| matches!(t, Tree::Sum(..));
    if inside.len() < 2 || !inside.iter().any(is_sum) {
        outside.extend(inside);
        return Tree::Mul(outside);
    }
    let mut all = Vec::new();
    let mut product = Vec::new();
    for factor in inside {
        match factor {
            Tree::Sum(ids, body) => {
                all.extend(ids);
                product.push(*body);
            }
            other => product.push(other),
        }
    }
    outside.push(Tree::Sum(all, Box::new(Tree::Mul(product))));
    Tree::Mul(outside)
}

fn merge_sums(tree: Tree) -> Tree {
    match tree {
        Tree::Sum(mut ids, body) => match *body {
            Tree::Sum(inner, body) => {
                ids.extend(inner);
                Tree::Sum(ids, body)
            }
            body => Tree::Sum(ids, Box::new(body)),
        },
        other => other,
    }
}

fn pick(tree: Tree) -> Tree {
    let Tree::Sum(ids, body) = tree else {
        return tree;
    };
    let factors = match *body {
        Tree::Mul(factors) => factors,
        single => vec![single],
    };
    let found = factors.iter().enumerate().find_map(|(place, t)| match t {
        Tree::Atom(AtomId::DELTA, at) if ids.contains(&at[1]) => Some((place, at[1], at[0])),
        Tree::Atom(AtomId::DELTA, at) if ids.contains(&at[0]) => Some((place, at[0], at[1])),
        _ => None,
    });
    let Some((place, goes, stays)) = found else {
        return Tree::Sum(ids, Box::new(Tree::Mul(factors)));
    };
    let mut factors = factors;
    factors.remove(place);
    let body = Tree::Mul(factors).rename(&|ix| if ix == goes { stays } else { ix });
    Tree::Sum(
        ids.into_iter().filter(|ix| *ix != goes).collect(),
        Box::new(body),
    )
}

impl Writer<'_> {
    /// A rule applied everywhere at once.
    pub(super) fn apply(&mut self, rule: Rule, tree: Tree) -> Tree {
        tidy(tree.map(&mut |t| match rule {
            Rule::Minus => minus(t),
            Rule::Power => self.unfold_power(t),
            Rule::SumOverPlus => sum_over_plus(t),
            Rule::Distribute => distribute(t),
            Rule::IntoSum => into_sum(t),
            Rule::MergeSums => merge_sums(t),
            Rule::Delta => pick(t),
            Rule::ConstantSum => self.constant_sum(t),
        }))
    }

    fn unfold_power(&mut self, tree: Tree) -> Tree {
        match tree {
            Tree::Pow(base, k) if k >= 0 && !matches!(*base, Tree::Atom(..)) => {
                Tree::Mul((0..k).map(|_| self.freshen(&base)).collect())
            }
            other => other,
        }
    }

    /// A copy with bound indices of its own.
    fn freshen(&mut self, tree: &Tree) -> Tree {
        let mut renamed: Vec<(Ix, Ix)> = Vec::new();
        tree.clone().map(&mut |t| {
            if let Tree::Sum(ids, _) = &t {
                for ix in ids {
                    if let Some((hint, size)) = self.indices.get(*ix)
                        && renamed.iter().all(|(known, _)| known != ix)
                    {
                        renamed.push((*ix, self.indices.fresh(hint, size)));
                    }
                }
            }
            t
        });
        tree.clone().rename(&|ix| {
            renamed
                .iter()
                .find(|(old, _)| *old == ix)
                .map_or(ix, |(_, new)| *new)
        })
    }

    fn constant_sum(&mut self, tree: Tree) -> Tree {
        let Tree::Sum(ids, body) = tree else {
            return tree;
        };
        let (used, unused): (Vec<Ix>, Vec<Ix>) = ids.into_iter().partition(|ix| body.mentions(*ix));
        let mut factors: Vec<Tree> = unused.iter().map(|ix| self.value_of_size(*ix, 1)).collect();
        factors.push(Tree::Sum(used, body));
        Tree::Mul(factors)
    }
}
