//! Covariance, moments, quantiles, and distributions by name.

use super::operator::{Done, Operator, number, one, optional, truth};
use crate::error::OpError;
use crate::interp::Fail;
use crate::interp::builtins::args::{Args, required, text_of};
use crate::kernels::distributions::{Distribution, Parameters};
use crate::kernels::moments;
use crate::kernels::sorting::Sorted;
use crate::matrix::Matrix;
use crate::value::Value;

#[rustfmt::skip]
pub(super) static ROWS: &[Operator] = &[
    Operator { name: "cov",               run: |_, a| cov(a) },
    Operator { name: "moment",            run: |_, a| moment(a) },
    Operator { name: "median",            run: |_, a| sorted(a, |s| s.quantile(0.5, true)) },
    Operator { name: "interQuartileMean", run: |_, a| sorted(a, |s| s.interquartile_mean()) },
    Operator { name: "quantile",          run: |_, a| quantile(a) },
    Operator { name: "cdf",               run: |_, a| named(a, false, None) },
    Operator { name: "icdf",              run: |_, a| named(a, true, None) },
    Operator { name: "pnorm",             run: |_, a| named(a, false, Some("normal")) },
    Operator { name: "pexp",              run: |_, a| named(a, false, Some("exp")) },
    Operator { name: "pchisq",            run: |_, a| named(a, false, Some("chisq")) },
    Operator { name: "pf",                run: |_, a| named(a, false, Some("f")) },
    Operator { name: "pt",                run: |_, a| named(a, false, Some("t")) },
    Operator { name: "qnorm",             run: |_, a| named(a, true, Some("normal")) },
    Operator { name: "qexp",              run: |_, a| named(a, true, Some("exp")) },
    Operator { name: "qchisq",            run: |_, a| named(a, true, Some("chisq")) },
    Operator { name: "qf",                run: |_, a| named(a, true, Some("f")) },
    Operator { name: "qt",                run: |_, a| named(a, true, Some("t")) },
];

fn cov(args: Args) -> Done {
    let [x, y, w] = args.bind(["x", "y", "w"])?;
    let (x, y) = (required(x, "cov", "x")?, required(y, "cov", "y")?);
    let w = w.as_ref().map(|w| w.matrix("cov")).transpose()?;
    number(moments::covariance(x.matrix("cov")?, y.matrix("cov")?, w)?)
}

/// Values and the order, with weights between them or not.
fn moment(args: Args) -> Done {
    const OP: &str = "moment";
    let [x, second, third] = args.bind(["x", "w_or_k", "k"])?;
    let x = required(x, OP, "x")?;
    let second = required(second, OP, "k")?;
    let (weights, order) = match &third {
        None => (None, second.number(OP)?),
        Some(order) => (Some(second.matrix(OP)?), order.number(OP)?),
    };
    number(moments::moment(x.matrix(OP)?, weights, order)?)
}

fn sorted(args: Args, f: impl Fn(&Sorted) -> f64) -> Done {
    let name = args.name.clone();
    let [x, w] = args.bind(["x", "w"])?;
    let x = required(x, &name, "x")?;
    let w = w.as_ref().map(|w| w.matrix(&name)).transpose()?;
    number(f(&Sorted::new(&name, x.matrix(&name)?, w)?))
}

/// One probability gives a number, a column of them a column. Between two values only the former averages.
fn quantile(args: Args) -> Done {
    const OP: &str = "quantile";
    let [x, second, third] = args.bind(["x", "w_or_p", "p"])?;
    let x = required(x, OP, "x")?;
    let second = required(second, OP, "p")?;
    let (weights, p) = match &third {
        None => (None, &second),
        Some(p) => (Some(second.matrix(OP)?), p),
    };
    let sorted = Sorted::new(OP, x.matrix(OP)?, weights)?;
    match p {
        Value::Matrix(p) if p.cols() == 1 => {
            let cells = p.to_cells().into_iter();
            let cells = cells.map(|p| sorted.quantile(p, false)).collect();
            one(Matrix::dense(p.rows(), 1, cells))
        }
        Value::Matrix(p) => {
            let found = format!("a matrix of {} x {}", p.rows(), p.cols());
            Err(OpError::argument(OP, "probabilities as a column", found).into())
        }
        p => number(sorted.quantile(p.number(OP)?, true)),
    }
}

fn named(args: Args, inverse: bool, dist: Option<&'static str>) -> Done {
    let name = args.name.clone();
    let [target, given_dist, mean, sd, df, df1, df2, rate, lower] = args.bind([
        "target",
        "dist",
        "mean",
        "sd",
        "df",
        "df1",
        "df2",
        "rate",
        "lower.tail",
    ])?;
    let dist = match (dist, given_dist) {
        (Some(dist), None) => dist.into(),
        (None, Some(dist)) => text_of(dist, &name, "dist")?,
        (None, None) => return Err(Fail::new(format!("`{name}` needs `dist`"))),
        (Some(_), Some(_)) => {
            return Err(Fail::new(format!("`{name}` has no parameter `dist`")));
        }
    };
    let target = required(target, &name, "target")?.number(&name)?;
    let value = |value: &Option<Value>| optional(value.as_ref(), &name);
    let parameters = Parameters {
        mean: value(&mean)?,
        sd: value(&sd)?,
        rate: value(&rate)?,
        df: value(&df)?,
        df1: value(&df1)?,
        df2: value(&df2)?,
    };
    let distribution = Distribution::new(&name, &dist, &parameters)?;
    if inverse {
        return number(distribution.quantile(&name, target)?);
    }
    number(distribution.probability(target, truth(lower.as_ref(), &name, true)?))
}
