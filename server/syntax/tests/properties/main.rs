//! What holds for every text: nothing panics, ranges lie inside, an edit equals a fresh parse, and what is printed
//! reads back as it was.

mod trees;

use proptest::prelude::*;
use sumac_syntax::ast::{Expr, ExprKind, Span};
use sumac_syntax::print::{print_expr, print_stmt};
use sumac_syntax::walk::{Node, walk};
use sumac_syntax::{Parse, parse, parse_expression, parse_fact};
use sumac_text::{LineIndex, TextEdit, TextRange};
use trees::{any_expr, any_stmt};

const PIECES: &[&str] = &[
    "x",
    "y",
    "X",
    "f",
    "as.scalar",
    "ns::f",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    "=",
    "<-",
    "+=",
    "+",
    "-",
    "*",
    "^",
    "%*%",
    "%%",
    "!",
    "&",
    "||",
    "==",
    "<",
    ":",
    "1",
    "2.5",
    "1e-6",
    "\"s\"",
    "'",
    "\"",
    "\\",
    "TRUE",
    "$a",
    "$1",
    "if (",
    "else",
    "while (",
    "for (i in 1:n) ",
    "parfor",
    "function",
    "return",
    "source(",
    "in",
    "as",
    "\n",
    "\r\n",
    " ",
    "# c\n",
    "#@ off\n",
    "#@ X: 1 x",
    "/*",
    "*/",
    "x = 1\n",
    "y = f(x)\n",
    "if (x) {\n",
    "}\n",
    "g = function(Double a) {\n",
    "é",
    "\u{1F600}",
    "\u{0}",
    "=\n",
    "f(\n",
    "X[\n",
    "ifdef($a, 1)",
    "[a, b] = f()\n",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

/// A tree without places and parentheses, as text.
fn shape(debug: &str) -> String {
    let mut shape = String::new();
    let mut rest = debug;
    while let Some(at) = rest.find("TextRange {") {
        shape.push_str(&rest[..at]);
        let end = rest[at..].find('}').map_or(rest.len(), |end| at + end + 1);
        rest = &rest[end..];
    }
    shape + rest
}

fn without_parens(mut found: Expr) -> Expr {
    fn strip(expr: &mut Expr) {
        while let ExprKind::Paren(inner) = &expr.kind {
            *expr = (**inner).clone();
        }
        match &mut expr.kind {
            ExprKind::Unary(_, inner) => strip(inner),
            ExprKind::Binary(_, a, b) => {
                strip(a);
                strip(b);
            }
            ExprKind::Call(call) => call.args.iter_mut().for_each(|arg| strip(&mut arg.value)),
            ExprKind::List(elements) => elements.iter_mut().for_each(strip),
            ExprKind::Index(_, index) => {
                for span in std::iter::once(&mut index.rows).chain(&mut index.cols) {
                    match span {
                        Span::All => {}
                        Span::At(at) => strip(at),
                        Span::Range(a, b) => a.iter_mut().chain(b).for_each(|end| strip(end)),
                    }
                }
            }
            _ => {}
        }
    }
    strip(&mut found);
    found
}

fn paren_count(text: &str) -> usize {
    text.matches('(').count()
}

fn same(a: &Parse, b: &Parse) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.text(), b.text());
    prop_assert_eq!(shape_with_places(a), shape_with_places(b));
    prop_assert_eq!(a.errors(), b.errors());
    prop_assert_eq!(a.comments(), b.comments());
    Ok(())
}

/// Whether the grammar has an error in the text as a whole.
fn has_error(text: &str) -> bool {
    let mut parser = tree_sitter::Parser::new();
    let language = tree_sitter_dml::LANGUAGE.into();
    parser.set_language(&language).expect("the grammar fits");
    let tree = parser.parse(text, None).expect("no limit is set");
    tree.root_node().has_error()
}

fn shape_with_places(parse: &Parse) -> String {
    format!("{:?}", parse.program())
}

