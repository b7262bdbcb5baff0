//! How a person writes NumPy, counted in a file and in each expression.
//!
//! Must never change what is read: it only looks.

use std::sync::Arc;

use crate::env::{Binding, Env};
use crate::imports::{path, raw_path};
use crate::parse::{Expr, Operator, Stmt, Visitor, visitor};
use crate::style::{Product, Style};

/// How often each way was taken.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Habits {
    sign: usize,
    function: usize,
    method: usize,
    sum_function: usize,
    sum_method: usize,
    axis_named: usize,
    axis_plain: usize,
    numpy: usize,
    jax: usize,
}

/// Names of reductions.
const SUMS: &[&str] = &["sum", "mean", "min", "max", "prod"];

impl Habits {
    /// Counts an expression.
    pub(crate) fn of(expr: &Expr, env: &Env) -> Habits {
        let mut counter = Counter {
            habits: Habits::default(),
            env,
        };
        counter.visit_expr(expr);
        counter.habits
    }

    /// Also counts these.
    pub(crate) fn add(&mut self, other: &Habits) {
        self.sign += other.sign;
        self.function += other.function;
        self.method += other.method;
        self.sum_function += other.sum_function;
        self.sum_method += other.sum_method;
        self.axis_named += other.axis_named;
        self.axis_plain += other.axis_plain;
        self.numpy += other.numpy;
        self.jax += other.jax;
    }

    /// The style of an expression with these habits in a file with those; `numpy` is how its library is called there.
    pub(crate) fn style(&self, file: &Habits, numpy: Option<Arc<str>>) -> Style {
        let products = |of: &Habits| of.sign + of.function + of.method;
        let by = if products(self) > 0 { self } else { file };
        let product = if by.sign >= by.function && by.sign >= by.method {
            Product::Sign
        } else if by.function >= by.method {
            Product::Function
        } else {
            Product::Method
        };
        let sums = if self.sum_function + self.sum_method > 0 {
            self
        } else {
            file
        };
        let axes = if self.axis_named + self.axis_plain > 0 {
            self
        } else {
            file
        };
        Style {
            numpy,
            product,
            sums_by_function: sums.sum_function > sums.sum_method,
            axis_without_name: axes.axis_plain > axes.axis_named,
        }
    }

    /// What the library is called where an expression with these habits stands: among the names for NumPy and those for JAX.
    pub(crate) fn library(&self, names: &[(Arc<str>, Arc<str>)], env: &Env) -> Option<Arc<str>> {
        let of = |library: &str| {
            let is_it = |(name, path): &&(Arc<str>, Arc<str>)| {
                &**path == library
                    && matches!(env.get(name), Some(Binding::Path(path)) if &*path == library)
            };
            names.iter().find(is_it).map(|(name, _)| Arc::clone(name))
        };
        match (of("numpy"), of("jax.numpy")) {
            (Some(numpy), Some(jax)) => match (self.numpy, self.jax) {
                (0, 0) => None,
                (numpys, jaxes) => Some(if numpys >= jaxes { numpy } else { jax }),
            },
            (numpy, jax) => numpy.or(jax),
        }
    }
}

struct Counter<'a> {
    habits: Habits,
    env: &'a Env,
}

impl<'a> Visitor<'a> for Counter<'_> {
    fn visit_stmt(&mut self, _: &'a Stmt) {}

    fn visit_expr(&mut self, expr: &'a Expr) {
        visitor::walk_expr(self, expr);
        match expr {
            Expr::BinOp(of) if of.op == Operator::MatMult => self.habits.sign += 1,
            Expr::Name(_) | Expr::Attribute(_) => {
                if let Some(path) = raw_path(expr, self.env) {
                    match &*path {
                        "numpy" => self.habits.numpy += 1,
                        "jax.numpy" => self.habits.jax += 1,
                        _ => {}
                    }
                }
            }
            Expr::Call(call) => {
                let path = path(&call.func, self.env);
                let function = path.as_deref().and_then(|path| path.strip_prefix("numpy."));
                let method = match (&*call.func, &path) {
                    (Expr::Attribute(of), None) => Some(of.attr.as_str()),
                    _ => None,
                };
                match (function, method) {
                    (Some("dot" | "matmul"), _) => self.habits.function += 1,
                    (_, Some("dot")) => self.habits.method += 1,
                    _ => {}
                }
                let is_sum = |name: Option<&str>| name.is_some_and(|name| SUMS.contains(&name));
                let args = call.arguments.args.len();
                let plain_axis = match (is_sum(function), is_sum(method)) {
                    (true, _) => {
                        self.habits.sum_function += 1;
                        args == 2
                    }
                    (_, true) => {
                        self.habits.sum_method += 1;
                        args == 1
                    }
                    _ => return,
                };
                self.habits.axis_plain += usize::from(plain_axis);
                let named = call.arguments.find_keyword("axis").is_some();
                self.habits.axis_named += usize::from(named);
            }
            _ => {}
        }
    }
}
