//! Calls of functions of scripts in a form that SystemDS does not take: arguments with and without names in one call, and
//! arguments that are left out where it needs each of them.

use sumac_syntax::ast::{Call, Expr, ExprKind, UnaryOp};
use sumac_syntax::walk::{Node, walk};
use sumac_text::TextRange;

use super::checked::{Checked, diagnostic};
use crate::db::resolve::Lookup;
use crate::result::{Diagnostic, codes};

pub(super) fn check(checked: &Checked<'_>, acc: &mut Vec<Diagnostic>) {
    walk(checked.program, &mut |node| {
        if let Node::Expr(Expr {
            range,
            kind: ExprKind::Call(call),
        }) = node
        {
            let message = problem(checked, call, *range);
            acc.extend(message.map(|message| diagnostic(codes::ARGUMENT_FORM, *range, message)));
        }
    });
}

fn problem(checked: &Checked<'_>, call: &Call, place: TextRange) -> Option<String> {
    let namespace = call.namespace.as_ref().map(|ident| &*ident.name);
    let name = &*call.name.name;
    if namespace.is_none() && !checked.is_own(name) {
        return None;
    }
    let Lookup::Function(callee) = checked.world.lookup(namespace, name) else {
        return None;
    };
    let declaration = checked.world.declaration(callee)?;
    let def = &declaration.def;
    if call
        .args
        .iter()
        .any(|arg| arg.value.kind == ExprKind::Missing)
    {
        return None;
    }
    let named = call.args.iter().filter(|arg| arg.name.is_some()).count();
    let written = |at: usize| checked.slice(&call.args[at].value);
    let is_inlined = checked.world.is_inlined(callee);
    if named > 0 && named < call.args.len() {
        // Before it looks at names, SystemDS puts a small function in the place of its call; inside of branches and loops it only
        // warns.
        if is_inlined && call.args.len() == def.params.len() || checked.is_inside(place) {
            return None;
        }
        let all: Vec<String> = call
            .args
            .iter()
            .enumerate()
            .map(|(at, arg)| {
                let param = match &arg.name {
                    Some(name) => Some(&name.name),
                    None => def.params.get(at).map(|param| &param.name.name),
                };
                match param {
                    Some(param) => format!("{param} = {}", written(at)),
                    None => written(at).to_owned(),
                }
            })
            .collect();
        return Some(format!(
            "a call of `{name}` gives all of its arguments names, or none; write `{name}({})`",
            all.join(", ")
        ));
    }
    let is_given = |at: usize| match named {
        0 => at < call.args.len(),
        _ => {
            let param = &def.params[at].name.name;
            let mut names = call.args.iter().filter_map(|arg| arg.name.as_ref());
            names.any(|ident| ident.name == *param)
        }
    };
    let left_out: Vec<usize> = (0..def.params.len()).filter(|at| !is_given(*at)).collect();
    // What has no default is told of with the number of arguments.
    let has_defaults = left_out.iter().all(|at| def.params[*at].default.is_some());
    if left_out.is_empty() || !has_defaults {
        return None;
    }
    if !is_inlined && (named > 0 || call.args.is_empty()) {
        return None;
    }
    let names: Vec<String> = left_out
        .iter()
        .map(|at| format!("`{}`", def.params[*at].name.name))
        .collect();
    let why = if is_inlined {
        "SystemDS puts the body of so small a function in the place of the call, and then wants every argument"
    } else {
        "SystemDS takes the default only of a call that names its arguments"
    };
    let way = if is_inlined || named > 0 {
        let values = left_out.iter().map(|at| {
            let param = &def.params[*at];
            let value = param.default.as_ref().map(default_text);
            let value = value.flatten().unwrap_or_else(|| "…".to_owned());
            if named > 0 {
                format!("{} = {value}", param.name.name)
            } else {
                value
            }
        });
        let all: Vec<String> = (0..call.args.len())
            .map(|at| match &call.args[at].name {
                Some(name) => format!("{} = {}", name.name, written(at)),
                None => written(at).to_owned(),
            })
            .chain(values)
            .collect();
        format!("{name}({})", all.join(", "))
    } else {
        let all: Vec<String> = (0..call.args.len())
            .map(|at| format!("{} = {}", def.params[at].name.name, written(at)))
            .collect();
        format!("{name}({})", all.join(", "))
    };
    Some(format!(
        "this call leaves out {}: {why}; write `{way}`",
        names.join(", ")
    ))
}

/// The default as a caller would write it: a literal. What reads other parameters means nothing there.
fn default_text(default: &Expr) -> Option<String> {
    Some(match &default.kind {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Double(n) => format!("{n:?}"),
        ExprKind::Bool(b) => b.to_string().to_uppercase(),
        ExprKind::Str(s) => format!("\"{}\"", s.value),
        ExprKind::Unary(UnaryOp::Neg, inner) => format!("-{}", default_text(inner)?),
        _ => return None,
    })
}
