//! What can be asked of a DAG once there are prices. Each answer is computed in a file of its own; nothing is computed here.

use sumac_la::{Dag, Input, NodeId};

use crate::cost::{self, Cost};
use crate::engine::Engine;
use crate::hoist::{self, Hoisted};
use crate::machine::Machine;
use crate::region::Region;
use crate::{chains, fused, total};

/// What an expression costs on a machine, and what follows from that alone.
pub trait Priced: Sized {
    /// The cost of computing `id` from its arguments; inputs and constants are free. `None` if a size is not a number.
    #[must_use]
    fn node_cost(&self, id: NodeId, machine: &Machine) -> Option<Cost>;

    /// The cost of computing `roots`, shared parts counted once. `None` if a size on the way is not a number.
    #[must_use]
    fn cost(&self, roots: &[NodeId], machine: &Machine) -> Option<Cost>;

    /// As [`Priced::cost`], where these regions run as one operator each, and all other operators alone.
    #[must_use]
    fn cost_by(&self, roots: &[NodeId], machine: &Machine, regions: &[Region]) -> Option<Cost>;

    /// Whether the engine computes `id` and what is below it as one operator.
    #[must_use]
    fn is_fused(&self, id: NodeId, engine: Engine) -> bool;

    /// Cuts off the largest parts that loop-invariant inputs make and that take long enough to be worth it; `name` makes the names
    /// of parts, by their number. `None` if there are none.
    #[must_use]
    fn hoisted(
        &self,
        is_steady: &dyn Fn(&Input) -> bool,
        machine: &Machine,
        name: &dyn Fn(usize) -> String,
    ) -> Option<Hoisted>;

    /// The same values, with each chain of products in the order that costs least by the prices of single operators. A product that
    /// is read more than once is a factor of its own, as it is formed once.
    #[must_use]
    fn with_cheapest_products(&self, machine: &Machine) -> Self;
}

impl Priced for Dag {
    fn node_cost(&self, id: NodeId, machine: &Machine) -> Option<Cost> {
        cost::node_cost(self, id, machine)
    }

    fn cost(&self, roots: &[NodeId], machine: &Machine) -> Option<Cost> {
        total::cost(self, roots, machine)
    }

    fn cost_by(&self, roots: &[NodeId], machine: &Machine, regions: &[Region]) -> Option<Cost> {
        total::cost_by(self, roots, machine, regions)
    }

    fn is_fused(&self, id: NodeId, engine: Engine) -> bool {
        fused::is_fused(self, id, engine)
    }

    fn hoisted(
        &self,
        is_steady: &dyn Fn(&Input) -> bool,
        machine: &Machine,
        name: &dyn Fn(usize) -> String,
    ) -> Option<Hoisted> {
        hoist::hoisted(self, is_steady, machine, name)
    }

    fn with_cheapest_products(&self, machine: &Machine) -> Self {
        chains::with_cheapest_products(self, machine)
    }
}
