//! Tokens over the script that they belong to.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::fixture;

const EVERYWHERE: TextRange = TextRange {
    start: 0,
    end: usize::MAX,
};

fn shown(text: &str, range: TextRange) -> String {
    let snapshot = fixture::snapshot(text);
    let modifiers = |token: &SemanticToken| {
        let all = Modifier::ALL.iter();
        all.filter(|modifier| token.modifiers.has(**modifier))
            .map(|modifier| format!(" {}", modifier.name()))
            .collect::<String>()
    };
    semantic_tokens(&snapshot, range)
        .iter()
        .map(|token| {
            let what = token.kind.name();
            format!("{} {what}{}\n", &text[token.range], modifiers(token))
        })
        .collect()
}

#[track_caller]
fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&shown(text, EVERYWHERE));
}

#[test]
fn matrices_scalars_and_sparse_inputs_are_told_apart() {
    check(
        "#@ X: 1000 x 1000, sparsity 0.01\nX = read($X)\nk = 2\ny = sum(X * k) # all\n",
        &expect![[r#"
            #@ comment
            X variable matrix sparse
            : operator
            1000 number
            x keyword
            1000 number
            sparsity keyword
            0.01 number
            X variable modification matrix sparse
            = operator
            read function defaultLibrary
            $X macro scalar
            k variable modification scalar constant
            = operator
            2 number
            y variable modification scalar
            = operator
            sum function defaultLibrary
            X variable matrix sparse
            * operator
            k variable scalar constant
            # all comment
        "#]],
    );
}

#[test]
fn functions_namespaces_parameters_and_named_arguments() {
    check(
        "source(\"u.dml\") as u\nf = function(Matrix[Double] A, Double k = 1) return (Double b) {\n  b = sum(A) * k\n}\n\
         for (i in 1:2) {\n  z = f(A=matrix(0, 2, 2), k=i) + u::g(TRUE)\n}\n",
        &expect![[r#"
            source keyword
            "u.dml" string
            as keyword
            u namespace declaration
            f function declaration
            = operator
            function keyword
            Matrix[Double] type
            A parameter declaration matrix sparse
            Double type
            k parameter declaration scalar
            = operator
            1 number
            return keyword
            Double type
            b parameter declaration scalar
            b parameter modification scalar
            = operator
            sum function defaultLibrary
            A parameter matrix sparse
            * operator
            k parameter scalar
            for keyword
            i variable declaration scalar
            in keyword
            1 number
            : operator
            2 number
            z variable modification
            = operator
            f function
            A property
            = operator
            matrix function defaultLibrary
            0 number
            2 number
            2 number
            k property
            = operator
            i variable scalar
            + operator
            u namespace
            g function
            TRUE keyword
        "#]],
    );
}

#[test]
fn every_kind_of_fact_has_its_parts() {
    check(
        "#@ W: n x 20   # text\n#@ n = 10\n#@ $f = \"a b\"\n#@ assert sum(t(X)) == sum(X)\n#@ sketch s\n#@ off\n#@ allow unused-value\n#@ X: 10 20\n",
        &expect![[r#"
            #@ comment
            W variable
            : operator
            n variable constant
            x keyword
            20 number
            # text comment
            #@ comment
            n variable constant
            = operator
            10 number
            #@ comment
            $f macro
            = operator
            "a b" string
            #@ comment
            assert keyword
            sum function defaultLibrary
            t function defaultLibrary
            X variable
            == operator
            sum function defaultLibrary
            X variable
            #@ comment
            sketch keyword
            s function
            #@ comment
            off keyword
            #@ comment
            allow keyword
            unused-value enumMember
            #@ comment
            : operator
            10 number
            20 number
        "#]],
    );
}

#[test]
fn what_runs_over_lines_is_cut_at_their_ends() {
    check(
        "x = \"a\r\n  b\" /* c\nd */\n",
        &expect![[r#"
            x variable modification scalar constant
            = operator
            "a string
              b" string
            /* c comment
            d */ comment
        "#]],
    );
}

#[test]
fn half_typed_code_is_coloured_as_far_as_it_can_be_read() {
    check(
        "y = sum(X, \nz = 1\nif (\n",
        &expect![[r#"
            y variable modification scalar
            = operator
            sum function defaultLibrary
            X variable
            z variable modification scalar constant
            = operator
            1 number
            if keyword
        "#]],
    );
    check(
        "é ∑ \"",
        &expect![[r#"
        " string
    "#]],
    );
}

#[test]
fn a_range_has_the_tokens_of_the_whole_that_touch_it() {
    let text = "a = 1\nb = \"x\n y\" + a\nc = 2\n";
    let start = text.find(" y").expect("in the text");
    let range = TextRange::new(start, start + 5);
    let whole = shown(text, EVERYWHERE);
    let part = shown(text, range);
    assert_eq!(part, " y\" string\n+ operator\n");
    assert!(whole.contains(&part));
    assert_eq!(shown(text, TextRange::new(5, 5)), "1 number\n");
    assert_eq!(shown("", EVERYWHERE), "");
}

fn piece_of_script() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "#@ X: 10 x 2",
        "X",
        " = ",
        "read($X)",
        "\n",
        "sum(",
        ")",
        "\"a",
        "\"",
        "# é",
        "/*",
        "*/",
        "{",
        "}",
        "if (",
        "function(Double a)",
        "return (",
        "1e3",
        "é",
        "::",
        "\r\n",
        ";",
        "#@ $",
        "[",
        "]",
        ", ",
    ])
}

proptest! {
    #[test]
    fn tokens_are_in_order_apart_and_within_their_lines(pieces in prop::collection::vec(piece_of_script(), 0..25)) {
        let text = pieces.concat();
        let snapshot = fixture::snapshot(&text);
        let mut end = 0;
        for token in semantic_tokens(&snapshot, EVERYWHERE) {
            prop_assert!(token.range.start >= end && !token.range.is_empty());
            prop_assert!(!text.as_str()[token.range].contains(['\n', '\r']));
            end = token.range.end;
        }
    }
}
