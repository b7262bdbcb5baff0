//! Timing in a Python: with the real one of the test tools where it is installed, and with made-up ones that misbehave.

#![cfg(unix)]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sumac_engine::python::{Form, Input, Interpreter, PythonError, Request, Timing, time};
use sumac_engine::{Cancel, Limits};

fn interpreter(path: PathBuf) -> Interpreter {
    Interpreter {
        path,
        found_by: "the test".to_owned(),
        passed_over: None,
    }
}

/// The Python with NumPy that `cargo xtask setup` installs; without it a test says that it is skipped.
fn numpy() -> Option<Interpreter> {
    let var = |name| std::env::var_os(name).map(PathBuf::from);
    let folder = var("SUMAC_TOOLS")
        .or_else(|| Some(var("XDG_CACHE_HOME")?.join("sumac-test-tools")))
        .or_else(|| Some(var("HOME")?.join(".cache/sumac-test-tools")))?;
    let path = folder.join("numpy/bin/python3");
    if path.exists() {
        return Some(interpreter(path));
    }
    let _ = writeln!(
        std::io::stderr(),
        "skipped: there is no {}; `cargo xtask setup` installs it",
        path.display()
    );
    None
}

fn input(target: &str, shape: &[u64]) -> Input {
    Input {
        target: target.to_owned(),
        shape: shape.to_vec(),
        dtype: "float64",
    }
}

fn request(original: &str, optimized: &str) -> Request {
    Request {
        imports: vec!["import numpy as np".to_owned()],
        inputs: vec![
            input("X", &[400, 30]),
            input("w", &[400]),
            input("self.B", &[30, 30]),
        ],
        integers: vec![("n".to_owned(), 400)],
        original: original.to_owned(),
        optimized: optimized.to_owned(),
        seconds: 0.1,
        seed: 7,
    }
}

fn limits(seconds: f64, megabytes: u64) -> Limits {
    Limits {
        memory_bytes: Some(megabytes << 20),
        seconds: Some(seconds),
    }
}

fn run(python: &Interpreter, request: &Request) -> Result<Timing, PythonError> {
    time(python, request, &limits(60.0, 1024), &Cancel::default())
}

#[test]
fn a_right_rewrite_is_timed_and_differs_by_rounding_only() {
    let Some(python) = numpy() else { return };
    let sandwich = request("X.T @ np.diag(w) @ X", "(X.T * w) @ X  # cheaper");
    let timing = run(&python, &sandwich).unwrap();
    assert!(timing.max_relative_error < 1e-12, "{timing:?}");
    assert!(timing.same_shape && timing.same_dtype);
    assert!(timing.original.runs >= 3 && timing.optimized.runs == timing.original.runs);
    assert!(timing.ratio_low <= timing.ratio_high);
    let [before, after] = [&timing.original, &timing.optimized].map(|side| {
        assert!(side.seconds_min > 0.0 && side.seconds_min <= side.seconds_median);
        side.peak_bytes.unwrap()
    });
    // The diagonal alone has 400 times 400 cells.
    assert!(
        before >= 400 * 400 * 8 && after < before,
        "{before} {after}"
    );
    assert!(timing.python.starts_with("3.") && !timing.numpy.is_empty());

    let objects = request(
        "np.diag(X @ self.B @ X.T) * n",
        "((X @ self.B) * X).sum(\n  axis=1) * n",
    );
    let timing = run(&python, &objects).unwrap();
    assert!(timing.max_relative_error < 1e-12 && timing.same_shape);
}

#[test]
fn a_wrong_rewrite_shows_by_its_values_its_shape_or_its_type() {
    let Some(python) = numpy() else { return };
    let timed = |original, optimized| run(&python, &request(original, optimized)).unwrap();
    let values = timed("X.sum(axis=0)", "X.mean(axis=0)");
    assert!(values.same_shape && values.max_relative_error > 0.9);
    let shape = timed("X.sum(axis=0)", "X.sum(axis=0, keepdims=True)");
    assert!(!shape.same_shape && shape.max_relative_error.is_infinite());
    let cells = timed("X.sum(axis=0)", "X.sum(axis=0).astype(np.float32)");
    assert!(cells.same_shape && !cells.same_dtype && cells.max_relative_error < 1e-5);
    let infinite = timed("X / 0.0", "X / 0.0");
    assert_eq!(infinite.max_relative_error, 0.0);
    let missing = timed("X", "X * np.nan");
    assert!(missing.max_relative_error.is_infinite());
}

#[test]
fn what_an_expression_raises_is_told_with_its_form() {
    let Some(python) = numpy() else { return };
    for (original, optimized, form, part) in [
        ("X @ w", "X", Form::Original, "ValueError"),
        ("X", "unknown(X)", Form::Optimized, "NameError"),
        ("X", "X +", Form::Optimized, "SyntaxError"),
        ("X) + (X", "X", Form::Original, "SyntaxError"),
        ("exit()", "X", Form::Original, "SystemExit"),
        ("X.sort(axis=0)", "X", Form::Original, "changes its inputs"),
    ] {
        match run(&python, &request(original, optimized)) {
            Err(PythonError::Raised { form: of, message }) => {
                assert_eq!(of, form, "{message}");
                assert!(message.contains(part), "{message}");
            }
            other => panic!("{original}: {other:?}"),
        }
    }
}

