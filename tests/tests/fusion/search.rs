//! MPSkipEnum against all choices: on every partition with up to twelve points the cost is the same.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_cost::{Cluster, Machine};
use sumac_fusion::bits::Bits;
use sumac_fusion::costing::Costing;
use sumac_fusion::search::search;
use sumac_fusion::template::Sizes as Templates;
use sumac_fusion::{Graph, Limits, Rates, explore, partitions};

use crate::generator::{Sizes, random};
use crate::how_many;

const MOST_POINTS: usize = 12;

#[test]
fn the_search_finds_what_all_choices_have() {
    let wanted = how_many("SUMAC_FUSION_PARTITIONS", 250);
    let (mut compared, mut costed, mut choices, mut splits, mut seed) = (0, 0, 0.0, 0, 0);
    let mut most = 0;
    while compared < wanted {
        seed += 1;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let sizes = Sizes {
            m: rng.random_range(300..200_000),
            n: rng.random_range(300..2_000),
            k: rng.random_range(1..30),
            sparsity: [0.001, 0.1, 0.3][rng.random_range(0..3)],
        };
        let random = random(seed, sizes, 24);
        let graph = Graph::new(&random.dag, &random.roots);
        let memo = explore(&graph, Templates::default(), false);
        let rates = match seed % 3 {
            0 => Rates::from(&Machine::default()),
            1 => Rates::systemds(2),
            // Some operators fit into the driver, and some do not.
            _ => Rates::spark(Cluster {
                driver_memory: 10_f64.powi(rng.random_range(6..10)),
                executor_memory: 4e8 + 10_f64.powi(rng.random_range(6..10)),
                block: 1000,
                job: [0.0, 1e-3][rng.random_range(0..2)],
                ..Cluster::default()
            }),
        };
        for partition in partitions(&graph, &memo) {
            let points = partition.points.len();
            if points == 0 || points > MOST_POINTS || compared == wanted {
                continue;
            }
            let costing = Costing::new(&graph, &memo, &partition, rates).expect("sizes are known");
            let mut least = f64::INFINITY;
            for choice in 0..1_usize << points {
                let mut bits = Bits::none(points);
                for point in 0..points {
                    bits.set(point, choice & (1 << point) != 0);
                }
                let cost = costing.cost(&bits, &[], f64::INFINITY);
                assert!(
                    costing.at_least(&bits) <= cost * (1.0 + 1e-12),
                    "seed {seed}: a bound of {} for {cost}",
                    costing.at_least(&bits)
                );
                least = least.min(cost);
            }
            for (by_cost, by_structure) in [(true, true), (true, false), (false, true)] {
                let limits = Limits {
                    plans: u64::MAX,
                    by_cost,
                    by_structure,
                };
                let found = search(&costing, &memo, limits);
                assert!(
                    (found.seconds - least).abs() <= 1e-12 * least,
                    "seed {seed}, {points} points: {} and {least}",
                    found.seconds
                );
                if by_cost && by_structure {
                    costed += found.costed;
                    choices += found.choices;
                    most = most.max(points);
                }
                splits += found.splits;
            }
            compared += 1;
        }
    }
    assert!(most > 8, "large partitions are among them");
    println!(
        "{compared} partitions from {seed} DAGs, up to {most} points: {costed} plans costed of {choices}, {splits} splits"
    );
}
