//! What the expressions stand for that are no operators of linear algebra: functions that are made of operators are written
//! out, and of all others it is known that equal arguments give equal values. Must never take what is random, or what
//! depends on more than its text, for a function of its arguments.

use std::collections::BTreeMap;
use std::sync::Arc;

use sumac_la::{Dag, Node, NodeId, Op, Type};
use sumac_sumproduct::canonical::{Call, Calls};
use sumac_syntax::ast::{self, Expr, ExprKind, UnaryOp};
use sumac_syntax::parse_expression;

/// Functions that are made of operators: name, parameters, definition. Of one value there is no spread.
const DEFINITIONS: &[(&str, &[&str], &str)] = &[
    (
        "var",
        &["x"],
        "ifelse(length(x) == 1, 0, sum((x - mean(x))^2) / (length(x) - 1))",
    ),
    (
        "sd",
        &["x"],
        "ifelse(length(x) == 1, 0, sqrt(sum((x - mean(x))^2) / (length(x) - 1)))",
    ),
    (
        "cov",
        &["x", "y"],
        "ifelse(nrow(x) == 1, 0, sum((x - mean(x)) * (y - mean(y))) / (nrow(x) - 1))",
    ),
    (
        "colVars",
        &["x"],
        "ifelse(nrow(x) == 1, 0, colSums((x - colMeans(x))^2) / (nrow(x) - 1))",
    ),
    (
        "rowVars",
        &["x"],
        "ifelse(ncol(x) == 1, 0, rowSums((x - rowMeans(x))^2) / (ncol(x) - 1))",
    ),
    (
        "colSds",
        &["x"],
        "ifelse(nrow(x) == 1, 0, sqrt(colSums((x - colMeans(x))^2) / (nrow(x) - 1)))",
    ),
    (
        "rowSds",
        &["x"],
        "ifelse(ncol(x) == 1, 0, sqrt(rowSums((x - rowMeans(x))^2) / (ncol(x) - 1)))",
    ),
];

/// Functions that have a value for all arguments.
const TOTAL: &[&str] = &[
    "cumsum",
    "cumprod",
    "cummin",
    "cummax",
    "order",
    "lower.tri",
    "upper.tri",
    "rowIndexMax",
    "rowIndexMin",
    "det",
    "table",
    "replace",
];

/// Two expressions over inputs, some of which are values of functions.
pub(super) struct Understood {
    pub(super) dag: Dag,
    pub(super) sides: [NodeId; 2],
    pub(super) calls: Calls,
    /// Inputs that are neither variables nor values of functions that are known.
    pub(super) unknown: Vec<Arc<str>>,
}

/// Reads the texts by which inputs of a DAG go.
pub(super) fn understand(dag: &Dag, sides: [NodeId; 2], around: &[(Arc<str>, Type)]) -> Understood {
    let is_word = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '.')
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "._".contains(c))
            && !matches!(name, "TRUE" | "FALSE")
    };
    let used = dag.reachable(&sides);
    let mut variables: BTreeMap<Arc<str>, Type> = around.iter().cloned().collect();
    let own = used
        .iter()
        .filter_map(|id| dag.input_of(*id))
        .filter(|input| is_word(&input.name))
        .map(|input| (Arc::clone(&input.name), input.ty.clone()));
    variables.extend(own);
    // A second value of a variable goes by another name, and then a text may mean the first.
    let is_plain = used
        .iter()
        .filter_map(|id| dag.input_of(*id))
        .all(|input| !input.name.contains('#'));
    let mut reader = Reader {
        out: Dag::default(),
        calls: Calls::new(),
        variables,
        is_plain,
    };
    let mut map: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    let mut unknown = Vec::new();
    for id in used {
        let new = match dag.node(id) {
            Node::Num(bits) => reader.out.num(f64::from_bits(*bits)),
            Node::Op(op, args) => {
                let args: Vec<NodeId> = args.iter().map(|arg| map[arg]).collect();
                match reader.out.op(*op, args.iter().copied()) {
                    Ok(id) => id,
                    Err(_) => reader.out.op_of_type(*op, args, dag.ty(id)),
                }
            }
            Node::Input(_) => {
                let name = dag
                    .input_of(id)
                    .map_or_else(|| "?".into(), |i| Arc::clone(&i.name));
                let ty = dag.ty(id);
                match reader.input(&name, ty) {
                    Some(node) => node,
                    None => {
                        if !is_word(&name) {
                            unknown.push(Arc::clone(&name));
                        }
                        reader.out.input(&name, ty.clone())
                    }
                }
            }
        };
        map.insert(id, new);
    }
    Understood {
        sides: sides.map(|side| map[&side]),
        dag: reader.out,
        calls: reader.calls,
        unknown,
    }
}

