//! Loop nests of array programs: as machine code or by blocks of vectors, held against the interpreter and timed. Must never
//! choose loops: the program says them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use sumac_array::exec::{Aligned, Compiled, Compiler, Machine, Real, Times, measure};
use sumac_array::nest::{Nest, lower_at};
use sumac_array::value::{Data, Input, Random, difference};
use sumac_array::{Program, Scalar, Sizes, interpret};

use crate::job::{NestRan, RunNest};

/// Sizes that the interpreter evaluates quickly, in the order in which they are tried.
const SMALL: [i64; 5] = [64, 96, 32, 128, 192];
/// The same where tiles do not divide the sizes: they divide this neither.
const UNEVEN: i64 = 67;
/// Parts of larger sizes that are tried then, and the largest one.
const MOST_PARTS: i64 = 1000;
const LARGEST: i64 = 200;

/// A nest that is ready to run.
enum Ready<T> {
    Compiled(Compiled),
    Machine(Box<Machine<T>>),
}

impl<T: Real> Ready<T> {
    fn new(nest: &Nest, objects: Option<&Path>) -> Result<Self, String> {
        let Some(folder) = objects else {
            return Ok(Ready::Machine(Box::new(Machine::new(nest)?)));
        };
        let compiler = Compiler::find().ok_or("there is no C compiler any more")?;
        Ok(Ready::Compiled(compiler.compile(nest, folder)?))
    }

    fn run(&mut self, inputs: &[&[T]], out: &mut [T]) -> Result<(), String> {
        match self {
            Ready::Compiled(compiled) => compiled.run(inputs, out),
            Ready::Machine(machine) => machine.run(inputs, out),
        }
    }
}

/// Runs the nest of a program.
///
/// # Errors
/// It has none, does not fit its sizes, or cannot be compiled: text for a person.
pub(crate) fn run_nest(job: &RunNest) -> Result<NestRan, String> {
    let read = |text: &str| Program::read(text).map_err(|error| error.show(text));
    let (written, found) = (read(&job.written)?, read(&job.found)?);
    let sizes: Sizes = job.sizes.clone().into_iter().collect();
    let nest = lower_at(&found, &sizes)?;
    match nest.scalar {
        Scalar::F32 => on::<f32>(job, &written, &found, &nest),
        Scalar::F64 => on::<f64>(job, &written, &found, &nest),
    }
}

fn on<T: Real>(
    job: &RunNest,
    written: &Program,
    found: &Program,
    nest: &Nest,
) -> Result<NestRan, String> {
    let objects = job.objects.as_deref();
    let (checked, difference) = if job.is_checked {
        check::<T>(job, written, found)?
    } else {
        (BTreeMap::new(), 0.0)
    };
    let sizes: Sizes = job.sizes.clone().into_iter().collect();
    let data = inputs(&written.sized(&sizes)?, job.seed)?;
    let given: Vec<Aligned<T>> = data.iter().map(aligned).collect();
    drop(data);
    let inputs: Vec<&[T]> = given.iter().map(Aligned::as_slice).collect();
    let len = usize::try_from(nest.buffers[nest.inputs].len).map_err(|error| error.to_string())?;
    let mut out = Aligned::<T>::new(len);
    let mut ready = Ready::<T>::new(nest, objects)?;
    let times: Times = measure(Duration::from_millis(job.budget), &mut || {
        ready.run(&inputs, out.numbers())
    })?;
    let numbers = out.as_slice();
    Ok(NestRan {
        numbers: numbers.len(),
        first: numbers.iter().take(6).map(|x| x.f64()).collect(),
        sum: numbers.iter().map(|x| x.f64()).sum(),
        checked,
        difference,
        median: times.median,
        least: times.least,
        most: times.most,
        runs: times.runs,
        blocks: match &ready {
            Ready::Compiled(_) => None,
            Ready::Machine(machine) => Some(machine.blocks()),
        },
    })
}

fn inputs(program: &Program, seed: u64) -> Result<Vec<Data>, String> {
    let mut random = Random::new(seed);
    let (types, _) = program.signature();
    let made = types
        .iter()
        .map(|ty| random.data(&program.types, *ty))
        .collect::<Option<_>>();
    made.ok_or_else(|| "an input is of a type that no data is made up for".to_owned())
}

fn aligned<T: Real>(data: &Data) -> Aligned<T> {
    let numbers = data.numbers();
    let mut made = Aligned::new(numbers.len());
    for (to, from) in made.numbers().iter_mut().zip(numbers) {
        *to = T::of(from);
    }
    made
}

/// The result at sizes that the interpreter can evaluate, beside the program as written.
fn check<T: Real>(
    job: &RunNest,
    written: &Program,
    found: &Program,
) -> Result<(BTreeMap<String, i64>, f64), String> {
    let at_most = |most: i64| job.sizes.values().map(|size| most.min(*size)).collect();
    // Tiles that divide sizes divide some of their parts as well.
    let parts = (1..=MOST_PARTS).rev().filter(|by| {
        let mut sizes = job.sizes.values();
        sizes.all(|size| size % by == 0 && size / by <= LARGEST)
    });
    let parts = parts.map(|by| job.sizes.values().map(|size| size / by).collect());
    let all: Sizes = job.sizes.clone().into_iter().collect();
    let is_even = found.sized(&all).is_ok();
    let uneven = (!is_even).then_some(UNEVEN);
    for values in uneven.into_iter().chain(SMALL).map(at_most).chain(parts) {
        let values: Vec<i64> = values;
        let checked: BTreeMap<String, i64> = job.sizes.keys().cloned().zip(values).collect();
        let sizes: Sizes = checked.clone().into_iter().collect();
        // Tiles may not fit into sizes as small as these.
        if is_even && found.sized(&sizes).is_err() {
            continue;
        }
        let (Ok(written), Ok(nest)) = (written.sized(&sizes), lower_at(found, &sizes)) else {
            continue;
        };
        let data = inputs(&written, job.seed)?;
        let given: Vec<Aligned<T>> = data.iter().map(aligned).collect();
        let slices: Vec<&[T]> = given.iter().map(Aligned::as_slice).collect();
        let values: Vec<Input> = data.into_iter().map(Input::Data).collect();
        let expected = interpret(&written, &values)?.numbers();
        let mut out = Aligned::<T>::new(expected.len());
        Ready::<T>::new(&nest, job.objects.as_deref())?.run(&slices, out.numbers())?;
        let list = |numbers: Vec<f64>| Data::array(numbers.into_iter().map(Data::Number).collect());
        let ran = out.as_slice().iter().map(|x| x.f64()).collect();
        return Ok((checked, difference(&list(expected), &list(ran))));
    }
    Err(format!(
        "the program fits no sizes up to {LARGEST} at which it could be compared with the interpreter"
    ))
}
