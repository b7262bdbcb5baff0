//! Parts that are computed before a loop: which ones, where they are written, and which must stay.

use expect_test::expect;
use sumac_analysis::StatementBlock;
use sumac_text::TextEdit;

use super::*;
use crate::CancelToken;
use crate::cache::{Block, SuggestionCache};
use crate::searches::Searches;

const SQUARES: &str = "#@ A: 100000 x 50
#@ w: 100000 x 1
#@ p: 50 x 1
A = read($A)
w = read($w)
p = read($p)
";

/// The script behind [`SQUARES`] with all its suggestions applied.
fn with_squares(script: &str) -> String {
    let script = format!("{SQUARES}{script}");
    let mut edits: Vec<TextEdit> = suggestions(&script)
        .into_iter()
        .flat_map(|s| s.edits.to_vec())
        .collect();
    edits.sort_by_key(|edit| edit.range);
    apply_edits(&script, &edits)
        .strip_prefix(SQUARES)
        .expect("what stands before stays")
        .to_owned()
}

#[test]
fn what_does_not_change_is_computed_before_the_loop() {
    let after = with_squares(
        "i = 0
while (i < 10) {
  p = t(A) %*% (w * (A %*% p))  # a step
  i = i + 1
}
print(sum(p))
",
    );
    expect![[r#"
        i = 0
        if (i < 10) {
          once_p = t(A) %*% (A * w)
        }
        while (i < 10) {
          p = once_p %*% p  # a step
          i = i + 1
        }
        print(sum(p))
    "#]]
    .assert_eq(&after);
}

#[test]
fn nothing_is_computed_before_a_loop_that_is_the_whole_body_of_another_statement() {
    let body = "for (i in 1:9) {\n    p = t(A) %*% (w * (A %*% p))\n  }\n";
    for script in [
        format!("if (sum(w) > 1)\n  {body}print(sum(p))\n"),
        format!("if (sum(w) > 1) {{\n  print(1)\n}} else\n  {body}print(sum(p))\n"),
        format!(
            "if (sum(w) > 1)\n  print(1)\nelse if (sum(w) > 2)\n  {body}else\n  print(2)\nprint(sum(p))\n"
        ),
        format!(
            "n = 0\nwhile (n < 3)\n  {}print(sum(p))\n",
            body.replace("for (i in 1:9) {", "while (n < 3) {\n    n = n + 1")
        ),
    ] {
        let after = with_squares(&script);
        assert!(!after.contains("once"), "{after}");
    }
    let listed = format!("if (sum(w) > 1) {{\n  {body}}}\nprint(sum(p))\n");
    assert!(with_squares(&listed).contains("\n  once_p = "));
}

#[test]
fn the_length_of_a_loop_decides() {
    let looped = |head: &str| {
        with_squares(&format!(
            "for (i in {head}) {{\n  p = t(A) %*% (w * (A %*% p))\n}}\nprint(sum(p))\n"
        ))
    };
    assert!(
        looped("1:50").starts_with("once_p = "),
        "{}",
        looped("1:50")
    );
    assert!(!looped("1:2").contains("once"), "{}", looped("1:2"));
    assert!(!looped("1:1").contains("once"), "{}", looped("1:1"));
    assert!(looped("seq(1, 200, 2)").contains("once"));
}

#[test]
fn what_the_loop_sets_stays_in_it() {
    for body in [
        // The weights change, by whatever kind of statement.
        "  p = t(A) %*% (w * (A %*% p))\n  w = w / 2\n",
        "  p = t(A) %*% (w * (A %*% p))\n  w[1, 1] = 0\n",
        "  p = t(A) %*% (w * (A %*% p))\n  if (sum(p) > 1) {\n    w = abs(w)\n  }\n",
        "  w = rand(rows=100000, cols=1, seed=i)\n  p = t(A) %*% (w * (A %*% p))\n",
    ] {
        let script = format!("for (i in 1:100) {{\n{body}}}\nprint(sum(p) + sum(w))\n");
        let after = with_squares(&script);
        assert!(!after.contains("once"), "{after}");
    }
}

#[test]
fn what_may_not_be_set_before_the_loop_stays_in_it() {
    let script = "if (sum(p) > 1) {
  v = abs(w)
}
for (i in 1:100) {
  if (sum(p) > 1) {
    p = t(A) %*% (v * (A %*% p))
  }
}
print(sum(p))
";
    let after = with_squares(script);
    assert!(!after.contains("once"), "{after}");
}

#[test]
fn what_a_loop_may_never_come_to_is_not_computed_before_it() {
    for script in [
        // Some runs only.
        "for (i in 1:100) {
  p = p + 1
  if (i %% 25 == 0) {
    q = t(A) %*% (w * (A %*% p))
    print(sum(q))
  }
}
",
        // Perhaps none, and nothing short says whether.
        "for (i in seq(1, $k)) {
  p = t(A) %*% (w * (A %*% p))
}
print(sum(p))
",
        "f = function(Double x) return (Boolean b) {
  print(x)
  b = x > 0
}
while (f(sum(p))) {
  p = t(A) %*% (w * (A %*% p))
}
",
    ] {
        let after = with_squares(script);
        assert!(!after.contains("once"), "{after}");
    }
    // Before the loop that may not run, and no further.
    let after = with_squares(
        "for (k in 1:50) {
  p = p + k
  j = 0
  while (j < k) {
    p = t(A) %*% (w * (A %*% p))
    j = j + 1
  }
}
",
    );
    let expected = "  j = 0\n  if (j < k) {\n    once_p_2 = t(A) %*% (A * w)\n  }\n  while";
    assert!(after.contains(expected), "{after}");
}

