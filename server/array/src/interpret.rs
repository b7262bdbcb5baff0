//! The reference interpreter: what a program means, one number at a time.
//!
//! It is slow and plain on purpose. Everything else, rules, searches, loop nests, is held against it.

use std::rc::Rc;

use egg::Id;

use crate::node::{Node, Term};
use crate::prim::{BINOMIAL, Prim};
use crate::program::Program;
use crate::types::{NatId, Scalar, TypeId, Types};
use crate::value::{Data, Input};

/// Something a program works with.
#[derive(Clone)]
enum Value {
    Number(f64),
    Array(Rc<Vec<Value>>),
    Pair(Rc<(Value, Value)>),
    Function(Rc<Function>),
}

enum Function {
    /// A lambda's body, and the parameters around it.
    Lam(Id, Env),
    /// A primitive that waits for more arguments.
    Prim(Called),
    /// An input.
    Affine(f64, f64, Scalar),
}

#[derive(Clone)]
struct Called {
    prim: Prim,
    sizes: [usize; 2],
    scalar: Scalar,
    arity: usize,
    given: Vec<Value>,
}

/// Parameters, the nearest first.
#[derive(Clone)]
struct Env(Option<Rc<(Value, Env)>>);

struct Machine<'a> {
    term: &'a Term,
    types: &'a Types,
}

/// What a program computes. Its sizes must be numbers.
///
/// # Errors
/// It has other inputs, a size is no number, or it computes a function: text for a person.
pub fn interpret(program: &Program, inputs: &[Input]) -> Result<Data, String> {
    if inputs.len() != program.inputs.len() {
        return Err(format!(
            "the program takes {} inputs, found {}",
            program.inputs.len(),
            inputs.len()
        ));
    }
    if !program.types.sizes().is_empty() && is_open(program) {
        return Err("the program's sizes have no values".to_owned());
    }
    let machine = Machine {
        term: &program.term,
        types: &program.types,
    };
    let (types, _) = program.signature();
    let mut value = machine.eval(program.term.root(), &Env(None));
    for (input, ty) in inputs.iter().zip(types) {
        value = machine.apply(&value, machine.input(input, ty));
    }
    data(&value).ok_or_else(|| "the program computes a function".to_owned())
}

/// Whether a size in the program is no number.
fn is_open(program: &Program) -> bool {
    let types = &program.types;
    program.term.iter().any(|node| match node {
        Node::Prim(_, sizes, ty) => {
            let mut of_node = sizes.iter().flatten();
            of_node.any(|n| types.get_nat(*n).as_ratio().is_none()) || types.has_named_sizes(*ty)
        }
        Node::Var(_, ty) | Node::Lam(ty, _) | Node::Number(_, ty) => types.has_named_sizes(*ty),
        Node::App(_) => false,
    })
}

fn data(value: &Value) -> Option<Data> {
    Some(match value {
        Value::Number(value) => Data::Number(*value),
        Value::Array(elements) => Data::array(elements.iter().map(data).collect::<Option<_>>()?),
        Value::Pair(both) => Data::pair(data(&both.0)?, data(&both.1)?),
        Value::Function(_) => return None,
    })
}

fn of_data(data: &Data) -> Value {
    match data {
        Data::Number(value) => Value::Number(*value),
        Data::Array(elements) => array(elements.iter().map(of_data).collect()),
        Data::Pair(both) => pair(of_data(&both.0), of_data(&both.1)),
    }
}

fn array(elements: Vec<Value>) -> Value {
    Value::Array(Rc::new(elements))
}

fn pair(first: Value, second: Value) -> Value {
    Value::Pair(Rc::new((first, second)))
}

