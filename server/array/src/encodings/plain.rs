//! Nodes without types, in all four encodings, and what is known of their classes.

use std::rc::Rc;

use egg::{Analysis, DidMerge, EGraph, Id, Language};
use rustc_hash::FxHashMap;

use crate::graph::keep_smaller;

/// A name or an index of a parameter.
pub(super) type Var = u32;

/// A part of a term. A term of one encoding uses only the nodes of that encoding.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) enum Plain {
    /// A parameter.
    Var(Var),
    /// A function; its parameter's name, or 0 where parameters are indices.
    Lam(Var, Id),
    /// A function applied to an argument.
    App([Id; 2]),
    /// A primitive or a number, by its number among the constants.
    Const(u32),
    /// A term in which a named parameter is to become a value: the value, the term.
    Let(Var, [Id; 2]),
    /// A term in which the parameter of an index is to become a value: the term, the value.
    Sub(u32, [Id; 2]),
    /// A term whose indices from the second number on are to grow by the first.
    Shift(i32, u32, Id),
}

impl Language for Plain {
    type Discriminant = std::mem::Discriminant<Plain>;

    fn discriminant(&self) -> Self::Discriminant {
        std::mem::discriminant(self)
    }

    fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Plain::Var(a), Plain::Var(b))
            | (Plain::Lam(a, _), Plain::Lam(b, _))
            | (Plain::Const(a), Plain::Const(b))
            | (Plain::Let(a, _), Plain::Let(b, _))
            | (Plain::Sub(a, _), Plain::Sub(b, _)) => a == b,
            (Plain::App(_), Plain::App(_)) => true,
            (Plain::Shift(a, b, _), Plain::Shift(c, d, _)) => a == c && b == d,
            _ => false,
        }
    }

    fn children(&self) -> &[Id] {
        match self {
            Plain::Var(_) | Plain::Const(_) => &[],
            Plain::Lam(_, body) | Plain::Shift(_, _, body) => std::slice::from_ref(body),
            Plain::App(parts) | Plain::Let(_, parts) | Plain::Sub(_, parts) => parts,
        }
    }

    fn children_mut(&mut self) -> &mut [Id] {
        match self {
            Plain::Var(_) | Plain::Const(_) => &mut [],
            Plain::Lam(_, body) | Plain::Shift(_, _, body) => std::slice::from_mut(body),
            Plain::App(parts) | Plain::Let(_, parts) | Plain::Sub(_, parts) => parts,
        }
    }
}

/// What is known of a class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Known {
    /// The parameters that any of its terms mentions from outside, in order.
    pub(super) free: Rc<[Var]>,
    /// How many nodes its smallest known term has.
    pub(super) size: u32,
    /// The root of that term.
    pub(super) best: Plain,
}

/// How parameters are written, and the names that were made up.
#[derive(Clone, Default, Debug)]
pub(super) struct Names {
    pub(super) de_bruijn: bool,
    made: FxHashMap<(u32, Id), Var>,
    next: Var,
}

impl Names {
    pub(super) fn new(de_bruijn: bool, next: Var) -> Self {
        Names {
            de_bruijn,
            made: FxHashMap::default(),
            next,
        }
    }

    /// The name for a purpose at a class: the same for the same, so that equal terms stay equal.
    pub(super) fn fresh(&mut self, purpose: u32, class: Id) -> Var {
        let next = &mut self.next;
        *self.made.entry((purpose, class)).or_insert_with(|| {
            *next += 1;
            *next
        })
    }
}

pub(super) type Graph = EGraph<Plain, Names>;

impl Analysis<Plain> for Names {
    type Data = Known;

    fn make(graph: &mut Graph, node: &Plain, _: Id) -> Known {
        let free = |id: Id| graph[id].data.free.iter().copied();
        let size = node.fold(1_u32, |sum, id| sum.saturating_add(graph[id].data.size));
        let de_bruijn = graph.analysis.de_bruijn;
        let mut found: Vec<Var> = match node {
            Plain::Var(var) => vec![*var],
            Plain::Const(_) => Vec::new(),
            Plain::Lam(_, body) if de_bruijn => free(*body)
                .filter(|index| *index > 0)
                .map(|index| index - 1)
                .collect(),
            Plain::Lam(name, body) => free(*body).filter(|other| other != name).collect(),
            Plain::App([function, argument]) => free(*function).chain(free(*argument)).collect(),
            Plain::Let(name, [value, body]) => {
                let mut found: Vec<Var> = free(*body).filter(|other| other != name).collect();
                if free(*body).any(|other| other == *name) {
                    found.extend(free(*value));
                }
                found
            }
            Plain::Sub(index, [body, value]) => {
                let rest = free(*body).filter(|other| other != index);
                let mut found: Vec<Var> =
                    rest.map(|n| if n > *index { n - 1 } else { n }).collect();
                if free(*body).any(|other| other == *index) {
                    found.extend(free(*value).map(|n| n + index));
                }
                found
            }
            Plain::Shift(by, from, body) => free(*body)
                .map(|n| {
                    if n >= *from {
                        n.saturating_add_signed(*by)
                    } else {
                        n
                    }
                })
                .collect(),
        };
        found.sort_unstable();
        found.dedup();
        Known {
            free: found.into(),
            size,
            best: node.clone(),
        }
    }

    fn merge(&mut self, a: &mut Known, b: Known) -> DidMerge {
        let mut merged = DidMerge(false, false);
        if a.free != b.free {
            let mut all: Vec<Var> = a.free.iter().chain(&*b.free).copied().collect();
            all.sort_unstable();
            all.dedup();
            merged.0 |= all.len() != a.free.len();
            merged.1 |= all.len() != b.free.len();
            a.free = all.into();
        }
        merged | keep_smaller((&mut a.size, &mut a.best), (b.size, b.best))
    }
}
