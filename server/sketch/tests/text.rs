//! Sketch files as people write them: what is read, what is said of broken ones, and what both grammars agree on.

use std::sync::Arc;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use sumac_sketch::text::ast::File;
use sumac_sketch::text::{Library, Prover, Vocabulary, format, parse, parse_expression};

fn vocabulary() -> Vocabulary {
    Vocabulary {
        operators: vec![
            ("sum", 1, 1),
            ("t", 1, 1),
            ("min", 1, 1),
            ("min", 2, 2),
            ("cbind", 1, usize::MAX),
        ],
        rule_sets: vec![
            ("sum_product", "all"),
            ("factor", "reads distribution backwards"),
        ],
        rules: vec![("square-of-sum", "(A + B)^2 = …".to_owned())],
        costs: vec![("size", "operators"), ("nnz", "cells")],
        units: vec![("nodes", "of the graph"), ("rounds", "of the search")],
        language: None,
        prover: Prover(Some(|equation| {
            let shown = equation.to_string();
            if shown.contains('-') {
                return Err(format!("`{shown}` is not proved"));
            }
            Ok(())
        })),
    }
}

fn library(files: &[(&str, &str)]) -> Library {
    let texts = files
        .iter()
        .map(|(path, text)| (Arc::from(*path), Arc::from(*text)));
    Library::new(texts, &vocabulary())
}

fn findings(text: &str, expected: &Expect) {
    let library = library(&[("a.sketch", text)]);
    let shown: Vec<String> = library
        .findings(0)
        .iter()
        .map(|f| format!("{} `{}`: {}\n", f.code, &text[f.range], f.message))
        .collect();
    expected.assert_eq(&shown.concat());
}

#[test]
fn a_sketch_on_another_language_is_filled_where_that_is_asked_for() {
    let text = "sketch tiles(n) on array { goal contains(map(?) : [n/32]?) using tiling }";
    let library = library(&[("a.sketch", text)]);
    // Its rules are those of its own language, which this vocabulary does not have.
    assert_eq!(library.findings(0), []);
    let filled = library.fill_on("tiles(m)", Some("array")).unwrap();
    assert_eq!(
        filled.stages[0].pattern.to_string(),
        "contains(map(?) : [m/32]?)"
    );
    let error = library.fill("tiles(m)").unwrap_err();
    expect!["the sketch `tiles` is on `array`, and this is on linear algebra"].assert_eq(&error);
}

