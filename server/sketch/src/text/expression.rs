//! Expressions and annotations: the part of the reader that a file's parts, stages and rules of the search share.

use sumac_text::TextRange;

use super::ast::{Element, Expr, ExprKind, NAMED_TYPES, Size, TypeExpr, TypeKind};
use super::lex::Kind;
use super::parse::Parser;

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

impl Parser<'_> {
    /// Alternatives: what binds least.
    pub(super) fn expr(&mut self) -> Expr {
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
