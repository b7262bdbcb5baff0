//! Other forms of statements that have a suggestion.

use super::group;
use super::site::Sites;
use super::surroundings::of_parts;
use super::{as_suggestion, problem};
use crate::searches::Search;
use crate::snapshot::Snapshot;
use crate::suggestion::Suggestion;

/// Up to `most` other forms of the statements of `suggestion`, the cheapest first, each cheaper than they are as written.
/// Proved and checked as the suggestion is. Empty when cancelled.
#[must_use]
pub fn alternatives(
    snapshot: &Snapshot,
    suggestion: &Suggestion,
    most: usize,
    search: Search<'_>,
) -> Vec<Suggestion> {
    let parts = snapshot.analysis.parts();
    let beside = of_parts(parts);
    let of_unit = |(unit, beside)| {
        alternatives_in(&Sites::of(snapshot, unit, beside), suggestion, most, search)
    };
    let found = parts.units().zip(&beside).find_map(of_unit);
    found.unwrap_or_default()
}

/// As [`alternatives`]; `None` where the statements are not of this unit.
fn alternatives_in(
    sites: &Sites<'_>,
    suggestion: &Suggestion,
    most: usize,
    search: Search<'_>,
) -> Option<Vec<Suggestion>> {
    /// Forms looked at for each one wanted: some cannot be written with the names that are there.
    const FORMS: usize = 3;
    let (site, group) = sites
        .iter()
        .flat_map(|site| {
            let groups = group::groups(site).into_iter();
            groups.map(move |group| (site, group))
        })
        .flat_map(|(site, group)| {
            let alone: Vec<_> = group.split().collect();
            std::iter::once(group)
                .chain(alone)
                .map(move |group| (site, group))
        })
        .find(|(site, group)| {
            let ranges = group.ranges().into_iter().map(|range| site.in_file(range));
            ranges.eq(suggestion.statement_ranges.iter().copied())
        })?;
    let problem = problem(site, &group, search.options);
    let found = search
        .searches
        .alternatives(&problem, FORMS * most, search.cancel);
    let pays = |before: f64, after: f64| after < before;
    let forms = found.unwrap_or_default().into_iter();
    let mut forms: Vec<_> = forms
        .filter(|outcome| !outcome.search.cut_short)
        .take_while(|_| !search.cancel.is_cancelled())
        .filter_map(|outcome| as_suggestion(site, &group, outcome, search, &pays).ok())
        .take(most)
        .collect();
    if search.cancel.is_cancelled() {
        forms.clear();
    }
    Some(forms)
}
