//! From sketch files to the steps of a search: what sketches on arrays may speak of, and what a sketch's stages ask for.

use std::sync::Arc;

use sumac_sketch::text::{Filled, Library as Sketches, Vocabulary};

use crate::grow::Limits;
use crate::guided::Step;
use crate::prim::PRIMS;
use crate::program::Program;
use crate::rules::Library;
use crate::sketch::Sketch;

/// The language that sketches of array programs are on.
pub const LANGUAGE: &str = "array";

/// Sketches that are always there: a path and a text.
pub const BUILT_IN: [(&str, &str); 1] = [(
    "matmul.sketch",
    include_str!("../../../fixtures/sketches/matmul.sketch"),
)];

/// The loop nests of a product of matrices: sketches that are always there.
pub const NESTS: [&str; 8] = [
    "baseline",
    "blocking",
    "vectorization",
    "loop_perm",
    "array_packing",
    "cache_blocks",
    "parallel",
    "register_tile",
];

const COSTS: [(&str, &str); 1] = [("size", "the nodes of the program")];
const UNITS: [(&str, &str); 3] = [
    ("nodes", "nodes in the graph"),
    ("rounds", "rounds of the search"),
    ("parts", "nodes of a program that is looked at"),
];

/// What sketches of array programs may speak of.
#[must_use]
pub fn vocabulary() -> Vocabulary {
    let rules = Library::built_in();
    let operators = PRIMS.iter().map(|row| {
        let most = row.ty.matches(" -> ").count();
        (
            row.name,
            0,
            if row.ty.is_empty() { usize::MAX } else { most },
        )
    });
    Vocabulary {
        operators: operators.chain([("fun", 1, 1)]).collect(),
        rule_sets: rules.set_names().collect(),
        rules: rules
            .rule_names()
            .map(|(name, doc)| (name, doc.to_owned()))
            .collect(),
        costs: COSTS.to_vec(),
        units: UNITS.to_vec(),
        language: Some(LANGUAGE),
        ..Vocabulary::default()
    }
}

/// The sketches of these texts with paths, and those that are always there.
#[must_use]
pub fn library(texts: impl IntoIterator<Item = (Arc<str>, Arc<str>)>) -> Sketches {
    let built_in = BUILT_IN.map(|(path, text)| (Arc::from(path), Arc::from(text)));
    Sketches::new(texts.into_iter().chain(built_in), &vocabulary())
}

/// The steps of a sketch, `blocking(m, n, k)`, for a program. Without arguments, its parameters are the program's sizes of
/// the same names.
///
/// # Errors
/// There is no such sketch, or it says something that the program or its language have not: text for a person.
pub fn steps(program: &Program, sketches: &Sketches, call: &str) -> Result<Vec<Step>, String> {
    let mut all = sketches.sketches();
    let known = all.find(|(_, sketch)| *sketch.name.text == *call.trim());
    let parameters = known.map_or(&[][..], |(_, sketch)| &sketch.parameters);
    let filled = if parameters.is_empty() {
        sketches.fill_on(call, Some(LANGUAGE))?
    } else {
        let names: Vec<&str> = parameters.iter().map(|name| &*name.text).collect();
        sketches.fill_on(
            &format!("{}({})", call.trim(), names.join(", ")),
            Some(LANGUAGE),
        )?
    };
    of_filled(program, &filled)
}

fn of_filled(program: &Program, filled: &Filled) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for stage in &filled.stages {
        let sketch = Sketch::new(&stage.pattern, &program.types)
            .map_err(|why| format!("the {}: {why}", stage.label))?;
        let mut limits = Limits::default();
        for (count, unit) in &stage.limits {
            match &**unit {
                "nodes" => limits.nodes = *count,
                "rounds" => limits.rounds = *count,
                _ => limits.term = u32::try_from(*count).unwrap_or(u32::MAX),
            }
        }
        steps.push(Step {
            label: stage.label.clone(),
            sketch,
            rules: stage.rules.iter().map(ToString::to_string).collect(),
            limits,
        });
    }
    Ok(steps)
}
