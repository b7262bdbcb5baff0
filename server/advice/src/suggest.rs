//! The search for a cheaper form of one expression. Must never show what is not proved, read again, and checked.

use std::collections::BTreeSet;
use std::sync::Arc;

use sumac_cost::{Engine, Machine, Order, Polynomial, Priced};
use sumac_la::{Dag, Node, Op};
use sumac_language::{Expression, Price, Spelling};
use sumac_runtime::Cancel;
use sumac_sumproduct::canonical::{self, Verdict};
use sumac_sumproduct::{Options, Problem, Request};
use sumac_text::{TextEdit, TextRange};

use crate::accuracy::{Accuracy, measure};
use crate::check::{Check, Rejection, check};
use crate::proof::Proof;
use crate::regimes::{self, Sizes};
use crate::when::{When, when};

/// How many times cheaper a form must be, over the regimes of sizes in which it is cheaper, to be worth showing.
const LEAST_GAIN: f64 = 1.3;
/// Seconds that a form must save where sizes are numbers.
const LEAST_SECONDS: f64 = 2e-6;
/// Forms beside the cheapest that are looked at in each regime.
const ALTERNATIVES: usize = 3;

/// A cheaper form of an expression.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The expression.
    pub range: TextRange,
    /// The function it stands in.
    pub function: Option<Arc<str>>,
    /// The form.
    pub text: String,
    /// The edit that writes it.
    pub edit: TextEdit,
    /// The price as written, and of the form.
    pub price: (Price, Price),
    /// When it is cheaper.
    pub when: When,
    /// How many times cheaper, over the sizes of which the condition holds: the least and the most of what was tried, or the one
    /// figure where sizes are numbers.
    pub gain: (f64, f64),
    /// Why it is equal.
    pub proof: Proof,
    /// That both ran and agreed.
    pub check: Check,
    /// How many digits it loses; `None` where that could not be measured.
    pub accuracy: Option<Accuracy>,
    /// What is assumed, a sentence each.
    pub assumes: Vec<String>,
}

/// Why an expression has no suggestion.
#[derive(Clone, PartialEq, Debug)]
pub enum NoSuggestion {
    /// No cheaper form was found.
    Cheapest,
    /// A search gave up: no form of it is known to the search, or it is too large.
    OutOfReach,
    /// One was found, and could not be shown, for this reason.
    NotShown(String),
}

/// A spelling that is cheaper somewhere, of which nothing else is known yet.
struct Candidate {
    spelling: Spelling,
    when: When,
    gain: (f64, f64),
}

/// Suggestions of one expression: the best first, then others that are cheaper elsewhere, or cheaper and less accurate.
///
/// # Errors
/// Why there is none.
pub fn suggest(expression: &Expression, cancel: &Cancel) -> Result<Vec<Suggestion>, NoSuggestion> {
    let mut order = Order::default();
    for (small, large) in &expression.order {
        order.state(small, large);
    }
    if is_one_step(&expression.dag) {
        return Err(NoSuggestion::Cheapest);
    }
    let names = regimes::names(&expression.dag);
    let samples = regimes::samples(&names, &order);
    let (mut candidates, mut why) = candidates(expression, &names, (&order, &samples), cancel)?;
    candidates.sort_by(|a, b| {
        let rank = |one: &Candidate| matches!(one.when, When::Where { .. });
        let typical = |one: &Candidate| average(&one.spelling.price.seconds, &samples);
        rank(a)
            .cmp(&rank(b))
            .then_with(|| typical(a).total_cmp(&typical(b)))
            .then_with(|| a.spelling.text.len().cmp(&b.spelling.text.len()))
            .then_with(|| a.spelling.text.cmp(&b.spelling.text))
    });
    candidates.dedup_by(|a, b| a.spelling.text == b.spelling.text);
    let mut kept: Vec<Suggestion> = Vec::new();
    // Each is proved, run and measured only where none before it will do.
    for one in candidates {
        let will_do =
            |better: &Suggestion| !loses(better) && is_enough(better, &one, &order, &samples);
        if kept.iter().any(will_do) {
            continue;
        }
        match verified(expression, one, samples.first(), cancel) {
            Ok(one) => kept.push(one),
            Err(other) => why = other,
        }
    }
    kept.sort_by_key(|one| (one.when.condition().is_some(), loses(one)));
    if kept.is_empty() { Err(why) } else { Ok(kept) }
}

