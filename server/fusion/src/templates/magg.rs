//! MAgg: several aggregates over the same cells. It is put together of Cell operators once these are chosen, so it
//! never opens by itself.

use sumac_la::NodeId;

use crate::graph::Graph;
use crate::template::{Close, Pattern, Sizes};

/// The MAgg template.
pub(crate) struct MAgg;

/// How many aggregates one operator has at most.
pub(crate) fn most_outputs() -> usize {
    3
}

impl Pattern for MAgg {
    fn open(&self, _: &Graph<'_>, _: NodeId, _: Sizes) -> bool {
        false
    }

    fn fuse(&self, _: &Graph<'_>, _: NodeId, _: NodeId, _: Sizes) -> bool {
        false
    }

    fn merge(&self, _: &Graph<'_>, _: NodeId, _: NodeId, _: Sizes) -> bool {
        false
    }

    fn close(&self, _: &Graph<'_>, _: NodeId, _: Sizes) -> Close {
        Close::ClosedInvalid
    }
}
