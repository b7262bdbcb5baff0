//! Arguments of operators that jump (`floor`, `%%`, comparisons): two of them count as equal only if floating point computes the
//! same for both, wherever real numbers do and the argument can lie on a jump.
//!
//! `X / 49 * 49` is `X` but for its last digits, and `floor` makes a whole number of those. What rounds nearly always (a quotient, a
//! power, a logarithm, a decimal such as 0.1) is an opaque function of its arguments there. Sums and products of whole numbers are
//! exact in any order, and other sums lie on the jump of a comparison by chance alone: below comparisons they keep their laws. Below
//! `floor` and its like, which jump at every whole number, an expression that rounds more than once is its text. Must never be laxer
//! than the laws outside: a form that is equal here is equal there.

use sumac_la::{Node, NodeId, Op, ShapeRule};

use super::Refused;
use super::atom::Function;
use super::poly::Poly;
use super::sizes::SizeId;
use super::translate::Translator;

/// Which laws hold, from all to few.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mode {
    /// Those of real numbers.
    Real,
    /// Those of sums and products.
    Sums,
    /// Those that floating point has, too.
    Floats,
}

/// The laws that hold for arguments of an operator, where the last digit of one can make a difference of one or more.
pub(super) fn mode_below(op: Op) -> Option<Mode> {
    match op {
        _ if op.info().truth_valued => Some(Mode::Sums),
        Op::Sign => Some(Mode::Sums),
        Op::Floor | Op::Ceil | Op::Round | Op::Mod | Op::IntDiv => Some(Mode::Floats),
        _ => None,
    }
}

/// Whether a number has so few binary digits that sums and products of such numbers are exact.
fn is_short(number: f64) -> bool {
    /// 2^20: what stands on either side of the point.
    const MOST: f64 = 1_048_576.0;
    number.abs() <= MOST * MOST && (number * MOST).fract() == 0.0
}

/// Whether an operator moves cells, picks among them or changes signs, and so rounds nothing.
fn is_exact(op: Op) -> bool {
    use Op::{
        Abs, AsMatrix, AsScalar, Cbind, Diag, Fill, IfElse, LeftIndex, Length, Max, Max2, Min,
        Min2, Ncol, Neg, Nrow, Rbind, Reshape, Rev, RightIndex, Seq, Transpose,
    };
    mode_below(op).is_some()
        || matches!(
            op,
            Abs | AsMatrix
                | AsScalar
                | Cbind
                | Diag
                | Fill
                | IfElse
                | LeftIndex
                | Length
                | Max
                | Max2
                | Min
                | Min2
                | Ncol
                | Neg
                | Nrow
                | Rbind
                | Reshape
                | Rev
                | RightIndex
                | Seq
                | Transpose
                | Op::RowMaxs
                | Op::RowMins
                | Op::ColMaxs
                | Op::ColMins
        )
}

impl Translator<'_> {
    /// The polyterm of a node where the laws of a mode hold.
    pub(super) fn below(&mut self, mode: Mode, root: NodeId) -> Result<Poly, Refused> {
        if mode <= self.mode {
            return Ok(self.polys[&root].clone());
        }
        let outer = std::mem::replace(&mut self.mode, mode);
        std::mem::swap(&mut self.polys, &mut self.others[mode as usize - 1]);
        let found = self.all_below(root);
        std::mem::swap(&mut self.polys, &mut self.others[mode as usize - 1]);
        self.mode = outer;
        found
    }

    fn all_below(&mut self, root: NodeId) -> Result<Poly, Refused> {
        for id in self.algebra.ctx.order(self.dag, root) {
            if !self.polys.contains_key(&id) {
                let poly = self.node(id)?;
                self.polys.insert(id, poly);
            }
        }
        Ok(self.polys[&root].clone())
    }

    /// A number, which is a name for itself where it has many digits.
    pub(super) fn exact_number(&mut self, number: f64) -> Result<Poly, Refused> {
        if is_short(number) || !number.is_finite() {
            return Ok(self.algebra.constant(number));
        }
        // Its sign is exact.
        let text = sumac_la::number(number.abs());
        let name = self
            .algebra
            .call(&text.as_str().into(), Vec::new(), &[], text)?;
        Ok(if number < 0.0 { name.negated() } else { name })
    }

    /// An operator that rounds, below one that jumps; `None` where its laws hold all the same.
    pub(super) fn rounding(
        &mut self,
        id: NodeId,
        op: Op,
        args: &[NodeId],
    ) -> Result<Option<Poly>, Refused> {
        let value = |at: usize| self.dag.value(args[at]);
        let keeps_laws = match op {
            Op::Add | Op::Sub | Op::Mul => true,
            Op::Div => value(1).is_some_and(|by| by != 0.0 && is_short(by) && is_short(1.0 / by)),
            Op::Pow => value(1).is_some_and(|k| k >= 0.0 && k.fract() == 0.0),
            op => op.info().shape != ShapeRule::Cellwise || is_exact(op),
        };
        if !keeps_laws {
            let args = args.iter().map(|arg| self.polys[arg].clone()).collect();
            let opaque = self.algebra.intern(Function::Cellwise(op), args);
            return opaque.map(Some);
        }
        // What is rounded once is the number that is nearest to the real one, however it is written.
        let is_free = self.mode == Mode::Sums || is_exact(op) || self.rounds(id) <= 1;
        let is_constant = |poly: &Poly| poly.as_constant().is_some();
        if is_free {
            return Ok(None);
        }
        if args.iter().all(|arg| is_constant(&self.polys[arg])) {
            return Ok(None);
        }
        self.as_text(id).map(Some)
    }

    /// How often a value is rounded on the way to a node: of a sum of cells it counts as often as it takes to depend on the order.
    fn rounds(&self, id: NodeId) -> usize {
        let times = |id: NodeId| match self.dag.node(id) {
            Node::Op(op, _) if is_exact(*op) => 0,
            Node::Op(op, _) if op.info().shape == ShapeRule::Cellwise => 1,
            Node::Op(..) => 2,
            Node::Input(_) | Node::Num(_) => 0,
        };
        self.dag.reachable(&[id]).into_iter().map(times).sum()
    }

    /// What an operator that jumps at zero reads: nothing is known of what is a constant but for its rounding.
    pub(super) fn at_zero(&mut self, arg: NodeId) -> Result<Poly, Refused> {
        let poly = self.below(Mode::Sums, arg)?;
        let is_sure =
            poly.as_constant().is_none() || self.number(arg).is_some() || self.rounds(arg) <= 1;
        if is_sure { Ok(poly) } else { self.as_text(arg) }
    }

    /// A node as a function of which nothing is known but how it is written.
    fn as_text(&mut self, id: NodeId) -> Result<Poly, Refused> {
        let (at, text) = (self.indices(self.shapes[&id]), self.dag.print(id));
        self.algebra
            .call(&text.as_str().into(), Vec::new(), &at, text)
    }

    /// `sum` over a size, which rounds.
    pub(super) fn exact_share(&mut self, sum: Poly, size: SizeId) -> Result<Poly, Refused> {
        let size = self.algebra.size(size)?;
        match size.is_number(1) {
            true => Ok(sum),
            false => self
                .algebra
                .intern(Function::Cellwise(Op::Div), vec![sum, size]),
        }
    }
}
