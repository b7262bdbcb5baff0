//! The local engine: a worker process for each job. Killing it loses nothing but the job.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use sumac_runtime::Cancel;

use crate::Engine;
use crate::error::EngineError;
use crate::job::{Event, Job, Limits, Outcome};
use crate::process::{POLL, Worker, ends, in_its_own_group};
use crate::worker::{Message, Request};

/// Messages that may wait for the caller before the worker is held up.
const WAITING: usize = 1024;

/// Runs each job in a process of its own.
#[derive(Clone, Debug)]
pub struct LocalEngine {
    program: PathBuf,
    args: Vec<OsString>,
}

impl LocalEngine {
    /// With the given program and arguments, which must call [`worker_main`](crate::worker_main).
    #[must_use]
    pub fn new(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> LocalEngine {
        LocalEngine {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
        }
    }

    /// With this very program, started with the argument `worker`.
    ///
    /// # Errors
    /// When the system does not tell which program this is.
    pub fn current() -> Result<LocalEngine, EngineError> {
        let this = std::env::current_exe().map_err(|error| EngineError::Start {
            program: "sumac".to_owned(),
            reason: error.to_string(),
        })?;
        Ok(LocalEngine::new(this, ["worker"]))
    }

    fn start(&self) -> Result<Child, EngineError> {
        let mut command = Command::new(&self.program);
        in_its_own_group(&mut command);
        command
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| EngineError::Start {
                program: self.program.display().to_string(),
                reason: error.to_string(),
            })
    }
}

impl Engine for LocalEngine {
    fn run(
        &self,
        job: Job,
        limits: &Limits,
        cancel: &Cancel,
        events: &mut dyn FnMut(Event),
    ) -> Result<Outcome, EngineError> {
        let request = Request {
            job,
            limits: *limits,
        };
        let mut line = serde_json::to_string(&request)
            .map_err(|error| EngineError::Protocol(error.to_string()))?;
        line.push('\n');
        let mut worker = Worker::new(self.start()?);
        let started = Instant::now();
        let (Some(mut stdin), Some(stdout), Some(stderr)) = (
            worker.child.stdin.take(),
            worker.child.stdout.take(),
            worker.child.stderr.take(),
        ) else {
            return Err(EngineError::Protocol("the worker has no pipes".to_owned()));
        };
        let (sender, receiver) = sync_channel(WAITING);
        // The job may be larger than a pipe holds: it is written aside. A worker that died reads nothing, which its
        // exit status tells better than the failed write.
        // Its end tells the worker that nobody waits any more, so it stays open as long as the job.
        let (waits, waiting) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            let _ = stdin.write_all(line.as_bytes());
            let _ = waiting.recv();
        });
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let message = line.map_err(|error| error.to_string()).and_then(|line| {
                    serde_json::from_str::<Message>(&line).map_err(|error| error.to_string())
                });
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let complaints = std::thread::spawn(move || ends(stderr));
        let deadline = Duration::try_from_secs_f64(limits.seconds())
            .ok()
            .and_then(|limit| started.checked_add(limit));
        let done = follow(&receiver, deadline, cancel, events);
        drop(waits);
        match done {
            Followed::Done(result) => result,
            Followed::Cancelled => Err(EngineError::Cancelled),
            Followed::TimedOut => Err(EngineError::TimedOut {
                seconds: limits.seconds(),
            }),
            Followed::Garbled(error) => Err(EngineError::Protocol(error)),
            Followed::Ended => {
                let status = worker
                    .end()
                    .map_or_else(|error| error.to_string(), |status| status.to_string());
                let detail = complaints.join().unwrap_or_default();
                // What Rust's allocator says before it ends the process.
                if detail.contains("memory allocation of") {
                    return Err(EngineError::OutOfMemory {
                        limit_bytes: limits.memory_bytes,
                    });
                }
                Err(EngineError::Crashed { status, detail })
            }
        }
    }
}

enum Followed {
    Done(Result<Outcome, EngineError>),
    Garbled(String),
    Ended,
    Cancelled,
    TimedOut,
}

fn follow(
    messages: &Receiver<Result<Message, String>>,
    deadline: Option<Instant>,
    cancel: &Cancel,
    events: &mut dyn FnMut(Event),
) -> Followed {
    loop {
        if cancel.is_cancelled() {
            return Followed::Cancelled;
        }
        let left = deadline.map(|d| d.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Followed::TimedOut;
        }
        match messages.recv_timeout(left.map_or(POLL, |left| left.min(POLL))) {
            Ok(Ok(Message::Event(event))) => events(event),
            Ok(Ok(Message::Done(result))) => return Followed::Done(*result),
            Ok(Err(error)) => return Followed::Garbled(error),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Followed::Ended,
        }
    }
}
