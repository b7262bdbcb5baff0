//! Matrices from nothing: random cells, samples, sequences.
//!
//! With a seed, cells are those that SystemDS draws from it. Without one they follow the run's own seed.

use super::operator::{Done, Operator, one};
use crate::error::OpError;
use crate::interp::builtins::args::{Args, required};
use crate::interp::{Fail, Interpreter};
use crate::kernels::generate::{self, Distribution, size};
use crate::kernels::random::{self, Pdf};
use crate::value::Value;

#[rustfmt::skip]
pub(super) static ROWS: &[Operator] = &[
    Operator { name: "rand",   run: rand },
    Operator { name: "sample", run: sample },
    Operator { name: "seq",    run: |_, a| seq(a) },
];

fn rand(interpreter: &mut Interpreter<'_>, args: Args) -> Done {
    const OP: &str = "rand";
    let [rows, cols, min, max, sparsity, pdf, seed, lambda] = args.bind([
        "rows", "cols", "min", "max", "sparsity", "pdf", "seed", "lambda",
    ])?;
    let number = |value: &Option<Value>, default: f64| -> Result<f64, Fail> {
        Ok(super::operator::optional(value.as_ref(), OP)?.unwrap_or(default))
    };
    let rows = size(OP, "rows", number(&rows, 1.0)?)?;
    let cols = size(OP, "cols", number(&cols, 1.0)?)?;
    let sparsity = number(&sparsity, 1.0)?;
    let name = pdf.map_or_else(|| "uniform".to_owned(), |v| v.to_string());
    if lambda.is_some() && name != "poisson" {
        let found = format!("pdf \"{name}\"");
        return Err(OpError::argument(OP, "lambda only with pdf \"poisson\"", found).into());
    }
    let pdf = match name.as_str() {
        "uniform" => Pdf::Uniform {
            min: number(&min, 0.0)?,
            max: number(&max, 1.0)?,
        },
        "normal" => Pdf::Normal,
        "poisson" => Pdf::Poisson {
            mean: number(&lambda, 1.0)?,
        },
        _ => {
            let expected = "pdf \"uniform\", \"normal\" or \"poisson\"";
            return Err(OpError::argument(OP, expected, format!("\"{name}\"")).into());
        }
    };
    let own = match (given_seed(OP, seed)?, pdf) {
        (Some(seed), _) => return one(random::seeded(rows, cols, pdf, sparsity, seed)?),
        (None, Pdf::Poisson { .. }) => {
            let seed = interpreter.next_seed() as i64;
            return one(random::seeded(rows, cols, pdf, sparsity, seed)?);
        }
        (None, Pdf::Uniform { min, max }) => Distribution::Uniform { min, max },
        (None, Pdf::Normal) => Distribution::Normal,
    };
    let seed = interpreter.next_seed();
    one(generate::random(rows, cols, own, sparsity, seed)?)
}

/// The seed, where one is given: -1 stands for none.
fn given_seed(op: &str, seed: Option<Value>) -> Result<Option<i64>, Fail> {
    Ok(match seed {
        None | Some(Value::Int(-1)) => None,
        Some(Value::Int(seed)) => Some(seed),
        Some(seed) => Some(seed.number(op)? as i64).filter(|seed| *seed != -1),
    })
}

/// `sample(range, size)`, with a truth value (may numbers repeat?), a seed, or both behind.
fn sample(interpreter: &mut Interpreter<'_>, mut args: Args) -> Done {
    const OP: &str = "sample";
    if args.positional.len() == 3 && !matches!(args.positional[2], Value::Bool(_)) {
        args.positional.insert(2, Value::Bool(false));
    }
    let [range, count, replace, seed] = args.bind(["range", "size", "replace", "seed"])?;
    let range = required(range, OP, "range")?.number(OP)?;
    let count = size(OP, "size", required(count, OP, "size")?.number(OP)?)?;
    let replace = super::operator::truth(replace.as_ref(), OP, false)?;
    let seed = match given_seed(OP, seed)? {
        Some(seed) => seed,
        None => interpreter.next_seed() as i64,
    };
    one(random::sample(range as i64, count, replace, seed)?)
}

fn seq(args: Args) -> Done {
    const OP: &str = "seq";
    let [from, to, by] = args.bind(["from", "to", "incr"])?;
    let from = required(from, OP, "from")?.number(OP)?;
    let to = required(to, OP, "to")?.number(OP)?;
    let by = super::operator::optional(by.as_ref(), OP)?.unwrap_or(1.0);
    // A step of one that leads away goes the other way, as in SystemDS.
    let by = if from > to && by == 1.0 { -1.0 } else { by };
    one(generate::seq(from, to, by)?)
}

impl Interpreter<'_> {
    /// A seed for a call that gives none: each call differs, each run with the same seed is the same.
    fn next_seed(&mut self) -> u64 {
        self.random_calls = self.random_calls.wrapping_add(1);
        self.options
            .seed
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .wrapping_add(self.random_calls)
    }
}
