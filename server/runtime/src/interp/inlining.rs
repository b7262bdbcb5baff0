//! What becomes of scalars between a call and its function, as in SystemDS. The body of a small function stands in the place of its
//! calls: scalars are turned into what it declares, and other values go on as they are. To any other function a scalar is passed
//! as declared, unless every call of it passes the same literal: then the literal itself stands in the body, and what
//! prints it prints `4` where a double is declared. So does a result that is no double.

use std::sync::Arc;

use sumac_la::Op;
use sumac_syntax::ast::{Block, Call, Expr, ExprKind, FunctionDef, Param, Stmt, StmtKind, UnaryOp};
use sumac_syntax::inline::{Callee, is_one_block};
use sumac_syntax::walk::{Node, walk, walk_stmt};

use super::library::Function;
use super::{Interpreter, builtins, operators};
use crate::value::Value;

/// Functions inside each other that are looked into.
const MOST_NESTED: usize = 8;

impl Interpreter<'_> {
    /// Whether SystemDS puts the function's body in the place of its calls.
    pub(super) fn is_inlined(&self, function: &Function) -> bool {
        *function.inlined.get_or_init(|| self.is_plain(function, 0))
    }

    fn is_plain(&self, function: &Function, depth: usize) -> bool {
        let callee = |call: &Call| match self.user_function(call, &function.unit) {
            Some(inner) if depth < MOST_NESTED && self.is_plain(&inner, depth + 1) => {
                Callee::Script
            }
            None if call.namespace.is_none() && is_of_engine(call) => Callee::Engine,
            _ => Callee::Elsewhere,
        };
        is_one_block(&function.definition, &callee)
    }

    /// For each parameter, the literal that every call of the function in the script passes.
    pub(super) fn literals<'f>(&self, function: &'f Arc<Function>) -> &'f [Option<Value>] {
        function.literals.get_or_init(|| {
            let definition = &function.definition;
            let mut found: Option<Vec<Option<Value>>> = None;
            walk(self.program, &mut |node| {
                if let Node::Expr(Expr {
                    kind: ExprKind::Call(call),
                    ..
                }) = node
                    && self
                        .user_function(call, &self.main)
                        .is_some_and(|called| Arc::ptr_eq(&called, function))
                {
                    let here = passed(definition, call);
                    match &mut found {
                        None => found = Some(here),
                        Some(all) => {
                            for (old, new) in all.iter_mut().zip(here) {
                                if *old != new {
                                    *old = None;
                                }
                            }
                        }
                    }
                }
            });
            let mut found = found.unwrap_or_default();
            found.resize(definition.params.len(), None);
            found
        })
    }

    /// A piece of text is joined with a variable as it was passed.
    pub(super) fn as_passed(&self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Name(name) => self.passed.get(&name.name).cloned(),
            ExprKind::Paren(inner) => self.as_passed(inner),
            _ => None,
        }
    }
}

fn is_of_engine(call: &Call) -> bool {
    let name = operators::canonical(&call.name.name);
    builtins::is_native(name)
        || operators::find(name).is_some()
        || Op::by_call_name(name, call.args.len()).is_some()
}

/// The literals that a call passes, those of defaults included.
fn passed(definition: &FunctionDef, call: &Call) -> Vec<Option<Value>> {
    let params = definition.params.iter().enumerate();
    let of = |(at, param): (usize, &Param)| {
        let named = call.args.iter().find(|arg| {
            let name = arg.name.as_ref();
            name.is_some_and(|name| name.name == param.name.name)
        });
        let positional = call.args.get(at).filter(|arg| arg.name.is_none());
        let given = named.or(positional).map(|arg| &arg.value);
        literal(given.or(param.default.as_ref())?)
    };
    params.map(of).collect()
}

fn literal(expr: &Expr) -> Option<Value> {
    Some(match &expr.kind {
        ExprKind::Int(n) => Value::Int(*n),
        ExprKind::Double(x) => Value::Double(*x),
        ExprKind::Bool(b) => Value::Bool(*b),
        ExprKind::Str(text) => Value::Str(text.value.clone()),
        ExprKind::Paren(inner) => literal(inner)?,
        ExprKind::Unary(UnaryOp::Neg, inner) => match literal(inner)? {
            Value::Int(n) => Value::Int(n.checked_neg()?),
            Value::Double(x) => Value::Double(-x),
            _ => return None,
        },
        _ => return None,
    })
}

/// Whether a statement of the body gives the variable a value.
pub(super) fn assigns(body: &Block, name: &str) -> bool {
    let mut found = false;
    for stmt in &body.statements {
        walk_stmt(stmt, &mut |node| {
            let Node::Stmt(Stmt { kind, .. }) = node else {
                return;
            };
            found |= match kind {
                StmtKind::Assign { target, .. } => &*target.name.name == name,
                StmtKind::MultiAssign { targets, .. } => {
                    targets.iter().any(|target| &*target.name.name == name)
                }
                StmtKind::For { var, .. } => &*var.name == name,
                _ => false,
            };
        });
    }
    found
}

/// Whether two scalars are printed differently although one was made of the other.
pub(super) fn is_other_kind(a: &Value, b: &Value) -> bool {
    a.is_scalar() && b.is_scalar() && std::mem::discriminant(a) != std::mem::discriminant(b)
}
