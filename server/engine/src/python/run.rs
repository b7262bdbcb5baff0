//! Starts the driver in the person's Python, and follows it to its answer, to a limit or until it is called off.
//!
//! Must leave no process and no file behind, however it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sumac_runtime::Cancel;

use super::{Form, Interpreter, Measured, PythonError, Request, Timing};
use crate::job::Limits;
use crate::process::{POLL, Worker, ends, in_its_own_group};

/// The program that runs in Python.
const DRIVER: &str = include_str!("driver.py");

/// Bytes of the longest answer.
const MOST_ANSWER: u64 = 1 << 20;

/// How long is waited for the error stream after the process has ended: something may have left its group and hold it.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Seconds beyond which a limit is none.
const MOST_SECONDS: f64 = 1e9;

/// What the driver reads.
#[derive(Serialize)]
struct Asked<'a> {
    #[serde(flatten)]
    request: &'a Request,
    limit_bytes: Option<u64>,
    /// Whether somebody asked for that limit, so that it must be kept.
    is_limit_asked: bool,
    limit_seconds: f64,
}

/// What the driver answers.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Timing(Told),
    Error(Complaint),
}

/// As [`Timing`], with `null` for infinity.
#[derive(Deserialize)]
struct Told {
    original: Measured,
    optimized: Measured,
    max_relative_error: Option<f64>,
    same_shape: bool,
    same_dtype: bool,
    python: String,
    numpy: String,
    ratio_low: f64,
    ratio_high: f64,
}

/// Why the driver has no times.
#[derive(Deserialize)]
struct Complaint {
    kind: Kind,
    message: String,
    form: Option<Form>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    NoNumpy,
    Raised,
    Refused,
    Failed,
    Memory,
}

/// How the wait for an answer ended.
enum Followed {
    Answered(std::io::Result<Vec<u8>>),
    Cancelled,
    TimedOut,
}

