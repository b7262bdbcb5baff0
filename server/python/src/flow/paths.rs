//! Branches, loops, attempts: where ways part and join.
//!
//! Must never let what holds on one way only be known where they have joined.

use std::sync::Arc;

use sumac_text::TextRange;

use super::Flow;
use super::assign::element;
use crate::doubts;
use crate::env::{Binding, Env};
use crate::parse::{ExceptHandler, Expr, Stmt, place};
use crate::scope::bound_names;

/// So often a loop is read ahead until what holds before it holds after it.
const MOST_ROUNDS: usize = 3;

/// In more loops than these nothing is tried: what they bind is unknown.
const MOST_LOOPS: usize = 3;

impl Flow<'_> {
    /// A statement with a body.
    pub(super) fn ways(&mut self, statement: &Stmt) {
        let start = place(statement).start;
        match statement {
            Stmt::If(of) => {
                let mut ends = Vec::new();
                self.header(&of.test, start);
                self.doubt(&of.test, &of.body);
                let before = self.env.clone();
                self.learn(&of.test, true, "check", place(&*of.test));
                self.block(&of.body);
                ends.push(std::mem::replace(&mut self.env, before));
                self.learn(&of.test, false, "check", place(&*of.test));
                for clause in &of.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.header(test, place(clause).start);
                        self.doubt(test, &clause.body);
                        let before = self.env.clone();
                        self.learn(test, true, "check", place(test));
                        self.block(&clause.body);
                        ends.push(std::mem::replace(&mut self.env, before));
                        self.learn(test, false, "check", place(test));
                    } else {
                        self.block(&clause.body);
                    }
                }
                for end in ends.iter().rev() {
                    self.env = end.join(&self.env);
                }
            }
            Stmt::For(of) => {
                self.header(&of.iter, start);
                self.around(statement, &of.body, &mut |flow| {
                    let mark = flow.dry;
                    flow.dry += 1;
                    let seen = flow.expr(&of.iter, true, place(&*of.iter));
                    flow.dry = mark;
                    let elements = element(&flow.env, &of.iter, &seen);
                    flow.targets(&of.target, &elements, place(&*of.target));
                    flow.block(&of.body);
                });
                self.block(&of.orelse);
            }
            Stmt::While(of) => {
                self.around(statement, &of.body, &mut |flow| {
                    flow.header(&of.test, start);
                    flow.doubt(&of.test, &of.body);
                    flow.block(&of.body);
                });
                self.block(&of.orelse);
            }
            Stmt::With(of) => {
                let mut may_swallow = false;
                for item in &of.items {
                    self.header(&item.context_expr, start);
                    let range = place(&item.context_expr);
                    let text = self
                        .file
                        .text
                        .get(range.start..range.end)
                        .unwrap_or_default();
                    may_swallow |= text.contains("suppress") || text.contains("raises");
                    if let Some(target) = &item.optional_vars {
                        self.give(target, Binding::Unknown, "propagated", range);
                    }
                }
                let (before, mark) = (self.env.clone(), self.log.len());
                self.guarded += usize::from(may_swallow);
                self.block(&of.body);
                self.guarded -= usize::from(may_swallow);
                if may_swallow {
                    self.env = self.interrupted(before, mark).join(&self.env);
                }
            }
            Stmt::Try(of) => {
                self.env.forget_places();
                let (before, mark) = (self.env.clone(), self.log.len());
                let is_guarded = usize::from(!of.handlers.is_empty());
                self.guarded += is_guarded;
                self.block(&of.body);
                self.guarded -= is_guarded;
                let mut interrupted = self.interrupted(before, mark);
                if !of.handlers.is_empty() {
                    // Where reading a shape may fail, it may be no array of that shape.
                    for name in doubts::read_in(&of.body) {
                        forget(&mut interrupted, &name);
                    }
                }
                self.block(&of.orelse);
                let mut end = std::mem::take(&mut self.env);
                for handler in &of.handlers {
                    let ExceptHandler::ExceptHandler(handler) = handler;
                    self.env = interrupted.clone();
                    if let Some(kind) = &handler.type_ {
                        self.header(kind, place(handler).start);
                    }
                    if let Some(name) = &handler.name {
                        self.bind(name, Binding::Unknown);
                    }
                    self.block(&handler.body);
                    if let Some(name) = &handler.name {
                        self.bind(name, Binding::Unknown);
                    }
                    end = end.join(&self.env);
                }
                self.env = end;
                if !of.finalbody.is_empty() {
                    // It also runs after an error anywhere above.
                    let is_dead = self.env.is_dead;
                    let late = self.interrupted(interrupted, mark);
                    self.env = late.join(&self.env);
                    self.block(&of.finalbody);
                    self.env.is_dead |= is_dead;
                }
            }
            Stmt::Match(of) => {
                self.header(&of.subject, start);
                let before = self.env.clone();
                let mut end = before.clone();
                for case in &of.cases {
                    self.env = before.clone();
                    let names = crate::scope::bound_by_pattern(&case.pattern);
                    for name in names {
                        self.bind(&name, Binding::Unknown);
                    }
                    if let Some(guard) = &case.guard {
                        self.header(guard, place(case).start);
                    }
                    self.block(&case.body);
                    end = end.join(&self.env);
                }
                self.env = end;
            }
            _ => {}
        }
    }

    /// Forgets the variables of which a test asks what they are, unless what it finds is an error.
    fn doubt(&mut self, test: &Expr, body: &[Stmt]) {
        if matches!(body, [.., Stmt::Raise(_)]) {
            return;
        }
        for name in doubts::asked_of(test) {
            forget(&mut self.env, &name);
        }
    }

    /// An expression before a body.
    fn header(&mut self, expr: &Expr, start: usize) {
        let range = place(expr);
        let statement = TextRange::new(start.min(range.start), range.end);
        if self.file.is_broken(statement) {
            return;
        }
        self.expr(expr, true, statement);
    }

    fn targets(&mut self, target: &Expr, elements: &[Binding], range: TextRange) {
        match (target, elements) {
            (Expr::Name(name), [one]) => self.bind(&name.id, one.clone()),
            (Expr::Tuple(tuple), elements) if tuple.elts.len() == elements.len() => {
                for (target, element) in tuple.elts.iter().zip(elements) {
                    self.targets(target, std::slice::from_ref(element), range);
                }
            }
            _ => self.give(target, Binding::Unknown, "propagated", range),
        }
    }

    /// What holds where a part was left at any place: each name has the value from before, or one of those it was given.
    fn interrupted(&self, mut before: Env, mark: usize) -> Env {
        for (name, binding) in self.log.get(mark..).unwrap_or_default() {
            let known = before.get(name).unwrap_or(Binding::Unknown);
            let either = before.either(&known, binding);
            before.set(name, either);
        }
        before
    }

    /// A loop: its body is read ahead until what holds before a round holds after it.
    fn around(&mut self, statement: &Stmt, body: &[Stmt], round: &mut dyn FnMut(&mut Self)) {
        let assigned: Vec<Arc<str>> = bound_names(std::slice::from_ref(statement))
            .into_keys()
            .collect();
        self.env.forget_places();
        let mut entry = self.env.clone();
        // A name that has no value before has none that always holds.
        for name in &assigned {
            if entry.get(name).is_none() {
                entry.set(name, Binding::Unknown);
            }
        }
        let is_deep = self.loops >= MOST_LOOPS;
        let all_unknown = |entry: &mut Env| {
            for name in &assigned {
                entry.set(name, Binding::Unknown);
            }
        };
        self.loops += 1;
        if is_deep {
            all_unknown(&mut entry);
        } else if has_known(&entry, &assigned) && !body.is_empty() {
            let mut is_stable = false;
            for _ in 0..MOST_ROUNDS {
                let (sizes, mark) = (self.sizes.clone(), self.log.len());
                self.env = entry.clone();
                self.dry += 1;
                round(self);
                self.dry -= 1;
                let next = self.interrupted(entry.clone(), mark);
                self.sizes = sizes;
                self.log.truncate(mark);
                is_stable = assigned
                    .iter()
                    .all(|name| next.get(name) == entry.get(name));
                if is_stable {
                    break;
                }
                for name in &assigned {
                    entry.set(name, next.get(name).unwrap_or(Binding::Unknown));
                }
            }
            if !is_stable {
                all_unknown(&mut entry);
            }
        }
        let mark = self.log.len();
        self.env = entry.clone();
        round(self);
        self.loops -= 1;
        // It may also be left in the middle, or not be entered at all.
        let left = self.interrupted(entry, mark);
        self.env = left.join(&self.env);
    }
}

/// Ends what is known of a variable, or of an attribute.
fn forget(env: &mut Env, name: &str) {
    if name.contains('.') {
        env.set_place(name, None, false);
    } else if env
        .get(name)
        .is_some_and(|known| matches!(known, Binding::Value(_)))
    {
        env.set(name, Binding::Unknown);
    }
}

/// Whether anything is known of one of these names.
fn has_known(env: &Env, names: &[Arc<str>]) -> bool {
    names
        .iter()
        .any(|name| !matches!(env.get(name), None | Some(Binding::Unknown)))
}
