//! A cluster behind a driver, as SystemDS uses Spark: which operators run on it, and what moving their inputs takes.
//!
//! An operator whose inputs and result fit into the driver's budget runs in the driver. Any other one runs where the
//! blocks of its largest input lie; its other inputs are sent to every executor, or joined block by block where they are
//! too large for that. Values that the driver has room for are taken to be there. Nothing is measured or decided here.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use sumac_la::{Op, Type};

/// What an executor keeps for itself, in bytes (Spark's `RESERVED_SYSTEM_MEMORY_BYTES`).
const RESERVED: f64 = 300.0 * 1024.0 * 1024.0;
/// 1 GiB in bytes.
const GIGA: f64 = 1024.0 * 1024.0 * 1024.0;
/// The share of the driver's heap that an operator may take (SystemDS's `MEM_UTIL_FACTOR`).
const DRIVER_SHARE: f64 = 0.7;
/// The share of an executor's memory that data may take (Spark's `spark.memory.fraction`).
const DATA_SHARE: f64 = 0.6;
/// The share of that which broadcasts may take (SystemDS's `BROADCAST_DATA_FRACTION`).
const BROADCAST_SHARE: f64 = 0.35;
/// A value is broadcast in parts that the driver holds beside it.
const COPIES_IN_DRIVER: f64 = 2.0;

/// A driver with executors. All nodes are alike: each executor computes and reads as fast as the driver.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Cluster {
    /// Rows and columns of a block.
    pub block: u64,
    /// Bytes of the driver's heap.
    pub driver_memory: f64,
    /// Executors, at least one.
    pub executors: u32,
    /// Bytes of each executor's memory.
    pub executor_memory: f64,
    /// Cores of the driver, and of each executor.
    pub cores: u32,
    /// Bytes per second at which a value goes from the driver to all executors, or comes back.
    pub broadcast: f64,
    /// Bytes per second of each executor in a shuffle.
    pub shuffle: f64,
    /// Bytes per second of each executor's disks.
    pub disk: f64,
    /// Seconds to start a job.
    pub job: f64,
}

impl Default for Cluster {
    /// A small cluster: blocks and the rate of broadcasts as in SystemDS, six executors of 60 GB and 24 cores as in the
    /// cluster of the fusion paper's section 5.1, disks at 512 MB/s.
    fn default() -> Self {
        Cluster {
            block: 1000,
            driver_memory: 35.0 * GIGA,
            executors: 6,
            executor_memory: 60.0 * GIGA,
            cores: 24,
            broadcast: 1.28e8,
            shuffle: 1.28e8,
            disk: 5.12e8,
            job: 0.1,
        }
    }
}

impl Cluster {
    /// Bytes that the inputs and the result of an operator may take in the driver.
    #[must_use]
    pub fn driver_budget(&self) -> f64 {
        DRIVER_SHARE * self.driver_memory
    }

    /// Bytes that all inputs may take together which one operator sends to every executor.
    #[must_use]
    pub fn broadcast_budget(&self) -> f64 {
        let remote = BROADCAST_SHARE * DATA_SHARE * self.room();
        remote.min(self.driver_budget() / COPIES_IN_DRIVER)
    }

    /// Bytes of data that all executors hold in memory.
    #[must_use]
    pub fn data_budget(&self) -> f64 {
        DATA_SHARE * self.room() * self.nodes()
    }

    fn room(&self) -> f64 {
        (self.executor_memory - RESERVED).max(0.0)
    }

    /// How many executors there are, as a factor.
    #[must_use]
    pub fn nodes(&self) -> f64 {
        f64::from(self.executors.max(1))
    }

    /// Whether an operator runs on the cluster whose inputs and result take so many bytes.
    #[must_use]
    pub fn takes(&self, bytes: f64) -> bool {
        bytes > self.driver_budget()
    }

    /// Blocks beside each other in so many rows or columns.
    #[must_use]
    pub fn blocks(&self, size: u64) -> f64 {
        sumac_la::as_f64(size.div_ceil(self.block.max(1)).max(1))
    }

    /// Seconds that reading so many bytes of blocks takes where they lie, each executor at `bandwidth` bytes per second.
    #[must_use]
    pub fn reading(&self, bytes: f64, bandwidth: f64) -> f64 {
        let is_in_memory = bytes <= self.data_budget();
        let each = if is_in_memory {
            bandwidth
        } else {
            bandwidth.min(self.disk)
        };
        bytes / (each * self.nodes())
    }

    /// Seconds until a result of so many bytes is where later operators look for it: in the driver if it has room.
    #[must_use]
    pub fn keeping(&self, bytes: f64, bandwidth: f64) -> f64 {
        if self.takes(bytes) {
            self.reading(bytes, bandwidth)
        } else {
            bytes / self.broadcast
        }
    }

