//! From text to the typed tree and errors. Must never fail: broken text is normal, and a broken stage leaves the others
//! readable, because the words that begin a part of a file are no names.

use std::sync::Arc;

use sumac_text::{SyntaxError, TextRange};

use super::ast::{
    Abstraction, Expr, ExprKind, File, Import, Limit, Name, RuleDef, SketchDef, Stage, StageKind,
};
use super::lex::{Kind, Token, lex};

/// The words that begin a part of a file.
const PARTS: [&str; 4] = ["import", "def", "rule", "sketch"];

/// A file as it was read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Parse {
    /// Its parts; broken ones as far as they could be read.
    pub file: File,
    /// What is wrong, in the order of the places, at most one a place. Empty exactly if the text is well-formed.
    pub errors: Vec<SyntaxError>,
}

/// Reads a sketch file.
#[must_use]
pub fn parse(text: &str) -> Parse {
    let mut parser = Parser::new(text);
    let mut file = File::default();
    while parser.kind() != Kind::End {
        match parser.kind() {
            Kind::Keyword("import") => file.imports.extend(parser.import()),
            Kind::Keyword("def") => file.abstractions.extend(parser.abstraction()),
            Kind::Keyword("rule") => file.rules.extend(parser.rule()),
            Kind::Keyword("sketch") => file.sketches.extend(parser.sketch()),
            _ => {
                parser.expected("`sketch`, `def`, `rule` or `import`");
                parser.skip_to(&PARTS);
            }
        }
    }
    Parse {
        file,
        errors: parser.errors,
    }
}

