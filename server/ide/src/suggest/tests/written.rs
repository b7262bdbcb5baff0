//! Forms that DML has not, and kinds of values that must stay: what is written is what the language takes.

use super::*;

/// The script with all its suggestions applied; it must have no more syntax errors than before.
fn rewritten(script: &str) -> String {
    let mut edits: Vec<TextEdit> = suggestions(script)
        .into_iter()
        .flat_map(|s| s.edits.to_vec())
        .collect();
    edits.sort_by_key(|edit| edit.range);
    let text = apply_edits(script, &edits);
    let errors = sumac_syntax::parse(text.as_str()).errors().to_vec();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    text
}

/// The line of a script that begins so.
fn line<'a>(text: &'a str, begins: &str) -> &'a str {
    let mut lines = text.lines().map(str::trim_start);
    lines
        .find(|line| line.starts_with(begins))
        .unwrap_or_else(|| panic!("no line begins with `{begins}`:\n{text}"))
}

#[test]
fn an_index_of_an_expression_gets_a_variable() {
    for script in [
        "X = rand(rows=10000, cols=100, sparsity=0.01, seed=1)
XS = X - colMeans(X)
S = (t(XS) %*% XS) / 9999
print(as.scalar(S[1, 1]))
",
        "#@ V: 2000 x 2000
#@ d: 2000 x 1
V = read($V)
d = read($d)
R = V %*% diag(d)
P = R[, 1:5]
print(sum(P))
",
    ] {
        let text = rewritten(script);
        assert!(!text.contains(")["), "{text}");
    }
}

#[test]
fn a_body_without_braces_has_no_room_for_a_variable() {
    let text = rewritten(
        "#@ V: 2000 x 2000
#@ d: 2000 x 1
V = read($V)
d = read($d)
if (sum(V) > 0)
  P = (V %*% diag(d) %*% V) * sum(V %*% diag(d) %*% V)
print(sum(V))
",
    );
    assert!(text.contains(")\n  P = "), "{text}");
}

#[test]
fn a_removed_statement_takes_its_semicolon_along() {
    let text = rewritten(
        "X = rand(rows=20000, cols=50, seed=1)
for (i in 1:3) {
  A = X - i;   # shift
  s = sum(A)
  print(s)
}
B = X - 2; C = B * 2; print(sum(C))
",
    );
    assert!(text.contains("{\n  # shift\n  s = "), "{text}");
    assert!(
        text.lines().all(|line| !line.trim_start().starts_with(';')),
        "{text}"
    );
}

#[test]
fn a_column_and_a_row_meet_as_the_language_has_it() {
    let sum = rewritten(
        "u = rand(rows=1000, cols=1, seed=1)
v = rand(rows=1, cols=500, seed=2)
R = u %*% matrix(1, rows=1, cols=500) + matrix(1, rows=1000, cols=1) %*% v
print(max(R))
",
    );
    assert!(
        !sum.contains("(u + v)") && !sum.contains("(v + u)"),
        "{sum}"
    );
    // The distance of each row to each other one.
    let distances = rewritten(
        "#@ Z: 2000 x 10
#@ X: 3000 x 10
Z = read($Z)
X = read($X)
J = matrix(1, rows=1, cols=3000)
K = matrix(1, rows=2000, cols=1)
D = rowSums(Z^2) %*% J - 2 * (Z %*% t(X)) + K %*% t(rowSums(X^2))
print(min(D))
",
    );
    assert!(
        !distances.contains("rowSums(Z^2) + t(rowSums(X^2))")
            && !distances.contains("rowSums(Z^2) - 2"),
        "{distances}"
    );
}

