//! Stretches of a main program: sections in a row, and stretches in a row, as a tree. A stretch whose sections are the same is
//! the very same, so what is known of a stretch stays known until something in it changes.
//!
//! Where stretches end depends on the text of the section that they end with, so an edit changes those around it alone.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::key;
use super::outline::Outline;
use super::sections::Section;

/// Every so many sections, on average, end a stretch, and every so many of those a longer one.
const BITS: u32 = 2;
/// The most parts of a stretch.
const MOST: usize = 8;

/// How long the stretches are that end with a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends(u32);

impl Ends {
    pub(super) fn of(text: &str) -> Self {
        Ends(key(text).trailing_zeros() / BITS)
    }
}

/// A value that equals no other than the very same.
#[derive(Debug)]
pub(crate) struct ByPlace<T>(pub(crate) Arc<T>);

impl<T> Clone for ByPlace<T> {
    fn clone(&self) -> Self {
        ByPlace(Arc::clone(&self.0))
    }
}

impl<T> PartialEq for ByPlace<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for ByPlace<T> {}

impl<T> Hash for ByPlace<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

/// A section, or several in a row.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Stretch {
    One(ByPlace<Section>),
    Several(ByPlace<Several>),
}

/// Stretches in a row.
#[derive(Debug)]
pub(crate) struct Several {
    pub(crate) parts: Vec<Stretch>,
    pub(crate) outline: Outline,
}

impl Stretch {
    pub(crate) fn outline(&self) -> &Outline {
        match self {
            Stretch::One(section) => &section.0.outline,
            Stretch::Several(several) => &several.0.outline,
        }
    }

    fn ends(&self) -> Ends {
        match self {
            Stretch::One(section) => section.0.ends,
            Stretch::Several(several) => several.0.parts.last().map_or(Ends(0), Stretch::ends),
        }
    }
}

impl Several {
    fn of(parts: &[Stretch]) -> Self {
        let outlines = parts.iter().map(Stretch::outline);
        Several {
            outline: outlines.fold(Outline::default(), |all, next| all.and(next)),
            parts: parts.to_vec(),
        }
    }
}

/// A main program in few stretches, those of `old` where they are the same.
pub(super) fn over(sections: &[Arc<Section>], old: Option<&[Stretch]>) -> Vec<Stretch> {
    let mut known = HashMap::new();
    let mut rest: Vec<&Stretch> = old.into_iter().flatten().collect();
    while let Some(stretch) = rest.pop() {
        if let Stretch::Several(several) = stretch {
            rest.extend(&several.0.parts);
            known.extend(several.0.parts.first().map(|first| (first, several)));
        }
    }
    let one = |section: &Arc<Section>| Stretch::One(ByPlace(Arc::clone(section)));
    let mut level: Vec<Stretch> = sections.iter().map(one).collect();
    for height in 1.. {
        if level.len() <= MOST {
            break;
        }
        let mut longer = Vec::with_capacity(level.len() / 2);
        let mut from = 0;
        for (at, part) in level.iter().enumerate() {
            let parts = &level[from..=at];
            if part.ends().0 < height && parts.len() < MOST && at + 1 < level.len() {
                continue;
            }
            from = at + 1;
            longer.push(match (parts, known.get(&parts[0])) {
                ([part], _) => part.clone(),
                (_, Some(same)) if same.0.parts == parts => Stretch::Several(ByPlace::clone(same)),
                _ => Stretch::Several(ByPlace(Arc::new(Several::of(parts)))),
            });
        }
        level = longer;
    }
    level
}
