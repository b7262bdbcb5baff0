//! The expression of a line as written and as suggested, timed in the person's own Python.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use sumac_advice::{Suggestion, When};
use sumac_engine::Limits;
use sumac_engine::python::{self, Input, Measured, Request, Timing};
use sumac_ide::{CancelToken, quantity};
use sumac_la::Dim;
use sumac_language::Expression;

use super::Read;
use crate::cli::exit::{Exit, Usage};
use crate::cli::output::Output;

/// Seconds of measuring.
const SECONDS: f64 = 2.0;
/// Sizes that are tried where none is stated: the first under which the expression as written is quick and small.
const SIZES: [u64; 7] = [2000, 1000, 500, 200, 100, 50, 20];
/// What quick is by estimate, in seconds.
const QUICK: f64 = 0.5;
/// What small is, in bytes of results on the way.
const SMALL: f64 = 1e9;
/// How many times smaller a size is that has to be at most another.
const SMALLER: u64 = 10;

#[derive(Serialize)]
struct Report {
    file: String,
    line: usize,
    written: String,
    suggested: String,
    original: Side,
    optimized: Side,
    /// How many times faster: the median, and the quartiles.
    ratio: [f64; 3],
    /// The largest difference of the values over their largest magnitude; `null` where shapes differ.
    max_relative_error: Option<f64>,
    same_shape: bool,
    same_dtype: bool,
    sizes: BTreeMap<String, u64>,
    engine: &'static str,
    inputs: &'static str,
    scale: f64,
    python: String,
    numpy: String,
    program: String,
}

#[derive(Serialize)]
struct Side {
    ms_median: f64,
    ms_min: f64,
    runs: usize,
    peak_bytes: Option<u64>,
}

impl Side {
    fn of(measured: &Measured) -> Self {
        Side {
            ms_median: 1e3 * measured.seconds_median,
            ms_min: 1e3 * measured.seconds_min,
            runs: measured.runs,
            peak_bytes: measured.peak_bytes,
        }
    }
}

/// Times the first expression of a line that has a suggestion. `stated` are sizes that the person names.
///
/// # Errors
/// A size is no whole number above zero.
pub(crate) fn time(
    read: &Read<'_>,
    (path, line): (&Path, usize),
    stated: &[String],
    limits: &Limits,
    output: &Output,
) -> Result<Exit, Usage> {
    let stated = sizes_stated(stated)?;
    let mut found = read.searched(Some((line, line))).into_iter();
    let found =
        found.find_map(|(expression, found)| Some((expression, found.ok()?.into_iter().next()?)));
    let Some((expression, suggestion)) = found else {
        output.note(format_args!(
            "{}:{line}: there is no suggestion for this line, so nothing to time",
            read.file
        ));
        return Ok(Exit::Found);
    };
    let written = &read.text[expression.range];
    let outcome =
        request(expression, &suggestion, written, &stated).and_then(|(request, sizes)| {
            let start = path.parent().unwrap_or(Path::new("."));
            let interpreter = python::find(None, start, true).map_err(|error| error.to_string())?;
            output.note(format_args!(
                "running in {} ({})",
                interpreter.path.display(),
                interpreter.found_by
            ));
            let timed = python::time(&interpreter, &request, limits, &CancelToken::default());
            let timed = timed.map_err(|error| error.to_string())?;
            Ok((timed, sizes, interpreter))
        });
    match outcome {
        Ok((timing, sizes, interpreter)) => {
            let ratio = timing.original.seconds_median / timing.optimized.seconds_median;
            if output.is_json() {
                output.json(&Report {
                    file: read.file.clone(),
                    line,
                    written: written.to_owned(),
                    suggested: suggestion.text.clone(),
                    original: Side::of(&timing.original),
                    optimized: Side::of(&timing.optimized),
                    ratio: [ratio, timing.ratio_low, timing.ratio_high],
                    max_relative_error: timing
                        .max_relative_error
                        .is_finite()
                        .then_some(timing.max_relative_error),
                    same_shape: timing.same_shape,
                    same_dtype: timing.same_dtype,
                    sizes,
                    engine: "python",
                    inputs: "synthetic",
                    scale: 1.0,
                    python: timing.python,
                    numpy: timing.numpy,
                    program: interpreter.path.display().to_string(),
                });
            } else {
                output.print(text(
                    written,
                    &suggestion.text,
                    &timing,
                    ratio,
                    &sizes,
                    &stated,
                ));
            }
            Ok(Exit::Done)
        }
        Err(why) => {
            output.error(format_args!("{}:{line}: {why}", read.file));
            Ok(Exit::Found)
        }
    }
}

