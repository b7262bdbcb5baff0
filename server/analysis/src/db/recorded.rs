//! What a walk over one unit is given, and what it records. Values only: who walks stands above.

use std::collections::BTreeSet;
use std::sync::Arc;

use sumac_text::TextRange;

use super::api::Db;
use super::inputs::SourceFile;
use super::unit::SharedUnit;
use crate::checks::checked::Summary;
use crate::lines::Lines;
use crate::liveness::Liveness;
use crate::made::Made;
use crate::names::Names;
use crate::options::Options;
use crate::result::Analysis;
use crate::sites::{self, Facts};

/// What every walk over a unit needs.
pub(crate) struct Prepared {
    pub(crate) unit: SharedUnit,
    pub(crate) facts: Facts,
    pub(crate) liveness: Liveness,
    pub(crate) unreadable: BTreeSet<Arc<str>>,
    pub(crate) options: Arc<Options>,
}

impl Prepared {
    /// Of one unit of a file.
    pub(crate) fn new(db: &dyn Db, file: SourceFile, unit: SharedUnit, is_main: bool) -> Self {
        let lines = Lines::of(&unit.text);
        let options = file.options(db);
        // Facts of the command line are about the main program.
        let extra = if is_main { &*options.facts } else { &[] };
        let errors = unit.errors.iter().copied();
        Prepared {
            facts: Facts::of(&unit.program, &lines, extra, &file.globals(db)),
            liveness: Liveness::of(&unit.program, &unit.text),
            unreadable: sites::unreadable_words(&unit.program, &unit.text, &lines, errors),
            options,
            unit,
        }
    }
}

/// What is recorded of a unit, with the unit's own places.
#[derive(Default)]
pub(crate) struct Recorded {
    /// The unit.
    pub(crate) unit: SharedUnit,
    pub(crate) analysis: Analysis,
    /// Diagnostics that point to the function that they are about.
    pub(crate) links: Vec<(TextRange, Arc<str>)>,
    pub(crate) calls: Vec<Made>,
    /// For which statements `#@ off` asks for silence.
    pub(crate) off: Vec<TextRange>,
    /// What checks of the file ask each unit for.
    pub(crate) summary: Summary,
    /// What is surely set before it, of the names that it mentions; nothing for a function.
    pub(crate) set_before: Names,
}

/// What there is in a unit or in several, so that nobody looks into those where there is nothing.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Has {
    /// Diagnostics or asserts.
    pub(crate) findings: bool,
    /// Calls of functions.
    pub(crate) calls: bool,
}

impl Has {
    /// In both.
    pub(crate) fn and(self, other: Has) -> Has {
        Has {
            findings: self.findings || other.findings,
            calls: self.calls || other.calls,
        }
    }
}

impl Recorded {
    pub(crate) fn has(&self) -> Has {
        let Analysis {
            assertions,
            diagnostics,
            ..
        } = &self.analysis;
        Has {
            findings: !assertions.is_empty() || !diagnostics.is_empty(),
            calls: !self.summary.called.is_empty(),
        }
    }
}
