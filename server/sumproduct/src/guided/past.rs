//! Guides that led to a goal before. A goal that is not reached directly asks for them: first those of goals of the same form,
//! then those of goals that are like it. Names of variables do not count: what was learned of one script serves another.
//!
//! What is proposed is tried before anyone hears of it. Must never be asked where an answer has to be the same whatever was
//! searched before: hints and diagnostics of pins do without.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sumac_sketch::text::ast::{Expr, ExprKind};

/// Ways that are kept; the oldest goes first.
const MOST_KEPT: usize = 200;
/// Goals that are like one another share this part of their operators.
const ALIKE: (usize, usize) = (2, 3);

/// The ways of a session.
#[derive(Debug, Default)]
pub(super) struct Past(Mutex<VecDeque<Way>>);

/// A goal and the guides that led to it, with numbers for the names of variables.
#[derive(Clone, PartialEq, Debug)]
struct Way {
    goal: String,
    operators: BTreeSet<String>,
    guides: Vec<Expr>,
}

impl Past {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Way>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    /// Keeps a way that led to a goal.
    pub(super) fn keep(&self, goal: &Expr, guides: &[Expr]) {
        if guides.is_empty() {
            return;
        }
        let names = names(goal);
        let number = |name: &str| {
            let place = names.iter().position(|own| **own == *name)?;
            Some(ExprKind::Name(place.to_string().into()))
        };
        let way = Way {
            goal: renamed(goal, &number).to_string(),
            operators: operators(goal),
            guides: guides.iter().map(|guide| renamed(guide, &number)).collect(),
        };
        let mut all = self.lock();
        all.retain(|known| *known != way);
        all.push_front(way);
        all.truncate(MOST_KEPT);
    }

    /// Guides for a goal, the ways of like goals first and of these the newest.
    pub(super) fn of(&self, goal: &Expr) -> Vec<Vec<Expr>> {
        let names = names(goal);
        let number = |name: &str| {
            let place = names.iter().position(|own| **own == *name)?;
            Some(ExprKind::Name(place.to_string().into()))
        };
        let text = renamed(goal, &number).to_string();
        let operators = operators(goal);
        let all = self.lock();
        let is_same = |way: &&Way| way.goal == text;
        let is_like = |way: &&Way| {
            let shared = way.operators.intersection(&operators).count();
            let all = way.operators.union(&operators).count();
            way.goal != text && shared * ALIKE.1 >= all * ALIKE.0 && shared > 0
        };
        // Of a goal of another form it is not known which variable is which.
        let back = |number: &str| {
            let place: usize = number.parse().ok()?;
            Some(ExprKind::Name(Arc::clone(names.get(place)?)))
        };
        let same = all.iter().filter(is_same);
        let same = same.map(|way| {
            way.guides
                .iter()
                .map(|guide| renamed(guide, &back))
                .collect()
        });
        let like = all.iter().filter(is_like);
        let like = like.map(|way| {
            let guides = way.guides.iter();
            guides.map(|guide| renamed(guide, &|_| None)).collect()
        });
        let mut found: Vec<Vec<Expr>> = Vec::new();
        for guides in same.chain(like) {
            if !found.contains(&guides) {
                found.push(guides);
            }
        }
        found
    }
}

/// The variables of a pattern in the order of its text.
fn names(pattern: &Expr) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    pattern.walk(&mut |part| {
        if let ExprKind::Name(name) = &part.kind
            && !found.contains(name)
        {
            found.push(Arc::clone(name));
        }
    });
    found
}

/// The operators of a pattern; `contains` is none.
fn operators(pattern: &Expr) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    pattern.walk(&mut |part| match &part.kind {
        ExprKind::Call(name, _) if &*name.text != "contains" => {
            found.insert(name.text.to_string());
        }
        ExprKind::Unary(sign, _) | ExprKind::Binary(sign, ..) => {
            found.insert((*sign).to_owned());
        }
        _ => {}
    });
    found
}

/// A pattern with other names; what has none becomes a hole.
fn renamed(pattern: &Expr, name: &dyn Fn(&str) -> Option<ExprKind>) -> Expr {
    let inner = |part: &Expr| Box::new(renamed(part, name));
    let kind = match &pattern.kind {
        ExprKind::Name(own) => name(own).unwrap_or(ExprKind::Hole),
        ExprKind::Call(head, args) => {
            let args = args.iter().map(|arg| renamed(arg, name));
            ExprKind::Call(head.clone(), args.collect())
        }
        ExprKind::Unary(sign, of) => ExprKind::Unary(sign, inner(of)),
        ExprKind::Binary(sign, left, right) => ExprKind::Binary(sign, inner(left), inner(right)),
        ExprKind::Either(left, right) => ExprKind::Either(inner(left), inner(right)),
        ExprKind::Annotated(of, ty) => ExprKind::Annotated(inner(of), ty.clone()),
        kind => kind.clone(),
    };
    Expr {
        range: sumac_sketch::text::TextRange::default(),
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sumac_sketch::text::parse_expression;

    fn read(text: &str) -> Expr {
        parse_expression(text).unwrap()
    }

    fn proposed(past: &Past, goal: &str) -> Vec<String> {
        let found = past.of(&read(goal)).into_iter();
        found
            .map(|guides| {
                let shown: Vec<String> = guides.iter().map(ToString::to_string).collect();
                shown.join("; ")
            })
            .collect()
    }

    #[test]
    fn a_way_serves_other_names_and_like_goals() {
        let past = Past::default();
        past.keep(
            &read("sum(X^2) - 2 * sum(? * (X %*% V))"),
            &[read("contains(X^2 - ? + ?)"), read("sum(X^2) - W * ?")],
        );
        past.keep(&read("t(?) %*% Q"), &[]);
        assert_eq!(
            proposed(&past, "sum(A^2) - 2 * sum(? * (A %*% B))"),
            ["contains(A^2 - ? + ?); sum(A^2) - ? * ?"]
        );
        // Nearly the same operators: the way may serve, and which variable is which is open.
        assert_eq!(
            proposed(&past, "sum(A^2) - sum(? * (A %*% B))"),
            ["contains(?^2 - ? + ?); sum(?^2) - ? * ?"]
        );
        assert_eq!(proposed(&past, "t(A) %*% B"), Vec::<String>::new());
        past.clear();
        assert_eq!(
            proposed(&past, "sum(A^2) - 2 * sum(? * (A %*% B))"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_oldest_ways_go() {
        let past = Past::default();
        for number in 0..MOST_KEPT + 5 {
            past.keep(&read(&format!("X * {number}")), &[read("X + ?")]);
            past.keep(&read(&format!("X * {number}")), &[read("X + ?")]);
        }
        assert_eq!(past.lock().len(), MOST_KEPT);
        assert_eq!(
            proposed(&past, &format!("Y * {}", MOST_KEPT + 4))[0],
            "Y + ?"
        );
    }
}
