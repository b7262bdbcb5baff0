//! From frames to matrices and back: recoding, binning and dummy coding of columns.
//!
//! The metadata of an encoding is a frame as SystemDS has it: for each column of the encoded frame its tokens with
//! their codes, or the bounds of its bins. Other encodings, imputation and the removal of rows are not supported.

mod spec;

use std::collections::HashMap;
use std::sync::Arc;

use super::super::{Fail, Interpreter};
use super::args::{Args, Done, required};
use crate::error::OpError;
use crate::format::java_double;
use crate::matrix::Matrix;
use crate::value::{Column, ColumnType, Frame, Value};
use spec::{Binning, ColumnSpec, Encoding};

/// What stands between a token and its code, and between the bounds of a bin.
const SEP: char = '\u{b7}';

/// What encodes a column.
enum Codes {
    PassThrough,
    /// Tokens in the order of their codes.
    Tokens(Vec<Arc<str>>),
    /// Lower and upper bounds, in order.
    Bins(Vec<(f64, f64)>),
}

impl Codes {
    /// Number of codes.
    fn len(&self) -> usize {
        match self {
            Codes::PassThrough => 0,
            Codes::Tokens(tokens) => tokens.len(),
            Codes::Bins(bins) => bins.len(),
        }
    }

    /// From the cells of a column.
    fn learn(column: &Column, encoding: Encoding) -> Result<Codes, Fail> {
        Ok(match encoding {
            Encoding::PassThrough => Codes::PassThrough,
            Encoding::Recode => {
                let mut seen = HashMap::new();
                let mut tokens = Vec::new();
                for text in column.texts().into_iter().flatten() {
                    seen.entry(text.clone())
                        .or_insert_with(|| tokens.push(text));
                }
                Codes::Tokens(tokens)
            }
            Encoding::Bin(method, count) => Codes::Bins(bounds(column.numbers()?, method, count)),
        })
    }

    /// From a column of the metadata.
    fn recall(meta: &Column, encoding: Encoding) -> Result<Codes, Fail> {
        let texts = meta.texts();
        let entries = texts.iter().flatten().filter(|text| !text.is_empty());
        let wrong = |text: &str| {
            OpError::argument(
                "transformapply",
                "metadata of this encoding",
                format!("`{text}`"),
            )
        };
        Ok(match encoding {
            Encoding::PassThrough => Codes::PassThrough,
            Encoding::Recode => {
                let mut tokens: Vec<(usize, Arc<str>)> = Vec::new();
                for text in entries {
                    let (token, code) = text.rsplit_once(SEP).ok_or_else(|| wrong(text))?;
                    let code = code.parse().map_err(|_| wrong(text))?;
                    tokens.push((code, token.into()));
                }
                tokens.sort();
                if tokens
                    .iter()
                    .enumerate()
                    .any(|(at, (code, _))| *code != at + 1)
                {
                    return Err(wrong("codes that are not 1, 2, 3 …").into());
                }
                Codes::Tokens(tokens.into_iter().map(|(_, token)| token).collect())
            }
            Encoding::Bin(..) => {
                let bin = |text: &Arc<str>| {
                    let (low, high) = text.split_once(SEP).ok_or_else(|| wrong(text))?;
                    let number = |part: &str| part.parse::<f64>().map_err(|_| wrong(text));
                    Ok::<_, OpError>((number(low)?, number(high)?))
                };
                Codes::Bins(entries.map(bin).collect::<Result<_, _>>()?)
            }
        })
    }

    /// The entries of the metadata.
    fn entries(&self) -> Vec<String> {
        match self {
            Codes::PassThrough => Vec::new(),
            Codes::Tokens(tokens) => {
                let entry = |(at, token): (usize, &Arc<str>)| format!("{token}{SEP}{}", at + 1);
                tokens.iter().enumerate().map(entry).collect()
            }
            Codes::Bins(bins) => {
                let entry = |(low, high): &(f64, f64)| {
                    format!("{}{SEP}{}", java_double(*low), java_double(*high))
                };
                bins.iter().map(entry).collect()
            }
        }
    }

