//! Reads programs and rules. The first thing that is wrong is said with its place; deep nesting is refused, not followed.

use std::sync::Arc;

use super::TextError;
use super::ast::{Expr, ExprKind, Name, ProgramText, RuleText, SetText, TypeExpr};
use super::lex::{Kind, Token, lex};
use crate::types::Scalar;

/// Expressions, types and sizes nested deeper than this are refused.
const MAX_DEPTH: usize = 200;

/// The parameter of a composition: a name that nobody can write.
const COMPOSED: &str = "·";

/// Signs between expressions from the loosest on, with the function that each stands for.
const SUMS: [(&str, &str); 2] = [("+", "add"), ("-", "sub")];
const PRODUCTS: [(&str, &str); 2] = [("*", "mul"), ("/", "div")];

pub(super) type Read<T> = Result<T, TextError>;

/// Reads one program.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse_program(text: &str) -> Read<ProgramText> {
    let mut parser = Parser::new(text);
    let doc = parser.doc();
    parser.keyword("program")?;
    let name = parser.name("a name for the program")?;
    let mut sizes = Vec::new();
    let mut inputs = Vec::new();
    parser.sign("(")?;
    // A list without colons holds sizes; the inputs come behind it, where there are any.
    let has_sizes = parser.is(")") || parser.ahead(1) != Kind::Sign(":");
    if has_sizes {
        sizes = parser.list(")", |parser| parser.name("a size"))?;
    }
    if !has_sizes || parser.eat("(") {
        inputs.extend(parser.list(")", |parser| {
            let name = parser.name("an input")?;
            parser.sign(":")?;
            Ok((name, parser.ty()?))
        })?);
    }
    parser.sign("=")?;
    let body = parser.expr()?;
    if parser.kind() != Kind::End {
        return Err(parser.expected("the end of the program"));
    }
    Ok(ProgramText {
        name,
        sizes,
        inputs,
        body,
        doc,
    })
}

/// Reads sets of rules.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse_rules(text: &str) -> Read<Vec<SetText>> {
    let mut parser = Parser::new(text);
    let mut sets = Vec::new();
    while parser.kind() != Kind::End {
        let doc = parser.doc();
        parser.keyword("set")?;
        let name = parser.name("a name for the set")?;
        let (mut rules, mut also) = (Vec::new(), Vec::new());
        while parser.kind() != Kind::End && !parser.is_word("set") {
            if parser.is_word("also") {
                parser.next();
                also.push(parser.name("a rule of another set")?);
            } else {
                rules.push(parser.rule()?);
            }
        }
        sets.push(SetText {
            name,
            rules,
            also,
            doc,
        });
    }
    Ok(sets)
}

/// Reads one type.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse_type(text: &str) -> Read<TypeExpr> {
    let mut parser = Parser::new(text);
    let ty = parser.ty()?;
    match parser.kind() {
        Kind::End => Ok(ty),
        _ => Err(parser.expected("the end of the type")),
    }
}

