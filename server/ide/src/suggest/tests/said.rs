//! What a script says of names elsewhere: functions with the names of builtins, asserts, kinds that change.

use super::*;

const LARGE: &str = "X = rand(rows=2000, cols=2000, seed=1)\n";

fn optimized(script: &str) -> String {
    let mut edits: Vec<TextEdit> = suggestions(script)
        .into_iter()
        .flat_map(|s| s.edits.to_vec())
        .collect();
    edits.sort_by_key(|edit| edit.range);
    apply_edits(script, &edits)
}

#[test]
fn no_builtin_is_called_whose_name_a_function_of_the_script_has() {
    let loss = "print(sum(t(X) %*% X))\n";
    let plain = optimized(&format!("{LARGE}{loss}"));
    assert!(plain.contains("rowSums(X)"), "{plain}");
    for name in ["rowSums", "sum", "as.scalar", "colSums"] {
        let function = format!(
            "{name} = function(matrix[double] A) return (matrix[double] r) {{ r = A * 2 }}\n"
        );
        for script in [
            format!("{function}{LARGE}{loss}"),
            format!("{LARGE}{loss}{function}"),
            format!(
                "{LARGE}f = function(matrix[double] X) return (double r) {{ r = sum(t(X) %*% X) }}\nprint(f(X))\n{function}"
            ),
        ] {
            let calls = |text: &str| text.matches(&format!("{name}(")).count();
            let after = optimized(&script);
            assert!(calls(&after) <= calls(&script), "{after}");
        }
    }
}

#[test]
fn a_variable_in_an_assert_stays() {
    let without = "D = X %*% X\nprint(sum(D))\n";
    assert!(!optimized(&format!("{LARGE}{without}")).contains("\nD ="));
    let with = "D = X %*% X\n#@ assert sum(D) == sum(colSums(X) %*% X)\nprint(sum(D))\n";
    assert!(optimized(&format!("{LARGE}{with}")).contains("D = X %*% X"));
}

#[test]
fn an_integer_that_becomes_a_double_is_converted_and_not_left_out() {
    for (before, statement, after) in [
        ("c = 5", "c = c + sum(X - X)", "c = as.double(c)"),
        (
            "c = 5",
            "if (nrow(X) > 1) {\n  c = c + sum(X - X)\n}",
            "c = as.double(c)",
        ),
        (
            "c = 5",
            "for (i in 1:3) {\n  c = c + sum(X - X)\n}",
            "c = as.double(c)",
        ),
        ("c = 5.5", "c = c + sum(X - X)", ""),
    ] {
        let script = format!("{LARGE}{before}\n{statement}\nprint(c)\n");
        let text = optimized(&script);
        assert!(!text.contains("X - X"), "{text}");
        assert_eq!(text.contains("as.double"), !after.is_empty(), "{text}");
        assert!(text.contains(after), "{text}");
    }
    let function = "f = function(int z, matrix[double] X) return (double r) {\n  z = z + sum(X - X)\n  r = z %% 0\n}\n";
    let text = optimized(&format!("{LARGE}{function}print(f(3, X))\n"));
    assert!(
        text.contains("z = as.double(z)") || text.contains("X - X"),
        "{text}"
    );
}

#[test]
fn a_size_in_another_statement_does_not_keep_a_form_from_its_check() {
    let script = "X = rand(rows=3000, cols=2000)\ny = X %*% matrix(1, rows=2000, cols=1)\nz = sum(t(X) %*% X)\nprint(z + sum(y))\n";
    let text = optimized(script);
    assert!(
        text.contains("rowSums(X)") && !text.contains("t(X) %*% X"),
        "{text}"
    );
}

#[test]
fn what_other_statements_compute_as_well_is_said() {
    let script = "X = rand(rows=20000, cols=300, seed=1)
A = rand(rows=300, cols=200, seed=2)
B = rand(rows=200, cols=5, seed=3)
P = X %*% A %*% B
Q = t(X %*% A) %*% P
print(sum(P) + sum(Q))
";
    let said = |script: &str| -> Vec<String> {
        let found = suggestions(script);
        assert!(!found.is_empty());
        let all = found.iter().flat_map(|found| &found.assumes);
        all.filter(|text| text.contains("is computed for"))
            .cloned()
            .collect()
    };
    let of_p = "`X %*% A` is computed for `Q`, too: less is gained while that stays as it is";
    assert!(
        said(script).contains(&of_p.to_owned()),
        "{:?}",
        said(script)
    );
    let alone = script.replace("t(X %*% A) %*% P", "t(X) %*% P");
    assert_eq!(said(&alone), Vec::<String>::new());
}
