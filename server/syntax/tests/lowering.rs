//! What well-formed statements become.

use expect_test::{Expect, expect};
use sumac_syntax::ast::{Arg, BinaryOp, Expr, ExprKind, LoopRange, Span, StmtKind, UnaryOp};
use sumac_syntax::{parse, parse_expression};

fn statements(text: &str) -> Vec<StmtKind> {
    let parse = parse(text);
    assert_eq!(parse.errors(), [], "{text}");
    parse
        .program()
        .statements
        .iter()
        .map(|stmt| stmt.kind.clone())
        .collect()
}

/// With parentheses around every operation.
fn grouped(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Binary(op, a, b) => format!(
            "({} {} {})",
            grouped(a),
            op.sign_and_strength().0,
            grouped(b)
        ),
        ExprKind::Unary(op, a) => {
            let sign = match op {
                UnaryOp::Neg => "-",
                UnaryOp::Plus => "+",
                UnaryOp::Not => "!",
            };
            format!("({sign}{})", grouped(a))
        }
        _ => sumac_syntax::print::print_expr(expr),
    }
}

fn check(text: &str, expect: &Expect) {
    let (expr, errors) = parse_expression(text);
    assert_eq!(errors, [], "{text}");
    expect.assert_eq(&grouped(&expr.expect("an expression")));
}

#[test]
fn operators_bind_as_in_systemds() {
    check("-x^2", &expect!["(-(x ^ 2))"]);
    check("a^b^c", &expect!["(a ^ (b ^ c))"]);
    check("2^-x %*% y", &expect!["((2 ^ (-x)) %*% y)"]);
    check("-A %*% B", &expect!["((-A) %*% B)"]);
    check("a * b %% c %*% d", &expect!["(a * (b %% (c %*% d)))"]);
    check("a - b - c * d / e", &expect!["((a - b) - ((c * d) / e))"]);
    check(
        "!a == b & c || d && e",
        &expect!["(((!(a == b)) & c) | (d & e))"],
    );
    check("a == !b == c", &expect!["(a == (!(b == c)))"]);
    check("a < b + 1", &expect!["(a < (b + 1))"]);
}

#[test]
fn a_newline_ends_nothing() {
    let [StmtKind::Assign { value, .. }] = &statements("a = b\n-c\n")[..] else {
        panic!("one statement")
    };
    assert!(matches!(value.kind, ExprKind::Binary(BinaryOp::Sub, ..)));
    let [StmtKind::Assign { value, .. }] = &statements("a = f(b);;\n-c\n")[..] else {
        panic!("one statement")
    };
    assert!(matches!(value.kind, ExprKind::Binary(BinaryOp::Sub, ..)));
    assert!(matches!(
        statements("a = b\n[c, d] = f()")[..],
        [StmtKind::Assign { .. }, StmtKind::MultiAssign { .. }]
    ));
    let [StmtKind::Assign { value, .. }] = &statements("a = b\n[c, d]")[..] else {
        panic!("one statement")
    };
    assert!(matches!(value.kind, ExprKind::Index(..)));
}

#[test]
fn literals_have_their_values() {
    let value = |text: &str| parse_expression(text).0.expect("an expression").kind;
    assert_eq!(value("12L"), ExprKind::Int(12));
    assert_eq!(value("1e-6"), ExprKind::Double(1e-6));
    assert_eq!(
        (value("1."), value(".5")),
        (ExprKind::Double(1.0), ExprKind::Double(0.5))
    );
    let ExprKind::Str(text) = value(r#"'a\n\'b\\ # "c'"#) else {
        panic!("a string")
    };
    // As in SystemDS: a backslash that escapes no other character stays, both of two.
    assert_eq!(&*text.value, "a\n'b\\\\ # \"c");
    let ExprKind::Str(text) = value(r#""\\n\\\"x\\""#) else {
        panic!("a string")
    };
    assert_eq!(&*text.value, "\\\n\\\\\"x\\\\");
    let ExprKind::Arg(name) = value("$1") else {
        panic!("an argument")
    };
    assert_eq!(&*name.name, "1");
}

#[test]
fn indexing_keeps_what_was_written() {
    let ExprKind::Index(_, index) = parse_expression("X[i, 2:n]").0.expect("an expression").kind
    else {
        panic!("index")
    };
    assert!(matches!(
        (index.rows, index.cols),
        (Span::At(_), Some(Span::Range(Some(_), Some(_))))
    ));
    let ExprKind::Index(_, index) = parse_expression("X[, j]").0.expect("an expression").kind
    else {
        panic!("index")
    };
    assert!(matches!(
        (index.rows, index.cols),
        (Span::All, Some(Span::At(_)))
    ));
    let ExprKind::Index(_, index) = parse_expression("L[1]").0.expect("an expression").kind else {
        panic!("index")
    };
    assert!(matches!((index.rows, index.cols), (Span::At(_), None)));
}

