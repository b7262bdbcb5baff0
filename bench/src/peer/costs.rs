//! What SystemDS's operators take, and the figures of a [`Machine`] by which estimates fit these times best.
//!
//! The figures are printed, not stored: `Machine::of(Engine::SystemDs)` holds those of one run. Expressions that a figure
//! was fitted to say nothing of how good it is, so some are kept out of the fit.

use anyhow::Result;
use sumac_cost::{Engine, FIGURES, Machine};

use super::systemds::SystemDs;
use super::workloads::cases::{Case, FACTORIZATION, Input, dense, sparse};
use super::workloads::{execute, facts};
use crate::bars::Analysed;
use crate::report::Report;

/// Rounds in which each figure is moved to where the error is least.
const ROUNDS: usize = 12;
/// How far a figure is moved up or down, at first and at last.
const STEPS: [f64; 5] = [2.0, 1.3, 1.1, 1.03, 1.01];
/// An estimate further away from the time than this is a miss. Times differ by less between runs.
const CLOSE: f64 = 3.0;

const CELLS: &[Input] = &[dense("A", 10_000, 1000), dense("B", 10_000, 1000)];
const FEW_CELLS: &[Input] = &[dense("A", 1000, 1000), dense("B", 1000, 1000)];
const TINY: &[Input] = &[dense("A", 10, 10), dense("B", 10, 10)];
const TALL: &[Input] = &[
    dense("A", 200_000, 100),
    dense("B", 200_000, 100),
    dense("C", 200_000, 4),
    dense("V", 100, 4),
    dense("v", 100, 1),
];
const NARROW: &[Input] = &[dense("A", 20_000, 10), dense("B", 20_000, 10)];
const SQUARE: &[Input] = &[dense("A", 1500, 1500), dense("B", 1500, 1500)];
const SPARSE: &[Input] = &[
    sparse("X", 20_000, 10_000, 0.01),
    sparse("Y", 20_000, 10_000, 0.01),
    dense("U", 20_000, 10),
    dense("V", 10_000, 10),
    dense("W", 10, 20_000),
];
/// Statements that make a matrix `R` or a number `r`, over which inputs, and whether figures are fitted to them.
const STATEMENTS: &[(&str, &[Input], bool)] = &[
    ("R = A + B", TINY, true),
    ("R = max((A + B) * A - B, A) / B", TINY, true),
    ("R = A + B", CELLS, true),
    ("R = A + B", FEW_CELLS, true),
    ("R = A * 2", CELLS, true),
    ("R = exp(A)", CELLS, true),
    ("R = t(A)", CELLS, true),
    ("R = A * (1 - A)", CELLS, true),
    ("R = 1 - A * B", CELLS, true),
    ("R = A + 0.5 * B", CELLS, true),
    ("R = A * (1 - A)", FEW_CELLS, false),
    ("R = 1 - A * B", FEW_CELLS, false),
    ("R = A - 0.5 * B", FEW_CELLS, false),
    ("R = A * B - 1", CELLS, false),
    ("R = A %*% B", SQUARE, true),
    ("R = A %*% V", TALL, true),
    ("R = A %*% v", TALL, true),
    ("R = t(A) %*% C", TALL, true),
    ("R = t(A) %*% B", TALL, true),
    ("R = t(A) %*% A", TALL, true),
    ("R = t(A) %*% (A %*% v)", TALL, false),
    ("R = t(A) %*% A", NARROW, false),
    ("R = t(A) %*% B", NARROW, false),
    ("R = X %*% V", SPARSE, true),
    ("R = t(X) %*% U", SPARSE, true),
    ("R = W %*% X", SPARSE, true),
    ("R = t(X)", SPARSE, true),
    ("R = X + Y", SPARSE, true),
    ("R = X * 2", SPARSE, true),
    ("R = X %*% V", FACTORIZATION, false),
    ("r = sum(A)", CELLS, true),
    ("r = sum(A^2)", CELLS, true),
    ("r = sum(A * B)", CELLS, true),
    ("r = sum(A * B)", NARROW, false),
    ("r = sum(X^2)", SPARSE, true),
    ("r = sum((X - U %*% t(V))^2)", SPARSE, true),
    ("r = sum((X - U %*% t(V))^2)", FACTORIZATION, false),
    (
        "r = sum(X^2) - 2 * sum(X %*% V * U) + sum(t(U) %*% U * (t(V) %*% V))",
        SPARSE,
        false,
    ),
    (
        "r = sum(X^2) - 2 * sum(X %*% V * U) + sum(t(U) %*% U * (t(V) %*% V))",
        FACTORIZATION,
        false,
    ),
    ("r = sum((X + U %*% t(V))^2)", FACTORIZATION, false),
];

