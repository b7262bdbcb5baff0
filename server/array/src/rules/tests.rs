//! Every rule against the interpreter: random types, sizes and terms for its letters, both sides evaluated.

use egg::Id;

use super::pattern::{Pat, PatId};
use super::{Library, Rule};
use crate::apply::at_root;
use crate::arena::Arena;
use crate::graph::{Calculus, Graph};
use crate::interpret;
use crate::nat::Nat;
use crate::node::{Bits, Node, Term};
use crate::prim::{Prim, make_array};
use crate::program::Program;
use crate::types::{Kind, NatId, Scalar, Type, TypeId, Types};
use crate::value::{Random, difference};

/// Letters that stand for more than any term: the operator of a reduction with its neutral start.
const GIVEN: [(&str, &str, Given); 2] = [
    ("blocked_reduce_4", "op", Given::Add),
    ("blocked_reduce_4", "init", Given::Zero),
];

#[derive(Clone, Copy)]
enum Given {
    Add,
    Zero,
}

/// Instances of each rule that must fit and agree.
const INSTANCES: usize = 8;
/// Elements that one instance writes down.
const MOST_WRITTEN: usize = 1500;
/// Tries for them: most random sizes cannot be divided.
const TRIES: usize = 4000;

struct Maker<'a> {
    types: &'a mut Types,
    arena: Arena,
    random: Random,
    /// Elements of arrays so far.
    written: usize,
}

impl Maker<'_> {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let last = i64::try_from(from.len() - 1).unwrap();
        from[usize::try_from(self.random.whole(0, last)).unwrap()]
    }

    fn size(&mut self) -> Nat {
        let sizes = [1, 2, 3, 4, 8, 32, 32, 64];
        Nat::constant(self.pick(&sizes))
    }

    /// A type of a kind: small ones are likely.
    fn ty(&mut self, kind: Kind) -> TypeId {
        let f32 = self.types.scalar(Scalar::F32);
        let choices: &[u8] = match kind {
            Kind::Scalar => &[0],
            Kind::Number => &[0, 1],
            _ => &[0, 0, 0, 2, 3],
        };
        match self.pick(choices) {
            1 => {
                let four = self.types.nat(Nat::constant(4));
                self.types.add(Type::Vector(four, f32))
            }
            2 => {
                let inner = self.ty(Kind::Scalar);
                let n = self.pick(&[1, 2, 3]);
                let n = self.types.nat(Nat::constant(n));
                self.types.add(Type::Array(n, inner))
            }
            3 => {
                let first = self.ty(Kind::Scalar);
                self.types.add(Type::Pair(first, f32))
            }
            _ => f32,
        }
    }

    fn prim(&mut self, prim: Prim, sizes: [Option<NatId>; 2], ty: TypeId) -> Id {
        self.arena.add(Node::Prim(prim, sizes, ty))
    }

    fn call(&mut self, prim: Prim, parts: &[(Id, TypeId)], to: TypeId) -> Id {
        let ty = parts
            .iter()
            .rev()
            .fold(to, |to, (_, from)| self.types.fun(*from, to));
        let mut made = self.prim(prim, [None; 2], ty);
        for (part, _) in parts {
            made = self.arena.add(Node::App([made, *part]));
        }
        made
    }

    fn number(&mut self, ty: TypeId) -> Id {
        let value = self.random.number(Scalar::F32);
        self.arena.add(Node::Number(Bits::of(value), ty))
    }

    /// A number made of a term of any data type.
    fn scalar_of(&mut self, term: Id, ty: TypeId, scalar: TypeId) -> Option<Id> {
        match self.types.get(ty) {
            Type::Scalar(_) => Some(term),
            Type::Pair(a, b) => {
                let (prim, of) = self.pick(&[(Prim::Fst, a), (Prim::Snd, b)]);
                let part = self.call(prim, &[(term, ty)], of);
                self.scalar_of(part, of, scalar)
            }
            Type::Array(_, of) => {
                // 2 acc - x: the order matters.
                let x = self.arena.add(Node::Var(0, of));
                let x = self.scalar_of(x, of, scalar)?;
                let acc = self.arena.add(Node::Var(1, scalar));
                let twice = self.call(Prim::Add, &[(acc, scalar), (acc, scalar)], scalar);
                let body = self.call(Prim::Sub, &[(twice, scalar), (x, scalar)], scalar);
                let body = self.arena.add(Node::Lam(of, body));
                let step = self.arena.add(Node::Lam(scalar, body));
                let step_ty = self.types.fun(of, scalar);
                let step_ty = self.types.fun(scalar, step_ty);
                let start = self.number(scalar);
                Some(self.call(
                    Prim::ReduceSeq,
                    &[(step, step_ty), (start, scalar), (term, ty)],
                    scalar,
                ))
            }
            _ => None,
        }
    }

    /// A term of a type that mentions the parameters around it, the nearest last.
    fn term(&mut self, ty: TypeId, around: &mut Vec<TypeId>) -> Option<Id> {
        let same: Vec<u32> = (0..)
            .zip(around.iter().rev())
            .filter_map(|(index, known)| (*known == ty).then_some(index))
            .collect();
        Some(match self.types.get(ty) {
            Type::Var(..) => return None,
            Type::Fun(from, to) => {
                around.push(from);
                let body = self.term(to, around);
                around.pop();
                self.arena.add(Node::Lam(from, body?))
            }
            _ if !same.is_empty() && self.random.whole(0, 2) == 0 => {
                let index = self.pick(&same);
                self.arena.add(Node::Var(index, ty))
            }
            Type::Scalar(_) => {
                let mut made = self.number(ty);
                for (index, of) in (0..).zip(around.clone().into_iter().rev()) {
                    let var = self.arena.add(Node::Var(index, of));
                    if let Some(part) = self.scalar_of(var, of, ty) {
                        let sign = self.pick(&[Prim::Add, Prim::Sub, Prim::Mul]);
                        made = self.call(sign, &[(made, ty), (part, ty)], ty);
                    }
                }
                made
            }
            Type::Pair(a, b) => {
                let parts = [(self.term(a, around)?, a), (self.term(b, around)?, b)];
                self.call(Prim::Pair, &parts, ty)
            }
            Type::Vector(n, of) => {
                let inner = self.term(of, around)?;
                let fun = self.types.fun(of, ty);
                let wide = self.prim(Prim::VectorFromScalar, [Some(n), None], fun);
                self.arena.add(Node::App([wide, inner]))
            }
            Type::Array(n, of) => {
                // Some thousand numbers are enough.
                self.written += self.types.get_nat(n).as_size()?;
                if self.written > MOST_WRITTEN {
                    return None;
                }
                let fun = make_array(self.types, n, of)?;
                let mut made = self.prim(Prim::MakeArray, [Some(n), None], fun);
                for _ in 0..self.types.get_nat(n).as_size()? {
                    let element = self.term(of, around)?;
                    made = self.arena.add(Node::App([made, element]));
                }
                made
            }
        })
    }
}

