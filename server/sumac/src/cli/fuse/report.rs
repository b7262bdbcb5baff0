//! A fusion plan for programs.

use std::path::Path;

use serde::Serialize;
use sumac_cost::Cluster;
use sumac_fusion::opened::Seconds;
use sumac_fusion::{
    Access, Found, Graph, Options, Placement, Plan, PlannedOperator, PointKind, Policy, Unit, sign,
};
use sumac_ide::fusion::{self, Block};
use sumac_la::NodeId;

use super::measure::Measured;
use crate::machine::Origin;

/// What `sumac fuse --format json` prints.
#[derive(Serialize)]
pub(super) struct Report {
    file: String,
    line: usize,
    /// Lines of the block's first and last statement.
    lines: [usize; 2],
    policy: Policy,
    machine: Origin,
    /// The cluster that costs are for.
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<Cluster>,
    /// By operator, arguments first: its partial plans.
    memo: Vec<Group>,
    partitions: Vec<PartitionRow>,
    /// The fused operators, in the order in which they run.
    operators: Vec<OperatorRow>,
    /// Operators that run alone.
    alone: Vec<String>,
    /// Those of them that run on the cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alone_on_cluster: Vec<String>,
    /// Estimated; `null` where a size is not known.
    seconds: Option<f64>,
    unfused_seconds: Option<f64>,
    plans: Plans,
    /// What exploring and choosing took.
    planning_milliseconds: f64,
    /// What `--measure` saw.
    pub(super) measured: Option<Measured>,
}

#[derive(Serialize)]
struct Group {
    id: usize,
    operator: String,
    expression: String,
    entries: Vec<EntryRow>,
}

#[derive(Serialize)]
struct EntryRow {
    template: &'static str,
    /// The number of an input that is computed inside, or -1.
    inputs: Vec<i64>,
    close: sumac_fusion::Close,
    text: String,
}

#[derive(Serialize)]
struct PartitionRow {
    operators: Vec<usize>,
    roots: Vec<usize>,
    inputs: Vec<String>,
    materialization: Vec<usize>,
    points: Vec<PointRow>,
    /// How the choice was found; `null` where it was not searched.
    search: Option<Found>,
}

#[derive(Serialize)]
struct PointRow {
    consumer: usize,
    producer: usize,
    kind: &'static str,
    written: bool,
}

#[derive(Serialize)]
struct OperatorRow {
    template: &'static str,
    variant: String,
    outputs: Vec<String>,
    inputs: Vec<InputRow>,
    driver: Option<String>,
    covers: Vec<usize>,
    /// `None` where sizes are not known.
    seconds: Option<Seconds>,
    total_seconds: Option<f64>,
    program: String,
    hash: String,
    /// Where it runs, where there is a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<PlacementRow>,
}

#[derive(Serialize)]
struct PlacementRow {
    /// `driver`, `cluster` or `unknown`.
    runs: &'static str,
    /// What is sent to every executor.
    sent: Vec<String>,
    /// What is joined by its blocks.
    joined: Vec<String>,
}

#[derive(Serialize)]
struct InputRow {
    name: String,
    access: &'static str,
}

/// How many plans there are: a row of the paper's Figure 12.
#[derive(Serialize)]
struct Plans {
    all: f64,
    partitioned: f64,
    costed: u64,
    cut_short: bool,
}

