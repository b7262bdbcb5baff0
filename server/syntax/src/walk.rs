//! Ways through an AST in the order of its text, and from a place in the text to what stands there.

use sumac_text::TextRange;

use crate::ast::{
    Arg, Block, Expr, ExprKind, Index, LoopRange, Program, Span, Stmt, StmtKind, Target,
};

/// What a walk meets.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A statement, before what is inside it.
    Stmt(&'a Stmt),
    /// An expression, before what is inside it.
    Expr(&'a Expr),
}

/// Visits every statement and expression of a script, outer ones before inner ones, in the order of the text.
pub fn walk<'a>(program: &'a Program, visit: &mut dyn FnMut(Node<'a>)) {
    statements(&program.statements, visit);
}

/// Visits a statement and everything inside it.
pub fn walk_stmt<'a>(stmt: &'a Stmt, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Stmt(stmt));
    match &stmt.kind {
        StmtKind::Assign { target, value, .. } => {
            in_target(target, visit);
            walk_expr(value, visit);
        }
        StmtKind::MultiAssign { targets, value } => {
            for target in targets {
                in_target(target, visit);
            }
            walk_expr(value, visit);
        }
        StmtKind::Expr(expr) => walk_expr(expr, visit),
        StmtKind::If {
            cond,
            then,
            otherwise,
        } => {
            walk_expr(cond, visit);
            block(then, visit);
            if let Some(otherwise) = otherwise {
                block(otherwise, visit);
            }
        }
        StmtKind::While { cond, body } => {
            walk_expr(cond, visit);
            block(body, visit);
        }
        StmtKind::For {
            range,
            options,
            body,
            ..
        } => {
            match range {
                LoopRange::FromTo(from, to) => {
                    walk_expr(from, visit);
                    walk_expr(to, visit);
                }
                LoopRange::Over(over) => walk_expr(over, visit),
            }
            args(options, visit);
            block(body, visit);
        }
        StmtKind::Function(function) => {
            for param in function.params.iter().chain(&function.results) {
                if let Some(default) = &param.default {
                    walk_expr(default, visit);
                }
            }
            if let Some(body) = &function.body {
                block(body, visit);
            }
            args(&function.options, visit);
        }
        StmtKind::Source { .. } | StmtKind::SetWd { .. } | StmtKind::Error => {}
    }
}

