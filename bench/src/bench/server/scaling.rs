//! What an edit costs in short and in long scripts: the wait for diagnostics, and the processor time until the server is
//! done with everything that the edit asks for.

use anyhow::Result;

use super::super::synthetic;
use super::super::times::Times;
use super::typing::{KINDS, Typist};
use super::{With, settled};
use crate::bars::Sumac;
use crate::report::Report;

const LINES: [usize; 3] = [200, 2000, 20_000];
const FACTOR: f64 = 3.0;
/// Things typed of each kind.
const THINGS: usize = 4;

/// What edits of one script cost.
struct Cost {
    lines: usize,
    waited: Times,
    computed: Times,
}

/// Measures and judges.
pub(super) fn measure(report: &mut Report, sumac: &Sumac, with: With<'_>) {
    type Script = fn(usize) -> String;
    type Median = fn(&Cost) -> f64;
    let kinds: [(&str, Script); 2] = [
        ("functions and a short main program", synthetic::modular),
        ("one long main program", synthetic::monolith),
    ];
    let lengths = match with.lines {
        [] => &LINES[..],
        lengths => lengths,
    };
    let things = with.edits.unwrap_or(THINGS);
    for (name, script) in kinds {
        report.heading(&format!("What an edit costs: {name}"));
        let costs: Result<Vec<Cost>> = lengths
            .iter()
            .map(|lines| {
                let cost = cost(sumac, &script(*lines), things)?;
                report.note(&format!(
                    "{:>6} lines, diagnostics: {}",
                    cost.lines, cost.waited
                ));
                report.note(&format!(
                    "{:>6} lines, processor:   {}",
                    cost.lines, cost.computed
                ));
                Ok(cost)
            })
            .collect();
        let target = format!("medians within a factor of {FACTOR}");
        let Some(costs) = report.expect(name, &target, costs) else {
            continue;
        };
        let figures: [(&str, Median); 2] = [
            ("from keystroke to diagnostics", |cost| cost.waited.median()),
            ("processor time until quiet", |cost| cost.computed.median()),
        ];
        for (what, median) in figures {
            let medians: Vec<f64> = costs.iter().map(median).collect();
            let factor = factor(&medians);
            let shown: Vec<String> = medians.iter().map(|ms| format!("{ms:.2} ms")).collect();
            let seen = format!("{}: a factor of {factor:.1}", shown.join(", "));
            report.bar(&format!("{name}, {what}"), &seen, &target, factor <= FACTOR);
        }
    }
}

/// How many times the largest is the smallest; not a number if one is not.
fn factor(figures: &[f64]) -> f64 {
    let largest = figures.iter().copied().fold(0.0, f64::max);
    let smallest = figures.iter().copied().fold(f64::INFINITY, f64::min);
    if figures.iter().any(|figure| figure.is_nan()) {
        return f64::NAN;
    }
    largest / smallest
}

fn cost(sumac: &Sumac, text: &str, things: usize) -> Result<Cost> {
    let (mut session, mut document) = settled(&sumac.program, text)?;
    let lines = document.text.lines().count();
    let mut typist = Typist::new();
    let (mut waited, mut computed) = (Vec::new(), Vec::new());
    for _ in 0..things {
        for kind in KINDS {
            for edit in typist.keystrokes(kind, &document.text) {
                let before = session.process.computed()?;
                let clock = session.change(&mut document, &[edit])?;
                let published = session.diagnostics(&document)?;
                waited.push(published.at.duration_since(clock));
                let after = session.settle()?;
                computed.push(after.saturating_sub(before));
            }
        }
    }
    session.end()?;
    Ok(Cost {
        lines,
        waited: Times::new(waited),
        computed: Times::new(computed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_is_of_the_extremes() {
        assert_eq!(factor(&[2.0, 6.0, 3.0]), 3.0);
        assert!(factor(&[2.0, f64::NAN]).is_nan());
    }
}
