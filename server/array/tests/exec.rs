//! Nests that run fast: by blocks of vectors and by a compiler they give the numbers that nests give step by step.

use sumac_array::exec::{Aligned, Compiler, Machine, Real, measure};
use sumac_array::guided::guided;
use sumac_array::nest::{Nest, c, lower, run};
use sumac_array::steps::{NESTS, library, steps};
use sumac_array::{Program, Scalar, Sizes};

/// Sums of `k` products of numbers below one.
fn tolerance(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32 => 1e-5,
        Scalar::F64 => 1e-13,
    }
}

fn sized(program: &Program, sizes: &[(&str, i64)]) -> Program {
    let sizes: Sizes = sizes.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    program.sized(&sizes).unwrap()
}

fn found(goal: &str, scalar: Scalar) -> Program {
    let program = Program::built_in("mm").unwrap().in_scalar(scalar);
    let steps = steps(&program, &library([]), goal).unwrap();
    let reached = guided(&program, &steps, &|| false).unwrap_or_else(|_| panic!("{goal}"));
    reached.last().unwrap().program.clone()
}

/// Numbers from -1 to 1, the same on every run.
fn numbers(len: i64, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 40).unwrap()) / f64::from(1 << 23) - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// How far both fast ways are from the nest step by step, and how many blocks there are.
fn apart<T: Real>(nest: &Nest, compiler: Option<(&Compiler, &std::path::Path)>) -> (f64, usize) {
    let given: Vec<Vec<T>> = (1..)
        .zip(&nest.buffers[..nest.inputs])
        .map(|(seed, buffer)| numbers(buffer.len, seed).into_iter().map(T::of).collect())
        .collect();
    let plain: Vec<Vec<f64>> = given
        .iter()
        .map(|input| input.iter().map(|x| x.f64()).collect())
        .collect();
    let expected = run(nest, &plain).unwrap();
    let inputs: Vec<&[T]> = given.iter().map(Vec::as_slice).collect();
    let mut out = Aligned::<T>::new(expected.len());
    let mut worst = 0.0_f64;
    let mut compare = |out: &mut Aligned<T>| {
        for (found, expected) in out.numbers().iter_mut().zip(&expected) {
            worst = worst.max((found.f64() - expected).abs());
            // What is not written again shows.
            *found = T::of(f64::NAN);
        }
    };
    let mut machine = Machine::<T>::new(nest).unwrap();
    for _ in 0..2 {
        machine.run(&inputs, out.numbers()).unwrap();
        compare(&mut out);
    }
    if let Some((compiler, folder)) = compiler {
        let compiled = compiler.compile(nest, folder).unwrap();
        compiled.run(&inputs, out.numbers()).unwrap();
        compare(&mut out);
    }
    (
        if worst.is_nan() { f64::INFINITY } else { worst },
        machine.blocks(),
    )
}

fn both(program: &Program, compiler: Option<(&Compiler, &std::path::Path)>) -> (f64, usize) {
    let nest = lower(program).unwrap_or_else(|why| panic!("{why}\n{}", program.show()));
    match nest.scalar {
        Scalar::F32 => apart::<f32>(&nest, compiler),
        Scalar::F64 => apart::<f64>(&nest, compiler),
    }
}

#[test]
fn every_goal_runs_fast_and_gives_the_numbers_of_its_nest() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = Compiler::find();
    let compiler = compiler.as_ref().map(|compiler| (compiler, folder.path()));
    for scalar in [Scalar::F32, Scalar::F64] {
        for goal in NESTS {
            let program = found(goal, scalar);
            let program = sized(&program, &[("m", 64), ("n", 96), ("k", 40)]);
            let (apart, blocks) = both(&program, compiler);
            assert!(
                apart <= tolerance(scalar),
                "{goal}, {}: {apart}",
                scalar.name()
            );
            assert_eq!(blocks, 1, "{goal}, {}", scalar.name());
        }
    }
}

