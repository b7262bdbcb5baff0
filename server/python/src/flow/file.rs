//! A whole file: its lines, comments and errors, and what was found put in order.
//!
//! Must never hand out anything of a statement that is broken.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sumac_text::{LineIndex, SyntaxError, TextRange};

use super::{Draft, Findings, Flow, assumptions};
use crate::env::{Binding, Env};
use crate::imports;
use crate::parse::{self, Expr, Stmt, Visitor, place, visitor};
use crate::scope::{Sizes, bound_names, declared_outside};
use crate::shapes::{Claim, Pin, commented, pinned};
use crate::site::{Reading, Site};

/// What is known of a file before its statements are read.
pub(crate) struct File<'a> {
    pub(crate) text: &'a str,
    lines: LineIndex,
    /// The lines with errors, sorted.
    broken: Vec<usize>,
    /// The comments that end each line.
    comments: BTreeMap<usize, TextRange>,
    /// `#@` lines by the start of the innermost function; those outside of any under none.
    pins: BTreeMap<Option<usize>, Vec<Pin>>,
    /// Names that functions change outside of themselves.
    pub(super) declared: BTreeSet<Arc<str>>,
    /// Whether its arrays are of another library.
    pub(super) is_other: bool,
    /// Whether it imports arrays of another library beside NumPy's.
    pub(super) is_mixed: bool,
    /// Names for NumPy and JAX, with their paths.
    libraries: Vec<(Arc<str>, Arc<str>)>,
}

/// Reads a file.
pub(crate) fn read(text: &str) -> Reading {
    let program = parse::program(text);
    let file = File::new(text, &program);
    let mut out = Findings::default();
    let visible = imports::seen_by_functions(&program.body, &file.declared);
    let mut env = Env::default();
    let bound = bound_names(&program.body);
    for name in bound.keys() {
        env.set(name, Binding::Unknown);
    }
    let mut flow = Flow::new(
        &file,
        &mut out,
        (None, false),
        visible,
        (env, Sizes::new(bound)),
    );
    flow.pin(None);
    flow.block(&program.body);
    finish(&file, out, program.errors)
}

fn finish(file: &File<'_>, out: Findings, syntax_errors: Vec<SyntaxError>) -> Reading {
    let Findings {
        mut diagnostics,
        mut facts,
        drafts,
        habits,
    } = out;
    let site = |draft: Draft| {
        let env = draft.found.env;
        let numpy = draft.habits.library(&file.libraries, &env);
        Site {
            range: draft.found.range,
            statement: draft.statement,
            function: draft.function,
            assumes: assumptions(&draft.found.tree, &env),
            tree: draft.found.tree,
            style: draft.habits.style(&habits, numpy),
            order: env.order(),
            is_bare: draft.found.is_bare,
            env: Arc::new(env),
        }
    };
    let mut sites: Vec<Site> = drafts.into_iter().map(site).collect();
    sites.sort_by_key(|site| (site.range.start, site.range.end));
    diagnostics.sort_by(|a, b| {
        let key = |of: &sumac_language::Diagnostic| (of.range.start, of.range.end, of.code);
        key(a).cmp(&key(b))
    });
    diagnostics.dedup();
    facts.sort_by(|a, b| (a.range.start, &a.name).cmp(&(b.range.start, &b.name)));
    Reading {
        diagnostics,
        facts,
        sites,
        syntax_errors,
    }
}