#[test]
fn the_sketches_of_the_paper_are_read() {
    let text = "# Blocks\n# a product.\nsketch blocking(m, n, k) on array {\n\
        guide split: containsMap(m/32, containsMap(32, addMul))\n\
        goal blocked: containsMap(m/32, containsReduce(k/4, addMul)) using sum_product minimize size within 90 nodes\n}\n\
        def containsMap(n, f) = contains(map(f) : [n]?)\n\
        def containsReduce(n, f) = contains(reduce(f, n))\ndef addMul = contains(plus(times(?)))\n";
    let parse = parse(text);
    assert_eq!(parse.errors, []);
    let sketch = &parse.file.sketches[0];
    assert_eq!(sketch.doc, "Blocks\na product.");
    assert_eq!(
        sketch.stages[0].label.as_ref().map(|l| &*l.text),
        Some("split")
    );
    assert_eq!(sketch.stages[1].limits[0].count, 90.0);
    // `n` of the sketch is not used, and that is all there is to say.
    findings(
        text,
        &expect![[r#"
            sketch-unused `n`: the parameter `n` is never used
        "#]],
    );
}

#[test]
fn expressions_print_as_they_are_read() {
    for text in [
        "? %*% ? - ?",
        "contains(sum(?^2)) - ?",
        "-X^2 + (a - b) * c / d",
        "a^b^c | (a | b) %*% c",
        "(a - (b - c)) : vector : sparse < 0.1 | !d & e",
        "sum(? : m/32 x n*2)",
        "(a^b)^c %% -d",
        "? : [n][4]f32",
        "2^-a %*% !(b == c)",
    ] {
        let expr = parse_expression(text).unwrap_or_else(|e| panic!("{text}: {}", e.message));
        let printed = expr.to_string();
        let again = parse_expression(&printed).expect("it is read again");
        assert_eq!(again.to_string(), printed, "{text}");
    }
    assert_eq!(
        parse_expression("-a^b %*% c").unwrap().to_string(),
        "-a^b %*% c"
    );
    assert_eq!(
        parse_expression("(a + b) * c").unwrap().to_string(),
        "(a + b) * c"
    );
    assert_eq!(parse_expression("a + b").unwrap().to_string(), "a + b");
}

#[test]
fn broken_text_says_what_was_expected_where() {
    findings(
        "sketch s { goal ? %*% using factor }\nsketch { goal ? }\ndef f( = ?\nsketch t { guide ?\nlast ? goal sum(? }\nx",
        &expect![[r#"
            sketch-syntax `using`: expected an expression: `?`, a name, a number or `(`, found `using`
            sketch-syntax `{`: expected a name behind `sketch`, found `{`
            sketch-syntax `=`: expected a name of a parameter, found `=`
            sketch-syntax `last`: expected `using`, `minimize`, `within`, the next stage or `}`, found `last`
            sketch-syntax `}`: expected `,` or `)`, found `}`
            sketch-syntax `x`: expected `sketch`, `def`, `rule` or `import`, found `x`
        "#]],
    );
    findings(
        "sketch s { goal ? : sparse < 2 }\nsketch u { goal ? : n y m }\nimport x\ndef goal = ?",
        &expect![[r#"
            sketch-syntax `2`: expected a share of non-zero cells from 0 to 1, found 2
            sketch-syntax `y`: expected `x` and a number of columns, as in `m x n`, found `y`
            sketch-syntax `x`: expected the path of a sketch file in quotes, found `x`
            sketch-syntax `goal`: expected a name behind `def`, found `goal`; words of the language are no names
        "#]],
    );
}

#[test]
fn a_broken_stage_leaves_the_others_readable() {
    let parse = parse("sketch s { guide ? + goal sum(?) } sketch t { goal t(?) }");
    assert_eq!(parse.errors.len(), 1);
    assert_eq!(parse.file.sketches.len(), 2);
    assert_eq!(parse.file.sketches[0].stages.len(), 2);
    assert_eq!(
        parse.file.sketches[0].stages[1].pattern.to_string(),
        "sum(?)"
    );
}

#[test]
fn wrong_names_are_found_and_near_ones_named() {
    findings(
        "def gram(X) = t(X) %*% X\ndef loop = sum(loop)\n\
         sketch s(a, a) {\n guide gram(?, ?) using factr minimize speed\n guide summ(?) within 0 nodes, 3 rows\n}\n\
         sketch s { goal min(?, ?, ?) goal contains() }\nsketch u { goal ? : [n]? }\nimport \"none.sketch\"",
        &expect![[r#"
            sketch-cycle `loop`: `loop` needs itself; an abstraction stands for a finite pattern, and `contains` looks at any depth
            sketch-goal `s`: `s` has no goal; its last stage says where the search is to end: `goal …`
            sketch-unused `a`: the parameter `a` is never used
            sketch-name `a`: `a` is defined above already; rename one of them
            sketch-unused `a`: the parameter `a` is never used
            sketch-arity `gram`: `gram` takes one argument, found 2
            sketch-name `factr`: `factr` is not a rule set or a rule; did you mean `factor`?
            sketch-name `speed`: `speed` is not a cost; expected one of size, nnz
            sketch-name `summ`: there is no operator `summ`; did you mean `sum`?
            sketch-limit `nodes`: expected a whole number from 1, found 0
            sketch-name `rows`: `rows` is not a unit; expected one of nodes, rounds
            sketch-name `s`: `s` is defined above already; rename one of them
            sketch-goal `goal min(?, ?, ?)`: expected one goal, behind all guides; make this stage a `guide`
            sketch-arity `min`: `min` takes one argument or 2 arguments, found 3
            sketch-arity `contains`: `contains` takes one argument, found none
            sketch-type `[n]?`: arrays belong to sketches `on array`; a matrix is written `: m x n`
            sketch-import `"none.sketch"`: there is no sketch file `none.sketch`; a path is relative to this file
        "#]],
    );
}

#[test]
fn sketches_are_filled_in_across_files() {
    let library = library(&[
        (
            "lib/base.sketch",
            "def gram(X) = t(X) %*% X\ndef twice(S, n) = S + S : n x 2*n",
        ),
        (
            "lib/use.sketch",
            "import \"base.sketch\"\nsketch once(X, k) { guide all: contains(gram(X)) goal twice(gram(X - ?), k) using factor minimize nnz within 9 rounds }",
        ),
    ]);
    assert_eq!(library.findings(1), []);
    let filled = library.fill("once(A | B, 3)").unwrap();
    let shown: Vec<String> = filled
        .stages
        .iter()
        .map(|s| format!("{}: {}", s.label, s.pattern))
        .collect();
    assert_eq!(
        shown,
        [
            "guide all: contains(t(A | B) %*% (A | B))",
            "goal: t((A | B) - ?) %*% ((A | B) - ?) + t((A | B) - ?) %*% ((A | B) - ?) : 3 x 6",
        ]
    );
    for (call, message) in [
        (
            "onec(A, 1)",
            "there is no sketch `onec`; did you mean `once`?",
        ),
        (
            "once(A)",
            "the sketch `once` takes 2 arguments, found 1; write `once(X, k)` with a variable, a pattern or a number for each",
        ),
        (
            "once(A, sum(B))",
            "the sketch `once`: `n` is a size here; expected a number, a name or `?` for it, found `sum(B)`",
        ),
        (
            "1 + 1",
            "`1 + 1` names no sketch; write its name, and arguments in parentheses where it takes some",
        ),
    ] {
        assert_eq!(library.fill(call).unwrap_err(), message, "{call}");
    }
}

#[test]
fn names_lead_to_their_definitions_and_back() {
    let use_text = "import \"b.sketch\"\nsketch s(X) { goal gram(X) }";
    let library = library(&[
        ("a.sketch", use_text),
        ("b.sketch", "def gram(X) = t(X) %*% X"),
    ]);
    let (_, gram) = library.at(0, use_text.find("gram").unwrap() + 1).unwrap();
    let place = library.definition(gram).unwrap();
    assert_eq!((place.file, place.range.start), (1, 4));
    assert_eq!(library.references(gram).len(), 2);
    let (_, parameter) = library.at(0, use_text.rfind('X').unwrap()).unwrap();
    let parameter = parameter.clone();
    assert_eq!(library.references(&parameter).len(), 2);
}

#[test]
fn patterns_that_explode_are_refused() {
    let mut text = "def d0(x) = x + x\n".to_owned();
    for n in 1..40 {
        text.push_str(&format!("def d{n}(x) = d{}(x) + d{}(x)\n", n - 1, n - 1));
    }
    text.push_str("sketch s { goal d39(?) }");
    let error = library(&[("a.sketch", &text)]).fill("s").unwrap_err();
    assert!(error.contains("more than 20000 parts"), "{error}");
    let deep = format!("sketch s {{ goal {} }}", "(".repeat(5000));
    assert!(!parse(&deep).errors.is_empty());
}

#[test]
fn rules_are_equations_that_a_file_lists() {
    let base = "# Halves.\nrule half: twice(A) = 2 * A\ndef twice(x) = x + x\n";
    let text = "import \"base.sketch\"\nrule sums: sum((A : m x n) + (B : m x n)) = sum(A) + sum(B)\n\
        sketch s { guide ? using half goal ? using factor, sums }";
    let library = library(&[("a.sketch", text), ("base.sketch", base)]);
    assert_eq!(
        (library.findings(0), library.findings(1)),
        (&[][..], &[][..])
    );
    assert_eq!(library.rule(1, 0).unwrap().doc, "Halves.");
    let filled = library.fill("s").unwrap();
    let shown: Vec<Vec<String>> = filled
        .stages
        .iter()
        .map(|stage| stage.equations.iter().map(ToString::to_string).collect())
        .collect();
    assert_eq!(
        shown,
        [
            vec!["A + A = 2 * A".to_owned()],
            vec!["sum((A : m x n) + (B : m x n)) = sum(A) + sum(B)".to_owned()]
        ]
    );
    // From a use to the definition, and from a letter to the place where it stands first.
    let (_, used) = library.at(0, text.find("half").unwrap()).unwrap();
    assert_eq!(library.definition(used).unwrap().file, 1);
    assert_eq!(library.references(used).len(), 2);
    let (_, letter) = library.at(0, text.find("sum(B)").unwrap() + 4).unwrap();
    let first = library.definition(letter).unwrap().range.start;
    assert_eq!(first, text.find("B :").unwrap());
    assert_eq!(library.references(letter).len(), 2);
}

#[test]
fn equations_that_are_none_are_refused() {
    findings(
        "rule factor: A + A = 2 * A\nrule open: ? + A = A | B\nrule free: A + A = 2 * C\nrule any: A = A + 0\n\
         rule wide: (A : [n]?) + (A : sparse < 0.1) = t(A : vector)\nrule sized: n * (A : n x 2) = A * n\n\
         rule wrong: A - A = A\nrule twice: summ(A) = contains(A)\nrule twice: t(t(A)) = A\n\
         sketch s { goal ? using wrong, fre }",
        &expect![[r#"
            sketch-name `factor`: `factor` is a rule, or a set of rules, that is built in; a rule needs a name of its own
            sketch-rule `?`: an equation has no holes; a letter stands for any value, as in `A + B = B + A`
            sketch-rule `A | B`: an equation has no alternatives; write a rule for each
            sketch-rule `C`: `C` does not stand on the left, so nothing says what it is; expected letters of the left side only
            sketch-rule `A`: `A` alone would be found everywhere; write the equation with this side on the right
            sketch-rule `[n]?`: a rule holds for all values or for none: expected `m x n`, `scalar`, `matrix`, `vector`, `row` or `column`
            sketch-rule `sparse < 0.1`: a rule holds for all values or for none: expected `m x n`, `scalar`, `matrix`, `vector`, `row` or `column`
            sketch-rule `vector`: what a letter may stand for is said of the letter itself, on the left: `(A : m x n) + B = …`
            sketch-rule `n`: `n` is a value and a size at once; give one of them another name
            sketch-rule `n x 2`: expected a name, 1 or `?` as a size of a rule, found `2`; a rule holds for all sizes
            sketch-rule `A - A = A`: `A - A = A` is not proved
            sketch-name `summ`: there is no operator `summ`; did you mean `sum`?
            sketch-rule `contains(A)`: `contains` stands for no one value, and an equation needs one
            sketch-name `twice`: `twice` is defined above already; rename one of them
            sketch-name `fre`: `fre` is not a rule set or a rule; did you mean `free`?
        "#]],
    );
}

fn tree_sitter_accepts(text: &str) -> bool {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter::Language::new(tree_sitter_sketch::LANGUAGE))
        .expect("the generated parser fits the library");
    let tree = parser.parse(text, None).expect("a tree");
    !tree.root_node().has_error()
}

/// Words that make up files, right and wrong.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "?",
        "X",
        "sum",
        "(",
        ")",
        ",",
        "+",
        "-",
        "%*%",
        "^",
        "|",
        "||",
        "!",
        ":",
        "vector",
        "x",
        "3",
        "2",
        "sparse",
        "<",
        "0.1",
        "goal",
        "guide",
        "using",
        "factor",
        "[",
        "]",
        "/",
        "}",
        "sketch s {",
        "def f =",
        "rule",
        "=",
        "minimize",
        "size",
        "contains(",
        "within",
        "nodes",
    ]);
    let goal = prop::collection::vec(word, 0..9).prop_map(|words| words.join(" "));
    prop_oneof![
        goal.clone()
            .prop_map(|goal| format!("sketch s {{ goal {goal} }}")),
        goal.clone().prop_map(|goal| format!("def f(a) = {goal}")),
        goal.clone().prop_map(|goal| format!("rule r: {goal} = A")),
        goal,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn both_grammars_accept_the_same(text in words()) {
        // Shares beyond 1 are a question of meaning.
        let errors = parse(&text).errors;
        let accepted = errors.iter().all(|error| error.message.starts_with("expected a share of non-zero cells from 0 to 1, found"));
        prop_assert_eq!(accepted, tree_sitter_accepts(&text), "{}: {:?}", text, errors);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-z?(){}:|+*% \n#\"=,.0-9]{0,60}") {
        let parse = parse(&text);
        let library = library(&[("a.sketch", &text)]);
        prop_assert!(library.findings(0).len() >= usize::from(!parse.errors.is_empty()));
        for error in &parse.errors {
            prop_assert!(error.range.end <= text.len());
        }
    }

    #[test]
    fn formatted_text_is_the_same_tree(text in files()) {
        let before = parse(&text);
        match format(&text) {
            Err(errors) => prop_assert_eq!(errors, before.errors),
            Ok(made) => {
                prop_assert_eq!(told(&parse(&made).file), told(&before.file), "{}\n→\n{}", text, made);
                let again = format(&made);
                prop_assert_eq!(again.as_deref(), Ok(&*made), "{}\n→\n{}", text, made);
                prop_assert_eq!(comments(&made), comments(&text));
            }
        }
    }
}

/// A tree without its places.
fn told(file: &File) -> String {
    let shown = format!("{file:?}");
    let mut parts = shown.split("range: TextRange");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut out, part| {
        out.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
        out
    })
}

fn comments(text: &str) -> Vec<&str> {
    let lines = text.lines();
    let comments = lines.filter_map(|line| line.find('#').map(|at| line[at..].trim_end()));
    comments.collect()
}

/// Files of whole parts with comments and line breaks between words.
fn files() -> impl Strategy<Value = String> {
    let gap = prop::sample::select(vec![
        " ",
        " ",
        " ",
        "  ",
        "\n",
        "\n\n\n",
        " # c\n",
        "\n # own\n",
    ]);
    let part = prop::sample::select(vec![
        "sketch s { goal ? }",
        "sketch s ( X , n ) { guide a : X + ? using f , g minimize size goal - X ^ 2 - - ( Y : m / 2 x n * 2 ) within 9 nodes }",
        "sketch b on array { goal contains ( map ( f ) : [ n ] [ 4 ] f32 | ! a & b ) }",
        "sketch w { goal a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a using f minimize size }",
        "def f ( x ) = x %*% ? : sparse < 0.1",
        "rule r : ( A : m x n ) + B = t ( B )",
        "import \"a.sketch\"",
    ]);
    let word = (part, prop::collection::vec(gap.clone(), 60), gap);
    let file = prop::collection::vec(word, 0..4);
    file.prop_map(|parts| {
        let part = |(part, gaps, last): (&str, Vec<&str>, &str)| {
            let mut gaps = gaps.into_iter().cycle();
            let mut out = String::new();
            for word in part.split(' ') {
                out.push_str(word);
                out.push_str(gaps.next().unwrap_or(" "));
            }
            out + last
        };
        parts.into_iter().map(part).collect()
    })
}
