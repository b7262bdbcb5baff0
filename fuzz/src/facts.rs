//! `#@` lines: any line is read, its ranges lie inside, it is the same fact in a script, and the analysis takes whatever it says.

use std::path::Path;

use sumac_analysis::{Database, NoFiles};
use sumac_syntax::{parse, parse_fact};

use crate::places::{assert_inside, without_places};

/// A script for facts to speak of.
const SCRIPT: &str = "X = read($X)\nn = nrow(X)\ny = X %*% matrix(1, n, 1)\nprint(sum(y))\n";

pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    // To the grammar a zero byte ends a comment.
    let lines = text.split(['\n', '\r', '\0']).take(6);
    let lines: Vec<String> = lines.map(|line| format!("#@{line}")).collect();
    for line in &lines {
        let fact = parse_fact(line, 0);
        assert_inside(line, fact.range, "a fact");
        let moved = parse_fact(line, 7);
        assert_eq!(without_places(&fact), without_places(&moved), "{line:?}");
        let script = parse(line.as_str());
        assert_eq!(script.facts(), [fact], "{line:?}");
        // Without the sign, as the command line has it.
        let _ = parse_fact(&line[2..], 0);
    }
    let script = lines.join("\n") + "\n" + SCRIPT;
    let path = Path::new("/script.dml");
    let mut db = Database::new(NoFiles);
    db.open(path, &parse(script.as_str()));
    for diagnostic in &db.known(path).diagnostics {
        assert_inside(&script, diagnostic.range, "a diagnostic");
    }
}
