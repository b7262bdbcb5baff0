//! The comment at the head of each file, executed; and where a fix does not apply.

use sumac_text::apply_edits;

use super::super::action::ActionContext;
use super::super::code_actions;
use super::*;
use crate::fixture::{at_cursor, cursor};

/// Title, text behind it, and whether it is preferred, of each quick fix at the cursor.
#[track_caller]
fn fixes(fixture: &str) -> Vec<(String, String, bool)> {
    let (snapshot, offset) = at_cursor(fixture);
    let only = ["quickfix".to_owned()];
    let context = ActionContext {
        snapshot: &snapshot,
        range: cursor(offset),
        only: Some(&only),
    };
    code_actions(&context)
        .into_iter()
        .map(|action| match action.effect {
            Effect::Edit(edits) => {
                assert!(!action.fixes.is_empty(), "{} is bound", action.title);
                let text = apply_edits(snapshot.text(), &edits);
                (action.title, text, action.is_preferred)
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

#[track_caller]
fn check(title: &str, before: &str, after: &str) {
    let found = fixes(before);
    let fix = found.iter().find(|(own, _, _)| own == title);
    let titles: Vec<_> = found.iter().map(|(title, _, _)| title).collect();
    let (_, text, _) = fix.unwrap_or_else(|| panic!("no {title:?} among {titles:#?}"));
    assert_eq!(text, after);
}

#[track_caller]
fn check_not(title: &str, before: &str) {
    let found = fixes(before);
    assert!(
        found.iter().all(|(own, _, _)| !own.starts_with(title)),
        "{found:#?}"
    );
}

/// The `text` blocks of a file's head, with what each needs around it.
#[track_caller]
fn check_head(source: &str, title: &str, frame: impl Fn(&str) -> String) {
    let head: String = source
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
        .collect();
    let blocks: Vec<&str> = head
        .split("```text\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    let [before, after] = blocks.as_slice() else {
        panic!("before and after, found {blocks:?}")
    };
    check(title, &frame(before), &frame(after));
}

#[test]
fn the_head_of_each_file_is_true() {
    let around = |before: &'static str, after: &'static str| {
        move |text: &str| format!("{before}{text}{after}")
    };
    let x = "X = rand(rows=1, cols=1)\n";
    check_head(
        include_str!("did_you_mean.rs"),
        "Change to `weight`",
        around("weight = 2\n", ""),
    );
    check_head(
        include_str!("as_scalar.rs"),
        "Wrap in `as.scalar(…)`",
        around(x, ""),
    );
    check_head(
        include_str!("transpose.rs"),
        "Transpose `B`",
        around(
            "A = rand(rows=2, cols=3)\nB = rand(rows=5, cols=3)\n",
            "print(sum(C))\n",
        ),
    );
    check_head(
        include_str!("double_sign.rs"),
        "Write `|`",
        around("a = TRUE\nb = FALSE\n", ""),
    );
    check_head(
        include_str!("replace_deprecated.rs"),
        "Replace `castAsScalar` by `as.scalar`",
        around(x, "print(x)\n"),
    );
    check_head(
        include_str!("solve.rs"),
        "Solve the equations by `solve`",
        around(
            "X = rand(rows=9, cols=3)\ny = rand(rows=9, cols=1)\n",
            "print(sum(b))\n",
        ),
    );
    check_head(
        include_str!("remove_statement.rs"),
        "Remove the assignment to `x`",
        around("", "print(x)\n"),
    );
    check_head(
        include_str!("remove_source.rs"),
        "Remove this `source`",
        around("", ""),
    );
    check_head(
        include_str!("remove_allow.rs"),
        "Remove this from the line",
        around("f = function(Double x) return (Double y) { y = x }\n", ""),
    );
    check_head(
        include_str!("state_size.rs"),
        "State the size of `X`",
        around("", "print(sum(X %*% X))\n"),
    );
    check_head(
        include_str!("state_argument.rs"),
        "Give `$X` a value",
        around("", "print(sum(X %*% X))\n"),
    );
    check_head(
        include_str!("allow.rs"),
        "Allow `unused-value` for this statement",
        around("", "print(x)\n"),
    );
}

#[test]
fn names_of_functions_parameters_and_codes_are_put_right_too() {
    check(
        "Change to `rowSums`",
        "print(sum($0rowSum(rand(rows=2, cols=2))))\n",
        "print(sum(rowSums(rand(rows=2, cols=2))))\n",
    );
    check(
        "Change to `cols`",
        "print(sum(rand(rows=2, co$0l=2)))\n",
        "print(sum(rand(rows=2, cols=2)))\n",
    );
    check(
        "Change to `unused-value`",
        "#@ allow unused-$0valeu\nx = 1\nx = 2\nprint(x)\n",
        "#@ allow unused-value\nx = 1\nx = 2\nprint(x)\n",
    );
    check_not("Change", "print($0something)\n");
}

#[test]
fn a_matrix_of_many_cells_is_not_wrapped() {
    check_not("Wrap", "X = rand(rows=2, cols=2)\nprint(\"X: \" + $0X)\n");
}

#[test]
fn a_transpose_is_taken_off_and_none_is_offered_where_none_fits() {
    let sizes = "A = rand(rows=2, cols=3)\nB = rand(rows=3, cols=5)\n";
    check(
        "Transpose `t(B)`",
        &format!("{sizes}C = A $0%*% t(B)\nprint(sum(C))\n"),
        &format!("{sizes}C = A %*% B\nprint(sum(C))\n"),
    );
    check_not(
        "Transpose",
        "A = rand(rows=2, cols=3)\nB = rand(rows=7, cols=5)\nC = A $0%*% B\nprint(sum(C))\n",
    );
}

#[test]
fn of_two_operands_the_one_under_the_cursor_is_offered_first() {
    let sizes = "X = rand(rows=2, cols=3)\n";
    let (left, right) = ("Transpose the left `X`", "Transpose the right `X`");
    for (line, order) in [
        ("$0X %*% X", [left, right]),
        ("X $0%*% X", [right, left]),
        ("X %*% X$0", [right, left]),
    ] {
        let offered = fixes(&format!("{sizes}B = {line}\nprint(sum(B))\n"));
        let titles: Vec<&str> = offered.iter().map(|(title, _, _)| &**title).collect();
        assert_eq!(titles[..2], order);
    }
    for (title, product) in [(left, "t(X) %*% X"), (right, "X %*% t(X)")] {
        check(
            title,
            &format!("{sizes}B = X $0%*% X\nprint(sum(B))\n"),
            &format!("{sizes}B = {product}\nprint(sum(B))\n"),
        );
    }
}

#[test]
fn old_comparisons_become_operators() {
    let frame = |text: &str| format!("X = rand(rows=2, cols=2)\nprint(sum({text}))\n");
    check(
        "Replace `ppred` by `>`",
        &frame("$0ppred(X, 1 + 2, \">\")"),
        &frame("(X > (1 + 2))"),
    );
    check_not("Replace", &frame("$0ppred(X, 1, $op)"));
}

#[test]
fn an_assignment_stays_where_it_does_something_or_is_needed() {
    let own = "f = function(Double x) return (Double y) { print(x)\n  y = x }\n";
    check_not("Remove", &format!("{own}$0a = f(1)\na = 2\nprint(a)\n"));
    check_not("Remove", "a = 0\nif (a == 0)\n  $0a = 1\na = 2\nprint(a)\n");
    check(
        "Remove the assignment to `a`",
        "if (TRUE) {\n  $0a = 1; # why\n  b = 2\n  print(b)\n}\n",
        "if (TRUE) {\n   # why\n  b = 2\n  print(b)\n}\n",
    );
}

#[test]
fn allowing_joins_the_line_that_is_there_already() {
    check(
        "Allow `unused-value` for this statement",
        "#@ allow wrong-arity # why\n$0x = sum(1, 2, 3)\nx = 2\nprint(x)\n",
        "#@ allow wrong-arity, unused-value # why\nx = sum(1, 2, 3)\nx = 2\nprint(x)\n",
    );
    check(
        "Allow `unused-value` in this file",
        "$0x = 1\nx = 2\nprint(x)\n",
        "#@ allow-file unused-value\nx = 1\nx = 2\nprint(x)\n",
    );
    check_not("Allow", "x = (1 $0+\n");
}

#[test]
fn allowing_the_second_statement_of_a_line_would_allow_the_first() {
    check_not(
        "Allow `unused-value` for",
        "a = 1; $0x = 1; x = 2\nprint(a + x)\n",
    );
}

#[test]
fn what_is_obvious_is_preferred_and_offered_for_the_whole_file() {
    let script = "X = rand(rows=1, cols=1)\nprint(castAs$0Scalar(X))\nprint(castAsScalar(X + 1))\n";
    let found = fixes(script);
    assert!(found[0].2, "{found:#?}");
    let all = found
        .iter()
        .find(|(title, _, _)| title == "Fix all `deprecated-function` in this file");
    let (_, text, preferred) = all.expect("offered");
    assert!(!text.contains("castAsScalar") && !preferred, "{text}");
    assert_eq!(text.matches("as.scalar").count(), 2);
}
