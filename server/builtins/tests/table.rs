//! The table is well-formed: whoever reads a row can rely on it.

use std::collections::{HashMap, HashSet};

use sumac_builtins::{Builtin, Group, Presence, ShapeRule, Source, all, find};

/// The rows for which something does not hold.
fn without(holds: impl Fn(&Builtin) -> bool) -> Vec<&'static str> {
    let wrong = all().iter().filter(|row| !holds(row));
    wrong.map(|row| row.name).collect()
}

#[test]
fn rows_are_sorted_and_every_name_is_unique() {
    assert!(all().windows(2).all(|pair| pair[0].name < pair[1].name));
    let mut seen = HashSet::new();
    let again: Vec<&str> = all()
        .iter()
        .flat_map(Builtin::names)
        .filter(|name| !seen.insert(*name))
        .collect();
    assert!(again.is_empty(), "{again:?}");
}

#[test]
fn a_name_and_its_aliases_find_the_same_row() {
    assert_eq!(find("ctable"), find("table"));
    assert_eq!(find("table").map(|row| row.group), Some(Group::Reorganize));
    assert_eq!(find("tables"), None);
}

#[test]
fn every_summary_is_one_short_sentence() {
    let is_sentence = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.ends_with('.')
            && text.chars().count() <= 110
    };
    let wrong = without(|row| is_sentence(row.summary));
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn no_two_summaries_are_equal() {
    let mut of: HashMap<&str, &str> = HashMap::new();
    for row in all() {
        let before = of.insert(row.summary, row.name);
        assert_eq!(before, None, "{} has the summary of {before:?}", row.name);
    }
}

#[test]
fn every_parameter_is_described_by_a_phrase() {
    let is_phrase =
        |text: &str| !text.is_empty() && !text.ends_with('.') && text.chars().count() <= 110;
    for row in all() {
        for param in &row.params {
            let name = (row.name, param.name);
            assert!(is_phrase(param.summary), "{name:?}: `{}`", param.summary);
            assert!(!param.values.contains(&""), "{name:?}");
        }
    }
}

#[test]
fn no_two_parameters_of_a_row_have_one_name() {
    let wrong = without(|row| {
        let mut seen = HashSet::new();
        row.params.iter().all(|param| seen.insert(param.name))
    });
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn operators_have_one_result_and_no_sizes_of_their_own() {
    let wrong = without(|row| {
        row.shape != ShapeRule::Operator || matches!(&row.results[..], [one] if one.size.is_none())
    });
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn defaults_of_scripts_are_known() {
    let wrong = without(|row| {
        let unknown = |param: &sumac_builtins::Param| param.default == Presence::Optional(None);
        row.source == Source::Native || !row.params.iter().any(unknown)
    });
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn every_group_has_rows() {
    for group in Group::ALL {
        assert!(all().iter().any(|row| row.group == *group), "{group}");
    }
}
