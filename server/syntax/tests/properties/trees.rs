//! Syntax trees that no text was read for: expressions and statements of every kind, to be printed and read back.

use proptest::prelude::*;
use sumac_syntax::ast::{
    Arg, AssignOp, BinaryOp, Block, Call, Expr, ExprKind, Ident, Index, Literal, LoopRange, Span,
    Stmt, StmtKind, Target, UnaryOp,
};
use sumac_text::TextRange;

fn name(word: &str) -> Ident {
    Ident {
        range: TextRange::default(),
        name: word.into(),
    }
}

fn expr(kind: ExprKind) -> Expr {
    Expr {
        range: TextRange::default(),
        kind,
    }
}

const OPS: &[BinaryOp] = &[
    BinaryOp::Pow,
    BinaryOp::MatMul,
    BinaryOp::Mod,
    BinaryOp::IntDiv,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::And,
    BinaryOp::Or,
];

/// Any expression.
pub fn any_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        prop::sample::select(&["x", "Y", "n_1"][..]).prop_map(|word| ExprKind::Name(name(word))),
        (0..i64::MAX).prop_map(ExprKind::Int),
        any::<f64>()
            .prop_filter("finite", |x| x.is_finite())
            .prop_map(|x| ExprKind::Double(x.abs())),
        any::<bool>().prop_map(ExprKind::Bool),
        // Backslashes come in pairs, but for one whose fellow went into an escape, and no letter follows that they would bind.
        prop::collection::vec("[acdeg-mo-qsu-z\"'\n\t#é]|\\\\\\\\|\\\\[\n\t]", 0..6).prop_map(
            |parts| {
                ExprKind::Str(Literal {
                    range: TextRange::default(),
                    value: parts.concat().into(),
                })
            }
        ),
        Just(ExprKind::Arg(name("k"))),
    ]
    .prop_map(expr);
    leaf.prop_recursive(6, 48, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let span = prop_oneof![
            Just(Span::All),
            boxed.clone().prop_map(Span::At),
            (boxed.clone(), boxed.clone()).prop_map(|(a, b)| Span::Range(Some(a), Some(b))),
        ];
        prop_oneof![
            4 => (prop::sample::select(OPS), boxed.clone(), boxed.clone())
                .prop_map(|(op, a, b)| ExprKind::Binary(op, a, b)),
            2 => (prop::sample::select(&[UnaryOp::Neg, UnaryOp::Plus, UnaryOp::Not][..]), boxed.clone())
                .prop_map(|(op, a)| ExprKind::Unary(op, a)),
            1 => (prop::collection::vec((any::<bool>(), inner.clone()), 0..3), any::<bool>()).prop_map(|(args, qualified)| {
                let args = args.into_iter().map(|(named, value)| Arg { name: named.then(|| name("k")), value }).collect();
                let namespace = qualified.then(|| name("ns"));
                ExprKind::Call(Call { namespace, name: name("f"), args, parens: TextRange::default() })
            }),
            1 => (span.clone(), prop::option::of(span)).prop_map(|(rows, cols)| {
                let index = Index { range: TextRange::default(), rows, cols };
                ExprKind::Index(Box::new(expr(ExprKind::Name(name("X")))), index)
            }),
            1 => prop::collection::vec(inner, 1..3).prop_map(ExprKind::List),
        ]
        .prop_map(expr)
    })
}

/// Any statement.
pub fn any_stmt() -> impl Strategy<Value = Stmt> {
    let target = || Target {
        range: TextRange::default(),
        name: name("y"),
        index: None,
    };
    let stmt = |kind| Stmt {
        range: TextRange::default(),
        kind,
        is_damaged: false,
    };
    let simple = (any_expr(), any::<bool>()).prop_map(move |(value, add)| {
        let op = if add {
            AssignOp::Accumulate
        } else {
            AssignOp::Set
        };
        stmt(StmtKind::Assign {
            target: target(),
            op,
            value,
        })
    });
    simple.prop_recursive(3, 12, 3, move |inner| {
        let block = prop::collection::vec(inner, 0..3).prop_map(|statements| Block {
            range: TextRange { start: 1, end: 2 },
            statements,
        });
        prop_oneof![
            (any_expr(), block.clone(), prop::option::of(block.clone())).prop_map(
                |(cond, then, otherwise)| StmtKind::If {
                    cond,
                    then,
                    otherwise
                }
            ),
            (any_expr(), block.clone()).prop_map(|(cond, body)| StmtKind::While { cond, body }),
            (any_expr(), any_expr(), any::<bool>(), block).prop_map(|(a, b, parallel, body)| {
                StmtKind::For {
                    parallel,
                    var: name("i"),
                    range: LoopRange::FromTo(a, b),
                    options: Vec::new(),
                    body,
                }
            }),
        ]
        .prop_map(stmt)
    })
}
