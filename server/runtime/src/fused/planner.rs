//! Plans for DAGs as they come to be evaluated, each made once.
//!
//! A plan is worth its making where matrices are large or it is used again; so plans are kept by the DAG with its sizes and
//! sparsity, and small matrices are computed one operator after the other. Results never depend on what was kept.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use quick_cache::Equivalent;
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use sumac_cost::{Machine, Region};
use sumac_fusion::search::Limits;
use sumac_fusion::template::Sizes;
use sumac_fusion::{Options, Plan, PlannedOperator, Policy, Rates, plan};
use sumac_la::{Dag, Node, NodeId, Type};

use super::Prepared;
use crate::cancel::Cancel;
use crate::eval::{EvalError, Evaluated, Watch, eval_alone, eval_plan};
use crate::value::Value;

/// Fewer cells of the largest matrix are computed faster than planned: half a megabyte.
const LEAST_CELLS: f64 = 65_536.0;

/// Products of fewer rows or columns are formed at once.
const LEAST_OUTER: u64 = 16;

/// Plans that are costed for a partition at most: somebody waits for the values.
const MOST_PLANS: u64 = 200;

/// The share of the shorter of reading and computing that the longer one does not hide: of forms that read the same, the one
/// that computes less is faster.
const NOT_HIDDEN: f64 = 0.1;

/// Plans that are kept.
const MOST_KEPT: usize = 512;

/// How plans are made.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Planning {
    /// How they are chosen.
    pub policy: Policy,
    /// What estimates are for.
    pub machine: Machine,
    /// Whether matrices of any size are worth a plan: fused operators then come to small inputs, too, which tests can look at by
    /// the thousand.
    #[serde(default)]
    pub any_size: bool,
}

impl Planning {
    fn options(&self) -> Options {
        Options {
            policy: self.policy,
            limits: Limits {
                plans: MOST_PLANS,
                ..Limits::default()
            },
            sizes: Sizes {
                least_outer: LEAST_OUTER,
                ..Sizes::default()
            },
            ..Options::new(Rates::from(&self.machine))
        }
    }
}

/// The plan by which an evaluation of `roots` runs on a machine; `None` where every operator runs alone.
#[must_use]
pub fn planned(dag: &Dag, roots: &[NodeId], machine: &Machine) -> Option<Plan> {
    let planning = Planning {
        machine: *machine,
        ..Planning::default()
    };
    let plan =
        is_worth_a_plan(dag, roots, LEAST_CELLS).then(|| plan(dag, roots, &planning.options()))?;
    (!plan.operators.is_empty()).then_some(plan)
}

/// What such an evaluation runs as one, for estimates.
#[must_use]
pub fn regions(dag: &Dag, roots: &[NodeId], machine: &Machine) -> Vec<Region> {
    let operators = planned(dag, roots, machine).map_or(Vec::new(), |plan| plan.operators);
    let region = |operator: PlannedOperator| {
        // Without sizes there is no plan to estimate by.
        let seconds = operator.seconds?;
        Some(Region {
            roots: operator.roots.into(),
            reads: operator.inputs.into(),
            share: operator
                .driver
                .map_or(1.0, |driver| dag.ty(driver).density()),
            seconds: seconds.total() + NOT_HIDDEN * seconds.read.min(seconds.compute),
            covers: operator.covers,
        })
    };
    operators.into_iter().filter_map(region).collect()
}

/// Makes plans and keeps them.
#[derive(Debug)]
pub struct Planner {
    options: Options,
    least_cells: f64,
    plans: Cache<Known, Arc<Plan>>,
    prepared: Prepared,
}

/// A DAG as the key of its plan. Sparsity is never NaN, so that equality is one.
#[derive(PartialEq, Debug)]
struct Known(Dag);

impl Eq for Known {}

impl Hash for Known {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Asked(&self.0).hash(state);
    }
}

/// The same key where the DAG is somebody else's.
struct Asked<'a>(&'a Dag);

impl Equivalent<Known> for Asked<'_> {
    fn equivalent(&self, known: &Known) -> bool {
        *self.0 == known.0
    }
}

impl Hash for Asked<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let dag = self.0;
        for Type {
            kind,
            rows,
            cols,
            sparsity,
            ..
        } in dag.inputs().iter().map(|input| &input.ty)
        {
            (kind, rows, cols, sparsity.map(f64::to_bits)).hash(state);
        }
        dag.roots().hash(state);
        for id in dag.reachable(dag.roots()) {
            dag.node(id).hash(state);
        }
    }
}

impl Default for Planner {
    fn default() -> Self {
        Planner::new(&Planning::default())
    }
}

impl Planner {
    /// With nothing kept yet.
    #[must_use]
    pub fn new(planning: &Planning) -> Planner {
        Planner {
            options: planning.options(),
            least_cells: if planning.any_size { 0.0 } else { LEAST_CELLS },
            plans: Cache::new(MOST_KEPT),
            prepared: Prepared::default(),
        }
    }

    /// The values of the DAG's roots for the values of its inputs, by the cheapest plan where fusion may pay.
    ///
    /// # Errors
    /// See [`EvalError`].
    pub fn eval(
        &self,
        dag: &Dag,
        inputs: &[Value],
        cancel: &Cancel,
        watch: &mut Watch<'_>,
    ) -> Result<Evaluated, EvalError> {
        if self.options.policy == Policy::None
            || !is_worth_a_plan(dag, dag.roots(), self.least_cells)
        {
            return eval_alone(dag, inputs, cancel, watch);
        }
        let plan = self.plan(dag);
        eval_plan(
            (dag, dag.roots()),
            &plan,
            inputs,
            &self.prepared,
            cancel,
            watch,
        )
    }

    fn plan(&self, dag: &Dag) -> Arc<Plan> {
        if let Some(plan) = self.plans.get(&Asked(dag)) {
            return plan;
        }
        let made = Arc::new(plan(dag, dag.roots(), &self.options));
        self.plans.insert(Known(dag.clone()), made.clone());
        made
    }
}

/// Whether there are operators to fuse, and so many cells in one of the matrices that there is something to gain by it.
fn is_worth_a_plan(dag: &Dag, roots: &[NodeId], least_cells: f64) -> bool {
    let order = dag.reachable(roots);
    let operators = order
        .iter()
        .filter(|id| matches!(dag.node(**id), Node::Op(..)));
    let is_large = |cells: f64| cells >= least_cells;
    operators.count() > 1
        && order
            .iter()
            .any(|id| dag.ty(*id).cells().is_some_and(is_large))
}
