//! What is known of the thing under the cursor, and of the suggestion for its statement.
//!
//! ```text
//! loss = sum((X$0 - U %*% t(V))^2)
//! ```
//! shows the shape, sparsity and source of `X`, then what the optimized form of the statement would save.

mod calls;
mod inputs;
pub(crate) mod value;

use sumac_analysis::{FunctionInfo, MOST_DEFINITIONS, NameUse, ParamInfo, Symbol};
use sumac_text::TextRange;

use crate::callable::{self, Callable};
use crate::describe;
use crate::files::Files;
use crate::snapshot::Snapshot;
pub use value::Hover;
use value::value;

/// The hover for a cursor at `offset`.
#[must_use]
pub fn hover(snapshot: &Snapshot, offset: usize, files: &dyn Files) -> Option<Hover> {
    let subject = subject(snapshot, offset, files);
    let place = snapshot.aimed_at(TextRange::new(offset, offset));
    let suggestion = snapshot.applicable(place).next();
    // What is obvious goes without saying, and so does an error of what no search would have looked at: it is marked.
    let mut silences = snapshot.silences.iter();
    let searched = silences.find(|silence| silence.statement.touches(place.start));
    let mut errors = snapshot.errors();
    let goes_without_saying = match searched {
        Some(silence) => silence.is_obvious,
        None => errors.any(|(statement, _)| statement.touches(place.start)),
    };
    let silence = snapshot.why_none(place);
    let silence = silence.filter(|_| !goes_without_saying);
    let range = subject
        .as_ref()
        .map(|hover| hover.range)
        .or(suggestion.map(|s| s.statement_at(place)))
        .or(silence.as_ref().map(|_| place))?;
    let parts = [
        subject.map(|hover| hover.markdown),
        suggestion.map(|found| {
            let lines = found.rewrites(&snapshot.lines);
            let lines = lines.map_or_else(String::new, |lines| format!("*It {lines}.*\n\n"));
            lines + &describe::markdown(found)
        }),
        silence.map(|why| format!("No cheaper form is suggested: {why}.\n")),
    ];
    let markdown = parts
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n---\n\n");
    Some(Hover { range, markdown })
}

fn subject(snapshot: &Snapshot, offset: usize, files: &dyn Files) -> Option<Hover> {
    inputs::fact(snapshot, offset)
        .or_else(|| name(snapshot, offset))
        .or_else(|| calls::call(snapshot, offset, files))
        .or_else(|| calls::source(snapshot, offset, files))
        .or_else(|| inputs::argument(snapshot, offset))
        .or_else(|| expression(snapshot, offset))
}

fn name(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let analysis = &snapshot.analysis;
    let name = analysis.name_at(offset)?;
    let markdown = match name.symbol {
        Symbol::Variable => variable(snapshot, name)?,
        Symbol::Function => {
            let is_it = |function: &&FunctionInfo| function.name == name.name;
            function(snapshot, analysis.functions.iter().find(is_it)?)
        }
    };
    Some(Hover {
        range: name.range,
        markdown,
    })
}

fn expression(snapshot: &Snapshot, offset: usize) -> Option<Hover> {
    let (range, info) = snapshot.analysis.type_at_offset(offset)?;
    let text = snapshot.text()[range]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let source = info.origin.as_ref().map(|origin| &*origin.label);
    Some(Hover {
        range,
        markdown: value(&text, info, source),
    })
}

fn variable(snapshot: &Snapshot, name: &NameUse) -> Option<String> {
    let analysis = &snapshot.analysis;
    let definition = if name.is_definition {
        Some(name.range)
    } else {
        only(&name.definitions)
    };
    let fact = definition.and_then(|range| analysis.variable_at(range));
    let info = match (analysis.type_at(name.range), fact) {
        (Some(info), _) => info.clone(),
        (None, Some(fact)) => fact.info(),
        (None, None) => parameter(snapshot, name)?.info.clone(),
    };
    let several = match name.definitions.len() {
        n if n >= MOST_DEFINITIONS => Some(format!("{n} assignments or more")),
        n if n > 1 => Some(format!("{n} assignments")),
        _ => None,
    };
    let source = fact.map(|fact| fact.source.as_str()).or(several.as_deref());
    Some(value(&name.name, &info, source))
}

fn parameter<'a>(snapshot: &'a Snapshot, name: &NameUse) -> Option<&'a ParamInfo> {
    let scope = name.scope.as_ref()?;
    let function = snapshot
        .analysis
        .functions
        .iter()
        .find(|f| f.name == *scope)?;
    function
        .params
        .iter()
        .chain(&function.results)
        .find(|param| param.name == name.name)
}

fn only(ranges: &[TextRange]) -> Option<TextRange> {
    match ranges {
        [range] => Some(*range),
        _ => None,
    }
}

fn function(snapshot: &Snapshot, function: &FunctionInfo) -> String {
    let list = |params: &[ParamInfo]| {
        let one = |param: &ParamInfo| {
            let optional = if param.has_default { " = …" } else { "" };
            format!("{} {}{optional}", param.info.kind.name(), param.name)
        };
        params.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let mut out = format!(
        "```systemds\n{} = function({}) return ({})\n```\n",
        function.name,
        list(&function.params),
        list(&function.results),
    );
    // What its author says of it, and what its calls tell of its parameters.
    if let Some(def) = callable::definition(snapshot.parse.program(), &function.name) {
        out.push_str(&Callable::of_function(&snapshot.parse, def, Some(function)).prose());
    }
    out
}

#[cfg(test)]
mod tests;
