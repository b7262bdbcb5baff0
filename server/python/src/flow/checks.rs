//! What a test says where it holds, and where it does not: `assert X.shape == (n, d)`, `if X.ndim != 2: raise`.
//!
//! Must never conclude anything from a part that need not have been evaluated.

use sumac_la::Dim;
use sumac_text::TextRange;

use super::Flow;
use crate::env::Binding;
use crate::parse::dotted;
use crate::parse::{BoolOp, CmpOp, Expr, Number, UnaryOp, place};
use crate::read::Reader;
use crate::value::{DType, Value};

impl Flow<'_> {
    /// Notes what holds after a test that came out as `holds`.
    pub(super) fn learn(&mut self, test: &Expr, holds: bool, source: &str, statement: TextRange) {
        match test {
            Expr::UnaryOp(of) if of.op == UnaryOp::Not => {
                self.learn(&of.operand, !holds, source, statement);
            }
            Expr::BoolOp(of) if (of.op == BoolOp::And) == holds => {
                for part in &of.values {
                    self.learn(part, holds, source, statement);
                }
            }
            Expr::Compare(of) => {
                let mut left = &*of.left;
                // Of a chain that fails one part fails, and nobody knows which.
                if !holds && of.ops.len() != 1 {
                    return;
                }
                for (op, right) in of.ops.iter().zip(&of.comparators) {
                    let op = if holds { Some(*op) } else { negated(*op) };
                    if let Some(op) = op {
                        self.compared(left, op, right, source, statement);
                    }
                    left = right;
                }
            }
            _ => {}
        }
    }

    fn compared(
        &mut self,
        left: &Expr,
        op: CmpOp,
        right: &Expr,
        source: &str,
        statement: TextRange,
    ) {
        match op {
            CmpOp::Eq => {
                let is_shape = self.shape_is(left, right, source, statement)
                    || self.shape_is(right, left, source, statement)
                    || self.rank_is(left, right, source, statement)
                    || self.rank_is(right, left, source, statement);
                if is_shape {
                    return;
                }
                let (a, b) = (self.size(left), self.size(right));
                if let (Some(a), Some(b)) = (a, b) {
                    self.env.unify(&a, &b, false);
                }
            }
            CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => {
                let (a, b) = (self.new_size(left), self.new_size(right));
                if let (Some(a), Some(b)) = (a, b) {
                    match op {
                        CmpOp::Lt | CmpOp::LtE => self.env.state_order(&a, &b),
                        _ => self.env.state_order(&b, &a),
                    }
                }
            }
            _ => {}
        }
    }

    fn reader(&mut self) -> Reader<'_> {
        Reader::new(self.file.text, &mut self.env, Some(&mut self.sizes))
    }

    fn size(&mut self, expr: &Expr) -> Option<Dim> {
        self.reader().dim(expr)
    }

    fn new_size(&mut self, expr: &Expr) -> Option<Dim> {
        let is_number = matches!(expr, Expr::NumberLiteral(_));
        (!is_number).then(|| self.reader().new_dim(expr)).flatten()
    }

    /// `X.shape == (n, d)`.
    fn shape_is(&mut self, of: &Expr, shape: &Expr, source: &str, statement: TextRange) -> bool {
        let Expr::Attribute(attribute) = of else {
            return false;
        };
        if attribute.attr.as_str() != "shape" {
            return false;
        }
        if let Some(said) = self.reader().shape_named(shape).or_else(|| {
            matches!(shape, Expr::Tuple(_))
                .then(|| self.reader().new_shape(shape))
                .flatten()
        }) {
            self.state_shape(&attribute.value, said, source, statement);
        }
        true
    }

    /// `X.ndim == 2`, `len(X.shape) == 2`.
    fn rank_is(&mut self, of: &Expr, rank: &Expr, source: &str, statement: TextRange) -> bool {
        let array = match of {
            Expr::Attribute(attribute) if attribute.attr.as_str() == "ndim" => &attribute.value,
            Expr::Call(call) => match &*call.arguments.args {
                [Expr::Attribute(attribute)] if attribute.attr.as_str() == "shape" => {
                    &attribute.value
                }
                _ => return false,
            },
            _ => return false,
        };
        let Expr::NumberLiteral(number) = rank else {
            return true;
        };
        let Number::Int(int) = &number.value else {
            return true;
        };
        let Some(rank @ 1..=2) = int.as_usize() else {
            return true;
        };
        let text = match &**array {
            Expr::Name(name) if matches!(self.env.get(&name.id), Some(Binding::Unknown)) => {
                name.id.to_string()
            }
            _ => return true,
        };
        let dims: Option<Vec<Dim>> = (0..rank)
            .map(|axis| self.sizes.read_as(&format!("{text}.shape[{axis}]")))
            .collect();
        if let Some(dims) = dims {
            self.state_shape(array, dims, source, statement);
        }
        true
    }

    /// States the sizes of a variable or an attribute.
    pub(super) fn state_shape(
        &mut self,
        of: &Expr,
        dims: Vec<Dim>,
        source: &str,
        statement: TextRange,
    ) {
        if dims.len() > 2 {
            return;
        }
        let known = match of {
            Expr::Name(name) => match self.env.get(&name.id) {
                Some(Binding::Value(value)) => Some(value),
                Some(Binding::Unknown) => None,
                _ => return,
            },
            _ => self.reader().value_of_place(of),
        };
        let source = match source {
            "" => format!("line {}", self.file.line(statement.start)),
            _ => format!("{source}, line {}", self.file.line(statement.start)),
        };
        if let Some(known) = known {
            if known.rank() == dims.len() {
                for (a, b) in known.shape.iter().zip(&dims) {
                    self.env.unify(a, b, false);
                }
            }
            return;
        }
        // Where arrays of two libraries are about, a shape says too little.
        if self.file.is_mixed {
            return;
        }
        let value = Value::array(dims, DType::Assumed);
        match of {
            Expr::Name(name) => {
                if self.file.declared.contains(name.id.as_str()) {
                    return;
                }
                self.bind(&name.id, Binding::Value(value));
                self.tell(&name.id, place(of), &source);
            }
            _ => {
                if let Some(text) = dotted(of) {
                    self.env.set_place(&text, Some(value), false);
                }
            }
        }
    }
}

/// The comparison that holds where this one does not.
fn negated(op: CmpOp) -> Option<CmpOp> {
    Some(match op {
        CmpOp::Eq => CmpOp::NotEq,
        CmpOp::NotEq => CmpOp::Eq,
        CmpOp::Lt => CmpOp::GtE,
        CmpOp::LtE => CmpOp::Gt,
        CmpOp::Gt => CmpOp::LtE,
        CmpOp::GtE => CmpOp::Lt,
        _ => return None,
    })
}
