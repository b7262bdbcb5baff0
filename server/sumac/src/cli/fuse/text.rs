//! A fusion plan for people: the candidates, what was decided, the fused operators as short programs, and the lines of
//! the script with the operators that compute them.

use std::fmt::Write;
use std::path::Path;

use sumac_cost::Cluster;
use sumac_fusion::{Graph, Plan, PointKind, Share, Unit};
use sumac_ide::fusion::{self, Block};
use sumac_ide::quantity;

use super::report::names;

/// The plan as text.
pub(super) fn of(block: &Block<'_>, plan: &Plan, cluster: Option<&Cluster>, path: &Path) -> String {
    let graph = Graph::new(block.dag(), block.roots());
    let mut text = String::new();
    text.push_str(
        "candidates (R row, C cell, O outer, M several aggregates; -1: read from memory;\n",
    );
    text.push_str("            *: cannot end there, .: ends there)\n");
    text.push_str(&indented(&plan.memo.text(&graph)));
    text.push('\n');
    if let Some(cluster) = cluster {
        let _ = writeln!(text, "{}", about(cluster));
    }
    let _ = writeln!(text, "{}", summary(plan));
    for (i, share) in plan.shares.iter().enumerate() {
        text.push_str(&decision(block, share, i + 1));
    }
    for (i, operator) in plan.operators.iter().enumerate() {
        text.push('\n');
        let placed = plan.placement(Unit::Fused(i));
        text.push_str(&fusion::operator(block, operator, placed, i + 1));
    }
    let alone = fusion::alone(block, plan);
    if !alone.is_empty() {
        let list: Vec<String> = alone.iter().map(shown).collect();
        let _ = write!(text, "\nalone: {}\n", list.join(", "));
    }
    let _ = write!(text, "\n{}\n", path.display());
    text.push_str(&fusion::lines(block, plan));
    text
}

fn shown(one: &fusion::Alone) -> String {
    let place = if one.on_cluster {
        " (on the cluster)"
    } else {
        ""
    };
    format!("{}{place}", one.expression)
}

/// What the cluster has room for.
fn about(cluster: &Cluster) -> String {
    format!(
        "cluster: {} in the driver for one operator, {} executors with {} of data, {} of it sent along, \
         blocks of {} rows and columns",
        quantity::bytes(cluster.driver_budget()),
        cluster.executors,
        quantity::bytes(cluster.data_budget()),
        quantity::bytes(cluster.broadcast_budget()),
        cluster.block
    )
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn summary(plan: &Plan) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let operators = count(plan.operators.len(), "fused operator");
    let times = match (plan.seconds, plan.unfused_seconds) {
        (Some(seconds), Some(unfused)) => format!(
            "{} estimated, {} without fusion",
            quantity::seconds(seconds),
            quantity::seconds(unfused)
        ),
        _ => "sizes are not known, so only what is read once is fused".to_owned(),
    };
    let (all, apart) = plan.choices();
    let short = if plan.cut_short() {
        "; the search was cut short: the best of the heuristics and of what was seen, improved point by point"
    } else {
        ""
    };
    format!(
        "plan: {operators}; {times}\n\
         plans: {} in all, {} by partition, {} costed{short}",
        plans(all),
        plans(apart),
        plan.costed()
    )
}

fn plans(count: f64) -> String {
    if count < 1e6 {
        format!("{count:.0}")
    } else {
        format!("{count:.1e}")
    }
}

fn decision(block: &Block<'_>, share: &Share, number: usize) -> String {
    let part = &share.partition;
    let mut text = String::new();
    if part.operators.len() < 2 {
        return text;
    }
    let found = share.found.as_ref().map_or(String::new(), |found| {
        format!(
            ", {} of {} plans costed, {} skipped by cost, {} splits",
            found.costed,
            plans(found.choices),
            plans(found.skipped_by_cost),
            found.splits
        )
    });
    let _ = writeln!(
        text,
        "partition {number}: {} operators, reads {}{found}",
        part.operators.len(),
        names(block, &part.inputs).join(", ")
    );
    for (i, point) in part.points.iter().enumerate() {
        let _ = writeln!(
            text,
            "  {} -> {} ({}): {}",
            block.name(point.producer),
            block.name(point.consumer),
            match point.kind {
                PointKind::Shared => "read by several",
                PointKind::Switch => "another template",
            },
            if share.written.get(i) {
                "written down"
            } else {
                "computed inside"
            }
        );
    }
    text
}
