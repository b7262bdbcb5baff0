//! What is known of the name under a cursor in a sketch file: what a sketch is for and which way it goes, what a pattern
//! stands for, what a set of rules does.

use sumac_sketch::text::ast::{Abstraction, Expr, Name, RuleDef, SketchDef, Stage, StageKind};
use sumac_sketch::text::{Known, Library, TextRange};

use super::VOCABULARY;
use super::words::{example, in_words};
use crate::callable::builtin_documentation;
use crate::hover::value::Hover;

/// The hover for a cursor at `offset` of a library's file.
#[must_use]
pub fn hover(library: &Library, file: usize, offset: usize) -> Option<Hover> {
    if let Some((range, known)) = library.at(file, offset)
        && let Some(markdown) = of_name(library, known)
    {
        return Some(Hover { range, markdown });
    }
    let expr = pattern_at(library, file, offset)?;
    Some(Hover {
        range: expr.range,
        markdown: of_pattern(expr),
    })
}

/// A sketch: its head, what its author says, its stages, and what fits its goal.
#[must_use]
pub fn of_sketch(sketch: &SketchDef) -> String {
    let language = sketch.language.as_ref();
    let language = language.map_or(String::new(), |name| format!(" on {}", name.text));
    let mut out = format!(
        "```sumac-sketch\nsketch {}{}{language}\n```\n",
        sketch.name.text,
        parameters(&sketch.parameters)
    );
    if !sketch.doc.is_empty() {
        out.push_str(&format!("\n{}\n", sketch.doc));
    }
    out.push('\n');
    for (number, stage) in (1..).zip(&sketch.stages) {
        out.push_str(&format!("{number}. {}\n", of_stage(stage)));
    }
    if let Some(goal) = sketch.stages.last() {
        out.push_str(&format!("\nThe {} is ", goal.kind.word()));
        out.push_str(&pattern_in_words(&goal.pattern));
    }
    out
}

fn of_stage(stage: &Stage) -> String {
    let label = stage.label.as_ref();
    let label = label.map_or(String::new(), |name| format!(" {}", name.text));
    let mut out = format!("{}{label} `{}`", stage.kind.word(), stage.pattern);
    if !stage.rules.is_empty() {
        let rules: Vec<&str> = stage.rules.iter().map(|rule| &*rule.text).collect();
        out.push_str(&format!(" using {}", rules.join(", ")));
    }
    if let Some(cost) = &stage.cost {
        out.push_str(&format!(" minimize {}", cost.text));
    }
    if !stage.limits.is_empty() {
        let limits = stage.limits.iter();
        let limits: Vec<String> = limits
            .map(|limit| format!("{} {}", limit.count, limit.unit.text))
            .collect();
        out.push_str(&format!(" within {}", limits.join(", ")));
    }
    out
}

fn of_abstraction(abstraction: &Abstraction) -> String {
    let mut out = format!(
        "```sumac-sketch\ndef {}{} = {}\n```\n",
        abstraction.name.text,
        parameters(&abstraction.parameters),
        abstraction.body
    );
    if !abstraction.doc.is_empty() {
        out.push_str(&format!("\n{}\n", abstraction.doc));
    }
    out.push_str(&format!(
        "\nStands for {}",
        pattern_in_words(&abstraction.body)
    ));
    out
}

fn of_equation(rule: &RuleDef) -> String {
    let mut out = format!(
        "```sumac-sketch\nrule {}: {} = {}\n```\n",
        rule.name.text, rule.left, rule.right
    );
    if !rule.doc.is_empty() {
        out.push_str(&format!("\n{}\n", rule.doc));
    }
    out.push_str("\nA rule: what is as the left side becomes as the right side. It is applied only if it was proved for all values of all sizes\n");
    out
}

fn of_pattern(expr: &Expr) -> String {
    format!("```sumac-sketch\n{expr}\n```\n\n{}", pattern_in_words(expr))
}

fn pattern_in_words(expr: &Expr) -> String {
    format!("{}\n\nFor example `{}`\n", in_words(expr), example(expr))
}

fn parameters(names: &[Name]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = names.iter().map(|name| &*name.text).collect();
    format!("({})", names.join(", "))
}

fn of_name(library: &Library, known: &Known) -> Option<String> {
    let listed = |all: &[(&str, &str)], name: &str, kind: &str| {
        let (_, text) = all.iter().find(|(known, _)| *known == name)?;
        Some(format!("**{name}** ({kind}): {text}\n"))
    };
    match known {
        Known::Sketch(file, number) => Some(of_sketch(library.sketch_at(*file, *number)?)),
        Known::Abstraction(file, number) => {
            Some(of_abstraction(library.abstraction(*file, *number)?))
        }
        Known::Equation(file, number) => Some(of_equation(library.rule(*file, *number)?)),
        Known::Letter(place) => {
            let text = &library.files().get(place.file)?.text[place.range];
            Some(format!(
                "`{text}`: a letter of the rule. It stands for any value, or any size, of its kind\n"
            ))
        }
        Known::Parameter(place) => {
            let text = &library.files().get(place.file)?.text[place.range];
            Some(format!(
                "`{text}`: a parameter. It stands for the pattern, the number or the size that is given where the sketch or the abstraction is named\n"
            ))
        }
        Known::Operator(name) if &**name == "contains" => Some(
            "`contains(S)`: anything that fits `S`, or has a part that does, at any depth\n"
                .to_owned(),
        ),
        Known::Operator(name) => builtin_documentation(name)
            .or_else(|| Some(format!("`{name}`: an operator of linear algebra\n"))),
        Known::Variable(name) => Some(format!(
            "`{name}`: what the script calls `{name}`, where the sketch is used\n"
        )),
        Known::Rule(name) => of_rule(name),
        Known::Cost(name) => listed(&VOCABULARY.costs, name, "what is minimized"),
        Known::Unit(name) => listed(&VOCABULARY.units, name, "a limit of a stage"),
        Known::File(file) => Some(format!("{}\n", library.files().get(*file)?.path)),
    }
}

