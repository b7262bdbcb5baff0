//! Which variables somebody may still read behind a statement.
//!
//! Whatever is not certain counts as read: a name that text may hold, an assignment that may not happen, a loop that
//! may not run. What is computed for a statement holds for every way on from it. Nothing here looks at values.

use std::collections::HashMap;
use std::sync::Arc;

use sumac_syntax::ast::{
    Arg, AssignOp, Block, Call, Expr, ExprKind, Index, LoopRange, Span, Stmt, StmtKind, Target,
};

/// Names as bits.
type Names = Vec<u64>;

fn add(names: &mut Names, more: &[u64]) {
    for (word, more) in names.iter_mut().zip(more) {
        *word |= more;
    }
}

/// What is read behind the assignments of a body: of the script itself, or of a function.
#[derive(Debug, Default)]
pub(super) struct Liveness {
    places: HashMap<Arc<str>, usize>,
    /// By the offset of the statement.
    behind: HashMap<usize, Names>,
}

impl Liveness {
    /// Of a body at whose end somebody reads `results`, or every variable if there are none. `gives_value` says whether a call
    /// surely has a result.
    pub(super) fn of(
        statements: &[Stmt],
        results: Option<&[Arc<str>]>,
        gives_value: &dyn Fn(&Call) -> bool,
    ) -> Liveness {
        let mut places = HashMap::new();
        let mut reads_by_name = false;
        let mut found = |found: Found<'_>| match found {
            Found::Name(name) => {
                let next = places.len();
                places.entry(name.clone()).or_insert(next);
            }
            Found::ReadsByName => reads_by_name = true,
        };
        block_names(statements, &mut found);
        for name in results.unwrap_or_default() {
            found(Found::Name(name));
        }
        if reads_by_name {
            return Liveness::default();
        }
        let mut walk = Walk {
            places: &places,
            words: places.len().div_ceil(64),
            heads: HashMap::new(),
            behind: HashMap::new(),
            gives_value,
        };
        let mut end = walk.none();
        match results {
            Some(results) => results
                .iter()
                .for_each(|name| walk.set(&mut end, name, true)),
            None => end.fill(u64::MAX),
        }
        walk.block(statements, end, true);
        let behind = walk.behind;
        Liveness { places, behind }
    }

    /// Whether somebody may read the variable behind the statement.
    pub(super) fn is_read_behind(&self, statement: &Stmt, name: &str) -> bool {
        let known = self
            .places
            .get(name)
            .zip(self.behind.get(&statement.range.start));
        known.is_none_or(|(place, names)| names[place / 64] >> (place % 64) & 1 == 1)
    }
}

struct Walk<'a> {
    places: &'a HashMap<Arc<str>, usize>,
    words: usize,
    /// What loops read of what is there before them, by their offset: nested loops are walked once for each level no more.
    heads: HashMap<usize, Names>,
    behind: HashMap<usize, Names>,
    gives_value: &'a dyn Fn(&Call) -> bool,
}

