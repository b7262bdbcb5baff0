//! The pieces of a script in chunks, whose places count from the chunk's start: an edit makes the chunk anew that it stands in, and
//! of the others no piece is looked at, copied or moved.
//!
//! How a script is chunked says nothing about it, and depends on what was typed before. Must never be seen outside of this file.

use std::ops::Range;
use std::sync::Arc;

use crate::lower::Lowered;
use crate::pieces::Cut;

/// The most pieces of a chunk, and how many are put into a new one.
const MOST: usize = 128;
const USUAL: usize = 64;

/// A piece of a script and how it is read. Places inside count from its start.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) cut: Cut,
    pub(crate) lowered: Arc<Lowered>,
}

impl Piece {
    /// The piece when byte `from` has become byte `to`.
    fn moved(&self, from: usize, to: usize) -> Piece {
        let at = |place: usize| place + to - from;
        Piece {
            start: at(self.start),
            cut: Cut {
                end: at(self.cut.end),
                looked: at(self.cut.looked),
                ..self.cut
            },
            lowered: Arc::clone(&self.lowered),
        }
    }

    /// Bytes of its text.
    pub(crate) fn len(&self) -> usize {
        self.cut.end - self.start
    }

    fn is_broken(&self) -> bool {
        !self.lowered.errors.is_empty()
    }
}

/// All pieces of a script, in its order.
#[derive(Clone, Default)]
pub(crate) struct Pieces(Vec<Chunk>);

/// Pieces in a row.
#[derive(Clone)]
struct Chunk {
    /// Where it starts.
    start: usize,
    /// The number of its first piece.
    first: usize,
    within: Arc<Within>,
}

/// What a chunk holds. It does not know where it stands.
struct Within {
    pieces: Vec<Piece>,
    /// The farthest place that had a say in where one of them ends.
    looked: usize,
    is_broken: bool,
}

impl Chunk {
    fn end(&self) -> usize {
        self.first + self.within.pieces.len()
    }

    fn piece(&self, piece: &Piece) -> Piece {
        piece.moved(0, self.start)
    }

    /// Each with where it starts in the script.
    fn pieces(&self) -> impl Iterator<Item = (usize, &Piece)> {
        let pieces = self.within.pieces.iter();
        pieces.map(|piece| (self.start + piece.start, piece))
    }
}

impl Pieces {
    /// These, in the order of their script.
    pub(crate) fn new(pieces: &[Piece]) -> Self {
        let mut all = Pieces::default();
        all.push(pieces);
        all
    }

