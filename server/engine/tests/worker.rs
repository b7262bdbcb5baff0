//! The local engine with a real worker process: results, prints, limits, crashes, cancel.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sumac_engine::{
    Cancel, Engine, EngineError, Event, InputKind, Job, Limits, LocalEngine, Outcome, RunNest,
    RunScript, TimePair, Timed, Writable,
};
use sumac_la::{Dag, NodeId, Op, Type};
use sumac_runtime::TimingOptions;
use sumac_runtime::fused::Planning;
use sumac_runtime::interp::RunErrorKind;
use sumac_runtime::synthesize::Spread;

fn engine() -> LocalEngine {
    LocalEngine::new(env!("CARGO_BIN_EXE_sumac-worker"), [""; 0])
}

fn script(text: &str) -> Job {
    Job::RunScript(Box::new(RunScript {
        text: text.to_owned(),
        base: PathBuf::from("."),
        ..RunScript::default()
    }))
}

fn run(job: Job, limits: Limits) -> (Vec<String>, Result<Outcome, EngineError>) {
    let mut lines = Vec::new();
    let result = engine().run(job, &limits, &Cancel::default(), &mut |event| {
        if let Event::Stdout(line) = event {
            lines.push(line);
        }
    });
    (lines, result)
}

/// `sum((X - U %*% t(V))^2)` as written and expanded.
fn loss(rows: u64, cols: u64, sparsity: f64) -> TimePair {
    fn leaves(d: &mut Dag, rows: u64, cols: u64, sparsity: f64) -> [NodeId; 4] {
        [
            d.input("X", Type::sparse(rows, cols, sparsity)),
            d.input("U", Type::matrix(rows, 10)),
            d.input("V", Type::matrix(cols, 10)),
            d.num(2.0),
        ]
    }
    let mut original = Dag::default();
    let [x, u, v, two] = leaves(&mut original, rows, cols, sparsity);
    let vt = original.op(Op::Transpose, [v]).unwrap();
    let uv = original.op(Op::MatMul, [u, vt]).unwrap();
    let e = original.op(Op::Sub, [x, uv]).unwrap();
    let square = original.op(Op::Pow, [e, two]).unwrap();
    let sum = original.op(Op::Sum, [square]).unwrap();
    original.push_root(sum);

    let mut optimized = Dag::default();
    let [x, u, v, two] = leaves(&mut optimized, rows, cols, sparsity);
    let mut op = |op: Op, args: &[NodeId]| optimized.op(op, args.iter().copied()).unwrap();
    let (ut, vt) = (op(Op::Transpose, &[u]), op(Op::Transpose, &[v]));
    let (x2, xv) = (op(Op::Pow, &[x, two]), op(Op::MatMul, &[x, v]));
    let (uu, vv) = (op(Op::MatMul, &[ut, u]), op(Op::MatMul, &[vt, v]));
    let (uxv, uuvv) = (op(Op::Mul, &[u, xv]), op(Op::Mul, &[uu, vv]));
    let (a, b, c) = (
        op(Op::Sum, &[x2]),
        op(Op::Sum, &[uxv]),
        op(Op::Sum, &[uuvv]),
    );
    let twice = op(Op::Mul, &[two, b]);
    let difference = op(Op::Sub, &[a, twice]);
    let total = op(Op::Add, &[difference, c]);
    optimized.push_root(total);
    TimePair {
        original,
        optimized,
        files: BTreeMap::new(),
        ranges: BTreeMap::new(),
        seed: 1,
        spread: Spread::Uniform,
        planning: Planning::default(),
        options: TimingOptions {
            at_most: 5,
            ..TimingOptions::default()
        },
    }
}

#[track_caller]
fn timed(pair: TimePair, limits: Limits) -> Timed {
    match run(Job::TimePair(Box::new(pair)), limits).1 {
        Ok(Outcome::Timed(timed)) => timed,
        other => panic!("times expected, found {other:?}"),
    }
}