/// The report of a plan.
pub(super) fn of(
    block: &Block<'_>,
    plan: &Plan,
    (path, line): (&Path, usize),
    (options, machine): (&Options, Origin),
    planning_milliseconds: f64,
) -> Report {
    let graph = Graph::new(block.dag(), block.roots());
    let lines = block.lines();
    let alone = fusion::alone(block, plan);
    let (all, partitioned) = plan.choices();
    let numbers = |ids: &[NodeId]| ids.iter().map(|id| id.index()).collect();
    Report {
        file: path.display().to_string(),
        line,
        lines: [
            lines.first().map_or(line, |line| line.number),
            lines.last().map_or(line, |line| line.number),
        ],
        policy: options.policy,
        machine,
        cluster: options.rates.cluster,
        memo: plan
            .memo
            .operators()
            .iter()
            .map(|id| group(block, &graph, plan, *id))
            .collect(),
        partitions: plan
            .shares
            .iter()
            .map(|share| PartitionRow {
                operators: numbers(&share.partition.operators),
                roots: numbers(&share.partition.roots),
                inputs: share
                    .partition
                    .inputs
                    .iter()
                    .map(|id| block.name(*id))
                    .collect(),
                materialization: numbers(&share.partition.materialization),
                points: share
                    .partition
                    .points
                    .iter()
                    .enumerate()
                    .map(|(i, point)| PointRow {
                        consumer: point.consumer.index(),
                        producer: point.producer.index(),
                        kind: match point.kind {
                            PointKind::Shared => "shared",
                            PointKind::Switch => "switch",
                        },
                        written: share.written.get(i),
                    })
                    .collect(),
                search: share.found.clone(),
            })
            .collect(),
        operators: plan
            .operators
            .iter()
            .enumerate()
            .map(|(i, operator)| operator_row(block, operator, plan.placement(Unit::Fused(i))))
            .collect(),
        alone: alone.iter().map(|one| one.expression.clone()).collect(),
        alone_on_cluster: alone
            .iter()
            .filter(|one| one.on_cluster)
            .map(|one| one.expression.clone())
            .collect(),
        seconds: plan.seconds,
        unfused_seconds: plan.unfused_seconds,
        plans: Plans {
            all,
            partitioned,
            costed: plan.costed(),
            cut_short: plan.cut_short(),
        },
        planning_milliseconds,
        measured: None,
    }
}

fn group(block: &Block<'_>, graph: &Graph<'_>, plan: &Plan, id: NodeId) -> Group {
    let args = block.dag().args(id);
    let entries = plan.memo.entries(id).iter().map(|entry| EntryRow {
        template: entry.template.name(),
        inputs: entry
            .inputs
            .iter()
            .zip(args)
            .map(|(input, arg)| {
                if input.is_fused() {
                    i64::try_from(arg.index()).unwrap_or(i64::MAX)
                } else {
                    -1
                }
            })
            .collect(),
        close: entry.close,
        text: plan.memo.entry_text(graph, id, entry),
    });
    Group {
        id: id.index(),
        operator: sign(graph, id),
        expression: block.dag().print(id),
        entries: entries.collect(),
    }
}

fn placement_row(block: &Block<'_>, placed: &Placement) -> PlacementRow {
    let (runs, sent, joined) = match placed {
        Placement::Driver => ("driver", &[][..], &[][..]),
        Placement::Unknown => ("unknown", &[][..], &[][..]),
        Placement::Cluster(moves) => ("cluster", &moves.sent[..], &moves.joined[..]),
    };
    PlacementRow {
        runs,
        sent: names(block, sent),
        joined: names(block, joined),
    }
}

fn operator_row(
    block: &Block<'_>,
    operator: &PlannedOperator,
    placed: Option<&Placement>,
) -> OperatorRow {
    let access = |access: &Access| match access {
        Access::Cells => "cells",
        Access::Column => "column",
        Access::Row => "row",
        Access::Scalar => "scalar",
        Access::Whole => "whole",
        Access::Transposed => "transposed",
    };
    OperatorRow {
        template: operator.template.name(),
        variant: operator.kernel.variant(),
        outputs: names(block, &operator.roots),
        inputs: operator
            .inputs
            .iter()
            .zip(&operator.kernel.slots)
            .map(|(id, slot)| InputRow {
                name: block.name(*id),
                access: access(slot),
            })
            .collect(),
        driver: operator.driver.map(|id| block.name(id)),
        covers: operator.covers.iter().map(|id| id.index()).collect(),
        seconds: operator.seconds,
        total_seconds: operator.seconds.map(|seconds| seconds.total()),
        program: fusion::program(block, operator),
        hash: format!("{:016x}", operator.kernel.hash()),
        placement: placed.map(|placed| placement_row(block, placed)),
    }
}

/// The names of values.
pub(super) fn names(block: &Block<'_>, ids: &[NodeId]) -> Vec<String> {
    ids.iter().map(|id| block.name(*id)).collect()
}
