//! Functions: defaults, names, several results, recursion, namespaces, and calls by name.

use super::{check, check_in, fails_with};

#[test]
fn arguments_have_names_and_defaults() {
    let f = "f = function(int n, double d = 2.5, string s = \"x\", boolean b = TRUE) return (string o) { o = n + \" \" + d + \" \" + s + \" \" + b }\n";
    check(
        &format!("{f}print(f(3, 1.5, \"q\", FALSE))"),
        "3 1.5 q FALSE",
    );
    check(&format!("{f}print(f(3, s=\"k\"))"), "3 2.5 k TRUE");
    check(&format!("{f}print(f(d=1, n=2))"), "2 1.0 x TRUE");
    fails_with(&format!("{f}print(f(d=1))"), "needs a value for `n`");
    fails_with(&format!("{f}print(f(1, z=1))"), "no parameter `z`");
}

#[test]
fn values_take_the_declared_kind() {
    check(
        "f = function(int x) return (int y) { y = x }\nprint(f(3.7))",
        "3",
    );
    check(
        "f = function(double x) return (double y) { y = x }\nprint(f(3))",
        "3.0",
    );
    check(
        "f = function(matrix[double] X) return (scalar[double] a) { a = sum(X) }\nprint(f(matrix(3,2,2)))",
        "12.0",
    );
    check(
        "f = function(list[unknown] l) return (double s) { s = as.scalar(l[1]) + as.scalar(l[2]) }\nprint(f(list(1,2)))",
        "3.0",
    );
    fails_with(
        "f = function(list[unknown] l) return (double s) { s = 1 }\nx = f(matrix(1,1,1))",
        "is declared list[unknown]",
    );
    fails_with(
        "f = function(double l) return (double s) { s = 1 }\nx = f(list(1))",
        "found a list of 1",
    );
}

#[test]
fn results_are_several_or_lists() {
    check(
        "f = function() return (list[unknown] l, double d) { l = list(a=1,b=2)\n d = 3 }\n[x, y] = f()\nprint(toString(x) + \" \" + y)",
        "List containing:\n[1, 2] 3.0",
    );
    check(
        "f = function(matrix[double] X) return (matrix[double] X) { X[1,1] = 9 }\nA = matrix(1,2,2)\nB = f(A)\nprint(sum(A) + \" \" + sum(B))",
        "4.0 12.0",
    );
    check(
        "f = function(int n) return (int r) { if (n <= 1) r = 1 else r = n * f(n-1) }\nprint(f(10))",
        "3628800",
    );
}

#[test]
fn eval_calls_by_name_and_gives_a_matrix() {
    let f =
        "f = function(matrix[double] X, double k = 7) return (matrix[double] Y) { Y = X * k }\n";
    check(
        &format!("{f}print(toString(eval(\"f\", list(matrix(3,1,1)))))"),
        "21.000\n",
    );
    check(
        &format!("{f}print(toString(eval(\"f\", list(k=3, X=matrix(3,1,1)))))"),
        "9.000\n",
    );
    check(
        &format!("{f}n = \"f\"\nprint(toString(eval(n, matrix(3,1,1), 2)))"),
        "6.000\n",
    );
    let g = "f = function(double a, double k = 7) return (double r, matrix[double] M) { r = a * k\n M = matrix(r,1,1) }\n";
    check(
        &format!("{g}print(toString(eval(\"f\", list(3))))"),
        "21.000\n",
    );
    check(
        &format!(
            "{g}Z = evalList(\"f\", list(3))\nprint(as.scalar(Z['r']))\nprint(toString(as.matrix(Z[2])))"
        ),
        "21.0\n21.000\n",
    );
    check(
        "f = function(list[unknown] l) return (double n) { n = length(l) }\nprint(as.scalar(eval(\"f\", list(1,2,3))))",
        "3.0",
    );
    fails_with(
        "x = eval(\"nothing\", 1)",
        "finds no function called `nothing`",
    );
    fails_with("x = eval(1, 1)", "name of a function");
}

#[test]
fn a_variable_exists_once_it_has_a_value() {
    // SystemDS looks at constants before the run and finds nothing; a value that it cannot know gives the same.
    check(
        "print(exists(\"x\"))\nx = matrix(1,1,1)\nprint(exists(\"x\"))\nprint(exists(x))",
        "FALSE\nTRUE\nTRUE",
    );
}

#[test]
fn files_of_one_name_stay_apart() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    // Both call something `u`, and source each other's folder from where the run starts.
    write(
        "a/main.dml",
        "source(\"a/u.dml\") as u\nf = function() return (double y) { y = u::g() }",
    );
    write(
        "a/u.dml",
        "source(\"a/main.dml\") as back\ng = function() return (double y) { y = h() + 1 }\nh = function() return (double y) { y = 10 }",
    );
    write(
        "b/main.dml",
        "source(\"u.dml\") as u\nf = function() return (double y) { y = u::g() }",
    );
    write("b/u.dml", "g = function() return (double y) { y = 2 }");
    check_in(
        folder.path(),
        "source(\"a/main.dml\") as a\nsource(\"b/main.dml\") as b\nprint(a::f() + \" \" + b::f())\nn = \"b::f\"\nprint(toString(eval(n, list())))",
        "11.0 2.0\n2.000\n",
    );
}

