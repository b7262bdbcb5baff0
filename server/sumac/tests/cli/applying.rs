//! Which statements a suggestion belongs to, and what `--apply` leaves behind.

use super::*;

const JOINED: &str = "\
#@ X: 20000 x 10000, sparsity 0.001
#@ U: 20000 x 10
#@ V: 10000 x 10
X = read($X)
U = read($U)
V = read($V)
E = X - U %*% t(V)
total = sum(V %*% t(U))
n = 3
loss = sum(E^2)
print(loss + total + n)
";

#[test]
fn a_joined_suggestion_names_its_lines_and_lines_between_are_their_own() {
    let folder = Folder::new(&[("a.dml", JOINED)]);
    let output = folder.sumac(&["optimize", "a.dml"]);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        notes.contains("a.dml:7: rewrites lines 7 and 10: "),
        "{notes}"
    );
    let rows = json(&folder.sumac(&["optimize", "--format", "json", "a.dml"]));
    assert_eq!(rows[0]["statement_lines"], serde_json::json!([7, 10]));
    assert_eq!(rows[1]["statement_lines"], serde_json::json!([8]));
    // The line between is explained and applied for itself, and the one without a suggestion has none.
    let own = stdout(&folder.sumac(&["explain", "a.dml:8"]));
    assert!(
        own.contains("sum(V %*% t(U))") && !own.contains("E^2"),
        "{own}"
    );
    for command in ["explain", "time"] {
        let none = folder.sumac(&[command, "a.dml:9"]);
        assert_eq!(code(&none), 1);
        let why = String::from_utf8_lossy(&none.stderr).into_owned();
        assert!(why.contains("no suggestion for this line"), "{why}");
    }
    for line in ["7", "10"] {
        let joined = stdout(&folder.sumac(&["explain", &format!("a.dml:{line}")]));
        assert!(joined.contains("E^2"), "{joined}");
    }
    let between = folder.sumac(&["optimize", "--lines", "8:9", "--apply", "a.dml"]);
    assert_eq!(code(&between), 0);
    let text = folder.read("a.dml");
    assert!(
        text.contains("E = X - U %*% t(V)") && text.contains("loss = sum(E^2)"),
        "{text}"
    );
    assert!(!text.contains("sum(V %*% t(U))"), "{text}");
}

#[test]
fn what_a_syntax_error_damages_stays_as_it_is() {
    let broken = JOINED.replace("total = sum(V %*% t(U))", "total = sum(V %*% t(U)).");
    let folder = Folder::new(&[("a.dml", &broken), ("b.dml", JOINED)]);
    let output = folder.sumac(&["optimize", "--apply", "a.dml"]);
    assert_eq!(code(&output), 0);
    let text = folder.read("a.dml");
    assert!(text.contains("total = sum(V %*% t(U)).\n"), "{text}");
    assert!(
        text.contains("loss = sum(X^2)"),
        "the others are whole: {text}"
    );
    let errors = |text: &str| sumac_syntax::parse(text).errors().len();
    assert_eq!(errors(&text), 1);
}

#[test]
fn a_removed_statement_leaves_its_comment_and_no_semicolon() {
    let script = "X = rand(rows=2000000, cols=50, seed=1)\nfor (i in 1:3) {\n  A = X - i;   # shift\n  s = sum(A)\n  print(s)\n}\n";
    let folder = Folder::new(&[("a.dml", script)]);
    // What may lose digits is applied only where somebody names its lines.
    assert_eq!(code(&folder.sumac(&["optimize", "--apply", "a.dml"])), 0);
    assert_eq!(folder.read("a.dml"), script);
    let chosen = ["optimize", "--apply", "--lines", "3:4", "a.dml"];
    assert_eq!(code(&folder.sumac(&chosen)), 0);
    let text = folder.read("a.dml");
    assert!(text.contains("{\n  # shift\n  s = "), "{text}");
    assert_eq!(code(&folder.sumac(&["check", "a.dml"])), 0);
}

/// Two matrices that the scripts below multiply.
const FACTORS: &str =
    "X = rand(rows=1000, cols=1000, seed=1)\nY = rand(rows=1000, cols=1000, seed=2)\n";

#[test]
fn nothing_leaves_a_loop_that_a_syntax_error_damages() {
    for change in [
        "if (j = 2) X = X * 2",
        "if j == 2 X = X * 2",
        "while (j = 3) X = X + 1",
        "for (i = 1:3) X = X + 1",
        "else X = X * 2",
        "if (=j == 2) X = X * 2",
        "}\n  X = X * 2",
    ] {
        let script = format!(
            "{FACTORS}for (j in 1:10) {{\n  K = X %*% Y\n  print(sum(K[j,]))\n  {change}\n}}\n"
        );
        let folder = Folder::new(&[("loop.dml", &script)]);
        folder.sumac(&["optimize", "--apply", "--least-saving", "0", "loop.dml"]);
        assert_eq!(folder.read("loop.dml"), script, "{change}");
    }
}

#[test]
fn no_result_goes_of_a_function_whose_frame_a_syntax_error_damages() {
    let results = "return (matrix[double] Z, double s)";
    let typed = "matrix[double] X, matrix[double] Y";
    for (head, end) in [
        (
            format!("g = function({typed}) return (matrix[double] Z, double s, )"),
            "}",
        ),
        (format!("g = functio-n({typed}) {results}"), "}"),
        (
            format!("g = function(matrix[doub#le] X, matrix[double] Y) {results}"),
            "}",
        ),
        (format!("g = function({typed}) {results}"), "}}"),
        (format!("function g({typed}) {results}"), "}"),
        ("g = function(X, Y)".to_owned(), "}"),
    ] {
        let script = format!(
            "{FACTORS}{head} {{\n  Z = X %*% Y\n  s = sum(Z)\n{end}\n[Z, s] = g(X, Y)\nprint(s)\nprint(sum(Z))\n"
        );
        let folder = Folder::new(&[("frame.dml", &script)]);
        folder.sumac(&["optimize", "--apply", "--least-saving", "0", "frame.dml"]);
        let text = folder.read("frame.dml");
        assert!(text.contains("  Z = X %*% Y\n"), "{head}: {text}");
    }
}

#[test]
fn what_a_damaged_text_may_assign_is_not_taken_for_what_it_was() {
    let width = |cols: usize| format!("w = rand(rows=3000, cols={cols}, seed=3)\n");
    let read = "s = sum((w %*% t(w))^2)\nprint(s)\n";
    let block = "  w = rowSums(w)\n}\n";
    for head in [
        "if ($a = 1) {",
        "if ( == 1) {",
        "if ($a == 1 {",
        "while ($a > ) {",
        "if () {",
        "if (TRUE {",
    ] {
        let script = format!("{}{head}\n{block}{read}", width(2));
        let folder = Folder::new(&[("head.dml", &script)]);
        folder.sumac(&["optimize", "--apply", "--least-saving", "0", "head.dml"]);
        let text = folder.read("head.dml");
        assert!(!text.contains("as.scalar"), "{head}: {text}");
    }
    let script = format!("{}cbind(w, w) -> w\n{read}", width(1));
    let folder = Folder::new(&[("arrow.dml", &script)]);
    folder.sumac(&["optimize", "--apply", "--least-saving", "0", "arrow.dml"]);
    assert_eq!(folder.read("arrow.dml"), script);
}
