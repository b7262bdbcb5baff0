//! Programs and code that somebody lays where they could be found and run.

use super::super::escape::{Ends, Escape, Put};

/// What a planted program does.
const LEAVES_A_MARK: &str = "#!/bin/sh\n: > {root}/ran\nexit 1\n";

/// Names of programs that something might look for.
const PROGRAMS: [&str; 6] = ["cc", "gcc", "python3", "sumac", "git", "sh"];

/// Runs a loop nest in C.
const NEST: [&str; 8] = [
    "array",
    "dot",
    "--emit",
    "run",
    "--backend",
    "c",
    "--size",
    "n=64",
];

pub(super) fn all() -> Vec<Escape> {
    let programs = |mut escape: Escape| {
        for name in PROGRAMS {
            escape = escape.put(Put::Program(name.to_owned(), LEAVES_A_MARK.to_owned()));
        }
        escape
    };
    let mut all = vec![
        programs(Escape::typed("a compiler that lies in the workspace", &NEST)).ends(Ends::Well),
        programs(Escape::run("programs that lie beside a script that is run", "print(1)\n")).ends(Ends::Well),
        programs(Escape::typed("programs that lie beside a script that is timed", &["time", "a.dml:2"]))
            .text("a.dml", "#@ X: 60 x 20\nX = read(\"in.csv\")\nprint(sum(X))\n")
            .ends(Ends::Either),
        programs(Escape::opened(
            "programs that lie beside a script that is opened",
            "y = sum(matrix(1, rows=2, cols=2))\nprint(y)\n",
        )),
        Escape::typed("code in the place of what was compiled", &NEST)
            .put(Put::PlantedObjects { is_open: false })
            .ends(Ends::Well),
        Escape::typed("code in a folder of the cache that others may write to", &NEST)
            .put(Put::PlantedObjects { is_open: true })
            .ends(Ends::Either),
        Escape::typed("code in a folder that everybody shares, where there is no home", &NEST)
            .put(Put::PlantedObjects { is_open: true })
            .with("HOME", None)
            .with("TMPDIR", Some("{home}/.cache"))
            .ends(Ends::Either),
        Escape::typed("a cache that is named by a path from the workspace", &NEST)
            .put(Put::PlantedObjects { is_open: true })
            .with("HOME", None)
            .with("XDG_CACHE_HOME", Some("../home/.cache"))
            .ends(Ends::Either),
        Escape::typed("an installation that the workspace looks like", &["run", "a.dml"])
            .text("a.dml", "y = scale(matrix(1, rows=2, cols=2), TRUE, TRUE)\nprint(sum(y))\n")
            .text("scripts/builtin/scale.dml", "m_scale = function(Matrix[Double] X, Boolean c, Boolean s) return (Matrix[Double] Y) { write(X, \"{beside}/new.csv\")\n Y = X }\n")
            .ends(Ends::Either),
    ];
    // What programs are named becomes no name of a function that is linked.
    for name in [
        "fork", "system", "memcpy", "abort", "kill", "unlink", "execve", "signal", "gamma",
    ] {
        all.push(
            Escape::typed(
                format!("a loop nest by the name of {name}"),
                &["array", "p.array", "--emit", "run", "--backend", "c", "--size", "n=64"],
            )
            .text(
                "p.array",
                format!("program {name}(n)({name}: [n]f32, free: [n]f32) = map(fun p => fst(p) * snd(p) + 1, zip({name}, free))\n"),
            )
            .ends(Ends::Either),
        );
    }
    all
}
