//! Files of Python: the same commands as for DML.

use super::*;

const MODEL: &str = "\
import numpy as np


def sandwich(X, w, B):
    \"\"\"X : array of shape (n, d); w : (n,); B : (d, d)\"\"\"
    meat = X.T @ np.diag(w) @ X
    return np.diag(X @ B @ X.T)


def residual(A, H, x):
    #@ A: n x n
    #@ H: n x n
    #@ x: n
    return (A - H.T @ H) @ x
";

#[test]
fn forms_are_shown_as_a_diff_and_written_where_they_lose_nothing() {
    let folder = Folder::new(&[("model.py", MODEL)]);
    let output = folder.sumac(&["optimize", "model.py"]);
    let (diff, notes) = (stdout(&output), stderr(&output));
    assert!(
        diff.contains("-    meat = X.T @ np.diag(w) @ X\n"),
        "{diff}"
    );
    assert!(diff.contains("+    meat = (X.T * w) @ X\n"), "{diff}");
    assert!(
        notes.contains("cheaper where n >= 4") && notes.contains("proved (canonical)"),
        "{notes}"
    );
    // A difference of large products may lose every digit: that is for whoever chooses the line.
    assert!(
        notes.contains("model.py:14:") && notes.contains("left out") && !diff.contains("H @ x"),
        "{notes}"
    );
    let applied = folder.sumac(&["optimize", "model.py", "--apply"]);
    assert_eq!(code(&applied), 0);
    let text = folder.read("model.py");
    assert!(
        text.contains("(X.T * w) @ X") && text.contains("(A - H.T @ H) @ x"),
        "{text}"
    );
    let chosen = folder.sumac(&["optimize", "model.py", "--apply", "--lines", "14"]);
    assert_eq!(code(&chosen), 0, "{}", stderr(&chosen));
    let text = folder.read("model.py");
    assert!(text.contains("return A @ x - H.T @ (H @ x)"), "{text}");
    // What is written is not improved again.
    let again = stdout(&folder.sumac(&["optimize", "model.py"]));
    assert_eq!(again, "");
}

#[test]
fn rows_say_for_which_sizes_a_form_is_cheaper() {
    let folder = Folder::new(&[("model.py", MODEL)]);
    let rows = json(&folder.sumac(&["optimize", "model.py", "--format", "json"]));
    let row = &rows[0];
    assert_eq!(row["language"], "python");
    assert_eq!(row["function"], "sandwich");
    assert_eq!(row["optimized"], "(X.T * w) @ X");
    assert_eq!(
        (row["when"].as_str(), row["condition"].is_null()),
        (Some("always"), true)
    );
    assert!(
        row["flops"]["original"]
            .as_str()
            .is_some_and(|text| text.contains("d·n²")),
        "{row}"
    );
    assert!(row["check"]["max_relative_error"].as_f64().unwrap() < 1e-9);
    assert!(row["gain"][0].as_f64().unwrap() >= 1.0);
}

#[test]
fn facts_name_where_each_shape_comes_from() {
    let folder = Folder::new(&[("model.py", MODEL)]);
    let text = stdout(&folder.sumac(&["facts", "model.py"]));
    assert!(
        text.contains("docstring, line 5") && text.contains("(n, d)"),
        "{text}"
    );
    let rows = json(&folder.sumac(&["facts", "model.py", "--format", "json"]));
    let meat = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == "meat")
        .unwrap();
    assert_eq!(
        (meat["shape"].as_str(), meat["function"].as_str()),
        (Some("(d, d)"), Some("sandwich"))
    );
}

#[test]
fn sizes_that_do_not_fit_are_errors_and_so_is_what_python_does_not_read() {
    let folder = Folder::new(&[
        (
            "mismatch.py",
            "import numpy as np\na = np.ones((2, 3))\nb = np.ones((4, 5))\nc = a @ b\n",
        ),
        ("broken.py", "def f(:\n    pass\n"),
        ("right.py", MODEL),
    ]);
    let output = folder.sumac(&["check", "mismatch.py"]);
    assert_eq!(code(&output), 1);
    assert!(
        stdout(&output).contains("shape-mismatch") && stdout(&output).contains("(2, 3)"),
        "{}",
        stdout(&output)
    );
    assert_eq!(code(&folder.sumac(&["check", "broken.py"])), 1);
    assert_eq!(code(&folder.sumac(&["parse", "broken.py"])), 1);
    assert_eq!(code(&folder.sumac(&["check", "right.py"])), 0);
    // A folder is looked through for both languages.
    let all = json(&folder.sumac(&["check", ".", "--format", "json"]));
    assert!(all.as_array().unwrap().len() >= 2, "{all}");
}

#[test]
fn a_line_is_explained_and_commands_of_dml_say_that_they_are() {
    let folder = Folder::new(&[("model.py", MODEL)]);
    let output = folder.sumac(&["explain", "model.py:6"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("same polyterm"),
        "{}",
        stdout(&output)
    );
    assert_eq!(code(&folder.sumac(&["explain", "model.py:1"])), 1);
    for command in ["run", "fmt", "fuse"] {
        let file = if command == "fuse" {
            "model.py:6"
        } else {
            "model.py"
        };
        let output = folder.sumac(&[command, file]);
        assert_ne!(code(&output), 0, "{command}");
        assert!(
            stderr(&output).contains("python"),
            "{command}: {}",
            stderr(&output)
        );
    }
}
