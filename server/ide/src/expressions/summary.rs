//! What a suggestion gains over sizes that may be names, and why it can be trusted, as text. Must never search.

use sumac_advice::{NoSuggestion, Suggestion, When};
use sumac_cost::{Polynomial, product_text};
use sumac_la::number;

use crate::quantity;

/// What it gains in a few words.
pub(super) fn gain(suggestion: &Suggestion) -> String {
    match (&suggestion.when, suggestion.gain) {
        (When::AtTheseSizes, (gain, _)) => format!("about {} faster", quantity::rough_ratio(gain)),
        (when, _) => when.to_string(),
    }
}

/// What it gains and why it can be trusted, in a line.
#[must_use]
pub fn summary(suggestion: &Suggestion) -> String {
    let (before, after) = &suggestion.price;
    let gain = gain(suggestion);
    let work = arrow(&before.flops, &after.flops, &quantity::count);
    let memory = arrow(&before.peak_bytes, &after.peak_bytes, &quantity::bytes);
    let mut text = format!(
        "{gain}: {work} FLOPs, {memory} for results on the way; proved ({}), checked with relative error {}",
        suggestion.proof.name(),
        quantity::relative_error(suggestion.check.max_relative_error),
    );
    match &suggestion.accuracy {
        Some(accuracy) => text.push_str(&format!("; {accuracy}")),
        None => text.push_str("; accuracy not measured"),
    }
    for assumed in &suggestion.assumes {
        text.push_str(&format!("; assumed: {assumed}"));
    }
    text
}

/// Why there is no suggestion.
#[must_use]
pub fn why_none(why: &NoSuggestion) -> String {
    match why {
        NoSuggestion::Cheapest => "nothing cheaper was found".to_owned(),
        NoSuggestion::OutOfReach => "no form of it is in the search's reach".to_owned(),
        NoSuggestion::NotShown(why) => why.clone(),
    }
}

/// Why a form is taken only by who looks at it, and not together with all others.
#[must_use]
pub fn caveat(suggestion: &Suggestion) -> Option<String> {
    if let Some(condition) = suggestion.when.condition() {
        return Some(format!("cheaper only where {condition}"));
    }
    match &suggestion.accuracy {
        None => Some("how accurate it is could not be measured".to_owned()),
        Some(accuracy) => accuracy.loses().then(|| accuracy.to_string()),
    }
}

fn arrow(before: &Polynomial, after: &Polynomial, figure: &dyn Fn(f64) -> String) -> String {
    format!("{} → {}", leading(before, figure), leading(after, figure))
}

/// A figure: as a number where no name is in it, otherwise what counts of it for large sizes.
fn leading(price: &Polynomial, figure: &dyn Fn(f64) -> String) -> String {
    if price.names().is_empty() {
        return figure(price.constant_part());
    }
    let terms = price
        .leading()
        .into_iter()
        .map(|(names, coefficient)| match coefficient == 1.0 {
            true => product_text(names),
            false => format!("{} {}", number(coefficient), product_text(names)),
        });
    terms.collect::<Vec<_>>().join(" + ")
}