/// Visits an expression and everything inside it.
pub fn walk_expr<'a>(expr: &'a Expr, visit: &mut dyn FnMut(Node<'a>)) {
    visit(Node::Expr(expr));
    match &expr.kind {
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => walk_expr(inner, visit),
        ExprKind::Binary(_, left, right) => {
            walk_expr(left, visit);
            walk_expr(right, visit);
        }
        ExprKind::Call(call) => args(&call.args, visit),
        ExprKind::Index(operand, index) => {
            walk_expr(operand, visit);
            in_index(index, visit);
        }
        ExprKind::List(elements) => {
            for element in elements {
                walk_expr(element, visit);
            }
        }
        ExprKind::Missing
        | ExprKind::Int(_)
        | ExprKind::Double(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::Arg(_) => {}
    }
}

/// The statement of exactly this range among `list` and what is inside them.
#[must_use]
pub fn stmt_of(list: &[Stmt], range: TextRange) -> Option<&Stmt> {
    let holder = list.iter().find(|stmt| stmt.range.contains(range))?;
    if holder.range == range {
        return Some(holder);
    }
    let bodies = match &holder.kind {
        StmtKind::If {
            then, otherwise, ..
        } => [Some(then), otherwise.as_ref()],
        StmtKind::While { body, .. } | StmtKind::For { body, .. } => [Some(body), None],
        StmtKind::Function(function) => [function.body.as_ref(), None],
        _ => [None, None],
    };
    let mut bodies = bodies.into_iter().flatten();
    bodies.find_map(|body| stmt_of(&body.statements, range))
}

/// The innermost statement that a cursor at `offset` touches. Between two that touch it, the one that starts there.
#[must_use]
pub fn stmt_at(program: &Program, offset: usize) -> Option<&Stmt> {
    let mut found = None;
    walk(program, &mut |node| {
        if let Node::Stmt(stmt) = node
            && stmt.range.touches(offset)
        {
            found = Some(stmt);
        }
    });
    found
}

/// The innermost expression that a cursor at `offset` touches. Between two that touch it, the one that starts there.
#[must_use]
pub fn expr_at(program: &Program, offset: usize) -> Option<&Expr> {
    let mut found: Option<&Expr> = None;
    walk(program, &mut |node| {
        if let Node::Expr(expr) = node
            && expr.range.touches(offset)
        {
            found = Some(expr);
        }
    });
    found
}

fn statements<'a>(list: &'a [Stmt], visit: &mut dyn FnMut(Node<'a>)) {
    for stmt in list {
        walk_stmt(stmt, visit);
    }
}

fn block<'a>(block: &'a Block, visit: &mut dyn FnMut(Node<'a>)) {
    statements(&block.statements, visit);
}

fn args<'a>(args: &'a [Arg], visit: &mut dyn FnMut(Node<'a>)) {
    for arg in args {
        walk_expr(&arg.value, visit);
    }
}

fn in_target<'a>(target: &'a Target, visit: &mut dyn FnMut(Node<'a>)) {
    if let Some(index) = &target.index {
        in_index(index, visit);
    }
}

fn in_index<'a>(index: &'a Index, visit: &mut dyn FnMut(Node<'a>)) {
    for span in std::iter::once(&index.rows).chain(&index.cols) {
        match span {
            Span::All => {}
            Span::At(at) => walk_expr(at, visit),
            Span::Range(from, to) => {
                for end in from.iter().chain(to) {
                    walk_expr(end, visit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "f = function(Double a = 1) return (Double b) { b[i, 2:a] = g(a, k = -c) }\nif (x > 0) y = [p, (q)] else z += 1";

    #[test]
    fn a_walk_meets_everything_in_the_order_of_the_text() {
        let parse = crate::parse(TEXT);
        let mut met = Vec::new();
        walk(parse.program(), &mut |node| {
            if let Node::Expr(expr) = node {
                met.push(&TEXT[expr.range]);
            }
        });
        let expected = [
            "1",
            "i",
            "2",
            "a",
            "g(a, k = -c)",
            "a",
            "-c",
            "c",
            "x > 0",
            "x",
            "0",
            "[p, (q)]",
            "p",
            "(q)",
            "q",
            "1",
        ];
        assert_eq!(met, expected);
    }

    #[test]
    fn the_innermost_node_at_a_place_is_found() {
        let parse = crate::parse(TEXT);
        let at = |needle: &str| TEXT.find(needle).expect("in the text");
        let expr = |offset| expr_at(parse.program(), offset).map(|expr| &TEXT[expr.range]);
        assert_eq!(expr(at("c)")), Some("c"));
        assert_eq!(expr(at("> 0")), Some("x > 0"));
        assert_eq!(expr(at("function")), None);
        let stmt = stmt_at(parse.program(), at("z +=")).map(|stmt| &TEXT[stmt.range]);
        assert_eq!(stmt, Some("z += 1"));
    }

    #[test]
    fn a_statement_is_found_by_its_range() {
        let parse = crate::parse(TEXT);
        let program = parse.program();
        let mut count = 0;
        walk(program, &mut |node| {
            if let Node::Stmt(stmt) = node {
                let found = stmt_of(&program.statements, stmt.range).expect("it is there");
                assert_eq!(found.range, stmt.range);
                count += 1;
            }
        });
        assert_eq!(count, 5);
        assert!(stmt_of(&program.statements, TextRange::new(0, 1)).is_none());
    }
}
