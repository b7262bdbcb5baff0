//! A size that goes by another name since a use showed two to be equal.

use std::sync::Arc;

use sumac_la::{Dim, as_f64};
use sumac_text::TextRange;

use crate::value::{Constant, ValueInfo};

/// A size that goes by another name since a use.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Equality {
    /// Its former name, such as `nrow(Y)`.
    pub(crate) name: Arc<str>,
    /// What it equals.
    pub(crate) to: Dim,
    /// The use.
    pub(crate) range: TextRange,
}

impl Equality {
    /// The variable whose size it is, where the name tells.
    pub(crate) fn variable(&self) -> Option<&str> {
        let inside = ["nrow(", "ncol("]
            .iter()
            .find_map(|start| self.name.strip_prefix(start))?;
        let name = inside.strip_suffix(')')?;
        Some(name.split_once('#').map_or(name, |(name, _)| name))
    }

    pub(crate) fn rename(&self, info: &mut ValueInfo) {
        for dim in [&mut info.rows, &mut info.cols, &mut info.size] {
            *dim = dim.with_name(&self.name, &self.to);
        }
        if let (Some(n), None) = (info.size.known(), &info.constant)
            && info.kind.is_numeric_scalar()
        {
            info.constant = Some(Constant::Number(as_f64(n)));
            info.is_assumed = true;
        }
    }
}
