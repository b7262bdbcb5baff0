//! Loop nests that run: generated C beside C by hand of the same loops, nests without a compiler, and the crate `gemm`.
//!
//! `cargo xtask bars array` runs this in the release profile. All that is compared takes turns, each round from the next side
//! on, so that none always runs behind the same other one; medians count. The last lines are `figure NAME MILLISECONDS`. `--size N`
//! leaves the other sizes out, `--goal NAME` the other goals. `--objects FOLDER` compiles the nests into a folder for each and
//! times nothing: others can then call them in turns with their own.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![allow(
    unsafe_code,
    reason = "C by hand is compiled and called, and the crate gemm takes addresses"
)]

use std::time::{Duration, Instant};

use sumac_array::exec::{Aligned, Compiled, Compiler, Machine, Real, Times};
use sumac_array::guided::guided;
use sumac_array::nest::{Nest, lower};
use sumac_array::steps::{NESTS, library, steps};
use sumac_array::{Program, Scalar, Sizes};

const SIZES: [i64; 2] = [1024, 1056];
/// Rounds at least and at most, and the time after which no further one begins.
const ROUNDS: (usize, usize) = (5, 41);
const BUDGET: Duration = Duration::from_millis(2500);
/// A side that takes so long is only in so many rounds: it would leave too few to the others.
const SLOW: (Duration, usize) = (Duration::from_millis(500), 2);
const PAUSE: Duration = Duration::from_millis(10);

/// The same loops by hand.
const BY_HAND: [(&str, &str); 7] = [
    (
        "baseline",
        include_str!("../../../fixtures/array/hand/baseline.c"),
    ),
    (
        "blocking",
        include_str!("../../../fixtures/array/hand/blocking.c"),
    ),
    (
        "vectorization",
        include_str!("../../../fixtures/array/hand/vectorization.c"),
    ),
    (
        "loop_perm",
        include_str!("../../../fixtures/array/hand/loop_perm.c"),
    ),
    (
        "array_packing",
        include_str!("../../../fixtures/array/hand/array_packing.c"),
    ),
    (
        "cache_blocks",
        include_str!("../../../fixtures/array/hand/cache_blocks.c"),
    ),
    (
        "parallel",
        include_str!("../../../fixtures/array/hand/parallel.c"),
    ),
];

/// Other programs, of a matrix of N by N numbers, and the same loops by hand.
const STUDIES: [(&str, &str, &str); 2] = [
    (
        "mv_vectors",
        include_str!("../../../fixtures/array/mv_vectors.array"),
        include_str!("../../../fixtures/array/hand/mv_vectors.c"),
    ),
    (
        "binomial_rows",
        include_str!("../../../fixtures/array/binomial_rows.array"),
        include_str!("../../../fixtures/array/hand/binomial_rows.c"),
    ),
];
const STUDIED: i64 = 2048;

/// What a side runs.
type Run<'a, T> = Box<dyn FnMut(&[&[T]], &mut [T]) + 'a>;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |name: &str| {
        let at = arguments.iter().position(|word| word == name)?;
        arguments.get(at + 1).cloned()
    };
    let (only_size, only_goal) = (after("--size"), after("--goal"));
    let Some(compiler) = Compiler::find() else {
        println!("there is no C compiler");
        return;
    };
    println!(
        "{}; milliseconds: median (least to most)",
        compiler.version()
    );
    if let Some(folder) = after("--objects") {
        return objects(&compiler, std::path::Path::new(&folder));
    }
    let mut figures = Vec::new();
    for size in SIZES {
        if only_size
            .as_ref()
            .is_some_and(|only| *only != size.to_string())
        {
            continue;
        }
        for goal in NESTS {
            if only_goal.as_ref().is_some_and(|only| only != goal) {
                continue;
            }
            one::<f32>(&compiler, goal, size, &mut figures);
            one::<f64>(&compiler, goal, size, &mut figures);
        }
    }
    for (name, text, hand) in STUDIES {
        let is_asked = only_goal.as_ref().is_none_or(|only| only == name);
        if is_asked
            && only_size
                .as_ref()
                .is_none_or(|only| *only == STUDIED.to_string())
        {
            study::<f32>(&compiler, (name, text, hand), &mut figures);
            study::<f64>(&compiler, (name, text, hand), &mut figures);
        }
    }
    for (name, value) in figures {
        println!("figure {name} {value}");
    }
}

