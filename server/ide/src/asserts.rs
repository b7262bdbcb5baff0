//! `#@ assert` lines: decided by the prover, remembered by content, and told as diagnostics and hovers.
//!
//! Deciding takes longer than a keystroke, so it happens in the background; what is not decided yet is not told. An
//! assert is refuted only by values that the script can have: where a side rests on what the script computes in a way
//! that is not seen from here, or on a size that nothing tells, it stays open.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use sumac_analysis::{Analysis, Assertion, Severity, codes};
use sumac_sumproduct::canonical::{Proof, REAL_ARITHMETIC};

use crate::CancelToken;
use crate::diagnostic::Diagnostic;
use crate::prove::{Answer, Counterexample, decide};

/// Two asserts with equal keys have equal verdicts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AssertKey(u128);

/// What was decided of an assert.
#[derive(Clone, PartialEq, Debug)]
pub enum AssertVerdict {
    /// It holds for all values, or for all for which the conditions of the proof hold.
    Proved(Proof),
    /// It does not hold for these inputs, on which both sides were run.
    Failed(Counterexample),
    /// Neither was shown, and what is missing.
    Open(String),
}

/// The verdicts that are known, by content.
pub type Verdicts = BTreeMap<AssertKey, Arc<AssertVerdict>>;

/// Verdicts by content, the oldest forgotten first.
#[derive(Debug)]
pub struct VerdictCache {
    verdicts: Verdicts,
    order: VecDeque<AssertKey>,
    capacity: usize,
}

impl VerdictCache {
    /// A cache for at most `capacity` verdicts.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        VerdictCache {
            verdicts: Verdicts::new(),
            order: VecDeque::new(),
            capacity: capacity.max(1),
        }
    }

    /// The known verdicts of a script, and the asserts without one.
    #[must_use]
    pub fn look_up(&self, analysis: &Analysis) -> (Verdicts, Vec<Assertion>) {
        let (mut known, mut missing) = (Verdicts::new(), Vec::new());
        for assertion in analysis.assertions.iter().filter(|a| !a.is_wrong) {
            let key = AssertKey::of(assertion);
            match self.verdicts.get(&key) {
                Some(verdict) => {
                    known.insert(key, Arc::clone(verdict));
                }
                None => missing.push(assertion.clone()),
            }
        }
        (known, missing)
    }

    /// How many verdicts are known.
    pub(crate) fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Remembers a verdict.
    pub fn insert(&mut self, key: AssertKey, verdict: AssertVerdict) {
        if self.verdicts.insert(key, Arc::new(verdict)).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > self.capacity {
            if let Some(oldest) = self.order.pop_front() {
                self.verdicts.remove(&oldest);
            }
        }
    }
}

impl AssertKey {
    /// The key of an assert: all that its verdict depends on, and no place.
    #[must_use]
    pub fn of(assertion: &Assertion) -> AssertKey {
        let content = format!(
            "{:?} {:?} {:?}",
            assertion.dag, assertion.inputs, assertion.variables
        );
        let half = |salt: u8| {
            let mut hash = DefaultHasher::new();
            hash.write_u8(salt);
            hash.write(content.as_bytes());
            u128::from(hash.finish())
        };
        AssertKey((half(0) << 64) | half(1))
    }
}

/// Decides asserts one by one, until `cancel` says stop.
pub fn decide_asserts(
    assertions: &[Assertion],
    cancel: &CancelToken,
    mut found: impl FnMut(AssertKey, AssertVerdict),
) {
    for assertion in assertions {
        if cancel.is_cancelled() {
            return;
        }
        found(AssertKey::of(assertion), decide_assert(assertion));
    }
}

/// Decides one assert. A function of its content alone.
#[must_use]
pub fn decide_assert(assertion: &Assertion) -> AssertVerdict {
    match decide(assertion) {
        Answer::Proved(proof, _) => AssertVerdict::Proved(proof),
        Answer::Undecided(why) => AssertVerdict::Open(unsized_input(assertion).unwrap_or(why)),
        Answer::Refuted(found) => match unsized_input(assertion) {
            Some(why) => AssertVerdict::Open(why),
            None => AssertVerdict::Failed(found),
        },
    }
}

/// The size that would have to be known.
fn unsized_input(assertion: &Assertion) -> Option<String> {
    let input = assertion.inputs.iter().find(|input| !input.is_sized)?;
    Some(format!(
        "the size of `{0}` is not known; add a line `#@ {0}: rows x cols`",
        input.name
    ))
}

