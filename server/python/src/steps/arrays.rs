//! Arrays that are made, and sizes: diagonals, ones, the unit matrix, `X.shape[0]`.
//!
//! Must never make an array of a size that no text is known of.

use sumac_la::{Dim, Node, NodeId, Op};

use super::{Made, Offers, STEP, made};
use crate::make;
use crate::print::receiver;
use crate::raise::Way;
use crate::tree::{Step, Tree};

impl Offers<'_, '_> {
    /// The diagonal of a matrix, or the matrix of a diagonal.
    pub(super) fn diagonal(&mut self, a: NodeId) {
        let form = self.raising.form;
        if !self.ty(a).cols.is_one() {
            // As a method it needs no name of NumPy.
            for way in [Way::Matrix, Way::Turned] {
                if let Some(a) = self.get(a, way) {
                    self.offer(Way::Vector, made(Step::Diag, STEP, &[a]));
                }
            }
            return;
        }
        if !self.raising.means.functions {
            return;
        }
        if let Node::Op(Op::Fill, fill) = form.node(a)
            && form.value(fill[0]) == Some(1.0)
            && let Some(size) = self.get(fill[1], Way::Scalar)
        {
            let made = Made {
                weight: size.weight + STEP,
                tree: make::eye(&self.ty(a).rows, size.tree.clone()),
            };
            self.offer(Way::Matrix, Some(made.clone()));
            self.offer(Way::Turned, Some(made));
        }
        if let Some(a) = self.get(a, Way::Vector) {
            for way in [Way::Matrix, Way::Turned] {
                self.offer(way, made(Step::Diag, STEP, &[a]));
            }
        }
    }

    /// An array with one number everywhere.
    pub(super) fn fill(&mut self, value: NodeId, rows: NodeId, cols: NodeId) {
        if !self.raising.means.functions {
            return;
        }
        let (n, m) = (&self.ty.rows, &self.ty.cols);
        let size = |id: NodeId| Some(self.get(id, Way::Scalar)?.tree.clone());
        let (Some(rows), Some(cols)) = (size(rows), size(cols)) else {
            return;
        };
        let mut shapes: Vec<(Way, Vec<Dim>, Vec<Tree>)> = Vec::new();
        if m.is_one() {
            shapes.push((Way::Vector, vec![n.clone()], vec![rows.clone()]));
        } else if n.is_one() {
            shapes.push((Way::Vector, vec![m.clone()], vec![cols.clone()]));
        }
        let both = vec![rows.clone(), cols.clone()];
        shapes.push((Way::Matrix, vec![n.clone(), m.clone()], both));
        let both = vec![cols, rows];
        shapes.push((Way::Turned, vec![m.clone(), n.clone()], both));
        let number = self.raising.form.value(value);
        for (way, shape, sizes) in shapes {
            let plain = number.filter(|value| *value == 0.0 || *value == 1.0);
            let tree = make::fill(plain.unwrap_or(1.0), shape, sizes);
            let filled = Made { weight: STEP, tree };
            match (plain, self.get(value, Way::Scalar)) {
                (Some(_), _) => self.offer(way, Some(filled)),
                (None, Some(value)) => {
                    self.offer(way, made(Step::Cell(Op::Mul), STEP, &[value, &filled]));
                }
                (None, None) => {}
            }
        }
    }

    /// The sizes of a node along these axes, multiplied.
    pub(super) fn size(&mut self, a: NodeId, axes: &[usize]) {
        let ty = self.ty(a);
        let mut product: Option<Tree> = None;
        for axis in axes {
            let dim = if *axis == 0 { &ty.rows } else { &ty.cols };
            if dim.is_one() && axes.len() > 1 {
                continue;
            }
            let Some(size) = self.one_size(dim, a) else {
                return;
            };
            product = match product {
                None => Some(size),
                Some(before) => make::step(Step::Cell(Op::Mul), vec![before, size]),
            };
        }
        let tree = product.or_else(|| make::number(1.0, true));
        let weight = STEP;
        self.offer(Way::Scalar, tree.map(|tree| Made { weight, tree }));
    }

    /// A size: by the name that it has, or from an array that has it, best from this one.
    fn one_size(&self, dim: &Dim, of: NodeId) -> Option<Tree> {
        let form = self.raising.form;
        if let Some(known) = dim.known() {
            #[expect(clippy::cast_precision_loss, reason = "a size in a script")]
            return make::number(known as f64, true);
        }
        if *dim == Dim::Unknown {
            return None;
        }
        let inputs = form.inputs().iter();
        let mut named = inputs.filter(|input| input.ty.is_scalar() && input.ty.size == *dim);
        if let Some(input) = named.next()
            && let Some(tree) = self.raising.atoms.get(&input.name)
        {
            return Some(tree.clone());
        }
        let leaf = |name: &str| self.raising.atoms.get(name);
        let own = form.input_of(of).and_then(|input| leaf(&input.name));
        for tree in own.into_iter().chain(self.raising.atoms.values()) {
            let Step::Atom(atom) = &tree.step else {
                continue;
            };
            let axis = tree.value.shape.iter().position(|size| size == dim);
            if let Some(axis) = axis.filter(|_| atom.is_pure) {
                let array = receiver(&atom.text);
                return make::size(format!("{array}.shape[{axis}]").into());
            }
        }
        None
    }
}
