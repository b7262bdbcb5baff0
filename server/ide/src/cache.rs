//! The content of a statement block as a key: suggestions are a pure function of it, so a block that moved, or
//! stands in another file, is never searched twice.

use std::collections::{HashSet, VecDeque};
use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sumac_analysis::{BlockStatement, PlacedUnit, StatementBlock};
use sumac_la::Dag;
use sumac_text::TextRange;

use crate::BlockKey;
use crate::snapshot::{Placed, Snapshot};
use crate::suggest::enclosing_loops::EnclosingLoop;
use crate::suggest::surroundings::{Beside, Surrounding, of_parts, of_unit};
use crate::suggestion::Suggestion;

/// A block of a script.
#[derive(Clone, Debug)]
pub struct Block {
    /// What it is.
    pub key: BlockKey,
    /// What its suggestions are relative to.
    pub place: BlockPlace,
    /// From its first statement to its last.
    pub range: TextRange,
    /// The unit that it stands in, and its number there.
    pub(crate) unit: usize,
    pub(crate) own: usize,
    /// Whether no line of it is one of another unit, too.
    is_inside: bool,
    /// What surrounds it, in the unit's places.
    pub(crate) around: Arc<Surrounding>,
}

impl Block {
    /// Block number `index` of a script, searched with `options`.
    #[must_use]
    pub fn new(snapshot: &Snapshot, index: usize, options: &str) -> Option<Self> {
        let wanted = range_of(snapshot.analysis.blocks.get(index)?);
        let parts = snapshot.analysis.parts();
        let mut units = parts.units().enumerate();
        units.find_map(|(number, unit)| {
            let mut own = unit.analysis().blocks.iter();
            let own = own.position(|block| unit.range(range_of(block)) == wanted)?;
            let beside = of_parts(parts).swap_remove(number);
            let block = Block::in_unit(unit, own, &of_unit(unit, &beside)[own], options);
            let placed = block.placed(number, unit, snapshot.text());
            Some(placed.damaged(snapshot, unit))
        })
    }

    /// The block of a statement that a suggestion changes, as a key of its other forms. `None`: the suggestion is not of
    /// this text.
    #[must_use]
    pub fn of_alternatives(
        snapshot: &Snapshot,
        suggestion: &Suggestion,
        options: &str,
    ) -> Option<Self> {
        let blocks = &snapshot.analysis.blocks;
        let last = suggestion.statement_ranges.last()?;
        let has_it = |block: &StatementBlock| block.statements.iter().any(|s| s.range == *last);
        let index = blocks.iter().position(has_it)?;
        let start = range_of(&blocks[index]).start;
        let mut options = options.to_owned();
        for range in &suggestion.statement_ranges {
            let _ = write!(
                options,
                "\0{} {}",
                range.start.checked_sub(start)?,
                range.len()
            );
        }
        Block::new(snapshot, index, &options)
    }

    /// The blocks of a unit in its own places.
    pub(crate) fn of_unit(unit: PlacedUnit<'_>, beside: &Beside, options: &str) -> Vec<Block> {
        let surroundings = of_unit(unit, beside).into_iter().enumerate();
        surroundings
            .map(|(own, surrounding)| Block::in_unit(unit, own, &surrounding, options))
            .collect()
    }

    fn in_unit(
        unit: PlacedUnit<'_>,
        own: usize,
        surrounding: &Arc<Surrounding>,
        options: &str,
    ) -> Block {
        let block = &unit.analysis().blocks[own];
        let loops = surrounding.loops.iter();
        let lines = lines_of(&unit.unit().text, range_of(block));
        Block {
            key: key_of(unit, block, surrounding, options),
            place: BlockPlace {
                base: 0,
                own: Arc::new(OwnPlace {
                    start: range_of(block).start,
                    loops: loops.map(|around| around.start).collect(),
                }),
            },
            range: range_of(block),
            is_inside: lines.start > 0 && lines.end < unit.unit().text.len(),
            unit: 0,
            own,
            around: Arc::clone(surrounding),
        }
    }

    /// The same block where syntax errors damage some of its statements, which then have no suggestions.
    pub(crate) fn damaged(mut self, snapshot: &Snapshot, unit: PlacedUnit<'_>) -> Block {
        if snapshot.damage.is_empty() {
            return self;
        }
        let Some(block) = unit.analysis().blocks.get(self.own) else {
            return self;
        };
        let statements = block.statements.iter().enumerate();
        let damaged = statements.filter(|(_, it)| snapshot.damage.touches(unit.range(it.range)));
        let damaged: Vec<usize> = damaged.map(|(at, _)| at).collect();
        if !damaged.is_empty() {
            let mut hash = Hash::default();
            let _ = write!(hash, "{:?}\0{damaged:?}", self.key.0);
            self.key = BlockKey(hash.finish());
        }
        self
    }

