//! Which sketches could be tried on a statement, and with which arguments. Looks at sketches and statements alone: nothing
//! is searched, so a menu can ask at every move of the cursor.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use sumac_sketch::text::{Filled, Library};
use sumac_sumproduct::Options;
use sumac_sumproduct::guided::could_apply;
use sumac_text::TextRange;

use super::{Question, groups_at};
use crate::cache::Block;
use crate::snapshot::Snapshot;

/// Ways to give a sketch its arguments that are looked at: more variables than that need a choice by hand.
const MOST_CALLS: usize = 24;

/// A sketch that could lead somewhere from a statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Offer {
    /// Its name.
    pub name: Arc<str>,
    /// What its author says of it.
    pub doc: String,
    /// It with its parameters filled in by variables of the statement, in each way that could lead somewhere.
    pub calls: Vec<Filled>,
}

/// The sketches of a library that could lead somewhere from the statements at `wanted`, in the order of the library.
#[must_use]
pub fn sketch_offers(
    snapshot: &Snapshot,
    blocks: &[Block],
    wanted: TextRange,
    library: &Library,
    options: &Options,
) -> Vec<Offer> {
    let groups = groups_at(snapshot, blocks, wanted);
    let machine = options.machine();
    let mut offers: Vec<Offer> = Vec::new();
    for (_, group) in &groups {
        let names = group.script_names();
        for dag in group.readings() {
            let question = Question {
                dag: &dag,
                names: &names,
                machine: &machine,
                options,
            };
            let inputs: Vec<Arc<str>> = dag
                .inputs()
                .iter()
                .filter_map(|input| names(&input.name))
                .collect();
            for (_, sketch) in library.sketches() {
                let name = &sketch.name.text;
                for call in calls(name, sketch.parameters.len(), &inputs) {
                    let is_known = offers.iter().any(|offer| {
                        offer.name == *name && offer.calls.iter().any(|known| known.name == call)
                    });
                    let Ok(filled) = library.fill(&call) else {
                        continue;
                    };
                    let mut roots = dag.roots().iter();
                    if is_known
                        || !roots.any(|root| could_apply(&question.about(*root, 1), &filled))
                    {
                        continue;
                    }
                    match offers.iter_mut().find(|offer| offer.name == *name) {
                        Some(offer) => offer.calls.push(filled),
                        None => offers.push(Offer {
                            name: Arc::clone(name),
                            doc: filled.doc.clone(),
                            calls: vec![filled],
                        }),
                    }
                }
            }
        }
    }
    offers
}

/// A sketch's name with its parameters filled in by different ones of these variables.
fn calls(name: &str, parameters: usize, inputs: &[Arc<str>]) -> Vec<String> {
    let mut ways: Vec<Vec<&str>> = vec![Vec::new()];
    for _ in 0..parameters {
        ways = ways
            .iter()
            .flat_map(|way| {
                let free = inputs.iter().filter(|input| !way.contains(&&***input));
                free.map(|input| [way.as_slice(), &[&**input]].concat())
            })
            .take(MOST_CALLS)
            .collect();
    }
    let mut seen = FxHashSet::default();
    ways.iter()
        .map(|way| match way.as_slice() {
            [] => name.to_owned(),
            way => format!("{name}({})", way.join(", ")),
        })
        .filter(|call| seen.insert(call.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnitBlocks;
    use crate::fixture::at_cursor;
    use crate::sketch::fixture::library;

    fn offered(script: &str, sketches: &str) -> Vec<(String, Vec<String>)> {
        let (snapshot, offset) = at_cursor(script);
        let blocks = UnitBlocks::default().of(&snapshot, "");
        let library = library(&[("a.sketch", sketches)]);
        let place = TextRange::new(offset, offset);
        let found = sketch_offers(&snapshot, &blocks, place, &library, &Options::default());
        found
            .into_iter()
            .map(|offer| {
                let calls = offer.calls.into_iter().map(|call| call.name);
                (offer.name.to_string(), calls.collect())
            })
            .collect()
    }

    const SCRIPT: &str =
        "X = rand(rows=9, cols=5)\nY = rand(rows=9, cols=5)\ns = sum($0X * Y) + sum(X)\nprint(s)\n";

    #[test]
    fn sketches_that_could_lead_somewhere_are_offered_with_arguments() {
        let found = offered(
            SCRIPT,
            "sketch together(A) { goal sum(A * ?) }\nsketch scaled { goal ? %*% ? : scalar }\nsketch pair(A, B) { goal sum(A * ?) + sum(B * ?) }",
        );
        let of = |name: &str| found.iter().find(|(known, _)| known == name);
        assert_eq!(of("together").unwrap().1, ["together(X)", "together(Y)"]);
        assert_eq!(of("pair").unwrap().1, ["pair(X, Y)", "pair(Y, X)"]);
    }

    #[test]
    fn a_sketch_sees_through_a_variable_that_stays() {
        let script = "X = rand(rows=9, cols=5)\nY = rand(rows=9, cols=5)\nR = X - Y\ns = sum($0R^2)\nprint(s + sum(R))\n";
        let found = offered(script, "sketch apart(A) { goal sum(A^2) + ? }");
        assert_eq!(found[0].1, ["apart(R)", "apart(X)", "apart(Y)"]);
    }

    #[test]
    fn what_can_lead_nowhere_is_not_offered() {
        for sketch in [
            // No such variable; a matrix where a number is; no rule makes an eigenvalue; an error in the sketch.
            "sketch a { goal sum(Z) }",
            "sketch b { goal t(?) }",
            "sketch c { goal contains(exp(?)) using factor }",
            "sketch d { goal summ(?) }",
            // It fits as it is written.
            "sketch e { goal sum(X * ?) + ? }",
        ] {
            assert_eq!(offered(SCRIPT, sketch), [], "{sketch}");
        }
        let elsewhere = SCRIPT.replace("$0", "").replace("print(s)", "pri$0nt(1)");
        assert_eq!(offered(&elsewhere, "sketch a { goal ? }"), []);
    }

    #[test]
    fn ways_to_fill_parameters_are_bounded() {
        let inputs: Vec<Arc<str>> = (0..40).map(|n| format!("X{n}").into()).collect();
        assert_eq!(calls("s", 0, &inputs), ["s"]);
        assert_eq!(calls("s", 1, &inputs[..2]), ["s(X0)", "s(X1)"]);
        assert_eq!(calls("s", 3, &inputs).len(), MOST_CALLS);
        assert_eq!(calls("s", 2, &inputs[..1]), Vec::<String>::new());
    }
}
