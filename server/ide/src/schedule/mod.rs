//! Loop nests for the products of a script: which product a line holds as an array program, which sketches say loops for it,
//! and what their nests took here. Must never run anything: whoever asked for a nest does.
//!
//! ```text
//! loops: cache_blocks 61.2 ms · blocking 130 ms    ▸ above the statement
//! ```

mod document;
pub(crate) mod nests;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

pub use document::{Row, document};
pub use nests::{NestState, Nests, ProductSize};
use sumac_analysis::PlacedUnit;
use sumac_array::steps::LANGUAGE;
use sumac_array::{Program, Scalar, Sizes};
use sumac_la::{Dag, Dim, Node, NodeId, Op, SPARSE_BELOW, Type};
use sumac_sketch::text::Library;
use sumac_text::TextRange;

use crate::quantity;
use crate::snapshot::Snapshot;

/// The array program of a product.
const PROGRAM: &str = "mm";

/// FLOPs that a run may take where nests are compared: the slowest nests do one in a nanosecond.
const MOST_FLOPS: f64 = 2e10;
/// Smaller sizes are made multiples of this, so that the tiles that people write fit.
const TILE: u64 = 32;

impl ProductSize {
    /// The program, over doubles as scripts have them.
    ///
    /// # Panics
    /// Never: the program is built in.
    #[must_use]
    pub fn program() -> Program {
        let program = Program::built_in(PROGRAM).expect("the program is built in");
        program.in_scalar(Scalar::F64)
    }

    /// Values of the program's sizes.
    #[must_use]
    pub fn sizes(self) -> Sizes {
        let named = [("m", self.m), ("n", self.n), ("k", self.k)];
        let value = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
        let named = named.map(|(name, size)| (name.to_owned(), value(size)));
        named.into_iter().collect()
    }

    /// The product alone.
    ///
    /// # Panics
    /// Never: the sizes agree.
    #[must_use]
    pub fn dag(self) -> Dag {
        let mut dag = Dag::default();
        let a = dag.input("A", Type::matrix(self.m, self.k));
        let b = dag.input("B", Type::matrix(self.k, self.n));
        let product = dag.op(Op::MatMul, [a, b]).expect("the sizes agree");
        dag.push_root(product);
        dag
    }

    /// FLOPs of a run.
    #[must_use]
    pub fn flops(self) -> f64 {
        2.0 * self.m as f64 * self.n as f64 * self.k as f64
    }

    /// Bytes of the inputs and the result.
    #[must_use]
    pub fn bytes(self) -> f64 {
        let [m, n, k] = [self.m, self.n, self.k].map(|size| size as f64);
        8.0 * (m * k + k * n + m * n)
    }

    /// The size at which nests are compared: this one, or the largest axes halved until a run is quick and its values have
    /// room in `memory` bytes.
    #[must_use]
    pub fn measured(self, memory: f64) -> ProductSize {
        let mut size = self;
        while size.flops() > MOST_FLOPS || size.bytes() > memory {
            let axes = [&mut size.m, &mut size.n, &mut size.k];
            let largest = axes.into_iter().max_by_key(|axis| **axis);
            let Some(axis) = largest.filter(|axis| **axis >= 2 * TILE) else {
                break;
            };
            *axis = (*axis / 2 / TILE * TILE).max(TILE);
        }
        size
    }

    /// `1000 x 500 times 500 x 200`.
    #[must_use]
    pub fn shown(self) -> String {
        let ProductSize { m, n, k } = self;
        format!("{m} x {k} times {k} x {n}")
    }
}

/// A product of two matrices in a statement, neither of them sparse.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    /// The statement.
    pub range: TextRange,
    /// Its sizes.
    pub size: ProductSize,
}

