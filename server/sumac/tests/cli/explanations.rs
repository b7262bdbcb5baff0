//! The steps from one form to another, wherever the command line shows them.

use super::*;

/// A form on the way to the suggestion, and the rule behind it.
const FORM: &str = "sum(X^2) + sum((U %*% t(V))^2) - 2 * sum(X * (U %*% t(V)))";

#[test]
fn explain_shows_matrix_expressions_before_index_notation() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let text = stdout(&folder.sumac(&["explain", "loss.dml:7"]));
    let (step, indices) = (text.find(FORM), text.find("Σ_{i,j}"));
    assert!(step.is_some() && step < indices, "{text}");
    assert!(
        text.contains("- *sum-of-plus*: Σ (x + y) = Σ x + Σ y"),
        "{text}"
    );
    let row = &json(&folder.sumac(&["explain", "--format", "json", "loss.dml:7"]));
    let chain = &row["chains"][0];
    assert_eq!(chain["start"], "sum((X - U %*% t(V))^2)");
    let steps = chain["steps"].as_array().unwrap();
    assert_eq!(steps.last().unwrap()["text"], row["optimized"]);
    assert!(
        steps
            .iter()
            .all(|step| step["rules"][0]["name"].is_string())
    );
}

#[test]
fn optimize_shows_the_steps_where_that_is_asked() {
    let folder = Folder::new(&[("loss.dml", LOSS)]);
    let plain = stdout(&folder.sumac(&["optimize", "loss.dml"]));
    assert!(!plain.contains(FORM), "{plain}");
    let text = stdout(&folder.sumac(&["optimize", "--explain", "loss.dml"]));
    assert!(text.contains(&format!("# = {FORM}\n")), "{text}");
    let row = |arguments: &[&str]| {
        let mut all = vec!["optimize", "--format", "json", "loss.dml"];
        all.extend(arguments);
        json(&folder.sumac(&all))[0].clone()
    };
    assert!(row(&[]).get("chains").is_none());
    assert_eq!(
        row(&["--explain"])["chains"][0]["steps"][1]["text"],
        FORM,
        "{}",
        row(&["--explain"])
    );
}

#[test]
fn prove_shows_the_way_from_left_to_right() {
    let folder = Folder::new(&[]);
    let sides = ["sum(A %*% B)", "sum(t(colSums(A)) * rowSums(B))"];
    let text = stdout(&folder.sumac(&["prove", sides[0], sides[1]]));
    let way = format!("from left to right:\n  {}\n= ", sides[0]);
    assert!(
        text.contains(&way) && text.contains(&format!("= {}\n", sides[1])),
        "sizes without a number do, too: {text}"
    );
    let row = json(&folder.sumac(&["prove", "--format", "json", sides[0], sides[1]]));
    assert_eq!(row["chain"]["start"], sides[0]);
    let same = json(&folder.sumac(&["prove", "--format", "json", sides[0], "sum(A)"]));
    assert!(same["chain"].is_null());
}
