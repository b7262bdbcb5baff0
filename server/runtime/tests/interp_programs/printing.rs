//! What `print` and `toString` write, as Java does.

use super::{check, fails_with};

#[test]
fn formats_are_those_of_java() {
    let cases = [
        (
            "\"%d items, %5.2f of %s\", 3, 2.5, \"x\"",
            "3 items,  2.50 of x",
        ),
        ("\"%5d|%-5d|%05d|%x\", 3, 3, 3, 30", "    3|3    |00003|1e"),
        (
            "\"%10.3f|%e|%g\", 2.5, 2.5, 2.5",
            "     2.500|2.500000e+00|2.50000",
        ),
        ("\"%s %s %b\", 2.5, TRUE, FALSE", "2.5 true false"),
        ("\"%b %b %s\", 0.0, \"a\", 3", "true true 3"),
        ("\"%d %.2f\", as.integer(3.7), as.double(3)", "3 3.00"),
        ("\"%.2f %.2f %.0f\", 0.125, 1.005, 9.5", "0.13 1.01 10"),
        ("\"%,d %+d\", 1234567, 5", "1,234,567 +5"),
        ("\"%.3s|%5s|%%\", \"abcdef\", \"ab\"", "abc|   ab|%"),
    ];
    for (args, expected) in cases {
        check(&format!("print({args})"), expected);
    }
    for (args, part) in [
        (
            "\"%d\", \"x\"",
            "needs a value of kind integer, found x, a string",
        ),
        (
            "\"x=%d\", 3.5",
            "`%d` needs a value of kind integer, found 3.5, a double (as.integer",
        ),
        ("\"%d\", sum(matrix(3, 1, 1))", "found 3.0, a double"),
        ("\"%d\", TRUE", "found TRUE, a boolean"),
        (
            "\"%5.2f\", 3",
            "`%5.2f` needs a value of kind double, found 3, an integer (as.double",
        ),
        ("\"%e\", 3", "kind double"),
        ("\"%x\", 3.0", "kind integer"),
        ("\"%s\", matrix(3, 1, 1)", "toString"),
        ("\"%.1d\", 3", "`.1` in `%.1d`"),
        ("\"%2$s %1$s\", \"a\", \"b\"", "`2$` in `%2$s`"),
    ] {
        fails_with(&format!("print({args})"), part);
    }
    fails_with("print(\"%q\", 1)", "is none of");
}

#[test]
fn backslashes_stay_unless_they_escape() {
    for (literal, expected) in [
        (r#""back\\slash""#, r"back\\slash"),
        (r#""a\\nc""#, "a\\\nc"),
        (r#""a\tc""#, "a\tc"),
        (r#""a\"c""#, "a\"c"),
        (r#""a\\\"c""#, "a\\\\\"c"),
        (r#"'a\\"c'"#, "a\\\"c"),
        (r#""a\\""#, r"a\\"),
    ] {
        check(&format!("print({literal})"), expected);
    }
}

#[test]
fn halves_of_matrices_are_written_as_java_writes_them() {
    check(
        "X = matrix(\"0.0005 0.0015 0.0025 0.0035 0.0045 -0.0005\", 1, 6)
         print(toString(X, linesep=\"|\"))
         print(toString(matrix(0.05, 1, 1), decimal=1, linesep=\"|\"))",
        "0.000 0.002 0.003 0.004 0.004 -0.000|\n0.1|",
    );
}

#[test]
fn integers_stay_integers() {
    let cases = [
        ("7 %/% 2", "3"),
        ("7.5 %/% 2", "3.0"),
        ("-7 %% 3", "-1"),
        ("-7.5 %% 3", "-1.5"),
        ("7 %% -3", "1"),
        ("7 %/% -2", "-3"),
        ("4 / 2", "2.0"),
        ("5 %% 0", "0"),
        ("2.5 %/% 0", "Infinity"),
        ("min(2,3)", "2"),
        ("min(1,2,3)", "1.0"),
        ("max(TRUE,FALSE)", "1.0"),
        ("TRUE + TRUE", "2.0"),
        ("as.integer(\"3.7\")", "3"),
        ("as.logical(\"hello\")", "FALSE"),
        ("as.double(TRUE)", "1.0"),
    ];
    for (expression, expected) in cases {
        check(&format!("x = {expression}\nprint(x)"), expected);
    }
    fails_with("x = 5 %/% 0", "other than 0");
    fails_with("x = as.integer(\"hello\")", "\"hello\"");
}
