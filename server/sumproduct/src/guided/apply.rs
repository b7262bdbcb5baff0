//! Matches of rules, and what applying one adds: only what fits its arguments, has the shape of what it replaces, and
//! stays of a size that a person would read.

use egg::{ENodeOrVar, Id, Searcher, Subst};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use sumac_la::Kind;

use super::language::{Fact, La, LaGraph, fact_of, fact_of_number, is_gram, same_shape};
use super::rules::{Asks, LaRule, letter};

/// The letters of rules.
pub const LETTERS: [&str; 4] = ["A", "B", "C", "D"];

/// A place where a rule applies: the class, and a class for each letter.
#[derive(Clone, Debug)]
pub struct Match {
    /// The class that the left side is a term of.
    pub class: Id,
    /// What its letters stand for.
    pub letters: Subst,
}

/// The matches of a rule, in the order of classes. `None` if cancelled.
pub fn search(graph: &LaGraph, rule: &LaRule, cancelled: &dyn Fn() -> bool) -> Option<Vec<Match>> {
    let mut found = Vec::new();
    for pattern in &rule.patterns {
        if cancelled() {
            return None;
        }
        for matches in pattern.search(graph) {
            for letters in matches.substs {
                if holds(graph, rule, &letters) {
                    found.push(Match {
                        class: matches.eclass,
                        letters,
                    });
                }
            }
        }
    }
    // Whatever order the graph's tables have, matches have this one.
    let ids = |at: &Match| {
        let letters = LETTERS
            .iter()
            .filter_map(|name| at.letters.get(letter(name)));
        (at.class, letters.copied().collect::<SmallVec<[Id; 4]>>())
    };
    found.sort_by_cached_key(ids);
    Some(found)
}

fn holds(graph: &LaGraph, rule: &LaRule, letters: &Subst) -> bool {
    let ty = |name: &str| &graph[letters[letter(name)]].data.ty;
    rule.asks.iter().all(|asked| match asked {
        Asks::Same(a, b) => same_shape(ty(a), ty(b)),
        Asks::Scalar(a) => ty(a).is_scalar(),
        Asks::Matrix(a) => ty(a).kind == Kind::Matrix,
        Asks::Column(a) => ty(a).kind == Kind::Matrix && ty(a).cols.is_one(),
        Asks::Row(a) => ty(a).kind == Kind::Matrix && ty(a).rows.is_one(),
    })
}

/// Applies a rule at a match. Says whether something new is known; nothing is added where the other side does not fit.
pub fn apply(graph: &mut LaGraph, rule: &LaRule, at: &Match, most_size: u32) -> bool {
    let Some(facts) = facts_of(graph, rule, &at.letters) else {
        return false;
    };
    let class = &graph[at.class].data;
    let made = facts.last().expect("a side has a root");
    let fits = (made.ty.kind, &made.ty.rows, &made.ty.cols)
        == (class.ty.kind, &class.ty.rows, &class.ty.cols);
    if !fits || made.size > most_size {
        return false;
    }
    let mut ids: Vec<Id> = Vec::with_capacity(facts.len());
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

/// What is known of each node of a rule's right side. `None` if one does not fit.
fn facts_of(graph: &LaGraph, rule: &LaRule, letters: &Subst) -> Option<Vec<Fact>> {
    let mut facts: Vec<Fact> = Vec::with_capacity(rule.right.as_ref().len());
    // Classes that are there already, for what the shape of a product with its own transpose says.
    let mut known: FxHashMap<usize, Id> = FxHashMap::default();
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
    Some(facts)
}
