//! Expressions: what is known of their value, and their node in the block's DAG where there is one.

use sumac_la::{Dim, NodeId, Op};
use sumac_syntax::ast::{BinaryOp, Expr, ExprKind, Ident, UnaryOp};
use sumac_text::TextRange;

use crate::analyzer::Analyzer;
use crate::fold;
use crate::names::{self, Names, is_constant_name, strip};
use crate::provenance::Provenance;
use crate::result::Part;
use crate::value::{Constant, ValueInfo, ValueKind, as_f64, is_small, unless_assumed};

/// Deeper expressions are not looked into.
const MAX_DEPTH: usize = 150;

/// What an expression is to the DAG.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// A node.
    La(NodeId),
    /// Not expressible, but always the same for the same variables: may stand as an input under its own text.
    Opaque,
    /// Random, read from outside, or with an effect: nothing around it is one expression of linear algebra.
    Impure,
}

/// An expression's value.
#[derive(Clone, Debug)]
pub(crate) struct Val {
    pub(crate) info: ValueInfo,
    pub(crate) form: Form,
}

impl Val {
    pub(crate) fn opaque(info: ValueInfo) -> Self {
        Val {
            info,
            form: Form::Opaque,
        }
    }

    pub(crate) fn impure(info: ValueInfo) -> Self {
        Val {
            info,
            form: Form::Impure,
        }
    }
}

/// An operand: its expression and its value.
pub(crate) type Operand<'e> = (&'e Expr, Val);

