//! Statements with a pinned sketch: what is suggested for them comes of the sketch, or there is nothing and the pin says why.

use std::sync::Arc;

use super::group::Group;
use super::site::Site;
use super::sketched::{NoForm, SketchSearch, of_group};
use crate::cache::Block;
use crate::searches::{Search, Searches};
use crate::sketch::pins::Missed;
use crate::snapshot::Snapshot;
use crate::suggestion::Suggestion;

/// The sketch that is pinned to the statement of a group that stays.
pub(super) fn sketch_of<'a>(group: &Group<'a>) -> Option<&'a Arc<str>> {
    group.last().sketch.as_ref()
}

/// Whether a statement that would be inlined has a pin of its own.
pub(super) fn is_inside(group: &Group<'_>) -> bool {
    group.inlined().any(|statement| statement.sketch.is_some())
}

/// The form that the sketch leads to. What became of it is remembered, unless the statements are looked at alone as well.
pub(super) fn suggest(
    site: Site<'_>,
    group: &Group<'_>,
    (block, call): (&Block, &Arc<str>),
    search: Search<'_>,
    is_part: bool,
) -> Option<Suggestion> {
    // What the pin names that is no sketch is said of the pin itself.
    let sketch = site.snapshot().pins.get(call)?;
    let how = SketchSearch {
        search,
        cache: &search.searches.stages,
        forms: 1,
        explains: true,
        bridges: false,
    };
    let found = of_group(site, group, sketch, how, &mut |_| {});
    let why = match &found {
        Ok(_) | Err(NoForm::AsWritten(..)) => None,
        Err(NoForm::Cancelled) => return None,
        Err(miss) => {
            if is_part {
                return None;
            }
            let way_out = miss
                .way_out()
                .map_or(String::new(), |way| format!("; {way}"));
            Some(format!(
                "the sketch `{call}` does not fit: {}{way_out}",
                miss.message()
            ))
        }
    };
    search.searches.tell(block.key, group.last_place(), why);
    found.ok()?.suggestions.into_iter().next()
}

/// The pins whose sketches led nowhere, as far as their statements were searched.
#[must_use]
pub fn missed(snapshot: &Snapshot, blocks: &[Block], searches: &Searches) -> Vec<Missed> {
    let mut found = Vec::new();
    for block in blocks {
        let Some(site) = Site::of(snapshot, block) else {
            continue;
        };
        for (place, statement) in site.block.statements.iter().enumerate() {
            let told = statement
                .sketch
                .as_ref()
                .and_then(|_| searches.missed(block.key, place));
            found.extend(told.map(|why| Missed {
                statement: site.in_file(statement.range),
                message: why.to_string(),
            }));
        }
    }
    found
}
