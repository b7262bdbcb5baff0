//! From a DAG to index notation, as a person would write it out. Must never simplify.

use sumac_la::{Dag, Node, NodeId, Op};

use super::Refused;
use super::atom::AtomId;
use super::poly::Algebra;
use super::shapes::{self, Diag, Shapes};
use super::term::{At, Ix};
use super::translate::Polys;
use super::tree::{Indices, Tree, from_poly, power};

/// Writes a DAG's node in index notation.
pub(super) struct Writer<'a> {
    pub(super) dag: &'a Dag,
    pub(super) shapes: &'a Shapes,
    pub(super) polys: &'a Polys,
    pub(super) algebra: Algebra<'a>,
    pub(super) indices: Indices,
    /// Nodes of the tree that may still be made.
    pub(super) left: usize,
}

impl Writer<'_> {
    /// The cell of `id` at `row` and `col`; `None` if the tree would be too large to read.
    pub(super) fn write(&mut self, id: NodeId, row: Ix, col: Ix) -> Result<Option<Tree>, Refused> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        let (op, args) = match self.dag.node(id) {
            Node::Num(_) | Node::Input(_) => return Ok(Some(self.known(id, row, col))),
            Node::Op(op, args) => (*op, args.clone()),
        };
        let (rows, cols) = self.shapes[&args[0]];
        macro_rules! arg {
            ($i:expr, $row:expr, $col:expr) => {
                match self.write(args[$i], $row, $col)? {
                    Some(tree) => tree,
                    None => return Ok(None),
                }
            };
        }
        Ok(Some(match op {
            Op::Add => Tree::Add(vec![arg!(0, row, col), arg!(1, row, col)]),
            Op::Sub => Tree::Sub(Box::new(arg!(0, row, col)), Box::new(arg!(1, row, col))),
            Op::Neg => Tree::Neg(Box::new(arg!(0, row, col))),
            Op::Mul => Tree::Mul(vec![arg!(0, row, col), arg!(1, row, col)]),
            Op::Div => {
                let inverse = self.algebra.recip(&self.polys[&args[1]])?;
                let inverse = from_poly(&inverse, (row, col), self.algebra.ctx, &mut self.indices);
                Tree::Mul(vec![arg!(0, row, col), inverse])
            }
            Op::Pow => match self.polys[&args[1]].as_constant() {
                Some(k) => match k.whole().and_then(|k| i32::try_from(k).ok()) {
                    Some(k @ 0..=16) => Tree::Pow(Box::new(arg!(0, row, col)), k),
                    _ => self.known(id, row, col),
                },
                None => self.known(id, row, col),
            },
            Op::MatMul => {
                let k = self.indices.fresh('k', cols);
                let product = Tree::Mul(vec![arg!(0, row, k), arg!(1, k, col)]);
                self.sum(vec![k], product)
            }
            Op::Transpose => arg!(0, col, row),
            Op::Sum | Op::Mean | Op::RowSums | Op::RowMeans | Op::ColSums | Op::ColMeans => {
                let i = self.indices.fresh('i', rows);
                let j = self.indices.fresh('j', cols);
                let (by, at) = match op {
                    Op::RowSums | Op::RowMeans => (vec![j], (row, j)),
                    Op::ColSums | Op::ColMeans => (vec![i], (i, col)),
                    _ => (vec![i, j], (i, j)),
                };
                let mut factors = Vec::new();
                if matches!(op, Op::Mean | Op::RowMeans | Op::ColMeans) {
                    for ix in &by {
                        factors.push(self.value_of_size(*ix, -1));
                    }
                }
                let inner = arg!(0, at.0, at.1);
                factors.push(self.sum(by, inner));
                Tree::Mul(factors)
            }
            Op::Trace => {
                let i = self.indices.fresh('i', rows);
                let inner = arg!(0, i, i);
                self.sum(vec![i], inner)
            }
            Op::Diag => match shapes::diag(self.algebra.ctx, (rows, cols)) {
                Some(Diag::Extract) => arg!(0, row, row),
                Some(Diag::Build) if !self.algebra.ctx.sizes.is_one(rows) => {
                    let delta = Tree::Atom(AtomId::DELTA, At::from_slice(&[row, col]));
                    Tree::Mul(vec![delta, arg!(0, row, col)])
                }
                Some(Diag::Build) => arg!(0, row, col),
                None => self.known(id, row, col),
            },
            Op::Fill | Op::AsScalar | Op::AsMatrix => arg!(0, row, col),
            _ => self.known(id, row, col),
        }))
    }

    /// The polyterm of a node whose inside is not explained.
    fn known(&mut self, id: NodeId, row: Ix, col: Ix) -> Tree {
        from_poly(
            &self.polys[&id],
            (row, col),
            self.algebra.ctx,
            &mut self.indices,
        )
    }

    fn sum(&self, ids: Vec<Ix>, body: Tree) -> Tree {
        let is_long = |ix: &Ix| {
            let size = self.indices.get(*ix).map(|(_, size)| size);
            !size.is_some_and(|s| self.algebra.ctx.sizes.is_one(s))
        };
        Tree::Sum(ids.into_iter().filter(is_long).collect(), Box::new(body))
    }

    /// The size of an index, raised to a power.
    pub(super) fn value_of_size(&mut self, ix: Ix, exponent: i32) -> Tree {
        let Some((_, size)) = self.indices.get(ix) else {
            return Tree::Num(1.0);
        };
        match self.algebra.ctx.size_value(size) {
            Ok(n) => Tree::Num(n.value().powi(exponent)),
            Err(factor) if self.algebra.ctx.is_size(factor.atom) || exponent > 0 => {
                power(Tree::Atom(factor.atom, factor.at), exponent)
            }
            // The size is the value of a scalar input, which has its own reciprocal.
            Err(factor) => {
                let value = self.algebra.product(vec![factor]);
                let inverse = value
                    .and_then(|v| self.algebra.recip(&v))
                    .unwrap_or_default();
                from_poly(
                    &inverse,
                    (Ix::ROW, Ix::COL),
                    self.algebra.ctx,
                    &mut self.indices,
                )
            }
        }
    }
}