/// The machine code of all nests, each in a folder of its own, as in `1024/f32/blocking`.
fn objects(compiler: &Compiler, folder: &std::path::Path) {
    for size in SIZES {
        for scalar in [Scalar::F32, Scalar::F64] {
            for goal in NESTS {
                let folder = folder.join(format!("{size}/{}/{goal}", scalar.name()));
                let compiled = compiler.compile(&nest(goal, scalar, size), &folder);
                compiled.unwrap_or_else(|why| panic!("{why}"));
            }
        }
    }
}

/// A program beside C by hand.
fn study<T: Real>(
    compiler: &Compiler,
    (name, text, hand): (&str, &str, &str),
    figures: &mut Vec<(String, f64)>,
) {
    let program = Program::read(text).unwrap_or_else(|error| panic!("{}", error.show(text)));
    let sizes: Sizes = ["m", "k", "h", "w"]
        .map(|name| (name.to_owned(), STUDIED))
        .into_iter()
        .collect();
    let sized = program.in_scalar(T::SCALAR).sized(&sizes);
    let nest = lower(&sized.expect("sizes fit")).expect("there is a nest");
    let folder = tempfile::tempdir().expect("there is a folder for files");
    let compiled = compiler.compile(&nest, folder.path());
    let compiled = compiled.unwrap_or_else(|why| panic!("{why}"));
    let text = format!("#define T {}\n#define N {STUDIED}\n{hand}", c_name::<T>());
    // SAFETY: the C by hand reads and writes as many numbers as the nest does, for the same sizes.
    let by_hand = unsafe { compiler.compile_by_hand(&nest, &text, folder.path()) };
    let by_hand = by_hand.unwrap_or_else(|why| panic!("{why}"));
    let mut machine = Machine::<T>::new(&nest).unwrap_or_else(|why| panic!("{why}"));
    let mut sides: Vec<(&str, Run<'_, T>)> = vec![
        (
            "c",
            Box::new(|inputs, out| compiled.run(inputs, out).expect("sizes are right")),
        ),
        (
            "hand",
            Box::new(|inputs, out| by_hand.run(inputs, out).expect("sizes are right")),
        ),
    ];
    report::<T>((STUDIED, name), &nest, &mut sides, figures);
    // Step by step it takes so long that there would be few rounds of the others.
    let mut alone: Vec<(&str, Run<'_, T>)> = vec![(
        "nest",
        Box::new(|inputs, out| machine.run(inputs, out).expect("sizes are right")),
    )];
    report::<T>((STUDIED, name), &nest, &mut alone, figures);
}

