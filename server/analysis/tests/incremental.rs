//! What is computed again after an edit, counted; and that the answer is the one that a new database gives.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use expect_test::{Expect, expect};
use proptest::prelude::*;
use sumac_analysis::{Analysis, Database, Known, NoFiles, Options};
use sumac_syntax::{parse, parse_fact};

const LIBRARY: &str = "\
scale = function(Matrix[Double] X, Double by) return (Matrix[Double] Y) {
  # doubles, say
  Y = X * by
}
shrink = function(Matrix[Double] X) return (Matrix[Double] Y) {
  Y = X[1:2, ]
}
";

const MAIN: &str = r#"source("lib.dml") as lib
inner = function(Matrix[Double] A) return (Matrix[Double] B) {
  B = A %*% t(A)
}
outer = function(Matrix[Double] A) return (Double s) {
  B = inner(A)
  s = sum(B)
}
alone = function(Integer k) return (Integer r) {
  r = k + 1
}
X = rand(rows=10, cols=4)
s = outer(X)
Y = lib::scale(X, 2)
print(s + sum(Y))
"#;

/// The queries that walk over statements.
const WALKS: [&str; 3] = ["segment_analysis", "function_analysis", "function_walk"];

/// A session with the two files.
struct Session {
    db: Database,
    log: Arc<Mutex<Vec<String>>>,
    texts: BTreeMap<PathBuf, String>,
}

impl Session {
    fn new() -> Self {
        Session::forgetting_after(usize::MAX)
    }

    fn forgetting_after(walks: usize) -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        let entries = Arc::clone(&log);
        let db = Database::logged(NoFiles, move |entry| entries.lock().unwrap().push(entry));
        let db = db.forgetting_after(walks);
        let mut session = Session {
            db,
            log,
            texts: BTreeMap::new(),
        };
        session.set("lib.dml", LIBRARY);
        session.set("main.dml", MAIN);
        session.analysis();
        session.counted();
        session
    }

    fn set(&mut self, name: &str, text: &str) {
        let path = Path::new("/w").join(name);
        self.db.open(&path, &parse(text));
        self.texts.insert(path, text.to_owned());
    }

    fn edit(&mut self, name: &str, from: &str, to: &str) {
        let text = self.texts[&Path::new("/w").join(name)].clone();
        assert!(text.contains(from), "{from}");
        self.set(name, &text.replacen(from, to, 1));
    }

    fn analysis(&self) -> Known {
        self.db.known(Path::new("/w/main.dml"))
    }

    /// How often each walk over statements was done since the last time.
    fn counted(&self) -> String {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for entry in std::mem::take(&mut *self.log.lock().unwrap()) {
            let name = entry.split('(').next().unwrap_or_default();
            if WALKS.contains(&name) {
                *counts.entry(name.to_owned()).or_default() += 1;
            }
        }
        let lines = counts.iter().map(|(name, count)| format!("{name} {count}"));
        lines.collect::<Vec<_>>().join(", ")
    }
}

#[test]
fn what_a_keystroke_waits_for_is_what_the_whole_says() {
    let text = format!("{MAIN}#@ assert sum(X) == sum(t(X))\nZ = X %*% X\nouter(X, 1)\n");
    let mut session = Session::new();
    session.set("main.dml", &text);
    let parts = session.db.parts(Path::new("/w/main.dml"));
    let findings = parts.findings();
    let whole = parts.whole(findings.clone());
    assert!(whole.diagnostics.len() > 1 && whole.assertions.len() == 1);
    assert_eq!(findings.diagnostics, whole.diagnostics);
    assert_eq!(findings.assertions, whole.assertions);
    assert!(!whole.names.is_empty() && !whole.expr_types.is_empty());
    assert!(findings.names.is_empty() && findings.expr_types.is_empty());
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "as expect! gives it")]
fn check(name: &str, from: &str, to: &str, expected: Expect) {
    let mut session = Session::new();
    // The first edit of a function makes it less durable, which is news to its callers.
    for (from, to) in [(from, to), (to, from)] {
        session.edit(name, from, to);
        session.analysis();
    }
    session.counted();
    session.edit(name, from, to);
    let shown = shown(&session.analysis());
    expected.assert_eq(&session.counted());
    assert_eq!(shown, fresh(&session));
}

fn fresh(session: &Session) -> String {
    let mut db = Database::new(NoFiles);
    for (path, text) in &session.texts {
        db.open(path, &parse(text.as_str()));
    }
    shown(&db.known(Path::new("/w/main.dml")))
}

