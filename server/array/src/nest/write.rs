//! How values are written where they belong.

use std::rc::Rc;

use super::layout::{Layout, at, pushed};
use super::lower::{Lowering, Made, To};
use super::values::{Kind, Loop, Val, Work};
use super::{BufferId, Ex, How, Index, Role, Stmt};
use crate::types::{Type, TypeId};

impl Lowering<'_> {
    /// Stores a value. Patterns around it that only say where elements belong stay around what is stored, so that it is
    /// stored in the order in which it is made.
    pub(super) fn keep(&mut self, value: &Val, ty: TypeId, role: Role) -> Made<Val> {
        if let Some((first, second, deep)) = self.unpaired(ty) {
            return self.keep_pairs(value, (first, second, deep), role);
        }
        if let Val::Array(array) = value {
            let kind = match &array.kind {
                Kind::Map(how, f, xs, below) if self.layout_of(f).is_some() => Some(Kind::Map(
                    *how,
                    f.clone(),
                    self.keep(xs, *below, role)?,
                    *below,
                )),
                Kind::Map(how, f, xs, below) => match self.unwrapped(f)? {
                    None => None,
                    Some((layout, inner, row)) => {
                        let Type::Array(n, _) = self.types.get(ty) else {
                            return Err("an array was expected".to_owned());
                        };
                        let inner_ty = self.types.add(Type::Array(n, row));
                        let made = Kind::Map(*how, inner, xs.clone(), *below);
                        let kept = self.keep(&Val::array(array.len, made), inner_ty, role)?;
                        let plain = Loop::Plain(How::InOrder);
                        Some(Kind::Map(plain, layout, kept, inner_ty))
                    }
                },
                Kind::Join(size, xs, below) => {
                    Some(Kind::Join(*size, self.keep(xs, *below, role)?, *below))
                }
                Kind::Transpose(xs, rows, below) => {
                    Some(Kind::Transpose(self.keep(xs, *below, role)?, *rows, *below))
                }
                Kind::Split(size, xs, below) => {
                    Some(Kind::Split(*size, self.keep(xs, *below, role)?, *below))
                }
                _ => None,
            };
            if let Some(kind) = kind {
                return Ok(Val::array(array.len, kind));
            }
        }
        let name = if role == Role::Stored { "stored" } else { "t" };
        let buffer = self.buffer(&format!("{name}{}", self.buffers.len()), ty, role)?;
        if role == Role::Local {
            self.emit(Stmt::Declare(buffer));
        }
        let to = self.row_major(buffer, Index::default(), ty);
        self.store(value, ty, &to)?;
        let memory = self.memory(buffer, Index::default(), ty);
        Ok(self.kept(memory, value.clone()))
    }

    /// Writes an array with a value before and behind it; types are those of the array and of the result.
    pub(super) fn pad_to(
        &mut self,
        [left, right]: [i64; 2],
        (value, xs): (&Val, &Val),
        (below, ty): (TypeId, TypeId),
        to: &To,
    ) -> Made<()> {
        let (Type::Array(_, of), Type::Array(n, _)) = (self.types.get(ty), self.types.get(below))
        else {
            return Err("an array was expected".to_owned());
        };
        let inner = self.real(n).map_or_else(|| self.size(n), Ok)?;
        for (start, count) in [(0, left), (left + inner, right)] {
            if count == 0 {
                continue;
            }
            self.each(count, Loop::Plain(How::InOrder), &mut |lowering, i| {
                let i = i.plus(&Index::number(start));
                lowering.store(value, of, &at(to, &i))
            })?;
        }
        let to = Rc::clone(to);
        let behind: To = Rc::new(move |path: &[Index]| {
            let mut moved = path.to_vec();
            moved[0] = moved[0].plus(&Index::number(left));
            to(&moved)
        });
        self.store(xs, below, &behind)
    }

    /// Writes a value of a type.
    pub(super) fn store(&mut self, value: &Val, ty: TypeId, to: &To) -> Made<()> {
        let (n, of) = match self.types.get(ty) {
            Type::Array(n, of) => (self.size(n)?, of),
            Type::Scalar(_) => {
                let (buffer, at) = to(&[]);
                self.put(buffer, at, 1, value.as_ex()?);
                return Ok(());
            }
            Type::Vector(n, _) => {
                let width = self.size(n)?;
                let (buffer, at) = self.vector_place(width, to, None)?;
                self.put(buffer, at, width, value.as_ex()?);
                return Ok(());
            }
            _ => return Err("pairs and functions cannot be stored in a buffer".to_owned()),
        };
        let array = Rc::clone(value.as_array()?);
        match &array.kind {
            Kind::Map(how, f, xs, below) => {
                // A function that only says where elements belong is no loop.
                if let Some(layout) = self.layout_of(f) {
                    return self.store(xs, *below, &pushed(&Layout::Each(Box::new(layout)), to));
                }
                self.force(xs)?;
                self.each(n, xs.over(*how), &mut |lowering, i| {
                    let x = lowering.element(xs, i)?;
                    let y = lowering.apply(f, x)?;
                    lowering.store(&y, of, &at(to, i))
                })
            }
            Kind::Join(size, xs, below) => {
                self.store(xs, *below, &pushed(&Layout::Join(*size), to))
            }
            Kind::Transpose(xs, _, below) => {
                self.store(xs, *below, &pushed(&Layout::Transpose, to))
            }
            Kind::Split(size, xs, below) => {
                self.store(xs, *below, &pushed(&Layout::Split(*size), to))
            }
            Kind::Later(later) => {
                if let Work::Numbers(width, xs) = &later.work {
                    return self.numbers_to(*width, xs, to);
                }
                if let Work::Pad(by, value, xs, below) = &later.work {
                    return self.pad_to(*by, (value, xs), (*below, later.ty), to);
                }
                let buffer = self.compute(later)?;
                let computed = self.memory(buffer, Index::default(), later.ty);
                let computed = self.as_made(later, computed)?;
                self.copy(&computed, n, of, to)
            }
            _ => {
                self.force(value)?;
                self.copy(value, n, of, to)
            }
        }
    }

    /// Writes the numbers of an array of vectors.
    pub(super) fn numbers_to(&mut self, width: i64, xs: &Val, to: &To) -> Made<()> {
        self.force(xs)?;
        let array = Rc::clone(xs.as_array()?);
        let how = match &array.kind {
            Kind::Map(how, ..) => *how,
            _ => Loop::Plain(How::InOrder),
        };
        self.each(array.len, xs.over(how), &mut |lowering, i| {
            let vector = lowering.index(&array, i)?.as_ex()?;
            let (buffer, at) = lowering.vector_place(width, to, Some(i))?;
            lowering.put(buffer, at, width, vector);
            Ok(())
        })
    }

    /// Where a vector belongs whose numbers are elements of what `to` places: they must stand side by side.
    fn vector_place(&mut self, width: i64, to: &To, i: Option<&Index>) -> Made<(BufferId, Index)> {
        let lane = self.lane(width);
        let start = i.map_or(Index::default(), |i| i.times(width));
        let (buffer, at) = to(&[start.plus(&Index::counter(lane))]);
        match at.step(lane) {
            Some(1) => Ok((buffer, at.at(lane, 0))),
            _ => Err(
                "the numbers of a vector do not stand side by side where they belong".to_owned(),
            ),
        }
    }

    /// Writes elements one by one, or vectors of numbers that stand side by side on both sides.
    fn copy(&mut self, value: &Val, len: i64, of: TypeId, to: &To) -> Made<()> {
        let is_number = matches!(self.types.get(of), Type::Scalar(_));
        let width = self.width;
        if is_number && width > 1 && !value.is_written() && len % width == 0 {
            let lane = self.lane(width);
            let from = self.noted.open.len();
            let one = self.element(value, &Index::counter(lane))?.as_ex()?;
            self.noted.open.truncate(from);
            let reads = match &one {
                Ex::Load(_, at, 1) => at.step(lane) == Some(1),
                Ex::Number(_) => true,
                _ => false,
            };
            let writes = to(&[Index::counter(lane)]).1.step(lane) == Some(1);
            if reads && writes {
                return self.each(
                    len / width,
                    Loop::Plain(How::InOrder),
                    &mut |lowering, i| {
                        let value = lowering.vector(width, value, i)?.as_ex()?;
                        let (buffer, at) = lowering.vector_place(width, to, Some(i))?;
                        lowering.put(buffer, at, width, value);
                        Ok(())
                    },
                );
            }
        }
        let how = value.over(Loop::Plain(How::InOrder));
        self.each(len, how, &mut |lowering, i| {
            let element = lowering.element(value, i)?;
            lowering.store(&element, of, &at(to, i))
        })
    }

    fn put(&mut self, buffer: BufferId, at: Index, width: i64, value: Ex) {
        // What stands there already is not written.
        if value == Ex::Load(buffer, at.clone(), width) {
            return;
        }
        let stmt = Stmt::Store(buffer, at, width, value);
        self.noted.store(&stmt);
        self.emit(stmt);
    }
}
