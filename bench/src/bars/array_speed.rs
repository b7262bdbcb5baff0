//! The bars of loop nests that run: beside C by hand, beside TVM, beside the crate `gemm`, with and without a compiler.

use crate::bench::figures::{self, Figures};
use crate::peer::tvm::{self, NAMES, SIZES, TYPES};
use crate::report::Report;

/// Times of C by hand that generated C may take.
const BY_HAND: f64 = 1.05;
/// The same for the nest whose sums are kept in vectors by hand.
const PROMOTED: f64 = 1.1;
/// The rate of compiled code that nests have without a compiler.
const WITHOUT_COMPILER: f64 = 0.75;
/// The rate of the crate gemm that register tiles have.
const OF_GEMM: f64 = 0.9;

/// Other programs beside C by hand, and their size.
const STUDIES: [&str; 2] = ["mv_vectors", "binomial_rows"];
const STUDIED: u32 = 2048;

/// Measures all of them in one run.
pub(super) fn measure(report: &mut Report) {
    report.heading("Loop nests that run");
    let measured = figures::of_package("sumac-array", "speed");
    let Some(figures) = report.expect("the benchmark of nests", "it runs", measured) else {
        return;
    };
    if figures.is_empty() {
        report.not_run(
            "generated C",
            "there is no C compiler",
            "beside C by hand, TVM and the crate gemm",
        );
        return;
    }
    ours(report, &figures);
    studies(report, &figures);
    let target = "each as fast as TVM's of the same name";
    match tvm::figures_if_installed() {
        Ok(Some(both)) => tvm::compare(report, &both),
        Ok(None) => report.not_run(
            "generated C beside TVM",
            "TVM is not installed: `cargo xtask peer tvm` does that",
            target,
        ),
        Err(error) => report.bar(
            "generated C beside TVM",
            &format!("{error:#}"),
            target,
            false,
        ),
    }
}

fn studies(report: &mut Report, figures: &Figures) {
    for name in STUDIES {
        for ty in TYPES {
            let of = |side: &str| {
                let name = format!("speed/{STUDIED}/{ty}/{name}/{side}");
                figures.get(&name).copied().unwrap_or(f64::NAN)
            };
            let (own, hand, nest) = (of("c"), of("hand"), of("nest"));
            report.bar(
                &format!("generated C of {name}, {ty}, {STUDIED}"),
                &format!("{own:.2} ms; by hand {hand:.2} ms; without a compiler {nest:.2} ms"),
                &format!("<= {BY_HAND} times C by hand"),
                own <= BY_HAND * hand,
            );
        }
    }
}

fn ours(report: &mut Report, figures: &Figures) {
    for size in SIZES {
        for ty in TYPES {
            let of = |goal: &str, side: &str| {
                let name = format!("speed/{size}/{ty}/{goal}/{side}");
                figures.get(&name).copied().unwrap_or(f64::NAN)
            };
            for goal in NAMES {
                let (own, hand) = (of(goal, "c"), of(goal, "hand"));
                let most = if goal == "cache_blocks" {
                    PROMOTED
                } else {
                    BY_HAND
                };
                report.bar(
                    &format!("generated C of {goal}, {ty}, {size}"),
                    &format!("{own:.1} ms; by hand {hand:.1} ms"),
                    &format!("<= {most} times C by hand"),
                    own <= most * hand,
                );
            }
            for goal in ["cache_blocks", "parallel"] {
                let (own, compiled) = (of(goal, "nest"), of(goal, "c"));
                report.bar(
                    &format!("{goal} without a compiler, {ty}, {size}"),
                    &format!("{own:.1} ms, {:.2} of compiled code", compiled / own),
                    &format!(">= {WITHOUT_COMPILER} of compiled code"),
                    compiled / own >= WITHOUT_COMPILER,
                );
            }
            let (own, gemm) = (of("register_tile", "c"), of("register_tile", "gemm"));
            report.bar(
                &format!("register_tile, {ty}, {size}"),
                &format!("{own:.1} ms, {:.2} of the rate of gemm", gemm / own),
                &format!(">= {OF_GEMM} of the rate of gemm"),
                gemm / own >= OF_GEMM,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nests_that_are_too_slow_are_missed() {
        let mut figures = Figures::new();
        for size in SIZES {
            for ty in TYPES {
                for goal in NAMES.into_iter().chain(["register_tile"]) {
                    for side in ["c", "hand", "nest", "gemm"] {
                        figures.insert(format!("speed/{size}/{ty}/{goal}/{side}"), 10.0);
                    }
                }
            }
        }
        let counts = |figures: &Figures| {
            let mut report = Report::default();
            ours(&mut report, figures);
            report.counts()
        };
        let all = SIZES.len() * TYPES.len() * (NAMES.len() + 3);
        assert_eq!(counts(&figures), (all, 0, 0));
        for (name, slow) in [
            ("1024/f32/blocking/c", 10.6),
            ("1024/f64/parallel/nest", 13.4),
            ("1056/f32/register_tile/gemm", 8.9),
        ] {
            let mut figures = figures.clone();
            figures.insert(format!("speed/{name}"), slow);
            assert_eq!(counts(&figures), (all - 1, 1, 0), "{name}");
        }
    }
}
