//! Functions of numbers, made to work on vectors of them.

use egg::Id;

use crate::arena::Arena;
use crate::node::{Node, type_of};
use crate::prim::Prim;
use crate::types::{NatId, Type, TypeId, Types};

/// A function of numbers and pairs of them that does the same on vectors of `size` numbers, part by part. What it mentions
/// from outside must be numbers, which then are the same in all places. `None` if it does anything but calculate.
pub(crate) fn on_vectors(
    arena: &mut Arena,
    types: &mut Types,
    function: Id,
    size: NatId,
) -> Option<Id> {
    make(arena, types, function, size, 0)
}

/// `bound`: how many parameters are already of vectors.
fn make(arena: &mut Arena, types: &mut Types, id: Id, size: NatId, bound: u32) -> Option<Id> {
    let free = arena.free(id);
    let is_outer = (0..bound).all(|index| !free.has(index));
    if is_outer && let Some(scalar) = scalar(arena, types, id) {
        // A number that no parameter changes.
        let vector = types.add(Type::Vector(size, scalar));
        let ty = types.fun(scalar, vector);
        let wide = arena.add(Node::Prim(Prim::VectorFromScalar, [Some(size), None], ty));
        return Some(arena.add(Node::App([wide, id])));
    }
    Some(match arena.node(id).clone() {
        Node::Var(index, ty) if index < bound => {
            let ty = widened(types, ty, size)?;
            arena.add(Node::Var(index, ty))
        }
        Node::Lam(ty, body) => {
            let ty = widened(types, ty, size)?;
            let body = make(arena, types, body, size, bound + 1)?;
            arena.add(Node::Lam(ty, body))
        }
        Node::App([function, argument]) => {
            let function = make(arena, types, function, size, bound)?;
            let argument = make(arena, types, argument, size, bound)?;
            arena.add(Node::App([function, argument]))
        }
        Node::Prim(prim, sizes, ty) if is_calculation(prim) => {
            let ty = widened(types, ty, size)?;
            arena.add(Node::Prim(prim, sizes, ty))
        }
        _ => return None,
    })
}

fn is_calculation(prim: Prim) -> bool {
    prim.row().infix.is_some()
        || matches!(
            prim,
            Prim::Min | Prim::Max | Prim::Fst | Prim::Snd | Prim::Pair
        )
}

/// The type of a part that is one number.
fn scalar(arena: &Arena, types: &mut Types, id: Id) -> Option<TypeId> {
    let ty = part_type(arena, types, id)?;
    matches!(types.get(ty), Type::Scalar(_)).then_some(ty)
}

fn part_type(arena: &Arena, types: &mut Types, id: Id) -> Option<TypeId> {
    match arena.node(id) {
        Node::App([function, _]) => {
            let function = part_type(arena, types, *function)?;
            types.as_fun(function).map(|(_, to)| to)
        }
        // No function is one number.
        Node::Lam(..) => None,
        node => type_of(node, types, &|child| unreachable_child(child)),
    }
}

fn unreachable_child(_: Id) -> TypeId {
    unreachable!("a leaf has no parts")
}

fn widened(types: &mut Types, ty: TypeId, size: NatId) -> Option<TypeId> {
    crate::rules::on_vectors(types, ty, size)
}
