//! Sizes that tiles do not divide: nests, by blocks of vectors and compiled too, give what the program as written gives.

use sumac_array::exec::{Aligned, Compiler, Machine, Real};
use sumac_array::guided::guided;
use sumac_array::nest::{Nest, lower_at, run};
use sumac_array::steps::{NESTS, library, steps};
use sumac_array::value::{Data, Input, Random, difference};
use sumac_array::{Program, Scalar, Sizes, interpret};

fn sizes(given: &[(&str, i64)]) -> Sizes {
    given.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect()
}

fn list(numbers: &[f64]) -> Data {
    Data::array(numbers.iter().copied().map(Data::Number).collect())
}

type Folder<'a> = Option<(&'a Compiler, &'a std::path::Path)>;

/// What the fast ways give that are there.
fn fast<T: Real>(nest: &Nest, inputs: &[Vec<f64>], compiler: Folder<'_>) -> Vec<Vec<f64>> {
    let given: Vec<Vec<T>> = inputs
        .iter()
        .map(|input| input.iter().map(|x| T::of(*x)).collect())
        .collect();
    let given: Vec<&[T]> = given.iter().map(Vec::as_slice).collect();
    let len = usize::try_from(nest.buffers[nest.inputs].len).unwrap();
    let mut made = Vec::new();
    let mut out = Aligned::<T>::new(len);
    let numbers = |out: &mut Aligned<T>| {
        let found: Vec<f64> = out.as_slice().iter().map(|x| x.f64()).collect();
        // What is not written again shows.
        out.numbers().fill(T::of(f64::NAN));
        found
    };
    let mut machine = Machine::<T>::new(nest).unwrap();
    out.numbers().fill(T::of(f64::NAN));
    machine.run(&given, out.numbers()).unwrap();
    made.push(numbers(&mut out));
    if let Some((compiler, folder)) = compiler {
        let compiled = compiler.compile(nest, folder).unwrap();
        compiled.run(&given, out.numbers()).unwrap();
        made.push(numbers(&mut out));
    }
    made
}

/// How far the nest of a program is from another program, evaluated, at these sizes.
fn apart(written: &Program, found: &Program, at: &Sizes, compiler: Folder<'_>) -> f64 {
    let nest = lower_at(found, at).unwrap_or_else(|why| panic!("{why}: {at:?}\n{}", found.show()));
    let written = written.sized(at).unwrap();
    let mut random = Random::new(3);
    let (types, _) = written.signature();
    let data: Vec<Data> = types
        .iter()
        .map(|ty| random.data(&written.types, *ty).unwrap())
        .collect();
    let numbers: Vec<Vec<f64>> = data.iter().map(Data::numbers).collect();
    let given: Vec<Input> = data.into_iter().map(Input::Data).collect();
    let expected = list(&interpret(&written, &given).unwrap().numbers());
    let mut all = vec![run(&nest, &numbers).unwrap()];
    all.extend(match nest.scalar {
        Scalar::F32 => fast::<f32>(&nest, &numbers, compiler),
        Scalar::F64 => fast::<f64>(&nest, &numbers, compiler),
    });
    let far = all.iter().map(|found| difference(&expected, &list(found)));
    far.fold(0.0, f64::max)
}

#[test]
fn every_goal_computes_the_product_at_any_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = Compiler::find();
    let compiled = compiler.as_ref().map(|compiler| (compiler, folder.path()));
    let all = [
        ([1, 1, 1], None),
        ([33, 70, 7], compiled),
        ([31, 33, 6], None),
        ([64, 65, 41], None),
        ([40, 32, 4], None),
        ([3, 97, 130], None),
    ];
    for scalar in [Scalar::F32, Scalar::F64] {
        let written = Program::built_in("mm").unwrap().in_scalar(scalar);
        for goal in NESTS {
            let steps = steps(&written, &library([]), goal).unwrap();
            let reached = guided(&written, &steps, &|| false).unwrap();
            let found = &reached.last().unwrap().program;
            for ([m, n, k], compiler) in all {
                let at = sizes(&[("m", m), ("n", n), ("k", k)]);
                let apart = apart(&written, found, &at, compiler);
                let most = if scalar == Scalar::F32 { 1e-5 } else { 1e-13 };
                assert!(apart <= most, "{goal}, {}: {at:?}: {apart}", scalar.name());
            }
        }
    }
}

#[test]
fn the_main_part_of_a_ragged_product_is_a_block_of_vectors() {
    let written = Program::built_in("mm").unwrap();
    let steps = steps(&written, &library([]), "cache_blocks").unwrap();
    let reached = guided(&written, &steps, &|| false).unwrap();
    let found = &reached.last().unwrap().program;
    let nest = lower_at(found, &sizes(&[("m", 100), ("n", 100), ("k", 100)])).unwrap();
    let machine = Machine::<f32>::new(&nest).unwrap();
    // Whole tiles, and what is left of them at the right, below, and at the corner.
    assert_eq!(machine.blocks(), 4);
}

