//! The forms of a statement side by side: what each costs, what it computes that others do not, what it leans on.
//! Decides nothing: the forms come proved, checked and in their order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use sumac_cost::{Machine, Priced};
use sumac_la::{Dag, Node, NodeId, Op};
use sumac_text::TextEdit;

use crate::suggestion::Suggestion;
use crate::{describe, quantity};

/// Operations that a difference names on each side.
const NAMED: usize = 2;
/// Operations with a smaller share of a form's FLOPs are not named, if another one is.
const LEAST_SHARE: f64 = 0.01;

/// The forms of one statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// What is compared, in one line.
    pub title: String,
    /// All of it as markdown.
    pub markdown: String,
    /// The forms to choose from: the suggestion, then the alternatives from cheap to dear.
    pub forms: Vec<Form>,
}

/// A form to choose.
#[derive(Clone, PartialEq, Debug)]
pub struct Form {
    /// The gain and the form, in one line.
    pub title: String,
    /// What it costs and how it differs, in one line.
    pub detail: String,
    /// The change that writes it.
    pub edits: Vec<TextEdit>,
}

/// The suggestion beside other forms of its statement. `place` names the statement for people: `loss.dml:7`.
#[must_use]
pub fn compare(suggestion: &Suggestion, others: &[Suggestion], place: &str) -> Comparison {
    let forms: Vec<&Suggestion> = std::iter::once(suggestion).chain(others).collect();
    let shared: Vec<&String> = suggestion
        .assumes
        .iter()
        .filter(|one| forms.iter().all(|form| form.assumes.contains(one)))
        .collect();
    let differences: Vec<String> = forms
        .iter()
        .enumerate()
        .map(|(number, form)| match number {
            0 => told(form, &form.pair.original),
            _ => told(form, &suggestion.pair.optimized),
        })
        .collect();

    let mut text = format!("# The forms of {place}\n\n");
    let _ = writeln!(
        text,
        "As written:\n\n```systemds\n{}\n```\n",
        suggestion.original.trim_end()
    );
    text.push_str(&table(&forms));
    for (number, (form, difference)) in forms.iter().zip(&differences).enumerate() {
        let own = form.assumes.iter().filter(|one| !shared.contains(one));
        let own: Vec<&String> = own.collect();
        section(&mut text, number, form, difference, &own);
    }
    if !shared.is_empty() {
        text.push_str("\n## What each of them assumes\n\n");
        list(&mut text, &shared);
    }
    let choice = |(number, (form, difference)): (usize, (&&Suggestion, &String))| Form {
        title: format!(
            "~{} cheaper: {}",
            quantity::rough_ratio(form.speedup()),
            describe::one_line(&form.optimized)
        ),
        detail: format!(
            "{}: {}, {} FLOPs, {} peak memory; {}",
            name(number).to_lowercase(),
            quantity::seconds(form.after.seconds),
            quantity::count(form.after.flops),
            quantity::bytes(form.after.peak_bytes),
            difference.replace('`', "")
        ),
        edits: form.edits.to_vec(),
    };
    Comparison {
        title: format!("Choose a form for {place}"),
        markdown: text,
        forms: forms
            .iter()
            .zip(&differences)
            .enumerate()
            .map(choice)
            .collect(),
    }
}

/// What a form is called: the first one is the suggestion.
fn name(number: usize) -> String {
    match number {
        0 => "Suggested".to_owned(),
        _ => format!("Alternative {number}"),
    }
}

fn table(forms: &[&Suggestion]) -> String {
    // Alternatives go by their numbers: the table must not be wider than half an editor.
    let numbers: Vec<String> = (1..forms.len()).map(|number| number.to_string()).collect();
    let names = std::iter::once("suggested").chain(numbers.iter().map(|number| &**number));
    let mut columns = vec![("as written", &forms[0].before)];
    columns.extend(names.zip(forms).map(|(name, form)| (name, &form.after)));
    let mut text = describe::costs(&columns);
    let _ = write!(text, "| Cheaper ({}) | |", forms[0].model.name());
    for form in forms {
        let _ = write!(text, " {} |", quantity::rough_ratio(form.speedup()));
    }
    aligned(&text)
}

/// The widest that a cell makes its column.
const WIDEST: usize = 200;

/// A table whose columns stand below each other as text, too: editors show this document unrendered.
fn aligned(table: &str) -> String {
    let cells = |line| {
        let cells = str::trim_matches(line, '|').split('|').map(str::trim);
        cells.collect::<Vec<_>>()
    };
    let rows: Vec<Vec<&str>> = table.lines().map(cells).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let longest = cells.map(|cell| cell.chars().count()).max().unwrap_or(0);
        // A number that anyone can read is shorter.
        longest.min(WIDEST)
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        text.push('|');
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match (number, column) {
                (1, 0) => write!(text, "{:-<width$}--|", ""),
                (1, _) => write!(text, "{:-<width$}-:|", ""),
                (_, 0) => write!(text, " {cell:<width$} |"),
                _ => write!(text, " {cell:>width$} |"),
            };
        }
        text.push('\n');
    }
    text
}

