//! Matches of rules, and what applying one adds: only what fits its arguments, has the shape of what it replaces, and
//! stays of a size that a person would read.

use egg::{ENodeOrVar, Id, Language, Searcher, Subst, Var};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::language::{Fact, La, LaGraph, fact_of, fact_of_number, is_gram};
use super::rules::LaRule;

/// Classes between two looks at whether the search was called off.
const POLLED: usize = 16;

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
    let mut looked = 0_usize;
    for pattern in &rule.patterns {
        // In a large graph one pattern takes long, so it is looked for class by class.
        let classes: Vec<Id> = match pattern.ast.as_ref().last() {
            Some(ENodeOrVar::ENode(root)) => {
                let classes = graph.classes_for_op(&root.discriminant());
                classes.into_iter().flatten().collect()
            }
            _ => graph.classes().map(|class| class.id).collect(),
        };
        if cancelled() {
            return None;
        }
        for class in classes {
            looked += 1;
            if looked.is_multiple_of(POLLED) && cancelled() {
                return None;
            }
            let Some(matches) = pattern.search_eclass(graph, class) else {
                continue;
            };
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
        let letters = rule.letters.iter();
        let letters = letters.filter_map(|letter| at.letters.get(*letter));
        (at.class, letters.copied().collect::<SmallVec<[Id; 4]>>())
    };
    found.sort_by_cached_key(ids);
    Some(found)
}

fn holds(graph: &LaGraph, rule: &LaRule, letters: &Subst) -> bool {
    let ty = |letter: &Var| &graph[letters[*letter]].data.ty;
    rule.asks.iter().all(|asked| asked.holds(ty))
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
