//! Where `#@` facts belong: each is attached to an assignment, to a value at entry, or to a statement.
//!
//! Only places and the facts' own consistency are decided here; the script's values are not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_la::{Dim, number};
use sumac_syntax::ast::{AssignOp, Fact, FactKind, Program, Size, Stmt, StmtKind};
use sumac_syntax::lex::words;
use sumac_text::TextRange;

use crate::asserts::Asserts;
use crate::db::unit::line_at;
use crate::globals::Globals;
use crate::lines::Lines;
use crate::names;
use crate::provenance::SizeNames;
use crate::result::{Diagnostic, Severity, codes};
use crate::value::Constant;

/// The function that something stands in; `None` is the main program.
pub(crate) type Scope = Option<Arc<str>>;

/// A `#@ X: r x c, sparsity s` line.
#[derive(Clone, Debug)]
pub(crate) struct SizeFact {
    pub(crate) name: Arc<str>,
    pub(crate) rows: Dim,
    pub(crate) cols: Dim,
    /// The names that stand there, also where a number is known of them.
    pub(crate) sizes: SizeNames,
    pub(crate) sparsity: Option<f64>,
    /// Its place; empty for a fact of the command line.
    pub(crate) range: TextRange,
    /// Such as `#@ line 3`.
    pub(crate) label: Arc<str>,
}

/// All facts, by what they are about.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) at_assignment: BTreeMap<TextRange, SizeFact>,
    pub(crate) at_entry: BTreeMap<(Scope, Arc<str>), SizeFact>,
    pub(crate) args: BTreeMap<Arc<str>, Constant>,
    /// Statements for which `#@ off` holds.
    pub(crate) off: Vec<TextRange>,
    pub(crate) sketches: BTreeMap<TextRange, Arc<str>>,
    pub(crate) asserts: Asserts,
    /// The how-manieth assignment of its variable stands at a place of the unit.
    pub(crate) ordinals: BTreeMap<TextRange, usize>,
    /// How many assignments of a variable stand before the unit.
    pub(crate) earlier: BTreeMap<Arc<str>, usize>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

struct Site {
    name: Arc<str>,
    range: TextRange,
    line: usize,
    scope: Scope,
    /// Whether a size can be stated about it: not for `X[1, 1] = …`, `+=` and loop variables.
    whole: bool,
}

struct Collector<'a> {
    program: &'a Program,
    lines: &'a Lines,
    facts: Facts,
    sites: Vec<Site>,
    /// Name and range of each function, to find what a fact stands in.
    scopes: Vec<(Arc<str>, TextRange)>,
    /// Statements of any depth, in source order.
    statements: Vec<TextRange>,
    globals: &'a Globals,
}

impl Facts {
    /// Attaches the script's facts and those of the command line.
    pub(crate) fn of(program: &Program, lines: &Lines, extra: &[Fact], globals: &Globals) -> Self {
        let mut collector = Collector {
            program,
            lines,
            facts: Facts::default(),
            sites: Vec::new(),
            scopes: Vec::new(),
            statements: Vec::new(),
            globals,
        };
        collector.facts.args = globals.args.clone();
        collector.facts.asserts = Asserts::of(program);
        collector.sites();
        // A fact of the command line counts as the first line of the script.
        let facts: Vec<(&Fact, Option<usize>)> = extra
            .iter()
            .map(|fact| (fact, None))
            .chain(
                program
                    .facts
                    .iter()
                    .map(|f| (f, Some(lines.line(f.range.start)))),
            )
            .collect();
        for (fact, line) in &facts {
            collector.attach(fact, *line);
        }
        collector.facts
    }
}

fn label(fact: &Fact, line: Option<usize>) -> Arc<str> {
    match line {
        None => "stated outside".into(),
        Some(_) => format!("#@ line {}", line_at(fact.range.start)).into(),
    }
}

fn place(fact: &Fact, line: Option<usize>) -> TextRange {
    if line.is_some() {
        fact.range
    } else {
        TextRange::default()
    }
}

