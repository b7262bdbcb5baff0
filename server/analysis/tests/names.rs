//! Where names lead.
mod support;
use expect_test::{Expect, expect};
use support::check;

/// Every name with the lines of its definitions.
#[expect(clippy::needless_pass_by_value, reason = "reads better at the call")]
fn names(text: &str, expected: Expect) {
    let analysis = check(text);
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let lines: Vec<String> = analysis
        .names
        .iter()
        .map(|name| {
            let defs: Vec<String> = name
                .definitions
                .iter()
                .map(|d| line(d.start).to_string())
                .collect();
            let role = if name.is_definition {
                "defines"
            } else {
                "uses"
            };
            let scope = name.scope.as_deref().unwrap_or("main");
            format!(
                "{} {role} {} in {scope}: {}\n",
                line(name.range.start),
                name.name,
                defs.join(" ")
            )
        })
        .collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn uses_lead_to_every_definition_that_may_arrive() {
    names(
        "x = 1\nif (x > 0) {\n  y = x\n} else {\n  y = 2\n}\nfor (i in 1:3) {\n  x = x + y\n}\nprint(x)\n",
        expect![[r#"
            1 defines x in main: 1
            2 uses x in main: 1
            3 defines y in main: 3
            3 uses x in main: 1
            5 defines y in main: 5
            7 defines i in main: 7
            8 defines x in main: 8
            8 uses x in main: 1 8
            8 uses y in main: 3 5
            10 uses x in main: 1 8
        "#]],
    );
}

#[test]
fn functions_have_names_of_their_own() {
    names(
        "f = function(Double x) return (Double y) {\n  y = x\n}\nx = 1\nz = f(x)\nprint(z)\n",
        expect![[r#"
            1 defines f in main: 1
            1 defines x in f: 1
            1 uses y in f: 2
            2 defines y in f: 2
            2 uses x in f: 1
            4 defines x in main: 4
            5 defines z in main: 5
            5 uses f in main: 1
            5 uses x in main: 4
            6 uses z in main: 5
        "#]],
    );
}

#[test]
fn occurrences_stay_inside_their_scope() {
    let text =
        "f = function(Double x) return (Double y) {\n  y = x\n}\nx = 1\nz = f(x) + x\nprint(z)\n";
    let analysis = check(text);
    let main = text.find("x = 1").unwrap();
    assert_eq!(analysis.occurrences(main).len(), 3);
    let parameter = text.find("x)").unwrap();
    assert_eq!(analysis.occurrences(parameter).len(), 2);
    assert_eq!(analysis.occurrences(text.find("f(x)").unwrap()).len(), 2);
    let (range, info) = analysis.type_at_offset(text.find("f(x)").unwrap()).unwrap();
    assert_eq!((&text[range], info.kind.name()), ("f(x)", "double"));
}