/// An instance of a rule's left side: its term and type.
fn instance(rule: &Rule, types: &mut Types, seed: u64) -> Option<(Term, TypeId)> {
    let mut maker = Maker {
        types,
        arena: Arena::default(),
        random: Random::new(seed),
        written: 0,
    };
    let (first, count) = (rule.variables.first, rule.variables.count);
    let kinds: Vec<Kind> = rule_kinds(rule, maker.types);
    let chosen: Vec<TypeId> = (0..count.0).map(|n| maker.ty(kinds[n as usize])).collect();
    let sizes: Vec<Nat> = (0..count.1).map(|_| maker.size()).collect();
    let fill = |types: &mut Types, ty: TypeId| {
        let by = |var: crate::types::TypeVar| chosen.get((var.0 - first.0) as usize).copied();
        let nat_by = |var| {
            let number = Types::unnamed(var)?;
            sizes.get((number - first.1) as usize).cloned()
        };
        let mut made = types.replaced(ty, &by, &nat_by)?;
        // A type that stands for another variable's.
        made = types.replaced(made, &by, &nat_by)?;
        (!types.is_impossible(made)).then_some(made)
    };
    let mut letters: Vec<Option<Id>> = vec![None; rule.letters.len()];
    let root = build(
        rule,
        rule.left.root(),
        &mut maker,
        &fill,
        &mut Vec::new(),
        &mut letters,
        &sizes,
    )?;
    let term = maker.arena.term(root);
    let of = crate::node::types_of(&term, maker.types)?;
    let ty = of[usize::from(term.root())];
    Some((term, ty))
}

