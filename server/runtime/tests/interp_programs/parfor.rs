//! Parallel loops: their results, random numbers and errors are those of one thread after the other.

use super::{check, fails_with, run_with};

#[test]
fn iterations_give_the_cells_that_they_changed() {
    check(
        "R = matrix(\"3 4 5 6\", 2, 2)\nparfor(i in 1:2) { R[i,1] = matrix(i*10,1,1) }\nprint(toString(R))",
        "10.000 4.000\n20.000 6.000\n",
    );
    check(
        "X = matrix(1,3,3)\nf = function(matrix[double] X, int i) return (matrix[double] r) { r = X[i,] * i }\nY = matrix(0,3,3)\nparfor(i in 1:3) { Y[i,] = f(X, i) }\nprint(toString(Y))",
        "1.000 1.000 1.000\n2.000 2.000 2.000\n3.000 3.000 3.000\n",
    );
    // A cell that becomes zero counts as changed.
    check(
        "X = matrix(5,1,20)\nparfor(i in 1:20) { if (i %% 2 == 0) X[1,i] = 0 }\nprint(sum(X))",
        "50.0",
    );
}

#[test]
fn what_is_added_is_summed() {
    check(
        "R = matrix(\"3 4 5 6\", 2, 2)\ns = matrix(0,2,2)\nparfor(i in 1:10) { s += R * i }\nprint(toString(s))",
        "165.000 220.000\n275.000 330.000\n",
    );
    check(
        "s = matrix(7,1,1)\nparfor(i in 1:100) { s += matrix(i,1,1) }\nprint(as.scalar(s))",
        "5057.0",
    );
}

#[test]
fn sparse_results_are_merged() {
    check(
        "X = matrix(0, 50, 100)\nparfor(i in 1:50) { X[i, 2*i] = i }\nprint(sum(X) + \" \" + sum(X > 0) + \" \" + as.scalar(X[7,14]))",
        "1275.0 50.0 7.0",
    );
}

#[test]
fn entries_of_lists_and_cells_of_frames_are_merged() {
    // SystemDS loses such entries where they are made inside of the loop.
    check(
        "l = list(1,2,3)\nparfor(i in 1:3) { l[i] = i * 10 }\nprint(toString(l))",
        "List containing:\n[10, 20, 30]",
    );
    check(
        "F = as.frame(matrix(\"5 6 7 8\", 4, 1))\nparfor(i in 1:4) { if (i > 2) F[i,1] = as.frame(i * 100) }\nprint(toString(as.matrix(F)))",
        "5.000\n6.000\n300.000\n400.000\n",
    );
}

#[test]
fn variables_of_the_body_end_with_it() {
    check("parfor(i in 1:3) { z = i }\nprint(exists(\"z\"))", "FALSE");
    check("s = 5\nparfor(i in 1:10, check=0) { s = i }\nprint(s)", "5");
    fails_with(
        "s = 5\nparfor(i in 1:10) { s = i }\nprint(s)",
        "`s` has no value here: each iteration of a `parfor` gave it one",
    );
    check(
        "s = 5\nX = matrix(0,3,1)\nparfor(i in 1:3) { s = i\n X[i,1] = s }\nprint(sum(X))",
        "6.0",
    );
}

#[test]
fn options_of_the_head_are_known() {
    check(
        "parfor(i in 1:3, check=0, par=2, mode=LOCAL, opt=NONE) { print(\"x\") }",
        "x\nx\nx",
    );
    fails_with(
        "parfor(i in 1:3, speed=2) { print(\"x\") }",
        "no option `speed`",
    );
    check(
        "parfor(i in seq(1, 5, -1)) { print(i) }\nprint(\"end\")",
        "end",
    );
}

#[test]
fn the_first_error_is_told_whatever_ran_first() {
    let text = "parfor(i in 1:64) { if (i > 20) x = matrix(i,1,1) %*% matrix(1,2,2) \n if (i == 20) stop(\"at \" + i) }";
    for _ in 0..20 {
        let error = run_with(std::path::Path::new("."), None, text)
            .1
            .unwrap_err();
        assert_eq!(error.message, "at 20");
    }
    fails_with(
        "X = matrix(0,2,2)\nparfor(i in 1:4) { X = rbind(X, X) }",
        "cannot merge `X`",
    );
}

#[test]
fn results_do_not_depend_on_the_threads() {
    let text = |par: usize| {
        format!(
            "S = matrix(0, 3, 3)\nR = matrix(0, 40, 1)\n\
             parfor(i in 1:40, par={par}) {{ S += rand(rows=3, cols=3) / i\n R[i,1] = sum(rand(rows=2, cols=2)) }}\n\
             parfor(i in 1:3, par={par}) {{ parfor(j in 1:3) {{ S[i,j] = S[i,j] + i / j }} }}\n\
             print(toString(S, decimal=17))\nprint(toString(R, decimal=17))\nprint(sum(R[1,] == R[2,]))"
        )
    };
    let run = |par| {
        let (printed, result) = run_with(std::path::Path::new("."), None, &text(par));
        result.unwrap();
        printed
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(7));
    assert!(
        one.trim_end().ends_with("0.0"),
        "each iteration draws other numbers"
    );
}

#[test]
fn iterations_run_on_several_threads() {
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return;
    }
    // The first iteration takes long enough for the second thread to begin the other one, which is over well after it: each
    // prints on its own.
    let printed = std::sync::Mutex::new(Vec::new());
    let text = "parfor(i in 1:2, par=2) { n = 0\n while (n < 200000 * i^3) n = n + 1\n print(i) }";
    let parsed = sumac_syntax::parse(text);
    let load = |_: &std::path::Path| Err("none".to_owned());
    let options = sumac_runtime::interp::RunOptions {
        args: std::collections::BTreeMap::new(),
        base: ".".into(),
        seed: 1,
        cancel: sumac_runtime::Cancel::default(),
        loader: &load,
        planning: sumac_runtime::fused::Planning::default(),
        compression: sumac_runtime::interp::Compression::default(),
        blocks: true,
        wants_variables: true,
        installation: None,
    };
    let threads = std::sync::Mutex::new(std::collections::BTreeSet::new());
    sumac_runtime::interp::run(parsed.program(), text, &options, &mut |line| {
        printed.lock().unwrap().push(line.to_owned());
        threads
            .lock()
            .unwrap()
            .insert(format!("{:?}", std::thread::current().id()));
    })
    .unwrap();
    assert_eq!(printed.into_inner().unwrap(), ["1", "2"]);
    assert_eq!(
        threads.into_inner().unwrap().len(),
        2,
        "a thread for each iteration"
    );
}

#[test]
fn inner_loops_and_single_iterations_follow_the_same_rules() {
    check(
        "X = matrix(0,2,3)\nparfor(i in 1:2) { parfor(j in 1:3) { t = i * j\n X[i,j] = t }\n if (exists(\"t\")) X[i,1] = 100 }\nprint(sum(X))",
        "18.0",
    );
    check(
        "i = 7\ns = 1\nX = matrix(0,1,1)\nparfor(i in 3:3, check=0) { s = 2\n X += i }\nprint(i + \" \" + s + \" \" + sum(X))",
        "7 1 3.0",
    );
    fails_with(
        "s = 1\nparfor(i in 3:3) { s = 2 }\nprint(s)",
        "`s` has no value here",
    );
}
