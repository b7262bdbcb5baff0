//! `sumac prove`: decides whether two expressions are equal.

use serde::Serialize;
use sumac_ide::{Answer, Counterexample, REAL_ARITHMETIC};

use super::args::Prove;
use super::chain::ChainRow;
use super::exit::{Exit, Usage};
use super::output::Output;
use crate::script::Stated;

#[derive(Serialize)]
struct Report {
    verdict: &'static str,
    /// The common canonical form of equal sides.
    canonical: Option<String>,
    steps: Option<Steps>,
    /// From the left side to the right one, as matrix expressions.
    chain: Option<ChainRow>,
    assumes: Vec<String>,
    /// Where the sides are equal, if not for all inputs.
    conditions: Vec<String>,
    counterexample: Option<Inputs>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct Steps {
    left: Vec<Step>,
    right: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    rule: String,
    text: String,
}

#[derive(Serialize)]
struct Inputs {
    inputs: Vec<Input>,
    left: String,
    right: String,
    scaled: bool,
}

#[derive(Serialize)]
struct Input {
    name: String,
    value: String,
}

/// Prints the proof, the refuting inputs, or why neither was found.
///
/// # Errors
/// A side is no expression, or a declaration no fact.
pub(super) fn run(args: &Prove, facts: &[String], output: &Output) -> Result<Exit, Usage> {
    let (mut known, mut scalars) = (Vec::new(), Vec::new());
    for text in args.decl.iter().chain(facts) {
        match text.split_once(':') {
            Some((name, kind)) if kind.trim() == "scalar" => scalars.push(name.trim().to_owned()),
            _ => known.push(Stated::fact(text)?),
        }
    }
    let answer = sumac_ide::prove(&args.lhs, &args.rhs, &known, &scalars)?;
    if output.is_json() {
        output.json(&report(&answer));
    } else {
        output.print(text(&answer));
    }
    Ok(match answer {
        Answer::Proved(..) => Exit::Done,
        Answer::Refuted(_) => Exit::Found,
        Answer::Undecided(_) => Exit::Undecided,
    })
}

fn report(answer: &Answer) -> Report {
    let mut report = Report {
        verdict: "undecided",
        canonical: None,
        steps: None,
        chain: None,
        assumes: Vec::new(),
        conditions: Vec::new(),
        counterexample: None,
        reason: None,
    };
    match answer {
        Answer::Proved(proof, chain) => {
            let steps = |steps: &[sumac_ide::ProofStep]| {
                let step = |step: &sumac_ide::ProofStep| Step {
                    rule: step.rule.to_string(),
                    text: step.text.clone(),
                };
                steps.iter().map(step).collect()
            };
            report.verdict = "proved";
            report.canonical = Some(proof.polyterm.clone());
            report.steps = Some(Steps {
                left: steps(&proof.left_steps),
                right: steps(&proof.right_steps),
            });
            report.chain = chain.as_ref().map(ChainRow::of);
            let conditions = proof.conditions.iter();
            let assumes = conditions.chain(&proof.assumes).cloned();
            let always = std::iter::once(REAL_ARITHMETIC.to_owned());
            report.assumes = always.chain(assumes).collect();
            report.conditions = proof.conditions.clone();
        }
        Answer::Refuted(found) => {
            report.verdict = "refuted";
            report.counterexample = Some(Inputs {
                inputs: found
                    .inputs
                    .iter()
                    .map(|(name, value)| Input {
                        name: name.clone(),
                        value: value.clone(),
                    })
                    .collect(),
                left: found.left.clone(),
                right: found.right.clone(),
                scaled: found.is_scaled,
            });
        }
        Answer::Undecided(why) => report.reason = Some(why.clone()),
    }
    report
}

fn text(answer: &Answer) -> String {
    match answer {
        Answer::Proved(proof, chain) => {
            let mut out = if proof.conditions.is_empty() {
                "proved: the two sides are equal\n".to_owned()
            } else {
                let conditions = proof.conditions.join(" and ");
                format!("proved where {conditions}: the two sides are equal there\n")
            };
            match chain {
                Some(chain) => out.push_str(&format!("\nfrom left to right:\n{}", chain.text())),
                None if !proof.conditions.is_empty() => {}
                None => out.push_str(
                    "\nno chain of matrix expressions was found within bounds; in index notation:\n",
                ),
            }
            for (side, steps) in [("left", &proof.left_steps), ("right", &proof.right_steps)] {
                out.push_str(&format!("\n{side}:\n"));
                for step in steps {
                    out.push_str(&format!("  {}\n      [{}]\n", step.text, step.rule));
                }
            }
            out.push_str(&format!("\nboth: {}\n", proof.polyterm));
            out.push_str(&format!("assumes {REAL_ARITHMETIC}\n"));
            for assumption in &proof.assumes {
                out.push_str(&format!("assumes {assumption}\n"));
            }
            out
        }
        Answer::Refuted(found) => refutation(found),
        Answer::Undecided(why) => format!("not decided: {why}\n"),
    }
}

fn refutation(found: &Counterexample) -> String {
    let scaled = if found.is_scaled {
        ", here at smaller sizes"
    } else {
        ""
    };
    let mut out = format!("refuted: the two sides differ{scaled}\n\n");
    for (name, value) in &found.inputs {
        out.push_str(&format!("{name} = {value}\n"));
    }
    out.push_str(&format!(
        "\nleft:  {}\nright: {}\n",
        found.left, found.right
    ));
    out
}
