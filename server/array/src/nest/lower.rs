//! From a program to a nest: its functions are applied as it is read, its patterns become loops and places.
//!
//! What is written goes the other way than what is read: a piece that joins is told where its parts belong, so no array is made
//! only to be put together (Atkey and others, strategy-preserving compilation). What a reduction has so far stands in a local
//! buffer; a value that is stored and depends on no loop is stored once, before all loops.

use std::collections::HashMap;
use std::rc::Rc;

use egg::Id;

use super::forward::forwarded;
use super::names::safe;
use super::ragged::{self, Limit, Noted};
use super::rounded::rounded;
use super::values::{Fun, Kind, Later, Loop, Val, Work, constant};
use super::{Buffer, BufferId, Counter, Ex, How, Index, Nest, Role, Stmt};
use crate::nat::Nat;
use crate::node::{Free, Node, Term, free_of, types_of};
use crate::prim::Prim;
use crate::program::{Program, Sizes};
use crate::types::{NatId, Scalar, Type, TypeId, Types};

/// Numbers that one buffer may hold: 8 GB of f64.
const MOST_NUMBERS: i64 = 1 << 30;
/// Runs of a loop that may be written out.
const MOST_UNROLLED: i64 = 64;

pub(super) type Made<T> = Result<T, String>;

/// Where the elements of what is written belong: from a path of indices, the outermost first, to a place.
pub(super) type To = Rc<dyn Fn(&[Index]) -> (BufferId, Index)>;

/// The nest of a program whose sizes are numbers.
///
/// # Errors
/// The program takes functions, computes something that is not one array or number of one number type, or has a pattern that loops
/// cannot be made of: text for a person.
pub fn lower(program: &Program) -> Made<Nest> {
    nest_of(program, Values::default())
}

/// The nest of a program at these sizes. Where its tiles do not divide them, loops end where the sizes do.
///
/// # Errors
/// As [`lower`]; a size has no value, or the program cannot be cut where these sizes end.
pub fn lower_at(program: &Program, sizes: &Sizes) -> Made<Nest> {
    let why = match program.sized(sizes) {
        Ok(sized) => return lower(&sized),
        Err(why) => why,
    };
    let larger = rounded(program, sizes)
        .ok()
        .filter(|larger| program.sized(larger).is_ok())
        .ok_or(why)?;
    let values = |sizes: &Sizes| -> Vec<i64> {
        let names = program.types.sizes().iter();
        names.map(|name| sizes[name]).collect()
    };
    nest_of(
        program,
        Values {
            larger: values(&larger),
            real: values(sizes),
        },
    )
}

/// Values of a program's sizes: those that its tiles divide, and what they really are. None where the sizes are numbers.
#[derive(Default)]
struct Values {
    larger: Vec<i64>,
    real: Vec<i64>,
}

fn nest_of(program: &Program, values: Values) -> Made<Nest> {
    let (inputs, result) = program.signature();
    let types = &program.types;
    let scalar = types
        .scalar_under(result)
        .ok_or("only arrays of one number type can be computed by a nest")?;
    let mut lowering = Lowering::new(program, inputs.len(), values)?;
    let mut env = Vec::new();
    for (name, ty) in program.inputs.iter().zip(&inputs) {
        if types.scalar_under(*ty) != Some(scalar) {
            return Err(format!(
                "the input `{name}` must be an array of {} for a nest",
                scalar.name()
            ));
        }
        let buffer = lowering.buffer(&safe(name), *ty, Role::Input)?;
        env.push(lowering.memory(buffer, Index::default(), *ty));
    }
    let output = lowering.buffer("out", result, Role::Output)?;
    let mut value = lowering.eval(program.term.root(), &mut Vec::new())?;
    for input in env {
        value = lowering.apply(&value, input)?;
    }
    let to = lowering.row_major(output, Index::default(), result);
    lowering.store(&value, result, &to)?;
    let mut body = std::mem::take(&mut lowering.before);
    body.extend(
        lowering
            .blocks
            .pop()
            .map(|(_, block)| block)
            .unwrap_or_default(),
    );
    if lowering.is_ragged() {
        let noted = std::mem::take(&mut lowering.noted);
        // Outside of all loops, nothing can end sooner.
        if !noted.open.is_empty() {
            return Err(ragged::uncut());
        }
        let (counters, buffers) = (&mut lowering.counters, &mut lowering.buffers);
        body = ragged::cut(&body, &noted, counters, buffers)?;
    }
    let buffers = lowering.buffers;
    let body = forwarded(body, &|buffer| buffers[buffer].len);
    Ok(Nest {
        name: safe(&program.name),
        scalar,
        buffers,
        inputs: inputs.len(),
        body,
    })
}

