//! Functions of other files: what their calls give, and what is said where they do not fit.

mod support;

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use sumac_analysis::{Database, Known, NoFiles, Workspace};
use sumac_syntax::parse;

const NN: &str = "\
forward = function(Matrix[Double] X, Matrix[Double] W, Matrix[Double] b) return (Matrix[Double] out) {
  out = X %*% W + b
}
init = function(Integer D, Integer M, Integer seed = -1) return (Matrix[Double] W, Matrix[Double] b) {
  W = rand(rows=D, cols=M, seed=seed)
  b = matrix(0, rows=1, cols=M)
}
";

fn analysis(files: &[(&str, &str)]) -> (String, Known) {
    let mut db = Database::new(NoFiles);
    db.set_workspace(Workspace {
        roots: vec![PathBuf::from("/w")],
        may_leave: true,
    });
    for (name, text) in files {
        db.open(&Path::new("/w").join(name), &parse(*text));
    }
    let (name, text) = files[0];
    let analysis = db.known(&Path::new("/w").join(name));
    (text.to_owned(), analysis)
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "as expect! gives it")]
fn check(files: &[(&str, &str)], told: Expect) {
    let (text, analysis) = analysis(files);
    told.assert_eq(&support::diagnostics(&text, &analysis));
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "as expect! gives it")]
fn check_variables(files: &[(&str, &str)], known: Expect) {
    let (text, analysis) = analysis(files);
    known.assert_eq(&support::variables(&text, &analysis));
}

