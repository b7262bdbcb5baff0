//! Commands that only look, and commands that rewrite scripts: nothing runs, nothing else is written, nothing of others is shown.

use super::super::escape::{Ends, Escape, Put};

/// A script that computes something.
const PLAIN: &str = "#@ X: 1000 x 100\n#@ v: 100 x 1\nX = read(\"in.csv\")\nv = read(\"v.csv\")\ny = t(X) %*% (X %*% v)\ns = sum(y)\nwrite(y, \"{beside}/new.csv\", format=\"csv\")\nprint(s)\n";

/// Commands that look at `a.dml`.
const LOOKS: [&[&str]; 9] = [
    &["parse", "a.dml"],
    &["check", "a.dml"],
    &["check", "."],
    &["facts", "a.dml"],
    &["optimize", "a.dml"],
    &["explain", "a.dml:5"],
    &["fuse", "a.dml:5"],
    &["sketch", "a.dml:5"],
    &["fmt", "--check", "a.dml"],
];

/// What a workspace lays beside a script, so that it is read while somebody looks: its name, and what it leads to.
const LURES: [(&str, &str); 14] = [
    ("in.csv", "{home}/.ssh/id_ed25519"),
    ("in.csv.mtd", "{home}/.ssh/id_ed25519"),
    ("in.csv.mtd", "/dev/zero"),
    ("in.csv", "/dev/zero"),
    ("in.csv", "/proc/self/environ"),
    ("library.sketch", "{home}/.ssh/id_ed25519"),
    ("library.sketch", "/dev/zero"),
    ("sketches", "{home}/.ssh"),
    ("sumac.toml", "{home}/.ssh/id_ed25519"),
    ("sumac.toml", "/dev/zero"),
    (".gitignore", "/dev/zero"),
    (".ignore", "{home}/.ssh/id_ed25519"),
    ("b.dml", "{home}/.ssh/id_ed25519"),
    ("b.dml", "/dev/zero"),
];

/// Statements that name what lies elsewhere.
const NAMED: [(&str, &str); 10] = [
    (
        "data by an absolute path",
        "X = read(\"{home}/.ssh/id_ed25519\")\nprint(sum(X))\n",
    ),
    (
        "data with a format",
        "X = read(\"{home}/.ssh/id_ed25519\", format=\"mm\")\nprint(sum(X))\n",
    ),
    (
        "data by a way up",
        "X = read(\"../home/.ssh/id_ed25519\", format=\"csv\")\nprint(sum(X))\n",
    ),
    (
        "data of the kernel",
        "X = read(\"/proc/self/environ\", format=\"csv\")\nprint(sum(X))\n",
    ),
    (
        "a device",
        "X = read(\"/dev/zero\", format=\"csv\")\nprint(sum(X))\n",
    ),
    (
        "a frame",
        "F = read(\"{home}/.ssh/id_ed25519\", data_type=\"frame\", format=\"csv\")\nprint(toString(F))\n",
    ),
    (
        "a script",
        "source(\"{home}/.ssh/id_ed25519\") as s\nx = s::f(1)\nprint(x)\n",
    ),
    (
        "a script by a way up",
        "source(\"../home/.bashrc\") as s\nx = s::f(1)\nprint(x)\n",
    ),
    (
        "a script that is a device",
        "source(\"/dev/zero\") as s\nx = s::f(1)\nprint(x)\n",
    ),
    (
        "an argument",
        "#@ $x = \"{home}/.ssh/id_ed25519\"\nX = read($x)\nprint(sum(X))\n",
    ),
];

pub(super) fn all() -> Vec<Escape> {
    let mut all = Vec::new();
    for words in LOOKS {
        let told = words.join(" ");
        all.push(
            Escape::typed(format!("{told}: a script that would write"), words)
                .text("a.dml", PLAIN)
                .ends(Ends::Either),
        );
    }
    for (name, to) in LURES {
        all.push(
            Escape::typed(
                format!("check . where {name} is a link to {to}"),
                &["check", "."],
            )
            .text("a.dml", PLAIN)
            .link(name, to)
            .ends(Ends::Either)
            .unsaid("{secret}"),
        );
    }
    for (what, script) in NAMED {
        for command in ["check", "facts", "optimize"] {
            all.push(
                Escape::typed(
                    format!("{command} of a script that names {what} of others"),
                    &[command, "a.dml"],
                )
                .text("a.dml", script)
                .ends(Ends::Either)
                .unsaid("{secret}"),
            );
        }
    }
    for name in [
        "in.csv",
        "in.csv.mtd",
        "library.sketch",
        "sumac.toml",
        ".gitignore",
        "b.dml",
        "a.json",
    ] {
        all.push(
            Escape::typed(
                format!("check . where {name} is a pipe that nobody writes to"),
                &["check", "."],
            )
            .text("a.dml", PLAIN)
            .put(Put::Pipe(name.to_owned()))
            .ends(Ends::Either),
        );
    }
    for machine in [
        "/dev/zero",
        "{home}/.ssh/id_ed25519",
        "../home/notes.csv",
        "pipe.json",
        "own.json",
    ] {
        all.push(
            Escape::typed(
                format!("optimize where search.machine is {machine:?}"),
                &["optimize", "a.dml"],
            )
            .text("a.dml", PLAIN)
            .text("sumac.toml", format!("[search]\nmachine = \"{machine}\"\n"))
            .put(Put::Pipe("pipe.json".to_owned()))
            .link("own.json", "{home}/.ssh/id_ed25519")
            .with("SUMAC_MACHINE", None)
            .ends(Ends::Refused)
            .unsaid("{secret}"),
        );
    }
    all.extend(rewritten());
    all.extend(timed());
    all
}

/// Commands that write scripts, where the scripts are not where they seem to be.
fn rewritten() -> Vec<Escape> {
    let mut all = Vec::new();
    for words in [&["fmt", "."][..], &["optimize", "--apply", "."]] {
        let told = words.join(" ");
        for (what, link, to) in [
            ("a script elsewhere", "theirs.dml", "../beside/theirs.dml"),
            ("a folder elsewhere", "theirs", "../beside"),
            ("the folder above", "up", ".."),
            ("itself", "loop", "."),
            ("the root", "root", "/proc/self/root{beside}"),
        ] {
            all.push(
                Escape::typed(
                    format!("{told} where the workspace holds a link to {what}"),
                    words,
                )
                .link(link, to)
                .text("a.dml", PLAIN)
                .ends(Ends::Either)
                .may("a.dml")
                .may("own.dml"),
            );
        }
        all.push(
            Escape::typed(
                format!("{told} where a script is a second name of another"),
                words,
            )
            .put(Put::Hard(
                "theirs.dml".to_owned(),
                "{beside}/theirs.dml".to_owned(),
            ))
            .text("a.dml", PLAIN)
            .ends(Ends::Either)
            .may("a.dml")
            .may("own.dml")
            .may("theirs.dml"),
        );
    }
    all
}

/// Timings read data and write nothing.
fn timed() -> Vec<Escape> {
    let script = "#@ X: 60 x 20\n#@ v: 20 x 1\nX = read(\"{beside}/data.csv\")\nv = read(\"v.csv\")\ny = t(X) %*% (X %*% v)\nwrite(y, \"{beside}/new.csv\")\nprint(sum(y))\n";
    [5, 6, 7]
        .map(|line| {
            let place = format!("a.dml:{line}");
            Escape::typed(
                format!("time {place} of a script that writes elsewhere"),
                &["time", &place],
            )
            .text("a.dml", script)
            .ends(Ends::Either)
        })
        .into()
}
