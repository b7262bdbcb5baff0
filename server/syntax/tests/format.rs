//! Layout rules, each with before and after; and what holds for every script: the same tree, every comment, and a
//! second pass that changes nothing.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use sumac_syntax::format::{FormatError, FormatOptions, format, format_edits};
use sumac_syntax::parse;
use sumac_text::apply_edits;
use tree_sitter::Node;

const OPTIONS: FormatOptions = FormatOptions {
    line_width: 60,
    indent_width: 2,
    max_blank_lines: 2,
};

#[expect(clippy::needless_pass_by_value, reason = "`expect!` makes a value")]
#[track_caller]
fn check(text: &str, expected: Expect) {
    let formatted = format(&parse(text), &OPTIONS).expect("it can be formatted");
    expected.assert_eq(&formatted);
    let again = format(&parse(formatted.as_str()), &OPTIONS).expect("it can be formatted again");
    assert_eq!(again, formatted, "a second pass changes nothing");
}

/// What is laid out already.
#[track_caller]
fn stays(text: &str) {
    assert_eq!(format(&parse(text), &OPTIONS).as_deref(), Ok(text));
}

#[test]
fn blanks_stand_around_signs_and_behind_commas() {
    check(
        "x=1\ny<-f ( a,b ,k = 3)\nz+=-x ^ 2*( y%*%t (X) )\nu = ! v&w==2\nq=$a\n",
        expect![[r#"
            x = 1
            y <- f(a, b, k=3)
            z += -x^2 * (y %*% t(X))
            u = !v & w == 2
            q = $a
        "#]],
    );
}

#[test]
fn an_index_is_tight_and_a_range_only_between_words() {
    check(
        "x = X [ i , ]\ny = X[ ,1 : n]\nX[1:n , a+1:b] = Y[(a + 1) : b,]\n",
        expect![[r#"
            x = X[i,]
            y = X[, 1:n]
            X[1:n, a + 1 : b] = Y[(a + 1):b,]
        "#]],
    );
}

#[test]
fn semicolons_at_the_ends_of_statements_go() {
    check(
        "x = 1; y = f(2);;\nprint(y);\nif (x) { y = 1; if (y) { z = g(h(2););}; }\n",
        expect![[r#"
            x = 1
            y = f(2)
            print(y)
            if (x) {
              y = 1
              if (y) {
                z = g(h(2))
              }
            }
        "#]],
    );
}

#[test]
fn a_semicolon_stays_where_the_next_line_would_index() {
    check(
        "a = b;\n[c, d] = f();\ne = f();\n[c, d] = f()\n",
        expect![[r#"
            a = b;
            [c, d] = f()
            e = f()
            [c, d] = f()
        "#]],
    );
}

#[test]
fn blocks_open_on_their_line_and_close_on_their_own() {
    check(
        "if(a)\n{\n\n\nx = 1\n\n}\nelse if (b) { y = 2 }\nelse\n{ }\nwhile(c){z=1;w=2}\nparfor(i in 1:n,check=0){}\n",
        expect![[r#"
            if (a) {
              x = 1
            } else if (b) {
              y = 2
            } else {}
            while (c) {
              z = 1
              w = 2
            }
            parfor (i in 1:n, check=0) {}
        "#]],
    );
}

#[test]
fn a_statement_without_braces_keeps_its_line() {
    stays("if (a) x = 1 else y = 2\nif (a) x = 1\nelse y = 2\nfor (i in 1:n)\n  x = i\n");
    check(
        "if (a)\nx = 1; else y = 2\n",
        expect![[r#"
        if (a)
          x = 1
        else y = 2
    "#]],
    );
}

#[test]
fn a_statement_without_braces_that_does_not_fit_gets_its_line() {
    check(
        "if (condition_of_some_length) result = something_else(a) else result = 0\n",
        expect![[r#"
            if (condition_of_some_length)
              result = something_else(a)
            else
              result = 0
        "#]],
    );
}

#[test]
fn long_arguments_move_to_the_next_line_or_to_one_each() {
    check(
        "result = some_function(first_argument + 1, second_argument)\n\
         result = some_function(first_argument + 1, second_argument * 2, third)\n\
         result = some_function(first_argument + 1, second_argument * 2, third, fourth(x))\n\
         result = some_function(first_argument + 1, second_argument * 2, third, fourth(x), fifth)\n",
        expect![[r#"
            result = some_function(first_argument + 1, second_argument)
            result = some_function(
              first_argument + 1, second_argument * 2, third
            )
            result = some_function(
              first_argument + 1, second_argument * 2, third, fourth(x)
            )
            result = some_function(
              first_argument + 1,
              second_argument * 2,
              third,
              fourth(x),
              fifth
            )
        "#]],
    );
}

#[test]
fn plain_words_fill_their_lines() {
    check(
        "x = f(alpha, beta, gamma, delta, epsilon, zeta, eta=1, theta=-2, iota, kappa, lambda, mu)\n",
        expect![[r#"
            x = f(
              alpha, beta, gamma, delta, epsilon, zeta, eta=1, theta=-2,
              iota, kappa, lambda, mu
            )
        "#]],
    );
}

#[test]
fn a_single_argument_stays_in_its_parentheses() {
    check(
        "print(\"the value of x is \" + x + \" and the value of y is \" + y)\n\
         z = t(colSums(some_function(first_argument + 1, second_argument * 2)))\n",
        expect![[r#"
            print("the value of x is " + x + " and the value of y is " +
              y)
            z = t(colSums(some_function(
              first_argument + 1, second_argument * 2
            )))
        "#]],
    );
}

#[test]
fn long_chains_break_behind_their_operators() {
    check(
        "total = first_value * second_value + third_value\n  - fourth_value * fifth_value + (sixth_value + seventh_value)\n",
        expect![[r#"
            total = first_value * second_value + third_value -
              fourth_value * fifth_value + (sixth_value + seventh_value)
        "#]],
    );
}

#[test]
fn long_conditions_have_one_part_a_line() {
    check(
        "if (first_condition == 1 & second_condition == 2 & third > 3) { x = 1 }\n",
        expect![[r#"
            if (
              first_condition == 1 & second_condition == 2 & third > 3
            ) {
              x = 1
            }
        "#]],
    );
}

#[test]
fn a_long_function_header_has_its_parameters_below() {
    check(
        "f=function(Matrix[ Double ] X,Integer k=10)return(Matrix[Double] Y)\n{\nY=X }\n\
         long_name = function(Matrix[Double] X, Matrix[Double] Y, Integer k = 10, Double eps = 1e-6) return (Matrix[Double] Z) { Z = X }\n",
        expect![[r#"
            f = function(
              Matrix[Double] X, Integer k = 10
            ) return (Matrix[Double] Y) {
              Y = X
            }
            long_name = function(
              Matrix[Double] X,
              Matrix[Double] Y,
              Integer k = 10,
              Double eps = 1e-6
            ) return (Matrix[Double] Z) {
              Z = X
            }
        "#]],
    );
}

#[test]
fn empty_lines_stay_up_to_the_maximum() {
    check(
        "\n\na = 1\n\n\n\n\nb = 2\n\nc = 3\n\n\n",
        expect![[r#"
        a = 1


        b = 2

        c = 3
    "#]],
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "# top\na=1   # one\n#@ X: 10 x 10   \nif (b) { # why\n# first\nc = f( # all\n  d, # this\n  /* and */ e)\n# last\n} # done\n# otherwise\nelse {\n# nothing\n}\n",
        expect![[r#"
            # top
            a = 1  # one
            #@ X: 10 x 10
            if (b) {  # why
              # first
              c = f(  # all
                d,  # this
                /* and */ e
              )
              # last
            }  # done
            # otherwise
            else {
              # nothing
            }
        "#]],
    );
}

#[test]
fn comments_below_each_other_stay_so() {
    check(
        "a = 1        # one\nlonger = 22  # two\nb = 3 # three\n",
        expect![[r#"
            a = 1        # one
            longer = 22  # two
            b = 3  # three
        "#]],
    );
}

#[test]
fn the_lines_of_a_block_comment_move_together() {
    check(
        "if (a) {\n      /*\n       * b\n       */\n  c = 1\n}\n",
        expect![[r#"
            if (a) {
              /*
               * b
               */
              c = 1
            }
        "#]],
    );
}

#[test]
fn a_comment_inside_an_expression_ends_its_line() {
    check(
        "x = a + # one\n b - /* two */ c # three\n",
        expect![[r#"
        x = a +  # one
          b - /* two */ c  # three
    "#]],
    );
}

#[test]
fn a_region_that_is_off_stays() {
    check(
        "a=1\n# fmt: off\nm = matrix(\"1 0\n            0 1\",   2,2)\nb   = 2 ;\n# fmt: on\nc=3\nif (d) {\n    # fmt: off\n    e  =  4\n}\nf=5\n",
        expect![[r#"
            a = 1
            # fmt: off
            m = matrix("1 0
                        0 1",   2,2)
            b   = 2 ;
            # fmt: on
            c = 3
            if (d) {
                # fmt: off
                e  =  4
            }
            f = 5
        "#]],
    );
}

#[test]
fn a_broken_statement_stays_and_the_rest_is_laid_out() {
    check(
        "a=1;\nb  =  = 2;\nc=3\nif(c){d=3;\n  e  = ]  \n f=4}\n",
        expect![[r#"
            a = 1;
            b  =  = 2;
            c = 3
            if (c) {
              d = 3;
              e  = ]  
             f=4
            }
        "#]],
    );
}

#[test]
fn strings_keep_their_lines_and_quotes() {
    stays("x = 'it''s' + \"a\n   b\"\n".replace("''", " ").as_str());
}

#[test]
fn line_ends_stay_as_the_file_has_them() {
    let formatted = format(&parse("a=1\r\n\r\n\r\n\r\n\r\nif(b){c=2}\r\n"), &OPTIONS);
    let expected = "a = 1\r\n\r\n\r\nif (b) {\r\n  c = 2\r\n}\r\n";
    assert_eq!(formatted.as_deref(), Ok(expected));
}

#[test]
fn a_script_ends_with_one_newline_and_an_empty_one_stays_empty() {
    for (text, expected) in [
        ("", ""),
        ("\n\n", ""),
        ("a = 1", "a = 1\n"),
        ("# c", "# c\n"),
    ] {
        assert_eq!(format(&parse(text), &OPTIONS).as_deref(), Ok(expected));
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let deep = format!("x = {}1{}\n", "(".repeat(300), ")".repeat(300));
    assert_eq!(format(&parse(deep), &OPTIONS), Err(FormatError::TooDeep));
}

#[test]
fn options_are_heard() {
    let options = FormatOptions {
        line_width: 20,
        indent_width: 4,
        max_blank_lines: 0,
    };
    let text = "a = 1\n\nb = some_function(c + 1, d)\n";
    let expected = "a = 1\nb = some_function(\n    c + 1, d\n)\n";
    assert_eq!(format(&parse(text), &options).as_deref(), Ok(expected));
}

fn any_expr() -> impl Strategy<Value = String> {
    let words = &[
        "x",
        "Y",
        "n_1",
        "3",
        "1e-6",
        "\"s # t\"",
        "'u'",
        "TRUE",
        "$k",
        "as_long_a_name_as_people_write",
    ];
    prop::sample::select(&words[..]).prop_map(str::to_owned).prop_recursive(5, 40, 4, |inner| {
        let signs = &["+", "-", "*", "^", "%*%", "%%", "<", "==", "&", "||"];
        let two = || (inner.clone(), inner.clone());
        prop_oneof![
            4 => (two(), prop::sample::select(&signs[..])).prop_map(|((a, b), sign)| format!("{a} {sign} {b}")),
            1 => inner.clone().prop_map(|a| format!("-{a}")),
            1 => inner.clone().prop_map(|a| format!("({a})")),
            2 => prop::collection::vec((any::<bool>(), inner.clone()), 0..5).prop_map(|args| {
                let arg = |(named, arg): &(bool, String)| if *named { format!("k={arg}") } else { arg.clone() };
                format!("ns::f({})", args.iter().map(arg).collect::<Vec<_>>().join(","))
            }),
            1 => two().prop_map(|(a, b)| format!("X[{a}:{b},]")),
            1 => two().prop_map(|(a, b)| format!("[{a}, {b}]")),
        ]
    })
}

fn any_script() -> impl Strategy<Value = String> {
    let simple = prop_oneof![
        3 => any_expr().prop_map(|value| format!("y = {value};")),
        1 => any_expr().prop_map(|value| format!("X[1, ] += {value};")),
        1 => any_expr().prop_map(|value| format!("[a, b] = f({value});")),
        1 => any_expr().prop_map(|value| format!("print({value});")),
    ];
    let stmt = simple.prop_recursive(3, 12, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..3).prop_map(|list| list.join("\n"));
        prop_oneof![
            (any_expr(), list.clone()).prop_map(|(a, body)| format!("if ({a}) {{{body}}}")),
            (any_expr(), list.clone(), list.clone())
                .prop_map(|(a, then, other)| format!("if ({a}) {{{then}}} else {{{other}}}")),
            (any_expr(), inner.clone(), inner.clone())
                .prop_map(|(a, then, other)| format!("if ({a}) {then} else {other}")),
            (any_expr(), inner).prop_map(|(a, body)| format!("while ({a}) {body}")),
            (any_expr(), list)
                .prop_map(|(a, body)| format!("parfor (i in 1:{a}, check=0) {{{body}}}")),
        ]
    });
    prop::collection::vec(stmt, 0..4).prop_map(|list| list.join("\n"))
}

/// Where a tree's tokens end.
fn token_ends(node: Node<'_>, ends: &mut Vec<usize>) {
    if node.child_count() == 0 || matches!(node.kind(), "string" | "qualified_name") {
        ends.push(node.end_byte());
        return;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        token_ends(child, ends);
    }
}

const GAPS: &[&str] = &[
    " ",
    "\n",
    "\n\n\n\n",
    "  # c\n",
    "\n # own ( \n",
    " /* in */ ",
    " /* end */\n",
    "\n/* a\n  * b */\n",
    "\n#@ n = 3\n",
    "\t\r\n",
];

/// The script with something between its tokens.
fn spread(script: &str, gaps: &[(prop::sample::Index, prop::sample::Index)]) -> String {
    let mut parser = tree_sitter::Parser::new();
    let language = tree_sitter_dml::LANGUAGE.into();
    parser.set_language(&language).expect("it fits the library");
    let tree = parser.parse(script, None).expect("parsing has no limit");
    let mut ends = Vec::new();
    token_ends(tree.root_node(), &mut ends);
    if ends.is_empty() {
        return script.to_owned();
    }
    let mut places: Vec<(usize, &str)> = gaps
        .iter()
        .map(|(place, gap)| (*place.get(&ends), *gap.get(GAPS)))
        .collect();
    places.sort_unstable();
    let mut out = script.to_owned();
    for (place, gap) in places.into_iter().rev() {
        out.insert_str(place, gap);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_script_keeps_its_tree_and_comments_and_stays_formatted(
        script in any_script(),
        gaps in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 0..12),
        line_width in 20..100_usize,
    ) {
        let text = spread(&script, &gaps);
        let parsed = parse(text.as_str());
        prop_assert_eq!(parsed.errors(), &[], "{}", text);
        let options = FormatOptions { line_width, ..FormatOptions::default() };
        // The tree and the comments are compared in there.
        let first = format(&parsed, &options).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let second = format(&parse(first.as_str()), &options);
        prop_assert_eq!(second.as_deref(), Ok(first.as_str()), "{}", text);
        let edits = format_edits(&parsed, None, &options);
        prop_assert_eq!(edits.map(|edits| apply_edits(&text, &edits)), Ok(first));
    }

    #[test]
    fn no_text_makes_the_formatter_panic_or_refuse_or_lose_a_sign(
        script in any_script(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut text = spread(&script, &[]);
        for cut in cuts {
            if !text.is_empty() {
                text.remove(cut.index(text.len()));
            }
        }
        let formatted = format(&parse(text.as_str()), &OPTIONS);
        let formatted = formatted.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        let signs = |text: &str| text.replace(|c: char| c == ';' || c.is_whitespace(), "");
        prop_assert_eq!(signs(&formatted), signs(&text));
    }
}
