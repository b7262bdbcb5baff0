//! No script, however broken, stops the analysis; what it says always lies inside the text.
mod support;
use proptest::prelude::*;
use support::check;

const SCRIPTS: &[&str] = &[
    include_str!("../../../fixtures/als_loss.dml"),
    include_str!("../../../fixtures/mlr.dml"),
    include_str!("../../../fixtures/svm.dml"),
    include_str!("../../../fixtures/glm.dml"),
    include_str!("../../../fixtures/pnmf.dml"),
    "f = function(Matrix[Double] X, Integer k = 2) return (Matrix[Double] Y, Double s) {\n  Y = X[, 1:k]\n  s = sum(X)\n  [Z, q] = f(t(Y), k=k + 1)\n}\n#@ A: n x 7\nA = read($A, rows=$n)\n[P, p] = f(A)\nA[1:2, ] = P[1, ]\nparfor (i in seq(1, nrow(A)), check=0) { A += i }\nB = cbind(A, matrix(A, rows=7, cols=3), seq(1, i))\nif (p > 1) B = order(target=B, by=1) else source(\"x.dml\") as x\nprint(\"a\" + sum(B) + x::g(list(1, TRUE))[1])\n",
];

const SPLINTERS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "=",
    "+=",
    "%*%",
    "^",
    "-",
    "#@ X: 3 x ",
    "#@ off\n",
    "\n",
    "\"",
    "if (",
    "while (",
    "function(",
    "X",
    "1e400",
    "9999999999999999999",
    "::",
    "$",
    "é",
    "\u{0}",
    "t(",
    "nrow(",
    "[1:0, ]",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_scripts_never_panic(
        which in 0..SCRIPTS.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..12_usize, 0..SPLINTERS.len()), 1..6),
    ) {
        let mut text = SCRIPTS[which].to_owned();
        for (at, cut, splinter) in edits {
            let mut start = at.index(text.len() + 1);
            while !text.is_char_boundary(start) {
                start -= 1;
            }
            let mut end = (start + cut).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            text.replace_range(start..end, SPLINTERS[splinter]);
        }
        let analysis = check(&text);
        for d in &analysis.diagnostics {
            prop_assert!(text.get(d.range.start..d.range.end).is_some(), "{d:?}");
        }
        for block in &analysis.blocks {
            for (i, s) in block.statements.iter().enumerate() {
                prop_assert!(s.parts.windows(2).all(|p| p[0].range.end <= p[1].range.start), "{s:?}");
                prop_assert!(s.readers.iter().all(|r| *r > i && *r < block.statements.len()));
                prop_assert!(s.parts.iter().all(|p| s.range.contains(p.range)));
            }
        }
        prop_assert!(again(&text, &analysis));
    }
}

/// The same again, as far as it can be compared.
fn again(text: &str, first: &sumac_analysis::Analysis) -> bool {
    let second = check(text);
    first.diagnostics == second.diagnostics && first.variables == second.variables
}

#[test]
fn depth_of_any_kind_is_survived() {
    let deep = 3_000;
    for text in [
        format!("x = {}1{}\nprint(x)\n", "(".repeat(deep), ")".repeat(deep)),
        format!("x = 1{}\nprint(x)\n", " + 1".repeat(deep)),
        format!("x = {}1\nprint(x)\n", "-".repeat(deep)),
        format!(
            "x = 1\n{}x = 2\n{}\nprint(x)\n",
            "while (x < 3) {\n".repeat(200),
            "}\n".repeat(200)
        ),
        format!(
            "x = 1\n{}x = 2\nprint(x)\n",
            "if (x > 1) {} else ".repeat(400)
        ),
    ] {
        let _ = check(&text);
    }
}

#[test]
fn a_long_script_is_cut_into_bounded_blocks() {
    let lines: String = (1..5_000)
        .map(|i| format!("x{i} = x{} + {i} * sum(X)\n", i - 1))
        .collect();
    let text = format!("#@ X: 100 x 10\nX = read($X)\nx0 = 1\n{lines}print(x4999)\n");
    let analysis = check(&text);
    assert_eq!(analysis.diagnostics, []);
    assert_eq!(analysis.variables.len(), 5_001);
    assert!(
        analysis
            .blocks
            .iter()
            .all(|block| block.statements.len() <= 500)
    );
}

#[test]
fn assignments_under_conditions_take_memory_in_proportion() {
    let text = format!(
        "x = 0\n{}print(x)\n",
        "if (x == 1) { x = 2 }\n".repeat(4_000)
    );
    let analysis = check(&text);
    let most = analysis
        .names
        .iter()
        .map(|name| name.definitions.len())
        .max();
    assert_eq!(most, Some(sumac_analysis::MOST_DEFINITIONS));
    // The first and the last ones are kept.
    let last = analysis.names.last().unwrap();
    assert_eq!(&text.as_str()[last.range], "x");
    let starts: Vec<usize> = last.definitions.iter().map(|def| def.start).collect();
    assert_eq!(starts[0], 0);
    assert!(*starts.last().unwrap() > text.len() - 30);
}