#[test]
fn only_numpy_and_its_like_are_imported_and_nothing_of_the_current_folder() {
    let Some(python) = numpy() else { return };
    for import in [
        "import subprocess",
        "from . import x",
        "print(1)",
        "import numpy, os",
    ] {
        let mut asked = request("X", "X");
        asked.imports.push(import.to_owned());
        let refused = run(&python, &asked);
        assert!(
            matches!(refused, Err(PythonError::Refused(_))),
            "{refused:?}"
        );
    }
    for target in ["X[0]", "__builtins__", "np", "a b", "X.y", ""] {
        let mut asked = request("X", "X");
        asked.inputs.push(input(target, &[2]));
        let refused = run(&python, &asked);
        assert!(
            matches!(refused, Err(PythonError::Refused(_))),
            "{refused:?}"
        );
    }
    // Where it works there is nothing, and nothing of it is looked into.
    let empty = run(&python, &request("len(__import__('os').listdir('.'))", "0"));
    assert_eq!(empty.unwrap().max_relative_error, 0.0);
    let path = "sum(p in ('', '.') for p in __import__('sys').path)";
    assert_eq!(
        run(&python, &request(path, "0"))
            .unwrap()
            .max_relative_error,
        0.0
    );
}

#[test]
fn what_is_printed_does_not_mix_with_the_answer() {
    let Some(python) = numpy() else { return };
    let chatty = "print('{\"timing\": 1}') or __import__('os').write(1, b'noise\\n') * 0 + X";
    let timing = run(&python, &request(chatty, "X")).unwrap();
    assert_eq!(timing.max_relative_error, 0.0);
}

#[test]
fn memory_is_limited() {
    let Some(python) = numpy() else { return };
    let huge = run(&python, &request("np.ones((40000, 20000)).sum()", "n"));
    let limit_bytes = Some(1 << 30);
    let form = Some(Form::Original);
    assert_eq!(huge, Err(PythonError::OutOfMemory { form, limit_bytes }));
    for shape in [&[1 << 20, 1 << 10][..], &[1 << 40, 1 << 40], &[u64::MAX]] {
        let mut inputs = request("X", "X");
        inputs.inputs = vec![input("X", shape)];
        let form = None;
        let result = run(&python, &inputs);
        assert_eq!(result, Err(PythonError::OutOfMemory { form, limit_bytes }));
    }
}

#[test]
fn a_time_limit_ends_python_and_what_it_started() {
    let Some(python) = numpy() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child");
    let child = format!(
        "__import__('subprocess').run(['sh', '-c', 'echo $$ > {0}.new; mv {0}.new {0}; sleep 300; true'])",
        file.display()
    );
    let started = Instant::now();
    let result = time(
        &python,
        &request(&child, "X"),
        &limits(3.0, 1024),
        &Cancel::default(),
    );
    assert_eq!(result, Err(PythonError::TimedOut { seconds: 3.0 }));
    assert!(started.elapsed() < Duration::from_secs(30));
    assert_is_gone(&file);
}

#[test]
fn a_cancel_ends_python() {
    let Some(python) = numpy() else { return };
    let cancel = Cancel::default();
    let caller = cancel.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(700));
        caller.cancel();
    });
    let started = Instant::now();
    let endless = request("[X @ X.T for _ in iter(int, 1)]", "X");
    let result = time(&python, &endless, &limits(60.0, 1024), &cancel);
    assert_eq!(result, Err(PythonError::Cancelled));
    assert!(started.elapsed() < Duration::from_secs(30));
    canceller.join().unwrap();
}

/// Waits until the process whose number a file holds is no more, or only its entry is.
fn assert_is_gone(file: &Path) {
    let id: u32 = std::fs::read_to_string(file)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let state = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next());
        if matches!(state, None | Some('Z' | 'X')) {
            return;
        }
        assert!(Instant::now() < deadline, "{id} is still there: {stat}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A program that is no Python.
fn fake(folder: &Path, script: &str) -> Interpreter {
    let path = folder.join("python");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    interpreter(path)
}

#[test]
fn what_is_no_python_is_an_error_of_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    let short = limits(2.0, 1024);
    let outcome = |script: &str| {
        let python = fake(folder.path(), script);
        // A file that was just written may still be open in a process that another test starts.
        for _ in 0..50 {
            match time(&python, &request("X", "X"), &short, &Cancel::default()) {
                Err(PythonError::Start { reason, .. }) if reason.contains("busy") => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                result => return result.unwrap_err(),
            }
        }
        panic!("{script} cannot be started");
    };
    let garbage = outcome("echo hello");
    assert!(matches!(garbage, PythonError::Protocol(_)), "{garbage:?}");
    // Longer than any answer, without an end.
    let flood = outcome("exec tr '\\0' x < /dev/zero");
    assert!(matches!(flood, PythonError::Protocol(_)), "{flood:?}");
    let noise = outcome("cat /dev/zero >&2");
    assert!(matches!(noise, PythonError::TimedOut { .. }), "{noise:?}");
    let hangs = outcome("sleep 300");
    assert_eq!(hangs, PythonError::TimedOut { seconds: 2.0 });
    let dies = outcome("echo reason >&2; kill -9 $$");
    assert!(
        matches!(&dies, PythonError::Crashed { status, detail } if status.contains('9') && detail == "reason"),
        "{dies:?}"
    );
    let old = outcome("echo 'Unknown option: -I' >&2; exit 2");
    assert!(matches!(&old, PythonError::Start { reason, .. } if reason.contains("3.9")));
    // It answers and stays: nobody waits for it.
    let stays =
        outcome(r#"echo '{"error":{"kind":"no_numpy","message":"none","form":null}}'; sleep 300"#);
    assert!(matches!(stays, PythonError::NoNumpy { .. }), "{stays:?}");
    let closes = outcome("exec >&-; sleep 300");
    assert!(matches!(closes, PythonError::Crashed { .. }), "{closes:?}");

    let gone = interpreter(folder.path().join("gone"));
    let gone = run(&gone, &request("X", "X"));
    assert!(matches!(gone, Err(PythonError::Start { .. })), "{gone:?}");
}
