//! Files of the workspace itself that other programs act upon.

use super::super::escape::{Ends, Escape, Put, writing};

/// What a script names as the file to write. Each is refused.
const CLOSED: &[&str] = &[
    ".git/config",
    ".git/HEAD",
    ".git/new.csv",
    ".git/hooks/post-checkout",
    ".git/hooks/new.csv",
    ".GIT/config",
    ".Git/hooks/new.csv",
    ".git./config",
    ".git /config",
    ".git\\t/config",
    ".git::$INDEX_ALLOCATION/config",
    "GIT~1/config",
    "git~1/hooks/new.csv",
    ".g\u{200c}it/config",
    "\u{feff}.git/config",
    "sub/../.git/config",
    "./.git/./config",
    "sub/.git/config",
    ".hg/hgrc",
    ".svn/new.csv",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".vscode/new.csv",
    ".VSCode/settings.json",
    ".vscode./settings.json",
    ".github/workflows/ci.yml",
    ".github/workflows/new.csv",
    ".idea/new.csv",
    ".nvim.lua",
    ".exrc",
    ".envrc",
    ".bashrc",
    ".gitattributes",
    ".gitmodules",
    ".gitignore",
    ".new.csv",
    "sumac.toml",
    "Sumac.TOML",
    "sumac.toml.",
    "sumac.toml ",
    "sumac.toml..  .",
    "sumac.toml:new",
    "sub/sumac.toml",
    "own.dml",
    "OWN.DML",
    "own.dml.1",
    "new.dml",
    "a.dml",
    "library.sketch",
    "new.sketch",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Makefile.am",
    "Dockerfile.dev",
    "CMakeLists.txt",
    "README",
    "LICENSE.txt",
    "requirements.txt",
    "package.json",
    "tsconfig.json",
    "setup.py",
    "conftest.py",
    "sitecustomize.py",
    "run.sh",
    "libnew.so",
    "libnew.so.6",
    "new.csv.exe",
    "new.desktop",
    "new.html",
    "new.csv.mtd",
    "tags",
    "program.csv",
    "thesis",
    "notes.tex",
];

pub(super) fn all() -> Vec<Escape> {
    let mut all: Vec<Escape> = CLOSED
        .iter()
        .map(|name| {
            Escape::run(
                format!("a script writes the workspace's {name:?}"),
                writing(name),
            )
        })
        .collect();
    // What only looks like a way up, or like an ending, stays inside.
    for name in [
        "new.exe.csv",
        "．．／beside／new.csv",
        "a b.csv",
        "-rf.csv",
        "'; touch ran #.csv",
        "$(touch ran).csv",
        "new\\n.csv",
        "\\\\\\\\localhost\\\\share.csv",
    ] {
        all.push(
            Escape::run(
                format!("a script writes data by the odd name {name:?}"),
                writing(name),
            )
            .ends(Ends::Well)
            .may(&name.replace("\\n", "\n")),
        );
    }
    for (name, what) in [
        ("out.csv", Put::Pipe("out.csv".to_owned())),
        ("sock.csv", Put::Socket("sock.csv".to_owned())),
        ("folder.csv", Put::Folder("folder.csv".to_owned())),
        (
            "tool.csv",
            Put::Program(
                "tool.csv".to_owned(),
                "#!/bin/sh\ntouch {root}/ran\n".to_owned(),
            ),
        ),
    ] {
        all.push(
            Escape::run(
                format!("a script writes over {name}, which is no regular data"),
                writing(name),
            )
            .put(what),
        );
    }
    for (name, what) in [
        ("pipe", Put::Pipe("o.csv.mtd".to_owned())),
        ("folder", Put::Folder("o.csv.mtd".to_owned())),
    ] {
        all.push(
            Escape::run(
                format!("the metadata of what a script writes is a {name}"),
                writing("o.csv"),
            )
            .put(what)
            .may("o.csv"),
        );
    }
    all
}
