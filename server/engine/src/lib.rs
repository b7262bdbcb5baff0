//! Where scripts, timings and loop nests run: never in the process of the language server.
//!
//! An [`Engine`] takes a [`Job`] and gives an [`Outcome`]; events arrive on the way. [`LocalEngine`] starts a worker
//! process with a memory and a time limit. Nothing here knows editors or terminals.

mod engines;
mod error;
mod job;
mod nest;
mod process;
pub mod python;
mod worker;

pub use engines::{ENGINES, EngineName, Entry, LocalEngine};
pub use error::EngineError;
pub use job::{
    Event, InputKind, Job, Limits, NestRan, Outcome, RunNest, RunScript, SECONDS, SHARE, TimePair,
    Timed, Work,
};
pub use sumac_runtime::Cancel;
pub use sumac_runtime::confine::{Writable, closed_folder};
pub use worker::worker_main;

/// Something that runs jobs.
pub trait Engine: Send + Sync {
    /// Runs one job to its end, or to a limit, or until `cancel` is called; blocks meanwhile.
    ///
    /// # Errors
    /// See [`EngineError`].
    fn run(
        &self,
        job: Job,
        limits: &Limits,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event),
    ) -> Result<Outcome, EngineError>;
}
