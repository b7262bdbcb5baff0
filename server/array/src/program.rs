//! Programs: a term of functions of the inputs, its sizes, and the names that a person gave them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::infer::{Core, Infer, Letters, Typed};
use crate::nat::{Nat, NatVar};
use crate::node::{Bits, Node, Term, part, types_of};
use crate::text::{TextError, parse_program, print};
use crate::types::{NatId, Scalar, Type, TypeId, Types};

/// The programs that are always there.
const BUILT_IN: [(&str, &str); 6] = [
    ("mm", include_str!("../../../fixtures/array/mm.array")),
    ("mv", include_str!("../../../fixtures/array/mv.array")),
    ("dot", include_str!("../../../fixtures/array/dot.array")),
    (
        "binomial",
        include_str!("../../../fixtures/array/binomial.array"),
    ),
    (
        "reduction",
        include_str!("../../../fixtures/array/reduction.array"),
    ),
    (
        "fission",
        include_str!("../../../fixtures/array/fission.array"),
    ),
];

/// A program that was checked.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// What its author says of it.
    pub doc: String,
    /// Its types and sizes.
    pub types: Types,
    /// A function of its inputs, one after the other.
    pub term: Term,
    /// The names of its inputs.
    pub inputs: Vec<Arc<str>>,
}

/// Values of sizes by name.
pub type Sizes = FxHashMap<String, i64>;

