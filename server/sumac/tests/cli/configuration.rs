//! `sumac.toml`, and what wins over it.

use super::*;

const UNUSED: &str = "x = 1\nx = 2\nprint(x)\n";

fn severities(output: &Output) -> Vec<String> {
    let found = json(output);
    let found = found.as_array().unwrap().iter();
    found
        .map(|one| one["severity"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_command_line_decides_over_the_file_and_the_file_over_the_default() {
    let folder = Folder::new(&[("a.dml", UNUSED)]);
    let check = ["check", "--format", "json", "a.dml"];
    assert_eq!(severities(&folder.sumac(&check)), ["hint"]);
    let file = folder.path().join("sumac.toml");
    std::fs::write(&file, "[diagnostics]\nunused-value = \"error\"\n").unwrap();
    let strict = folder.sumac(&check);
    assert_eq!(
        (severities(&strict), code(&strict)),
        (vec!["error".into()], 1)
    );
    let said = [&check[..], &["--severity", "unused-value=off"]].concat();
    assert_eq!(severities(&folder.sumac(&said)), Vec::<String>::new());
    let other = folder.path().join("other.toml");
    std::fs::write(&other, "").unwrap();
    let named = [&check[..], &["--config", "other.toml"]].concat();
    assert_eq!(severities(&folder.sumac(&named)), ["hint"]);
}

#[test]
fn a_wrong_file_is_told_with_line_key_and_the_nearest_key() {
    let folder = Folder::new(&[
        ("a.dml", UNUSED),
        ("sumac.toml", "[search]\nmax-node = 5\n"),
    ]);
    for command in ["check", "facts", "optimize"] {
        let output = folder.sumac(&[command, "a.dml"]);
        assert_eq!(code(&output), 64, "{command}");
        let told = stderr(&output);
        assert!(
            told.contains(
                "sumac.toml:2:1: [search] has no key `max-node`; did you mean `max-nodes`?"
            ),
            "{told}"
        );
    }
    let output = folder.sumac(&["check", "a.dml", "--severity", "unused-valeu=off"]);
    assert_eq!(code(&output), 64);
    assert!(stderr(&output).contains("did you mean `unused-value`?"));
}

#[test]
fn arguments_and_facts_of_the_file_count_where_the_script_is_silent() {
    let folder = Folder::new(&[
        (
            "a.dml",
            "#@ Y: 3 x 3\nX = read($X)\nY = read($Y)\nZ = matrix(1, rows=$k, cols=2)\nprint(sum(X) + sum(Y) + sum(Z))\n",
        ),
        (
            "sumac.toml",
            "[args]\nk = 7\n[facts]\nX = \"n x 5\"\nY = \"9 x 9\"\nn = 20\n",
        ),
    ]);
    let size = |args: &[&str], name: &str| {
        let all = [&["facts", "--format", "json", "a.dml"], args].concat();
        let rows = json(&folder.sumac(&all));
        let row = rows.as_array().unwrap().iter().find(|r| r["name"] == name);
        row.map(|r| (r["rows"].clone(), r["cols"].clone())).unwrap()
    };
    assert_eq!(size(&[], "X"), (20.into(), 5.into()));
    assert_eq!(size(&[], "Y"), (3.into(), 3.into()));
    assert_eq!(size(&[], "Z"), (7.into(), 2.into()));
    assert_eq!(size(&["--set", "k=8"], "Z"), (8.into(), 2.into()));
    assert_eq!(size(&["--facts", "X: 1 x 2"], "X"), (1.into(), 2.into()));
}
