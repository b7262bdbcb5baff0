//! Systems of equations and decompositions.

use super::operator::{Done, Operator, number, one};
use crate::error::OpError;
use crate::interp::builtins::args::{Args, required};
use crate::kernels::linear;
use crate::matrix::Matrix;

#[rustfmt::skip]
pub(super) static ROWS: &[Operator] = &[
    Operator { name: "solve",          run: |_, a| solve(a) },
    Operator { name: "inv",            run: |_, a| several(a, |m| Ok([linear::inverse(m)?])) },
    Operator { name: "det",            run: |_, a| det(a) },
    Operator { name: "cholesky",       run: |_, a| several(a, |m| Ok([linear::cholesky(m)?])) },
    Operator { name: "sqrtMatrixJava", run: |_, a| several(a, |m| Ok([linear::square_root(m)?])) },
    Operator { name: "lu",             run: |_, a| several(a, linear::lu) },
    Operator { name: "qr",             run: |_, a| several(a, linear::qr) },
    Operator { name: "eigen",          run: |_, a| several(a, linear::eigen) },
    Operator { name: "svd",            run: |_, a| several(a, linear::svd) },
];

fn solve(args: Args) -> Done {
    let [a, b] = args.bind(["A", "b"])?;
    let (a, b) = (required(a, "solve", "A")?, required(b, "solve", "b")?);
    one(linear::solve(a.matrix("solve")?, b.matrix("solve")?)?)
}

fn det(args: Args) -> Done {
    let [a] = args.bind(["A"])?;
    number(linear::determinant(
        required(a, "det", "A")?.matrix("det")?,
    )?)
}

fn several<const N: usize>(
    args: Args,
    f: impl Fn(&Matrix) -> Result<[Matrix; N], OpError>,
) -> Done {
    let name = args.name.clone();
    let [a] = args.bind(["A"])?;
    let results = f(required(a, &name, "A")?.matrix(&name)?)?;
    Ok(results.into_iter().map(Into::into).collect())
}
