//! What a search costs does not grow with what stands before a statement.

use super::*;
use crate::CancelToken;
use crate::searches::Searches;

/// Steps of gradient descent, each from the last.
fn descent(steps: usize) -> String {
    let step = "g = t(X) %*% (X %*% w - y)\nw = w - 0.01 * g\n";
    format!(
        "#@ X: 10000 x 100\n#@ w: 100 x 1\n#@ y: 10000 x 1\n\
         X = read($X)\nw = read($w)\ny = read($y)\n{}write(w, $o)\n",
        step.repeat(steps)
    )
}

fn searches_of(script: &str) -> u64 {
    let snapshot = snapshot(script);
    let searches = Searches::default();
    let search = Search {
        options: &Options::default(),
        searches: &searches,
        store: None,
        cancel: &CancelToken::default(),
    };
    for block in UnitBlocks::default().of(&snapshot, "") {
        let _ = suggest(&snapshot, &block, search);
    }
    searches.counts().saturations
}

#[test]
fn a_statement_is_searched_with_what_stands_near_it() {
    // Far enough from the beginning all steps look alike, so that no search is new.
    assert_eq!(searches_of(&descent(12)), searches_of(&descent(40)));
}
