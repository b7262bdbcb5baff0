//! Arguments of operators that jump (`floor`, `%%`, comparisons): two of them count as equal only if floating point computes the
//! same for both wherever real numbers do and the argument can lie on a jump.
//!
//! `X / 49 * 49` is `X` but for its last digits, and `floor` makes a whole number of those. Sums and products of whole numbers are
//! exact, in any order; so below an operator that jumps they keep their laws, and what rounds nearly always (a quotient, a power, a
//! logarithm, a decimal such as 0.1) is an opaque function of its arguments. Must never be laxer than the laws outside: a form that
//! is equal here is equal there.

use sumac_la::{NodeId, Op, ShapeRule};

use super::Refused;
use super::atom::Function;
use super::poly::Poly;
use super::sizes::SizeId;
use super::translate::Translator;

/// Whether the last digit of an argument can make a difference of one or more.
pub(super) fn jumps(op: Op) -> bool {
    use Op::{And, Ceil, Eq, Floor, Ge, Gt, IntDiv, Le, Lt, Mod, Ne, Not, Or, Round, Sign};
    #[rustfmt::skip]
    let jumps = matches!(
        op,
        And | Ceil | Eq | Floor | Ge | Gt | IntDiv | Le | Lt | Mod | Ne | Not | Or | Round | Sign
    );
    jumps
}

/// Whether a number has so few binary digits that sums and products of such numbers are exact.
fn is_short(number: f64) -> bool {
    /// 2^20: what stands on either side of the point.
    const MOST: f64 = 1_048_576.0;
    number.abs() <= MOST * MOST && (number * MOST).fract() == 0.0
}

impl Translator<'_> {
    /// The polyterm of a node below an operator that jumps.
    pub(super) fn exactly(&mut self, root: NodeId) -> Result<Poly, Refused> {
        if self.is_exact {
            return Ok(self.polys[&root].clone());
        }
        std::mem::swap(&mut self.polys, &mut self.exact);
        self.is_exact = true;
        let found = self.all_exactly(root);
        self.is_exact = false;
        std::mem::swap(&mut self.polys, &mut self.exact);
        found
    }

    fn all_exactly(&mut self, root: NodeId) -> Result<Poly, Refused> {
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

    /// An operator that rounds; `None` for one that does not, or not on whole numbers.
    pub(super) fn rounding(&mut self, op: Op, args: &[NodeId]) -> Result<Option<Poly>, Refused> {
        let value = |at: usize| self.dag.value(args[at]);
        let is_exact = match op {
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Abs | Op::Min2 | Op::Max2 | Op::IfElse => {
                true
            }
            Op::Div => value(1).is_some_and(|by| by != 0.0 && is_short(by) && is_short(1.0 / by)),
            Op::Pow => value(1).is_some_and(|k| k >= 0.0 && k.fract() == 0.0),
            op => op.info().shape != ShapeRule::Cellwise || jumps(op),
        };
        if is_exact {
            return Ok(None);
        }
        let args = args.iter().map(|arg| self.polys[arg].clone()).collect();
        self.algebra.intern(Function::Cellwise(op), args).map(Some)
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
