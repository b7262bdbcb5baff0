//! A table of pairs of which it is known whether they are equal: no verdict is wrong, and most pairs are decided, whether
//! sizes are names or numbers.

use super::{Answer, Asked, Fact, question};
use sumac_syntax::parse_fact;

const TABLE: &str = include_str!("truths.tsv");
/// Of a hundred pairs at least this many are decided.
const LEAST_DECIDED: usize = 85;
const NUMBERS: [(&str, &str); 4] = [("n", "4"), ("m", "5"), ("k", "3"), ("p", "2")];

/// The names of a declaration, as the words of `text` use them.
fn declared<'a>(declarations: &'a str, text: &str) -> Vec<(&'a str, &'a str)> {
    let is_word = |c: char| c.is_alphanumeric() || "._".contains(c);
    let words: Vec<&str> = text.split(|c| !is_word(c)).collect();
    declarations
        .split("; ")
        .filter_map(|entry| entry.split_once(": "))
        .filter(|(name, _)| words.contains(name))
        .collect()
}

/// The verdict, without the steps of a proof.
pub(super) fn verdict(
    declarations: &str,
    (left, right): (&str, &str),
    has_numbers: bool,
) -> Result<Answer, String> {
    let (mut facts, mut scalars): (Vec<Fact>, Vec<String>) = (Vec::new(), Vec::new());
    for (name, shape) in declared(declarations, &format!("{left} {right}")) {
        if shape == "scalar" {
            scalars.push(name.to_owned());
            continue;
        }
        let sizes: Vec<&str> = shape
            .split(' ')
            .map(|word| {
                let number = NUMBERS
                    .iter()
                    .find(|(size, _)| has_numbers && *size == word);
                number.map_or(word, |(_, number)| *number)
            })
            .collect();
        facts.push(parse_fact(&format!("{name}: {}", sizes.join(" ")), 0));
    }
    for side in [left, right] {
        if let Some(error) = sumac_syntax::parse_expression(side).1.first() {
            return Err(error.message.clone());
        }
    }
    let assertion = question(left, right, &facts, &scalars)?;
    Ok(match Asked::new(&assertion, Some([left, right])) {
        Ok(asked) => asked.decide(),
        Err(why) => Answer::Undecided(why),
    })
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "which pairs are open, for whoever runs it"
)]
fn no_verdict_is_wrong_and_most_pairs_are_decided() {
    let mut lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let declarations = lines.next().expect("declarations");
    let (mut pairs, mut decided, mut wrong, mut open) = (0, 0, Vec::new(), Vec::new());
    for line in lines {
        let [truth, left, right] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("three columns: {line}")
        };
        for has_numbers in [false, true] {
            pairs += 1;
            let answer = verdict(declarations, (left, right), has_numbers);
            let (said, is_right, is_wrong) = match &answer {
                Ok(Answer::Proved(proof, _)) if proof.conditions.is_empty() => {
                    ("proved", truth == "equal", truth != "equal")
                }
                Ok(Answer::Proved(..)) => {
                    ("proved where", truth != "different", truth == "different")
                }
                Ok(Answer::Refuted(_)) => ("refuted", truth == "different", truth != "different"),
                Ok(Answer::Undecided(_)) => ("not decided", truth == "where-defined", false),
                Err(_) => ("refused", false, false),
            };
            decided += usize::from(is_right);
            let text = format!("{said}, but {truth}: {left} == {right} (numbers: {has_numbers})");
            if is_wrong {
                wrong.push(text);
            } else if !is_right {
                open.push(text);
            }
        }
    }
    println!(
        "{decided} of {pairs} decided, {} wrong\n{}",
        wrong.len(),
        open.join("\n")
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        decided * 100 >= pairs * LEAST_DECIDED,
        "{decided} of {pairs} are decided"
    );
}

/// The pairs of the table over matrices of one shape, as the rule of a sketch file would state them.
#[test]
fn what_a_sketch_file_may_state_as_a_rule_is_proved() {
    use sumac_sketch::text::{Equation, parse_expression};
    let declarations = "X: n x m; Y: n x m; Z: n x m";
    let mut rules = 0;
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let [truth, left, right] = line.split('\t').collect::<Vec<_>>()[..] else {
            continue;
        };
        let text = format!("{left} {right}");
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '.');
        let is_letter = |word: &&str| word.len() == 1 && word.starts_with(char::is_alphabetic);
        if !words.filter(is_letter).all(|word| "XYZ".contains(word)) {
            continue;
        }
        let (Ok(left_side), Ok(right_side)) = (parse_expression(left), parse_expression(right))
        else {
            continue;
        };
        let equation = Equation {
            name: "rule".into(),
            left: left_side,
            right: right_side,
        };
        if sumac_sumproduct::guided::prove(&equation).is_ok() {
            rules += 1;
            assert_eq!(truth, "equal", "{left} = {right} is a rule");
            let answer = verdict(declarations, (left, right), false);
            let is_proved =
                matches!(&answer, Ok(Answer::Proved(proof, _)) if proof.conditions.is_empty());
            assert!(is_proved, "{left} == {right}: {answer:?}");
        }
    }
    assert!(rules >= 5, "{rules} rules");
}

/// An assert of a script, with its sizes on lines of their own.
#[test]
fn asserts_have_the_verdicts_of_the_prover() {
    use crate::asserts::{AssertVerdict, decide_assert};
    let mut lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let declarations = lines.next().expect("declarations");
    for line in lines.step_by(3) {
        let [_, left, right] = line.split('\t').collect::<Vec<_>>()[..] else {
            continue;
        };
        let Ok(answer) = verdict(declarations, (left, right), false) else {
            continue;
        };
        let (mut facts, mut reads) = (String::new(), String::new());
        for (name, shape) in declared(declarations, &format!("{left} {right}")) {
            if shape == "scalar" {
                reads.push_str(&format!("{name} = as.double(${name})\n"));
            } else {
                facts.push_str(&format!("#@ {name}: {shape}\n"));
                reads.push_str(&format!("{name} = read(${name})\n"));
            }
        }
        let script = format!("{facts}{reads}print(1)\n#@ assert ({left}) == ({right})\n");
        let snapshot = crate::fixture::snapshot(&script);
        let [assertion] = &snapshot.analysis.assertions[..] else {
            panic!("one assert in {script}")
        };
        let asserted = decide_assert(assertion);
        // Inputs that refute may be others, as those of a script come in another order.
        let same = match (&asserted, &answer) {
            (AssertVerdict::Proved(a), Answer::Proved(b, _)) => a.conditions == b.conditions,
            (AssertVerdict::Failed(_), Answer::Refuted(_))
            | (AssertVerdict::Open(_), Answer::Undecided(_)) => true,
            _ => false,
        };
        assert!(same, "{left} == {right}: {answer:?}, but {asserted:?}");
    }
}
