//! What kind of thing can stand at the cursor, from the tokens around it.

use sumac_syntax::lex::TokenKind;

use crate::tokens::{Cursor, OpenCall};

/// What can stand at the cursor.
#[derive(Debug)]
pub(super) enum Place<'a> {
    /// A new name, or an operator: nothing to offer.
    Nothing,
    /// `$…`
    ScriptArgument,
    /// `ns::…`
    Member(&'a str),
    /// The type of a parameter.
    Type,
    /// One of these words and nothing else.
    Words(&'static [&'static str]),
    /// An option of `parfor`: its name, or its value.
    Option {
        /// Whether it is the name.
        begins: bool,
    },
    /// An argument of a call.
    Argument(OpenCall<'a>),
    /// An expression.
    Expression {
        /// Whether it is the whole value of an assignment, so that a function may be defined there.
        is_value: bool,
    },
    /// A statement.
    Statement,
}

impl<'a> Place<'a> {
    pub(super) fn of(cursor: &Cursor<'a>) -> Place<'a> {
        let before = cursor.back(1);
        if cursor.starts_with_dollar() {
            return Place::ScriptArgument;
        }
        match before {
            Some("::") => {
                return match (cursor.back(2), cursor.kind_back(2)) {
                    (Some(namespace), Some(TokenKind::Word)) => Place::Member(namespace),
                    _ => Place::Nothing,
                };
            }
            Some(".") => return Place::Nothing,
            _ => {}
        }
        match cursor.bracket() {
            None => Place::outside(cursor),
            Some(("(", Some(head))) => Place::inside(cursor, head),
            Some(_) if is_operand(cursor) => Place::Nothing,
            Some(_) => Place::Expression { is_value: false },
        }
    }

    /// Between the parentheses behind a word.
    fn inside(cursor: &Cursor<'a>, head: &str) -> Place<'a> {
        let before = cursor.back(1);
        match head {
            "source" | "setwd" => Place::Nothing,
            "function" | "externalFunction" | "return" => match before {
                Some("(" | ",") => Place::Type,
                Some("=") => Place::Expression { is_value: false },
                _ => Place::Nothing,
            },
            "for" | "parfor" => match before {
                Some("(") => Place::Nothing,
                Some(",") => Place::Option { begins: true },
                Some("=") => Place::Option { begins: false },
                _ if cursor.back(2) == Some("(") => Place::Words(&["in"]),
                _ if is_operand(cursor) => Place::Nothing,
                _ => Place::Expression { is_value: false },
            },
            _ if is_operand(cursor) => Place::Nothing,
            _ => match cursor.call() {
                Some(call) => Place::Argument(call),
                None => Place::Expression { is_value: false },
            },
        }
    }

    /// Outside of all brackets.
    fn outside(cursor: &Cursor<'a>) -> Place<'a> {
        let Some(before) = cursor.back(1) else {
            return Place::Statement;
        };
        match before {
            "{" | "}" | ";" | "else" => return Place::Statement,
            "in" => return Place::Expression { is_value: false },
            "as" | "function" | "return" => return Place::Nothing,
            ")" => match cursor.closed_head() {
                Some("if" | "while" | "for" | "parfor") => return Place::Statement,
                Some("function") => return Place::Words(&["return"]),
                Some("source") => return Place::Words(&["as"]),
                _ => {}
            },
            _ => {}
        }
        if !is_operand(cursor) {
            let is_value =
                matches!(before, "=" | "<-") && cursor.kind_back(2) == Some(TokenKind::Word);
            return Place::Expression { is_value };
        }
        if cursor.begins_line() {
            Place::Statement
        } else {
            Place::Nothing
        }
    }
}

/// Whether the token before the cursor ends a value: only an operator could follow.
fn is_operand(cursor: &Cursor<'_>) -> bool {
    match cursor.kind_back(1) {
        None | Some(TokenKind::Sign | TokenKind::Open | TokenKind::Comment) => false,
        Some(TokenKind::Close) => cursor.back(1) != Some("}"),
        Some(TokenKind::Word) => !matches!(cursor.back(1), Some("in" | "else")),
        Some(TokenKind::Number | TokenKind::Argument | TokenKind::Str { .. }) => true,
    }
}
