//! How the operators of a block are fused, as a document: the lines of the script with the numbers of the operators that
//! compute them, and each operator as a short program. What a plan is, `sumac-fusion` decides.
//!
//! ```text
//!     7  loss = sum((X - U %*% t(V))^2)  | 1
//! ```

mod block;

use std::fmt::Write;

pub use block::{Block, Line, has_choices};
use sumac_cost::Machine;
use sumac_fusion::opened::Seconds;
use sumac_fusion::{Graph, Placement, Plan, PlannedOperator, Unit};
use sumac_la::NodeId;
use sumac_text::TextRange;

use crate::quantity;
use crate::snapshot::Snapshot;

/// The document about the block with a statement that touches `wanted`, as a machine would run it; `title` names the place
/// for people. `None` where there is no linear algebra.
#[must_use]
pub fn fusion(
    snapshot: &Snapshot,
    wanted: TextRange,
    title: &str,
    machine: &Machine,
) -> Option<String> {
    let block = Block::around(snapshot, wanted)?;
    let planned = sumac_runtime::fused::planned(block.dag(), block.roots(), machine);
    let mut text = format!("# How the block around {title} is fused\n\n");
    let Some(plan) = planned else {
        text.push_str(
            "Every operator runs by itself: fused, nothing would be faster, or sizes are not known, or the matrices are small.\n",
        );
        return Some(text);
    };
    if let (Some(fused), Some(alone)) = (plan.seconds, plan.unfused_seconds) {
        let _ = writeln!(
            text,
            "Estimated: {}, and {} if every operator ran by itself.\n",
            quantity::seconds(fused),
            quantity::seconds(alone)
        );
    }
    let _ = writeln!(
        text,
        "Behind each line stand the numbers of the operators that compute it. A run plans each statement by itself: \
         what is fused across statements here, it computes one after the other.\n\n```text\n{}```",
        lines(&block, &plan)
    );
    for (i, one) in plan.operators.iter().enumerate() {
        let placed = plan.placement(Unit::Fused(i));
        let _ = writeln!(
            text,
            "\n```text\n{}```",
            operator(&block, one, placed, i + 1)
        );
    }
    let alone = alone(&block, &plan);
    if !alone.is_empty() {
        text.push_str("\nBy themselves run:\n\n");
        for one in alone {
            let _ = writeln!(text, "- `{}`", one.expression);
        }
    }
    Some(text)
}

/// What a fused operator computes, in the names of the script.
#[must_use]
pub fn program(block: &Block<'_>, operator: &PlannedOperator) -> String {
    operator.program(block.dag(), &|id| block.name(id))
}

/// An operator that runs alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alone {
    /// As an expression.
    pub expression: String,
    /// Whether it runs on a cluster.
    pub on_cluster: bool,
}

/// The operators that run alone; transposes that are never formed are none.
#[must_use]
pub fn alone(block: &Block<'_>, plan: &Plan) -> Vec<Alone> {
    let graph = Graph::new(block.dag(), block.roots());
    let is_run = |id: &NodeId| {
        let mut around = block.dag().args(*id).iter().chain([id]);
        !graph.is_lazy(*id) && around.any(|id| graph.is_matrix(*id))
    };
    plan.schedule
        .iter()
        .filter_map(|unit| match unit {
            Unit::Alone(id) => Some(*id),
            Unit::Fused(_) => None,
        })
        .filter(is_run)
        .map(|id| Alone {
            expression: block.dag().print(id),
            on_cluster: matches!(plan.placement(Unit::Alone(id)), Some(Placement::Cluster(_))),
        })
        .collect()
}

