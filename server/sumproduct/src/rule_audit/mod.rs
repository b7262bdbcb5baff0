//! Tests only: every rule of the search and every identity, by itself.
//!
//! Its row says on what each fires and on what it must not. Each expression stands over all small shapes, broadcasting and empty
//! ones among them, and what the rule says is evaluated twice by evaluators that know nothing but cells: as relations, and as the
//! matrices that a person would read. [`written`] does the same for what makes a form readable. [`digits`] measures what a rule loses
//! of a double's digits, [`fired`] which scripts fire it.
//!
//! The lines that begin with `rule audit:` are read by `cargo xtask bars trust --only rules`.

#![expect(
    clippy::print_stdout,
    reason = "the figures are what an audit is asked for"
)]

pub(crate) mod digits;
mod fired;
pub(crate) mod losses;
pub(crate) mod matrices;
pub(crate) mod number;
mod searched;
mod tensors;
pub(crate) mod write;
mod written;

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_cost::Machine;
use sumac_la::{Dag, NodeId, Type};

use crate::axes::Term;
use crate::extract::{Pricing, States};
use crate::normalized::normalized;
use crate::options::{CostModel, Extraction};
use crate::rules::{self, Audited, Match, Operands, Rule, apply, other_sides};
use crate::translate::Translation;
use matrices::Matrix;
use number::{Agreement, Double, Number, agreement_of_all};
use tensors::{Tensor, Tensors, indices};
use write::{Instance, KINDS, Text};

/// So that every run is the same run.
pub(crate) const SEED: u64 = 20_260_101;

/// The names by which explanations call the rules.
fn names() -> Vec<&'static str> {
    Rule::all().map(Rule::name).collect()
}

/// The matches of one rule.
fn matches(t: &Translation, rule: Rule) -> Vec<Match> {
    let usable = rules::usable(&t.relations);
    let mut found = Vec::new();
    for class in t.relations.classes() {
        rules::search(&t.relations, class, &usable, &mut found);
    }
    found.retain(|found| found.rule == rule);
    found
}

/// What a match says that is not there already.
fn news(t: &mut Translation, found: &Match) -> Vec<Term> {
    let axes = t.relations.axes(found.class);
    let own = t.relations.resolve(Term::plain(found.class, axes));
    let sides = other_sides(&mut t.relations, found);
    let is_new = |side: &Term| t.relations.resolve(*side) != own;
    sides.into_iter().filter(is_new).collect()
}

/// Small whole numbers for the inputs of an instance.
pub(crate) fn whole_numbers(
    instance: &Instance,
    rng: &mut ChaCha8Rng,
) -> BTreeMap<String, Matrix<f64>> {
    let inputs = instance.dag.inputs().iter().zip(&instance.shapes);
    let matrices = inputs.map(|(input, shape)| {
        let (rows, cols) = shape.unwrap_or((1, 1));
        let mut matrix = Matrix::new(rows as usize, cols as usize, |_, _| 0.0);
        for cell in &mut matrix.cells {
            *cell = f64::from(rng.random_range(-4..=4_i32));
        }
        (input.name.to_string(), matrix)
    });
    matrices.collect()
}

/// The same numbers as another kind of numbers.
pub(crate) fn numbers_of<N: Number>(
    inputs: &BTreeMap<String, Matrix<f64>>,
    name: &str,
) -> Matrix<N> {
    let Matrix { rows, cols, cells } = &inputs[name];
    Matrix {
        rows: *rows,
        cols: *cols,
        cells: cells.iter().map(|cell| N::of(*cell)).collect(),
    }
}

/// What an instance computes; `None` where it has an operator that the audit does not need.
pub(crate) fn value<N: Number>(
    instance: &Instance,
    inputs: &BTreeMap<String, Matrix<f64>>,
) -> Option<Matrix<N>> {
    let of_input = |name: &str| numbers_of(inputs, name);
    matrices::value(&instance.dag, instance.root, &of_input)
}