/// The kinds of a rule's type variables.
fn rule_kinds(rule: &Rule, types: &Types) -> Vec<Kind> {
    let mut kinds = vec![Kind::Data; rule.variables.count.0 as usize];
    for ty in types.all() {
        if let Type::Var(var, kind) = types.get(ty)
            && let Some(place) = var.0.checked_sub(rule.variables.first.0)
            && let Some(known) = kinds.get_mut(place as usize)
        {
            *known = kind;
        }
    }
    kinds
}

type Fill<'f> = dyn Fn(&mut Types, TypeId) -> Option<TypeId> + 'f;

fn build(
    rule: &Rule,
    part: PatId,
    maker: &mut Maker<'_>,
    fill: &Fill<'_>,
    around: &mut Vec<TypeId>,
    letters: &mut Vec<Option<Id>>,
    sizes: &[Nat],
) -> Option<Id> {
    Some(match &rule.left.parts[part] {
        Pat::Moved(..) => return None,
        Pat::Letter(number, ty) => {
            if let Some(known) = letters[*number] {
                return Some(known);
            }
            let ty = fill(maker.types, *ty)?;
            let letter = &rule.letters[*number];
            let given = GIVEN
                .iter()
                .find(|(of, name, _)| **of == *rule.name && **name == *letter.name);
            let made = match given {
                Some((_, _, Given::Zero)) => {
                    maker.types.is(ty, Kind::Scalar).then_some(())?;
                    maker.arena.add(Node::Number(Bits::of(0.0), ty))
                }
                Some((_, _, Given::Add)) => {
                    let of = to_number(maker.types, ty);
                    maker.types.is(of, Kind::Scalar).then_some(())?;
                    maker.prim(Prim::Add, [None; 2], ty)
                }
                None => {
                    // What it may not mention is made a type that nothing can use.
                    let hidden = maker.types.fun(ty, ty);
                    let mut seen = around.clone();
                    let depth = seen.len();
                    for index in &letter.forbidden {
                        seen[depth - 1 - *index as usize] = hidden;
                    }
                    maker.term(ty, &mut seen)?
                }
            };
            letters[*number] = Some(made);
            made
        }
        Pat::Var(index, ty) => {
            let ty = fill(maker.types, *ty)?;
            maker.arena.add(Node::Var(*index, ty))
        }
        Pat::Lam(ty, body) => {
            let ty = fill(maker.types, *ty)?;
            around.push(ty);
            let body = build(rule, *body, maker, fill, around, letters, sizes);
            around.pop();
            maker.arena.add(Node::Lam(ty, body?))
        }
        Pat::App(function, argument) => {
            let function = build(rule, *function, maker, fill, around, letters, sizes)?;
            let argument = build(rule, *argument, maker, fill, around, letters, sizes)?;
            maker.arena.add(Node::App([function, argument]))
        }
        Pat::Prim(prim, given, ty) => {
            let ty = fill(maker.types, *ty)?;
            let mut filled = [None; 2];
            for (place, size) in filled.iter_mut().zip(given) {
                if let Some(size) = size {
                    let nat_by = |var| {
                        let number = Types::unnamed(var)?;
                        sizes
                            .get((number - rule.variables.first.1) as usize)
                            .cloned()
                    };
                    let size = maker.types.replaced_nat(*size, &nat_by)?;
                    maker.types.get_nat(size).as_size()?;
                    *place = Some(size);
                }
            }
            maker.prim(*prim, filled, ty)
        }
        Pat::Number(bits, ty) => {
            let ty = fill(maker.types, *ty)?;
            maker.arena.add(Node::Number(*bits, ty))
        }
    })
}

/// What an operator calculates with.
fn to_number(types: &Types, operator: TypeId) -> TypeId {
    types.as_fun(operator).map_or(operator, |(from, _)| from)
}