/// Rows a page apart: C takes two steps of a sum at once.
#[test]
fn rows_a_page_apart_give_the_same_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = Compiler::find();
    let compiler = compiler.as_ref().map(|compiler| (compiler, folder.path()));
    // Registers hold what two steps of a sum read of the narrow numbers, and of the wide ones what one does.
    for (scalar, k, steps) in [(Scalar::F32, 1024, 8), (Scalar::F64, 512, 4)] {
        for goal in ["loop_perm", "cache_blocks"] {
            let program = sized(&found(goal, scalar), &[("m", 32), ("n", 32), ("k", k)]);
            let text = c::text(&lower(&program).unwrap());
            assert!(text.contains(&format!("< {};", k / steps)), "{text}");
            let (apart, _) = both(&program, compiler);
            // Sums are longer than elsewhere.
            assert!(apart <= 20.0 * tolerance(scalar), "{goal}, {apart}");
        }
    }
}

#[test]
fn programs_without_blocks_run_too() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = Compiler::find();
    let compiler = compiler.as_ref().map(|compiler| (compiler, folder.path()));
    let texts = [
        "program p(x: [12]f32) = x |> split[3] |> transpose |> map(reduceSeq(add, 0))",
        "program p(x: [12]f64) = slide[3, 1](x) |> map(fun w => reduce(add, 0, map(fun e => e * e, w)))",
        "program p(x: [12]f32) = let y = toMem(map(fun e => e + 1, x)) in map(fun e => e * reduce(max, 0, y), y)",
        "program p(x: [12]f32) = x |> asVector[4] |> map(fun v => max(v, vectorFromScalar[4](0.5)) - v * v) |> asScalar",
        "program p(x: [12]f64) = reduceSeq(fun acc e => map(fun a => a * e + 0.5, acc), fill[4](1), x)",
        "program p(x: [12]f32) = mapPar(fun e => e * e, x)",
        "program p(x: [12]f32) = mapPar(fun r => reduceSeq(fun acc e => map(fun a => a * e + 0.5, acc), fill[3](1), r), split[4](x))",
        "program p(x: [12]f32) = transpose(mapPar(fun r => mapSeq(fun e => e + 1, r), split[4](x)))",
        "program p(x: [12]f32, y: [4]f32) = reduceSeq(fun acc e => join(transpose(split[2](map(fun a => a + e, acc)))), y, x)",
        "program p(x: [3][4]f32) = pad[1, 1](fill[6](7), map(pad[1, 1](0), x)) |> map(slide[3, 1]) |> map(map(reduce(add, 0)))",
        "program p(x: [6]f32, y: [6]f32) = let p = toMem(zip(x, map(fun e => e + 1, y))) in map(fun e => fst(e) * snd(e) - fst(e), p)",
        "program p(x: [2][5]f32) = mapPar(fun r => fst(reduceSeq(fun a e => (snd(a) * e, fst(a) + e), (0, 1), r)), x)",
    ];
    for text in texts {
        let program = Program::read(text).unwrap_or_else(|e| panic!("{}", e.show(text)));
        let (apart, _) = both(&program, compiler);
        assert!(apart <= 1e-4, "{text}: {apart}");
    }
    let sizes = [("m", 5), ("n", 7), ("k", 3), ("h", 6), ("w", 9)];
    for (name, blocks) in [("mv", 1), ("dot", 1), ("binomial", 0)] {
        let program = Program::built_in(name).unwrap();
        let (apart, found) = both(&sized(&program, &sizes), compiler);
        assert!(apart <= 1e-5, "{name}: {apart}");
        assert_eq!(found, blocks, "{name}");
    }
}

/// Functions of C and of its libraries, words of GNU's C, and macros of its headers.
#[test]
fn names_of_a_program_never_mean_anything_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let compiler = Compiler::find();
    let compiler = compiler.as_ref().map(|compiler| (compiler, folder.path()));
    let names = [
        "memcpy",
        "fork",
        "abort",
        "gamma",
        "time",
        "signal",
        "malloc",
        "free",
        "exit",
        "linux",
        "unix",
        "asm",
        "typeof",
        "main",
        "errno",
        "environ",
        "puts",
        "int",
        "uintptr_t",
        "sumac_nest",
        "sumac_inner",
        "out",
        "v4",
    ];
    for (number, name) in names.into_iter().enumerate() {
        let other = names[(number + 1) % names.len()];
        let text = format!(
            "program {name}({name}: [12]f64, {other}: [12]f64) = map(fun p => fst(p) * snd(p) + 1, zip({name}, {other}))"
        );
        // What the language itself keeps for itself is no name of a program.
        let Ok(program) = Program::read(&text) else {
            continue;
        };
        let (apart, _) = both(&program, compiler);
        assert!(apart <= 1e-12, "{text}: {apart}");
    }
}

