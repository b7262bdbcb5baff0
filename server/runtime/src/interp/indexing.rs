//! Indexing, on both sides of an assignment: cells of matrices and frames, entries of lists by place or name.

use std::sync::Arc;
use std::time::Instant;

use sumac_la::Op;
use sumac_syntax::ast::{Expr, Index, Span};

use super::{Fail, Interpreter, Scope, Unit};
use crate::apply::apply;
use crate::error::OpError;
use crate::kernels::index;
use crate::value::{Frame, List, Value};

/// What an index names.
pub(super) enum Place {
    /// First and last row, first and last column, from 1.
    Cells([f64; 4]),
    /// The first entry of a list, and the one after the last, from 0.
    Entries(usize, usize),
}

impl Interpreter<'_> {
    /// `base[index]`.
    pub(super) fn indexed(
        &mut self,
        base: Value,
        index: &Index,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Value, Fail> {
        let place = self.index_place(&base, index, scope, unit)?;
        let start = Instant::now();
        let value = match (base, place) {
            (Value::List(list), Place::Entries(first, end)) => list.slice(first, end).into(),
            (Value::Frame(frame), Place::Cells(bounds)) => {
                let [rows, cols] = ranges(&frame, bounds)?;
                frame.slice(rows, cols).into()
            }
            (base, Place::Cells(bounds)) => {
                let mut args = vec![base];
                args.extend(bounds.map(Value::Double));
                apply(Op::RightIndex, args)?
            }
            (base, Place::Entries(..)) => {
                return Err(base.list("[…]").map(drop).unwrap_err().into());
            }
        };
        self.stats.add("rightIndex", start.elapsed());
        Ok(value)
    }

    /// `old` with `value` put into a place of it.
    pub(super) fn indexed_assign(
        &mut self,
        old: Value,
        value: Value,
        place: &Place,
    ) -> Result<Value, Fail> {
        let start = Instant::now();
        let new = match (old, place) {
            (Value::List(list), Place::Entries(first, end)) => {
                let mut list = Arc::try_unwrap(list).unwrap_or_else(|shared| (*shared).clone());
                set_entries(&mut list, *first, *end, value)?;
                list.into()
            }
            (Value::Frame(frame), Place::Cells(bounds)) => {
                let [rows, cols] = ranges(&frame, *bounds)?;
                let patch = match value {
                    Value::Frame(patch) => patch,
                    Value::Matrix(m) => Arc::new(Frame::of_matrix(&m)),
                    scalar => Arc::new(Frame::of_scalar(&scalar)?),
                };
                let frame = Arc::try_unwrap(frame).unwrap_or_else(|shared| (*shared).clone());
                frame.with(&patch, rows, cols)?.into()
            }
            (old, Place::Cells(bounds)) => {
                let mut args = vec![old, value];
                args.extend(bounds.map(Value::Double));
                apply(Op::LeftIndex, args)?
            }
            (old, Place::Entries(..)) => {
                return Err(old.list("[…] =").map(drop).unwrap_err().into());
            }
        };
        self.stats.add("leftIndex", start.elapsed());
        Ok(new)
    }

    /// What `index` names of `base`.
    pub(super) fn index_place(
        &mut self,
        base: &Value,
        index: &Index,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Place, Fail> {
        let (rows, cols) = match base {
            Value::List(list) => return self.entries(list, index, scope, unit),
            Value::Frame(frame) => (frame.rows(), frame.cols()),
            other => other.matrix("[…]")?.shape(),
        };
        // Without a comma, whole rows are meant.
        let all = Span::All;
        let col_span = index.cols.as_ref().unwrap_or(&all);
        let [rl, ru] = self.span(&index.rows, rows, scope, unit)?;
        let [cl, cu] = self.span(col_span, cols, scope, unit)?;
        Ok(Place::Cells([rl, ru, cl, cu]))
    }

    fn span(
        &mut self,
        span: &Span,
        size: usize,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<[f64; 2], Fail> {
        Ok(match span {
            Span::All => [1.0, size as f64],
            Span::At(at) => {
                let at = self.expr(at, scope, unit)?.number("[…]")?;
                [at, at]
            }
            Span::Range(low, high) => {
                let mut end = |end: &Option<Box<Expr>>, default: f64| match end {
                    Some(e) => Ok::<f64, Fail>(self.expr(e, scope, unit)?.number("[…]")?),
                    None => Ok(default),
                };
                [end(low, 1.0)?, end(high, size as f64)?]
            }
        })
    }

    fn entries(
        &mut self,
        list: &List,
        index: &Index,
        scope: &mut Scope,
        unit: &Unit,
    ) -> Result<Place, Fail> {
        // A list is a column of entries: a second position says nothing.
        let mut at = |expr: &Expr| {
            let value = self.expr(expr, scope, unit)?;
            entry(list, &value)
        };
        Ok(match &index.rows {
            Span::All => Place::Entries(0, list.len()),
            Span::At(expr) => {
                let at = at(expr)?;
                Place::Entries(at, at + 1)
            }
            Span::Range(low, high) => {
                let low = low.as_deref().map_or(Ok(0), &mut at)?;
                let high = high
                    .as_deref()
                    .map_or(Ok(list.len()), |e| Ok::<_, Fail>(at(e)? + 1))?;
                if high <= low {
                    let found = format!("{}:{high}", low + 1);
                    return Err(OpError::argument("[…]", "a range of entries", found).into());
                }
                Place::Entries(low, high)
            }
        })
    }
}

/// The place, from 0, of the entry that has this name or this number.
pub(super) fn entry(list: &List, key: &Value) -> Result<usize, Fail> {
    if let Value::Str(name) = key {
        return list.position(name).ok_or_else(|| {
            Fail::new(match list.names() {
                None => format!("the list has no names, so none is \"{name}\""),
                Some(names) => format!(
                    "the list has no entry \"{name}\"; it has {}",
                    names.join(", ")
                ),
            })
        });
    }
    let at = key.number("[…]")?.trunc();
    if at >= 1.0 && at <= list.len() as f64 {
        return Ok(at as usize - 1);
    }
    let at = crate::format::number(at);
    Err(Fail::new(format!(
        "entry {at} is outside of a list of {}",
        list.len()
    )))
}

fn set_entries(list: &mut List, first: usize, end: usize, value: Value) -> Result<(), Fail> {
    let Value::List(new) = value else {
        if end == first + 1 {
            list.set(first, value);
            return Ok(());
        }
        let expected = format!("a list of {}", end - first);
        return Err(OpError::argument("[…] =", expected, value.describe()).into());
    };
    if new.len() != end - first {
        let hint = if end == first + 1 {
            ", or list(x) to put a list x there"
        } else {
            ""
        };
        let expected = format!("a list of {}{hint}", end - first);
        return Err(
            OpError::argument("[…] =", expected, format!("a list of {}", new.len())).into(),
        );
    }
    for (at, value) in (first..end).zip(new.values()) {
        list.set(at, value.clone());
    }
    // One entry with a name brings its name along.
    if let (Some(names), 1) = (new.names(), end - first) {
        list.rename(first, names[0].clone());
    }
    Ok(())
}

fn ranges(
    frame: &Frame,
    [rl, ru, cl, cu]: [f64; 4],
) -> Result<[std::ops::Range<usize>; 2], OpError> {
    Ok([
        index::span(rl, ru, frame.rows(), "rows")?,
        index::span(cl, cu, frame.cols(), "columns")?,
    ])
}