impl Machine<'_> {
    fn input(&self, input: &Input, ty: TypeId) -> Value {
        match input {
            Input::Data(data) => of_data(data),
            Input::Affine(factor, term) => {
                let from = self.types.as_fun(ty).map_or(ty, |(from, _)| from);
                let scalar = self.types.scalar_of(from).unwrap_or(Scalar::F64);
                Value::Function(Rc::new(Function::Affine(*factor, *term, scalar)))
            }
        }
    }

    fn eval(&self, id: Id, env: &Env) -> Value {
        match &self.term[id] {
            Node::Var(index, _) => {
                let mut at = env;
                for _ in 0..*index {
                    at = &at.0.as_ref().expect("a program is closed").1;
                }
                at.0.as_ref().expect("a program is closed").0.clone()
            }
            Node::Number(bits, ty) => {
                let scalar = self.types.scalar_of(*ty).unwrap_or(Scalar::F64);
                Value::Number(scalar.round(bits.value()))
            }
            Node::Lam(_, body) => Value::Function(Rc::new(Function::Lam(*body, env.clone()))),
            Node::App([function, argument]) => {
                let function = self.eval(*function, env);
                self.apply(&function, self.eval(*argument, env))
            }
            Node::Prim(prim, sizes, ty) => self.prim(*prim, *sizes, *ty),
        }
    }

    fn prim(&self, prim: Prim, sizes: [Option<NatId>; 2], mut ty: TypeId) -> Value {
        let size = |n: Option<NatId>| {
            let ratio = n.and_then(|n| self.types.get_nat(n).as_ratio());
            ratio.map_or(0, |ratio| usize::try_from(ratio.to_integer()).unwrap_or(0))
        };
        let mut arity = 0;
        while let Some((_, to)) = self.types.as_fun(ty) {
            arity += 1;
            ty = to;
        }
        let called = Called {
            prim,
            sizes: sizes.map(size),
            scalar: self.types.scalar_of(ty).unwrap_or(Scalar::F64),
            arity,
            given: Vec::new(),
        };
        if arity == 0 {
            return self.call(&called);
        }
        Value::Function(Rc::new(Function::Prim(called)))
    }

    fn apply(&self, function: &Value, argument: Value) -> Value {
        let Value::Function(function) = function else {
            unreachable!("a well-typed program applies functions only")
        };
        match &**function {
            Function::Lam(body, env) => {
                self.eval(*body, &Env(Some(Rc::new((argument, env.clone())))))
            }
            Function::Affine(factor, term, scalar) => {
                let product = scalar.round(number(&argument) * factor);
                Value::Number(scalar.round(product + term))
            }
            Function::Prim(called) => {
                let mut called = called.clone();
                called.given.push(argument);
                if called.given.len() == called.arity {
                    return self.call(&called);
                }
                Value::Function(Rc::new(Function::Prim(called)))
            }
        }
    }

    fn call(&self, called: &Called) -> Value {
        let given = &called.given;
        let [first, second] = called.sizes;
        match called.prim {
            Prim::Map | Prim::MapSeq | Prim::MapPar | Prim::MapUnroll => {
                let mapped = elements(&given[1]).iter();
                array(mapped.map(|x| self.apply(&given[0], x.clone())).collect())
            }
            Prim::Reduce | Prim::ReduceSeq | Prim::ReduceUnroll => {
                let step = |sum, x: &Value| {
                    let next = self.apply(&given[0], sum);
                    self.apply(&next, x.clone())
                };
                elements(&given[2]).iter().fold(given[1].clone(), step)
            }
            Prim::Zip => {
                let both = elements(&given[0]).iter().zip(elements(&given[1]));
                array(both.map(|(a, b)| pair(a.clone(), b.clone())).collect())
            }
            Prim::Unzip => {
                let both = elements(&given[0]).iter().map(parts);
                let (a, b): (Vec<_>, Vec<_>) =
                    both.map(|both| (both.0.clone(), both.1.clone())).unzip();
                pair(array(a), array(b))
            }
            Prim::Split | Prim::AsVector => {
                let pieces = elements(&given[0]).chunks(first);
                array(pieces.map(|piece| array(piece.to_vec())).collect())
            }
            Prim::Join | Prim::AsScalar => {
                let pieces = elements(&given[0]).iter();
                array(
                    pieces
                        .flat_map(|piece| elements(piece).iter().cloned())
                        .collect(),
                )
            }
            Prim::Transpose => {
                let rows = elements(&given[0]);
                let width = rows.first().map_or(0, |row| elements(row).len());
                let column = |n: usize| rows.iter().map(|row| elements(row)[n].clone()).collect();
                array((0..width).map(|n| array(column(n))).collect())
            }
            Prim::Slide => {
                let windows = elements(&given[0]).windows(first).step_by(second);
                array(windows.map(|window| array(window.to_vec())).collect())
            }
            Prim::Pad => {
                let padding = |n: usize| std::iter::repeat_n(given[0].clone(), n);
                let inner = elements(&given[1]).iter().cloned();
                array(padding(first).chain(inner).chain(padding(second)).collect())
            }
            Prim::Fst => parts(&given[0]).0.clone(),
            Prim::Snd => parts(&given[0]).1.clone(),
            Prim::Pair => pair(given[0].clone(), given[1].clone()),
            Prim::Fill | Prim::VectorFromScalar => array(vec![given[0].clone(); first]),
            Prim::MakeArray => array(given.clone()),
            Prim::ToMem => given[0].clone(),
            Prim::Let => self.apply(&given[1], given[0].clone()),
            Prim::Add => numeric(called, |a, b| a + b),
            Prim::Sub => numeric(called, |a, b| a - b),
            Prim::Mul => numeric(called, |a, b| a * b),
            Prim::Div => numeric(called, |a, b| a / b),
            Prim::Min => numeric(called, |a, b| if a < b { a } else { b }),
            Prim::Max => numeric(called, |a, b| if a > b { a } else { b }),
            Prim::Weights2d => array(BINOMIAL.iter().map(|v| weights(*v)).collect()),
            Prim::WeightsV | Prim::WeightsH => weights(1.0),
        }
    }
}

fn weights(factor: f64) -> Value {
    array(BINOMIAL.iter().map(|h| Value::Number(factor * h)).collect())
}

/// Two numbers, or two vectors number by number.
fn numeric(called: &Called, f: impl Fn(f64, f64) -> f64) -> Value {
    let round = |a: &Value, b: &Value| Value::Number(called.scalar.round(f(number(a), number(b))));
    match (&called.given[0], &called.given[1]) {
        (Value::Array(a), Value::Array(b)) => {
            array(a.iter().zip(b.iter()).map(|(a, b)| round(a, b)).collect())
        }
        (a, b) => round(a, b),
    }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Number(value) => *value,
        _ => unreachable!("a well-typed program calculates with numbers only"),
    }
}

fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Array(elements) => elements,
        _ => unreachable!("a well-typed program takes only arrays apart"),
    }
}

fn parts(value: &Value) -> &(Value, Value) {
    match value {
        Value::Pair(both) => both,
        _ => unreachable!("a well-typed program takes only pairs apart"),
    }
}
