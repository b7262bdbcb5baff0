//! The memo table as text: an operator a line, its partial plans behind it, inputs by number, -1 for what is read from
//! memory.

use sumac_la::{Node, NodeId, Op, Print};

use crate::graph::Graph;
use crate::memo::{Entry, Memo};
use crate::template::Close;

/// How an operator is called in a table: its sign, or the name of its call; inputs and numbers as themselves.
#[must_use]
pub fn sign(graph: &Graph<'_>, id: NodeId) -> String {
    match graph.dag.node(id) {
        Node::Op(op, _) => op_sign(*op).to_owned(),
        Node::Input(_) => graph
            .dag
            .input_of(id)
            .map_or_else(String::new, |input| input.name.to_string()),
        Node::Num(bits) => sumac_la::number(f64::from_bits(*bits)),
    }
}

/// An operator's sign, or the name of its call.
pub(crate) fn op_sign(op: Op) -> &'static str {
    match op.info().print {
        Print::Infix(sign, _) | Print::Prefix(sign, _) => sign,
        Print::Call(name) => name,
        Print::RightIndex | Print::LeftIndex => "[,]",
        Print::Fill => "matrix",
    }
}

/// How many arguments of an operator a table shows: what indexing reads beside its matrix are numbers.
fn shown(graph: &Graph<'_>, id: NodeId) -> usize {
    match graph.op(id) {
        Some(Op::RightIndex) => 1,
        _ => graph.dag.args(id).len(),
    }
}

impl Memo {
    /// An entry as `R(10,9)`; a star says that it cannot end there, a dot that it cannot grow.
    #[must_use]
    pub fn entry_text(&self, graph: &Graph<'_>, id: NodeId, entry: &Entry) -> String {
        let args = graph.dag.args(id);
        let inputs: Vec<String> = (0..shown(graph, id))
            .map(|i| {
                if entry.inputs[i].is_fused() {
                    args[i].index().to_string()
                } else {
                    "-1".to_owned()
                }
            })
            .collect();
        let mark = match entry.close {
            Close::OpenValid | Close::ClosedInvalid => "",
            Close::OpenInvalid => "*",
            Close::ClosedValid => ".",
        };
        format!("{}({}){mark}", entry.template.letter(), inputs.join(","))
    }

    /// The table, the last operator first.
    #[must_use]
    pub fn text(&self, graph: &Graph<'_>) -> String {
        let mut rows: Vec<(String, String)> = Vec::new();
        for &id in self.operators().iter().rev() {
            let entries: Vec<String> = self
                .entries(id)
                .iter()
                .map(|entry| self.entry_text(graph, id, entry))
                .collect();
            let name = format!("{:>3} {}", id.index(), sign(graph, id));
            rows.push((name, entries.join("  ")));
        }
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, entries) in rows {
            text.push_str(&format!("{}  {entries}\n", sumac_la::padded(&name, width)));
        }
        text
    }
}