impl Program {
    /// Reads and checks a program.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(text: &str) -> Result<Program, TextError> {
        let tree = parse_program(text)?;
        let mut types = Types::default();
        for size in &tree.sizes {
            let before = types.sizes().len();
            types.size(&size.text);
            if types.sizes().len() == before {
                return Err(TextError::new(
                    size.range,
                    format!("the size `{}` is declared twice", size.text),
                ));
            }
        }
        let mut infer = Infer::new(&mut types, Letters::None);
        let mut inputs: Vec<(Arc<str>, TypeId)> = Vec::new();
        for (name, ty) in &tree.inputs {
            if inputs.iter().any(|(known, _)| *known == name.text) {
                let message = format!("the input `{}` is declared twice", name.text);
                return Err(TextError::new(name.range, message));
            }
            let ty = infer.ty(ty)?;
            infer.input(name, ty);
            inputs.push((Arc::clone(&name.text), ty));
        }
        let mut body = infer.expr(&tree.body)?;
        infer.finish(&mut body)?;
        determined(&types, &body)?;
        let mut made = Arena::default();
        let mut root = lower(&body, &mut made);
        for (_, ty) in inputs.iter().rev() {
            root = made.add(Node::Lam(*ty, root));
        }
        Ok(Program {
            name: tree.name.text.to_string(),
            doc: tree.doc,
            term: made.term(root),
            types,
            inputs: inputs.into_iter().map(|(name, _)| name).collect(),
        })
    }

    /// A program that is always there.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Program> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Some(Program::read(text).expect("a test reads them all"))
    }

    /// The names of the programs that are always there.
    pub fn built_ins() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The same program with another term of the same type.
    #[must_use]
    pub fn with(&self, term: Term, types: Types) -> Program {
        Program {
            term,
            types,
            ..self.clone()
        }
    }

    /// The types of its inputs, and of what it computes.
    ///
    /// # Panics
    /// The term is not well-typed, which no program that was read is.
    #[must_use]
    pub fn signature(&self) -> (Vec<TypeId>, TypeId) {
        let mut types = self.types.clone();
        let of = types_of(&self.term, &mut types).expect("a program is well-typed");
        let mut result = of[usize::from(self.term.root())];
        let mut inputs = Vec::new();
        for _ in &self.inputs {
            let (from, to) = types.as_fun(result).expect("a function of the inputs");
            inputs.push(from);
            result = to;
        }
        (inputs, result)
    }

    /// What it computes, its inputs being free.
    #[must_use]
    pub fn body(&self) -> Option<Term> {
        let mut at = self.term.root();
        for _ in &self.inputs {
            match &self.term[at] {
                Node::Lam(_, body) => at = *body,
                // A term that was reduced may be the function itself.
                _ => return None,
            }
        }
        Some(part(&self.term, at))
    }

    /// The inputs with their types, and the type of the result.
    fn shown(&self) -> (String, String) {
        let (inputs, result) = self.signature();
        let named = self.inputs.iter().zip(&inputs);
        let shown: Vec<String> = named
            .map(|(name, ty)| format!("{name}: {}", self.types.show(*ty)))
            .collect();
        (shown.join(", "), self.types.show(result))
    }

    /// As text that reads as the same program.
    #[must_use]
    pub fn show(&self) -> String {
        let (shown, _) = self.shown();
        let sizes = self.types.sizes();
        let sizes = if sizes.is_empty() {
            String::new()
        } else {
            format!("({})", sizes.join(", "))
        };
        let body = match self.body() {
            Some(body) => print::print(&body, &self.types, &self.inputs),
            None => print::print(&self.term, &self.types, &[]),
        };
        format!("program {}{sizes}({shown}) =\n{body}\n", self.name)
    }

    /// The type as text, of the inputs by name.
    #[must_use]
    pub fn show_type(&self) -> String {
        let (shown, result) = self.shown();
        if shown.is_empty() {
            return result;
        }
        format!("({shown}) -> {result}")
    }

    /// The program with numbers for its sizes.
    ///
    /// # Errors
    /// A size has no value, or some size in the program would be no whole number from one: text for a person.
    pub fn sized(&self, sizes: &Sizes) -> Result<Program, String> {
        let names = self.types.sizes().to_vec();
        if let Some(missing) = names.iter().find(|name| !sizes.contains_key(*name)) {
            return Err(format!(
                "the size `{missing}` has no value; say `--set {missing}=128`"
            ));
        }
        let value = |var: NatVar| Some(Nat::constant(sizes[&names[var.0 as usize]]));
        let mut types = self.types.clone();
        let mut term = Term::default();
        let wrong = |types: &Types, n: NatId| {
            let chosen: Vec<String> = names.iter().map(|n| format!("{n}={}", sizes[n])).collect();
            format!(
                "the size {} is no whole number from 1 with {}; choose sizes that can be divided",
                types.show_nat(n),
                chosen.join(", ")
            )
        };
        for node in &self.term {
            let mut node = node.clone();
            if let Node::Prim(_, given, _) = &mut node {
                for size in given.iter_mut().flatten() {
                    let old = *size;
                    *size = types
                        .replaced_nat(old, &value)
                        .filter(|new| {
                            types.get_nat(*new).as_size().is_some() || is_pad(&types, *new)
                        })
                        .ok_or_else(|| wrong(&self.types, old))?;
                }
            }
            match &mut node {
                Node::Var(_, ty)
                | Node::Lam(ty, _)
                | Node::Number(_, ty)
                | Node::Prim(_, _, ty) => {
                    let old = *ty;
                    let new = types.replaced(old, &|_| None, &value);
                    let bad = self.unfit(&mut types, old, &value);
                    *ty = match (new, bad) {
                        (Some(new), None) => new,
                        (_, Some(size)) => return Err(wrong(&self.types, size)),
                        (None, None) => return Err("a size is too large".to_owned()),
                    };
                }
                Node::App(_) => {}
            }
            term.add(node);
        }
        Ok(self.with(term, types))
    }

    /// A size in a type that has no whole value.
    fn unfit(
        &self,
        types: &mut Types,
        ty: TypeId,
        value: &dyn Fn(NatVar) -> Option<Nat>,
    ) -> Option<NatId> {
        match self.types.get(ty) {
            Type::Scalar(_) | Type::Var(..) => None,
            Type::Array(n, of) | Type::Vector(n, of) => {
                let whole = types.replaced_nat(n, value);
                let whole = whole.and_then(|n| types.get_nat(n).as_size());
                match whole {
                    None => Some(n),
                    Some(_) => self.unfit(types, of, value),
                }
            }
            Type::Pair(a, b) | Type::Fun(a, b) => {
                let first = self.unfit(types, a, value);
                first.or_else(|| self.unfit(types, b, value))
            }
        }
    }

    /// The program with all numbers of another type.
    #[must_use]
    pub fn in_scalar(&self, scalar: Scalar) -> Program {
        let mut types = self.types.clone();
        let mut term = Term::default();
        for node in &self.term {
            let mut node = node.clone();
            if let Node::Var(_, ty)
            | Node::Lam(ty, _)
            | Node::Number(_, ty)
            | Node::Prim(_, _, ty) = &mut node
            {
                *ty = converted(&mut types, *ty, scalar);
            }
            term.add(node);
        }
        self.with(term, types)
    }
}

