//! Control flow: conditions, branches, loops to a fixpoint, and statements that cannot be read.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::ordmap::DiffItem;
use sumac_syntax::ast::{Arg, Block, Expr, Ident, Literal, LoopRange, Stmt, StmtKind};
use sumac_syntax::lex::words;
use sumac_text::TextRange;

use crate::analyzer::{Analyzer, Env, Var};
use crate::block::Builder;
use crate::names::{self, Names};
use crate::result::{Severity, codes};
use crate::value::{ValueInfo, ValueKind};

/// Loops nested deeper start from "anything assigned inside is unknown" instead of walking to a fixpoint.
const MAX_FIXPOINT_NESTING: usize = 3;

impl Analyzer<'_> {
    /// A condition is a block of its own. Gives its value where that is known or assumed before the script runs.
    pub(crate) fn condition(&mut self, exprs: &[&Expr]) -> Option<Outcome> {
        let mut value = None;
        for expr in exprs {
            self.parts.clear();
            let info = self.eval_part(expr).info;
            value = info.number().map(|n| Outcome {
                holds: n != 0.0,
                is_assumed: info.is_assumed,
            });
            let mut reads = Names::new();
            names::for_each_read(expr, &mut |ident| {
                reads.insert(ident.name.clone());
            });
            self.draft(expr.range, reads, Vec::new(), None);
        }
        self.flush();
        value
    }

    /// One branch; where its condition rules it out, sizes in it need not fit, and where nothing is known of it, they may never
    /// have to.
    fn branch(&mut self, block: &Block, is_taken: Option<bool>) {
        let outer = (self.in_dead_branch, self.may_not_run);
        self.in_dead_branch |= is_taken == Some(false);
        self.may_not_run |= is_taken.is_none();
        self.in_body(block);
        (self.in_dead_branch, self.may_not_run) = outer;
    }

    /// The body of a compound statement.
    fn in_body(&mut self, block: &Block) {
        self.bodies += 1;
        self.list(&block.statements);
        self.bodies -= 1;
    }

    pub(crate) fn compound(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let taken = self.condition(&[cond]);
                let before = self.env.clone();
                let is_taken = |branch| match taken {
                    Some(outcome) if outcome.holds != branch => Some(false),
                    Some(outcome) if !outcome.is_assumed => Some(true),
                    _ => None,
                };
                self.branch(then, is_taken(true));
                let after_then = std::mem::replace(&mut self.env, before);
                if let Some(block) = otherwise {
                    self.branch(block, is_taken(false));
                }
                self.check_branches(stmt, &after_then);
                self.env = match taken {
                    None => join(&after_then, &self.env, false),
                    Some(outcome) => {
                        let (taken, other) = if outcome.holds {
                            (&after_then, &self.env)
                        } else {
                            (&self.env, &after_then)
                        };
                        if outcome.is_assumed {
                            likely(taken, other)
                        } else {
                            with_definitions(taken, other)
                        }
                    }
                };
            }
            StmtKind::While { cond, body } => {
                self.repeat(stmt, body, &mut |this, body| {
                    let runs = this.condition(&[cond]);
                    let runs = runs.filter(|outcome| outcome.holds && !outcome.is_assumed);
                    this.branch(body, runs.map(|_| true));
                });
            }
            StmtKind::For {
                parallel,
                var,
                range,
                options,
                body,
            } => {
                let info = self.loop_head(range, options);
                if *parallel {
                    self.check_parfor((var, range, options.as_slice()), body);
                }
                self.repeat(stmt, body, &mut |this, body| {
                    this.assign(var, info.clone(), None);
                    this.block = Builder::default();
                    this.define(var, false);
                    this.in_body(body);
                });
            }
            StmtKind::Source {
                path: Some(path),
                alias: Some(alias),
            } => self.check_source(path, alias),
            StmtKind::Error => self.unreadable_statement(stmt.range),
            _ => {}
        }
    }

    /// A sourced file may lie elsewhere when SystemDS runs in another folder: it is no error if it is not found.
    fn check_source(&mut self, path: &Literal, alias: &Ident) {
        let sourced = self.world.sourced(&alias.name);
        if sourced.is_some_and(|s| s.is_missing && s.literal == path.value) {
            let message = format!(
                "`{}` is found neither beside the script nor in a folder above it; calls of `{}::…` are not checked",
                path.value, alias.name
            );
            self.report(Severity::Warning, codes::MISSING_FILE, path.range, message);
        }
    }

    /// What stands in parentheses behind `for`; gives what is known of the loop variable.
    fn loop_head(&mut self, range: &LoopRange, options: &[Arg]) -> ValueInfo {
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
        for value in names::option_exprs(options) {
            self.eval_part(value);
        }
        if let (Some(first), Some(last)) = (exprs.first(), exprs.last()) {
            self.draft(first.range.cover(last.range), reads, Vec::new(), None);
        }
        self.flush();
        ValueInfo::of(kind)
    }

    /// A loop: to a fixpoint, then once for the record.
    fn repeat(&mut self, stmt: &Stmt, body: &Block, walk: &mut dyn FnMut(&mut Self, &Block)) {
        self.loop_depth += 1;
        let writes = names::all_writes(&body.statements);
        let recording = std::mem::replace(&mut self.recording, false);
        if self.loop_depth > MAX_FIXPOINT_NESTING {
            self.forget(&writes);
        } else {
            for round in 0.. {
                let head = self.env.clone();
                walk(self, body);
                if round == 0 && recording {
                    self.check_loop(stmt, &head);
                }
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
        if self.recording {
            let head = self.env.clone();
            walk(self, body);
            self.env = join(&head, &self.env, false);
        }
        self.loop_depth -= 1;
    }

    /// Forgets everything but the kind of what may have changed.
    pub(crate) fn forget(&mut self, names: &Names) {
        for name in names {
            let var = self.env.entry(name.clone()).or_insert_with(|| {
                Arc::new(Var {
                    info: ValueInfo::unknown(),
                    defs: BTreeSet::new(),
                })
            });
            let var = Arc::make_mut(var);
            var.info = var.info.forget();
        }
    }

    /// A statement that cannot be read probably assigns what stands before its `=`.
    fn unreadable_statement(&mut self, range: TextRange) {
        let text = self.slice(range);
        let Some(at) = text.find(['=', '<']) else {
            return;
        };
        let Some(name) = words(&text[..at]).next() else {
            return;
        };
        self.forget(&[Arc::from(name)].into());
    }
}

/// What is known of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Outcome {
    /// Whether it holds.
    holds: bool,
    /// Whether a run with other arguments, or over other data, may decide otherwise.
    is_assumed: bool,
}

