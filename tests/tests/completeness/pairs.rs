//! Pairs of expressions, each made from a seed.

use std::fmt;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_la::{Dag, Dim, Node, NodeId, ShapeRule};

use super::field::{Sizes, evaluate, random_inputs};
use super::laws::rewrite;
use super::mutate::mutate;
use super::random::{Axes, Grower, operators, same_shape};

const MOST_OPERATORS: usize = 12;
/// Sizes that stand for all sizes: one, two, equal, all different.
const SIZES: [[usize; 3]; 8] = [
    [1, 1, 1],
    [2, 2, 2],
    [1, 2, 3],
    [3, 1, 2],
    [2, 3, 1],
    [3, 3, 3],
    [3, 2, 4],
    [5, 6, 4],
];
/// Inputs that are tried where the sizes are stated.
const DRAWS: usize = 4;

/// Two expressions of one shape.
pub struct Pair {
    pub seed: u64,
    pub dag: Dag,
    pub left: NodeId,
    pub right: NodeId,
    pub is_equal_by_law: bool,
    axes: Axes,
}

/// The pairs of the first seeds.
pub fn pairs(count: u64) -> impl Iterator<Item = Pair> {
    (0..count).map(Pair::new)
}

impl Pair {
    fn new(seed: u64) -> Pair {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let axes = if rng.random_bool(0.6) {
            Axes::symbolic()
        } else {
            let mut size = || {
                *[1, 2, 2, 3, 3, 4, 5, 7]
                    .choose(&mut rng)
                    .expect("not empty")
            };
            Axes::known(size(), size(), size())
        };
        let mut dag = Dag::default();
        let wanted = rng.random_range(1..=MOST_OPERATORS);
        let mut grower = Grower {
            dag: &mut dag,
            axes: &axes,
            rng: &mut rng,
        };
        let goal = grower.goal();
        let left = grower.grow(goal, wanted);
        let is_equal_by_law = rng.random();
        let mut right = left;
        if is_equal_by_law {
            right = rewrite(&mut dag, left, 0.6, &mut rng);
        } else {
            if rng.random() {
                right = rewrite(&mut dag, left, 0.2, &mut rng);
            }
            let found = (0..40).find_map(|_| mutate(&mut dag, right, &mut rng));
            // Where nothing can be changed, a factor is the change.
            right = found.unwrap_or_else(|| {
                let two = dag.num(2.0);
                dag.op(sumac_la::Op::Mul, [two, right])
                    .expect("a scalar fits")
            });
        }
        assert!(same_shape(&dag, left, right), "seed {seed}: one shape");
        Pair {
            seed,
            dag,
            left,
            right,
            is_equal_by_law,
            axes,
        }
    }

    /// Whether a script can compute both sides: a row or a column is repeated on the right of an operator, and never on its left.
    pub fn is_computed_by_scripts(&self) -> bool {
        let nodes = self.dag.reachable(&[self.left, self.right]).into_iter();
        nodes
            .filter_map(|id| match self.dag.node(id) {
                Node::Op(op, args) if op.info().shape == ShapeRule::Cellwise => Some(args.clone()),
                _ => None,
            })
            .all(|args| {
                let [left, right] = args.as_slice() else {
                    return true;
                };
                let (left, right) = (self.dag.ty(*left), self.dag.ty(*right));
                let is_repeated = |left: &Dim, right: &Dim| left.is_one() && !right.is_one();
                left.is_scalar()
                    || right.is_scalar()
                    || !is_repeated(&left.rows, &right.rows)
                        && !is_repeated(&left.cols, &right.cols)
            })
    }

    /// Whether both sides have the same value for all inputs that are tried.
    pub fn holds(&self) -> bool {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ 0x5ee_d0f);
        let is_stated = self.axes.0.iter().all(|dim| dim.known().is_some());
        let sizes: Vec<Sizes> = if is_stated {
            vec![
                self.sizes(|dim, _| {
                    let n = dim.known().expect("stated");
                    usize::try_from(n).expect("small")
                });
                DRAWS
            ]
        } else {
            let with = |sizes: &[usize; 3]| self.sizes(|_, axis| sizes[axis - 1]);
            SIZES.iter().map(with).collect()
        };
        let mut defined = sizes.iter().filter_map(|sizes| {
            let inputs = random_inputs(&self.dag, sizes, &mut rng);
            evaluate(&self.dag, &[self.left, self.right], &inputs)
        });
        let first = defined.next().expect("defined where all sizes are one");
        first[0] == first[1] && defined.all(|values| values[0] == values[1])
    }

    fn sizes(&self, size: impl Fn(&Dim, usize) -> usize) -> Sizes {
        // The first axis is that of scalars and vectors: its size is always one.
        let (_, named) = self.axes.0.split_first().expect("that one");
        let sized = |(dim, axis): (&Dim, usize)| (dim.clone(), size(dim, axis));
        named.iter().zip(1..).map(sized).collect()
    }

    /// Both sides as DML.
    pub fn texts(&self) -> [String; 2] {
        [self.dag.print(self.left), self.dag.print(self.right)]
    }

    /// What the inputs are, as `#@` lines state it; `None` for scalars.
    pub fn facts(&self) -> Vec<(String, Option<String>)> {
        let inputs = self.dag.inputs().iter();
        inputs
            .map(|input| {
                let name = input.name.to_string();
                let ty = &input.ty;
                let size = (!ty.is_scalar()).then(|| format!("{} x {}", ty.rows, ty.cols));
                (name, size)
            })
            .collect()
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [left, right] = self.texts();
        write!(
            f,
            "seed {} ({} operators",
            self.seed,
            operators(&self.dag, self.left)
        )?;
        for (name, size) in self.facts() {
            write!(f, ", {name}: {}", size.as_deref().unwrap_or("scalar"))?;
        }
        write!(f, "): {left} == {right}")
    }
}