#[test]
fn what_a_compiler_that_was_killed_left_is_gone_with_the_next() {
    let Some(compiler) = Compiler::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    // No process has this number.
    let left = folder.path().join("making.4294967294");
    std::fs::create_dir(&left).unwrap();
    std::fs::write(left.join("half.so"), "").unwrap();
    let nest = lower(&Program::read("program p(x: [4]f32) = map(fun e => e + 1, x)").unwrap());
    compiler.compile(&nest.unwrap(), folder.path()).unwrap();
    let kept = std::fs::read_dir(folder.path()).unwrap().flatten();
    let making = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with("making."));
    assert_eq!(
        making.count(),
        usize::from(!std::path::Path::new("/proc/self").exists())
    );
}

#[test]
fn objects_are_kept_by_what_they_are_made_of() {
    let Some(compiler) = Compiler::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let nest = |text: &str| lower(&Program::read(text).unwrap()).unwrap();
    let objects = || {
        let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
        entries
            .filter(|entry| entry.path().extension().is_some_and(|end| end == "so"))
            .count()
    };
    let one = nest("program p(x: [4]f32) = map(fun e => e + 1, x)");
    compiler.compile(&one, folder.path()).unwrap();
    compiler.compile(&one, folder.path()).unwrap();
    assert_eq!(objects(), 1);
    let two = nest("program p(x: [4]f32) = map(fun e => e + 2, x)");
    let compiled = compiler.compile(&two, folder.path()).unwrap();
    assert_eq!(objects(), 2);
    let mut out = [0.0_f32; 4];
    compiled.run(&[&[1.0, 2.0, 3.0, 4.0]], &mut out).unwrap();
    assert_eq!(out, [3.0, 4.0, 5.0, 6.0]);
    // What is kept under the same name but is of something else is made again.
    for entry in std::fs::read_dir(folder.path()).unwrap().flatten() {
        if entry.path().extension().is_some_and(|end| end == "c") {
            std::fs::write(entry.path(), "other").unwrap();
        }
    }
    assert!(compiler.compile(&two, folder.path()).is_ok());
    // So is what a full disk cut off: it would end the process that loads it. What is loaded already stays as it is.
    for entry in std::fs::read_dir(folder.path()).unwrap().flatten() {
        if entry.path().extension().is_some_and(|end| end == "so") {
            let object = std::fs::read(entry.path()).unwrap();
            std::fs::remove_file(entry.path()).unwrap();
            std::fs::write(entry.path(), &object[..4000]).unwrap();
        }
    }
    let compiled = compiler.compile(&two, folder.path()).unwrap();
    out.fill(0.0);
    compiled.run(&[&[1.0, 2.0, 3.0, 4.0]], &mut out).unwrap();
    assert_eq!(out, [3.0, 4.0, 5.0, 6.0]);
    assert!(Compiler::named("no-such-compiler".as_ref()).is_none());
}

#[test]
fn other_inputs_than_the_nest_has_are_refused() {
    let nest =
        lower(&Program::read("program p(x: [4]f32) = map(fun e => e + 1, x)").unwrap()).unwrap();
    assert!(Machine::<f64>::new(&nest).unwrap_err().contains("f32"));
    let mut machine = Machine::<f32>::new(&nest).unwrap();
    let (short, mut out) = ([0.0; 3], [0.0; 4]);
    assert!(machine.run(&[], &mut out).unwrap_err().contains("1 inputs"));
    assert!(
        machine
            .run(&[&short], &mut out)
            .unwrap_err()
            .contains("an input")
    );
    assert!(
        machine
            .run(&[&[0.0; 4]], &mut [0.0; 3])
            .unwrap_err()
            .contains("the result")
    );
    let Some(compiler) = Compiler::find() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let compiled = compiler.compile(&nest, folder.path()).unwrap();
    assert!(compiled.run::<f64>(&[&[0.0; 4]], &mut [0.0; 4]).is_err());
    assert!(compiled.run(&[&short], &mut out).is_err());
}

#[test]
fn a_run_is_timed() {
    let times = measure(std::time::Duration::from_millis(2), &mut || Ok(())).unwrap();
    assert!(times.least <= times.median && times.median <= times.most);
}