fn section(text: &mut String, number: usize, form: &Suggestion, difference: &str, own: &[&String]) {
    let beside = match number {
        0 => "Beside what is written",
        _ => "Beside the suggestion",
    };
    let _ = writeln!(
        text,
        "\n## {}\n\n```systemds\n{}\n```\n\n{beside}: {difference}.\n\nProved: {}. Checked on random {} x {} data: relative error {}.",
        name(number),
        form.statement.trim_end(),
        form.proof.summary(),
        form.check.rows,
        form.check.cols,
        quantity::relative_error(form.check.max_relative_error),
    );
    if !own.is_empty() {
        text.push_str("\nWhat only this one leans on:\n\n");
        list(text, own);
    }
}

fn list(text: &mut String, items: &[&String]) {
    for item in items {
        let _ = writeln!(text, "- {item}");
    }
}

/// What a form does before the loop around it, and how it differs from `other`, in words.
fn told(form: &Suggestion, other: &Dag) -> String {
    let difference = difference(&form.pair.optimized, other);
    let Some(before) = &form.before_loop else {
        return difference.unwrap_or_else(|| {
            "the same operations on matrices, put together in another way".to_owned()
        });
    };
    let names: Vec<String> = before.names.iter().map(|n| format!("`{n}`")).collect();
    let before = format!("{} computed once, before the loop", names.join(" and "));
    match difference {
        Some(difference) => format!("{before}; in it {difference}"),
        None => before,
    }
}

/// What `form` computes and `other` does not, and the other way round. `None`: all operations are the same.
fn difference(form: &Dag, other: &Dag) -> Option<String> {
    let (ours, theirs) = (operations(form), operations(other));
    let quoted = |texts: Vec<String>| {
        let texts: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
        texts.join(" and ")
    };
    let (own, gone) = (
        quoted(own(form, &ours, &theirs)),
        quoted(own(other, &theirs, &ours)),
    );
    match (own.is_empty(), gone.is_empty()) {
        (false, false) => Some(format!("{own} instead of {gone}")),
        (false, true) => Some(format!("{own} in addition")),
        (true, false) => Some(format!("without {gone}")),
        (true, true) => None,
    }
}

/// The operations on matrices, transposes apart, by a text that is the same for `x * y` and `y * x`.
fn operations(dag: &Dag) -> BTreeMap<String, NodeId> {
    let mut keys: BTreeMap<NodeId, String> = BTreeMap::new();
    for id in dag.reachable(dag.roots()) {
        let key = match dag.node(id) {
            Node::Op(op, args) => {
                let mut args: Vec<&str> = args.iter().map(|arg| &*keys[arg]).collect();
                if op.info().commutative {
                    args.sort_unstable();
                }
                format!("{op:?}({})", args.join(", "))
            }
            _ => dag.print(id),
        };
        keys.insert(id, key);
    }
    let is_work = |id: NodeId| {
        let takes_matrix = dag.args(id).iter().any(|arg| !dag.is_scalar(*arg));
        takes_matrix && !matches!(dag.node(id), Node::Op(Op::Transpose, _))
    };
    keys.into_iter()
        .filter(|(id, _)| is_work(*id))
        .map(|(id, key)| (key, id))
        .collect()
}