fn c_name<T: Real>() -> &'static str {
    match T::SCALAR {
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// A line, and a figure for each side.
fn report<T: Real>(
    (size, name): (i64, &str),
    nest: &Nest,
    sides: &mut [(&str, Run<'_, T>)],
    figures: &mut Vec<(String, f64)>,
) {
    let ty = T::SCALAR.name();
    let mut line = format!("{size} {ty} {name:14}");
    for (side, times) in contest(nest, sides) {
        line += &format!(
            "  {side} {:.2} ({:.2} to {:.2}, {})",
            times.median, times.least, times.most, times.runs
        );
        figures.push((format!("speed/{size}/{ty}/{name}/{side}"), times.median));
    }
    println!("{line}");
}

fn nest(goal: &str, scalar: Scalar, size: i64) -> Nest {
    let program = Program::built_in("mm")
        .expect("it is there")
        .in_scalar(scalar);
    let steps = steps(&program, &library([]), goal).expect("the sketch is right");
    let reached = guided(&program, &steps, &|| false).unwrap_or_else(|_| panic!("{goal} is found"));
    let found = &reached.last().expect("there is a goal").program;
    let sizes: Sizes = ["m", "n", "k"]
        .map(|name| (name.to_owned(), size))
        .into_iter()
        .collect();
    lower(&found.sized(&sizes).expect("sizes fit")).expect("there is a nest")
}

fn one<T: Gemm>(compiler: &Compiler, goal: &str, size: i64, figures: &mut Vec<(String, f64)>) {
    let nest = nest(goal, T::SCALAR, size);
    let folder = tempfile::tempdir().expect("there is a folder for files");
    let compiled = compiler
        .compile(&nest, folder.path())
        .unwrap_or_else(|why| panic!("{why}"));
    let hand: Option<Compiled> = BY_HAND
        .iter()
        .find(|(name, _)| *name == goal)
        .map(|(_, text)| {
            let text = format!("#define T {}\n#define N {size}\n{text}", c_name::<T>());
            // SAFETY: the C by hand multiplies matrices of N by N numbers of T, which is what the nest does.
            let compiled = unsafe { compiler.compile_by_hand(&nest, &text, folder.path()) };
            compiled.unwrap_or_else(|why| panic!("{why}"))
        });
    let mut machine = Machine::<T>::new(&nest).unwrap_or_else(|why| panic!("{why}"));
    let n = usize::try_from(size).expect("it is small");
    let mut sides: Vec<(&str, Run<'_, T>)> = vec![(
        "c",
        Box::new(|inputs, out| compiled.run(inputs, out).expect("sizes are right")),
    )];
    if let Some(hand) = &hand {
        sides.push((
            "hand",
            Box::new(|inputs, out| hand.run(inputs, out).expect("sizes are right")),
        ));
    }
    sides.push((
        "nest",
        Box::new(|inputs, out| machine.run(inputs, out).expect("sizes are right")),
    ));
    if goal == "cache_blocks" || goal == "register_tile" {
        sides.push((
            "gemm",
            Box::new(move |inputs, out| T::gemm(n, inputs[0], inputs[1], out)),
        ));
    }
    report::<T>((size, goal), &nest, &mut sides, figures);
}

/// All sides in turns, on the same numbers; each must give what the first one gives.
fn contest<'n, T: Real>(nest: &Nest, sides: &mut [(&'n str, Run<'_, T>)]) -> Vec<(&'n str, Times)> {
    let made = |buffer: usize| {
        let len = usize::try_from(nest.buffers[buffer].len).expect("it is small");
        Aligned::<T>::new(len)
    };
    let mut given: Vec<Aligned<T>> = (0..nest.inputs).map(made).collect();
    let [mut out, mut first] = [nest.inputs; 2].map(made);
    for (seed, matrix) in (1_u32..).zip(&mut given) {
        let mut state = seed;
        for number in matrix.numbers() {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *number = T::of(f64::from(state >> 8) / f64::from(1 << 24) - 0.5);
        }
    }
    let inputs: Vec<&[T]> = given.iter().map(Aligned::as_slice).collect();
    let mut rounds = vec![ROUNDS.1; sides.len()];
    for (n, ((name, run), rounds)) in sides.iter_mut().zip(&mut rounds).enumerate() {
        let begin = Instant::now();
        run(&inputs, out.numbers());
        if begin.elapsed() > SLOW.0 {
            *rounds = SLOW.1;
        }
        if n == 0 {
            first.numbers().copy_from_slice(out.as_slice());
        }
        let pairs = out.as_slice().iter().zip(first.as_slice());
        let apart = pairs
            .map(|(x, y)| (x.f64() - y.f64()).abs())
            .fold(0.0, f64::max);
        assert!(apart < 1e-2, "{name} differs by {apart}");
    }
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); sides.len()];
    let start = Instant::now();
    for round in 0..ROUNDS.1 {
        if round >= ROUNDS.0 && start.elapsed() > BUDGET {
            break;
        }
        for turn in 0..sides.len() {
            let side = (round + turn) % sides.len();
            if round >= rounds[side] {
                continue;
            }
            // Threads of the side before look for work for some time after it.
            std::thread::sleep(PAUSE);
            let begin = Instant::now();
            sides[side].1(&inputs, out.numbers());
            times[side].push(begin.elapsed().as_secs_f64() * 1e3);
        }
    }
    let names = sides.iter().map(|(name, _)| *name);
    names
        .zip(times)
        .filter_map(|(name, times)| Some((name, Times::of(times)?)))
        .collect()
}

/// The product of the crate `gemm`, with one thread.
trait Gemm: Real {
    fn gemm(n: usize, a: &[Self], b: &[Self], out: &mut [Self]);
}

macro_rules! by_gemm {
    ($($ty:ty),*) => {$(
        impl Gemm for $ty {
            fn gemm(n: usize, a: &[Self], b: &[Self], out: &mut [Self]) {
                assert!(a.len() >= n * n && b.len() >= n * n && out.len() >= n * n);
                let row = isize::try_from(n).expect("it is small");
                // SAFETY: all three are matrices of n by n numbers in rows, which was just compared.
                unsafe {
                    gemm::gemm(
                        n, n, n, out.as_mut_ptr(), 1, row, false, a.as_ptr(), 1, row, b.as_ptr(), 1, row, 0.0, 1.0,
                        false, false, false, gemm::Parallelism::None,
                    );
                }
            }
        }
    )*};
}

by_gemm!(f32, f64);
