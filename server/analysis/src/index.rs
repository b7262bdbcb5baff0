//! Right indexing: `X[i, j]`, `X[a:b, ]`.

use sumac_la::{Dim, Op};
use sumac_syntax::ast::{Expr, Index, Span};

use crate::analyzer::Analyzer;
use crate::expr::{Form, Operand, Val};
use crate::names::{self, strip};
use crate::operators::prefer;
use crate::value::{ValueInfo, ValueKind};

impl Analyzer<'_> {
    pub(crate) fn eval_index_expr(&mut self, expr: &Expr, base: &Expr, index: &Index) -> Val {
        let whole = self.eval(base);
        // Of a matrix or a frame, `X[i]` is row `i`.
        let has_rows = matches!(whole.info.kind, ValueKind::Matrix | ValueKind::Frame);
        self.check_base(base.range, whole.info.kind);
        let all = Span::All;
        let Some(cols) = index.cols.as_ref().or(has_rows.then_some(&all)) else {
            names::index_exprs(index, &mut |e| {
                self.eval_part(e);
            });
            let kind = match whole.info.kind {
                ValueKind::List => ValueKind::List,
                _ => ValueKind::Unknown,
            };
            return Val {
                info: ValueInfo::of(kind),
                form: impure_or_opaque(&whole),
            };
        };
        let is_matrix = whole.info.kind == ValueKind::Matrix;
        let mut ends: Vec<Operand<'_>> = Vec::new();
        let mut shape = Vec::new();
        let mut spans: Vec<[Option<usize>; 2]> = Vec::new();
        let mut vague = false;
        for (span, dim) in [(&index.rows, &whole.info.rows), (cols, &whole.info.cols)] {
            let (low, high): (Option<&Expr>, Option<&Expr>) = match span {
                Span::All => (None, None),
                Span::At(e) => (Some(e), Some(e)),
                Span::Range(a, b) => (a.as_deref(), b.as_deref()),
            };
            let single = matches!(span, Span::At(_));
            let low_at = low.map(|e| {
                let val = self.eval(e);
                ends.push((strip(e), val));
                ends.len() - 1
            });
            let high_at = if single {
                low_at
            } else {
                high.map(|e| {
                    let val = self.eval(e);
                    ends.push((strip(e), val));
                    ends.len() - 1
                })
            };
            let value = |at: Option<usize>| at.and_then(|i| ends[i].1.info.number());
            let end = |at: Option<usize>| at.map(|i| (ends[i].0, &ends[i].1.info));
            shape.push(if single {
                Dim::Known(1)
            } else if low_at.is_none() && high_at.is_none() {
                dim.clone()
            } else {
                self.extent(end(low_at), end(high_at), dim)
            });
            let is_rows = shape.len() == 1;
            self.check_positions(
                base.range,
                whole.info.kind,
                dim,
                is_rows,
                [end(low_at), end(high_at)],
            );
            // The operator table takes `1 : <no number>` of an unknown side for all of it.
            vague |= !single
                && value(low_at) == Some(1.0)
                && high_at.is_some()
                && value(high_at).is_none()
                && dim.known().is_none();
            spans.push([low_at, high_at]);
        }
        let info = if is_matrix {
            ValueInfo::matrix(shape[0].clone(), shape[1].clone(), whole.info.sparsity)
                .within(whole.info.limits)
        } else if whole.info.kind == ValueKind::Frame {
            ValueInfo {
                kind: ValueKind::Frame,
                ..ValueInfo::matrix(shape[0].clone(), shape[1].clone(), None)
            }
        } else {
            ValueInfo::unknown()
        };
        let base_operand = (base, whole);
        let fits = is_matrix
            && !vague
            && self.fits(&base_operand)
            && ends.iter().all(|end| self.fits(end));
        if !fits {
            let impure = base_operand.1.form == Form::Impure
                || ends.iter().any(|e| e.1.form == Form::Impure);
            self.keep_part(base, &base_operand.1);
            for (e, val) in &ends {
                self.keep_part(e, val);
            }
            return Val {
                info,
                form: if impure { Form::Impure } else { Form::Opaque },
            };
        }
        let mut nodes = Vec::new();
        let matrix = self.node(&base_operand);
        nodes.push(matrix);
        for (span, size) in spans.iter().zip([Op::Nrow, Op::Ncol]) {
            nodes.push(match span[0] {
                Some(i) => self.node(&ends[i]),
                None => Some(self.block.dag.num(1.0)),
            });
            nodes.push(match span[1] {
                Some(i) => self.node(&ends[i]),
                None => matrix.and_then(|m| self.block.dag.op(size, [m]).ok()),
            });
        }
        let mut operands = vec![base_operand];
        operands.extend(ends);
        let val = self.node_of(
            Op::RightIndex,
            expr,
            &operands,
            nodes.into_iter().collect(),
            info.clone(),
        );
        prefer(val, info)
    }
}

fn impure_or_opaque(val: &Val) -> Form {
    if val.form == Form::Impure {
        Form::Impure
    } else {
        Form::Opaque
    }
}
