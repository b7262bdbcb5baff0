//! Colours by meaning in sketch files: parameters from variables of scripts, operators from abstractions, rules and costs.

use sumac_sketch::text::ast::NAMED_TYPES;
use sumac_sketch::text::lex::{Kind, comments, lex};
use sumac_sketch::text::{Known, Library, TextRange};

use crate::semantic_tokens::token::{Modifier, Modifiers, SemanticKind, SemanticToken};

/// Signs that only divide.
const PUNCTUATION: [&str; 8] = ["(", ")", "[", "]", "{", "}", ",", ":"];

/// The tokens of a file that touch `range`, in the order of the text.
#[must_use]
pub fn semantic_tokens(library: &Library, file: usize, range: TextRange) -> Vec<SemanticToken> {
    let Some(source) = library.files().get(file) else {
        return Vec::new();
    };
    let words = lex(&source.text);
    let mut meanings = library.meanings(file).iter().peekable();
    let mut out: Vec<SemanticToken> = comments(&source.text, &words)
        .into_iter()
        .map(|range| plain(range, SemanticKind::Comment))
        .collect();
    for word in &words {
        while meanings
            .next_if(|(known, _)| known.start < word.range.start)
            .is_some()
        {}
        let known = meanings.peek().filter(|(known, _)| *known == word.range);
        let found = match (word.kind, known) {
            (_, Some((range, known))) => {
                let is_definition = library
                    .definition(known)
                    .is_some_and(|place| place.file == file && place.range == *range);
                token(*range, known, is_definition)
            }
            (kind, None) => {
                kind_of(kind, &source.text[word.range]).map(|kind| plain(word.range, kind))
            }
        };
        out.extend(found);
    }
    out.retain(|token| token.range.end >= range.start && token.range.start <= range.end);
    out.sort_by_key(|token| token.range);
    out
}

fn plain(range: TextRange, kind: SemanticKind) -> SemanticToken {
    SemanticToken {
        range,
        kind,
        modifiers: Modifiers::default(),
    }
}

fn token(range: TextRange, known: &Known, is_definition: bool) -> Option<SemanticToken> {
    let (kind, modifier) = match known {
        Known::Sketch(..) => (SemanticKind::Type, None),
        Known::Abstraction(..) => (SemanticKind::Function, None),
        Known::Parameter(_) | Known::Letter(_) => (SemanticKind::Parameter, None),
        Known::Operator(name) if &**name == "contains" => (SemanticKind::Keyword, None),
        Known::Operator(_) => (SemanticKind::Function, Some(Modifier::DefaultLibrary)),
        Known::Variable(_) => (SemanticKind::Variable, None),
        Known::Rule(_) | Known::Equation(..) | Known::Cost(_) | Known::Unit(_) => {
            (SemanticKind::EnumMember, None)
        }
        Known::File(_) => (SemanticKind::String, None),
    };
    let modifiers = modifier.map_or(Modifiers::default(), |one| Modifiers::default().with(one));
    Some(SemanticToken {
        range,
        kind,
        modifiers: modifiers.with_if(Modifier::Declaration, is_definition),
    })
}

fn kind_of(kind: Kind, text: &str) -> Option<SemanticKind> {
    match kind {
        Kind::Keyword(_) => Some(SemanticKind::Keyword),
        Kind::Number(_) => Some(SemanticKind::Number),
        Kind::String => Some(SemanticKind::String),
        Kind::Sign("?") => Some(SemanticKind::Macro),
        Kind::Sign(sign) => (!PUNCTUATION.contains(&sign)).then_some(SemanticKind::Operator),
        // Names that mean nothing by themselves: words of annotations, labels, `on`.
        Kind::Name if text == "on" => Some(SemanticKind::Keyword),
        Kind::Name if NAMED_TYPES.contains(&text) || matches!(text, "sparse" | "x") => {
            Some(SemanticKind::Type)
        }
        Kind::Name => Some(SemanticKind::Property),
        Kind::Unknown | Kind::End => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::fixture::library;

    #[test]
    fn names_have_the_colours_of_what_they_mean() {
        let text =
            "# c\nsketch s(X) { guide a: X * (? : m x n) + Y using factor goal sum(contains(2)) }";
        let library = library(&[("a.sketch", text)]);
        let found = semantic_tokens(&library, 0, TextRange::new(0, text.len()));
        let shown: Vec<_> = found
            .iter()
            .map(|token| format!("{}:{}", &text[token.range], token.kind.name()))
            .collect();
        let expected = "# c:comment|sketch:keyword|s:type|X:parameter|guide:keyword|a:property|X:parameter|*:operator|?:macro|m:variable|x:type|n:variable|+:operator|Y:variable|using:keyword|factor:enumMember|goal:keyword|sum:function|contains:keyword|2:number";
        assert_eq!(shown.join("|"), expected);
        assert!(found[2].modifiers.has(Modifier::Declaration));
        assert!(!found[6].modifiers.has(Modifier::Declaration));
        let part = semantic_tokens(&library, 0, TextRange::new(0, 3));
        assert_eq!(part.len(), 1);
    }
}
