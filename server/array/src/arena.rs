//! Terms in the making, with equal parts as one: renaming, substitution, and the normal form under beta and eta.

use egg::Id;
use rustc_hash::FxHashMap;

use crate::node::{Free, Node, Term, free_of, part};
use crate::types::TypeId;

/// Beta steps of one normal form at most. Typed terms always have one, but not always one that fits into memory.
const MOST_STEPS: usize = 20_000;

/// A term in the making: equal nodes are one.
#[derive(Default)]
pub struct Arena {
    term: Term,
    free: Vec<Free>,
    known: FxHashMap<Node, Id>,
    normal: FxHashMap<Id, Id>,
}

/// What a free variable becomes: its index as the root sees it, its type, and how many lambdas stand between.
type To<'t> = dyn Fn(&mut Arena, u32, TypeId, u32) -> Id + 't;

impl Arena {
    /// Adds a node whose children are here.
    pub fn add(&mut self, node: Node) -> Id {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let free = free_of(&node, &|id| self.free[usize::from(id)]);
        self.free.push(free);
        let id = self.term.add(node.clone());
        self.known.insert(node, id);
        id
    }

    /// Adds a whole term; its root.
    pub fn import(&mut self, term: &Term) -> Id {
        let mut at: Vec<Id> = Vec::with_capacity(term.len());
        for node in term {
            let node = egg::Language::map_children(node.clone(), |id| at[usize::from(id)]);
            at.push(self.add(node));
        }
        at[usize::from(term.root())]
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: Id) -> &Node {
        &self.term[id]
    }

    /// What a part mentions from outside.
    #[must_use]
    pub fn free(&self, id: Id) -> Free {
        self.free[usize::from(id)]
    }

    /// A part as a term of its own.
    #[must_use]
    pub fn term(&self, root: Id) -> Term {
        part(&self.term, root)
    }

    /// The part with other free variables: `to` gives the new index for an old one.
    pub fn renamed(&mut self, id: Id, to: &dyn Fn(u32) -> u32) -> Id {
        let rename =
            |arena: &mut Arena, index, ty, depth| arena.add(Node::Var(to(index) + depth, ty));
        self.changed(id, 0, &rename, &mut FxHashMap::default())
    }

    /// `body` with `argument` for its parameter 0, which is gone.
    pub fn substituted(&mut self, body: Id, argument: Id) -> Id {
        let put = |arena: &mut Arena, index: u32, ty, depth: u32| {
            if index > 0 {
                return arena.add(Node::Var(index - 1 + depth, ty));
            }
            arena.renamed(argument, &|index| index + depth)
        };
        self.changed(body, 0, &put, &mut FxHashMap::default())
    }

    fn changed(
        &mut self,
        id: Id,
        depth: u32,
        to: &To<'_>,
        done: &mut FxHashMap<(Id, u32), Id>,
    ) -> Id {
        // What mentions nothing from outside stays as it is.
        if !self.free(id).has_from(depth) {
            return id;
        }
        if let Some(known) = done.get(&(id, depth)) {
            return *known;
        }
        let result = match self.term[id].clone() {
            Node::Var(index, ty) if index >= depth => to(self, index - depth, ty, depth),
            Node::Lam(ty, body) => {
                let body = self.changed(body, depth + 1, to, done);
                self.add(Node::Lam(ty, body))
            }
            Node::App([function, argument]) => {
                let function = self.changed(function, depth, to, done);
                let argument = self.changed(argument, depth, to, done);
                self.add(Node::App([function, argument]))
            }
            node => self.add(node),
        };
        done.insert((id, depth), result);
        result
    }

    /// The normal form: nothing is a function applied to an argument, nor a function that only applies another one.
    pub fn normal(&mut self, id: Id) -> Id {
        let mut steps = MOST_STEPS;
        self.reduce(id, &mut steps)
    }