fn check_ranges(parse: &Parse) -> Result<(), TestCaseError> {
    let text = parse.text();
    let fits = |range: TextRange| text.get(range.start..range.end).is_some();
    let mut bad = Vec::new();
    walk(parse.program(), &mut |node| {
        let range = match node {
            Node::Stmt(stmt) => stmt.range,
            Node::Expr(expr) => expr.range,
        };
        if !fits(range) {
            bad.push(range);
        }
    });
    bad.extend(
        parse
            .errors()
            .iter()
            .map(|error| error.range)
            .filter(|range| !fits(*range)),
    );
    bad.extend(
        parse
            .comments()
            .iter()
            .map(|comment| comment.range)
            .filter(|range| !fits(*range)),
    );
    prop_assert_eq!(bad, Vec::<TextRange>::new());
    let starts: Vec<usize> = parse
        .program()
        .statements
        .iter()
        .map(|stmt| stmt.range.start)
        .collect();
    prop_assert!(starts.is_sorted(), "statements out of order: {starts:?}");
    let ends_before = parse
        .program()
        .statements
        .windows(2)
        .all(|pair| pair[0].range.end <= pair[1].range.start);
    prop_assert!(ends_before, "statements overlap");
    Ok(())
}

/// A script with the constructs that reach over lines.
const SCRIPT: &str = "# first\nsource(\"a.dml\") as a\nx = read($X)\ny = x\n  - t(x) %*% x\n[p, q] = a::f(x,\n  k = 2)\n/* b\n*/ if (p > 1) {\n  q = \"one\ntwo\"\n} else {\n  q = 'c'; r = 1\n}\n#@ x: 10 x 3\nf = function(Double d) return (Double e) {\n  for (i in 1:d) e = d + i\n}\nwhile (q < 3)\n  q = q + 1\nz = f(q)\nprint(z)\n";

/// What is typed: what opens, closes, joins and separates.
const TYPED: &[&str] = &[
    "(", ")", "[", "]", "{", "}", "\"", "'", "#", "/*", "*/", "\n", "\r", ";", ",", "=", "+", "$",
    "x", "1", " ", ".", "else", "", "",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_parses_and_every_range_lies_inside(text in text()) {
        let parse = parse(text.as_str());
        check_ranges(&parse)?;
        prop_assert_eq!(parse.errors().is_empty() && has_error(&text), false);
        let _ = parse_expression(&text);
        let _ = parse_fact(&text, 7);
    }

    #[test]
    fn an_edit_equals_a_fresh_parse(
        text in text(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..6_usize, text()), 1..3),
    ) {
        let mut current = parse(text.as_str());
        for (at, len, new_text) in edits {
            let text = current.text().clone();
            let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let first = at.index(boundaries.len());
            let range = TextRange::new(boundaries[first], boundaries[(first + len).min(boundaries.len() - 1)]);
            current = current.edit(&[TextEdit { range, new_text }]);
            same(&current, &parse(current.text().clone()))?;
        }
    }

    #[test]
    fn a_printed_expression_reads_back(expr in any_expr()) {
        let printed = print_expr(&expr);
        let (found, errors) = parse_expression(&printed);
        prop_assert_eq!(&errors, &[], "{}", printed);
        let found = found.ok_or_else(|| TestCaseError::fail(printed.clone()))?;
        prop_assert_eq!(print_expr(&found), printed.clone(), "printing is stable");
        prop_assert_eq!(shape(&format!("{:?}", without_parens(found))), shape(&format!("{expr:?}")), "{}", printed);
    }

    #[test]
    fn a_printed_statement_reads_back(stmt in any_stmt()) {
        let printed = print_stmt(&stmt);
        let parse = parse(printed.as_str());
        prop_assert_eq!(parse.errors(), &[], "{}", printed);
        prop_assert_eq!(parse.program().statements.len(), 1);
        prop_assert_eq!(print_stmt(&parse.program().statements[0]), printed);
    }
}

