//! Whether two expressions are equal: proved by their canonical forms, or refuted by inputs that tell them apart.
//!
//! Inputs only ever show a difference that is there; equality is never concluded from running. What is refuted is shown by
//! inputs that a person can give, on which both sides were run; where there are none, nothing is decided.

mod bounds;
mod calls;
mod counterexample;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use sumac_analysis::{AssertInput, Assertion, Known, NoFiles, Severity, Values};
use sumac_la::{Dag, Dim, Node, NodeId, Op, ShapeRule, Type};
use sumac_sumproduct::canonical::{self, Proof};
use sumac_syntax::ast::{Fact, FactKind};
use sumac_syntax::{parse, parse_expression};

use crate::CancelToken;
use crate::chain::{self, Chain};
pub use counterexample::Counterexample;
use counterexample::Sides;

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Equal for all inputs for which the conditions of the proof hold; with the steps from the one to the other, where they
    /// were looked for and found.
    Proved(Proof, Option<Chain>),
    /// Different: the inputs tell them apart, and both sides were run on them.
    Refuted(Counterexample),
    /// Neither was shown, and why.
    Undecided(String),
}

/// Inputs of any size for which two expressions that differ have different values.
pub(crate) fn apart(dag: &Dag, sides: &[NodeId; 2]) -> Option<Counterexample> {
    let inputs = dag
        .inputs()
        .iter()
        .map(|i| (Arc::clone(&i.name), i.ty.clone()));
    let asked = Sides {
        dag,
        sides: *sides,
        texts: sides.map(|side| dag.print(side)),
        has_calls: false,
        inputs: inputs.collect(),
        values: BTreeMap::new(),
        name: &str::to_owned,
    };
    counterexample::search(&asked, true)
}

/// Decides whether `lhs` equals `rhs`, where `facts` state the sizes of their names, or their values (`n = 10`), and `scalars` are
/// numbers. A name without any of these is a matrix of any size.
///
/// # Errors
/// One of the sides is no expression, or its shapes do not fit: text for the user.
pub fn prove(lhs: &str, rhs: &str, facts: &[Fact], scalars: &[String]) -> Result<Answer, String> {
    for (side, text) in [("left", lhs), ("right", rhs)] {
        let (_, errors) = parse_expression(text);
        if let Some(error) = errors.first() {
            return Err(format!(
                "the {side} side `{text}` is no expression: {}",
                error.message
            ));
        }
        if text.contains(['\n', '#']) {
            return Err(format!(
                "the {side} side `{text}` is no expression on one line without a comment"
            ));
        }
    }
    let assertion = question(lhs, rhs, facts, scalars)?;
    let asked = match Asked::new(&assertion, Some([lhs, rhs])) {
        Ok(asked) => asked,
        Err(why) => return Ok(Answer::Undecided(why)),
    };
    let name = |input: &str| asked.name(input);
    let steps = || {
        let dag = &asked.understood.dag;
        let [left, right] = asked.understood.sides;
        chain::chain((dag, left), (dag, right), &name, &CancelToken::default())
    };
    Ok(match asked.decide() {
        Answer::Proved(proof, _) => {
            // What is only equal under conditions is no chain of equal expressions.
            let chain = if proof.conditions.is_empty() {
                steps()
            } else {
                None
            };
            Answer::Proved(proof, chain)
        }
        answer => answer,
    })
}

const OUTSIDE: &str = "one of the sides has parts outside of linear algebra";

/// Decides an assert.
pub(crate) fn decide(assertion: &Assertion) -> Answer {
    match Asked::new(assertion, None) {
        Ok(asked) => asked.decide(),
        Err(why) => Answer::Undecided(why),
    }
}

/// Two sides, understood.
struct Asked<'a> {
    assertion: &'a Assertion,
    understood: calls::Understood,
    texts: [String; 2],
}

impl<'a> Asked<'a> {
    /// `texts`: how the sides are written, if only names of inputs stand in them. An error says why nothing can be decided.
    fn new(assertion: &'a Assertion, texts: Option<[&str; 2]>) -> Result<Self, String> {
        let outside = || OUTSIDE.to_owned();
        let dag = assertion.dag.as_ref().ok_or_else(outside)?;
        let sides: Result<[NodeId; 2], _> = dag.roots().try_into();
        let [left, right] = sides.map_err(|_| outside())?;
        for side in [left, right] {
            canonical::writable(dag, side).map_err(|refused| refused.to_string())?;
        }
        let around: Vec<(Arc<str>, Type)> = assertion
            .variables
            .iter()
            .map(|(input, ty)| (Arc::clone(&input.name), ty.clone()))
            .collect();
        let understood = calls::understand(dag, [left, right], &around);
        let texts = match texts {
            Some(texts) => texts.map(str::to_owned),
            None => [left, right].map(|side| dag.print(side)),
        };
        Ok(Asked {
            assertion,
            understood,
            texts,
        })
    }

