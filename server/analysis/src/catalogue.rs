//! The catalogue of diagnostics: one row for each code, and which of them a person wants to see.
//!
//! Everything that is said about a code as such stands here: who reports one names its constant, who shows one
//! looks its row up. Each row has a page `docs/diagnostics/CODE.md`, which is its manual and its test.

use std::collections::BTreeMap;

use crate::result::Severity;

/// One kind of diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// As it is written: `shape-mismatch`.
    pub name: &'static str,
    /// How serious it is unless the place itself or a setting says otherwise; `None`: shown only where asked for.
    pub severity: Option<Severity>,
    /// How editors draw its place.
    pub tag: Option<Tag>,
    /// What it means, in one line.
    pub title: &'static str,
}

/// How editors draw the place of a diagnostic, beside the line below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tag {
    /// Faded: it can go.
    Unnecessary,
    /// Struck through: there is a newer way.
    Deprecated,
}

macro_rules! catalogue {
    ($($constant:ident $name:literal $severity:ident $tag:ident $title:literal)*) => {
        /// The names of the codes.
        pub mod codes {
            $(#[doc = $title] pub const $constant: &str = $name;)*
        }

        /// All codes, in order of the alphabet.
        pub const CODES: &[Code] = &[$(Code {
            name: $name,
            severity: catalogue!(severity $severity),
            tag: catalogue!(tag $tag),
            title: $title,
        }),*];
    };
    (severity Off) => { None };
    (severity $severity:ident) => { Some(Severity::$severity) };
    (tag None) => { None };
    (tag $tag:ident) => { Some(Tag::$tag) };
}

#[rustfmt::skip]
catalogue! {
    ACCIDENTAL_BROADCAST "accidental-broadcast" Warning   None        "Two vectors of NumPy that are repeated against each other though they are equally long."
    ARGUMENT_FORM       "argument-form"       Error       None        "A call in a form that SystemDS does not take."
    ASSIGNED_CONSTANT   "assigned-constant"   Error       None        "A value for a constant of the language."
    CONTRADICTING_FACT  "contradicting-fact"  Error       None        "A fact that another fact, a file or the script contradicts."
    DEPRECATED_FUNCTION "deprecated-function" Warning     Deprecated  "A builtin that SystemDS keeps for old scripts only."
    DUPLICATE_FUNCTION  "duplicate-function"  Error       None        "Two functions of one name."
    EXPLICIT_INVERSE    "explicit-inverse"    Hint        None        "An inverse that is computed to be multiplied."
    FAILED_ASSERT       "failed-assert"       Error       None        "A `#@ assert` that does not hold."
    INDEX_OUT_OF_RANGE  "index-out-of-range"  Error       None        "A position that a matrix or a frame does not have."
    INVALID_FACT        "invalid-fact"        Warning     None        "A `#@` line that cannot be read."
    KIND_CHANGE         "kind-change"         Error       None        "A variable that is of another kind behind a branch or a loop."
    KIND_MISMATCH       "kind-mismatch"       Error       None        "A value of a kind that does not go there."
    LOOP_VARIABLE       "loop-variable"       Warning     None        "A loop whose body assigns its own variable."
    MATRIX_TYPE         "matrix-type"         Error       None        "A parameter that is a matrix of something other than doubles."
    MISSING_FILE        "missing-file"        Warning     None        "A file that a `read` or `source` names and that is not there or not readable."
    NAN_COMPARISON      "nan-comparison"      Warning     None        "A comparison with NaN, which always gives the same."
    PARFOR_DEPENDENCY   "parfor-dependency"   Error       None        "Iterations of a `parfor` that depend on one another."
    RESULT_KIND         "result-kind"         Error       None        "A result of another kind than its function declares."
    SCALAR_REQUIRED     "scalar-required"     Warning     None        "A matrix where SystemDS takes a scalar only."
    SELF_ASSIGNMENT     "self-assignment"     Hint        Unnecessary "A variable that is assigned to itself."
    SHADOWED_BUILTIN    "shadowed-builtin"    Warning     None        "A function that takes the name of a builtin."
    SHAPE_MISMATCH      "shape-mismatch"      Error       None        "Shapes that do not go together."
    SKETCH_ARITY        "sketch-arity"        Error       None        "Too many or too few arguments in a sketch."
    SKETCH_CYCLE        "sketch-cycle"        Error       None        "An abstraction that needs itself."
    SKETCH_GOAL         "sketch-goal"         Error       None        "A sketch without a goal, or with more than one."
    SKETCH_IMPORT       "sketch-import"       Error       None        "An import of a sketch file that is not there."
    SKETCH_LIMIT        "sketch-limit"        Error       None        "A limit of a stage that is no whole number from 1."
    SKETCH_NAME         "sketch-name"         Error       None        "A name in a sketch that means nothing, or two things."
    SKETCH_PIN          "sketch-pin"          Error       None        "A `#@ sketch` line whose sketch is not there or leads nowhere."
    SKETCH_RULE         "sketch-rule"         Error       None        "A rule of a sketch file that does not hold for all sizes, or is no equation."
    SKETCH_SYNTAX       "sketch-syntax"       Error       None        "Text that is no sketch."
    SKETCH_TYPE         "sketch-type"         Error       None        "An annotation of another language than the sketch."
    SKETCH_UNUSED       "sketch-unused"       Warning     Unnecessary "A parameter of a sketch that its patterns never name."
    SYNTAX_ERROR        "syntax-error"        Error       None        "Text that is no DML."
    UNDECIDED_ASSERT    "undecided-assert"    Information None        "A `#@ assert` that is neither proved nor refuted."
    UNDEFINED_NAME      "undefined-name"      Error       None        "A variable that no statement defines."
    UNKNOWN_CODE        "unknown-code"        Warning     None        "A `#@ allow` that names no diagnostic."
    UNKNOWN_FUNCTION    "unknown-function"    Error       None        "A function that neither the script nor SystemDS has."
    UNKNOWN_NAMESPACE   "unknown-namespace"   Error       None        "A namespace that no `source` gives."
    UNKNOWN_PARAMETER   "unknown-parameter"   Error       None        "A named argument that the function does not have."
    UNKNOWN_SIZE        "unknown-size"        Information None        "A size that an expression would need and nothing tells."
    UNREACHABLE_CODE    "unreachable-code"    Hint        Unnecessary "Statements that no run reaches."
    UNSET_RESULT        "unset-result"        Error       None        "A result that its function never gives a value."
    UNUSED_ALLOW        "unused-allow"        Hint        Unnecessary "A `#@ allow` that silences nothing."
    UNUSED_FUNCTION     "unused-function"     Hint        Unnecessary "A function that nothing in the script calls."
    UNUSED_NAMESPACE    "unused-namespace"    Hint        Unnecessary "A `source` whose namespace no call names."
    UNUSED_PARAMETER    "unused-parameter"    Off         Unnecessary "A parameter that its function never reads."
    UNUSED_VALUE        "unused-value"        Hint        Unnecessary "A value that nothing reads."
    WRONG_ARITY         "wrong-arity"         Error       None        "Too many or too few arguments or results."
}

/// The row of a code.
#[must_use]
pub fn code(name: &str) -> Option<&'static Code> {
    CODES
        .binary_search_by_key(&name, |code| code.name)
        .ok()
        .map(|at| &CODES[at])
}

