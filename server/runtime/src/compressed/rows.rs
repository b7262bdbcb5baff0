//! Which rows of a group have which tuple: the three encodings of that, and walks along them.
//!
//! After Elgohary et al., "Compressed Linear Algebra for Large-Scale Machine Learning" (PVLDB 9(12), 2016), section 3: a code
//! for each row, a list of rows for each tuple, or a list of runs for each tuple. Lists leave out one tuple, the most frequent
//! one, which fills what they do not name. Nothing here knows the values of a tuple.

use std::ops::Range;

/// Rows whose places in a list take two bytes.
pub(super) const SEGMENT: usize = 1 << 16;

/// The most tuples that a group can have: their codes take two bytes.
pub(super) const MOST_TUPLES: usize = 1 << 16;

/// Tuples whose codes take one byte.
pub(super) const BYTE_TUPLES: usize = 1 << 8;

/// The tuple of each row.
#[derive(Debug)]
pub(super) enum Rows {
    /// A code of one byte for each row.
    Bytes(Vec<u8>),
    /// A code of two bytes for each row.
    Shorts(Vec<u16>),
    /// The rows of each tuple but the last.
    Offsets(Places),
    /// The runs of each tuple but the last: where they begin, and one less than their lengths.
    Runs(Places, Vec<u16>),
}

/// For each segment of rows, and in it for each tuple that has a list, some rows of the segment in ascending order.
#[derive(Debug)]
pub(super) struct Places {
    /// Tuples that have lists.
    tuples: usize,
    /// Where the list of a tuple in a segment begins, and at last the length of all lists.
    starts: Vec<u32>,
    /// Rows, counted from the beginning of their segment.
    rows: Vec<u16>,
}

/// The rows of one tuple in a part of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct List<'a> {
    /// The tuple that they have.
    pub(super) tuple: usize,
    /// Rows, counted from the beginning of their segment.
    pub(super) rows: &'a [u16],
    /// Where `rows` begins among the entries of all lists.
    entry: usize,
    /// The first row of the segment.
    base: usize,
    /// The first row that was asked for.
    low: usize,
}

impl List<'_> {
    /// Where a row of the list lies among those that were asked for, where it is one of them.
    #[inline(always)]
    pub(super) fn place(&self, row: u16) -> usize {
        self.base + usize::from(row) - self.low
    }
}

/// How [`Rows::of`] lays rows out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Codes,
    Offsets,
    Runs,
}

/// What decides how many bytes the forms take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Extent {
    /// Rows of the matrix.
    pub(super) rows: f64,
    /// Tuples, also the one without a list.
    pub(super) tuples: f64,
    /// Rows that are named in lists.
    pub(super) listed: f64,
    /// Runs of the tuples that have lists.
    pub(super) runs: f64,
}

impl Extent {
    /// Bytes of a form; infinite where it cannot be.
    pub(super) fn bytes(&self, form: Form) -> f64 {
        let starts = 4.0 * (self.rows / SEGMENT as f64).ceil() * (self.tuples - 1.0) + 4.0;
        match form {
            _ if self.tuples > MOST_TUPLES as f64 => f64::INFINITY,
            Form::Codes if self.tuples <= BYTE_TUPLES as f64 => self.rows,
            Form::Codes => 2.0 * self.rows,
            Form::Offsets => 2.0 * self.listed + starts,
            Form::Runs => 4.0 * self.runs + starts,
        }
    }

    /// The form of the fewest bytes; of equals the one that is walked fastest.
    pub(super) fn smallest(&self) -> Form {
        [Form::Codes, Form::Runs, Form::Offsets]
            .into_iter()
            .min_by(|a, b| self.bytes(*a).total_cmp(&self.bytes(*b)))
            .unwrap_or(Form::Codes)
    }
}

/// How many runs `ids` has of other tuples than `rest`; a run ends with its segment.
pub(super) fn runs(ids: &[u16], rest: u16) -> usize {
    let of_segment = |segment: &[u16]| {
        let begins = |pair: &[u16]| pair[0] != pair[1] && pair[1] != rest;
        usize::from(segment[0] != rest) + segment.windows(2).filter(|pair| begins(pair)).count()
    };
    ids.chunks(SEGMENT).map(of_segment).sum()
}

