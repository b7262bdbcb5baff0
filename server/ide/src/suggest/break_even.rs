//! Where a suggestion would stop paying: computed from both forms' costs, not guessed.

use sumac_la::{Dag, Dim, Input, SPARSE_BELOW, Type, as_f64, number, retyped};
use sumac_sumproduct::Options;

use super::worth::CostInPlace;
use crate::estimate;

/// Halvings of the range in which the sparsity is sought: three digits are shown.
const HALVINGS: usize = 20;
/// How many times larger a size may become until nobody asks.
const MOST_GROWTH: u64 = 1000;
/// How many times smaller a size may become until nobody asks: where data are small, all forms are fast.
const MOST_SHRINKING: u64 = 10;

/// Both forms of a suggestion, and what decides between them.
struct Forms<'a> {
    original: &'a Dag,
    optimized: &'a Dag,
    cost_of_optimized: &'a CostInPlace<'a>,
    options: &'a Options,
}

impl Forms<'_> {
    /// Whether the optimized form is cheaper over inputs of these types; `None` where the forms do not take them.
    fn pays(&self, ty_of: impl Fn(&Input) -> Type) -> Option<bool> {
        let (original, optimized) = (
            retyped(self.original, |input| ty_of(input).as_assumed())?,
            retyped(self.optimized, |input| ty_of(input).as_assumed())?,
        );
        let before = estimate::cost_as_written(&original, self.options)?;
        let after = (self.cost_of_optimized)(&original, &optimized)?;
        Some(self.options.cost.of(&after) < self.options.cost.of(&before))
    }

    /// Up to which sparsity of a sparse input the optimized form is cheaper.
    fn sparsity(&self, input: &Input) -> Option<String> {
        let name = &*input.name;
        let pays = |sparsity: f64| {
            self.pays(|other| match *other.name == *name {
                true => Type {
                    sparsity: Some(sparsity),
                    ..other.ty.clone()
                },
                false => other.ty.clone(),
            })
        };
        if pays(1.0)? {
            return Some(format!("cheaper at any sparsity of {name}"));
        }
        let (mut low, mut high) = (input.ty.density(), 1.0);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if pays(middle)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(format!("cheaper while {name}'s sparsity < {}", short(low)))
    }

    /// Between which sizes of such sides the optimized form is cheaper, all else being as it is. A bound beyond the
    /// ranges that are looked at is left out, for nobody comes there.
    fn size(&self, sides: &Sides) -> Option<String> {
        let pays = |size: u64| {
            let resized = |dim: &Dim| match dim.estimate() {
                Some(n) if n == sides.size => Dim::Known(size),
                _ => dim.clone(),
            };
            self.pays(|input| Type {
                rows: resized(&input.ty.rows),
                cols: resized(&input.ty.cols),
                ..input.ty.clone()
            })
        };
        // A form that is suggested because it fits into the memory need not be cheaper.
        if !pays(sides.size)? {
            return None;
        }
        let largest = sides.size.checked_mul(MOST_GROWTH)?;
        let smallest = (sides.size / MOST_SHRINKING).max(2);
        let above = turning_point(sides.size, doubled(sides.size, largest), &pays)?;
        let below = turning_point(sides.size, halved(sides.size, smallest), &pays)?;
        let name = sides.names.join(" = ");
        match (below, above) {
            (None, None) => None,
            (None, Some(above)) => Some(format!("cheaper while {name} < {}", whole(above))),
            (Some(below), None) => Some(format!("cheaper while {name} > {}", whole(below))),
            (Some(below), Some(above)) => Some(format!(
                "cheaper while {} < {name} < {}",
                whole(below),
                whole(above)
            )),
        }
    }
}

/// Sides of inputs that are of one size, as a script writes them.
struct Sides {
    size: u64,
    names: Vec<String>,
}

/// Each size of an input that is a number and not one, in order.
fn sides(dag: &Dag) -> Vec<Sides> {
    let mut found: Vec<Sides> = Vec::new();
    let matrices = dag.inputs().iter().filter(|input| !input.ty.is_scalar());
    for input in matrices {
        for (function, dim) in [("nrow", &input.ty.rows), ("ncol", &input.ty.cols)] {
            let Some(size) = dim.estimate().filter(|size| *size > 1) else {
                continue;
            };
            let name = format!("{function}({})", input.name);
            match found.iter_mut().find(|sides| sides.size == size) {
                Some(sides) => sides.names.push(name),
                None => found.push(Sides {
                    size,
                    names: vec![name],
                }),
            }
        }
    }
    found
}