#[test]
fn what_a_script_prints_arrives_in_order_and_apart_from_the_result() {
    let (lines, result) = run(
        script("for (i in 1:3) print(\"line \" + i)\nx = sum(matrix(1, 2, 2))\nprint(x)"),
        Limits::default(),
    );
    assert_eq!(lines, ["line 1", "line 2", "line 3", "4.0"]);
    let Ok(Outcome::Ran { stats }) = result else {
        panic!("{result:?}")
    };
    assert!(
        stats
            .iter()
            .any(|row| row.operator == "print" && row.count == 4),
        "{stats:?}"
    );
}

#[test]
fn more_lines_than_any_pipe_holds_all_arrive() {
    let (lines, result) = run(
        script("for (i in 1:20000) print(\"a line that is not short, number \" + i)"),
        Limits::default(),
    );
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(lines.len(), 20_000);
    assert_eq!(lines[19_999], "a line that is not short, number 20000");
}

#[test]
fn failures_and_stops_of_the_script_keep_line_and_kind() {
    let (lines, result) = run(script("print(1)\nstop(\"enough\")"), Limits::default());
    assert_eq!(lines, ["1"]);
    let Err(EngineError::Script(error)) = result else {
        panic!("{result:?}")
    };
    assert_eq!(
        (error.line, error.message.as_str(), error.kind),
        (2, "enough", RunErrorKind::Stop)
    );
    let (_, result) = run(script("x = 1\ny = (x +"), Limits::default());
    assert!(matches!(result, Err(EngineError::Script(_))), "{result:?}");
}

#[test]
fn memory_beyond_the_limit_ends_the_worker_and_says_so() {
    let limit = 100 << 20;
    let limits = Limits {
        memory_bytes: Some(limit),
        ..Limits::default()
    };
    let (lines, result) = run(
        script("print(\"before\")\nX = matrix(1, rows=50000, cols=50000)\nprint(sum(X))"),
        limits,
    );
    assert_eq!(lines, ["before"]);
    assert_eq!(
        result,
        Err(EngineError::OutOfMemory {
            limit_bytes: Some(limit)
        })
    );
}

#[test]
fn the_limit_of_memory_is_the_limit() {
    let limits = Limits {
        memory_bytes: Some(100 << 20),
        ..Limits::default()
    };
    let filled = |n: u64| {
        let text = format!("X = matrix(1, rows={n}, cols={n})\nprint(sum(X))");
        run(script(&text), limits)
    };
    // 50 MB, then 128 MB.
    let (lines, result) = filled(2500);
    assert!(
        result.is_ok() && lines == ["6250000.0"],
        "{result:?} {lines:?}"
    );
    let (_, result) = filled(4000);
    assert!(
        matches!(result, Err(EngineError::OutOfMemory { .. })),
        "{result:?}"
    );
    // Many small ones, and text.
    for grows in [
        "l = list()\nwhile (TRUE) { l = append(l, matrix(1, rows=100, cols=100)) }",
        "x = \"0123456789\"\nwhile (TRUE) { x = x + x }",
    ] {
        let (_, result) = run(script(grows), limits);
        assert!(
            matches!(result, Err(EngineError::OutOfMemory { .. })),
            "{result:?}"
        );
    }
}

#[test]
fn every_job_has_limits() {
    let limits = Limits::default();
    assert_eq!(limits.seconds(), 3600.0);
    if let (Some(bytes), Some(all)) = (limits.bytes(), sumac_runtime::memory::total_bytes()) {
        assert!(bytes < all);
    }
}

#[test]
fn a_script_without_end_is_ended_by_the_time_limit() {
    let limits = Limits {
        seconds: Some(0.3),
        ..Limits::default()
    };
    let (_, result) = run(script("i = 0\nwhile (i >= 0) { i = i + 1 }"), limits);
    assert_eq!(result, Err(EngineError::TimedOut { seconds: 0.3 }));
}