    /// The code of each cell; NaN where it has none.
    fn encode(&self, column: &Column) -> Result<Vec<f64>, Fail> {
        Ok(match self {
            Codes::PassThrough => column.numbers()?,
            Codes::Tokens(tokens) => {
                let codes: HashMap<&str, f64> = tokens
                    .iter()
                    .enumerate()
                    .map(|(at, token)| (&**token, (at + 1) as f64))
                    .collect();
                let code = |text: Option<Arc<str>>| {
                    let found = text.as_deref().and_then(|text| codes.get(text));
                    found.copied().unwrap_or(f64::NAN)
                };
                column.texts().into_iter().map(code).collect()
            }
            // What lies outside of all bins belongs to the first or last one.
            Codes::Bins(bins) => {
                let code = |x: f64| {
                    if x.is_nan() || bins.is_empty() {
                        return f64::NAN;
                    }
                    let below = bins.partition_point(|(_, high)| *high < x);
                    (below.min(bins.len() - 1) + 1) as f64
                };
                column.numbers()?.into_iter().map(code).collect()
            }
        })
    }

    /// What a code stands for; of a bin, its middle.
    fn decode(&self, code: f64) -> Option<String> {
        let at = (code >= 1.0).then(|| code as usize - 1)?;
        match self {
            Codes::PassThrough => None,
            Codes::Tokens(tokens) => tokens.get(at).map(ToString::to_string),
            Codes::Bins(bins) => bins
                .get(at)
                .map(|(low, high)| java_double((low + high) / 2.0)),
        }
    }
}

/// The bounds of `count` bins; none where there is no number.
fn bounds(mut cells: Vec<f64>, method: Binning, count: usize) -> Vec<(f64, f64)> {
    cells.retain(|x| !x.is_nan());
    cells.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (cells.first(), cells.last()) else {
        return Vec::new();
    };
    let upper = |bin: usize| match method {
        Binning::EquiWidth if bin + 1 == count => most,
        Binning::EquiWidth => least + (most - least) / count as f64 * (bin + 1) as f64,
        Binning::EquiHeight => {
            // The cell that ends this share of all cells.
            let end = (cells.len() * (bin + 1)).div_ceil(count).max(1);
            cells[end - 1]
        }
    };
    let mut low = least;
    let bin = |bin| {
        let high = upper(bin);
        (std::mem::replace(&mut low, high), high)
    };
    (0..count).map(bin).collect()
}

/// The encoded columns side by side.
fn encoded(frame: &Frame, specs: &[ColumnSpec], codes: &[Codes]) -> Result<Matrix, Fail> {
    let widths = specs.iter().zip(codes);
    let width: usize = widths
        .map(|(spec, codes)| if spec.dummy { codes.len() } else { 1 })
        .sum();
    let rows = frame.rows();
    let mut cells = vec![0.0; rows * width];
    let mut at = 0;
    for ((column, spec), codes) in frame.columns().iter().zip(specs).zip(codes) {
        let values = codes.encode(column)?;
        if !spec.dummy {
            for (row, value) in values.into_iter().enumerate() {
                cells[row * width + at] = value;
            }
            at += 1;
            continue;
        }
        for (row, code) in values.into_iter().enumerate() {
            if code >= 1.0 {
                cells[row * width + at + code as usize - 1] = 1.0;
            }
        }
        at += codes.len();
    }
    Ok(Matrix::dense(rows, width, cells).settled())
}

fn meta(frame: &Frame, codes: &[Codes]) -> Result<Frame, Fail> {
    let rows = codes.iter().map(Codes::len).max().unwrap_or(0);
    let column = |(column, codes): (&Column, &Codes)| {
        let entries = codes.entries().into_iter().map(|entry| Some(entry.into()));
        let mut texts: Vec<Option<Arc<str>>> = entries.collect();
        texts.resize(rows, None);
        Column::of_texts(column.name().clone(), ColumnType::String, texts)
    };
    let columns: Result<Vec<Column>, OpError> =
        frame.columns().iter().zip(codes).map(column).collect();
    Ok(Frame::new(columns?)?)
}

fn specs(spec: Option<Value>, function: &str, frame: &Frame) -> Result<Vec<ColumnSpec>, Fail> {
    let spec = required(spec, function, "spec")?;
    spec::read(&spec.to_string(), frame)
}

fn recalled(
    meta: Option<Value>,
    function: &str,
    specs: &[ColumnSpec],
) -> Result<(Value, Vec<Codes>), Fail> {
    let meta = required(meta, function, "meta")?;
    let columns = meta.frame(function)?.columns();
    if columns.len() != specs.len() {
        let expected = format!("metadata of {} columns", specs.len());
        return Err(OpError::argument(function, expected, columns.len()).into());
    }
    let codes = columns
        .iter()
        .zip(specs)
        .map(|(column, spec)| Codes::recall(column, spec.encoding));
    let codes = codes.collect::<Result<_, _>>()?;
    Ok((meta, codes))
}