    /// What a person calls an input.
    fn name(&self, input: &str) -> String {
        let dag = self.assertion.dag.as_ref();
        let place = dag.and_then(|dag| dag.inputs().iter().position(|own| &*own.name == input));
        let known = place.and_then(|at| self.assertion.inputs.get(at));
        known.map_or_else(|| input.to_owned(), |input| input.name.to_string())
    }

    fn decide(&self) -> Answer {
        let calls::Understood {
            dag, sides, calls, ..
        } = &self.understood;
        let verdict = canonical::decide_calls(dag, *sides, calls);
        let is_different = verdict == canonical::Verdict::Different;
        let why = match verdict {
            canonical::Verdict::Equal(_) if self.empty().is_some() => format!(
                "proofs are for sizes above zero, and `{}` has no cells",
                self.empty().unwrap_or_default()
            ),
            canonical::Verdict::Equal(mut proof) => {
                for condition in &mut proof.conditions {
                    *condition = self.renamed(condition);
                }
                proof.conditions.extend(self.first_operands());
                return Answer::Proved(proof, None);
            }
            canonical::Verdict::Different => {
                "the canonical forms differ, but no inputs were found that show it".to_owned()
            }
            canonical::Verdict::Undecided(why) => why,
        };
        let Some(inputs) = self.inputs() else {
            return Answer::Undecided(why);
        };
        let mut asked = Sides {
            dag,
            sides: *sides,
            texts: self.texts.clone(),
            has_calls: !calls.is_empty(),
            inputs,
            values: BTreeMap::new(),
            name: &|name| self.name(name),
        };
        let used = self.used(&asked.inputs);
        if let Some(reason) = unseen(&used) {
            let found = is_different
                .then(|| counterexample::search(&asked, true))
                .flatten();
            return match found.filter(|found| self.always_differ(found)) {
                Some(found) => Answer::Refuted(Counterexample {
                    is_always: true,
                    ..found
                }),
                None => Answer::Undecided(reason),
            };
        }
        asked.values = used
            .iter()
            .filter_map(|(name, input)| Some((Arc::clone(name), input.values?)))
            .collect();
        let is_narrow = |values: &Values| matches!(values, Values::Between(..));
        match counterexample::search(&asked, is_different) {
            Some(found) => Answer::Refuted(found),
            None if asked.values.values().any(is_narrow) => Answer::Undecided(format!(
                "{why}; no values that `rand` may draw were found that tell the sides apart"
            )),
            None => Answer::Undecided(why),
        }
    }

    /// Named sizes that must be one for the sides to have a value at all: in an operator over cells only a second operand is
    /// repeated.
    fn first_operands(&self) -> BTreeSet<String> {
        let calls::Understood {
            dag, sides, calls, ..
        } = &self.understood;
        let args = calls.values().flat_map(|call| &call.args);
        let roots: Vec<NodeId> = sides.iter().chain(args).copied().collect();
        let operators = dag.reachable(&roots).into_iter();
        let operands = operators.filter_map(|id| match dag.node(id) {
            Node::Op(op, args) if op.info().shape == ShapeRule::Cellwise && args.len() == 2 => {
                let (first, second) = (dag.ty(args[0]), dag.ty(args[1]));
                let are_matrices = !first.is_scalar() && !second.is_scalar();
                are_matrices.then_some((first, second))
            }
            _ => None,
        });
        let sides = operands
            .flat_map(|(first, second)| [(&first.rows, &second.rows), (&first.cols, &second.cols)]);
        let larger = sides.filter(|(first, second)| {
            first.is_one() && !second.is_one() && matches!(second, Dim::Named(_))
        });
        larger.map(|(_, second)| format!("{second} = 1")).collect()
    }

    /// An input that is said to have no rows or no columns.
    fn empty(&self) -> Option<String> {
        let mut inputs = self.understood.dag.inputs().iter();
        let is_empty = |ty: &Type| ty.rows.known() == Some(0) || ty.cols.known() == Some(0);
        let found = inputs.find(|input| is_empty(&input.ty))?;
        Some(self.name(&found.name))
    }

    /// Whether the sides differ for all inputs by what they differ by for these.
    fn always_differ(&self, found: &Counterexample) -> bool {
        let calls::Understood {
            dag, sides, calls, ..
        } = &self.understood;
        let Some(by) = found.apart else { return false };
        let mut dag = dag.clone();
        let by = dag.num(by);
        let Ok(moved) = dag.op(Op::Add, [sides[0], by]) else {
            return false;
        };
        let verdict = canonical::decide_calls(&dag, [moved, sides[1]], calls);
        matches!(verdict, canonical::Verdict::Equal(proof) if proof.conditions.is_empty())
    }

    /// A condition in the words of a person.
    fn renamed(&self, condition: &str) -> String {
        let mut text = condition.to_owned();
        for input in self.understood.dag.inputs() {
            if input.name.contains('#') {
                text = text.replace(&*input.name, &self.name(&input.name));
            }
        }
        text
    }

