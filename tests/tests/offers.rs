//! Which sketches a menu offers for a statement is decided by a look at both. Real searches say whether that look was right:
//! what fits must never be left out, and of what is offered much should fit.
//!
//! The last line is a figure that `cargo xtask bars sketches` reads.

#![expect(clippy::print_stdout, reason = "the figures are what people ask for")]

use std::sync::Arc;

use sumac_analysis::NoFiles;
use sumac_la::{Dag, Machine, NodeId};
use sumac_sketch::text::{Filled, Library};
use sumac_sumproduct::CostModel;
use sumac_sumproduct::guided::{Asked, Cache, could_apply, fits, guided, vocabulary};
use sumac_syntax::parse;

const LIBRARY: &str = include_str!("../../fixtures/sketches/linear_algebra.sketch");
const EXAMPLES: &str = include_str!("../../fixtures/sketches/examples.dml");
/// More goals, with what the library does not ask for.
const MORE: &str = "
sketch as_row { goal contains(? : row) using aggregate, transpose }
sketch as_number { goal contains(as.scalar(?)) using aggregate }
sketch as_shape { goal contains(t(?) : 1000 x 20000) using transpose }
sketch own_shape { goal (? + ?) : 20000 x 1000 using distribute }
sketch listed(A) { goal contains(A * 2) using doubled }
rule doubled: A + A = 2 * A
";
const NODES: usize = 600;

/// The statements of a script that assign a value of linear algebra.
fn statements(script: &str) -> Vec<(Dag, NodeId)> {
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
fn calls(library: &Library, names: &[Arc<str>]) -> Vec<Filled> {
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

#[test]
fn no_sketch_that_fits_is_left_out_of_a_menu() {
    let text = format!("{LIBRARY}{MORE}");
    let library = Library::new([(Arc::from("s"), Arc::from(text))], &vocabulary());
    assert_eq!(library.findings(0), []);
    let machine = Machine::default();
    let (mut all, mut offered, mut fitting, mut hidden) = (0, 0, 0, Vec::new());
    for (dag, root) in statements(EXAMPLES) {
        let inputs = dag.inputs().iter();
        let names: Vec<Arc<str>> = inputs.map(|input| Arc::clone(&input.name)).collect();
        for sketch in calls(&library, &names) {
            let asked = Asked {
                dag: &dag,
                root,
                name_of: &|name| Some(Arc::from(name)),
                machine: &machine,
                cost: CostModel::Nnz,
                max_nodes: Some(NODES),
                max_rounds: None,
                forms: 1,
                seed: 7,
                explains: false,
                bridges: false,
            };
            let is_offered = could_apply(&asked, &sketch);
            let found = guided(asked, &sketch, &Cache::default(), &|| false, &mut |_| {});
            // What fits as it is written needs no search, and is not offered either.
            let goal = sketch.stages.last().expect("a sketch has a goal");
            let is_fit = found.is_ok() && fits(&asked, &goal.pattern) != Some(true);
            all += 1;
            offered += usize::from(is_offered);
            fitting += usize::from(is_fit);
            if is_fit && !is_offered {
                hidden.push(format!("{} on {}", sketch.name, dag.print(root)));
            }
        }
    }
    assert!(hidden.is_empty(), "{}", hidden.join("\n"));
    assert!(
        fitting > 20 && offered < all / 3,
        "{all} {offered} {fitting}"
    );
    println!(
        "offers: {offered} of {all} sketches on statements are offered, {fitting} fit, 0 that fit are left out"
    );
}
