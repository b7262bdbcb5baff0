//! Texts that nobody writes by hand: very long chains, marks and signs that are no part of the language.

use sumac_syntax::format::{FormatOptions, format};
use sumac_syntax::parse;

/// What is nested deeper than anything is read, is told at once: each level of a chain ends where the whole does.
#[test]
fn long_chains_are_read_once() {
    for (head, link) in [
        ("x = 2", "^1"),
        ("if (1 == 1) { print(1) }", " else if (1 == 2) { print(2) }"),
        ("x = 1", " + 1"),
        ("x = ", "- "),
        ("", "if (TRUE) "),
    ] {
        let text = format!("{head}{}1\n", link.repeat(40_000));
        let script = parse(text.as_str());
        assert!(!script.errors().is_empty(), "{head}{link}");
    }
}

/// What is damaged is found once, however often blocks do not close, or close twice.
#[test]
fn braces_without_partners_are_looked_for_once() {
    for line in [
        "}\n",
        "# c {\n}\n",
        "if (a = ) {\n x = 1\n",
        "{ x = 1 }\n}\n",
    ] {
        let text = line.repeat(20_000);
        let script = parse(text.as_str());
        assert!(!script.damage().is_empty(), "{line:?}");
    }
}

/// Signs before signs are as deep as they are many.
#[test]
fn signs_before_signs_are_laid_out_or_refused_and_never_changed() {
    for sign in ["-", "!", "- ", "-(", "+"] {
        for many in [1, 2, 3, 50, 100, 195, 250, 400] {
            let close = if sign.ends_with('(') { ")" } else { "" };
            let depth = many * (1 + close.len());
            let text = format!("x = {}y{}\n", sign.repeat(many), close.repeat(many));
            let script = parse(text.as_str());
            let Ok(formatted) = format(&script, &FormatOptions::default()) else {
                assert!(
                    depth > 150 || !script.errors().is_empty(),
                    "{many} of {sign}"
                );
                continue;
            };
            let signs = |text: &str| text.chars().filter(|c| "-!+".contains(*c)).count();
            assert_eq!(signs(&formatted), signs(&text), "{many} of {sign}");
            let again = parse(formatted.as_str());
            assert!(again.errors().is_empty(), "{formatted}");
            assert_eq!(
                format(&again, &FormatOptions::default()).as_ref(),
                Ok(&formatted)
            );
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_error_at_the_beginning_and_nowhere_else() {
    for text in [
        "\u{feff}x = 1\nprint(x)\n",
        "\u{feff}# a\nx = 1\n",
        "\u{feff}\nx = 1\n",
        "\u{feff}",
    ] {
        assert!(
            parse(text).errors().is_empty(),
            "{text:?}: {:?}",
            parse(text).errors()
        );
    }
    let two = "\u{feff}\u{feff}x = 1\n";
    assert_eq!(parse(two).errors().len(), 1);
    let inside = "x = 1\n\u{feff}y = 2\n";
    assert_eq!(parse(inside).errors().len(), 1);
    let edited = parse("\u{feff}x = 1\n").edit(&[]);
    assert!(edited.errors().is_empty());
}

#[test]
fn a_value_of_the_command_line_stands_where_values_are_read() {
    for text in ["x = $a + $1\n", "print($a)\n", "x = ifdef($a, $b)\n"] {
        assert!(parse(text).errors().is_empty(), "{text}");
    }
    for text in ["x = g()$e()\n", "$e()\n", "x = 1\n$e()\n", "f(1) $e(2)\n"] {
        let script = parse(text);
        assert_eq!(script.errors().len(), 1, "{text}: {:?}", script.errors());
        let error = &script.errors()[0];
        assert_eq!(&text[error.range], "$e", "{text}");
    }
}

#[test]
fn the_formatter_takes_nothing_out_of_a_comment_but_blanks() {
    for end in ["\u{2028}", "\u{85}", "\u{a0}", "\u{3000}"] {
        let text = format!("x = 1  # a{end}\nprint(x)\n");
        let formatted = format(&parse(text.as_str()), &FormatOptions::default());
        assert_eq!(formatted.as_deref(), Ok(text.as_str()), "{end:?}");
    }
    let text = "x = 1  # a \t \n";
    let formatted = format(&parse(text), &FormatOptions::default());
    assert_eq!(formatted.as_deref(), Ok("x = 1  # a\n"));
}

#[test]
fn layouts_that_make_no_sense_take_no_memory() {
    let huge = FormatOptions {
        line_width: usize::MAX,
        indent_width: 2_000_000_000,
        max_blank_lines: usize::MAX,
    };
    let formatted = format(&parse("if (TRUE) { x = 1 }\n\n\n\nprint(1)\n"), &huge).unwrap();
    assert!(formatted.len() < 200, "{formatted}");
}
