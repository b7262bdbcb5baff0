//! Reads the signature language of `table/*.sig`.
//!
//! A row begins in the first column with a signature, which may go on until its brackets are closed. The indented
//! lines below it are, in this order: the summary, the parameters (`name: phrase`, with the values it can have in
//! braces before the phrase), and marks (`@impure`, `@named`, `@script`, `@operator`, `@special`, `@alias NAME…`,
//! `@deprecated NAME`, `@fewest N`). `#` begins a comment line. A line `where name: phrase` describes a parameter for
//! the rows of its file that say nothing of it, and the glossary does so for all files.
//!
//! In a signature, `name?: kind` may be left out, `name: kind = text` has a default, and `...` takes more arguments.
//! A size behind a result's kind is made of numbers, parameters, `nrow(p)`, `ncol(p)`, `(p > 0)`, sums, differences,
//! products, `min(a, b)`, `if p then a else b`, and `?`.
//!
//! Nothing here knows which functions there are, and everything that is wrong is an error that names its line.

use std::collections::HashMap;
use std::fmt;

use crate::model::{
    Builtin, Extent, Group, Kind, Param, Presence, ResultValue, ShapeRule, Size, Source,
};

/// Begins a line that says what a parameter means in the rows of this file.
const WHERE: &str = "where ";

/// What is wrong with a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The line of the row, from one.
    pub line: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Error {}

/// What parameters mean wherever they occur, by their names.
pub type Glossary = HashMap<&'static str, Described>;

/// A phrase for a parameter, and the values it can have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Described {
    values: Vec<&'static str>,
    summary: &'static str,
}

/// Reads lines of `name: phrase`.
#[must_use]
pub fn glossary(text: &'static str) -> Glossary {
    text.lines().filter_map(described).collect()
}

/// Reads the rows of a file.
///
/// # Errors
///
/// The first line that is no part of a row.
pub fn rows(group: Group, text: &'static str, glossary: &Glossary) -> Result<Vec<Builtin>, Error> {
    let here = text.lines().filter_map(|line| line.strip_prefix(WHERE));
    let here: Glossary = here.filter_map(described).collect();
    let mut rows = Vec::new();
    let mut rest = text;
    let mut line = 1;
    while let Some((head, body, behind)) = next_row(&mut rest, &mut line) {
        let at = |message| Error {
            line: head.1,
            message,
        };
        let mut row = Cursor(head.0).row(group).map_err(at)?;
        read_body(&mut row, body).map_err(at)?;
        for param in &mut row.params {
            let known = here.get(param.name).or_else(|| glossary.get(param.name));
            if let (true, Some(known)) = (param.summary.is_empty(), known) {
                param.summary = known.summary;
                param.values.clone_from(&known.values);
            }
            if param.kind == Kind::Bool {
                param.values = vec!["TRUE", "FALSE"];
            }
        }
        rows.push(row);
        rest = behind;
    }
    Ok(rows)
}

