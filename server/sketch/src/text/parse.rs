//! From text to the typed tree and errors. Must never fail: broken text is normal, and a broken stage leaves the others
//! readable, because the words that begin a part of a file are no names.

use std::sync::Arc;

use sumac_syntax::SyntaxError;
use sumac_syntax::text::TextRange;

use super::ast::{
    Abstraction, Element, Expr, ExprKind, File, Import, Limit, NAMED_TYPES, Name, Size, SketchDef,
    Stage, StageKind, TypeExpr, TypeKind,
};
use super::lex::{Kind, Token, lex};

/// Expressions nested deeper than this are refused.
const MAX_DEPTH: usize = 200;

/// Binary operators by strength, the loosest first, and whether they group to the right.
const BINARY: [(&[&str], bool); 8] = [
    (&["||"], false),
    (&["&", "&&"], false),
    (&["<", "<=", ">", ">=", "==", "!="], false),
    (&["+", "-"], false),
    (&["*", "/"], false),
    (&["%%", "%/%"], false),
    (&["%*%"], false),
    (&["^"], true),
];
/// Places in [`BINARY`] where prefix signs stand: `!` binds looser than comparisons, `-` tighter than products.
const NOT: usize = 2;
const SIGN: usize = 7;

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
            Kind::Keyword("sketch") => file.sketches.extend(parser.sketch()),
            _ => {
                parser.expected("`sketch`, `def` or `import`");
                parser.skip_to(&["import", "def", "sketch"]);
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

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
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

    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if found == sign)
    }

    fn word(&self) -> &'a str {
        &self.text[self.token().range]
    }

    fn next(&mut self) -> Token {
        let token = self.token();
        if token.kind != Kind::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    /// End of the word before.
    fn end(&self) -> usize {
        self.at
            .checked_sub(1)
            .map_or(0, |before| self.tokens[before].range.end)
    }

    fn error(&mut self, range: TextRange, message: String) {
        let is_new = self
            .errors
            .last()
            .is_none_or(|last| last.range.start < range.start);
        if is_new {
            self.errors.push(SyntaxError::new(range, message));
        }
    }

    /// Says that something else was expected than what stands here.
    fn expected(&mut self, what: &str) {
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
    fn expect(&mut self, sign: &str) -> bool {
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

    fn named(&self, token: Token) -> Name {
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
            self.skip_to(&["import", "def", "sketch"]);
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
            self.skip_to(&["import", "def", "sketch"]);
        }
        Some(Abstraction {
            name: name?,
            parameters,
            body,
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
            self.skip_to(&["guide", "goal", "import", "def", "sketch"]);
        }
        let mut stages = Vec::new();
        loop {
            match self.kind() {
                Kind::Keyword("guide" | "goal") => stages.extend(self.stage()),
                Kind::Sign("}") => {
                    self.next();
                    break;
                }
                Kind::Keyword("import" | "def" | "sketch") | Kind::End => {
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
    fn skip_stage(&mut self) {
        while !matches!(
            self.kind(),
            Kind::Keyword("guide" | "goal" | "import" | "def" | "sketch")
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
        let unit = self.name("`nodes` or `rounds` as a name of what is limited")?;
        Some(Limit { count, unit })
    }

    fn missing(&self) -> Expr {
        let at = self.token().range.start.max(self.end());
        Expr {
            range: TextRange::new(at, at),
            kind: ExprKind::Missing,
        }
    }

    /// Alternatives: what binds least.
    fn expr(&mut self) -> Expr {
        let mut left = self.annotated();
        while self.eat("|") {
            let right = self.annotated();
            left = Expr {
                range: left.range.cover(right.range),
                kind: ExprKind::Either(Box::new(left), Box::new(right)),
            };
        }
        left
    }

    fn annotated(&mut self) -> Expr {
        let mut inner = self.binary(0);
        while self.eat(":") {
            let ty = self.annotation();
            inner = Expr {
                range: inner.range.cover(ty.range),
                kind: ExprKind::Annotated(Box::new(inner), ty),
            };
            // An annotated expression may go on: `? : vector + 1` is a sum.
            inner = self.binary_from(inner, 0);
        }
        inner
    }

    fn binary(&mut self, level: usize) -> Expr {
        if self.depth >= MAX_DEPTH {
            let range = self.token().range;
            self.error(
                range,
                format!("nested deeper than {MAX_DEPTH} levels; give a part a name with `def`"),
            );
            self.skip_stage();
            return self.missing();
        }
        self.depth += 1;
        let prefix = match self.kind() {
            Kind::Sign("!") => Some(("!", NOT)),
            Kind::Sign("-") => Some(("-", SIGN)),
            _ => None,
        };
        let first = match prefix {
            Some((sign, strength)) => {
                let start = self.next().range;
                let operand = self.binary(strength);
                Expr {
                    range: start.cover(operand.range),
                    kind: ExprKind::Unary(sign, Box::new(operand)),
                }
            }
            None => self.primary(),
        };
        let found = self.binary_from(first, level);
        self.depth -= 1;
        found
    }

    /// Goes on behind a left side with operators of at least this strength.
    fn binary_from(&mut self, mut left: Expr, level: usize) -> Expr {
        loop {
            let Kind::Sign(sign) = self.kind() else {
                return left;
            };
            let strength = BINARY.iter().position(|(signs, _)| signs.contains(&sign));
            let Some(strength) = strength.filter(|strength| *strength >= level) else {
                return left;
            };
            self.next();
            let (_, to_the_right) = BINARY[strength];
            let right = self.binary(if to_the_right { strength } else { strength + 1 });
            left = Expr {
                range: left.range.cover(right.range),
                kind: ExprKind::Binary(sign, Box::new(left), Box::new(right)),
            };
        }
    }

    fn primary(&mut self) -> Expr {
        let token = self.token();
        let range = token.range;
        match token.kind {
            Kind::Sign("?") => {
                self.next();
                Expr {
                    range,
                    kind: ExprKind::Hole,
                }
            }
            Kind::Number(value) => {
                self.next();
                Expr {
                    range,
                    kind: ExprKind::Number(value),
                }
            }
            Kind::Sign("(") => {
                self.next();
                let inner = self.expr();
                self.expect(")");
                Expr {
                    range: TextRange::new(range.start, self.end().max(range.end)),
                    kind: inner.kind,
                }
            }
            Kind::Name => {
                let name = self.named(self.token());
                self.next();
                if !self.is("(") {
                    return Expr {
                        range,
                        kind: ExprKind::Name(name.text),
                    };
                }
                let args = self.arguments();
                Expr {
                    range: TextRange::new(range.start, self.end()),
                    kind: ExprKind::Call(name, args),
                }
            }
            _ => {
                self.expected("an expression: `?`, a name, a number or `(`");
                self.missing()
            }
        }
    }

    fn arguments(&mut self) -> Vec<Expr> {
        self.next();
        let mut args = Vec::new();
        if self.eat(")") {
            return args;
        }
        loop {
            args.push(self.expr());
            if !self.eat(",") {
                break;
            }
        }
        if !self.eat(")") {
            self.expected("`,` or `)`");
        }
        args
    }

    fn annotation(&mut self) -> TypeExpr {
        let start = self.token().range;
        let kind = match self.kind() {
            Kind::Sign("[") => self.array(),
            Kind::Name if self.word() == "sparse" => self.sparsity(),
            Kind::Name if NAMED_TYPES.contains(&self.word()) => {
                let word = self.word();
                self.next();
                let known = NAMED_TYPES.iter().find(|name| **name == word);
                known.map_or(TypeKind::Missing, |name| TypeKind::Named(name))
            }
            _ => self.shape(),
        };
        TypeExpr {
            range: TextRange::new(start.start, self.end().max(start.start)),
            kind,
        }
    }

    fn sparsity(&mut self) -> TypeKind {
        self.next();
        let sign = match self.kind() {
            Kind::Sign(sign @ ("<" | "<=" | ">" | ">=")) => sign,
            _ => {
                self.expected("`<`, `<=`, `>` or `>=`, as in `sparse < 0.1`");
                return TypeKind::Missing;
            }
        };
        self.next();
        let Kind::Number(share) = self.kind() else {
            self.expected("a share of non-zero cells from 0 to 1");
            return TypeKind::Missing;
        };
        let token = self.next();
        if !(0.0..=1.0).contains(&share) {
            let found = &self.text[token.range];
            let message = format!("expected a share of non-zero cells from 0 to 1, found {found}");
            self.error(token.range, message);
        }
        TypeKind::Sparse(sign, share)
    }

    fn shape(&mut self) -> TypeKind {
        const EXPECTED: &str = "a type: `m x n`, `scalar`, `matrix`, `vector`, `row`, `column`, \
            `dense`, `sparse < 0.1` or `[n]?`";
        let Some(rows) = self.size(EXPECTED) else {
            return TypeKind::Missing;
        };
        if self.kind() != Kind::Name || self.word() != "x" {
            self.expected("`x` and a number of columns, as in `m x n`");
            return TypeKind::Missing;
        }
        self.next();
        match self.size("a number of columns: a name, a number or `?`") {
            Some(cols) => TypeKind::Shape(rows, cols),
            None => TypeKind::Missing,
        }
    }

    fn array(&mut self) -> TypeKind {
        self.next();
        let Some(size) = self.size("a size: a name, a number or `?`") else {
            return TypeKind::Missing;
        };
        if !self.expect("]") {
            return TypeKind::Missing;
        }
        let element = match self.kind() {
            Kind::Sign("?") => {
                self.next();
                Some(Element::Any)
            }
            Kind::Sign("[") => Some(Element::Array(self.annotation())),
            Kind::Name => {
                let token = self.next();
                Some(Element::Named(self.named(token)))
            }
            _ => None,
        };
        TypeKind::Array(size, element.map(Box::new))
    }

    fn size(&mut self, expected: &str) -> Option<Size> {
        let mut size = self.one_size(expected)?;
        while let Kind::Sign(sign @ ("*" | "/")) = self.kind() {
            self.next();
            let right = self.one_size("a size: a name, a number or `?`")?;
            size = Size::Scaled(sign, Box::new(size), Box::new(right));
        }
        Some(size)
    }

    fn one_size(&mut self, expected: &str) -> Option<Size> {
        let size = match self.kind() {
            Kind::Sign("?") => Size::Any,
            Kind::Number(value) => Size::Number(value),
            Kind::Name => Size::Name(self.named(self.token())),
            _ => {
                self.expected(expected);
                return None;
            }
        };
        self.next();
        Some(size)
    }
}
