//! The analysis of a whole file, put together from what was recorded of its units.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_syntax::text::TextRange;

use super::unit::{Place, names_lines};
use super::{Recorded, Script};
use crate::result::{Analysis, Diagnostic, ParamInfo, Severity, Symbol, codes};
use crate::sites::Lines;
use crate::value::{Origin, ValueInfo};

/// A file's analysis under construction, in the file's own places.
pub(crate) struct Whole {
    lines: Lines,
    out: Analysis,
    links: Vec<(TextRange, Arc<str>)>,
    off: Vec<TextRange>,
}

impl Whole {
    /// With what is wrong with the text and with facts about the whole file.
    pub(crate) fn new(script: &Script, stated: &[Diagnostic]) -> Self {
        let syntax = script.errors.iter().map(|error| Diagnostic {
            range: error.range,
            severity: Severity::Error,
            code: codes::SYNTAX_ERROR,
            message: error.message.clone(),
            related: Vec::new(),
        });
        Whole {
            lines: Lines::of(&script.text),
            out: Analysis {
                diagnostics: syntax.chain(stated.iter().cloned()).collect(),
                ..Analysis::default()
            },
            links: Vec::new(),
            off: Vec::new(),
        }
    }

    /// Adds a unit that stands at `place`.
    pub(crate) fn add(&mut self, unit: &Recorded, place: &Place) {
        let moved = Moved {
            place,
            lines: &self.lines,
        };
        let range = |range: TextRange| place.range(range);
        let from = &unit.analysis;
        let out = &mut self.out;
        out.diagnostics.extend(from.diagnostics.iter().map(|d| {
            let related = d.related.iter();
            Diagnostic {
                range: moved.stated(d.range),
                message: moved.text(&d.message),
                related: related
                    .map(|(at, text)| (moved.stated(*at), moved.text(text)))
                    .collect(),
                ..d.clone()
            }
        }));
        out.variables.extend(from.variables.iter().map(|fact| {
            let mut fact = fact.clone();
            fact.range = range(fact.range);
            fact.source = moved.text(&fact.source);
            fact.grounds = fact.grounds.relabelled(|label| moved.text(label));
            fact
        }));
        out.blocks.extend(from.blocks.iter().map(|block| {
            let mut block = block.clone();
            for statement in &mut block.statements {
                statement.range = range(statement.range);
                if let Some(target) = &mut statement.target {
                    target.range = range(target.range);
                }
                for part in &mut statement.parts {
                    part.range = range(part.range);
                }
            }
            block
        }));
        out.functions.extend(from.functions.iter().map(|function| {
            let mut function = function.clone();
            function.range = range(function.range);
            function.full_range = range(function.full_range);
            for ParamInfo {
                range: at, info, ..
            } in function.params.iter_mut().chain(&mut function.results)
            {
                *at = range(*at);
                *info = moved.info(info);
            }
            function
        }));
        out.names.extend(from.names.iter().map(|name| {
            let mut name = name.clone();
            name.range = range(name.range);
            for definition in &mut name.definitions {
                *definition = moved.stated(*definition);
            }
            name
        }));
        let types = from.expr_types.iter();
        out.expr_types
            .extend(types.map(|(at, info)| (range(*at), moved.info(info))));
        out.assertions
            .extend(from.assertions.iter().map(|assertion| {
                let mut assertion = assertion.clone();
                assertion.range = range(assertion.range);
                assertion.equation = range(assertion.equation);
                assertion
            }));
        let named = |list: &[(TextRange, Arc<str>)]| -> Vec<(TextRange, Arc<str>)> {
            list.iter()
                .map(|(at, name)| (range(*at), name.clone()))
                .collect()
        };
        self.links.extend(named(&unit.links));
        self.off.extend(unit.off.iter().map(|at| range(*at)));
    }

    /// The whole, in the order of places.
    pub(crate) fn finish(self, script: &Script) -> Analysis {
        let mut out = self.out;
        // As in a call, the last definition of a name counts.
        let places: BTreeMap<Arc<str>, TextRange> = out
            .functions
            .iter()
            .map(|function| (function.name.clone(), function.range))
            .collect();
        for name in &mut out.names {
            if name.symbol == Symbol::Function && !name.is_definition {
                name.definitions = places.get(&name.name).copied().into_iter().collect();
            }
        }
        for (range, name) in &self.links {
            let Some(place) = places.get(name) else {
                continue;
            };
            let about = out.diagnostics.iter_mut();
            for diagnostic in about.filter(|d| d.range == *range && d.code == codes::WRONG_ARITY) {
                diagnostic.related = vec![(*place, format!("`{name}` is defined here"))];
            }
        }
        // A line before a function is about all of it.
        for block in &mut out.blocks {
            for statement in &mut block.statements {
                statement.hints_off |= self.off.iter().any(|off| off.contains(statement.range));
            }
        }
        out.variables.sort_by_key(|fact| fact.range);
        out.blocks
            .sort_by_key(|block| block.statements.first().map(|s| s.range));
        out.functions.sort_by_key(|f| f.range);
        out.assertions.sort_by_key(|assertion| assertion.range);
        out.sort_known();
        // The checks look things up in what is sorted by now.
        crate::checks::of_file(&script.program, &script.text, &mut out);
        out.diagnostics.sort_by(|a, b| {
            (a.range, a.severity, a.code, &a.message)
                .cmp(&(b.range, b.severity, b.code, &b.message))
        });
        out.diagnostics.dedup();
        out
    }
}

/// From a unit's places to the file's.
struct Moved<'a> {
    place: &'a Place,
    lines: &'a Lines,
}

impl Moved<'_> {
    /// A range that is the empty one at the start where the command line is meant.
    fn stated(&self, range: TextRange) -> TextRange {
        if range == TextRange::default() {
            range
        } else {
            self.place.range(range)
        }
    }

    fn text(&self, text: &str) -> String {
        if names_lines(text) {
            self.place.text(text, self.lines)
        } else {
            text.to_owned()
        }
    }

    fn info(&self, info: &ValueInfo) -> ValueInfo {
        let mut info = info.clone();
        if let Some(Origin { label, range }) = &mut info.origin {
            *range = self.stated(*range);
            if names_lines(label) {
                *label = self.place.text(label, self.lines).into();
            }
        }
        info.grounds = info.grounds.relabelled(|label| self.text(label));
        info.unsized_read = info.unsized_read.map(|range| self.place.range(range));
        info
    }
}
