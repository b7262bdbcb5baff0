//! A suggestion as a value: what it changes, what it says, and what stands for it. Must never search, and know no script.

pub(crate) mod edits;

use std::ops::Deref;
use std::sync::Arc;

use edits::Edits;
use smallvec::SmallVec;
use sumac_advice::{Accuracy, Check, Proof};
use sumac_cost::Cost;
use sumac_la::Dag;
use sumac_sumproduct::CostModel;
use sumac_syntax::lex::words;
use sumac_syntax::{Damage, Parse};
use sumac_text::{LineIndex, TextRange};

/// A smaller gain than this is not worth a person's attention: seconds, and the ratio of estimated times.
pub(crate) const LEAST_GAIN: (f64, f64) = (1e-5, 1.2);

/// A cheaper form of one statement, or of a few that are written as one, in its place.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// From the first to the last statement that it changes.
    pub range: TextRange,
    /// The statements that it changes; others between them stay as they are.
    pub statement_ranges: SmallVec<[TextRange; 2]>,
    /// The change. What is computed before the loop around the statement is the first of them.
    pub edits: Edits,
    /// The change with a variable for each part that is used more than once; `None` where there is none.
    pub edits_with_temporaries: Option<Edits>,
    /// All that holds wherever it stands.
    pub advice: Arc<Advice>,
}

impl Deref for Suggestion {
    type Target = Advice;

    fn deref(&self) -> &Advice {
        &self.advice
    }
}

/// What a suggestion says, wherever it stands: those that moved share it.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The variables assigned by the statements that stay.
    pub targets: Vec<Arc<str>>,
    /// The expressions as written.
    pub original: String,
    /// The expressions as suggested.
    pub optimized: String,
    /// The text of `range` with the suggestion in place.
    pub statement: String,
    /// What it computes before the loop around it; `None` where that is nothing.
    pub before_loop: Option<BeforeLoop>,
    /// The sketch that it was asked for by.
    pub sketch: Option<Arc<str>>,
    /// What the search minimized.
    pub model: CostModel,
    /// Its figure before and after.
    pub cost: (f64, f64),
    /// All figures as written.
    pub before: Cost,
    /// All figures as suggested.
    pub after: Cost,
    /// What is computed all the same: values that only the form as written reads and other statements need, and the statements'
    /// decompositions. Part of the figures of both forms; `None` where there is nothing.
    pub shared: Option<Cost>,
    /// How often the statements run, as far as the loops around them tell.
    pub runs: f64,
    /// Bytes of memory of the machine that the figures are for, where that is known.
    pub memory: Option<f64>,
    /// The fused operators by which the suggested form runs, as short programs.
    pub runs_as: Vec<String>,
    /// Why both are equal.
    pub proof: Proof,
    /// That both gave the same when run.
    pub check: Check,
    /// How many digits it loses beside the form as written; `None` where that could not be measured.
    pub accuracy: Option<Accuracy>,
    /// What the proof needs of sizes that may be others without an edit of the script: that one is one where only a `#@` line or a
    /// data file says so, as `ncol(w) = 1`, and that two are equal where a data file or a caller says so, as `nrow(Y) = nrow(X)`.
    pub needs: Vec<String>,
    /// Sizes that the proof needs to be equal, and that `#@` lines state to be equal, as `nrow(Y) = nrow(X)`: a second operand of a
    /// single row would be repeated.
    pub equal_sizes: Vec<String>,
    /// What else this leans on.
    pub assumes: Vec<String>,
    /// How it was found.
    pub search: SearchStats,
    /// Both forms, to time them.
    pub pair: Arc<TimingPair>,
    /// Both forms, to explain them.
    pub forms: Arc<Forms>,
}

/// The expressions of a suggestion as they are and as suggested, their roots in the same order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Forms {
    /// Under the script's names, with the values that variables hold as inputs.
    pub written: (Dag, Dag),
    /// Over the inputs of the block: both start from the same values.
    pub whole: (Dag, Dag),
}

/// What a suggestion computes once, before a loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BeforeLoop {
    /// The variables that hold it.
    pub names: Vec<String>,
    /// Which of the loops around the statement: 0 is the innermost.
    pub level: usize,
}

