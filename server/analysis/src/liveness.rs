//! Which variables are read later: live variables, backwards through the statements.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_syntax::ast::{Program, Stmt, StmtKind};
use sumac_text::TextRange;

use crate::names::{self, Names};

/// Nesting beyond this is not followed; everything that is read inside counts as live.
const MAX_DEPTH: usize = 100;

/// The variables that are live after a statement, for statements at the end of a block.
pub(crate) struct Liveness {
    after: BTreeMap<TextRange, Arc<Names>>,
}

impl Liveness {
    /// For a whole program. At its end nothing is live; at a function's end its results are.
    pub(crate) fn of(program: &Program, text: &str) -> Self {
        Liveness::behind(program, text, Names::new())
    }

    /// For statements behind which this is live.
    pub(crate) fn behind(program: &Program, text: &str, live: Names) -> Self {
        let mut pass = Pass {
            text,
            loops_give: false,
            after: BTreeMap::new(),
        };
        pass.list(&program.statements, live, 0);
        let mut stack: Vec<&Stmt> = program.statements.iter().collect();
        while let Some(stmt) = stack.pop() {
            if let StmtKind::Function(f) = &stmt.kind
                && let Some(body) = &f.body
            {
                let results = f.results.iter().map(|r| r.name.name.clone()).collect();
                pass.list(&body.statements, results, 0);
            }
            stack.extend(
                names::bodies(stmt)
                    .into_iter()
                    .flat_map(|body| &body.statements),
            );
        }
        Liveness { after: pass.after }
    }

    /// Whether `name` is live after the block that ends with the statement at `range`.
    pub(crate) fn is_live(&self, range: TextRange, name: &str) -> bool {
        self.after
            .get(&range)
            .is_some_and(|names| names.contains(name))
    }
}

/// What is read later on both sides of statements, whatever that is behind them: their own reads, and all that they do not
/// surely give another value.
#[derive(Debug)]
pub(crate) struct Reach {
    /// What they read before they give it a value.
    pub(crate) reads: Names,
    /// What they give a value before anything reads it.
    pub(crate) gives: Names,
}

impl Reach {
    /// As [`Liveness`] has it, or without the variables of `for` loops that are read in the loop alone: what a reader is told
    /// to be unused is decided by the former, what is needed to understand the statements by the latter.
    pub(crate) fn of(program: &Program, text: &str, loops_give: bool) -> Self {
        let mut pass = Pass {
            text,
            loops_give,
            after: BTreeMap::new(),
        };
        let reads = pass.list(&program.statements, Names::new(), 0);
        // What is live before statements is their own reads and those of the others that they do not write.
        let written = names::all_writes(&program.statements);
        let left = pass.list(&program.statements, written.clone(), 0);
        Reach {
            reads,
            gives: written.difference(&left).cloned().collect(),
        }
    }
}

/// Whether a statement stands in a block together with its neighbours.
pub(crate) fn is_simple(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Assign { .. } | StmtKind::MultiAssign { .. } | StmtKind::Expr(_)
    )
}

/// Blocks are cut here, so that what is kept for each statement cannot grow with the square of the script.
pub(crate) const MAX_BLOCK: usize = 500;

/// The positions after which a block ends in a list of statements. Behind what a syntax error damages nothing sees through its
/// values, so that a block ends there.
pub(crate) fn block_ends(statements: &[Stmt]) -> Vec<bool> {
    let mut length = 0;
    let mut ends = vec![false; statements.len()];
    for (i, stmt) in statements.iter().enumerate() {
        length = if is_simple(stmt) { length + 1 } else { 0 };
        let next_joins = statements.get(i + 1).is_some_and(is_simple) && length < MAX_BLOCK;
        ends[i] = !is_simple(stmt) || !next_joins || stmt.is_damaged;
        if ends[i] {
            length = 0;
        }
    }
    ends
}

struct Pass<'a> {
    text: &'a str,
    /// Whether the head of a `for` gives its variable a value for the body.
    loops_give: bool,
    after: BTreeMap<TextRange, Arc<Names>>,
}

impl Pass<'_> {
    /// What is live before `statements`, given what is live after them.
    fn list(&mut self, statements: &[Stmt], mut live: Names, depth: usize) -> Names {
        let ends = block_ends(statements);
        for (stmt, ends) in statements.iter().zip(ends).rev() {
            if ends && is_simple(stmt) {
                self.after.insert(stmt.range, Arc::new(live.clone()));
            }
            live = self.stmt(stmt, live, depth);
        }
        live
    }

    fn stmt(&mut self, stmt: &Stmt, mut live: Names, depth: usize) -> Names {
        let reads = names::reads(stmt, self.text);
        if depth > MAX_DEPTH {
            live.extend(reads);
            return live;
        }
        match &stmt.kind {
            StmtKind::If {
                then, otherwise, ..
            } => {
                let mut before = self.list(&then.statements, live.clone(), depth + 1);
                before.extend(match otherwise {
                    Some(block) => self.list(&block.statements, live, depth + 1),
                    None => live,
                });
                before.extend(reads);
                before
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => {
                // Each round of a `for` begins with another value of its variable.
                let var = match &stmt.kind {
                    StmtKind::For { var, .. } if self.loops_give => Some(&var.name),
                    _ => None,
                };
                let in_round = |mut names: Names| {
                    if let Some(var) = var {
                        names.remove(var);
                    }
                    names
                };
                live.extend(reads);
                // What an iteration reads is live at the end of the one before. Everything that the body
                // mentions is a safe start that needs no second round; its own first reads are exact.
                let once = if depth < 8 {
                    self.list(&body.statements, live.clone(), depth + 1)
                } else {
                    all_reads(&body.statements, self.text)
                };
                live.extend(in_round(once));
                let again = self.list(&body.statements, live.clone(), depth + 1);
                live.extend(in_round(again));
                live
            }
            StmtKind::Function(_) => live,
            _ => {
                for ident in names::writes(stmt) {
                    live.remove(&ident.name);
                }
                live.extend(reads);
                live
            }
        }
    }
}

fn all_reads(statements: &[Stmt], text: &str) -> Names {
    let mut found = Names::new();
    let mut stack: Vec<&Stmt> = statements.iter().collect();
    while let Some(stmt) = stack.pop() {
        found.extend(names::reads(stmt, text));
        stack.extend(
            names::bodies(stmt)
                .into_iter()
                .flat_map(|body| &body.statements),
        );
    }
    found
}
