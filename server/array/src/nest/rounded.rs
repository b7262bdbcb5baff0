//! The sizes that a program's tiles divide, next to those that they do not.

use num_rational::Ratio;

use super::ragged::uncut;
use crate::nat::{Nat, NatVar};
use crate::program::{Program, Sizes};
use crate::types::{NatId, Type, TypeId, Types};

/// How much larger a size may become at most.
const MOST_ADDED: i64 = 4096;

/// The next larger sizes at which all sizes in a program are whole numbers.
///
/// # Errors
/// There are none nearby, or the program has sizes of which more than one size is a factor: text for a person.
pub(super) fn rounded(program: &Program, sizes: &Sizes) -> Result<Sizes, String> {
    let mut nats: Vec<NatId> = Vec::new();
    for node in &program.term {
        match node {
            crate::node::Node::Prim(_, given, ty) => {
                nats.extend(given.iter().flatten());
                sizes_in(&program.types, *ty, &mut nats);
            }
            crate::node::Node::Var(_, ty)
            | crate::node::Node::Lam(ty, _)
            | crate::node::Node::Number(_, ty) => sizes_in(&program.types, *ty, &mut nats),
            crate::node::Node::App(_) => {}
        }
    }
    nats.sort_unstable();
    nats.dedup();
    let mut made = sizes.clone();
    for (place, name) in program.types.sizes().iter().enumerate() {
        let own = NatVar(u32::try_from(place).unwrap_or(u32::MAX));
        let Some(size) = sizes.get(name).copied() else {
            return Err(format!("the size `{name}` has no value"));
        };
        let all: Vec<&Nat> = nats
            .iter()
            .map(|n| program.types.get_nat(*n))
            .filter(|nat| nat.vars().any(|var| var == own))
            .collect();
        let alone: Vec<&Nat> = all
            .iter()
            .copied()
            .filter(|nat| nat.vars().all(|var| var == own))
            .collect();
        let real = |nat: &Nat| {
            let value = nat.replaced(&|_| Some(Nat::constant(size)))?;
            value.as_ratio()
        };
        let is_there = |nat: &&Nat| real(nat).is_some_and(|n| n > Ratio::from_integer(0));
        if !alone.iter().all(is_there) {
            return Err(uncut());
        }
        let fits = |value: i64| {
            let mut sizes = alone.iter();
            sizes.all(|nat| nat.value(&|_| Some(value)).is_some())
        };
        let found = (size..=size.saturating_add(MOST_ADDED)).find(|value| fits(*value));
        let found = found.ok_or_else(uncut)?;
        if found != size && all.iter().any(|nat| nat.vars().any(|var| var != own)) {
            return Err(uncut());
        }
        made.insert(name.clone(), found);
    }
    Ok(made)
}

fn sizes_in(types: &Types, ty: TypeId, found: &mut Vec<NatId>) {
    match types.get(ty) {
        Type::Scalar(_) | Type::Var(..) => {}
        Type::Array(n, of) | Type::Vector(n, of) => {
            found.push(n);
            sizes_in(types, of, found);
        }
        Type::Pair(a, b) | Type::Fun(a, b) => {
            sizes_in(types, a, found);
            sizes_in(types, b, found);
        }
    }
}