fn text(
    written: &str,
    suggested: &str,
    timing: &Timing,
    ratio: f64,
    sizes: &BTreeMap<String, u64>,
    stated: &BTreeMap<String, u64>,
) -> String {
    let side = |name: &str, form: &str, measured: &Measured| {
        let memory = measured.peak_bytes.map_or_else(String::new, |bytes| {
            #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
            let bytes = bytes as f64;
            format!(", {} on the way", quantity::bytes(bytes))
        });
        format!(
            "{name} {} ({} runs{memory}): `{form}`\n",
            quantity::seconds(measured.seconds_median),
            measured.runs
        )
    };
    let mut text = side("written  ", written, &timing.original)
        + &side("suggested", suggested, &timing.optimized);
    let alike = match (timing.same_shape, timing.same_dtype) {
        (true, true) => format!(
            "values differ by {}",
            quantity::relative_error(timing.max_relative_error)
        ),
        _ => "the values are of another shape or kind of number: do not take it, and report this"
            .to_owned(),
    };
    text.push_str(&format!(
        "{} as fast (half of the runs between {} and {}); {alike}\nPython {}, NumPy {}",
        quantity::ratio(ratio),
        quantity::ratio(timing.ratio_low),
        quantity::ratio(timing.ratio_high),
        timing.python,
        timing.numpy,
    ));
    let told: Vec<String> = sizes
        .iter()
        .map(|(name, size)| format!("{name} = {size}"))
        .collect();
    if !told.is_empty() {
        text.push_str(&format!(", {}", told.join(", ")));
        if let Some(free) = sizes.keys().find(|name| !stated.contains_key(*name)) {
            text.push_str(&format!(" (`--set {free}=…` says another)"));
        }
    }
    text.push('\n');
    text
}

/// What is run, and the sizes that were taken.
fn request(
    expression: &Expression,
    suggestion: &Suggestion,
    written: &str,
    stated: &BTreeMap<String, u64>,
) -> Result<(Request, BTreeMap<String, u64>), String> {
    let setting = expression.notation.setting()?;
    let dims = setting.arrays.iter().flat_map(|(_, dims, _)| dims);
    let sizes = chosen(expression, suggestion, dims, stated);
    let number = |dim: &Dim| {
        let terms = dim.terms().ok_or("a size is not known")?;
        let mut sum: i64 = 0;
        for (factor, names) in terms {
            let mut product = factor;
            for name in names {
                let size = sizes
                    .get(&name)
                    .copied()
                    .or_else(|| stated.get(&name).copied());
                let size =
                    size.ok_or_else(|| format!("`{name}` is not known; `--set {name}=…` says it"))?;
                product = product.saturating_mul(i64::try_from(size).unwrap_or(i64::MAX));
            }
            sum = sum.saturating_add(product);
        }
        u64::try_from(sum).map_err(|_| format!("`{dim}` is below zero at these sizes"))
    };
    let array = |(target, dims, dtype): &(String, Vec<Dim>, &'static str)| {
        let shape: Result<Vec<u64>, String> = dims.iter().map(number).collect();
        Ok::<Input, String>(Input {
            target: target.clone(),
            shape: shape?,
            dtype,
        })
    };
    let inputs: Result<Vec<Input>, String> = setting.arrays.iter().map(array).collect();
    let integer =
        |(name, dim): &(String, Dim)| Ok::<(String, u64), String>((name.clone(), number(dim)?));
    let integers: Result<Vec<_>, String> = setting.integers.iter().map(integer).collect();
    let request = Request {
        imports: setting.imports,
        inputs: inputs?,
        integers: integers?,
        original: written.to_owned(),
        optimized: suggestion.text.clone(),
        seconds: SECONDS,
        seed: 1,
    };
    Ok((request, sizes))
}

/// A number for each name: what is stated, else one under which the expression as written is quick and small, with the condition of the
/// suggestion kept.
fn chosen<'a>(
    expression: &Expression,
    suggestion: &Suggestion,
    dims: impl Iterator<Item = &'a Dim>,
    stated: &BTreeMap<String, u64>,
) -> BTreeMap<String, u64> {
    let price = &expression.price;
    let mut names: Vec<Arc<str>> = price.seconds.names().into_iter().collect();
    names.extend(suggestion.price.1.seconds.names());
    let of_dims = dims
        .flat_map(|dim| dim.terms().unwrap_or_default())
        .flat_map(|(_, names)| names);
    names.extend(of_dims.map(Arc::from));
    let sizes = |size: u64| -> BTreeMap<String, u64> {
        let one = |name: &Arc<str>| {
            let is_small = match &suggestion.when {
                When::Where { small, .. } => small == name,
                _ => expression.order.iter().any(|(small, _)| small == name),
            };
            let size = if is_small {
                (size / SMALLER).max(1)
            } else {
                size
            };
            (
                name.to_string(),
                stated.get(&**name).copied().unwrap_or(size),
            )
        };
        names.iter().map(one).collect()
    };
    let fits = |sizes: &BTreeMap<String, u64>| {
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let at = |name: &str| sizes.get(name).map(|size| *size as f64);
        let (seconds, bytes) = (price.seconds.at(&at), price.peak_bytes.at(&at));
        seconds.is_some_and(|seconds| seconds <= QUICK) && bytes.is_some_and(|bytes| bytes <= SMALL)
    };
    let smallest = SIZES[SIZES.len() - 1];
    SIZES
        .into_iter()
        .map(sizes)
        .find(fits)
        .unwrap_or_else(|| sizes(smallest))
}

/// `n=1000` as a size.
fn sizes_stated(stated: &[String]) -> Result<BTreeMap<String, u64>, Usage> {
    let one = |text: &String| {
        let size = text.split_once('=').and_then(|(name, size)| {
            let size = size.trim().parse().ok().filter(|size| *size > 0)?;
            Some((name.trim().to_owned(), size))
        });
        size.ok_or_else(|| {
            Usage(format!(
                "`--set {text}` states no size; write a name and a whole number above zero: n=1000"
            ))
        })
    };
    stated.iter().map(one).collect()
}
