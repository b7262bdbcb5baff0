//! What can be called, as people read it: signature, parameters, what it does. Builtins and the script's functions
//! look alike here, so that hover, completion and signature help say the same of both.

use std::fmt::Write;

use sumac_analysis::{FunctionInfo, ParamInfo, ValueInfo};
use sumac_builtins::{Builtin, Presence};
use sumac_syntax::Parse;
use sumac_syntax::ast::{FunctionDef, Program, StmtKind};
use sumac_syntax::comments::CommentKind;
use sumac_text::TextRange;

/// Something that can be called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Callable {
    /// Its name, with its namespace where it has one.
    pub(crate) name: String,
    /// Its parameters in order.
    pub(crate) params: Vec<CallableParam>,
    /// What stands behind the parameters when any number of arguments may follow: `...`.
    pub(crate) rest: Option<&'static str>,
    /// What it gives, as it is written behind the parameters.
    pub(crate) results: String,
    /// What it does; empty where nobody says.
    pub(crate) docs: String,
    /// Whether arguments may be given by name.
    pub(crate) takes_names: bool,
    /// What to call instead.
    pub(crate) deprecated: Option<&'static str>,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct CallableParam {
    /// Its name.
    pub(crate) name: String,
    /// How it stands in the signature.
    pub(crate) label: String,
    /// What it means, or what is known of its values; may be empty.
    pub(crate) docs: String,
    /// The values it can have, as a script writes them, if there is such a list.
    pub(crate) values: Vec<&'static str>,
    /// Whether every call gives it.
    pub(crate) is_required: bool,
}

impl Callable {
    /// A builtin.
    pub(crate) fn of_builtin(builtin: &Builtin) -> Callable {
        let label = builtin.signature();
        let results = label.rsplit_once(" -> ").map_or("", |(_, results)| results);
        let params = builtin.params.iter().map(|param| CallableParam {
            name: param.name.to_owned(),
            label: param.to_string(),
            docs: sentence(param.summary, &param.values),
            values: param.values.clone(),
            is_required: param.default == Presence::Required,
        });
        Callable {
            name: builtin.name.to_owned(),
            params: params.collect(),
            rest: builtin.variadic.then_some("..."),
            results: if results.is_empty() {
                String::new()
            } else {
                format!(" -> {results}")
            },
            docs: builtin.summary.to_owned(),
            takes_names: builtin.named,
            deprecated: builtin.deprecated,
        }
    }

    /// A function of a script; `known` is what its calls tell.
    pub(crate) fn of_function(
        parse: &Parse,
        def: &FunctionDef,
        known: Option<&FunctionInfo>,
    ) -> Callable {
        let text: &str = parse.text();
        let one_line = |range: TextRange| {
            let words: Vec<&str> = text[range].split_whitespace().collect();
            words.join(" ")
        };
        let params = def.params.iter().map(|param| {
            let info = known.and_then(|known| find(&known.params, &param.name.name));
            CallableParam {
                name: param.name.name.to_string(),
                label: one_line(param.range),
                docs: info
                    .and_then(|param| facts(&param.info))
                    .unwrap_or_default(),
                values: Vec::new(),
                is_required: param.default.is_none(),
            }
        });
        let results: Vec<String> = def.results.iter().map(|p| one_line(p.range)).collect();
        Callable {
            name: def.name.name.to_string(),
            params: params.collect(),
            rest: None,
            results: if results.is_empty() {
                String::new()
            } else {
                format!(" return ({})", results.join(", "))
            },
            docs: comment_above(parse, def.name.range.start),
            takes_names: true,
            deprecated: None,
        }
    }

    /// The same under a namespace.
    pub(crate) fn in_namespace(mut self, namespace: &str) -> Callable {
        self.name = format!("{namespace}::{}", self.name);
        self
    }

    /// The whole signature, and where each parameter stands in it.
    pub(crate) fn label(&self) -> (String, Vec<TextRange>) {
        let mut label = format!("{}(", self.name);
        let mut places = Vec::new();
        for (i, param) in self.params.iter().enumerate() {
            if i > 0 {
                label.push_str(", ");
            }
            let start = label.len();
            label.push_str(&param.label);
            places.push(TextRange::new(start, label.len()));
        }
        if let Some(rest) = self.rest {
            if !self.params.is_empty() {
                label.push_str(", ");
            }
            let start = label.len();
            label.push_str(rest);
            places.push(TextRange::new(start, label.len()));
        }
        label.push(')');
        label.push_str(&self.results);
        (label, places)
    }

    /// Signature, what it does and its parameters, as markdown.
    pub(crate) fn markdown(&self) -> String {
        let mut out = format!("```systemds\n{}\n```\n", self.label().0);
        out.push_str(&self.prose());
        out
    }

    /// What it does and its parameters, as markdown.
    pub(crate) fn prose(&self) -> String {
        let mut out = String::new();
        if let Some(instead) = self.deprecated {
            let _ = writeln!(out, "\nDeprecated: use `{instead}`.");
        }
        if !self.docs.is_empty() {
            let _ = writeln!(out, "\n{}", self.docs);
        }
        let told: Vec<&CallableParam> = self.params.iter().filter(|p| !p.docs.is_empty()).collect();
        if !told.is_empty() {
            out.push('\n');
        }
        for param in told {
            let _ = writeln!(out, "- `{}`: {}", param.name, param.docs);
        }
        out
    }
}