impl Walk<'_> {
    fn none(&self) -> Names {
        vec![0; self.words]
    }

    fn set(&self, names: &mut Names, name: &str, is_read: bool) {
        let Some(place) = self.places.get(name) else {
            return;
        };
        let bit = 1 << (place % 64);
        if is_read {
            names[place / 64] |= bit;
        } else {
            names[place / 64] &= !bit;
        }
    }

    fn reads(&self, names: &mut Names, expr: &Expr) {
        expr_names(expr, &mut |found| {
            if let Found::Name(name) = found {
                self.set(names, name, true);
            }
        });
    }

    /// What is read before the statements, where `behind` is read behind them.
    fn block(&mut self, statements: &[Stmt], mut behind: Names, is_kept: bool) -> Names {
        for statement in statements.iter().rev() {
            behind = self.statement(statement, behind, is_kept);
        }
        behind
    }

    fn statement(&mut self, statement: &Stmt, mut names: Names, is_kept: bool) -> Names {
        match &statement.kind {
            StmtKind::Assign { target, op, value } => {
                if is_kept {
                    self.behind.insert(statement.range.start, names.clone());
                }
                let is_certain = match &value.kind {
                    ExprKind::Call(call) => (self.gives_value)(call),
                    _ => true,
                };
                if is_certain && target.index.is_none() {
                    self.set(&mut names, &target.name.name, false);
                }
                if *op == AssignOp::Accumulate {
                    self.set(&mut names, &target.name.name, true);
                }
                self.target(&mut names, target);
                self.reads(&mut names, value);
            }
            StmtKind::MultiAssign { targets, value } => {
                for target in targets {
                    if target.index.is_none() {
                        self.set(&mut names, &target.name.name, false);
                    }
                }
                for target in targets {
                    self.target(&mut names, target);
                }
                self.reads(&mut names, value);
            }
            StmtKind::Expr(value) => self.reads(&mut names, value),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                let other = otherwise.as_ref().map_or_else(
                    || names.clone(),
                    |block| self.block(&block.statements, names.clone(), is_kept),
                );
                names = self.block(&then.statements, names, is_kept);
                add(&mut names, &other);
                self.reads(&mut names, cond);
            }
            StmtKind::While { cond, body } => {
                self.reads(&mut names, cond);
                names = self.repeated(statement, body, names, is_kept);
            }
            StmtKind::For {
                parallel,
                range,
                options,
                body,
                ..
            } => {
                if *parallel {
                    // What an iteration assigns becomes part of the results.
                    assigned(&body.statements, &mut |name| {
                        self.set(&mut names, name, true);
                    });
                }
                names = self.repeated(statement, body, names, is_kept);
                match range {
                    LoopRange::FromTo(from, to) => {
                        self.reads(&mut names, from);
                        self.reads(&mut names, to);
                    }
                    LoopRange::Over(over) => self.reads(&mut names, over),
                }
                for option in options {
                    self.reads(&mut names, &option.value);
                }
            }
            StmtKind::Function(_)
            | StmtKind::Source { .. }
            | StmtKind::SetWd { .. }
            | StmtKind::Error => {}
        }
        names
    }

    /// Cells that are put into a matrix leave the others as they are.
    fn target(&self, names: &mut Names, target: &Target) {
        if let Some(index) = &target.index {
            self.set(names, &target.name.name, true);
            index_names(index, &mut |found| {
                if let Found::Name(name) = found {
                    self.set(names, name, true);
                }
            });
        }
    }

    /// What is read before each iteration and behind the last: what is read behind the loop, and what an iteration reads of
    /// what was there before it.
    fn repeated(&mut self, of: &Stmt, body: &Block, mut names: Names, is_kept: bool) -> Names {
        let head = match self.heads.get(&of.range.start) {
            Some(head) => head.clone(),
            None => {
                let head = self.block(&body.statements, self.none(), false);
                self.heads.insert(of.range.start, head.clone());
                head
            }
        };
        add(&mut names, &head);
        if is_kept {
            self.block(&body.statements, names.clone(), true);
        }
        names
    }
}

/// What is found in an expression.
enum Found<'a> {
    /// A variable.
    Name(&'a Arc<str>),
    /// A call that looks a variable up by text.
    ReadsByName,
}

type Look<'l> = dyn FnMut(Found<'_>) + 'l;

fn expr_names(expr: &Expr, found: &mut Look<'_>) {
    match &expr.kind {
        ExprKind::Name(name) => found(Found::Name(&name.name)),
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => expr_names(inner, found),
        ExprKind::Binary(_, a, b) => {
            expr_names(a, found);
            expr_names(b, found);
        }
        ExprKind::Call(call) => {
            if call.namespace.is_none() && &*call.name.name == "exists" {
                found(Found::ReadsByName);
            }
            args_names(&call.args, found);
        }
        ExprKind::Index(base, index) => {
            expr_names(base, found);
            index_names(index, found);
        }
        ExprKind::List(items) => items.iter().for_each(|item| expr_names(item, found)),
        ExprKind::Missing
        | ExprKind::Int(_)
        | ExprKind::Double(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Arg(_) => {}
    }
}

fn args_names(args: &[Arg], found: &mut Look<'_>) {
    args.iter().for_each(|arg| expr_names(&arg.value, found));
}

fn index_names(index: &Index, found: &mut Look<'_>) {
    for span in [Some(&index.rows), index.cols.as_ref()]
        .into_iter()
        .flatten()
    {
        match span {
            Span::All => {}
            Span::At(at) => expr_names(at, found),
            Span::Range(low, high) => {
                for end in [low, high].into_iter().flatten() {
                    expr_names(end, found);
                }
            }
        }
    }
}

/// All names of statements, those that are only assigned among them.
fn block_names(statements: &[Stmt], found: &mut Look<'_>) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Assign { target, value, .. } => {
                found(Found::Name(&target.name.name));
                if let Some(index) = &target.index {
                    index_names(index, found);
                }
                expr_names(value, found);
            }
            StmtKind::MultiAssign { targets, value } => {
                for target in targets {
                    found(Found::Name(&target.name.name));
                    if let Some(index) = &target.index {
                        index_names(index, found);
                    }
                }
                expr_names(value, found);
            }
            StmtKind::Expr(value) => expr_names(value, found),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                expr_names(cond, found);
                block_names(&then.statements, found);
                if let Some(block) = otherwise {
                    block_names(&block.statements, found);
                }
            }
            StmtKind::While { cond, body } => {
                expr_names(cond, found);
                block_names(&body.statements, found);
            }
            StmtKind::For {
                var,
                range,
                options,
                body,
                ..
            } => {
                found(Found::Name(&var.name));
                match range {
                    LoopRange::FromTo(from, to) => {
                        expr_names(from, found);
                        expr_names(to, found);
                    }
                    LoopRange::Over(over) => expr_names(over, found),
                }
                args_names(options, found);
                block_names(&body.statements, found);
            }
            StmtKind::Function(_)
            | StmtKind::Source { .. }
            | StmtKind::SetWd { .. }
            | StmtKind::Error => {}
        }
    }
}

