//! From text to typed terms: what names mean, and the type of everything.
//!
//! Programs and both sides of rules go the same way. In a rule, a name that is no parameter and no primitive is a *letter*,
//! which stands for any term of its type; in a program there are none.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use sumac_text::TextRange;

use crate::nat::Nat;
use crate::prim::{self, PRIMS, Prim};
use crate::text::TextError;
use crate::text::ast::{Expr, ExprKind, Name, Size, SizeKind, TypeExpr, TypeKind};
use crate::types::{Kind, NatId, Scalar, Type, TypeId, Types};
use crate::unify::Unifier;

/// A typed expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Typed {
    pub(crate) range: TextRange,
    pub(crate) ty: TypeId,
    pub(crate) kind: Core,
}

/// What a typed expression is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Core {
    /// A parameter, by De Bruijn index.
    Var(u32),
    /// A letter of a rule, by number.
    Letter(usize),
    /// A function: its parameter's name and type.
    Lam(Arc<str>, TypeId, Box<Typed>),
    App(Box<Typed>, Box<Typed>),
    Prim(Prim, [Option<NatId>; 2]),
    Number(f64),
}

/// Whether names that mean nothing else are letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Letters {
    /// There are none: a program.
    None,
    /// They may be new: the left side of a rule.
    New,
    /// They must be known: the right side.
    Known,
}

type Inferred<T> = Result<T, TextError>;

/// Types in the making.
pub(crate) struct Infer<'a> {
    pub(crate) types: &'a mut Types,
    pub(crate) unifier: Unifier,
    pub(crate) letters: Vec<(Arc<str>, TypeId)>,
    pub(crate) mode: Letters,
    /// Sizes and types that a rule calls by name.
    nat_names: FxHashMap<Arc<str>, NatId>,
    type_names: FxHashMap<Arc<str>, TypeId>,
    scope: Vec<(Arc<str>, TypeId)>,
}

impl<'a> Infer<'a> {
    pub(crate) fn new(types: &'a mut Types, mode: Letters) -> Self {
        Infer {
            types,
            unifier: Unifier::default(),
            letters: Vec::new(),
            mode,
            nat_names: FxHashMap::default(),
            type_names: FxHashMap::default(),
            scope: Vec::new(),
        }
    }

    /// The type that a text stands for.
    pub(crate) fn ty(&mut self, ty: &TypeExpr) -> Inferred<TypeId> {
        Ok(match &ty.kind {
            TypeKind::Name(name) => match &**name {
                "f32" => self.types.scalar(Scalar::F32),
                "f64" => self.types.scalar(Scalar::F64),
                _ if self.mode == Letters::None => {
                    let message = format!(
                        "expected a type, f32, f64, `[n]a`, `<n>s` or `(a, b)`, found `{name}`"
                    );
                    return Err(TextError::new(ty.range, message));
                }
                _ => self.named_type(name),
            },
            TypeKind::Array(size, of) => {
                let size = self.size(size)?;
                let element = self.ty(of)?;
                self.expect_kind(element, Kind::Data, of.range)?;
                self.types.add(Type::Array(size, element))
            }
            TypeKind::Vector(size, of) => {
                let size = self.size(size)?;
                let element = self.ty(of)?;
                self.expect_kind(element, Kind::Scalar, of.range)?;
                self.types.add(Type::Vector(size, element))
            }
            TypeKind::Pair(a, b) => {
                let first = self.ty(a)?;
                self.expect_kind(first, Kind::Data, a.range)?;
                let second = self.ty(b)?;
                self.expect_kind(second, Kind::Data, b.range)?;
                self.types.add(Type::Pair(first, second))
            }
            TypeKind::Fun(a, b) => {
                let a = self.ty(a)?;
                let b = self.ty(b)?;
                self.types.fun(a, b)
            }
        })
    }

    fn expect_kind(&self, ty: TypeId, kind: Kind, range: TextRange) -> Inferred<()> {
        if self.types.is(ty, kind) {
            return Ok(());
        }
        let found = self.types.show(ty);
        Err(TextError::new(
            range,
            format!("expected {}, found `{found}`", wanted(kind)),
        ))
    }