/// How an expression agrees with another one over the same inputs, in shape and cells.
pub(crate) fn agreement_over(
    inputs: &BTreeMap<String, Matrix<f64>>,
    [before, after]: [&Instance; 2],
) -> Option<Agreement> {
    let (left, right) = (
        value::<Double>(before, inputs)?,
        value::<Double>(after, inputs)?,
    );
    let is_alike = (left.rows, left.cols) == (right.rows, right.cols);
    let worst = agreement_of_all(&left.cells, &right.cells);
    Some(if is_alike { worst } else { Agreement::Unequal })
}

/// The cells of each leaf of a translation.
fn leaves<N: Number>(
    instance: &Instance,
    t: &Translation,
    inputs: &BTreeMap<String, Matrix<f64>>,
) -> Vec<Tensor<N>> {
    let name = |leaf: &NodeId| instance.dag.input_of(*leaf).expect("leaves are inputs");
    let cells = |leaf: &NodeId| numbers_of(inputs, &name(leaf).name).cells;
    t.leaves.iter().map(cells).collect()
}

/// The cells of what a match finds, by the e-nodes that it names, and of what its rule says; `None` where an operator is none
/// that the audit needs.
fn both_sides<N: Number>(
    t: &Translation,
    leaves: &[Tensor<N>],
    found: &Match,
    side: Term,
) -> Option<(Tensor<N>, Tensor<N>)> {
    let tensors = || Tensors::new(&t.relations, leaves);
    let sizes = tensors().sizes(found.class);
    let left = tensors().matched(&found.node, &sizes, &found.inner)?;
    let right = tensors().term(side, &sizes)?;
    Some((left, right))
}

/// The matrices that a person would read for a relation of at most two axes: as extraction builds them, in reading order, and as
/// the language has them.
fn as_written(dag: &Dag, t: &Translation, term: Term, sizes: &[usize]) -> Vec<Dag> {
    let ty = match sizes {
        [] => Type::scalar(),
        [rows] => Type::matrix(*rows as u64, 1),
        [rows, cols] => Type::matrix(*rows as u64, *cols as u64),
        _ => return Vec::new(),
    };
    let machine = Machine::default();
    let pricing = Pricing {
        model: CostModel::Time,
        machine: &machine,
        around: None,
    };
    let never = || false;
    let states =
        States::new(dag, t, (&[term], vec![&ty]), &[], pricing, &never).expect("nobody cancels");
    let mut forms = Vec::new();
    for chosen in states.plans(Extraction::Greedy, &never) {
        let form = states.lower(&chosen.plan).expect("a form whose shapes fit");
        let polished = normalized(&form);
        forms.extend(polished.writable(&|_| false).ok());
        forms.extend([form, polished]);
    }
    forms
}

/// What an audit of a rule counts.
#[derive(Default)]
pub(crate) struct Counts {
    /// Expressions on which it fires.
    pub(crate) fires: usize,
    /// Instances in which it says something, by kind.
    kinds: BTreeMap<Operands, usize>,
    pub(crate) shapes: usize,
    /// Forms that were evaluated as matrices.
    pub(crate) forms: usize,
    /// What became another value that is no finite number.
    beyond: usize,
    unequal: usize,
    /// The same over operands without cells, where the rule is listed for that.
    over_nothing: usize,
    /// What is wrong, some of it.
    wrong: Vec<String>,
}

impl Counts {
    /// Counts what a comparison in an instance of a rule came to.
    pub(crate) fn judge(
        &mut self,
        (rule, instance): (&str, &Instance),
        agreement: Agreement,
        what: impl FnOnce() -> String,
    ) {
        const SHOWN: usize = 3;
        match agreement {
            Agreement::Equal => {}
            Agreement::Beyond => self.beyond += 1,
            Agreement::Unequal if instance.is_empty() && losses::over_nothing(rule) => {
                self.over_nothing += 1;
            }
            Agreement::Unequal => {
                self.unequal += 1;
                if self.unequal <= SHOWN {
                    self.wrong.push(what());
                }
            }
        }
    }

