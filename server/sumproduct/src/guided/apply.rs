//! Matches of rules, and what applying one adds: only what fits its arguments, has the shape of what it replaces, and
//! stays of a size that a person would read.

use egg::{ENodeOrVar, Id, Language, Searcher, Subst, Var};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::filter::{Filter, Made};
use super::language::{Fact, La, LaGraph, fact_of, fact_of_number, is_gram};
use super::rules::LaRule;

/// Classes between two looks at whether the search was cancelled.
const POLLED: usize = 16;
/// With more matches in one class, there is a look between any two steps.
const MANY: usize = 4096;

/// A place where a rule applies: the class, and a class for each letter.
#[derive(Clone, Debug)]
pub struct Match {
    /// The class that the left side is a term of.
    pub class: Id,
    /// What its letters stand for.
    pub letters: Subst,
}

/// The matches of a rule, in the order of classes and of what its letters stand for. `None` if cancelled.
pub fn search(graph: &LaGraph, rule: &LaRule, cancelled: &dyn Fn() -> bool) -> Option<Vec<Match>> {
    // A pattern takes long in a large graph, and so does sorting what it finds, so both are done class by class. All
    // patterns of a rule have one root.
    let root = rule.patterns.first()?.ast.as_ref().last();
    let mut classes: Vec<Id> = match root {
        Some(ENodeOrVar::ENode(root)) => {
            let classes = graph.classes_for_op(&root.discriminant());
            classes.into_iter().flatten().collect()
        }
        _ => graph.classes().map(|class| class.id).collect(),
    };
    classes.sort_unstable();
    let ids = |at: &Match| {
        let letters = rule.letters.iter();
        let letters = letters.filter_map(|letter| at.letters.get(*letter));
        letters.copied().collect::<SmallVec<[Id; 4]>>()
    };
    let mut found = Vec::new();
    for (looked, class) in classes.into_iter().enumerate() {
        if looked.is_multiple_of(POLLED) && cancelled() {
            return None;
        }
        let start = found.len();
        for pattern in &rule.patterns {
            // One class of a large graph may have most of its matches.
            if found.len() > start + MANY && cancelled() {
                return None;
            }
            let Some(matches) = pattern.search_eclass(graph, class) else {
                continue;
            };
            let class = matches.eclass;
            let letters = matches.substs.into_iter();
            let letters = letters.filter(|letters| holds(graph, rule, letters));
            found.extend(letters.map(|letters| Match { class, letters }));
        }
        if found.len() > start + MANY && cancelled() {
            return None;
        }
        // Whatever order the graph's tables have, matches have this one.
        found[start..].sort_by_cached_key(ids);
    }
    Some(found)
}

fn holds(graph: &LaGraph, rule: &LaRule, letters: &Subst) -> bool {
    let ty = |letter: &Var| &graph[letters[*letter]].data.ty;
    rule.asks.iter().all(|asked| asked.holds(ty))
}

/// What is said of a match before its rule is applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The rule may be applied.
    Applies,
    /// The filter forbids it.
    Forbidden,
    /// The other side has no value, or one of another shape.
    Unfit,
}

/// Whether a rule may be applied at a match.
pub fn judge(graph: &LaGraph, rule: &LaRule, at: &Match, filter: &Filter) -> Verdict {
    let Some((facts, known)) = facts_of(graph, rule, &at.letters) else {
        return Verdict::Unfit;
    };
    let class = &graph[at.class].data;
    let (whole, inner) = facts.split_last().expect("a side has a root");
    if (whole.ty.kind, &whole.ty.rows, &whole.ty.cols)
        != (class.ty.kind, &class.ty.rows, &class.ty.cols)
    {
        return Verdict::Unfit;
    }
    let is_new = |place: &usize| !known.contains_key(place);
    let inner: SmallVec<[&Fact; 8]> = (0..inner.len())
        .filter(is_new)
        .map(|place| &inner[place])
        .collect();
    let made = Made {
        class: at.class,
        whole,
        inner: &inner,
    };
    if filter.lets(&made) {
        Verdict::Applies
    } else {
        Verdict::Forbidden
    }
}

/// Applies a rule at a match. Says whether something new is known; nothing is added where it may not be applied.
pub fn apply(graph: &mut LaGraph, rule: &LaRule, at: &Match, filter: &Filter) -> bool {
    if judge(graph, rule, at, filter) != Verdict::Applies {
        return false;
    }
    let mut ids: Vec<Id> = Vec::with_capacity(rule.right.as_ref().len());
    for node in rule.right.as_ref() {
        ids.push(match node {
            ENodeOrVar::Var(letter) => graph.find(at.letters[*letter]),
            ENodeOrVar::ENode(La::Op(op, children)) => {
                let children = children.iter().map(|child| ids[usize::from(*child)]);
                graph.add(La::op(*op, children))
            }
            ENodeOrVar::ENode(leaf) => graph.add(leaf.clone()),
        });
    }
    let root = *ids.last().expect("a side has a root");
    graph.union(at.class, root)
}

/// The classes of those nodes of a right side that are there already, by their places.
type Known = FxHashMap<usize, Id>;

/// What is known of each node of a rule's right side. `None` if one does not fit.
fn facts_of(graph: &LaGraph, rule: &LaRule, letters: &Subst) -> Option<(Vec<Fact>, Known)> {
    let mut facts: Vec<Fact> = Vec::with_capacity(rule.right.as_ref().len());
    // Classes that are there already, for what the shape of a product with its own transpose says.
    let mut known = Known::default();
    for (place, node) in rule.right.as_ref().iter().enumerate() {
        facts.push(match node {
            ENodeOrVar::Var(letter) => {
                let class = graph.find(letters[*letter]);
                known.insert(place, class);
                graph[class].data.clone()
            }
            ENodeOrVar::ENode(La::Num(bits)) => fact_of_number(f64::from_bits(*bits)),
            ENodeOrVar::ENode(La::Input(_)) => return None,
            ENodeOrVar::ENode(La::Op(op, children)) => {
                let places: SmallVec<[usize; 2]> =
                    children.iter().map(|child| usize::from(*child)).collect();
                let classes: Option<Vec<Id>> = places
                    .iter()
                    .map(|place| known.get(place).copied())
                    .collect();
                let mut gram = false;
                if let Some(classes) = classes {
                    gram = is_gram(graph, *op, &classes);
                    if let Some(class) = graph.lookup(La::op(*op, classes)) {
                        known.insert(place, graph.find(class));
                    }
                }
                let args: SmallVec<[&Fact; 6]> =
                    places.iter().map(|place| &facts[*place]).collect();
                fact_of(*op, &args, gram)?
            }
        });
    }
    Some((facts, known))
}