    /// Appends pieces.
    fn push(&mut self, pieces: &[Piece]) {
        let parts = match pieces.len() {
            0 => return,
            1..=MOST => 1,
            len => len.div_ceil(USUAL),
        };
        for part in pieces.chunks(pieces.len().div_ceil(parts)) {
            let start = part[0].start;
            let within = part.iter().map(|piece| piece.moved(start, 0));
            let within: Vec<Piece> = within.collect();
            let looked = within.iter().map(|piece| piece.cut.looked);
            self.0.push(Chunk {
                start,
                first: self.len(),
                within: Arc::new(Within {
                    looked: looked.max().unwrap_or(0),
                    is_broken: within.iter().any(Piece::is_broken),
                    pieces: within,
                }),
            });
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.last().map_or(0, Chunk::end)
    }

    /// One of them.
    pub(crate) fn get(&self, number: usize) -> Option<Piece> {
        let chunk = &self.0[self.chunk_of(number)?];
        Some(chunk.piece(&chunk.within.pieces[number - chunk.first]))
    }

    /// Some of them by their numbers, each with where it starts in the script; the places of a piece itself are its chunk's.
    pub(crate) fn within(&self, numbers: Range<usize>) -> impl Iterator<Item = (usize, &Piece)> {
        let from = self.0.partition_point(|chunk| chunk.end() <= numbers.start);
        let skipped = self
            .0
            .get(from)
            .map_or(0, |chunk| numbers.start.saturating_sub(chunk.first));
        let all = self.0[from..].iter().flat_map(Chunk::pieces);
        all.skip(skipped).take(numbers.len())
    }

    /// Those that cannot be read, each with where it starts.
    pub(crate) fn broken(&self) -> impl Iterator<Item = (usize, &Piece)> {
        let chunks = self.0.iter().filter(|chunk| chunk.within.is_broken);
        let pieces = chunks.flat_map(Chunk::pieces);
        pieces.filter(|(_, piece)| piece.is_broken())
    }

    /// The number of the piece that starts at a place.
    pub(crate) fn at(&self, start: usize) -> Option<usize> {
        let chunk = self.0.partition_point(|chunk| chunk.start <= start);
        let chunk = &self.0[chunk.checked_sub(1)?];
        let pieces = &chunk.within.pieces;
        let found = pieces.binary_search_by_key(&(start - chunk.start), |piece| piece.start);
        found.ok().map(|number| chunk.first + number)
    }

    /// How many from the start a place and all that is behind it have no say in.
    pub(crate) fn before(&self, place: usize) -> usize {
        let sees = |chunk: &&Chunk| chunk.start + chunk.within.looked >= place;
        let Some(chunk) = self.0.iter().find(sees) else {
            return self.len();
        };
        let pieces = chunk.within.pieces.iter();
        let unseen = pieces.take_while(|piece| chunk.start + piece.cut.looked < place);
        chunk.first + unseen.count()
    }

    /// So many of these from the start, then new ones, and so many of these at the end, which are still as far from the end of the
    /// text: what is at `from` there is at `to` now.
    pub(crate) fn spliced(
        &self,
        front: usize,
        new: Vec<Piece>,
        back: usize,
        (from, to): (usize, usize),
    ) -> Self {
        let back = self.len() - back;
        let whole = self.0.partition_point(|chunk| chunk.end() <= front);
        let behind = self.0.partition_point(|chunk| chunk.first < back);
        let mut all = Pieces(Vec::with_capacity(self.0.len() + 2));
        all.0.extend_from_slice(&self.0[..whole]);
        let mut between: Vec<Piece> = Vec::new();
        if let Some(chunk) = self.0.get(whole) {
            let pieces = &chunk.within.pieces[..front.saturating_sub(chunk.first)];
            between.extend(pieces.iter().map(|piece| chunk.piece(piece)));
        }
        between.extend(new);
        if let Some(chunk) = behind.checked_sub(1).map(|last| &self.0[last])
            && back < chunk.end()
        {
            let pieces = &chunk.within.pieces[back - chunk.first..];
            between.extend(
                pieces
                    .iter()
                    .map(|piece| chunk.piece(piece).moved(from, to)),
            );
        }
        all.push(&between);
        for chunk in &self.0[behind..] {
            all.0.push(Chunk {
                start: chunk.start + to - from,
                first: all.len(),
                within: Arc::clone(&chunk.within),
            });
        }
        all
    }

    /// How many at the start, and how many others at the end, are the very same in another script.
    pub(crate) fn kept_of(&self, old: &Pieces) -> (usize, usize) {
        let is_same = |(a, b): &(&Chunk, &Chunk)| Arc::ptr_eq(&a.within, &b.within);
        let chunks = self.0.iter().zip(&old.0).take_while(is_same).count();
        let (new_rest, old_rest) = (&self.0[chunks..], &old.0[chunks..]);
        let known = new_rest.first().map_or(self.len(), |chunk| chunk.first);
        let front = known + same(pieces(new_rest), pieces(old_rest));
        let pairs = new_rest.iter().rev().zip(old_rest.iter().rev());
        let chunks = pairs.take_while(is_same).count();
        let (new_rest, tail) = new_rest.split_at(new_rest.len() - chunks);
        let old_rest = &old_rest[..old_rest.len() - chunks];
        let known = tail.first().map_or(0, |chunk| self.len() - chunk.first);
        let back = known + same(pieces(new_rest).rev(), pieces(old_rest).rev());
        (front, back.min(self.len() - front).min(old.len() - front))
    }

    fn chunk_of(&self, number: usize) -> Option<usize> {
        let chunk = self.0.partition_point(|chunk| chunk.end() <= number);
        (chunk < self.0.len()).then_some(chunk)
    }
}

/// The pieces of chunks in a row.
fn pieces(chunks: &[Chunk]) -> impl DoubleEndedIterator<Item = &Piece> {
    chunks.iter().flat_map(|chunk| &chunk.within.pieces)
}

/// How many from the start of both are the very same.
fn same<'a>(new: impl Iterator<Item = &'a Piece>, old: impl Iterator<Item = &'a Piece>) -> usize {
    let is_same = |(new, old): &(&Piece, &Piece)| Arc::ptr_eq(&new.lowered, &old.lowered);
    new.zip(old).take_while(is_same).count()
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let chunks = self.0.iter().map(|chunk| chunk.within.pieces.len());
        f.debug_list().entries(chunks).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lower::lower;

