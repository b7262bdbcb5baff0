//! The e-graph of terms: what is known of each class, and terms taken out of it and put into it.

use egg::{Analysis, DidMerge, EGraph, Id};
use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::node::{Free, Node, free_of, type_of};
use crate::types::{TypeId, Types};

/// What is known while a graph grows: its types.
#[derive(Clone, Debug, Default)]
pub struct Calculus {
    /// The types of all classes.
    pub types: Types,
}

/// What is known of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// The type of each of its terms.
    pub ty: TypeId,
    /// What any of its terms mentions from outside.
    pub free: Free,
    /// How many nodes its smallest known term has.
    pub size: u32,
    /// The root of that term.
    pub best: Node,
}

/// An e-graph of terms.
pub type Graph = EGraph<Node, Calculus>;

impl Analysis<Node> for Calculus {
    type Data = Class;

    fn make(graph: &mut Graph, node: &Node, _: Id) -> Class {
        // The types are set aside, so that the classes can be read.
        let mut types = std::mem::take(&mut graph.analysis.types);
        let ty = type_of(node, &mut types, &|id| graph[id].data.ty);
        graph.analysis.types = types;
        let size = egg::Language::fold(node, 1_u32, |sum, id| {
            sum.saturating_add(graph[id].data.size)
        });
        Class {
            ty: ty.expect("only well-typed nodes are added"),
            free: free_of(node, &|id| graph[id].data.free),
            size,
            best: node.clone(),
        }
    }

    fn merge(&mut self, a: &mut Class, b: Class) -> DidMerge {
        debug_assert_eq!(a.ty, b.ty, "equal terms have one type");
        let free = a.free.or(b.free);
        let merged = DidMerge(a.free != free, b.free != free);
        a.free = free;
        merged | keep_smaller((&mut a.size, &mut a.best), (b.size, b.best))
    }
}

/// Keeps the smaller of the known terms of two classes that are one now: their sizes and their roots.
pub(crate) fn keep_smaller<L: PartialEq>(
    (size, best): (&mut u32, &mut L),
    (other, root): (u32, L),
) -> DidMerge {
    if other < *size {
        (*size, *best) = (other, root);
        return DidMerge(true, false);
    }
    DidMerge(false, *size < other || *best != root)
}

/// Terms on their way out of a graph and back, with what went that way already.
#[derive(Default)]
pub struct Carrier {
    /// The terms that are out.
    pub arena: Arena,
    out: FxHashMap<Id, Id>,
    back: FxHashMap<Id, Id>,
}

impl Carrier {
    /// The smallest known term of a class.
    pub fn take(&mut self, graph: &Graph, class: Id) -> Id {
        let class = graph.find(class);
        if let Some(known) = self.out.get(&class) {
            return *known;
        }
        // A node's parts are smaller than it, so this ends.
        let best = graph[class].data.best.clone();
        let node = egg::Language::map_children(best, |child| self.take(graph, child));
        let term = self.arena.add(node);
        self.out.insert(class, term);
        term
    }

    /// Puts a term into the graph; its class.
    pub fn put(&mut self, graph: &mut Graph, term: Id) -> Id {
        if let Some(known) = self.back.get(&term) {
            return graph.find(*known);
        }
        let node = self.arena.node(term).clone();
        let node = egg::Language::map_children(node, |child| self.put(graph, child));
        let class = graph.add(node);
        self.back.insert(term, class);
        class
    }
}