#[test]
fn what_is_printed_keeps_its_kind() {
    let text = rewritten(
        "A = rand(rows=1000, cols=500, seed=1)
t = sum(A - A)
print(\"t = \" + t)
d = sum(matrix(1, rows=nrow(A), cols=ncol(A)))
print(d)
h = 7
if (sum(A) > 0) { h = sum(matrix(1, rows=7000, cols=1000)) }
print(h %/% 2)
",
    );
    assert!(
        ["t = 0.0", "t = sum(A - A)"].contains(&line(&text, "t = ")),
        "{text}"
    );
    let is_int = |line: &str| line.bytes().rev().all(|b| b.is_ascii_digit() || b == b' ');
    let sum = line(&text, "d = ").trim_start_matches("d = ");
    assert!(!is_int(sum), "{text}");
    assert!(!text.contains("h = 7000000 "), "{text}");
}

#[test]
fn a_truth_value_is_not_written_as_a_number() {
    let text = rewritten(
        "y = as.matrix(3)
x = matrix(\"0 0 1 0 0 0\", rows=1, cols=6)
r0 = mean(y * (y %*% x %*% diag(matrix(2, rows=6, cols=6))) > 0)
print(r0)
",
    );
    let form = line(&text, "r0 = ").trim_start_matches("r0 = ");
    assert!(
        ["mean(", "sum(", "as.double("]
            .iter()
            .any(|start| form.starts_with(start)),
        "{text}"
    );
}

#[test]
fn nothing_is_suggested_for_what_a_syntax_error_damages() {
    let found = |script: &str| -> Vec<String> {
        let found = suggestions(&format!("{SIZES}{script}"));
        found
            .iter()
            .flat_map(|it| it.targets.iter().map(ToString::to_string))
            .collect()
    };
    let whole =
        "a = sum(U %*% t(V))\nb = sum(V %*% t(U))\nc = sum((2 * U) %*% t(V))\nprint(a + b + c)\n";
    assert_eq!(found(whole), ["a", "b", "c"]);
    for (from, to, left) in [
        (
            "b = sum(V %*% t(U))",
            "b = sum(V %*% t(U)).",
            ["a", "c"].as_slice(),
        ),
        ("b = sum(V %*% t(U))", "b = sum(V %*% t(U)", &["a", "c"]),
        ("b = sum(V %*% t(U))", "b = sum(X %*%", &["a", "c"]),
        // What begins no statement may belong to the one before, and behind a comma an argument may follow.
        ("b = sum(V %*% t(U))", "@ = sum(V %*% t(U))", &["c"]),
        ("b = sum(V %*% t(U))", "b = sum(V %*% t(U),", &["a"]),
        ("b = sum(V %*% t(U))", "b = sum(X) %*% V)", &["a", "c"]),
        ("print(a + b + c)", "print(a + b + c", &["a", "b", "c"]),
    ] {
        let broken = whole.replace(from, to);
        assert_eq!(found(&broken), left, "{broken}");
    }
    // Statements that would be written as one: what is damaged keeps its place, and so does what it needs.
    assert_eq!(
        found("E = X - U %*% t(V)\nl = sum(E^2) .\nprint(l)\n"),
        Vec::<String>::new()
    );
}

#[test]
fn a_comment_in_a_statement_that_would_be_inlined_keeps_it() {
    let script = format!(
        "{SIZES}X = read($X)\nV = read($V)\nv = V[, 1]\nr = t(X) %*%  # first\n    X %*%  # second\n    v\nprint(sum(r))\n"
    );
    for found in suggestions(&script) {
        let edits: Vec<TextEdit> = found.edits.to_vec();
        let text = apply_edits(&script, &edits);
        assert!(
            text.contains("# first") && text.contains("# second"),
            "{text}"
        );
    }
}

#[test]
fn lines_end_as_those_of_the_script_do() {
    let script = format!(
        "{SIZES}X = read($X)\nV = read($V)\nv = V[, 1]\nfor (i in 1:20) {{\n  z = t(X) %*% X %*% v + i * v\n  print(sum(z))\n}}\n"
    );
    let script = script.replace('\n', "\r\n");
    let found = suggestions(&script);
    let edits: Vec<TextEdit> = found.iter().flat_map(|it| it.edits.to_vec()).collect();
    assert!(
        edits.iter().any(|edit| edit.new_text.contains('\n')),
        "{edits:?}"
    );
    for edit in edits {
        assert_eq!(
            edit.new_text.matches('\n').count(),
            edit.new_text.matches("\r\n").count()
        );
    }
}

#[test]
fn a_statement_that_would_assign_a_variable_to_itself_goes() {
    let text = rewritten(
        "#@ X: 50000 x 500
X = read($X)
X = X * 1.0
for (i in 1:3) X = X * 1.0
Y = X * 1.0  # the same
print(sum(X) + sum(Y))
",
    );
    assert!(!text.contains("\nX = X\n"), "{text}");
    assert!(text.contains("X = read($X)\nfor"), "{text}");
    // The only statement of a body without braces has to stay.
    assert!(text.contains("(i in 1:3) X = X\n"), "{text}");
    assert!(text.contains("\nY = X  # the same\n"), "{text}");
}

#[test]
fn a_value_whose_earlier_one_has_no_name_any_more_is_an_input() {
    let facts = "#@ V: 20000 x 10000, sparsity 0.001
#@ W: 20000 x 10
#@ H: 10 x 10000
V = read($V)
W = read($W)
H = read($H)
";
    for before in [
        "H = H * 2",
        "W = W / (sum(W) + 1)",
        "W = W - 0.01 * ((W %*% H - V) %*% t(H))",
        "H = H * (t(W) %*% V) / (t(W) %*% W %*% H)",
        // Seen through, it would need that no divisor is zero.
        "G = exp(H) / (H + 1)\nH = sin(G)",
    ] {
        let script =
            format!("{facts}{before}\nobj = sum((V - W %*% H)^2)\nprint(obj + sum(W) + sum(H))\n");
        let text = rewritten(&script);
        assert!(
            text.contains("obj = sum(V^2) + sum((t(W) %*% W) * (H %*% t(H)))"),
            "{before}: {text}"
        );
    }
}

#[test]
fn no_semicolon_is_left_where_a_statement_goes() {
    for ending in [
        ";",
        ";;",
        "; ;",
        " /* k */;",
        " # c\n  ;",
        "\n  ;",
        ";; # c",
        " /* a\nb */ ;",
        " ;",
    ] {
        let script = format!(
            "#@ X: 100000 x 500\nX = read($X)\nif (sum(X) > 0) {{\n  X = X * 1.0{ending}\n}}\nprint(sum(X))\n"
        );
        // It must parse.
        let text = rewritten(&script);
        assert!(!text.contains("X * 1.0"), "{ending}: {text}");
    }
}

#[test]
fn what_an_expression_reads_by_its_text_stays() {
    // Another matrix of that name before, or none at all: a definition that went would leave either of them.
    for before in ["X = rand(rows=10, cols=4, seed=1)\nprint(sum(X))\n", ""] {
        let script = format!(
            "{before}X = matrix(2, rows=20000, cols=300)
Y = X * 3 - cumsum(X)
print(sum(Y))
"
        );
        let applied = applied(&script);
        assert!(
            applied.contains("X = matrix(2, rows=20000, cols=300)"),
            "{applied}"
        );
    }
}

#[test]
fn a_statement_that_has_an_error_is_not_rewritten() {
    let script = "#@ X: 3000 x 40
#@ C: 50 x 40
X = read($X)
C = read($C)
D = rowSums(X^2) + t(rowSums(C^2)) - 2 * (X %*% t(C))
print(sum(D))
";
    let snapshot = snapshot(script);
    assert!(snapshot.errors().count() > 0);
    for found in suggestions(script) {
        let placed = snapshot.clone().with(found, true);
        assert_eq!(placed.shown().count(), 0);
    }
}

#[test]
fn other_statements_between_are_shown_as_a_mark_and_stay_in_the_script() {
    let facts = "#@ X: 20000 x 10000, sparsity 0.001\n#@ U: 20000 x 10\n#@ V: 10000 x 10\n";
    let reads = "X = read($X)\nU = read($U)\nV = read($V)\n";
    let script = format!(
        "{facts}{reads}P = U %*% t(V)\nn = sum(X)\nloss = sum((X - P)^2)\nprint(loss + n)\n"
    );
    let found = suggestions(&script);
    let [loss] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(loss.original, "P = U %*% t(V)\n# …\nloss = sum((X - P)^2)");
    assert!(
        loss.statement.starts_with("# …\nloss = sum(X^2)"),
        "{}",
        loss.statement
    );
    assert!(applied(&script).contains("n = sum(X)\nloss = sum(X^2)"));
}

/// What has one row for the default of an argument may have more in a run.
#[test]
fn a_default_of_one_makes_no_vector() {
    let written = |statement: &str| {
        let script = format!(
            "n = ifdef($n, 1)
A = rand(rows=3000, cols=3000, seed=1)
b = rand(rows=3000, cols=1, seed=2)
Z = matrix(2, rows=nrow(A) - (nrow(A) - n), cols=1)
for (i in 1:3) {{
  print(sum({statement}))
}}
"
        );
        let mut edits: Vec<TextEdit> = suggestions(&script)
            .into_iter()
            .flat_map(|s| s.edits.to_vec())
            .collect();
        edits.sort_by_key(|edit| edit.range);
        apply_edits(&script, &edits)
    };
    for rows in [
        "seq(1, n)",
        "matrix(2, n, 1)",
        "Z",
        "A[1:n, 1]",
        "cumsum(Z)",
    ] {
        let text = written(&format!("A %*% (b %*% (matrix(1, 1, n) %*% {rows}))"));
        let body: Vec<&str> = text.lines().skip(4).collect();
        let body = body.join("\n");
        let mut words = body.split(|c: char| !c.is_alphanumeric());
        assert!(words.any(|word| word == "n" || word == "Z"), "{text}");
        assert!(!body.contains(&format!("as.scalar({rows})")), "{text}");
    }
}

#[test]
fn what_is_printed_of_inlined_variables_gets_a_name() {
    let text = rewritten(
        "A = rand(rows=2000, cols=900, seed=1)
B = rand(rows=900, cols=2000, seed=2)
P = A %*% B
Q = B %*% A
print(\"sums: \" + sum(P) + \", \" + sum(Q))
",
    );
    assert_eq!(
        line(&text, "print"),
        "print(\"sums: \" + sum_P + \", \" + sum_Q)"
    );
    for name in ["P", "Q"] {
        assert!(!text.contains(&format!("\n{name} = ")), "{text}");
        assert!(text.contains(&format!("\nsum_{name} = ")), "{text}");
    }
    // A name that is taken is no name.
    let text = rewritten(
        "A = rand(rows=2000, cols=900, seed=1)
B = rand(rows=900, cols=2000, seed=2)
sum_P = 3
P = A %*% B
print(sum(P))
print(sum_P)
",
    );
    assert_eq!(line(&text, "print"), "print(tmp1)");
}

#[test]
fn an_expression_that_is_printed_as_it_was_written_stays_in_its_place() {
    let text = rewritten(
        "A = rand(rows=2000, cols=900, seed=1)
B = rand(rows=900, cols=2000, seed=2)
print(sum(A %*% B))
",
    );
    assert!(!text.contains("sum_") && !text.contains("tmp"), "{text}");
}

#[test]
fn variables_stay_whose_statements_gain_nothing() {
    let text = rewritten(
        "C = rand(rows=60, cols=60, seed=1)
D = rand(rows=20000, cols=60, seed=2)
w = rand(rows=20000, cols=1, seed=3)
sd = sqrt(diag(C))
corr = C / (sd %*% t(sd))
wcov = t(D) %*% diag(w) %*% D
print(sum(corr) + \" \" + sum(wcov))
",
    );
    assert!(
        text.contains("\nsd = ") && text.contains("\ncorr = "),
        "{text}"
    );
    assert!(!text.contains("\nwcov = "), "{text}");
    assert_eq!(line(&text, "print"), "print(sum(corr) + \" \" + sum_wcov)");
}

#[test]
fn numbers_that_only_fit_the_sizes_of_the_script_are_checked_at_these() {
    let found = suggestions(
        "v = rand(rows=3000, cols=1, seed=3)
J = diag(matrix(1, rows=3000, cols=1)) - matrix(1/3000, rows=3000, cols=3000)
w = J %*% (J %*% v)
print(sum(abs(w)))
",
    );
    let forms: Vec<_> = found.iter().map(|it| &it.optimized).collect();
    assert!(forms.iter().any(|form| !form.contains("J")), "{forms:?}");
}