/// The products of the statements that touch `wanted`, the largest of each statement.
pub fn products(snapshot: &Snapshot, wanted: TextRange) -> impl Iterator<Item = Product> {
    let touches = move |range: TextRange| range.start <= wanted.end && wanted.start <= range.end;
    let whole = |unit: PlacedUnit<'_>| unit.range(TextRange::new(0, unit.unit().text.len()));
    let units = snapshot.analysis.parts().units();
    let units = units.filter(move |unit| touches(whole(*unit)));
    units.flat_map(move |unit| {
        let blocks = unit.analysis().blocks.iter();
        blocks.flat_map(move |block| {
            // What an earlier statement computed is that statement's product.
            let mut seen: BTreeSet<NodeId> = BTreeSet::new();
            let statements = block.statements.iter();
            statements.filter_map(move |statement| {
                let range = unit.range(statement.range);
                let roots: Vec<NodeId> = statement.parts.iter().map(|part| part.root).collect();
                let mut own = block.dag.reachable(&roots);
                own.retain(|id| seen.insert(*id));
                let size = touches(range).then(|| largest(&block.dag, &own))??;
                Some(Product { range, size })
            })
        })
    })
}

/// The product with the most FLOPs.
fn largest(dag: &Dag, nodes: &[NodeId]) -> Option<ProductSize> {
    let sizes = nodes.iter().filter_map(|id| size(dag, *id));
    sizes.max_by(|a, b| a.flops().total_cmp(&b.flops()))
}

fn size(dag: &Dag, id: NodeId) -> Option<ProductSize> {
    let Node::Op(Op::MatMul, args) = dag.node(id) else {
        return None;
    };
    let [left, right] = **args else {
        return None;
    };
    let is_dense = |id| {
        dag.ty(id)
            .sparsity
            .is_none_or(|share| share >= SPARSE_BELOW)
    };
    let known = |dim: &Dim| dim.known().filter(|size| *size > 1);
    if !is_dense(left) || !is_dense(right) {
        return None;
    }
    Some(ProductSize {
        m: known(&dag.ty(left).rows)?,
        n: known(&dag.ty(right).cols)?,
        k: known(&dag.ty(left).cols)?,
    })
}

/// A sketch that says loops for a product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopSketch {
    /// Its name.
    pub name: String,
    /// What is written above it, in one line.
    pub doc: String,
}

/// The sketches of a library of array sketches that a product has all sizes of, in their order.
#[must_use]
pub fn loop_sketches(library: &Library) -> Vec<LoopSketch> {
    let sizes = ["m", "n", "k"];
    let fits = library.sketches().filter(|(_, sketch)| {
        let mut parameters = sketch.parameters.iter();
        sketch
            .language
            .as_ref()
            .is_some_and(|name| &*name.text == LANGUAGE)
            && parameters.all(|name| sizes.contains(&&*name.text))
    });
    let sketches = fits.map(|(_, sketch)| LoopSketch {
        name: sketch.name.text.to_string(),
        doc: sketch
            .doc
            .lines()
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned(),
    });
    sketches.collect()
}

/// What the product itself is called among the times of its nests: it takes part, and is none of them.
pub const PLAIN: &str = "%*%";

/// The lens above a product: the times of its nests, the fastest first, and that of the product without a nest in the same run.
/// `None` where none was asked for.
#[must_use]
pub fn lens_title(nests: &BTreeMap<String, NestState>) -> Option<String> {
    let is_running = nests.values().any(|state| *state == NestState::Running);
    let mut rows: Vec<(&String, Option<f64>)> = Vec::new();
    for (name, state) in nests.iter().filter(|(name, _)| **name != PLAIN) {
        match state {
            NestState::Timed(ms) => rows.push((name, Some(*ms))),
            NestState::Failed(_) => rows.push((name, None)),
            NestState::Running => {}
        }
    }
    rows.sort_by(|a, b| faster(a.1, b.1));
    let parts = rows.iter().map(|(name, ms)| match ms {
        Some(ms) => format!("{name} {}", quantity::seconds(ms / 1e3)),
        None => format!("{name} –"),
    });
    let running = is_running.then(|| "timing …".to_owned());
    let plain = match nests.get(PLAIN) {
        Some(NestState::Timed(plain)) => {
            let fastest = rows.first().and_then(|(_, ms)| *ms);
            let times = fastest.map(|ms| ms / plain).filter(|times| *times > 1.05);
            let faster = times.map(|times| format!(", {} faster", quantity::rough_ratio(times)));
            let time = quantity::seconds(plain / 1e3);
            Some(format!(
                "{PLAIN} itself {time}{}",
                faster.unwrap_or_default()
            ))
        }
        _ => None,
    };
    let parts: Vec<String> = parts.chain(plain).chain(running).collect();
    (!parts.is_empty()).then(|| format!("loops: {}", parts.join(" · ")))
}

