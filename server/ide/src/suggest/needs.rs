//! What the equality of both forms needs of the sizes that a `#@` line, a data file or a caller states: with other data they may be
//! others. Must never name a size that the script itself says.

use std::collections::{BTreeMap, BTreeSet};

use sumac_analysis::{Stated, StatementBlock};
use sumac_la::{Dag, Dim, Input, Repeatable, Side, Type, retyped};
use sumac_sumproduct::canonical::{self, Verdict};

use super::group::Group;
use crate::CancelToken;

/// Of inputs that are stated to have one row or one column, which sizes the equality needs, as `ncol(w) = 1`: with any other number
/// in their place it is not proved.
pub(super) fn of_vectors(group: &Group<'_>, forms: &(Dag, Dag)) -> Vec<String> {
    let block = group.block;
    let holds = |is_open: &dyn Fn(&str) -> bool| {
        let (left, right) = (forms.0.symbolic(is_open), forms.1.symbolic(is_open));
        first_are_equal(left.roots().len(), &left, &right)
    };
    let ones = |input: &Input| {
        let sizes = [
            ("nrow", Side::Rows, &input.ty.rows),
            ("ncol", Side::Cols, &input.ty.cols),
        ];
        let ones = sizes
            .into_iter()
            .filter(|(_, side, dim)| dim.is_one() && is_stated(block, &input.name, *side));
        let texts = ones.map(|(size, ..)| format!("{size}({}) = 1", input.name));
        texts.collect::<Vec<String>>()
    };
    let inputs = forms.0.inputs().iter();
    let stated: Vec<&Input> = inputs
        .filter(|input| !input.ty.is_scalar() && !ones(input).is_empty())
        .collect();
    if stated.is_empty() || !holds(&|_| false) {
        return Vec::new();
    }
    // One after the other, as a product of two makes their sizes one: what one needs, the other has.
    let (mut open, mut needs): (BTreeSet<&str>, Vec<String>) = (BTreeSet::new(), Vec::new());
    for input in stated {
        open.insert(&input.name);
        if !holds(&|name| open.contains(name)) {
            open.remove(&*input.name);
            needs.extend(ones(input));
        }
    }
    needs.sort();
    needs.dedup();
    needs
}

/// Which stated sizes the equality needs to be those of what they stand beside, as `nrow(Y) = nrow(X)`: were the second operand one
/// row or one column, it would be repeated, and then it is not proved. Those apart that a person states, in this order: what a data
/// file or a caller says, what `#@` lines say.
///
/// `result` is what the search found. Other statements of the block say which sizes are equal, too.
pub(super) fn of_second_operands(
    group: &Group<'_>,
    forms: &(Dag, Dag),
    result: &Dag,
    cancel: &CancelToken,
) -> [Vec<String>; 2] {
    let block = group.block;
    let known: BTreeMap<&str, &Type> = block
        .dag
        .inputs()
        .iter()
        .map(|input| (&*input.name, &input.ty))
        .collect();
    // The sizes as they are stated: in the forms those are one size already that an operator needs to be one.
    let as_stated = |form: &Dag| {
        retyped(form, |input| {
            let ty = known.get(&*input.name).map_or(&input.ty, |ty| *ty);
            by_names(ty.clone(), &input.name, block.stated.get(&input.name))
        })
    };
    let both = |a: &Dag, b: &Dag| as_stated(a).zip(as_stated(b));
    let are_equal_alone = |(left, right): &(Dag, Dag)| {
        let (left, right) = (left.symbolic(&|_| false), right.symbolic(&|_| false));
        first_are_same(left.roots().len(), &left, &right)
    };
    // Hardly ever do other statements have a say, and a block may be long.
    let alone = both(&forms.0, &forms.1).filter(are_equal_alone);
    let of_block = || both(&group.whole_block(None), &group.whole_block(Some(result)));
    let Some((written, suggested)) = alone.or_else(of_block) else {
        return Default::default();
    };
    let all = written.repeatable(&|name, side| is_stated(block, name, side));
    let of_own = |size: &Repeatable| {
        let mut inputs = forms.0.inputs().iter();
        inputs.any(|input| size.inputs().any(|name| *name == *input.name))
    };
    let is_needed = |size: &Repeatable| {
        // Where the block as written has no value, nothing is needed.
        size.as_one(&written).is_some_and(|written| {
            let suggested = size.as_one_to_write(&suggested);
            let count = forms.0.roots().len();
            !suggested.is_some_and(|suggested| first_are_same(count, &written, &suggested))
        })
    };
    let needed = all.iter().take_while(|_| !cancel.is_cancelled());
    let by_fact = |size: &Repeatable| {
        let mut stated = size.inputs().map(|input| block.stated.get(input));
        stated.all(|stated| stated.is_some_and(|stated| stated.by_fact))
    };
    let (by_facts, others): (Vec<_>, Vec<_>) = needed
        .filter(|size| of_own(size) && is_needed(size))
        .partition(|size| by_fact(size));
    let spoken = |sizes: Vec<&Repeatable>| {
        let mut texts: Vec<String> = Vec::new();
        for text in sizes.iter().map(ToString::to_string) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    };
    [spoken(others), spoken(by_facts)]
}

/// Whether only a `#@` line, a data file or a caller tells this size of an input.
fn is_stated(block: &StatementBlock, name: &str, side: Side) -> bool {
    block.stated.get(name).is_some_and(|stated| match side {
        Side::Rows => !stated.is_fixed[0],
        Side::Cols => !stated.is_fixed[1],
        Side::Value => true,
    })
}

/// The type with the names by which its sizes are stated in place of numbers; an argument of the command line is a name itself.
fn by_names(mut ty: Type, name: &str, stated: Option<&Stated>) -> Type {
    if ty.is_scalar() {
        if name.starts_with('$') && !matches!(ty.size, Dim::Named(_)) {
            ty.size = Dim::symbol(name, ty.size.known());
        }
        return ty;
    }
    let sizes = stated
        .map(|stated| stated.sizes.clone())
        .unwrap_or_default();
    for (dim, name) in [&mut ty.rows, &mut ty.cols].into_iter().zip(sizes) {
        if let (Some(name), Dim::Known(n)) = (name, &*dim) {
            *dim = Dim::symbol(name, Some(*n));
        }
    }
    ty
}

/// Whether the first `count` roots of both are proved to be equal and have the same sizes: to the canonical form, a matrix of zeros
/// is equal to any other.
fn first_are_same(count: usize, left: &Dag, right: &Dag) -> bool {
    let mut roots = left.roots().iter().zip(right.roots()).take(count);
    let are_as_large = roots.all(|(a, b)| {
        let (a, b) = (left.ty(*a), right.ty(*b));
        a.rows == b.rows && a.cols == b.cols
    });
    are_as_large && first_are_equal(count, left, right)
}

/// Whether the first `count` roots of both are proved to be equal.
fn first_are_equal(count: usize, left: &Dag, right: &Dag) -> bool {
    let mut roots = left.roots().iter().zip(right.roots()).take(count);
    roots.all(|(a, b)| {
        let verdict = canonical::decide((left, *a), (right, *b));
        matches!(verdict, Verdict::Equal(proof) if proof.conditions.is_empty())
    })
}
