//! Types of array programs, hash-consed: equal types are one number, so comparing them costs nothing.
//!
//! A store belongs to one program or one search and is dropped with it. Variables of types and sizes are those of rules and
//! of inference; a checked program has sizes by name and no other variables.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::nat::{Nat, NatVar};

/// A type of one [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(u32);

/// A size of one [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NatId(u32);

/// A type variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeVar(pub u32);

/// What a number is stored as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scalar {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl Scalar {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// Bytes of a number.
    #[must_use]
    pub fn bytes(self) -> i64 {
        match self {
            Scalar::F32 => 4,
            Scalar::F64 => 8,
        }
    }

    /// A number as this type holds it.
    #[must_use]
    pub fn round(self, value: f64) -> f64 {
        match self {
            #[expect(clippy::cast_possible_truncation, reason = "that is what rounding is")]
            Scalar::F32 => f64::from(value as f32),
            Scalar::F64 => value,
        }
    }
}

/// What a type variable may stand for, from the widest on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Anything, functions included.
    Any,
    /// What can be stored: no functions.
    Data,
    /// What can be added and multiplied: numbers and vectors of them.
    Number,
    /// One number.
    Scalar,
}

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A number.
    Scalar(Scalar),
    /// `[n]a`.
    Array(NatId, TypeId),
    /// `<n>s`: numbers that are worked on together.
    Vector(NatId, TypeId),
    /// `(a, b)`.
    Pair(TypeId, TypeId),
    /// `a -> b`.
    Fun(TypeId, TypeId),
    /// A variable.
    Var(TypeVar, Kind),
}

/// The types and sizes of one program or search.
#[derive(Clone, Debug, Default)]
pub struct Types {
    types: Interned<Type>,
    /// Whether a type has variables of types or sizes in it that are not sizes by name.
    open: Vec<bool>,
    dimensions: Vec<u32>,
    /// Whether some size in a type is a number that no size can be.
    impossible: Vec<bool>,
    nats: Interned<Nat>,
    sizes: Vec<String>,
    /// The next variables: of types, and of sizes.
    next: (u32, u32),
}

/// Size variables from here on are not sizes by name.
const UNNAMED: u32 = 1 << 24;

