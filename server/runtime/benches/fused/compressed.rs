//! Compressed matrices beside plain ones: `sum(X^2)`, a product from either side, and the bytes of the groups read once.

use sumac_la::{Dag, NodeId, Op, Type};
use sumac_runtime::compressed::Compressed;
use sumac_runtime::kernels::matmul::{Factor, matmul};
use sumac_runtime::{Matrix, Value, compressed};

use super::{Case, TASK, loops, medians, op};

/// Rows and columns.
const SIZE: (usize, usize) = (500_000, 40);

/// What a cell of the data depends on.
#[derive(Clone, Copy)]
enum Kind {
    /// Ten factors of 16 kinds, each of which four columns follow.
    Factors,
    /// The same, and most cells are zero.
    Sparse,
    /// Each column has 200 values of its own.
    Apart,
}

fn data(kind: Kind) -> Matrix {
    let (rows, cols) = SIZE;
    // Steele, Lea and Flood, OOPSLA 2014: bits that have nothing to do with those of the next number.
    let mixed = |x: usize| {
        let x = (x as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ x >> 31) as usize >> 8
    };
    let cell = |row: usize, col: usize| match kind {
        Kind::Factors => {
            let factor = mixed(row * 10 + col / 4) % 16;
            (factor * (col + 3) % 23) as f64 + 0.5
        }
        Kind::Sparse => {
            let factor = mixed(row * 10 + col / 4) % 16;
            if factor == col % 4 {
                1.5 + (col % 3) as f64
            } else {
                0.0
            }
        }
        Kind::Apart => (mixed(row * cols + col) % 200) as f64 - 100.0,
    };
    let cells = (0..rows).flat_map(|row| (0..cols).map(move |col| cell(row, col)));
    Matrix::dense(rows, cols, cells.collect()).settled()
}

/// `sum(X^2)` for a matrix.
fn squares(name: &str, x: Matrix) -> Case {
    let mut dag = Dag::default();
    let (rows, cols) = (x.rows() as u64, x.cols() as u64);
    let ty = if x.is_sparse() {
        Type::sparse(rows, cols, x.sparsity())
    } else {
        Type::matrix(rows, cols)
    };
    let node = dag.input("X", ty);
    let two = dag.num(2.0);
    let power = op(&mut dag, Op::Pow, &[node, two]);
    let roots: Vec<NodeId> = vec![op(&mut dag, Op::Sum, &[power])];
    Case {
        name: name.to_owned(),
        dag,
        roots,
        inputs: vec![Value::from(x)],
    }
}

pub(super) fn measure() {
    for (name, kind) in [
        ("compressed", Kind::Factors),
        ("compressed-sparse", Kind::Sparse),
        ("compressed-apart", Kind::Apart),
    ] {
        if super::is_left_out(name) {
            continue;
        }
        let plain = data(kind);
        let estimate = compressed::estimate(&plain);
        let mut estimating = || drop(std::hint::black_box(compressed::estimate(&plain)));
        let mut making = || {
            std::hint::black_box(Compressed::new(&plain, &estimate.plan));
        };
        let mut sides: [(&str, &mut dyn FnMut()); 2] =
            [("estimating", &mut estimating), ("making", &mut making)];
        medians(&mut sides, name);
        let groups = Compressed::new(&plain, &estimate.plan);
        let bytes = groups.bytes();
        println!(
            "{name}: {} x {}, {} bytes plain, {bytes} compressed: {:?}",
            SIZE.0,
            SIZE.1,
            plain.bytes(),
            groups.encodings()
        );
        println!(
            "figure {name}/ratio {:e}",
            plain.bytes() as f64 / bytes as f64
        );
        products(name, &plain, groups, bytes);
    }
}

fn products(name: &str, plain: &Matrix, groups: Compressed, bytes: u64) {
    let (rows, cols) = SIZE;
    let of_size =
        |len: usize| Matrix::dense(len, 1, (0..len).map(|i| (i % 17) as f64 - 8.0).collect());
    let (v, w) = (of_size(cols), of_size(rows));
    // As many bytes as the groups take, in one piece.
    let as_many = vec![1.0_f64; (bytes as usize).div_ceil(8)];
    let mut read = || {
        use rayon::prelude::*;
        std::hint::black_box(as_many.par_chunks(TASK).map(loops::sum).sum::<f64>());
    };
    let group_matrix = Matrix::from(groups);
    let dense = plain.is_sparse().then(|| plain.to_dense());
    let mut sides: Vec<(&str, Case)> = vec![
        ("groups", squares(name, group_matrix.clone())),
        ("plain", squares(name, plain.clone())),
    ];
    sides.extend(
        dense
            .as_ref()
            .map(|dense| ("dense", squares(name, dense.clone()))),
    );
    let prepared = sumac_runtime::fused::Prepared::default();
    let plans: Vec<_> = sides
        .iter()
        .map(|(_, case)| case.plan(sumac_fusion::Policy::CostBased))
        .collect();
    let run = |side: usize| {
        if let (Some((_, case)), Some(plan)) = (sides.get(side), plans.get(side)) {
            drop(std::hint::black_box(case.run(plan, &prepared)));
        }
    };
    let (mut first, mut second, mut third) = (|| run(0), || run(1), || run(2));
    let mut by_turns: Vec<(&str, &mut dyn FnMut())> = vec![
        ("groups", &mut first),
        ("plain", &mut second),
        ("read", &mut read),
    ];
    if dense.is_some() {
        by_turns.push(("dense", &mut third));
    }
    medians(&mut by_turns, &format!("{name}-squares"));
    for (what, transposed, vector) in [("times", false, &v), ("turned", true, &w)] {
        let product = |matrix: &Matrix| {
            let factor = Factor { matrix, transposed };
            let done = matmul(factor, Factor::plain(vector)).expect("shapes fit");
            std::hint::black_box(done);
        };
        let mut groups = || product(&group_matrix);
        let mut cells = || product(plain);
        let mut sides: Vec<(&str, &mut dyn FnMut())> = vec![
            ("groups", &mut groups),
            ("plain", &mut cells),
            ("read", &mut read),
        ];
        let mut dense_cells = || dense.iter().for_each(&product);
        if dense.is_some() {
            sides.push(("dense", &mut dense_cells));
        }
        medians(&mut sides, &format!("{name}-{what}"));
    }
}