/// A fused operator: what it reads, gives and takes, where there is a cluster also where it runs, and its program.
#[must_use]
pub fn operator(
    block: &Block<'_>,
    operator: &PlannedOperator,
    placed: Option<&Placement>,
    number: usize,
) -> String {
    let shape = |id: &NodeId| {
        let (name, text) = (block.name(*id), block.dag().print(*id));
        let ty = block.dag().ty(*id);
        if name.starts_with('%') {
            format!("{name} = {text} ({ty})")
        } else {
            format!("{name} ({ty})")
        }
    };
    let list = |ids: &[NodeId]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        ids.iter().map(shape).collect::<Vec<_>>().join(", ")
    };
    let takes = operator.seconds.map_or(String::new(), takes);
    let runs = placed.map_or(String::new(), |placed| {
        format!("\x20 runs     {}\n", whereabouts(block, placed))
    });
    let driver = operator.driver.map_or(String::new(), |driver| {
        format!(", non-zeros of {}", block.name(driver))
    });
    format!(
        "operator {number}: {} {}{driver}\n\
         \x20 inputs   {}\n\
         \x20 outputs  {}\n\
         {runs}{takes}{}",
        operator.template,
        operator.kernel.variant(),
        list(&operator.inputs),
        list(&operator.roots),
        indented(&program(block, operator)),
    )
}

/// The estimate, and what it is made of.
fn takes(seconds: Seconds) -> String {
    let time = |seconds: f64| quantity::seconds(seconds);
    let moved = match seconds.moved {
        0.0 => String::new(),
        moved => format!(", move {}", time(moved)),
    };
    format!(
        "\x20 takes    {}: write {}, read {}, compute {}{moved}\n",
        time(seconds.total()),
        time(seconds.write),
        time(seconds.read),
        time(seconds.compute),
    )
}

/// Where something runs, and what comes there.
fn whereabouts(block: &Block<'_>, placed: &Placement) -> String {
    let moves = match placed {
        Placement::Driver => return "in the driver".to_owned(),
        Placement::Unknown => {
            return "in the driver or on the cluster, as its size will be".to_owned();
        }
        Placement::Cluster(moves) => moves,
    };
    let list = |what: &str, ids: &[NodeId]| {
        let matrices = ids.iter().filter(|id| !block.dag().is_scalar(**id));
        let names: Vec<String> = matrices.map(|id| block.name(*id)).collect();
        if names.is_empty() {
            String::new()
        } else {
            format!("; {what}: {}", names.join(", "))
        }
    };
    format!(
        "on the cluster{}{}",
        list("sent to every executor", &moves.sent),
        list("joined by blocks", &moves.joined)
    )
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// The block's lines, each with the numbers of the operators that compute something of it.
#[must_use]
pub fn lines(block: &Block<'_>, plan: &Plan) -> String {
    let lines = block.lines();
    let width = lines
        .iter()
        .map(|line| line.text.chars().count())
        .max()
        .unwrap_or(0);
    let mut text = String::new();
    for line in lines {
        let of: Vec<String> = plan
            .operators
            .iter()
            .enumerate()
            .filter(|(_, operator)| {
                line.operators
                    .iter()
                    .any(|id| operator.covers.binary_search(id).is_ok())
            })
            .map(|(i, _)| (i + 1).to_string())
            .collect();
        let mark = if of.is_empty() {
            String::new()
        } else {
            format!("| {}", of.join(" "))
        };
        let row = format!(
            "{:>5}  {}  {mark}",
            line.number,
            sumac_la::padded(&line.text, width)
        );
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{LOSS, cursor, snapshot};

    fn document(script: &str, at: &str) -> Option<String> {
        let snapshot = snapshot(script);
        let place = cursor(script.find(at).unwrap());
        fusion(&snapshot, place, "loss.dml:7", &Machine::default())
    }

    #[test]
    fn lines_carry_the_numbers_of_their_operators_and_each_is_a_program() {
        let text = document(LOSS, "loss = ").unwrap();
        assert!(text.contains("| 1\n"), "{text}");
        assert!(text.contains("operator 1: "), "{text}");
        assert!(text.contains("loss += "), "{text}");
    }

    #[test]
    fn small_matrices_are_not_fused_and_other_statements_have_no_document() {
        let small = "#@ A: 3 x 3\nA = read($A)\nprint(sum(A * A + 1))\nprint(\"done\")\n";
        let text = document(small, "sum(A").unwrap();
        assert!(text.contains("Every operator runs by itself"), "{text}");
        assert_eq!(document(small, "print(\"done"), None);
    }
}
