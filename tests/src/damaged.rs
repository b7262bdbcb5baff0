//! Scripts with syntax errors in random places: nothing may be suggested for what an error damages, and applying what is
//! suggested must leave the rest as it is.
//!
//! The check does not ask the product what is damaged: it looks at the places of the errors and at the lines.

use std::path::Path;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sumac_analysis::{Database, NoFiles};
use sumac_ide::searches::Searches;
use sumac_ide::suggest::{Search, Suggestion, suggest};
use sumac_ide::{CancelToken, Placed, Snapshot, UnitBlocks, all_edits, inlay_hints};
use sumac_sumproduct::Options;
use sumac_syntax::parse;
use sumac_text::{TextRange, apply_edits};

/// What a sweep saw.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Swept {
    /// Scripts with at least one syntax error.
    pub scripts: usize,
    /// Suggestions for the whole statements in them.
    pub suggestions: usize,
    /// What must not be, each with its script.
    pub wrong: Vec<String>,
}

/// Statements that have a cheaper form, each of a variable `@`.
const STATEMENTS: [&str; 8] = [
    "@ = sum((X - U %*% t(V))^2)",
    "@ = sum(X %*% V)",
    "@ = U %*% t(V) %*% V %*% w",
    "@ = sum(t(X) %*% X %*% V);   # a comment",
    "@ = sum(U %*%\n    t(V))",
    "T@ = U %*% t(V)\n@ = sum(T@ * X)",
    "if (sum(w) > 0) {\n  @ = sum(X - U %*% t(V))\n} else {\n  @ = 1\n}",
    "@ = 0\nfor (i in 1:3) {\n  @ = @ + sum(X * (U %*% t(V)) %*% V)\n}",
];

const HEAD: &str = "X = rand(rows=2000, cols=1000, sparsity=0.01, seed=1)\nU = rand(rows=2000, cols=10, seed=2)\n\
    V = rand(rows=1000, cols=10, seed=3)\nw = rand(rows=10, cols=1, seed=4)\n";

/// Breaks scripts until `count` of them have an error, and checks each. The same seed gives the same scripts.
///
/// # Panics
/// A fixture cannot be read.
#[must_use]
pub fn sweep(count: usize, seed: u64) -> Swept {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let fixtures: Vec<String> = crate::fixtures()
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("the fixture is readable"))
        .collect();
    let searches = Searches::default();
    let mut swept = Swept::default();
    while swept.scripts < count {
        let whole = if random.random_bool(0.3) {
            fixtures.choose(&mut random).cloned().unwrap_or_default()
        } else {
            generated(&mut random)
        };
        let mut broken = whole;
        for _ in 0..random.random_range(1..=2) {
            broken = damaged(&broken, &mut random);
        }
        check(&broken, &searches, &mut swept);
    }
    swept
}

fn generated(random: &mut ChaCha8Rng) -> String {
    let mut script = HEAD.to_owned();
    let mut print = String::new();
    for number in 0..random.random_range(2..6) {
        let name = format!("r{number}");
        let statement = STATEMENTS.choose(random).expect("there are some");
        script.push_str(&statement.replace('@', &name));
        script.push('\n');
        print.push_str(&format!("print({name})\n"));
    }
    script + &print
}

/// The script with one token or character too few, too many or twice, a bracket without its fellow, or a line cut off.
fn damaged(script: &str, random: &mut ChaCha8Rng) -> String {
    let tokens = tokens(script);
    let Some(token) = tokens.choose(random).copied() else {
        return script.to_owned();
    };
    let mut text = script.to_owned();
    let inside = token.start + random.random_range(0..token.len().max(1));
    let inside = (token.start..=inside)
        .rev()
        .find(|at| text.is_char_boundary(*at));
    let inside = inside.unwrap_or(token.start);
    match random.random_range(0..8) {
        0 => text.replace_range(token.start..token.end, ""),
        1 => text.insert_str(token.end, &format!(" {}", &script[token])),
        2 => {
            let sign = [
                "(", ")", "{", "}", "[", "]", ",", ";", "=", "%*%", "\"", "1",
            ];
            text.insert_str(token.start, sign.choose(random).expect("there are some"));
        }
        3 => {
            let sign = ['.', '@', '$', '\\', '?', '~', '*', '+', 'x', '\'', '%'];
            text.insert(inside, *sign.choose(random).expect("there are some"));
        }
        4 => {
            text.remove(inside);
        }
        5 => {
            let end = script[inside..]
                .find('\n')
                .map_or(script.len(), |at| inside + at);
            text.replace_range(inside..end, "");
        }
        6 => {
            let line = script[..inside].rfind('\n').map_or(0, |at| at + 1);
            text.replace_range(line..inside, "");
        }
        _ => {
            let brackets = tokens
                .iter()
                .filter(|it| matches!(&script[**it], "(" | ")" | "{" | "}" | "[" | "]"));
            let brackets: Vec<&TextRange> = brackets.collect();
            if let Some(bracket) = brackets.choose(random) {
                text.replace_range(bracket.start..bracket.end, "");
            }
        }
    }
    text
}

