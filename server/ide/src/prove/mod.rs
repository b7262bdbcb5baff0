//! Whether two expressions are equal: proved by their canonical forms, or refuted by inputs that tell them apart.
//!
//! Small random inputs only ever show a difference that is there; equality is never concluded from running.

mod counterexample;

use std::collections::BTreeSet;
use std::fmt::Write;

use sumac_analysis::{Known, NoFiles, Severity, StatementBlock};
use sumac_la::{Dag, NodeId};
use sumac_sumproduct::canonical::{self, Proof};
use sumac_syntax::ast::Fact;
use sumac_syntax::{parse, parse_expression};

use crate::CancelToken;
use crate::chain::{self, Chain};
pub use counterexample::Counterexample;

/// The answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    /// Equal for all inputs; with the steps from the one to the other, where they were looked for and found.
    Proved(Proof, Option<Chain>),
    /// Different; the inputs tell them apart where some were found.
    Refuted(Option<Counterexample>),
    /// Neither was shown, and why.
    Undecided(String),
}

/// Inputs of any size for which two expressions that differ have different values.
pub(crate) fn apart(dag: &Dag, sides: &[NodeId; 2]) -> Option<Counterexample> {
    counterexample::search(dag, sides, &str::to_owned, true)
}

/// Decides whether `lhs` equals `rhs`, where `facts` state the sizes of their names and `scalars` are numbers. A name
/// without either is a matrix of any size.
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
    }
    let question = Question::new(lhs, rhs, facts, scalars)?;
    let Some((block, left, right)) = question.sides() else {
        return Ok(Answer::Undecided(
            "one of the sides has parts outside of linear algebra".to_owned(),
        ));
    };
    let name = |input: &str| question.name(block, input);
    let steps = || {
        let (left, right) = ((&block.dag, left), (&block.dag, right));
        chain::chain(left, right, &name, &CancelToken::default())
    };
    Ok(match decide(&block.dag, [left, right], &name) {
        Answer::Proved(proof, _) => Answer::Proved(proof, steps()),
        answer => answer,
    })
}

/// Decides whether two nodes of a DAG are equal for all inputs; `name` is what a person calls an input.
pub(crate) fn decide(dag: &Dag, sides: [NodeId; 2], name: &dyn Fn(&str) -> String) -> Answer {
    match canonical::decide((dag, sides[0]), (dag, sides[1])) {
        canonical::Verdict::Equal(proof) => Answer::Proved(proof, None),
        canonical::Verdict::Different => {
            Answer::Refuted(counterexample::search(dag, &sides, name, true))
        }
        canonical::Verdict::Undecided(why) => {
            match counterexample::search(dag, &sides, name, false) {
                Some(found) => Answer::Refuted(Some(found)),
                None => Answer::Undecided(why),
            }
        }
    }
}

/// The two sides as a script, analysed.
struct Question {
    analysis: Known,
    /// The variables that the sides are assigned to.
    targets: [String; 2],
}

impl Question {
    fn new(lhs: &str, rhs: &str, facts: &[Fact], scalars: &[String]) -> Result<Self, String> {
        let mut targets = ["left".to_owned(), "right".to_owned()];
        while targets
            .iter()
            .any(|name| lhs.contains(name.as_str()) || rhs.contains(name.as_str()))
        {
            targets.iter_mut().for_each(|name| name.push('_'));
        }
        let sides = format!("{} = {lhs}\n{} = {rhs}\n", targets[0], targets[1]);
        let uses = format!(
            "print(toString({}))\nprint(toString({}))\n",
            targets[0], targets[1]
        );
        let bare = analyzed(&sides, facts);
        let free: BTreeSet<&str> = bare
            .names
            .iter()
            .filter(|name| !name.is_definition && name.definitions.is_empty())
            .filter(|name| name.symbol == sumac_analysis::Symbol::Variable)
            .map(|name| &*name.name)
            .collect();
        let mut script = String::new();
        for name in free {
            // What a `read` gives has the size that the facts state.
            let value = if scalars.iter().any(|scalar| scalar == name) {
                // As a number: of two plain arguments, `+` may join texts.
                format!("as.double(${name})")
            } else {
                format!("read(${name})")
            };
            let _ = writeln!(script, "{name} = {value}");
        }
        let analysis = analyzed(&format!("{script}{sides}{uses}"), facts);
        let is_error = |d: &&sumac_analysis::Diagnostic| d.severity == Severity::Error;
        match analysis.diagnostics.iter().find(is_error) {
            Some(error) => Err(error.message.clone()),
            None => Ok(Question { analysis, targets }),
        }
    }