/// What took less time first, and what took none known last.
fn faster(a: Option<f64>, b: Option<f64>) -> Ordering {
    let time = |ms: Option<f64>| ms.unwrap_or(f64::INFINITY);
    time(a).total_cmp(&time(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{cursor, snapshot};

    const PRODUCTS: &str = "\
#@ A: 1000 x 500
#@ B: 500 x 200
#@ S: 1000 x 500, sparsity 0.01
#@ v: 500 x 1
A = read($A)
B = read($B)
S = read($S)
v = read($v)
C = A %*% B + 1
D = (t(B) %*% t(A)) %*% (A %*% B)
print(sum(S %*% B) + sum(A %*% v))
print(sum(C) + sum(D))
";

    fn sizes(at: &str) -> Vec<String> {
        let snapshot = snapshot(PRODUCTS);
        let place = cursor(PRODUCTS.find(at).unwrap());
        products(&snapshot, place)
            .map(|product| product.size.shown())
            .collect()
    }

    #[test]
    fn the_largest_dense_product_of_a_statement_counts() {
        assert_eq!(sizes("C = "), ["1000 x 500 times 500 x 200"]);
        // As it is written, and not as it could be: neither factor is smaller than the other.
        assert_eq!(sizes("D = "), ["200 x 500 times 500 x 1000"]);
        assert_eq!(sizes("print(sum(S"), Vec::<String>::new());
        assert_eq!(sizes("print(sum(C"), Vec::<String>::new());
    }

    #[test]
    fn nests_are_measured_where_they_are_quick_and_have_room() {
        let size = |m, n, k| ProductSize { m, n, k };
        assert_eq!(size(1000, 1000, 1000).measured(1e9), size(1000, 1000, 1000));
        let smaller = size(1_000_000, 500_000, 10).measured(1e8);
        assert!(smaller.bytes() <= 1e8 && smaller.flops() <= MOST_FLOPS);
        assert_eq!(smaller.k, 10);
        assert!(
            smaller.m % TILE == 0 && smaller.n % TILE == 0,
            "{smaller:?}"
        );
        // There is nothing smaller.
        assert_eq!(size(40, 40, 40).measured(1.0), size(40, 40, 40));
    }

    #[test]
    fn sketches_are_offered_that_speak_of_a_product_s_sizes() {
        let texts = [(
            "own.sketch".into(),
            "# Other\n# lines.\nsketch own(m, k) on array { goal ? using split }\n\
             sketch other(x) on array { goal ? using split }\n\
             sketch algebra { goal ? }\n"
                .into(),
        )];
        let found = loop_sketches(&sumac_array::steps::library(texts));
        assert_eq!((&*found[0].name, &*found[0].doc), ("own", "Other"));
        let names: Vec<&str> = found[1..].iter().map(|sketch| &*sketch.name).collect();
        assert_eq!(names, sumac_array::steps::NESTS);
        assert_eq!(found[1].doc, "One loop for each size.");
    }

    #[test]
    fn a_lens_tells_times_the_fastest_first() {
        let mut nests = BTreeMap::new();
        assert_eq!(lens_title(&nests), None);
        nests.insert("blocking".to_owned(), NestState::Running);
        assert_eq!(lens_title(&nests).unwrap(), "loops: timing …");
        nests.insert("baseline".to_owned(), NestState::Timed(200.0));
        nests.insert("packed".to_owned(), NestState::Timed(10.0));
        nests.insert("odd".to_owned(), NestState::Failed("no".to_owned()));
        assert_eq!(
            lens_title(&nests).unwrap(),
            "loops: packed 10.0 ms · baseline 200 ms · odd – · timing …"
        );
        nests.remove("blocking");
        nests.insert(PLAIN.to_owned(), NestState::Timed(1.0));
        assert_eq!(
            lens_title(&nests).unwrap(),
            "loops: packed 10.0 ms · baseline 200 ms · odd – · %*% itself 1.0 ms, 10× faster"
        );
        nests.insert(PLAIN.to_owned(), NestState::Timed(20.0));
        assert_eq!(
            lens_title(&nests).unwrap(),
            "loops: packed 10.0 ms · baseline 200 ms · odd – · %*% itself 20.0 ms"
        );
    }
}
