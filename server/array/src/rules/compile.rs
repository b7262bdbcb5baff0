//! From a rule as it is written to patterns: types inferred and checked, names replaced by indices.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use sumac_text::TextRange;

use super::pattern::{Move, Pat, PatId, Pattern};
use crate::infer::{Core, Infer, Letters, Typed};
use crate::nat::NatVar;
use crate::node::Bits;
use crate::text::TextError;
use crate::text::ast::RuleText;
use crate::types::{Kind, NatId, Type, TypeId, Types};

/// A rule that was checked, over the types of one search.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name.
    pub name: Arc<str>,
    pub(crate) left: Pattern,
    pub(crate) right: Pattern,
    /// For each letter of the left side: how many parameters are around it, and which of them it may not mention.
    pub(crate) letters: Vec<Letter>,
    /// Letters of the right side beyond those: a letter of the left, on vectors of this size.
    pub(crate) vectorized: Vec<(usize, NatId)>,
    /// Its first variables of types and sizes, and how many there are.
    pub(crate) variables: Variables,
}

/// The variables of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Variables {
    pub(crate) first: (u32, u32),
    pub(crate) count: (u32, u32),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Letter {
    pub(crate) name: Arc<str>,
    /// The parameters around it on the left side, the nearest first, by index: those it may not mention.
    pub(crate) forbidden: Vec<u32>,
}

/// A letter where it stands on the left side.
struct Seen {
    name: Arc<str>,
    ty: TypeId,
    /// The parameters around it, the outermost first.
    around: Vec<(Arc<str>, TypeId)>,
}

impl Rule {
    /// Compiles a rule.
    ///
    /// # Errors
    /// It is not well-typed, or says something that patterns cannot say.
    pub fn compile(text: &RuleText, types: &mut Types) -> Result<Rule, TextError> {
        let first = types.variables();
        let mut infer = Infer::new(types, Letters::New);
        let mut left = infer.expr(&text.left)?;
        infer.finish(&mut left)?;
        let seen = letters_of(&left, &infer, text)?;
        // The right side is held against whatever the left side may be.
        infer.unifier.freeze(infer.types);
        infer.mode = Letters::Known;
        let mut vectorized = Vec::new();
        for (made, of, size) in &text.vectorized {
            let number = seen.iter().position(|letter| letter.name == of.text);
            let Some(number) = number else {
                let message = format!("`{}` does not stand on the left side", of.text);
                return Err(TextError::new(of.range, message));
            };
            let size = infer.size(size)?;
            let ty = infer.unifier.resolve(infer.types, seen[number].ty);
            let Some(ty) = on_vectors(infer.types, ty, size) else {
                let shown = infer.types.show(ty);
                let message = format!(
                    "only functions of numbers and pairs of them work on vectors; `{}` is of type `{shown}`",
                    of.text
                );
                return Err(TextError::new(of.range, message));
            };
            infer.letters.push((Arc::clone(&made.text), ty));
            vectorized.push((number, size));
        }
        let mut right = infer.expr(&text.right)?;
        let (found, wanted) = (right.ty, left.ty);
        infer.same(found, wanted, text.right.range)?;
        same_parameters(&right, &mut Vec::new(), &seen, &mut infer)?;
        infer.finish(&mut right)?;
        let fixed = infer.types.variables();
        drop(infer);
        let mut compiler = Compiler {
            known: Known::of(&left, types),
            types,
            seen: &seen,
            forbidden: vec![Vec::new(); seen.len()],
        };
        let mut left_pattern = Pattern::default();
        compiler.left(&left, &mut left_pattern);
        let mut right_pattern = Pattern::default();
        compiler.right(&right, &mut Vec::new(), &mut right_pattern)?;
        let forbidden = compiler.forbidden;
        let letters = seen
            .iter()
            .zip(forbidden)
            .map(|(letter, forbidden)| Letter {
                name: Arc::clone(&letter.name),
                forbidden,
            });
        Ok(Rule {
            name: Arc::clone(&text.name.text),
            left: left_pattern,
            right: right_pattern,
            letters: letters.collect(),
            vectorized,
            variables: Variables {
                first,
                count: (fixed.0 - first.0, fixed.1 - first.1),
            },
        })
    }
}

/// The letters of the left side. One that stands there twice must stand among the same parameters.
fn letters_of(left: &Typed, infer: &Infer<'_>, text: &RuleText) -> Result<Vec<Seen>, TextError> {
    let mut seen: Vec<Option<Seen>> = infer.letters.iter().map(|_| None).collect();
    let mut around = Vec::new();
    collect(left, &mut around, infer, &mut seen)?;
    let all: Option<Vec<Seen>> = seen.into_iter().collect();
    all.ok_or_else(|| TextError::new(text.left.range, "a letter stands nowhere"))
}

