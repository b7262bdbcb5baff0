//! Aggregates: of all cells, of rows and columns, running ones, and of groups.

use sumac_la::Op;

use super::operator::{Done, Operator, number, one, optional};
use crate::apply::apply;
use crate::error::OpError;
use crate::interp::Fail;
use crate::interp::builtins::args::{Args, required, text_of};
use crate::kernels::cumulative::{self, Running};
use crate::kernels::extremes::{self, Direction};
use crate::kernels::generate::size;
use crate::kernels::moments::{self, GroupFunction};
use crate::matrix::Matrix;
use crate::value::Value;

#[rustfmt::skip]
pub(super) static ROWS: &[Operator] = &[
    Operator { name: "mean",                   run: |_, a| mean(a) },
    Operator { name: "var",                    run: |_, a| of_all(a, moments::variance) },
    Operator { name: "sd",                     run: |_, a| of_all(a, |m| moments::variance(m).sqrt()) },
    Operator { name: "rowVars",                run: |_, a| of_matrix(a, moments::row_variances) },
    Operator { name: "colVars",                run: |_, a| of_matrix(a, moments::col_variances) },
    Operator { name: "rowSds",                 run: |_, a| roots(a, moments::row_variances) },
    Operator { name: "colSds",                 run: |_, a| roots(a, moments::col_variances) },
    Operator { name: "rowProds",               run: |_, a| of_matrix(a, extremes::row_products) },
    Operator { name: "colProds",               run: |_, a| of_matrix(a, extremes::col_products) },
    Operator { name: "rowIndexMax",            run: |_, a| row_index(a, true) },
    Operator { name: "rowIndexMin",            run: |_, a| row_index(a, false) },
    Operator { name: "cumsum",                 run: |_, a| of_matrix(a, |m| cumulative::down(Running::Sum, m)) },
    Operator { name: "cumprod",                run: |_, a| of_matrix(a, |m| cumulative::down(Running::Product, m)) },
    Operator { name: "cummin",                 run: |_, a| of_matrix(a, |m| cumulative::down(Running::Min, m)) },
    Operator { name: "cummax",                 run: |_, a| of_matrix(a, |m| cumulative::down(Running::Max, m)) },
    Operator { name: "rowcumsum",              run: |_, a| of_matrix(a, cumulative::along) },
    Operator { name: "cumsumprod",             run: |_, a| one(cumulative::sum_product(only(a)?.matrix("cumsumprod")?)?) },
    Operator { name: "countDistinct",          run: |_, a| distinct(a, None) },
    Operator { name: "countDistinctApprox",    run: |_, a| distinct(a, None) },
    Operator { name: "rowCountDistinct",       run: |_, a| distinct(a, Some(Direction::Rows)) },
    Operator { name: "rowCountDistinctApprox", run: |_, a| distinct(a, Some(Direction::Rows)) },
    Operator { name: "colCountDistinct",       run: |_, a| distinct(a, Some(Direction::Cols)) },
    Operator { name: "colCountDistinctApprox", run: |_, a| distinct(a, Some(Direction::Cols)) },
    Operator { name: "aggregate",              run: |_, a| aggregate(a) },
];

/// The only argument.
fn only(args: Args) -> Result<Value, Fail> {
    let name = args.name.clone();
    let [x] = args.bind(["X"])?;
    required(x, &name, "a matrix")
}

fn of_matrix(args: Args, f: impl Fn(&Matrix) -> Matrix) -> Done {
    let name = args.name.clone();
    one(f(only(args)?.matrix(&name)?))
}

fn of_all(args: Args, f: impl Fn(&Matrix) -> f64) -> Done {
    let name = args.name.clone();
    number(f(only(args)?.matrix(&name)?))
}

fn roots(args: Args, variances: impl Fn(&Matrix) -> Matrix) -> Done {
    let name = args.name.clone();
    let variances = variances(only(args)?.matrix(&name)?);
    Ok(vec![apply(Op::Sqrt, vec![variances.into()])?])
}

fn row_index(args: Args, largest: bool) -> Done {
    let name = args.name.clone();
    one(extremes::row_index(only(args)?.matrix(&name)?, largest))
}

fn mean(args: Args) -> Done {
    let [x, w] = args.bind(["X", "w"])?;
    let x = required(x, "mean", "X")?;
    match w {
        None => Ok(vec![apply(Op::Mean, vec![x])?]),
        Some(w) => number(moments::weighted_mean(
            x.matrix("mean")?,
            w.matrix("mean")?,
        )?),
    }
}

/// How many different values there are; what SystemDS estimates is counted here.
fn distinct(args: Args, direction: Option<Direction>) -> Done {
    let name = args.name.clone();
    let [data, kind, dir] = if direction.is_some() || !name.ends_with("Approx") {
        let [data, dir] = args.bind(["data", "dir"])?;
        [data, None, dir]
    } else {
        args.bind(["data", "type", "dir"])?
    };
    drop(kind);
    let data = required(data, &name, "data")?;
    let direction = match (direction, dir) {
        (Some(direction), _) => direction,
        (None, Some(dir)) => Direction::by_name(&name, &text_of(dir, &name, "dir")?)?,
        (None, None) => Direction::All,
    };
    let counts = extremes::distinct(data.matrix(&name)?, direction);
    match (direction, counts.as_scalar()) {
        (Direction::All, Some(count)) => one(Value::Int(count as i64)),
        _ => one(counts),
    }
}

fn aggregate(args: Args) -> Done {
    const OP: &str = "aggregate";
    let [target, groups, function, weights, count, order] =
        args.bind(["target", "groups", "fn", "weights", "ngroups", "order"])?;
    let (target, groups) = (
        required(target, OP, "target")?,
        required(groups, OP, "groups")?,
    );
    let name = text_of(required(function, OP, "fn")?, OP, "fn")?;
    // SystemDS takes the order as text, too.
    let order = match order {
        Some(Value::Str(text)) => text.trim().parse().ok(),
        other => optional(other.as_ref(), OP)?,
    };
    let function = GroupFunction::by_name(&name, order)?;
    let count = optional(count.as_ref(), OP)?
        .map(|count| size(OP, "ngroups", count))
        .transpose()?;
    let weights = weights.as_ref().map(|w| w.matrix(OP)).transpose()?;
    let target = target.matrix(OP)?;
    if count.is_none() && target.rows() > 1 && target.cols() > 1 {
        let found = format!("a matrix of {} columns", target.cols());
        let expected = "ngroups, the number of groups, beside a target of several columns";
        return Err(OpError::argument(OP, expected, found).into());
    }
    one(moments::grouped(
        target,
        groups.matrix(OP)?,
        weights,
        function,
        count,
    )?)
}
