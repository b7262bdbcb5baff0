//! Frames: tables whose columns have names and types of their own.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Value;
use crate::error::OpError;
use crate::format::{self, java_double};
use crate::matrix::Matrix;

/// The type of a column, by SystemDS's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is named as SystemDS names it")]
pub enum ColumnType {
    String,
    Fp64,
    Fp32,
    Int64,
    Int32,
    UInt8,
    Boolean,
    Character,
}

/// All types by the names that schemas have for them; the first of a type is the one that is printed.
const TYPES: [(&str, ColumnType); 13] = [
    ("STRING", ColumnType::String),
    ("FP64", ColumnType::Fp64),
    ("DOUBLE", ColumnType::Fp64),
    ("FP32", ColumnType::Fp32),
    ("FLOAT", ColumnType::Fp32),
    ("INT64", ColumnType::Int64),
    ("INTEGER", ColumnType::Int64),
    ("INT", ColumnType::Int64),
    ("INT32", ColumnType::Int32),
    ("UINT8", ColumnType::UInt8),
    ("BOOLEAN", ColumnType::Boolean),
    ("BOOL", ColumnType::Boolean),
    ("CHARACTER", ColumnType::Character),
];

impl ColumnType {
    /// The type that a schema calls `name`, in any case.
    #[must_use]
    pub fn by_name(name: &str) -> Option<ColumnType> {
        let name = name.trim();
        let row = TYPES.iter().find(|(n, _)| name.eq_ignore_ascii_case(n))?;
        Some(row.1)
    }

    /// As SystemDS prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        let row = TYPES.iter().find(|(_, ty)| *ty == self);
        row.map_or("STRING", |(name, _)| name)
    }

    /// The narrowest type that holds the cells of both.
    #[must_use]
    pub fn common(self, other: ColumnType) -> ColumnType {
        use ColumnType::{Boolean, Character, Fp32, Fp64, Int32, Int64, String, UInt8};
        const ORDER: [ColumnType; 8] =
            [Boolean, UInt8, Int32, Int64, Fp32, Fp64, Character, String];
        if self == other {
            return self;
        }
        let rank = |ty| ORDER.iter().position(|t| *t == ty).unwrap_or(7);
        match ORDER[rank(self).max(rank(other))] {
            Character => String,
            Fp32 if self == Int64 || other == Int64 => Fp64,
            wider => wider,
        }
    }
}

/// The cells of a column.
#[derive(Clone, PartialEq, Debug)]
enum Cells {
    /// Text; a missing cell is `None`.
    Text(Vec<Option<Arc<str>>>),
    /// Numbers with fractions.
    Number(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Truth values.
    Truth(Vec<bool>),
}

/// A column.
#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    name: Arc<str>,
    ty: ColumnType,
    cells: Cells,
}

/// A cell that does not fit the type of its column.
fn misfit(ty: ColumnType, text: &str) -> OpError {
    OpError::argument(
        "frame",
        format!("a cell of type {}", ty.name()),
        format!("\"{text}\""),
    )
}

fn number(text: &str, ty: ColumnType) -> Result<f64, OpError> {
    match text.trim() {
        "" => Ok(0.0),
        "true" | "TRUE" => Ok(1.0),
        "false" | "FALSE" => Ok(0.0),
        "Infinity" => Ok(f64::INFINITY),
        "-Infinity" => Ok(f64::NEG_INFINITY),
        text => text.parse().map_err(|_| misfit(ty, text)),
    }
}

fn truth(text: &str) -> Result<bool, OpError> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "t" | "1" | "1.0" => Ok(true),
        "false" | "f" | "0" | "0.0" | "" => Ok(false),
        _ => Err(misfit(ColumnType::Boolean, text)),
    }
}

impl Column {
    /// A column of a type from the texts of its cells.
    ///
    /// # Errors
    /// When a cell does not fit the type.
    pub fn of_texts(
        name: impl Into<Arc<str>>,
        ty: ColumnType,
        texts: Vec<Option<Arc<str>>>,
    ) -> Result<Column, OpError> {
        let texts_or_empty = || texts.iter().map(|t| t.as_deref().unwrap_or(""));
        let cells = match ty {
            ColumnType::String | ColumnType::Character => Cells::Text(texts),
            ColumnType::Fp64 | ColumnType::Fp32 => Cells::Number(
                texts_or_empty()
                    .map(|t| number(t, ty))
                    .collect::<Result<_, _>>()?,
            ),
            ColumnType::Int64 | ColumnType::Int32 | ColumnType::UInt8 => Cells::Whole(
                texts_or_empty()
                    .map(|t| match t.trim().parse() {
                        Ok(whole) => Ok(whole),
                        Err(_) => number(t, ty).map(|x| x as i64),
                    })
                    .collect::<Result<_, _>>()?,
            ),
            ColumnType::Boolean => {
                Cells::Truth(texts_or_empty().map(truth).collect::<Result<_, _>>()?)
            }
        };
        let name = name.into();
        Ok(Column { name, ty, cells })
    }

