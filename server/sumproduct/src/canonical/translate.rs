//! From linear algebra to polyterms: R_LR of SPORES (Figure 2) extended to all operators. Must never drop an operator that
//! it does not know: those become atoms.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use sumac_la::{Dag, Node, NodeId, Op, ShapeRule};

use super::atom::{AtomId, Call, Context};
use super::exact::{Mode, mode_below};
use super::poly::{Algebra, Poly, Polyterm};
use super::shapes::{self, Diag, Shape, Shapes};
use super::sizes::SizeId;
use super::term::Ix;
use super::{Limits, Refused};

/// The canonical form of a node. Inputs are matched by name with all else that was made in `ctx`; see [`Context::learn`].
///
/// # Errors
/// The polyterm is larger than `limits` allow, or sizes contradict each other.
pub fn canonicalize(
    dag: &Dag,
    root: NodeId,
    ctx: &mut Context,
    limits: &Limits,
) -> Result<Polyterm, Refused> {
    let (polys, shapes) = canonicalize_all(dag, root, ctx, limits)?;
    Ok(Polyterm::new(ctx, shapes[&root], polys[&root].clone()))
}

/// The polyterm of each node.
pub(super) type Polys = HashMap<NodeId, Poly, FxBuildHasher>;

/// The canonical forms of nodes of one DAG, to compare with one another.
pub(crate) struct Values(HashMap<NodeId, Polyterm, FxBuildHasher>);

impl Values {
    /// Those of all nodes below `roots`.
    pub(crate) fn of(dag: &Dag, roots: &[NodeId], limits: &Limits) -> Result<Self, Refused> {
        let mut ctx = Context::default();
        let mut found = HashMap::default();
        for root in roots {
            let (polys, shapes) = canonicalize_all(dag, *root, &mut ctx, limits)?;
            for (id, poly) in polys {
                found
                    .entry(id)
                    .or_insert_with(|| Polyterm::new(&ctx, shapes[&id], poly));
            }
        }
        Ok(Values(found))
    }

    /// That of a node below the roots.
    pub(crate) fn get(&self, id: NodeId) -> Option<&Polyterm> {
        self.0.get(&id)
    }
}

/// Refuses what is too long to be written: atoms and sizes are told apart by how they are written.
///
/// # Errors
/// It is.
pub fn writable(dag: &Dag, root: NodeId) -> Result<(), Refused> {
    /// Parts of a text. People write a few hundred.
    const MOST: usize = 20_000;
    match dag.text_nodes(root) {
        nodes if nodes > MOST => Err(Refused::Text(MOST)),
        _ => Ok(()),
    }
}

/// The polyterms and shapes of all nodes below `root`.
pub(super) fn canonicalize_all(
    dag: &Dag,
    root: NodeId,
    ctx: &mut Context,
    limits: &Limits,
) -> Result<(Polys, Shapes), Refused> {
    writable(dag, root)?;
    let shapes = shapes::infer(ctx, dag, root);
    if let Some(text) = ctx.sizes.contradiction() {
        return Err(Refused::Sizes(text.to_owned()));
    }
    let mut translator = Translator {
        dag,
        shapes: &shapes,
        algebra: Algebra { ctx, limits },
        polys: Polys::default(),
        others: Default::default(),
        mode: Mode::Real,
    };
    for id in translator.algebra.ctx.order(dag, root) {
        let poly = translator.node(id)?;
        translator.polys.insert(id, poly);
    }
    let polys = translator.polys;
    Ok((polys, shapes))
}

pub(super) struct Translator<'a> {
    pub(super) dag: &'a Dag,
    pub(super) shapes: &'a Shapes,
    pub(super) algebra: Algebra<'a>,
    pub(super) polys: Polys,
    /// The polyterms below operators that jump, by mode; those of a mode that is on have changed places with `polys`.
    pub(super) others: [Polys; 2],
    /// Which laws hold.
    pub(super) mode: Mode,
}