#[derive(Clone, Debug)]
struct Interned<T> {
    all: Vec<T>,
    known: FxHashMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Interned {
            all: Vec::new(),
            known: FxHashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Interned<T> {
    /// The number of a value, and whether it is new.
    fn add(&mut self, value: T) -> (u32, bool) {
        if let Some(id) = self.known.get(&value) {
            return (*id, false);
        }
        let id = u32::try_from(self.all.len()).expect("a search never makes 2^32 types");
        self.all.push(value.clone());
        self.known.insert(value, id);
        (id, true)
    }
}

impl Types {
    /// The type of this form.
    pub fn add(&mut self, ty: Type) -> TypeId {
        let (id, is_new) = self.types.add(ty);
        if is_new {
            let open = |id: TypeId| self.open[id.0 as usize];
            let dims = |id: TypeId| self.dimensions[id.0 as usize];
            let (is_open, dimensions) = match ty {
                Type::Scalar(_) => (false, 0),
                Type::Array(n, of) => (open(of) || self.is_open_nat(n), dims(of) + 1),
                Type::Vector(n, of) => (open(of) || self.is_open_nat(n), dims(of)),
                Type::Pair(a, b) | Type::Fun(a, b) => (open(a) || open(b), dims(a).max(dims(b))),
                Type::Var(..) => (true, 0),
            };
            let bad = |id: TypeId| self.impossible[id.0 as usize];
            let is_impossible = match ty {
                Type::Scalar(_) | Type::Var(..) => false,
                Type::Array(n, of) | Type::Vector(n, of) => {
                    bad(of) || self.get_nat(n).is_impossible()
                }
                Type::Pair(a, b) | Type::Fun(a, b) => bad(a) || bad(b),
            };
            self.impossible.push(is_impossible);
            self.open.push(is_open);
            self.dimensions.push(dimensions);
        }
        TypeId(id)
    }

    /// What a type is.
    #[must_use]
    pub fn get(&self, id: TypeId) -> Type {
        self.types.all[id.0 as usize]
    }

    /// The size of this form.
    pub fn nat(&mut self, nat: Nat) -> NatId {
        NatId(self.nats.add(nat).0)
    }

    /// What a size is.
    #[must_use]
    pub fn get_nat(&self, id: NatId) -> &Nat {
        &self.nats.all[id.0 as usize]
    }

    /// All types, in the order in which they were made.
    pub fn all(&self) -> impl Iterator<Item = TypeId> + use<> {
        #[expect(clippy::cast_possible_truncation, reason = "ids are of 32 bits")]
        (0..self.types.all.len() as u32).map(TypeId)
    }

    /// A scalar type.
    pub fn scalar(&mut self, scalar: Scalar) -> TypeId {
        self.add(Type::Scalar(scalar))
    }

    /// A function type.
    pub fn fun(&mut self, from: TypeId, to: TypeId) -> TypeId {
        self.add(Type::Fun(from, to))
    }

    /// A new type variable.
    pub fn fresh(&mut self, kind: Kind) -> TypeId {
        let var = TypeVar(self.next.0);
        self.next.0 += 1;
        self.add(Type::Var(var, kind))
    }

    /// A new size variable.
    pub fn fresh_nat(&mut self) -> NatId {
        let var = NatVar(UNNAMED + self.next.1);
        self.next.1 += 1;
        self.nat(Nat::var(var))
    }

    /// How many variables there are: of types, and of sizes.
    #[must_use]
    pub fn variables(&self) -> (u32, u32) {
        self.next
    }

    /// The number of a size variable among those that are not sizes by name.
    #[must_use]
    pub fn unnamed(var: NatVar) -> Option<u32> {
        var.0.checked_sub(UNNAMED)
    }

    /// The variable of a size by name; adds it if it is new.
    pub fn size(&mut self, name: &str) -> NatVar {
        let known = self.sizes.iter().position(|known| known == name);
        let place = known.unwrap_or_else(|| {
            self.sizes.push(name.to_owned());
            self.sizes.len() - 1
        });
        NatVar(u32::try_from(place).expect("a program has few sizes"))
    }

    /// The sizes by name, in the order of their variables.
    #[must_use]
    pub fn sizes(&self) -> &[String] {
        &self.sizes
    }

    /// Whether a type has variables in it.
    #[must_use]
    pub fn is_open(&self, id: TypeId) -> bool {
        self.open[id.0 as usize]
    }

    /// Whether a size has variables in it that are not sizes by name.
    #[must_use]
    pub fn is_open_nat(&self, id: NatId) -> bool {
        let mut vars = self.get_nat(id).vars();
        vars.any(|var| Types::unnamed(var).is_some())
    }

    /// Whether a type has sizes by name in it.
    #[must_use]
    pub fn has_named_sizes(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Scalar(_) | Type::Var(..) => false,
            Type::Array(n, of) | Type::Vector(n, of) => {
                self.get_nat(n).as_ratio().is_none() || self.has_named_sizes(of)
            }
            Type::Pair(a, b) | Type::Fun(a, b) => {
                self.has_named_sizes(a) || self.has_named_sizes(b)
            }
        }
    }

    /// How deep arrays are nested in it.
    #[must_use]
    pub fn dimensions(&self, id: TypeId) -> u32 {
        self.dimensions[id.0 as usize]
    }

    /// Whether some size in it is a number that no size can be, whatever the named sizes are.
    #[must_use]
    pub fn is_impossible(&self, id: TypeId) -> bool {
        self.impossible[id.0 as usize]
    }

    /// Parameter and result of a function type.
    #[must_use]
    pub fn as_fun(&self, id: TypeId) -> Option<(TypeId, TypeId)> {
        match self.get(id) {
            Type::Fun(from, to) => Some((from, to)),
            _ => None,
        }
    }

    /// Whether a type is of a kind. A variable is of its own kind and of the wider ones.
    #[must_use]
    pub fn is(&self, id: TypeId, kind: Kind) -> bool {
        match self.get(id) {
            Type::Var(_, known) => known >= kind,
            Type::Scalar(_) => true,
            Type::Vector(..) => kind <= Kind::Number,
            Type::Array(..) | Type::Pair(..) => kind <= Kind::Data,
            Type::Fun(..) => kind == Kind::Any,
        }
    }

    /// The number type at the bottom of a number or a vector.
    #[must_use]
    pub fn scalar_of(&self, id: TypeId) -> Option<Scalar> {
        match self.get(id) {
            Type::Scalar(scalar) => Some(scalar),
            Type::Vector(_, of) => self.scalar_of(of),
            _ => None,
        }
    }

    /// The number type at the bottom of a type of data; `None` where there are several, or a function.
    #[must_use]
    pub fn scalar_under(&self, id: TypeId) -> Option<Scalar> {
        match self.get(id) {
            Type::Scalar(scalar) => Some(scalar),
            Type::Array(_, of) | Type::Vector(_, of) => self.scalar_under(of),
            Type::Pair(a, b) => {
                let first = self.scalar_under(a);
                first.filter(|first| self.scalar_under(b) == Some(*first))
            }
            Type::Fun(..) | Type::Var(..) => None,
        }
    }

    /// The type with other types and sizes for its variables; `None` where a size cannot be computed.
    pub fn replaced(
        &mut self,
        id: TypeId,
        by: &dyn Fn(TypeVar) -> Option<TypeId>,
        nat_by: &dyn Fn(NatVar) -> Option<Nat>,
    ) -> Option<TypeId> {
        Some(match self.get(id) {
            Type::Scalar(_) => id,
            Type::Var(var, _) => by(var).unwrap_or(id),
            Type::Array(n, of) => {
                let n = self.replaced_nat(n, nat_by)?;
                let of = self.replaced(of, by, nat_by)?;
                self.add(Type::Array(n, of))
            }
            Type::Vector(n, of) => {
                let n = self.replaced_nat(n, nat_by)?;
                let of = self.replaced(of, by, nat_by)?;
                self.add(Type::Vector(n, of))
            }
            Type::Pair(a, b) => {
                let a = self.replaced(a, by, nat_by)?;
                let b = self.replaced(b, by, nat_by)?;
                self.add(Type::Pair(a, b))
            }
            Type::Fun(a, b) => {
                let a = self.replaced(a, by, nat_by)?;
                let b = self.replaced(b, by, nat_by)?;
                self.add(Type::Fun(a, b))
            }
        })
    }

    /// As [`replaced`](Types::replaced), of a size.
    pub fn replaced_nat(&mut self, id: NatId, by: &dyn Fn(NatVar) -> Option<Nat>) -> Option<NatId> {
        let nat = self.get_nat(id).replaced(by)?;
        Some(self.nat(nat))
    }

    /// A size as text.
    #[must_use]
    pub fn show_nat(&self, id: NatId) -> String {
        self.get_nat(id).show(&|var| self.var_name(var))
    }

    fn var_name(&self, var: NatVar) -> String {
        match Types::unnamed(var) {
            Some(number) => format!("_{number}"),
            None => self.sizes[var.0 as usize].clone(),
        }
    }

    /// A type as text.
    #[must_use]
    pub fn show(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Array(n, of) => format!("[{}]{}", self.show_nat(n), self.show_element(of)),
            Type::Vector(n, of) => format!("<{}>{}", self.show_nat(n), self.show_element(of)),
            Type::Pair(a, b) => format!("({}, {})", self.show(a), self.show(b)),
            Type::Fun(a, b) => format!("{} -> {}", self.show_element(a), self.show(b)),
            Type::Var(var, kind) => {
                let letter = match kind {
                    Kind::Any => 't',
                    Kind::Data => 'a',
                    Kind::Number => 'n',
                    Kind::Scalar => 's',
                };
                format!("{letter}{}", var.0)
            }
        }
    }