    /// A column of text without missing cells.
    #[must_use]
    pub fn of_strings(
        name: impl Into<Arc<str>>,
        texts: impl IntoIterator<Item = String>,
    ) -> Column {
        Column {
            name: name.into(),
            ty: ColumnType::String,
            cells: Cells::Text(texts.into_iter().map(|t| Some(t.into())).collect()),
        }
    }

    /// A column of numbers of type FP64.
    #[must_use]
    pub fn of_numbers(name: impl Into<Arc<str>>, numbers: Vec<f64>) -> Column {
        Column {
            name: name.into(),
            ty: ColumnType::Fp64,
            cells: Cells::Number(numbers),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The type.
    #[must_use]
    pub fn ty(&self) -> ColumnType {
        self.ty
    }

    /// Number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.cells {
            Cells::Text(c) => c.len(),
            Cells::Number(c) => c.len(),
            Cells::Whole(c) => c.len(),
            Cells::Truth(c) => c.len(),
        }
    }

    /// Whether there is no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cell as text; `None` where it is missing.
    ///
    /// # Panics
    /// When there is no such cell.
    #[must_use]
    pub fn text(&self, row: usize) -> Option<Cow<'_, str>> {
        match &self.cells {
            Cells::Text(c) => c[row].as_deref().map(Cow::Borrowed),
            Cells::Number(c) if self.ty == ColumnType::Fp32 => Some(java_float(c[row]).into()),
            Cells::Number(c) => Some(java_double(c[row]).into()),
            Cells::Whole(c) => Some(c[row].to_string().into()),
            Cells::Truth(c) => Some(if c[row] { "true" } else { "false" }.into()),
        }
    }

    /// The cell as it is printed: numbers of type FP64 with `decimals`.
    ///
    /// # Panics
    /// When there is no such cell.
    #[must_use]
    pub fn printed(&self, row: usize, decimals: usize) -> Cow<'_, str> {
        match &self.cells {
            Cells::Number(c) if self.ty == ColumnType::Fp64 => {
                format::fixed(c[row], decimals).into()
            }
            Cells::Truth(c) => if c[row] { "TRUE" } else { "FALSE" }.into(),
            _ => self.text(row).unwrap_or("null".into()),
        }
    }

    /// The cell as a scalar of its column's type; a missing cell is the text `null`.
    ///
    /// # Panics
    /// When there is no such cell.
    #[must_use]
    pub fn scalar(&self, row: usize) -> Value {
        match &self.cells {
            Cells::Text(c) => Value::Str(c[row].clone().unwrap_or_else(|| "null".into())),
            Cells::Number(c) => Value::Double(c[row]),
            Cells::Whole(c) => Value::Int(c[row]),
            Cells::Truth(c) => Value::Bool(c[row]),
        }
    }

    /// The cells as numbers; a missing one is zero.
    ///
    /// # Errors
    /// When a cell is text that is no number.
    pub fn numbers(&self) -> Result<Vec<f64>, OpError> {
        match &self.cells {
            Cells::Text(cells) => cells
                .iter()
                .map(|cell| match cell.as_deref() {
                    None => Ok(0.0),
                    Some(text) => number(text, ColumnType::Fp64).map_err(|_| {
                        OpError::argument(
                            "as.matrix",
                            "cells that are numbers",
                            format!("\"{text}\""),
                        )
                    }),
                })
                .collect(),
            Cells::Number(c) => Ok(c.clone()),
            Cells::Whole(c) => Ok(c.iter().map(|x| *x as f64).collect()),
            Cells::Truth(c) => Ok(c.iter().map(|b| f64::from(u8::from(*b))).collect()),
        }
    }

    /// All cells as text.
    #[must_use]
    pub fn texts(&self) -> Vec<Option<Arc<str>>> {
        match &self.cells {
            Cells::Text(cells) => cells.clone(),
            _ => (0..self.len())
                .map(|row| self.text(row).map(|text| Arc::from(&*text)))
                .collect(),
        }
    }

    /// The same cells in a column of another type.
    ///
    /// # Errors
    /// When a cell does not fit the type.
    pub fn cast(&self, ty: ColumnType) -> Result<Column, OpError> {
        if ty == self.ty {
            return Ok(self.clone());
        }
        if let (Cells::Number(cells), ColumnType::Fp64 | ColumnType::Fp32) = (&self.cells, ty) {
            return Ok(Column {
                name: self.name.clone(),
                ty,
                cells: Cells::Number(cells.clone()),
            });
        }
        Column::of_texts(self.name.clone(), ty, self.texts())
    }

    /// The same cells under another name.
    #[must_use]
    pub fn renamed(&self, name: impl Into<Arc<str>>) -> Column {
        Column {
            name: name.into(),
            ..self.clone()
        }
    }

    /// The cells of some rows.
    ///
    /// # Panics
    /// When the range leaves the column.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Column {
        let cells = match &self.cells {
            Cells::Text(c) => Cells::Text(c[rows].to_vec()),
            Cells::Number(c) => Cells::Number(c[rows].to_vec()),
            Cells::Whole(c) => Cells::Whole(c[rows].to_vec()),
            Cells::Truth(c) => Cells::Truth(c[rows].to_vec()),
        };
        Column {
            name: self.name.clone(),
            ty: self.ty,
            cells,
        }
    }

    /// The cells of both columns, in the narrowest type that holds them.
    fn followed_by(&self, other: &Column) -> Result<Column, OpError> {
        let ty = self.ty.common(other.ty);
        let (mut all, rest) = (self.cast(ty)?, other.cast(ty)?);
        match (&mut all.cells, rest.cells) {
            (Cells::Text(a), Cells::Text(b)) => a.extend(b),
            (Cells::Number(a), Cells::Number(b)) => a.extend(b),
            (Cells::Whole(a), Cells::Whole(b)) => a.extend(b),
            (Cells::Truth(a), Cells::Truth(b)) => a.extend(b),
            // Two columns of one type hold their cells in one way.
            _ => return Err(OpError::argument("rbind", "columns of one type", "several")),
        }
        Ok(all)
    }

    /// Replaces the cells from `first` on by those of `patch`, in this column's type.
    fn replace(&mut self, first: usize, patch: &Column) -> Result<(), OpError> {
        // Any text becomes a truth value, as in SystemDS: a frame of zeros and ones has columns of these.
        let patch = match (&self.cells, &patch.cells) {
            (Cells::Truth(_), Cells::Text(texts)) => Column {
                name: self.name.clone(),
                ty: self.ty,
                cells: Cells::Truth(
                    texts
                        .iter()
                        .map(|text| says_true(text.as_deref()))
                        .collect(),
                ),
            },
            _ => patch.cast(self.ty)?,
        };
        let rows = first..first + patch.len();
        match (&mut self.cells, &patch.cells) {
            (Cells::Text(a), Cells::Text(b)) => a[rows].clone_from_slice(b),
            (Cells::Number(a), Cells::Number(b)) => a[rows].copy_from_slice(b),
            (Cells::Whole(a), Cells::Whole(b)) => a[rows].copy_from_slice(b),
            (Cells::Truth(a), Cells::Truth(b)) => a[rows].copy_from_slice(b),
            _ => return Err(OpError::argument("[…] =", "columns of one type", "several")),
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        match &self.cells {
            Cells::Text(c) => c
                .iter()
                .map(|t| 16 + t.as_ref().map_or(0, |t| t.len() as u64))
                .sum(),
            Cells::Number(c) => 8 * c.len() as u64,
            Cells::Whole(c) => 8 * c.len() as u64,
            Cells::Truth(c) => c.len() as u64,
        }
    }
}

