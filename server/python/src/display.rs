//! Trees in short: `diag(mm(X, diag(w)))`. For people who read a trace or a test; must never be read by a program.

use std::fmt;

use crate::tree::{Step, Tree};

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.step {
            Step::Atom(atom) => f.write_str(&atom.text)?,
            Step::Number {
                value,
                is_int: true,
            } => write!(f, "{value}")?,
            Step::Number { value, .. } => write!(f, "{value:?}")?,
            Step::Size(text) => write!(f, "#{text}")?,
            Step::MatMul => f.write_str("mm")?,
            Step::Cell(op) | Step::Map(op) => {
                f.write_str(&format!("{op:?}").to_lowercase())?;
            }
            Step::Square => f.write_str("square")?,
            Step::Transpose => f.write_str("t")?,
            Step::Diag => f.write_str("diag")?,
            Step::Trace => f.write_str("trace")?,
            Step::Reduce { by, axis, keepdims } => {
                f.write_str(&format!("{by:?}").to_lowercase())?;
                if let Some(axis) = axis {
                    write!(f, "{axis}")?;
                }
                if *keepdims {
                    f.write_str("k")?;
                }
            }
            Step::Outer => f.write_str("outer")?,
            Step::Vdot => f.write_str("vdot")?,
            Step::Norm => f.write_str("norm")?,
            Step::AsColumn => f.write_str("column")?,
            Step::AsRow => f.write_str("row")?,
            Step::AsVector => f.write_str("vector")?,
            Step::Eye => f.write_str("eye")?,
            Step::Fill(value) => write!(f, "fill{value}")?,
        }
        for (at, part) in self.args.iter().enumerate() {
            f.write_str(if at == 0 { "(" } else { ", " })?;
            write!(f, "{part}")?;
        }
        if self.args.is_empty() {
            return Ok(());
        }
        f.write_str(")")
    }
}
