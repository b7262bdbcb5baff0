//! `sumac fmt`.

use super::*;

#[test]
fn fmt_writes_scripts_in_place_and_a_second_time_nothing() {
    let folder = Folder::new(&[("a.dml", "x=1;\nprint( x )  # c\n"), ("b.dml", "y = 2\n")]);
    std::fs::create_dir(folder.path().join("in")).unwrap();
    std::fs::write(folder.path().join("in/c.dml"), "z=[1,2]").unwrap();
    std::fs::write(folder.path().join("in/notes.txt"), "z=[1,2]").unwrap();

    let check = folder.sumac(&["fmt", "--check", "."]);
    assert_eq!(
        (code(&check), &*stdout(&check)),
        (1, "./a.dml\n./in/c.dml\n")
    );
    assert_eq!(folder.read("a.dml"), "x=1;\nprint( x )  # c\n");
    let diff = folder.sumac(&["fmt", "--diff", "a.dml"]);
    assert!(stdout(&diff).contains("-x=1;\n") && stdout(&diff).contains("+x = 1\n"));

    let write = folder.sumac(&["fmt", "."]);
    assert_eq!((code(&write), &*stdout(&write)), (0, ""));
    assert_eq!(folder.read("a.dml"), "x = 1\nprint(x)  # c\n");
    assert_eq!(folder.read("in/c.dml"), "z = [1, 2]\n");
    assert_eq!(folder.read("in/notes.txt"), "z=[1,2]");
    assert_eq!(code(&folder.sumac(&["fmt", "--check", "."])), 0);
}

#[test]
fn fmt_leaves_a_broken_script_alone_and_does_the_others() {
    let folder = Folder::new(&[("a.dml", "x = (1\n y=2"), ("b.dml", "y=2")]);
    let output = folder.sumac(&["fmt", "a.dml", "b.dml", "--format", "json"]);
    assert_eq!(code(&output), 1);
    let reports = json(&output);
    assert_eq!(
        (&reports[0]["changed"], &reports[1]["changed"]),
        (&false.into(), &true.into())
    );
    assert!(reports[0]["errors"][0]["message"].is_string(), "{reports}");
    assert_eq!(folder.read("a.dml"), "x = (1\n y=2");
    assert_eq!(folder.read("b.dml"), "y = 2\n");
    let text = folder.sumac(&["fmt", "a.dml"]);
    assert!(stderr(&text).contains("a.dml:1:"), "{}", stderr(&text));
}

#[test]
fn fmt_takes_options_and_the_standard_input() {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_sumac"))
        .args(["fmt", "-", "--indent-width", "4", "--line-width", "20"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(b"if(a){x=foo(first,second,third)}")
        .unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let expected =
        "if (a) {\n    x = foo(\n        first,\n        second,\n        third\n    )\n}\n";
    assert_eq!((code(&output), &*stdout(&output)), (0, expected));
}
