//! What a subtree of a main program is analysed with, and what of it is read later. Must analyse nothing.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::analyzer::Env;
use crate::db::key::key;
use crate::db::outline::Counts;
use crate::db::segment_tree::SegmentTree;
use crate::equality::Equality;
use crate::made::Made;
use crate::names::Names;

/// What a subtree is analysed with. Places are labelled.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Context {
    /// What is known of the names that it mentions and whose value it may pass on or read.
    pub(super) env: Env,
    /// All names that are known, if it may read one that is not.
    pub(super) elsewhere: Option<Arc<[Arc<str>]>>,
    pub(super) equalities: Arc<[Equality]>,
    /// What it assigns and is read behind it.
    pub(super) live: Names,
    /// What it mentions and is needed behind it; nothing for one segment, which tells all that it changed.
    pub(super) needed: Names,
    /// What it mentions and stands where the script cannot be read, if that can matter to it.
    pub(super) unreadable: BTreeSet<Arc<str>>,
    /// How often what it assigns was assigned before.
    pub(super) earlier: Counts,
    /// What it may read and is surely set before it.
    pub(super) set: Names,
    /// The calls before it that count, if there are too many to follow all.
    pub(super) calls: Vec<Made>,
}

/// The same as a key.
#[derive(Clone, Debug)]
pub(super) struct Key(u64, pub(super) Arc<Context>);

impl Key {
    pub(super) fn of(context: Context) -> Self {
        let names = context.env.iter().map(|(name, var)| {
            let info = &var.info;
            (name, info.kind, &info.rows, &info.cols, &info.size)
        });
        let names: Vec<_> = names.collect();
        let calls = context.calls.len();
        let live = (&context.live, &context.needed);
        let hash = key((names, live, &context.earlier, &context.set, calls));
        Key(hash, Arc::new(context))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.1, &other.1) || (self.0 == other.0 && self.1 == other.1)
    }
}

// A sparsity is a number between 0 and 1, and constants compare by their bits.
impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

/// Which of the names that a subtree mentions are read later than their place.
pub(super) struct Wanted {
    /// Before it.
    pub(super) before: Names,
    /// Behind it, of those that it assigns.
    pub(super) behind: Names,
    /// Behind it, to understand what stands there.
    pub(super) needed: Names,
}

impl Wanted {
    /// By each of some subtrees, told what is read behind the last and what is needed there.
    pub(super) fn by(parts: &[SegmentTree], mut told: Names, mut needed: Names) -> Vec<Wanted> {
        let mut all = Vec::with_capacity(parts.len());
        for outline in parts.iter().rev().map(SegmentTree::outline) {
            let mentioned = |names: &Names| {
                let names = names.iter().filter(|name| outline.mentions.contains(name));
                names.cloned().collect::<Names>()
            };
            let written = told.iter();
            let written = written.filter(|name| outline.writes.get(name).is_some());
            let (behind, needed_behind) = (written.cloned().collect(), mentioned(&needed));
            outline.told.before(&mut told);
            outline.needs.before(&mut needed);
            all.push(Wanted {
                before: mentioned(&needed),
                behind,
                needed: needed_behind,
            });
        }
        all.reverse();
        all
    }
}
