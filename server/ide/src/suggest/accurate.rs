//! Forms that keep digits which the written one loses: a mean of squares less the square of the mean, of all cells, of columns or of
//! rows, and a product of a matrix with itself less that of its means. What is left of two large numbers that nearly cancel has few
//! digits; what is subtracted before it is squared keeps them.
//!
//! Each form is proved, run and measured as any other suggestion, and shown only if it gains digits and loses none. Must never look at
//! what a form costs: it may be dearer, and says so.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use sumac_la::{Dag, Node, NodeId, Op};
use sumac_sumproduct::{Outcome, SearchStats};

use super::form::as_suggestion;
use super::group::Group;
use super::site::Site;
use crate::estimate;
use crate::searches::Search;
use crate::suggestion::Suggestion;

/// The form of a group that loses fewer digits, where there is one.
pub(super) fn suggest(site: Site<'_>, group: &Group<'_>, search: Search<'_>) -> Option<Suggestion> {
    // Statements that are looked at together keep their variables: each is looked at alone, too.
    if site.is_off() || group.is_silenced() || group.members.len() > 1 {
        return None;
    }
    // Over the values that variables hold, or over what these were computed from; but a difference that another statement takes is that
    // statement's own.
    let own = OnceCell::new();
    let is_own = |shown: &str| own.get_or_init(|| differences(group)).contains(shown);
    group
        .readings()
        .iter()
        .enumerate()
        .find_map(|(nth, written)| {
            let dag = centred(written, &|id| nth == 0 || is_own(&written.print(id)))?;
            let dag = group.over_held(&dag);
            let after = estimate::cost(&group.in_script_names(&dag)?, search.options)?;
            let outcome = Outcome {
                dag,
                after,
                search: SearchStats::unsearched("known form"),
            };
            let found = as_suggestion(site, group, outcome, search, &|_, _| true).ok()?;
            let gains = found.accuracy.as_ref().is_some_and(|it| it.gains());
            gains.then_some(found)
        })
}

/// The differences that the group's own statements take, over what values of others were computed from.
fn differences(group: &Group<'_>) -> BTreeSet<String> {
    let written = group.with_markers();
    let mut all = Dag::default();
    for id in written.reachable(written.roots()) {
        if matches!(written.node(id), Node::Op(Op::Sub, _)) {
            let difference = all.import(&written, id);
            all.push_root(difference);
        }
    }
    let seen = group.seen_through(&all);
    seen.roots().iter().map(|root| seen.print(*root)).collect()
}

/// The DAG with those differences of squares that `is_own` takes as squares of differences; `None` where it has none.
fn centred(written: &Dag, is_own: &dyn Fn(NodeId) -> bool) -> Option<Dag> {
    let (mut better, mut is_changed) = (Dag::default(), false);
    for root in written.roots() {
        let node = better.import_with(written, *root, &mut |to, id| {
            let spread = Spread::at(written, id).filter(|_| is_own(id))?;
            let found = spread.centred(written, to)?;
            is_changed = true;
            Some(found)
        });
        better.push_root(node);
    }
    is_changed.then_some(better)
}

/// How a mean is taken.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mean {
    /// By an operator of its own.
    By(Op),
    /// As a sum over a count.
    Over(Op, NodeId),
}

impl Mean {
    /// What a node is the mean of.
    fn at(dag: &Dag, id: NodeId) -> Option<(Mean, NodeId)> {
        match dag.node(id) {
            Node::Op(op @ (Op::Mean | Op::ColMeans | Op::RowMeans), args) => {
                Some((Mean::By(*op), args[0]))
            }
            Node::Op(Op::Div, args) => match dag.node(args[0]) {
                Node::Op(op @ (Op::Sum | Op::ColSums | Op::RowSums), of) => {
                    Some((Mean::Over(*op, args[1]), of[0]))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn of(self, (written, to): (&Dag, &mut Dag), x: NodeId) -> Option<NodeId> {
        match self {
            Mean::By(op) => to.op(op, [x]).ok(),
            Mean::Over(op, count) => {
                let (sum, count) = (to.op(op, [x]).ok()?, to.import(written, count));
                to.op(Op::Div, [sum, count]).ok()
            }
        }
    }

    /// Whether it takes the mean of each column of a matrix with so many rows.
    fn is_of_columns(self, count: NodeId) -> bool {
        match self {
            Mean::By(op) => op == Op::ColMeans,
            Mean::Over(op, own) => op == Op::ColSums && own == count,
        }
    }
}

/// What is written as a difference of two large values.
enum Spread {
    /// `mean(x^2) - mean(x)^2`.
    Variance(Mean, NodeId),
    /// `t(x) %*% x / n - t(m) %*% m` with the means `m` of the columns of `x`.
    Covariance {
        mean: Mean,
        x: NodeId,
        count: NodeId,
    },
}

impl Spread {
    fn at(dag: &Dag, id: NodeId) -> Option<Spread> {
        let Node::Op(Op::Sub, sides) = dag.node(id) else {
            return None;
        };
        let (minuend, subtrahend) = (sides[0], sides[1]);
        if let (Some((mean, squares)), Some(root)) =
            (Mean::at(dag, minuend), root_of(dag, subtrahend))
        {
            let x = root_of(dag, squares)?;
            return (Mean::at(dag, root)? == (mean, x)).then_some(Spread::Variance(mean, x));
        }
        let Node::Op(Op::Div, share) = dag.node(minuend) else {
            return None;
        };
        let (x, count) = (gram_of(dag, share[0])?, share[1]);
        let (mean, of) = Mean::at(dag, gram_of(dag, subtrahend)?)?;
        let fits = of == x && mean.is_of_columns(count);
        fits.then_some(Spread::Covariance { mean, x, count })
    }

    /// The same from differences to the means.
    fn centred(self, written: &Dag, to: &mut Dag) -> Option<NodeId> {
        let (mean, x) = match self {
            Spread::Variance(mean, x) | Spread::Covariance { mean, x, .. } => {
                (mean, to.import(written, x))
            }
        };
        let middle = mean.of((written, &mut *to), x)?;
        let rest = to.op(Op::Sub, [x, middle]).ok()?;
        match self {
            Spread::Variance(..) => {
                let two = to.num(2.0);
                let squares = to.op(Op::Pow, [rest, two]).ok()?;
                mean.of((written, to), squares)
            }
            Spread::Covariance { count, .. } => {
                let transposed = to.op(Op::Transpose, [rest]).ok()?;
                let product = to.op(Op::MatMul, [transposed, rest]).ok()?;
                let count = to.import(written, count);
                to.op(Op::Div, [product, count]).ok()
            }
        }
    }
}

/// What a node is the square of.
fn root_of(dag: &Dag, id: NodeId) -> Option<NodeId> {
    match dag.node(id) {
        Node::Op(Op::Pow, args) if dag.value(args[1]) == Some(2.0) => Some(args[0]),
        Node::Op(Op::Mul, args) if args[0] == args[1] => Some(args[0]),
        _ => None,
    }
}

/// The `x` of `t(x) %*% x`.
fn gram_of(dag: &Dag, id: NodeId) -> Option<NodeId> {
    let Node::Op(Op::MatMul, args) = dag.node(id) else {
        return None;
    };
    match dag.node(args[0]) {
        Node::Op(Op::Transpose, of) if of[0] == args[1] => Some(args[1]),
        _ => None,
    }
}