fn says_true(text: Option<&str>) -> bool {
    text.is_some_and(|text| {
        let text = text.trim();
        text.eq_ignore_ascii_case("true") || matches!(text, "t" | "1" | "1.0")
    })
}

/// As Java prints a 32-bit floating-point number.
fn java_float(x: f64) -> String {
    let x = x as f32;
    let size = x.abs();
    if x.is_finite() && (size == 0.0 || (1e-3..1e7).contains(&size)) {
        return format!("{x:?}");
    }
    if !x.is_finite() {
        return java_double(f64::from(x));
    }
    let text = format!("{x:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{point}E{exponent}")
}

fn number_names(columns: &mut [Column]) {
    for (place, column) in columns.iter_mut().enumerate() {
        column.name = Frame::default_name(place);
    }
}

/// A frame: columns of equal length.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Frame {
    rows: usize,
    columns: Vec<Column>,
}

impl Frame {
    /// From its columns.
    ///
    /// # Errors
    /// When they differ in length.
    pub fn new(columns: Vec<Column>) -> Result<Frame, OpError> {
        let rows = columns.first().map_or(0, Column::len);
        match columns.iter().find(|c| c.len() != rows) {
            Some(other) => Err(OpError::argument(
                "frame",
                format!("columns of {rows} cells"),
                other.len(),
            )),
            None => Ok(Frame { rows, columns }),
        }
    }