/// How a suggestion was found.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchStats {
    /// How matches were chosen.
    pub strategy: String,
    /// How the result was chosen.
    pub extraction: String,
    /// Rounds of saturation.
    pub iterations: usize,
    /// E-nodes at the end.
    pub enodes: usize,
    /// E-classes at the end.
    pub eclasses: usize,
    /// Why the search ended.
    pub stopped: String,
    /// The share by which another form that was found could be cheaper at most; 0: none is. `None`: nobody asked.
    pub gap: Option<f64>,
    /// Wall time of the search.
    pub milliseconds: f64,
}

/// What is said of a form for which there is no small data, or an operator without a precise form.
const UNMEASURED: &str = "how many digits it loses could not be measured";

impl Advice {
    /// How many digits it loses, where that is so many that a person should know before applying it.
    #[must_use]
    pub fn loss(&self) -> Option<&Accuracy> {
        self.accuracy.as_ref().filter(|accuracy| accuracy.loses())
    }

    /// What a time of both forms is of, where it leaves out something: what is computed once before a loop, and calls whose
    /// values are made up as the values of inputs are.
    #[must_use]
    pub fn timed_part(&self) -> Option<String> {
        let of = match &self.before_loop {
            Some(_) => "one run of the loop",
            None => "the statement",
        };
        let once = self.before_loop.iter().flat_map(|before| &before.names);
        let calls = calls_among(&self.pair.original);
        let left_out: Vec<&str> = once.map(String::as_str).chain(calls).collect();
        (!left_out.is_empty()).then(|| format!("{of}, without {}", left_out.join(" and ")))
    }

    /// The digits that it gains, where it is suggested for them and not for its cost.
    #[must_use]
    pub fn digits_gained(&self) -> Option<&Accuracy> {
        let gains = self.accuracy.as_ref().filter(|found| found.gains());
        let (before, after) = self.cost;
        gains.filter(|_| self.sketch.is_none() && before < LEAST_GAIN.1 * after)
    }

    /// What a person should know before applying it: what it needs of the data, and the digits that it loses, or gains at a price.
    pub fn caveats(&self) -> impl Iterator<Item = String> + '_ {
        let needs = self.needs.join(" and ");
        let needs = (!needs.is_empty()).then(|| format!("if {needs}"));
        let digits = self.loss().or_else(|| self.digits_gained());
        let is_measured = self.accuracy.is_some();
        let unmeasured = (!is_measured).then(|| UNMEASURED.to_owned());
        let digits = digits.map(ToString::to_string).or(unmeasured);
        needs.into_iter().chain(digits)
    }

    /// What the equality needs of sizes that are stated.
    #[must_use]
    pub fn conditions(&self) -> Vec<&str> {
        let needs = self.needs.iter().chain(&self.equal_sizes);
        needs.map(String::as_str).collect()
    }
}

impl SearchStats {
    /// Whether the form is proved to be the cheapest of all that were found; `None` if nobody asked.
    #[must_use]
    pub fn optimal(&self) -> Option<bool> {
        self.gap.map(|gap| gap <= 0.0)
    }
}

/// Both forms over the same inputs, which are called as in the script. Behind the roots of the statements stand those of what
/// only the form as written reads: other statements compute it all the same.
#[derive(Clone, PartialEq, Debug)]
pub struct TimingPair {
    /// As written.
    pub original: Dag,
    /// As suggested: one run, where something is computed before the loop.
    pub optimized: Dag,
    /// What is computed once before the loop, if something is.
    pub once: Option<Dag>,
}

