//! Loop nests of array programs, searched by a sketch and run in a worker process. Must never run anything in this process.

use std::path::PathBuf;

use sumac_array::Program;
use sumac_array::exec::Compiler;
use sumac_array::guided::{Failed, guided};
use sumac_array::steps;
use sumac_engine::{Engine, EngineError, Job, Limits, NestRan, Outcome, RunNest};
use sumac_ide::CancelToken;
use sumac_ide::sketch::Library;

use crate::machine::cache_folder;
use crate::private;

/// Milliseconds for which a nest is measured.
pub const BUDGET: u64 = 1000;

/// The folder for compiled code, which is loaded and run: nobody else can put any there. `None` without a compiler, or without
/// such a folder.
#[must_use]
pub fn objects() -> Option<PathBuf> {
    Compiler::find()?;
    let folder = cache_folder()?.join("compiled");
    match private::folder(&folder) {
        Ok(()) => Some(folder),
        Err(why) => {
            tracing::warn!("compiled code is not kept: {why}");
            None
        }
    }
}

/// Runs a nest to its end or to a limit; blocks meanwhile.
///
/// # Errors
/// See [`EngineError`].
pub fn run(
    engine: &dyn Engine,
    job: RunNest,
    limits: &Limits,
    cancel: &CancelToken,
) -> Result<NestRan, EngineError> {
    if let Some(folder) = &job.objects {
        std::fs::create_dir_all(folder)
            .map_err(|error| EngineError::Failed(format!("{}: {error}", folder.display())))?;
    }
    let job = Job::RunNest(Box::new(job));
    match engine.run(job, limits, cancel, &mut |_| ())? {
        Outcome::Nest(ran) => Ok(ran),
        Outcome::Ran { .. } | Outcome::Timed(_) => Err(EngineError::Protocol(
            "a nest was answered as another job".to_owned(),
        )),
    }
}

/// The program that a sketch leads to from another.
///
/// # Errors
/// It says what the program has not, or a stage was not reached: one line for a person.
pub fn search(
    program: &Program,
    library: &Library,
    sketch: &str,
    cancel: &CancelToken,
) -> Result<Program, String> {
    let steps = steps::steps(program, library, sketch)?;
    match guided(program, &steps, &|| cancel.is_cancelled()) {
        Ok(reached) => {
            let last = reached.last().map(|step| step.program.clone());
            Ok(last.unwrap_or_else(|| program.clone()))
        }
        Err(Failed::Missed(missed)) => Err(format!(
            "the {} was not reached: {}",
            missed.label,
            missed.growth.ended.words()
        )),
        Err(Failed::Wrong(text)) => Err(text),
    }
}