#[test]
fn loops_count_in_whole_numbers() {
    let cases = [
        ("1.5:3.5", "1 2 3 "),
        ("3:1", "3 2 1 "),
        ("1:0", "1 0 "),
        ("seq(1, 0)", "1 0 "),
        ("seq(5, 1, -2)", "5 3 1 "),
        ("seq(1, 10, 2.5)", "1 3 5 7 9 "),
        ("seq(1, 2, 0.5)", ""),
    ];
    for (range, expected) in cases {
        check(
            &format!("s = \"\"\nfor (i in {range}) s = s + i + \" \"\nprint(s + \".\")"),
            &format!("{expected}."),
        );
    }
    check("for(i in 1:3) { i = 7 }\nprint(i)", "7");
    fails_with("for (i in 1:1e16) print(i)", "whole numbers");
}

#[test]
fn cells_are_added_to() {
    check(
        "X = matrix(1,2,2)\nX[1,2] += 4\nX += 1\nprint(toString(X))",
        "2.000 6.000\n2.000 2.000\n",
    );
    check("s = \"a\"\ns += \"b\"\nprint(s)", "ab");
    fails_with("x += 1", "`x` has no value here");
}

#[test]
fn names_of_constants_can_be_taken() {
    check(
        "print(NaN + \" \" + Inf + \" \" + (pi > 3))",
        "NaN Infinity TRUE",
    );
    check("pi = 3\nprint(pi)", "3");
}

#[test]
fn a_function_without_a_result_is_called_for_its_effect() {
    check(
        "f = function(double x) { print(\"got \" + x) }\nf(3)\nz = f(2.5)",
        "got 3.0\ngot 2.5",
    );
    fails_with(
        "f = function(double x) { print(x) }\nz = 1 + f(2)",
        "has no result to use",
    );
}

/// SystemDS propagates a literal that all calls pass into a body that it does not put in the place of the call.
#[test]
fn a_literal_is_printed_as_it_was_passed() {
    let shown = "for (i in 1:2) print(\"m \" + m + \".\")";
    let f = format!("f = function(Double m) return (Double r) {{\n {shown}\n r = m * 2\n}}\n");
    check(&format!("{f}print(f(4))"), "m 4.\nm 4.\n8.0");
    check(
        &format!("{f}print(f(4))\nprint(f(5))"),
        "m 4.0.\nm 4.0.\n8.0\nm 5.0.\nm 5.0.\n10.0",
    );
    check(
        &format!("{f}x = 4\nfor (j in 1:2) {{ y = f(x + j)\n print(y) }}"),
        "m 5.0.\nm 5.0.\n10.0\nm 6.0.\nm 6.0.\n12.0",
    );
    // Put in the place of the call, the body has what the function declares.
    check(
        "f = function(Double m) return (Double r) {\n print(\"m \" + m + \".\")\n r = m * 2\n}\nprint(f(4))",
        "m 4.0.\n8.0",
    );
    // Arithmetic is that of the declared kind.
    check(
        "f = function(Double m) return (Double r) {\n for (i in 1:2) { r = m + 1 }\n if (r > 0) { print(r + \" \" + (m / 3) + \" \" + (m %/% 3)) }\n}\ny = f(4)\nprint(\"y \" + y + \" \" + (y * 1))",
        "5.0 1.3333333333333333 1.0\ny 5.0 5.0",
    );
    // The default is one, too, and it goes on as such.
    check(
        "f = function(Double m = 3) return (Double r) {\n for (i in 1:2) print(\"m \" + m + \".\")\n r = m\n}\nprint(f())",
        "m 3.\nm 3.\n3",
    );
    // A parameter that the body changes is no literal.
    check(
        "f = function(Double m) return (Double r) {\n while (m < 6) { m = m + 1 }\n r = m\n}\nprint(f(4))",
        "6.0",
    );
}

#[test]
fn a_result_of_another_kind_is_printed_as_it_is() {
    check(
        "f = function(Int m) return (Double r) {\n for (i in 1:2) { r = m * 2 }\n}\ny = f(4)\nprint(y)\nz = f(as.scalar(matrix(3, 1, 1)))\nprint(z)\nprint(z + 1)",
        "8\n6\n7.0",
    );
}

#[test]
fn a_scalar_goes_on_as_one_where_the_body_stands_in_the_place_of_the_call() {
    let g = "g = function(matrix[double] A) return (matrix[double] B) { B = A * 2 }\n";
    check(&format!("{g}x = g(3)\nprint(x)"), "6");
    let g = "g = function(matrix[double] A) return (matrix[double] B) { for (i in 1:2) { B = A * 2 } }\n";
    fails_with(&format!("{g}x = g(3)"), "`A` is declared matrix[double]");
}