/// The definition of a function in a script.
pub(crate) fn definition<'a>(program: &'a Program, name: &str) -> Option<&'a FunctionDef> {
    definitions(program).find(|def| *def.name.name == *name)
}

/// The functions that a script defines.
pub(crate) fn definitions(program: &Program) -> impl Iterator<Item = &FunctionDef> {
    program
        .statements
        .iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::Function(def) => Some(def),
            _ => None,
        })
}

/// Kind, shape and sparsity in a few words; `None` where nothing is known.
pub(crate) fn facts(info: &ValueInfo) -> Option<String> {
    let ty = info.la_type();
    if info.kind == sumac_analysis::ValueKind::Unknown {
        return None;
    }
    let mut out = info.kind.name().to_owned();
    if let Some(ty) = ty.filter(|ty| !ty.is_scalar()) {
        let is_known = |dim: &sumac_la::Dim| *dim != sumac_la::Dim::Unknown;
        if is_known(&ty.rows) || is_known(&ty.cols) {
            let _ = write!(out, " {} x {}", ty.rows, ty.cols);
        }
        if let Some(share) = ty.sparsity.filter(|share| *share < 1.0) {
            let _ = write!(out, ", sparsity {}", sumac_la::number(share));
        }
    }
    if let Some(constant) = &info.constant {
        let _ = write!(out, " = {}", constant_text(constant));
    }
    Some(out)
}

/// A constant as a script writes it.
pub(crate) fn constant_text(constant: &sumac_analysis::Constant) -> String {
    match constant {
        sumac_analysis::Constant::Number(number) => sumac_la::number(*number),
        sumac_analysis::Constant::Bool(flag) => flag.to_string().to_uppercase(),
        sumac_analysis::Constant::Text(text) => format!("{text:?}"),
    }
}

fn find<'a>(params: &'a [ParamInfo], name: &str) -> Option<&'a ParamInfo> {
    params.iter().find(|param| *param.name == *name)
}

fn sentence(summary: &str, values: &[&str]) -> String {
    let list = values.join("`, `");
    match (summary.is_empty(), values.is_empty()) {
        (_, true) => summary.to_owned(),
        (true, false) => format!("one of `{list}`"),
        (false, false) => format!("{summary}; one of `{list}`"),
    }
}

/// The comment lines right above the line of `offset`, without their signs.
fn comment_above(parse: &Parse, offset: usize) -> String {
    let text: &str = parse.text();
    let mut start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let mut lines = Vec::new();
    for comment in parse.comments().iter().rev() {
        if comment.range.start >= start {
            continue;
        }
        let gap = &text[comment.range.end..start];
        let line_start = text[..comment.range.start]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let is_alone = text[line_start..comment.range.start].trim().is_empty();
        if !gap.trim().is_empty() || gap.matches('\n').count() != 1 || !is_alone {
            break;
        }
        match comment.kind {
            CommentKind::Fact => {}
            CommentKind::Line => lines.push(clean(&text[comment.range])),
            CommentKind::Block => {
                let own: Vec<String> = text[comment.range].lines().map(clean).collect();
                lines.extend(own.into_iter().rev());
            }
        }
        start = line_start;
    }
    lines.reverse();
    lines.join("\n").trim().to_owned()
}

/// A comment's line without signs and frames of `#`, `*`, `-`, `=`.
fn clean(line: &str) -> String {
    let line = line.trim().trim_start_matches("/*").trim_end_matches("*/");
    let line = line.trim_start_matches(['#', '*', ' ']).trim_end();
    let is_frame = line.chars().all(|c| "#*-= ".contains(c));
    if is_frame {
        String::new()
    } else {
        line.to_owned()
    }
}

/// The documentation of a builtin: the same for every script.
#[must_use]
pub fn builtin_documentation(name: &str) -> Option<String> {
    let builtin = sumac_builtins::find(name)?;
    Some(Callable::of_builtin(builtin).markdown())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_function_is_shown_as_it_is_written_with_its_comment() {
        let parse = sumac_syntax::parse(
            "x = 1 # not this\n# Scales A.\n#---------\n# k: a factor\nf = function(Matrix[Double] A,\n  Double k = 2) return (Matrix[Double] B) { B = A * k }\n",
        );
        let def = definition(parse.program(), "f").expect("it is defined");
        let callable = Callable::of_function(&parse, def, None);
        expect![[r#"
            ```systemds
            f(Matrix[Double] A, Double k = 2) return (Matrix[Double] B)
            ```

            Scales A.

            k: a factor
        "#]]
        .assert_eq(&callable.markdown());
        let (label, places) = callable.label();
        let shown: Vec<&str> = places.iter().map(|place| &label.as_str()[*place]).collect();
        assert_eq!(shown, ["Matrix[Double] A", "Double k = 2"]);
    }

    #[test]
    fn a_builtin_has_the_tables_words() {
        let builtin = sumac_builtins::find("rand").expect("it is in the table");
        let text = Callable::of_builtin(builtin).markdown();
        for part in [
            "rand(rows: int",
            "pdf: string = \"uniform\"",
            "- `pdf`: ",
            "`\"normal\"`",
        ] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
    }

    #[test]
    fn a_comment_behind_code_or_after_a_gap_is_not_taken() {
        for text in [
            "# far\n\nf = function() { }\n",
            "x = 1 # behind\nf = function() { }\n",
        ] {
            let parse = sumac_syntax::parse(text);
            let def = definition(parse.program(), "f").expect("it is defined");
            assert_eq!(Callable::of_function(&parse, def, None).docs, "");
        }
    }
}
