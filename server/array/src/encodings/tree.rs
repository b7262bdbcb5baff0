//! Whole terms without types: on their way out of a graph, substituted into, and back.

use std::rc::Rc;

use egg::Id;
use rustc_hash::FxHashMap;

use super::plain::{Graph, Plain, Var};
use crate::node::{Node, Term};
use crate::types::Types;

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Tree {
    Var(Var),
    Lam(Var, Rc<Tree>),
    App(Rc<Tree>, Rc<Tree>),
    Const(u32),
}

/// Primitives and numbers by number.
#[derive(Default)]
pub(super) struct Constants(FxHashMap<String, u32>);

impl Constants {
    pub(super) fn number(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.0.len()).expect("few constants");
        *self.0.entry(name).or_insert(next)
    }

    /// A typed term without its types. `names` is the next name, where parameters have names.
    pub(super) fn tree(&mut self, term: &Term, types: &Types, names: Option<&mut Var>) -> Tree {
        let mut maker = Untyped {
            constants: self,
            term,
            types,
            names,
            scope: Vec::new(),
        };
        maker.make(term.root())
    }
}

struct Untyped<'a> {
    constants: &'a mut Constants,
    term: &'a Term,
    types: &'a Types,
    names: Option<&'a mut Var>,
    scope: Vec<Var>,
}

impl Untyped<'_> {
    fn make(&mut self, id: Id) -> Tree {
        match &self.term[id] {
            Node::Var(index, _) if self.names.is_some() => {
                Tree::Var(self.scope[self.scope.len() - 1 - *index as usize])
            }
            Node::Var(index, _) => Tree::Var(*index),
            Node::Lam(_, body) => {
                let name = match &mut self.names {
                    Some(next) => {
                        **next += 1;
                        **next
                    }
                    None => 0,
                };
                self.scope.push(name);
                let body = self.make(*body);
                self.scope.pop();
                Tree::Lam(name, Rc::new(body))
            }
            Node::App([function, argument]) => {
                let function = self.make(*function);
                Tree::App(Rc::new(function), Rc::new(self.make(*argument)))
            }
            Node::Prim(prim, sizes, _) => {
                let sizes: Vec<String> = sizes
                    .iter()
                    .flatten()
                    .map(|n| self.types.show_nat(*n))
                    .collect();
                let name = format!("{}[{}]", prim.row().name, sizes.join(", "));
                Tree::Const(self.constants.number(name))
            }
            Node::Number(bits, _) => Tree::Const(self.constants.number(bits.value().to_string())),
        }
    }
}

/// The smallest known term of a class.
pub(super) fn take(graph: &Graph, class: Id) -> Tree {
    match graph[class].data.best.clone() {
        Plain::Var(var) => Tree::Var(var),
        Plain::Const(constant) => Tree::Const(constant),
        Plain::Lam(name, body) => Tree::Lam(name, Rc::new(take(graph, body))),
        Plain::App([function, argument]) => Tree::App(
            Rc::new(take(graph, function)),
            Rc::new(take(graph, argument)),
        ),
        Plain::Let(..) | Plain::Sub(..) | Plain::Shift(..) => {
            unreachable!("small steps and extraction are never in one graph")
        }
    }
}

/// Puts a term into a graph.
pub(super) fn put(graph: &mut Graph, tree: &Tree) -> Id {
    let node = match tree {
        Tree::Var(var) => Plain::Var(*var),
        Tree::Const(constant) => Plain::Const(*constant),
        Tree::Lam(name, body) => Plain::Lam(*name, put(graph, body)),
        Tree::App(function, argument) => {
            let function = put(graph, function);
            Plain::App([function, put(graph, argument)])
        }
    };
    graph.add(node)
}

/// Indices as the root sees them, changed.
pub(super) fn shifted(tree: &Tree, depth: u32, to: &dyn Fn(u32) -> u32) -> Tree {
    match tree {
        Tree::Var(index) if *index >= depth => Tree::Var(to(index - depth) + depth),
        Tree::Var(_) | Tree::Const(_) => tree.clone(),
        Tree::Lam(name, body) => Tree::Lam(*name, Rc::new(shifted(body, depth + 1, to))),
        Tree::App(function, argument) => Tree::App(
            Rc::new(shifted(function, depth, to)),
            Rc::new(shifted(argument, depth, to)),
        ),
    }
}

/// `body` with a value for its parameter of index 0, which is gone.
pub(super) fn put_at_index(body: &Tree, value: &Tree, depth: u32) -> Tree {
    match body {
        Tree::Var(index) if *index == depth => shifted(value, 0, &|n| n + depth),
        Tree::Var(index) if *index > depth => Tree::Var(index - 1),
        Tree::Var(_) | Tree::Const(_) => body.clone(),
        Tree::Lam(name, inner) => Tree::Lam(*name, Rc::new(put_at_index(inner, value, depth + 1))),
        Tree::App(function, argument) => Tree::App(
            Rc::new(put_at_index(function, value, depth)),
            Rc::new(put_at_index(argument, value, depth)),
        ),
    }
}

/// `body` with a value for a named parameter. A function whose parameter the value mentions gets another name.
pub(super) fn put_at_name(
    body: &Tree,
    name: Var,
    value: &Tree,
    free: &[Var],
    fresh: &mut dyn FnMut(Var) -> Var,
) -> Tree {
    match body {
        Tree::Var(other) if *other == name => value.clone(),
        Tree::Var(_) | Tree::Const(_) => body.clone(),
        Tree::Lam(other, _) if *other == name => body.clone(),
        Tree::Lam(other, inner) if free.contains(other) => {
            let new = fresh(*other);
            let inner = put_at_name(inner, *other, &Tree::Var(new), &[new], fresh);
            Tree::Lam(new, Rc::new(put_at_name(&inner, name, value, free, fresh)))
        }
        Tree::Lam(other, inner) => Tree::Lam(
            *other,
            Rc::new(put_at_name(inner, name, value, free, fresh)),
        ),
        Tree::App(function, argument) => Tree::App(
            Rc::new(put_at_name(function, name, value, free, fresh)),
            Rc::new(put_at_name(argument, name, value, free, fresh)),
        ),
    }
}
