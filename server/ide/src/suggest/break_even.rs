//! Where a suggestion would stop paying: computed from both forms' costs, not guessed.

use sumac_la::{Cost, Dag, SPARSE_BELOW, Type, number, retyped};
use sumac_sumproduct::Options;

/// Halvings of the range in which the sparsity is sought: three digits are shown.
const HALVINGS: usize = 20;

/// What a form costs.
type CostOf<'a> = dyn Fn(&Dag) -> Option<Cost> + 'a;

/// For each sparse input, up to which sparsity the optimized form is cheaper.
pub(super) fn break_even(
    original: &Dag,
    (optimized, cost_of_optimized): (&Dag, &CostOf<'_>),
    options: &Options,
) -> Vec<String> {
    let machine = options.machine();
    let pays = |name: &str, sparsity: f64| -> Option<bool> {
        let with = |dag: &Dag| {
            retyped(dag, |input| match *input.name == *name {
                true => Type {
                    sparsity: Some(sparsity),
                    ..input.ty.clone()
                },
                false => input.ty.clone(),
            })
        };
        let (original, optimized) = (with(original)?, with(optimized)?);
        let before = original.cost(original.roots(), &machine)?;
        let after = cost_of_optimized(&optimized)?;
        Some(options.cost.of(&after) < options.cost.of(&before))
    };
    original
        .inputs()
        .iter()
        .filter(|input| input.ty.sparsity.is_some_and(|s| s < SPARSE_BELOW))
        .filter_map(|input| {
            let name = &*input.name;
            if pays(name, 1.0)? {
                return Some(format!("cheaper at any sparsity of {name}"));
            }
            let (mut low, mut high) = (input.ty.density(), 1.0);
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(low, high);
                if pays(name, middle)? {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let digits = 10_f64.powf(2.0 - low.log10().floor());
            Some(format!(
                "cheaper while {name}'s sparsity < {}",
                number((low * digits).round() / digits)
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
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
        let text = break_even(&dense, (&sparse, &cost), &by_flops());
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
            break_even(&twice, (&once, &cost), &by_flops()),
            ["cheaper at any sparsity of X"]
        );
    }
}