impl Suggestion {
    /// How many times cheaper the suggestion is estimated to be.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        let (original, optimized) = self.cost;
        if original <= optimized {
            1.0
        } else if optimized > 0.0 {
            original / optimized
        } else {
            f64::INFINITY
        }
    }

    /// Seconds that it is estimated to save, over all runs of the loops around it.
    #[must_use]
    pub fn saving(&self) -> f64 {
        (self.before.seconds - self.after.seconds) * self.runs.max(1.0)
    }

    /// Whether one of its statements touches `range` (a cursor at an end counts). Others between them are none of its.
    #[must_use]
    pub fn touches(&self, range: TextRange) -> bool {
        let hits = |own: &TextRange| own.start <= range.end && range.start <= own.end;
        self.statement_ranges.iter().any(hits)
    }

    /// Whether one of its statements has a part in common with one of `others`.
    pub(crate) fn has_statement_of(&self, others: &[TextRange]) -> bool {
        let overlaps = |own: &TextRange| {
            let mut others = others.iter();
            others.any(|other| own.start < other.end && other.start < own.end)
        };
        self.statement_ranges.iter().any(overlaps)
    }

    /// Which lines it rewrites, where these are several statements: `rewrites lines 12 and 17`.
    #[must_use]
    pub fn rewrites(&self, lines: &LineIndex) -> Option<String> {
        if self.statement_ranges.len() < 2 {
            return None;
        }
        let numbers = self.statement_ranges.iter();
        let mut numbers: Vec<usize> = numbers.map(|own| lines.line(own.start) + 1).collect();
        numbers.dedup();
        let (last, before) = numbers.split_last()?;
        if before.is_empty() {
            return Some(format!("rewrites all of line {last}"));
        }
        let before: Vec<String> = before.iter().map(ToString::to_string).collect();
        Some(format!("rewrites lines {} and {last}", before.join(", ")))
    }

    /// The statement of it that touches `range`; the first if none does.
    #[must_use]
    pub fn statement_at(&self, range: TextRange) -> TextRange {
        let mut statements = self.statement_ranges.iter();
        let hits = |own: &&TextRange| own.start <= range.end && range.start <= own.end;
        let found = statements.find(hits).or(self.statement_ranges.first());
        found.copied().unwrap_or(self.range)
    }

    /// Whether a syntax error damages what it changes, or could change what it rests on: a variable that it reads may get a value
    /// there, and of what is moved or taken away it is not known who else reads it, nor whether it stays the same in a loop.
    #[must_use]
    pub fn is_damaged(&self, parse: &Parse, damage: &Damage) -> bool {
        if damage.is_empty() {
            return false;
        }
        let own = self.statement_ranges.iter().copied();
        let edits = self.edits.iter().map(|edit| edit.range);
        if own.chain(edits).any(|place| damage.touches(place)) {
            return true;
        }
        let (written, whole) = (&self.forms.written.0, &self.forms.whole.0);
        let mut inputs = written.inputs().iter().chain(whole.inputs());
        if inputs.any(|input| damage.may_assign(&input.name)) {
            return true;
        }
        let is_own = self.before_loop.is_none() && self.statement_ranges.len() == 1;
        !is_own && self.moves_beside(parse, damage)
    }

    /// Whether it moves statements, or takes some away, in a loop, a branch or a function that is damaged, or variables that are
    /// mentioned where the text is.
    fn moves_beside(&self, parse: &Parse, damage: &Damage) -> bool {
        let mut outermost = parse.program().statements.iter();
        let is_beside =
            outermost.any(|stmt| self.touches(stmt.range) && damage.touches(stmt.range));
        let mut variables = self.statement_ranges.iter().filter_map(|own| {
            let statement = parse.text().get(own.start..own.end)?;
            words(statement).next()
        });
        is_beside || variables.any(|variable| damage.mentions(variable))
    }

    /// The same suggestion with every place changed by `place`.
    #[must_use]
    pub fn relocated(&self, place: impl Fn(TextRange) -> TextRange) -> Suggestion {
        let edits = |edits: &Edits| edits.relocated(&place);
        let statements = self.statement_ranges.iter();
        Suggestion {
            range: place(self.range),
            statement_ranges: statements.map(|range| place(*range)).collect(),
            edits: edits(&self.edits),
            edits_with_temporaries: self.edits_with_temporaries.as_ref().map(edits),
            advice: Arc::clone(&self.advice),
        }
    }
}

/// The inputs of a form that the script computes by functions which are no linear algebra, as it calls them.
pub(crate) fn calls_among(form: &Dag) -> impl Iterator<Item = &str> {
    let names = form.inputs().iter().map(|input| &*input.name);
    names.filter(|name| name.contains('(') && !name.starts_with("read("))
}
