//! Which variables may have a value at a place.
//!
//! A variable may be defined by a statement before the place, in whatever branch; by a later statement of a loop
//! around it; not by the other branch of the same `if`. A function sees its parameters and its own variables only.

use std::collections::BTreeMap;

use sumac_syntax::ast::{Block, FunctionDef, Ident, Program, Stmt, StmtKind};
use sumac_text::TextRange;

/// A variable that may have a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local<'a> {
    /// Its last definition before the place, or in a loop around it.
    pub(super) definition: &'a Ident,
    /// The function whose parameter or result it is.
    pub(super) parameter_of: Option<&'a FunctionDef>,
}

/// The variables that may have a value at `offset`, by name.
pub(super) fn locals<'a>(
    program: &'a Program,
    text: &str,
    offset: usize,
) -> BTreeMap<&'a str, Local<'a>> {
    let mut scope = Scope {
        text,
        offset,
        found: BTreeMap::new(),
        function: None,
    };
    scope.list(&program.statements);
    scope.found
}

struct Scope<'a, 't> {
    text: &'t str,
    offset: usize,
    found: BTreeMap<&'a str, Local<'a>>,
    function: Option<&'a FunctionDef>,
}

impl<'a> Scope<'a, '_> {
    fn define(&mut self, definition: &'a Ident) {
        let function = self.function;
        let is_own = |function: &&FunctionDef| {
            let mut all = function.params.iter().chain(&function.results);
            all.any(|param| param.name.name == definition.name)
        };
        let parameter_of = function.filter(is_own);
        let local = Local {
            definition,
            parameter_of,
        };
        if !definition.name.is_empty() {
            self.found.insert(&definition.name, local);
        }
    }

    fn list(&mut self, statements: &'a [Stmt]) {
        for stmt in statements {
            if stmt.range.start >= self.offset {
                return;
            }
            if self.is_around(stmt) {
                self.enter(stmt);
            } else {
                self.pass(stmt);
            }
        }
    }

    /// Whether the place belongs to the statement: inside, or behind it in its line with nothing between.
    fn is_around(&self, stmt: &Stmt) -> bool {
        if self.offset <= stmt.range.end {
            // Behind a closing brace the statement is over.
            return self.offset < stmt.range.end || !self.text[stmt.range].ends_with('}');
        }
        let gap = self
            .text
            .get(stmt.range.end..self.offset)
            .unwrap_or_default();
        let is_simple = !self.text[stmt.range].ends_with('}');
        is_simple && gap.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// The place stands in the statement.
    fn enter(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::If {
                then, otherwise, ..
            } => match otherwise {
                Some(otherwise) if self.offset >= otherwise.range.start => {
                    self.list(&otherwise.statements);
                }
                _ if self.offset >= then.range.start => self.list(&then.statements),
                _ => {}
            },
            StmtKind::While { body, .. } => self.loop_body(body),
            StmtKind::For { var, body, .. } => {
                if self.offset >= body.range.start {
                    self.define(var);
                }
                self.loop_body(body);
            }
            StmtKind::Function(function) => {
                self.found.clear();
                self.function = Some(function);
                let Some(body) = &function.body else { return };
                if self.offset < body.range.start {
                    return;
                }
                for param in function.params.iter().chain(&function.results) {
                    self.define(&param.name);
                }
                self.list(&body.statements);
            }
            // What a statement assigns has no value in it yet.
            _ => {}
        }
    }

    /// What a later statement of the body assigns is there in the next round.
    fn loop_body(&mut self, body: &'a Block) {
        if self.offset < body.range.start {
            return;
        }
        for stmt in &body.statements {
            self.pass(stmt);
        }
        self.list(&body.statements);
    }

    /// The statement has been executed, perhaps.
    fn pass(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, .. } => self.define(&target.name),
            StmtKind::MultiAssign { targets, .. } => {
                for target in targets {
                    self.define(&target.name);
                }
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                for stmt in &then.statements {
                    self.pass(stmt);
                }
                for stmt in otherwise.iter().flat_map(|block| &block.statements) {
                    self.pass(stmt);
                }
            }
            StmtKind::While { body, .. } => {
                for stmt in &body.statements {
                    self.pass(stmt);
                }
            }
            StmtKind::For { var, body, .. } => {
                self.define(var);
                for stmt in &body.statements {
                    self.pass(stmt);
                }
            }
            _ => {}
        }
    }
}

/// The place of a local's definition, by which the analysis knows it.
impl Local<'_> {
    pub(super) fn range(&self) -> TextRange {
        self.definition.range
    }
}