    /// A type variable of a rule: the first letter says what it may stand for.
    fn named_type(&mut self, name: &Arc<str>) -> TypeId {
        if let Some(known) = self.type_names.get(name) {
            return *known;
        }
        let kind = match name.as_bytes().first() {
            Some(b's') => Kind::Scalar,
            Some(b't') => Kind::Number,
            _ => Kind::Data,
        };
        let fresh = self.types.fresh(kind);
        self.type_names.insert(Arc::clone(name), fresh);
        fresh
    }

    /// The size that a text stands for.
    pub(crate) fn size(&mut self, size: &Size) -> Inferred<NatId> {
        let nat = self.nat(size)?;
        if nat.is_impossible() {
            let message = format!(
                "expected a whole number from 1, found {}",
                nat.show(&|_| String::new())
            );
            return Err(TextError::new(size.range, message));
        }
        Ok(self.types.nat(nat))
    }

    fn nat(&mut self, size: &Size) -> Inferred<Nat> {
        match &size.kind {
            SizeKind::Number(value) => Ok(Nat::constant(*value)),
            SizeKind::Name(name) if self.mode == Letters::None => {
                let known = self.types.sizes().iter().any(|known| **known == **name);
                if !known {
                    let all = self.types.sizes().join(", ");
                    let there = if all.is_empty() {
                        "the program has none; declare it in `program name(n)(…)`".to_owned()
                    } else {
                        format!("there are: {all}")
                    };
                    let message = format!("there is no size `{name}`; {there}");
                    return Err(TextError::new(size.range, message));
                }
                Ok(Nat::var(self.types.size(name)))
            }
            SizeKind::Name(name) => {
                let id = match self.nat_names.get(name) {
                    Some(known) => *known,
                    None => {
                        let fresh = self.types.fresh_nat();
                        self.nat_names.insert(Arc::clone(name), fresh);
                        fresh
                    }
                };
                Ok(self.types.get_nat(id).clone())
            }
            SizeKind::Binary(sign, a, b) => {
                let (a, b) = (self.nat(a)?, self.nat(b)?);
                let made = match sign {
                    '+' => a.plus(&b),
                    '-' => a.minus(&b),
                    '*' => a.times(&b),
                    _ => a.over(&b),
                };
                made.ok_or_else(|| {
                    let message = "this size is too large, or divides by a sum or by zero";
                    TextError::new(size.range, message)
                })
            }
        }
    }

    /// Binds an input around everything that follows.
    pub(crate) fn input(&mut self, name: &Name, ty: TypeId) {
        self.scope.push((Arc::clone(&name.text), ty));
    }

