//! A statement as it is when it stands elsewhere in the text. Nothing but places changes.

use std::sync::Arc;

use sumac_text::TextRange;

use crate::ast::{
    Arg, Block, Call, Expr, ExprKind, FunctionDef, Ident, Index, Literal, LoopRange, Param, Span,
    Stmt, StmtKind, Target,
};

/// What can stand `by` bytes further on.
pub(crate) trait Moved {
    /// A copy with every place moved.
    fn moved(&self, by: usize) -> Self;
}

impl Moved for TextRange {
    fn moved(&self, by: usize) -> Self {
        TextRange::moved(*self, by)
    }
}

impl<T: Moved> Moved for Vec<T> {
    fn moved(&self, by: usize) -> Self {
        self.iter().map(|item| item.moved(by)).collect()
    }
}

impl<T: Moved> Moved for Option<T> {
    fn moved(&self, by: usize) -> Self {
        self.as_ref().map(|item| item.moved(by))
    }
}

impl<T: Moved> Moved for Box<T> {
    fn moved(&self, by: usize) -> Self {
        Box::new((**self).moved(by))
    }
}

impl Moved for Ident {
    fn moved(&self, by: usize) -> Self {
        Ident {
            range: self.range.moved(by),
            name: Arc::clone(&self.name),
        }
    }
}

impl Moved for Literal {
    fn moved(&self, by: usize) -> Self {
        Literal {
            range: self.range.moved(by),
            value: Arc::clone(&self.value),
        }
    }
}

impl Moved for Stmt {
    fn moved(&self, by: usize) -> Self {
        Stmt {
            range: self.range.moved(by),
            kind: self.kind.moved(by),
            is_damaged: self.is_damaged,
        }
    }
}

impl Moved for StmtKind {
    fn moved(&self, by: usize) -> Self {
        match self {
            StmtKind::Assign { target, op, value } => StmtKind::Assign {
                target: target.moved(by),
                op: *op,
                value: value.moved(by),
            },
            StmtKind::MultiAssign { targets, value } => StmtKind::MultiAssign {
                targets: targets.moved(by),
                value: value.moved(by),
            },
            StmtKind::Expr(value) => StmtKind::Expr(value.moved(by)),
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => StmtKind::If {
                cond: cond.moved(by),
                then: then.moved(by),
                otherwise: otherwise.moved(by),
            },
            StmtKind::While { cond, body } => StmtKind::While {
                cond: cond.moved(by),
                body: body.moved(by),
            },
            StmtKind::For {
                parallel,
                var,
                range,
                options,
                body,
            } => StmtKind::For {
                parallel: *parallel,
                var: var.moved(by),
                range: range.moved(by),
                options: options.moved(by),
                body: body.moved(by),
            },
            StmtKind::Function(function) => StmtKind::Function(function.moved(by)),
            StmtKind::Source { path, alias } => StmtKind::Source {
                path: path.moved(by),
                alias: alias.moved(by),
            },
            StmtKind::SetWd { path } => StmtKind::SetWd {
                path: path.moved(by),
            },
            StmtKind::Error => StmtKind::Error,
        }
    }
}

impl Moved for Block {
    fn moved(&self, by: usize) -> Self {
        Block {
            range: self.range.moved(by),
            statements: self.statements.moved(by),
        }
    }
}

impl Moved for FunctionDef {
    fn moved(&self, by: usize) -> Self {
        FunctionDef {
            name: self.name.moved(by),
            params: self.params.moved(by),
            results: self.results.moved(by),
            body: self.body.moved(by),
            options: self.options.moved(by),
        }
    }
}

impl Moved for Param {
    fn moved(&self, by: usize) -> Self {
        Param {
            range: self.range.moved(by),
            ty: self.ty.moved(by),
            name: self.name.moved(by),
            default: self.default.moved(by),
        }
    }
}

impl Moved for LoopRange {
    fn moved(&self, by: usize) -> Self {
        match self {
            LoopRange::FromTo(from, to) => LoopRange::FromTo(from.moved(by), to.moved(by)),
            LoopRange::Over(value) => LoopRange::Over(value.moved(by)),
        }
    }
}

impl Moved for Target {
    fn moved(&self, by: usize) -> Self {
        Target {
            range: self.range.moved(by),
            name: self.name.moved(by),
            index: self.index.moved(by),
        }
    }
}

impl Moved for Index {
    fn moved(&self, by: usize) -> Self {
        Index {
            range: self.range.moved(by),
            rows: self.rows.moved(by),
            cols: self.cols.moved(by),
        }
    }
}

impl Moved for Span {
    fn moved(&self, by: usize) -> Self {
        match self {
            Span::All => Span::All,
            Span::At(at) => Span::At(at.moved(by)),
            Span::Range(from, to) => Span::Range(from.moved(by), to.moved(by)),
        }
    }
}

impl Moved for Expr {
    fn moved(&self, by: usize) -> Self {
        Expr {
            range: self.range.moved(by),
            kind: self.kind.moved(by),
        }
    }
}

impl Moved for ExprKind {
    fn moved(&self, by: usize) -> Self {
        match self {
            ExprKind::Missing => ExprKind::Missing,
            ExprKind::Int(value) => ExprKind::Int(*value),
            ExprKind::Double(value) => ExprKind::Double(*value),
            ExprKind::Bool(value) => ExprKind::Bool(*value),
            ExprKind::Str(text) => ExprKind::Str(text.moved(by)),
            ExprKind::Name(name) => ExprKind::Name(name.moved(by)),
            ExprKind::Arg(name) => ExprKind::Arg(name.moved(by)),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, operand.moved(by)),
            ExprKind::Binary(op, left, right) => {
                ExprKind::Binary(*op, left.moved(by), right.moved(by))
            }
            ExprKind::Call(call) => ExprKind::Call(call.moved(by)),
            ExprKind::Index(operand, index) => ExprKind::Index(operand.moved(by), index.moved(by)),
            ExprKind::Paren(inner) => ExprKind::Paren(inner.moved(by)),
            ExprKind::List(elements) => ExprKind::List(elements.moved(by)),
        }
    }
}

impl Moved for Call {
    fn moved(&self, by: usize) -> Self {
        Call {
            namespace: self.namespace.moved(by),
            name: self.name.moved(by),
            args: self.args.moved(by),
            parens: self.parens.moved(by),
        }
    }
}

impl Moved for Arg {
    fn moved(&self, by: usize) -> Self {
        Arg {
            name: self.name.moved(by),
            value: self.value.moved(by),
        }
    }
}
