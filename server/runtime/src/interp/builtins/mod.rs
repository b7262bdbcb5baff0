//! The builtins that are more than an algebraic operator: effects, options by name, conversions, lists and frames.
//! One table; each group of them is a file.

pub(super) mod args;
mod casts;
mod construct;
mod files;
mod frames;
mod lambda;
mod lists;
mod scalars;
mod text;
mod transform;

use sumac_la::Op;

use super::{Fail, Interpreter, dynamic, operators};
use crate::value::Value;

/// A builtin with at most one result.
pub(super) struct Builtin {
    pub(super) name: &'static str,
    pub(super) run: fn(&mut Interpreter<'_>, Args) -> Result<Option<Value>, Fail>,
}

/// A builtin with several results.
pub(super) struct Several {
    pub(super) name: &'static str,
    pub(super) run: fn(&mut Interpreter<'_>, Args) -> Result<Vec<Value>, Fail>,
}

/// The builtin called `name`.
pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// The builtin with several results called `name`.
pub(super) fn find_several(name: &str) -> Option<&'static Several> {
    SEVERAL.iter().find(|builtin| builtin.name == name)
}

/// Whether the engine itself has a builtin called `name`.
pub(super) fn is_native(name: &str) -> bool {
    let name = operators::canonical(name);
    let is_operator = |op: &Op| op.info().call_name() == Some(name);
    operators::find(name).is_some()
        || find(name).is_some()
        || find_several(name).is_some()
        || Op::ALL.iter().any(is_operator)
}

#[rustfmt::skip]
static BUILTINS: &[Builtin] = &[
    Builtin { name: "print",           run: text::print },
    Builtin { name: "stop",            run: text::stop },
    Builtin { name: "assert",          run: text::assert },
    Builtin { name: "toString",        run: text::to_string },
    Builtin { name: "read",            run: files::read },
    Builtin { name: "write",           run: files::write },
    Builtin { name: "matrix",          run: construct::matrix },
    Builtin { name: "list",            run: lists::list },
    Builtin { name: "frame",           run: frames::frame },
    Builtin { name: "as.double",       run: casts::as_double },
    Builtin { name: "as.integer",      run: casts::as_integer },
    Builtin { name: "as.logical",      run: casts::as_logical },
    Builtin { name: "as.boolean",      run: casts::as_logical },
    Builtin { name: "as.scalar",       run: casts::as_scalar },
    Builtin { name: "castAsScalar",    run: casts::as_scalar },
    Builtin { name: "as.matrix",       run: casts::as_matrix },
    Builtin { name: "as.frame",        run: casts::as_frame },
    Builtin { name: "as.list",         run: casts::as_list },
    Builtin { name: "append",          run: lists::append },
    Builtin { name: "cbind",           run: lists::cbind },
    Builtin { name: "rbind",           run: lists::rbind },
    Builtin { name: "nrow",            run: frames::nrow },
    Builtin { name: "ncol",            run: frames::ncol },
    Builtin { name: "length",          run: frames::length },
    Builtin { name: "colnames",        run: frames::colnames },
    Builtin { name: "typeof",          run: frames::type_of },
    Builtin { name: "getSchema",       run: frames::type_of },
    Builtin { name: "detectSchema",    run: frames::detect_schema },
    Builtin { name: "applySchema",     run: frames::apply_schema },
    Builtin { name: "map",             run: frames::map },
    Builtin { name: "transformapply",  run: transform::apply },
    Builtin { name: "transformdecode", run: transform::decode },
    Builtin { name: "transformcolmap", run: transform::column_map },
    Builtin { name: "eval",            run: dynamic::eval },
    Builtin { name: "evalList",        run: dynamic::eval_list },
    Builtin { name: "min",             run: |_, a| scalars::extreme(a, Op::Min, Op::Min2) },
    Builtin { name: "max",             run: |_, a| scalars::extreme(a, Op::Max, Op::Max2) },
    Builtin { name: "ifelse",          run: scalars::if_else },
    Builtin { name: "time",            run: scalars::time },
];

#[rustfmt::skip]
static SEVERAL: &[Several] = &[
    Several { name: "remove",          run: lists::remove },
    Several { name: "transformencode", run: transform::encode },
];

use args::Args;
pub(super) use frames::types_of;
