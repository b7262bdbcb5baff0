//! Calls of builtins against their rows of the table: what is wrong with a call, and what it gives.
//!
//! The rows are data (`sumac_builtins`); operators of linear algebra take their shapes from `sumac_la`. Nothing here
//! names a function, but for the few whose arguments decide the size in a way of their own. What is not certain for
//! every run of SystemDS is not said.

use sumac_builtins::{Builtin, Extent, Kind, Presence, ResultValue, ShapeRule, Source};
use sumac_la::{Dag, Dim, Limits, Op, Type};
use sumac_syntax::ast::{Call, Expr, ExprKind};

use crate::analyzer::Analyzer;
use crate::expr::Operand;
use crate::names::strip;
use crate::result::{Severity, codes};
use crate::value::{Constant, ValueInfo, ValueKind};

/// The place of the argument of each parameter.
type Bound = Vec<Option<usize>>;

/// Which argument each parameter gets: by its name, the others in order.
fn bind(row: &Builtin, call: &Call) -> Bound {
    let mut bound = vec![None; row.params.len()];
    let mut positional = 0;
    for (i, arg) in call.args.iter().enumerate() {
        let at = match &arg.name {
            Some(name) => row.params.iter().position(|p| p.name == &*name.name),
            None => {
                positional += 1;
                Some(positional - 1)
            }
        };
        if let Some(slot) = at.and_then(|at| bound.get_mut(at)) {
            *slot = Some(i);
        }
    }
    bound
}

impl Analyzer<'_> {
    /// Reports a name that nothing has, a wrong number of arguments, and names that no parameter has.
    pub(crate) fn check_builtin(&mut self, expr: &Expr, call: &Call) {
        let Some(row) = sumac_builtins::find(&call.name.name) else {
            return self.unknown_function(call);
        };
        let missing = |arg: &sumac_syntax::ast::Arg| arg.value.kind == ExprKind::Missing;
        if call.args.iter().any(missing) {
            return;
        }
        if let Some(problem) = wrong_number(row, call) {
            let message = format!("`{}` takes {problem}", call.name.name);
            self.report(Severity::Error, codes::WRONG_ARITY, expr.range, message);
        }
        if !row.named || row.variadic {
            return;
        }
        for ident in call.args.iter().filter_map(|arg| arg.name.as_ref()) {
            if row.param(&ident.name).is_none() {
                let known = row.params.iter().map(|param| param.name);
                self.unknown_parameter(ident.range, &ident.name, &call.name.name, known);
            }
        }
    }

    fn unknown_function(&mut self, call: &Call) {
        let name = &*call.name.name;
        let own = self.functions.keys().map(|name| &**name);
        let builtins = sumac_builtins::all().iter().flat_map(Builtin::names);
        let known: Vec<&str> = builtins.map(|name: &str| name).chain(own).collect();
        let mut message = format!("neither the script nor SystemDS has a function `{name}`");
        if let Some(near) = crate::suggest::nearest(name, known.into_iter()) {
            message.push_str(&format!("; did you mean `{near}`?"));
        }
        let range = call.name.range;
        self.report(Severity::Error, codes::UNKNOWN_FUNCTION, range, message);
    }

    /// Reports a number of names that the results of a builtin cannot be given to.
    pub(crate) fn check_targets(&mut self, row: &Builtin, expr: &Expr, wanted: usize) {
        let most = row.results.len();
        if most == 0 || (row.fewest_results..=most).contains(&wanted) {
            return;
        }
        let plural = if most == 1 { "" } else { "s" };
        let names = if wanted == 1 { "name" } else { "names" };
        let mut message = format!(
            "`{}` gives {most} result{plural}, found {wanted} {names} for them",
            row.name
        );
        if wanted < row.fewest_results {
            let list: Vec<&str> = row.results.iter().map(|result| result.name).collect();
            let list = list[..row.fewest_results].join(", ");
            message.push_str(&format!("; write `[{list}] = {}(…)`", row.name));
        }
        self.report(Severity::Error, codes::WRONG_ARITY, expr.range, message);
    }
}

/// How many arguments, or which ones, a call should have had and does not.
fn wrong_number(row: &Builtin, call: &Call) -> Option<String> {
    let found = call.args.len();
    let (fewest, most) = (row.fewest(), row.most().unwrap_or(usize::MAX));
    let by_name = call.args.iter().all(|arg| arg.name.is_some());
    if found <= most && (row.source == Source::Script || row.named && by_name) {
        let bound = bind(row, call);
        let params = row.params.iter().zip(&bound);
        let missing: Vec<&str> = params
            .filter(|(param, arg)| param.default == Presence::Required && arg.is_none())
            .map(|(param, _)| param.name)
            .collect();
        let all: Vec<&str> = row.params.iter().map(|param| param.name).collect();
        let (all, missing) = (all.join(", "), missing.join("`, `"));
        return (!missing.is_empty()).then(|| format!("({all}), found no value for `{missing}`"));
    }
    if (fewest..=most).contains(&found) {
        return None;
    }
    let takes = match (fewest, most) {
        (fewest, usize::MAX) => format!("at least {fewest}"),
        (fewest, most) if fewest == most => format!("{fewest}"),
        (fewest, most) => format!("{fewest} to {most}"),
    };
    let one = takes == "1" || takes.ends_with(" 1");
    let plural = if one { "" } else { "s" };
    Some(format!("{takes} argument{plural}, found {found}"))
}

