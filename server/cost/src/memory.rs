//! How much memory a DAG takes while it is computed, and how much smaller its sizes must be to fit into what a run may take. Must
//! never look at the machine that this runs on.

use sumac_la::{Dag, scaled};

use crate::cost::Cost;
use crate::machine::Machine;
use crate::total;

/// The smallest power of two by which sizes must be divided so that what both DAGs cost on a machine `fits`; `None` where no
/// divisor helps or the DAGs cannot be scaled.
#[must_use]
pub fn divisor_that_fits(
    original: &Dag,
    optimized: &Dag,
    machine: &Machine,
    fits: &dyn Fn(&Cost) -> bool,
) -> Option<u64> {
    let cost = |dag: &Dag| total::cost(dag, dag.roots(), machine);
    (0..40).map(|i| 1_u64 << i).find_map(|divisor| {
        let (a, b) = (scaled(original, divisor), scaled(optimized, divisor));
        let (Some(a), Some(b)) = (a, b) else {
            return Some(None);
        };
        let (Some(a), Some(b)) = (cost(&a), cost(&b)) else {
            return Some(None);
        };
        (fits(&a) && fits(&b)).then_some(Some(divisor))
    })?
}

#[cfg(test)]
mod tests {
    use sumac_la::{Op, Type};

    use super::*;

    fn product(rows: u64, rank: u64, cols: u64) -> Dag {
        let mut d = Dag::default();
        let u = d.input("U", Type::matrix(rows, rank));
        let v = d.input("V", Type::matrix(cols, rank));
        let vt = d.op(Op::Transpose, [v]).unwrap();
        let uv = d.op(Op::MatMul, [u, vt]).unwrap();
        let sum = d.op(Op::Sum, [uv]).unwrap();
        d.push_root(sum);
        d
    }

    fn peak_bytes(dag: &Dag) -> Option<f64> {
        let cost = total::cost(dag, dag.roots(), &Machine::default());
        cost.map(|cost| cost.peak_bytes)
    }

    fn in_bytes(original: &Dag, optimized: &Dag, bytes: f64) -> Option<u64> {
        let fits = |cost: &Cost| cost.peak_bytes <= bytes;
        divisor_that_fits(original, optimized, &Machine::default(), &fits)
    }

    #[test]
    fn ranks_stay_and_large_sizes_shrink_until_they_fit() {
        let dag = product(100_000, 10, 50_000);
        assert!(peak_bytes(&dag).unwrap() > 40e9);
        let divisor = in_bytes(&dag, &dag, f64::from(1 << 30)).unwrap();
        assert_eq!(divisor, 8);
        let small = scaled(&dag, divisor).unwrap();
        assert_eq!(small.inputs()[0].ty, Type::matrix(12_500, 10));
        assert!(peak_bytes(&small).unwrap() < f64::from(1 << 30));
        assert_eq!(in_bytes(&product(10, 10, 10), &dag, f64::INFINITY), Some(1));
    }

    #[test]
    fn what_says_sizes_of_its_own_fits_as_it_is_or_not_at_all() {
        let mut d = Dag::default();
        let x = d.input("X", Type::matrix(1_000_000, 1000));
        let (one, ten) = (d.num(1.0), d.num(10.0));
        let cut = d.op(Op::RightIndex, [x, one, ten, one, ten]).unwrap();
        d.push_root(cut);
        assert_eq!(in_bytes(&d, &d, 1000.0), None);
        assert_eq!(in_bytes(&d, &d, f64::INFINITY), Some(1));
    }
}