impl Collector<'_> {
    fn sites(&mut self) {
        let mut ordinals: BTreeMap<(Scope, Arc<str>), usize> = BTreeMap::new();
        let mut stack: Vec<(&Stmt, Scope)> = self
            .program
            .statements
            .iter()
            .rev()
            .map(|s| (s, None))
            .collect();
        while let Some((stmt, scope)) = stack.pop() {
            self.statements.push(stmt.range);
            for ident in names::writes(stmt) {
                let whole = match &stmt.kind {
                    StmtKind::Assign { target, op, .. } => {
                        target.index.is_none() && *op == AssignOp::Set
                    }
                    StmtKind::MultiAssign { targets, .. } => targets
                        .iter()
                        .any(|t| t.name == *ident && t.index.is_none()),
                    _ => false,
                };
                let ordinal = ordinals
                    .entry((scope.clone(), ident.name.clone()))
                    .or_default();
                self.facts.ordinals.insert(ident.range, *ordinal);
                *ordinal += 1;
                self.sites.push(Site {
                    name: ident.name.clone(),
                    range: ident.range,
                    line: self.lines.line(stmt.range.start),
                    scope: scope.clone(),
                    whole,
                });
            }
            let inner = match &stmt.kind {
                StmtKind::Function(f) => {
                    self.scopes.push((f.name.name.clone(), stmt.range));
                    Some(f.name.name.clone())
                }
                _ => scope,
            };
            for body in names::bodies(stmt).into_iter().rev() {
                stack.extend(body.statements.iter().rev().map(|s| (s, inner.clone())));
            }
        }
        self.sites.sort_by_key(|site| site.range);
        self.statements
            .sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    }

    fn error(
        &mut self,
        code: &'static str,
        range: TextRange,
        message: String,
        related: Vec<(TextRange, String)>,
    ) {
        self.facts.diagnostics.push(Diagnostic {
            range,
            severity: Severity::Error,
            code,
            message,
            related,
        });
    }

    /// A line that is no fact is a comment to SystemDS, so it is never an error.
    fn invalid(&mut self, severity: Severity, range: TextRange, message: String) {
        self.facts.diagnostics.push(Diagnostic {
            range,
            severity,
            code: codes::INVALID_FACT,
            message,
            related: Vec::new(),
        });
    }

    /// What a fact is about.
    fn attach(&mut self, fact: &Fact, line: Option<usize>) {
        let first_line = line.unwrap_or(0);
        match &fact.kind {
            FactKind::Size {
                name,
                rows,
                cols,
                sparsity,
            } => {
                if let Some((s, at)) = sparsity
                    && !(0.0..=1.0).contains(s)
                {
                    let at = if line.is_some() {
                        *at
                    } else {
                        TextRange::default()
                    };
                    let message = format!(
                        "a sparsity is a share of cells between 0 and 1, found {} (`{}`, {})",
                        number(*s),
                        name.name,
                        label(fact, line)
                    );
                    self.invalid(Severity::Warning, at, message);
                }
                let size = SizeFact {
                    name: name.name.clone(),
                    rows: self.dim(rows),
                    cols: self.dim(cols),
                    sizes: [rows, cols].map(name_of),
                    sparsity: sparsity.map(|(s, _)| s).filter(|s| (0.0..=1.0).contains(s)),
                    range: place(fact, line),
                    label: label(fact, line),
                };
                self.attach_size(size, line);
            }
            FactKind::Off | FactKind::Sketch { .. } => {
                let next = self
                    .statements
                    .iter()
                    .find(|range| self.lines.line(range.start) >= first_line)
                    .copied();
                match (&fact.kind, next) {
                    (_, None) => {}
                    (FactKind::Sketch { name }, Some(stmt)) => {
                        self.facts.sketches.insert(stmt, name.name.clone());
                    }
                    (_, Some(stmt)) => self.facts.off.push(stmt),
                }
            }
            FactKind::Invalid {
                at,
                message,
                is_meant,
            } => {
                let at = if line.is_some() {
                    *at
                } else {
                    TextRange::default()
                };
                let (severity, message) = if *is_meant {
                    (Severity::Warning, message.clone())
                } else {
                    let message = format!("no fact, so a comment: {message}");
                    (Severity::Hint, message)
                };
                self.invalid(severity, at, message);
            }
            // Asserts are placed by `asserts` and decided by the prover.
            FactKind::Assert { .. }
            | FactKind::Bind { .. }
            | FactKind::Arg { .. }
            | FactKind::Allow { .. }
            // What a script's own sketches say is read where sketches are.
            | FactKind::SketchLine => {}
        }
    }

    fn attach_size(&mut self, fact: SizeFact, line: Option<usize>) {
        let scope = self
            .scopes
            .iter()
            .filter(|(_, range)| line.is_some() && range.contains(fact.range))
            .min_by_key(|(_, range)| range.len())
            .map(|(name, _)| name.clone());
        let mut sites = self
            .sites
            .iter()
            .filter(|s| s.whole && s.name == fact.name && s.scope == scope);
        let next = sites.clone().find(|s| s.line >= line.unwrap_or(0));
        // A fact behind the last assignment is about that one.
        let site = next.or_else(|| sites.next_back()).map(|s| s.range);
        let earlier = match site {
            Some(range) => self.facts.at_assignment.get(&range),
            None => self.facts.at_entry.get(&(scope.clone(), fact.name.clone())),
        };
        let mut merged = fact.clone();
        if let Some(earlier) = earlier.cloned() {
            if let Some(message) = contradiction(&fact, &earlier) {
                let related = vec![(
                    earlier.range,
                    format!("`{}` is stated here first", fact.name),
                )];
                self.error(codes::CONTRADICTING_FACT, fact.range, message, related);
                return;
            }
            merged.rows = fact.rows.meet(&earlier.rows).unwrap_or(Dim::Unknown);
            merged.cols = fact.cols.meet(&earlier.cols).unwrap_or(Dim::Unknown);
            merged.sparsity = fact.sparsity.or(earlier.sparsity);
        }
        match site {
            Some(range) => self.facts.at_assignment.insert(range, merged),
            None => self.facts.at_entry.insert((scope, fact.name), merged),
        };
    }

    fn dim(&self, size: &Size) -> Dim {
        match size {
            Size::Number(n, _) => Dim::Known(*n),
            Size::Name(ident) => match self.globals.sizes.get(&ident.name) {
                Some(value) => Dim::Known(*value),
                None => Dim::symbol(ident.name.clone(), None),
            },
            Size::Unknown(_) => Dim::Unknown,
        }
    }
}

