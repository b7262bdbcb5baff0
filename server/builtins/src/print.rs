//! How a builtin is printed for people: its signature in one line, and the extents of its results.

use std::fmt::{self, Display, Formatter, Write as _};

use crate::model::{Builtin, Extent, Param, Presence, ResultValue, Size};

impl Builtin {
    /// The call and its results in one line: `lm(X: matrix, y: matrix, icpt: int = 0) -> (B: matrix)`.
    #[must_use]
    pub fn signature(&self) -> String {
        let mut text = format!("{}(", self.name);
        for (i, param) in self.params.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let _ = write!(text, "{comma}{param}");
        }
        if self.variadic {
            text.push_str(if self.params.is_empty() {
                "..."
            } else {
                ", ..."
            });
        }
        text.push(')');
        match self.results.as_slice() {
            [] => {}
            [one] if one.name.is_empty() => {
                let _ = write!(text, " -> {one}");
            }
            many => {
                let shown: Vec<String> = many.iter().map(ResultValue::to_string).collect();
                let _ = write!(text, " -> ({})", shown.join(", "));
            }
        }
        text
    }

    /// The sizes of a result in terms of the parameters, `[ncol(X), 1]`.
    #[must_use]
    pub fn size_text(&self, size: &Size) -> String {
        format!(
            "[{}, {}]",
            self.extent_text(&size.rows),
            self.extent_text(&size.cols)
        )
    }

    fn extent_text(&self, extent: &Extent) -> String {
        let name = |i: &usize| self.params.get(*i).map_or("?", |param| param.name);
        let pair = |a: &Extent, sign: &str, b: &Extent| {
            format!("{} {sign} {}", self.extent_text(a), self.extent_text(b))
        };
        match extent {
            Extent::Unknown => "?".to_owned(),
            Extent::Number(n) => n.to_string(),
            Extent::Rows(i) => format!("nrow({})", name(i)),
            Extent::Cols(i) => format!("ncol({})", name(i)),
            Extent::Value(i) => name(i).to_owned(),
            Extent::Above(i, n) => format!("({} > {n})", name(i)),
            Extent::Sum(a, b) => pair(a, "+", b),
            Extent::Difference(a, b) => pair(a, "-", b),
            Extent::Product(a, b) => pair(a, "*", b),
            Extent::Least(a, b) => {
                format!("min({}, {})", self.extent_text(a), self.extent_text(b))
            }
            Extent::Choice(i, a, b) => {
                let (yes, no) = (self.extent_text(a), self.extent_text(b));
                format!("if {} then {yes} else {no}", name(i))
            }
        }
    }
}

impl Display for Param {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.default {
            Presence::Required => write!(f, "{}: {}", self.name, self.kind),
            Presence::Optional(None) => write!(f, "{}?: {}", self.name, self.kind),
            Presence::Optional(Some(default)) => {
                write!(f, "{}: {} = {default}", self.name, self.kind)
            }
        }
    }
}

impl Display for ResultValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{}: ", self.name)?;
        }
        write!(f, "{}", self.kind)
    }
}