/// What is known of each result of a call.
pub(crate) fn results(row: &Builtin, call: &Call, operands: &[Operand<'_>]) -> Vec<ValueInfo> {
    let bound = bind(row, call);
    let args = Args {
        row,
        values: bound
            .iter()
            .map(|at| at.and_then(|at| operands.get(at)).map(|(_, val)| &val.info))
            .collect(),
        all: operands.iter().map(|(_, val)| &val.info).collect(),
        exprs: operands.iter().map(|(expr, _)| *expr).collect(),
    };
    let special = match row.shape {
        ShapeRule::Operator => args.operator(),
        ShapeRule::Special => args.special(),
        ShapeRule::Unknown | ShapeRule::Results => None,
    };
    match special {
        Some(info) => vec![info],
        None => row
            .results
            .iter()
            .map(|result| args.result(result))
            .collect(),
    }
}

/// The arguments of a call.
struct Args<'a> {
    row: &'a Builtin,
    /// For each parameter.
    values: Vec<Option<&'a ValueInfo>>,
    /// As they are written.
    all: Vec<&'a ValueInfo>,
    /// Their text, in the same order.
    exprs: Vec<&'a Expr>,
}

impl Args<'_> {
    fn result(&self, result: &ResultValue) -> ValueInfo {
        let first = self.values.first().copied().flatten();
        let kind = match result.kind {
            Kind::Matrix => ValueKind::Matrix,
            Kind::Frame => ValueKind::Frame,
            Kind::Numeric => self.numeric(),
            Kind::Tabular => match first.map(|info| info.kind) {
                Some(kind @ (ValueKind::Matrix | ValueKind::Frame)) => kind,
                _ => ValueKind::Unknown,
            },
            Kind::List => ValueKind::List,
            Kind::String => ValueKind::String,
            Kind::Int => ValueKind::Int,
            Kind::Double => ValueKind::Double,
            Kind::Bool => ValueKind::Bool,
            Kind::Scalar => ValueKind::Scalar,
            Kind::Tensor | Kind::Any => ValueKind::Unknown,
        };
        let mut info = ValueInfo::of(kind);
        if let (ValueKind::Matrix | ValueKind::Frame, Some(size)) = (kind, &result.size) {
            (info.rows, info.cols) = (self.dim(&size.rows), self.dim(&size.cols));
        }
        info
    }

    /// A matrix if any argument is one, a scalar if all are.
    fn numeric(&self) -> ValueKind {
        let is = |kind: fn(ValueKind) -> bool| move |info: &&ValueInfo| kind(info.kind);
        if self.all.iter().any(is(|kind| kind == ValueKind::Matrix)) {
            ValueKind::Matrix
        } else if self.all.iter().all(is(ValueKind::is_numeric_scalar)) {
            ValueKind::Scalar
        } else {
            ValueKind::Unknown
        }
    }

    /// The value of a parameter, or its default.
    fn number(&self, at: usize) -> Option<f64> {
        match self.values.get(at)? {
            Some(info) => info.number(),
            None => match self.row.params[at].default {
                Presence::Optional(Some(text)) => Constant::parse(text).number(),
                _ => None,
            },
        }
    }

    /// The same where no other argument and no other data changes it.
    fn certain(&self, at: usize) -> Option<f64> {
        let is_assumed = matches!(self.values.get(at)?, Some(info) if info.is_assumed);
        self.number(at).filter(|_| !is_assumed)
    }

    fn dim(&self, extent: &Extent) -> Dim {
        let side = |at: &usize, of: fn(&ValueInfo) -> &Dim| match self.values.get(*at) {
            Some(Some(info)) if info.kind != ValueKind::List => of(info).clone(),
            _ => Dim::Unknown,
        };
        match extent {
            Extent::Unknown => Dim::Unknown,
            Extent::Number(n) => Dim::Known(*n),
            Extent::Rows(at) => side(at, |info| &info.rows),
            Extent::Cols(at) => side(at, |info| &info.cols),
            Extent::Value(at) => match self.values.get(*at) {
                Some(Some(info)) => info.extent(),
                _ => self
                    .number(*at)
                    .and_then(crate::value::as_size)
                    .unwrap_or(Dim::Unknown),
            },
            #[expect(clippy::cast_precision_loss, reason = "bounds of the table are small")]
            Extent::Above(at, bound) => match self.certain(*at) {
                Some(n) => Dim::Known(u64::from(n > *bound as f64)),
                None => Dim::Unknown,
            },
            Extent::Sum(a, b) => self.dim(a).plus(&self.dim(b)),
            Extent::Difference(a, b) => self.dim(a).minus(&self.dim(b)),
            Extent::Product(a, b) => self.dim(a).times(&self.dim(b)),
            Extent::Least(a, b) => match (self.dim(a), self.dim(b)) {
                (Dim::Known(a), Dim::Known(b)) => Dim::Known(a.min(b)),
                (a, b) if a == b => a,
                _ => Dim::Unknown,
            },
            Extent::Choice(at, yes, no) => match self.certain(*at) {
                Some(n) if n != 0.0 => self.dim(yes),
                Some(_) => self.dim(no),
                None => Dim::Unknown,
            },
        }
    }

    /// What the table of operators says, where an argument of unknown kind has to be a matrix.
    fn operator(&self) -> Option<ValueInfo> {
        if self.row.results.first()?.kind != Kind::Matrix {
            return None;
        }
        let op = Op::by_call_name(self.row.name, self.all.len())?;
        let mut scratch = Dag::default();
        let mut nodes = Vec::new();
        for (i, info) in self.all.iter().enumerate() {
            let ty = match info.kind {
                ValueKind::Unknown => Type::unknown_matrix(),
                _ => info.la_type()?,
            };
            nodes.push(scratch.input(&i.to_string(), ty));
        }
        let node = scratch.op(op, nodes).ok()?;
        let ty = scratch.ty(node);
        Some(ValueInfo {
            limits: ty.limits,
            ..ValueInfo::matrix(ty.rows.clone(), ty.cols.clone(), ty.sparsity)
        })
    }

    /// `table(i, j)` has a cell for each pair: where no value occurs twice among the rows, no row gets two of them.
    fn table_limits(&self) -> Limits {
        let distinct = |at: usize| {
            self.exprs
                .get(at)
                .is_some_and(|expr| Self::is_distinct(expr))
        };
        let rows = if distinct(0) {
            Limits::ONE_A_ROW
        } else {
            Limits::NONE
        };
        let cols = if distinct(1) {
            Limits::ONE_A_COLUMN
        } else {
            Limits::NONE
        };
        rows.meet(cols)
    }

    /// Whether the expression is a `seq(…)` that never repeats a whole number: one by steps of whole numbers.
    fn is_distinct(expr: &Expr) -> bool {
        match &strip(expr).kind {
            ExprKind::Call(call) if &*call.name.name == "seq" => match call.args.as_slice() {
                [_, _] => call.args.iter().all(|arg| arg.name.is_none()),
                [_, _, step] => matches!(&step.value.kind,
                    ExprKind::Int(n) if *n != 0),
                _ => false,
            },
            _ => false,
        }
    }

    /// The functions whose results take a form that their arguments decide.
    fn special(&self) -> Option<ValueInfo> {
        let given = |name: &str| {
            let at = self
                .row
                .params
                .iter()
                .position(|param| param.name == name)?;
            self.values[at]
        };
        let matrix = |rows: &Dim, cols: &Dim| ValueInfo::matrix(rows.clone(), cols.clone(), None);
        let (one, unknown) = (Dim::Known(1), Dim::Unknown);
        match self.row.name {
            // The sizes are the last two numbers, behind weights or at once behind the pairs.
            "table" => {
                let table = match self.all.as_slice() {
                    [_, _, rows, cols] | [_, _, _, rows, cols, ..] => {
                        matrix(&rows.extent(), &cols.extent())
                    }
                    _ => matrix(&unknown, &unknown),
                };
                Some(table.within(self.table_limits()))
            }
            "aggregate" => {
                let target = given("target");
                let cols = match target {
                    Some(info) if info.cols.is_one() => one,
                    Some(info) if info.rows.known().is_some_and(|n| n > 1) => info.cols.clone(),
                    _ => unknown.clone(),
                };
                let groups = given("ngroups").map_or(unknown, ValueInfo::extent);
                Some(matrix(&groups, &cols))
            }
            "unique" if given("dir").is_none() => Some(matrix(&unknown, &one)),
            "countDistinct" | "countDistinctApprox" => match (given("dir"), given("data")) {
                (None, _) => Some(ValueInfo::of(ValueKind::Int)),
                (Some(dir), Some(data)) => match &dir.constant {
                    Some(Constant::Text(text)) if &**text == "r" => Some(matrix(&data.rows, &one)),
                    Some(Constant::Text(text)) if &**text == "c" => Some(matrix(&one, &data.cols)),
                    _ => None,
                },
                _ => None,
            },
            "quantile" => match self.all.last()? {
                shares if shares.kind == ValueKind::Matrix => {
                    Some(matrix(&shares.rows, &shares.cols))
                }
                share if share.kind.is_numeric_scalar() => Some(ValueInfo::of(ValueKind::Double)),
                _ => None,
            },
            _ => None,
        }
    }
}
