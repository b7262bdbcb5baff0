//! How rows are printed, and the page that is made of them.

use expect_test::{Expect, expect, expect_file};
use sumac_builtins::{Builtin, Group, docs, find, parse};

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
#[track_caller]
fn prints(name: &str, expected: Expect) {
    expected.assert_eq(&find(name).map(Builtin::signature).unwrap_or_default());
}

#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
#[track_caller]
fn refuses(text: &'static str, expected: Expect) {
    let read = parse::rows(Group::Io, text, &parse::glossary(""));
    expected.assert_eq(&read.map_or_else(|error| error.to_string(), |rows| format!("{rows:?}")));
}

#[test]
fn a_signature_is_one_line() {
    prints(
        "lm",
        expect![
            "lm(X: matrix, y: matrix, icpt: int = 0, reg: double = 1e-7, tol: double = 1e-7, maxi: int = 0, verbose: bool = TRUE) -> (B: matrix)"
        ],
    );
    prints("sum", expect!["sum(X: matrix) -> double"]);
    prints("print", expect!["print(x: any, ...)"]);
    prints("list", expect!["list(...) -> list"]);
    prints(
        "svd",
        expect!["svd(A: matrix) -> (U: matrix, S: matrix, V: matrix)"],
    );
    prints(
        "log",
        expect!["log(X: matrix|scalar, base?: matrix|scalar) -> matrix|scalar"],
    );
}

#[test]
fn what_is_no_row_is_named_with_its_line() {
    refuses(
        "# first\n\nf(x: matrix) -> blob\n    Does.\n",
        expect!["line 3: there is no kind `blob`"],
    );
    refuses(
        "f(x: matrix) -> matrix[nrow(y), 1]\n",
        expect!["line 1: no parameter `y` to take a size from"],
    );
    refuses(
        "f(x: matrix)\n    Does.\n    y: what\n",
        expect!["line 1: `f` has no parameter `y`"],
    );
    refuses(
        "f(x: matrix)\n    Does.\n    @unknown\n",
        expect!["line 1: there is no mark `@unknown`"],
    );
    refuses(
        "f(x matrix)\n",
        expect!["line 1: expected `:`, found ` matrix)`"],
    );
    refuses(
        "f(x: matrix,\n    y: int\n",
        expect![[r#"
        line 1: expected `)`, found `
        `"#]],
    );
}

#[test]
fn the_page_is_up_to_date() {
    expect_file!["../../../docs/builtins.md"].assert_eq(&docs::page());
}