/// Zero is a size where nothing is padded.
fn is_pad(types: &Types, n: NatId) -> bool {
    *types.get_nat(n) == Nat::constant(0)
}

fn converted(types: &mut Types, ty: TypeId, scalar: Scalar) -> TypeId {
    match types.get(ty) {
        Type::Scalar(_) => types.scalar(scalar),
        Type::Var(..) => ty,
        Type::Array(n, of) => {
            let of = converted(types, of, scalar);
            types.add(Type::Array(n, of))
        }
        Type::Vector(n, of) => {
            let of = converted(types, of, scalar);
            types.add(Type::Vector(n, of))
        }
        Type::Pair(a, b) => {
            let a = converted(types, a, scalar);
            let b = converted(types, b, scalar);
            types.add(Type::Pair(a, b))
        }
        Type::Fun(a, b) => {
            let a = converted(types, a, scalar);
            let b = converted(types, b, scalar);
            types.fun(a, b)
        }
    }
}

/// The first part, from the left, whose type follows from nothing.
fn determined(types: &Types, typed: &Typed) -> Result<(), TextError> {
    let open = match &typed.kind {
        Core::Lam(_, ty, body) => {
            determined(types, body)?;
            types.is_open(*ty)
        }
        Core::App(function, argument) => {
            determined(types, function)?;
            determined(types, argument)?;
            false
        }
        Core::Prim(_, sizes) => sizes.iter().flatten().any(|size| types.is_open_nat(*size)),
        _ => false,
    };
    if open || types.is_open(typed.ty) {
        let shown = types.show(typed.ty);
        let message =
            format!("the type of this follows from nothing, found `{shown}`; say it, `(e : type)`");
        return Err(TextError::new(typed.range, message));
    }
    if types.is_impossible(typed.ty) {
        let shown = types.show(typed.ty);
        let message = format!("a size is no whole number from 1: this is of type `{shown}`");
        return Err(TextError::new(typed.range, message));
    }
    if let Core::Number(value) = typed.kind {
        let scalar = types.scalar_of(typed.ty).unwrap_or(Scalar::F64);
        if !scalar.round(value).is_finite() {
            let message = format!("the number is too large for {}", scalar.name());
            return Err(TextError::new(typed.range, message));
        }
    }
    Ok(())
}

fn lower(typed: &Typed, made: &mut Arena) -> egg::Id {
    let node = match &typed.kind {
        Core::Var(index) => Node::Var(*index, typed.ty),
        Core::Letter(_) => unreachable!("a program has no letters"),
        Core::Lam(_, ty, body) => Node::Lam(*ty, lower(body, made)),
        Core::App(function, argument) => {
            let function = lower(function, made);
            Node::App([function, lower(argument, made)])
        }
        Core::Prim(prim, sizes) => Node::Prim(*prim, *sizes, typed.ty),
        Core::Number(value) => Node::Number(Bits::of(*value), typed.ty),
    };
    made.add(node)
}