/// Everything that an analysis says.
fn shown(analysis: &Analysis) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{:#?}", analysis.diagnostics);
    let _ = writeln!(out, "{:#?}", analysis.variables);
    let _ = writeln!(out, "{:#?}", analysis.functions);
    let _ = writeln!(out, "{:#?}", analysis.names);
    let _ = writeln!(out, "{:#?}", analysis.expr_types);
    for block in &analysis.blocks {
        let _ = writeln!(out, "{:#?} {}", block.statements, block.loop_depth);
        for statement in &block.statements {
            for part in &statement.parts {
                let _ = writeln!(out, "{}", block.dag.print(part.root));
            }
        }
    }
    out
}

#[test]
fn nothing_is_computed_again_without_a_change() {
    let session = Session::new();
    session.analysis();
    assert_eq!(session.counted(), "");
}

#[test]
fn an_edit_inside_a_function_leaves_its_callers_alone_if_it_gives_the_same() {
    // `outer` calls `inner` with one signature: a walk for the call, a walk for the record.
    check(
        "main.dml",
        "B = A %*% t(A)",
        "C = A\n  B = C %*% t(A)",
        expect!["function_analysis 1, function_walk 1"],
    );
}

#[test]
fn an_analysis_that_is_cancelled_ends_at_once_and_leaves_what_it_has() {
    let path = Path::new("/w/main.dml");
    for most in 0.. {
        let mut session = Session::new();
        session.edit("main.dml", "B = A %*% t(A)", "B = t(A) %*% A");
        session.edit("main.dml", "rows=10", "rows=12");
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let is_cancelled = move || count.fetch_add(1, Ordering::Relaxed) >= most;
        let parts = session.db.parts_unless(path, is_cancelled);
        let asked = asked.load(Ordering::Relaxed);
        if let Some(parts) = parts {
            assert!(asked == most && most > 5, "{asked} times");
            assert!(!parts.findings().diagnostics.is_empty());
            return;
        }
        assert_eq!(asked, most + 1, "nothing is asked after a yes");
        assert_eq!(shown(&session.analysis()), fresh(&session));
    }
}

#[test]
fn the_first_edit_of_a_function_has_its_callers_look_once() {
    let mut session = Session::new();
    session.edit("main.dml", "B = A %*% t(A)", "C = A\n  B = C %*% t(A)");
    session.analysis();
    let counted = "function_analysis 2, function_walk 2, segment_analysis 1";
    assert_eq!(session.counted(), counted);
    session.edit("main.dml", "C = A", "C = A + 0");
    session.analysis();
    assert_eq!(session.counted(), "function_analysis 1, function_walk 1");
}

#[test]
fn an_edit_that_changes_what_a_function_gives_reaches_its_callers() {
    check(
        "main.dml",
        "B = A %*% t(A)",
        "B = t(A) %*% A",
        expect!["function_analysis 2, function_walk 2"],
    );
}

#[test]
fn an_edit_of_a_function_that_nothing_calls_walks_it_alone() {
    check(
        "main.dml",
        "r = k + 1",
        "r = k + 2",
        expect!["function_analysis 1"],
    );
}

#[test]
fn a_comment_in_a_function_is_the_functions_own_matter() {
    check(
        "main.dml",
        "s = sum(B)",
        "# all of it\n  s = sum(B)",
        expect!["function_analysis 1, function_walk 1"],
    );
}

#[test]
fn an_edit_before_a_function_moves_it_only() {
    check(
        "main.dml",
        "inner = ",
        "# moved\n\n\ninner = ",
        expect!["segment_analysis 1"],
    );
}

#[test]
fn an_edit_of_the_main_program_walks_no_function() {
    check(
        "main.dml",
        "print(s +",
        "print(3 * s +",
        expect!["segment_analysis 1"],
    );
}

#[test]
fn other_arguments_reach_the_functions_that_get_them() {
    let mut session = Session::new();
    session.edit("main.dml", "rows=10", "rows=11");
    let shown = shown(&session.analysis());
    // `outer` and, through it, `inner`, each for the call and for the record; `scale` for the call.
    let counted = "function_analysis 2, function_walk 3, segment_analysis 1";
    assert_eq!(session.counted(), counted);
    assert_eq!(shown, fresh(&session));
}

