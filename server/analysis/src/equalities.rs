//! Sizes that a use shows to be equal: after `X %*% Y`, the rows of `Y` are the columns of `X`.
//!
//! What is learned holds behind the statement that ran and in its block, never in front of it: `if (ncol(X) != nrow(Y))
//! stop(…)` before the product must stay undecided. Only statements that run whenever their unit runs are heard; in a
//! loop, a name may stand for another size in each round.

use std::sync::Arc;

use sumac_la::{Dim, Op, Type, equal_sizes};
use sumac_text::TextRange;

use crate::analyzer::{Analyzer, Var};
use crate::equality::Equality;
use crate::expr::Operand;
use crate::value::ValueInfo;

/// Which of two names goes: one that says whose size it is, before one that someone chose.
fn is_own(name: &str) -> bool {
    name.starts_with("nrow(") || name.starts_with("ncol(")
}

/// The name that goes and what it becomes; `None` where nothing follows.
fn resolved(a: &Dim, b: &Dim) -> Option<(Arc<str>, Dim)> {
    if a == b {
        return None;
    }
    let goes = |dim: &Dim, other: &Dim| {
        let name = dim.lone_name().filter(|name| !other.mentions(name))?;
        (*other != Dim::Unknown).then(|| (Arc::from(name), other.clone()))
    };
    let (from_a, from_b) = (goes(a, b), goes(b, a));
    match (from_a, from_b) {
        (Some(x), Some(y)) => Some(if is_own(&x.0) && !is_own(&y.0) { x } else { y }),
        (x, y) => x.or(y),
    }
}

impl Analyzer<'_> {
    /// Hears what an operation says of its operands' sizes, where it always runs.
    pub(crate) fn hear(&mut self, op: Op, range: TextRange, operands: &[Operand<'_>]) {
        if self.nesting != 1 || self.loop_depth > 0 {
            return;
        }
        let types: Option<Vec<Type>> = operands.iter().map(|(_, v)| v.info.la_type()).collect();
        let Some(types) = types else { return };
        for (a, b) in equal_sizes(op, &types.iter().collect::<Vec<_>>()) {
            if a != b {
                self.size_constraints.push((a.clone(), b.clone(), range));
            }
        }
    }

    /// Takes over what the statement's operations said; from here on both sizes go by one name.
    pub(crate) fn settle(&mut self) {
        for (a, b, range) in std::mem::take(&mut self.size_constraints) {
            let (a, b) = (self.known_size(a), self.known_size(b));
            let Some((name, to)) = resolved(&a, &b) else {
                continue;
            };
            let equality = Equality { name, to, range };
            self.block.dag.rename_size(&equality.name, &equality.to);
            let renamed = self.env.iter().filter_map(|(name, var)| {
                let mut info = var.info.clone();
                equality.rename(&mut info);
                (info != var.info).then(|| {
                    let defs = var.defs.clone();
                    (Arc::clone(name), Arc::new(Var { info, defs }))
                })
            });
            for (name, var) in renamed.collect::<Vec<_>>() {
                self.env.insert(name, var);
            }
            self.equalities.push(equality);
        }
    }

    /// What a size is called by now.
    pub(crate) fn known_size(&self, dim: Dim) -> Dim {
        let renamed = |dim: Dim, e: &Equality| dim.with_name(&e.name, &e.to);
        self.equalities.iter().fold(dim, renamed)
    }

    /// A value whose sizes go by the names of now.
    pub(crate) fn with_known_sizes(&self, mut info: ValueInfo) -> ValueInfo {
        for equality in &self.equalities {
            equality.rename(&mut info);
        }
        info
    }
}