impl Translator<'_> {
    pub(super) fn node(&mut self, id: NodeId) -> Result<Poly, Refused> {
        match self.dag.node(id) {
            Node::Num(bits) if self.mode != Mode::Real => self.exact_number(f64::from_bits(*bits)),
            Node::Num(bits) => Ok(self.algebra.constant(f64::from_bits(*bits))),
            // A matrix that is said to have no non-zero cell is zero.
            Node::Input(n) if self.dag.ty(id).sparsity == Some(0.0) => {
                let name = self.dag.inputs()[*n as usize].name.clone();
                self.algebra.ctx.empty.insert(name);
                Ok(self.algebra.constant(0.0))
            }
            Node::Input(_) => {
                if let Some(call) = self.algebra.ctx.call(self.dag, id) {
                    return self.call(id, &call);
                }
                let shape = self.shapes[&id];
                let name = self
                    .dag
                    .input_of(id)
                    .map_or_else(|| "?".into(), |i| i.name.clone());
                let atom = self.algebra.ctx.input(&name, shape);
                let at: Vec<Ix> = self.indices(shape).iter().map(|(ix, _)| *ix).collect();
                self.algebra.atom(atom, at)
            }
            Node::Op(op, args) => self.op(id, *op, args),
        }
    }

    /// The value of a function of which nothing is known.
    fn call(&mut self, id: NodeId, call: &Call) -> Result<Poly, Refused> {
        let args: Vec<Polyterm> = call
            .args
            .iter()
            .map(|arg| Polyterm::new(self.algebra.ctx, self.shapes[arg], self.polys[arg].clone()))
            .collect();
        let at = self.indices(self.shapes[&id]);
        let text = self.dag.print(id);
        self.algebra.call(&call.function, args, &at, text)
    }

    /// The indices of a shape with their sizes.
    pub(super) fn indices(&self, (rows, cols): Shape) -> Vec<(Ix, SizeId)> {
        let is_long = |(_, size): &(Ix, SizeId)| !self.algebra.ctx.sizes.is_one(*size);
        [(Ix::ROW, rows), (Ix::COL, cols)]
            .into_iter()
            .filter(is_long)
            .collect()
    }

    fn op(&mut self, id: NodeId, op: Op, args: &[NodeId]) -> Result<Poly, Refused> {
        if let Some(poly) = self.over_parts(id, op, args)? {
            return Ok(poly);
        }
        if matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
            && self.is_up_to_rounding(op, args)?
        {
            let left = self.below(Mode::Sums, args[0])?;
            let right = self.below(Mode::Sums, args[1])?;
            return self.algebra.compared_as_it_is(op, left, right);
        }
        if let Some(mode) = mode_below(op)
            && mode > self.mode
        {
            // Of constants, a run tells; but whole numbers are divided in another way.
            let is_division = matches!(op, Op::Mod | Op::IntDiv);
            return match self.number(id).filter(|_| !is_division) {
                Some(number) => Ok(self.algebra.constant(number)),
                None => self.below(mode, id),
            };
        }
        if self.mode != Mode::Real
            && let Some(opaque) = self.rounding(id, op, args)?
        {
            return Ok(opaque);
        }
        if matches!(op, Op::Sign | Op::Not | Op::And | Op::Or) {
            let args = args.iter().map(|arg| self.at_zero(*arg));
            let args = args.collect::<Result<_, _>>()?;
            return self.algebra.cellwise(op, args);
        }
        // Which of the others is taken jumps, what they are does not.
        let condition = match op {
            Op::IfElse => self.at_zero(args[0])?,
            _ => Poly::default(),
        };
        let arg = |i: usize| &self.polys[&args[i]];
        let (rows, cols) = self.shapes[&args[0]];
        let algebra = &mut self.algebra;
        match op {
            Op::Add => algebra.add(arg(0).clone(), arg(1)),
            Op::Sub => algebra.add(arg(0).clone(), &arg(1).clone().negated()),
            Op::Neg => Ok(arg(0).clone().negated()),
            Op::Mul => algebra.mul(arg(0), arg(1)),
            // Nothing is known of zero by zero.
            Op::Div if [0, 1].iter().all(|i| arg(*i).is_number(0)) => {
                algebra.cellwise(op, vec![arg(0).clone(), arg(1).clone()])
            }
            Op::Div => {
                let inverse = algebra.recip(arg(1))?;
                algebra.mul(arg(0), &inverse)
            }
            Op::Pow => algebra.pow(arg(0), arg(1)),
            Op::MatMul => {
                let (left, right) = (arg(0).clone(), arg(1).clone());
                algebra.product_over(&left, &right, cols)
            }
            Op::Transpose => algebra.swap(arg(0)),
            Op::Sum | Op::Mean => {
                let inner = algebra.sum(arg(0), Ix::COL, cols)?;
                let sum = algebra.sum(&inner, Ix::ROW, rows)?;
                let over: &[SizeId] = if op == Op::Mean { &[rows, cols] } else { &[] };
                self.per(sum, over)
            }
            Op::RowSums | Op::RowMeans => {
                let sum = algebra.sum(arg(0), Ix::COL, cols)?;
                let over: &[SizeId] = if op == Op::RowMeans { &[cols] } else { &[] };
                self.per(sum, over)
            }
            Op::ColSums | Op::ColMeans => {
                let sum = algebra.sum(arg(0), Ix::ROW, rows)?;
                let over: &[SizeId] = if op == Op::ColMeans { &[rows] } else { &[] };
                self.per(sum, over)
            }
            Op::Trace => {
                let diagonal =
                    algebra.rename(arg(0), |ix| if ix == Ix::COL { Ix::ROW } else { ix })?;
                algebra.sum(&diagonal, Ix::ROW, rows)
            }
            Op::Diag => match shapes::diag(algebra.ctx, (rows, cols)) {
                Some(Diag::Extract) => {
                    algebra.rename(arg(0), |ix| if ix == Ix::COL { Ix::ROW } else { ix })
                }
                Some(Diag::Build) if algebra.ctx.sizes.is_one(rows) => Ok(arg(0).clone()),
                Some(Diag::Build) => {
                    let delta = algebra.atom(AtomId::DELTA, [Ix::ROW, Ix::COL])?;
                    algebra.mul(arg(0), &delta)
                }
                None => self.whole(id, op, args),
            },
            Op::Nrow => algebra.size(rows),
            Op::Ncol => algebra.size(cols),
            Op::Length => {
                let (rows, cols) = (algebra.size(rows)?, algebra.size(cols)?);
                algebra.mul(&rows, &cols)
            }
            Op::Fill | Op::AsScalar | Op::AsMatrix => Ok(arg(0).clone()),
            Op::IfElse => {
                let (yes, no) = (arg(1), arg(2));
                match condition.as_constant() {
                    _ if yes.equals(no) => Ok(yes.clone()),
                    Some(c) if c.is_zero() => Ok(no.clone()),
                    Some(_) => Ok(yes.clone()),
                    None => algebra.cellwise(op, vec![condition, yes.clone(), no.clone()]),
                }
            }
            // Between scalars it is not known whether they are whole numbers, which are divided in another way.
            Op::Mod | Op::IntDiv if algebra.ctx.is_deep && !self.dag.is_scalar(id) => {
                let (x, y) = (arg(0).clone(), arg(1).clone());
                algebra.divided(op, &x, &y)
            }
            _ if op.info().shape == ShapeRule::Cellwise => {
                let args = (0..args.len()).map(|i| arg(i).clone()).collect();
                algebra.cellwise(op, args)
            }
            _ if self.keeps_cells(id, op, args) => Ok(self.polys[&args[0]].clone()),
            Op::Max | Op::Min | Op::RowMaxs | Op::RowMins | Op::ColMaxs | Op::ColMins
                if self.algebra.ctx.is_deep =>
            {
                match self.extreme(id, op, args[0])? {
                    Some(poly) => Ok(poly),
                    None => self.whole(id, op, args),
                }
            }
            Op::Rev => match self.algebra.reversed(&self.polys[&args[0]])? {
                Some(inner) => Ok(inner),
                None => self.whole(id, op, args),
            },
            _ => self.whole(id, op, args),
        }
    }

    /// Whether rounding may decide a comparison that exact numbers decide: both sides differ by a constant or not at all, and are
    /// written in two ways. Of constants, a run tells.
    fn is_up_to_rounding(&mut self, op: Op, args: &[NodeId]) -> Result<bool, Refused> {
        let &[left, right] = args else {
            return Ok(false);
        };
        if left == right {
            return Ok(false);
        }
        let (a, b) = (self.polys[&left].clone(), self.polys[&right].clone());
        let rest = self.algebra.add(a, &b.negated())?;
        let Some(rest) = rest.as_constant() else {
            return Ok(false);
        };
        let as_run = [left, right].map(|side| self.number(side));
        let [Some(a), Some(b)] = as_run else {
            return Ok(true);
        };
        let exact = op.eval(&[f64::from(rest.sign()), 0.0]);
        Ok(exact != op.eval(&[a, b]))
    }

    /// The number that a run computes for a node that reads no cells.
    pub(super) fn number(&self, id: NodeId) -> Option<f64> {
        match self.dag.node(id) {
            Node::Num(bits) => Some(f64::from_bits(*bits)),
            Node::Input(_) => None,
            Node::Op(Op::Fill | Op::AsScalar | Op::AsMatrix, args) => self.number(args[0]),
            Node::Op(op @ (Op::Nrow | Op::Ncol | Op::Length), args) => {
                let (rows, cols) = self.shapes[&args[0]];
                let number = |size| Some(sumac_la::as_f64(self.algebra.ctx.sizes.number(size)?));
                match op {
                    Op::Nrow => number(rows),
                    Op::Ncol => number(cols),
                    _ => Some(number(rows)? * number(cols)?),
                }
            }
            Node::Op(op, args) => {
                let args: Option<Vec<f64>> = args.iter().map(|arg| self.number(*arg)).collect();
                op.eval(&args?)
            }
        }
    }

    /// Whether an operator over whole matrices gives its first argument as it is: all cells move within their own place,
    /// or are zero, or are aggregated over axes along which they are equal. No axis is empty, as everywhere here.
    pub(super) fn keeps_cells(&self, id: NodeId, op: Op, args: &[NodeId]) -> bool {
        let sizes = &self.algebra.ctx.sizes;
        let (from, to) = (self.shapes[&args[0]], self.shapes[&id]);
        let is_same = |a: SizeId, b: SizeId| {
            a == b || matches!((sizes.number(a), sizes.number(b)), (Some(x), Some(y)) if x == y)
        };
        let keeps_shape = is_same(from.0, to.0) && is_same(from.1, to.1);
        let poly = &self.polys[&args[0]];
        let is_zero = poly.is_number(0);
        let starts = |at: usize| self.dag.value(args[at]) == Some(1.0);
        match op {
            Op::Rev => is_zero || sizes.is_one(from.0),
            Op::Reshape => is_zero || keeps_shape,
            Op::RightIndex => is_zero || (keeps_shape && starts(1) && starts(3)),
            Op::Cbind | Op::Rbind => {
                args.len() == 1 || args.iter().all(|arg| self.polys[arg].is_number(0))
            }
            Op::Prod => {
                poly.is_number(0)
                    || poly.is_number(1)
                    || (sizes.is_one(from.0) && sizes.is_one(from.1))
            }
            Op::Min | Op::Max => !poly.mentions(Ix::ROW) && !poly.mentions(Ix::COL),
            Op::RowMins | Op::RowMaxs => !poly.mentions(Ix::COL),
            Op::ColMins | Op::ColMaxs => !poly.mentions(Ix::ROW),
            _ => false,
        }
    }

    /// `sum` divided by sizes.
    fn per(&mut self, mut sum: Poly, over: &[SizeId]) -> Result<Poly, Refused> {
        for size in over {
            if self.mode != Mode::Real {
                sum = self.exact_share(sum, *size)?;
                continue;
            }
            let size = self.algebra.size(*size)?;
            let share = self.algebra.recip(&size)?;
            sum = self.algebra.mul(&sum, &share)?;
        }
        Ok(sum)
    }

    /// An operator over whole matrices. Aggregates by column are those by row of the transposed matrix.
    pub(super) fn whole(&mut self, id: NodeId, op: Op, args: &[NodeId]) -> Result<Poly, Refused> {
        // Where only the aggregated axis is left, all cells are aggregated.
        let mentions = |ix| self.polys[&args[0]].mentions(ix);
        let op = match op {
            Op::RowMins if !mentions(Ix::ROW) => Op::Min,
            Op::ColMins if !mentions(Ix::COL) => Op::Min,
            Op::RowMaxs if !mentions(Ix::ROW) => Op::Max,
            Op::ColMaxs if !mentions(Ix::COL) => Op::Max,
            other => other,
        };
        let by_row = match op {
            Op::ColMins => Some(Op::RowMins),
            Op::ColMaxs => Some(Op::RowMaxs),
            _ => None,
        };
        let mut at = self.indices(self.shapes[&id]);
        if matches!(op, Op::Min | Op::Max) {
            at.clear();
        }
        let mut polyterms = Vec::with_capacity(args.len());
        for arg in args {
            let poly = self.polys[arg].clone();
            let written = Polyterm::new(self.algebra.ctx, self.shapes[arg], poly);
            let arg = self.algebra.without_moves(op, written)?;
            polyterms.push(if by_row.is_some() {
                Polyterm {
                    rows: arg.cols,
                    cols: arg.rows,
                    poly: self.algebra.swap(&arg.poly)?,
                }
            } else {
                arg
            });
        }
        if matches!(op, Op::RowMins | Op::RowMaxs | Op::ColMins | Op::ColMaxs) {
            at.retain(|(ix, _)| self.polys[&args[0]].mentions(*ix));
        }
        let text = self.dag.print(id);
        let op = by_row.unwrap_or(op);
        if matches!(op, Op::Min | Op::Max | Op::Prod) {
            self.orient(&mut polyterms)?;
        }
        self.algebra.whole(op, polyterms, &at, text)
    }

    /// Exchanges rows and columns of the only argument if that comes first in the order of terms: aggregates over all
    /// cells do not see the difference.
    pub(super) fn orient(&mut self, args: &mut [Polyterm]) -> Result<(), Refused> {
        for arg in args {
            let swapped = Polyterm {
                rows: arg.cols.clone(),
                cols: arg.rows.clone(),
                poly: self.algebra.swap(&arg.poly)?,
            };
            let key = |p: &Polyterm| {
                (
                    p.rows.clone(),
                    p.cols.clone(),
                    p.poly.terms.keys().cloned().collect::<Vec<_>>(),
                )
            };
            if key(&swapped) < key(arg) {
                *arg = swapped;
            }
        }
        Ok(())
    }
}
