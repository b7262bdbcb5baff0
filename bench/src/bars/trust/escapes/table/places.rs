//! Places outside of the workspace, as a script can name them.

use super::super::escape::{Escape, writing, writing_as};

/// What a script names as the file to write. Each is refused.
const PLACES: &[&str] = &[
    // By absolute paths: files that are there, and new ones.
    "{home}/.bashrc",
    "{home}/.profile",
    "{home}/.ssh/authorized_keys",
    "{home}/.ssh/new.csv",
    "{home}/.gitconfig",
    "{home}/.config/systemd/user/a.service",
    "{home}/notes.csv",
    "{home}/new.csv",
    "{etc}/passwd",
    "{etc}/cron.d/job",
    "{beside}/data.csv",
    "{beside}/new.csv",
    "{beside}/new/deep.csv",
    "{root}/opened-other/data.csv",
    "{root}/new.csv",
    "/{probe}.csv",
    "/etc/{probe}.csv",
    "/tmp/{probe}.csv",
    "/var/tmp/{probe}.csv",
    "/dev/shm/{probe}.csv",
    "/usr/local/lib/{probe}.csv",
    "/root/{probe}.csv",
    "/sys/kernel/{probe}.csv",
    // By a way up.
    "..",
    "../new.csv",
    "../beside/data.csv",
    "../beside/new.csv",
    "./../beside/new.csv",
    "sub/../../beside/new.csv",
    "sub/./.././../beside/new.csv",
    "sub/../../opened/../beside/new.csv",
    "gone/../../beside/new.csv",
    "..//beside//new.csv",
    "../opened-other/new.csv",
    "../../../../../../../../../../../../tmp/{probe}.csv",
    "{work}/../beside/new.csv",
    "{work}//..//beside/new.csv",
    "{work}/sub/../../beside/new.csv",
    "//{beside}/new.csv",
    "/{work}/../beside/new.csv",
    "{work}/sub/..",
    "{work}",
    ".",
    "sub",
    "",
    // By what the kernel says of the process.
    "/proc/self/root{home}/.bashrc",
    "/proc/self/root/tmp/{probe}.csv",
    "/proc/self/cwd/../beside/new.csv",
    "/proc/self/cwd/.git/config",
    "/proc/thread-self/root{beside}/new.csv",
    "/proc/1/root/tmp/{probe}.csv",
    "/proc/self/fd/0",
    "/proc/self/fd/1",
    "/proc/self/fd/2",
    "/proc/self/fd/3",
    "/proc/self/exe",
    "/proc/self/oom_score_adj",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/fd/1",
    "/dev/tty",
    "/dev/null",
    "/dev/full",
    // By addresses.
    "file:{beside}/new.csv",
    "file://{beside}/new.csv",
    "file:../beside/new.csv",
    "file://../beside/new.csv",
    "file://localhost{beside}/new.csv",
    "FILE://{beside}/new.csv",
    "file:file:{beside}/new.csv",
    "hdfs://{beside}/new.csv",
    "s3a://bucket/new.csv",
    "http://localhost/new.csv",
    // As a shell, a browser or another system would read them.
    "~/.bashrc",
    "~root/.bashrc",
    "$HOME/.bashrc",
    "%2e%2e/beside/new.csv",
    "..\\\\beside\\\\new.csv",
    "C:/Windows/new.csv",
    // With letters that end or break a name.
    "{beside}/new.csv\u{0}",
    "{beside}/new\u{0}.csv",
    "sub\u{0}/../../beside/new.csv",
    "../beside/new\n.csv",
    "../beside/new\\n.csv",
    "../beside/ new.csv",
    "../beside/\u{202e}new.csv",
];

/// Formats that `write` knows.
const FORMATS: [&str; 6] = ["text", "csv", "mm", "npy", "npz", "sumac"];

/// Ways to write that are not a matrix in a line of its own.
const STATEMENTS: [(&str, &str); 9] = [
    (
        "a frame",
        "F = as.frame(matrix(7, rows=2, cols=2))\nwrite(F, \"{to}\", format=\"csv\")\n",
    ),
    ("a number", "write(7, \"{to}\")\n"),
    (
        "a text",
        "x = \"[core] fsmonitor=evil\"\nwrite(x, \"{to}\", format=\"text\")\n",
    ),
    ("a truth value", "write(TRUE, \"{to}\")\n"),
    (
        "a path in pieces",
        "a = \"{to}\"\nb = \"\" + a\nwrite(matrix(7, rows=2, cols=2), b, format=\"csv\")\n",
    ),
    (
        "a function",
        "f = function(String p) return (Double y) { write(matrix(7, rows=2, cols=2), p, format=\"csv\")\n y = 1 }\ny = f(\"{to}\")\nprint(y)\n",
    ),
    (
        "a parallel loop",
        "parfor (i in 1:4) { write(matrix(i, rows=2, cols=2), \"{to}\" + i, format=\"csv\") }\n",
    ),
    (
        "a branch of an error",
        "if (1 == 1) { write(matrix(7, rows=2, cols=2), \"{to}\", format=\"csv\")\n stop(\"done\") }\n",
    ),
    (
        "text that is evaluated",
        "f = function(Matrix[Double] X) return (Matrix[Double] Y) { write(X, \"{to}\", format=\"csv\")\n Y = X }\nY = eval(\"f\", list(matrix(7, rows=2, cols=2)))\nprint(sum(Y))\n",
    ),
];

pub(super) fn all() -> Vec<Escape> {
    let mut all: Vec<Escape> = PLACES
        .iter()
        .map(|place| Escape::run(format!("a script writes {place:?}"), writing(place)))
        .collect();
    // Another format looks at the place in another way; metadata stand beside.
    all.extend(FORMATS.iter().map(|format| {
        Escape::run(
            format!("a script writes beside the workspace as {format}"),
            writing_as("{beside}/data.csv", format),
        )
    }));
    all.extend(STATEMENTS.iter().map(|(what, statements)| {
        Escape::run(
            format!("{what} writes beside the workspace"),
            format!(
                "print(\"{}\")\n{}",
                super::super::escape::TRIED,
                statements.replace("{to}", "{beside}/new.csv")
            ),
        )
    }));
    all.push(Escape::run(
        "a script that is sourced writes beside the workspace",
        format!("source(\"lib.dml\") as lib\nprint(\"{}\")\ny = lib::f(1)\nprint(y)\n", super::super::escape::TRIED),
    )
    .text(
        "lib.dml",
        "f = function(Double x) return (Double y) { write(matrix(x, rows=2, cols=2), \"{beside}/new.csv\", format=\"csv\")\n y = x }\n",
    ));
    for (words, length) in [
        ("a name of 300 letters", 300),
        ("a path of 5,000 letters", 5000),
    ] {
        let long = if length < 1000 {
            "x".repeat(length)
        } else {
            "../".repeat(length / 3)
        };
        all.push(Escape::run(
            format!("{words} below the workspace"),
            writing(&format!("../beside/{long}.csv")),
        ));
    }
    all
}