    /// The typed expression of a tree. Types are as far as they are known by now.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Inferred<Typed> {
        let range = expr.range;
        let (ty, kind) = match &expr.kind {
            ExprKind::Number(value, scalar) => {
                let ty = match scalar {
                    Some(scalar) => self.types.scalar(*scalar),
                    None => self.types.fresh(Kind::Scalar),
                };
                (ty, Core::Number(*value))
            }
            ExprKind::Name(name, sizes) => self.name(name, sizes, range)?,
            ExprKind::Fun(name, ty, body) => {
                let from = match ty {
                    Some(ty) => self.ty(ty)?,
                    None => self.types.fresh(Kind::Any),
                };
                self.scope.push((Arc::clone(&name.text), from));
                let body = self.expr(body);
                self.scope.pop();
                let body = body?;
                let ty = self.types.fun(from, body.ty);
                let name = Arc::clone(&name.text);
                (ty, Core::Lam(name, from, Box::new(body)))
            }
            ExprKind::Apply(function, argument) => {
                let function = self.expr(function)?;
                let argument = self.expr(argument)?;
                let to = self.types.fresh(Kind::Any);
                let wanted = self.types.fun(argument.ty, to);
                if self.unifier.unify(self.types, function.ty, wanted).is_err() {
                    return Err(self.misapplied(&function, &argument));
                }
                (to, Core::App(Box::new(function), Box::new(argument)))
            }
            ExprKind::Typed(inner, ty) => {
                let inner = self.expr(inner)?;
                let wanted = self.ty(ty)?;
                self.same(inner.ty, wanted, range)?;
                return Ok(inner);
            }
        };
        Ok(Typed { range, ty, kind })
    }

    fn name(
        &mut self,
        name: &Arc<str>,
        sizes: &[Size],
        range: TextRange,
    ) -> Inferred<(TypeId, Core)> {
        let bound = self.scope.iter().rev().position(|(known, _)| known == name);
        if let Some(index) = bound {
            let ty = self.scope[self.scope.len() - 1 - index].1;
            if sizes.is_empty() {
                let index = u32::try_from(index).expect("nesting is bounded");
                return Ok((ty, Core::Var(index)));
            }
        } else if let Some(prim) = Prim::named(name) {
            return self.prim(prim, sizes, range);
        } else if let Some(number) = self.letters.iter().position(|(known, _)| known == name)
            && sizes.is_empty()
        {
            return Ok((self.letters[number].1, Core::Letter(number)));
        } else if self.mode == Letters::New && sizes.is_empty() {
            let ty = self.types.fresh(Kind::Any);
            self.letters.push((Arc::clone(name), ty));
            return Ok((ty, Core::Letter(self.letters.len() - 1)));
        }
        if !sizes.is_empty() {
            let message = format!("`{name}` takes no sizes in brackets");
            return Err(TextError::new(range, message));
        }
        if self.mode == Letters::Known {
            let message = format!("`{name}` does not stand on the left side");
            return Err(TextError::new(range, message));
        }
        let known = self.scope.iter().map(|(name, _)| &**name);
        let all = known.chain(PRIMS.iter().map(|row| row.name));
        let message = match nearest(name, all) {
            Some(near) => format!("there is no `{name}` here; did you mean `{near}`?"),
            None => {
                format!("there is no `{name}` here; expected an input, a parameter or a primitive")
            }
        };
        Err(TextError::new(range, message))
    }

    fn prim(&mut self, prim: Prim, sizes: &[Size], range: TextRange) -> Inferred<(TypeId, Core)> {
        let row = prim.row();
        if sizes.len() != row.sizes.len() {
            let wanted = if row.sizes.is_empty() {
                "no sizes".to_owned()
            } else {
                format!("`{}[{}]`", row.name, row.sizes.join(", "))
            };
            let message = format!("expected {wanted}, found {} sizes in brackets", sizes.len());
            return Err(TextError::new(range, message));
        }
        let mut given = [None; 2];
        for (place, size) in given.iter_mut().zip(sizes) {
            // Nothing may be padded on one side.
            let is_none = prim == Prim::Pad && size.kind == SizeKind::Number(0);
            *place = Some(match is_none {
                true => prim::number(self.types, 0),
                false => self.size(size)?,
            });
        }
        let ty = self.scheme(prim, given, range)?;
        Ok((ty, Core::Prim(prim, given)))
    }

    /// The type of a primitive with these sizes, its variables new.
    fn scheme(
        &mut self,
        prim: Prim,
        given: [Option<NatId>; 2],
        range: TextRange,
    ) -> Inferred<TypeId> {
        let row = prim.row();
        if row.ty.is_empty() {
            let element = self.types.fresh(Kind::Data);
            let count = given[0].unwrap_or_else(|| prim::number(self.types, 1));
            return prim::make_array(self.types, count, element).ok_or_else(|| {
                let most = prim::MOST_VALUES;
                let message = format!("expected a number of values from 1 to {most} in brackets");
                TextError::new(range, message)
            });
        }
        let text = crate::text::parse_type(row.ty)?;
        let sizes = row.sizes.iter().zip(given.into_iter().flatten());
        let names = sizes.map(|(name, id)| (Arc::from(*name), id)).collect();
        // The names of a scheme are its own.
        let outer = (
            std::mem::replace(&mut self.nat_names, names),
            std::mem::take(&mut self.type_names),
            std::mem::replace(&mut self.mode, Letters::New),
        );
        let ty = self.ty(&text);
        (self.nat_names, self.type_names, self.mode) = outer;
        ty.map_err(|error| TextError::new(range, error.message))
    }

    /// Makes two types equal, or says that they are not.
    pub(crate) fn same(&mut self, found: TypeId, wanted: TypeId, range: TextRange) -> Inferred<()> {
        if self.unifier.unify(self.types, found, wanted).is_ok() {
            return Ok(());
        }
        let found = self.shown(found);
        let wanted = self.shown(wanted);
        let message = format!("expected the type `{wanted}`, found `{found}`");
        Err(TextError::new(range, message))
    }

    fn misapplied(&mut self, function: &Typed, argument: &Typed) -> TextError {
        let ty = self.unifier.resolve(self.types, function.ty);
        let found = self.shown(argument.ty);
        match self.types.as_fun(ty) {
            Some((from, _)) => {
                let wanted = self.shown(from);
                let message = format!("expected an argument of type `{wanted}`, found `{found}`");
                TextError::new(argument.range, message)
            }
            None => {
                let shown = self.types.show(ty);
                let message =
                    format!("this is no function but of type `{shown}`; it takes no argument");
                TextError::new(function.range, message)
            }
        }
    }

    fn shown(&mut self, ty: TypeId) -> String {
        let ty = self.unifier.resolve(self.types, ty);
        self.types.show(ty)
    }

    /// Settles what is still open and fills in all types. Numbers whose type nothing says are f32.
    pub(crate) fn finish(&mut self, typed: &mut Typed) -> Inferred<()> {
        self.settle(typed.range)?;
        if self.mode == Letters::None {
            self.default_numbers(typed)?;
            self.settle(typed.range)?;
        }
        self.fill(typed);
        Ok(())
    }

    fn default_numbers(&mut self, typed: &Typed) -> Inferred<()> {
        match &typed.kind {
            Core::Number(_) => {
                let ty = self.unifier.resolve(self.types, typed.ty);
                if self.types.is_open(ty) {
                    let f32 = self.types.scalar(Scalar::F32);
                    self.same(ty, f32, typed.range)?;
                }
                Ok(())
            }
            Core::Lam(_, _, body) => self.default_numbers(body),
            Core::App(function, argument) => {
                self.default_numbers(function)?;
                self.default_numbers(argument)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn settle(&mut self, range: TextRange) -> Inferred<()> {
        match self.unifier.settle() {
            Ok(true) => Ok(()),
            Ok(false) => Err(TextError::new(
                range,
                "a size follows from nothing; say a type, `(e : [n]f32)`",
            )),
            Err(_) => Err(TextError::new(range, "sizes in this do not fit together")),
        }
    }

    fn fill(&mut self, typed: &mut Typed) {
        match &mut typed.kind {
            Core::Lam(_, ty, body) => {
                self.fill(body);
                *ty = self.unifier.resolve(self.types, *ty);
            }
            Core::App(function, argument) => {
                self.fill(function);
                self.fill(argument);
            }
            Core::Prim(_, sizes) => {
                for size in sizes.iter_mut().flatten() {
                    *size = self.unifier.resolve_nat(self.types, *size);
                }
            }
            _ => {}
        }
        typed.ty = self.unifier.resolve(self.types, typed.ty);
    }
}

fn wanted(kind: Kind) -> &'static str {
    match kind {
        Kind::Any => "a type",
        Kind::Data => "a type of data, no function",
        Kind::Number => "a number or a vector",
        Kind::Scalar => "f32 or f64",
    }
}

/// The name that is most like a given one, if it is near enough to be meant.
pub(crate) fn nearest<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    all.map(|known| (strsim::damerau_levenshtein(name, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.len().min(name.len()) / 4)
        .min()
        .map(|(_, known)| known)
}
