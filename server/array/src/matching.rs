//! Where the left sides of rules stand in a graph.
//!
//! Rules look at a [`View`]: the nodes of a graph that a term within the limit can be made of, by class. What is beyond the
//! limit stays in the graph, where it costs memory, but no rule sees it.

use egg::{Id, Language};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::graph::{Class, Graph};
use crate::nat::{Nat, NatVar};
use crate::node::Node;
use crate::rules::Rule;
use crate::rules::pattern::{Pat, PatId};
use crate::types::{NatId, Type, TypeId, TypeVar, Types};

/// Classes between two looks at whether anybody still waits.
const STRIDE: usize = 256;

/// The nodes of a graph that rules look at.
pub struct View {
    /// The classes in order.
    pub classes: Vec<Id>,
    nodes: FxHashMap<Id, Vec<Node>>,
}

impl View {
    /// The nodes that stand in a term of at most `limit` nodes of the class `root`.
    #[must_use]
    pub fn of(graph: &Graph, root: Id, limit: u32) -> View {
        View::unless(graph, root, limit, &|| false)
    }

    /// The same; some or none of them once nobody waits any more.
    pub(crate) fn unless(
        graph: &Graph,
        root: Id,
        limit: u32,
        cancelled: &dyn Fn() -> bool,
    ) -> View {
        let around = smallest_around(graph, root, cancelled);
        let mut classes: Vec<Id> = around.keys().copied().collect();
        classes.sort_unstable();
        let mut nodes: FxHashMap<Id, Vec<Node>> = FxHashMap::default();
        let (mut seen, mut is_over) = (0_usize, false);
        classes.retain(|class| {
            seen += 1;
            is_over |= seen.is_multiple_of(STRIDE) && cancelled();
            if is_over {
                return false;
            }
            let outside = around[class];
            let fits = |node: &&Node| outside.saturating_add(size_of(graph, node)) <= limit;
            let kept: Vec<Node> = graph[*class].nodes.iter().filter(fits).cloned().collect();
            let is_kept = !kept.is_empty();
            if is_kept {
                nodes.insert(*class, kept);
            }
            is_kept
        });
        View { classes, nodes }
    }

    /// The nodes of a class.
    #[must_use]
    pub fn nodes(&self, class: Id) -> &[Node] {
        self.nodes.get(&class).map_or(&[], Vec::as_slice)
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.values().map(Vec::len).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }
}

/// The size of the smallest term with this root.
fn size_of(graph: &Graph, node: &Node) -> u32 {
    node.fold(1, |sum: u32, id| sum.saturating_add(graph[id].data.size))
}

/// For each class below the root: how many nodes the smallest term has in which it stands, without the class itself.
fn smallest_around(graph: &Graph, root: Id, cancelled: &dyn Fn() -> bool) -> FxHashMap<Id, u32> {
    let mut around: FxHashMap<Id, u32> = FxHashMap::default();
    let mut open = std::collections::BinaryHeap::new();
    let root = graph.find(root);
    around.insert(root, 0);
    open.push(std::cmp::Reverse((0_u32, root)));
    let mut steps = 0_usize;
    while let Some(std::cmp::Reverse((outside, class))) = open.pop() {
        steps += 1;
        if steps.is_multiple_of(STRIDE) && cancelled() {
            break;
        }
        if around[&class] < outside {
            continue;
        }
        for node in &graph[class].nodes {
            let whole = outside.saturating_add(size_of(graph, node));
            for child in node.children() {
                let child = graph.find(*child);
                let without = whole.saturating_sub(graph[child].data.size);
                if around.get(&child).is_none_or(|known| without < *known) {
                    around.insert(child, without);
                    open.push(std::cmp::Reverse((without, child)));
                }
            }
        }
    }
    around
}

/// What the letters and variables of a rule stand for in one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    /// The class that the left side belongs to.
    pub(crate) class: Id,
    pub(crate) letters: SmallVec<[Id; 4]>,
    pub(crate) types: SmallVec<[Option<TypeId>; 6]>,
    pub(crate) nats: SmallVec<[Option<NatId>; 4]>,
}