pub(super) struct Lowering<'a> {
    pub(super) term: &'a Term,
    pub(super) types: Types,
    /// The type of each part of the term.
    pub(super) of: Vec<TypeId>,
    free: Vec<Free>,
    inputs: usize,
    pub(super) buffers: Vec<Buffer>,
    /// The blocks that are open, with a number each, the innermost last.
    pub(super) blocks: Vec<(u32, Vec<Stmt>)>,
    next_block: u32,
    pub(super) counters: u32,
    /// What is done before all loops, and the buffers that it stores, by their terms.
    before: Vec<Stmt>,
    stored: HashMap<Id, Val>,
    /// The widest vector of the program: arrays are copied in such vectors.
    pub(super) width: i64,
    values: Values,
    /// What elements need, where tiles do not divide the sizes.
    pub(super) noted: Noted,
}

impl<'a> Lowering<'a> {
    fn new(program: &'a Program, inputs: usize, values: Values) -> Made<Self> {
        let (term, mut types) = (&program.term, program.types.clone());
        let of = types_of(term, &mut types).ok_or("the program is not well-typed")?;
        let mut free: Vec<Free> = Vec::with_capacity(term.len());
        let mut width = 1;
        for node in term {
            free.push(free_of(node, &|id| free[usize::from(id)]));
            if let Node::Prim(Prim::AsVector, [Some(n), _], _) = node {
                let size = types.get_nat(*n).as_size().unwrap_or(1);
                width = width.max(i64::try_from(size).unwrap_or(1));
            }
        }
        Ok(Lowering {
            term,
            types,
            of,
            free,
            inputs,
            buffers: Vec::new(),
            blocks: vec![(0, Vec::new())],
            next_block: 1,
            counters: 0,
            before: Vec::new(),
            stored: HashMap::new(),
            width,
            values,
            noted: Noted::default(),
        })
    }

    pub(super) fn is_ragged(&self) -> bool {
        !self.values.real.is_empty()
    }

    pub(super) fn size(&self, n: NatId) -> Made<i64> {
        self.size_among(n, &self.values.larger)
            .ok_or_else(|| "a size has no value".to_owned())
    }

    fn size_among(&self, n: NatId, values: &[i64]) -> Option<i64> {
        let nat = self.types.get_nat(n);
        let value = nat
            .as_size()
            .or_else(|| nat.value(&|var| values.get(var.0 as usize).copied()));
        i64::try_from(value?).ok()
    }

    /// What a size really is, if that is another whole number than the larger one.
    pub(super) fn real(&self, n: NatId) -> Option<i64> {
        let real = self.size_among(n, &self.values.real)?;
        (self.size(n).ok()? != real).then_some(real)
    }

    /// A size as a buffer has it: inputs and the result have the real ones.
    fn size_in(&self, n: NatId, role: Role) -> Made<i64> {
        match role {
            Role::Input | Role::Output => self.real(n).map_or_else(|| self.size(n), Ok),
            Role::Stored | Role::Local => self.size(n),
        }
    }

    /// How many numbers a value of a type is in a buffer.
    pub(super) fn numbers(&self, ty: TypeId, role: Role) -> Made<i64> {
        match self.types.get(ty) {
            Type::Scalar(_) => Ok(1),
            Type::Array(n, of) | Type::Vector(n, of) => {
                let count = self.size_in(n, role)?.checked_mul(self.numbers(of, role)?);
                count
                    .filter(|n| *n <= MOST_NUMBERS)
                    .ok_or_else(|| format!("an array of more than {MOST_NUMBERS} numbers"))
            }
            _ => Err("pairs and functions cannot be stored in a buffer".to_owned()),
        }
    }