/// The variables that statements give a value to.
fn assigned(statements: &[Stmt], found: &mut dyn FnMut(&Arc<str>)) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Assign { target, .. } => found(&target.name.name),
            StmtKind::MultiAssign { targets, .. } => {
                targets.iter().for_each(|target| found(&target.name.name));
            }
            StmtKind::If {
                then, otherwise, ..
            } => {
                assigned(&then.statements, found);
                if let Some(block) = otherwise {
                    assigned(&block.statements, found);
                }
            }
            StmtKind::While { body, .. } => assigned(&body.statements, found),
            StmtKind::For { var, body, .. } => {
                found(&var.name);
                assigned(&body.statements, found);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that are read behind each assignment, a line for each, in the order of the text.
    #[track_caller]
    fn check(text: &str, results: Option<&[&str]>, expected: &str) {
        let parsed = sumac_syntax::parse(text);
        assert!(parsed.errors().is_empty(), "{:?}", parsed.errors());
        let statements = &parsed.program().statements;
        let results: Option<Vec<Arc<str>>> =
            results.map(|names| names.iter().map(|name| (*name).into()).collect());
        let gives_value = |call: &Call| &*call.name.name != "f";
        let live = Liveness::of(statements, results.as_deref(), &gives_value);
        let mut offsets: Vec<&usize> = live.behind.keys().collect();
        offsets.sort();
        let line = |offset: &usize| {
            let names = &live.behind[offset];
            let is_read = |place: usize| names[place / 64] >> (place % 64) & 1 == 1;
            let mut read: Vec<&str> = live
                .places
                .iter()
                .filter(|(_, place)| is_read(**place))
                .map(|(name, _)| &**name)
                .collect();
            read.sort_unstable();
            read.join(" ")
        };
        let lines: Vec<String> = offsets.into_iter().map(line).collect();
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn what_is_assigned_again_before_it_is_read_is_dead() {
        check(
            "a = 1\nb = a\na = 2\nc = a + b",
            Some(&["c"]),
            "a\nb\na b\nc",
        );
        check("a = 1\na = 2", None, "\na");
        check("a = 1\na = 2", Some(&[]), "\n");
    }

    #[test]
    fn sums_and_cells_that_are_put_in_need_the_old_value() {
        check("a = 1\na += 2\na[1, 1] = 3", Some(&["a"]), "a\na\na");
        check("a = 1\n[a, b] = eigen(X)", Some(&["a"]), "X");
    }

    #[test]
    fn a_call_that_may_give_nothing_leaves_the_old_value() {
        check("a = 1\na = f()", Some(&["a"]), "a\na");
        check("a = 1\na = sum(X)", Some(&["a"]), "X\na");
    }

    #[test]
    fn branches_read_what_one_of_them_reads() {
        check(
            "a = 1\nb = 2\nif (c) { a = 3 } else { b = 4 }",
            Some(&["a", "b"]),
            "a c\na b c\na b\na b",
        );
        check("a = 1\nif (c) { a = 3 }", Some(&["a"]), "a c\na");
    }

    #[test]
    fn a_loop_reads_what_its_next_iteration_reads() {
        check(
            "while (c) { q = X\nh = h + q\nc = c - 1 }",
            Some(&["h"]),
            "X c h q\nX c h\nX c h",
        );
        // The loop may not run, so what was there before may be what is left.
        check(
            "q = 0\nfor (i in 1:n) { q = X }",
            Some(&["q"]),
            "X n q\nX q",
        );
        check(
            "for (i in 1:n) { for (j in 1:m) { q = X\nr = q + p\np = r } }",
            Some(&["r"]),
            "X m p q\nX m r\nX m p r",
        );
    }

    #[test]
    fn parallel_iterations_keep_what_they_assign() {
        check(
            "parfor (i in 1:n) { q = X\nR[i, 1] = sum(q) }",
            Some(&["R"]),
            "R X i q\nR X i q",
        );
    }

    #[test]
    fn names_in_text_make_everything_live() {
        let parsed = sumac_syntax::parse("a = 1\na = 2\nb = exists(\"a\")");
        let statements = &parsed.program().statements;
        let live = Liveness::of(statements, Some(&[]), &|_| true);
        assert!(live.is_read_behind(&statements[0], "a"));
        assert!(live.is_read_behind(&statements[2], "b"));
    }
}
