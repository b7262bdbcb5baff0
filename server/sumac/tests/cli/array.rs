//! `sumac array`: types, searches by sketches, values, and what is wrong.

use crate::{Folder, code, json, stderr, stdout};

#[test]
fn a_program_has_a_type_and_a_value() {
    let folder = Folder::new(&[(
        "twice.array",
        "program twice(n)(x: [n]f32) = map(fun e => e + e, x)\n",
    )]);
    let output = folder.sumac(&["array", "twice.array"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stdout(&output), "twice: (x: [n]f32) -> [n]f32\n");
    let output = folder.sumac(&["array", "twice.array", "--emit", "run", "--set", "n=3"]);
    assert!(
        stdout(&output).starts_with("3 numbers: "),
        "{}",
        stdout(&output)
    );
    let again = folder.sumac(&["array", "twice.array", "--emit", "run", "--set", "n=3"]);
    assert_eq!(stdout(&output), stdout(&again));
}

#[test]
fn a_sketch_finds_a_program_that_computes_the_same() {
    let folder = Folder::new(&[]);
    let output = folder.sumac(&["array", "mm", "--sketch", "blocking", "--emit", "plan"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.starts_with("# guide split: "), "{text}");
    assert!(
        text.contains("split[32]") && text.contains("split[4]"),
        "{text}"
    );
    std::fs::write(folder.path().join("found.array"), &text).unwrap();
    // What is printed is a program.
    let again = folder.sumac(&["array", "found.array"]);
    assert_eq!(
        stdout(&again),
        "mm: (A: [m][k]f32, B: [k][n]f32) -> [m][n]f32\n"
    );
    let set = [
        "--set", "m=32", "--set", "n=32", "--set", "k=8", "--number", "f64",
    ];
    let run = [
        "array",
        "mm",
        "--sketch",
        "loop_perm",
        "--emit",
        "run",
        "--format",
        "json",
    ];
    let f32 = folder.sumac(&[&run[..], &set[..6]].concat());
    let row = &json(&f32)["value"];
    assert_eq!(row["numbers"], 1024);
    assert!(row["difference"].as_f64().unwrap() < 1e-6, "{row}");
    assert_eq!(json(&f32)["steps"].as_array().unwrap().len(), 3);
}

#[test]
fn a_nest_is_written_as_c() {
    let folder = Folder::new(&[]);
    let set = ["--set", "m=64", "--set", "n=64", "--set", "k=64"];
    let run = ["array", "mm", "--sketch", "cache_blocks", "--emit", "c"];
    let output = folder.sumac(&[&run[..], &set[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "void mm(const float *restrict A, const float *restrict B, float *restrict out) {",
        "#pragma omp parallel for",
        "vector_size(64)",
    ] {
        assert!(text.contains(part), "`{part}` in {text}");
    }
    let output = folder.sumac(&["array", "fission", "--emit", "c"]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("cannot be written as C: the input `f1` must be an array"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_nest_runs_in_a_process_of_its_own_and_is_timed() {
    let folder = Folder::new(&[]);
    let run = ["array", "mm", "--sketch", "cache_blocks", "--emit", "run"];
    let sizes = ["--size", "m=96", "--size", "n=64", "--size", "k=128"];
    for how in [
        &["--backend", "nest"][..],
        &["--backend", "c", "--type", "f64"],
    ] {
        let output = folder.sumac(&[&run[..], &sizes[..], how, &["--format", "json"]].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let row = &json(&output)["value"];
        assert_eq!(row["numbers"], 96 * 64);
        assert!(row["difference"].as_f64().unwrap() < 1e-5, "{row}");
        assert!(row["ms_median"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["runs"].as_u64().unwrap() >= 5, "{row}");
        assert_eq!(row["checked"]["k"], 64, "{row}");
    }
    let output = folder.sumac(&[&run[..], &["--backend", "nest"]].concat());
    assert!(stdout(&output).contains("nest: "), "{}", stdout(&output));
    assert!(stdout(&output).contains("by the interpreter at k=64, m=64, n=64"));
    // Programs without a nest are refused.
    let output = folder.sumac(&["array", "fission", "--emit", "run", "--backend", "nest"]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("must be an array"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn sizes_that_tiles_do_not_divide_run_too() {
    let folder = Folder::new(&[]);
    let run = ["array", "mm", "--sketch", "cache_blocks", "--emit", "run"];
    let sizes = ["--size", "m=100", "--size", "n=75", "--size", "k=35"];
    for how in ["nest", "c", "interpreter"] {
        let rest = ["--backend", how, "--format", "json"];
        let output = folder.sumac(&[&run[..], &sizes[..], &rest[..]].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let row = &json(&output)["value"];
        assert_eq!(row["numbers"], 7500, "{how}");
        assert!(row["difference"].as_f64().unwrap() < 1e-5, "{how}: {row}");
        if how == "nest" {
            // Compared where tiles do not divide the sizes either.
            assert_eq!(row["checked"]["m"], 67, "{row}");
        }
    }
}

#[test]
fn tiles_that_fit_are_tried_and_the_fastest_runs() {
    let folder = Folder::new(&[]);
    let run = [
        "array",
        "mm",
        "--sketch",
        "cache_blocks",
        "--emit",
        "run",
        "--backend",
        "nest",
    ];
    // The sketch's own tiles, 32 and 4, do not divide these.
    let sizes = ["--size", "m=50", "--size", "n=75", "--size", "k=35"];
    let tune = ["--tune", "1", "--format", "json"];
    let output = folder.sumac(&[&run[..], &sizes[..], &tune[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = json(&output);
    let tried = report["tuned"].as_array().unwrap();
    assert_eq!(tried[0]["tiles"][1], serde_json::json!([32, 25]));
    assert!(
        report["value"]["difference"].as_f64().unwrap() < 1e-5,
        "{report}"
    );
    let text = report["text"].as_str().unwrap();
    assert!(!text.contains("split[32]"), "{text}");
    // Vectors of one number are none, and 131 has no other divisor up to 128.
    let prime = ["--size", "m=50", "--size", "n=131"];
    let output = folder.sumac(&[&run[..], &prime[..], &tune[..]].concat());
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    assert!(
        stderr(&output).contains("no tiles up to 128 fit the sizes k=64, m=50, n=131"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn without_a_compiler_the_nest_runs_and_that_is_said() {
    let folder = Folder::new(&[]);
    let output = folder
        .command(&["array", "dot", "--emit", "run", "--backend", "c"])
        .env("CC", "no-such-compiler")
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("there is no C compiler"),
        "{}",
        stderr(&output)
    );
    assert!(stdout(&output).contains("nest: "), "{}", stdout(&output));
}

#[test]
fn a_search_that_fails_shows_the_nearest_program() {
    let folder = Folder::new(&[(
        "a.sketch",
        "sketch pieces(n) on array { goal contains(map(?) : [n/7]?) using split within 4 rounds }",
    )]);
    let args = [
        "array",
        "dot",
        "--sketches",
        "a.sketch",
        "--sketch",
        "pieces",
    ];
    let output = folder.sumac(&args);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("# nearest, 1 parts of the sketch are missed:"),
        "{}",
        stdout(&output)
    );
    assert!(
        stderr(&output).contains("the goal was not reached"),
        "{}",
        stderr(&output)
    );
    let row = &json(&folder.sumac(&[&args[..], &["--format", "json"]].concat()))["failed"];
    assert_eq!(row["label"], "goal");
}

#[test]
fn what_is_wrong_is_said_with_its_place_or_with_what_there_is() {
    let folder = Folder::new(&[("a.array", "program p(x: f32) =\n  x + y\n")]);
    let output = folder.sumac(&["array", "a.array"]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("a.array:2:7: there is no `y` here"),
        "{}",
        stderr(&output)
    );
    for (args, said) in [
        (
            &["array", "nothing"][..],
            "programs that are always there: mm, mv",
        ),
        (
            &["array", "mm", "--sketch", "blocks"],
            "there is no sketch `blocks`",
        ),
        (
            &["array", "mm", "--emit", "run", "--set", "q=3"],
            "a size of the program",
        ),
        (&["array", "dot", "--sketch", "blocking"], "no size"),
    ] {
        let output = folder.sumac(args);
        assert_eq!(code(&output), 64, "{args:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(said),
            "{args:?}: {}",
            stderr(&output)
        );
    }
}

const PRODUCTS: &str = "\
#@ A: 100 x 200
#@ B: 200 x 50
A = read($A)
B = read($B)
C = A %*% B
D = colSums(t(C) %*% C) / 2
E = exp(A)
";

#[test]
fn the_expression_of_a_line_is_a_program_with_the_sizes_of_its_script() {
    let folder = Folder::new(&[("a.dml", PRODUCTS)]);
    let output = folder.sumac(&["array", "a.dml:5"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(
        stdout(&output),
        "# A %*% B\nC: (A: [m][k]f64, B: [k][n]f64) -> [m][n]f64\n"
    );
    // What an earlier line computes is an input.
    let output = folder.sumac(&["array", "a.dml:6", "--number", "f32"]);
    assert_eq!(
        stdout(&output),
        "# colSums(t(C) %*% C) / 2\nD: (C: [k][m]f32) -> [m]f32\n"
    );
    let run = ["array", "a.dml:5", "--emit", "run", "--format", "json"];
    let nest = folder.sumac(&[&run[..], &["--backend", "nest"]].concat());
    assert_eq!(json(&nest)["value"]["numbers"], 5000, "{}", stderr(&nest));
    let sketched = [
        "--sketch", "blocking", "--size", "m=32", "--size", "n=64", "--size", "k=8",
    ];
    let blocks = folder.sumac(&[&run[..], &sketched[..]].concat());
    let row = &json(&blocks)["value"];
    assert_eq!(row["numbers"], 2048, "{}", stderr(&blocks));
    assert!(row["difference"].as_f64().unwrap() < 1e-12, "{row}");
}

#[test]
fn a_line_without_a_program_says_why() {
    let folder = Folder::new(&[("a.dml", PRODUCTS)]);
    for (line, why) in [
        (
            "a.dml:7",
            "`exp(A)` has no array program: there is no pattern for it",
        ),
        ("a.dml:3", "no statement with linear algebra stands there"),
    ] {
        let output = folder.sumac(&["array", line]);
        assert_eq!(code(&output), 1, "{line}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    assert_eq!(code(&folder.sumac(&["array", "a.dml:70"])), 64);
    assert_eq!(code(&folder.sumac(&["array", "b.dml:1"])), 1);
}
