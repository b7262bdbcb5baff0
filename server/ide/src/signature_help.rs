//! The signature of the call that is being typed, and the parameter that the cursor stands in.
//!
//! ```text
//! Y = rand(rows=10, cols=$0
//! ```
//! shows `rand(rows: int = 1, cols: int = 1, …)` with `cols` marked.

use sumac_text::TextRange;

use crate::callable::{self, Callable};
use crate::files::Files;
use crate::snapshot::Snapshot;
use crate::tokens::{Cursor, Inside, OpenCall};

/// The signatures that fit a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureHelp {
    /// The ways to call it, the plainest first.
    pub signatures: Vec<Signature>,
    /// The one that fits the arguments so far.
    pub active: usize,
}

/// One way to call a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Its text.
    pub label: String,
    /// What the function does, as markdown.
    pub docs: String,
    /// Its parameters: where each stands in the label, and what it means.
    pub params: Vec<(TextRange, String)>,
    /// The parameter that the cursor stands in, if it is one.
    pub active: Option<usize>,
}

/// The signatures for a cursor at `offset`.
#[must_use]
pub fn signature_help(
    snapshot: &Snapshot,
    offset: usize,
    files: &dyn Files,
) -> Option<SignatureHelp> {
    let cursor = Cursor::new(&snapshot.parse, offset);
    if matches!(cursor.inside, Inside::Comment | Inside::Fact(_)) {
        return None;
    }
    let call = cursor.enclosing_call()?;
    let callables = callables(snapshot, &call, files);
    let signatures: Vec<Signature> = callables.iter().map(|c| signature(c, &call)).collect();
    // The first that has a place for the argument at the cursor; none has one if there are too many.
    let fits = |signature: &Signature| signature.active.is_some();
    let active = signatures.iter().position(fits).unwrap_or(0);
    (!signatures.is_empty()).then_some(SignatureHelp { signatures, active })
}

fn callables(snapshot: &Snapshot, call: &OpenCall<'_>, files: &dyn Files) -> Vec<Callable> {
    if let Some(namespace) = call.namespace {
        let found = crate::files::namespace(snapshot, namespace, files);
        let found = found.as_ref().and_then(|script| {
            let def = callable::definition(script.program(), call.name)?;
            Some(Callable::of_function(script, def, None).in_namespace(namespace))
        });
        return found.into_iter().collect();
    }
    if let Some(def) = callable::definition(snapshot.parse.program(), call.name) {
        let mut infos = snapshot.analysis.functions.iter();
        let known = infos.find(|info| *info.name == *call.name);
        return vec![Callable::of_function(&snapshot.parse, def, known)];
    }
    let builtin = sumac_builtins::find(call.name).map(Callable::of_builtin);
    builtin.map(forms).unwrap_or_default()
}

/// The ways to call a builtin: with what every call gives, and with everything, where positions alone would not tell
/// them apart at a glance.
fn forms(builtin: Callable) -> Vec<Callable> {
    let required = builtin.params.iter().filter(|p| p.is_required).count();
    let has_short_form =
        required > 0 && required < builtin.params.len() && required == prefix(&builtin);
    let short = has_short_form.then(|| Callable {
        params: builtin.params[..required].to_vec(),
        rest: None,
        ..builtin.clone()
    });
    // A list of options is no other way to call the function.
    let few_options = builtin.params.len() - required <= 2;
    let short = short.filter(|_| few_options && builtin.rest.is_none());
    short.into_iter().chain([builtin]).collect()
}

/// How many required parameters stand at the front.
fn prefix(builtin: &Callable) -> usize {
    builtin.params.iter().take_while(|p| p.is_required).count()
}

fn signature(callable: &Callable, call: &OpenCall<'_>) -> Signature {
    let (label, places) = callable.label();
    let docs = callable.params.iter().map(|param| param.docs.clone());
    let docs = docs.chain(
        callable
            .rest
            .map(|_| "any number of further arguments".to_owned()),
    );
    Signature {
        label,
        docs: callable.docs.clone(),
        params: places.into_iter().zip(docs).collect(),
        active: active(callable, call),
    }
}

