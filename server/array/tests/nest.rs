//! Loop nests and their C: they compute what the program does.

use std::process::Command;

use expect_test::expect;
use sumac_array::guided::guided;
use sumac_array::nest::{Nest, c, lower, run};
use sumac_array::steps::{NESTS, library, steps};
use sumac_array::value::{Data, Input, Random, difference};
use sumac_array::{Program, Scalar, Sizes, interpret};

fn sized(program: &Program, sizes: &[(&str, i64)]) -> Program {
    let sizes: Sizes = sizes.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    program.sized(&sizes).unwrap()
}

fn found(goal: &str) -> Program {
    let program = Program::built_in("mm").unwrap();
    let steps = steps(&program, &library([]), goal).unwrap();
    let reached = guided(&program, &steps, &|| false).unwrap_or_else(|_| panic!("{goal}"));
    reached.last().unwrap().program.clone()
}

fn inputs(program: &Program) -> Vec<Data> {
    let mut random = Random::new(5);
    let (types, _) = program.signature();
    types
        .iter()
        .map(|ty| random.data(&program.types, *ty).unwrap())
        .collect()
}

fn list(numbers: &[f64]) -> Data {
    Data::array(numbers.iter().copied().map(Data::Number).collect())
}

/// Both ways to evaluate a program, and how far they are apart.
fn apart(program: &Program) -> f64 {
    let data = inputs(program);
    let nest = lower(program).unwrap_or_else(|why| panic!("{why}\n{}", program.show()));
    let numbers: Vec<Vec<f64>> = data.iter().map(Data::numbers).collect();
    let ran = run(&nest, &numbers).unwrap();
    let given: Vec<Input> = data.into_iter().map(Input::Data).collect();
    let value = interpret(program, &given).unwrap();
    difference(&list(&value.numbers()), &list(&ran))
}

#[test]
fn the_nest_of_every_goal_computes_the_product() {
    for goal in NESTS {
        let program = found(goal);
        for scalar in [Scalar::F32, Scalar::F64] {
            let program = if scalar == Scalar::F64 && goal != "baseline" && goal != "blocking" {
                // Vectors of f32 are what these sketches ask for.
                continue;
            } else {
                program.in_scalar(scalar)
            };
            let program = sized(&program, &[("m", 32), ("n", 64), ("k", 8)]);
            assert_eq!(apart(&program), 0.0, "{goal}");
        }
    }
}

