//! A term of the walk as linear algebra, where it has such a form: a join of three axes has none unless a product sums it.

use sumac_cost::Machine;
use sumac_la::{Dag, Type};

use crate::axes::Term;
use crate::extract::{Pricing, States};
use crate::normalized::{Sums, in_order};
use crate::options::{CostModel, Extraction};
use crate::translate::Translation;

/// The term's form as a DAG with one root, wanted in the kind of `ty`. Its inputs are those of `dag`.
pub(super) fn shown(
    dag: &Dag,
    translation: &Translation,
    term: Term,
    ty: &Type,
    cancelled: &dyn Fn() -> bool,
) -> Option<Dag> {
    let machine = Machine::default();
    // What a form costs is no matter here: the fewest operators read best, and each costs something.
    let pricing = Pricing {
        model: CostModel::Flops,
        machine: &machine,
        around: None,
    };
    let roots = (&[term][..], vec![ty]);
    let states = States::new(dag, translation, roots, &[], pricing, cancelled)?;
    let plan = states
        .plans(Extraction::Greedy, cancelled)
        .into_iter()
        .next()?;
    let form = states.lower(&plan.plan).ok()?;
    Some(in_order(&form, Sums::All))
}
