//! Which sketches a menu offers for a statement is decided by a look at both. Real searches say whether that look was right:
//! what fits must never be left out, and of what is offered much should fit.
//!
//! The last line is a figure that `cargo xtask bars sketches` reads.

#![expect(clippy::print_stdout, reason = "the figures are what people ask for")]

mod examples;

use std::sync::Arc;

use sumac_cost::Machine;
use sumac_sketch::text::Library;
use sumac_sumproduct::CostModel;
use sumac_sumproduct::guided::{Asked, Cache, could_apply, fits, guided, vocabulary};

use examples::{EXAMPLES, LIBRARY, calls, statements};

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
                learned: None,
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