/// All places of a rule's left side; some of them once nobody waits any more.
pub(crate) fn search(
    rule: &Rule,
    graph: &Graph,
    view: &View,
    cancelled: &dyn Fn() -> bool,
) -> Vec<Found> {
    let mut search = Search {
        rule,
        graph,
        view,
        types: &graph.analysis.types,
        letters: vec![None; rule.letters.len()],
        bound: vec![None; rule.variables.count.0 as usize],
        bound_nats: vec![None; rule.variables.count.1 as usize],
        trail: Vec::new(),
        found: Vec::new(),
    };
    let root = rule.left.root();
    for (n, class) in view.classes.iter().enumerate() {
        if n.is_multiple_of(STRIDE) && cancelled() {
            break;
        }
        search.class(*class, &mut SmallVec::from_slice(&[(root, *class)]));
    }
    search.found
}

/// What was bound, so that it can be undone.
enum Bound {
    Letter(usize),
    Type(usize),
    Nat(usize),
}

struct Search<'a> {
    rule: &'a Rule,
    graph: &'a Graph,
    view: &'a View,
    types: &'a Types,
    letters: Vec<Option<Id>>,
    bound: Vec<Option<TypeId>>,
    bound_nats: Vec<Option<NatId>>,
    trail: Vec<Bound>,
    found: Vec<Found>,
}

/// Parts of the left side that are still to be found, each in its class; the next one last.
type Open = SmallVec<[(PatId, Id); 12]>;

impl Search<'_> {
    fn class(&mut self, root: Id, open: &mut Open) {
        let Some((part, class)) = open.pop() else {
            self.finish(root);
            return;
        };
        let mark = self.trail.len();
        match &self.rule.left.parts[part] {
            Pat::Letter(number, ty) => {
                let data: &Class = &self.graph[class].data;
                let forbidden = &self.rule.letters[*number].forbidden;
                let fits = self.types.is(data.ty, crate::types::Kind::Any)
                    && !forbidden.iter().any(|index| data.free.has(*index))
                    && self.bind_letter(*number, class)
                    && self.bind_type(*ty, data.ty);
                if fits {
                    self.class(root, open);
                }
                self.undo(mark);
            }
            pattern => {
                let view = self.view;
                for node in view.nodes(class) {
                    let before = open.len();
                    let fits = match (pattern, node) {
                        (Pat::App(f, x), Node::App([function, argument])) => {
                            open.push((*x, *argument));
                            open.push((*f, *function));
                            true
                        }
                        (Pat::Lam(from, body), Node::Lam(ty, inner)) => {
                            open.push((*body, *inner));
                            self.bind_type(*from, *ty)
                        }
                        (Pat::Var(index, _), Node::Var(other, _)) => index == other,
                        (Pat::Prim(prim, sizes, ty), Node::Prim(other, given, actual)) => {
                            prim == other
                                && sizes.iter().zip(given).all(|pair| match pair {
                                    (Some(size), Some(given)) => self.bind_nat(*size, *given),
                                    (None, None) => true,
                                    _ => false,
                                })
                                && self.bind_type(*ty, *actual)
                        }
                        (Pat::Number(bits, ty), Node::Number(other, actual)) => {
                            bits == other && self.bind_type(*ty, *actual)
                        }
                        _ => false,
                    };
                    if fits {
                        let mut rest = open.clone();
                        self.class(root, &mut rest);
                    }
                    open.truncate(before);
                    self.undo(mark);
                }
            }
        }
        open.push((part, class));
    }

    fn finish(&mut self, class: Id) {
        let letters: Option<SmallVec<[Id; 4]>> = self.letters.iter().copied().collect();
        let Some(letters) = letters else {
            return;
        };
        self.found.push(Found {
            class,
            letters,
            types: self.bound.iter().copied().collect(),
            nats: self.bound_nats.iter().copied().collect(),
        });
    }

    fn undo(&mut self, mark: usize) {
        for bound in self.trail.drain(mark..) {
            match bound {
                Bound::Letter(place) => self.letters[place] = None,
                Bound::Type(place) => self.bound[place] = None,
                Bound::Nat(place) => self.bound_nats[place] = None,
            }
        }
    }

    fn bind_letter(&mut self, number: usize, class: Id) -> bool {
        match self.letters[number] {
            Some(known) => known == class,
            None => {
                self.letters[number] = Some(class);
                self.trail.push(Bound::Letter(number));
                true
            }
        }
    }

    fn bind_type(&mut self, pattern: TypeId, actual: TypeId) -> bool {
        if !self.types.is_open(pattern) {
            return pattern == actual;
        }
        match (self.types.get(pattern), self.types.get(actual)) {
            (Type::Var(var, kind), _) => {
                let place = self.rule.type_place(var);
                match self.bound[place] {
                    Some(known) => known == actual,
                    None => {
                        self.bound[place] = Some(actual);
                        self.trail.push(Bound::Type(place));
                        self.types.is(actual, kind)
                    }
                }
            }
            (Type::Array(n, a), Type::Array(m, b)) | (Type::Vector(n, a), Type::Vector(m, b)) => {
                self.bind_nat(n, m) && self.bind_type(a, b)
            }
            (Type::Pair(a, b), Type::Pair(c, d)) | (Type::Fun(a, b), Type::Fun(c, d)) => {
                self.bind_type(a, c) && self.bind_type(b, d)
            }
            _ => false,
        }
    }

    /// A size that is more than a variable follows from others, for what is matched is well-typed.
    fn bind_nat(&mut self, pattern: NatId, actual: NatId) -> bool {
        if !self.types.is_open_nat(pattern) {
            return pattern == actual;
        }
        let Some(place) = self
            .types
            .get_nat(pattern)
            .as_var()
            .and_then(|v| self.rule.nat_place(v))
        else {
            return true;
        };
        match self.bound_nats[place] {
            Some(known) => known == actual,
            None => {
                self.bound_nats[place] = Some(actual);
                self.trail.push(Bound::Nat(place));
                true
            }
        }
    }
}