#[test]
fn a_sourced_function_gives_shapes_for_one_and_for_several_results() {
    check_variables(
        &[
            (
                "examples/main.dml",
                r#"source("nn/affine.dml") as affine
X = rand(rows=32, cols=784)
[W, b] = affine::init(784, 10)
out = affine::forward(X, W, b)
"#,
            ),
            ("nn/affine.dml", NN),
        ],
        expect![[r#"
            2 X: matrix 32 x 784 (propagated)
            3 W: matrix 784 x 10 (propagated)
            3 b: matrix 1 x 10, sparsity 0 (propagated)
            4 out: matrix 32 x 10 (propagated)
        "#]],
    );
}

#[test]
fn names_of_sizes_mean_nothing_in_another_file() {
    check_variables(
        &[
            (
                "main.dml",
                "source(\"a.dml\") as a\n#@ X: n x k\nX = read($X)\nY = a::f(X)\nZ = a::g(X)\n",
            ),
            (
                "a.dml",
                "f = function(Matrix[Double] A) return (Matrix[Double] B) {\n  #@ C: n x 3\n  C = read($C)\n  B = C\n}\ng = function(Matrix[Double] A) return (Matrix[Double] B) {\n  B = t(A)\n}\n",
            ),
        ],
        expect![[r#"
            3 X: matrix n x k (#@ line 2)
            4 Y: matrix ? x 3 (unknown)
            5 Z: matrix k x n (propagated)
        "#]],
    );
}

#[test]
fn what_does_not_fit_is_told_where_it_is_called() {
    check(
        &[
            (
                "main.dml",
                r#"source("nn/affine.dml") as affine
source("gone.dml") as gone
X = rand(rows=3, cols=4)
[W, b] = affine::init(4)
[W, b] = affine::init(4, 5, sede = 1)
[W, b, c] = affine::init(4, 5)
[W] = affine::init(4, 5)
a = affine::forwrd(X, W, b)
c = afine::forward(X, W, b)
d = gone::anything(X)
e = affine::forward(t(X), X, X)
print(sum(a) + sum(c) + sum(d) + sum(e) + sum(W) + sum(b))
"#,
            ),
            ("nn/affine.dml", NN),
        ],
        expect![[r#"
            source("gone.dml") as gone
                   ^^^^^^^^^^ Warning missing-file: `gone.dml` is found neither beside the script nor in a folder above it; calls of `gone::…` are not checked
            [W, b] = affine::init(4)
                     ^^^^^^^^^^^^^^^ Error wrong-arity: `init` takes (D, M, seed), found no value for `M`
            [W, b] = affine::init(4, 5, sede = 1)
                                        ^^^^ Error unknown-parameter: `init` has no parameter `sede`; did you mean `seed`?
            [W, b, c] = affine::init(4, 5)
                        ^^^^^^^^^^^^^^^^^^ Error argument-form: this call leaves out `seed`: SystemDS puts the body of so small a function in the place of the call, and then wants every argument; write `init(4, 5, -1)`
                        ^^^^^^^^^^^^^^^^^^ Error wrong-arity: `init` gives 2 results, found 3 names for them
            [W] = affine::init(4, 5)
                  ^^^^^^^^^^^^^^^^^^ Error argument-form: this call leaves out `seed`: SystemDS puts the body of so small a function in the place of the call, and then wants every argument; write `init(4, 5, -1)`
                  ^^^^^^^^^^^^^^^^^^ Error wrong-arity: `init` gives 2 results, found 1 name for them; write `[W, b] = affine::init(4, 5)`
            a = affine::forwrd(X, W, b)
                        ^^^^^^ Error unknown-function: `affine` (`nn/affine.dml`) has no function `forwrd`; did you mean `forward`?
            c = afine::forward(X, W, b)
                ^^^^^ Error unknown-namespace: no `source` gives the namespace `afine`; did you mean `affine`?
        "#]],
    );
}

#[test]
fn a_sourced_file_that_is_there_is_not_missing() {
    check(
        &[
            (
                "main.dml",
                "source(\"nn/affine.dml\") as affine\n[W, b] = affine::init(2, 3, -1)\nprint(sum(W %*% t(b)))\n",
            ),
            ("nn/affine.dml", NN),
        ],
        expect![""],
    );
}

#[test]
fn files_that_source_each_other_end() {
    let odd = "source(\"main.dml\") as even\nodd = function(Integer n) return (Boolean r) {\n  r = FALSE\n  if (n > 0) { r = even::even(n - 1) }\n}\n";
    check_variables(
        &[
            (
                "main.dml",
                "source(\"odd.dml\") as odd\neven = function(Integer n) return (Boolean r) {\n  r = TRUE\n  if (n > 0) { r = odd::odd(n - 1) }\n}\nx = even(10)\n",
            ),
            ("odd.dml", odd),
        ],
        expect![[r#"
            3 r: bool = Bool(true) (propagated)
            4 r: bool (propagated)
            6 x: bool (propagated)
        "#]],
    );
}

#[test]
fn setwd_goes_before_the_paths_that_follow_it() {
    check_variables(
        &[
            (
                "main.dml",
                "setwd(\"deep\")\nsource(\"a.dml\") as a\nx = a::f()\n",
            ),
            (
                "deep/a.dml",
                "f = function() return (Integer r) { r = 3 }\n",
            ),
        ],
        expect![[r#"
            3 x: int = Number(3.0) (propagated)
        "#]],
    );
}

#[test]
fn a_namespace_outside_of_the_workspace_is_left_alone_where_it_must_not_be_left() {
    let mut db = Database::new(NoFiles);
    db.set_workspace(Workspace {
        roots: vec![PathBuf::from("/w")],
        may_leave: false,
    });
    let text = "source(\"/secret/a.dml\") as a\nx = a::nothing()\n";
    db.open(
        Path::new("/secret/a.dml"),
        &parse("f = function() return (Integer r) { r = 3 }"),
    );
    db.open(Path::new("/w/main.dml"), &parse(text));
    let told = |db: &Database| {
        let analysis = db.known(Path::new("/w/main.dml"));
        support::diagnostics(text, &analysis)
    };
    expect![[r#"
        x = a::nothing()
        ^ Hint unused-value: `x` is not read after this
    "#]]
    .assert_eq(&told(&db));
    db.set_workspace(Workspace {
        roots: vec![PathBuf::from("/w")],
        may_leave: true,
    });
    expect![[r#"
        x = a::nothing()
        ^ Hint unused-value: `x` is not read after this
               ^^^^^^^ Error unknown-function: `a` (`/secret/a.dml`) has no function `nothing`
    "#]]
    .assert_eq(&told(&db));
}