impl Rows {
    /// Lays out `ids`, which are below `tuples`. In lists the last tuple is the one that has none.
    pub(super) fn of(ids: &[u16], tuples: usize, form: Form) -> Rows {
        match form {
            Form::Codes if tuples <= BYTE_TUPLES => {
                Rows::Bytes(ids.iter().map(|id| *id as u8).collect())
            }
            Form::Codes => Rows::Shorts(ids.to_vec()),
            Form::Offsets => Rows::Offsets(Places::of(ids, tuples, |_, _| true).0),
            Form::Runs => {
                let (places, at) = Places::of(ids, tuples, |segment, i| {
                    i == 0 || segment[i - 1] != segment[i]
                });
                let length = |start: usize| {
                    let segment = &ids[start..ids.len().min((start / SEGMENT + 1) * SEGMENT)];
                    let same = segment.iter().take_while(|id| **id == segment[0]);
                    (same.count() - 1) as u16
                };
                let lengths = at.into_iter().map(length).collect();
                Rows::Runs(places, lengths)
            }
        }
    }

    /// Bytes of codes and lists.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Rows::Bytes(codes) => codes.len(),
            Rows::Shorts(codes) => size_of_val(codes.as_slice()),
            Rows::Offsets(places) => places.bytes(),
            Rows::Runs(places, lengths) => places.bytes() + size_of_val(lengths.as_slice()),
        }
    }

    /// How many rows or runs are named.
    pub(super) fn entries(&self) -> usize {
        match self {
            Rows::Bytes(codes) => codes.len(),
            Rows::Shorts(codes) => codes.len(),
            Rows::Offsets(places) | Rows::Runs(places, _) => places.rows.len(),
        }
    }

    /// Whether the last tuple fills the rows that no list names.
    pub(super) fn has_rest(&self) -> bool {
        matches!(self, Rows::Offsets(_) | Rows::Runs(..))
    }

    /// Calls `f` with the tuple and the rows of each run in `range`, from 0 at its beginning. Rows of the tuple without a list are
    /// left out.
    #[inline(always)]
    pub(super) fn each_run(&self, range: Range<usize>, mut f: impl FnMut(usize, Range<usize>)) {
        match self {
            Rows::Bytes(codes) => {
                for (row, code) in codes[range].iter().enumerate() {
                    f(usize::from(*code), row..row + 1);
                }
            }
            Rows::Shorts(codes) => {
                for (row, code) in codes[range].iter().enumerate() {
                    f(usize::from(*code), row..row + 1);
                }
            }
            Rows::Offsets(places) => places.each(range, |_| 1, f),
            Rows::Runs(places, lengths) => {
                places.each(range, |entry| usize::from(lengths[entry]) + 1, f);
            }
        }
    }

    /// The tuple of each row of `range`, where `rest` is the one without a list.
    pub(super) fn ids(&self, range: Range<usize>, rest: usize) -> Vec<u16> {
        match self {
            Rows::Bytes(codes) => codes[range].iter().map(|code| u16::from(*code)).collect(),
            Rows::Shorts(codes) => codes[range].to_vec(),
            Rows::Offsets(_) | Rows::Runs(..) => {
                let mut ids = vec![rest as u16; range.len()];
                self.each_run(range, |tuple, rows| ids[rows].fill(tuple as u16));
                ids
            }
        }
    }
}

impl Places {
    /// The places of `ids` but of the last tuple's for which `wanted` says so of their segment; and the rows of the matrix
    /// that they are, in the order of the lists.
    fn of(
        ids: &[u16],
        tuples: usize,
        wanted: impl Fn(&[u16], usize) -> bool,
    ) -> (Places, Vec<usize>) {
        let lists = tuples.saturating_sub(1);
        let mut starts = vec![0_u32; ids.len().div_ceil(SEGMENT) * lists + 1];
        let each = |f: &mut dyn FnMut(usize, usize, usize)| {
            for (s, segment) in ids.chunks(SEGMENT).enumerate() {
                for (i, id) in segment.iter().enumerate() {
                    let tuple = usize::from(*id);
                    if tuple < lists && wanted(segment, i) {
                        f(s * lists + tuple, i, s * SEGMENT + i);
                    }
                }
            }
        };
        each(&mut |list, _, _| starts[list + 1] += 1);
        for list in 1..starts.len() {
            starts[list] += starts[list - 1];
        }
        let all = starts.last().map_or(0, |all| *all as usize);
        let (mut rows, mut at) = (vec![0_u16; all], vec![0_usize; all]);
        let mut next = starts.clone();
        each(&mut |list, place, row| {
            let entry = next[list] as usize;
            (rows[entry], at[entry]) = (place as u16, row);
            next[list] += 1;
        });
        let places = Places {
            tuples: lists,
            starts,
            rows,
        };
        (places, at)
    }