#[test]
fn cancel_from_an_event_ends_the_worker() {
    let cancel = Cancel::default();
    let job = script("print(\"started\")\ni = 0\nwhile (i >= 0) { i = i + 1 }");
    let result = engine().run(job, &Limits::default(), &cancel, &mut |_| cancel.cancel());
    assert_eq!(result, Err(EngineError::Cancelled));
}

#[test]
fn a_program_that_is_no_worker_or_is_not_there_is_reported() {
    let missing = LocalEngine::new("/no/such/program", [""; 0]);
    let run = |engine: &LocalEngine| {
        engine.run(
            script("x = 1"),
            &Limits::default(),
            &Cancel::default(),
            &mut |_| {},
        )
    };
    assert!(matches!(run(&missing), Err(EngineError::Start { .. })));
    let silent = LocalEngine::new("/bin/sh", ["-c", "echo oops >&2; exit 3"]);
    let Err(EngineError::Crashed { status, detail }) = run(&silent) else {
        panic!("a crash expected")
    };
    assert!(
        status.contains('3') && detail == "oops",
        "{status} {detail}"
    );
    let chatty = LocalEngine::new("/bin/sh", ["-c", "echo hello"]);
    assert!(matches!(run(&chatty), Err(EngineError::Protocol(_))));
}

#[test]
fn a_pair_is_timed_on_synthetic_inputs() {
    let timed = timed(loss(2000, 1000, 0.001), Limits::default());
    assert_eq!(
        (timed.inputs, timed.scale_divisor),
        (InputKind::Synthetic, 1)
    );
    assert_eq!((timed.original.runs, timed.optimized.runs), (5, 5));
    assert!(timed.original.peak_bytes > 2000 * 1000 * 8, "{timed:?}");
    assert!(timed.optimized.peak_bytes < 2000 * 1000, "{timed:?}");
    for (timing, work) in [timed.original, timed.optimized].iter().zip(timed.work) {
        let (low, median, high) = (timing.ms_low, timing.ms_median, timing.ms_high);
        assert!(low <= median && median <= high, "{timing:?}");
        assert!(work.flops > 0.0 && work.bytes > 0.0, "{work:?}");
    }
    assert!(
        timed.work[0].flops > 10.0 * timed.work[1].flops,
        "{timed:?}"
    );
}

#[test]
fn made_up_non_zeros_may_be_spread_as_data_has_them() {
    let pair = TimePair {
        spread: Spread::PowerLaw,
        ..loss(2000, 1000, 0.001)
    };
    assert_eq!(timed(pair, Limits::default()).inputs, InputKind::Synthetic);
}

#[test]
fn what_would_not_fit_is_never_started_and_timed_at_a_smaller_scale() {
    let limits = Limits {
        memory_bytes: Some(64 << 20),
        ..Limits::default()
    };
    let timed = timed(loss(100_000, 50_000, 0.0001), limits);
    assert!(timed.needs_bytes > Some(80_000_000_000), "{timed:?}");
    assert!(
        timed.scale_divisor > 16 && timed.scale_divisor.is_power_of_two(),
        "{timed:?}"
    );
    assert!(timed.original.peak_bytes <= 64 << 20, "{timed:?}");
}

#[test]
fn real_inputs_are_read_from_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = BTreeMap::new();
    for (name, rows, cols) in [("X", 30, 20), ("U", 30, 10), ("V", 20, 10)] {
        let path = folder.path().join(format!("{name}.csv"));
        let row = vec!["0.5"; cols].join(",") + "\n";
        std::fs::write(&path, row.repeat(rows)).unwrap();
        files.insert(name.to_owned(), path);
    }
    let real = timed(
        TimePair {
            files: files.clone(),
            ..loss(30, 20, 1.0)
        },
        Limits::default(),
    );
    assert_eq!(real.inputs, InputKind::Real);
    files.insert("U".to_owned(), folder.path().join("missing.csv"));
    let job = Job::TimePair(Box::new(TimePair {
        files,
        ..loss(30, 20, 1.0)
    }));
    let (_, result) = run(job, Limits::default());
    assert!(
        matches!(&result, Err(EngineError::Failed(message)) if message.contains("missing.csv")),
        "{result:?}"
    );
}

