//! The walk over statements: variables' values, control flow, and the blocks between control flow.
//!
//! Loops are walked silently until nothing changes, then once more for the record; only the recorded walk
//! reports, so nothing is told twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use imbl::OrdMap;
use sumac_la::Dim;
use sumac_syntax::ast::{Ident, Program, Stmt, Target};
use sumac_text::TextRange;

use crate::block::{Builder, Draft};
use crate::db::inputs::FunctionNames;
use crate::db::recorded::{Prepared, Recorded};
use crate::db::segments::is_labelled;
use crate::db::world::World;
use crate::equality::Equality;
use crate::found::ReadCache;
use crate::liveness::{Liveness, block_ends, is_simple};
use crate::made::{Calls, Made};
use crate::names::is_constant_name;
use crate::names::{self, Names};
use crate::options::Options;
use crate::provenance::Provenance;
use crate::result::{Analysis, Diagnostic, NameUse, Part, Severity, Symbol, codes};
use crate::sites::{Facts, Scope};
use crate::value::ValueInfo;

/// Statements nested deeper are not followed.
const MAX_NESTING: usize = 60;
/// Definitions that are kept of a variable at one point. Where more may arrive, those in the middle are left out: in a script that
/// assigns again and again under conditions, each point would hold all of them.
pub const MOST_DEFINITIONS: usize = 64;

/// A variable at one point of the script.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Var {
    pub(crate) info: ValueInfo,
    /// The definitions whose value may be there, at most [`MOST_DEFINITIONS`].
    pub(crate) defs: BTreeSet<TextRange>,
}

impl Var {
    /// Takes the definitions that arrive on another path.
    pub(crate) fn meet(&mut self, other: &Var) {
        self.defs.extend(&other.defs);
        let excess = self.defs.len().saturating_sub(MOST_DEFINITIONS);
        if excess > 0 {
            let all = std::mem::take(&mut self.defs).into_iter().enumerate();
            let middle = MOST_DEFINITIONS / 2..MOST_DEFINITIONS / 2 + excess;
            let kept = all.filter(|(at, _)| !middle.contains(at));
            self.defs = kept.map(|(_, def)| def).collect();
        }
    }

    /// The first of its definitions: those of earlier segments of a main program come before a segment's own.
    pub(crate) fn first_definition(&self) -> Option<TextRange> {
        let mut others = self.defs.iter().filter(|def| is_labelled(def.start));
        others.next().or(self.defs.first()).copied()
    }
}

/// The variables at one point. Copies share what they have in common, so that keeping one for each branch and each round of
/// a loop costs what is assigned there and not what is known.
pub(crate) type Env = OrdMap<Arc<str>, Arc<Var>>;

/// Everything that the walk carries along.
pub(crate) struct Analyzer<'a> {
    pub(crate) text: &'a str,
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) files: World<'a>,
    pub(crate) facts: &'a Facts,
    liveness: &'a Liveness,
    pub(crate) unreadable: &'a BTreeSet<Arc<str>>,
    pub(crate) world: World<'a>,
    /// The names of the file's own functions.
    pub(crate) functions: Arc<FunctionNames>,
    pub(crate) calls: Calls,
    pub(crate) reads: ReadCache,
    /// Where relative paths of data start. `setwd` is about scripts only.
    pub(crate) work_dir: Option<PathBuf>,
    pub(crate) out: Analysis,
    /// Diagnostics that point to the function that they are about.
    pub(crate) links: Vec<(TextRange, Arc<str>)>,
    /// Whether this walk is the one that reports.
    pub(crate) recording: bool,
    pub(crate) scope: Scope,
    pub(crate) env: Env,
    /// Names of variables that are known although nothing here may mean them: what is meant may be one of these.
    pub(crate) elsewhere: Option<Arc<[Arc<str>]>>,
    pub(crate) block: Builder,
    pub(crate) parts: Vec<Part>,
    pub(crate) depth: usize,
    pub(crate) loop_depth: usize,
    pub(crate) nesting: usize,
    /// What the sparsity of the parts of an expression rests on.
    pub(crate) provenance: Provenance,
    /// Sizes that the statement's operations said to be equal.
    pub(crate) size_constraints: Vec<(Dim, Dim, TextRange)>,
    /// Sizes that go by another name since a use.
    pub(crate) equalities: Vec<Equality>,
    /// Inside of a branch whose condition is known not to hold.
    pub(crate) in_dead_branch: bool,
    /// Inside of a branch of which it is not known whether it runs.
    pub(crate) may_not_run: bool,
    /// Variables of different kinds behind a nested branch, with what SystemDS goes on with.
    pub(crate) changed: BTreeMap<Arc<str>, Arc<Var>>,
    /// What SystemDS refuses before a run wherever it stands.
    pub(crate) is_strict: bool,
    /// Bodies of branches and loops around the statement.
    pub(crate) bodies: usize,
    told_unsized: BTreeSet<TextRange>,
}