struct Reader {
    out: Dag,
    calls: Calls,
    variables: BTreeMap<Arc<str>, Type>,
    is_plain: bool,
}

impl Reader {
    /// The node of an input that is more than a variable.
    fn input(&mut self, text: &str, ty: &Type) -> Option<NodeId> {
        if self.variables.contains_key(text) || !self.is_plain {
            return None;
        }
        let (expr, errors) = parse_expression(text);
        let expr = expr.filter(|_| errors.is_empty())?;
        let mut expr = &expr;
        while let ExprKind::Paren(inner) = &expr.kind {
            expr = inner;
        }
        match &expr.kind {
            ExprKind::Bool(value) => Some(self.out.num(f64::from(u8::from(*value)))),
            ExprKind::Call(call) => self.call(call, text, ty),
            _ => None,
        }
    }

    fn call(&mut self, call: &ast::Call, text: &str, ty: &Type) -> Option<NodeId> {
        let name = &*call.name.name;
        let is_builtin =
            call.namespace.is_none() && sumac_builtins::find(name).is_some_and(|row| row.pure);
        if !is_builtin {
            return None;
        }
        if let Some(node) = self.defined(call) {
            let own = self.out.ty(node);
            if own.kind == ty.kind {
                return Some(node);
            }
        }
        self.function(call, text, ty)
    }

    /// A function of which nothing is known.
    fn function(&mut self, call: &ast::Call, text: &str, ty: &Type) -> Option<NodeId> {
        let name = &*call.name.name;
        let (mut function, mut args) = (format!("{name}("), Vec::new());
        for (n, arg) in call.args.iter().enumerate() {
            if n > 0 {
                function.push_str(", ");
            }
            if let Some(name) = &arg.name {
                function.push_str(&format!("{} = ", name.name));
            }
            match &arg.value.kind {
                ExprKind::Int(n) => function.push_str(&n.to_string()),
                ExprKind::Bool(b) => function.push_str(&b.to_string()),
                ExprKind::Str(text) => function.push_str(&format!("{:?}", text.value)),
                _ => {
                    args.push(self.build(&arg.value, &[])?);
                    function.push('_');
                }
            }
        }
        function.push(')');
        let is_total = TOTAL.contains(&name);
        Some(self.value(function.into(), args, is_total, text, ty))
    }

    /// The input that is the value of a function.
    fn value(
        &mut self,
        function: Arc<str>,
        args: Vec<NodeId>,
        is_total: bool,
        text: &str,
        ty: &Type,
    ) -> NodeId {
        let call = Call {
            function,
            args,
            is_total,
        };
        let known = self.calls.iter().find(|(_, known)| **known == call);
        let text: Arc<str> = known.map_or_else(|| text.into(), |(text, _)| Arc::clone(text));
        self.calls.insert(Arc::clone(&text), call);
        self.out.input(&text, ty.clone())
    }

    /// A function of one square matrix, by its argument.
    fn of_square(&mut self, name: &str, arg: NodeId) -> Option<NodeId> {
        let ty = self.out.ty(arg).clone();
        if ty.rows != ty.cols || self.out.is_scalar(arg) {
            return None;
        }
        let text = format!("{name}({})", self.out.print(arg));
        let is_total = TOTAL.contains(&name);
        let result = if name == "det" {
            Type::scalar()
        } else {
            Type::matrix(ty.rows, ty.cols)
        };
        let function = format!("{name}(_)").into();
        Some(self.value(function, vec![arg], is_total, &text, &result))
    }