/// The spellings of all forms that are found, as far as they are cheaper somewhere; and why others cannot be written.
fn candidates(
    expression: &Expression,
    names: &BTreeSet<Arc<str>>,
    (order, samples): (&Order, &[Sizes]),
    cancel: &Cancel,
) -> Result<(Vec<Candidate>, NoSuggestion), NoSuggestion> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let (mut found, mut why, mut is_in_reach) = (Vec::new(), NoSuggestion::Cheapest, false);
    for sizes in regimes::regimes(names, order) {
        let Some(forms) = forms(&regimes::assuming(&expression.dag, &sizes), cancel) else {
            continue;
        };
        is_in_reach = true;
        for form in forms {
            if !seen.insert(form.print(form.roots()[0])) {
                continue;
            }
            let spellings = match expression.notation.write(&form) {
                Ok(spellings) => spellings,
                Err(unwritten) => {
                    why = NoSuggestion::NotShown(unwritten);
                    continue;
                }
            };
            found.extend(spellings.into_iter().filter_map(|spelling| {
                let (before, after) = (&expression.price, &spelling.price);
                let when = when(&before.seconds, &with_margin(&after.seconds), order)?;
                let gain = gain(before, after, &when, order, samples)?;
                Some(Candidate {
                    spelling,
                    when,
                    gain,
                })
            }));
        }
    }
    if is_in_reach {
        Ok((found, why))
    } else {
        Err(NoSuggestion::OutOfReach)
    }
}

/// A price of which calls take somewhat longer than is known: what is said to be cheaper for all sizes is so where nothing else counts.
fn with_margin(seconds: &Polynomial) -> Polynomial {
    const SHARE: f64 = 0.3;
    seconds.plus(&Polynomial::constant(SHARE * seconds.constant_part()))
}

/// Whether a value is computed in one step, or none: no form of it is cheaper.
fn is_one_step(dag: &Dag) -> bool {
    let ids = dag.reachable(dag.roots()).into_iter();
    ids.filter(|id| matches!(dag.node(*id), Node::Op(op, _) if *op != Op::Transpose))
        .count()
        <= 1
}

/// Whether a form loses digits on some data, or may.
fn loses(suggestion: &Suggestion) -> bool {
    suggestion.accuracy.as_ref().is_none_or(Accuracy::loses)
}

/// Whether `better` can stand for `other` wherever that is cheaper: it claims to be cheaper there, too, and costs hardly more.
fn is_enough(better: &Suggestion, other: &Candidate, order: &Order, samples: &[Sizes]) -> bool {
    const HARDLY: f64 = 1.05;
    let is_claimed =
        better.when.condition().is_none() || better.when.condition() == other.when.condition();
    let stated = other.when.stated(order);
    let mut held = samples
        .iter()
        .filter(|sizes| regimes::holds(sizes, &stated));
    is_claimed
        && held.all(|sizes| {
            let price = |price: &Price| at(&price.seconds, sizes).unwrap_or(f64::INFINITY);
            price(&better.price.1) <= HARDLY * price(&other.spelling.price)
        })
}

/// The logarithm of a price, averaged over regimes.
fn average(seconds: &Polynomial, regimes: &[Sizes]) -> f64 {
    regimes
        .iter()
        .filter_map(|sizes| at(seconds, sizes))
        .map(f64::ln)
        .sum()
}

fn at(price: &Polynomial, sizes: &Sizes) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    price.at(&|name| sizes.get(name).map(|size| *size as f64))
}

/// The cheapest forms of a value over sizes that have numbers, and what is assumed of it as it stands; `None` out of the search's reach.
fn forms(dag: &Dag, cancel: &Cancel) -> Option<Vec<Dag>> {
    let machine = Machine::of(Engine::NumPy);
    let options = Options {
        engine: Engine::NumPy,
        machine,
        ..Options::default()
    };
    let request = Request {
        dag,
        roots: dag.roots(),
        held: &[],
        machine: &machine,
        around: None,
        fusing: None,
    };
    let problem = Problem::new(&request, &options);
    let cancelled = || cancel.is_cancelled();
    let graph = problem.grow(None, &cancelled).ok()?;
    let mut outcomes = vec![problem.cheapest(&graph, &cancelled).ok()?];
    outcomes.extend(
        problem
            .alternatives(&graph, ALTERNATIVES, &cancelled)
            .unwrap_or_default(),
    );
    let in_order = |outcome| {
        let form = problem.named(outcome).dag;
        let ordered = form.with_cheapest_products(&machine);
        [ordered, form]
    };
    Some(outcomes.into_iter().flat_map(in_order).collect())
}