fn collect(
    typed: &Typed,
    around: &mut Vec<(Arc<str>, TypeId)>,
    infer: &Infer<'_>,
    seen: &mut [Option<Seen>],
) -> Result<(), TextError> {
    match &typed.kind {
        Core::Letter(number) => {
            let name = &infer.letters[*number].0;
            if let Some(known) = &seen[*number] {
                let names = |of: &[(Arc<str>, TypeId)]| -> Vec<Arc<str>> {
                    of.iter().map(|(name, _)| Arc::clone(name)).collect()
                };
                if names(&known.around) != names(around) {
                    let message = format!(
                        "`{name}` stands among other parameters before; on the left side a letter means the same everywhere"
                    );
                    return Err(TextError::new(typed.range, message));
                }
                return Ok(());
            }
            seen[*number] = Some(Seen {
                name: Arc::clone(name),
                ty: typed.ty,
                around: around.clone(),
            });
            Ok(())
        }
        Core::Lam(name, ty, body) => {
            if around.iter().any(|(known, _)| known == name) {
                let message = format!("the parameter `{name}` hides another one; rename it");
                return Err(TextError::new(typed.range, message));
            }
            around.push((Arc::clone(name), *ty));
            collect(body, around, infer, seen)?;
            around.pop();
            Ok(())
        }
        Core::App(function, argument) => {
            collect(function, around, infer, seen)?;
            collect(argument, around, infer, seen)
        }
        _ => Ok(()),
    }
}

/// A parameter of the right side that a letter knows from the left has the type that it has there.
fn same_parameters(
    typed: &Typed,
    around: &mut Vec<(Arc<str>, TypeId)>,
    seen: &[Seen],
    infer: &mut Infer<'_>,
) -> Result<(), TextError> {
    match &typed.kind {
        Core::Letter(number) => {
            let Some(letter) = seen.get(*number) else {
                return Ok(());
            };
            for (name, ty) in &letter.around {
                let here = around.iter().rev().find(|(known, _)| known == name);
                if let Some((_, here)) = here {
                    infer.same(*here, *ty, typed.range)?;
                }
            }
            Ok(())
        }
        Core::Lam(name, ty, body) => {
            around.push((Arc::clone(name), *ty));
            same_parameters(body, around, seen, infer)?;
            around.pop();
            Ok(())
        }
        Core::App(function, argument) => {
            same_parameters(function, around, seen, infer)?;
            same_parameters(argument, around, seen, infer)
        }
        _ => Ok(()),
    }
}

/// A function of numbers and pairs of them, on vectors instead.
pub(crate) fn on_vectors(types: &mut Types, ty: TypeId, size: NatId) -> Option<TypeId> {
    Some(match types.get(ty) {
        Type::Scalar(_) | Type::Var(_, Kind::Scalar) => types.add(Type::Vector(size, ty)),
        Type::Pair(a, b) => {
            let a = on_vectors(types, a, size)?;
            let b = on_vectors(types, b, size)?;
            types.add(Type::Pair(a, b))
        }
        Type::Fun(a, b) => {
            let a = on_vectors(types, a, size)?;
            let b = on_vectors(types, b, size)?;
            types.fun(a, b)
        }
        _ => return None,
    })
}

/// What a match of the left side determines: type variables, and size variables that stand alone somewhere.
#[derive(Default)]
struct Known {
    types: FxHashSet<TypeId>,
    nats: FxHashSet<NatVar>,
}

impl Known {
    fn of(left: &Typed, types: &Types) -> Self {
        let mut known = Known::default();
        known.collect(left, types);
        known
    }

    fn collect(&mut self, typed: &Typed, types: &Types) {
        match &typed.kind {
            Core::Letter(_) | Core::Number(_) => self.ty(typed.ty, types),
            Core::Prim(_, sizes) => {
                let alone = sizes.iter().flatten();
                self.nats
                    .extend(alone.filter_map(|n| types.get_nat(*n).as_var()));
                self.ty(typed.ty, types);
            }
            Core::Lam(_, ty, body) => {
                self.ty(*ty, types);
                self.collect(body, types);
            }
            Core::App(function, argument) => {
                self.collect(function, types);
                self.collect(argument, types);
            }
            Core::Var(_) => {}
        }
    }

    fn ty(&mut self, ty: TypeId, types: &Types) {
        match types.get(ty) {
            Type::Var(..) => {
                self.types.insert(ty);
            }
            Type::Scalar(_) => {}
            Type::Array(n, of) | Type::Vector(n, of) => {
                self.nats.extend(types.get_nat(n).as_var());
                self.ty(of, types);
            }
            Type::Pair(a, b) | Type::Fun(a, b) => {
                self.ty(a, types);
                self.ty(b, types);
            }
        }
    }

