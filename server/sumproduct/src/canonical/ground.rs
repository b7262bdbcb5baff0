//! Short axes written out cell by cell: what decides where an axis has fewer places than a term has indices for it, so that
//! forms that differ may still be equal, as `A %*% B` and `B %*% A` are for one cell. Must never look at an axis without
//! a number.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use super::atom::{Atom, AtomId, AtomKind, Context};
use super::coefficient::Coefficient;
use super::poly::Poly;
use super::sizes::SizeId;
use super::term::{At, Factor, Ix, Term};
use super::{Limits, Refused, label};

/// Products that may be written out before it is given up.
const MAX_WRITTEN: usize = 300_000;
/// Larger corners of the inputs are not tried before the whole.
const MAX_CORNER: u64 = 4;

/// For each index of a factor its place, where it has one.
type Places = SmallVec<[Option<u64>; 2]>;

/// What is left of a polyterm: for each written-out row and column, terms over the axes that stay.
type Cells = BTreeMap<(Option<u64>, Option<u64>, Term), Coefficient>;

/// The length of each index of a term that has a number.
pub(super) fn lengths(
    ctx: &Context,
    term: &Term,
    shape: (SizeId, SizeId),
) -> impl Iterator<Item = (Ix, u64)> {
    let lengths: Vec<(Ix, u64)> = term
        .indices()
        .into_iter()
        .filter_map(|ix| Some((ix, ctx.sizes.number(size_of(ctx, term, shape, ix)?)?)))
        .collect();
    lengths.into_iter()
}

fn size_of(ctx: &Context, term: &Term, shape: (SizeId, SizeId), ix: Ix) -> Option<SizeId> {
    match ix {
        Ix::ROW => Some(shape.0),
        Ix::COL => Some(shape.1),
        _ => term.0.iter().find_map(|f| {
            let place = f.at.iter().position(|i| *i == ix)?;
            ctx.atom(f.atom).axes.get(place).copied()
        }),
    }
}

/// Whether a sum of terms over inputs is zero for all inputs, where axes of the lengths `short` are written out.
/// `None`: that is too much to write.
pub(super) fn is_zero(
    ctx: &Context,
    poly: &Poly,
    shape: (SizeId, SizeId),
    short: &BTreeSet<u64>,
    limits: &Limits,
) -> Result<Option<bool>, Refused> {
    // Inputs that are zero but for a corner already tell most differences.
    for corner in 1..short.last().copied().unwrap_or(0).min(MAX_CORNER) {
        if is_zero_in(corner, ctx, poly, shape, short, limits)? == Some(false) {
            return Ok(Some(false));
        }
    }
    is_zero_in(u64::MAX, ctx, poly, shape, short, limits)
}

/// As [`is_zero`], for inputs that are zero behind the first `corner` places of each axis that is written out.
fn is_zero_in(
    corner: u64,
    ctx: &Context,
    poly: &Poly,
    shape: (SizeId, SizeId),
    short: &BTreeSet<u64>,
    limits: &Limits,
) -> Result<Option<bool>, Refused> {
    let mut writer = Writer {
        ctx: ctx.clone(),
        slices: BTreeMap::new(),
        cells: Cells::new(),
        limits,
    };
    let is_short = |size: SizeId| ctx.sizes.number(size).filter(|n| short.contains(n));
    // A term that does not mention the row has its value in each row.
    let free = [(Ix::ROW, shape.0), (Ix::COL, shape.1)];
    let free: Vec<(Ix, u64)> = free
        .into_iter()
        .filter_map(|(ix, size)| Some((ix, is_short(size)?.min(corner))))
        .collect();
    let mut written = 0_usize;
    for (term, c) in &poly.terms {
        let bound = lengths(ctx, term, shape)
            .filter(|(ix, n)| ix.bound_number().is_some() && short.contains(n))
            .map(|(ix, n)| (ix, n.min(corner)));
        let axes: Vec<(Ix, u64)> = free.iter().copied().chain(bound).collect();
        let places = axes.iter().try_fold(1_usize, |all, (_, n)| {
            all.checked_mul(usize::try_from(*n).ok()?)
        });
        written = match places.and_then(|n| written.checked_add(n)) {
            Some(n) if n <= MAX_WRITTEN => n,
            _ => return Ok(None),
        };
        let mut place = vec![0; axes.len()];
        for _ in 0..places.unwrap_or(0) {
            let at: Vec<(Ix, u64)> = axes.iter().map(|(ix, _)| *ix).zip(place.clone()).collect();
            writer.write(term, *c, &at)?;
            for (digit, (_, n)) in place.iter_mut().zip(&axes) {
                *digit += 1;
                if *digit < *n {
                    break;
                }
                *digit = 0;
            }
        }
    }
    Ok(Some(writer.cells.is_empty()))
}

struct Writer<'a> {
    /// A copy, to which the slices are added as atoms.
    ctx: Context,
    /// The part of an atom that has some of its indices at a place.
    slices: BTreeMap<(AtomId, Places), AtomId>,
    cells: Cells,
    limits: &'a Limits,
}

impl Writer<'_> {
    /// Adds a term with some of its indices at a place.
    fn write(&mut self, term: &Term, c: Coefficient, at: &[(Ix, u64)]) -> Result<(), Refused> {
        let place = |ix: Ix| at.iter().find(|(own, _)| *own == ix).map(|(_, n)| *n);
        let mut factors = Vec::with_capacity(term.0.len());
        for factor in &term.0 {
            let places: Places = factor.at.iter().map(|ix| place(*ix)).collect();
            if places.iter().all(Option::is_none) {
                factors.push(factor.clone());
            } else if factor.atom != AtomId::DELTA {
                factors.push(self.slice(factor, places));
            } else if places[0] != places[1] {
                return Ok(());
            }
        }
        let is_symmetric = |id| self.ctx.is_symmetric(id);
        let term = label::canonical(factors, &is_symmetric, self.limits.max_labelings)?;
        let key = (place(Ix::ROW), place(Ix::COL), term);
        let sum = match self.cells.get(&key) {
            Some(known) => known.plus(c),
            None => c,
        };
        if sum.is_zero() {
            self.cells.remove(&key);
        } else {
            self.cells.insert(key, sum);
        }
        Ok(())
    }

    fn slice(&mut self, factor: &Factor, places: Places) -> Factor {
        let is_open = |n: &usize| places[*n].is_none();
        let open: Vec<usize> = (0..places.len()).filter(is_open).collect();
        let at: At = open.iter().map(|n| factor.at[*n]).collect();
        let axes = &self.ctx.atom(factor.atom).axes;
        let axes = open.iter().filter_map(|n| axes.get(*n).copied()).collect();
        let key = (factor.atom, places);
        let atom = match self.slices.get(&key) {
            Some(known) => *known,
            None => {
                let id = self.ctx.add(Atom {
                    kind: AtomKind::Input(format!("{key:?}").into()),
                    axes,
                    is_symmetric: false,
                });
                self.slices.insert(key, id);
                id
            }
        };
        Factor {
            atom,
            at,
            power: factor.power,
        }
    }
}