    /// A block of unit number `number` in the places of the file, whose text this is.
    pub(crate) fn placed(&self, number: usize, unit: PlacedUnit<'_>, text: &str) -> Block {
        let mut block = Block {
            key: self.key,
            range: unit.range(self.range),
            unit: number,
            own: self.own,
            place: self.place.outward(unit),
            is_inside: self.is_inside,
            around: Arc::clone(&self.around),
        };
        if self.is_inside && unit.start().is_some() {
            return block;
        }
        // Suggestions quote whole lines. Where the block shares one with another unit, that counts, too.
        let own = lines_of(&unit.unit().text, self.range);
        let whole = &text[lines_of(text, block.range)];
        if unit.unit().text.as_str()[own] != *whole {
            let mut hash = Hash::default();
            let _ = write!(hash, "{:?}\0{whole:?}", self.key.0);
            block.key = BlockKey(hash.finish());
        }
        block
    }
}

/// The content of a block, whatever stands around its unit.
fn key_of(
    unit: PlacedUnit<'_>,
    block: &StatementBlock,
    surrounding: &Surrounding,
    options: &str,
) -> BlockKey {
    let text = unit.unit().text.as_str();
    let range = range_of(block);
    let mut hash = Hash::default();
    // Writing to a hash cannot fail.
    let _ = write!(hash, "{options}\0{}\0", block.loop_depth);
    for (index, input) in block.dag.inputs().iter().enumerate() {
        let _ = write!(hash, "{index} {} {:?}\0", input.name, input.ty);
    }
    let roots: Vec<_> = block
        .statements
        .iter()
        .flat_map(|s| &s.parts)
        .map(|p| p.root)
        .collect();
    for id in block.dag.reachable(&roots) {
        let _ = write!(hash, "{id:?} {:?}\0", block.dag.node(id));
    }
    // Suggestions quote and remove whole lines, with the comments on and between them.
    let _ = write!(hash, "{:?}\0", &text[lines_of(text, range)]);
    for statement in &block.statements {
        write_statement(&mut hash, &block.dag, statement, range.start, unit.is_off());
    }
    let Surrounding {
        loops,
        earlier,
        longer,
        names,
    } = surrounding;
    // What suggestions make must not take a name that is there, nor call what a function of the script hides.
    let _ = write!(hash, "{:?} {:?}", names.temporaries, names.said.shadowed);
    for target in block.statements.iter().filter_map(|it| it.target.as_ref()) {
        let _ = write!(hash, "{}", names.said.asserted.contains(&target.name));
    }
    let _ = write!(hash, "{earlier:?} {longer:?}\0");
    // What does not change in a loop around it may be computed before; where the loop begins is no content.
    for around in loops {
        let loop_invariant = block
            .dag
            .inputs()
            .iter()
            .map(|i| around.is_loop_invariant(&i.name));
        let loop_invariant: Vec<bool> = loop_invariant.collect();
        let EnclosingLoop {
            indent,
            trip_count,
            is_counted,
            first,
            is_listed,
            is_direct,
            ..
        } = &**around;
        let _ = write!(
            hash,
            "{loop_invariant:?} {indent:?} {trip_count} {is_counted} {first:?} {is_listed} {is_direct}\0"
        );
    }
    BlockKey(hash.finish())
}

/// The place that the suggestions of a cached block are relative to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockPlace {
    /// What its own places count from.
    base: usize,
    own: Arc<OwnPlace>,
}

#[derive(PartialEq, Eq, Debug)]
struct OwnPlace {
    /// Where its first statement begins.
    start: usize,
    /// Where each of the loops around it begins, the innermost first.
    loops: Vec<usize>,
}

impl BlockPlace {
    fn start(&self) -> usize {
        self.base + self.own.start
    }

    /// A place in a unit, in the places of the file.
    fn outward(&self, unit: PlacedUnit<'_>) -> Self {
        if let Some(base) = unit.start() {
            let own = Arc::clone(&self.own);
            return BlockPlace { base, own };
        }
        let outward = |offset: usize| unit.range(TextRange::new(offset, offset)).start;
        let own = OwnPlace {
            start: outward(self.own.start),
            loops: self.own.loops.iter().map(|at| outward(*at)).collect(),
        };
        BlockPlace {
            base: 0,
            own: Arc::new(own),
        }
    }