/// A set of rules with its rules, or a rule with its equation.
fn of_rule(name: &str) -> Option<String> {
    if let Some((_, equation)) = VOCABULARY.rules.iter().find(|(known, _)| *known == name) {
        return Some(format!("**{name}** (rule): `{equation}`\n"));
    }
    let sets = &VOCABULARY.rule_sets;
    let (_, text) = sets.iter().find(|(known, _)| *known == name)?;
    let mut out = format!("**{name}** (set of rules): {text}\n\n");
    for (rule, equation) in super::rules_of(name) {
        out.push_str(&format!("- `{equation}` ({rule})\n"));
    }
    Some(out)
}

/// The smallest pattern around a place.
fn pattern_at(library: &Library, file: usize, offset: usize) -> Option<&Expr> {
    let parsed = &library.files().get(file)?.parse.file;
    let bodies = parsed.abstractions.iter().map(|one| &one.body);
    let sides = parsed
        .rules
        .iter()
        .flat_map(|rule| [&rule.left, &rule.right]);
    let stages = parsed.sketches.iter().flat_map(|sketch| &sketch.stages);
    let mut found: Option<&Expr> = None;
    let size = |range: TextRange| range.end - range.start;
    for pattern in bodies
        .chain(sides)
        .chain(stages.map(|stage| &stage.pattern))
    {
        pattern.walk(&mut |part| {
            let is_smaller = || found.is_none_or(|known| size(part.range) < size(known.range));
            if part.range.touches(offset) && !part.range.is_empty() && is_smaller() {
                found = Some(part);
            }
        });
    }
    found
}

/// What a stage is called in an outline: `guide squares`, `goal`.
pub(super) fn stage_name(stage: &Stage, number: usize) -> String {
    match (&stage.label, stage.kind) {
        (Some(label), kind) => format!("{} {}", kind.word(), label.text),
        (None, StageKind::Goal) => "goal".to_owned(),
        (None, StageKind::Guide) => format!("guide {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::fixture::at_cursor;

    fn shown(text: &str) -> String {
        let (library, offset) = at_cursor(text);
        let hover = hover(&library, 0, offset);
        hover.map_or(String::new(), |hover| hover.markdown)
    }

    #[test]
    fn a_sketch_says_what_it_is_for_and_which_way_it_goes() {
        let text = shown(
            "# Two sums.\n# X stays.\nsketch s$0(X) {\n  guide a: X + ? using factor minimize size\n  goal sum(X * ?) within 30 parts\n}",
        );
        for part in [
            "sketch s(X)",
            "Two sums.\nX stays.",
            "1. guide a `X + ?` using factor minimize size",
            "2. goal `sum(X * ?)` within 30 parts",
            "the cellwise product of `X` and anything",
            "For example `sum(X * A)`",
        ] {
            assert!(text.contains(part), "no {part} in {text}");
        }
    }

    #[test]
    fn every_kind_of_name_is_explained() {
        for (text, part) in [
            (
                "def g(X) = t(X) %*% X\nsketch s { goal g$0(?) }",
                "Stands for the matrix product of",
            ),
            ("sketch s(X) { goal X$0 }", "a parameter"),
            ("sketch s { goal contains$0(Y) }", "at any depth"),
            ("sketch s { goal sum$0(?) }", "sum(X: matrix)"),
            ("sketch s { goal Y$0 }", "what the script calls `Y`"),
            (
                "sketch s { goal ? using factor$0 }",
                "(set of rules): takes out what summands share",
            ),
            ("sketch s { goal ? using factor$0 }", "- `"),
            ("sketch s { goal ? minimize nnz$0 }", "non-zero cells"),
            ("sketch s { goal ? within 9 rounds$0 }", "rounds in which"),
            (
                "sketch s { goal ? within 9 parts$0 }",
                "rules make no larger one",
            ),
            ("sketch s { goal ? $0+ t(?) }", "the sum of"),
            ("sketch s { goal ?$0 }", "anything"),
            (
                "# Twice.\nrule two: A + A = 2 * A\nsketch s { goal ? using two$0 }",
                "rule two: A + A = 2 * A\n```\n\nTwice.",
            ),
            ("rule two: A$0 + A = 2 * A", "a letter of the rule"),
        ] {
            let shown = shown(text);
            assert!(shown.contains(part), "{text}: no {part} in {shown}");
        }
        assert_eq!(shown("sketch s { goal ? }  $0 "), "");
    }
}
