//! Which sizes of a translated expression are equal, and what they are called.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_la::{Dim, Node, NodeId, Op};

use super::Translation;
use super::patterns::{CELLWISE, Form, OTHERS, PRODUCT};
use crate::program::Sizes;
use crate::text;

impl Translation<'_> {
    pub(super) fn axis(&self, id: NodeId, axis: usize) -> usize {
        let mut at = 2 * id.index() + axis;
        while self.same[at] != at {
            at = self.same[at];
        }
        at
    }

    pub(super) fn equal(&mut self, (a, axis): (NodeId, usize), (b, other): (NodeId, usize)) {
        let (a, b) = (self.axis(a, axis), self.axis(b, other));
        let (first, second) = (a.min(b), a.max(b));
        if first != second {
            let met = self.dims[first].meet(&self.dims[second]);
            self.dims[first] = met.unwrap_or_else(|| self.dims[first].clone());
            self.same[second] = first;
        }
    }

    pub(super) fn is_one(&self, id: NodeId, axis: usize) -> bool {
        self.dims[self.axis(id, axis)].is_one()
    }

    pub(super) fn form(&self, id: NodeId) -> Form {
        match (self.is_one(id, 0), self.is_one(id, 1)) {
            (true, true) => Form::Number,
            (true, false) => Form::Row,
            (false, true) => Form::Column,
            (false, false) => Form::Matrix,
        }
    }

    /// Finds out which sizes are equal, whatever they are.
    pub(super) fn equate(&mut self) -> Result<(), String> {
        let mut named: BTreeMap<Arc<str>, (NodeId, usize)> = BTreeMap::new();
        for id in self.order.clone() {
            let ty = self.dag.ty(id);
            for (axis, dim) in [&ty.rows, &ty.cols].into_iter().enumerate() {
                match dim {
                    Dim::Known(0) => {
                        return Err(format!("`{}` is empty", self.dag.print(id)));
                    }
                    Dim::Named(name) => {
                        let first = *named.entry(Arc::clone(&name.name)).or_insert((id, axis));
                        self.equal(first, (id, axis));
                    }
                    Dim::Known(_) | Dim::Unknown => {}
                }
            }
            let Node::Op(op, args) = self.dag.node(id) else {
                continue;
            };
            let all_alike = |arg: NodeId| [((id, 0), (arg, 0)), ((id, 1), (arg, 1))];
            match op {
                Op::MatMul => {
                    self.equal((id, 0), (args[0], 0));
                    self.equal((id, 1), (args[1], 1));
                    self.equal((args[0], 1), (args[1], 0));
                }
                Op::Transpose => {
                    self.equal((id, 0), (args[0], 1));
                    self.equal((id, 1), (args[0], 0));
                }
                Op::RowSums | Op::RowMeans | Op::RowMins | Op::RowMaxs => {
                    self.equal((id, 0), (args[0], 0));
                }
                Op::ColSums | Op::ColMeans | Op::ColMins | Op::ColMaxs => {
                    self.equal((id, 1), (args[0], 1));
                }
                Op::Neg | Op::Abs | Op::Pow | Op::AsScalar | Op::AsMatrix => {
                    for (a, b) in all_alike(args[0]) {
                        self.equal(a, b);
                    }
                }
                _ if CELLWISE.iter().any(|(known, _)| known == op) => {
                    for arg in args {
                        self.beside(id, *arg)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// An argument of a cellwise operator: its sizes are those of the result, or one.
    pub(super) fn beside(&mut self, id: NodeId, arg: NodeId) -> Result<(), String> {
        if self.dag.is_scalar(arg) {
            return Ok(());
        }
        for axis in [0, 1] {
            let of = |ty: &sumac_la::Type| [ty.rows.clone(), ty.cols.clone()][axis].clone();
            let (own, whole) = (of(self.dag.ty(arg)), of(self.dag.ty(id)));
            match own {
                Dim::Known(1) => {}
                Dim::Unknown if whole != Dim::Known(1) => {
                    return Err(format!(
                        "the size of `{}` is not known, it may be one row or column for all; say it, `#@ X: n x m`",
                        self.dag.print(arg)
                    ));
                }
                _ => self.equal((id, axis), (arg, axis)),
            }
        }
        Ok(())
    }

    pub(super) fn name_sizes(&mut self) {
        let is_product = |id: &&NodeId| matches!(self.dag.node(**id), Node::Op(Op::MatMul, _));
        let products = self.order.iter().filter(is_product);
        let of = |id: &NodeId| {
            let args = self.dag.args(*id);
            [self.axis(*id, 0), self.axis(*id, 1), self.axis(args[0], 1)]
        };
        // The product of most dimensions, the last of these.
        let dimensions =
            |axes: &[usize; 3]| axes.iter().filter(|a| !self.dims[**a].is_one()).count();
        let product = products.map(of).max_by_key(dimensions);
        for (axis, name) in product.into_iter().flatten().zip(PRODUCT) {
            if !self.dims[axis].is_one() {
                self.names.entry(axis).or_insert_with(|| name.to_owned());
            }
        }
        for id in self.order.clone() {
            for axis in [0, 1] {
                let axis = self.axis(id, axis);
                if self.dims[axis].is_one() || self.names.contains_key(&axis) {
                    continue;
                }
                let name = self.free_name(axis);
                self.names.insert(axis, name);
            }
        }
    }

    pub(super) fn free_name(&self, axis: usize) -> String {
        let is_free = |name: &String| {
            text::is_name(name)
                && !PRODUCT.contains(&name.as_str())
                && self.names.values().all(|known| known != name)
        };
        let own = match &self.dims[axis] {
            Dim::Named(name) => Some(name.to_string()),
            Dim::Known(_) | Dim::Unknown => None,
        };
        let letters = OTHERS.chars().map(String::from);
        let numbered = (2..).flat_map(|n| OTHERS.chars().map(move |c| format!("{c}{n}")));
        let mut all = own.into_iter().chain(letters).chain(numbered);
        all.find(is_free).expect("there is always one more name")
    }

    pub(super) fn known_sizes(&self) -> Sizes {
        let known = self.names.iter().filter_map(|(axis, name)| {
            let value = self.dims[*axis].known()?;
            Some((name.clone(), i64::try_from(value).ok()?))
        });
        known.collect()
    }
}