    /// A range of a suggestion that was made at `old`, at this place.
    fn moved(&self, old: &BlockPlace, level: Option<usize>, range: TextRange) -> TextRange {
        let in_front = range.end <= old.start() && range.is_empty();
        if let Some(loop_start) = level.and_then(|level| self.own.loops.get(level))
            && in_front
        {
            let loop_start = self.base + loop_start;
            return TextRange::new(loop_start, loop_start);
        }
        let moved = |offset: usize| (offset + self.start()).saturating_sub(old.start());
        TextRange::new(moved(range.start), moved(range.end))
    }
}

/// From a block's first statement to its last.
fn range_of(block: &StatementBlock) -> TextRange {
    let (first, last) = (block.statements.first(), block.statements.last());
    TextRange {
        start: first.map_or(0, |statement| statement.range.start),
        end: last.map_or(0, |statement| statement.range.end),
    }
}

/// The whole lines of a range.
fn lines_of(text: &str, range: TextRange) -> TextRange {
    TextRange {
        start: text[..range.start].rfind('\n').map_or(0, |at| at + 1),
        end: text[range.end..]
            .find('\n')
            .map_or(text.len(), |at| range.end + at),
    }
}

fn write_statement(
    hash: &mut Hash,
    dag: &Dag,
    statement: &BlockStatement,
    origin: usize,
    is_off: bool,
) {
    let place = |range: TextRange| (range.start - origin, range.len());
    let _ = write!(hash, "{:?}\0", place(statement.range));
    if let Some(target) = &statement.target {
        let _ = write!(
            hash,
            "{} {:?} {:?}\0",
            target.name,
            place(target.range),
            target.version_node
        );
    }
    for part in &statement.parts {
        let _ = write!(hash, "{:?} {:?}\0", place(part.range), part.root);
    }
    // The rest of the environment follows from the inputs and from the statements' texts.
    for input in dag.inputs() {
        let _ = write!(hash, "{:?} ", statement.env.get(&input.name));
    }
    let _ = write!(
        hash,
        "{} {:?} {} {:?}\0",
        statement.live_after_block,
        statement.readers,
        statement.hints_off || is_off,
        statement.sketch,
    );
}

/// Two independent 64-bit hashes side by side.
struct Hash(DefaultHasher, DefaultHasher);

impl Default for Hash {
    fn default() -> Self {
        let mut second = DefaultHasher::new();
        second.write_u8(1);
        Hash(DefaultHasher::new(), second)
    }
}

impl Hash {
    fn finish(&self) -> u128 {
        (u128::from(self.0.finish()) << 64) | u128::from(self.1.finish())
    }
}

impl fmt::Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        self.1.write(text.as_bytes());
        Ok(())
    }
}

/// A block that no script has any more is remembered until so many others were searched after it: what stood there while a
/// statement was typed is hardly ever asked for again.
const RECENT: usize = 512;

/// Suggestions by content, the oldest forgotten first.
#[derive(Debug)]
pub struct SuggestionCache {
    blocks: FxHashMap<BlockKey, Cached>,
    order: VecDeque<BlockKey>,
    /// How many came since it was looked through.
    since: usize,
    capacity: usize,
    bytes: usize,
    most_bytes: usize,
}

#[derive(Clone, Debug)]
struct Cached {
    /// Where the block stood when it was searched.
    place: BlockPlace,
    suggestions: Vec<Arc<Suggestion>>,
}

impl Cached {
    fn bytes(&self) -> usize {
        let suggestions = self.suggestions.iter().map(|found| found.bytes());
        size_of::<Self>() + suggestions.sum::<usize>()
    }
}