/// The parameter of the argument at the cursor: by its name, else by its place among the arguments without one.
fn active(callable: &Callable, call: &OpenCall<'_>) -> Option<usize> {
    let arg = call.args.get(call.active)?;
    let index = |name: &str| callable.params.iter().position(|param| param.name == name);
    if let Some(name) = arg.name {
        return index(name);
    }
    let before = &call.args[..call.active];
    let given: Vec<usize> = before.iter().filter_map(|arg| index(arg.name?)).collect();
    // Behind named arguments, an empty place is for the first parameter that has not been given.
    let at = if given.is_empty() {
        before.iter().filter(|arg| arg.name.is_none()).count()
    } else {
        let unnamed = before.iter().filter(|arg| arg.name.is_none()).count();
        let mut free =
            (0..callable.params.len()).filter(|at| *at >= unnamed && !given.contains(at));
        free.next().unwrap_or(callable.params.len())
    };
    if at < callable.params.len() {
        Some(at)
    } else {
        callable.rest.map(|_| callable.params.len())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::files::fixture::Scripts;
    use crate::fixture::at_cursor;

    #[track_caller]
    fn check(fixture: &str, expected: &Expect) {
        let (snapshot, offset) = at_cursor(fixture);
        let files = Scripts(&[(
            "lib.dml",
            "# Adds up.\ntotal = function(Matrix[Double] A, Double k = 1) return (Double s) { s = sum(A) * k }\n",
        )]);
        let shown = match signature_help(&snapshot, offset, &files) {
            None => "nothing\n".to_owned(),
            Some(help) => help
                .signatures
                .iter()
                .enumerate()
                .map(|(i, signature)| {
                    let sign = if i == help.active { ">" } else { " " };
                    let marked = signature
                        .active
                        .map_or("-", |at| &signature.label.as_str()[signature.params[at].0]);
                    format!("{sign} {}\n    {marked}\n", signature.label)
                })
                .collect(),
        };
        expected.assert_eq(&shown);
    }

    const FUNCTION: &str = "f = function(Matrix[Double] A, Double k = 2, Boolean b = TRUE) return (Double s) { s = sum(A) * k }\n";

    #[test]
    fn the_parameter_at_the_cursor_is_marked() {
        check(
            &format!("{FUNCTION}y = f(X, $0"),
            &expect![[r#"
                > f(Matrix[Double] A, Double k = 2, Boolean b = TRUE) return (Double s)
                    Double k = 2
            "#]],
        );
        check(
            &format!("{FUNCTION}y = f(X, b=$0, k=3)"),
            &expect![[r#"
                > f(Matrix[Double] A, Double k = 2, Boolean b = TRUE) return (Double s)
                    Boolean b = TRUE
            "#]],
        );
        check(
            &format!("{FUNCTION}y = f(X, k=3, $0)"),
            &expect![[r#"
                > f(Matrix[Double] A, Double k = 2, Boolean b = TRUE) return (Double s)
                    Boolean b = TRUE
            "#]],
        );
    }

    #[test]
    fn nested_calls_show_the_innermost() {
        check(
            &format!("{FUNCTION}y = f(nrow($0), 2)"),
            &expect![[r#"
                > nrow(X: any) -> int
                    X: any
            "#]],
        );
        check(
            &format!("{FUNCTION}y = f(nrow(X) + (1 + $0"),
            &expect![[r#"
                > f(Matrix[Double] A, Double k = 2, Boolean b = TRUE) return (Double s)
                    Matrix[Double] A
            "#]],
        );
    }

    #[test]
    fn too_many_arguments_have_no_parameter() {
        check(
            "y = nrow(X, $0",
            &expect![[r#"
                > nrow(X: any) -> int
                    -
            "#]],
        );
    }

    #[test]
    fn functions_of_a_namespace_are_read_from_their_file() {
        check(
            "source(\"lib.dml\") as lib\ny = lib::total(X, $0",
            &expect![[r#"
                > lib::total(Matrix[Double] A, Double k = 1) return (Double s)
                    Double k = 1
            "#]],
        );
        check(
            "source(\"gone.dml\") as lib\ny = lib::total($0",
            &expect![[r#"
            nothing
        "#]],
        );
    }

    #[test]
    fn a_builtin_with_an_option_has_two_forms() {
        check(
            "y = mean(X$0",
            &expect![[r#"
                > mean(X: matrix) -> double
                    X: matrix
                  mean(X: matrix, w?: matrix) -> double
                    X: matrix
            "#]],
        );
        check(
            "y = mean(X, $0",
            &expect![[r#"
                  mean(X: matrix) -> double
                    -
                > mean(X: matrix, w?: matrix) -> double
                    w?: matrix
            "#]],
        );
    }

    #[test]
    fn there_is_nothing_where_nothing_is_called() {
        check(
            "y = (1 + $0",
            &expect![[r#"
            nothing
        "#]],
        );
        check(
            "y = unknown_function($0",
            &expect![[r#"
            nothing
        "#]],
        );
        check(
            "if ($0",
            &expect![[r#"
            nothing
        "#]],
        );
        check(
            "y = sum(X) $0",
            &expect![[r#"
            nothing
        "#]],
        );
        check(
            "# sum($0",
            &expect![[r#"
            nothing
        "#]],
        );
    }
}