/// The diagnostics of asserts that are decided and do not hold, or that could not be decided.
pub(crate) fn diagnostics(analysis: &Analysis, verdicts: &Verdicts) -> Vec<Diagnostic> {
    let told = analysis.assertions.iter().filter_map(|assertion| {
        let (severity, code, message) = match &**verdicts.get(&AssertKey::of(assertion))? {
            AssertVerdict::Proved(proof) if proof.conditions.is_empty() => return None,
            AssertVerdict::Proved(proof) => (
                Severity::Information,
                codes::UNDECIDED_ASSERT,
                format!(
                    "this holds where {}, and whether that is so is not seen from here",
                    proof.conditions.join(" and ")
                ),
            ),
            AssertVerdict::Failed(found) => (Severity::Error, codes::FAILED_ASSERT, failure(found)),
            AssertVerdict::Open(why) => (
                Severity::Information,
                codes::UNDECIDED_ASSERT,
                format!("this is neither proved nor refuted: {why}"),
            ),
        };
        let is_silent = analysis
            .silenced
            .iter()
            .any(|(silent, place)| **silent == *code && place.contains(assertion.equation));
        (!is_silent).then(|| Diagnostic {
            range: assertion.equation,
            severity,
            code,
            message,
            related: Vec::new(),
            tag: None,
            meant: None,
        })
    });
    told.collect()
}

/// What is wrong with an assert, with the values for which it is.
fn failure(found: &Counterexample) -> String {
    let at = if found.is_scaled {
        " (at smaller sizes than stated)"
    } else {
        ""
    };
    let inputs: Vec<String> = found
        .inputs
        .iter()
        .map(|(name, value)| format!("{name} = {}", brief(value)))
        .collect();
    let given = if inputs.is_empty() {
        String::new()
    } else {
        format!(" for {}", inputs.join(", "))
    };
    if found.is_always {
        return format!(
            "this never holds: the left side is {} and the right side {}{given}{at}, and they differ as much for all values",
            found.left, found.right
        );
    }
    format!(
        "this does not hold: the left side is {} and the right side {}{given}{at}",
        found.left, found.right
    )
}

/// Most cells of an input that a message shows.
const SHOWN: usize = 12;

/// A value as DML; of many cells the first, and how many there are.
fn brief(value: &str) -> String {
    let parts = value
        .strip_prefix("matrix(\"")
        .and_then(|rest| rest.split_once('"'));
    let Some((cells, sizes)) = parts else {
        return value.to_owned();
    };
    let cells: Vec<&str> = cells.split(' ').collect();
    if cells.len() <= SHOWN {
        return value.to_owned();
    }
    let first = cells[..SHOWN].join(" ");
    format!(
        "matrix(\"{first} …\"{sizes} ({SHOWN} of {} cells)",
        cells.len()
    )
}