proptest! {
    // Each case is several fresh parses of broken text.
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_typed_characters_equal_a_fresh_parse(
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0..2_usize, prop::sample::select(TYPED)),
            1..8,
        ),
    ) {
        let mut current = parse(SCRIPT);
        for (at, len, typed) in edits {
            let start = at.index(current.text().len() + 1);
            let range = TextRange::new(start, (start + len).min(current.text().len()));
            let _ = current.lines();
            current = current.edit(&[TextEdit { range, new_text: typed.to_owned() }]);
            same(&current, &parse(current.text().clone()))?;
            prop_assert_eq!(current.lines(), &LineIndex::new(current.text().clone()));
        }
    }
}

/// A brace too few in one function and one too many in the next, so that all of them together close.
#[test]
fn braces_that_are_wrong_in_two_functions_are_wrong_in_a_fresh_parse_too() {
    let text = "f = function(Double x) {\n  for (i in 1:2) \n  y = x\n}\ng = function(Double x) {\n  z = x\n}\n}\nf(1)\n";
    let at = text.find("\n  y").unwrap();
    let edit = TextEdit {
        range: TextRange::new(at, at),
        new_text: "{".to_owned(),
    };
    let edited = parse(text).edit(&[edit]);
    assert!(!has_error(edited.text()), "as a whole they close");
    let messages: Vec<&str> = edited.errors().iter().map(|e| e.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "expected `}` to close the block opened at line 1",
            "unexpected `}`: no block is open here"
        ]
    );
    same(&edited, &parse(edited.text().clone())).unwrap();
}

#[test]
fn parentheses_stand_only_where_they_are_needed() {
    let cases = [
        ("a - (b - c)", 1),
        ("(a - b) - c", 0),
        ("-x^2", 0),
        ("(-x)^2", 1),
        ("-(x^2)", 0),
        ("!(a & b)", 1),
        ("!(a == b)", 0),
        ("(a^b)^c", 1),
        ("a^(b^c)", 0),
        ("a^(-b)", 0),
        ("a %*% (b %*% c)", 1),
        ("(a %*% b) * c", 0),
        ("a %*% (b * c)", 1),
        ("a * (!b)", 1),
        ("(a < b) == c", 0),
        ("(a | b) & c", 1),
        ("a / (b * c)", 1),
        ("-(-a)", 0),
    ];
    for (text, expected) in cases {
        let (found, _) = parse_expression(text);
        let bare = without_parens(found.expect("an expression"));
        let printed = print_expr(&bare);
        assert_eq!(paren_count(&printed), expected, "{text} became {printed}");
    }
}

#[test]
fn what_the_author_put_in_parentheses_stays_so() {
    for text in ["(a + b)", "((a)) * b", "f((a), k = (b))"] {
        assert_eq!(
            print_expr(&parse_expression(text).0.expect("an expression")),
            text
        );
    }
}

#[test]
fn deep_and_long_scripts_are_survived() {
    for unit in [
        "(", "[", "{", "-", "f(", "X[", "if (x) {", "if (x) ", "a + ", "x = ", "\"", "else ",
        "y = f(\n", "}\n", "{\n",
    ] {
        let text = format!("y = {}", unit.repeat(3000));
        check_ranges(&parse(text.as_str())).unwrap_or_else(|error| panic!("{unit}: {error}"));
        check_ranges(&parse(unit.repeat(3000))).unwrap_or_else(|error| panic!("{unit}: {error}"));
    }
    let nested = format!("y = {}1{}\nz = 1", "(".repeat(2000), ")".repeat(2000));
    let parse = parse(nested);
    assert_eq!(
        (parse.program().statements.len(), parse.errors().len()),
        (2, 1)
    );
}

#[test]
fn signs_that_are_passed_over_do_not_cut_a_statement() {
    for text in ["while$ (q < 3)\n  q = 1\n", "if. (a)\n  b = 1\nc = 2\n"] {
        let typed = TextEdit {
            range: TextRange::new(0, 0),
            new_text: text.to_owned(),
        };
        same(&parse("").edit(&[typed]), &parse(text)).unwrap();
    }
}