type Row = ((&'static str, usize), &'static str, &'static str);

/// Cuts the next row off: its signature with its line, the lines below it, and what is left.
fn next_row(rest: &mut &'static str, line: &mut usize) -> Option<Row> {
    while rest.starts_with(['#', '\n']) || rest.starts_with(WHERE) {
        let (_, behind) = rest.split_once('\n')?;
        *rest = behind;
        *line += 1;
    }
    if rest.is_empty() {
        return None;
    }
    let text = *rest;
    let mut open = 0_i32;
    let head = text
        .char_indices()
        .find_map(|(i, c)| {
            match c {
                '(' | '[' => open += 1,
                ')' | ']' => open -= 1,
                '\n' if open <= 0 && !text[i..].trim_start().starts_with("->") => return Some(i),
                _ => {}
            }
            None
        })
        .unwrap_or(text.len());
    let (head, below) = text.split_at(head);
    let mut end = 0;
    for below in below.split_inclusive('\n') {
        if !below.starts_with([' ', '\n']) {
            break;
        }
        end += below.len();
    }
    let (body, behind) = below.split_at(end);
    let at = *line;
    *line += head.matches('\n').count() + body.matches('\n').count();
    Some(((head, at), body, behind))
}

fn read_body(row: &mut Builtin, body: &'static str) -> Result<(), String> {
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(mark) = line.strip_prefix('@') {
            read_mark(row, mark)?;
        } else if row.summary.is_empty() {
            row.summary = line;
        } else {
            let Some((name, known)) = described(line) else {
                return Err(format!("expected `name: phrase`, found `{line}`"));
            };
            let Some(param) = row.params.iter_mut().find(|param| param.name == name) else {
                return Err(format!("`{}` has no parameter `{name}`", row.name));
            };
            param.summary = known.summary;
            param.values = known.values;
        }
    }
    Ok(())
}

fn read_mark(row: &mut Builtin, mark: &'static str) -> Result<(), String> {
    let (mark, text) = mark.split_once(' ').unwrap_or((mark, ""));
    match mark {
        "impure" => row.pure = false,
        "named" => row.named = true,
        "script" => {
            (row.source, row.named) = (Source::Script, true);
            row.fewest_results = row.results.len().min(1);
        }
        "operator" => row.shape = ShapeRule::Operator,
        "special" => row.shape = ShapeRule::Special,
        "fewest" => {
            row.fewest_results = text.parse().map_err(|_| format!("`{text}` is no number"))?;
        }
        "alias" => row.aliases = text.split_whitespace().collect(),
        "deprecated" => row.deprecated = Some(text),
        _ => return Err(format!("there is no mark `@{mark}`")),
    }
    Ok(())
}

/// `name: {1, 2} phrase`.
fn described(line: &'static str) -> Option<(&'static str, Described)> {
    let (name, text) = line.split_once(':')?;
    let text = text.trim();
    let listed = text.strip_prefix('{').and_then(|text| text.split_once('}'));
    let known = match listed {
        Some((values, summary)) => Described {
            values: values.split(',').map(str::trim).collect(),
            summary: summary.trim(),
        },
        None => Described {
            values: Vec::new(),
            summary: text,
        },
    };
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    name.chars().all(is_name).then_some((name, known))
}

/// What is left of a signature.
struct Cursor(&'static str);

impl Cursor {
    fn row(mut self, group: Group) -> Result<Builtin, String> {
        let name = self.word()?;
        let mut row = Builtin {
            name,
            aliases: Vec::new(),
            source: Source::Native,
            params: Vec::new(),
            variadic: false,
            named: false,
            results: Vec::new(),
            fewest_results: 0,
            shape: ShapeRule::Unknown,
            pure: true,
            summary: "",
            deprecated: None,
            group,
        };
        self.expect("(")?;
        while !self.eat(")") {
            if self.eat("...") {
                row.variadic = true;
            } else {
                row.params.push(self.param()?);
            }
            if !self.eat(",") {
                self.expect(")")?;
                break;
            }
        }
        if self.eat("->") {
            if self.eat("(") {
                while !self.eat(")") {
                    let name = self.word()?;
                    self.expect(":")?;
                    row.results.push(self.result(name, &row.params)?);
                    if !self.eat(",") {
                        self.expect(")")?;
                        break;
                    }
                }
            } else {
                row.results.push(self.result("", &row.params)?);
            }
        }
        row.fewest_results = row.results.len();
        if row.results.iter().any(|result| result.size.is_some()) {
            row.shape = ShapeRule::Results;
        }
        match self.0.trim() {
            "" => Ok(row),
            rest => Err(format!("expected the end of the signature, found `{rest}`")),
        }
    }

    fn param(&mut self) -> Result<Param, String> {
        let name = self.word()?;
        let optional = self.eat("?");
        self.expect(":")?;
        let kind = self.kind()?;
        let default = if self.eat("=") {
            Presence::Optional(Some(self.default()))
        } else if optional {
            Presence::Optional(None)
        } else {
            Presence::Required
        };
        Ok(Param {
            name,
            kind,
            default,
            summary: "",
            values: Vec::new(),
        })
    }

    fn result(&mut self, name: &'static str, params: &[Param]) -> Result<ResultValue, String> {
        let kind = self.kind()?;
        let mut size = None;
        if self.eat("[") {
            let rows = self.extent(params)?;
            self.expect(",")?;
            let cols = self.extent(params)?;
            self.expect("]")?;
            size = Some(Size { rows, cols });
        }
        Ok(ResultValue { name, kind, size })
    }

    fn kind(&mut self) -> Result<Kind, String> {
        let text = self.while_(|c| c.is_alphabetic() || c == '|');
        let known = Kind::ALL.iter().find(|kind| kind.text() == text);
        known
            .copied()
            .ok_or_else(|| format!("there is no kind `{text}`"))
    }

    /// The text up to the comma or bracket that ends it.
    fn default(&mut self) -> &'static str {
        let text = self.0;
        let (mut open, mut quoted) = (0_i32, false);
        let ends = |c: char| {
            match c {
                '"' => quoted = !quoted,
                '(' | '[' if !quoted => open += 1,
                ')' | ']' if !quoted => open -= 1,
                _ => {}
            }
            !quoted && (open < 0 || (open == 0 && c == ','))
        };
        let end = text.find(ends).unwrap_or(text.len());
        self.0 = &text[end..];
        text[..end].trim()
    }

    /// Sums and differences of products, from left to right.
    fn extent(&mut self, params: &[Param]) -> Result<Extent, String> {
        let mut whole = self.product(params)?;
        loop {
            let make = if self.eat("+") {
                Extent::Sum
            } else if self.eat("-") {
                Extent::Difference
            } else {
                return Ok(whole);
            };
            whole = make(Box::new(whole), Box::new(self.product(params)?));
        }
    }

    fn product(&mut self, params: &[Param]) -> Result<Extent, String> {
        let mut whole = self.atom(params)?;
        while self.eat("*") {
            whole = Extent::Product(Box::new(whole), Box::new(self.atom(params)?));
        }
        Ok(whole)
    }

    fn atom(&mut self, params: &[Param]) -> Result<Extent, String> {
        let place = |name: &str| {
            let place = params.iter().position(|param| param.name == name);
            place.ok_or_else(|| format!("no parameter `{name}` to take a size from"))
        };
        if self.eat("?") {
            return Ok(Extent::Unknown);
        }
        if self.eat("(") {
            let name = self.word()?;
            self.expect(">")?;
            let bound = self.number()?;
            self.expect(")")?;
            return Ok(Extent::Above(place(name)?, bound));
        }
        if self
            .0
            .trim_start()
            .starts_with(|c: char| c.is_ascii_digit())
        {
            return Ok(Extent::Number(self.number()?));
        }
        let name = self.word()?;
        if name == "if" {
            let chosen = place(self.word()?)?;
            self.expect("then")?;
            let yes = self.extent(params)?;
            self.expect("else")?;
            let no = self.extent(params)?;
            return Ok(Extent::Choice(chosen, Box::new(yes), Box::new(no)));
        }
        if name == "min" {
            self.expect("(")?;
            let one = self.extent(params)?;
            self.expect(",")?;
            let other = self.extent(params)?;
            self.expect(")")?;
            return Ok(Extent::Least(Box::new(one), Box::new(other)));
        }
        let of: fn(usize) -> Extent = match name {
            "nrow" => Extent::Rows,
            "ncol" => Extent::Cols,
            _ => return Ok(Extent::Value(place(name)?)),
        };
        self.expect("(")?;
        let name = self.word()?;
        self.expect(")")?;
        Ok(of(place(name)?))
    }

    fn number(&mut self) -> Result<u64, String> {
        let text = self.while_(|c| c.is_ascii_digit());
        text.parse()
            .map_err(|_| format!("expected a number, found `{}`", self.0))
    }

    fn word(&mut self) -> Result<&'static str, String> {
        let word = self.while_(|c| c.is_alphanumeric() || c == '_' || c == '.');
        if word.is_empty() {
            return Err(format!("expected a name, found `{}`", self.0));
        }
        Ok(word)
    }

    fn while_(&mut self, holds: impl Fn(char) -> bool) -> &'static str {
        let text = self.0.trim_start();
        let end = text.find(|c| !holds(c)).unwrap_or(text.len());
        self.0 = &text[end..];
        &text[..end]
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.0.trim_start().strip_prefix(text) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        if self.eat(text) {
            return Ok(());
        }
        Err(format!("expected `{text}`, found `{}`", self.0))
    }
}