    /// The name that a column at this place, from 0, has by default.
    #[must_use]
    pub fn default_name(place: usize) -> Arc<str> {
        format!("C{}", place + 1).into()
    }

    /// The cells of a matrix: each column has the narrowest type that holds it, as SystemDS chooses it.
    #[must_use]
    pub fn of_matrix(m: &Matrix) -> Frame {
        let columns = (0..m.cols()).map(|col| {
            let cells: Vec<f64> = (0..m.rows()).map(|row| m.get(row, col)).collect();
            let (name, all) = (Frame::default_name(col), |f: fn(f64) -> bool| {
                cells.iter().all(|x| f(*x))
            });
            let whole = |cells: &[f64]| Cells::Whole(cells.iter().map(|x| *x as i64).collect());
            let (ty, cells) = if all(|x| x == 0.0 || x == 1.0) {
                (
                    ColumnType::Boolean,
                    Cells::Truth(cells.iter().map(|x| *x != 0.0).collect()),
                )
            } else if all(|x| x.fract() == 0.0 && x.abs() <= f64::from(i32::MAX)) {
                (ColumnType::Int32, whole(&cells))
            } else if all(|x| x.fract() == 0.0 && x.abs() < 9e15) {
                (ColumnType::Int64, whole(&cells))
            } else if all(|x| x.is_nan() || f64::from(x as f32) == x) {
                (ColumnType::Fp32, Cells::Number(cells))
            } else {
                (ColumnType::Fp64, Cells::Number(cells))
            };
            Column { name, ty, cells }
        });
        Frame {
            rows: m.rows(),
            columns: columns.collect(),
        }
    }

    /// A frame of one cell.
    ///
    /// # Errors
    /// When the value is no scalar.
    pub fn of_scalar(value: &Value) -> Result<Frame, OpError> {
        let (ty, cells) = match value {
            Value::Str(s) => (ColumnType::String, Cells::Text(vec![Some(s.clone())])),
            Value::Double(x) => (ColumnType::Fp64, Cells::Number(vec![*x])),
            Value::Int(i) => (ColumnType::Int64, Cells::Whole(vec![*i])),
            Value::Bool(b) => (ColumnType::Boolean, Cells::Truth(vec![*b])),
            other => return Err(OpError::argument("as.frame", "a scalar", other.describe())),
        };
        let name = Frame::default_name(0);
        Frame::new(vec![Column { name, ty, cells }])
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.columns.len()
    }

