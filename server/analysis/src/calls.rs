//! Calls: builtins by the operator table and the table of builtins, the script's functions, and the few with a
//! grammar of their own (`matrix`, `rand`, `seq`, `ifdef`, casts).

use sumac_la::{Dim, Op};
use sumac_syntax::ast::{Call, Expr, ExprKind};

use crate::analyzer::{Analyzer, strip};
use crate::builtins::{self, Gives, Signature};
use crate::expr::{Form, Operand, Val, prefer};
use crate::functions::argument;
use crate::result::{Severity, codes};
use crate::tabular;
use crate::value::{Constant, ValueInfo, ValueKind, as_size};

/// Other names of operators.
const ALIASES: &[(&str, &str)] = &[
    ("ceiling", "ceil"),
    ("avg", "mean"),
    ("append", "cbind"),
    ("pmin", "min"),
    ("pmax", "max"),
    ("tr", "trace"),
    ("castAsScalar", "as.scalar"),
];

impl Analyzer<'_> {
    pub(crate) fn eval_call(&mut self, expr: &Expr, call: &Call) -> Val {
        let name = &*call.name.name;
        if let Some(namespace) = &call.namespace {
            for arg in &call.args {
                self.eval_part(&arg.value);
            }
            if !self.namespaces.contains(&namespace.name) {
                let message = format!(
                    "no `source` gives the namespace `{0}`; add `source(\"file.dml\") as {0}`",
                    namespace.name
                );
                self.report(
                    Severity::Error,
                    codes::UNKNOWN_FUNCTION,
                    namespace.range,
                    message,
                );
            }
            return Val::impure(ValueInfo::unknown());
        }
        if self.functions.contains_key(&call.name.name) {
            let results = self.call_function(expr, call);
            return Val::impure(
                results
                    .into_iter()
                    .next()
                    .unwrap_or_else(ValueInfo::unknown),
            );
        }
        self.check_builtin(expr, call);
        match name {
            "read" => self.eval_read(expr, call),
            "rand" | "Rand" => self.eval_rand(call),
            "matrix" => self.eval_matrix(expr, call),
            "seq" => self.eval_seq(expr, call),
            "ifdef" => self.eval_ifdef(call),
            "as.double" | "as.integer" | "as.logical" | "as.boolean" => self.eval_cast(expr, call),
            _ => self.eval_builtin(expr, call),
        }
    }

    /// The values of `[a, b] = f(…)`.
    pub(crate) fn eval_multi(&mut self, value: &Expr, wanted: usize) -> Vec<ValueInfo> {
        let mut infos = Vec::new();
        match &strip(value).kind {
            ExprKind::Call(call)
                if call.namespace.is_none() && self.functions.contains_key(&call.name.name) =>
            {
                infos = self.call_function(value, call);
                // Results at the end may be left out.
                if infos.len() < wanted {
                    let message = format!(
                        "`{}` gives {} results, found {wanted} names for them",
                        call.name.name,
                        infos.len()
                    );
                    self.report(Severity::Error, codes::WRONG_ARITY, value.range, message);
                }
            }
            _ => {
                self.eval_part(value);
            }
        }
        infos.resize(wanted, ValueInfo::unknown());
        infos
    }

    fn signature_of(call: &Call) -> Option<&'static Signature> {
        builtins::signature(&call.name.name)
    }

    fn check_builtin(&mut self, expr: &Expr, call: &Call) {
        let name = &*call.name.name;
        let Some(signature) = Self::signature_of(call) else {
            if !builtins::is_builtin(name) {
                let own = self.functions.keys().map(|name| &**name);
                let known: Vec<&str> = builtins::names().map(|n: &str| n).chain(own).collect();
                let mut message =
                    format!("neither the script nor SystemDS has a function `{name}`");
                if let Some(near) = crate::suggest::nearest(name, known.into_iter()) {
                    message.push_str(&format!("; did you mean `{near}`?"));
                }
                self.report(
                    Severity::Error,
                    codes::UNKNOWN_FUNCTION,
                    call.name.range,
                    message,
                );
            }
            return;
        };
        if call
            .args
            .iter()
            .any(|arg| arg.value.kind == ExprKind::Missing)
        {
            return;
        }
        let found = call.args.len();
        if found < signature.min || found > signature.max {
            let takes = match (signature.min, signature.max) {
                (min, usize::MAX) => format!("at least {min}"),
                (min, max) if min == max => format!("{min}"),
                (min, max) => format!("{min} to {max}"),
            };
            let plural = if takes == "1" || takes.ends_with(" 1") {
                ""
            } else {
                "s"
            };
            let message = format!("`{name}` takes {takes} argument{plural}, found {found}");
            self.report(Severity::Error, codes::WRONG_ARITY, expr.range, message);
        }
        if !signature.params.is_empty() {
            for ident in call.args.iter().filter_map(|arg| arg.name.as_ref()) {
                if !signature.params.contains(&&*ident.name) {
                    self.unknown_parameter(
                        ident.range,
                        &ident.name,
                        name,
                        signature.params.iter().copied(),
                    );
                }
            }
        }
    }

    fn eval_builtin(&mut self, expr: &Expr, call: &Call) -> Val {
        let name = &*call.name.name;
        let operands: Vec<Operand<'_>> = call
            .args
            .iter()
            .map(|arg| (&arg.value, self.eval(&arg.value)))
            .collect();
        let has_names = call.args.iter().any(|arg| arg.name.is_some());
        let la_name = ALIASES
            .iter()
            .find(|(alias, _)| *alias == name)
            .map_or(name, |(_, name)| name);
        if !has_names && let Some(val) = self.eval_operator(la_name, expr, &operands) {
            return val;
        }
        for (operand, val) in &operands {
            self.keep_part(operand, val);
        }
        let impure = operands.iter().any(|(_, val)| val.form == Form::Impure);
        if let Some(info) = tabular::result(la_name, call, &operands) {
            return if impure {
                Val::impure(info)
            } else {
                Val::opaque(info)
            };
        }
        let first = argument(&call.args, "target", 0).map(|(i, _)| i);
        match Self::signature_of(call) {
            Some(signature) => {
                let info = given(signature.gives, &operands, first);
                if signature.pure && !impure {
                    Val::opaque(info)
                } else {
                    Val::impure(info)
                }
            }
            None => {
                let is_native = builtins::is_builtin(name) && !builtins::is_script_builtin(name);
                let info = ValueInfo::unknown();
                if is_native && !impure {
                    Val::opaque(info)
                } else {
                    Val::impure(info)
                }
            }
        }
    }

    /// A call that the operator table has.
    fn eval_operator(&mut self, name: &str, expr: &Expr, operands: &[Operand<'_>]) -> Option<Val> {
        let scalars = operands
            .iter()
            .filter(|(_, val)| val.info.kind.is_scalar())
            .count();
        let matrices = operands
            .iter()
            .filter(|(_, val)| val.info.kind == ValueKind::Matrix)
            .count();
        if scalars + matrices != operands.len() || operands.is_empty() {
            return None;
        }
        let op = match (name, operands.len()) {
            ("min" | "max", 3..) => return Some(self.nested(name, expr, operands)),
            // Their arguments are all matrices; other mixes are left to SystemDS.
            ("cbind" | "rbind", _) if scalars > 0 => return None,
            // Weighted means and the reshaping form have rows of their own.
            ("mean", 2) | ("matrix" | "seq", _) => return None,
            ("as.matrix", 1) if matrices == 1 => return Some(operands[0].1.clone()),
            ("as.scalar", 1) if scalars == 1 => return Some(operands[0].1.clone()),
            _ => Op::by_call_name(name, operands.len())?,
        };
        Some(self.apply(op, expr, operands))
    }

    /// `min(a, b, c)` as `min(min(a, b), c)`.
    fn nested(&mut self, name: &str, expr: &Expr, operands: &[Operand<'_>]) -> Val {
        let op = if name == "min" { Op::Min2 } else { Op::Max2 };
        let mut whole = operands[0].1.clone();
        for operand in &operands[1..] {
            let before = whole.form;
            whole = self.apply(op, expr, &[(expr, whole), operand.clone()]);
            if matches!(before, Form::La(_)) && !matches!(whole.form, Form::La(_)) {
                // A half of the call is no expression of the script.
                self.parts.retain(|part| part.range != expr.range);
                return Val::impure(whole.info);
            }
        }
        whole
    }

    fn eval_rand(&mut self, call: &Call) -> Val {
        let values: Vec<ValueInfo> = call
            .args
            .iter()
            .map(|arg| self.eval_part(&arg.value).info)
            .collect();
        let of = |name: &str| {
            let at = call
                .args
                .iter()
                .position(|a| a.name.as_ref().is_some_and(|n| &*n.name == name));
            at.map(|i| &values[i])
        };
        let dim = |name: &str| of(name).map_or(Dim::Known(1), |info| info.size.clone());
        let is_zero = |name: &str| of(name).and_then(ValueInfo::number) == Some(0.0);
        let sparsity = match of("sparsity") {
            Some(info) => info.number().filter(|s| (0.0..=1.0).contains(s)),
            None => Some(1.0),
        };
        let sparsity = if is_zero("min") && is_zero("max") {
            Some(0.0)
        } else {
            sparsity
        };
        Val::impure(ValueInfo::matrix(dim("rows"), dim("cols"), sparsity))
    }

    /// `matrix(value, rows = r, cols = c)`: filled with a number, or a matrix in another shape.
    fn eval_matrix(&mut self, expr: &Expr, call: &Call) -> Val {
        let operands: Vec<Operand<'_>> = call
            .args
            .iter()
            .map(|arg| (&arg.value, self.eval(&arg.value)))
            .collect();
        let at = |name: &str, position: usize| {
            argument(&call.args, name, position).map(|(i, _)| operands[i].clone())
        };
        let opaque = |this: &mut Self, info: ValueInfo| {
            for (operand, val) in &operands {
                this.keep_part(operand, val);
            }
            let impure = operands.iter().any(|(_, val)| val.form == Form::Impure);
            if impure {
                Val::impure(info)
            } else {
                Val::opaque(info)
            }
        };
        let data = at("data", 0);
        let reshapes = data
            .as_ref()
            .is_some_and(|(_, val)| val.info.kind == ValueKind::Matrix);
        let size = |operand: &Option<Operand<'_>>| {
            operand
                .as_ref()
                .map_or(Dim::Unknown, |(_, val)| val.info.size.clone())
        };
        let (mut rows, mut cols) = (at("rows", 1), at("cols", 2));
        let mut info = ValueInfo::matrix(size(&rows), size(&cols), None);
        let by_row = at("byrow", 3).is_none();
        let (Some(data), true) = (data, by_row && at("dims", usize::MAX).is_none()) else {
            return opaque(self, info);
        };
        // A reshape may leave one side to be computed from the other.
        if reshapes {
            info.sparsity = data.1.info.sparsity;
            let cells = data.1.info.ty().cells();
            let rest = |other: &Dim| {
                let other = other.known().filter(|n| *n > 0)?;
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "an exact division is checked for"
                )]
                cells.and_then(|cells| as_size(cells / other as f64))
            };
            if rows.is_none() {
                info.rows = rest(&info.cols).unwrap_or(Dim::Unknown);
            }
            if cols.is_none() {
                info.cols = rest(&info.rows).unwrap_or(Dim::Unknown);
            }
        } else if !data.1.info.kind.is_numeric_scalar() {
            return opaque(self, info);
        } else if let Some(n) = data.1.info.number() {
            info.sparsity = Some(if n == 0.0 { 0.0 } else { 1.0 });
        }
        let (Some(rows), Some(cols)) = (rows.take(), cols.take()) else {
            return opaque(self, info);
        };
        let op = if reshapes { Op::Reshape } else { Op::Fill };
        let nodes = [Some(&data), Some(&rows), Some(&cols)]
            .into_iter()
            .enumerate()
            .map(|(i, operand)| {
                let operand = operand?;
                if operand.1.form == Form::Impure {
                    None
                } else if i == 0 {
                    match operand.1.form {
                        Form::La(node) => Some(node),
                        _ => None,
                    }
                } else {
                    self.size_node(operand)
                }
            });
        let nodes: Vec<_> = nodes.collect();
        let Some(nodes) = nodes.into_iter().collect::<Option<Vec<_>>>() else {
            return opaque(self, info);
        };
        let val = self.node_of(op, expr, &[data, rows, cols], Some(nodes), info.clone());
        prefer(val, info)
    }

    /// `seq(from, to, by)`, by one where it is left out.
    fn eval_seq(&mut self, expr: &Expr, call: &Call) -> Val {
        let operands: Vec<Operand<'_>> = call
            .args
            .iter()
            .map(|arg| (&arg.value, self.eval(&arg.value)))
            .collect();
        let names = [("from", 0), ("to", 1), ("incr", 2)];
        let slots: Vec<Option<Operand<'_>>> = names
            .iter()
            .map(|(name, i)| argument(&call.args, name, *i).map(|(i, _)| operands[i].clone()))
            .collect();
        let number =
            |slot: &Option<Operand<'_>>| slot.as_ref().and_then(|(_, val)| val.info.number());
        let (from, to) = (number(&slots[0]), number(&slots[1]));
        let step = match &slots[2] {
            Some(_) => number(&slots[2]),
            None => match (from, to) {
                (Some(from), Some(to)) if from > to => Some(-1.0),
                (Some(_), Some(_)) => Some(1.0),
                (Some(from), None) if from <= 1.0 => Some(1.0),
                _ => None,
            },
        };
        let rows = match (from, to, step) {
            (Some(from), Some(to), Some(step)) if step != 0.0 => {
                as_size(((to - from) / step).floor() + 1.0).unwrap_or(Dim::Unknown)
            }
            (_, _, Some(1.0)) => {
                let end = |at: usize| slots[at].as_ref().map(|(expr, val)| (*expr, &val.info));
                self.extent(end(0), end(1), &Dim::Unknown)
            }
            _ => Dim::Unknown,
        };
        let info = ValueInfo::matrix(rows, Dim::Known(1), Some(1.0));
        let mut nodes = Vec::new();
        for (i, slot) in slots.iter().enumerate() {
            nodes.push(match (slot, step) {
                (Some(operand), _) if operand.1.form != Form::Impure => self.size_node(operand),
                (None, Some(step)) if i == 2 => Some(self.block.dag.num(step)),
                _ => None,
            });
        }
        let Some(nodes) = nodes.into_iter().collect::<Option<Vec<_>>>() else {
            for (operand, val) in &operands {
                self.keep_part(operand, val);
            }
            let impure = operands.iter().any(|(_, val)| val.form == Form::Impure);
            return if impure {
                Val::impure(info)
            } else {
                Val::opaque(info)
            };
        };
        let val = self.node_of(Op::Seq, expr, &operands, Some(nodes), info.clone());
        prefer(val, info)
    }

    /// `ifdef($k, default)`: the argument where it is given, otherwise the default, as a run with these arguments has it.
    fn eval_ifdef(&mut self, call: &Call) -> Val {
        let values: Vec<Val> = call.args.iter().map(|arg| self.eval(&arg.value)).collect();
        let given = call
            .args
            .first()
            .and_then(|arg| match &strip(&arg.value).kind {
                ExprKind::Arg(ident) => Some(self.argument(&ident.name)),
                _ => None,
            });
        match (given, values.get(1)) {
            (Some(given), _) if given.constant.is_some() => Val::opaque(given),
            (_, Some(default)) => Val::opaque(default.info.clone()),
            (_, None) => Val::opaque(ValueInfo::unknown()),
        }
    }

    /// `as.double(x)` and its like: of a 1 x 1 matrix or of a scalar.
    fn eval_cast(&mut self, expr: &Expr, call: &Call) -> Val {
        let [arg] = call.args.as_slice() else {
            return self.eval_builtin(expr, call);
        };
        let val = self.eval(&arg.value);
        let to = Self::signature_of(call).map(|s| s.gives);
        match (to, val.info.kind) {
            // A double of a number is the number; of a 1 x 1 matrix, its cell.
            (Some(Gives::Double), ValueKind::Double | ValueKind::Int)
                if val.form != Form::Opaque =>
            {
                Val {
                    info: ValueInfo {
                        kind: ValueKind::Double,
                        ..val.info
                    },
                    form: val.form,
                }
            }
            (Some(Gives::Double), ValueKind::Matrix) => {
                self.apply(Op::AsScalar, expr, &[(&arg.value, val)])
            }
            (to, _) => {
                self.keep_part(&arg.value, &val);
                let number = val.info.number();
                let constant = match to {
                    Some(Gives::Int) => number.map(|n| Constant::Number(n.trunc())),
                    Some(Gives::Bool) => number.map(|n| Constant::Bool(n != 0.0)),
                    _ => number.map(Constant::Number),
                };
                let kind = match to {
                    Some(Gives::Int) => ValueKind::Int,
                    Some(Gives::Bool) => ValueKind::Bool,
                    _ => ValueKind::Double,
                };
                let info = ValueInfo {
                    size: val.info.size.clone(),
                    ..ValueInfo::of(kind)
                }
                .with_constant(constant);
                if val.form == Form::Impure {
                    Val::impure(info)
                } else {
                    Val::opaque(info)
                }
            }
        }
    }
}

