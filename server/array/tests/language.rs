//! The language: its text, its types, what programs mean, and the way back to text.

use expect_test::expect;
use proptest::prelude::*;
use sumac_array::value::{Data, Input, Random, difference};
use sumac_array::{Program, Scalar, Sizes, interpret};

fn sizes(given: &[(&str, i64)]) -> Sizes {
    given.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect()
}

fn run(text: &str, inputs: &[Input]) -> String {
    let program = Program::read(text).unwrap_or_else(|e| panic!("{}", e.show(text)));
    interpret(&program, inputs).unwrap().show()
}

fn numbers(values: &[f64]) -> Input {
    Input::Data(Data::array(
        values.iter().copied().map(Data::Number).collect(),
    ))
}

#[test]
fn the_built_in_programs_have_the_types_that_they_should() {
    let shown: Vec<String> = Program::built_ins()
        .map(|name| format!("{name}: {}", Program::built_in(name).unwrap().show_type()))
        .collect();
    expect![[r#"
        mm: (A: [m][k]f32, B: [k][n]f32) -> [m][n]f32
        mv: (A: [m][k]f32, x: [k]f32) -> [m]f32
        dot: (x: [n]f32, y: [n]f32) -> f32
        binomial: (image: [h][w]f32) -> [h - 2][w - 2]f32
        reduction: (x: f32) -> f32
        fission: (f1: f32 -> f32, f2: f32 -> f32, f3: f32 -> f32, f4: f32 -> f32, f5: f32 -> f32, x: [n]f32) -> [n]f32"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn a_program_is_printed_so_that_it_reads_as_itself() {
    for name in Program::built_ins() {
        let program = Program::built_in(name).unwrap();
        let text = program.show();
        let again = Program::read(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.show(&text)));
        assert_eq!(again.show(), text);
        assert_eq!(again.term.to_string(), program.term.to_string(), "{text}");
        assert_eq!(again.show_type(), program.show_type());
    }
    expect![[r#"
        program mm(m, n, k)(A: [m][k]f32, B: [k][n]f32) =
        map(
          fun a => map(fun b => reduce(add, 0, map(fun c => fst(c) * snd(c), zip(a, b))), transpose(B)),
          A
        )
    "#]]
    .assert_eq(&Program::built_in("mm").unwrap().show());
}

/// The product of two matrices, as everybody knows it.
fn product(a: &Data, b: &Data) -> Data {
    let rows = |x: &Data| match x {
        Data::Array(rows) => rows.iter().map(Data::numbers).collect::<Vec<_>>(),
        _ => panic!("a matrix"),
    };
    let (a, b) = (rows(a), rows(b));
    let cell =
        |row: &Vec<f64>, j: usize| -> f64 { row.iter().zip(&b).map(|(x, y)| x * y[j]).sum() };
    let line = |row: &Vec<f64>| {
        Data::array(
            (0..b[0].len())
                .map(|j| Data::Number(cell(row, j)))
                .collect(),
        )
    };
    Data::array(a.iter().map(line).collect())
}

#[test]
fn a_product_of_matrices_is_one_in_both_number_types() {
    for (scalar, tolerance) in [(Scalar::F32, 1e-6), (Scalar::F64, 1e-15)] {
        for (m, n, k) in [(1, 1, 1), (3, 5, 4), (7, 2, 9)] {
            let program = Program::built_in("mm").unwrap().in_scalar(scalar);
            let program = program
                .sized(&sizes(&[("m", m), ("n", n), ("k", k)]))
                .unwrap();
            let (types, _) = program.signature();
            let mut random = Random::new(7);
            let [a, b] = [0, 1].map(|n| random.data(&program.types, types[n]).unwrap());
            let found = interpret(&program, &[a.clone(), b.clone()].map(Input::Data)).unwrap();
            let apart = difference(&found, &product(&a, &b));
            assert!(apart <= tolerance, "{scalar:?} {m} {n} {k}: {apart}");
        }
    }
}

#[test]
fn nan_stays_where_it_belongs() {
    let text = "program p(x: [2]f32, y: [2]f32) = map(fun e => fst(e) * snd(e), zip(x, y))";
    let found = run(text, &[numbers(&[f64::NAN, 2.0]), numbers(&[0.0, 3.0])]);
    assert_eq!(found, "[NaN, 6]");
}

#[test]
fn patterns_do_what_they_say() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let bodies = [
        "split[2](x)",
        "x |> split[2] |> transpose",
        "x |> split[3] |> join",
        "slide[3, 1](x)",
        "slide[2, 2](x)",
        "pad[1, 2](9, x)",
        "unzip(zip(x, map(fun e => e * e, x)))",
        "x |> asVector[2] |> map(fun v => v + vectorFromScalar[2](1)) |> asScalar",
        "let y = toMem(map(fun e => e - 1, x)) in reduce(add, 0, y)",
        "fst(pair(x, fill[2](0)))",
        "makeArray[3](1, 2, 3 / 2)",
        "reduceSeq(fun a b => a - b, 0, x) + max(1, 2) * min(3, 4)",
    ];
    let shown: Vec<String> = bodies
        .iter()
        .map(|body| {
            let value = run(&format!("program p(x: [6]f32) = {body}"), &[numbers(&x)]);
            format!("{body}: {value}")
        })
        .collect();
    expect![[r#"
        split[2](x): [[1, 2], [3, 4], [5, 6]]
        x |> split[2] |> transpose: [[1, 3, 5], [2, 4, 6]]
        x |> split[3] |> join: [1, 2, 3, 4, 5, 6]
        slide[3, 1](x): [[1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6]]
        slide[2, 2](x): [[1, 2], [3, 4], [5, 6]]
        pad[1, 2](9, x): [9, 1, 2, 3, 4, 5, … 3 more]
        unzip(zip(x, map(fun e => e * e, x))): ([1, 2, 3, 4, 5, 6], [1, 4, 9, 16, 25, 36])
        x |> asVector[2] |> map(fun v => v + vectorFromScalar[2](1)) |> asScalar: [2, 3, 4, 5, 6, 7]
        let y = toMem(map(fun e => e - 1, x)) in reduce(add, 0, y): 15
        fst(pair(x, fill[2](0))): [1, 2, 3, 4, 5, 6]
        makeArray[3](1, 2, 3 / 2): [1, 2, 1.5]
        reduceSeq(fun a b => a - b, 0, x) + max(1, 2) * min(3, 4): -15"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn the_binomial_kernel_is_the_product_of_its_factors() {
    let kernel = run(
        "program p(x: f32) = weights2d",
        &[Input::Data(Data::Number(0.0))],
    );
    let product = "program p(x: f32) = map(fun v => map(fun h => v * h, weightsH), weightsV)";
    assert_eq!(kernel, run(product, &[Input::Data(Data::Number(0.0))]));
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let wrong = [
        "program p(x: [4]f32) = map(add, y)",
        "program p(x: [4]f32) = transpose(x)",
        "program p(x: [4]f32) = x(x)",
        "program p(x: [4]f32) = split[8](x)",
        "program p(x: [n]f32) = x",
        "program p(n)(x: [n]f32, y: [n]f32) = zip(x, split[2](y)",
        "program p(x: [0]f32) = x",
        "program p(x: f32) = fun y => x",
        "program p(x: f32) = x + 1f64",
        "program p(x: [2]f32, x: f32) = x",
        "program p(x: f32) = 1e999",
        "program p(x: f32) = 1e99 + x",
        "program p(x: [3]f32) = makeArray[65](x)",
        "program p(x: f32) = split(x)",
    ];
    let shown: Vec<String> = wrong
        .iter()
        .map(|text| Program::read(text).expect_err(text).show(text))
        .collect();
    expect![[r#"
        1:28: expected an argument of type `n2 -> a1`, found `n2 -> n2 -> n2`
        1:34: expected an argument of type `[4][_1]a0`, found `[4]f32`
        1:24: this is no function but of type `[4]f32`; it takes no argument
        1:24: a size is no whole number from 1: this is of type `[4]f32 -> [1/2][8]f32`
        1:15: there is no size `n`; the program has none; declare it in `program name(n)(…)`
        1:56: expected `,` or `)`, found the end of the text
        1:15: expected a whole number from 1, found 0
        1:21: the type of this follows from nothing, found `t0 -> f32`; say it, `(e : type)`
        1:25: expected an argument of type `f32`, found `f64`
        1:22: the input `x` is declared twice
        1:21: the number `1e999` is too large for its type
        1:21: the number is too large for f32
        1:24: expected a number of values from 1 to 64 in brackets
        1:21: expected `split[s]`, found 0 sizes in brackets"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let deep = format!(
        "program p(x: f32) = {}x{}",
        "(".repeat(5000),
        ")".repeat(5000)
    );
    assert!(
        Program::read(&deep)
            .unwrap_err()
            .message
            .contains("nested deeper")
    );
    let long = format!("program p(x: f32) = x{}", " + x".repeat(5000));
    assert!(
        Program::read(&long)
            .unwrap_err()
            .message
            .contains("links in one chain")
    );
}

#[test]
fn sizes_must_be_whole() {
    let text = "program p(n)(x: [n]f32) = x |> split[4] |> map(reduce(add, 0))";
    let program = Program::read(text).unwrap();
    let error = program.sized(&sizes(&[("n", 6)])).unwrap_err();
    expect!["the size n/4 is no whole number from 1 with n=6; choose sizes that can be divided"]
        .assert_eq(&error);
    let error = program.sized(&sizes(&[])).unwrap_err();
    expect!["the size `n` has no value; say `--set n=128`"].assert_eq(&error);
    assert!(interpret(&program, &[numbers(&[1.0])]).is_err());
}

/// Expressions over `x: [12]f32`, as text.
fn vectors() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("map(fun e => e + 1, x)".to_owned())
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), 0..5_usize).prop_map(|(e, n)| {
                let s = [1, 2, 3, 4, 6][n];
                format!("join(split[{s}]({e}))")
            }),
            inner
                .clone()
                .prop_map(|e| format!("{e} |> split[3] |> transpose |> join")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| {
                format!("map(fun p => fst(p) * snd(p) - 0.5, zip({a}, {b}))")
            }),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!(
                "(let y = toMem({a}) in map(fun e => e + reduce(add, 0, y), {b}))"
            )),
            inner
                .clone()
                .prop_map(|e| format!("asScalar(map(fun v => v * v, asVector[4]({e})))")),
            inner
                .clone()
                .prop_map(|e| format!("fst(unzip(zip({e}, fill[12](2))))")),
            inner.prop_map(|e| format!("map(reduceSeq(add, 1), slide[2, 1](pad[1, 0](0, {e})))")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_program_reads_as_itself_and_means_the_same(body in vectors(), double in any::<bool>()) {
        let text = format!("program p(x: [12]f32) = {body}");
        let mut program = Program::read(&text).unwrap();
        if double {
            program = program.in_scalar(Scalar::F64);
        }
        let shown = program.show();
        let again = Program::read(&shown).unwrap();
        prop_assert_eq!(again.show(), shown);
        prop_assert_eq!(again.show_type(), program.show_type());
        let input = Random::new(3).data(&program.types, program.signature().0[0]).unwrap();
        let input = [Input::Data(input)];
        let (a, b) = (interpret(&program, &input).unwrap(), interpret(&again, &input).unwrap());
        prop_assert_eq!(a.numbers().len(), 12);
        prop_assert_eq!(difference(&a, &b), 0.0);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z0-9 ()\\[\\],:=<>+*|.#-]{0,60}") {
        let text = format!("program p(x: f32) = {text}");
        if let Err(error) = Program::read(&text) {
            prop_assert!(!error.show(&text).is_empty());
        }
    }
}
