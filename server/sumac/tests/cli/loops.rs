//! What `sumac optimize` computes before a loop, run as a script.

use super::*;

const STEPS: &str = "A = rand(rows=4000, cols=30, min=-1, max=1, seed=7)
w = rand(rows=4000, cols=1, seed=8)
p = rand(rows=30, cols=1, seed=9)
i = 0
while (i < 4) {
  g = t(A) %*% (w * (A %*% p))
  p = p - 0.0001 * g
  print(\"step \" + i + \": \" + round(1000000 * sum(p)))
  i = i + 1
}
none = 0
while (none > 0) {
  p = t(A) %*% (w * (A %*% p))
}
print(round(1000000 * sum(p^2)))
";

#[test]
fn a_script_whose_loops_were_shortened_prints_the_same() {
    let folder = Folder::new(&[("steps.dml", STEPS)]);
    let before = stdout(&folder.sumac(&["run", "steps.dml"]));
    assert_eq!(before.lines().count(), 5, "{before}");
    // A short script saves less than anybody would see.
    let apply = ["optimize", "--apply", "--least-saving", "0", "steps.dml"];
    let diff = stdout(&folder.sumac(&apply));
    let after = folder.read("steps.dml");
    assert!(
        after.contains("i = 0\nif (i < 4) {\n  once_")
            && after.contains("none = 0\nif (none > 0) {\n  once_"),
        "{diff}\n{after}"
    );
    assert_eq!(stdout(&folder.sumac(&["run", "steps.dml"])), before);
    // Nothing is computed before a loop twice.
    let again = stdout(&folder.sumac(&[
        "optimize",
        "--least-saving",
        "0",
        "--format",
        "json",
        "steps.dml",
    ]));
    assert!(!again.contains("once_g_"), "{again}");
}
