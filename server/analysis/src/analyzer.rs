//! The walk over statements: variables' values, control flow, and the blocks between control flow.
//!
//! Loops are walked silently until nothing changes, then once more for the record; only the recorded walk
//! reports, so nothing is told twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use sumac_la::{Dim, NodeId, Type};
use sumac_syntax::SyntaxError;
use sumac_syntax::ast::{
    AssignOp, Block, Expr, ExprKind, FunctionDef, Ident, LoopRange, Program, Stmt, StmtKind, Target,
};
use sumac_syntax::text::TextRange;

use crate::block::{Builder, Draft};
use crate::expr::{Form, Val};
use crate::files::Files;
use crate::functions::Calls;
use crate::liveness::{Liveness, block_ends, is_simple};
use crate::names::{self, Names};
use crate::options::Options;
use crate::reads::ReadCache;
use crate::result::{
    Analysis, BlockTarget, Diagnostic, NameUse, Part, Severity, Symbol, VariableFact, codes,
    sort_key,
};
use crate::sites::{self, Facts, Lines, Scope};
use crate::value::{ValueInfo, ValueKind};

/// Statements nested deeper are not followed.
const MAX_NESTING: usize = 60;
/// Loops nested deeper start from "anything assigned inside is unknown" instead of walking to a fixpoint.
const MAX_FIXPOINT_NESTING: usize = 3;

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
    unreadable: BTreeSet<Arc<str>>,
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
    loop_depth: usize,
    nesting: usize,
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
    analyzer.finish()
}

