//! The same tree in another place: every range of a statement, to be changed. Nothing but ranges changes here.

use sumac_text::TextRange;

use crate::ast::{
    Arg, Block, Expr, ExprKind, Fact, FactKind, FunctionDef, Ident, Index, Literal, LoopRange,
    Param, Size, Span, Stmt, StmtKind, Target,
};

/// Changes every range of a statement, those inside it included.
pub fn map_stmt(stmt: &mut Stmt, f: &dyn Fn(&mut TextRange)) {
    f(&mut stmt.range);
    match &mut stmt.kind {
        StmtKind::Assign { target, value, .. } => {
            in_target(target, f);
            map_expr(value, f);
        }
        StmtKind::MultiAssign { targets, value } => {
            for target in targets {
                in_target(target, f);
            }
            map_expr(value, f);
        }
        StmtKind::Expr(expr) => map_expr(expr, f),
        StmtKind::If {
            cond,
            then,
            otherwise,
        } => {
            map_expr(cond, f);
            block(then, f);
            if let Some(otherwise) = otherwise {
                block(otherwise, f);
            }
        }
        StmtKind::While { cond, body } => {
            map_expr(cond, f);
            block(body, f);
        }
        StmtKind::For {
            var,
            range,
            options,
            body,
            ..
        } => {
            f(&mut var.range);
            match range {
                LoopRange::FromTo(from, to) => {
                    map_expr(from, f);
                    map_expr(to, f);
                }
                LoopRange::Over(over) => map_expr(over, f),
            }
            args(options, f);
            block(body, f);
        }
        StmtKind::Function(function) => in_function(function, f),
        StmtKind::Source { path, alias } => {
            literal(path, f);
            ident(alias, f);
        }
        StmtKind::SetWd { path } => literal(path, f),
        StmtKind::Error => {}
    }
}

/// Changes every range of an expression, those inside it included.
pub fn map_expr(expr: &mut Expr, f: &dyn Fn(&mut TextRange)) {
    f(&mut expr.range);
    match &mut expr.kind {
        ExprKind::Unary(_, inner) | ExprKind::Paren(inner) => map_expr(inner, f),
        ExprKind::Binary(_, left, right) => {
            map_expr(left, f);
            map_expr(right, f);
        }
        ExprKind::Call(call) => {
            ident(&mut call.namespace, f);
            f(&mut call.name.range);
            args(&mut call.args, f);
            f(&mut call.parens);
        }
        ExprKind::Index(operand, index) => {
            map_expr(operand, f);
            in_index(index, f);
        }
        ExprKind::List(elements) => {
            for element in elements {
                map_expr(element, f);
            }
        }
        ExprKind::Str(literal) => f(&mut literal.range),
        ExprKind::Name(ident) | ExprKind::Arg(ident) => f(&mut ident.range),
        ExprKind::Missing | ExprKind::Int(_) | ExprKind::Double(_) | ExprKind::Bool(_) => {}
    }
}

/// Changes every range of a `#@` line.
pub fn map_fact(fact: &mut Fact, f: &dyn Fn(&mut TextRange)) {
    f(&mut fact.range);
    match &mut fact.kind {
        FactKind::Size {
            name,
            rows,
            cols,
            sparsity,
        } => {
            f(&mut name.range);
            for size in [rows, cols] {
                match size {
                    Size::Number(_, range) | Size::Unknown(range) => f(range),
                    Size::Name(ident) => f(&mut ident.range),
                }
            }
            if let Some((_, range)) = sparsity {
                f(range);
            }
        }
        FactKind::Bind { name, value } => {
            f(&mut name.range);
            f(&mut value.1);
        }
        FactKind::Arg { name, value } => {
            f(&mut name.range);
            map_expr(value, f);
        }
        FactKind::Assert { lhs, rhs } => {
            map_expr(lhs, f);
            map_expr(rhs, f);
        }
        FactKind::Sketch { name } => f(&mut name.range),
        FactKind::Allow { codes, .. } => codes.iter_mut().for_each(|code| f(&mut code.range)),
        FactKind::Invalid { at, .. } => f(at),
        FactKind::Off | FactKind::SketchLine => {}
    }
}

fn in_function(function: &mut FunctionDef, f: &dyn Fn(&mut TextRange)) {
    f(&mut function.name.range);
    for param in function.params.iter_mut().chain(&mut function.results) {
        in_param(param, f);
    }
    args(&mut function.options, f);
    if let Some(body) = &mut function.body {
        block(body, f);
    }
}

fn in_param(param: &mut Param, f: &dyn Fn(&mut TextRange)) {
    f(&mut param.range);
    ident(&mut param.ty, f);
    f(&mut param.name.range);
    if let Some(default) = &mut param.default {
        map_expr(default, f);
    }
}

fn block(block: &mut Block, f: &dyn Fn(&mut TextRange)) {
    f(&mut block.range);
    for stmt in &mut block.statements {
        map_stmt(stmt, f);
    }
}

fn args(args: &mut [Arg], f: &dyn Fn(&mut TextRange)) {
    for arg in args {
        ident(&mut arg.name, f);
        map_expr(&mut arg.value, f);
    }
}

fn ident(ident: &mut Option<Ident>, f: &dyn Fn(&mut TextRange)) {
    if let Some(ident) = ident {
        f(&mut ident.range);
    }
}

fn literal(literal: &mut Option<Literal>, f: &dyn Fn(&mut TextRange)) {
    if let Some(literal) = literal {
        f(&mut literal.range);
    }
}

fn in_target(target: &mut Target, f: &dyn Fn(&mut TextRange)) {
    f(&mut target.range);
    f(&mut target.name.range);
    if let Some(index) = &mut target.index {
        in_index(index, f);
    }
}

fn in_index(index: &mut Index, f: &dyn Fn(&mut TextRange)) {
    f(&mut index.range);
    for span in std::iter::once(&mut index.rows).chain(&mut index.cols) {
        match span {
            Span::All => {}
            Span::At(at) => map_expr(at, f),
            Span::Range(from, to) => {
                for end in from.iter_mut().chain(to) {
                    map_expr(end, f);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"#@ X: 3 x n, sparsity 0.5
#@ n = 4
#@ $k = -2
#@ assert t(X) == X
#@ allow unused-value
source("a.dml") as ns
setwd("b")
f = function(Matrix[Double] A, Integer k = 1) return (Double s) { s = sum(A[1:k, ]) }
parfor (i in 1:3, check = 0) { X[i, ] = ns::g(X, k = $k) }
while (!(a < 1)) { if (b) [p, q] = h("x") else z += [1, TRUE] }
"#;

    /// Moved by as many bytes as a prefix has, a tree equals the one that is parsed behind the prefix.
    #[test]
    fn a_moved_tree_is_the_tree_of_the_moved_text() {
        let prefix = "        ";
        let mut program = (**crate::parse(TEXT).program()).clone();
        let shift = |range: &mut TextRange| {
            range.start += prefix.len();
            range.end += prefix.len();
        };
        for stmt in &mut program.statements {
            map_stmt(stmt, &shift);
        }
        for fact in &mut program.facts {
            map_fact(fact, &shift);
        }
        let expected = crate::parse(format!("{prefix}{TEXT}"));
        assert!(expected.errors().is_empty(), "{:?}", expected.errors());
        assert_eq!(program, **expected.program());
    }
}