/// The costliest operations of `dag` that `theirs` lacks although it has all that they are made of, as DML.
fn own(
    dag: &Dag,
    ours: &BTreeMap<String, NodeId>,
    theirs: &BTreeMap<String, NodeId>,
) -> Vec<String> {
    let missing: BTreeSet<NodeId> = ours
        .iter()
        .filter(|(key, _)| !theirs.contains_key(*key))
        .map(|(_, id)| *id)
        .collect();
    let machine = Machine::default();
    let flops = |id: NodeId| dag.node_cost(id, &machine).map_or(0.0, |cost| cost.flops);
    let all: f64 = ours.values().map(|id| flops(*id)).sum();
    let mut first: Vec<NodeId> = missing
        .iter()
        .copied()
        .filter(|id| !dag.args(*id).iter().any(|arg| missing.contains(arg)))
        .collect();
    first.sort_by(|a, b| flops(*b).total_cmp(&flops(*a)));
    first
        .iter()
        .enumerate()
        .filter(|(place, id)| *place == 0 || flops(**id) >= LEAST_SHARE * all)
        .take(NAMED)
        .map(|(_, id)| dag.print(*id))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sumac_la::Type;

    use super::*;
    use crate::fixture::{LOSS, snapshot, suggestion};
    use crate::suggestion::BeforeLoop;

    /// `X`, `U` and `V` with a form over them.
    fn form(build: impl Fn(&mut Dag, [NodeId; 3]) -> NodeId) -> Dag {
        let mut dag = Dag::default();
        let x = dag.input("X", Type::sparse(2000, 1000, 0.01));
        let u = dag.input("U", Type::matrix(2000, 10));
        let v = dag.input("V", Type::matrix(1000, 10));
        let root = build(&mut dag, [x, u, v]);
        dag.push_root(root);
        dag
    }

    fn op<const N: usize>(dag: &mut Dag, op: Op, args: [NodeId; N]) -> NodeId {
        dag.op(op, args).expect("the arguments fit")
    }

    /// `sum(X * (U %*% t(V)))`
    fn outer(dag: &mut Dag, [x, u, v]: [NodeId; 3]) -> NodeId {
        let transposed = op(dag, Op::Transpose, [v]);
        let product = op(dag, Op::MatMul, [u, transposed]);
        let cells = op(dag, Op::Mul, [x, product]);
        op(dag, Op::Sum, [cells])
    }

    /// `sum((X %*% V) * U)`
    fn inner(dag: &mut Dag, [x, u, v]: [NodeId; 3]) -> NodeId {
        let product = op(dag, Op::MatMul, [x, v]);
        let cells = op(dag, Op::Mul, [product, u]);
        op(dag, Op::Sum, [cells])
    }

    #[test]
    fn a_difference_names_the_first_operations_that_the_other_form_lacks() {
        let (outer, inner) = (form(outer), form(inner));
        assert_eq!(
            difference(&inner, &outer).as_deref(),
            Some("`X %*% V` instead of `U %*% t(V)`"),
            "what is made of them is not named, too"
        );
        assert_eq!(
            difference(&outer, &inner).as_deref(),
            Some("`U %*% t(V)` instead of `X %*% V`")
        );
    }

    #[test]
    fn the_order_of_a_product_of_cells_is_no_difference() {
        let exchanged = form(|dag, [x, u, v]| {
            let product = op(dag, Op::MatMul, [x, v]);
            let cells = op(dag, Op::Mul, [u, product]);
            op(dag, Op::Sum, [cells])
        });
        assert_eq!(difference(&exchanged, &form(inner)), None);
    }

    #[test]
    fn work_that_one_form_has_in_addition_is_told_from_both_sides() {
        let more = form(|dag, inputs| {
            let sum = inner(dag, inputs);
            let rest = op(dag, Op::Sum, [inputs[0]]);
            op(dag, Op::Add, [sum, rest])
        });
        assert_eq!(
            difference(&more, &form(inner)).as_deref(),
            Some("`sum(X)` in addition")
        );
        assert_eq!(
            difference(&form(inner), &more).as_deref(),
            Some("without `sum(X)`")
        );
    }

    #[test]
    fn what_is_computed_before_a_loop_is_told() {
        let snapshot = snapshot(LOSS);
        let mut found = suggestion(&snapshot, "sum((X - U %*% t(V))^2)", "once");
        Arc::make_mut(&mut found.advice_mut().pair).optimized = form(inner);
        assert_eq!(
            told(&found, &form(outer)),
            "`X %*% V` instead of `U %*% t(V)`"
        );
        let same = "the same operations on matrices, put together in another way";
        assert_eq!(told(&found, &form(inner)), same);
        found.advice_mut().before_loop = Some(BeforeLoop {
            names: vec!["once_loss_1".to_owned()],
            level: 0,
        });
        let before = "`once_loss_1` computed once, before the loop";
        assert_eq!(
            told(&found, &form(outer)),
            format!("{before}; in it `X %*% V` instead of `U %*% t(V)`")
        );
        // Names say nothing of what was computed there.
        assert_eq!(told(&found, &form(inner)), before);
    }

    #[test]
    fn the_forms_stand_side_by_side_and_each_can_be_chosen() {
        let snapshot = snapshot(LOSS);
        let original = "sum((X - U %*% t(V))^2)";
        let mut best = suggestion(&snapshot, original, "sum(X^2)\n    - 1");
        best.advice_mut()
            .assumes
            .push("cheaper while X is sparse".to_owned());
        let mut other = suggestion(&snapshot, original, "sum(X * X) - 1");
        other.advice_mut().cost = (100.0, 4.0);
        other.advice_mut().assumes.push("X is square".to_owned());
        let compared = compare(&best, &[other.clone()], "loss.dml:7");

        let titles: Vec<_> = compared.forms.iter().map(|form| &*form.title).collect();
        assert_eq!(
            titles,
            [
                "~100× cheaper: sum(X^2) - 1",
                "~25× cheaper: sum(X * X) - 1"
            ]
        );
        assert_eq!(compared.forms[1].edits, other.edits.to_vec());
        assert!(
            compared.forms[1]
                .detail
                .starts_with("alternative 1: 5.0 ms, 46 M FLOPs, 32 MB peak memory; "),
            "{}",
            compared.forms[1].detail
        );
        let text = &compared.markdown;
        for part in [
            "# The forms of loss.dml:7",
            "| Cost           | as written | suggested |      1 |\n|----------------|-----------:|----------:|-------:|\n",
            "| FLOPs          |      4.6 G |      46 M |   46 M |\n",
            "| Cheaper (time) |            |      100× |    25× |\n\n## Suggested",
            "\n\n```systemds\nloss = sum(X^2)\n    - 1\n```",
            "What only this one leans on:\n\n- X is square\n",
            "## What each of them assumes\n\n- real arithmetic: rounding may differ\n",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        assert_eq!(text.matches("real arithmetic").count(), 1, "{text}");
    }
}
