//! Patterns that only say where elements belong: they become no loops, but ways to places.

use std::rc::Rc;

use egg::Id;

use super::Index;
use super::lower::{Lowering, Made, To};
use super::values::{Fun, Val};
use crate::node::Node;
use crate::prim::Prim;
use crate::types::{Type, TypeId};

/// Where elements belong, said by patterns.
#[derive(Clone)]
pub(super) enum Layout {
    /// Pieces of so many are one.
    Join(i64),
    Transpose,
    /// Pieces of so many elements.
    Split(i64),
    /// In each element.
    Each(Box<Layout>),
    /// First the one, then the other.
    Then(Box<Layout>, Box<Layout>),
}

/// Where the elements belong of what a layout is given, if what it makes of them belongs where `to` says.
pub(super) fn pushed(layout: &Layout, to: &To) -> To {
    let to = Rc::clone(to);
    match layout {
        Layout::Join(size) => {
            let size = *size;
            Rc::new(move |path: &[Index]| {
                let mut joined = vec![path[0].times(size).plus(&path[1])];
                joined.extend_from_slice(&path[2..]);
                to(&joined)
            })
        }
        Layout::Transpose => Rc::new(move |path: &[Index]| {
            let mut transposed = vec![path[1].clone(), path[0].clone()];
            transposed.extend_from_slice(&path[2..]);
            to(&transposed)
        }),
        Layout::Split(size) => {
            let size = *size;
            Rc::new(move |path: &[Index]| {
                let mut cut = vec![path[0].div(size), path[0].modulo(size)];
                cut.extend_from_slice(&path[1..]);
                to(&cut)
            })
        }
        Layout::Then(first, second) => pushed(first, &pushed(second, &to)),
        Layout::Each(inner) => {
            let inner: Rc<Layout> = Rc::new((**inner).clone());
            Rc::new(move |path: &[Index]| pushed(&inner, &at(&to, &path[0]))(&path[1..]))
        }
    }
}

/// Where the parts of the i-th element belong.
pub(super) fn at(to: &To, i: &Index) -> To {
    let (to, i) = (Rc::clone(to), i.clone());
    Rc::new(move |path: &[Index]| {
        let mut whole = vec![i.clone()];
        whole.extend_from_slice(path);
        to(&whole)
    })
}

impl Lowering<'_> {
    /// What a function does that only says where elements belong.
    pub(super) fn layout_of(&self, function: &Val) -> Option<Layout> {
        let Val::Fun(function) = function else {
            return None;
        };
        match &**function {
            Fun::Prim(Prim::Map | Prim::MapSeq, _, _, given) => match given.as_slice() {
                [inner] => Some(Layout::Each(Box::new(self.layout_of(inner)?))),
                _ => None,
            },
            Fun::Prim(prim, sizes, ty, given) if given.is_empty() => {
                self.layout_of_prim(*prim, sizes[0], *ty)
            }
            Fun::Prim(..) => None,
            Fun::Lam(body, _) => self.layout_of_body(*body),
        }
    }

    fn layout_of_prim(&self, prim: Prim, size: i64, ty: TypeId) -> Option<Layout> {
        match prim {
            Prim::Transpose => Some(Layout::Transpose),
            Prim::Split => Some(Layout::Split(size)),
            Prim::Join => {
                let (from, _) = self.types.as_fun(ty)?;
                let Type::Array(_, row) = self.types.get(from) else {
                    return None;
                };
                let Type::Array(n, _) = self.types.get(row) else {
                    return None;
                };
                Some(Layout::Join(self.size(n).ok()?))
            }
            _ => None,
        }
    }

    /// The body of a function of one parameter: such patterns, one after the other, around it.
    fn layout_of_body(&self, body: Id) -> Option<Layout> {
        let Node::App([function, argument]) = &self.term[body] else {
            return None;
        };
        let own = self.layout_of_term(*function)?;
        match &self.term[*argument] {
            Node::Var(0, _) => Some(own),
            _ => Some(Layout::Then(
                Box::new(self.layout_of_body(*argument)?),
                Box::new(own),
            )),
        }
    }

    fn layout_of_term(&self, function: Id) -> Option<Layout> {
        match &self.term[function] {
            Node::Prim(prim, sizes, ty) => {
                let size = sizes[0].and_then(|n| self.size(n).ok()).unwrap_or(1);
                self.layout_of_prim(*prim, size, *ty)
            }
            Node::App([map, inner]) => match &self.term[*map] {
                Node::Prim(Prim::Map | Prim::MapSeq, ..) => {
                    Some(Layout::Each(Box::new(self.layout_of_term(*inner)?)))
                }
                _ => None,
            },
            Node::Lam(_, body) => self.layout_of_body(*body),
            _ => None,
        }
    }

    /// A function as a pattern that says where elements belong, behind the rest of it: both, and the type in between.
    pub(super) fn unwrapped(&mut self, function: &Val) -> Made<Option<(Val, Val, TypeId)>> {
        let Val::Fun(function) = function else {
            return Ok(None);
        };
        let Fun::Lam(body, env) = &**function else {
            return Ok(None);
        };
        let Node::App([outer, inner]) = self.term[*body] else {
            return Ok(None);
        };
        if self.layout_of_term(outer).is_none() {
            return Ok(None);
        }
        // Such a pattern mentions no parameter.
        let layout = self.eval(outer, &mut env.clone())?;
        let rest = Val::Fun(Rc::new(Fun::Lam(inner, env.clone())));
        Ok(Some((layout, rest, self.of[usize::from(inner)])))
    }
}
