//! Operators that move, keep, drop or replace cells, and tables of pairs.

use super::operator::{Done, Operator, one, optional, truth};
use crate::error::OpError;
use crate::interp::builtins::args::{Args, required, text_of};
use crate::kernels::cell::Operand;
use crate::kernels::extremes::Direction;
use crate::kernels::generate::size;
use crate::kernels::{classes, contingency, select, sorting};
use crate::matrix::Matrix;
use crate::value::Value;

#[rustfmt::skip]
pub(super) static ROWS: &[Operator] = &[
    Operator { name: "order",         run: |_, a| order(a) },
    Operator { name: "removeEmpty",   run: |_, a| remove_empty(a) },
    Operator { name: "replace",       run: |_, a| replace(a) },
    Operator { name: "contains",      run: |_, a| contains(a) },
    Operator { name: "unique",        run: |_, a| unique(a) },
    Operator { name: "lower.tri",     run: |_, a| triangle(a, true) },
    Operator { name: "upper.tri",     run: |_, a| triangle(a, false) },
    Operator { name: "roll",          run: |_, a| roll(a) },
    Operator { name: "table",         run: |_, a| table(a) },
    Operator { name: "rowClassMeet",  run: |_, a| class_meet(a) },
    Operator { name: "compress",      run: |_, a| unchanged(a) },
    Operator { name: "decompress",    run: |_, a| unchanged(a) },
    Operator { name: "local",         run: |_, a| unchanged(a) },
    Operator { name: "bias_add",      run: |_, a| channels(a, |x, b| x + b) },
    Operator { name: "bias_multiply", run: |_, a| channels(a, |x, b| x * b) },
];

fn order(args: Args) -> Done {
    const OP: &str = "order";
    let [target, by, decreasing, index] =
        args.bind(["target", "by", "decreasing", "index.return"])?;
    let target = required(target, OP, "target")?;
    let m = target.matrix(OP)?;
    let by = match &by {
        None => vec![1.0],
        Some(Value::Matrix(by)) => by.to_cells(),
        Some(by) => vec![by.number(OP)?],
    };
    let rows = sorting::order(m, &by, truth(decreasing.as_ref(), OP, false)?)?;
    if truth(index.as_ref(), OP, false)? {
        let cells = rows.iter().map(|row| (row + 1) as f64).collect();
        return one(Matrix::dense(rows.len(), 1, cells));
    }
    one(sorting::take_rows(m, &rows))
}

fn remove_empty(args: Args) -> Done {
    const OP: &str = "removeEmpty";
    let [target, margin, select, keep] =
        args.bind(["target", "margin", "select", "empty.return"])?;
    let target = required(target, OP, "target")?;
    let margin = text_of(required(margin, OP, "margin")?, OP, "margin")?;
    let by_rows = match &*margin {
        "rows" => true,
        "cols" => false,
        other => {
            let found = format!("\"{other}\"");
            return Err(OpError::argument(OP, "margin \"rows\" or \"cols\"", found).into());
        }
    };
    let select = select.as_ref().map(|s| s.matrix(OP)).transpose()?;
    let keep = truth(keep.as_ref(), OP, true)?;
    one(select::remove_empty(
        target.matrix(OP)?,
        by_rows,
        select,
        keep,
    )?)
}

fn replace(args: Args) -> Done {
    const OP: &str = "replace";
    let [target, pattern, replacement] = args.bind(["target", "pattern", "replacement"])?;
    let target = required(target, OP, "target")?;
    let pattern = required(pattern, OP, "pattern")?.number(OP)?;
    let replacement = required(replacement, OP, "replacement")?.number(OP)?;
    one(select::replace(target.matrix(OP)?, pattern, replacement))
}

fn contains(args: Args) -> Done {
    const OP: &str = "contains";
    let [target, pattern] = args.bind(["target", "pattern"])?;
    let target = required(target, OP, "target")?;
    let target = target.matrix(OP)?;
    let is_found = match required(pattern, OP, "pattern")? {
        Value::Matrix(row) => select::contains_row(target, &row)?,
        other => select::contains(target, other.number(OP)?),
    };
    one(Value::Bool(is_found))
}

