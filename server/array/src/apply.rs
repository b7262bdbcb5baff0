//! What a rule makes of a place: its right side, built in the graph.
//!
//! A letter whose parameters stand elsewhere on the right side is moved by way of its smallest term: taken out, renamed, put
//! back (extraction-based shifting). A function of the pattern that is applied at once is reduced the same way
//! (extraction-based substitution). What no parameter of it moves stays the class that it is, with all its terms.

use egg::Id;

use crate::graph::{Carrier, Graph};
use crate::matching::{Found, View};
use crate::node::Node;
#[cfg(test)]
use crate::node::Term;
use crate::prim::Prim;
use crate::rules::Rule;
use crate::rules::pattern::{Move, Pat, PatId};
use crate::types::{NatId, TypeId};
use crate::vectors::on_vectors;

/// Bounds of what is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// How deep arrays may be nested.
    pub dimensions: u32,
}

/// Builds the right side of a rule at a place and says that it equals the left. `false` if nothing new came of it.
pub(crate) fn apply(
    rule: &Rule,
    found: &Found,
    graph: &mut Graph,
    carrier: &mut Carrier,
    bounds: Bounds,
) -> bool {
    let mut builder = Builder {
        rule,
        found,
        graph,
        carrier,
        bounds,
    };
    let Some(made) = builder.build(rule.right.root()) else {
        return false;
    };
    graph.union(found.class, made)
}

struct Builder<'a> {
    rule: &'a Rule,
    found: &'a Found,
    graph: &'a mut Graph,
    carrier: &'a mut Carrier,
    bounds: Bounds,
}

impl Builder<'_> {
    fn build(&mut self, part: PatId) -> Option<Id> {
        let rule = self.rule;
        Some(match &rule.right.parts[part] {
            Pat::Letter(..) => unreachable!("the right side has moved letters only"),
            Pat::Moved(number, to) => {
                match rule.vectorized.get(number.wrapping_sub(rule.letters.len())) {
                    Some((of, size)) => self.vectors(*of, *size, to)?,
                    None => self.moved(self.found.letters[*number], to),
                }
            }
            Pat::Var(index, ty) => {
                let ty = self.ty(*ty)?;
                self.graph.add(Node::Var(*index, ty))
            }
            Pat::Lam(ty, body) => {
                let ty = self.ty(*ty)?;
                let body = self.build(*body)?;
                self.graph.add(Node::Lam(ty, body))
            }
            Pat::App(function, argument) => {
                if let Pat::Lam(_, body) = rule.right.parts[*function] {
                    let body = self.build(body)?;
                    let argument = self.build(*argument)?;
                    return Some(reduced(self.graph, self.carrier, body, argument));
                }
                let function = self.build(*function)?;
                let argument = self.build(*argument)?;
                self.graph.add(Node::App([function, argument]))
            }
            Pat::Prim(prim, sizes, ty) => {
                let ty = self.ty(*ty)?;
                let mut given = [None; 2];
                for (place, size) in given.iter_mut().zip(sizes) {
                    if let Some(size) = size {
                        let types = &mut self.graph.analysis.types;
                        let size = self.found.nat(rule, types, *size)?;
                        let is_bad = types.get_nat(size).is_impossible();
                        if is_bad && *prim != Prim::Pad {
                            return None;
                        }
                        *place = Some(size);
                    }
                }
                self.graph.add(Node::Prim(*prim, given, ty))
            }
            Pat::Number(bits, ty) => {
                let ty = self.ty(*ty)?;
                self.graph.add(Node::Number(*bits, ty))
            }
        })
    }

    fn ty(&mut self, ty: TypeId) -> Option<TypeId> {
        let types = &mut self.graph.analysis.types;
        let made = self.found.ty(self.rule, types, ty)?;
        let fits = types.dimensions(made) <= self.bounds.dimensions && !types.is_impossible(made);
        fits.then_some(made)
    }

    fn moved(&mut self, class: Id, to: &Move) -> Id {
        if to.is_still() {
            return class;
        }
        let free = self.graph[class].data.free;
        let depth = u32::try_from(to.to.len()).expect("nesting is bounded");
        // Where no parameter that is mentioned moves, all terms of the class stay as they are.
        let stays = (0..depth).all(|old| !free.has(old) || to.index(old) == old);
        if stays && (depth == to.depth || !free.has_from(depth)) {
            return class;
        }
        let term = self.carrier.take(self.graph, class);
        let moved = self.carrier.arena.renamed(term, &|old| to.index(old));
        self.carrier.put(self.graph, moved)
    }

    fn vectors(&mut self, letter: usize, size: NatId, to: &Move) -> Option<Id> {
        let class = self.found.letters[letter];
        let size = self
            .found
            .nat(self.rule, &mut self.graph.analysis.types, size)?;
        let term = self.carrier.take(self.graph, class);
        let term = self.carrier.arena.normal(term);
        let arena = &mut self.carrier.arena;
        let made = on_vectors(arena, &mut self.graph.analysis.types, term, size)?;
        let moved = arena.renamed(made, &|old| to.index(old));
        Some(self.carrier.put(self.graph, moved))
    }
}

