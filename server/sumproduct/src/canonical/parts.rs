//! Operators over matrices that are put together of parts, and the largest cells of sums. Must never look into a part.

use sumac_la::{Node, NodeId, Op};

use super::Refused;
use super::poly::{Poly, Polyterm};
use super::print::poly_text;
use super::reduce::leading;
use super::term::Ix;
use super::translate::Translator;

impl Translator<'_> {
    /// What an operator gives for a matrix of parts, by what it gives for each of them.
    pub(super) fn over_parts(
        &mut self,
        id: NodeId,
        op: Op,
        args: &[NodeId],
    ) -> Result<Option<Poly>, Refused> {
        let Some((how, parts)) = self.parts(args[0]) else {
            return Ok(None);
        };
        let shapes: Vec<_> = parts.iter().map(|part| self.shapes[part]).collect();
        let polys: Vec<Poly> = parts.iter().map(|part| self.polys[part].clone()).collect();
        match (op, how) {
            (Op::Sum, _) | (Op::RowSums, Op::Cbind) | (Op::ColSums, Op::Rbind) => {
                let mut sum = Poly::default();
                for (poly, (rows, cols)) in polys.iter().zip(shapes) {
                    let mut part = poly.clone();
                    if op != Op::ColSums {
                        part = self.algebra.sum(&part, Ix::COL, cols)?;
                    }
                    if op != Op::RowSums {
                        part = self.algebra.sum(&part, Ix::ROW, rows)?;
                    }
                    sum = self.algebra.add(sum, &part)?;
                }
                Ok(Some(sum))
            }
            (Op::Max | Op::Min, _)
            | (Op::RowMaxs | Op::RowMins, Op::Cbind)
            | (Op::ColMaxs | Op::ColMins, Op::Rbind) => {
                let both = match op {
                    Op::Max | Op::RowMaxs | Op::ColMaxs => Op::Max2,
                    _ => Op::Min2,
                };
                let mut most: Option<Poly> = None;
                for part in &parts {
                    let own = self.aggregate(id, op, &[*part])?;
                    most = Some(match most {
                        Some(known) => self.algebra.cellwise(both, vec![known, own])?,
                        None => own,
                    });
                }
                Ok(most)
            }
            (Op::MatMul, Op::Cbind) => {
                let Some((Op::Rbind, others)) = self.parts(args[1]) else {
                    return Ok(None);
                };
                let sizes = &self.algebra.ctx.sizes;
                let fits = |(a, b): (&NodeId, &NodeId)| {
                    let (a, b) = (self.shapes[a].1, self.shapes[b].0);
                    let numbers = sizes.number(a).zip(sizes.number(b));
                    sizes.find(a) == sizes.find(b) || numbers.is_some_and(|(a, b)| a == b)
                };
                if parts.len() != others.len() || !parts.iter().zip(&others).all(fits) {
                    return Ok(None);
                }
                let mut sum = Poly::default();
                for ((left, right), (_, cols)) in polys.iter().zip(&others).zip(shapes) {
                    let right = self.polys[right].clone();
                    let product = self.algebra.product_over(left, &right, cols)?;
                    sum = self.algebra.add(sum, &product)?;
                }
                Ok(Some(sum))
            }
            (Op::Transpose, _) | (Op::ColSums, Op::Cbind) | (Op::RowSums, Op::Rbind) => {
                let transposed = match (op, how) {
                    (Op::Transpose, Op::Cbind) => Op::Rbind,
                    (Op::Transpose, _) => Op::Cbind,
                    (_, how) => how,
                };
                let one = self.algebra.ctx.sizes.known(1);
                let mut terms = Vec::new();
                for (poly, (rows, cols)) in polys.iter().zip(shapes) {
                    let (poly, shape) = match op {
                        Op::Transpose => (self.algebra.swap(poly)?, (cols, rows)),
                        Op::ColSums => (self.algebra.sum(poly, Ix::ROW, rows)?, (one, cols)),
                        _ => (self.algebra.sum(poly, Ix::COL, cols)?, (rows, one)),
                    };
                    terms.push(Polyterm::new(self.algebra.ctx, shape, poly));
                }
                let at = self.indices(self.shapes[&id]);
                let text = self.dag.print(id);
                self.algebra.whole(transposed, terms, &at, text).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The parts of a matrix, and how they are put together.
    fn parts(&self, id: NodeId) -> Option<(Op, Vec<NodeId>)> {
        match self.dag.node(id) {
            Node::Op(how @ (Op::Cbind | Op::Rbind), parts) if parts.len() > 1 => {
                Some((*how, parts.to_vec()))
            }
            _ => None,
        }
    }

    /// An aggregate of one argument.
    fn aggregate(&mut self, id: NodeId, op: Op, args: &[NodeId]) -> Result<Poly, Refused> {
        if self.keeps_cells(id, op, args) {
            return Ok(self.polys[&args[0]].clone());
        }
        if let Some(extreme) = self.extreme(id, op, args[0])? {
            return Ok(extreme);
        }
        self.whole(id, op, args)
    }

    /// The largest or smallest cells in the deep form: what is the same in all of them stands outside, and the smallest is the
    /// opposite of the largest of the opposites.
    pub(super) fn extreme(
        &mut self,
        id: NodeId,
        op: Op,
        arg: NodeId,
    ) -> Result<Option<Poly>, Refused> {
        if !self.algebra.ctx.is_deep {
            return Ok(None);
        }
        let (is_smallest, over): (bool, &[Ix]) = match op {
            Op::Max => (false, &[Ix::ROW, Ix::COL]),
            Op::Min => (true, &[Ix::ROW, Ix::COL]),
            Op::RowMaxs => (false, &[Ix::COL]),
            Op::RowMins => (true, &[Ix::COL]),
            Op::ColMaxs => (false, &[Ix::ROW]),
            Op::ColMins => (true, &[Ix::ROW]),
            _ => return Ok(None),
        };
        let mut poly = self.polys[&arg].clone();
        if is_smallest {
            poly = poly.negated();
        }
        let (mut inside, mut outside) = (poly.clone(), poly);
        let is_inside = |t: &super::term::Term| over.iter().any(|ix| t.mentions(*ix));
        inside.terms.retain(|term, _| is_inside(term));
        outside.terms.retain(|term, _| !is_inside(term));
        let Some((_, c)) = leading(&inside) else {
            return Ok(None);
        };
        let c = c.abs();
        let written = Polyterm::new(
            self.algebra.ctx,
            self.shapes[&arg],
            inside.scaled(c.inverse()),
        );
        let largest = match over {
            [Ix::ROW, Ix::COL] => Op::Max,
            [Ix::COL] => Op::RowMaxs,
            _ => Op::ColMaxs,
        };
        let mut written = self.algebra.without_moves(largest, written)?;
        // What is left of an axis that nothing mentions is aggregated, too.
        let mut at = self.indices(self.shapes[&id]);
        at.retain(|(ix, _)| written.poly.mentions(*ix));
        let mut largest = if at.is_empty() { Op::Max } else { largest };
        let is_transposed = largest == Op::ColMaxs;
        if is_transposed {
            largest = Op::RowMaxs;
            written = Polyterm {
                rows: written.cols,
                cols: written.rows,
                poly: self.algebra.swap(&written.poly)?,
            };
        }
        let is_as_written = !is_smallest && outside.terms.is_empty() && c.is_one();
        let text = match is_as_written {
            true => self.dag.print(id),
            // What is left of the argument, not what the person wrote.
            false => {
                let sides = self.shapes[&arg];
                let sides = if is_transposed {
                    (sides.1, sides.0)
                } else {
                    sides
                };
                let inside = poly_text(&written.poly, sides, self.algebra.ctx);
                let name = if largest == Op::Max { "max" } else { "rowMaxs" };
                format!("{name}({inside})")
            }
        };
        let mut args = vec![written];
        if largest == Op::Max {
            self.orient(&mut args)?;
        }
        let most = self.algebra.whole(largest, args, &at, text)?.scaled(c);
        let sum = self.algebra.add(outside, &most)?;
        Ok(Some(if is_smallest { sum.negated() } else { sum }))
    }
}
