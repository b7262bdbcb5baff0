//! Equations between types, and between sizes, solved as they come.
//!
//! Variables made before [`Unifier::freeze`] are nobody's to choose afterwards: so the right side of a rule is held against
//! whatever the left side may stand for.

use rustc_hash::FxHashMap;

use crate::nat::{Nat, NatVar};
use crate::types::{Kind, NatId, Type, TypeId, TypeVar, Types};

/// What is known of variables.
#[derive(Default)]
pub(crate) struct Unifier {
    types: FxHashMap<TypeVar, TypeId>,
    nats: FxHashMap<NatVar, Nat>,
    /// Variables below these are fixed.
    frozen: (u32, u32),
    /// Equations that had several unknowns when they came.
    postponed: Vec<(Nat, Nat)>,
}

/// The two sides do not fit.
pub(crate) struct Mismatch;

type Fit = Result<(), Mismatch>;

impl Unifier {
    /// Fixes all variables that there are.
    pub(crate) fn freeze(&mut self, types: &Types) {
        self.frozen = types.variables();
    }

    /// The type with everything that is known filled in.
    pub(crate) fn resolve(&self, types: &mut Types, id: TypeId) -> TypeId {
        if !types.is_open(id) {
            return id;
        }
        match types.get(id) {
            Type::Var(var, _) => match self.types.get(&var) {
                Some(known) => self.resolve(types, *known),
                None => id,
            },
            Type::Scalar(_) => id,
            Type::Array(n, of) => {
                let n = self.resolve_nat(types, n);
                let of = self.resolve(types, of);
                types.add(Type::Array(n, of))
            }
            Type::Vector(n, of) => {
                let n = self.resolve_nat(types, n);
                let of = self.resolve(types, of);
                types.add(Type::Vector(n, of))
            }
            Type::Pair(a, b) => {
                let a = self.resolve(types, a);
                let b = self.resolve(types, b);
                types.add(Type::Pair(a, b))
            }
            Type::Fun(a, b) => {
                let a = self.resolve(types, a);
                let b = self.resolve(types, b);
                types.add(Type::Fun(a, b))
            }
        }
    }

    /// The size with everything that is known filled in.
    pub(crate) fn resolve_nat(&self, types: &mut Types, id: NatId) -> NatId {
        let nat = types.get_nat(id).clone();
        match self.known(&nat) {
            Some(known) => types.nat(known),
            None => id,
        }
    }

    fn known(&self, nat: &Nat) -> Option<Nat> {
        let mut nat = nat.clone();
        while nat.vars().any(|var| self.nats.contains_key(&var)) {
            nat = nat.replaced(&|var| self.nats.get(&var).cloned())?;
        }
        Some(nat)
    }

    /// Makes two types equal.
    pub(crate) fn unify(&mut self, types: &mut Types, a: TypeId, b: TypeId) -> Fit {
        let (a, b) = (self.shallow(types, a), self.shallow(types, b));
        if a == b {
            return Ok(());
        }
        match (types.get(a), types.get(b)) {
            (Type::Var(v, kind), Type::Var(w, other)) => {
                // The wider one becomes the narrower one.
                let (wide, narrow) = if kind <= other {
                    ((v, b), (w, a))
                } else {
                    ((w, a), (v, b))
                };
                if wide.0.0 >= self.frozen.0 {
                    self.types.insert(wide.0, wide.1);
                } else if narrow.0.0 >= self.frozen.0 && kind == other {
                    self.types.insert(narrow.0, narrow.1);
                } else {
                    return Err(Mismatch);
                }
                Ok(())
            }
            (Type::Var(v, kind), _) => self.bind(types, (v, kind), b),
            (_, Type::Var(v, kind)) => self.bind(types, (v, kind), a),
            (Type::Array(n, x), Type::Array(m, y)) | (Type::Vector(n, x), Type::Vector(m, y)) => {
                let (n, m) = (types.get_nat(n).clone(), types.get_nat(m).clone());
                self.unify_nats(&n, &m)?;
                self.unify(types, x, y)
            }
            (Type::Pair(w, x), Type::Pair(y, z)) | (Type::Fun(w, x), Type::Fun(y, z)) => {
                self.unify(types, w, y)?;
                self.unify(types, x, z)
            }
            _ => Err(Mismatch),
        }
    }

    fn shallow(&self, types: &Types, mut id: TypeId) -> TypeId {
        while let Type::Var(var, _) = types.get(id) {
            match self.types.get(&var) {
                Some(known) => id = *known,
                None => break,
            }
        }
        id
    }

    fn bind(&mut self, types: &mut Types, (var, kind): (TypeVar, Kind), to: TypeId) -> Fit {
        if var.0 < self.frozen.0 || !types.is(to, kind) || self.occurs(types, var, to) {
            return Err(Mismatch);
        }
        self.types.insert(var, to);
        Ok(())
    }

    fn occurs(&self, types: &Types, var: TypeVar, id: TypeId) -> bool {
        let id = self.shallow(types, id);
        match types.get(id) {
            Type::Var(other, _) => other == var,
            Type::Scalar(_) => false,
            Type::Array(_, of) | Type::Vector(_, of) => self.occurs(types, var, of),
            Type::Pair(a, b) | Type::Fun(a, b) => {
                self.occurs(types, var, a) || self.occurs(types, var, b)
            }
        }
    }

    /// Makes two sizes equal, at once or as soon as more is known.
    pub(crate) fn unify_nats(&mut self, a: &Nat, b: &Nat) -> Fit {
        match self.solve(a, b)? {
            true => Ok(()),
            false => {
                self.postponed.push((a.clone(), b.clone()));
                Ok(())
            }
        }
    }

    /// Whether the equation is settled now.
    fn solve(&mut self, a: &Nat, b: &Nat) -> Result<bool, Mismatch> {
        let (a, b) = (
            self.known(a).ok_or(Mismatch)?,
            self.known(b).ok_or(Mismatch)?,
        );
        if a == b {
            return Ok(true);
        }
        let difference = a.minus(&b).ok_or(Mismatch)?;
        let fixed = self.frozen.1;
        let unknown = |var: &NatVar| Types::unnamed(*var).is_some_and(|n| n >= fixed);
        let mut unknowns: Vec<NatVar> = difference.vars().filter(unknown).collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        if unknowns.is_empty() {
            return Err(Mismatch);
        }
        // A variable that is one side all by itself is solved for first: nothing is divided for it.
        let alone = [a.as_var(), b.as_var()].into_iter().flatten();
        let alone = alone.filter(|var| unknowns.contains(var));
        let order: Vec<NatVar> = alone.chain(unknowns.iter().copied()).collect();
        let single = unknowns.len() == 1;
        for var in order {
            let is_alone = a.as_var() == Some(var) || b.as_var() == Some(var);
            if !single && !is_alone {
                continue;
            }
            if let Some(value) = difference.solved_for(var)
                && !value.vars().any(|other| other == var)
            {
                if value.is_impossible() {
                    return Err(Mismatch);
                }
                self.nats.insert(var, value);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Settles what was postponed, as far as that is possible; says whether nothing is left.
    pub(crate) fn settle(&mut self) -> Result<bool, Mismatch> {
        loop {
            let open = std::mem::take(&mut self.postponed);
            let before = open.len();
            for (a, b) in open {
                if !self.solve(&a, &b)? {
                    self.postponed.push((a, b));
                }
            }
            if self.postponed.is_empty() {
                return Ok(true);
            }
            if self.postponed.len() == before {
                return Ok(false);
            }
        }
    }
}
