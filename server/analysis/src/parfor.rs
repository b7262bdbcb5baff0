//! Iterations of a `parfor` that depend on one another. SystemDS refuses such a loop before it runs, by what the positions of
//! reads and writes say: a variable that was there before is written by one iteration only where a position follows the
//! loop's own variable, and is read there alone.

mod linear;

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_syntax::ast::{
    Arg, AssignOp, Block, Call, Expr, ExprKind, Ident, Index, LoopRange, Span, Stmt, StmtKind,
    Target,
};
use sumac_text::TextRange;

use crate::analyzer::Analyzer;
use crate::db::segments::is_labelled;
use crate::names::{self, strip};
use crate::result::{Severity, codes};
use crate::value::{ValueInfo, ValueKind};
use linear::{Linear, divisor_of, linear, same_places};

/// Names of what runs over all rows, or all columns, of a range; those of variables begin with a letter.
const ROWS: &str = "#r";
const COLUMNS: &str = "#c";

/// A use of a variable: a write, or a read.
struct Access<'s> {
    name: &'s Ident,
    index: Option<&'s Index>,
    range: TextRange,
    /// `X += …` of a whole variable, whose parts SystemDS adds up.
    adds: bool,
}

/// The loops whose variables positions may follow, with first and last value.
type Bounds = BTreeMap<Arc<str>, (i64, i64)>;

impl Analyzer<'_> {
    /// Tells of dependencies between the iterations of a `parfor`; what is known is known where it begins.
    pub(crate) fn check_parfor(&mut self, head: (&Ident, &LoopRange, &[Arg]), body: &Block) {
        let (var, range, options) = head;
        let is_checked = options.iter().all(|option| {
            let is_check = option
                .name
                .as_ref()
                .is_some_and(|name| &*name.name == "check");
            !is_check || option.value.kind != ExprKind::Int(0)
        });
        if !self.recording || !is_checked {
            return;
        }
        let bounds = Bounds::from([(Arc::clone(&var.name), bounds_of(range))]);
        let (mut writes, mut reads) = (Vec::new(), Vec::new());
        for stmt in &body.statements {
            self.accesses(stmt, &mut writes, &mut reads);
        }
        let mut told: Vec<Arc<str>> = Vec::new();
        for write in &writes {
            let Some(before) = self.env.get(&write.name.name).cloned() else {
                continue;
            };
            // What only the loop itself assigns is known in front of it where another loop is around; it is not meant.
            let is_earlier =
                |def: &TextRange| is_labelled(def.start) || def.start < var.range.start;
            if !before.defs.iter().any(is_earlier) {
                continue;
            }
            let name = &write.name.name;
            if told.contains(name) || *name == var.name {
                continue;
            }
            let search = Search {
                info: &before.info,
                var: &var.name,
                bounds: &bounds,
                text: self,
            };
            let Some((what, other)) = search.dependency(write, &writes, &reads) else {
                continue;
            };
            told.push(Arc::clone(name));
            let loop_var = &var.name;
            let way = match before.info.kind {
                ValueKind::Matrix => format!(
                    "let each iteration write and read its own part, as `{name}[{loop_var}, ]`, or use `for`"
                ),
                _ => format!(
                    "let each iteration write a part of its own of a matrix, as `R[{loop_var}, 1] = …`, or use `for`"
                ),
            };
            let message =
                format!("the iterations of this `parfor` depend on one another: {what}; {way}");
            let mut related = vec![(
                before.first_definition().unwrap_or(write.name.range),
                format!("`{name}` has a value before the loop"),
            )];
            related.extend(other.map(|range| (range, format!("`{name}` is used here, too"))));
            related.retain(|(range, _)| *range != write.range);
            self.report_with(
                Severity::Error,
                codes::PARFOR_DEPENDENCY,
                write.range,
                message,
                related,
            );
        }
    }

    /// What SystemDS looks at in a statement: no conditions, no heads of loops, no `write`.
    fn accesses<'s>(
        &self,
        stmt: &'s Stmt,
        writes: &mut Vec<Access<'s>>,
        reads: &mut Vec<Access<'s>>,
    ) {
        let mut write = |target: &'s Target, adds: bool| {
            writes.push(Access {
                name: &target.name,
                index: target.index.as_ref(),
                range: target.range,
                adds: adds && target.index.is_none(),
            });
        };
        match &stmt.kind {
            StmtKind::Assign { target, op, value } => {
                write(target, *op == AssignOp::Accumulate);
                self.reads_of(value, reads);
            }
            StmtKind::MultiAssign { targets, value } => {
                targets.iter().for_each(|target| write(target, false));
                self.reads_of(value, reads);
            }
            StmtKind::Expr(Expr {
                kind: ExprKind::Call(call),
                ..
            }) if &*call.name.name != "write" => {
                call.args
                    .iter()
                    .for_each(|arg| self.reads_of(&arg.value, reads));
            }
            _ => {
                let bodies = names::bodies(stmt).into_iter();
                bodies
                    .flat_map(|body| &body.statements)
                    .for_each(|inner| self.accesses(inner, writes, reads));
            }
        }
    }

    fn reads_of<'s>(&self, expr: &'s Expr, reads: &mut Vec<Access<'s>>) {
        let mut read = |name: &'s Ident, index: Option<&'s Index>| {
            reads.push(Access {
                name,
                index,
                range: expr.range,
                adds: false,
            });
        };
        match &expr.kind {
            ExprKind::Name(ident) => read(ident, None),
            ExprKind::Index(base, index) => {
                if let ExprKind::Name(ident) = &strip(base).kind {
                    read(ident, Some(index));
                }
            }
            ExprKind::Paren(inner) | ExprKind::Unary(_, inner) => self.reads_of(inner, reads),
            ExprKind::Binary(_, a, b) => {
                self.reads_of(a, reads);
                self.reads_of(b, reads);
            }
            ExprKind::Call(call) if !self.is_unseen(call) => {
                call.args
                    .iter()
                    .for_each(|arg| self.reads_of(&arg.value, reads));
            }
            _ => {}
        }
    }

    /// Calls whose arguments SystemDS leaves out of account: sizes are no cells.
    fn is_unseen(&self, call: &Call) -> bool {
        const UNSEEN: [&str; 8] = [
            "nrow",
            "ncol",
            "matrix",
            "rand",
            "read",
            "frame",
            "tensor",
            "federated",
        ];
        !self.is_function(call) && UNSEEN.contains(&&*call.name.name)
    }
}