impl<'a> Analyzer<'a> {
    /// A walk over one unit, before its first statement.
    pub(crate) fn new(prepared: &'a Prepared, world: World<'a>) -> Self {
        Analyzer {
            text: &prepared.unit.text,
            program: &prepared.unit.program,
            options: &prepared.options,
            files: world.clone(),
            facts: &prepared.facts,
            liveness: &prepared.liveness,
            unreadable: &prepared.unreadable,
            functions: world.functions(),
            scope: world.caller(),
            world,
            calls: Calls::default(),
            reads: ReadCache::default(),
            work_dir: prepared.options.base_dir.clone(),
            out: Analysis::default(),
            links: Vec::new(),
            recording: false,
            env: Env::new(),
            elsewhere: None,
            block: Builder::default(),
            parts: Vec::new(),
            depth: 0,
            loop_depth: 0,
            nesting: 0,
            provenance: Provenance::default(),
            size_constraints: Vec::new(),
            equalities: Vec::new(),
            in_dead_branch: false,
            may_not_run: false,
            changed: BTreeMap::new(),
            is_strict: false,
            bodies: 0,
            told_unsized: BTreeSet::new(),
        }
    }

    /// Walks the main program for the record.
    pub(crate) fn record_main(&mut self) {
        self.recording = true;
        self.enter();
        let program = self.program;
        self.list(&program.statements);
        self.lone_asserts();
    }

    /// The calls that were made.
    pub(crate) fn into_calls(self) -> Vec<Made> {
        self.calls.into_made()
    }

    /// What was recorded, in no order.
    pub(crate) fn finish(mut self) -> Recorded {
        self.out
            .diagnostics
            .extend(self.facts.diagnostics.iter().cloned());
        // The checks look things up in what is sorted.
        self.out.sort_known();
        Recorded {
            analysis: self.out,
            links: self.links,
            calls: self.calls.into_made(),
            off: self.facts.off.clone(),
            ..Recorded::default()
        }
    }

    pub(crate) fn report(
        &mut self,
        severity: Severity,
        code: &'static str,
        range: TextRange,
        message: String,
    ) {
        self.report_with(severity, code, range, message, Vec::new());
    }

    pub(crate) fn report_with(
        &mut self,
        severity: Severity,
        code: &'static str,
        range: TextRange,
        message: String,
        related: Vec<(TextRange, String)>,
    ) {
        // SystemDS refuses these only where it gets there.
        let is_of_run = matches!(
            code,
            codes::SHAPE_MISMATCH | codes::INDEX_OUT_OF_RANGE | codes::KIND_MISMATCH
        );
        let cannot_happen = self.in_dead_branch && is_of_run;
        let severity = match severity {
            Severity::Error if is_of_run && self.may_not_run && !self.is_strict => {
                Severity::Warning
            }
            severity => severity,
        };
        if self.recording && !cannot_happen {
            self.out.diagnostics.push(Diagnostic {
                range,
                severity,
                code,
                message,
                related,
            });
        }
    }