/// What a builtin gives, by its row of the table.
fn given(gives: Gives, operands: &[Operand<'_>], first: Option<usize>) -> ValueInfo {
    let first = first
        .and_then(|i| operands.get(i))
        .map(|(_, val)| &val.info);
    let second = operands.get(1).map(|(_, val)| &val.info);
    let matrix = |rows: Option<&Dim>, cols: Option<&Dim>, sparsity| {
        let dim = |d: Option<&Dim>| d.cloned().unwrap_or(Dim::Unknown);
        ValueInfo::matrix(dim(rows), dim(cols), sparsity)
    };
    let is_matrix = first.is_some_and(|info| info.kind == ValueKind::Matrix);
    let (rows, cols) = (first.map(|i| &i.rows), first.map(|i| &i.cols));
    match gives {
        Gives::Unknown | Gives::Nothing => ValueInfo::unknown(),
        Gives::Double => ValueInfo::of(ValueKind::Double),
        Gives::Int => ValueInfo::of(ValueKind::Int),
        Gives::Bool => ValueInfo::of(ValueKind::Bool),
        Gives::Text => ValueInfo::of(ValueKind::String),
        Gives::Frame => ValueInfo::of(ValueKind::Frame),
        Gives::List => ValueInfo::of(ValueKind::List),
        Gives::Matrix => ValueInfo::of(ValueKind::Matrix),
        Gives::Same if is_matrix => matrix(rows, cols, first.and_then(|i| i.sparsity)),
        Gives::SameDense if is_matrix => matrix(rows, cols, None),
        Gives::Same | Gives::SameDense => match first {
            Some(info) if info.kind.is_numeric_scalar() => ValueInfo::of(ValueKind::Scalar),
            _ => ValueInfo::unknown(),
        },
        Gives::Column => matrix(rows, Some(&Dim::Known(1)), None),
        Gives::Row => matrix(Some(&Dim::Known(1)), cols, None),
        Gives::Solve => matrix(cols, second.map(|i| &i.cols), None),
        Gives::Outer => {
            let side = |info: Option<&ValueInfo>| {
                info.map(|i| {
                    if i.cols.is_one() {
                        i.rows.clone()
                    } else {
                        i.cols.clone()
                    }
                })
            };
            matrix(rows, side(second).as_ref(), None)
        }
    }
}
