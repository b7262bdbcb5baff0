//! Why a statement has no suggestion, in words and with a way out. Must never search.

use std::sync::Arc;

use sumac_sumproduct::SearchStats;
use sumac_text::TextRange;

use crate::quantity;
use crate::suggestion::LEAST_GAIN;

/// Why statements have no suggestion.
#[derive(Clone, PartialEq, Debug)]
pub enum NoSuggestion {
    /// A `#@ off` line asks for none.
    Off,
    /// The statement computes nothing that no variable holds yet.
    NothingComputed,
    /// Sizes of these variables are not numbers; none: that of a value on the way is not.
    UnknownSizes(Vec<Arc<str>>),
    /// No search is made of such expressions.
    OutOfReach,
    /// No form that was found is cheaper.
    Cheapest {
        /// How far the search went.
        end: End,
        /// Fused operators by which the statements run as written.
        fused: usize,
    },
    /// What would be saved is too little: in a run in seconds, and as a ratio.
    TooLittle {
        /// Seconds.
        seconds: f64,
        /// How many times cheaper.
        ratio: f64,
    },
    /// As written it takes so few seconds that nothing could save what is worth a look.
    Quick(f64),
    /// Beside these calls, which are not searched, it takes hardly any time.
    Calls(Vec<String>),
    /// A form is cheaper only if sparse factors have their non-zero cells in the same places.
    Uncertain,
    /// A form computes more and moves less, and is cheaper only where cores are fast beside the memory.
    SlowCores,
    /// A cheaper form does not fit into the memory.
    TooLarge,
    /// A cheaper form could not be proved equal, and why.
    Unproved(String),
    /// A cheaper form was dropped by the run on random data: that, and why.
    Unchecked(String),
    /// A cheaper form cannot be written at this place, and why.
    Unwritten(String),
    /// The search was cancelled.
    Cancelled,
}

/// How far a search went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The form as written is proved to be the cheapest of all that were found, and all rules were exhausted.
    Optimal,
    /// No rule had anything to add.
    Saturated,
    /// A limit ended it: its name.
    Limit(String),
}

impl End {
    /// The end of a search.
    #[must_use]
    pub fn of(search: &SearchStats) -> Self {
        match (&*search.stopped, search.gap) {
            ("saturated", Some(gap)) if gap <= 0.0 => End::Optimal,
            ("saturated", _) => End::Saturated,
            (limit, _) => End::Limit(limit.to_owned()),
        }
    }
}

/// The setting that raises a limit, in `sumac.toml`; `None`: there is none.
fn setting_of(limit: &str) -> Option<&'static str> {
    match limit {
        "node limit" => Some("search.max-nodes"),
        "iteration limit" => Some("search.max-iterations"),
        "memory limit" => Some("search.max-graph-memory"),
        _ => None,
    }
}

/// What a search that was ended by a limit leaves open.
#[must_use]
pub fn cut_note(stopped: &str) -> Option<String> {
    if !stopped.ends_with(" limit") {
        return None;
    }
    let raised = setting_of(stopped).map_or_else(
        || "split the statement to search its parts".to_owned(),
        |setting| {
            let option = setting.replace("search.", "--");
            format!("raise it by `{setting}` or `{option}`")
        },
    );
    Some(format!(
        "the search ended at its {stopped}, so there may be a cheaper form; {raised}"
    ))
}

impl NoSuggestion {
    /// Whether it goes without saying.
    #[must_use]
    pub fn is_obvious(&self) -> bool {
        matches!(self, NoSuggestion::NothingComputed | NoSuggestion::Quick(_))
    }

    /// Whether a cheaper form was found and dropped for what it is: another one may hold.
    pub(crate) fn is_of_the_form(&self) -> bool {
        matches!(
            self,
            NoSuggestion::Unproved(_)
                | NoSuggestion::Unchecked(_)
                | NoSuggestion::Unwritten(_)
                | NoSuggestion::Uncertain
                | NoSuggestion::SlowCores
                | NoSuggestion::TooLarge
        )
    }