/// What a hover says of an assert.
pub(crate) fn markdown(verdict: Option<&AssertVerdict>) -> String {
    match verdict {
        None => "**not decided yet**\n".to_owned(),
        Some(AssertVerdict::Proved(proof)) => {
            let mut text = if proof.conditions.is_empty() {
                "**proved**: both sides are equal for all values\n".to_owned()
            } else {
                format!(
                    "**proved where** `{}`: both sides are equal there\n",
                    proof.conditions.join("` and `")
                )
            };
            text.push_str(&format!("\n```\n{}\n```\n", proof.polyterm));
            text.push_str(&format!("- assumes {REAL_ARITHMETIC}\n"));
            for assumption in &proof.assumes {
                text.push_str(&format!("- assumes {assumption}\n"));
            }
            text
        }
        Some(AssertVerdict::Failed(found)) => {
            let mut text = "**refuted** by these values\n\n```r\n".to_owned();
            for (name, value) in &found.inputs {
                text.push_str(&format!("{name} = {value}\n"));
            }
            text.push_str(&format!(
                "# left:  {}\n# right: {}\n```\n",
                found.left, found.right
            ));
            text
        }
        Some(AssertVerdict::Open(why)) => format!("**not decided**: {why}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{at_cursor, snapshot};
    use crate::snapshot::Snapshot;

    const NEVER: usize = 100;

    fn decided(snapshot: Snapshot) -> Snapshot {
        let mut cache = VerdictCache::new(NEVER);
        let (_, missing) = cache.look_up(&snapshot.analysis);
        let never = CancelToken::default();
        decide_asserts(&missing, &never, |key, verdict| cache.insert(key, verdict));
        let (verdicts, missing) = cache.look_up(&snapshot.analysis);
        assert!(missing.is_empty());
        Snapshot {
            verdicts: verdicts.into(),
            ..snapshot
        }
    }

    /// Codes and messages of a script's asserts.
    fn told(script: &str) -> Vec<(&'static str, String)> {
        let snapshot = decided(snapshot(script));
        let all = crate::diagnostics::diagnostics(&snapshot);
        let about = all.into_iter().filter(|d| {
            script[..d.range.start]
                .rsplit('\n')
                .next()
                .is_some_and(|line| line.starts_with("#@ assert"))
        });
        about.map(|d| (d.code, d.message)).collect()
    }

    #[track_caller]
    fn check(script: &str, code: &str, message: &str) {
        let told = told(script);
        let [(found, text)] = told.as_slice() else {
            panic!("{told:?}")
        };
        assert_eq!(*found, code, "{text}");
        assert!(text.contains(message), "{text}");
    }

    const A: &str = "#@ A: 2 x 3\nA = read($A)\n";

    #[test]
    fn what_holds_is_not_told_and_what_does_not_hold_comes_with_values() {
        assert_eq!(
            told(&format!("{A}#@ assert t(t(A)) == A\nprint(sum(A))\n")),
            []
        );
        let wrong = format!("{A}#@ assert sum(A) == sum(A^2)\nprint(sum(A))\n");
        check(&wrong, codes::FAILED_ASSERT, "for A = matrix(\"");
    }

    #[test]
    fn what_the_block_computed_is_seen_through() {
        let script = |claim: &str| format!("{A}G = A %*% t(A)\n#@ assert {claim}\nprint(sum(G))\n");
        assert_eq!(told(&script("sum(G) == sum(colSums(A)^2)")), []);
        assert_eq!(told(&script("t(G) == G")), []);
        check(
            &script("G == -G"),
            codes::FAILED_ASSERT,
            "for A = matrix(\"",
        );
    }

    #[test]
    fn a_value_of_that_line_counts_and_not_a_later_one() {
        let script =
            "#@ assert x == 1\nx = 1\n#@ assert x == 1\nx = 2\n#@ assert x == 1\nprint(x)\n";
        let told = told(script);
        let codes: Vec<_> = told.iter().map(|(code, _)| *code).collect();
        assert_eq!(
            codes,
            [codes::UNDEFINED_NAME, codes::FAILED_ASSERT],
            "{told:?}"
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let unsized_read = "A = read($A)\n#@ assert t(A) == A\nprint(sum(A))\n";
        check(unsized_read, codes::UNDECIDED_ASSERT, "size of `A`");
        let far = format!(
            "{A}G = A * 0\nif (sum(A) > 0) {{\n  print(1)\n}}\n#@ assert sum(G) == 1\nprint(sum(G))\n"
        );
        check(&far, codes::UNDECIDED_ASSERT, "values that `G` takes");
        let functions = format!("{A}#@ assert exp(A) == A\nprint(sum(A))\n");
        check(&functions, codes::FAILED_ASSERT, "for A = matrix(\"");
        let misfit = format!("{A}#@ assert A %*% A == A\nprint(sum(A))\n");
        check(&misfit, codes::SHAPE_MISMATCH, "2 x 3");
        let texts = format!("{A}#@ assert \"a\" == \"a\"\nprint(sum(A))\n");
        check(&texts, codes::UNDECIDED_ASSERT, "outside of linear algebra");
    }

    #[test]
    fn what_is_drawn_is_refuted_only_by_what_can_be_drawn() {
        let script = |drawn: &str, claim: &str| {
            format!("W = rand(rows=4, cols=3{drawn})\n#@ assert {claim}\nprint(sum(W))\n")
        };
        for claim in [
            "abs(W) == W",
            "sqrt(W^2) == W",
            "max(W, 0) == W",
            "(W <= 1) == matrix(1, rows=4, cols=3)",
        ] {
            check(&script(", seed=1", claim), codes::UNDECIDED_ASSERT, "rand");
            let wider = script(", min=-1, max=2", claim);
            check(&wider, codes::FAILED_ASSERT, "for W = matrix(\"");
            let unknown = script(", pdf=$p", claim);
            check(&unknown, codes::UNDECIDED_ASSERT, "values that `W` takes");
        }
        check(&script("", "W == W^2"), codes::FAILED_ASSERT, "matrix(\"0.");
    }

    #[test]
    fn what_is_cast_is_refuted_only_by_what_the_cast_gives() {
        let script = |value: &str| {
            format!(
                "n = {value}\nif (n > 1) {{\n  print(1)\n}}\n#@ assert round(n) == n\nprint(n)\n"
            )
        };
        check(&script("as.integer($n)"), codes::UNDECIDED_ASSERT, "");
        check(&script("as.double($n)"), codes::FAILED_ASSERT, "n = ");
        check(
            &script("abs(as.double($n))"),
            codes::UNDECIDED_ASSERT,
            "values that `n` takes",
        );
    }

    #[test]
    fn what_is_read_twice_is_not_told_apart() {
        let script = "#@ A: 2 x 2\nA = read($A)\n#@ B: 2 x 2\nB = read($A)\n#@ assert A == B\nprint(sum(A + B))\n";
        check(script, codes::UNDECIDED_ASSERT, "come from one place");
        let other = script.replace("B = read($A)", "B = read($B)");
        check(&other, codes::FAILED_ASSERT, "for A = ");
    }

    #[test]
    fn what_differs_always_does_not_depend_on_values() {
        let script = |claim: &str| {
            format!(
                "{A}W = t(A) %*% A\nif (sum(A) > 0) {{\n  print(1)\n}}\n#@ assert {claim}\nprint(sum(W))\n"
            )
        };
        let always = script("sum(t(W)) == sum(W) + 1");
        check(
            &always,
            codes::FAILED_ASSERT,
            "differ as much for all values",
        );
        let open = script("sum(W) == sum(W^2)");
        check(&open, codes::UNDECIDED_ASSERT, "values that `W` takes");
    }

    #[test]
    fn a_message_shows_a_dozen_cells() {
        let script = "#@ A: 10 x 14\nA = read($A)\n#@ assert A + 1 == A\nprint(sum(A))\n";
        check(script, codes::FAILED_ASSERT, "of 140");
        let [(_, text)] = &told(script)[..] else {
            panic!()
        };
        assert!(text.len() < 300, "{text}");
    }

    #[test]
    fn shapes_that_differ_are_no_equation() {
        let script = format!("{A}#@ assert t(A) == A\nprint(sum(A))\n");
        check(&script, codes::FAILED_ASSERT, "this does not hold");
    }

    #[test]
    fn asserts_in_functions_and_branches_see_what_is_known_there() {
        let script = "f = function(matrix[double] X) return (double s) {\n#@ assert sum(X) == sum(t(X))\n  s = sum(X)\n#@ assert s == sum(X) + 1\n}\nA = rand(rows=3, cols=2)\nif (sum(A) > 1) {\n#@ assert sum(A) == 0\n  print(f(A))\n}\n";
        let told = told(script);
        let codes: Vec<_> = told.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, [codes::FAILED_ASSERT; 2], "{told:?}");
    }

    #[test]
    fn an_allow_line_silences_an_assert() {
        let script = format!("{A}#@ allow failed-assert\n#@ assert A == -A\nprint(sum(A))\n");
        let found = crate::diagnostics::diagnostics(&decided(snapshot(&script)));
        assert_eq!(found, []);
    }

    #[test]
    fn a_hover_says_what_was_decided() {
        let (at, offset) = at_cursor(&format!(
            "{A}#@ assert sum(A) $0== sum(t(A))\nprint(sum(A))\n"
        ));
        let hover = |snapshot: &Snapshot| {
            let hover = crate::hover::hover(snapshot, offset, &crate::files::fixture::Scripts(&[]));
            hover.expect("an assert has a hover").markdown
        };
        assert!(hover(&at).contains("not decided yet"));
        assert!(hover(&decided(at)).contains("**proved**"));
    }

    #[test]
    fn a_moved_assert_keeps_its_verdict_and_a_changed_one_does_not() {
        let key = |script: &str| AssertKey::of(&snapshot(script).analysis.assertions[0]);
        let script = format!("{A}#@ assert t(t(A)) == A\nprint(sum(A))\n");
        let before = key(&script);
        assert_eq!(key(&format!("# a comment\n\n{script}")), before);
        assert_ne!(key(&script.replace("2 x 3", "2 x 4")), before);
        assert_ne!(key(&script.replace("== A", "== -A")), before);
    }

    /// Each line has twice the text of the one before.
    #[test]
    fn what_is_too_long_to_be_written_is_left_open_at_once() {
        let doubled: String = (1..60)
            .map(|i| format!("B{i} = B{0} + B{0}\n", i - 1))
            .collect();
        for claim in ["sum(B59) == sum(B59 * 1)", "floor(B59) == floor(1 * B59)"] {
            let script = format!("{A}B0 = A\n{doubled}#@ assert {claim}\nprint(sum(B59))\n");
            let verdict = decide_assert(&snapshot(&script).analysis.assertions[0]);
            let AssertVerdict::Open(why) = verdict else {
                panic!("{claim}: {verdict:?}");
            };
            assert!(why.contains("written out"), "{claim}: {why}");
        }
    }
}