#[test]
fn after_so_many_walks_everything_is_computed_anew_once() {
    let mut session = Session::forgetting_after(150_000);
    for rows in 11..20 {
        session.edit(
            "main.dml",
            &format!("rows={}", rows - 1),
            &format!("rows={rows}"),
        );
        session.analysis();
    }
    let counted = session.counted();
    // Nine edits, each with the walks that other arguments need; `alone` is looked at again where everything is.
    assert_eq!(
        counted,
        "function_analysis 19, function_walk 27, segment_analysis 10"
    );
    assert_eq!(shown(&session.analysis()), fresh(&session));
}

/// What an edit computes after eight other files were looked at, and closed or not.
fn after_other_files(are_closed: bool) -> String {
    let mut session = Session::forgetting_after(60_000);
    for i in 0..8 {
        let path = PathBuf::from(format!("/w/other{i}.dml"));
        session.db.open(&path, &parse(MAIN));
        let _ = session.db.known(&path);
        if are_closed {
            session.db.close(&path);
        }
    }
    session.counted();
    session.edit("main.dml", "rows=10", "rows=11");
    session.analysis();
    assert_eq!(shown(&session.analysis()), fresh(&session));
    session.counted()
}

#[test]
fn what_is_known_of_open_files_is_no_leftover_and_of_closed_ones_it_is() {
    // How many segments are looked at for the edit itself is not the same on every run: subtrees are known by their place in memory.
    let of_functions = |counted: String| {
        let parts: Vec<&str> = counted.split(", segment").take(1).collect();
        parts.concat()
    };
    expect!["function_analysis 2, function_walk 3"]
        .assert_eq(&of_functions(after_other_files(false)));
    expect!["function_analysis 3, function_walk 3"]
        .assert_eq(&of_functions(after_other_files(true)));
}

#[test]
fn a_change_of_a_sourced_function_reaches_its_callers_only_if_it_gives_something_else() {
    check(
        "lib.dml",
        "Y = X * by",
        "Y = by * X",
        expect!["function_walk 1"],
    );
    check(
        "lib.dml",
        "Y = X * by",
        "Y = t(X) * by",
        expect!["function_walk 1, segment_analysis 1"],
    );
}

#[test]
fn a_change_of_a_sourced_function_that_is_not_called_is_nothing_to_the_script() {
    check("lib.dml", "Y = X[1:2, ]", "Y = X[1:3, ]", expect![""]);
    check("lib.dml", "scale = ", "# moved\nscale = ", expect![""]);
}

/// Pieces of scripts that random edits put in, take out and exchange.
const PIECES: &[&str] = &[
    "source(\"lib.dml\") as lib\n",
    "#@ X: 10 x n\n",
    "#@ n = 7\n",
    "#@ allow unused-value\n",
    "X = rand(rows=10, cols=7)\n",
    "X = read($X)\n",
    "f = function(Matrix[Double] A, Integer k = 2) return (Matrix[Double] B) {\n  #@ A: ? x 7\n  B = A[1:k, ]\n}\n",
    "g = function(Matrix[Double] A) return (Matrix[Double] B) {\n  B = f(A, 3)\n  if (nrow(A) > 3) { B = h(B) }\n}\n",
    "h = function(Matrix[Double] A) return (Matrix[Double] B) { B = g(t(A)) }\n",
    "f = function(Matrix[Double] A) return (Double s) { s = sum(A) + undefined }\n",
    "Y = f(X)\n",
    "Z = g(X) %*% X\n",
    "for (i in 1:3) { X = cbind(X, g(X)) }\n",
    "W = lib::scale(X, 2)\n",
    "W = lib::scal(X)\n",
    "print(sum(X %*% t(X)))\n",
    "y = (1 +\n",
    "}\n",
    "g = function(Matrix[Double] A\n",
];

/// Pieces of main programs that are cut into segments.
const SECTIONS: &[&str] = &[
    "source(\"lib.dml\") as lib\n",
    "X = rand(rows=10, cols=7, sparsity=0.1)\n",
    "X = read($X)\n",
    "Y = read($Y)\n",
    "Z = X %*% Y\nZ = Z + 1\n",
    "X = Y\n",
    "s = nrow(X) + ncol(Z)\n",
    "if (s > 3) {\n  X = t(X)\n  k = 3\n} else {\n  k = 4\n}\n",
    "for (i in 1:k) {\n  X[i, ] = X[i, ] * s\n  acc = acc + sum(X)\n}\n",
    "while (s < 9) s = s + lib::scale(X, s)\n",
    "if (nrow(Z) != ncol(X)) print(\"no\")\n",
    "print(sum(X %*% t(X)) + acc)\n",
    "print(ac)\n",
    "f = function(Matrix[Double] A, Integer k = 2) return (Matrix[Double] B) {\n  B = A[1:k, ]\n}\n",
    "Y = f(X, 3)\nY = f(Y, k)\nY = f(Y)\n",
    "g = function(Integer k) return (Integer r) { r = k + 1 }\n",
    "n = 0\nn = g(n)\nn = g(n)\nn = g(n)\nn = g(n)\nn = g(n)\nn = g(n)\nn = g(n)\nn = g(n)\nn = g(n)\n",
    "n = g(n)\nif (n > 2) print(n)\n",
    "[Y, s] = h(X)\n",
    "acc = 0; if (s > 1) acc = 1; k = acc\n",
    "y = (1 +\n",
    "}\n",
    "X = X[1:k\n",
    "i = 0\n",
    "for (i in 1:2) print(i)\n",
    "print(i)\n",
    "# nothing\n",
];

