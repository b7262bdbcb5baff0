//! Reads types and sizes.

use std::sync::Arc;

use sumac_text::TextRange;

use super::ast::{Size, SizeKind, TypeExpr, TypeKind};
use super::lex::Kind;
use super::parse::{Parser, Read};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Read<TypeExpr> {
        self.deeper(|parser| {
            let from = parser.data_type()?;
            if !parser.eat("->") {
                return Ok(from);
            }
            let to = parser.ty()?;
            Ok(TypeExpr {
                range: from.range.cover(to.range),
                kind: TypeKind::Fun(Box::new(from), Box::new(to)),
            })
        })
    }

    fn data_type(&mut self) -> Read<TypeExpr> {
        self.deeper(|parser| {
            let start = parser.token().range;
            let kind = match parser.kind() {
                Kind::Name => TypeKind::Name(parser.name("a type")?.text),
                Kind::Sign("[") => {
                    parser.next();
                    let size = parser.size()?;
                    parser.sign("]")?;
                    TypeKind::Array(size, Box::new(parser.data_type()?))
                }
                Kind::Sign("<") => {
                    parser.next();
                    let size = parser.size()?;
                    parser.sign(">")?;
                    TypeKind::Vector(size, Box::new(parser.data_type()?))
                }
                Kind::Sign("(") => {
                    parser.next();
                    let first = parser.ty()?;
                    let kind = if parser.eat(",") {
                        TypeKind::Pair(Box::new(first), Box::new(parser.ty()?))
                    } else {
                        first.kind
                    };
                    parser.sign(")")?;
                    kind
                }
                _ => return Err(parser.expected("a type: f32, f64, `[n]a`, `<n>s` or `(a, b)`")),
            };
            let end = parser.tokens[parser.at.max(1) - 1].range;
            Ok(TypeExpr {
                range: start.cover(end),
                kind,
            })
        })
    }

    pub(super) fn size(&mut self) -> Read<Size> {
        self.deeper(|parser| parser.size_at(0))
    }

    fn size_at(&mut self, level: usize) -> Read<Size> {
        let Some(signs) = [['+', '-'], ['*', '/']].get(level) else {
            return self.one_size();
        };
        let mut left = self.size_at(level + 1)?;
        let mut links = 0;
        while let Some(sign) = signs.iter().find(|sign| self.is(&sign.to_string())) {
            self.link(&mut links)?;
            self.next();
            let right = self.size_at(level + 1)?;
            left = Size {
                range: left.range.cover(right.range),
                kind: SizeKind::Binary(*sign, Box::new(left), Box::new(right)),
            };
        }
        Ok(left)
    }

    fn one_size(&mut self) -> Read<Size> {
        let range: TextRange = self.token().range;
        let kind = match self.kind() {
            Kind::Number => match self.word().parse::<u32>() {
                Ok(number) => SizeKind::Number(i64::from(number)),
                Err(_) => return Err(self.expected("a whole number below 2^32")),
            },
            Kind::Name => SizeKind::Name(Arc::from(self.word())),
            Kind::Sign("(") => {
                self.next();
                let inner = self.size()?;
                if !self.is(")") {
                    return Err(self.expected("`)`"));
                }
                inner.kind
            }
            _ => return Err(self.expected("a size: a number, a name or `(`")),
        };
        self.next();
        Ok(Size { range, kind })
    }
}