    /// The determinant of what is written as a product.
    fn determinant(&mut self, arg: NodeId) -> Option<NodeId> {
        match self.out.node(arg).clone() {
            Node::Op(Op::MatMul, args) => {
                let (a, b) = (self.determinant(args[0])?, self.determinant(args[1])?);
                self.out.op(Op::Mul, [a, b]).ok()
            }
            Node::Op(Op::Transpose, args) => self.determinant(args[0]),
            Node::Op(Op::Diag, args) if self.out.ty(args[0]).cols.is_one() => {
                self.out.op(Op::Prod, [args[0]]).ok()
            }
            _ => self.of_square("det", arg),
        }
    }

    /// `matrix(data, rows=r, cols=c)`.
    fn filled(&mut self, call: &ast::Call) -> Option<NodeId> {
        let mut parts = [None; 3];
        for (n, arg) in call.args.iter().enumerate() {
            let place = match arg.name.as_ref().map(|name| &*name.name) {
                None => n,
                Some("data") => 0,
                Some("rows") => 1,
                Some("cols") => 2,
                Some(_) => return None,
            };
            *parts.get_mut(place)? = Some(self.build(&arg.value, &[])?);
        }
        let [Some(data), Some(rows), Some(cols)] = parts else {
            return None;
        };
        let op = if self.out.is_scalar(data) {
            Op::Fill
        } else {
            Op::Reshape
        };
        self.out.op(op, [data, rows, cols]).ok()
    }

    /// The cells of a square matrix below or above its diagonal: those times a matrix of zeros and ones.
    fn triangle(&mut self, call: &ast::Call) -> Option<NodeId> {
        let (mut target, mut has_diagonal, mut has_values) = (None, false, false);
        for (n, arg) in call.args.iter().enumerate() {
            let flag = |value: &Expr| match &value.kind {
                ExprKind::Bool(value) => Some(*value),
                _ => None,
            };
            let name = arg.name.as_ref().map_or("", |name| &*name.name);
            match (name, n) {
                ("target", _) | ("", 0) => target = Some(self.build(&arg.value, &[])?),
                ("diag", _) | ("", 1) => has_diagonal = flag(&arg.value)?,
                ("values", _) | ("", 2) => has_values = flag(&arg.value)?,
                _ => return None,
            }
        }
        let target = target?;
        let ty = self.out.ty(target).clone();
        if ty.rows != ty.cols || self.out.is_scalar(target) {
            return None;
        }
        let size = self.out.op(Op::Nrow, [target]).ok()?;
        let one = self.out.num(1.0);
        let all = self.out.op(Op::Fill, [one, size, size]).ok()?;
        let column = self.out.op(Op::Fill, [one, size, one]).ok()?;
        let diagonal = self.out.op(Op::Diag, [column]).ok()?;
        // What is above the diagonal; the rest follows from it.
        let text = format!("upper.tri(target={})", self.out.print(all));
        let result = Type::matrix(ty.rows.clone(), ty.cols.clone());
        let upper = self.value("upper.tri(_)".into(), vec![all], true, &text, &result);
        let mut mask = if &*call.name.name == "upper.tri" {
            upper
        } else {
            let rest = self.out.op(Op::Sub, [all, upper]).ok()?;
            self.out.op(Op::Sub, [rest, diagonal]).ok()?
        };
        if has_diagonal {
            mask = self.out.op(Op::Add, [mask, diagonal]).ok()?;
        }
        if !has_values {
            return Some(mask);
        }
        self.out.op(Op::Mul, [target, mask]).ok()
    }

