//! The walk over statements: variables' values, control flow, and the blocks between control flow.
//!
//! Loops are walked silently until nothing changes, then once more for the record; only the recorded walk
//! reports, so nothing is told twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use sumac_syntax::SyntaxError;
use sumac_syntax::ast::{Expr, ExprKind, FunctionDef, Ident, Program, Stmt, StmtKind, Target};
use sumac_syntax::text::TextRange;

use crate::block::{Builder, Draft};
use crate::files::Files;
use crate::functions::Calls;
use crate::liveness::{Liveness, block_ends, is_simple};
use crate::names::{self, Names};
use crate::options::Options;
use crate::reads::ReadCache;
use crate::result::{Analysis, Diagnostic, NameUse, Part, Severity, Symbol, codes, sort_key};
use crate::sites::{self, Facts, Lines, Scope};
use crate::value::ValueInfo;

/// Statements nested deeper are not followed.
const MAX_NESTING: usize = 60;
/// A variable at one point of the script.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Var {
    pub(crate) info: ValueInfo,
    /// The definitions whose value may be there.
    pub(crate) defs: BTreeSet<TextRange>,
}

pub(crate) type Env = BTreeMap<Arc<str>, Var>;

/// Everything that the walk carries along.
pub(crate) struct Analyzer<'a> {
    pub(crate) text: &'a str,
    pub(crate) options: &'a Options,
    pub(crate) files: &'a dyn Files,
    pub(crate) facts: Facts,
    liveness: Liveness,
    pub(crate) unreadable: BTreeSet<Arc<str>>,
    pub(crate) functions: BTreeMap<Arc<str>, &'a FunctionDef>,
    pub(crate) namespaces: BTreeSet<Arc<str>>,
    pub(crate) calls: Calls,
    pub(crate) reads: ReadCache,
    pub(crate) work_dir: Option<PathBuf>,
    pub(crate) out: Analysis,
    /// Whether this walk is the one that reports.
    pub(crate) recording: bool,
    pub(crate) scope: Scope,
    pub(crate) env: Env,
    pub(crate) block: Builder,
    pub(crate) parts: Vec<Part>,
    pub(crate) depth: usize,
    pub(crate) loop_depth: usize,
    pub(crate) nesting: usize,
    /// Inside of a branch whose condition is known not to hold.
    pub(crate) in_dead_branch: bool,
    told_unsized: BTreeSet<TextRange>,
}

/// Analyses a whole script. See the crate's documentation.
#[must_use]
pub fn analyze(
    program: &Program,
    text: &str,
    syntax_errors: &[SyntaxError],
    options: &Options,
    files: &dyn Files,
) -> Analysis {
    let lines = Lines::of(text);
    let facts = Facts::of(program, &lines, &options.facts);
    let unreadable =
        sites::unreadable_words(program, text, &lines, syntax_errors.iter().map(|e| e.range));
    let functions = program
        .statements
        .iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::Function(f) => Some((f.name.name.clone(), f)),
            _ => None,
        })
        .collect();
    let mut analyzer = Analyzer {
        text,

        options,
        files,
        facts,
        liveness: Liveness::of(program, text),
        unreadable,
        functions,
        namespaces: BTreeSet::new(),
        calls: Calls::default(),
        reads: ReadCache::default(),
        work_dir: options.base_dir.clone(),
        out: Analysis::default(),
        recording: true,
        scope: None,
        env: Env::new(),
        block: Builder::default(),
        parts: Vec::new(),
        depth: 0,
        loop_depth: 0,
        nesting: 0,
        in_dead_branch: false,
        told_unsized: BTreeSet::new(),
    };
    for error in syntax_errors {
        analyzer.report(
            Severity::Error,
            codes::SYNTAX_ERROR,
            error.range,
            error.message.clone(),
        );
    }
    let told = std::mem::take(&mut analyzer.facts.diagnostics);
    analyzer.out.diagnostics.extend(told);
    analyzer.enter(None);
    analyzer.list(&program.statements);
    analyzer.record_functions(program);
    analyzer.finish(program)
}

impl<'a> Analyzer<'a> {
    fn finish(self, program: &Program) -> Analysis {
        let mut out = self.out;
        out.variables.sort_by_key(|fact| fact.range);
        out.blocks
            .sort_by_key(|block| block.statements.first().map(|s| s.range));
        out.functions.sort_by_key(|f| f.range);
        out.names.sort();
        out.names.dedup();
        out.expr_types.sort_by_key(|(range, _)| sort_key(*range));
        out.expr_types.dedup_by_key(|(range, _)| *range);
        // The checks look things up in what is sorted by now.
        crate::checks::run(program, self.text, &mut out);
        out.diagnostics.sort_by(|a, b| {
            (a.range, a.severity, a.code, &a.message)
                .cmp(&(b.range, b.severity, b.code, &b.message))
        });
        out.diagnostics.dedup();
        out
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
        let cannot_happen = self.in_dead_branch && code == codes::SHAPE_MISMATCH;
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

    /// Puts what facts state about never assigned variables of `scope` into its entry.
    pub(crate) fn enter(&mut self, scope: Scope) {
        self.scope = scope;
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
            let var = self.env.entry(name).or_insert_with(|| Var {
                info: info.clone(),
                defs: [fact.range].into(),
            });
            var.info = info;
        }
    }

    /// Statements of one list, cut into blocks.
    pub(crate) fn list(&mut self, statements: &[Stmt]) {
        if self.nesting >= MAX_NESTING {
            self.forget(&names::all_writes(statements));
            return;
        }
        self.nesting += 1;
        for (stmt, ends) in statements.iter().zip(block_ends(statements)) {
            if is_simple(stmt) {
                self.simple(stmt);
            } else {
                self.compound(stmt);
            }
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
        let facts = &self.facts;
        let mark = |range: TextRange| {
            let off = facts.off.iter().any(|stmt| stmt.contains(range));
            (off, facts.sketches.get(&range).cloned())
        };
        let (finished, unused) =
            block.finish(self.loop_depth, self.scope.clone(), &self.liveness, &mark);
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
    pub(crate) fn variable(&mut self, ident: &Ident) -> Option<Var> {
        let var = self.env.get(&ident.name).cloned();
        if var.is_none() && !self.unreadable.contains(&ident.name) && !is_constant_name(&ident.name)
        {
            let known = self.env.keys().map(|name| &**name);
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

/// Names that SystemDS reads as numbers.
pub(crate) fn is_constant_name(name: &str) -> bool {
    matches!(
        name,
        "pi" | "PI" | "inf" | "Inf" | "INF" | "nan" | "NaN" | "NAN"
    )
}

pub(crate) fn strip(mut expr: &Expr) -> &Expr {
    while let ExprKind::Paren(inner) = &expr.kind {
        expr = inner;
    }
    expr
}