    /// Which of the inputs beside the largest one are sent to every executor: the smallest first, as long as there is room.
    #[must_use]
    pub fn broadcasts(&self, bytes: &[f64]) -> SmallVec<[bool; 4]> {
        let mut order: SmallVec<[usize; 4]> = (0..bytes.len()).collect();
        order.sort_by(|a, b| bytes[*a].total_cmp(&bytes[*b]));
        let mut sent: SmallVec<[bool; 4]> = smallvec::smallvec![false; bytes.len()];
        let mut room = self.broadcast_budget();
        for i in order {
            sent[i] = bytes[i] <= room;
            if sent[i] {
                room -= bytes[i];
            }
        }
        sent
    }

    /// Seconds to send one value of so many bytes to every executor.
    #[must_use]
    pub fn sending(&self, bytes: f64) -> f64 {
        bytes / self.broadcast
    }

    /// Seconds to move so many bytes of blocks to where they are joined.
    #[must_use]
    pub fn shuffling(&self, bytes: f64) -> f64 {
        bytes / (self.shuffle * self.nodes())
    }

    /// Seconds that moving the factors of a product takes: the smaller one is sent to every executor, or else both are
    /// shuffled, and what comes of each block of the `inner` size they have in common, too. Sizes in bytes.
    #[must_use]
    pub fn moving_factors(&self, left: f64, right: f64, result: f64, inner: u64) -> f64 {
        let smaller = left.min(right);
        if smaller <= self.broadcast_budget() {
            return self.sending(smaller);
        }
        let parts = self.blocks(inner).min(self.nodes());
        self.shuffling(left + right + parts * result)
    }

    /// How often a block of a value is copied where it is joined with a matrix of the shape `(rows, cols)`. `None` where
    /// none of its sizes says with which blocks it belongs: only a broadcast can bring it there.
    #[must_use]
    pub fn copies(&self, side: (u64, u64), main: (u64, u64)) -> Option<f64> {
        if side == main {
            Some(1.0)
        } else if side.0 == main.0 {
            Some(self.blocks(main.1))
        } else if side.1 == main.1 || side.0 == main.1 {
            Some(self.blocks(main.0))
        } else {
            None
        }
    }

    /// Seconds that an operator takes here, alone, which takes `work` seconds beside its start in one node. `bytes` are
    /// those of its arguments, `result` those of what it gives.
    pub(crate) fn seconds_of(
        &self,
        op: Op,
        args: &[&Type],
        bytes: &[f64],
        result: f64,
        work: f64,
    ) -> f64 {
        let main = main(bytes);
        let moved = match op {
            Op::MatMul => {
                let inner = args[0]
                    .cols
                    .estimate()
                    .or(args[1].rows.estimate())
                    .unwrap_or(1);
                self.moving_factors(bytes[0], bytes[1], result, inner)
            }
            Op::Transpose => self.shuffling(bytes[0]),
            _ => self.moving_sides(args, bytes, main),
        };
        let read = bytes.get(main).map_or(0.0, |bytes| self.spilled(*bytes));
        self.job + work / self.nodes() + read + moved + self.keeping_alone(result)
    }

    /// Seconds that bringing all arguments but one to the blocks of that one takes.
    pub(crate) fn moving_sides(&self, args: &[&Type], bytes: &[f64], main: usize) -> f64 {
        let shape = |ty: &Type| Some((ty.rows.estimate()?, ty.cols.estimate()?));
        let sent = self.broadcasts(
            &(0..bytes.len())
                .filter(|i| *i != main)
                .map(|i| bytes[i])
                .collect::<SmallVec<[f64; 4]>>(),
        );
        let sides = (0..bytes.len()).filter(|i| *i != main);
        sides
            .zip(sent)
            .map(|(i, is_sent)| {
                if is_sent {
                    return self.sending(bytes[i]);
                }
                let around = shape(args[i]).zip(shape(args[main]));
                let copies = around.and_then(|(side, main)| self.copies(side, main));
                self.shuffling(bytes[i] * copies.unwrap_or(1.0))
            })
            .sum()
    }

    /// Seconds that reading takes longer where the executors' memory does not hold so many bytes.
    pub(crate) fn spilled(&self, bytes: f64) -> f64 {
        if bytes <= self.data_budget() {
            0.0
        } else {
            self.reading(bytes, self.disk)
        }
    }

    /// Seconds until a result is in the driver, if it has room; writing it where it lies is part of the work.
    pub(crate) fn keeping_alone(&self, result: f64) -> f64 {
        if self.takes(result) {
            self.spilled(result)
        } else {
            self.sending(result)
        }
    }
}