    /// A piece of a text that another place far behind it may have a say in.
    fn piece(start: usize, len: usize, sees: usize, is_broken: bool) -> Piece {
        Piece {
            start,
            cut: Cut {
                end: start + len,
                looked: start + len + sees,
                broken_run: 0,
            },
            lowered: Arc::new(lower(if is_broken { "x = (" } else { "x = 1" })),
        }
    }

    /// Those of a script that are to be there.
    fn all(pieces: &Pieces) -> Vec<(usize, usize, usize, *const Lowered)> {
        let all = (0..pieces.len()).filter_map(|number| pieces.get(number));
        all.map(|piece| {
            let Piece {
                start,
                cut,
                lowered,
            } = piece;
            (start, cut.end, cut.looked, Arc::as_ptr(&lowered))
        })
        .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn chunks_are_as_one_list(
            start in 0..600usize,
            splices in prop::collection::vec(
                (any::<prop::sample::Index>(), 0..200usize, prop::collection::vec((1..9usize, 0..40usize, any::<bool>()), 0..200)),
                1..8,
            ),
        ) {
            let first: Vec<Piece> = (0..start).map(|n| piece(n * 5, 5, n % 7, n % 50 == 0)).collect();
            let mut pieces = Pieces::new(&first);
            let mut list = first;
            for (at, removed, lens) in splices {
                let front = at.index(list.len() + 1);
                let back = list.len() - (front + removed).min(list.len());
                let end = |list: &[Piece]| list.last().map_or(0, |piece| piece.cut.end);
                let from = list.get(list.len() - back).map_or(end(&list), |piece| piece.start);
                let mut to = end(&list[..front]);
                let new: Vec<Piece> = lens
                    .into_iter()
                    .map(|(len, sees, is_broken)| {
                        to += len;
                        piece(to - len, len, sees, is_broken)
                    })
                    .collect();
                let old = pieces.clone();
                pieces = pieces.spliced(front, new.clone(), back, (from, to));
                let moved: Vec<Piece> = list[list.len() - back..].iter().map(|piece| piece.moved(from, to)).collect();
                let known: Vec<Piece> = list;
                list = known[..front].iter().cloned().chain(new).chain(moved).collect();
                prop_assert_eq!(all(&pieces), all(&Pieces::new(&list)));
                prop_assert_eq!(pieces.len(), list.len());
                let (same_before, same_behind) = pieces.kept_of(&old);
                prop_assert_eq!((same_before, same_behind), naive(&list, &known));
                for (number, piece) in list.iter().enumerate().step_by(17) {
                    prop_assert_eq!(pieces.at(piece.start), Some(number));
                    prop_assert_eq!(pieces.at(piece.start + piece.len()), Some(number + 1).filter(|next| *next < list.len()));
                    let place = piece.start + 3;
                    let before = list.iter().take_while(|piece| piece.cut.looked < place).count();
                    prop_assert_eq!(pieces.before(place), before);
                    let some: Vec<usize> = pieces.within(number..number + 100).map(|(start, _)| start).collect();
                    let there = list[number..].iter().take(100).map(|piece| piece.start);
                    prop_assert_eq!(some, there.collect::<Vec<_>>());
                }
                let broken: Vec<usize> = pieces.broken().map(|(start, _)| start).collect();
                let there = list.iter().filter(|piece| piece.is_broken()).map(|piece| piece.start);
                prop_assert_eq!(broken, there.collect::<Vec<_>>());
            }
        }
    }

    fn naive(new: &[Piece], old: &[Piece]) -> (usize, usize) {
        let front = same(new.iter(), old.iter());
        let back = same(new[front..].iter().rev(), old[front..].iter().rev());
        (front, back)
    }

    #[test]
    fn an_edit_makes_one_chunk_anew() {
        let all: Vec<Piece> = (0..5000).map(|n| piece(n * 5, 5, 0, false)).collect();
        let old = Pieces::new(&all);
        let new = old.spliced(
            2000,
            vec![piece(10_000, 7, 0, false)],
            2999,
            (10_005, 10_007),
        );
        let is_old = |chunk: &&Chunk| {
            old.0
                .iter()
                .any(|old| Arc::ptr_eq(&old.within, &chunk.within))
        };
        assert_eq!(new.0.iter().filter(is_old).count(), old.0.len() - 1);
        assert_eq!(new.0.len(), old.0.len());
    }
}
