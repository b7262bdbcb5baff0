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
