//! How to write down bound indices in an e-graph: the same expressions and the same rules (SPORES Figure 3) under each
//! encoding that `ARCHITECTURE.md` weighs.
//!
//! `cargo xtask bench encodings` runs this in the release profile. Every graph is checked: all e-nodes of a class mean the
//! same on small inputs, and all encodings of an expression mean the same. The sizes and times judge nothing.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod canonical;
mod debruijn;
mod grow;
mod merged;
mod named;
mod positional;
mod ra;
mod values;

use egg::RecExpr;

use crate::grow::{Encoding, Growth, MAX_NODES, MAX_ROUNDS, MAX_TIME};
use crate::ra::Ra;

const ENCODINGS: [&dyn Encoding; 4] = [
    &named::Named,
    &debruijn::DeBruijn,
    &canonical::Canonical,
    &merged::Merged,
];

/// An expression and an equal one to be found: as relations with named indices, and as a script has them. All names that
/// a goal binds differ.
struct Case {
    name: &'static str,
    relations: [&'static str; 2],
    matrices: [&'static str; 2],
}

const CASES: [Case; 7] = [
    Case {
        name: "sum of product",
        relations: [
            "(sum i0 (sum j0 (sum k0 (* (W i0 k0) (H k0 j0)))))",
            "(sum k0 (* (sum i0 (W i0 k0)) (sum j0 (H k0 j0))))",
        ],
        matrices: ["sum(W %*% H)", "as.scalar(colSums(W) %*% rowSums(H))"],
    },
    Case {
        name: "one, transposed",
        relations: [
            "(+ (sum i0 (sum j0 (sum k0 (* (W i0 k0) (H k0 j0))))) (sum j1 (sum i1 (sum k1 (* (H k1 j1) (W i1 k1))))))",
            "(+ (sum k0 (* (sum i0 (W i0 k0)) (sum j0 (H k0 j0)))) (sum k1 (* (sum i1 (W i1 k1)) (sum j1 (H k1 j1)))))",
        ],
        matrices: [
            "sum(W %*% H) + sum(t(H) %*% t(W))",
            "as.scalar(colSums(W) %*% rowSums(H)) + as.scalar(colSums(W) %*% rowSums(H))",
        ],
    },
    Case {
        name: "sprop",
        relations: [
            "(* (X i0 j0) (* (P i0 j0) (+ 1 (* -1 (P i0 j0)))))",
            "(+ (* (X i0 j0) (P i0 j0)) (* -1 (* (X i0 j0) (* (P i0 j0) (P i0 j0)))))",
        ],
        matrices: ["X * (P * (1 - P))", "X * P - X * (P * P)"],
    },
    Case {
        name: "chain of 4",
        relations: [
            "(sum n0 (* (sum m0 (* (sum l0 (* (A i0 l0) (B l0 m0))) (C m0 n0))) (D n0 o0)))",
            "(sum l0 (* (A i0 l0) (sum m0 (* (B l0 m0) (sum n0 (* (C m0 n0) (D n0 o0)))))))",
        ],
        matrices: ["((A %*% B) %*% C) %*% D", "A %*% (B %*% (C %*% D))"],
    },
    Case {
        name: "norm of product",
        relations: [
            "(sum i0 (sum j0 (* (sum k0 (* (U i0 k0) (V j0 k0))) (sum k0 (* (U i0 k0) (V j0 k0))))))",
            "(sum k0 (sum k1 (* (sum i0 (* (U i0 k0) (U i0 k1))) (sum j0 (* (V j0 k0) (V j0 k1))))))",
        ],
        matrices: ["sum((U %*% t(V))^2)", "sum((t(U) %*% U) * (t(V) %*% V))"],
    },
    Case {
        name: "ALS gradient",
        relations: [
            "(sum j0 (* (+ (sum k1 (* (U i0 k1) (V j0 k1))) (* -1 (X i0 j0))) (V j0 k0)))",
            "(+ (sum k1 (* (U i0 k1) (sum j0 (* (V j0 k1) (V j0 k0))))) (* -1 (sum j1 (* (X i0 j1) (V j1 k0)))))",
        ],
        matrices: ["(U %*% t(V) - X) %*% V", "U %*% (t(V) %*% V) - X %*% V"],
    },
    Case {
        name: "ALS loss",
        relations: [
            "(sum i0 (sum j0 (* (+ (X i0 j0) (* -1 (sum k0 (* (U i0 k0) (V j0 k0))))) (+ (X i0 j0) (* -1 (sum k0 (* (U i0 k0) (V j0 k0))))))))",
            "(+ (sum i0 (sum j0 (* (X i0 j0) (X i0 j0)))) (+ (* -1 (sum i1 (sum j1 (* (X i1 j1) (sum k1 (* (U i1 k1) (V j1 k1))))))) (+ (* -1 (sum i2 (sum j2 (* (X i2 j2) (sum k2 (* (U i2 k2) (V j2 k2))))))) (* (* -1 -1) (sum k3 (sum k4 (* (sum i3 (* (U i3 k3) (U i3 k4))) (sum j3 (* (V j3 k3) (V j3 k4))))))))))",
        ],
        matrices: [
            "sum((X - U %*% t(V))^2)",
            "sum(X^2) - 2 * sum(X * (U %*% t(V))) + sum((t(U) %*% U) * (t(V) %*% V))",
        ],
    },
];

fn main() {
    println!(
        "at most {MAX_NODES} e-nodes, {MAX_ROUNDS} rounds, {} s; equal: classes with the value of another; renamed: also those that",
        MAX_TIME.as_secs()
    );
    println!(
        "have it after their free indices are renamed or reordered; found: the round after which the goal was there\n"
    );
    println!(
        "expression       encoding             e-nodes  classes   equal  renamed  rounds         ms  stopped    found        ms"
    );
    for case in CASES {
        let [source, goal] = case.relations.map(|text| {
            let term: Result<RecExpr<Ra>, _> = text.parse();
            term.unwrap_or_else(|error| panic!("{}: {error}", case.name))
        });
        let [meaning, same] = [&source, &goal].map(|term| grow::meaning(&named::Named, term));
        assert_eq!(meaning, same, "{}: the goal is not equal", case.name);
        for encoding in ENCODINGS {
            assert_eq!(
                grow::meaning(encoding, &source),
                meaning,
                "{}: {} means something else",
                case.name,
                encoding.name()
            );
            print(
                case.name,
                encoding.name(),
                &grow::grow(encoding, &source, &goal),
            );
        }
        let [source, goal] = case.matrices;
        print(case.name, positional::NAME, &positional::grow(source, goal));
    }
}

fn print(case: &str, encoding: &str, growth: &Growth) {
    let [equal, renamed] = growth
        .duplicates
        .map_or(["-".to_owned(), "-".to_owned()], |counts| {
            counts.map(|n| n.to_string())
        });
    let (round, after) = growth
        .found
        .map_or(("no".to_owned(), String::new()), |(round, ms)| {
            (format!("round {round}"), format!("{ms:.1}"))
        });
    println!(
        "{case:<15}  {encoding:<19}  {:>7}  {:>7}  {equal:>6}  {renamed:>7}  {:>6}  {:>9.1}  {:<9}  {round:<8}  {after:>6}",
        growth.enodes, growth.eclasses, growth.rounds, growth.milliseconds, growth.stopped,
    );
}