#[test]
fn control_flow_has_its_parts() {
    let text =
        "parfor (i in 1:n, check = 0, par = 4) { X[i,] = i }\nfor (j in seq(1, 9, 2)) print(j);";
    let [
        StmtKind::For {
            parallel: true,
            var,
            range: LoopRange::FromTo(..),
            options,
            body,
        },
        second,
    ] = &statements(text)[..]
    else {
        panic!("two loops");
    };
    assert_eq!(
        (&*var.name, options.len(), body.statements.len()),
        ("i", 2, 1)
    );
    assert!(matches!(
        second,
        StmtKind::For {
            parallel: false,
            range: LoopRange::Over(_),
            ..
        }
    ));

    let text = "if (a) b = 1; else if (c) { d = 2 } else e = 3";
    let [
        StmtKind::If {
            otherwise: Some(otherwise),
            ..
        },
    ] = &statements(text)[..]
    else {
        panic!("one if")
    };
    let [inner] = &otherwise.statements[..] else {
        panic!("an else if")
    };
    assert_eq!(&text[inner.range], "if (c) { d = 2 } else e = 3");
}

#[test]
fn functions_have_types_defaults_and_results() {
    let text = "f = function(Matrix[Double] X, Integer k = 1) return (Matrix[ Double ] Y, Double z) { Y = X; z = k }
g = externalFunction(Double a) return (Double b) implemented in (classname=\"x\")
source(\"lib.dml\") as lib
setwd('dir')
[Y, z] = lib::f(X, k=2)
w = ifdef($w, 3)";
    let found = statements(text);
    let StmtKind::Function(function) = &found[0] else {
        panic!("a function")
    };
    let types: Vec<_> = function
        .params
        .iter()
        .chain(&function.results)
        .map(|p| p.ty.as_ref().map(|ty| ty.name.to_string()))
        .collect();
    assert_eq!(
        types,
        ["Matrix[Double]", "Integer", "Matrix[Double]", "Double"].map(|ty| Some(ty.to_owned()))
    );
    assert!(function.params[1].default.is_some() && function.body.is_some());
    assert!(
        matches!(&found[1], StmtKind::Function(external) if external.body.is_none()
        && matches!(&external.options[..], [Arg { name: Some(name), value }]
            if &*name.name == "classname" && matches!(&value.kind, ExprKind::Str(text) if &*text.value == "x")))
    );
    assert!(
        matches!(&found[2], StmtKind::Source { path: Some(path), alias: Some(alias) }
        if &*path.value == "lib.dml" && &*alias.name == "lib")
    );
    assert!(matches!(&found[3], StmtKind::SetWd { path: Some(path) } if &*path.value == "dir"));
    let StmtKind::MultiAssign { targets, value } = &found[4] else {
        panic!("several targets")
    };
    let ExprKind::Call(call) = &value.kind else {
        panic!("a call")
    };
    assert_eq!(
        (targets.len(), call.namespace.as_ref().map(|ns| &*ns.name)),
        (2, Some("lib"))
    );
    assert_eq!(&text[call.parens], "(X, k=2)");
    let StmtKind::Assign { value, .. } = &found[5] else {
        panic!("an assignment")
    };
    assert!(
        matches!(&value.kind, ExprKind::Call(call) if &*call.name.name == "ifdef" && call.args.len() == 2)
    );
}

#[test]
fn ranges_leave_semicolons_and_comments_out() {
    let text = "x = f(a); # c\nif (x) { y = 1; }\nz = g(b;);;\n";
    assert!(
        !parse(text).errors().is_empty(),
        "a semicolon stands only behind a call"
    );
    let text = "x = f(a); # c\nif (x) y = 1; # d\nz = g(h(b););;\n";
    let parse = parse(text);
    assert_eq!(parse.errors(), []);
    let ranges: Vec<_> = parse
        .program()
        .statements
        .iter()
        .map(|stmt| &text[stmt.range])
        .collect();
    assert_eq!(ranges, ["x = f(a)", "if (x) y = 1", "z = g(h(b);)"]);
}

#[test]
fn facts_stand_in_the_order_of_the_text() {
    let text = "#@ X: 10 x 20\n# no fact\nif (a) {\n  #@ off\n  b = '#@ off'\n}\n#@ nonsense here\r\ny = \n#@ n = 3";
    let parse = parse(text);
    let facts: Vec<_> = parse
        .program()
        .facts
        .iter()
        .map(|fact| &text[fact.range])
        .collect();
    assert_eq!(
        facts,
        ["#@ X: 10 x 20", "#@ off", "#@ nonsense here", "#@ n = 3"]
    );
}

#[test]
fn a_parse_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone + 'static>(_: &T) {}
    shared(&parse(""));
}
