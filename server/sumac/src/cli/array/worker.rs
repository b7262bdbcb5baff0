//! Runs of compiled code and of loop nests: in a process of their own, which may crash or be ended without harm.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sumac_array::exec::{Aligned, Compiled, Compiler, Machine, Real, Times, measure};
use sumac_array::nest::{Nest, lower};
use sumac_array::value::{Data, Input, Random, difference};
use sumac_array::{Program, Scalar, Sizes, interpret};

/// What is run: a program as text, with numbers for its sizes.
#[derive(Serialize, Deserialize)]
pub(super) struct Job {
    /// The program as it was written, and the one that was found.
    pub(super) written: String,
    pub(super) found: String,
    pub(super) sizes: BTreeMap<String, i64>,
    pub(super) seed: u64,
    /// Where compiled code is kept; none if it runs without a compiler.
    pub(super) objects: Option<PathBuf>,
    /// Whether the result is compared with what the interpreter says at small sizes.
    pub(super) is_checked: bool,
    /// Milliseconds to measure for.
    pub(super) budget: u64,
}

/// What came out.
#[derive(Serialize, Deserialize)]
pub(super) struct Ran {
    pub(super) numbers: usize,
    pub(super) first: Vec<f64>,
    pub(super) sum: f64,
    /// The sizes at which the result was compared with the program as written, and the largest difference there.
    pub(super) checked: BTreeMap<String, i64>,
    pub(super) difference: f64,
    /// Milliseconds.
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) runs: usize,
    /// Innermost loops that run as blocks of vectors; only without a compiler.
    pub(super) blocks: Option<usize>,
}

/// How long one look at a process that is still running is behind the last one.
const POLL: Duration = Duration::from_millis(5);

/// Sizes that the interpreter evaluates quickly, in the order in which they are tried.
const SMALL: [i64; 5] = [64, 96, 32, 128, 192];
/// Parts of larger sizes that are tried then, and the largest one.
const MOST_PARTS: i64 = 1000;
const LARGEST: i64 = 200;

/// Runs a job in a process of this very program.
///
/// # Errors
/// The process cannot be started, ended early or too late, or the job makes no sense: text for a person.
pub(super) fn run(job: &Job, limit: Duration) -> Result<Ran, String> {
    let text = serde_json::to_string(job).map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let child = Command::new(program)
        .arg("array-worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("the run cannot be started: {error}"))?;
    let mut worker = Worker(child);
    let (Some(mut input), Some(mut output)) = (worker.0.stdin.take(), worker.0.stdout.take())
    else {
        return Err("the run has no pipes".to_owned());
    };
    // A process that died reads nothing, which its exit tells better.
    let _ = input.write_all(text.as_bytes());
    drop(input);
    let reader = std::thread::spawn(move || {
        let mut answer = String::new();
        output.read_to_string(&mut answer).map(|_| answer)
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = worker.0.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if start.elapsed() > limit {
            return Err(format!(
                "the run was ended after {} s; --timeout SECONDS allows another time, smaller sizes take less",
                limit.as_secs_f64()
            ));
        }
        std::thread::sleep(POLL);
    };
    let answer = reader
        .join()
        .map_err(|_| "the answer was not read".to_owned())?;
    let answer = answer.map_err(|error| error.to_string())?;
    serde_json::from_str::<Result<Ran, String>>(&answer)
        .unwrap_or_else(|_| Err(format!("the run ended early: {status}")))
}

/// Never outlives the command.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        // One that already ended cannot be killed, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The process itself: one job from the standard input, its answer on the standard output.
///
/// # Errors
/// The pipes are broken.
pub(in crate::cli) fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let answer = serde_json::from_str::<Job>(&text)
        .map_err(|error| error.to_string())
        .and_then(|job| work(&job));
    let mut out = std::io::stdout();
    out.write_all(serde_json::to_string(&answer)?.as_bytes())?;
    out.flush()
}

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

fn work(job: &Job) -> Result<Ran, String> {
    let read = |text: &str| Program::read(text).map_err(|error| error.show(text));
    let (written, found) = (read(&job.written)?, read(&job.found)?);
    let sizes: Sizes = job.sizes.clone().into_iter().collect();
    let nest = lower(&found.sized(&sizes)?)?;
    match nest.scalar {
        Scalar::F32 => on::<f32>(job, &written, &found, &nest),
        Scalar::F64 => on::<f64>(job, &written, &found, &nest),
    }
}

fn on<T: Real>(job: &Job, written: &Program, found: &Program, nest: &Nest) -> Result<Ran, String> {
    let objects = job.objects.as_deref();
    let (checked, difference) = if job.is_checked {
        check::<T>(job, written, found)?
    } else {
        (BTreeMap::new(), 0.0)
    };
    let sizes: Sizes = job.sizes.clone().into_iter().collect();
    let data = inputs(&found.sized(&sizes)?, job.seed)?;
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
    Ok(Ran {
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
    job: &Job,
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
    for values in SMALL.into_iter().map(at_most).chain(parts) {
        let values: Vec<i64> = values;
        let checked: BTreeMap<String, i64> = job.sizes.keys().cloned().zip(values).collect();
        let sizes: Sizes = checked.clone().into_iter().collect();
        // Tiles may not fit into sizes as small as these.
        let (Ok(written), Ok(found)) = (written.sized(&sizes), found.sized(&sizes)) else {
            continue;
        };
        let Ok(nest) = lower(&found) else {
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