impl<'a> Analyzer<'a> {
    fn finish(self) -> Analysis {
        let mut out = self.out;
        let allow = self.facts.allow;
        out.diagnostics.retain(|d| {
            !allow
                .iter()
                .any(|(range, code)| range.contains(d.range) && **code == *d.code)
        });
        out.diagnostics.sort_by(|a, b| {
            (a.range, a.severity, a.code, &a.message)
                .cmp(&(b.range, b.severity, b.code, &b.message))
        });
        out.diagnostics.dedup();
        out.variables.sort_by_key(|fact| fact.range);
        out.blocks
            .sort_by_key(|block| block.statements.first().map(|s| s.range));
        out.functions.sort_by_key(|f| f.range);
        out.names.sort();
        out.names.dedup();
        out.expr_types.sort_by_key(|(range, _)| sort_key(*range));
        out.expr_types.dedup_by_key(|(range, _)| *range);
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
        if self.recording {
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
    fn flush(&mut self) {
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
    fn draft(
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

    fn simple(&mut self, stmt: &Stmt) {
        let reads = names::reads(stmt, self.text);
        self.parts.clear();
        match &stmt.kind {
            StmtKind::Assign {
                target,
                op: AssignOp::Set,
                value,
            } if target.index.is_none() => {
                let val = self.eval(value);
                if let Form::La(root) = val.form {
                    self.parts.clear();
                    self.parts.push(Part {
                        range: value.range,
                        root,
                    });
                }
                self.draft(
                    stmt.range,
                    reads,
                    vec![target.name.name.clone()],
                    Some(&target.name),
                );
                let from_read = matches!(&strip(value).kind, ExprKind::Call(call) if &*call.name.name == "read");
                self.assign_whole(&target.name, val, from_read);
            }
            StmtKind::Assign { target, op, value } => {
                let val = self.eval_part(value);
                let old = self.variable(&target.name);
                self.eval_index(target);
                self.draft(stmt.range, reads, vec![target.name.name.clone()], None);
                if *op == AssignOp::Accumulate && target.index.is_none() {
                    self.accumulate(stmt, target, old, val);
                } else {
                    // Cells change; the shape stays.
                    let mut info = old.map_or_else(ValueInfo::unknown, |v| v.info);
                    if info.kind != ValueKind::List && info.kind != ValueKind::Frame {
                        info = ValueInfo::matrix(info.rows, info.cols, None);
                    }
                    self.assign(&target.name, info, None);
                    self.define(&target.name, true);
                }
            }
            StmtKind::MultiAssign { targets, value } => {
                let infos = self.eval_multi(value, targets.len());
                for target in targets {
                    self.eval_index(target);
                }
                let writes = targets.iter().map(|t| t.name.name.clone()).collect();
                self.draft(stmt.range, reads, writes, None);
                for (target, info) in targets.iter().zip(infos) {
                    if target.index.is_none() {
                        let val = Val {
                            info,
                            form: Form::Impure,
                        };
                        self.assign_whole(&target.name, val, false);
                    } else {
                        self.assign(&target.name, ValueInfo::unknown(), None);
                        self.define(&target.name, true);
                    }
                }
            }
            StmtKind::Expr(value) => {
                self.eval_part(value);
                self.draft(stmt.range, reads, Vec::new(), None);
            }
            _ => {}
        }
    }

    /// `X += e`: the DAG knows the sum, but no expression of the script is it.
    fn accumulate(&mut self, stmt: &Stmt, target: &Target, old: Option<Var>, val: Val) {
        let name = Expr {
            range: target.name.range,
            kind: ExprKind::Name(target.name.clone()),
        };
        let old_info = old.map_or_else(ValueInfo::unknown, |v| v.info);
        let form = match old_info.la_type() {
            Some(ty) => Form::La(self.block.variable(&target.name.name, || ty)),
            None => Form::Opaque,
        };
        let StmtKind::Assign { value, .. } = &stmt.kind else {
            return;
        };
        let sum = Expr {
            range: stmt.range,
            kind: ExprKind::Missing,
        };
        let old_val = Val {
            info: old_info,
            form,
        };
        let result = self.binary(
            sumac_syntax::ast::BinaryOp::Add,
            &sum,
            (&name, old_val),
            (value, val),
        );
        self.parts.clear();
        let node = match result.form {
            Form::La(node) => Some(node),
            Form::Opaque | Form::Impure => None,
        };
        self.assign(&target.name, result.info, node);
        self.define(&target.name, true);
    }

    /// A plain assignment: facts, the variable's new node, the record.
    fn assign_whole(&mut self, ident: &Ident, val: Val, from_read: bool) {
        let node = match val.form {
            Form::La(node) => Some(node),
            Form::Opaque | Form::Impure => None,
        };
        if let (Some(root), Some(draft)) = (node, self.block.drafts.last_mut()) {
            draft.target = Some(BlockTarget {
                name: ident.name.clone(),
                range: ident.range,
                version_node: root,
            });
        }
        let mut info = val.info;
        let mut source = match &info.origin {
            Some(origin) if from_read => origin.label.to_string(),
            _ => "propagated".to_owned(),
        };
        let mut cut = false;
        if let Some(fact) = self.facts.at_assignment.get(&ident.range).cloned() {
            let (stated, refined) = self.apply_fact(info, &fact, &source);
            info = stated;
            cut = refined;
            source = fact.label.to_string();
        }
        self.name_sizes(ident, &mut info);
        // Where a fact says more than the DAG can know, the variable goes on as an input with the fact's type.
        let node = if cut { None } else { node };
        let opaque = node.is_none() && info.la_type().is_some();
        self.assign(ident, info.clone(), node);
        if opaque
            && let Some(draft) = self.block.drafts.last_mut()
            && draft.target.is_none()
        {
            let ty = info.la_type().unwrap_or_else(Type::scalar);
            let version_node = self.block.variable(&ident.name, || ty);
            draft_target(&mut self.block, ident, version_node);
        }
        self.define(ident, false);
        if self.recording {
            let ty = hide_own_names(ident, &self.facts, info.ty());
            if source == "propagated" && (info.kind == ValueKind::Unknown || !is_sized(&ty)) {
                "unknown".clone_into(&mut source);
            }
            self.out.variables.push(VariableFact {
                name: ident.name.clone(),
                range: ident.range,
                function: self.scope.clone(),
                kind: info.kind,
                ty,
                constant: info.constant.clone(),
                source,
            });
        }
    }

    /// A matrix whose size nothing tells has the size `nrow(X)` by `ncol(X)`; later versions are told apart.
    fn name_sizes(&self, ident: &Ident, info: &mut ValueInfo) {
        if info.kind != ValueKind::Matrix {
            return;
        }
        let (rows, cols) = own_names(ident, &self.facts);
        if info.rows == Dim::Unknown {
            info.rows = rows;
        }
        if info.cols == Dim::Unknown {
            info.cols = cols;
        }
    }

    /// Gives the variable a value: a node of the DAG, or a fresh input where it is numeric.
    pub(crate) fn assign(&mut self, ident: &Ident, info: ValueInfo, node: Option<NodeId>) {
        let node = node.or_else(|| {
            let ty = info.la_type()?;
            let (input, node) = self.block.fresh(&ident.name, ty);
            if let Some(read) = info.unsized_read {
                self.block
                    .unsized_inputs
                    .insert(input, (read, ident.name.clone()));
            }
            Some(node)
        });
        self.block.assign(&ident.name, node);
        self.env.insert(
            ident.name.clone(),
            Var {
                info,
                defs: [ident.range].into(),
            },
        );
    }

    /// Records a definition. `adds`: the old value is part of the new one.
    fn define(&mut self, ident: &Ident, adds: bool) {
        if !self.recording {
            return;
        }
        self.out.names.push(NameUse {
            range: ident.range,
            name: ident.name.clone(),
            scope: self.scope.clone(),
            symbol: Symbol::Variable,
            is_definition: true,
            definitions: vec![ident.range],
        });
        if adds && let Some(var) = self.env.get(&ident.name) {
            let info = var.info.clone();
            self.out.variables.push(VariableFact {
                name: ident.name.clone(),
                range: ident.range,
                function: self.scope.clone(),
                kind: info.kind,
                ty: hide_own_names(ident, &self.facts, info.ty()),
                constant: info.constant,
                source: "propagated".to_owned(),
            });
        }
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

    fn eval_index(&mut self, target: &Target) {
        let mut exprs = Vec::new();
        if let Some(index) = &target.index {
            names::index_exprs(index, &mut |e| exprs.push(e));
        }
        for e in exprs {
            self.eval_part(e);
        }
    }

    /// A condition is a block of its own.
    fn condition(&mut self, exprs: &[&Expr]) {
        for expr in exprs {
            self.parts.clear();
            self.eval_part(expr);
            let mut reads = Names::new();
            names::for_each_read(expr, &mut |ident| {
                reads.insert(ident.name.clone());
            });
            self.draft(expr.range, reads, Vec::new(), None);
        }
        self.flush();
    }

    fn compound(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                self.condition(&[cond]);
                let before = self.env.clone();
                self.list(&then.statements);
                let after_then = std::mem::replace(&mut self.env, before);
                if let Some(block) = otherwise {
                    self.list(&block.statements);
                }
                self.env = join(&after_then, &self.env, false);
            }
            StmtKind::While { cond, body } => {
                self.repeat(body, &mut |this, body| {
                    this.condition(&[cond]);
                    this.list(&body.statements);
                });
            }
            StmtKind::For {
                var,
                range,
                options,
                body,
                ..
            } => {
                let info = self.loop_head(range, options);
                self.repeat(body, &mut |this, body| {
                    this.assign(var, info.clone(), None);
                    this.block = Builder::default();
                    this.define(var, false);
                    this.list(&body.statements);
                });
            }
            StmtKind::Source {
                alias: Some(alias), ..
            } => {
                self.namespaces.insert(alias.name.clone());
            }
            StmtKind::SetWd { path: Some(path) } => {
                self.work_dir = self
                    .options
                    .base_dir
                    .as_ref()
                    .map(|dir| dir.join(&*path.value));
            }
            StmtKind::Error => self.unreadable_statement(stmt.range),
            _ => {}
        }
    }

    /// What stands in parentheses behind `for`; gives what is known of the loop variable.
    fn loop_head(&mut self, range: &LoopRange, options: &[sumac_syntax::ast::Arg]) -> ValueInfo {
        self.parts.clear();
        let mut kind = ValueKind::Int;
        let exprs: Vec<&Expr> = match range {
            LoopRange::FromTo(a, b) => vec![a, b],
            LoopRange::Over(e) => vec![e],
        };
        let mut reads = Names::new();
        for expr in &exprs {
            let val = self.eval_part(expr);
            let is_double = val.info.kind == ValueKind::Double
                && val.info.number().is_none_or(|n| n.fract() != 0.0);
            if is_double || val.info.kind == ValueKind::Matrix {
                kind = ValueKind::Double;
            }
            names::for_each_read(expr, &mut |ident| {
                reads.insert(ident.name.clone());
            });
        }
        for arg in options {
            self.eval_part(&arg.value);
        }
        if let (Some(first), Some(last)) = (exprs.first(), exprs.last()) {
            self.draft(first.range.cover(last.range), reads, Vec::new(), None);
        }
        self.flush();
        ValueInfo::of(kind)
    }

    /// A loop: to a fixpoint, then once for the record.
    fn repeat(&mut self, body: &Block, walk: &mut dyn FnMut(&mut Self, &Block)) {
        self.loop_depth += 1;
        let writes = names::all_writes(&body.statements);
        let recording = std::mem::replace(&mut self.recording, false);
        let dir = self.work_dir.clone();
        if self.loop_depth > MAX_FIXPOINT_NESTING {
            self.forget(&writes);
        } else {
            for round in 0.. {
                let head = self.env.clone();
                walk(self, body);
                let joined = join(&head, &self.env, round > 0);
                let stable = joined == head;
                self.env = joined;
                if stable {
                    break;
                }
                if round == 3 {
                    self.forget(&writes);
                    break;
                }
            }
        }
        self.recording = recording;
        self.work_dir = dir;
        if self.recording {
            let head = self.env.clone();
            walk(self, body);
            self.env = join(&head, &self.env, false);
        }
        self.loop_depth -= 1;
    }

    /// Forgets everything but the kind of what may have changed.
    fn forget(&mut self, names: &Names) {
        for name in names {
            let var = self.env.entry(name.clone()).or_insert_with(|| Var {
                info: ValueInfo::unknown(),
                defs: BTreeSet::new(),
            });
            var.info = var.info.forget();
        }
    }

    /// A statement that cannot be read probably assigns what stands before its `=`.
    fn unreadable_statement(&mut self, range: TextRange) {
        let text = self.slice(range);
        let Some(at) = text.find(['=', '<']) else {
            return;
        };
        let Some(name) = names::words(&text[..at]).next() else {
            return;
        };
        self.forget(&[Arc::from(name)].into());
    }
}

fn draft_target(block: &mut Builder, ident: &Ident, version_node: NodeId) {
    if let Some(draft) = block.drafts.last_mut() {
        draft.target = Some(BlockTarget {
            name: ident.name.clone(),
            range: ident.range,
            version_node,
        });
    }
}

/// What arrives where two paths meet.
fn join(a: &Env, b: &Env, widen: bool) -> Env {
    let mut joined = a.clone();
    for (name, other) in b {
        match joined.get_mut(name) {
            Some(var) => {
                if var != other {
                    var.info = var.info.join(&other.info, widen);
                    var.defs.extend(&other.defs);
                }
            }
            None => {
                joined.insert(name.clone(), other.clone());
            }
        }
    }
    joined
}

fn own_names(ident: &Ident, facts: &Facts) -> (Dim, Dim) {
    let version = match facts.ordinals.get(&ident.range) {
        Some(n) if *n > 0 => format!("#{}", n + 1),
        _ => String::new(),
    };
    let name = &ident.name;
    (
        Dim::Named(format!("nrow({name}{version})").into()),
        Dim::Named(format!("ncol({name}{version})").into()),
    )
}

/// To say that `X` has `nrow(X)` rows says nothing.
fn hide_own_names(ident: &Ident, facts: &Facts, mut ty: Type) -> Type {
    let (rows, cols) = own_names(ident, facts);
    if ty.rows == rows {
        ty.rows = Dim::Unknown;
    }
    if ty.cols == cols {
        ty.cols = Dim::Unknown;
    }
    ty
}

fn is_sized(ty: &Type) -> bool {
    ty.rows != Dim::Unknown && ty.cols != Dim::Unknown
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
