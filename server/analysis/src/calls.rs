//! Calls: builtins by the operator table and the table of builtins, the script's functions, and the few with a
//! grammar of their own (`matrix`, `rand`, `seq`, `ifdef`, casts).

use sumac_builtins::Kind;
use sumac_la::{Dim, Op};
use sumac_syntax::ast::{Call, Expr, ExprKind};

use crate::analyzer::Analyzer;
use crate::builtins;
use crate::expr::{Form, Operand, Val};
use crate::functions::argument;
use crate::names::strip;
use crate::operators::prefer;
use crate::result::{Severity, codes};
use crate::tabular;
use crate::value::{Constant, ValueInfo, ValueKind, as_size, unless_assumed};

impl Analyzer<'_> {
    pub(crate) fn eval_call(&mut self, expr: &Expr, call: &Call) -> Val {
        let name = &*call.name.name;
        if self.is_function(call) {
            let results = self.call_function(expr, call).unwrap_or_default();
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
            ExprKind::Call(call) if self.is_function(call) => {
                let results = self.call_function(value, call);
                // Results at the end may be left out.
                if let Some(found) = results.as_ref().map(Vec::len)
                    && found < wanted
                {
                    let message = format!(
                        "`{}` gives {found} results, found {wanted} names for them",
                        call.name.name,
                    );
                    self.report(Severity::Error, codes::WRONG_ARITY, value.range, message);
                }
                infos = results.unwrap_or_default();
            }
            ExprKind::Call(call)
                if call.namespace.is_none()
                    && let Some(row) = sumac_builtins::find(&call.name.name) =>
            {
                self.check_builtin(value, call);
                self.check_targets(row, value, wanted);
                let operands = self.operands(call);
                self.keep_parts(&operands);
                infos = builtins::results(row, call, &operands);
            }
            _ => {
                self.eval_part(value);
            }
        }
        infos.resize(wanted, ValueInfo::unknown());
        infos
    }

    fn eval_builtin(&mut self, expr: &Expr, call: &Call) -> Val {
        let mut operands = self.operands(call);
        let Some(row) = sumac_builtins::find(&call.name.name) else {
            self.keep_parts(&operands);
            return Val::impure(ValueInfo::unknown());
        };
        self.check_targets(row, expr, 1);
        self.check_pair(row.name, expr, &operands);
        let has_names = call.args.iter().any(|arg| arg.name.is_some());
        if !has_names && let Some(val) = self.eval_operator(row.name, expr, &operands) {
            return val;
        }
        self.keep_parts(&operands);
        let impure = operands.iter().any(|(_, val)| val.form == Form::Impure);
        let is_federated = row.name == "federated";
        let federated = is_federated.then(|| self.federated(call)).flatten();
        let result = |operands: &[Operand<'_>]| {
            let known = federated.clone();
            known
                .or_else(|| tabular::result(row.name, call, operands))
                .or_else(|| builtins::results(row, call, operands).into_iter().next())
                .unwrap_or_else(ValueInfo::unknown)
        };
        let found = result(&operands);
        let mut is_certain = true;
        for (_, val) in &mut operands {
            is_certain &= !self.forget_assumed_ones(val.form, &mut val.info);
        }
        let info = match is_certain {
            true => found,
            false => found.settled(result(&operands)),
        };
        if row.pure && !impure {
            Val::opaque(info)
        } else {
            Val::impure(info)
        }
    }

    /// The values of all arguments.
    fn operands<'c>(&mut self, call: &'c Call) -> Vec<Operand<'c>> {
        call.args
            .iter()
            .map(|arg| (&arg.value, self.eval(&arg.value)))
            .collect()
    }

    fn keep_parts(&mut self, operands: &[Operand<'_>]) {
        for (operand, val) in operands {
            self.keep_part(operand, val);
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
            // Of texts, which are no part of linear algebra.
            ("ifelse", _) if operands.iter().any(|o| o.1.info.kind == ValueKind::String) => {
                return None;
            }
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
        let dim = |name: &str| of(name).map_or(Dim::Known(1), ValueInfo::extent);
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
                .map_or(Dim::Unknown, |(_, val)| val.info.extent())
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
            let sides = [&rows, &cols].into_iter().flatten();
            let rests_on_assumption = sides.into_iter().any(|(_, val)| val.info.is_assumed)
                || self.stated(data.0).is_some();
            let rest = |other: &Dim| {
                let other = other.known().filter(|n| *n > 0)?;
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "an exact division is checked for"
                )]
                let rest = cells.and_then(|cells| as_size(cells / other as f64))?;
                Some(unless_assumed(rest, rests_on_assumption))
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
                    self.node(operand)
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
        let is_assumed = operands.iter().any(|(_, val)| val.info.is_assumed);
        let rows = unless_assumed(rows, is_assumed);
        let info = ValueInfo::matrix(rows, Dim::Known(1), Some(1.0));
        let mut nodes = Vec::new();
        for (i, slot) in slots.iter().enumerate() {
            nodes.push(match (slot, step) {
                (Some(operand), _) if operand.1.form != Form::Impure => self.node(operand),
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
            (_, Some(default)) => Val::opaque(default.info.clone().of_any_number()),
            (_, None) => Val::opaque(ValueInfo::unknown()),
        }
    }

    /// `as.double(x)` and its like: of a 1 x 1 matrix or of a scalar.
    fn eval_cast(&mut self, expr: &Expr, call: &Call) -> Val {
        let [arg] = call.args.as_slice() else {
            return self.eval_builtin(expr, call);
        };
        let val = self.eval(&arg.value);
        let row = sumac_builtins::find(&call.name.name);
        let to = row.and_then(|row| Some(row.results.first()?.kind));
        match (to, val.info.kind) {
            // A double of a number is the number; of a 1 x 1 matrix, its cell.
            (Some(Kind::Double), ValueKind::Double | ValueKind::Int)
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
            (Some(Kind::Double), ValueKind::Matrix) => {
                self.apply(Op::AsScalar, expr, &[(&arg.value, val)])
            }
            (to, _) => {
                self.keep_part(&arg.value, &val);
                let number = val.info.number();
                let constant = match to {
                    Some(Kind::Int) => number.map(|n| Constant::Number(n.trunc())),
                    Some(Kind::Bool) => number.map(|n| Constant::Bool(n != 0.0)),
                    _ => number.map(Constant::Number),
                };
                let kind = match to {
                    Some(Kind::Int) => ValueKind::Int,
                    Some(Kind::Bool) => ValueKind::Bool,
                    _ => ValueKind::Double,
                };
                let info = ValueInfo {
                    size: val.info.size.clone(),
                    is_assumed: val.info.is_assumed,
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
