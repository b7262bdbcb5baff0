//! Builtins over frames and lists as well as matrices: what they give where the operator table has no row.
//!
//! Rows and columns only: a frame's column types are not followed.

use sumac_la::{Dag, Dim, Op};
use sumac_syntax::ast::{Call, Expr, ExprKind};

use crate::analyzer::Analyzer;
use crate::expr::Operand;
use crate::functions::argument;
use crate::names::strip;
use crate::value::{Constant, ValueInfo, ValueKind};

/// What the call gives; `None` where another rule knows better.
pub(crate) fn result(name: &str, call: &Call, operands: &[Operand<'_>]) -> Option<ValueInfo> {
    let first = &operands.first()?.1.info;
    let given = |parameter: &str, at: usize| {
        argument(&call.args, parameter, at).and_then(|(i, _)| Some(&operands.get(i)?.1.info))
    };
    match (name, first.kind) {
        // `rbind(L)` joins what stands in the list; `append(L, x)` makes the list longer.
        ("cbind" | "rbind", ValueKind::List) => Some(ValueInfo::of(match operands.len() {
            1 => ValueKind::Matrix,
            _ => ValueKind::List,
        })),
        ("cbind", ValueKind::String) => Some(ValueInfo::of(ValueKind::String)),
        ("ifelse", kind) if kind.is_scalar() => {
            let (yes, no) = (given("", 1)?.kind, given("", 2)?.kind);
            (yes.is_scalar() && no.is_scalar()).then(|| ValueInfo::of(yes.join(no)))
        }
        ("xor", ValueKind::Bool) if given("", 1)?.kind == ValueKind::Bool => {
            Some(ValueInfo::of(ValueKind::Bool))
        }
        ("xor" | "bitwAnd" | "bitwOr" | "bitwXor" | "bitwShiftL" | "bitwShiftR", _) => {
            cellwise(operands)
        }
        ("cbind" | "rbind", _) => joined(name == "cbind", operands),
        ("as.matrix", _) => resized(ValueKind::Matrix, first),
        ("as.frame", _) => resized(ValueKind::Frame, first),
        ("removeEmpty", _) => {
            let target = given("target", 0)?;
            let margin = match &given("margin", 1)?.constant {
                Some(Constant::Text(text)) => text.to_string(),
                _ => String::new(),
            };
            if !is_tabular(target) {
                return Some(ValueInfo::unknown());
            }
            let mut info = shaped(target.kind, target.rows.clone(), target.cols.clone());
            if margin != "cols" {
                info.rows = Dim::Unknown;
            }
            if margin != "rows" {
                info.cols = Dim::Unknown;
            }
            Some(info)
        }
        _ => None,
    }
}

impl Analyzer<'_> {
    /// `federated(…, ranges = list(list(0, 0), list(rows, cols), …))`: as large as its last cell says.
    pub(crate) fn federated(&self, call: &Call) -> Option<ValueInfo> {
        let (_, ranges) = argument(&call.args, "ranges", 1)?;
        let corners = items(&ranges.value)?;
        let mut size: Option<(Dim, Dim)> = None;
        // Each part of the data has two corners, the first cell and the one behind the last.
        for part in corners.chunks(2) {
            let [_, last] = *part else {
                return None;
            };
            let [row, col] = items(last)?[..] else {
                return None;
            };
            let here = (self.size_at(row), self.size_at(col));
            size = Some(match size {
                None => here,
                Some((rows, cols)) => (farther(rows, &here.0), farther(cols, &here.1)),
            });
        }
        let (rows, cols) = size?;
        let is_frame = call.args.iter().any(|arg| {
            arg.name.as_ref().is_some_and(|name| &*name.name == "type")
                && matches!(&arg.value.kind, ExprKind::Str(text) if text.value.eq_ignore_ascii_case("frame"))
        });
        let kind = if is_frame {
            ValueKind::Frame
        } else {
            ValueKind::Matrix
        };
        Some(shaped(kind, rows, cols))
    }
}

/// The expressions in `list(…)`.
fn items(list: &Expr) -> Option<Vec<&Expr>> {
    match &strip(list).kind {
        ExprKind::Call(call) if &*call.name.name == "list" => {
            Some(call.args.iter().map(|arg| &arg.value).collect())
        }
        _ => None,
    }
}

fn farther(a: Dim, b: &Dim) -> Dim {
    match (a.known(), b.known()) {
        (Some(m), Some(n)) => Dim::Known(m.max(n)),
        _ if a == *b => a,
        _ => Dim::Unknown,
    }
}

fn is_tabular(info: &ValueInfo) -> bool {
    matches!(info.kind, ValueKind::Matrix | ValueKind::Frame)
}

fn shaped(kind: ValueKind, rows: Dim, cols: Dim) -> ValueInfo {
    ValueInfo {
        kind,
        ..ValueInfo::matrix(rows, cols, None)
    }
}

/// The same cells as another kind of value.
fn resized(kind: ValueKind, from: &ValueInfo) -> Option<ValueInfo> {
    (is_tabular(from) || from.kind.is_scalar())
        .then(|| shaped(kind, from.rows.clone(), from.cols.clone()))
}

/// A matrix as large as the operator table says of any two operands that meet cell by cell.
fn cellwise(operands: &[Operand<'_>]) -> Option<ValueInfo> {
    let mut dag = Dag::default();
    let mut nodes = Vec::new();
    for (i, (_, val)) in operands.iter().enumerate() {
        nodes.push(dag.input(&i.to_string(), val.info.la_type()?));
    }
    let node = dag.op(Op::Mul, nodes).ok()?;
    let ty = dag.ty(node);
    Some(match ty.is_scalar() {
        true => ValueInfo::of(ValueKind::Scalar),
        false => shaped(ValueKind::Matrix, ty.rows.clone(), ty.cols.clone()),
    })
}

/// Frames beside or below each other, matrices among them: a frame.
fn joined(beside: bool, operands: &[Operand<'_>]) -> Option<ValueInfo> {
    let infos: Vec<&ValueInfo> = operands.iter().map(|(_, val)| &val.info).collect();
    let is_frame = infos.iter().any(|info| info.kind == ValueKind::Frame);
    if !is_frame || !infos.iter().all(|info| is_tabular(info)) {
        return None;
    }
    let (mut along, mut across) = (Dim::Unknown, Dim::Known(0));
    for info in infos {
        let (a, c) = if beside {
            (&info.rows, &info.cols)
        } else {
            (&info.cols, &info.rows)
        };
        along = along.meet(a).unwrap_or(Dim::Unknown);
        across = across.plus(c);
    }
    let (rows, cols) = if beside {
        (along, across)
    } else {
        (across, along)
    };
    Some(shaped(ValueKind::Frame, rows, cols))
}