impl Analyzer<'_> {
    /// What is known of `expr`. Parts inside it are collected only where `expr` itself is no node.
    pub(crate) fn eval(&mut self, expr: &Expr) -> Val {
        if self.depth >= MAX_DEPTH {
            names::for_each_read(expr, &mut |ident| {
                self.variable(ident);
            });
            return Val::impure(ValueInfo::unknown());
        }
        self.depth += 1;
        let mark = self.parts.len();
        let outer = std::mem::take(&mut self.provenance);
        let mut val = self.eval_kind(expr);
        self.trace_provenance(expr, &mut val.info);
        self.provenance = outer;
        self.provenance.add(&val.info.provenance);
        if matches!(val.form, Form::La(_)) {
            self.parts.truncate(mark);
        }
        if self.recording {
            self.out.expr_types.push((expr.range, val.info.clone()));
        }
        self.depth -= 1;
        val
    }

    /// An estimate rests on what those of the parts rest on; without such parts, on the expression.
    fn trace_provenance(&mut self, expr: &Expr, info: &mut ValueInfo) {
        if !info.is_sparse() {
            info.provenance = Provenance::default();
        } else if info.provenance.is_empty() {
            info.provenance = std::mem::take(&mut self.provenance);
            if info.provenance.is_empty() {
                let what = match &strip(expr).kind {
                    ExprKind::Call(call) => format!("{}(…)", call.name.name),
                    _ => self.normal_text(expr.range),
                };
                info.provenance = Provenance::of(&what, None);
            }
        }
    }

    /// As [`Analyzer::eval`]; where the expression is a node of its own, it becomes a part.
    pub(crate) fn eval_part(&mut self, expr: &Expr) -> Val {
        let val = self.eval(expr);
        self.keep_part(expr, &val);
        val
    }

    /// A lone name or number is no part: there is nothing to improve.
    pub(crate) fn keep_part(&mut self, expr: &Expr, val: &Val) {
        let inner = strip(expr);
        let plain = match &inner.kind {
            ExprKind::Unary(_, operand) => strip(operand),
            _ => inner,
        };
        let trivial = matches!(
            plain.kind,
            ExprKind::Name(_) | ExprKind::Int(_) | ExprKind::Double(_) | ExprKind::Missing
        );
        if let Form::La(root) = val.form
            && !trivial
        {
            self.parts.push(Part {
                range: expr.range,
                root,
            });
        }
    }

    fn eval_kind(&mut self, expr: &Expr) -> Val {
        match &expr.kind {
            ExprKind::Missing => Val::impure(ValueInfo::unknown()),
            // Beyond what doubles tell apart an integer is a value of which only its text is known.
            ExprKind::Int(n) if n.unsigned_abs() > 1 << f64::MANTISSA_DIGITS => {
                Val::opaque(ValueInfo::of(ValueKind::Int))
            }
            ExprKind::Int(n) => self.number(as_f64(*n), ValueKind::Int),
            ExprKind::Double(n) => self.number(*n, ValueKind::Double),
            ExprKind::Bool(b) => Val::opaque(ValueInfo::constant(Constant::Bool(*b))),
            ExprKind::Str(s) => Val::opaque(ValueInfo::constant(Constant::Text(s.value.clone()))),
            ExprKind::Name(ident) => self.eval_name(ident),
            ExprKind::Arg(ident) => Val::opaque(self.argument(&ident.name)),
            ExprKind::Paren(inner) => self.eval(inner),
            ExprKind::Unary(op, operand) => {
                let val = self.eval(operand);
                let la = match op {
                    UnaryOp::Plus => return val,
                    UnaryOp::Neg => Op::Neg,
                    UnaryOp::Not => Op::Not,
                };
                self.apply(la, expr, &[(operand, val)])
            }
            ExprKind::Binary(op, left, right) => {
                let a = self.eval(left);
                let b = self.eval(right);
                self.binary(*op, expr, (left, a), (right, b))
            }
            ExprKind::Call(call) => self.eval_call(expr, call),
            ExprKind::Index(base, index) => self.eval_index_expr(expr, base, index),
            ExprKind::List(items) => {
                for item in items {
                    self.eval_part(item);
                }
                Val::opaque(ValueInfo::of(ValueKind::List))
            }
        }
    }

    fn number(&mut self, n: f64, kind: ValueKind) -> Val {
        let node = self.block.dag.num(n);
        let info = ValueInfo::of(kind).with_constant(Some(Constant::Number(n)));
        Val {
            info,
            form: Form::La(node),
        }
    }

    fn eval_name(&mut self, ident: &Ident) -> Val {
        let Some(var) = self.variable(ident) else {
            let kind = if is_constant_name(&ident.name) {
                ValueKind::Double
            } else {
                ValueKind::Unknown
            };
            return Val::opaque(ValueInfo::of(kind));
        };
        let mut info = var.info.clone();
        let told_by = info.told_by();
        (info.origin, info.stated) = (None, None);
        let Some(ty) = info.la_type() else {
            return Val::opaque(info);
        };
        let node = self.block.variable(&ident.name, || ty);
        if let (Some(stated), Some(input)) = (told_by, self.block.dag.input_of(node)) {
            let name = input.name.clone();
            if info.is_assumed && info.kind == ValueKind::Matrix {
                self.block.open.insert(name.clone());
            }
            self.block.stated.insert(name, stated);
        }
        if let Some(read) = info.unsized_read
            && let Some(input) = self.block.dag.input_of(node)
        {
            let name = input.name.clone();
            self.block
                .unsized_inputs
                .insert(name, (read, ident.name.clone()));
        }
        Val {
            info,
            form: Form::La(node),
        }
    }

    /// A command-line argument: from the caller, then from a `#@` line.
    pub(crate) fn argument(&self, name: &str) -> ValueInfo {
        let given = self
            .options
            .args
            .get(name)
            .map(|text| Constant::parse(text));
        let stated = || self.facts.args.get(name).cloned();
        match given.or_else(stated) {
            Some(constant) => ValueInfo::constant(constant).of_any_number(),
            None => ValueInfo {
                size: self.known_size(Dim::Named(format!("${name}").into())),
                ..ValueInfo::of(ValueKind::Scalar)
            },
        }
    }

    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        expr: &Expr,
        left: Operand<'_>,
        right: Operand<'_>,
    ) -> Val {
        let (a, b) = (left.1.info.kind, right.1.info.kind);
        let any = |kind| a == kind || b == kind;
        if any(ValueKind::Frame) {
            self.keep_part(left.0, &left.1);
            self.keep_part(right.0, &right.1);
            let frame = if a == ValueKind::Frame {
                &left.1.info
            } else {
                &right.1.info
            };
            let info = ValueInfo {
                kind: ValueKind::Frame,
                ..ValueInfo::matrix(frame.rows.clone(), frame.cols.clone(), None)
            };
            return if left.1.form != Form::Impure && right.1.form != Form::Impure {
                Val::opaque(info)
            } else {
                Val::impure(info)
            };
        }
        if any(ValueKind::String)
            || (a, b) == (ValueKind::Scalar, ValueKind::Scalar) && op == BinaryOp::Add
        {
            self.keep_part(left.0, &left.1);
            self.keep_part(right.0, &right.1);
            let pure = left.1.form != Form::Impure && right.1.form != Form::Impure;
            let info = match op {
                BinaryOp::Add if any(ValueKind::String) => {
                    let text = fold::concat(&left.1.info, &right.1.info);
                    ValueInfo {
                        is_assumed: left.1.info.is_assumed || right.1.info.is_assumed,
                        ..ValueInfo::of(ValueKind::String)
                    }
                    .with_constant(text.map(Constant::Text))
                }
                BinaryOp::Add => ValueInfo::of(ValueKind::Scalar),
                _ => ValueInfo::of(ValueKind::Bool),
            };
            return if pure {
                Val::opaque(info)
            } else {
                Val::impure(info)
            };
        }
        self.apply(la_op(op), expr, &[left, right])
    }

    /// Which of the sizes of a node the DAG knows to be none or one only by what arguments, callers and data say: rows, columns.
    fn assumed_ones(&mut self, form: Form, info: &ValueInfo) -> [bool; 2] {
        let Form::La(node) = form else {
            return [false; 2];
        };
        if info.kind != ValueKind::Matrix || !is_small(&info.rows) && !is_small(&info.cols) {
            return [false; 2];
        }
        let certain = self.block.certain(node);
        let found = self.block.dag.ty(node);
        let of =
            |own: &Dim, found: &Dim, certain: &Dim| is_small(own) && own == found && own != certain;
        [
            of(&info.rows, &found.rows, &certain.rows),
            of(&info.cols, &found.cols, &certain.cols),
        ]
    }

    /// Forgets these sizes, and says whether there are any.
    pub(crate) fn forget_assumed_ones(&mut self, form: Form, info: &mut ValueInfo) -> bool {
        let assumed = self.assumed_ones(form, info);
        forget(assumed, info);
        assumed.contains(&true)
    }

    /// Counts the whole value as assumed where all sizes of one are, and forgets these where another one is certain.
    pub(crate) fn settle_assumed_ones(&mut self, form: Form, info: &mut ValueInfo) {
        let assumed = self.assumed_ones(form, info);
        let small = [is_small(&info.rows), is_small(&info.cols)];
        if assumed.contains(&true) && assumed == small {
            info.is_assumed = true;
        } else {
            forget(assumed, info);
        }
    }

    /// Whether an operand is a node or may become an input under its own text.
    pub(crate) fn fits(&self, (expr, val): &Operand<'_>) -> bool {
        match val.form {
            Form::La(_) => true,
            Form::Impure => false,
            Form::Opaque => {
                val.info.la_type().is_some()
                    && self
                        .opaque_text(expr)
                        .is_some_and(|text| self.block.can_be_opaque(&text))
            }
        }
    }

    /// The operand's node; an opaque one becomes an input.
    pub(crate) fn node(&mut self, (expr, val): &Operand<'_>) -> Option<NodeId> {
        match val.form {
            Form::La(node) => Some(node),
            Form::Impure => None,
            Form::Opaque => {
                let ty = val.info.la_type()?;
                let mut reads = Names::new();
                names::for_each_read(expr, &mut |ident| {
                    reads.insert(ident.name.clone());
                });
                let node = self.block.opaque(&self.opaque_text(expr)?, &reads, ty)?;
                if let (Some(stated), Some(input)) =
                    (self.stated(expr), self.block.dag.input_of(node))
                {
                    if val.info.is_assumed && val.info.kind == ValueKind::Matrix {
                        self.block.open.insert(input.name.clone());
                    }
                    self.block.stated.insert(input.name.clone(), stated);
                }
                Some(node)
            }
        }
    }

    /// The text by which an opaque operand goes: it must read the same inside any other expression.
    fn opaque_text(&self, expr: &Expr) -> Option<String> {
        let raw = self.slice(expr.range);
        // A comment would swallow what follows it on the line.
        if raw.is_empty() || raw.contains('#') {
            return None;
        }
        let text = if raw.contains(['"', '\'']) {
            raw.to_owned()
        } else {
            self.normal_text(expr.range)
        };
        let is_atom = matches!(
            expr.kind,
            ExprKind::Call(_)
                | ExprKind::Arg(_)
                | ExprKind::Name(_)
                | ExprKind::Bool(_)
                | ExprKind::Index(..)
                | ExprKind::Paren(_)
        );
        Some(if is_atom { text } else { format!("({text})") })
    }

    /// Source text with every run of blanks as one.
    pub(crate) fn normal_text(&self, range: TextRange) -> String {
        self.slice(range)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The algebraic operator behind an infix sign.
#[must_use]
pub fn la_op(op: BinaryOp) -> Op {
    match op {
        BinaryOp::Pow => Op::Pow,
        BinaryOp::MatMul => Op::MatMul,
        BinaryOp::Mod => Op::Mod,
        BinaryOp::IntDiv => Op::IntDiv,
        BinaryOp::Mul => Op::Mul,
        BinaryOp::Div => Op::Div,
        BinaryOp::Add => Op::Add,
        BinaryOp::Sub => Op::Sub,
        BinaryOp::Lt => Op::Lt,
        BinaryOp::Le => Op::Le,
        BinaryOp::Gt => Op::Gt,
        BinaryOp::Ge => Op::Ge,
        BinaryOp::Eq => Op::Eq,
        BinaryOp::Ne => Op::Ne,
        BinaryOp::And => Op::And,
        BinaryOp::Or => Op::Or,
    }
}

/// Forgets which of the sizes, rows and columns, are assumed.
fn forget([rows, cols]: [bool; 2], info: &mut ValueInfo) {
    info.rows = unless_assumed(info.rows.clone(), rows);
    info.cols = unless_assumed(info.cols.clone(), cols);
}
