//! What suggestions are said to lose of their digits, against the worst that a search of its own finds.
//!
//! Nothing of the product computes here: both forms are read from its answer, run by loops over cells in doubles and in pairs of doubles,
//! on data that is searched for without a look at what the product says. What counts is the middle of several draws of one kind of data: on
//! a single draw any order of additions may be exact by luck. Data is small and keeps the relations of the stated sizes.

mod before;
mod data;
mod evaluate;
mod functions;
mod kept;
mod loss;
mod meaning;
mod named;
mod number;
mod offered;
mod places;
mod search;
mod sizes;
mod value;

use std::collections::BTreeMap;

use anyhow::Result;
use rayon::prelude::*;

use super::{Options, Program};
use crate::report::Report;
use meaning::Task;
use offered::Offered;
use search::Worst;

const SUGGESTIONS: usize = 300;
/// Suggestions that are asked for beside each three: some are not computed by the search.
const BESIDE: usize = 3;
/// What is found may be so many digits more than what is said.
const WITHIN: f64 = 1.0;
/// The setting with which hints that lose more are hidden.
const SETTING: f64 = 2.0;
/// Of the worst so many are shown.
const LISTED: usize = 16;
/// Digits more than said, as they are counted.
const STEPS: [f64; 7] = [-1.0, 0.0, 1.0, 2.0, 4.0, 8.0, 16.0];

/// A suggestion with the worst that was found for it.
struct Searched {
    offered: Offered,
    task: Task,
    worst: Worst,
}

impl Searched {
    /// What is found beyond what is said.
    fn excess(&self) -> f64 {
        self.worst.digits - self.said()
    }

    /// Where nothing was measured, nothing is said.
    fn said(&self) -> f64 {
        self.offered.lost.unwrap_or(0.0).max(0.0)
    }
}

pub(super) fn measure(report: &mut Report, program: &Program, options: &Options) -> Result<()> {
    named::measure(report, program, options.seed, SETTING)?;
    let wanted = options.count(SUGGESTIONS);
    let offered = offered::offered(program, options, wanted + wanted / BESIDE + 1, SETTING)?;
    let searched: Vec<Result<Searched, String>> = offered
        .into_par_iter()
        .map(|offered| {
            let task = Task::of(&offered)?;
            let worst = search::worst(&task, options.seed)?;
            Ok(Searched {
                offered,
                task,
                worst,
            })
        })
        .collect();
    let (mut all, mut reasons) = (Vec::new(), BTreeMap::<String, usize>::new());
    for one in searched {
        match one {
            Ok(one) if all.len() < wanted => all.push(one),
            Ok(_) => {}
            Err(why) => *reasons.entry(why).or_default() += 1,
        }
    }
    let left_out: Vec<String> = reasons
        .iter()
        .map(|(why, count)| format!("{count} with {why}"))
        .collect();
    report.bar(
        &format!("{wanted} suggestions searched"),
        &format!(
            "{} searched on {} data sets, not: {}",
            all.len(),
            all.iter().map(|one| one.worst.tried).sum::<usize>(),
            left_out.join("; ")
        ),
        &format!(">= {wanted}"),
        all.len() >= wanted,
    );
    compare(report, program, &mut all, options)?;
    strict(report, &all);
    Ok(())
}

/// What is said beside what is found.
fn compare(
    report: &mut Report,
    program: &Program,
    all: &mut [Searched],
    options: &Options,
) -> Result<()> {
    all.sort_by(|a, b| b.excess().total_cmp(&a.excess()));
    report.note("found beyond what is said, in digits, and for how many suggestions");
    let mut below = f64::NEG_INFINITY;
    for step in STEPS {
        let count = all
            .iter()
            .filter(|one| one.excess() > below && one.excess() <= step)
            .count();
        report.note(&format!("up to {step:>4}: {count}"));
        below = step;
    }
    let silent = all.iter().filter(|one| one.offered.lost.is_none()).count();
    report.note(&format!("{silent} of them without a figure of the product"));
    let above: Vec<&Searched> = all.iter().filter(|one| one.excess() > WITHIN).collect();
    let whole = above.iter().filter(|one| one.worst.is_whole).count();
    let by_luck = all
        .iter()
        .filter(|one| one.worst.by_luck > one.said() + WITHIN);
    let by_luck = by_luck.count();
    let (mut as_run, mut unseen) = (0_usize, 0_usize);
    for (number, one) in above.iter().enumerate() {
        let run = kept::as_run(program, one)?;
        as_run += usize::from(run.is_some_and(|digits| digits > one.said() + WITHIN));
        unseen += usize::from(run.is_none());
        let kept = match &options.keep {
            Some(folder) => kept::keep(folder, number, one)?,
            None => String::new(),
        };
        if number < LISTED {
            report.note(&format!(
                "{:.1} found, {:.1} by luck{}, {} said{}: {}\n  {}{kept}",
                one.worst.digits,
                one.worst.by_luck,
                run.map_or(String::new(), |digits| format!(" ({digits:.1} as run)")),
                one.offered
                    .lost
                    .map_or("nothing".to_owned(), |lost| format!("{lost:.1}")),
                one.offered
                    .worst
                    .as_ref()
                    .map_or(String::new(), |worst| format!(" ({worst})")),
                one.offered.shown(),
                one.worst.shown,
            ));
        }
    }
    report.bar(
        &format!("digits of {} suggestions", all.len()),
        &format!(
            "{} lose more than {WITHIN} digit beyond what is said, {whole} of them on whole numbers; where the program itself runs both \
             forms {as_run} do, and of {unseen} that is not known; on the one luckiest of all draws {by_luck} do",
            above.len()
        ),
        "0",
        above.is_empty() && !all.is_empty(),
    );
    Ok(())
}

/// No hint that loses more than the setting.
fn strict(report: &mut Report, all: &[Searched]) {
    let hints = all.iter().filter(|one| one.offered.is_shown_when_strict);
    let (lossy, fine): (Vec<&Searched>, Vec<&Searched>) =
        hints.partition(|one| one.worst.digits > SETTING + WITHIN);
    for one in lossy.iter().take(LISTED) {
        report.note(&format!(
            "{:.1} found: {}",
            one.worst.digits,
            one.offered.shown()
        ));
    }
    report.bar(
        &format!("hints with `--most-lost-digits {SETTING}`"),
        &format!(
            "{} of {} lose more than {}",
            lossy.len(),
            lossy.len() + fine.len(),
            SETTING + WITHIN
        ),
        "0",
        lossy.is_empty() && !fine.is_empty(),
    );
}
