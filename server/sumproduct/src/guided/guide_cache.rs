//! Guides that led to a goal before. A goal that is not reached directly asks for them: first those of goals of the same form,
//! then those of goals that are like it. Names of variables do not count: what was learned of one script serves another.
//!
//! A session remembers the ways of its own searches, and may be given [`Ways`] that outlive it. What is proposed is tried before
//! anyone hears of it, wherever it comes from. Must never be asked where an answer has to be the same whatever was searched
//! before: hints and diagnostics of pins do without.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sumac_sketch::text::ast::{Expr, ExprKind, StageKind};
use sumac_sketch::text::parse;

/// Ways that are kept; the oldest goes first.
const MOST_KEPT: usize = 200;
/// What the numbers of variables begin with.
const VARIABLE: &str = "v";
/// Goals that are like one another share this part of their operators.
const ALIKE: (usize, usize) = (2, 3);

/// Ways that outlive a session, as texts. Neither method may fail: what cannot be read or written is not there.
pub trait GuideStore: Send + Sync {
    /// Those that are kept, the newest first.
    fn all(&self) -> Vec<String>;
    /// Keeps one.
    fn keep(&self, way: &str);
}

/// The ways of a session.
#[derive(Debug, Default)]
pub(super) struct GuideCache(Mutex<VecDeque<LearnedGuide>>);

/// A goal and the guides that led to it, with `v0`, `v1` and so on for the names of variables.
#[derive(Clone, Debug)]
struct LearnedGuide {
    goal: String,
    operators: BTreeSet<String>,
    guides: Vec<Expr>,
}

impl LearnedGuide {
    fn new(goal: &Expr, guides: &[Expr]) -> LearnedGuide {
        let names = names(goal);
        let number = |name: &str| numbered(&names, name);
        LearnedGuide {
            goal: renamed(goal, &number).to_string(),
            operators: operators(goal),
            guides: guides.iter().map(|guide| renamed(guide, &number)).collect(),
        }
    }

    /// A sketch that says it.
    fn text(&self) -> String {
        let guides = self.guides.iter();
        let guides: String = guides.map(|guide| format!("  guide {guide}\n")).collect();
        format!("sketch way {{\n{guides}  goal {}\n}}\n", self.goal)
    }

    /// A way by its text; `None` if it is none.
    fn read(text: &str) -> Option<LearnedGuide> {
        let read = parse(text);
        let [sketch] = &read.file.sketches[..] else {
            return None;
        };
        let (goal, guides) = sketch.stages.split_last()?;
        let is_way = read.errors.is_empty()
            && !guides.is_empty()
            && goal.kind == StageKind::Goal
            && guides.iter().all(|guide| guide.kind == StageKind::Guide);
        // Whoever wrote it, names are numbers as here.
        let guides: Vec<Expr> = guides.iter().map(|guide| guide.pattern.clone()).collect();
        is_way.then(|| LearnedGuide::new(&goal.pattern, &guides))
    }
}