impl SuggestionCache {
    /// A cache for at most `capacity` blocks.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        SuggestionCache {
            blocks: FxHashMap::default(),
            order: VecDeque::new(),
            since: 0,
            capacity,
            bytes: 0,
            most_bytes: usize::MAX,
        }
    }

    /// Takes at most so much memory from now on; the newest block stays in any case.
    pub fn bound(&mut self, bytes: usize) {
        self.most_bytes = bytes;
        self.evict();
    }

    /// The suggestions of a block that is now at `place`, if its content was searched before. They stay there, so that only a
    /// block that moves costs anything.
    pub fn get(&mut self, key: BlockKey, place: &BlockPlace) -> Option<Vec<Placed>> {
        let cached = self.blocks.get_mut(&key)?;
        if *place != cached.place {
            for suggestion in &mut cached.suggestions {
                let level = suggestion.before_loop.as_ref().map(|parts| parts.level);
                let moved = suggestion.relocated(|range| place.moved(&cached.place, level, range));
                *suggestion = Arc::new(moved);
            }
            cached.place = place.clone();
        }
        let placed = |suggestion: &Arc<Suggestion>| Placed {
            suggestion: Arc::clone(suggestion),
            is_fresh: true,
        };
        Some(cached.suggestions.iter().map(placed).collect())
    }

    /// What it takes of memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Remembers what a search of a block at `place` found.
    pub fn insert(&mut self, key: BlockKey, place: BlockPlace, suggestions: Vec<Suggestion>) {
        let suggestions = suggestions.into_iter().map(Arc::new).collect();
        let cached = Cached { place, suggestions };
        self.bytes += cached.bytes();
        match self.blocks.insert(key, cached) {
            Some(before) => self.bytes -= before.bytes(),
            None => {
                self.order.push_back(key);
                self.since += 1;
            }
        }
        self.evict();
    }

    /// Whether so much has come that it should be [looked through](Self::keep).
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        self.since >= RECENT
    }

    /// Forgets all but these and the newest.
    pub fn keep(&mut self, shown: &HashSet<BlockKey>) {
        self.since = 0;
        let old = self.order.len().saturating_sub(RECENT);
        let newest = self.order.split_off(old);
        for key in std::mem::replace(&mut self.order, newest).into_iter().rev() {
            if shown.contains(&key) {
                self.order.push_front(key);
            } else if let Some(gone) = self.blocks.remove(&key) {
                self.bytes -= gone.bytes();
            }
        }
    }

    fn evict(&mut self) {
        let is_over =
            |cache: &Self| cache.order.len() > cache.capacity || cache.bytes > cache.most_bytes;
        while self.order.len() > 1 && is_over(self) {
            let oldest = self.order.pop_front();
            if let Some(gone) = oldest.and_then(|oldest| self.blocks.remove(&oldest)) {
                self.bytes -= gone.bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{LOSS, snapshot, suggestion};

    fn block(snapshot: &Snapshot) -> Block {
        Block::new(snapshot, 0, "").expect("there is a block")
    }

    fn key(snapshot: &Snapshot) -> BlockKey {
        block(snapshot).key
    }

    fn place(snapshot: &Snapshot) -> BlockPlace {
        block(snapshot).place
    }

    #[test]
    fn a_comment_elsewhere_or_a_move_keeps_the_key() {
        let before = key(&snapshot(LOSS));
        assert_eq!(key(&snapshot(&format!("# what this is\n\n{LOSS}"))), before);
        assert_eq!(key(&snapshot(&format!("{LOSS}# the end\n"))), before);
    }

    #[test]
    fn whatever_a_suggestion_depends_on_changes_the_key() {
        let before = key(&snapshot(LOSS));
        for (old, new) in [
            ("sparsity 0.01", "sparsity 0.02"),
            ("X: 2000", "X: 2001"),
            ("^2", "^3"),
            ("loss =", "#@ off\nloss ="),
            ("print(loss)", "print(sum(X))"),
            ("loss = ", "  loss = "),
        ] {
            assert_ne!(
                key(&snapshot(&LOSS.replace(old, new))),
                before,
                "{old} -> {new}"
            );
        }
        let first = snapshot(LOSS);
        let other = Block::new(&first, 0, "other").expect("there is a block");
        assert_ne!(other.key, before);
    }

    #[test]
    fn the_forms_of_another_statement_have_another_key_and_a_move_keeps_it() {
        let two = LOSS.replace("print(loss)", "other = sum(X %*% V)\nprint(loss + other)");
        let of = |text: &str, original: &str| {
            let snapshot = snapshot(text);
            let found = suggestion(&snapshot, original, "1");
            let block = Block::of_alternatives(&snapshot, &found, "");
            let block = block.expect("it is a statement of the text");
            (block.key, block.place)
        };
        let (first, place) = of(&two, "sum((X - U %*% t(V))^2)");
        assert_ne!(of(&two, "sum(X %*% V)").0, first);
        let moved = of(&format!("# moved\n{two}"), "sum((X - U %*% t(V))^2)");
        assert_eq!(moved.0, first);
        assert_eq!(moved.1.start(), place.start() + "# moved\n".len());
        assert_ne!(first, key(&snapshot(&two)), "they are no suggestions");

        let (long, short) = (snapshot(&two), snapshot("x = 1\n"));
        let found = suggestion(&long, "sum(X %*% V)", "1");
        let strange = Block::of_alternatives(&short, &found, "");
        assert!(strange.is_none());
    }

    #[test]
    fn a_cached_suggestion_comes_back_at_the_blocks_new_place() {
        let old = snapshot(LOSS);
        let mut cache = SuggestionCache::new(4);
        let found = suggestion(&old, "sum((X - U %*% t(V))^2)", "1");
        cache.insert(key(&old), place(&old), vec![found]);
        let new = snapshot(&format!("# moved\n{LOSS}"));
        let placed = cache
            .get(key(&new), &place(&new))
            .expect("it was searched before");
        assert_eq!(
            &new.text()[placed[0].suggestion.edits.to_vec()[0].range],
            "sum((X - U %*% t(V))^2)"
        );
        assert!(placed[0].is_fresh);
    }

    #[test]
    fn a_bound_of_memory_forgets_the_oldest_and_keeps_the_newest() {
        let old = snapshot(LOSS);
        let found = suggestion(&old, "sum((X - U %*% t(V))^2)", "1");
        let mut cache = SuggestionCache::new(9);
        for n in 0..3 {
            cache.insert(BlockKey(n), place(&old), vec![found.clone()]);
        }
        let known = |cache: &mut SuggestionCache| {
            (0..4)
                .filter(|n| cache.get(BlockKey(*n), &place(&old)).is_some())
                .collect::<Vec<_>>()
        };
        let of_one = cache.bytes() / 3;
        assert_eq!(known(&mut cache), [0, 1, 2]);
        cache.bound(2 * of_one);
        assert_eq!((known(&mut cache), cache.bytes()), (vec![1, 2], 2 * of_one));
        cache.insert(BlockKey(2), place(&old), vec![found.clone()]);
        assert_eq!(cache.bytes(), 2 * of_one, "one in place of another");
        cache.insert(BlockKey(3), place(&old), vec![found]);
        assert_eq!(known(&mut cache), [2, 3]);
        cache.bound(0);
        assert_eq!(known(&mut cache), [3]);
    }

    #[test]
    fn what_no_script_has_any_more_is_forgotten_after_a_while() {
        let mut cache = SuggestionCache::new(1 << 16);
        let old = snapshot(LOSS);
        let found = suggestion(&old, "sum((X - U %*% t(V))^2)", "1");
        let mut keys = (0..).map(BlockKey);
        let mut fill = |cache: &mut SuggestionCache, count| {
            for key in keys.by_ref().take(count) {
                cache.insert(key, place(&old), vec![found.clone()]);
            }
        };
        fill(&mut cache, 3);
        let of_one = cache.bytes() / 3;
        fill(&mut cache, RECENT - 4);
        assert!(!cache.is_crowded());
        fill(&mut cache, 2);
        assert!(cache.is_crowded());

        let shown: HashSet<BlockKey> = [BlockKey(0), BlockKey(9)].into_iter().collect();
        cache.keep(&shown);
        assert!(!cache.is_crowded());
        let mut is_known = |n| cache.get(BlockKey(n), &place(&old)).is_some();
        assert!(is_known(0), "it is shown");
        assert!(!is_known(RECENT as u128 + 1), "it never was there");
        let last = RECENT as u128;
        assert!([1, 2, 9, last].map(&mut is_known) == [true; 4], "too new");
        fill(&mut cache, 5);
        cache.keep(&shown);
        let known = (0..12).filter(|n| cache.get(BlockKey(*n), &place(&old)).is_some());
        assert_eq!(known.collect::<Vec<_>>(), [0, 6, 7, 8, 9, 10, 11]);
        assert_eq!(cache.bytes(), (RECENT + 1) * of_one);
        let mut order: Vec<BlockKey> = cache.order.iter().copied().collect();
        assert_eq!((order[0], order.len()), (BlockKey(0), RECENT + 1));
        order.dedup();
        assert_eq!(order.len(), cache.blocks.len());
    }

    #[test]
    fn the_oldest_block_is_forgotten_first() {
        let mut cache = SuggestionCache::new(2);
        let nowhere = place(&snapshot(LOSS));
        for n in 0..3 {
            cache.insert(BlockKey(n), nowhere.clone(), Vec::new());
        }
        let mut is_known = |n| cache.get(BlockKey(n), &nowhere).is_some();
        assert!(!is_known(0) && is_known(1) && is_known(2));
    }
}