    /// Prints the figures of a rule, and says what is wrong with them.
    pub(crate) fn judged(mut self, rule: &str) -> Vec<String> {
        let Counts {
            fires,
            shapes,
            forms,
            beyond,
            unequal,
            over_nothing,
            ..
        } = self;
        println!(
            "rule audit: {rule} fires={fires} shapes={shapes} forms={forms} unequal={unequal} nothing={over_nothing} beyond={beyond}"
        );
        if fires == 0 || shapes == 0 || forms == 0 {
            self.wrong.push(format!("{rule} says nothing"));
        }
        self.wrong.extend(losses::beyond(rule, beyond));
        if losses::over_nothing(rule) && over_nothing == 0 {
            self.wrong.push(format!(
                "{rule} is equal over nothing, too, and needs no row"
            ));
        }
        self.wrong
    }
}

/// Compares both sides of every match of a rule in an instance.
fn compare(
    rule: Rule,
    text: &Text,
    instance: &Instance,
    rng: &mut ChaCha8Rng,
    counts: &mut Counts,
) {
    let Some(mut t) = Translation::new(&instance.dag, &[instance.root]) else {
        return;
    };
    let said: Vec<(Match, Term)> = matches(&t, rule)
        .into_iter()
        .flat_map(|found| {
            let sides = news(&mut t, &found);
            sides.into_iter().map(move |side| (found.clone(), side))
        })
        .collect();
    if said.is_empty() {
        return;
    }
    let (mut is_compared, mut forms) = (false, 0);
    let inputs = whole_numbers(instance, rng);
    let leaves: Vec<Tensor<Double>> = leaves(instance, &t, &inputs);
    for (found, side) in said {
        let Some((left, right)) = both_sides(&t, &leaves, &found, side) else {
            continue;
        };
        let sizes = Tensors::new(&t.relations, &leaves).sizes(found.class);
        let mut check = |right: &[Double], how: &str| {
            let agreement = agreement_of_all(&left, right);
            let shapes = &instance.shapes;
            counts.judge((rule.name(), instance), agreement, || {
                format!(
                    "{} on `{}` over {shapes:?}, as {how}: {left:?} is not {right:?} with {inputs:?}",
                    rule.name(), text.text
                )
            });
        };
        is_compared = true;
        check(&right, "relations");
        for form in as_written(&instance.dag, &t, side, &sizes) {
            let root = form.roots()[0];
            let of_input = |name: &str| numbers_of(&inputs, name);
            if let Some(value) = matrices::value::<Double>(&form, root, &of_input) {
                check(&value.cells, &form.print(root));
                forms += 1;
            }
        }
    }
    counts.forms += forms;
    if is_compared {
        counts.shapes += 1;
        for kind in instance.kinds() {
            *counts.kinds.entry(kind).or_default() += 1;
        }
    }
}

/// Whether a rule says something new of an instance, and then whether the class gets the other side.
fn fires(instance: &Instance, rule: Rule) -> bool {
    let name = rule.name();
    let Some(mut t) = Translation::new(&instance.dag, &[instance.root]) else {
        return false;
    };
    for found in matches(&t, rule) {
        let Some(side) = news(&mut t, &found).first().copied() else {
            continue;
        };
        assert!(apply(&mut t.relations, &found), "{name}: nothing new");
        t.relations.rebuild();
        assert!(!t.relations.graph.analysis.broken, "{name}: other axes");
        let axes = t.relations.axes(found.class);
        let own = t.relations.resolve(Term::plain(found.class, axes));
        let side = t.relations.resolve(side);
        assert_eq!(own, side, "{name}: the class does not get the other side");
        return true;
    }
    false
}

fn audit(rule: Rule) -> Vec<String> {
    let row = rule.row();
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut counts = Counts::default();
    for text in row.audited.fires {
        let text = Text::new(text);
        let before = counts.shapes;
        let mut has_fired = false;
        for instance in text.instances() {
            compare(rule, &text, &instance, &mut rng, &mut counts);
            if !has_fired && counts.shapes > before {
                has_fired = fires(&instance, rule);
            }
        }
        counts.fires += usize::from(has_fired);
        if !has_fired {
            let silent = format!("{} does not fire on `{}`", row.name, text.text);
            counts.wrong.push(silent);
        }
    }
    for kind in KINDS {
        let is_compared = counts.kinds.contains_key(&kind);
        if is_compared == row.audited.never.contains(&kind) {
            let what = if is_compared { "is" } else { "is not" };
            let wrong = format!("{}: {kind:?} {what} compared", row.name);
            counts.wrong.push(wrong);
        }
    }
    counts.judged(row.name)
}

