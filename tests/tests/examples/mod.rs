//! The library of sketches and its examples, for the tests that search by them.

use std::sync::Arc;

use sumac_analysis::NoFiles;
use sumac_la::{Dag, NodeId};
use sumac_sketch::text::{Filled, Library};
use sumac_syntax::parse;

/// The sketches that come with the program.
pub const LIBRARY: &str = include_str!("../../../fixtures/sketches/linear_algebra.sketch");
/// A script with a statement for each of them.
pub const EXAMPLES: &str = include_str!("../../../fixtures/sketches/examples.dml");

/// The statements of a script that assign a value of linear algebra.
pub fn statements(script: &str) -> Vec<(Dag, NodeId)> {
    let analysis = sumac_analysis::analyze(&parse(script), &Default::default(), &NoFiles);
    let blocks = analysis.blocks.iter();
    blocks
        .flat_map(|block| {
            let targets = block.statements.iter().filter_map(|s| s.target.as_ref());
            targets.map(|target| (block.dag.clone(), target.version_node))
        })
        .filter(|(dag, node)| dag.reachable(&[*node]).len() > 2)
        .collect()
}

/// A sketch with its parameters filled in by different inputs, in all ways.
pub fn calls(library: &Library, names: &[Arc<str>]) -> Vec<Filled> {
    let sketches = library.sketches();
    let calls = sketches.flat_map(|(_, sketch)| {
        let name = sketch.name.text.to_string();
        match sketch.parameters.len() {
            0 => vec![name],
            _ => names.iter().map(|own| format!("{name}({own})")).collect(),
        }
    });
    calls.filter_map(|call| library.fill(&call).ok()).collect()
}