/// `[X, meta] = transformencode(target = F, spec = "{…}")`.
pub(super) fn encode(_: &mut Interpreter<'_>, args: Args) -> Result<Vec<Value>, Fail> {
    const NAME: &str = "transformencode";
    let [target, spec] = args.bind(["target", "spec"])?;
    let target = required(target, NAME, "target")?;
    let frame = target.frame(NAME)?;
    let specs = specs(spec, NAME, frame)?;
    let codes = frame.columns().iter().zip(&specs);
    let codes: Vec<Codes> = codes
        .map(|(column, spec)| Codes::learn(column, spec.encoding))
        .collect::<Result<_, _>>()?;
    Ok(vec![
        encoded(frame, &specs, &codes)?.into(),
        meta(frame, &codes)?.into(),
    ])
}

/// `transformapply(target = F, spec = "{…}", meta = M)`.
pub(super) fn apply(_: &mut Interpreter<'_>, args: Args) -> Done {
    const NAME: &str = "transformapply";
    let [target, meta, spec] = args.bind(["target", "meta", "spec"])?;
    let target = required(target, NAME, "target")?;
    let frame = target.frame(NAME)?;
    let specs = specs(spec, NAME, frame)?;
    let (_, codes) = recalled(meta, NAME, &specs)?;
    Ok(Some(encoded(frame, &specs, &codes)?.into()))
}

/// `transformdecode(target = X, spec = "{…}", meta = M)`.
pub(super) fn decode(_: &mut Interpreter<'_>, args: Args) -> Done {
    const NAME: &str = "transformdecode";
    let [target, meta, spec] = args.bind(["target", "meta", "spec"])?;
    let target = required(target, NAME, "target")?;
    let m = target.matrix(NAME)?;
    let meta = required(meta, NAME, "meta")?;
    let specs = specs(spec, NAME, meta.frame(NAME)?)?;
    let (meta, codes) = recalled(Some(meta), NAME, &specs)?;
    let width: usize = specs
        .iter()
        .zip(&codes)
        .map(|(s, c)| if s.dummy { c.len() } else { 1 })
        .sum();
    if width != m.cols() {
        let expected = format!("a matrix of {width} columns");
        return Err(OpError::argument(NAME, expected, target.describe()).into());
    }
    let mut at = 0;
    let mut columns = Vec::new();
    for ((named, spec), codes) in meta.frame(NAME)?.columns().iter().zip(&specs).zip(&codes) {
        let values = (0..m.rows()).map(|row| {
            if !spec.dummy {
                return m.get(row, at);
            }
            let set = (0..codes.len()).find(|code| m.get(row, at + code) != 0.0);
            set.map_or(0.0, |code| (code + 1) as f64)
        });
        let values: Vec<f64> = values.collect();
        at += if spec.dummy { codes.len() } else { 1 };
        columns.push(if spec.encoding == Encoding::PassThrough {
            Column::of_numbers(named.name().clone(), values)
        } else {
            let texts = values
                .into_iter()
                .map(|code| codes.decode(code).map(Arc::from));
            Column::of_texts(named.name().clone(), ColumnType::String, texts.collect())?
        });
    }
    Ok(Some(Frame::new(columns)?.into()))
}

/// `transformcolmap(target = M, spec = "{…}")`: for each column of the frame its number, and the first and last
/// column that it becomes.
pub(super) fn column_map(_: &mut Interpreter<'_>, args: Args) -> Done {
    const NAME: &str = "transformcolmap";
    let [meta, spec] = args.bind(["target", "spec"])?;
    let meta = required(meta, NAME, "target")?;
    let specs = specs(spec, NAME, meta.frame(NAME)?)?;
    let (_, codes) = recalled(Some(meta), NAME, &specs)?;
    let mut next = 1;
    let mut cells = Vec::new();
    for (place, (spec, codes)) in specs.iter().zip(&codes).enumerate() {
        let width = if spec.dummy { codes.len() } else { 1 };
        cells.extend([place + 1, next, next + width - 1].map(|x| x as f64));
        next += width;
    }
    Ok(Some(Matrix::dense(specs.len(), 3, cells).into()))
}