/// The kinds that no row may leave out by mistake: a row that lists one of them has no such operands at all.
const ORDINARY: [Operands; 2] = [Operands::Matrix, Operands::Square];

/// A search samples from all equations of functions together.
#[test]
fn the_equations_of_functions_stand_at_the_end_of_the_table() {
    let is_equation: Vec<bool> = Rule::all().map(|rule| rule.row().is_equation()).collect();
    assert!(is_equation.is_sorted());
    let groups: Vec<usize> = Rule::all().map(Rule::group).collect();
    assert!(groups.is_sorted() && groups.last() == Some(&(Rule::GROUPS - 1)));
}

#[test]
fn every_rule_says_what_it_is_held_against() {
    for rule in Rule::all() {
        let row = rule.row();
        let Audited {
            fires,
            misses,
            never,
        } = row.audited;
        assert!(!fires.is_empty() && !misses.is_empty(), "{}", row.name);
        assert!(
            ORDINARY.iter().all(|kind| !never.contains(kind)),
            "{}",
            row.name
        );
    }
}

#[test]
fn every_rule_fires_and_keeps_the_value_over_all_small_shapes() {
    println!("seed {SEED}");
    let mut wrong = Vec::new();
    for rule in Rule::all() {
        wrong.extend(audit(rule));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_rule_fires_on_its_near_misses() {
    let mut wrong = Vec::new();
    for rule in Rule::all() {
        let row = rule.row();
        let mut instances = 0;
        for text in row.audited.misses.iter().map(|text| Text::new(text)) {
            for instance in text.instances() {
                let Some(mut t) = Translation::new(&instance.dag, &[instance.root]) else {
                    continue;
                };
                instances += 1;
                for found in matches(&t, rule) {
                    if !news(&mut t, &found).is_empty() {
                        let (text, shapes) = (&text.text, &instance.shapes);
                        wrong.push(format!("{} fires on `{text}` over {shapes:?}", row.name));
                    }
                }
            }
        }
        println!(
            "rule audit: {} misses={} instances={instances}",
            row.name,
            row.audited.misses.len()
        );
        if instances == 0 {
            wrong.push(format!("{}: no near miss has a shape that fits", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_translation_of_every_row_is_what_its_matrices_are() {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let rows = Rule::all().map(|rule| &rule.row().audited);
    let texts = rows.flat_map(|row| row.fires.iter().chain(row.misses));
    let mut compared = 0;
    for text in texts.map(|text| Text::new(text)) {
        for instance in text.instances() {
            let Some(t) = Translation::new(&instance.dag, &[instance.root]) else {
                continue;
            };
            let inputs = whole_numbers(&instance, &mut rng);
            let leaves: Vec<Tensor<Double>> = leaves(&instance, &t, &inputs);
            let of_input = |name: &str| numbers_of(&inputs, name);
            let term = t.term(instance.root);
            let matrix = matrices::value::<Double>(&instance.dag, instance.root, &of_input);
            let sizes: Vec<usize> = match &matrix {
                Some(matrix) => vec![matrix.rows, matrix.cols],
                None => continue,
            };
            // Sides of one are no axes.
            let mut tensors = Tensors::new(&t.relations, &leaves);
            let index = |at: Vec<usize>| -> Vec<usize> {
                term.map
                    .iter()
                    .map(|label| at[usize::from(label)])
                    .collect()
            };
            let own = tensors.sizes(term.id);
            let Some(tensor) = tensors.class(term.id) else {
                continue;
            };
            let cells = indices(&sizes).map(|at| {
                let places = index(at).into_iter().zip(&own);
                tensor[places.fold(0, |flat, (at, size)| flat * size + at)]
            });
            let cells: Vec<Double> = cells.collect();
            let matrix = matrix.map(|matrix| matrix.cells).unwrap_or_default();
            // A quotient is a product with a reciprocal, which says something else of infinities.
            let agreement = agreement_of_all(&matrix, &cells);
            assert!(
                agreement < Agreement::Unequal,
                "{} over {:?}",
                text.text,
                instance.shapes
            );
            compared += 1;
        }
    }
    assert!(compared > Rule::all().count(), "{compared}");
}