/// The largest, the first of equals.
pub(crate) fn main(bytes: &[f64]) -> usize {
    let mut found = 0;
    for (i, value) in bytes.iter().enumerate() {
        if *value > bytes[found] {
            found = i;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Priced;
    use crate::engine::Engine;
    use crate::machine::Machine;
    use sumac_la::Dag;

    fn seconds(machine: &Machine, build: impl Fn(&mut Dag) -> sumac_la::NodeId) -> f64 {
        let mut dag = Dag::default();
        let root = build(&mut dag);
        dag.node_cost(root, machine).unwrap().seconds
    }

    fn spark() -> Machine {
        Machine::of(Engine::Spark)
    }

    #[test]
    fn what_fits_into_the_driver_runs_there_at_its_price() {
        let product = |dag: &mut Dag| {
            let x = dag.input("X", Type::sparse(1_000_000, 100, 1.0));
            let v = dag.input("v", Type::sparse(100, 1, 1.0));
            dag.op(Op::MatMul, [x, v]).unwrap()
        };
        let alone = Machine::of(Engine::SystemDs);
        assert_eq!(seconds(&spark(), product), seconds(&alone, product));
        // A hundred times as much does not, and six executors share it.
        let large = |dag: &mut Dag| {
            let x = dag.input("X", Type::sparse(100_000_000, 100, 1.0));
            let v = dag.input("v", Type::sparse(100, 1, 1.0));
            dag.op(Op::MatMul, [x, v]).unwrap()
        };
        assert!(seconds(&spark(), large) < seconds(&alone, large));
    }

    #[test]
    fn a_small_factor_is_sent_and_a_large_one_is_shuffled() {
        let cluster = Cluster::default();
        let sent = cluster.moving_factors(1e11, 1e9, 1e9, 1_000_000);
        assert_eq!(sent, 1e9 / cluster.broadcast);
        // Beyond the budget both move, and one partial result for each executor.
        let shuffled = cluster.moving_factors(1e11, 2e10, 1e9, 1_000_000);
        let all = 1e11 + 2e10 + 6.0 * 1e9;
        assert_eq!(shuffled, all / (6.0 * cluster.shuffle));
        assert!(2e10 > cluster.broadcast_budget() && 1e9 < cluster.broadcast_budget());
    }

    #[test]
    fn broadcasts_take_what_there_is_room_for_the_smallest_first() {
        let cluster = Cluster {
            driver_memory: 1e12,
            executor_memory: RESERVED + 10e9 / (DATA_SHARE * BROADCAST_SHARE),
            ..Cluster::default()
        };
        assert!((cluster.broadcast_budget() - 10e9).abs() < 1.0);
        assert_eq!(
            cluster.broadcasts(&[8e9, 1e9, 3e9]).as_slice(),
            [false, true, true]
        );
        // What the driver cannot hold twice is not sent either.
        let small = Cluster {
            driver_memory: 1e9,
            ..cluster
        };
        assert_eq!(small.broadcast_budget(), 0.35e9);
        assert!(Cluster::default().broadcasts(&[]).is_empty());
    }

    #[test]
    fn a_vector_is_copied_to_every_block_along_the_other_side() {
        let cluster = Cluster::default();
        let main = (5000, 3000);
        assert_eq!(cluster.copies(main, main), Some(1.0));
        assert_eq!(cluster.copies((5000, 1), main), Some(3.0));
        assert_eq!(cluster.copies((1, 3000), main), Some(5.0));
        assert_eq!(cluster.copies((3000, 7), main), Some(5.0));
        assert_eq!(cluster.copies((7, 7), main), None);
        assert_eq!((cluster.blocks(0), cluster.blocks(1001)), (1.0, 2.0));
    }

    #[test]
    fn data_beyond_the_executors_memory_is_read_from_their_disks() {
        let cluster = Cluster::default();
        let (fits, spills) = (cluster.data_budget(), 1.01 * cluster.data_budget());
        assert!(cluster.reading(spills, 1e10) > 10.0 * cluster.reading(fits, 1e10));
        // An executor with nothing but what it keeps for itself holds nothing.
        let tiny = Cluster {
            executor_memory: 1e8,
            ..cluster
        };
        assert_eq!((tiny.data_budget(), tiny.broadcast_budget()), (0.0, 0.0));
    }

    #[test]
    fn a_transpose_on_the_cluster_moves_every_block() {
        let transposed = |dag: &mut Dag| {
            let x = dag.input("X", Type::sparse(10_000_000, 1000, 1.0));
            dag.op(Op::Transpose, [x]).unwrap()
        };
        let negated = |dag: &mut Dag| {
            let x = dag.input("X", Type::sparse(10_000_000, 1000, 1.0));
            dag.op(Op::Neg, [x]).unwrap()
        };
        assert!(seconds(&spark(), transposed) > 10.0 * seconds(&spark(), negated));
    }
}
