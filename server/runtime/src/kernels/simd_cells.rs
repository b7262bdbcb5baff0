//! Cellwise operators over slices, compiled for each vector width.
//!
//! Exponentials and the like are those of [`simd_math`]; every other function is the scalar one, which the compiler
//! turns into vectors where it can. A cell's result does not depend on where in a slice it stands.

#![allow(
    unsafe_code,
    reason = "calling a function compiled for more features needs proof that the machine has them"
)]

use sumac_la::Op;

use super::scalar::{self, with_binary, with_unary};
use super::simd::multiversion;
use super::simd_avx512_math::{self, Function};
use super::simd_math::{self, InPlace};

/// An argument: as many cells as there are results, or one number for all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row<'a> {
    One(f64),
    Many(&'a [f64]),
}

impl Row<'_> {
    #[inline(always)]
    pub(crate) fn at(&self, j: usize) -> f64 {
        match self {
            Row::One(x) => *x,
            Row::Many(cells) => cells[j],
        }
    }
}

/// What is done with cells before a function of them. One of the two changes nothing, so a fused multiplication gives what the
/// two operators give.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Affine {
    pub(super) times: f64,
    pub(super) plus: f64,
}

impl Affine {
    /// `x + c`.
    pub(crate) fn plus(c: f64) -> Affine {
        Affine {
            times: 1.0,
            plus: c,
        }
    }

    /// `c - x`.
    pub(crate) fn less_than(c: f64) -> Affine {
        Affine {
            times: -1.0,
            plus: c,
        }
    }

    /// `x * c`.
    pub(crate) fn times(c: f64) -> Affine {
        Affine {
            times: c,
            // Of the zeros the one that added to another leaves its sign.
            plus: -0.0,
        }
    }
}

/// The function that works on whole slices, where the operator has one of its own.
fn vector_function(op: Op) -> Option<InPlace> {
    Some(match op {
        Op::Exp => simd_math::exp,
        Op::Log => simd_math::log,
        Op::Sigmoid => simd_math::sigmoid,
        Op::Tanh => simd_math::tanh,
        _ => return None,
    })
}

/// `op` of each cell, in its place, where `op` is a cellwise operator of one argument.
pub(crate) fn unary(op: Op, cells: &mut [f64]) {
    match vector_function(op) {
        Some(f) => f(cells),
        None => other_unary(op, cells),
    }
}

/// What is asked for from memory while cells are worked on, a line of each row for a line of results: requests that come all at once
/// wait for each other.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Prefetch<'a> {
    pub(crate) rows: &'a [&'a [f64]],
    /// Where in each row.
    pub(crate) from: usize,
}

/// `op` of each cell of `x` into `out`, where `op` is a cellwise operator of one argument.
pub(crate) fn unary_into(op: Op, x: &[f64], out: &mut [f64]) {
    unary_with_prefetch(op, None, x, out, Prefetch::default());
}

/// `op` of what is done with each cell of `x` first, into `out`. What lies ahead is asked for if the operator is a
/// [`Function`].
pub(crate) fn unary_with_prefetch(
    op: Op,
    affine: Option<Affine>,
    x: &[f64],
    out: &mut [f64],
    ahead: Prefetch<'_>,
) {
    let done = Function::of(op)
        .is_some_and(|function| simd_avx512_math::into(function, affine, x, out, ahead));
    if !done {
        match affine {
            Some(affine) => shift(affine, x, out),
            None => out.copy_from_slice(x),
        }
        unary(op, out);
    }
}

multiversion! {
    fn shift = shift_body(affine: Affine, x: &[f64], out: &mut [f64]);
}

#[inline(always)]
fn shift_body<const FUSED: bool>(affine: Affine, x: &[f64], out: &mut [f64]) {
    for (to, x) in out.iter_mut().zip(x) {
        *to = x * affine.times + affine.plus;
    }
}

/// `out[i] = op(x[i], y[i])`, where `op` is a cellwise operator of two arguments.
pub(crate) fn binary(op: Op, x: Row<'_>, y: Row<'_>, out: &mut [f64]) {
    match (op, x, y) {
        (_, Row::One(x), Row::One(y)) => out.fill(scalar::binary(op, x, y).unwrap_or(f64::NAN)),
        (Op::Pow, _, Row::One(2.0)) => other_binary(op, x, y, out),
        (Op::Pow, _, _) => {
            fill(x, out);
            binary_left(op, out, y);
        }
        _ => other_binary(op, x, y, out),
    }
}

/// `x[i] = op(x[i], y[i])`.
pub(crate) fn binary_left(op: Op, x: &mut [f64], y: Row<'_>) {
    match (op, y) {
        (Op::Pow, Row::One(exponent)) if exponent != 2.0 => simd_math::pow_number(x, exponent),
        (Op::Pow, Row::Many(exponents)) => simd_math::pow(x, exponents),
        _ => in_place(x, y, |x, y, out| other_binary(op, x, y, out)),
    }
}

/// `y[i] = op(x[i], y[i])`.
pub(crate) fn binary_right(op: Op, x: Row<'_>, y: &mut [f64]) {
    in_place(y, x, |y, x, out| binary(op, x, y, out));
}

/// Tile by tile, `f` of a copy of the cells and the argument that goes with them, into the cells.
fn in_place(cells: &mut [f64], other: Row<'_>, f: impl Fn(Row<'_>, Row<'_>, &mut [f64])) {
    const TILE: usize = 256;
    let mut copy = [0.0; TILE];
    for (i, tile) in cells.chunks_mut(TILE).enumerate() {
        let copy = &mut copy[..tile.len()];
        copy.copy_from_slice(tile);
        let other = match other {
            Row::One(x) => Row::One(x),
            Row::Many(all) => Row::Many(&all[i * TILE..][..tile.len()]),
        };
        f(Row::Many(copy), other, tile);
    }
}

fn fill(x: Row<'_>, out: &mut [f64]) {
    match x {
        Row::One(x) => out.fill(x),
        Row::Many(x) => out.copy_from_slice(x),
    }
}

multiversion! {
    fn other_unary = other_unary_body(op: Op, cells: &mut [f64]);
}

multiversion! {
    fn other_binary = other_binary_body(op: Op, x: Row<'_>, y: Row<'_>, out: &mut [f64]);
}

#[inline(always)]
fn other_unary_body<const FUSED: bool>(op: Op, cells: &mut [f64]) {
    let _ = with_unary!(op, f => for x in cells.iter_mut() { *x = f(*x) });
}

#[inline(always)]
fn other_binary_body<const FUSED: bool>(op: Op, x: Row<'_>, y: Row<'_>, out: &mut [f64]) {
    let _ = with_binary!(op, f => match (x, y) {
        (Row::One(_), Row::One(_)) => {}
        (Row::One(x), Row::Many(y)) => out.iter_mut().zip(y).for_each(|(z, &y)| *z = f(x, y)),
        (Row::Many(x), Row::One(y)) => out.iter_mut().zip(x).for_each(|(z, &x)| *z = f(x, y)),
        (Row::Many(x), Row::Many(y)) => out.iter_mut().zip(x).zip(y).for_each(|((z, &x), &y)| *z = f(x, y)),
    });
}
