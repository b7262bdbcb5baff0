//! Scripts that are opened in an editor, in a workspace that is not trusted. What is asked of each is what an editor asks: hovers,
//! lenses, links, definitions, names, and commands that would run it.

use super::super::escape::{Escape, Put};

/// What a script says.
const OPENED: [(&str, &str); 12] = [
    (
        "reads a secret",
        "X = read(\"{home}/.ssh/id_ed25519\")\ny = sum(X)\nprint(y)\n",
    ),
    (
        "reads a secret as a table",
        "X = read(\"{home}/.ssh/id_ed25519\", format=\"csv\")\ny = sum(X)\nprint(y)\n",
    ),
    (
        "reads a secret by a way up",
        "X = read(\"../home/.ssh/id_ed25519\", format=\"mm\")\ny = sum(X)\nprint(y)\n",
    ),
    (
        "reads a secret by a link",
        "X = read(\"link.csv\", format=\"mm\")\ny = sum(X)\nprint(y)\n",
    ),
    (
        "reads data whose metadata are a link",
        "X = read(\"in.csv\")\ny = sum(X)\nprint(y)\n",
    ),
    (
        "sources a secret",
        "source(\"{home}/.ssh/id_ed25519\") as s\ny = s::f(1)\nprint(y)\n",
    ),
    (
        "sources a script elsewhere",
        "source(\"../beside/theirs.dml\") as s\ny = s::secret(1)\nprint(y)\n",
    ),
    (
        "sources a script by a link",
        "source(\"link.dml\") as s\ny = s::secret(1)\nprint(y)\n",
    ),
    (
        "sources by an address",
        "source(\"file://{beside}/theirs.dml\") as s\ny = s::secret(1)\nprint(y)\n",
    ),
    (
        "names devices",
        "X = read(\"/dev/zero\")\nY = read(\"pipe.csv\")\ny = sum(X + Y)\nprint(y)\n",
    ),
    (
        "writes elsewhere",
        "X = matrix(1, rows=2, cols=2)\ny = sum(X %*% X)\nwrite(y, \"{beside}/new.csv\")\n",
    ),
    (
        "pins a sketch elsewhere",
        "import = 1\n#@ sketch theirs\ny = sum(matrix(import, rows=2, cols=2))\nprint(y)\n",
    ),
];

/// Files beside a script that are opened with it.
const BESIDE: [(&str, &str); 4] = [
    (
        "sumac.toml",
        "[search]\nmachine = \"{home}/.ssh/id_ed25519\"\n[args]\nany = \"{home}\"\n",
    ),
    (
        "library.sketch",
        "import \"{home}/.ssh/id_ed25519\"\nimport \"../beside/theirs.sketch\"\n",
    ),
    ("sumac.toml", "[search]\nmachine = \"/dev/zero\"\n"),
    (
        "sumac.toml",
        "[cache]\nfolder = \"{beside}\"\nsuggestions = true\n",
    ),
];

pub(super) fn all() -> Vec<Escape> {
    let mut all: Vec<Escape> = OPENED
        .iter()
        .map(|(what, script)| {
            Escape::opened(format!("an editor opens a script that {what}"), *script)
                .link("link.csv", "{home}/.ssh/id_ed25519")
                .link("link.dml", "../beside/theirs.dml")
                .link("in.csv.mtd", "{home}/.ssh/id_ed25519")
                .put(Put::Pipe("pipe.csv".to_owned()))
                .unsaid("{secret}")
        })
        .collect();
    let plain = "#@ X: 60 x 20\nX = read(\"in.csv\")\ny = sum(X %*% t(X))\nprint(y)\n";
    all.extend(BESIDE.iter().map(|(name, text)| {
        Escape::opened(
            format!("an editor opens a workspace whose {name} says {text:?}"),
            plain,
        )
        .text(name, *text)
        .unsaid("{secret}")
    }));
    for (name, to) in [
        ("library.sketch", "{home}/.ssh/id_ed25519"),
        ("library.sketch", "/dev/zero"),
        ("sumac.toml", "{home}/.ssh/id_ed25519"),
        (".gitignore", "/dev/zero"),
        ("theirs.dml", "{beside}/theirs.dml"),
        ("up", ".."),
    ] {
        all.push(
            Escape::opened(
                format!("an editor opens a workspace whose {name} is a link to {to}"),
                plain,
            )
            .link(name, to)
            .unsaid("{secret}"),
        );
    }
    all
}