impl Found {
    /// A type of the rule with what its variables stand for here. `None` where a size cannot be computed or be one.
    pub(crate) fn ty(&self, rule: &Rule, types: &mut Types, ty: TypeId) -> Option<TypeId> {
        if !types.is_open(ty) {
            return Some(ty);
        }
        let made = match types.get(ty) {
            Type::Scalar(_) => ty,
            Type::Var(var, _) => self.types[rule.type_place(var)]?,
            Type::Array(n, of) => {
                let n = self.nat(rule, types, n)?;
                let of = self.ty(rule, types, of)?;
                types.add(Type::Array(n, of))
            }
            Type::Vector(n, of) => {
                let n = self.nat(rule, types, n)?;
                let of = self.ty(rule, types, of)?;
                types.add(Type::Vector(n, of))
            }
            Type::Pair(a, b) => {
                let a = self.ty(rule, types, a)?;
                let b = self.ty(rule, types, b)?;
                types.add(Type::Pair(a, b))
            }
            Type::Fun(a, b) => {
                let a = self.ty(rule, types, a)?;
                let b = self.ty(rule, types, b)?;
                types.fun(a, b)
            }
        };
        (!types.is_impossible(made)).then_some(made)
    }

    /// A size of the rule with what its variables stand for here.
    pub(crate) fn nat(&self, rule: &Rule, types: &mut Types, nat: NatId) -> Option<NatId> {
        if !types.is_open_nat(nat) {
            return Some(nat);
        }
        if let Some(place) = types.get_nat(nat).as_var().and_then(|v| rule.nat_place(v)) {
            return self.nats[place];
        }
        let value = |var: NatVar| -> Option<Nat> {
            let known = self.nats[rule.nat_place(var)?]?;
            Some(types.get_nat(known).clone())
        };
        let made = types.get_nat(nat).replaced(&value)?;
        Some(types.nat(made))
    }
}

impl Rule {
    fn type_place(&self, var: TypeVar) -> usize {
        (var.0 - self.variables.first.0) as usize
    }

    fn nat_place(&self, var: NatVar) -> Option<usize> {
        let number = Types::unnamed(var)?;
        Some((number - self.variables.first.1) as usize)
    }
}
