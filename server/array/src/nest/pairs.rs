//! Pairs: buffers hold numbers, so both parts of pairs stand in buffers of their own.

use super::lower::{Lowering, Made};
use super::values::{Kind, Loop, Val};
use super::{BufferId, Index, Role, Stmt};
use crate::types::{Type, TypeId};

/// One part of each pair of a value.
fn part(value: &Val, is_first: bool) -> Made<Val> {
    match value {
        Val::Pair(both) if is_first => Ok(both.0.clone()),
        Val::Pair(both) => Ok(both.1.clone()),
        Val::Array(array) => Ok(Val::array(array.len, Kind::Part(is_first, value.clone()))),
        _ => Err("a pair was expected".to_owned()),
    }
}

/// Pairs of two values, which stand so deep in arrays.
fn both(a: Val, b: Val, deep: u32) -> Val {
    match &a {
        Val::Array(array) if deep > 0 => Val::array(array.len, Kind::Both(deep, a, b)),
        _ => Val::pair(a, b),
    }
}

impl Lowering<'_> {
    /// Stores pairs as two values.
    pub(super) fn keep_pairs(
        &mut self,
        value: &Val,
        (first, second, deep): (TypeId, TypeId, u32),
        role: Role,
    ) -> Made<Val> {
        let a = self.keep(&part(value, true)?, first, role)?;
        let b = self.keep(&part(value, false)?, second, role)?;
        Ok(both(a, b, deep))
    }

    /// A reduction to pairs. What a step makes may be read of both parts, so all of it is there before any of it is written.
    pub(super) fn reduce_pairs(
        &mut self,
        (how, ty): (Loop, TypeId),
        f: &Val,
        start: &Val,
        xs: &Val,
    ) -> Made<Val> {
        if self.is_ragged() {
            return Err("a reduction to pairs cannot be cut where a size ends".to_owned());
        }
        self.force(xs)?;
        let mut sums = Vec::new();
        let so_far = self.places(ty, &mut sums)?;
        self.write_parts(start, ty, &sums)?;
        let len = xs.as_array()?.len;
        self.each(len, xs.over(how), &mut |lowering, i| {
            let f = lowering.apply(f, so_far.clone())?;
            let x = lowering.element(xs, i)?;
            let next = lowering.apply(&f, x)?;
            let mut made = Vec::new();
            let whole = lowering.places(ty, &mut made)?;
            lowering.write_parts(&next, ty, &made)?;
            lowering.write_parts(&whole, ty, &sums)
        })?;
        Ok(so_far)
    }

    /// A local buffer for each part that is no pair, in order, and the pairs that they are.
    fn places(&mut self, ty: TypeId, found: &mut Vec<BufferId>) -> Made<Val> {
        if let Some((first, second, deep)) = self.unpaired(ty) {
            let a = self.places(first, found)?;
            let b = self.places(second, found)?;
            return Ok(both(a, b, deep));
        }
        let buffer = self.buffer(&format!("t{}", self.buffers.len()), ty, Role::Local)?;
        self.emit(Stmt::Declare(buffer));
        found.push(buffer);
        Ok(self.memory(buffer, Index::default(), ty))
    }

    /// Writes each part that is no pair into its buffer.
    fn write_parts(&mut self, value: &Val, ty: TypeId, buffers: &[BufferId]) -> Made<()> {
        let mut left = buffers.iter().copied();
        self.write_next(value, ty, &mut left)
    }

    fn write_next(
        &mut self,
        value: &Val,
        ty: TypeId,
        left: &mut dyn Iterator<Item = BufferId>,
    ) -> Made<()> {
        if let Some((first, second, _)) = self.unpaired(ty) {
            self.write_next(&part(value, true)?, first, left)?;
            return self.write_next(&part(value, false)?, second, left);
        }
        let buffer = left.next().ok_or("a part of a pair has no buffer")?;
        let to = self.row_major(buffer, Index::default(), ty);
        self.store(value, ty, &to)
    }

    /// The types of both parts of pairs, and how deep they stand in arrays.
    pub(super) fn unpaired(&mut self, ty: TypeId) -> Option<(TypeId, TypeId, u32)> {
        match self.types.get(ty) {
            Type::Pair(a, b) => Some((a, b, 0)),
            Type::Array(n, of) => {
                let (a, b, deep) = self.unpaired(of)?;
                let a = self.types.add(Type::Array(n, a));
                let b = self.types.add(Type::Array(n, b));
                Some((a, b, deep + 1))
            }
            _ => None,
        }
    }
}