impl GuideCache {
    fn lock(&self) -> MutexGuard<'_, VecDeque<LearnedGuide>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn clear(&self) {
        self.lock().clear();
    }

    /// Keeps a way that led to a goal, and gives it to `ways`, too.
    pub(super) fn keep(&self, goal: &Expr, guides: &[Expr], ways: Option<&dyn GuideStore>) {
        if guides.is_empty() {
            return;
        }
        let way = LearnedGuide::new(goal, guides);
        if let Some(ways) = ways {
            ways.keep(&way.text());
        }
        let (mut all, text) = (self.lock(), way.text());
        all.retain(|known| known.text() != text);
        all.push_front(way);
        all.truncate(MOST_KEPT);
    }

    /// Guides for a goal, the ways of like goals first and of these the newest, those of this session before those of `ways`.
    pub(super) fn of(&self, goal: &Expr, ways: Option<&dyn GuideStore>) -> Vec<Vec<Expr>> {
        let mut all: Vec<LearnedGuide> = self.lock().iter().cloned().collect();
        let texts = ways.map_or_else(Vec::new, GuideStore::all);
        all.extend(texts.iter().filter_map(|text| LearnedGuide::read(text)));
        let names = names(goal);
        let asked = LearnedGuide::new(goal, &[]);
        let is_same = |way: &&LearnedGuide| way.goal == asked.goal;
        let is_like = |way: &&LearnedGuide| {
            let shared = way.operators.intersection(&asked.operators).count();
            let all = way.operators.union(&asked.operators).count();
            way.goal != asked.goal && shared * ALIKE.1 >= all * ALIKE.0 && shared > 0
        };
        // Of a goal of another form it is not known which variable is which.
        let back = |number: &str| {
            let place: usize = number.strip_prefix(VARIABLE)?.parse().ok()?;
            Some(ExprKind::Name(Arc::clone(names.get(place)?)))
        };
        let same = all.iter().filter(is_same);
        let same = same.map(|way| {
            let guides = way.guides.iter();
            guides.map(|guide| renamed(guide, &back)).collect()
        });
        let like = all.iter().filter(is_like);
        let like = like.map(|way| {
            let guides = way.guides.iter();
            guides.map(|guide| renamed(guide, &|_| None)).collect()
        });
        let mut seen = BTreeSet::new();
        let mut found: Vec<Vec<Expr>> = same.chain(like).collect();
        found.retain(|guides| {
            let texts = guides.iter().map(ToString::to_string);
            seen.insert(texts.collect::<Vec<String>>())
        });
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

/// The number that stands for a variable.
fn numbered(names: &[Arc<str>], name: &str) -> Option<ExprKind> {
    let place = names.iter().position(|own| **own == *name)?;
    Some(ExprKind::Name(format!("{VARIABLE}{place}").into()))
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

    fn proposed(past: &GuideCache, goal: &str) -> Vec<String> {
        proposed_with(past, goal, None)
    }

    fn proposed_with(past: &GuideCache, goal: &str, ways: Option<&dyn GuideStore>) -> Vec<String> {
        let found = past.of(&read(goal), ways).into_iter();
        found
            .map(|guides| {
                let shown: Vec<String> = guides.iter().map(ToString::to_string).collect();
                shown.join("; ")
            })
            .collect()
    }

    #[test]
    fn a_way_serves_other_names_and_like_goals() {
        let past = GuideCache::default();
        past.keep(
            &read("sum(X^2) - 2 * sum(? * (X %*% V))"),
            &[read("contains(X^2 - ? + ?)"), read("sum(X^2) - W * ?")],
            None,
        );
        past.keep(&read("t(?) %*% Q"), &[], None);
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

    /// Texts in memory.
    #[derive(Default)]
    struct Texts(Mutex<Vec<String>>);

    impl GuideStore for Texts {
        fn all(&self) -> Vec<String> {
            self.0.lock().unwrap().iter().rev().cloned().collect()
        }

        fn keep(&self, way: &str) {
            self.0.lock().unwrap().push(way.to_owned());
        }
    }

    #[test]
    fn a_way_serves_another_session_by_its_text() {
        let texts = Texts::default();
        GuideCache::default().keep(
            &read("sum(X^2) - 2 * sum(? * (X %*% V)) : scalar"),
            &[
                read("contains(X^2 - ? + ?) | -V"),
                read("sum(X^2 : m x 3) - W * ?"),
            ],
            Some(&texts),
        );
        let other = GuideCache::default();
        let goal = "sum(A^2) - 2 * sum(? * (A %*% B)) : scalar";
        assert_eq!(proposed(&other, goal), Vec::<String>::new());
        let guides = "contains(A^2 - ? + ?) | -B; sum(A^2 : m x 3) - ? * ?";
        assert_eq!(proposed_with(&other, goal, Some(&texts)), [guides]);
        // What is no way is passed over, and so is a way that is known already.
        for text in [
            "",
            "sketch way { goal sum(?) }",
            "sketch way { guide ? goal }",
            "sketch way { goal ? guide ? }",
            "def way = ?",
        ] {
            texts.keep(text);
        }
        other.keep(
            &read(goal),
            &[
                read("contains(A^2 - ? + ?) | -B"),
                read("sum(A^2 : m x 3) - W * ?"),
            ],
            None,
        );
        assert_eq!(proposed_with(&other, goal, Some(&texts)), [guides]);
    }

    #[test]
    fn the_oldest_ways_go() {
        let past = GuideCache::default();
        for number in 0..MOST_KEPT + 5 {
            past.keep(&read(&format!("X * {number}")), &[read("X + ?")], None);
            past.keep(&read(&format!("X * {number}")), &[read("X + ?")], None);
        }
        assert_eq!(past.lock().len(), MOST_KEPT);
        assert_eq!(
            proposed(&past, &format!("Y * {}", MOST_KEPT + 4))[0],
            "Y + ?"
        );
    }
}
