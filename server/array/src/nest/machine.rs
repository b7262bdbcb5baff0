//! Runs a nest as it stands: plain, one number at a time. What a nest means is what this says.

use super::{BufferId, Counter, Ex, Nest, Stmt};
use crate::prim::Prim;
use crate::types::Scalar;

struct Machine<'a> {
    nest: &'a Nest,
    buffers: Vec<Vec<f64>>,
    counters: Vec<i64>,
}

/// What a nest computes from its inputs, each as its numbers in order.
///
/// # Errors
/// It has other inputs: text for a person.
pub fn run(nest: &Nest, inputs: &[Vec<f64>]) -> Result<Vec<f64>, String> {
    if inputs.len() != nest.inputs {
        return Err(format!(
            "the nest takes {} inputs, found {}",
            nest.inputs,
            inputs.len()
        ));
    }
    let mut buffers: Vec<Vec<f64>> = Vec::new();
    for (n, buffer) in nest.buffers.iter().enumerate() {
        let len = usize::try_from(buffer.len).map_err(|_| "a buffer is too large".to_owned())?;
        match inputs.get(n) {
            Some(input) if input.len() != len => {
                return Err(format!(
                    "the input `{}` has {len} numbers, found {}",
                    buffer.name,
                    input.len()
                ));
            }
            Some(input) => buffers.push(input.clone()),
            // What is read before it is written shows.
            None => buffers.push(vec![f64::NAN; len]),
        }
    }
    let mut machine = Machine {
        nest,
        buffers,
        counters: Vec::new(),
    };
    machine.block(&nest.body);
    Ok(machine.buffers.swap_remove(nest.inputs))
}

impl Machine<'_> {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            match stmt {
                Stmt::Declare(buffer) => self.buffers[*buffer].fill(f64::NAN),
                Stmt::Loop(counter, _, body) => {
                    let number = counter.number as usize;
                    if self.counters.len() <= number {
                        self.counters.resize(number + 1, 0);
                    }
                    for value in 0..counter.count {
                        self.counters[number] = value;
                        self.block(body);
                    }
                }
                Stmt::Store(buffer, at, width, value) => {
                    let numbers: Vec<f64> =
                        (0..*width).map(|lane| self.value(value, lane)).collect();
                    for (lane, number) in (0..).zip(numbers) {
                        let place = self.place(*buffer, at.value(&|c| self.counter(c)) + lane);
                        self.buffers[*buffer][place] = number;
                    }
                }
            }
        }
    }

    fn counter(&self, counter: Counter) -> i64 {
        self.counters[counter.number as usize]
    }

    fn place(&self, buffer: BufferId, at: i64) -> usize {
        let len = self.buffers[buffer].len();
        let place = usize::try_from(at).ok().filter(|place| *place < len);
        place.unwrap_or_else(|| {
            unreachable!(
                "{} has {len} numbers, not one at {at}",
                self.nest.buffers[buffer].name
            )
        })
    }

    fn value(&self, ex: &Ex, lane: i64) -> f64 {
        match ex {
            Ex::Number(value) => *value,
            Ex::Load(buffer, at, _) => {
                let place = self.place(*buffer, at.value(&|c| self.counter(c)) + lane);
                self.buffers[*buffer][place]
            }
            Ex::Splat(of, _) => self.value(of, 0),
            Ex::Gather(parts) => {
                usize::try_from(lane).map_or(f64::NAN, |n| self.value(&parts[n], 0))
            }
            Ex::Calc(prim, a, b) => {
                let (a, b) = (self.value(a, lane), self.value(b, lane));
                calculate(self.nest.scalar, *prim, a, b)
            }
        }
    }
}

fn calculate(scalar: Scalar, prim: Prim, a: f64, b: f64) -> f64 {
    scalar.round(match prim {
        Prim::Add => a + b,
        Prim::Sub => a - b,
        Prim::Mul => a * b,
        Prim::Div => a / b,
        Prim::Min if a < b => a,
        Prim::Max if a > b => a,
        _ => b,
    })
}