/// A candidate, proved equal as it is read again, run beside what is written, and measured for digits.
///
/// # Errors
/// Which of these it fails.
fn verified(
    expression: &Expression,
    candidate: Candidate,
    sizes: Option<&Sizes>,
    cancel: &Cancel,
) -> Result<Suggestion, NoSuggestion> {
    let Candidate {
        spelling,
        when,
        gain,
    } = candidate;
    let text = &spelling.text;
    let no = |why: String| Err(NoSuggestion::NotShown(why));
    let (left, right) = (&expression.dag, &spelling.dag);
    let proof = match canonical::decide((left, left.roots()[0]), (right, right.roots()[0])) {
        Verdict::Equal(proof) if proof.conditions.is_empty() => Proof(vec![proof]),
        Verdict::Equal(proof) => {
            return no(format!(
                "`{text}` is equal only where {}",
                proof.conditions.join(", ")
            ));
        }
        Verdict::Different | Verdict::Undecided(_) => {
            return no(format!("`{text}` could not be proved equal"));
        }
    };
    let Some(sizes) = sizes else {
        return no(format!(
            "what is known of sizes contradicts itself, so that `{text}` cannot be run"
        ));
    };
    let pair = (
        regimes::assuming(left, sizes),
        regimes::assuming(right, sizes),
    );
    let check = match check(&[&pair], cancel) {
        Ok(check) => check,
        Err(Rejection::NotRun) => {
            return no(format!(
                "`{text}` is proved equal, but on no made-up data does what is written have a value"
            ));
        }
        Err(rejection) => return no(format!("`{text}`: {rejection}")),
    };
    let say = |dag: &Dag, node| expression.notation.say(dag, node);
    let accuracy = measure([&pair, &pair], &say, cancel);
    if let Some(accuracy) = accuracy.as_ref().filter(|found| found.is_undefined) {
        return no(format!("`{text}` {accuracy}, by rounding"));
    }
    Ok(Suggestion {
        accuracy,
        range: expression.range,
        function: expression.function.clone(),
        text: spelling.text,
        edit: spelling.edit,
        price: (expression.price.clone(), spelling.price),
        when,
        gain,
        assumes: assumed(expression, &spelling.assumes, &proof),
        proof,
        check,
    })
}

/// How many times cheaper, least and most over the regimes in which the claim holds; `None` where that is too little to be shown.
fn gain(
    before: &Price,
    after: &Price,
    when: &When,
    order: &Order,
    regimes: &[Sizes],
) -> Option<(f64, f64)> {
    let stated = when.stated(order);
    let mut gains: Vec<f64> = Vec::new();
    let is_large = |sizes: &Sizes| {
        let mut least = when.least().iter();
        least.all(|(name, least)| sizes.get(name).is_none_or(|size| size >= least))
    };
    for sizes in regimes
        .iter()
        .filter(|sizes| regimes::holds(sizes, &stated) && is_large(sizes))
    {
        let (before, after) = (at(&before.seconds, sizes)?, at(&after.seconds, sizes)?);
        if *when == When::AtTheseSizes && before - after < LEAST_SECONDS {
            return None;
        }
        gains.push(before / after);
    }
    let least = gains.iter().copied().reduce(f64::min)?;
    let most = gains.iter().copied().reduce(f64::max)?;
    let mean = gains.iter().map(|gain| gain.ln()).sum::<f64>() / gains.len() as f64;
    (least >= 1.0 && mean.exp() >= LEAST_GAIN).then_some((least, most))
}

/// What a proof says of sizes that are not empty: no size of an array that is computed with is.
const ANY_SIZE: &str = "proved for all sizes";

/// What the reading assumes, and what the proof does.
fn assumed(expression: &Expression, of_spelling: &[String], proof: &Proof) -> Vec<String> {
    let mut all = expression.assumes.clone();
    all.extend_from_slice(of_spelling);
    all.extend(proof.assumes().filter(|text| !text.starts_with(ANY_SIZE)));
    let mut seen = BTreeSet::new();
    all.retain(|text| seen.insert(text.clone()));
    all
}