#[test]
fn other_programs_become_nests_too() {
    let texts = [
        "program p(x: [12]f32) = x |> split[3] |> transpose |> map(reduceSeq(add, 0))",
        "program p(x: [12]f32) = slide[3, 1](x) |> map(fun w => reduce(add, 0, map(fun e => e * e, w)))",
        "program p(x: [12]f32) = let y = toMem(map(fun e => e + 1, x)) in map(fun e => e * reduce(max, 0, y), y)",
        "program p(x: [12]f32) = x |> asVector[4] |> map(fun v => max(v, vectorFromScalar[4](0.5))) |> asScalar",
        "program p(x: [12]f32) = reduceSeq(fun acc e => map(fun a => a * e + 0.5, acc), fill[4](1), x)",
        "program p(x: [12]f32) = join(map(fun r => reduceUnroll(fun acc e => map(fun z => fst(z) + snd(z), zip(acc, e)), fill[3](0), split[3](r)), split[6](x)))",
        "program p(x: [12]f32) = unzip(zip(x, map(fun e => 2 * e, x))) |> snd |> split[4] |> transpose |> join",
        "program p(x: [12]f32) = pad[2, 1](0.5, x)",
        "program p(x: [12]f32) = pad[0, 1](0.5, x) |> slide[4, 3] |> map(reduceSeq(fun a e => a - 2 * e, 0))",
        "program p(x: [3][4]f32) = pad[1, 1](fill[6](7), map(pad[1, 1](0), x)) |> map(slide[3, 1]) |> map(map(reduce(add, 0)))",
        "program p(x: [6]f32, y: [6]f32) = let p = toMem(zip(x, map(fun e => e + 1, y))) in map(fun e => fst(e) * snd(e) - fst(e), p)",
        "program p(x: [3][4]f32) = let p = toMem(map(map(fun e => (e, e + 1)), x)) in map(map(fun e => fst(e) * snd(e)), transpose(p))",
        "program p(x: [4]f32) = fst(reduceSeq(fun a e => (snd(a) + e, fst(a)), (0, 1), x))",
        "program p(x: [5]f32, y: [3]f32) = let p = reduceSeq(fun a e => (map(fun z => z * snd(a), fst(a)), snd(a) + e), (y, 1), x) in map(fun z => z - snd(p), fst(p))",
        "program p(x: [5]f32, y: [3]f32) = reduceSeq(fun a e => map(fun p => (snd(p), fst(p) + e), a), zip(y, map(fun z => z * 2, y)), x) |> map(fun p => fst(p) - 2 * snd(p))",
        "program p(x: [2][5]f32) = map(fun r => snd(reduceSeq(fun a e => ((e, fst(fst(a))), max(snd(a), snd(fst(a)) - e)), ((0, 0), 0), r)), x)",
        "program p(x: [3]f32) = zip(weightsV, x) |> map(fun e => fst(e) * snd(e)) |> reduce(add, 0) |> makeArray[1]",
        "program p(x: [5][7]f32) = x |> map(slide[3, 1]) |> slide[3, 1] |> map(transpose) |> map(map(fun cells =>
           zip(weightsV, map(fun c => reduce(add, 0, map(fun p => fst(p) * snd(p), zip(weightsH, c))), cells))
             |> map(fun p => fst(p) * snd(p)) |> reduce(add, 0)))",
    ];
    for text in texts {
        let program = Program::read(text).unwrap_or_else(|e| panic!("{}", e.show(text)));
        assert_eq!(apart(&program), 0.0, "{text}");
    }
    for name in ["mv", "dot", "binomial"] {
        let program = sized(
            &Program::built_in(name).unwrap(),
            &[("m", 5), ("n", 7), ("k", 3), ("h", 6), ("w", 9)],
        );
        assert_eq!(apart(&program), 0.0, "{name}");
    }
}

#[test]
fn what_reads_other_places_than_it_writes_gets_a_buffer_of_its_own() {
    let text = "program p(x: [12]f32, y: [4]f32) =
        reduceSeq(fun acc e => join(transpose(split[2](map(fun a => a + e, acc)))), y, x)";
    assert_eq!(apart(&Program::read(text).unwrap()), 0.0);
    let text = "program p(x: [12]f32, y: [4]f32) =
        reduceSeq(fun acc e =>
          map(fun z => fst(z) - snd(z) * e, zip(acc, join(transpose(split[2](acc))))), y, x)";
    assert_eq!(apart(&Program::read(text).unwrap()), 0.0);
}