    /// The columns in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Where the column of that name stands, from 0.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| *c.name == *name)
    }

    /// The cells as numbers.
    ///
    /// # Errors
    /// When a cell is text that is no number.
    pub fn to_matrix(&self) -> Result<Matrix, OpError> {
        let columns: Vec<Vec<f64>> = self
            .columns
            .iter()
            .map(Column::numbers)
            .collect::<Result<_, _>>()?;
        let mut cells = Vec::with_capacity(self.rows * self.cols());
        for row in 0..self.rows {
            cells.extend(columns.iter().map(|column| column[row]));
        }
        Ok(Matrix::dense(self.rows, self.cols(), cells).settled())
    }

    /// Some rows and columns. Columns without names of their own are numbered anew.
    ///
    /// # Panics
    /// When a range leaves the frame.
    #[must_use]
    pub fn slice(&self, rows: Range<usize>, cols: Range<usize>) -> Frame {
        let (height, numbered) = (rows.len(), self.is_numbered());
        let mut columns: Vec<Column> = self.columns[cols]
            .iter()
            .map(|c| c.slice(rows.clone()))
            .collect();
        if numbered {
            number_names(&mut columns);
        }
        Frame {
            rows: height,
            columns,
        }
    }

    /// Whether all columns have the names that columns have by default.
    fn is_numbered(&self) -> bool {
        let mut columns = self.columns.iter().enumerate();
        columns.all(|(place, column)| column.name == Frame::default_name(place))
    }

    /// With the cells of some rows and columns replaced; they keep the types of their columns.
    ///
    /// # Errors
    /// When the patch has another shape or holds a cell that does not fit.
    ///
    /// # Panics
    /// When a range leaves the frame.
    pub fn with(
        mut self,
        patch: &Frame,
        rows: Range<usize>,
        cols: Range<usize>,
    ) -> Result<Frame, OpError> {
        if (patch.rows, patch.cols()) != (rows.len(), cols.len()) {
            return Err(OpError::argument(
                "[…] =",
                format!("a value of {} x {}", rows.len(), cols.len()),
                format!("{} x {}", patch.rows, patch.cols()),
            ));
        }
        for (column, new) in self.columns[cols].iter_mut().zip(&patch.columns) {
            column.replace(rows.start, new)?;
        }
        Ok(self)
    }

    /// Frames side by side. Names stay where all differ; else all are numbered.
    ///
    /// # Errors
    /// When they differ in rows.
    pub fn cbind(parts: &[&Frame]) -> Result<Frame, OpError> {
        let rows = parts.first().map_or(0, |f| f.rows);
        if let Some(other) = parts.iter().find(|f| f.rows != rows) {
            let expected = format!("frames of {rows} rows");
            return Err(OpError::argument("cbind", expected, other.rows));
        }
        let mut columns: Vec<Column> = parts.iter().flat_map(|f| f.columns.clone()).collect();
        let mut names: Vec<&Arc<str>> = columns.iter().map(|c| &c.name).collect();
        names.sort();
        names.dedup();
        if names.len() < columns.len() {
            number_names(&mut columns);
        }
        Ok(Frame { rows, columns })
    }

    /// Frames one above the other; a column has the narrowest type that holds all its cells.
    ///
    /// # Errors
    /// When they differ in columns, or there are none.
    pub fn rbind(parts: &[&Frame]) -> Result<Frame, OpError> {
        let Some((first, rest)) = parts.split_first() else {
            return Err(OpError::argument("rbind", "at least one frame", "none"));
        };
        let mut all = (*first).clone();
        for part in rest {
            if part.cols() != all.cols() {
                let expected = format!("frames of {} columns", all.cols());
                return Err(OpError::argument("rbind", expected, part.cols()));
            }
            for (column, more) in all.columns.iter_mut().zip(&part.columns) {
                *column = column.followed_by(more)?;
            }
            all.rows += part.rows;
        }
        Ok(all)
    }

    /// Bytes of the cells.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.columns.iter().map(Column::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cells: &[&str]) -> Column {
        Column::of_strings("c", cells.iter().map(|c| (*c).to_owned()))
    }

    #[test]
    fn a_column_of_a_matrix_has_the_narrowest_type() {
        let m = Matrix::from_rows(&[&[1.0, 2.0, 2.5, 0.1, 1e12], &[0.0, 3.0, f64::NAN, 0.2, 1.0]]);
        let types: Vec<&str> = Frame::of_matrix(&m)
            .columns()
            .iter()
            .map(|c| c.ty().name())
            .collect();
        assert_eq!(types, ["BOOLEAN", "INT32", "FP32", "FP64", "INT64"]);
    }

    #[test]
    fn stacked_columns_have_a_type_for_all_cells() {
        let whole = Frame::of_scalar(&Value::Int(3)).unwrap();
        let half = Frame::of_scalar(&Value::Double(2.5)).unwrap();
        let both = Frame::rbind(&[&whole, &half]).unwrap();
        assert_eq!(both.columns()[0].ty(), ColumnType::Fp64);
        assert_eq!(both.columns()[0].printed(0, 3), "3.000");
        let word = Frame::new(vec![text(&["a"])]).unwrap();
        let all = Frame::rbind(&[&word, &half]).unwrap();
        assert_eq!(all.columns()[0].text(1).unwrap(), "2.5");
    }

    #[test]
    fn cells_that_do_not_fit_are_refused() {
        let whole = Frame::of_scalar(&Value::Int(3)).unwrap();
        let word = Frame::new(vec![text(&["a"])]).unwrap();
        assert!(whole.clone().with(&word, 0..1, 0..1).is_err());
        assert!(
            whole
                .with(&Frame::new(vec![text(&["1", "2"])]).unwrap(), 0..1, 0..1)
                .is_err()
        );
        assert!(word.to_matrix().is_err());
        assert!(Frame::new(vec![text(&["a"]), text(&[])]).is_err());
    }

    #[test]
    fn names_that_occur_twice_are_numbered() {
        let word = Frame::new(vec![text(&["a"])]).unwrap();
        let both = Frame::cbind(&[&word, &word]).unwrap();
        assert_eq!(&**both.columns()[1].name(), "C2");
    }
}
