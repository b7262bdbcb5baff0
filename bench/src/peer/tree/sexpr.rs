//! Our typed tree as an S-expression, in the form that `java/DumpTrees.java` prints SystemDS's in.

use std::fmt::Write;

use sumac_syntax::ast::{
    Arg, AssignOp, Block, Call, Expr, ExprKind, Index, Literal, LoopRange, Param, Span, Stmt,
    StmtKind, Target, UnaryOp,
};

/// A statement.
pub(super) fn statement(statement: &Stmt) -> String {
    match &statement.kind {
        StmtKind::Assign { target, op, value } => {
            let sign = match op {
                AssignOp::Set => "=",
                AssignOp::Accumulate => "+=",
            };
            list([sign.to_owned(), self::target(target), expr(value)])
        }
        StmtKind::MultiAssign { targets, value } => {
            let targets = all("targets", targets, target);
            list(["=".to_owned(), targets, expr(value)])
        }
        StmtKind::Expr(value) => list(["do".to_owned(), expr(value)]),
        StmtKind::If {
            cond,
            then,
            otherwise,
        } => {
            let mut parts = vec!["if".to_owned(), expr(cond), block(then)];
            parts.extend(otherwise.as_ref().map(block));
            list(parts)
        }
        StmtKind::While { cond, body } => list(["while".to_owned(), expr(cond), block(body)]),
        StmtKind::For {
            parallel,
            var,
            range,
            options,
            body,
        } => list([
            if *parallel { "parfor" } else { "for" }.to_owned(),
            var.name.to_string(),
            match range {
                LoopRange::FromTo(from, to) => list([":".to_owned(), expr(from), expr(to)]),
                LoopRange::Over(value) => expr(value),
            },
            all("options", options, arg),
            block(body),
        ]),
        StmtKind::Function(function) => {
            let head = match &function.body {
                Some(_) => "function",
                None => "external",
            };
            list([
                head.to_owned(),
                function.name.name.to_string(),
                all("parameters", &function.params, param),
                all("results", &function.results, param),
                match &function.body {
                    Some(body) => block(body),
                    None => all("options", &function.options, arg),
                },
            ])
        }
        StmtKind::Source { path, alias } => list([
            "source".to_owned(),
            path.as_ref().map_or_else(String::new, literal),
            alias
                .as_ref()
                .map_or_else(String::new, |alias| alias.name.to_string()),
        ]),
        StmtKind::SetWd { path } => list([
            "setwd".to_owned(),
            path.as_ref().map_or_else(String::new, literal),
        ]),
        StmtKind::Error => "(unreadable)".to_owned(),
    }
}

fn block(block: &Block) -> String {
    all("block", &block.statements, statement)
}

fn param(param: &Param) -> String {
    let ty = param.ty.as_ref().map_or("", |ty| &*ty.name);
    let mut parts = vec![ty.to_owned(), param.name.name.to_string()];
    parts.extend(param.default.as_ref().map(expr));
    list(parts)
}

fn target(target: &Target) -> String {
    match &target.index {
        Some(index) => indexed(target.name.name.to_string(), index),
        None => target.name.name.to_string(),
    }
}

fn indexed(operand: String, index: &Index) -> String {
    let mut parts = vec!["index".to_owned(), operand, span(&index.rows)];
    parts.extend(index.cols.as_ref().map(span));
    list(parts)
}

fn span(span: &Span) -> String {
    match span {
        Span::All => "_".to_owned(),
        Span::At(value) => expr(value),
        Span::Range(from, to) => {
            let end = |end: &Option<Box<Expr>>| end.as_deref().map_or_else(String::new, expr);
            list([":".to_owned(), end(from), end(to)])
        }
    }
}

fn expr(value: &Expr) -> String {
    match &value.kind {
        ExprKind::Missing => "(missing)".to_owned(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Double(value) => format!("double:{:x}", value.to_bits()),
        ExprKind::Bool(true) => "TRUE".to_owned(),
        ExprKind::Bool(false) => "FALSE".to_owned(),
        ExprKind::Str(text) => literal(text),
        ExprKind::Name(name) => name.name.to_string(),
        ExprKind::Arg(name) => format!("${}", name.name),
        ExprKind::Unary(op, operand) => {
            let sign = match op {
                UnaryOp::Neg => "-",
                UnaryOp::Plus => "+",
                UnaryOp::Not => "!",
            };
            list(["unary".to_owned(), sign.to_owned(), expr(operand)])
        }
        ExprKind::Binary(op, left, right) => {
            list([op.sign_and_strength().0.to_owned(), expr(left), expr(right)])
        }
        ExprKind::Call(call) => self::call(call),
        ExprKind::Index(operand, index) => indexed(expr(operand), index),
        ExprKind::Paren(inner) => list(["parentheses".to_owned(), expr(inner)]),
        ExprKind::List(elements) => all("list", elements, expr),
    }
}

fn call(call: &Call) -> String {
    let name = match &call.namespace {
        Some(namespace) => format!("call {}::{}", namespace.name, call.name.name),
        None => format!("call {}", call.name.name),
    };
    all(&name, &call.args, arg)
}

fn arg(arg: &Arg) -> String {
    match &arg.name {
        Some(name) => list(["=".to_owned(), name.name.to_string(), expr(&arg.value)]),
        None => expr(&arg.value),
    }
}

/// A text with what would break a line written as a code.
fn literal(literal: &Literal) -> String {
    let mut text = "\"".to_owned();
    for c in literal.value.chars() {
        if c < ' ' || c == '"' || c == '\\' {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\{:02x}", c as u32);
        } else {
            text.push(c);
        }
    }
    text + "\""
}

fn list(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    format!("({})", parts.join(" "))
}

fn all<T>(head: &str, items: &[T], print: impl Fn(&T) -> String) -> String {
    list(std::iter::once(head.to_owned()).chain(items.iter().map(print)))
}

#[cfg(test)]
mod tests {
    fn check(script: &str, tree: &str) {
        let parse = sumac_syntax::parse(script);
        assert_eq!(super::statement(&parse.program().statements[0]), tree);
    }

    #[test]
    fn every_part_of_a_statement_shows() {
        check(
            "y[1:n, ] = -a^2 %*% b + 'x\"'",
            r#"(= (index y (: 1 n) _) (+ (%*% (unary - (^ a 2)) b) "x\22"))"#,
        );
        check(
            "if (a > 1) [b, c] = n::f(k=1.5) else parfor (i in 1:2, check=0) print(i)",
            "(if (> a 1) (block (= (targets b c) (call n::f (= k double:3ff8000000000000)))) \
             (block (parfor i (: 1 2) (options (= check 0)) (block (do (call print i))))))",
        );
        check(
            "f = externalFunction(Integer a) return (matrix [ double ] b) implemented in (classname='c')",
            r#"(external f (parameters (Integer a)) (results (matrix[double] b)) (options (= classname "c")))"#,
        );
    }
}