    /// The first part of a type that does not follow.
    fn lacks(&self, ty: TypeId, types: &Types) -> Option<String> {
        match types.get(ty) {
            Type::Var(..) => (!self.types.contains(&ty)).then(|| types.show(ty)),
            Type::Scalar(_) => None,
            Type::Array(n, of) | Type::Vector(n, of) => {
                self.lacks_nat(n, types).or_else(|| self.lacks(of, types))
            }
            Type::Pair(a, b) | Type::Fun(a, b) => {
                self.lacks(a, types).or_else(|| self.lacks(b, types))
            }
        }
    }

    fn lacks_nat(&self, n: NatId, types: &Types) -> Option<String> {
        let mut vars = types.get_nat(n).vars();
        let open = |var: &NatVar| Types::unnamed(*var).is_some() && !self.nats.contains(var);
        vars.any(|var| open(&var)).then(|| types.show_nat(n))
    }
}

struct Compiler<'a> {
    types: &'a Types,
    seen: &'a [Seen],
    known: Known,
    forbidden: Vec<Vec<u32>>,
}

impl Compiler<'_> {
    fn left(&self, typed: &Typed, pattern: &mut Pattern) -> PatId {
        let part = match &typed.kind {
            Core::Var(index) => Pat::Var(*index, typed.ty),
            Core::Letter(number) => Pat::Letter(*number, typed.ty),
            Core::Lam(_, ty, body) => Pat::Lam(*ty, self.left(body, pattern)),
            Core::App(function, argument) => {
                let function = self.left(function, pattern);
                Pat::App(function, self.left(argument, pattern))
            }
            Core::Prim(prim, sizes) => Pat::Prim(*prim, *sizes, typed.ty),
            Core::Number(value) => Pat::Number(Bits::of(*value), typed.ty),
        };
        pattern.add(part)
    }

    fn right(
        &mut self,
        typed: &Typed,
        around: &mut Vec<Arc<str>>,
        pattern: &mut Pattern,
    ) -> Result<PatId, TextError> {
        let part = match &typed.kind {
            Core::Var(index) => {
                self.determined(typed.ty, typed.range)?;
                Pat::Var(*index, typed.ty)
            }
            Core::Letter(number) => self.moved(*number, around),
            Core::Lam(name, ty, body) => {
                self.determined(*ty, typed.range)?;
                around.push(Arc::clone(name));
                let body = self.right(body, around, pattern)?;
                around.pop();
                Pat::Lam(*ty, body)
            }
            Core::App(function, argument) => {
                let function = self.right(function, around, pattern)?;
                Pat::App(function, self.right(argument, around, pattern)?)
            }
            Core::Prim(prim, sizes) => {
                self.determined(typed.ty, typed.range)?;
                for size in sizes.iter().flatten() {
                    self.follows(self.known.lacks_nat(*size, self.types), typed.range)?;
                }
                Pat::Prim(*prim, *sizes, typed.ty)
            }
            Core::Number(value) => {
                self.determined(typed.ty, typed.range)?;
                Pat::Number(Bits::of(*value), typed.ty)
            }
        };
        Ok(pattern.add(part))
    }

    fn moved(&mut self, number: usize, around: &[Arc<str>]) -> Pat {
        let depth = u32::try_from(around.len()).expect("nesting is bounded");
        let Some(letter) = self.seen.get(number) else {
            // What is made for vectors mentions no parameter of the rule.
            return Pat::Moved(
                number,
                Move {
                    to: Vec::new(),
                    depth,
                },
            );
        };
        let mut to = Vec::new();
        for (index, (name, _)) in (0..).zip(letter.around.iter().rev()) {
            let here = around.iter().rev().position(|known| known == name);
            let here = here.map(|place| u32::try_from(place).expect("nesting is bounded"));
            if here.is_none() && !self.forbidden[number].contains(&index) {
                self.forbidden[number].push(index);
            }
            to.push(here);
        }
        Pat::Moved(number, Move { to, depth })
    }

    /// Every variable of a type on the right side must follow from the left side.
    fn determined(&self, ty: TypeId, range: TextRange) -> Result<(), TextError> {
        self.follows(self.known.lacks(ty, self.types), range)
    }

    fn follows(&self, lacking: Option<String>, range: TextRange) -> Result<(), TextError> {
        match lacking {
            None => Ok(()),
            Some(open) => {
                let message = format!(
                    "`{open}` does not follow from the left side; say it there, `(e : type)`"
                );
                Err(TextError::new(range, message))
            }
        }
    }
}