/// Reads one expression with holes.
///
/// # Errors
/// The text is no single expression: what was expected where.
pub fn parse_expression(text: &str) -> Result<Expr, SyntaxError> {
    let mut parser = Parser::new(text);
    let expr = parser.expr();
    if parser.errors.is_empty() && parser.kind() != Kind::End {
        parser.expected("the end of the expression");
    }
    match parser.errors.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(expr),
    }
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    /// How deep the expression is that is being read.
    pub(super) depth: usize,
    errors: Vec<SyntaxError>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Parser {
            text,
            tokens: lex(text),
            at: 0,
            depth: 0,
            errors: Vec::new(),
        }
    }

    pub(super) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    pub(super) fn kind(&self) -> Kind {
        self.token().kind
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if found == sign)
    }

    pub(super) fn word(&self) -> &'a str {
        &self.text[self.token().range]
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    /// End of the word before.
    pub(super) fn end(&self) -> usize {
        self.at
            .checked_sub(1)
            .map_or(0, |before| self.tokens[before].range.end)
    }

    pub(super) fn error(&mut self, range: TextRange, message: String) {
        let is_new = self
            .errors
            .last()
            .is_none_or(|last| last.range.start < range.start);
        if is_new {
            self.errors.push(SyntaxError::new(range, message));
        }
    }

    /// Says that something else was expected than what stands here.
    pub(super) fn expected(&mut self, what: &str) {
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.word()),
        };
        let hint = match (token.kind, self.word()) {
            (Kind::Unknown, "\"" | "'") => "; a text ends with its quote, on its own line",
            (Kind::Keyword(_), _) if what.starts_with("a name") => {
                "; words of the language are no names"
            }
            _ => "",
        };
        self.error(token.range, format!("expected {what}, found {found}{hint}"));
    }

    fn skip_to(&mut self, keywords: &[&str]) {
        loop {
            match self.kind() {
                Kind::End => return,
                Kind::Keyword(word) if keywords.contains(&word) => return,
                _ => self.next(),
            };
        }
    }

    /// What stands here is expected; without it, the rest of the part is skipped.
    pub(super) fn expect(&mut self, sign: &str) -> bool {
        let found = self.eat(sign);
        if !found {
            self.expected(&format!("`{sign}`"));
        }
        found
    }

    fn name(&mut self, what: &str) -> Option<Name> {
        if self.kind() == Kind::Name {
            let token = self.next();
            return Some(self.named(token));
        }
        self.expected(what);
        None
    }

    pub(super) fn named(&self, token: Token) -> Name {
        Name {
            text: Arc::from(&self.text[token.range]),
            range: token.range,
        }
    }

    /// The comment lines directly above a place that begins a line.
    fn doc(&self, start: usize) -> String {
        let line_start = self.text[..start].rfind('\n').map_or(0, |n| n + 1);
        if !self.text[line_start..start].trim().is_empty() {
            return String::new();
        }
        let above = self.text[..line_start].lines().rev();
        let comments = above
            .map(str::trim)
            .map_while(|line| line.strip_prefix('#'));
        let mut lines: Vec<&str> = comments.map(str::trim).collect();
        lines.reverse();
        lines.join("\n")
    }

    fn import(&mut self) -> Option<Import> {
        self.next();
        if self.kind() != Kind::String {
            self.expected("the path of a sketch file in quotes");
            self.skip_to(&PARTS);
            return None;
        }
        let range = self.next().range;
        Some(Import {
            path: Arc::from(&self.text[range.start + 1..range.end - 1]),
            range,
        })
    }

    fn parameters(&mut self) -> Vec<Name> {
        let mut found = Vec::new();
        if !self.eat("(") {
            return found;
        }
        if self.eat(")") {
            return found;
        }
        while let Some(name) = self.name("a name of a parameter") {
            found.push(name);
            if !self.eat(",") {
                break;
            }
        }
        if self.errors.is_empty() || !found.is_empty() {
            self.expect(")");
        }
        found
    }

    fn abstraction(&mut self) -> Option<Abstraction> {
        let start = self.next().range.start;
        let before = self.errors.len();
        let name = self.name("a name behind `def`");
        let parameters = self.parameters();
        let is_open = self.errors.len() == before && self.expect("=");
        let body = if is_open { self.expr() } else { self.missing() };
        if self.errors.len() > before {
            self.skip_to(&PARTS);
        }
        Some(Abstraction {
            name: name?,
            parameters,
            body,
            doc: self.doc(start),
            range: TextRange::new(start, self.end()),
        })
    }

    fn rule(&mut self) -> Option<RuleDef> {
        let start = self.next().range.start;
        let before = self.errors.len();
        let name = self.name("a name behind `rule`");
        let is_open = self.errors.len() == before && self.expect(":");
        let left = if is_open { self.expr() } else { self.missing() };
        let is_open = self.errors.len() == before && self.expect("=");
        let right = if is_open { self.expr() } else { self.missing() };
        if self.errors.len() > before {
            self.skip_to(&PARTS);
        }
        Some(RuleDef {
            name: name?,
            left,
            right,
            doc: self.doc(start),
            range: TextRange::new(start, self.end()),
        })
    }

    fn sketch(&mut self) -> Option<SketchDef> {
        let start = self.next().range.start;
        let name = self.name("a name behind `sketch`");
        let parameters = self.parameters();
        let language = if self.kind() == Kind::Name && self.word() == "on" {
            self.next();
            self.name("the name of a language behind `on`: `array`")
        } else {
            None
        };
        if !self.expect("{") {
            self.skip_to(&["guide", "goal", "import", "def", "rule", "sketch"]);
        }
        let mut stages = Vec::new();
        loop {
            match self.kind() {
                Kind::Keyword("guide" | "goal") => stages.extend(self.stage()),
                Kind::Sign("}") => {
                    self.next();
                    break;
                }
                Kind::Keyword("import" | "def" | "rule" | "sketch") | Kind::End => {
                    self.expected("`guide`, `goal` or `}`");
                    break;
                }
                _ => {
                    self.expected("`guide`, `goal` or `}`");
                    self.skip_stage();
                }
            }
        }
        Some(SketchDef {
            name: name?,
            parameters,
            language,
            stages,
            doc: self.doc(start),
            range: TextRange::new(start, self.end()),
        })
    }

    /// Goes on where a stage, a file's part or the end of the sketch begins.
    pub(super) fn skip_stage(&mut self) {
        while !matches!(
            self.kind(),
            Kind::Keyword("guide" | "goal" | "import" | "def" | "rule" | "sketch")
                | Kind::Sign("}")
                | Kind::End
        ) {
            self.next();
        }
    }

    fn stage(&mut self) -> Option<Stage> {
        let start = self.token().range.start;
        let kind = match self.next().kind {
            Kind::Keyword("goal") => StageKind::Goal,
            _ => StageKind::Guide,
        };
        let before = self.errors.len();
        let is_label =
            self.kind() == Kind::Name && matches!(self.tokens[self.at + 1].kind, Kind::Sign(":"));
        let label = is_label.then(|| {
            let token = self.next();
            self.next();
            self.named(token)
        });
        let mut stage = Stage {
            kind,
            label,
            pattern: self.expr(),
            rules: Vec::new(),
            cost: None,
            limits: Vec::new(),
            range: TextRange::default(),
        };
        loop {
            match self.kind() {
                Kind::Keyword("using") => {
                    self.next();
                    self.list(|parser| {
                        let rule = parser.name("a name of a rule set or a rule");
                        let found = rule.is_some();
                        stage.rules.extend(rule);
                        found
                    });
                }
                Kind::Keyword("minimize") => {
                    self.next();
                    stage.cost = self.name("a name of a cost").or(stage.cost);
                }
                Kind::Keyword("within") => {
                    self.next();
                    self.list(|parser| {
                        let limit = parser.limit();
                        let found = limit.is_some();
                        stage.limits.extend(limit);
                        found
                    });
                }
                _ => break,
            }
        }
        stage.range = TextRange::new(start, self.end());
        let ends = matches!(self.kind(), Kind::Keyword(_) | Kind::Sign("}") | Kind::End);
        if !ends {
            if self.errors.len() == before {
                self.expected("`using`, `minimize`, `within`, the next stage or `}`");
            }
            self.skip_stage();
        }
        Some(stage)
    }

    fn list(&mut self, mut one: impl FnMut(&mut Self) -> bool) {
        while one(self) && self.eat(",") {}
    }

    fn limit(&mut self) -> Option<Limit> {
        let Kind::Number(count) = self.kind() else {
            self.expected("a number, as in `2000 nodes`");
            return None;
        };
        self.next();
        let unit = self.name("a name of what is limited, as in `2000 nodes`")?;
        Some(Limit { count, unit })
    }

    pub(super) fn missing(&self) -> Expr {
        let at = self.token().range.start.max(self.end());
        Expr {
            range: TextRange::new(at, at),
            kind: ExprKind::Missing,
        }
    }
}