impl<'a> File<'a> {
    fn new(text: &'a str, program: &parse::Program) -> Self {
        let lines = LineIndex::new(text);
        let mut broken = BTreeSet::new();
        for error in &program.errors {
            let (first, last) = (lines.line(error.range.start), lines.line(error.range.end));
            broken.extend([first, last]);
        }
        let mut comments = BTreeMap::new();
        let mut pins = Vec::new();
        for comment in &program.comments {
            let said = text.get(comment.start..comment.end).unwrap_or_default();
            match pinned(said, comment.start) {
                Some(pin) => pins.push(pin),
                None => {
                    comments.insert(lines.line(comment.start), *comment);
                }
            }
        }
        let mut outline = Outline::default();
        for statement in &program.body {
            outline.visit_stmt(statement);
        }
        let (has_numpy, has_other) = imports::libraries(&program.body);
        let mut file = File {
            text,
            lines,
            broken: broken.into_iter().collect(),
            comments,
            pins: BTreeMap::new(),
            declared: declared_outside(&program.body),
            is_other: has_other && !has_numpy,
            is_mixed: has_other && has_numpy,
            libraries: outline.libraries,
        };
        if !pins.is_empty() {
            // Lines above a function belong to it.
            for range in &mut outline.functions {
                range.1 = file.above(range.0);
            }
        }
        for pin in pins {
            let around = outline
                .functions
                .iter()
                .filter(|(_, start, end)| *start <= pin.at && pin.at < *end)
                .min_by_key(|(_, start, end)| end - start)
                .map(|(function, ..)| *function);
            file.pins.entry(around).or_default().push(pin);
        }
        file
    }

    /// The start of the `#@` lines above a place.
    fn above(&self, at: usize) -> usize {
        let mut line = self.lines.line(at);
        let mut start = at;
        while let Some(before) = line.checked_sub(1) {
            let from = self.lines.line_start(before);
            let text = self.text.get(from..self.lines.line_end(before));
            if !text.is_some_and(|text| text.trim_start().starts_with("#@")) {
                break;
            }
            (start, line) = (from, before);
        }
        start
    }

    /// Whether lines of a place have errors.
    pub(super) fn is_broken(&self, range: TextRange) -> bool {
        if self.broken.is_empty() {
            return false;
        }
        let (first, last) = (self.lines.line(range.start), self.lines.line(range.end));
        let at = self.broken.partition_point(|line| *line < first);
        self.broken.get(at).is_some_and(|line| *line <= last)
    }

    /// The number of a place's line, from one.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.line(at) + 1
    }

    /// What the comment at the end of a line says.
    pub(super) fn comment(&self, line: usize) -> Option<Claim> {
        let range = self.comments.get(&line.checked_sub(1)?)?;
        commented(self.text.get(range.start..range.end)?)
    }

    /// What `#@` lines of a function say.
    pub(super) fn pins(&self, function: Option<usize>) -> &[Pin] {
        self.pins.get(&function).map_or(&[], Vec::as_slice)
    }
}

/// Where functions are, and under which names libraries are imported.
#[derive(Default)]
struct Outline {
    /// Start, start with what is above, end.
    functions: Vec<(usize, usize, usize)>,
    libraries: Vec<(Arc<str>, Arc<str>)>,
}

impl<'a> Visitor<'a> for Outline {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(_) => {
                let range = place(statement);
                self.functions.push((range.start, range.start, range.end));
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                for (name, path) in imports::imported(statement).unwrap_or_default() {
                    let known = &mut self.libraries;
                    if matches!(&*path, "numpy" | "jax.numpy")
                        && !known.iter().any(|(other, _)| *other == name)
                    {
                        known.push((name, path));
                    }
                }
            }
            _ => {}
        }
        visitor::walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}

/// Whether evaluating an expression may change anything: a call of what is not known.
pub(super) fn may_do_anything(expr: &Expr, env: &Env) -> bool {
    struct Calls<'e>(&'e Env, bool);
    impl<'a> Visitor<'a> for Calls<'_> {
        fn visit_expr(&mut self, expr: &'a Expr) {
            /// Methods that change nothing but arrays.
            const METHODS: &[&str] = &[
                "dot",
                "sum",
                "mean",
                "min",
                "max",
                "prod",
                "transpose",
                "trace",
                "diagonal",
                "ravel",
                "flatten",
                "reshape",
                "copy",
                "astype",
            ];
            if let Expr::Call(call) = expr {
                let is_known = match imports::path(&call.func, self.0) {
                    Some(path) => ["numpy.", "math.", "builtins."]
                        .iter()
                        .any(|library| path.starts_with(library)),
                    None => matches!(&*call.func, Expr::Attribute(of)
                        if METHODS.contains(&of.attr.as_str())),
                };
                self.1 |= !is_known;
            }
            self.1 |= matches!(expr, Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_));
            visitor::walk_expr(self, expr);
        }
    }
    let mut calls = Calls(env, false);
    calls.visit_expr(expr);
    calls.1
}
