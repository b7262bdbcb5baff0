//! Builtins over frames and lists as well as matrices: what they give where the operator table has no row.
//!
//! Rows and columns only: a frame's column types are not followed.

use sumac_la::Dim;
use sumac_syntax::ast::Call;

use crate::expr::Operand;
use crate::functions::argument;
use crate::value::{Constant, ValueInfo, ValueKind};

/// What the call gives; `None` where another rule knows better.
pub(crate) fn result(name: &str, call: &Call, operands: &[Operand<'_>]) -> Option<ValueInfo> {
    let first = &operands.first()?.1.info;
    let given = |parameter: &str, at: usize| {
        argument(&call.args, parameter, at).and_then(|(i, _)| Some(&operands.get(i)?.1.info))
    };
    match (name, first.kind) {
        ("cbind" | "rbind", ValueKind::List) => Some(ValueInfo::of(ValueKind::List)),
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
                return None;
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