    /// The block with the nodes of both sides.
    fn sides(&self) -> Option<(&StatementBlock, NodeId, NodeId)> {
        self.analysis.blocks.iter().find_map(|block| {
            let node = |wanted: &String| {
                block.statements.iter().find_map(|statement| {
                    let target = statement.target.as_ref()?;
                    (*target.name == **wanted).then_some(target.version_node)
                })
            };
            Some((block, node(&self.targets[0])?, node(&self.targets[1])?))
        })
    }

    /// The name that the question has for an input.
    fn name(&self, block: &StatementBlock, input: &str) -> String {
        let statement = block.statements.iter().find(|statement| {
            statement
                .target
                .as_ref()
                .is_some_and(|target| *target.name == *self.targets[1])
        });
        let is_it = |id: NodeId| block.dag.input_of(id).is_some_and(|i| &*i.name == input);
        let is_word = |name: &str| {
            name.chars()
                .all(|c| c.is_alphanumeric() || "._".contains(c))
        };
        let found = statement.and_then(|statement| {
            let mut known = statement.env.iter();
            known.find(|(name, id)| is_it(**id) && is_word(name))
        });
        found.map_or_else(|| input.to_owned(), |(name, _)| name.to_string())
    }
}

fn analyzed(script: &str, facts: &[Fact]) -> Known {
    let parse = parse(script);
    let options = sumac_analysis::Options {
        facts: facts.to_vec(),
        ..sumac_analysis::Options::default()
    };
    sumac_analysis::analyze(&parse, &options, &NoFiles)
}

#[cfg(test)]
mod tests {
    use sumac_syntax::parse_fact;

    use super::*;

    fn ask(lhs: &str, rhs: &str, facts: &[&str]) -> Result<Answer, String> {
        let facts: Vec<Fact> = facts.iter().map(|text| parse_fact(text, 0)).collect();
        prove(lhs, rhs, &facts, &["a".to_owned()])
    }

    #[test]
    fn scalars_are_numbers() {
        let answer = ask(
            "sum(A + a)",
            "sum(A) + a * nrow(A) * ncol(A)",
            &["A: 3 x 2"],
        );
        assert!(matches!(answer, Ok(Answer::Proved(..))), "{answer:?}");
        let answer = ask("sum(A * a)", "sum(A) + a", &["A: 3 x 2"]);
        let Ok(Answer::Refuted(Some(found))) = answer else {
            panic!("{answer:?}")
        };
        let names: Vec<_> = found.inputs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["A", "a"]);
    }

    #[test]
    fn equal_forms_are_proved_for_all_sizes() {
        let answer = ask(
            "sum(A %*% B)",
            "sum(t(colSums(A)) * rowSums(B))",
            &["A: n x k", "B: k x m"],
        );
        assert!(matches!(answer, Ok(Answer::Proved(..))), "{answer:?}");
    }

    #[test]
    fn different_forms_come_with_inputs_that_tell_them_apart() {
        let answer = ask(
            "sum(A * B)",
            "sum(A) * sum(B)",
            &["A: 300 x 20", "B: 300 x 20"],
        );
        let Ok(Answer::Refuted(Some(found))) = answer else {
            panic!("{answer:?}")
        };
        let names: Vec<_> = found.inputs.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["A", "B"]);
        assert!(found.is_scaled && found.left != found.right, "{found:?}");
    }

    #[test]
    fn inputs_of_small_declared_sizes_have_those_sizes() {
        let answer = ask("t(A)", "A", &["A: 2 x 2"]);
        let Ok(Answer::Refuted(Some(found))) = answer else {
            panic!("{answer:?}")
        };
        assert!(found.inputs[0].1.ends_with("rows=2, cols=2)"), "{found:?}");
        assert!(!found.is_scaled);
    }

    #[test]
    fn what_is_no_expression_or_does_not_fit_is_an_error() {
        assert!(ask("sum(A", "1", &[]).unwrap_err().contains("left side"));
        assert!(
            ask("A %*% A", "A", &["A: 2 x 3"])
                .unwrap_err()
                .contains("2 x 3")
        );
        assert!(
            ask("A\nB = 1", "A", &[]).is_err(),
            "two statements are no expression"
        );
    }
}