#[test]
fn what_cannot_be_a_nest_is_refused_with_a_reason() {
    let refused = |text: &str| lower(&Program::read(text).unwrap()).unwrap_err();
    let shown = [
        refused("program p(f: f32 -> f32, x: [4]f32) = map(f, x)"),
        refused("program p(x: [4]f32) = zip(x, x)"),
        refused("program p(n)(x: [n]f32) = x"),
    ];
    expect![[r#"
        the input `f` must be an array of f32 for a nest
        pairs and functions cannot be stored in a buffer
        a size has no value"#]]
    .assert_eq(&shown.join("\n"));
}

/// What compiled C prints for these inputs; `None` where there is no compiler.
fn compiled(nest: &Nest, inputs: &[Vec<f64>]) -> Option<Vec<f64>> {
    Command::new("cc").arg("--version").output().ok()?;
    let dir = tempfile::tempdir().unwrap();
    let ty = if nest.scalar == Scalar::F32 {
        "float"
    } else {
        "double"
    };
    let mut text = c::text(nest);
    text += "#include <stdio.h>\n";
    let mut arguments = Vec::new();
    for (n, input) in inputs.iter().enumerate() {
        let numbers: Vec<String> = input.iter().map(|x| format!("{x:?}")).collect();
        text += &format!("static {ty} input{n}[] = {{{}}};\n", numbers.join(", "));
        arguments.push(format!("input{n}"));
    }
    let len = nest.buffers[nest.inputs].len;
    arguments.push("output".to_owned());
    text += &format!(
        "static {ty} output[{len}];\nint main(void) {{\n  {}({});\n  for (long n = 0; n < {len}; n++) printf(\"%.17g\\n\", output[n]);\n}}\n",
        nest.name,
        arguments.join(", ")
    );
    let (source, program) = (dir.path().join("p.c"), dir.path().join("p"));
    std::fs::write(&source, &text).unwrap();
    let output = Command::new("cc")
        .args([
            "-std=gnu11",
            "-O1",
            "-fopenmp",
            "-ffp-contract=off",
            "-Wall",
            "-Werror",
            "-Wno-psabi",
            "-o",
        ])
        .args([&program, &source])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}\n{text}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = Command::new(&program).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(lines.lines().map(|line| line.parse().unwrap()).collect())
}

#[test]
fn compiled_c_gives_the_numbers_of_the_nest() {
    let vectors = "program least(x: [8]f32) = x |> asVector[4] |> map(fun v => min(v, vectorFromScalar[4](0)) - v) |> asScalar";
    let mut programs = vec![Program::read(vectors).unwrap()];
    for goal in ["blocking", "vectorization", "cache_blocks", "parallel"] {
        programs.push(sized(&found(goal), &[("m", 64), ("n", 32), ("k", 8)]));
    }
    for program in programs {
        let nest = lower(&program).unwrap();
        let numbers: Vec<Vec<f64>> = inputs(&program).iter().map(Data::numbers).collect();
        let Some(printed) = compiled(&nest, &numbers) else {
            return;
        };
        assert_eq!(
            difference(&list(&printed), &list(&run(&nest, &numbers).unwrap())),
            0.0
        );
    }
}

#[test]
fn the_c_of_blocks_reads_a_row_once_and_nothing_ahead() {
    let sizes = [("m", 1024), ("n", 1024), ("k", 1024)];
    let text = c::text(&lower(&sized(&found("blocking"), &sizes)).unwrap());
    for part in [
        "v16 fixed5_0, fixed5_1;",
        "*(v16 *)&t3[32 * i8 + 16] = *(v16 *)&t3[32 * i8 + 16] + A[32768 * i0 + 1024 * i8 + 4 * i4 + i7] * fixed5_1;",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(!text.contains("uintptr_t"), "{text}");
    // What a block is copied to at its end is asked for when it begins.
    assert!(
        text.contains("__builtin_prefetch(&out[32768 * i0 + 1024 * i12 + 32 * i1], 1);"),
        "{text}"
    );
}

#[test]
fn the_c_of_cache_blocks_keeps_sums_in_variables() {
    let program = sized(
        &found("cache_blocks"),
        &[("m", 1024), ("n", 1024), ("k", 1024)],
    );
    expect![[r#"
        #include <stdint.h>
        #include <stdlib.h>

        typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));

        void mm(const float *restrict A, const float *restrict B, float *restrict out) {
          float *restrict stored4 = aligned_alloc(64, 4194304);
          if (!stored4) abort();
          #pragma omp parallel for
          for (long i8 = 0; i8 < 32; i8++) {
            for (long i9 = 0; i9 < 1024; i9++) {
              *(v16 *)&stored4[32768 * i8 + 32 * i9] = *(const v16 *)&B[1024 * i9 + 32 * i8];
              *(v16 *)&stored4[32768 * i8 + 32 * i9 + 16] = *(const v16 *)&B[1024 * i9 + 32 * i8 + 16];
            }
          }
          for (long i0 = 0; i0 < 32; i0++) {
            for (long i1 = 0; i1 < 32; i1++) {
              float t3[1024] __attribute__((aligned(64)));
              for (long i34 = 0; i34 < 32; i34++) {
                __builtin_prefetch(&out[32768 * i0 + 1024 * i34 + 32 * i1], 1);
                __builtin_prefetch(&out[32768 * i0 + 1024 * i34 + 32 * i1 + 16], 1);
              }
              for (long i2 = 0; i2 < 32; i2++) {
                *(v16 *)&t3[32 * i2] = 0.0f - (v16){0};
                *(v16 *)&t3[32 * i2 + 16] = 0.0f - (v16){0};
              }
              for (long i6 = 0; i6 < 128; i6++) {
                v16 fixed6_0, fixed6_1, fixed6_2, fixed6_3, fixed6_4, fixed6_5, fixed6_6, fixed6_7, fixed6_8, fixed6_9, fixed6_10, fixed6_11, fixed6_12, fixed6_13, fixed6_14, fixed6_15;
                fixed6_0 = *(v16 *)&stored4[32768 * i1 + 256 * i6];
                fixed6_1 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 16];
                fixed6_2 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 32];
                fixed6_3 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 48];
                fixed6_4 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 64];
                fixed6_5 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 80];
                fixed6_6 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 96];
                fixed6_7 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 112];
                fixed6_8 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 128];
                fixed6_9 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 144];
                fixed6_10 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 160];
                fixed6_11 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 176];
                fixed6_12 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 192];
                fixed6_13 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 208];
                fixed6_14 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 224];
                fixed6_15 = *(v16 *)&stored4[32768 * i1 + 256 * i6 + 240];
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 16] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 32] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 48] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 64] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 80] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 96] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 112] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 128] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 144] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 160] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 176] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 192] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 208] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 224] + 4096));
                __builtin_prefetch((const void *)((uintptr_t)&stored4[32768 * i1 + 256 * i6 + 240] + 4096));
                for (long i7 = 0; i7 < 32; i7++) {
                  __builtin_prefetch((const void *)((uintptr_t)&A[32768 * i0 + 1024 * i7 + 8 * i6] + 64));
                  v16 t5_0, t5_1;
                  t5_0 = *(v16 *)&t3[32 * i7];
                  t5_1 = *(v16 *)&t3[32 * i7 + 16];
                  t5_0 = t5_0 + A[32768 * i0 + 1024 * i7 + 8 * i6] * fixed6_0;
                  t5_1 = t5_1 + A[32768 * i0 + 1024 * i7 + 8 * i6] * fixed6_1;
                  t5_0 = t5_0 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 1] * fixed6_2;
                  t5_1 = t5_1 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 1] * fixed6_3;
                  t5_0 = t5_0 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 2] * fixed6_4;
                  t5_1 = t5_1 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 2] * fixed6_5;
                  t5_0 = t5_0 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 3] * fixed6_6;
                  t5_1 = t5_1 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 3] * fixed6_7;
                  t5_0 = t5_0 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 4] * fixed6_8;
                  t5_1 = t5_1 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 4] * fixed6_9;
                  t5_0 = t5_0 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 5] * fixed6_10;
                  t5_1 = t5_1 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 5] * fixed6_11;
                  t5_0 = t5_0 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 6] * fixed6_12;
                  t5_1 = t5_1 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 6] * fixed6_13;
                  t5_0 = t5_0 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 7] * fixed6_14;
                  t5_1 = t5_1 + A[32768 * i0 + 1024 * i7 + 8 * i6 + 7] * fixed6_15;
                  *(v16 *)&t3[32 * i7] = t5_0;
                  *(v16 *)&t3[32 * i7 + 16] = t5_1;
                }
              }
              for (long i34 = 0; i34 < 32; i34++) {
                *(v16 *)&out[32768 * i0 + 1024 * i34 + 32 * i1] = *(v16 *)&t3[32 * i34];
                *(v16 *)&out[32768 * i0 + 1024 * i34 + 32 * i1 + 16] = *(v16 *)&t3[32 * i34 + 16];
              }
            }
          }
          free(stored4);
        }
    "#]].assert_eq(&c::text(&lower(&program).unwrap()));
}