    /// A function that is made of operators.
    fn defined(&mut self, call: &ast::Call) -> Option<NodeId> {
        let name = &*call.name.name;
        if matches!(name, "lower.tri" | "upper.tri") {
            return self.triangle(call);
        }
        if name == "matrix" {
            return self.filled(call);
        }
        if call.args.iter().any(|arg| arg.name.is_some()) {
            return None;
        }
        match (name, call.args.as_slice()) {
            ("inv", [arg]) => {
                let arg = self.build(&arg.value, &[])?;
                return self.of_square("inv", arg);
            }
            ("det", [arg]) => {
                let arg = self.build(&arg.value, &[])?;
                return self.determinant(arg);
            }
            // Of a square matrix; of others it is a least-squares problem.
            ("solve", [matrix, right]) => {
                let matrix = self.build(&matrix.value, &[])?;
                let right = self.build(&right.value, &[])?;
                let inverse = self.of_square("inv", matrix)?;
                return self.out.op(Op::MatMul, [inverse, right]).ok();
            }
            _ => {}
        }
        if let ("outer", [u, v, sign]) = (name, call.args.as_slice())
            && let ExprKind::Str(sign) = &sign.value.kind
        {
            let op = match &*sign.value {
                "*" => Op::Mul,
                "+" => Op::Add,
                "-" => Op::Sub,
                "/" => Op::Div,
                "^" => Op::Pow,
                "min" => Op::Min2,
                "max" => Op::Max2,
                ">" => Op::Gt,
                "<" => Op::Lt,
                ">=" => Op::Ge,
                "<=" => Op::Le,
                "==" => Op::Eq,
                "!=" => Op::Ne,
                _ => return None,
            };
            let (u, v) = (self.build(&u.value, &[])?, self.build(&v.value, &[])?);
            let is_outer = self.out.ty(u).cols.is_one() && self.out.ty(v).rows.is_one();
            return is_outer.then(|| self.out.op(op, [u, v]).ok())?;
        }
        let (_, params, definition) = DEFINITIONS
            .iter()
            .find(|(known, params, _)| *known == name && params.len() == call.args.len())?;
        let mut bound = Vec::new();
        for (param, arg) in params.iter().zip(&call.args) {
            let node = self.build(&arg.value, &[])?;
            if self.out.is_scalar(node) {
                return None;
            }
            bound.push((*param, node));
        }
        // Of a matrix with columns the variance is one of all cells, and the covariance is none.
        let is_column = |node: &NodeId| self.out.ty(*node).cols.is_one();
        if name == "cov" && !bound.iter().all(|(_, node)| is_column(node)) {
            return None;
        }
        let (expr, _) = parse_expression(definition);
        self.build(&expr?, &bound)
    }

    /// The node of an expression over variables, or over what is bound.
    fn build(&mut self, expr: &Expr, bound: &[(&str, NodeId)]) -> Option<NodeId> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.build(inner, bound),
            ExprKind::Int(n) if n.unsigned_abs() > 1 << f64::MANTISSA_DIGITS => None,
            ExprKind::Int(n) => {
                #[expect(clippy::cast_precision_loss, reason = "as a script reads it")]
                let value = *n as f64;
                Some(self.out.num(value))
            }
            ExprKind::Double(value) => Some(self.out.num(*value)),
            ExprKind::Bool(value) => Some(self.out.num(f64::from(u8::from(*value)))),
            ExprKind::Name(name) => {
                if let Some((_, node)) = bound.iter().find(|(known, _)| *known == &*name.name) {
                    return Some(*node);
                }
                let ty = self.variables.get(&name.name)?.clone();
                Some(self.out.input(&name.name, ty))
            }
            ExprKind::Unary(op, inner) => {
                let inner = self.build(inner, bound)?;
                match op {
                    UnaryOp::Plus => Some(inner),
                    UnaryOp::Neg => self.out.op(Op::Neg, [inner]).ok(),
                    UnaryOp::Not => self.out.op(Op::Not, [inner]).ok(),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.build(left, bound)?, self.build(right, bound)?);
                let op = sumac_analysis::la_op(*op);
                let is_matrix = |id| !self.out.is_scalar(id);
                if op == Op::MatMul && !(is_matrix(left) && is_matrix(right)) {
                    return None;
                }
                self.out.op(op, [left, right]).ok()
            }
            ExprKind::Call(call) => {
                // A name that is bound means another thing inside of a call.
                if bound.is_empty()
                    && let Some(node) = self.defined(call)
                {
                    return Some(node);
                }
                if call.args.iter().any(|arg| arg.name.is_some()) {
                    return None;
                }
                let op = Op::by_call_name(&call.name.name, call.args.len());
                // The other forms of these are read in another way.
                let op = op.filter(|op| !matches!(op, Op::Fill | Op::Reshape | Op::Seq))?;
                let args: Vec<NodeId> = call
                    .args
                    .iter()
                    .map(|arg| self.build(&arg.value, bound))
                    .collect::<Option<_>>()?;
                if op == Op::AsScalar && self.out.is_scalar(args[0]) {
                    return Some(args[0]);
                }
                self.out.op(op, args).ok()
            }
            _ => None,
        }
    }
}
