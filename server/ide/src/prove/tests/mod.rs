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
    let answer = ask("sum(A * a)", "sum(A) + a", &["A: 3 x 2"]);
    let Ok(Answer::Refuted(found)) = answer else {
        panic!("{answer:?}")
    };
    let names: Vec<_> = found.inputs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["A", "a"]);
}

#[test]
fn what_has_a_value_nowhere_proves_nothing() {
    for (left, right) in [("log(0, 0)", "1"), ("sqrt(-1) * sqrt(-1)", "-1")] {
        let answer = ask(left, right, &[]);
        assert!(
            matches!(answer, Ok(Answer::Undecided(_))),
            "{left}: {answer:?}"
        );
    }
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
