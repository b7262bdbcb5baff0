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
        ("\"%.2f %.2f %.0f\", 0.125, 1.005, 9.5", "0.13 1.01 10"),
        ("\"%,d %+d\", 1234567, 5", "1,234,567 +5"),
        ("\"%.3s|%5s|%%\", \"abcdef\", \"ab\"", "abc|   ab|%"),
    ];
    for (args, expected) in cases {
        check(&format!("print({args})"), expected);
    }
    fails_with("print(\"%d\", \"x\")", "needs a number");
    fails_with("print(\"%q\", 1)", "is none of");
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