/// Times both expressions of a request; blocks meanwhile. It must be called only when a person asks for it.
///
/// # Errors
/// See [`PythonError`].
pub fn time(
    interpreter: &Interpreter,
    request: &Request,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Timing, PythonError> {
    let cannot_start = |reason: String| PythonError::Start {
        path: interpreter.path.clone(),
        reason,
    };
    let seconds = limits.seconds();
    let limit_bytes = limits.bytes();
    let asked = Asked {
        request: &Request {
            seconds: plain(request.seconds),
            ..request.clone()
        },
        limit_bytes,
        is_limit_asked: limits.memory_bytes.is_some(),
        limit_seconds: plain(seconds),
    };
    let mut line =
        serde_json::to_vec(&asked).map_err(|error| PythonError::Failed(error.to_string()))?;
    line.push(b'\n');
    // Declared before the process, so that it goes after it.
    let folder = tempfile::Builder::new()
        .prefix("sumac-python-")
        .tempdir()
        .map_err(|error| PythonError::Failed(format!("no folder to work in: {error}")))?;
    let mut command = Command::new(&interpreter.path);
    in_its_own_group(&mut command);
    command
        .args(["-I", "-B", "-c", DRIVER])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let started = Instant::now();
    let child = command
        .spawn()
        .map_err(|error| cannot_start(error.to_string()))?;
    let mut python = Worker::new(child);
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (
        python.child.stdin.take(),
        python.child.stdout.take(),
        python.child.stderr.take(),
    ) else {
        return Err(PythonError::Protocol("Python has no pipes".to_owned()));
    };
    // Its input stays open as long as somebody waits: its end tells the driver to end. It is written aside, for it may be
    // larger than a pipe holds.
    let (waits, waiting) = channel::<()>();
    std::thread::spawn(move || {
        let _ = stdin.write_all(&line);
        let _ = waiting.recv();
    });
    let (sender, answers) = channel();
    std::thread::spawn(move || {
        let mut answer = Vec::new();
        let read = BufReader::new(stdout.take(MOST_ANSWER)).read_until(b'\n', &mut answer);
        let _ = sender.send(read.map(|_| answer));
    });
    let (complains, complaints) = channel();
    std::thread::spawn(move || {
        let _ = complains.send(ends(stderr));
    });
    let deadline = Duration::try_from_secs_f64(seconds)
        .ok()
        .and_then(|limit| started.checked_add(limit));
    let followed = loop {
        if cancel.is_cancelled() {
            break Followed::Cancelled;
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            break Followed::TimedOut;
        }
        match answers.recv_timeout(left.map_or(POLL, |left| left.min(POLL))) {
            Ok(answer) => break Followed::Answered(answer),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break Followed::Answered(Ok(Vec::new())),
        }
    };
    drop(waits);
    match followed {
        Followed::Cancelled => Err(PythonError::Cancelled),
        Followed::TimedOut => Err(PythonError::TimedOut { seconds }),
        Followed::Answered(Err(error)) => Err(PythonError::Protocol(error.to_string())),
        Followed::Answered(Ok(answer)) if answer.is_empty() => {
            let status = python
                .end()
                .map_or_else(|error| error.to_string(), |status| status.to_string());
            let detail = complaints.recv_timeout(LAST_WORDS).unwrap_or_default();
            Err(ended(interpreter, limit_bytes, status, detail))
        }
        Followed::Answered(Ok(answer)) => understood(&answer, interpreter, limit_bytes),
    }
}

/// A number that JSON and the driver can take.
fn plain(seconds: f64) -> f64 {
    if seconds.is_nan() {
        return 0.0;
    }
    seconds.clamp(0.0, MOST_SECONDS)
}

/// Why Python ended without a word on its output, from what it says on its error stream.
fn ended(
    interpreter: &Interpreter,
    limit_bytes: Option<u64>,
    status: String,
    detail: String,
) -> PythonError {
    const OLD: [&str; 2] = ["Unknown option", "unknown option"];
    // Linear algebra libraries end the process where they get no memory.
    const MEMORY: [&str; 3] = ["MemoryError", "emory allocation", "malloc failed"];
    let says = |words: &[&str]| words.iter().any(|word| detail.contains(word));
    if says(&OLD) {
        return PythonError::Start {
            path: interpreter.path.clone(),
            reason: "Python 3.9 or later is needed".to_owned(),
        };
    }
    if says(&MEMORY) {
        return PythonError::OutOfMemory {
            form: None,
            limit_bytes,
        };
    }
    PythonError::Crashed { status, detail }
}

/// The answer of the driver.
fn understood(
    answer: &[u8],
    interpreter: &Interpreter,
    limit_bytes: Option<u64>,
) -> Result<Timing, PythonError> {
    let answer: Answer =
        serde_json::from_slice(answer).map_err(|error| PythonError::Protocol(error.to_string()))?;
    let Complaint {
        kind,
        message,
        form,
    } = match answer {
        Answer::Error(complaint) => complaint,
        Answer::Timing(told) => {
            return Ok(Timing {
                original: told.original,
                optimized: told.optimized,
                max_relative_error: told.max_relative_error.unwrap_or(f64::INFINITY),
                same_shape: told.same_shape,
                same_dtype: told.same_dtype,
                python: told.python,
                numpy: told.numpy,
                ratio_low: told.ratio_low,
                ratio_high: told.ratio_high,
            });
        }
    };
    Err(match (kind, form) {
        (Kind::NoNumpy, _) => PythonError::NoNumpy {
            path: interpreter.path.clone(),
            reason: message,
        },
        (Kind::Raised, Some(form)) => PythonError::Raised { form, message },
        (Kind::Refused, form) => PythonError::Refused(match form {
            Some(form) => format!("{form}: {message}"),
            None => message,
        }),
        (Kind::Raised | Kind::Failed, _) => PythonError::Failed(message),
        (Kind::Memory, form) => PythonError::OutOfMemory { form, limit_bytes },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interpreter() -> Interpreter {
        Interpreter {
            path: "/env/bin/python".into(),
            found_by: "the setting".to_owned(),
            passed_over: None,
        }
    }

    #[test]
    fn answers_are_understood_and_what_is_none_is_an_error() {
        let read = |text: &str| understood(text.as_bytes(), &interpreter(), Some(5));
        let side =
            r#"{"seconds_median":2.0,"seconds_min":1.0,"runs":3,"batch":1,"peak_bytes":null}"#;
        let told = format!(
            r#"{{"timing":{{"original":{side},"optimized":{side},"max_relative_error":null,"same_shape":false,
            "same_dtype":true,"python":"3.12.1","numpy":"2.0.0","ratio_low":1.5,"ratio_high":2.5}}}}"#
        );
        let timing = read(&told).unwrap();
        assert_eq!(timing.max_relative_error, f64::INFINITY);
        assert_eq!(
            (timing.original.runs, timing.original.peak_bytes),
            (3, None)
        );
        let written = serde_json::to_string(&timing).unwrap();
        assert!(
            written.contains(r#""max_relative_error":null"#),
            "{written}"
        );

        let raised = read(r#"{"error":{"kind":"raised","message":"E","form":"optimized"}}"#);
        assert_eq!(
            raised.unwrap_err().to_string(),
            "the suggestion raised an exception: E"
        );
        let memory = read(r#"{"error":{"kind":"memory","message":"","form":null}}"#);
        assert_eq!(
            memory.unwrap_err(),
            PythonError::OutOfMemory {
                form: None,
                limit_bytes: Some(5)
            }
        );
        let numpy = read(r#"{"error":{"kind":"no_numpy","message":"no module","form":null}}"#);
        let numpy = numpy.unwrap_err().to_string();
        assert!(
            numpy.contains("/env/bin/python -m pip install numpy"),
            "{numpy}"
        );
        for garbage in [
            "",
            "Python 3.11\n",
            "{}",
            "[]",
            "null",
            r#"{"timing":{}}"#,
            r#"{"error":{"kind":"new","message":"","form":null}}"#,
            r#"{"error":{"kind":"raised","message":"","form":"third"}}"#,
            "\u{fffd}\0",
        ] {
            assert!(
                matches!(read(garbage), Err(PythonError::Protocol(_))),
                "{garbage}"
            );
        }
    }

    #[test]
    fn last_words_say_why_python_ended() {
        let end = |detail: &str| ended(&interpreter(), None, "exit".into(), detail.to_owned());
        assert!(matches!(
            end("Unknown option: -I"),
            PythonError::Start { .. }
        ));
        assert!(matches!(
            end("OpenBLAS: malloc failed in gemm_driver"),
            PythonError::OutOfMemory { form: None, .. }
        ));
        assert!(matches!(end("Segfault"), PythonError::Crashed { .. }));
    }

    #[test]
    fn numbers_that_json_has_not_are_made_plain() {
        assert_eq!(plain(f64::NAN), 0.0);
        assert_eq!(plain(-1.0), 0.0);
        assert_eq!(plain(f64::INFINITY), MOST_SECONDS);
        assert_eq!(plain(2.5), 2.5);
    }

    #[test]
    fn the_driver_is_plain_text_that_any_command_line_takes() {
        // Windows takes some 32,000 characters in all.
        assert!(DRIVER.is_ascii() && DRIVER.len() < 24_000);
    }
}