/// The class of a function's body with an argument for its parameter.
fn reduced(graph: &mut Graph, carrier: &mut Carrier, body: Id, argument: Id) -> Id {
    let free = graph[body].data.free;
    // The parameter itself, whatever else it equals.
    if matches!(graph[body].data.best, Node::Var(0, _)) {
        return argument;
    }
    if free.is_empty() {
        return body;
    }
    let body = carrier.take(graph, body);
    let argument = carrier.take(graph, argument);
    let made = carrier.arena.substituted(body, argument);
    let made = carrier.arena.normal(made);
    carrier.put(graph, made)
}

/// Terms that are moved between two looks at whether anybody still waits.
const STRIDE: usize = 16;

/// Reduces every function that is applied at once, until nobody waits any more. Returns how often something new came of it.
pub(crate) fn beta(
    graph: &mut Graph,
    view: &View,
    carrier: &mut Carrier,
    cancelled: &dyn Fn() -> bool,
) -> usize {
    let mut places: Vec<(Id, Id, Id)> = Vec::new();
    for class in &view.classes {
        for node in view.nodes(*class) {
            if let Node::App([function, argument]) = node {
                for function in view.nodes(*function) {
                    if let Node::Lam(_, body) = function {
                        places.push((*class, *body, *argument));
                    }
                }
            }
        }
    }
    let mut applied = 0;
    for (n, (class, body, argument)) in places.into_iter().enumerate() {
        if n.is_multiple_of(STRIDE) && cancelled() {
            break;
        }
        let made = reduced(graph, carrier, body, argument);
        applied += usize::from(graph.union(class, made));
    }
    applied
}

/// Takes away functions that only apply another one, until nobody waits any more. Returns how often something new came of it.
pub(crate) fn eta(
    graph: &mut Graph,
    view: &View,
    carrier: &mut Carrier,
    cancelled: &dyn Fn() -> bool,
) -> usize {
    let mut places: Vec<(Id, Id)> = Vec::new();
    for class in &view.classes {
        for node in view.nodes(*class) {
            let Node::Lam(_, body) = node else { continue };
            for inner in view.nodes(*body) {
                let Node::App([function, argument]) = inner else {
                    continue;
                };
                let is_parameter = |node: &Node| matches!(node, Node::Var(0, _));
                if view.nodes(*argument).iter().any(is_parameter)
                    && !graph[*function].data.free.has(0)
                {
                    places.push((*class, *function));
                }
            }
        }
    }
    let mut applied = 0;
    for (n, (class, function)) in places.into_iter().enumerate() {
        if n.is_multiple_of(STRIDE) && cancelled() {
            break;
        }
        let made = if graph[function].data.free.is_empty() {
            function
        } else {
            let term = carrier.take(graph, function);
            // The class does not mention the parameter, so its smallest term does not.
            let moved = carrier.arena.renamed(term, &|old| old.saturating_sub(1));
            carrier.put(graph, moved)
        };
        applied += usize::from(graph.union(class, made));
    }
    applied
}

/// What a rule makes of the terms of a class, without saying that they are equal.
#[cfg(test)]
pub(crate) fn at_root(rule: &Rule, graph: &mut Graph, root: Id) -> Vec<Term> {
    let view = View::of(graph, root, u32::MAX);
    let found = crate::matching::search(rule, graph, &view, &|| false);
    let mut sides = Vec::new();
    for found in found.into_iter().filter(|found| found.class == root) {
        let mut carrier = Carrier::default();
        let mut builder = Builder {
            rule,
            found: &found,
            graph,
            carrier: &mut carrier,
            bounds: Bounds {
                dimensions: u32::MAX,
            },
        };
        if let Some(made) = builder.build(rule.right.root()) {
            sides.push(smallest(graph, made));
        }
    }
    sides
}

/// The smallest term of a class that is known.
#[cfg(test)]
fn smallest(graph: &Graph, class: Id) -> Term {
    let mut carrier = Carrier::default();
    let root = carrier.take(graph, class);
    carrier.arena.term(root)
}
