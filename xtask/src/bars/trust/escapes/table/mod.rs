//! All escapes, by what they try.

mod arguments;
mod editors;
mod limits;
mod links;
mod looking;
mod names;
mod places;
mod planted;

use super::escape::{Ends, Escape, Put};

/// All of them; each name stands once.
pub(super) fn all() -> Vec<Escape> {
    [
        places::all(),
        names::all(),
        links::all(),
        arguments::all(),
        looking::all(),
        editors::all(),
        planted::all(),
        limits::all(),
    ]
    .concat()
}

/// No escape: code in a folder of the cache that is the person's alone. Who can put it there needs no script; that it is run shows
/// that planted code is noticed where it is.
pub(super) fn own_code() -> Escape {
    Escape::typed(
        "code that the person put into their own cache",
        &planted::NEST,
    )
    .put(Put::PlantedObjects { is_open: false })
    .ends(Ends::Either)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_more_than_a_hundred_and_each_name_stands_once() {
        let all = all();
        assert!(all.len() > 100, "{}", all.len());
        let names: BTreeSet<&str> = all.iter().map(|escape| &*escape.name).collect();
        assert_eq!(names.len(), all.len());
    }
}