#[test]
fn a_script_writes_only_where_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    for made in [&inside, &outside] {
        std::fs::create_dir(made).unwrap();
    }
    let writing = |to: &std::path::Path| {
        let text = format!(
            "write(matrix(7, 2, 2), \"{}\")\nprint(\"done\")",
            to.display()
        );
        let Job::RunScript(script) = script(&text) else {
            panic!("a script")
        };
        let writable = Writable::below([inside.clone()]);
        run(
            Job::RunScript(Box::new(RunScript {
                writable,
                ..*script
            })),
            Limits::default(),
        )
    };
    let (printed, result) = writing(&inside.join("m.csv"));
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(printed, ["done"]);
    assert!(inside.join("m.csv").is_file() && inside.join("m.csv.mtd").is_file());
    let sideways = inside.join("../out/m.csv");
    for place in [outside.join("m.csv"), sideways] {
        let (printed, result) = writing(&place);
        let Err(EngineError::Script(error)) = result else {
            panic!("{result:?}")
        };
        assert_eq!((printed.len(), error.line), (0, 1));
        let text = error.to_string();
        let allowed = inside.canonicalize().unwrap();
        for word in [
            "m.csv",
            "may not write there",
            &allowed.to_string_lossy(),
            "--allow-write",
        ] {
            assert!(text.contains(word), "{text}");
        }
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_folder_that_is_not_there_cannot_be_allowed() {
    let Job::RunScript(script) = script("print(1)") else {
        panic!("a script")
    };
    let writable = Writable::below([PathBuf::from("no/such/folder")]);
    let (_, result) = run(
        Job::RunScript(Box::new(RunScript {
            writable,
            ..*script
        })),
        Limits::default(),
    );
    let told = result.unwrap_err().to_string();
    assert!(told.contains("no/such/folder"), "{told}");
}

fn nest(text: &str, n: i64) -> Job {
    Job::RunNest(Box::new(RunNest {
        written: text.to_owned(),
        found: text.to_owned(),
        sizes: BTreeMap::from([("n".to_owned(), n)]),
        seed: 1,
        objects: None,
        is_checked: true,
        budget: 1,
    }))
}

#[test]
fn a_loop_nest_is_held_against_the_interpreter_and_timed() {
    let twice = "program twice(n)(x: [n]f64) = map(fun e => e + e, x)";
    let (_, result) = run(nest(twice, 1000), Limits::default());
    let Ok(Outcome::Nest(ran)) = result else {
        panic!("{result:?}");
    };
    assert_eq!((ran.numbers, ran.first.len()), (1000, 6));
    assert!(ran.difference == 0.0 && ran.checked["n"] == 64, "{ran:?}");
    assert!(ran.runs >= 1 && ran.least <= ran.median && ran.median <= ran.most);
    // A run is held to the limits of its job.
    let little = Limits {
        memory_bytes: Some(64 << 20),
        ..Limits::default()
    };
    let (_, result) = run(nest(twice, 1 << 30), little);
    assert!(
        matches!(
            result,
            Err(EngineError::OutOfMemory { .. } | EngineError::Crashed { .. })
        ),
        "{result:?}"
    );
}

#[test]
fn what_is_no_program_or_has_no_nest_is_an_error_with_its_reason() {
    for (text, part) in [
        ("program p(n)(x: [n]f64) = map(", "expected"),
        (
            "program p(n)(f: f64 -> f64, x: [n]f64) = map(f, x)",
            "must be an array",
        ),
    ] {
        let (_, result) = run(nest(text, 8), Limits::default());
        let Err(EngineError::Failed(why)) = result else {
            panic!("{result:?}");
        };
        assert!(why.contains(part), "{why}");
    }
}
