//! What is typed behind a script, and what a workspace says in the person's name.

use super::super::escape::{Ends, Escape, TRIED, writing};

/// A script that writes where `place`, an expression, says.
fn to(place: &str) -> String {
    format!(
        "print(\"{TRIED}\")\nX = matrix(7, rows=2, cols=2)\nwrite(X, {place}, format=\"csv\")\n"
    )
}

/// What follows `run a.dml`, and what the script writes, as an expression. Each is refused.
const TYPED: &[(&[&str], &str)] = &[
    // What was given to be read opens nothing.
    (&["-args", "{etc}/passwd"], "$1"),
    (&["-args", "{etc}/passwd"], "\"{etc}/new.csv\""),
    (&["-args", "{beside}/data.csv"], "\"{beside}/new.csv\""),
    (&["-args", "{beside}"], "\"{beside}/new.csv\""),
    (&["-nvargs", "x={beside}"], "\"{beside}/new.csv\""),
    (&["-nvargs", "x={home}"], "\"{home}/new.csv\""),
    (&["--set", "x={etc}"], "\"{etc}/new.csv\""),
    // Places that are never opened, whoever names them.
    (&["-args", "{home}"], "$1 + \"/new.csv\""),
    (&["-args", "{home}/.bashrc"], "$1"),
    (&["-args", "{home}/new.csv"], "$1"),
    (&["-args", "{home}/.ssh/new.csv"], "$1"),
    (&["-args", "{work}/.git/new.csv"], "$1"),
    (&["-args", "{work}/.git"], "$1 + \"/new.csv\""),
    (&["-args", "/"], "$1 + \"tmp/{probe}.csv\""),
    (&["-args", "/tmp/.."], "$1 + \"/tmp/{probe}.csv\""),
    (&["-args", "/proc/self/root"], "$1 + \"/tmp/{probe}.csv\""),
    (&["-args", "/etc"], "$1 + \"/{probe}.csv\""),
    (&["-args", "/etc/{probe}.csv"], "$1"),
    (&["-args", "/usr/local/lib/{probe}.csv"], "$1"),
    // One name was typed, and another is written.
    (&["-args", "{beside}/out.csv"], "\"{beside}/new.csv\""),
    (&["-args", "{beside}/out.csv"], "$1 + \"/../new.csv\""),
    (&["-args", "{beside}/out.csv"], "$1 + \".sh\""),
    (&["-args", "{beside}/out"], "$1 + \"/deep/new.csv\""),
    (&["-args", "{beside}/out"], "$1 + \"../../home/.bashrc\""),
    (&["-args", "{beside}/out"], "$1 + \"/../../home/.bashrc\""),
    (&["-args", "{beside}/open"], "$1 + \"/../data.csv\""),
    (&["-args", "{beside}/open"], "$1 + \"/.git/config\""),
    (&["-args", "{beside}/open"], "$1 + \"/link/new.csv\""),
    // A folder that is opened by an option, and what lies beside it or in it.
    (&["--allow-write", "{beside}/open"], "\"{beside}/new.csv\""),
    (
        &["--allow-write", "{beside}/open"],
        "\"{beside}/open/../new.csv\"",
    ),
    (
        &["--allow-write", "{beside}/open"],
        "\"{beside}/open-other/new.csv\"",
    ),
    (
        &["--allow-write", "{beside}/open"],
        "\"{beside}/open/.git/config\"",
    ),
    (
        &["--allow-write", "{beside}/open"],
        "\"{beside}/open/link/new.csv\"",
    ),
    (
        &["--allow-write", "{beside}/open"],
        "\"{beside}/open/new.sh\"",
    ),
    (&["--allow-write", "{beside}/open"], "\"{home}/.bashrc\""),
];

/// Folders that no option opens.
const NEVER: [&str; 9] = [
    "{home}",
    "/",
    "/etc",
    "/proc/self",
    "/proc/self/root",
    "/tmp/..",
    "{work}/.git",
    "{work}/house",
    "{work}/sub/../.git/hooks",
];