    /// In a sentence without its full stop.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            NoSuggestion::Off => "hints are off here (`#@ off`)".to_owned(),
            NoSuggestion::NothingComputed => {
                "there is nothing to search: the statement computes nothing beside values that variables hold"
                    .to_owned()
            }
            NoSuggestion::UnknownSizes(names) if names.is_empty() => {
                "the size of a value on the way is not known, so nothing can be compared".to_owned()
            }
            NoSuggestion::UnknownSizes(names) => unknown_sizes(names),
            NoSuggestion::OutOfReach => {
                "no search is made of such an expression: it is too large to be written out, or an operator has no relational form"
                    .to_owned()
            }
            NoSuggestion::Cheapest { end, fused } => {
                let end = match end {
                    End::Optimal => "it is proved to be the cheapest of all equal forms that the rules reach".to_owned(),
                    End::Saturated => "no rule leads to a form that is estimated to be cheaper".to_owned(),
                    End::Limit(limit) => {
                        let note = cut_note(limit);
                        let note = note.unwrap_or_else(|| format!("the search ended: {limit}"));
                        format!("none of the forms found is estimated to be cheaper; {note}")
                    }
                };
                match fused {
                    0 => end,
                    1 => format!("as written it runs as one fused operator; {end}"),
                    n => format!("as written it runs as {n} fused operators; {end}"),
                }
            }
            NoSuggestion::TooLittle { seconds, ratio } => format!(
                "the cheapest form saves {} a run ({} cheaper), too little to be suggested: from {} and {} on it would be",
                quantity::seconds(*seconds),
                quantity::rough_ratio(*ratio),
                quantity::seconds(LEAST_GAIN.0),
                quantity::rough_ratio(LEAST_GAIN.1),
            ),
            NoSuggestion::Quick(seconds) => format!(
                "as written it is estimated to take {}, so nothing could save what is worth a look",
                quantity::seconds(*seconds),
            ),
            NoSuggestion::Calls(calls) => format!(
                "its time goes into `{}`, which is not searched; what else it computes is quick",
                calls.join("`, `")
            ),
            NoSuggestion::Uncertain => {
                "a form was found that is cheaper only if sparse factors have their non-zero cells in the same places, and dearer if not"
                    .to_owned()
            }
            NoSuggestion::SlowCores => {
                "a form was found that computes more and moves less memory, which is cheaper only where cores are fast beside the memory"
                    .to_owned()
            }
            NoSuggestion::TooLarge => "the cheaper forms need more memory than there is".to_owned(),
            NoSuggestion::Unproved(why) => {
                format!("a cheaper form was found, and could not be proved equal: {why}")
            }
            NoSuggestion::Unchecked(why) => why.clone(),
            NoSuggestion::Unwritten(why) => {
                format!("a cheaper form was found that cannot be written here: {why}")
            }
            NoSuggestion::Cancelled => "the search was cancelled".to_owned(),
        }
    }
}

/// What to do about sizes that are not known: a line states that of a variable, and of nothing else.
fn unknown_sizes(names: &[Arc<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let (variables, others): (Vec<_>, Vec<_>) = names.iter().partition(|name| is_variable(name));
    let lines = variables
        .iter()
        .map(|name| format!("`#@ {name}: rows x cols`"));
    let lines: Vec<String> = lines.collect();
    let stated = (!lines.is_empty()).then(|| {
        format!(
            "state it in the script (in a function, inside its body): {}",
            lines.join(", ")
        )
    });
    let moved = others.first().map(|other| {
        format!("give `{other}` a variable of its own, as in `M = {other}`, and state its size above: `#@ M: rows x cols`")
    });
    let verb = if names.len() == 1 { "is" } else { "are" };
    let size = if names.len() == 1 { "size" } else { "sizes" };
    let ways: Vec<String> = stated.into_iter().chain(moved).collect();
    format!(
        "the {size} of {} {verb} not known, so nothing can be compared; {}",
        quoted.join(", "),
        ways.join("; ")
    )
}

/// Whether a text is a name, and not an expression that stands for itself.
fn is_variable(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
}

/// A statement without a suggestion, and why.
#[derive(Clone, PartialEq, Debug)]
pub struct Silence {
    /// The statement.
    pub statement: TextRange,
    /// Why, in a sentence without its full stop.
    pub message: String,
    /// Whether it goes without saying.
    pub is_obvious: bool,
    /// Variables whose sizes should be stated, and the statements above which that can be done.
    pub asks: Vec<(Arc<str>, usize)>,
}
