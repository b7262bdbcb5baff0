//! What a guided search came to, for people: lines of text without any markup, the same in an editor and on a terminal.

use super::{NoForm, Stage, Unreached};
use crate::quantity;

impl NoForm {
    /// Why there is no form, in one line.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            NoForm::Nothing => "there is no expression of linear algebra to optimize".to_owned(),
            NoForm::Wrong(text) | NoForm::Unwritten(text, _) | NoForm::AsWritten(text, _) => {
                text.clone()
            }
            NoForm::Cancelled => "cancelled".to_owned(),
            NoForm::Unreached(it) => format!("the {} was not reached: {}", it.label, it.ended),
        }
    }

    /// What could be changed so that the sketch would be reached, in one line; `None` where nothing was found.
    #[must_use]
    pub fn way_out(&self) -> Option<String> {
        let NoForm::Unreached(it) = self else {
            return None;
        };
        let add = it
            .add
            .map(|add| format!("reachable if you add `{add}` to its rules"));
        let guide = it.guide.as_ref();
        add.or_else(|| guide.map(|guide| format!("reachable with this stage before it: {guide}")))
    }

    /// All that is known, as markdown.
    #[must_use]
    pub fn markdown(&self, sketch: &str, statement: &str) -> String {
        let mut out = format!(
            "# `{sketch}` does not fit\n\n```dml\n{}\n```\n\n{}\n",
            statement.trim_end(),
            self.message()
        );
        let mut lines = Vec::new();
        match self {
            NoForm::Unreached(it) => {
                lines.extend(stage_lines(&it.stages));
                lines.extend(it.lines());
            }
            NoForm::Unwritten(_, stages) | NoForm::AsWritten(_, stages) => {
                lines.extend(stage_lines(stages));
            }
            NoForm::Nothing | NoForm::Wrong(_) | NoForm::Cancelled => {}
        }
        if !lines.is_empty() {
            out.push_str(&format!("\n```text\n{}\n```\n", lines.join("\n")));
        }
        out
    }
}

impl Unreached {
    /// The pattern with the parts underlined that the nearest form misses, that form, and ways out.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{}: {}", self.label, self.pattern)];
        // Columns are characters; each missed part is underlined.
        let indent = self.label.chars().count() + 2;
        let column = |byte: usize| self.pattern[..byte].chars().count();
        let mut marks: Vec<char> = vec![' '; self.pattern.chars().count()];
        for range in &self.missed {
            marks[column(range.start)..column(range.end)].fill('^');
        }
        let marks: String = marks.into_iter().collect();
        if !marks.trim().is_empty() {
            lines.push(format!("{}{} missed", " ".repeat(indent), marks.trim_end()));
        }
        if let Some(nearest) = &self.nearest {
            lines.push(format!("  nearest: {nearest}"));
        }
        lines.push(format!(
            "  {} rounds, {}; {}",
            self.growth.len() - 1,
            growth(&self.growth),
            self.ended
        ));
        if let Some(add) = self.add {
            lines.push(format!("  reachable if you add `{add}` to its rules"));
        }
        if let Some(guide) = &self.guide {
            lines.push(format!("  reachable with this stage before it: {guide}"));
        }
        lines
    }
}

/// The stages that were tried by themselves and led on, as text for a sketch file; `None` where a person wrote all of them.
#[must_use]
pub fn to_keep(stages: &[Stage]) -> Option<String> {
    let proposed = stages.iter().filter_map(|stage| stage.proposed.as_deref());
    let proposed: Vec<&str> = proposed.collect();
    (!proposed.is_empty()).then(|| proposed.join("\n"))
}

/// The stages that were reached, two lines each.
#[must_use]
pub fn stage_lines(stages: &[Stage]) -> Vec<String> {
    let lines = stages.iter().flat_map(|stage| {
        let cost = match stage.cost {
            (model, Some(value)) => format!("{model} {}", figure(model, value)),
            (model, None) => format!("{model} unknown"),
        };
        let lines = [
            format!("{}: {}", stage.label, stage.form),
            format!(
                "  {cost}; {} rounds, {}",
                stage.growth.len() - 1,
                growth(&stage.growth)
            ),
        ];
        let keep = stage.proposed.as_ref();
        let keep = keep
            .map(|text| format!("  the next stage is reached only by way of it; keep it: {text}"));
        lines.into_iter().chain(keep)
    });
    lines.collect()
}

fn figure(model: &str, value: f64) -> String {
    match model {
        "time" => quantity::seconds(value),
        "bytes" => quantity::bytes(value),
        _ => quantity::count(value),
    }
}

fn growth(growth: &[usize]) -> String {
    let shown: Vec<String> = growth.iter().map(usize::to_string).collect();
    format!("{} e-nodes", shown.join(" → "))
}

#[cfg(test)]
mod tests {
    use sumac_text::TextRange;

    use super::*;

    #[test]
    fn a_stage_that_was_not_reached_shows_what_it_misses() {
        let miss = NoForm::Unreached(Box::new(Unreached {
            label: "goal".to_owned(),
            stage: 0,
            pattern: "sum(?) + t(?)".to_owned(),
            missed: vec![TextRange::new(9, 13)],
            nearest: Some("sum(X)".to_owned()),
            growth: vec![3, 9],
            ended: "it grew too large",
            stages: Vec::new(),
            add: Some("factor"),
            guide: None,
        }));
        let text = miss.markdown("s(X)", "y = sum(X)");
        for part in [
            "`s(X)` does not fit",
            "y = sum(X)",
            "goal: sum(?) + t(?)\n               ^^^^ missed\n  nearest: sum(X)\n  1 rounds, 3 → 9 e-nodes; it grew too large\n  reachable if you add `factor`",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        assert!(miss.way_out().is_some_and(|way| way.contains("`factor`")));
        assert_eq!(NoForm::Cancelled.way_out(), None);
    }
}
