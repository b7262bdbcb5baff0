//! Workers that are killed from outside. In a file of its own: it looks for all workers of this process.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;

use sumac_engine::{Cancel, Engine, EngineError, Job, Limits, LocalEngine, Outcome, RunScript};

/// Scripts without end: one computes, one prints, one takes and gives back memory.
const SCRIPTS: [&str; 3] = [
    "while (TRUE) { X = rand(rows = 300, cols = 300); Y = X %*% X }",
    "i = 0\nwhile (TRUE) { i = i + 1; print(i) }",
    "while (TRUE) { X = matrix(1, rows = 3000, cols = 1000) }",
];

fn run(text: &str) -> Result<Outcome, EngineError> {
    let job = Job::RunScript(Box::new(RunScript {
        text: text.to_owned(),
        ..RunScript::default()
    }));
    let engine = LocalEngine::new(env!("CARGO_BIN_EXE_sumac-worker"), [""; 0]);
    engine.run(job, &Limits::default(), &Cancel::default(), &mut |_| ())
}

#[test]
fn a_worker_that_is_killed_in_any_moment_of_a_hundred_runs_is_an_error_and_the_next_run_works() {
    for run_number in 0..100_u64 {
        let text = SCRIPTS[run_number as usize % SCRIPTS.len()];
        let before = children();
        let killer = std::thread::spawn(move || {
            // From the first milliseconds of the process to the middle of its work.
            std::thread::sleep(Duration::from_micros(run_number * 701));
            loop {
                let workers: Vec<u32> = children().difference(&before).copied().collect();
                if !workers.is_empty() {
                    for worker in workers {
                        let _ = Command::new("kill")
                            .args(["-9", &worker.to_string()])
                            .status();
                    }
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let result = run(text);
        killer.join().unwrap();
        assert!(
            matches!(&result, Err(EngineError::Crashed { status, .. }) if status.contains("signal: 9")),
            "{result:?}"
        );
    }
    assert!(run("print(1)").is_ok());
}

/// The worker processes that this test's process has started and not yet waited for.
fn children() -> BTreeSet<u32> {
    let own = std::process::id();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter_map(|entry| {
            let id: u32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let (name, rest) = stat.split_once(')')?;
            let parent: u32 = rest.split_whitespace().nth(1)?.parse().ok()?;
            (parent == own && name.contains("sumac-worker")).then_some(id)
        })
        .collect()
}