#[test]
fn other_programs_end_where_their_sizes_end() {
    let same = [
        // Sums of what is not zero beyond the end.
        (
            "map(fun e => e + 1, x) |> reduceSeq(add, 0) |> makeArray[1]",
            "x |> split[4] |> map(map(fun e => e + 1)) |> map(reduceSeq(add, 0)) |> reduceSeq(add, 0) |> makeArray[1]",
        ),
        (
            "map(fun e => e + 1, x) |> reduceSeq(add, 0) |> makeArray[1]",
            "toMem(x |> split[4] |> map(map(fun e => e + 1))) |> map(reduceUnroll(add, 0)) |> reduceSeq(add, 0) |> makeArray[1]",
        ),
        // Sums side by side, each beginning with one.
        (
            "map(fun e => e + 1, x) |> reduceSeq(add, 0) |> makeArray[1]",
            "x |> split[4] |> map(map(fun e => e + 1)) |> reduceSeq(fun a r => map(fun p => fst(p) + snd(p), zip(a, r)), fill[4](0)) |> reduceSeq(add, 0) |> makeArray[1]",
        ),
        (
            "map(fun e => 2 * e, x)",
            "x |> split[4] |> transpose |> map(map(fun e => 2 * e)) |> transpose |> join",
        ),
        (
            "map(fun e => 2 * e, x)",
            "x |> split[8] |> map(split[4]) |> mapPar(map(mapUnroll(fun e => 2 * e))) |> map(join) |> join",
        ),
        (
            "map(fun e => 2 * e, x)",
            "x |> asVector[8] |> map(fun v => v + v) |> asScalar",
        ),
        (
            "map(fun e => 2 * e, x)",
            "(let y = toMem(x |> asVector[8] |> map(fun v => v + v) |> asScalar) in y |> split[4] |> map(map(fun e => e)) |> join)",
        ),
    ];
    for (one, other) in same {
        let read = |body: &str| {
            let result = if body.contains("makeArray") {
                ""
            } else {
                " : [n]f32"
            };
            let text = format!("program p(n)(x: [n]f32) = ({body}{result})");
            let text = if result.is_empty() {
                format!("program p(n)(x: [n]f32) = {body}")
            } else {
                text
            };
            Program::read(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.show(&text)))
        };
        let (written, found) = (read(one), read(other));
        for n in [1, 3, 4, 5, 8, 9, 15, 31] {
            let apart = apart(&written, &found, &sizes(&[("n", n)]), None);
            assert!(apart <= 1e-6, "{other} at {n}: {apart}");
        }
    }
}

#[test]
fn windows_and_padding_end_where_their_sizes_end() {
    let read =
        |text: &str| Program::read(text).unwrap_or_else(|e| panic!("{}\n{text}", e.show(text)));
    let same = [
        (
            "program p(n)(x: [n]f32, y: [n]f32) = pad[1, 1](7, x) |> slide[3, 1] |> map(reduceSeq(add, 0)) |> zip(y) |> map(fun p => fst(p) * snd(p))",
            "program p(n)(x: [n]f32, y: [n]f32) = pad[1, 1](7, x) |> slide[3, 1] |> map(reduceSeq(add, 0)) |> zip(y) |> split[4] |> map(map(fun p => fst(p) * snd(p))) |> join",
        ),
        (
            "program p(n)(x: [n]f32, y: [n]f32) = slide[3, 1](x) |> map(reduceSeq(add, 0)) |> reduceSeq(add, 0) |> (fun s => map(fun e => e * s, y))",
            "program p(n)(x: [n]f32, y: [n]f32) = slide[3, 1](x) |> map(reduceSeq(add, 0)) |> reduceSeq(add, 0) |> (fun s => y |> split[4] |> map(map(fun e => e * s)) |> join)",
        ),
    ];
    for (written, found) in same {
        for n in [3, 4, 5, 9, 14] {
            let apart = apart(&read(written), &read(found), &sizes(&[("n", n)]), None);
            assert!(apart <= 1e-5, "{found} at {n}: {apart}");
        }
    }
}

#[test]
fn what_cannot_be_cut_is_refused_with_a_reason() {
    let read =
        |text: &str| Program::read(text).unwrap_or_else(|e| panic!("{}\n{text}", e.show(text)));
    let product =
        read("program p(m, n)(x: [m][n]f32) = join(x) |> split[4] |> map(reduceSeq(add, 0))");
    let why = lower_at(&product, &sizes(&[("m", 3), ("n", 3)])).unwrap_err();
    assert!(why.contains("choose sizes that can be divided"), "{why}");
    let why = lower_at(&product, &sizes(&[("m", 3)])).unwrap_err();
    assert!(why.contains("the size `n` has no value"), "{why}");
}