    fn show_element(&self, id: TypeId) -> String {
        match self.get(id) {
            Type::Fun(..) => format!("({})", self.show(id)),
            _ => self.show(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_types_are_one() {
        let mut types = Types::default();
        let n = types.size("n");
        let blocks = Nat::var(n).over(&Nat::constant(32)).unwrap();
        let n = types.nat(Nat::var(n));
        let again = types.nat(blocks.times(&Nat::constant(32)).unwrap());
        let f32 = types.scalar(Scalar::F32);
        let (a, b) = (
            types.add(Type::Array(n, f32)),
            types.add(Type::Array(again, f32)),
        );
        assert_eq!(a, b);
        assert_eq!(types.show(a), "[n]f32");
        assert_eq!(types.dimensions(a), 1);
    }

    #[test]
    fn kinds_narrow_from_anything_to_one_number() {
        let mut types = Types::default();
        let f64 = types.scalar(Scalar::F64);
        let four = types.nat(Nat::constant(4));
        let vector = types.add(Type::Vector(four, f64));
        let function = types.fun(vector, f64);
        assert!(types.is(vector, Kind::Number) && !types.is(vector, Kind::Scalar));
        assert!(!types.is(function, Kind::Data) && types.is(function, Kind::Any));
        let number = types.fresh(Kind::Number);
        assert!(types.is(number, Kind::Data) && !types.is(number, Kind::Scalar));
        assert_eq!(types.show(function), "<4>f64 -> f64");
    }
}
