//! A suggestion as edits of the script: the person's names, comments and other statements are never touched.

use std::collections::BTreeMap;

use sumac_la::{Dag, Machine, Node, NodeId};
use sumac_syntax::ast::ExprKind;
use sumac_syntax::edit::apply_edits;
use sumac_syntax::text::{TextEdit, TextRange};

use super::before::Before;
use super::group::Group;
use super::site::Site;
use super::surroundings::Names;

/// What temporaries are called, with a number behind.
const TEMPORARY: &str = "tmp";

/// Whether a variable of this name could be one of ours.
pub(super) fn is_temporary(name: &str) -> bool {
    name.strip_prefix(TEMPORARY)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// A suggestion in the script's text.
pub(super) struct Written {
    pub(super) range: TextRange,
    pub(super) statement_ranges: Vec<TextRange>,
    pub(super) original: String,
    pub(super) optimized: String,
    pub(super) statement: String,
    pub(super) edits: Vec<TextEdit>,
    pub(super) edits_with_temporaries: Option<Vec<TextEdit>>,
}

/// Writes `optimized`, whose roots are the new forms of the group's parts. `None` if nothing would change.
pub(super) fn write(
    site: Site<'_>,
    group: &Group<'_>,
    optimized: &Dag,
    before: Option<&Before<'_>>,
) -> Option<Written> {
    let optimized = before.map_or(optimized, |before| &before.cut.body);
    let text = site.text();
    let statement = group.last().range;
    let parts = group.parts();
    let mut originals = Vec::new();
    let mut forms = Vec::new();
    let mut edits: Vec<TextEdit> = group
        .dissolved()
        .map(|gone| removal(site, gone.range))
        .collect();
    let plain: Vec<String> = optimized
        .roots()
        .iter()
        .map(|root| optimized.print(*root))
        .collect();
    for (part, form) in parts.iter().zip(&plain) {
        let old = &text[part.range];
        if same_words(old, form) && edits.is_empty() {
            continue;
        }
        originals.push(old.to_owned());
        forms.push(form.clone());
        edits.push(TextEdit {
            range: part.range,
            new_text: fitted(text, statement, part.range, form),
        });
    }
    if originals.is_empty() || parts.iter().any(|part| site.has_comment(part.range)) {
        // Nothing to say, or a comment inside the expression would be lost.
        return None;
    }
    edits.sort_by_key(|edit| edit.range);
    let statement_ranges = group.ranges();
    let range = statement_ranges.iter().copied().reduce(TextRange::cover)?;
    // Where one text would compute a shared part again and again, the variables are the suggestion.
    let with_variables = with_temporaries(site, group, optimized, &edits);
    let (edits, edits_with_temporaries) = match with_variables {
        Some(variables) if repeats_work(optimized) => (variables, None),
        other => (edits, other),
    };
    let mut statement = with_edits(text, range, &edits);
    let (mut edits, mut edits_with_temporaries) = (edits, edits_with_temporaries);
    if let Some(before) = before {
        let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let indent: String = text[line_start..range.start]
            .chars()
            .take_while(|c| c.is_whitespace())
            .collect();
        let lines = before.statements().map(|line| format!("{line}\n{indent}"));
        statement = lines.collect::<String>() + &statement;
        edits.insert(0, before.edit());
        if let Some(edits) = &mut edits_with_temporaries {
            edits.insert(0, before.edit());
        }
        forms.splice(0..0, before.statements());
    }
    Some(Written {
        statement,
        original: if group.members.len() > 1 {
            text[range].to_owned()
        } else {
            originals.join("; ")
        },
        optimized: forms.join("; "),
        edits_with_temporaries,
        range,
        statement_ranges,
        edits,
    })
}

/// Whether the roots' text, evaluated as it stands, takes notably longer than their DAG.
fn repeats_work(dag: &Dag) -> bool {
    let machine = Machine::default();
    let nodes = dag.reachable(dag.roots());
    // How often each node stands in the text.
    let mut written: BTreeMap<NodeId, f64> = BTreeMap::new();
    for root in dag.roots() {
        *written.entry(*root).or_default() += 1.0;
    }
    let (mut once, mut repeated) = (0.0, 0.0);
    for id in nodes.iter().rev() {
        let times = written.get(id).copied().unwrap_or_default();
        for arg in dag.args(*id) {
            *written.entry(*arg).or_default() += times;
        }
        let seconds = dag
            .node_cost(*id, &machine)
            .map_or(0.0, |cost| cost.seconds);
        once += seconds;
        repeated += seconds * times;
    }
    repeated > 1.05 * once
}

fn same_words(a: &str, b: &str) -> bool {
    let words = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    words(a) == words(b)
}

/// The text of `range` after the edits, of which some may begin before it or end behind it (whole lines that go).
fn with_edits(text: &str, range: TextRange, edits: &[TextEdit]) -> String {
    let whole = edits
        .iter()
        .map(|edit| edit.range)
        .fold(range, TextRange::cover);
    let moved: Vec<TextEdit> = edits
        .iter()
        .map(|edit| TextEdit {
            range: TextRange::new(edit.range.start - whole.start, edit.range.end - whole.start),
            new_text: edit.new_text.clone(),
        })
        .collect();
    apply_edits(&text[whole], &moved).trim().to_owned()
}

/// `form` at `part`'s place, in parentheses where what stands around could bind tighter.
fn fitted(text: &str, statement: TextRange, part: TextRange, form: &str) -> String {
    let before = text[statement.start..part.start]
        .trim_end()
        .chars()
        .next_back();
    let behind = text[part.end..statement.end].trim_start().chars().next();
    let open = matches!(before, None | Some('(' | ',' | '=' | '['));
    let closed = matches!(behind, None | Some(')' | ',' | ']' | ';'));
    let is_atom = || {
        let (expr, _) = sumac_syntax::parse_expression(form);
        expr.is_some_and(|e| {
            matches!(
                e.kind,
                ExprKind::Name(_)
                    | ExprKind::Call(_)
                    | ExprKind::Int(_)
                    | ExprKind::Double(_)
                    | ExprKind::Paren(_)
            )
        })
    };
    if (open && closed) || is_atom() {
        form.to_owned()
    } else {
        format!("({form})")
    }
}

/// Removes a statement; its line too, if nothing else stands there.
fn removal(site: Site<'_>, statement: TextRange) -> TextEdit {
    let text = site.text();
    let line_start = text[..statement.start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[statement.end..]
        .find('\n')
        .map_or(text.len(), |at| statement.end + at + 1);
    let rest = text[statement.end..line_end].trim();
    let alone =
        text[line_start..statement.start].trim().is_empty() && (rest.is_empty() || rest == ";");
    let line = TextRange::new(line_start, line_end);
    let range = if alone && site.owns(line) {
        line
    } else {
        statement
    };
    TextEdit {
        range,
        new_text: String::new(),
    }
}

/// The edits with a variable for each computed node that is used more than once.
fn with_temporaries(
    site: Site<'_>,
    group: &Group<'_>,
    dag: &Dag,
    plain: &[TextEdit],
) -> Option<Vec<TextEdit>> {
    let text = site.text();
    let statement = group.last().range;
    let line_start = text[..statement.start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &text[line_start..statement.start];
    if !indent.trim().is_empty() || group.last().target.is_none() {
        return None;
    }
    let names = temporaries(&site.around.names, dag);
    if names.is_empty() {
        return None;
    }
    let name = |id: NodeId| names.get(&id).cloned();
    let mut lines = String::new();
    for (id, variable) in &names {
        lines.push_str(&format!(
            "{variable} = {}\n{indent}",
            dag.print_with(*id, &name)
        ));
    }
    let mut edits: Vec<TextEdit> = plain.to_vec();
    for (part, root) in group.parts().iter().zip(dag.roots()) {
        let form = name(*root).unwrap_or_else(|| dag.print_with(*root, &name));
        for edit in edits.iter_mut().filter(|edit| edit.range == part.range) {
            edit.new_text = fitted(text, statement, part.range, &form);
        }
    }
    edits.push(TextEdit {
        range: TextRange::new(statement.start, statement.start),
        new_text: lines,
    });
    edits.sort_by_key(|edit| edit.range);
    Some(edits)
}

/// Names for the nodes that cost something and are used more than once, in topological order.
fn temporaries(taken: &Names, dag: &Dag) -> BTreeMap<NodeId, String> {
    let mut free = (1..)
        .map(|n| format!("{TEMPORARY}{n}"))
        .filter(|name| !taken.contains(name));
    let shared = shared(dag).into_iter();
    shared
        .map(|id| (id, free.next().expect("there are infinitely many names")))
        .collect()
}

/// What a form computes in statements before its own, as its text would repeat it otherwise.
pub(crate) fn formed_before(dag: &Dag) -> Vec<NodeId> {
    if repeats_work(dag) {
        shared(dag)
    } else {
        Vec::new()
    }
}

/// The nodes that cost something and are used more than once, in topological order.
fn shared(dag: &Dag) -> Vec<NodeId> {
    let nodes = dag.reachable(dag.roots());
    let mut uses: BTreeMap<NodeId, usize> = BTreeMap::new();
    for id in nodes.iter().flat_map(|id| dag.args(*id)).chain(dag.roots()) {
        *uses.entry(*id).or_default() += 1;
    }
    let machine = Machine::default();
    let costs = |id: &NodeId| {
        dag.node_cost(*id, &machine)
            .is_some_and(|cost| cost.flops > 0.0)
    };
    nodes
        .iter()
        .copied()
        .filter(|id| {
            uses.get(id).is_some_and(|n| *n > 1)
                && matches!(dag.node(*id), Node::Op(..))
                && costs(id)
        })
        .collect()
}