/// What arrives where both paths are possible and one of them is assumed.
fn likely(taken: &Env, other: &Env) -> Env {
    merge(taken, other, |var, other| {
        var.info = var.info.likely(&other.info);
        var.meet(other);
    })
}

/// What arrives from the path that is taken. The other one's definitions stay reachable for navigation.
fn with_definitions(taken: &Env, other: &Env) -> Env {
    merge(taken, other, Var::meet)
}

/// What arrives where two paths meet.
fn join(a: &Env, b: &Env, widen: bool) -> Env {
    merge(a, b, |var, other| {
        var.info = var.info.join(&other.info, widen);
        var.meet(other);
    })
}

/// All variables of both; where they differ in one, `change` says what becomes of it.
fn merge(a: &Env, b: &Env, mut change: impl FnMut(&mut Var, &Var)) -> Env {
    let mut merged = a.clone();
    for difference in a.diff(b) {
        match difference {
            DiffItem::Add(name, var) => {
                merged.insert(Arc::clone(name), Arc::clone(var));
            }
            DiffItem::Update {
                old: (name, var),
                new: (_, other),
            } => {
                let mut var = Var::clone(var);
                change(&mut var, other);
                merged.insert(Arc::clone(name), Arc::new(var));
            }
            DiffItem::Remove(..) => {}
        }
    }
    merged
}
