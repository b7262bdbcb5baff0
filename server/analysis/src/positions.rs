//! Positions between brackets, on both sides of an assignment: they count from one and end with the last row or column. What is
//! put into a range has its shape.

use sumac_la::{Dim, as_f64, number};
use sumac_syntax::ast::{Expr, Index, Span, Target};
use sumac_text::TextRange;

use crate::analyzer::Analyzer;
use crate::result::{Severity, codes};
use crate::value::{ValueInfo, ValueKind};

/// One end of a range, where it is written.
type End<'e> = Option<(&'e Expr, &'e ValueInfo)>;

impl Analyzer<'_> {
    /// Tells of ends that a matrix, a frame or a list of such a size does not have.
    pub(crate) fn check_positions(
        &mut self,
        base: TextRange,
        kind: ValueKind,
        size: &Dim,
        is_rows: bool,
        ends: [End<'_>; 2],
    ) {
        if !matches!(kind, ValueKind::Matrix | ValueKind::Frame | ValueKind::List) {
            return;
        }
        let (one, many) = match (kind, is_rows) {
            (ValueKind::List, _) => ("entry", "entries"),
            (_, true) => ("row", "rows"),
            (_, false) => ("column", "columns"),
        };
        let value = |end: &End<'_>| end.and_then(|(_, info)| info.number());
        let mut reported: Option<TextRange> = None;
        for (expr, at) in ends.iter().filter_map(|end| Some(((*end)?.0, value(end)?))) {
            if reported == Some(expr.range) {
                continue;
            }
            let known = size.known().filter(|_| kind != ValueKind::List);
            let message = if at < 1.0 {
                format!(
                    "position {} is in front of the first {one} of `{}`: positions count from 1",
                    number(at.trunc()),
                    self.normal_text(base)
                )
            } else if let Some(size) = known.filter(|size| at >= as_f64(*size) + 1.0) {
                format!(
                    "position {} is behind the last of `{}`'s {size} {many}",
                    number(at),
                    self.normal_text(base)
                )
            } else {
                continue;
            };
            reported = Some(expr.range);
            self.report(
                Severity::Error,
                codes::INDEX_OUT_OF_RANGE,
                expr.range,
                message,
            );
        }
        if let ([Some((low, _)), Some((high, _))], Some(from), Some(to)) =
            (&ends, value(&ends[0]), value(&ends[1]))
            && reported.is_none()
            && to.trunc() < from.trunc()
        {
            let message = format!(
                "the range ends at {} before it begins at {}: write the smaller position first",
                number(to.trunc()),
                number(from.trunc())
            );
            let range = low.range.cover(high.range);
            self.report(Severity::Error, codes::INDEX_OUT_OF_RANGE, range, message);
        }
    }

    /// A scalar has no positions.
    pub(crate) fn check_base(&mut self, base: TextRange, kind: ValueKind) {
        if kind.is_scalar() {
            let message = format!(
                "`{}` is {}, and only matrices, frames and lists have positions",
                self.normal_text(base),
                kind.with_article()
            );
            self.report(Severity::Error, codes::KIND_MISMATCH, base, message);
        }
    }

    /// The positions of a target, and whether what is assigned fits there.
    pub(crate) fn check_target(
        &mut self,
        target: &Target,
        index: &Index,
        old: &ValueInfo,
        new: &ValueInfo,
    ) {
        self.check_base(target.name.range, old.kind);
        if !matches!(old.kind, ValueKind::Matrix | ValueKind::Frame) {
            return;
        }
        let all = Span::All;
        let cols = index.cols.as_ref().unwrap_or(&all);
        let mut sizes = Vec::new();
        for (span, dim, is_rows) in [(&index.rows, &old.rows, true), (cols, &old.cols, false)] {
            let (low, high): (Option<&Expr>, Option<&Expr>) = match span {
                Span::All => (None, None),
                Span::At(at) => (Some(at), None),
                Span::Range(from, to) => (from.as_deref(), to.as_deref()),
            };
            // What the ends are was found when the index was looked at.
            let infos = [low, high].map(|end| end.map(|expr| (expr, self.seen(expr))));
            let ends = infos
                .each_ref()
                .map(|end| end.as_ref().map(|(expr, info)| (*expr, info)));
            self.check_positions(target.name.range, old.kind, dim, is_rows, ends);
            sizes.push(match span {
                Span::At(_) => Dim::Known(1),
                Span::All => dim.clone(),
                Span::Range(..) => self.extent(ends[0], ends[1], dim),
            });
        }
        let (rows, cols) = match new.kind {
            ValueKind::Matrix | ValueKind::Frame => (new.rows.clone(), new.cols.clone()),
            kind if kind.is_scalar() => (Dim::Known(1), Dim::Known(1)),
            _ => return,
        };
        let [wanted_rows, wanted_cols] = sizes.as_slice() else {
            return;
        };
        if rows.meet(wanted_rows).is_some() && cols.meet(wanted_cols).is_some() {
            return;
        }
        let text = self.normal_text(target.range);
        let (found, hint) = if new.kind.is_scalar() {
            let hint = format!(
                "; fill the part: `{text} = matrix({}, {wanted_rows}, {wanted_cols})`",
                match &new.constant {
                    Some(constant) if constant.number().is_some() => {
                        number(constant.number().unwrap_or_default())
                    }
                    _ => "…".to_owned(),
                }
            );
            ("a scalar".to_owned(), hint)
        } else {
            (format!("{rows} x {cols}"), String::new())
        };
        let message = format!(
            "`{text}` is {wanted_rows} x {wanted_cols} and takes what has that shape, found {found}{hint}"
        );
        self.report(
            Severity::Error,
            codes::SHAPE_MISMATCH,
            target.range,
            message,
        );
    }

    /// What was found of an expression that was looked at before.
    fn seen(&self, expr: &Expr) -> ValueInfo {
        let all = self.out.expr_types.iter().rev();
        all.take(MOST_BACK)
            .find(|(range, _)| *range == expr.range)
            .map_or_else(ValueInfo::unknown, |(_, info)| info.clone())
    }
}

/// The parts of one index are among the last so many expressions.
const MOST_BACK: usize = 200;
