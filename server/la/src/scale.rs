//! Smaller versions of DAGs that would not fit into memory at full size.
//!
//! A DAG over symbols scales as it is: each symbol gets a smaller number, and whatever is computed from it follows. Of a DAG
//! over numbers it is not known which of them are sizes, so one that has any beside its inputs does not scale.

use std::collections::BTreeMap;

use crate::{Dag, Dim, Input, Node, NodeId, Op, Type, as_f64};

/// Sizes up to this one are kept when a DAG is scaled down: ranks and numbers of classes say what an expression is.
pub const KEPT_SIZE: u64 = 16;

/// The DAG over inputs of other types, with all other types inferred anew. `None` where they do not fit.
#[must_use]
pub fn retyped(dag: &Dag, ty_of: impl Fn(&Input) -> Type) -> Option<Dag> {
    let mut out = Dag::default();
    let mut map: Vec<Option<NodeId>> = vec![None; dag.len()];
    for id in dag.reachable(dag.roots()) {
        let new = match dag.node(id) {
            Node::Input(_) => {
                let input = dag.input_of(id)?;
                out.input(&input.name, ty_of(input))
            }
            Node::Num(bits) => out.num(f64::from_bits(*bits)),
            Node::Op(op, args) => {
                let args: Option<Vec<NodeId>> = args.iter().map(|a| map[a.index()]).collect();
                out.op(*op, args?).ok()?
            }
        };
        map[id.index()] = Some(new);
    }
    for root in dag.roots() {
        out.push_root(map[root.index()]?);
    }
    Some(out)
}

/// The DAG with every size above [`KEPT_SIZE`] divided by `divisor`, all of them as numbers. `None` where a size is written
/// as a number in an expression over numbers, so that smaller inputs would not fit it.
#[must_use]
pub fn scaled(dag: &Dag, divisor: u64) -> Option<Dag> {
    scaled_keeping(dag, divisor, KEPT_SIZE)
}

/// As [`scaled`], where sizes above `kept` are divided.
#[must_use]
pub fn scaled_keeping(dag: &Dag, divisor: u64, kept: u64) -> Option<Dag> {
    let has_symbols = |input: &Input| {
        let dims = [&input.ty.rows, &input.ty.cols, &input.ty.size];
        dims.iter().any(|dim| matches!(dim, Dim::Named(_)))
    };
    if dag.inputs().iter().any(has_symbols) {
        return scaled_symbols(dag, divisor, kept);
    }
    if divisor == 1 {
        return Some(dag.clone());
    }
    if says_sizes(dag) {
        return None;
    }
    let dim = |d: &Dim| match d {
        Dim::Known(n) if *n > kept => Dim::Known((n / divisor).max(kept)),
        other => other.clone(),
    };
    retyped(dag, |input| Type {
        rows: dim(&input.ty.rows),
        cols: dim(&input.ty.cols),
        ..input.ty.clone()
    })
}

/// Whether an argument of an operator is a size or a position.
fn says_sizes(dag: &Dag) -> bool {
    use Op::{Fill, LeftIndex, Reshape, RightIndex, Seq};
    let says = |id: &NodeId| {
        matches!(
            dag.node(*id),
            Node::Op(Fill | Reshape | Seq | RightIndex | LeftIndex, _)
        )
    };
    dag.reachable(dag.roots()).iter().any(says)
}

/// As [`scaled`], by the names of the sizes. Sizes that are numbers, since another statement says so, are scaled where the
/// expression itself says none. `None` where nothing is assumed of a name.
fn scaled_symbols(dag: &Dag, divisor: u64, kept: u64) -> Option<Dag> {
    let smaller = |n: u64| match n > kept {
        true => (n / divisor).max(kept),
        false => n,
    };
    let mut numbers: BTreeMap<&str, u64> = BTreeMap::new();
    for input in dag.inputs() {
        for dim in [&input.ty.rows, &input.ty.cols, &input.ty.size] {
            if let (Some(name), Some(n)) = (dim.lone_name(), dim.estimate()) {
                numbers.insert(name, smaller(n));
            }
        }
    }
    let are_free = !says_sizes(dag);
    let number = |dim: &Dim| {
        if let Dim::Known(n) = dim {
            return Some(if are_free { smaller(*n) } else { *n });
        }
        let mut sum = 0_i64;
        for (factor, names) in dim.terms()? {
            let mut product = factor;
            for name in names {
                let number = i64::try_from(*numbers.get(name.as_str())?).ok()?;
                product = product.checked_mul(number)?;
            }
            sum = sum.checked_add(product)?;
        }
        u64::try_from(sum).ok()
    };
    let is_open = |input: &Input| {
        !input.ty.is_scalar()
            && (number(&input.ty.rows).is_none() || number(&input.ty.cols).is_none())
    };
    if dag.inputs().iter().any(is_open) {
        return None;
    }
    retyped(dag, |input| {
        let ty = &input.ty;
        let size = number(&ty.size);
        Type {
            rows: number(&ty.rows).map_or_else(|| ty.rows.clone(), Dim::Known),
            cols: number(&ty.cols).map_or_else(|| ty.cols.clone(), Dim::Known),
            size: size.map_or(Dim::Unknown, Dim::Known),
            assumed: size.map(as_f64).or(ty.assumed),
            ..ty.clone()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_another_statement_fixes_is_scaled_like_a_name() {
        let mut dag = Dag::default();
        let rows = Dim::symbol("nrow(X)", Some(3000));
        let ty = Type {
            rows,
            ..Type::matrix(3000, 2000)
        };
        let x = dag.input("X", ty);
        let xt = dag.op(Op::Transpose, [x]).unwrap();
        let gram = dag.op(Op::MatMul, [xt, x]).unwrap();
        dag.push_root(gram);
        let small = scaled(&dag, 100).unwrap();
        let sizes = |dag: &Dag| {
            let ty = &dag.inputs()[0].ty;
            (ty.rows.clone(), ty.cols.clone())
        };
        assert_eq!(sizes(&small), (Dim::Known(30), Dim::Known(20)));
    }

    #[test]
    fn expressions_with_sizes_of_their_own_are_not_scaled() {
        let mut d = Dag::default();
        let x = d.input("X", Type::matrix(1_000_000, 1000));
        let (one, ten) = (d.num(1.0), d.num(10.0));
        let cut = d.op(Op::RightIndex, [x, one, ten, one, ten]).unwrap();
        d.push_root(cut);
        assert_eq!(scaled(&d, 2), None);
    }
}