    fn reduce(&mut self, start: Id, steps: &mut usize) -> Id {
        let mut id = start;
        let result = loop {
            if let Some(known) = self.normal.get(&id) {
                break *known;
            }
            match self.term[id].clone() {
                Node::Lam(ty, body) => {
                    let body = self.reduce(body, steps);
                    break if let Node::App([function, argument]) = self.term[body]
                        && matches!(self.term[argument], Node::Var(0, _))
                        && !self.free(function).has(0)
                    {
                        self.renamed(function, &|index| index - 1)
                    } else {
                        self.add(Node::Lam(ty, body))
                    };
                }
                Node::App([function, argument]) => {
                    let function = self.reduce(function, steps);
                    let argument = self.reduce(argument, steps);
                    match self.term[function] {
                        Node::Lam(_, body) if *steps > 0 => {
                            *steps -= 1;
                            id = self.substituted(body, argument);
                        }
                        _ => break self.add(Node::App([function, argument])),
                    }
                }
                node => break self.add(node),
            }
        };
        if *steps > 0 {
            self.normal.insert(start, result);
        }
        result
    }
}

/// The normal form of a term under beta and eta.
#[must_use]
pub fn normal(term: &Term) -> Term {
    let mut arena = Arena::default();
    let root = arena.import(term);
    let root = arena.normal(root);
    arena.term(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Scalar, Types};

    /// Nodes over one type; children are places.
    fn built(make: impl Fn(&mut Arena, TypeId) -> Id) -> (Arena, Id) {
        let t = Types::default().scalar(Scalar::F32);
        let mut arena = Arena::default();
        let root = make(&mut arena, t);
        (arena, root)
    }

    #[test]
    fn substitution_keeps_what_is_bound_and_shifts_what_is_put_below_a_lambda() {
        let (mut arena, body) = built(|arena, t| {
            let [a, b, c] = [1, 0, 2].map(|n| arena.add(Node::Var(n, t)));
            let inner = arena.add(Node::App([a, b]));
            let outer = arena.add(Node::App([inner, c]));
            arena.add(Node::Lam(t, outer))
        });
        let t = Types::default().scalar(Scalar::F32);
        let argument = arena.add(Node::Var(5, t));
        let result = arena.substituted(body, argument);
        assert_eq!(
            arena.term(result).to_string(),
            r#"(lam (app (app "%6" "%0") "%1"))"#
        );
    }

    #[test]
    fn renaming_leaves_bound_variables_alone() {
        let (mut arena, body) = built(|arena, t| {
            let [a, b] = [0, 1].map(|n| arena.add(Node::Var(n, t)));
            let inner = arena.add(Node::App([a, b]));
            arena.add(Node::Lam(t, inner))
        });
        let result = arena.renamed(body, &|n| n + 3);
        assert_eq!(arena.term(result).to_string(), r#"(lam (app "%0" "%4"))"#);
    }

    #[test]
    fn a_function_that_only_applies_another_is_that_one_unless_it_mentions_the_parameter() {
        let wrap = |function: u32| {
            let (mut arena, root) = built(|arena, t| {
                let [f, x] = [function, 0].map(|n| arena.add(Node::Var(n, t)));
                let body = arena.add(Node::App([f, x]));
                arena.add(Node::Lam(t, body))
            });
            let normal = arena.normal(root);
            arena.term(normal).to_string()
        };
        assert_eq!(wrap(3), r#""%2""#);
        assert_eq!(wrap(0), r#"(lam (app "%0" "%0"))"#);
    }

    #[test]
    fn a_term_without_normal_form_ends() {
        // (\. %0 %0) (\. %0 %0) has no type; the steps still end.
        let (mut arena, root) = built(|arena, t| {
            let x = arena.add(Node::Var(0, t));
            let twice = arena.add(Node::App([x, x]));
            let function = arena.add(Node::Lam(t, twice));
            arena.add(Node::App([function, function]))
        });
        arena.normal(root);
    }
}
