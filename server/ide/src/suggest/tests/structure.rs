//! Suggestions that depend on the structure of a matrix: a one-hot matrix has few cells, so that grouping rows by it is
//! cheap.

use expect_test::{Expect, expect};
use sumac_text::TextEdit;

use super::*;

/// What becomes of a sum over rows that a table selects, where `rows` is the table's first argument.
#[track_caller]
fn check_groups(rows: &str, expected: &Expect) {
    let script = format!(
        "#@ X: 1000000 x 20
#@ W: 1000 x 20
#@ y: 1000000 x 1
X = read($X)
W = read($W)
y = read($y)
T = table({rows}, y, 1000000, 1000)
G = sum((T %*% W) * X)
print(G)
"
    );
    let edits: Vec<TextEdit> = suggestions(&script)
        .into_iter()
        .flat_map(|s| s.edits.to_vec())
        .collect();
    let text = apply_edits(&script, &edits);
    let line = text.lines().find(|line| line.starts_with("G = "));
    expected.assert_eq(line.expect("the statement stays"));
}

#[test]
fn rows_are_grouped_where_each_belongs_to_one_group() {
    check_groups("seq(1, 1000000)", &expect!["G = sum((T %*% W) * X)"]);
}

#[test]
fn a_table_of_any_pairs_counts_as_dense() {
    check_groups("y", &expect!["G = sum((T %*% W) * X)"]);
}

#[test]
fn a_long_chain_of_products_has_its_cheapest_order() {
    let names: Vec<String> = (0..20).map(|n| format!("M{n}")).collect();
    let mut script = String::new();
    for name in &names {
        script.push_str(&format!("#@ {name}: 1000 x 1000\n"));
    }
    script.push_str("#@ v: 1000 x 1\n");
    for name in names.iter().map(String::as_str).chain(["v"]) {
        script.push_str(&format!("{name} = read(${name})\n"));
    }
    script.push_str(&format!(
        "z = {} %*% v\nwrite(z, $z)\n",
        names.join(" %*% ")
    ));
    let found = suggestions(&script);
    assert_eq!(found.len(), 1);
    let end = format!("%*% v{}", ")".repeat(19));
    let form = &found[0].optimized;
    assert!(form.ends_with(&end), "{form}");
}