pub(super) struct Parser<'a> {
    text: &'a str,
    /// Words without comments.
    pub(super) tokens: Vec<Token>,
    /// The comment lines directly above each word.
    docs: Vec<String>,
    pub(super) at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let (mut tokens, mut docs) = (Vec::new(), Vec::new());
        let mut doc: Vec<&str> = Vec::new();
        let mut end = 0;
        for token in lex(text) {
            // An empty line ends a comment's belonging to what follows.
            if text[end..token.range.start].matches('\n').count() > 1 {
                doc.clear();
            }
            end = token.range.end;
            if token.kind == Kind::Comment {
                doc.push(text[token.range].trim_start_matches('#').trim());
            } else {
                tokens.push(token);
                docs.push(doc.join("\n"));
                doc.clear();
            }
        }
        Parser {
            text,
            tokens,
            docs,
            at: 0,
            depth: 0,
        }
    }

    pub(super) fn token(&self) -> Token {
        self.tokens[self.at]
    }

    pub(super) fn kind(&self) -> Kind {
        self.token().kind
    }

    fn ahead(&self, n: usize) -> Kind {
        let place = (self.at + n).min(self.tokens.len() - 1);
        self.tokens[place].kind
    }

    pub(super) fn word(&self) -> &'a str {
        &self.text[self.token().range]
    }

    fn doc(&self) -> String {
        self.docs[self.at].clone()
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.token();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self.kind(), Kind::Sign(found) if found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.kind() == Kind::Keyword && self.word() == word
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expected(&self, what: &str) -> TextError {
        let range = self.token().range;
        let found = match self.kind() {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.word()),
        };
        TextError::new(range, format!("expected {what}, found {found}"))
    }

    pub(super) fn sign(&mut self, sign: &str) -> Read<()> {
        if self.eat(sign) {
            return Ok(());
        }
        Err(self.expected(&format!("`{sign}`")))
    }

    fn keyword(&mut self, word: &str) -> Read<()> {
        if !self.is_word(word) {
            return Err(self.expected(&format!("`{word}`")));
        }
        self.next();
        Ok(())
    }

    pub(super) fn name(&mut self, what: &str) -> Read<Name> {
        if self.kind() != Kind::Name {
            return Err(self.expected(what));
        }
        let text = Arc::from(self.word());
        let range = self.next().range;
        Ok(Name { text, range })
    }

    /// Items between commas up to a closing sign, which is read, too.
    fn list<T>(&mut self, close: &str, item: impl Fn(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels; use `let` or `|>`");
            return Err(TextError::new(self.token().range, message));
        }
        self.depth += 1;
        let made = read(self);
        self.depth -= 1;
        made
    }

    /// Refuses chains of calls or signs that would nest too deep.
    pub(super) fn link(&self, links: &mut usize) -> Read<()> {
        *links += 1;
        if *links <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("more than {MAX_DEPTH} links in one chain; name a part with `let`");
        Err(TextError::new(self.token().range, message))
    }

    fn rule(&mut self) -> Read<RuleText> {
        let doc = self.doc();
        if !self.is_word("rule") {
            return Err(self.expected("`rule`, `also` or `set`"));
        }
        self.next();
        let name = self.name("a name for the rule")?;
        self.sign(":")?;
        let left = self.expr()?;
        self.sign("=")?;
        let right = self.expr()?;
        let mut vectorized = Vec::new();
        while self.is_word("where") {
            self.next();
            let made = self.name("a name for the function on vectors")?;
            self.sign("=")?;
            let of = self.name("a function of the left side")?;
            self.keyword("on")?;
            vectorized.push((made, of, self.size()?));
        }
        Ok(RuleText {
            name,
            left,
            right,
            vectorized,
            doc,
        })
    }

    fn expr(&mut self) -> Read<Expr> {
        self.deeper(|parser| {
            if parser.is_word("fun") {
                parser.fun()
            } else if parser.is_word("let") && parser.ahead(1) == Kind::Name {
                parser.let_in()
            } else {
                parser.pipe()
            }
        })
    }

    fn fun(&mut self) -> Read<Expr> {
        let start = self.next().range;
        let mut parameters = Vec::new();
        while !self.eat("=>") {
            if self.eat("(") {
                let name = self.name("a parameter")?;
                self.sign(":")?;
                let ty = self.ty()?;
                self.sign(")")?;
                parameters.push((name, Some(ty)));
            } else if parameters.is_empty() || self.kind() == Kind::Name {
                parameters.push((self.name("a parameter, or `(x : type)`")?, None));
            } else {
                return Err(self.expected("`=>` or a parameter"));
            }
        }
        if parameters.is_empty() {
            return Err(TextError::new(start, "expected a parameter behind `fun`"));
        }
        let mut body = self.expr()?;
        let mut links = 0;
        for (name, ty) in parameters.into_iter().rev() {
            self.link(&mut links)?;
            body = Expr {
                range: start.cover(body.range),
                kind: ExprKind::Fun(name, ty, Box::new(body)),
            };
        }
        Ok(body)
    }

    /// `let x = v in b`, which is `let(v, fun x => b)`.
    fn let_in(&mut self) -> Read<Expr> {
        let start = self.next().range;
        let name = self.name("a name")?;
        self.sign("=")?;
        let value = self.expr()?;
        self.keyword("in")?;
        let body = self.expr()?;
        let body = Expr {
            range: body.range,
            kind: ExprKind::Fun(name, None, Box::new(body)),
        };
        Ok(Expr::apply(
            Expr::apply(Expr::name("let", start), value),
            body,
        ))
    }

    fn pipe(&mut self) -> Read<Expr> {
        let mut left = self.composition()?;
        let mut links = 0;
        while self.eat("|>") {
            self.link(&mut links)?;
            let function = self.composition()?;
            let range = left.range.cover(function.range);
            left = Expr::apply(function, left);
            left.range = range;
        }
        Ok(left)
    }

    fn composition(&mut self) -> Read<Expr> {
        let mut left = self.infix(0)?;
        let mut links = 0;
        while self.eat(">>") {
            self.link(&mut links)?;
            let right = self.infix(0)?;
            let range = left.range.cover(right.range);
            let argument = Expr::name(COMPOSED, range);
            let body = Expr::apply(right, Expr::apply(left, argument));
            let name = Name {
                text: Arc::from(COMPOSED),
                range,
            };
            left = Expr {
                range,
                kind: ExprKind::Fun(name, None, Box::new(body)),
            };
        }
        Ok(left)
    }

    fn infix(&mut self, level: usize) -> Read<Expr> {
        let Some(signs) = [SUMS, PRODUCTS].get(level).copied() else {
            return self.postfix();
        };
        let mut left = self.infix(level + 1)?;
        let mut links = 0;
        while let Some((_, function)) = signs.iter().find(|(sign, _)| self.is(sign)) {
            self.link(&mut links)?;
            let range = self.next().range;
            let right = self.infix(level + 1)?;
            left = Expr::apply(Expr::apply(Expr::name(function, range), left), right);
        }
        Ok(left)
    }

    fn postfix(&mut self) -> Read<Expr> {
        let mut left = self.atom()?;
        let mut links = 0;
        while self.eat("(") {
            let arguments = self.list(")", Parser::expr)?;
            if arguments.is_empty() {
                let message = "a call takes at least one argument";
                return Err(TextError::new(left.range, message));
            }
            let end = self.tokens[self.at - 1].range;
            for argument in arguments {
                self.link(&mut links)?;
                left = Expr::apply(left, argument);
            }
            left.range = left.range.cover(end);
        }
        Ok(left)
    }

    fn atom(&mut self) -> Read<Expr> {
        let range = self.token().range;
        match self.kind() {
            Kind::Number => {
                let (value, scalar) = self.number()?;
                Ok(Expr {
                    range,
                    kind: ExprKind::Number(value, scalar),
                })
            }
            // `let` with its arguments in parentheses is the primitive.
            Kind::Keyword if self.word() == "let" => {
                self.next();
                Ok(Expr::name("let", range))
            }
            Kind::Name => {
                let name = self.name("a name")?;
                let sizes = if self.eat("[") {
                    self.list("]", Parser::size)?
                } else {
                    Vec::new()
                };
                Ok(Expr {
                    range,
                    kind: ExprKind::Name(name.text, sizes),
                })
            }
            Kind::Sign("(") => {
                self.next();
                let inner = self.expr()?;
                let kind = if self.eat(":") {
                    ExprKind::Typed(Box::new(inner), self.ty()?)
                } else if self.eat(",") {
                    let second = self.expr()?;
                    let pair = Expr::apply(Expr::name("pair", range), inner);
                    Expr::apply(pair, second).kind
                } else {
                    inner.kind
                };
                let end = self.token().range;
                self.sign(")")?;
                Ok(Expr {
                    range: range.cover(end),
                    kind,
                })
            }
            _ => Err(self.expected("an expression: a name, a number, `fun`, `let` or `(`")),
        }
    }

    fn number(&mut self) -> Read<(f64, Option<Scalar>)> {
        let range = self.token().range;
        let word = self.word();
        let scalars = [Scalar::F32, Scalar::F64];
        let typed = scalars
            .into_iter()
            .find_map(|scalar| Some((word.strip_suffix(scalar.name())?, scalar)));
        let (digits, scalar) = match typed {
            Some((digits, scalar)) => (digits, Some(scalar)),
            None => (word, None),
        };
        let value: f64 = digits
            .parse()
            .map_err(|_| TextError::new(range, format!("expected a number, found `{word}`")))?;
        if !scalar.unwrap_or(Scalar::F64).round(value).is_finite() {
            let message = format!("the number `{word}` is too large for its type");
            return Err(TextError::new(range, message));
        }
        self.next();
        Ok((value, scalar))
    }
}