fn unique(args: Args) -> Done {
    const OP: &str = "unique";
    let [data, dir] = args.bind(["data", "dir"])?;
    let data = required(data, OP, "data")?;
    let direction = match dir {
        Some(dir) => Direction::by_name(OP, &text_of(dir, OP, "dir")?)?,
        None => Direction::All,
    };
    one(select::unique(data.matrix(OP)?, direction))
}

fn triangle(args: Args, lower: bool) -> Done {
    let name = args.name.clone();
    let [target, diagonal, values] = args.bind(["target", "diag", "values"])?;
    let target = required(target, &name, "target")?;
    let diagonal = truth(diagonal.as_ref(), &name, false)?;
    let values = truth(values.as_ref(), &name, false)?;
    one(select::triangle(
        target.matrix(&name)?,
        lower,
        diagonal,
        values,
    ))
}

fn roll(args: Args) -> Done {
    let [x, shift] = args.bind(["X", "shift"])?;
    let x = required(x, "roll", "X")?;
    let shift = required(shift, "roll", "shift")?.number("roll")?;
    one(select::roll(x.matrix("roll")?, shift as i64))
}

/// Two vectors, weights, and sizes: `table(a, b)`, `table(a, b, w)`, `table(a, b, rows, cols)`,
/// `table(a, b, w, rows, cols)`, the sizes also as `odim1 = rows, odim2 = cols`; one more truth value is about blocks, which
/// there are none of here.
fn table(mut args: Args) -> Done {
    const OP: &str = "table";
    for (key, _) in &mut args.named {
        match &**key {
            "odim1" => *key = "dim1".into(),
            "odim2" => *key = "dim2".into(),
            _ => {}
        }
    }
    let is_truth = matches!(args.positional.last(), Some(Value::Bool(_)));
    if is_truth && args.positional.len() > 2 {
        args.positional.pop();
    }
    if args.positional.len() == 4 {
        args.positional.insert(2, Value::Double(1.0));
    }
    let [a, b, w, rows, cols, blocks] =
        args.bind(["A", "B", "w", "dim1", "dim2", "outputEmptyBlocks"])?;
    drop(blocks);
    let (a, b) = (required(a, OP, "A")?, required(b, OP, "B")?);
    let w = w.unwrap_or(Value::Double(1.0));
    let sizes = (optional(rows.as_ref(), OP)?, optional(cols.as_ref(), OP)?);
    let shape = match sizes {
        // SystemDS takes -1 as unknown.
        (None, None) | (Some(-1.0), Some(-1.0)) => None,
        (Some(rows), Some(cols)) => Some((size(OP, "rows", rows)?, size(OP, "columns", cols)?)),
        _ => return Err(OpError::argument(OP, "both sizes or none", "one").into()),
    };
    fn operand(value: &Value) -> Result<Operand<'_>, OpError> {
        match value {
            Value::Matrix(m) => Ok(Operand::Matrix(m)),
            other => Ok(Operand::Scalar(other.number(OP)?)),
        }
    }
    one(contingency::table(
        operand(&a)?,
        operand(&b)?,
        operand(&w)?,
        shape,
    )?)
}

/// Where a matrix is kept, and how, is no matter of scripts here: it is as it was.
fn unchanged(args: Args) -> Done {
    let name = args.name.clone();
    let [x] = args.bind(["X"])?;
    let x = required(x, &name, "X")?;
    x.matrix(&name)?;
    one(x)
}

fn class_meet(args: Args) -> Done {
    const OP: &str = "rowClassMeet";
    let [a, b] = args.bind(["A", "B"])?;
    let (a, b) = (required(a, OP, "A")?, required(b, OP, "B")?);
    let results = classes::meet(a.matrix(OP)?, b.matrix(OP)?)?;
    Ok(results.into_iter().map(Into::into).collect())
}

fn channels(args: Args, f: fn(f64, f64) -> f64) -> Done {
    let name = args.name.clone();
    let [input, bias] = args.bind(["input", "bias"])?;
    let input = required(input, &name, "input")?;
    let bias = required(bias, &name, "bias")?;
    one(select::channels(
        &name,
        input.matrix(&name)?,
        bias.matrix(&name)?,
        f,
    )?)
}