/// `from` doubled again and again, up to `most`.
fn doubled(from: u64, most: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(from), move |size| size.checked_mul(2))
        .skip(1)
        .take_while(move |size| *size <= most)
}

/// `from` halved again and again, down to `least`.
fn halved(from: u64, least: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(from), |size| Some(size / 2))
        .skip(1)
        .take_while(move |size| *size >= least)
}

/// The size nearest to `from`, where it pays, at which it does not: between the first of `steps` that does not pay and the
/// one before it. `None` inside if all pay, outside where that cannot be told.
fn turning_point(
    from: u64,
    steps: impl Iterator<Item = u64>,
    pays: &dyn Fn(u64) -> Option<bool>,
) -> Option<Option<u64>> {
    let mut pays_at = from;
    for step in steps {
        if pays(step)? {
            pays_at = step;
            continue;
        }
        let mut not_at = step;
        while pays_at.abs_diff(not_at) > 1 {
            let middle = u64::midpoint(pays_at, not_at);
            if pays(middle)? {
                pays_at = middle;
            } else {
                not_at = middle;
            }
        }
        return Some(Some(not_at));
    }
    Some(None)
}

/// Three digits are enough for what rests on estimates.
fn short(value: f64) -> String {
    let digits = 10_f64.powf(2.0 - value.log10().floor());
    number((value * digits).round() / digits)
}

fn whole(size: u64) -> String {
    short(as_f64(size))
}

