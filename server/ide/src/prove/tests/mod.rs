//! Verdicts of the prover.

mod random;
mod truths;

use sumac_syntax::parse_fact;

use super::*;

fn ask(lhs: &str, rhs: &str, facts: &[&str]) -> Result<Answer, String> {
    let facts: Vec<Fact> = facts.iter().map(|text| parse_fact(text, 0)).collect();
    prove(lhs, rhs, &facts, &["a".to_owned()])
}

#[test]
fn scalars_are_numbers() {
    let answer = ask(
        "sum(A + a)",
        "sum(A) + a * nrow(A) * ncol(A)",
        &["A: 3 x 2"],
    );
    assert!(matches!(answer, Ok(Answer::Proved(..))), "{answer:?}");
    for (left, right) in [("A * (ncol(A) > 1)", "A"), ("var(W)", "0"), ("sd(W)", "0")] {
        match ask(left, right, &["A: 3 x 2", "W: 1 x 1"]) {
            Ok(Answer::Proved(proof, _)) => assert!(proof.conditions.is_empty(), "{left}"),
            answer => panic!("{left}: {answer:?}"),
        }
    }
    let answer = ask("sum(A * a)", "sum(A) + a", &["A: 3 x 2"]);
    let Ok(Answer::Refuted(found)) = answer else {
        panic!("{answer:?}")
    };
    let names: Vec<_> = found.inputs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["A", "a"]);
}

#[test]
fn a_name_that_a_fact_gives_a_value_is_that_number() {
    let told = |n| ask("sum(X) / n", "mean(X)", &["X: 5 x 2", n]).unwrap();
    assert!(matches!(told("n = 10"), Answer::Proved(..)));
    match told("n = 9") {
        Answer::Proved(..) => panic!("a ninth of the sum of ten is no mean"),
        Answer::Refuted(found) => assert!(found.inputs.iter().all(|(name, _)| name != "n")),
        Answer::Undecided(_) => {}
    }
}

#[test]
fn a_side_that_repeats_its_first_operand_has_a_value_only_where_that_is_as_large() {
    let named = ["X: n x m", "p: 1 x m", "y: n x 1"];
    let conditions = |left: &str, right: &str| match ask(left, right, &named) {
        Ok(Answer::Proved(proof, _)) => proof.conditions.join(" and "),
        answer => panic!("{left}: {answer:?}"),
    };
    for (left, right, needed) in [
        ("X * p", "X %*% diag(t(p))", ""),
        ("p * X", "X * p", "n = 1"),
        ("sum(X + y)", "sum(y + X)", "m = 1"),
        ("p * y", "y %*% p", "n = 1"),
        ("sum(max(y, p))", "sum(max(y, p))", "m = 1"),
    ] {
        assert_eq!(conditions(left, right), needed, "{left} == {right}");
    }
}

#[test]
fn a_divisor_of_both_sides_is_no_condition_inside_of_a_power() {
    for (left, right) in [
        ("(1 - sum(X) / a)^2", "(sum(X) / a - 1)^2"),
        ("sum((X / a)^3)", "sum(X^3) / a^3"),
    ] {
        match ask(left, right, &["X: 3 x 2"]) {
            Ok(Answer::Proved(proof, _)) => assert!(proof.conditions.is_empty(), "{proof:?}"),
            answer => panic!("{left}: {answer:?}"),
        }
    }
}

#[test]
fn what_has_a_value_nowhere_proves_nothing() {
    for (left, right) in [
        ("log(0, 0)", "1"),
        ("sqrt(-1) * sqrt(-1)", "-1"),
        ("0 * W / (nrow(W) - 1)", "0 * W"),
    ] {
        let answer = ask(left, right, &["W: 1 x 1"]);
        assert!(
            matches!(answer, Ok(Answer::Undecided(_))),
            "{left}: {answer:?}"
        );
    }
}

/// Each of these was said to be proved, and is false for some inputs.
#[test]
fn what_is_false_somewhere_is_not_proved_without_a_condition() {
    let both = &["X: 2 x 3", "Y: 2 x 3"][..];
    for (left, right, facts) in [
        ("X %/% Y", "floor(X / Y)", both),
        ("X %/% 2", "floor(X / 2)", both),
        ("X %% 1", "X - floor(X)", both),
        ("round(a)", "floor(a + 0.5)", &[][..]),
        ("exp(sign(Y^X))", "exp(sign(1 / Y^X))", both),
        ("(sum(X) / a) > 0", "sum(X / a) > 0", both),
        (
            "ifelse(sum(X) / a > 0, 1, 2)",
            "ifelse(sum(X / a) > 0, 1, 2)",
            both,
        ),
        ("1 / (sum(X) / a)", "1 / sum(X / a)", both),
        ("sum(matrix(1, rows=a, cols=1))", "a", &[][..]),
        ("nrow(matrix(1, rows=a, cols=1))", "a", &[][..]),
        (
            "var(W)",
            "(sum(W^2) - length(W) * mean(W)^2) / (length(W) - 1)",
            &["W: 1 x 1"][..],
        ),
        ("9007199254740993 - 9007199254740992", "0", &[][..]),
    ] {
        match ask(left, right, facts) {
            Ok(Answer::Proved(proof, ..)) => {
                assert!(!proof.conditions.is_empty(), "{left} == {right}");
            }
            Ok(Answer::Refuted(_) | Answer::Undecided(_)) => {}
            other => panic!("{left}: {other:?}"),
        }
    }
}