/// What a configuration says, and where the script writes, as an expression.
const CONFIGURED: &[(&str, &str)] = &[
    ("[args]\nany = \"{home}\"\n", "\"{home}/.bashrc\""),
    ("[args]\nany = \"{beside}\"\n", "\"{beside}/data.csv\""),
    ("[args]\nany = \"/tmp/..\"\n", "\"{home}/.bashrc\""),
    (
        "[args]\nany = \"/proc/self/root\"\n",
        "\"{beside}/new.csv\"",
    ),
    ("[args]\nany = \"/\"\n", "\"/tmp/{probe}.csv\""),
    ("[args]\nout = \"{beside}/data.csv\"\n", "$out"),
    ("[args]\nout = \"{beside}\"\n", "$out + \"/new.csv\""),
    ("[args]\n1 = \"{beside}/data.csv\"\n", "$1"),
    ("[args]\nout = \"../beside/new.csv\"\n", "$out"),
    (
        "[engine]\nallow-write = [\"{beside}\"]\n",
        "\"{beside}/new.csv\"",
    ),
    ("[engine]\nunconfined = true\n", "\"{beside}/new.csv\""),
    (
        "allow-write = [\"{beside}\"]\nunconfined = true\n",
        "\"{beside}/new.csv\"",
    ),
];

/// What a script says in the person's name, and where it writes.
const STATED: &[(&str, &str)] = &[
    ("#@ $out = \"{beside}/data.csv\"\n", "$out"),
    ("#@ $out = \"{home}/.bashrc\"\n", "$out"),
    ("#@ $out = \"{beside}\"\n", "\"{beside}/new.csv\""),
    ("place = ifdef($out, \"{beside}/new.csv\")\n", "place"),
];

pub(super) fn all() -> Vec<Escape> {
    let mut all: Vec<Escape> = TYPED
        .iter()
        .map(|(words, place)| {
            let words = [&["run", "a.dml"], *words].concat();
            Escape::typed(
                format!("{} and a script that writes {place}", words.join(" ")),
                &words,
            )
            .text("a.dml", to(place))
        })
        .collect();
    all.extend(NEVER.iter().map(|folder| {
        Escape::typed(
            format!("--allow-write {folder}"),
            &["run", "a.dml", "--allow-write", folder],
        )
        .text("a.dml", "print(1)\n")
        .link("house", "{home}")
    }));
    // A configuration may have no such key, which is told; a run goes on where it can, and nothing is written all the same.
    all.extend(CONFIGURED.iter().map(|(said, place)| {
        Escape::run(
            format!("sumac.toml says {said:?}, and a script writes {place}"),
            to(place),
        )
        .text("sumac.toml", *said)
    }));
    all.push(
        Escape::run(
            "the sumac.toml above the workspace opens a folder",
            to("$out"),
        )
        .text("../sumac.toml", "[args]\nout = \"{beside}/data.csv\"\n"),
    );
    all.push(
        Escape::run(
            "sumac.toml is a link to one that opens a folder",
            to("$out"),
        )
        .text("sub/other.toml", "[args]\nout = \"{beside}/data.csv\"\n")
        .link("sumac.toml", "sub/other.toml"),
    );
    all.extend(STATED.iter().map(|(said, place)| {
        Escape::run(
            format!("a script says {said:?} and writes {place}"),
            format!("{said}{}", to(place)),
        )
    }));
    all.push(
        Escape::typed(
            "inputs that are named and written over",
            &["run", "a.dml", "-args", "in.csv"],
        )
        .text(
            "a.dml",
            format!("print(\"{TRIED}\")\nX = read($1, format=\"csv\")\nwrite(X * 2, $1, format=\"csv\")\n"),
        ),
    );
    all.push(
        Escape::typed(
            "inputs that are named by one way and written over by another",
            &["run", "a.dml", "-args", "{work}/in.csv"],
        )
        .text(
            "a.dml",
            format!("print(\"{TRIED}\")\nX = read($1, format=\"csv\")\nwrite(X * 2, \"sub/../in.csv\", format=\"csv\")\n"),
        ),
    );
    all.push(
        Escape::run("a script writes what it may", writing("new.csv"))
            .ends(Ends::Well)
            .may("new.csv"),
    );
    all
}
