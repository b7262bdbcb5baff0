//! Why statements have no suggestion: what the search of each came to, in words and with a way out.
//!
//! Remembered by block and place, as what was found is; nothing is searched here.

use std::sync::Arc;

use sumac_sumproduct::SearchStats;
use sumac_syntax::ast::StmtKind;
use sumac_syntax::text::TextRange;

use super::site::Site;
use crate::cache::Block;
use crate::quantity;
use crate::searches::Searches;
use crate::snapshot::Snapshot;

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
    pub(super) fn is_of_the_form(&self) -> bool {
        matches!(
            self,
            NoSuggestion::Unproved(_)
                | NoSuggestion::Unchecked(_)
                | NoSuggestion::Unwritten(_)
                | NoSuggestion::Uncertain
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
                "the cheapest form saves {} a run ({} cheaper), too little to be suggested",
                quantity::seconds(*seconds),
                quantity::rough_ratio(*ratio),
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

/// The statements without a suggestion, as far as they were searched, in source order.
#[must_use]
pub fn silences(snapshot: &Snapshot, blocks: &[Block], searches: &Searches) -> Vec<Silence> {
    let mut found = Vec::new();
    for block in blocks {
        let Some(site) = Site::of(snapshot, block) else {
            continue;
        };
        for (place, statement) in site.block.statements.iter().enumerate() {
            let Some(why) = searches.silence(block.key, place) else {
                continue;
            };
            let asks = match &*why {
                NoSuggestion::UnknownSizes(names) => names
                    .iter()
                    .filter_map(|name| {
                        Some((name.clone(), site.stated_above(name, statement.range)?))
                    })
                    .map(|(name, at)| (name, site.in_file(TextRange::new(at, at)).start))
                    .collect(),
                _ => Vec::new(),
            };
            let shared = match &*why {
                NoSuggestion::NothingComputed => site.shared_with(place),
                _ => None,
            };
            let is_obvious = why.is_obvious() && shared.is_none();
            let message = shared.map_or_else(|| why.message(), |(name, at)| {
                let line = snapshot.lines.line(site.in_file(at).start) + 1;
                format!("its value is that of `{name}` in line {line} and taken to be computed once, as `sumac run` does where only assignments stand between them; write `{name}` to be sure of it")
            });
            found.push(Silence {
                statement: site.in_file(statement.range),
                message,
                is_obvious,
                asks,
            });
        }
    }
    found.sort_by_key(|silence| silence.statement);
    found
}

impl Site<'_> {
    /// The variable that holds what a statement of the block computes, and the earlier statement that sets it.
    fn shared_with(self, place: usize) -> Option<(Arc<str>, TextRange)> {
        let statements = &self.block.statements;
        let statement = &statements[place];
        let computed = statement.parts.iter().map(|part| part.root);
        let mut computed = computed
            .filter(|root| matches!(self.block.symbolic().node(*root), sumac_la::Node::Op(..)));
        computed.find_map(|root| {
            let earlier = statements[..place].iter().rev();
            let mut targets = earlier.filter_map(|it| Some((it.target.as_ref()?, it.range)));
            let (target, range) = targets.find(|(target, _)| {
                target.version_node == root && statement.env.get(&target.name) == Some(&root)
            })?;
            Some((Arc::clone(&target.name), range))
        })
    }

    /// Where a line that states the size of a variable goes: above the statement that sets it, or at the beginning of the
    /// function whose parameter it is.
    fn stated_above(self, name: &str, reader: TextRange) -> Option<usize> {
        let before = TextRange::new(0, reader.start);
        let set = self
            .names_in(before)
            .filter(|found| found.is_definition && &*found.name == name)
            .last()
            .map(|found| found.range.start);
        let body = self
            .program()
            .iter()
            .find_map(|statement| match &statement.kind {
                StmtKind::Function(function) => {
                    let mut params = function.params.iter();
                    let is_it = params.any(|param| &*param.name.name == name);
                    let first = function.body.as_ref()?.statements.first()?;
                    is_it.then_some(first.range.start)
                }
                _ => None,
            });
        // A parameter is set where the function begins.
        if let Some(body) = body.filter(|body| set.is_none_or(|set| set < *body)) {
            return Some(body);
        }
        let text = self.text();
        let line = text[..set?].rfind('\n').map_or(0, |at| at + 1);
        let indent = text[line..].len() - text[line..].trim_start().len();
        Some(line + indent)
    }
}