/// What only the range of doubles tells apart is equal.
#[test]
fn underflow_refutes_nothing() {
    let answer = ask(
        "abs(A %*% B)",
        "sqrt((A %*% B)^2)",
        &["A: 2 x 2", "B: 2 x 2"],
    );
    assert!(!matches!(answer, Ok(Answer::Refuted(_))), "{answer:?}");
}

#[test]
fn the_order_of_the_sides_decides_nothing() {
    let sides = ["log(sign(u)^4)", "4 * log(sign(u))"];
    let there = ask(sides[0], sides[1], &["u: 3 x 1"]);
    let back = ask(sides[1], sides[0], &["u: 3 x 1"]);
    let is_proved = |answer: &Result<Answer, String>| matches!(answer, Ok(Answer::Proved(..)));
    assert_eq!(is_proved(&there), is_proved(&back), "{there:?} {back:?}");
}

#[test]
fn equal_forms_are_proved_for_all_sizes() {
    let answer = ask(
        "sum(A %*% B)",
        "sum(t(colSums(A)) * rowSums(B))",
        &["A: n x k", "B: k x m"],
    );
    assert!(matches!(answer, Ok(Answer::Proved(..))), "{answer:?}");
}

#[test]
fn different_forms_come_with_inputs_that_tell_them_apart() {
    let answer = ask(
        "sum(A * B)",
        "sum(A) * sum(B)",
        &["A: 300 x 20", "B: 300 x 20"],
    );
    let Ok(Answer::Refuted(found)) = answer else {
        panic!("{answer:?}")
    };
    let names: Vec<_> = found.inputs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["A", "B"]);
    assert!(!found.is_scaled && found.left != found.right, "{found:?}");
}

#[test]
fn inputs_of_small_declared_sizes_have_those_sizes() {
    let answer = ask("t(A)", "A", &["A: 2 x 2"]);
    let Ok(Answer::Refuted(found)) = answer else {
        panic!("{answer:?}")
    };
    assert!(found.inputs[0].1.ends_with("rows=2, cols=2)"), "{found:?}");
    assert!(!found.is_scaled);
}

#[test]
fn what_is_no_expression_or_does_not_fit_is_an_error() {
    assert!(ask("sum(A", "1", &[]).unwrap_err().contains("left side"));
    assert!(
        ask("A %*% A", "A", &["A: 2 x 3"])
            .unwrap_err()
            .contains("2 x 3")
    );
    assert!(
        ask("A\nB = 1", "A", &[]).is_err(),
        "two statements are no expression"
    );
}

#[test]
fn what_is_said_to_be_empty_is_proved_by_nothing_that_needs_cells() {
    for (left, right) in [("prod(E * 0)", "0"), ("colMaxs(E + 1)", "colMaxs(E) + 1")] {
        let answer = ask(left, right, &["E: 0 x 3"]);
        assert!(
            !matches!(answer, Ok(Answer::Proved(..))),
            "{left}: {answer:?}"
        );
    }
}

#[test]
fn a_table_is_not_made_as_large_as_any_number() {
    let answer = ask("sum(table(w, w))", "nrow(w) + 0 * sum(w)", &["w: 1 x 1"]);
    assert!(matches!(answer, Ok(Answer::Undecided(_))), "{answer:?}");
}

#[test]
fn rounding_refutes_nothing_beside_a_remainder() {
    for (left, right) in [
        ("(A %% 3) / 3", "(A %% (-3)) * (1 / 3)"),
        ("A %% (-2) + A * 0.1 * 3", "A %% 2 + A * 0.3"),
        ("A %/% (-2) + A / 3", "-(A %/% 2) + A * (1 / 3)"),
    ] {
        let answer = ask(left, right, &["A: 2 x 2"]);
        assert!(
            !matches!(answer, Ok(Answer::Refuted(_))),
            "{left}: {answer:?}"
        );
    }
}

#[test]
fn a_comparison_that_rounding_decides_is_not_decided() {
    let verdict = |left: &str, right: &str| ask(left, right, &["A: 2 x 2"]);
    for (left, right) in [
        ("(0.1 + 0.2 == 0.3)", "TRUE"),
        ("(0.1 + 0.2 > 0.3)", "0"),
        ("(a * 0.1 * 3 == a * 0.3)", "1"),
        ("sum(A + 1 > A)", "nrow(A) * ncol(A)"),
    ] {
        let answer = verdict(left, right);
        assert!(
            !matches!(answer, Ok(Answer::Proved(..))),
            "{left}: {answer:?}"
        );
    }
    for (left, right) in [
        ("(1 + 1 == 2)", "TRUE"),
        ("(0.1 + 0.2 == 0.4)", "FALSE"),
        ("sum(A == A)", "nrow(A) * ncol(A)"),
    ] {
        let answer = verdict(left, right);
        assert!(
            matches!(answer, Ok(Answer::Proved(..))),
            "{left}: {answer:?}"
        );
    }
}

#[test]
fn comparisons_inside_one_another_come_to_an_end() {
    for function in ["min", "max"] {
        let left = format!("{function}((A != B) * (A * A + A * B), A)");
        let answer = ask(&left, "A", &["A: 2 x 2", "B: 2 x 2"]);
        assert!(!matches!(answer, Ok(Answer::Proved(..))), "{answer:?}");
    }
}