/// The code that was likely meant by `name`, which is none.
#[must_use]
pub fn nearest_code(name: &str) -> Option<&'static str> {
    crate::suggest::nearest(name, CODES.iter().map(|code| code.name))
}

/// How serious a person wants codes to be; `None` is off.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Severities(BTreeMap<&'static str, Option<Severity>>);

impl Severities {
    /// Sets what a code counts as; says whether there is such a code.
    pub fn set(&mut self, name: &str, severity: Option<Severity>) -> bool {
        let known = code(name);
        if let Some(code) = known {
            self.0.insert(code.name, severity);
        }
        known.is_some()
    }

    /// How serious a diagnostic is that was reported as `reported`; `None`: it is not shown.
    #[must_use]
    pub fn of(&self, name: &str, reported: Severity) -> Option<Severity> {
        match self.0.get(name) {
            Some(wanted) => *wanted,
            // The place may be more or less serious than the row says, but what is off stays off.
            None => code(name).map_or(Some(reported), |code| code.severity.and(Some(reported))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_title_is_a_sentence() {
        assert!(CODES.is_sorted_by(|a, b| a.name < b.name));
        for code in CODES {
            let first = code.title.chars().next();
            assert!(
                first.is_some_and(char::is_uppercase) && code.title.ends_with('.'),
                "{}",
                code.title
            );
        }
    }

    #[test]
    fn a_wish_counts_more_than_the_report() {
        let mut severities = Severities::default();
        let unused = codes::UNUSED_VALUE;
        assert_eq!(severities.of(unused, Severity::Hint), Some(Severity::Hint));
        assert!(severities.set(unused, Some(Severity::Error)));
        assert_eq!(severities.of(unused, Severity::Hint), Some(Severity::Error));
        assert!(severities.set(unused, None));
        assert_eq!(severities.of(unused, Severity::Hint), None);
        assert!(!severities.set("unused-valeu", None));
        assert_eq!(nearest_code("unused-valeu"), Some(unused));
    }
}