fn name_of(size: &Size) -> Option<Arc<str>> {
    match size {
        Size::Name(ident) => Some(ident.name.clone()),
        Size::Number(..) | Size::Unknown(_) => None,
    }
}

/// What two facts about one value disagree on.
fn contradiction(new: &SizeFact, old: &SizeFact) -> Option<String> {
    disagreement(
        (&new.rows, &new.cols, new.sparsity, &new.label),
        (&old.rows, &old.cols, old.sparsity, &old.label),
    )
    .map(|what| format!("two facts about `{}` disagree: {what}", new.name))
}

/// Rows, columns, sparsity and who says so.
pub(crate) type Statement<'a> = (&'a Dim, &'a Dim, Option<f64>, &'a str);

/// Names both values and both sources where two statements about one value exclude each other.
pub(crate) fn disagreement(a: Statement<'_>, b: Statement<'_>) -> Option<String> {
    let of = |what: &str, x: &Dim, y: &Dim| {
        x.meet(y)
            .is_none()
            .then(|| format!("{x} {what} ({}) against {y} {what} ({})", a.3, b.3))
    };
    of("rows", a.0, b.0)
        .or_else(|| of("columns", a.1, b.1))
        .or_else(|| match (a.2, b.2) {
            (Some(x), Some(y)) if (x - y).abs() > 1e-12 + 0.01 * x.abs().max(y.abs()) => {
                Some(format!(
                    "sparsity {} ({}) against sparsity {} ({})",
                    number(x),
                    a.3,
                    number(y),
                    b.3
                ))
            }
            _ => None,
        })
}

/// The words in text that could not be read: a name among them may well be defined there.
pub(crate) fn unreadable_words(
    program: &Program,
    text: &str,
    lines: &Lines,
    errors: impl Iterator<Item = TextRange>,
) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::new();
    let mut add = |range: TextRange| {
        let text = text.get(range.start..range.end).unwrap_or_default();
        found.extend(words(text).map(Arc::from));
    };
    for range in errors {
        add(lines.range(lines.line(range.start), text));
    }
    let mut stack: Vec<&Stmt> = program.statements.iter().collect();
    while let Some(stmt) = stack.pop() {
        if stmt.kind == StmtKind::Error {
            add(stmt.range);
        }
        stack.extend(
            names::bodies(stmt)
                .into_iter()
                .flat_map(|body| &body.statements),
        );
    }
    found
}