fn bounds_of(range: &LoopRange) -> (i64, i64) {
    let number = |expr: &Expr| match &strip(expr).kind {
        ExprKind::Int(n) => Some(*n),
        _ => None,
    };
    let (from, to) = match range {
        LoopRange::FromTo(from, to) => (number(from), number(to)),
        LoopRange::Over(_) => (None, None),
    };
    let (from, to) = (
        from.unwrap_or(i64::from(i32::MIN)),
        to.unwrap_or(i64::from(i32::MAX)),
    );
    (from.min(to), from.max(to))
}

/// The search for what a write depends on.
struct Search<'a> {
    /// What is known of the variable before the loop.
    info: &'a ValueInfo,
    var: &'a Arc<str>,
    bounds: &'a Bounds,
    text: &'a Analyzer<'a>,
}

impl Search<'_> {
    /// What makes iterations depend on one another by this write, and where the other use stands.
    fn dependency(
        &self,
        write: &Access<'_>,
        writes: &[Access<'_>],
        reads: &[Access<'_>],
    ) -> Option<(String, Option<TextRange>)> {
        let name = &write.name.name;
        let kind = self.info.kind;
        if kind.is_scalar() {
            let what =
                format!("each of them gives `{name}` a value, which is there before the loop");
            return Some((what, None));
        }
        if !matches!(kind, ValueKind::Matrix | ValueKind::Frame | ValueKind::List) {
            return None;
        }
        let own = self.place(write);
        if kind == ValueKind::Matrix && !write.adds && !self.follows(own.as_ref()) {
            let what = match write.index {
                None => format!("each of them gives the whole of `{name}` a value"),
                Some(_) => format!(
                    "no position in `{}` follows `{}`, so several of them write the same cells",
                    self.text.slice(write.range),
                    self.var
                ),
            };
            return Some((what, None));
        }
        let same = |other: &&Access<'_>| other.name.name == *name;
        for other in writes.iter().filter(same) {
            if std::ptr::eq(other, write) || self.is_apart(write, other) {
                continue;
            }
            let what = format!(
                "`{}` and `{}` can be the same cells in different iterations",
                self.text.slice(write.range),
                self.text.slice(other.range)
            );
            return Some((what, Some(other.range)));
        }
        for read in reads.iter().filter(same) {
            let what = match read.index {
                None => {
                    format!("`{name}` is read as a whole, and each of them writes a part of it")
                }
                Some(_)
                    if self.is_equal(write, read) && self.follows(self.place(read).as_ref()) =>
                {
                    continue;
                }
                Some(_) if !self.is_equal(write, read) && self.is_apart(write, read) => continue,
                Some(_) => format!(
                    "`{}` reads what `{}` can write in another iteration",
                    self.text.slice(read.range),
                    self.text.slice(write.range)
                ),
            };
            return Some((what, Some(read.range)));
        }
        None
    }

    /// Whether two uses never meet in different iterations.
    fn is_apart(&self, a: &Access<'_>, b: &Access<'_>) -> bool {
        if self.is_equal(a, b) {
            return true;
        }
        if a.index.is_none() || b.index.is_none() {
            return false;
        }
        let (Some(f), Some(g)) = (self.place(a), self.place(b)) else {
            return false;
        };
        !self.may_meet(&f, &g) || self.sides_are_apart(a, b)
    }

    /// Where no column follows the loop, rows that are apart are enough, and the other way round.
    fn sides_are_apart(&self, a: &Access<'_>, b: &Access<'_>) -> bool {
        let (Some(x), Some(y)) = (a.index, b.index) else {
            return false;
        };
        let rows = |index: &Index| single(&index.rows).and_then(linear);
        let cols = |index: &Index| index.cols.as_ref().and_then(single).and_then(linear);
        let is_free = |place: Option<Linear>| place.is_none_or(|place| !self.is_followed(&place));
        let apart = |f: Option<Linear>, g: Option<Linear>| match (f, g) {
            (Some(f), Some(g)) => {
                let divisor = divisor_of(&f, &g);
                divisor != 0 && g.constant.saturating_sub(f.constant) % divisor != 0
            }
            _ => false,
        };
        is_free(cols(x)) && is_free(cols(y)) && apart(rows(x), rows(y))
            || is_free(rows(x)) && is_free(rows(y)) && apart(cols(x), cols(y))
    }

    /// Whether two uses have the same position in each iteration.
    fn is_equal(&self, a: &Access<'_>, b: &Access<'_>) -> bool {
        match (a.index, b.index) {
            (None, None) => true,
            (Some(x), Some(y)) => {
                let (Some(f), Some(g)) = (self.place(a), self.place(b)) else {
                    return false;
                };
                if same_places(&f, &g) {
                    return true;
                }
                // Rows that run over everything say nothing; then the columns decide, and the other way round.
                let rows = |index: &Index| single(&index.rows).and_then(linear);
                let cols = |index: &Index| index.cols.as_ref().and_then(single).and_then(linear);
                let decides = |f: Option<Linear>, g: Option<Linear>| {
                    matches!((f, g), (Some(f), Some(g))
                        if same_places(&f, &g) && self.is_followed(&f))
                };
                decides(rows(x), rows(y)) || decides(cols(x), cols(y))
            }
            _ => false,
        }
    }

    /// Whether a loop variable stands in it.
    fn is_followed(&self, place: &Linear) -> bool {
        place
            .terms
            .iter()
            .any(|(by, name)| *by != 0 && name == self.var)
    }

    fn follows(&self, place: Option<&Linear>) -> bool {
        place.is_some_and(|place| self.is_followed(place))
    }

    /// The cell of a use counted along the rows; `None` where it is no sum of multiples.
    fn place(&self, access: &Access<'_>) -> Option<Linear> {
        let Some(index) = access.index else {
            return Some(Linear {
                constant: 0,
                terms: vec![(0, Arc::clone(&access.name.name))],
            });
        };
        let mut place = self.side(&index.rows, ROWS)?;
        if let Some(cols) = self.info.cols.known() {
            place.scale(i64::try_from(cols).unwrap_or(i64::MAX));
        }
        let all = Span::All;
        // A column that is no such sum says nothing, where a row makes the whole unknown.
        let cols = self
            .side(index.cols.as_ref().unwrap_or(&all), COLUMNS)
            .unwrap_or_default();
        place.constant = place.constant.saturating_add(cols.constant);
        place.terms.extend(cols.terms);
        Some(place)
    }

    fn side(&self, span: &Span, all: &str) -> Option<Linear> {
        let everything = || Linear {
            constant: 0,
            terms: vec![(1, all.into())],
        };
        match span {
            Span::At(expr) => {
                let found = linear(expr)?;
                let is_index = |(_, name): &(i64, Arc<str>)| self.bounds.contains_key(name);
                Some(if found.terms.iter().all(is_index) {
                    found
                } else {
                    everything()
                })
            }
            Span::All | Span::Range(..) => Some(everything()),
        }
    }

    /// The first and last value of a name in a place.
    fn range_of(&self, name: &str) -> Option<(i64, i64)> {
        let size = |dim: &sumac_la::Dim| dim.known().and_then(|n| i64::try_from(n).ok());
        match name {
            ROWS => Some((1, size(&self.info.rows).unwrap_or(-1))),
            COLUMNS => Some((1, size(&self.info.cols).unwrap_or(-1))),
            name => self.bounds.get(name).copied(),
        }
    }

    /// Whether two places can be one in different iterations: by divisors, then by bounds.
    fn may_meet(&self, f: &Linear, g: &Linear) -> bool {
        let divisor = divisor_of(f, g);
        let apart = g.constant.saturating_sub(f.constant);
        if divisor != 0 && apart % divisor != 0 {
            return false;
        }
        let (mut least, mut most) = (0_i64, 0_i64);
        let mut add = |terms: &[(i64, Arc<str>)], sign: i64| -> Option<()> {
            for (by, name) in terms {
                let (low, high) = self.range_of(name)?;
                let by = by.saturating_mul(sign);
                let ends = [by.saturating_mul(low), by.saturating_mul(high)];
                least = least.saturating_add(ends[0].min(ends[1]));
                most = most.saturating_add(ends[0].max(ends[1]));
            }
            Some(())
        };
        if add(&f.terms, 1).is_none() || add(&g.terms, -1).is_none() {
            return true;
        }
        (least..=most).contains(&apart) && least != most
    }
}

fn single(span: &Span) -> Option<&Expr> {
    match span {
        Span::At(expr) => Some(expr),
        Span::All | Span::Range(..) => None,
    }
}
