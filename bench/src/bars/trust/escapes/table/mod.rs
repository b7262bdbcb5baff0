//! All escapes, by what they try.

mod arguments;
mod editors;
mod limits;
mod links;
mod looking;
mod names;
mod places;
mod planted;

use super::escape::Escape;

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