/// A statement that was timed.
struct Probe {
    case: Case,
    script: Analysed,
    fitted: bool,
    /// What it took.
    seconds: f64,
}

impl Probe {
    /// The estimate as a share of the time.
    fn share(&self, machine: &Machine) -> Result<f64> {
        Ok(self.script.cost_on(machine)?.seconds / self.seconds)
    }
}

/// Times the statements, fits the figures, and says how well they do.
///
/// # Errors
/// SystemDS cannot be installed, or does not run a statement.
pub(crate) fn measure(report: &mut Report) -> Result<()> {
    let systemds = SystemDs::open()?;
    report.heading("What SystemDS's operators take");
    let mut probes = Vec::new();
    for &(statements, inputs, fitted) in STATEMENTS {
        let case = case(statements, inputs);
        let (milliseconds, _) = execute(&case, statements, &systemds)?;
        report.note(&format!("{statements}: {milliseconds:.3} ms"));
        probes.push(Probe {
            script: Analysed::new(&script(&case))?,
            case,
            fitted,
            seconds: milliseconds / 1e3,
        });
    }
    let own = Machine::of(Engine::SystemDs);
    let mut fitted = fit(own, &probes)?;
    for figure in FIGURES {
        report.note(&format!(
            "{}: {:.3e} fits best, {:.3e} is in use",
            figure.name,
            *(figure.of)(&mut fitted),
            *(figure.of)(&mut { own }),
        ));
    }
    for probe in &probes {
        let share = probe.share(&own)?;
        let size = &probe.case.inputs[0];
        let name = format!(
            "{} ({} x {}, {})",
            probe.case.name, size.rows, size.cols, size.sparsity
        );
        let seen = format!(
            "{:.3} ms, estimate {share:.2} times as much, best fit {:.2}",
            probe.seconds * 1e3,
            probe.share(&fitted)?
        );
        let target = format!("an estimate within a factor of {CLOSE:.0}");
        report.bar(&name, &seen, &target, share.max(1.0 / share) <= CLOSE);
    }
    Ok(())
}

/// A statement as a case that is only timed.
fn case(statements: &'static str, inputs: &'static [Input]) -> Case {
    let (matrices, numbers): (&[_], &[_]) = if statements.starts_with("R =") {
        (&["R"], &[])
    } else {
        (&[], &["r"])
    };
    Case {
        name: statements,
        inputs,
        statements,
        matrices,
        numbers,
        faster: 1.0,
    }
}

/// The statement with what is known of its inputs.
fn script(case: &Case) -> String {
    format!("{}{}\n", facts(case), case.statements)
}

/// The figures by which the estimates' ratios to the times are nearest to 1: one figure after the other.
fn fit(start: Machine, probes: &[Probe]) -> Result<Machine> {
    let error = |machine: &Machine| -> Result<f64> {
        let fitted = probes.iter().filter(|probe| probe.fitted);
        fitted
            .map(|probe| Ok(probe.share(machine)?.ln().abs()))
            .sum()
    };
    let mut best = start;
    let mut least = error(&best)?;
    for step in STEPS {
        for _ in 0..ROUNDS {
            for figure in FIGURES {
                for factor in [step, 1.0 / step] {
                    let mut moved = best;
                    *(figure.of)(&mut moved) *= factor;
                    let found = error(&moved)?;
                    if found < least {
                        (best, least) = (moved, found);
                    }
                }
            }
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_statement_of_every_probe_has_a_cost() {
        let mut seen = BTreeSet::new();
        for (statements, inputs, _) in STATEMENTS {
            let text = script(&case(statements, inputs));
            assert!(seen.insert(text.clone()), "twice: {statements}");
            let cost = Analysed::new(&text).unwrap().cost().unwrap();
            assert!(cost.seconds > 0.0, "{statements}");
        }
    }
}