    pub(super) fn buffer(&mut self, name: &str, ty: TypeId, role: Role) -> Made<BufferId> {
        let len = self.numbers(ty, role)?;
        self.buffers.push(Buffer {
            name: name.to_owned(),
            len,
            role,
        });
        Ok(self.buffers.len() - 1)
    }

    pub(super) fn emit(&mut self, stmt: Stmt) {
        if let Some((_, block)) = self.blocks.last_mut() {
            block.push(stmt);
        }
    }

    pub(super) fn open(&mut self) {
        self.blocks.push((self.next_block, Vec::new()));
        self.next_block += 1;
    }

    pub(super) fn close(&mut self) -> Vec<Stmt> {
        self.blocks
            .pop()
            .map(|(_, block)| block)
            .unwrap_or_default()
    }

    /// A loop, or its runs one after the other.
    pub(super) fn each(
        &mut self,
        len: i64,
        how: Loop,
        run: &mut dyn FnMut(&mut Self, &Index) -> Made<()>,
    ) -> Made<()> {
        let mut is_written_out = false;
        let how = match how {
            Loop::Unrolled if len <= MOST_UNROLLED => {
                if !self.is_ragged() {
                    return (0..len).try_for_each(|n| run(self, &Index::number(n)));
                }
                if self.written_out(len, run)? {
                    return Ok(());
                }
                is_written_out = true;
                How::InOrder
            }
            Loop::Unrolled => How::InOrder,
            Loop::Plain(how) => how,
        };
        if len == 1 {
            return run(self, &Index::number(0));
        }
        let counter = Counter {
            number: self.counters,
            count: len,
        };
        self.counters += 1;
        let from = self.noted.open.len();
        self.open();
        let done = run(self, &Index::counter(counter));
        let body = self.close();
        done?;
        self.noted.close(counter, from)?;
        if is_written_out {
            self.noted.write_out(counter);
        }
        self.emit(Stmt::Loop(counter, how, body));
        Ok(())
    }

    /// The runs of a loop one after the other; none where some of them have elements that others have not.
    fn written_out(
        &mut self,
        len: i64,
        run: &mut dyn FnMut(&mut Self, &Index) -> Made<()>,
    ) -> Made<bool> {
        let from = self.noted.open.len();
        let mut runs: Vec<Stmt> = Vec::new();
        let mut first: Option<Vec<Limit>> = None;
        for n in 0..len {
            self.open();
            let done = run(self, &Index::number(n));
            runs.extend(self.close());
            done?;
            let limits = self.noted.open.split_off(from);
            if *first.get_or_insert_with(|| limits.clone()) != limits {
                return Ok(false);
            }
        }
        self.noted.open.extend(first.into_iter().flatten());
        runs.into_iter().for_each(|stmt| self.emit(stmt));
        Ok(true)
    }

    pub(super) fn eval(&mut self, id: Id, env: &mut Vec<Val>) -> Made<Val> {
        match &self.term[id] {
            Node::Var(index, _) => Ok(env[env.len() - 1 - *index as usize].clone()),
            Node::Number(bits, ty) => {
                let scalar = self.types.scalar_of(*ty).unwrap_or(Scalar::F64);
                Ok(Val::Ex(Ex::Number(scalar.round(bits.value()))))
            }
            Node::Lam(_, body) => Ok(Val::Fun(Rc::new(Fun::Lam(*body, env.clone())))),
            Node::App([function, argument]) => {
                let (function, argument) = (*function, *argument);
                if matches!(self.term[function], Node::Prim(Prim::ToMem, ..)) {
                    return self.stored(function, argument, env);
                }
                let function = self.eval(function, env)?;
                let argument = self.eval(argument, env)?;
                self.apply(&function, argument)
            }
            Node::Prim(prim, sizes, ty) => {
                let mut given = [0; 2];
                for (place, size) in given.iter_mut().zip(sizes.iter().flatten()) {
                    let is_nothing =
                        *prim == Prim::Pad && *self.types.get_nat(*size) == Nat::constant(0);
                    *place = if is_nothing { 0 } else { self.size(*size)? };
                }
                if self.types.as_fun(*ty).is_none() {
                    return constant(*prim);
                }
                Ok(Val::Fun(Rc::new(Fun::Prim(*prim, given, *ty, Vec::new()))))
            }
        }
    }