#[test]
fn the_outermost_loop_in_which_it_does_not_change_is_the_place() {
    let after = with_squares(
        "f = function(Matrix[Double] B, Integer n) return (Double s) {
  s = sum(B) + n
}
for (k in 1:5) {
  q = p
  u = p
  v = rand(rows=100000, cols=1, seed=k)
  for (i in 1:20) {
    q = t(A) %*% (w * (A %*% q))
    u = t(A) %*% (v * (A %*% u))
    print(f(q, i) + f(u, i))
  }
}
",
    );
    expect![[r#"
        f = function(Matrix[Double] B, Integer n) return (Double s) {
          s = sum(B) + n
        }
        once_q_2 = t(A) %*% (A * w)
        for (k in 1:5) {
          q = p
          u = p
          v = rand(rows=100000, cols=1, seed=k)
          once_u_2 = t(A) %*% (A * v)
          for (i in 1:20) {
            q = once_q_2 %*% q
            u = once_u_2 %*% u
            print(f(q, i) + f(u, i))
          }
        }
    "#]]
    .assert_eq(&after);
}

#[test]
fn parameters_of_a_function_are_set_before_its_loops() {
    let after = with_squares(
        "g = function(Matrix[Double] B, Matrix[Double] q, Double once_q) return (Matrix[Double] q) {
  i = 0
  while (i < 30) {
    q = t(B) %*% (B %*% q)
    i = i + 1
  }
}
r = g(A, p, 1)
print(sum(r))
",
    );
    expect![[r#"
        g = function(Matrix[Double] B, Matrix[Double] q, Double once_q) return (Matrix[Double] q) {
          i = 0
          if (i < 30) {
            once_q_b = t(B) %*% B
          }
          while (i < 30) {
            q = once_q_b %*% q
            i = i + 1
          }
        }
        r = g(A, p, 1)
        print(sum(r))
    "#]]
    .assert_eq(&after);
}

#[test]
fn a_suggestion_says_what_it_computes_before_and_when_that_pays() {
    let script = format!(
        "{SQUARES}i = 0\nwhile (i < 10) {{\n  p = t(A) %*% (w * (A %*% p))\n  i = i + 1\n}}\nprint(sum(p))\n"
    );
    let found = suggestions(&script);
    let [suggestion] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(
        suggestion.statement,
        "once_p = t(A) %*% (A * w)\np = once_p %*% p"
    );
    assert_eq!(
        suggestion.optimized,
        "once_p = t(A) %*% (A * w); once_p %*% p"
    );
    let assumes = suggestion.assumes.join("\n");
    assert!(
        assumes.contains("once_p is computed before the loop, which is taken to run 10 times"),
        "{assumes}"
    );
    let needed = assumes
        .split("cheaper if the loop runs at least ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .and_then(|n| n.parse::<f64>().ok())
        .expect("a number of runs");
    assert!((2.0..=10.0).contains(&needed), "{assumes}");
    // Timing a run leaves out what is computed once.
    let inputs = suggestion.pair.optimized.inputs();
    assert!(inputs.iter().any(|input| &*input.name == "once_p"));
}

#[test]
fn a_cached_part_follows_its_loop() {
    let script = format!(
        "{SQUARES}i = 0\nwhile (i < 10) {{\n  p = t(A) %*% (w * (A %*% p))\n  i = i + 1\n}}\nprint(sum(p))\n"
    );
    let read = |script: &str| {
        let snapshot = snapshot(script);
        let blocks = &snapshot.analysis.blocks;
        let is_body = |block: &StatementBlock| block.loop_depth == 1 && block.statements.len() > 1;
        let block = blocks.iter().position(is_body).expect("the loop's body");
        let block = Block::new(&snapshot, block, "").expect("it is a block");
        let (key, place) = (block.key, block.place.clone());
        (snapshot, block, key, place)
    };
    let (snapshot, block, key, place) = read(&script);
    let search = Search {
        options: &Options::default(),
        searches: &Searches::default(),
        store: None,
        cancel: &CancelToken::default(),
    };
    let found = suggest(&snapshot, &block, search);
    let mut cache = SuggestionCache::new(1);
    cache.insert(key, place, found);
    // The block moves away from the head of its loop.
    let moved = script.replace("10) {\n", "10) {  # at most\n  # one step\n\n");
    let (_, _, new_key, new_place) = read(&moved);
    assert_eq!(new_key, key, "a comment is no content");
    let placed = cache.get(new_key, &new_place).expect("it is known");
    let after = apply_edits(&moved, &placed[0].suggestion.edits.to_vec());
    assert!(
        after.contains(
            "i = 0\nif (i < 10) {\n  once_p = t(A) %*% (A * w)\n}\nwhile (i < 10) {  # at most\n"
        ),
        "{after}"
    );
    // What decides is part of the key.
    let changed = script.replace("i = i + 1", "i = i + 1; w = w / 2");
    assert_ne!(read(&changed).2, key);
}

#[test]
fn parts_of_different_statements_never_share_a_name() {
    // The second statement of `q` would be called as the first of `q_2` is.
    let after = with_squares(
        "q = p
q_b = p
q_2 = p
for (i in 1:100) {
  q = t(A) %*% (w * (A %*% q))
  q_b = t(A) %*% (w^2 * (A %*% q_b))
  q_2 = t(A) %*% (w^3 * (A %*% q_2))
  q = q + t(A) %*% (w^4 * (A %*% q))
  print(sum(q) + sum(q_b) + sum(q_2))
}
",
    );
    let names: Vec<&str> = after
        .lines()
        .filter_map(|line| Some(line.split_once(" = ")?.0))
        .filter(|name| name.starts_with("once"))
        .collect();
    let expected = ["once_q", "once_q_b", "once_q_2", "once_q_2_b"];
    assert_eq!(names, expected, "{after}");
}

#[test]
fn nothing_is_computed_before_a_loop_that_may_not_run() {
    let sizes = "#@ A: 1000 x 1000\n#@ B: 1000 x 1000\n#@ v: 1000 x 1\n";
    let reads = "A = read($A)\nB = read($B)\nv = read($v)\nn = ifdef($n, 20)\ns = sum(A)\nk = 0\n";
    let body = "  z = A %*% B %*% v + k * v\n  print(sum(z))\n  k = k + 1\n}\nwrite(z, $z)\n";
    let hoists = |head: &str| {
        let script = format!("{sizes}{reads}{head} {{\n{body}");
        let found = suggestions(&script);
        // The condition itself is computed in any case.
        let mut found = found.iter().filter(|it| !it.targets.is_empty());
        found.any(|it| it.before_loop.is_some())
    };
    assert!(hoists("for (i in 1:n)"));
    assert!(hoists("for (i in seq(1, 20, 1))"));
    assert!(hoists("while (k < n & s > 0)"));
    assert!(!hoists("for (i in seq(1, n, 1))"));
    // The condition before the loop may be written in another way than that of the loop, and then rounding decides.
    assert!(!hoists("while (sum(A %*% B) > s & k < n)"));
}