    /// The inputs below both sides and their calls; `None` where one of them goes by no name of the script.
    fn inputs(&self) -> Option<Vec<(Arc<str>, Type)>> {
        let calls::Understood {
            dag,
            sides,
            calls,
            unknown,
        } = &self.understood;
        let mut roots = sides.to_vec();
        roots.extend(calls.values().flat_map(|call| call.args.iter().copied()));
        let mut inputs: Vec<(Arc<str>, Type)> = Vec::new();
        for id in dag.reachable(&roots) {
            let Node::Input(_) = dag.node(id) else {
                continue;
            };
            let Some(input) = dag.input_of(id) else {
                continue;
            };
            let is_known = inputs.iter().any(|(name, _)| *name == input.name);
            if calls.contains_key(&input.name) || is_known {
                continue;
            }
            inputs.push((Arc::clone(&input.name), input.ty.clone()));
        }
        // The search runs what is printed, in which a second value of a variable has no name.
        let is_plain = !inputs.iter().any(|(name, _)| name.contains('#'));
        (unknown.is_empty() && is_plain).then_some(inputs)
    }

    /// What the script knows of these inputs.
    fn used(&self, inputs: &[(Arc<str>, Type)]) -> Vec<(Arc<str>, &AssertInput)> {
        let of = self.assertion;
        let around = of.variables.iter().map(|(input, _)| input);
        let known = of.inputs.iter().chain(around);
        let known = known.filter_map(|input| {
            let mut names = inputs.iter().map(|(name, _)| name);
            let name = names.find(|name| self.name(name) == *input.name)?;
            Some((Arc::clone(name), input))
        });
        known.collect()
    }
}

/// Why inputs cannot be chosen freely, or one by one.
fn unseen(used: &[(Arc<str>, &AssertInput)]) -> Option<String> {
    if let Some((_, input)) = used.iter().find(|(_, input)| input.values.is_none()) {
        return Some(format!(
            "nothing shows that the sides are equal, and the values that `{}` takes are not seen from here",
            input.name
        ));
    }
    let pairs = used
        .iter()
        .enumerate()
        .flat_map(|(at, (_, a))| used[at + 1..].iter().map(move |(_, b)| (*a, *b)));
    let mut tied = pairs.filter(|(a, b)| {
        let mut sources = a.sources.iter();
        a.name != b.name && sources.any(|source| b.sources.contains(source))
    });
    let (a, b) = tied.next()?;
    Some(format!(
        "nothing shows that the sides are equal, and `{}` and `{}` can come from one place, so that their values may go together",
        a.name, b.name
    ))
}

/// The question as the assert of a script, analysed.
fn question(lhs: &str, rhs: &str, facts: &[Fact], scalars: &[String]) -> Result<Assertion, String> {
    let equation = format!("#@ assert ({lhs}) == ({rhs})\n");
    let mut target = "side".to_owned();
    while lhs.contains(&target) || rhs.contains(&target) {
        target.push('_');
    }
    let bare = analyzed(&format!("{target} = {lhs}\n{target} = {rhs}\n"), facts);
    let free: BTreeSet<&str> = bare
        .names
        .iter()
        .filter(|name| !name.is_definition && name.definitions.is_empty())
        .filter(|name| name.symbol == sumac_analysis::Symbol::Variable)
        .map(|name| &*name.name)
        .filter(|name| !sumac_analysis::is_constant(name))
        .collect();
    let mut script = String::new();
    for name in free {
        // What a `read` gives has the size that the facts state.
        let value = if let Some(value) = bound(facts, name) {
            value.to_string()
        } else if scalars.iter().any(|scalar| scalar == name) {
            // As a number: of two plain arguments, `+` may join texts.
            format!("as.double(${name})")
        } else {
            format!("read(${name})")
        };
        let _ = writeln!(script, "{name} = {value}");
    }
    // An assert stands behind a statement.
    let analysis = analyzed(&format!("{script}print(1)\n{equation}"), facts);
    let is_error = |d: &&sumac_analysis::Diagnostic| d.severity == Severity::Error;
    if let Some(error) = analysis.diagnostics.iter().find(is_error) {
        return Err(error.message.clone());
    }
    let assertion = analysis.assertions.first().cloned();
    assertion.ok_or_else(|| format!("`{lhs}` and `{rhs}` are no two sides of an equation"))
}

/// The number that a fact such as `n = 10` gives a name.
fn bound(facts: &[Fact], name: &str) -> Option<u64> {
    facts.iter().find_map(|fact| match &fact.kind {
        FactKind::Bind { name: known, value } if *known.name == *name => Some(value.0),
        _ => None,
    })
}

fn analyzed(script: &str, facts: &[Fact]) -> Known {
    let parse = parse(script);
    let options = sumac_analysis::Options {
        facts: facts.to_vec(),
        ..sumac_analysis::Options::default()
    };
    sumac_analysis::analyze(&parse, &options, &NoFiles)
}