    /// A value that is stored: once before all loops, where it depends on none.
    fn stored(&mut self, function: Id, argument: Id, env: &mut Vec<Val>) -> Made<Val> {
        let Node::Prim(_, _, ty) = self.term[function] else {
            return Err("a value is stored by `toMem`".to_owned());
        };
        let ty = self.types.as_fun(ty).map_or(ty, |(_, to)| to);
        let free = self.free[usize::from(argument)];
        let inner = env.len().saturating_sub(self.inputs);
        let is_outer = (0..u32::try_from(inner).unwrap_or(u32::MAX).min(64)).all(|n| !free.has(n));
        if !is_outer {
            let value = self.eval(argument, env)?;
            return self.keep(&value, ty, Role::Local);
        }
        if let Some(known) = self.stored.get(&argument) {
            return Ok(known.clone());
        }
        let outer = std::mem::take(&mut self.blocks);
        self.open();
        let made = self
            .eval(argument, env)
            .and_then(|value| self.keep(&value, ty, Role::Stored));
        let block = self.close();
        self.blocks = outer;
        let made = made?;
        self.before.extend(block);
        self.stored.insert(argument, made.clone());
        Ok(made)
    }

    pub(super) fn apply(&mut self, function: &Val, argument: Val) -> Made<Val> {
        let Val::Fun(function) = function else {
            return Err("a function was expected".to_owned());
        };
        match &**function {
            Fun::Lam(body, env) => {
                let mut env = env.clone();
                env.push(argument);
                self.eval(*body, &mut env)
            }
            Fun::Prim(prim, sizes, ty, given) => {
                let mut given = given.clone();
                given.push(argument);
                let mut result = *ty;
                // The type of the argument that came last.
                let mut last = *ty;
                for _ in 0..given.len() {
                    if let Some((from, to)) = self.types.as_fun(result) {
                        (last, result) = (from, to);
                    }
                }
                if self.types.as_fun(result).is_some() {
                    return Ok(Val::Fun(Rc::new(Fun::Prim(*prim, *sizes, *ty, given))));
                }
                self.call(*prim, *sizes, (last, result), &given)
            }
        }
    }