/// Words, numbers and signs.
fn tokens(script: &str) -> Vec<TextRange> {
    let mut found: Vec<TextRange> = Vec::new();
    let mut in_word = false;
    for (at, c) in script.char_indices() {
        let is_word = c.is_alphanumeric() || c == '_' || c == '.';
        match found.last_mut() {
            Some(last) if is_word && in_word && last.end == at => last.end = at + c.len_utf8(),
            _ if c.is_whitespace() => {}
            _ => found.push(TextRange::new(at, at + c.len_utf8())),
        }
        in_word = is_word;
    }
    found
}

fn check(script: &str, searches: &Searches, swept: &mut Swept) {
    let parsed = parse(script);
    if parsed.errors().is_empty() {
        return;
    }
    swept.scripts += 1;
    let errors: Vec<TextRange> = parsed.errors().iter().map(|error| error.range).collect();
    let (mut db, path) = (Database::new(NoFiles), Path::new("/scripts/main.dml"));
    db.open(path, &parsed);
    let mut snapshot = Snapshot::new(parsed, db.known(path));
    let search = Search {
        options: &Options::default(),
        searches,
        store: None,
        cancel: &CancelToken::default(),
    };
    let blocks = UnitBlocks::default().of(&snapshot, "");
    let found = blocks
        .iter()
        .flat_map(|block| suggest(&snapshot, block, search));
    let placed = found.map(|suggestion| Placed {
        suggestion: suggestion.into(),
        is_fresh: true,
    });
    snapshot.suggestions = placed.collect();
    let mut wrong = |what: String| swept.wrong.push(format!("{what}\n{script}"));
    for placed in &*snapshot.suggestions {
        let suggestion = &*placed.suggestion;
        swept.suggestions += 1;
        let hit = errors
            .iter()
            .find(|error| is_hit(script, suggestion, **error));
        if let Some(error) = hit {
            let text = &suggestion.optimized;
            wrong(format!(
                "`{text}` is suggested where an error stands at {error:?}"
            ));
        }
    }
    for hint in inlay_hints(&snapshot, TextRange::new(0, script.len())) {
        let line = line_of(script, TextRange::new(hint.offset, hint.offset));
        if errors
            .iter()
            .any(|error| meets(line, line_of(script, *error)))
        {
            wrong(format!(
                "a hint stands on the line of an error: {}",
                hint.label
            ));
        }
    }
    let edits = all_edits(&snapshot).edits;
    let after = parse(apply_edits(script, &edits));
    if after.errors().len() > errors.len() {
        let (before, now) = (errors.len(), after.errors().len());
        wrong(format!(
            "{before} errors became {now}:\n{}\n--- from",
            after.text()
        ));
    }
}

/// Whether what a suggestion changes lies on a line of the error, or next to the error with nothing but space between.
fn is_hit(script: &str, suggestion: &Suggestion, error: TextRange) -> bool {
    let edits = suggestion.edits.iter().map(|edit| edit.range);
    let places = suggestion.statement_ranges.iter().copied().chain(edits);
    let mut places = places.map(|place| (place, line_of(script, place)));
    let error_line = line_of(script, error);
    places.any(|(place, line)| {
        // An assignment is no part of an expression that breaks off, but for an argument with a name.
        let expects = script[..error.end].trim_end().ends_with(['(', ',']);
        let first = script[place.start..].lines().next();
        let is_assignment = first.is_some_and(|line| line.contains(" = "));
        let follows = error.end <= place.start
            && script[error.end..place.start].trim().is_empty()
            && (expects || !is_assignment);
        meets(line, error_line) || follows
    })
}

fn meets(a: TextRange, b: TextRange) -> bool {
    a.start <= b.end && b.start <= a.end
}

/// The whole lines of a range.
fn line_of(script: &str, range: TextRange) -> TextRange {
    let start = script[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = script[range.end..]
        .find('\n')
        .map_or(script.len(), |at| range.end + at);
    TextRange::new(start, end)
}