    /// The source text of a place.
    pub(crate) fn slice(&self, range: TextRange) -> &'a str {
        self.text.get(range.start..range.end).unwrap_or_default()
    }

    /// Puts what facts state about never assigned variables into the entry.
    pub(crate) fn enter(&mut self) {
        let entry: Vec<_> = self
            .facts
            .at_entry
            .iter()
            .filter(|((scope, _), _)| *scope == self.scope)
            .map(|((_, name), fact)| (name.clone(), fact.clone()))
            .collect();
        for (name, fact) in entry {
            let known = self
                .env
                .get(&name)
                .map_or_else(ValueInfo::unknown, |v| v.info.clone());
            let (info, _) = self.apply_fact(known, &fact, "the calls");
            let var = self.env.entry(name).or_insert_with(|| {
                let defs = [fact.range].into();
                Arc::new(Var {
                    info: info.clone(),
                    defs,
                })
            });
            Arc::make_mut(var).info = info;
        }
    }

    /// Statements of one list, cut into blocks.
    pub(crate) fn list(&mut self, statements: &[Stmt]) {
        if self.nesting >= MAX_NESTING {
            self.forget(&names::all_writes(statements));
            return;
        }
        self.nesting += 1;
        if let Some(first) = statements.first() {
            self.asserts_before(first.range);
        }
        for (stmt, ends) in statements.iter().zip(block_ends(statements)) {
            self.world.poll();
            if is_simple(stmt) {
                self.simple(stmt);
            } else {
                self.compound(stmt);
            }
            if stmt.is_damaged {
                // What its readable part says of a value is no fact: what is written once it is mended may be anything else.
                self.forget(&names::all_writes(std::slice::from_ref(stmt)));
            }
            self.asserts_behind(stmt.range);
            if ends {
                self.flush();
            }
        }
        self.nesting -= 1;
    }

    /// Ends the block under construction.
    pub(crate) fn flush(&mut self) {
        let block = std::mem::take(&mut self.block);
        if !self.recording {
            return;
        }
        for (read, name) in block.missing_sizes() {
            if self.told_unsized.insert(read) {
                let message = format!(
                    "the size of `{name}` is not known, so nothing can be said of what is computed from it; add a line `#@ {name}: rows x cols`"
                );
                self.report(Severity::Information, codes::UNKNOWN_SIZE, read, message);
            }
        }
        let facts = self.facts;
        let mark = |range: TextRange| {
            let off = facts.off.iter().any(|stmt| stmt.contains(range));
            (off, facts.sketches.get(&range).cloned())
        };
        let (finished, unused) =
            block.finish(self.loop_depth, self.scope.clone(), self.liveness, &mark);
        self.out.blocks.extend(finished);
        for (name, range) in unused {
            // What is being typed may be read where the text cannot be understood yet.
            if self.unreadable.contains(&name) {
                continue;
            }
            let message = format!("`{name}` is not read after this");
            self.report(Severity::Hint, codes::UNUSED_VALUE, range, message);
        }
    }

    /// Finishes one statement of the block under construction.
    pub(crate) fn draft(
        &mut self,
        range: TextRange,
        reads: Names,
        writes: Vec<Arc<str>>,
        plain: Option<&Ident>,
    ) {
        self.parts.sort_by_key(|part| part.range);
        let parts = std::mem::take(&mut self.parts);
        let env = if self.recording {
            self.block.snapshot()
        } else {
            BTreeMap::new()
        };
        self.block.drafts.push(Draft {
            range,
            target: None,
            writes,
            reads,
            parts,
            env,
            plain: plain.map(|ident| (ident.name.clone(), ident.range)),
        });
    }

    /// Looks a variable up and records the use; tells where nothing defines it.
    pub(crate) fn variable(&mut self, ident: &Ident) -> Option<Arc<Var>> {
        let var = self.env.get(&ident.name).cloned();
        if var.is_none() && !self.unreadable.contains(&ident.name) && !is_constant_name(&ident.name)
        {
            let elsewhere = self.elsewhere.iter().flat_map(|names| names.iter());
            let known = self.env.keys().chain(elsewhere).map(|name| &**name);
            let mut message = format!("`{}` is not defined before this", ident.name);
            if let Some(near) = crate::suggest::nearest(&ident.name, known) {
                message.push_str(&format!("; did you mean `{near}`?"));
            }
            self.report(Severity::Error, codes::UNDEFINED_NAME, ident.range, message);
        }
        if self.recording {
            let definitions = var
                .as_ref()
                .map(|v| v.defs.iter().copied().collect())
                .unwrap_or_default();
            self.out.names.push(NameUse {
                range: ident.range,
                name: ident.name.clone(),
                scope: self.scope.clone(),
                symbol: Symbol::Variable,
                is_definition: false,
                definitions,
            });
        }
        var
    }

    pub(crate) fn eval_index(&mut self, target: &Target) {
        let mut exprs = Vec::new();
        if let Some(index) = &target.index {
            names::index_exprs(index, &mut |e| exprs.push(e));
        }
        for e in exprs {
            self.eval_part(e);
        }
    }
}
