//! Every rewrite rule by itself: on what it fires and on what not, whether both sides are equal over all small shapes, what digits
//! it loses, and which fixtures fire it.
//!
//! What is audited stands in `server/sumproduct/src/rule_audit`: it needs the tables of the search. Here it is run, and its lines
//! are read. It measures the libraries of this checkout, not the program under measurement.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Result, ensure};

use super::{Options, Program};
use crate::report::Report;
use xtask::{shell, workspace};

/// What begins a line of the audit; the name of a rule follows, then figures as `name=value`.
const LINE: &str = "rule audit: ";

/// The figures of one rule by their names.
type Figures = BTreeMap<String, String>;

pub(super) fn measure(report: &mut Report, _: &Program, _: &Options) -> Result<()> {
    let mut command = Command::new("cargo");
    command
        .args(["test", "--package", "sumac-sumproduct", "--lib"])
        .args(["audit", "--", "--nocapture"])
        .current_dir(workspace::root());
    // An audit that finds something wrong fails as a test, and says what.
    let (text, has_passed) = match shell::read(&mut command) {
        Ok(text) => (text, true),
        Err(error) => (format!("{error:#}"), false),
    };
    if !has_passed {
        println!("{text}");
    }
    let rules = read(&text);
    ensure!(!rules.is_empty(), "the audit did not say what it audited");
    for (name, figures) in &rules {
        let of = |figure: &str| figures.get(figure).map_or("not asked", String::as_str);
        report.note(&format!(
            "{name}: fires on {} forms, not on {} near misses; {} shapes and {} forms compared, {} unequal; {} digits lost of at most {}; fixtures that fire it: {}",
            of("fires"),
            of("misses"),
            of("shapes"),
            of("forms"),
            of("unequal"),
            of("digits"),
            of("most"),
            of("fixtures"),
        ));
    }
    let silent: Vec<&str> = rules
        .iter()
        .filter(|(_, figures)| number(figures, "fixtures") == Some(0.0))
        .map(|(name, _)| name.as_str())
        .collect();
    report.note(&format!(
        "rules that no fixture fires: {}",
        if silent.is_empty() {
            "none".to_owned()
        } else {
            silent.join(", ")
        }
    ));
    judge(report, &rules, has_passed);
    Ok(())
}

fn judge(report: &mut Report, rules: &BTreeMap<String, Figures>, has_passed: bool) {
    let all = rules.len();
    let count = |holds: &dyn Fn(&Figures) -> bool| rules.values().filter(|it| holds(it)).count();
    let at_least_one =
        |figures: &Figures, name: &str| number(figures, name).is_some_and(|n| n > 0.0);

    let firing = count(&|it| at_least_one(it, "fires") && at_least_one(it, "misses"));
    report.bar(
        "rules with forms on which they fire and near misses on which not",
        &format!("{firing} of {all}"),
        "all",
        firing == all,
    );
    let total = |name: &str| {
        rules
            .values()
            .filter_map(|it| number(it, name))
            .sum::<f64>()
    };
    let equal = count(&|it| at_least_one(it, "shapes") && number(it, "unequal") == Some(0.0));
    report.bar(
        "rules whose sides are equal over all small shapes",
        &format!(
            "{equal} of {all}; {} unequal of {} shapes and {} forms; listed: {} over no cells, {} of what is infinite or no number",
            total("unequal"),
            total("shapes"),
            total("forms"),
            total("nothing"),
            total("beyond")
        ),
        "all, 0 unequal",
        equal == all,
    );
    let within = count(&|it| {
        let figures = number(it, "digits").zip(number(it, "most"));
        figures.is_some_and(|(digits, most)| digits <= most)
    });
    let listed = count(&|it| it.contains_key("listed"));
    report.bar(
        "rules that lose no more digits than the reviewed table says",
        &format!("{within} of {all}, {listed} of them listed"),
        "all",
        within == all,
    );
    // Rules of sketches fire where a person writes a sketch, and steps of writing in every form: no fixture is asked for them.
    let asked = count(&|it| it.contains_key("fixtures"));
    let fired = count(&|it| at_least_one(it, "fixtures") || at_least_one(it, "scripts"));
    report.bar(
        "every rule of the search fires on some fixture or generated script",
        &format!(
            "{fired} of {asked}; {} are no rules of the search",
            all - asked
        ),
        "all",
        asked > 0 && fired == asked,
    );
    report.bar(
        "the audit holds",
        if has_passed { "yes" } else { "no" },
        "yes",
        has_passed,
    );
}

/// The figures of each rule, those of several lines together.
fn read(text: &str) -> BTreeMap<String, Figures> {
    let mut rules: BTreeMap<String, Figures> = BTreeMap::new();
    for line in text.lines() {
        // The name of a test may stand before it.
        let Some((_, line)) = line.split_once(LINE) else {
            continue;
        };
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { continue };
        let figures = rules.entry(name.to_owned()).or_default();
        let pairs = words.filter_map(|word| word.split_once('='));
        figures.extend(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    rules
}

fn number(figures: &Figures, name: &str) -> Option<f64> {
    figures.get(name)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "test a ... rule audit: double fires=2 shapes=9 forms=3 unequal=0\nnoise\n\
        rule audit: double misses=1\nrule audit: double digits=0.3 most=2.0 listed=yes\n\
        rule audit: double fixtures=0 scripts=1\n";

    fn misses(text: &str, has_passed: bool) -> usize {
        let mut report = Report::default();
        judge(&mut report, &read(text), has_passed);
        report.counts().1
    }

    #[test]
    fn figures_of_several_lines_are_of_one_rule() {
        let rules = read(TEXT);
        assert_eq!(rules.len(), 1);
        assert_eq!(number(&rules["double"], "misses"), Some(1.0));
        assert_eq!(number(&rules["double"], "digits"), Some(0.3));
        assert_eq!(misses(TEXT, true), 0);
    }

    #[test]
    fn each_figure_that_is_missing_or_wrong_is_a_miss() {
        for (right, wrong) in [
            ("unequal=0", "unequal=1"),
            ("misses=1", "misses=0"),
            ("digits=0.3", "digits=2.3"),
            ("scripts=1", "scripts=0"),
            ("fixtures=0 ", ""),
            ("shapes=9 ", ""),
        ] {
            assert_eq!(misses(&TEXT.replace(right, wrong), true), 1, "{wrong}");
        }
        assert_eq!(misses(TEXT, false), 1);
    }
}