/// For each sparse input, up to which sparsity the optimized form is cheaper, and for each size of the inputs, where the
/// original would become as cheap.
pub(super) fn break_even(
    original: &Dag,
    (optimized, cost_of_optimized): (&Dag, &CostInPlace<'_>),
    options: &Options,
) -> Vec<String> {
    let forms = Forms {
        original,
        optimized,
        cost_of_optimized,
        options,
    };
    let is_sparse = |input: &&Input| input.ty.sparsity.is_some_and(|s| s < SPARSE_BELOW);
    let inputs = original.inputs().iter().filter(is_sparse);
    let sparsities = inputs.filter_map(|input| forms.sparsity(input));
    let sizes = sides(original);
    sparsities
        .chain(sizes.iter().filter_map(|sides| forms.size(sides)))
        .collect()
}

#[cfg(test)]
mod tests {
    use sumac_cost::{Cost, Priced};

    use super::*;
    use sumac_la::{NodeId, Op};
    use sumac_sumproduct::CostModel;

    fn by_flops() -> Options {
        Options {
            cost: CostModel::Flops,
            ..Options::default()
        }
    }

    fn cost(dag: &Dag) -> Option<Cost> {
        dag.cost(dag.roots(), &by_flops().machine())
    }

    fn in_place(_: &Dag, dag: &Dag) -> Option<Cost> {
        cost(dag)
    }

    fn dag(build: impl Fn(&mut Dag, NodeId) -> NodeId) -> Dag {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::sparse(1000, 1000, 0.01));
        let root = build(&mut dag, x);
        dag.push_root(root);
        dag
    }

    #[test]
    fn the_sparsity_at_which_costs_meet_is_found() {
        // 2 sparse passes against one dense pass over as many cells.
        let sparse = dag(|d, x| {
            let a = d.op(Op::Abs, [x]).unwrap();
            let b = d.op(Op::Sign, [a]).unwrap();
            d.op(Op::Sum, [b]).unwrap()
        });
        let dense = dag(|d, x| {
            let y = d.input("Y", Type::sparse(1000, 1000, 1.0));
            let a = d.op(Op::Add, [x, y]).unwrap();
            d.op(Op::AsScalar, [a]).unwrap_or(a)
        });
        let text = break_even(&dense, (&sparse, &in_place), &by_flops());
        assert_eq!(text.len(), 1, "{text:?}");
        assert!(
            text[0].starts_with("cheaper while X's sparsity < 0.3"),
            "{text:?}"
        );
    }

    #[test]
    fn a_form_that_is_always_cheaper_says_so() {
        let once = dag(|d, x| d.op(Op::Sum, [x]).unwrap());
        let twice = dag(|d, x| {
            let a = d.op(Op::Abs, [x]).unwrap();
            d.op(Op::Sum, [a]).unwrap()
        });
        assert_eq!(
            break_even(&twice, (&once, &in_place), &by_flops()),
            ["cheaper at any sparsity of X"]
        );
    }

    /// `(U %*% t(V) - X) %*% V` with 10 columns in U and V, and its form without a dense product.
    fn gradient() -> [Dag; 2] {
        let inputs = |dag: &mut Dag| {
            [
                dag.input("X", Type::sparse(2000, 1000, 0.01)),
                dag.input("U", Type::sparse(2000, 10, 1.0)),
                dag.input("V", Type::sparse(1000, 10, 1.0)),
            ]
        };
        let mut dense = Dag::default();
        let [x, u, v] = inputs(&mut dense);
        let vt = dense.op(Op::Transpose, [v]).unwrap();
        let uv = dense.op(Op::MatMul, [u, vt]).unwrap();
        let error = dense.op(Op::Sub, [uv, x]).unwrap();
        let root = dense.op(Op::MatMul, [error, v]).unwrap();
        dense.push_root(root);
        let mut sparse = Dag::default();
        let [x, u, v] = inputs(&mut sparse);
        let vt = sparse.op(Op::Transpose, [v]).unwrap();
        let vv = sparse.op(Op::MatMul, [vt, v]).unwrap();
        let left = sparse.op(Op::MatMul, [u, vv]).unwrap();
        let right = sparse.op(Op::MatMul, [x, v]).unwrap();
        let root = sparse.op(Op::Sub, [left, right]).unwrap();
        sparse.push_root(root);
        [dense, sparse]
    }

    /// The FLOPs of both forms with another number of columns in U and V.
    fn flops(columns: u64) -> [f64; 2] {
        gradient().map(|dag| {
            let dag = retyped(&dag, |input| match &*input.name {
                "X" => input.ty.clone(),
                _ => Type {
                    cols: Dim::Known(columns),
                    ..input.ty.clone()
                },
            })
            .unwrap();
            by_flops().cost.of(&cost(&dag).unwrap())
        })
    }

    #[test]
    fn the_size_at_which_costs_meet_is_found_by_the_costs() {
        let [dense, sparse] = gradient();
        let text = break_even(&dense, (&sparse, &in_place), &by_flops());
        let of_rank: Vec<&String> = text.iter().filter(|t| t.contains("ncol(U)")).collect();
        let [line] = of_rank[..] else {
            panic!("{text:?}");
        };
        let bound = line
            .strip_prefix("cheaper while ncol(U) = ncol(V) < ")
            .unwrap_or_else(|| panic!("{text:?}"));
        // Shown with three digits: the costs meet within a hundredth of it.
        let bound: u64 = bound.parse().unwrap();
        let [before, after] = flops(bound - bound / 100);
        assert!(after < before, "{before} {after}");
        let [before, after] = flops(bound + bound / 100);
        assert!(after >= before, "{before} {after}");
    }

    #[test]
    fn a_size_that_decides_nothing_is_not_named() {
        let [dense, sparse] = gradient();
        let text = break_even(&dense, (&sparse, &in_place), &by_flops());
        assert!(!text.iter().any(|t| t.contains("nrow(X)")), "{text:?}");
    }

    #[test]
    fn a_turning_point_is_exact_on_both_sides() {
        let pays = |size: u64| Some((37..5000).contains(&size));
        assert_eq!(
            turning_point(100, doubled(100, 100_000), &pays),
            Some(Some(5000))
        );
        assert_eq!(turning_point(100, halved(100, 10), &pays), Some(Some(36)));
        assert_eq!(turning_point(100, halved(100, 40), &pays), Some(None));
        assert_eq!(turning_point(100, doubled(100, 4000), &pays), Some(None));
        assert_eq!(turning_point(100, doubled(100, 4000), &|_| None), None);
    }

    #[test]
    fn equal_sizes_are_named_together_and_ones_never() {
        let mut dag = Dag::default();
        dag.input("X", Type::sparse(20, 30, 0.5));
        dag.input("v", Type::sparse(30, 1, 1.0));
        dag.input("s", Type::scalar());
        let names: Vec<(u64, Vec<String>)> =
            sides(&dag).into_iter().map(|s| (s.size, s.names)).collect();
        let expected =
            |size, names: &[&str]| (size, names.iter().map(ToString::to_string).collect());
        assert_eq!(
            names,
            [
                expected(20, &["nrow(X)"]),
                expected(30, &["ncol(X)", "nrow(v)"])
            ]
        );
    }
}