    /// `last` is the type of the last argument, `ty` that of the result.
    fn call(
        &mut self,
        prim: Prim,
        sizes: [i64; 2],
        (last, ty): (TypeId, TypeId),
        given: &[Val],
    ) -> Made<Val> {
        let len = match self.types.get(ty) {
            Type::Array(n, _) => self.size(n)?,
            _ => 1,
        };
        let array = |kind| Ok(Val::array(len, kind));
        let how = match prim {
            Prim::MapPar => Loop::Plain(How::Parallel),
            Prim::MapUnroll | Prim::ReduceUnroll => Loop::Unrolled,
            _ => Loop::Plain(How::InOrder),
        };
        match (prim, given) {
            (Prim::Map | Prim::MapSeq | Prim::MapPar | Prim::MapUnroll, [f, xs]) => {
                array(Kind::Map(how, f.clone(), xs.clone(), last))
            }
            (Prim::Reduce | Prim::ReduceSeq | Prim::ReduceUnroll, [f, start, xs]) => {
                self.reduced((how, f, start, xs), len, ty)
            }
            (Prim::Zip, [a, b]) => array(Kind::Zip(a.clone(), b.clone())),
            (Prim::Unzip, [xs]) => {
                let len = xs.as_array()?.len;
                if let Kind::Zip(a, b) = &xs.as_array()?.kind {
                    return Ok(Val::pair(a.clone(), b.clone()));
                }
                let part = |first| Val::array(len, Kind::Part(first, xs.clone()));
                Ok(Val::pair(part(true), part(false)))
            }
            (Prim::Split, [xs]) => array(Kind::Split(sizes[0], xs.clone(), last)),
            (Prim::Join, [xs]) => {
                let count = xs.as_array()?.len;
                if let Type::Array(_, row) = self.types.get(last)
                    && let Type::Array(n, _) = self.types.get(row)
                    && self.real(n).is_some()
                {
                    return Err("rows that end within a tile cannot be joined".to_owned());
                }
                array(Kind::Join(len / count, xs.clone(), last))
            }
            (Prim::Transpose, [xs]) => {
                let rows = xs.as_array()?.len;
                if let Kind::Transpose(inner, ..) = &xs.as_array()?.kind {
                    return Ok(inner.clone());
                }
                array(Kind::Transpose(xs.clone(), rows, last))
            }
            (Prim::Pad, [value, xs]) => {
                let work = Work::Pad(sizes, value.clone(), xs.clone(), last);
                array(Kind::Later(Later {
                    work,
                    ty,
                    done: None.into(),
                }))
            }
            (Prim::Slide, [xs]) => array(Kind::Slide(sizes[0], sizes[1], xs.clone())),
            (Prim::Fill, [x]) => {
                let fill = Val::array(len, Kind::Fill(x.clone()));
                Ok(self.limited(fill, ty))
            }
            (Prim::MakeArray, values) => array(Kind::Listed(values.to_vec())),
            (Prim::AsVector, [xs]) => array(Kind::Vectors(sizes[0], xs.clone())),
            (Prim::AsScalar, [xs]) => {
                let width = len / xs.as_array()?.len;
                if let Kind::Vectors(_, inner) = &xs.as_array()?.kind {
                    return Ok(inner.clone());
                }
                let work = Work::Numbers(width, xs.clone());
                array(Kind::Later(Later {
                    work,
                    ty,
                    done: None.into(),
                }))
            }
            (Prim::VectorFromScalar, [x]) => Ok(Val::Ex(Ex::Splat(Box::new(x.as_ex()?), sizes[0]))),
            (Prim::Fst, [Val::Pair(both)]) => Ok(both.0.clone()),
            (Prim::Snd, [Val::Pair(both)]) => Ok(both.1.clone()),
            (Prim::Pair, [a, b]) => Ok(Val::pair(a.clone(), b.clone())),
            (Prim::Let, [value, body]) => self.apply(body, value.clone()),
            (Prim::ToMem, [value]) => Ok(value.clone()),
            (Prim::Add | Prim::Sub | Prim::Mul | Prim::Div | Prim::Min | Prim::Max, [a, b]) => Ok(
                Val::Ex(Ex::Calc(prim, Box::new(a.as_ex()?), Box::new(b.as_ex()?))),
            ),
            _ => Err(format!("`{}` cannot be made a loop", prim.row().name)),
        }
    }

    /// A value of a type in a buffer, row by row.
    pub(super) fn memory(&self, buffer: BufferId, at: Index, ty: TypeId) -> Val {
        match self.types.get(ty) {
            Type::Array(n, of) => {
                let len = self.size(n).unwrap_or(1);
                let whole = Val::array(len, Kind::Memory(buffer, at, of));
                match self.buffers[buffer].role {
                    Role::Input | Role::Output => self.limited(whole, ty),
                    Role::Stored | Role::Local => whole,
                }
            }
            Type::Vector(n, _) => {
                let width = self.size(n).unwrap_or(1);
                Val::Ex(Ex::Load(buffer, at, width))
            }
            _ => Val::Ex(Ex::Load(buffer, at, 1)),
        }
    }

    /// An array of which only the real elements are there.
    pub(super) fn limited(&self, array: Val, ty: TypeId) -> Val {
        match self.types.get(ty) {
            Type::Array(n, _) => match (self.real(n), self.size(n)) {
                (Some(real), Ok(len)) => Val::array(len, Kind::Limited(real, array)),
                _ => array,
            },
            _ => array,
        }
    }

    /// Where the numbers of a type belong that is stored row by row.
    pub(super) fn row_major(&self, buffer: BufferId, at: Index, ty: TypeId) -> To {
        let mut sizes = Vec::new();
        let mut ty = ty;
        let role = self.buffers[buffer].role;
        while let Type::Array(n, of) | Type::Vector(n, of) = self.types.get(ty) {
            sizes.push(self.size_in(n, role).unwrap_or(1));
            ty = of;
        }
        Rc::new(move |path| {
            let mut place = Index::default();
            for (n, index) in path.iter().enumerate() {
                let step: i64 = sizes[n + 1..].iter().product();
                place = place.plus(&index.times(step));
            }
            (buffer, at.plus(&place))
        })
    }
}