/// A term with arguments until it is data, the same for both sides.
fn completed(term: &Term, mut ty: TypeId, types: &mut Types, seed: u64) -> Option<Program> {
    let mut maker = Maker {
        types,
        arena: Arena::default(),
        random: Random::new(seed),
        written: 0,
    };
    let mut made = maker.arena.import(term);
    while let Some((from, to)) = maker.types.as_fun(ty) {
        let is_operator = matches!(maker.types.as_fun(from), Some((a, rest)) if maker.types.as_fun(rest).is_some_and(|(b, c)| a == b && b == c));
        if is_operator && !maker.types.is(to_number(maker.types, from), Kind::Number) {
            return None;
        }
        let argument = if is_operator {
            // The operator of a reduction, and its start below.
            maker.prim(Prim::Add, [None; 2], from)
        } else {
            maker.term(from, &mut Vec::new())?
        };
        made = maker.arena.add(Node::App([made, argument]));
        ty = to;
    }
    Some(Program {
        name: "instance".to_owned(),
        doc: String::new(),
        term: maker.arena.term(made),
        types: maker.types.clone(),
        inputs: Vec::new(),
    })
}

#[test]
fn both_sides_of_every_rule_are_equal_on_random_terms() {
    let mut types = Types::default();
    let rules = Library::built_in().compile(&[], &mut types).unwrap();
    assert!(rules.len() > 20);
    for rule in rules {
        let mut agreed = 0;
        for seed in 0..TRIES as u64 {
            let mut types = types.clone();
            let Some((left, ty)) = instance(&rule, &mut types, seed) else {
                continue;
            };
            let mut graph = Graph::new(Calculus { types });
            let root = graph.add_expr(&left);
            graph.rebuild();
            let sides = at_root(&rule, &mut graph, root);
            let mut types = graph.analysis.types.clone();
            assert!(
                !sides.is_empty() || rule.vectorized.is_empty(),
                "{}: {left}",
                rule.name
            );
            for right in sides {
                let of = crate::node::types_of(&right, &mut types).expect("well-typed");
                assert_eq!(of[usize::from(right.root())], ty, "{}", rule.name);
                let Some(a) = completed(&left, ty, &mut types, seed) else {
                    continue;
                };
                let b = completed(&right, ty, &mut types, seed).unwrap();
                let (a, b) = (interpret(&a, &[]).unwrap(), interpret(&b, &[]).unwrap());
                let apart = difference(&a, &b);
                assert!(
                    apart <= 1e-4,
                    "{} (seed {seed}): {apart}\n{left}\n{right}\n{}\n{}",
                    rule.name,
                    a.show(),
                    b.show(),
                );
                agreed += 1;
            }
            if agreed >= INSTANCES {
                break;
            }
        }
        assert!(
            agreed >= INSTANCES,
            "{}: only {agreed} instances",
            rule.name
        );
    }
}

fn wrong(text: &str) -> String {
    let library = Library::read(text).unwrap();
    library.compile(&[], &mut Types::default()).unwrap_err()
}

#[test]
fn a_rule_whose_right_side_may_have_another_type_is_refused() {
    let error = wrong("set s rule r: map(fun x => f(gx)) = fun xs => map(f, map(fun x => gx, xs))");
    assert!(error.contains("the rule `r`: expected"), "{error}");
    let error = wrong("set s rule r: split[s](x) = join(x)");
    assert!(error.contains("the rule `r`: expected"), "{error}");
    let error = wrong("set s rule r: (x : [n]a) = fst(pair(x, y))");
    assert_eq!(error, "the rule `r`: `y` does not stand on the left side");
    let error = wrong("set s rule r: (x : [n]a) = join(split[q](x))");
    assert!(
        error.contains("does not follow from the left side"),
        "{error}"
    );
    let error = wrong("set s rule r: map(fun x => f(x), y) = map(f, map(fun x => fun x => x, y))");
    assert!(!error.is_empty());
}

#[test]
fn a_letter_may_not_mention_what_is_not_there_on_the_right() {
    let mut types = Types::default();
    let rules = Library::built_in()
        .compile(&["map_fission", "lift_reduce_seq_sum"], &mut types)
        .unwrap();
    let forbidden = |rule: &Rule, name: &str| {
        let mut letters = rule.letters.iter();
        letters
            .find(|l| *l.name == *name)
            .unwrap()
            .forbidden
            .clone()
    };
    assert_eq!(forbidden(&rules[0], "f"), [0]);
    assert!(forbidden(&rules[0], "gx").is_empty());
    // Around `gy` are y, acc and x: only y is there on the right side.
    assert_eq!(forbidden(&rules[1], "gy"), [1, 2]);
}