/// As a new database has it, in one part: whoever says something beside a script has it looked at as a whole.
fn whole(session: &Session) -> String {
    let mut db = Database::new(NoFiles);
    for (path, text) in &session.texts {
        db.open(path, &parse(text.as_str()));
    }
    let main = Path::new("/w/main.dml");
    let options = Options {
        facts: vec![parse_fact("#@ allow unused-allow", 0)],
        base_dir: Some("/w".into()),
        ..Options::default()
    };
    db.set_options(main, options);
    shown(&db.known(main))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_main_program_in_sections_says_what_it_says_as_a_whole_after_any_edits(
        start in prop::collection::vec(0..SECTIONS.len(), 3..24),
        edits in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), 0..SECTIONS.len()), 0..8),
    ) {
        let mut session = Session::new();
        let mut pieces: Vec<&str> = start.iter().map(|i| SECTIONS[*i]).collect();
        session.set("main.dml", &pieces.concat());
        prop_assert_eq!(shown(&session.analysis()), whole(&session));
        for (is_removal, at, piece) in edits {
            if is_removal && !pieces.is_empty() {
                pieces.remove(at.index(pieces.len()));
            } else {
                pieces.insert(at.index(pieces.len() + 1), SECTIONS[piece]);
            }
            session.set("main.dml", &pieces.concat());
            prop_assert_eq!(shown(&session.analysis()), whole(&session));
        }
    }
}

const LONG: &str = "\
X = rand(rows=10, cols=4)
s = 0
if (sum(X) > 1) {
  s = 1
}
Y = X * 2
for (i in 1:3) {
  Y = Y + s
}
Z = t(Y)
print(sum(Z))
";

#[test]
fn an_edit_walks_the_segments_that_it_reaches() {
    let cases = [
        // Nothing behind it sees another value.
        ("sum(X) > 1", "sum(X) > 2", "segment_analysis 1"),
        ("print(sum(Z))", "print(sum(Z) + 1)", "segment_analysis 1"),
        (
            "\nY = X * 2",
            "\n# moved\n\nY = X * 2",
            "segment_analysis 1",
        ),
        // All that read the value, or what follows from it.
        ("cols=4", "cols=5", "segment_analysis 3"),
        ("Y = X * 2", "Y = t(X)", "segment_analysis 2"),
        // All that read what now stands elsewhere in its segment.
        ("Y = X * 2", "Y = X * 2\nother = 1", "segment_analysis 2"),
    ];
    for (from, to, expected) in cases {
        let mut session = Session::new();
        session.set("main.dml", LONG);
        session.analysis();
        session.counted();
        session.edit("main.dml", from, to);
        let shown = shown(&session.analysis());
        assert_eq!(session.counted(), expected, "{to}");
        assert_eq!(shown, fresh(&session));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn after_any_edits_the_answer_is_that_of_a_new_database(
        start in prop::collection::vec(0..PIECES.len(), 3..10),
        edits in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), 0..PIECES.len(), any::<bool>()), 1..8),
    ) {
        let mut session = Session::forgetting_after(if start.len() % 2 == 0 { 20_000 } else { usize::MAX });
        let mut pieces: Vec<&str> = start.iter().map(|i| PIECES[*i]).collect();
        for (is_library, at, piece, is_removal) in edits {
            if is_library {
                session.edit("lib.dml", "scale", "scale ");
                session.edit("lib.dml", "Y = X", "Y = X + X");
            } else if is_removal && !pieces.is_empty() {
                pieces.remove(at.index(pieces.len()));
            } else {
                pieces.insert(at.index(pieces.len() + 1), PIECES[piece]);
            }
            session.set("main.dml", &pieces.concat());
            prop_assert_eq!(shown(&session.analysis()), fresh(&session));
        }
    }
}