    fn bytes(&self) -> usize {
        size_of_val(self.starts.as_slice()) + size_of_val(self.rows.as_slice())
    }

    /// Calls `f` with the tuple and the rows of what lies in `range`, cut where it leaves it. `length` is that of an entry.
    #[inline(always)]
    fn each(
        &self,
        range: Range<usize>,
        length: impl Fn(usize) -> usize,
        mut f: impl FnMut(usize, Range<usize>),
    ) {
        let (low, high) = (range.start, range.end);
        self.each_list(range, &length, |list| {
            for (i, row) in list.rows.iter().enumerate() {
                let first = list.base + usize::from(*row);
                let last = (first + length(list.entry + i)).min(high);
                f(list.tuple, first.max(low) - low..last - low);
            }
        });
    }

    /// Calls `f` with each list's part that reaches into `range`, segment after segment. `length` is that of an entry.
    #[inline(always)]
    pub(super) fn each_list<'a>(
        &'a self,
        range: Range<usize>,
        length: impl Fn(usize) -> usize,
        mut f: impl FnMut(List<'a>),
    ) {
        for segment in range.start / SEGMENT..range.end.div_ceil(SEGMENT) {
            let base = segment * SEGMENT;
            let (low, high) = (range.start.max(base), range.end.min(base + SEGMENT));
            let is_whole = low == base && high == base + SEGMENT;
            for tuple in 0..self.tuples {
                let list = segment * self.tuples + tuple;
                let (start, end) = (self.starts[list] as usize, self.starts[list + 1] as usize);
                let rows = &self.rows[start..end];
                let (from, to) = if is_whole {
                    (0, rows.len())
                } else {
                    let to = rows.partition_point(|row| base + usize::from(*row) < high);
                    let from = rows[..to].partition_point(|row| base + usize::from(*row) < low);
                    // A run that begins before may reach into the range.
                    let reaches = from > 0
                        && base + usize::from(rows[from - 1]) + length(start + from - 1) > low;
                    (from - usize::from(reaches), to)
                };
                f(List {
                    tuple,
                    rows: &rows[from..to],
                    entry: start + from,
                    base,
                    low: range.start,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(len: usize, tuples: usize, run: usize) -> Vec<u16> {
        let id = |i: usize| (i / run * 7 + i / run / 3) % (tuples + 2);
        (0..len).map(|i| id(i).min(tuples - 1) as u16).collect()
    }

    #[test]
    fn every_form_gives_each_row_its_tuple_in_any_range() {
        for (len, tuples, run) in [
            (0, 1, 1),
            (1, 1, 1),
            (1, 2, 1),
            (1000, 5, 3),
            (SEGMENT, 2, 70_000),
            (SEGMENT + 1, 3, 9),
            (2 * SEGMENT + 77, 300, 40_000),
            (3000, 300, 1),
        ] {
            let ids = ids(len, tuples, run);
            for form in [Form::Codes, Form::Offsets, Form::Runs] {
                let rows = Rows::of(&ids, tuples, form);
                for range in [
                    0..len,
                    len / 3..len,
                    len / 3..len / 2,
                    len..len,
                    0..len.min(1),
                ] {
                    assert_eq!(
                        rows.ids(range.clone(), tuples - 1),
                        &ids[range.clone()],
                        "{form:?}, {tuples} tuples, {range:?} of {len}"
                    );
                }
            }
        }
    }

    #[test]
    fn bytes_of_a_form_are_those_that_its_extent_says() {
        for (len, tuples, run) in [(1000, 5, 3), (2 * SEGMENT + 77, 300, 40), (400, 1, 1)] {
            let ids = ids(len, tuples, run);
            let rest = (tuples - 1) as u16;
            let extent = Extent {
                rows: len as f64,
                tuples: tuples as f64,
                listed: ids.iter().filter(|id| **id != rest).count() as f64,
                runs: runs(&ids, rest) as f64,
            };
            for form in [Form::Codes, Form::Offsets, Form::Runs] {
                let rows = Rows::of(&ids, tuples, form);
                assert_eq!(rows.bytes() as f64, extent.bytes(form), "{form:?} of {len}");
            }
            let least = extent.bytes(extent.smallest());
            assert!(
                [Form::Codes, Form::Offsets, Form::Runs]
                    .iter()
                    .all(|form| extent.bytes(*form) >= least)
            );
        }
    }
}
