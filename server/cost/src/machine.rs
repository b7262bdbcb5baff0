//! The machine that an estimate of time is for: a few rates, and how much memory there is. Nothing is measured here.

use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::engine::Engine;

/// The machine that an estimate of time is for.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// FLOPs per second of products of dense matrices.
    pub product_flops: f64,
    /// FLOPs per second of products that read a sparse matrix.
    pub sparse_flops: f64,
    /// FLOPs per second of everything else.
    pub cell_flops: f64,
    /// Bytes per second between memory and cores.
    pub bandwidth: f64,
    /// Bytes per second of a dense transpose. Calibrations that were stored earlier call it otherwise.
    #[serde(alias = "turn_bandwidth")]
    pub transpose_bandwidth: f64,
    /// Seconds to start an operator.
    pub overhead: f64,
    /// How many times longer a product or a fold of columns takes that reads a sparse matrix against its rows.
    pub scatter: f64,
    /// Seconds to move one non-zero to its place in the transpose.
    pub move_seconds: f64,
    /// Seconds for each non-zero of a sparse result that is put together from two matrices.
    pub merge_seconds: f64,
    /// Bytes of memory, where it is known: a form that needs more cannot run.
    pub memory: Option<f64>,
    /// Whose operators run there.
    pub engine: Engine,
    /// What runs operators that are too large for this machine, where there is such a thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<Cluster>,
}

impl Default for Machine {
    /// A small server: two cores with wide vectors. How much memory it has is left open.
    fn default() -> Self {
        Machine {
            product_flops: 1e11,
            sparse_flops: 1e10,
            cell_flops: 1e10,
            bandwidth: 2e10,
            transpose_bandwidth: 2e10,
            overhead: 2e-6,
            scatter: 1.5,
            move_seconds: 5e-9,
            merge_seconds: 1e-8,
            memory: None,
            engine: Engine::Local,
            cluster: None,
        }
    }
}

impl Machine {
    /// The machine that stands for an engine where nothing was measured: [`Machine::default`] for our own kernels, and
    /// for SystemDS what `cargo xtask peer costs` fitted to it in a warmed loop on two cores, with the default cluster
    /// behind it for SystemDS on Spark. How much memory it has is left open.
    #[must_use]
    pub fn of(engine: Engine) -> Self {
        match engine {
            Engine::Local => Machine::default(),
            Engine::SystemDs => Machine {
                product_flops: 1.1e10,
                sparse_flops: 2.7e9,
                cell_flops: 1.8e9,
                bandwidth: 3.8e9,
                transpose_bandwidth: 1.8e9,
                overhead: 7.4e-5,
                scatter: 1.5,
                move_seconds: 3.2e-8,
                merge_seconds: 1.1e-8,
                memory: None,
                engine,
                cluster: None,
            },
            Engine::Spark => Machine {
                engine,
                cluster: Some(Cluster::default()),
                ..Machine::of(Engine::SystemDs)
            },
            // Only for the order in which a search looks: what a spelling costs is told by the language's own prices. A transpose
            // is a view.
            Engine::NumPy => Machine {
                product_flops: 5e10,
                sparse_flops: 2e9,
                cell_flops: 1e9,
                bandwidth: 1e10,
                transpose_bandwidth: 1e15,
                overhead: 1e-6,
                engine,
                ..Machine::default()
            },
        }
    }
}

/// A figure of a [`Machine`] that a measurement gives.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its name, as files write it.
    pub name: &'static str,
    /// What a value of it counts.
    pub unit: Unit,
    /// Whether it may be 0.
    pub may_be_zero: bool,
    /// Where it is.
    pub of: fn(&mut Machine) -> &mut f64,
}

/// What a figure counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// FLOPs per second.
    Flops,
    /// Bytes per second.
    Bandwidth,
    /// Seconds.
    Seconds,
    /// A ratio of times.
    Times,
}

/// Each figure that is measured, in the order in which they are: a later one may need an earlier one.
#[rustfmt::skip]
pub const FIGURES: [Figure; 9] = [
    Figure { name: "overhead",       unit: Unit::Seconds,   may_be_zero: true,  of: |m| &mut m.overhead },
    Figure { name: "bandwidth",      unit: Unit::Bandwidth, may_be_zero: false, of: |m| &mut m.bandwidth },
    Figure { name: "transpose_bandwidth", unit: Unit::Bandwidth, may_be_zero: false, of: |m| &mut m.transpose_bandwidth },
    Figure { name: "cell_flops",     unit: Unit::Flops,     may_be_zero: false, of: |m| &mut m.cell_flops },
    Figure { name: "product_flops",  unit: Unit::Flops,     may_be_zero: false, of: |m| &mut m.product_flops },
    Figure { name: "sparse_flops",   unit: Unit::Flops,     may_be_zero: false, of: |m| &mut m.sparse_flops },
    Figure { name: "scatter",        unit: Unit::Times,     may_be_zero: false, of: |m| &mut m.scatter },
    Figure { name: "move_seconds",   unit: Unit::Seconds,   may_be_zero: true,  of: |m| &mut m.move_seconds },
    Figure { name: "merge_seconds",  unit: Unit::Seconds,   may_be_zero: true,  of: |m| &mut m.merge_seconds },
];

impl Machine {
    /// The first figure that no machine can have, in words for people.
    #[must_use]
    pub fn nonsense(mut self) -> Option<String> {
        let wrong = |figure: &&Figure| {
            let value = *(figure.of)(&mut self);
            let least_wrong = if figure.may_be_zero {
                value < 0.0
            } else {
                value <= 0.0
            };
            !value.is_finite() || least_wrong
        };
        if let Some(figure) = FIGURES.iter().find(wrong) {
            return Some(format!("`{}` must be a number above 0", figure.name));
        }
        let memory = self.memory?;
        (!memory.is_finite() || memory <= 0.0)
            .then(|| "`memory` must be a number of bytes above 0".to_owned())
    }

    /// Whether so many bytes fit into the memory.
    #[must_use]
    pub fn fits(&self, bytes: f64) -> bool {
        self.memory.is_none_or(|memory| bytes <= memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_is_one_of_the_machines_and_the_default_makes_sense() {
        let default = Machine::default();
        assert_eq!(default.nonsense(), None);
        let written = serde_json::to_value(default).unwrap();
        for figure in FIGURES {
            assert!(written[figure.name].is_number(), "{}", figure.name);
            let mut changed = default;
            *(figure.of)(&mut changed) = 42.0;
            assert_eq!(serde_json::to_value(changed).unwrap()[figure.name], 42.0);
            *(figure.of)(&mut changed) = -1.0;
            let said = changed.nonsense().unwrap();
            assert!(said.contains(figure.name), "{said}");
        }
        assert_eq!(
            written.as_object().unwrap().len(),
            FIGURES.len() + 2,
            "memory and engine beside them"
        );
    }

    #[test]
    fn what_is_not_known_of_the_memory_forbids_nothing() {
        let machine = Machine::default();
        assert!(machine.fits(1e30));
        let small = Machine {
            memory: Some(1e9),
            ..machine
        };
        assert!(small.fits(1e9) && !small.fits(1.1e9));
        assert!(
            Machine {
                memory: Some(0.0),
                ..machine
            }
            .nonsense()
            .is_some()
        );
    }
}
