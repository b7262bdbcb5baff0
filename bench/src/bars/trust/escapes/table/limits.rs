//! Runs that take more than they may: of time, of memory, of what is printed, of files.

use super::super::escape::{Ends, Escape, Put};

const MB: u64 = 1 << 20;
/// What a run may take besides what it was allowed and what the program takes by itself.
const SLACK_BYTES: u64 = 120 * MB;
/// How long a run may take to begin and to end.
const SLACK_SECONDS: f64 = 8.0;

/// Scripts that never end by themselves and take no memory to speak of.
const ENDLESS: [(&str, &str); 7] = [
    ("a loop", "while (TRUE) { x = 1 }\n"),
    (
        "a loop that prints",
        "while (TRUE) { print(\"0123456789\") }\n",
    ),
    (
        "a loop over very many numbers",
        "s = 0\nfor (i in 1:1000000000000) { s = s + i }\nprint(s)\n",
    ),
    (
        "a parallel loop",
        "s = matrix(0, rows=4, cols=1)\nparfor (i in 1:4) { while (TRUE) { y = i } }\nprint(sum(s))\n",
    ),
    (
        "products without an end",
        "X = rand(rows=300, cols=300)\nwhile (TRUE) { X = X %*% X\n X = X / max(X) }\nprint(sum(X))\n",
    ),
    (
        "functions that call each other in a loop",
        "f = function(Double x) return (Double y) { y = x + 1 }\nx = 0\nwhile (TRUE) { x = f(x) }\nprint(x)\n",
    ),
    (
        "a sum of many random cells",
        "s = 0\nwhile (TRUE) { s = s + sum(rand(rows=1000, cols=1000)) }\nprint(s)\n",
    ),
];

/// Scripts that need more memory than the limit. Each says so and ends.
const LARGE: [(&str, &str); 12] = [
    (
        "one matrix",
        "X = matrix(1, rows=20000, cols=20000)\nprint(sum(X %*% X))\n",
    ),
    (
        "a list that grows",
        "l = list()\nwhile (TRUE) { l = append(l, rand(rows=300, cols=300)) }\n",
    ),
    (
        "a text that grows",
        "x = \"0123456789\"\nwhile (TRUE) { x = x + x }\n",
    ),
    (
        "rows that are bound again and again",
        "X = rand(rows=100, cols=100)\nwhile (TRUE) { X = rbind(X, X) }\n",
    ),
    (
        "columns that are bound again and again",
        "X = rand(rows=100, cols=100)\nwhile (TRUE) { X = cbind(X, X) }\n",
    ),
    (
        "an outer product",
        "x = rand(rows=100000, cols=1)\nY = x %*% t(x)\nprint(sum(Y * Y))\n",
    ),
    (
        "random cells",
        "X = rand(rows=1000000, cols=1000000)\nprint(sum(X))\n",
    ),
    ("a sequence", "x = seq(1, 1000000000000)\nprint(sum(x))\n"),
    (
        "a table",
        "x = seq(1, 100000)\nT = table(x, x * 1000)\nprint(sum(T %*% t(T) + 1))\n",
    ),
    (
        "a sparse matrix that becomes dense",
        "X = rand(rows=100000, cols=100000, sparsity=0.00001)\nprint(sum(exp(X)))\n",
    ),
    (
        "a parallel loop",
        "R = matrix(0, rows=8, cols=1)\nparfor (i in 1:8) { Y = rand(rows=8000, cols=8000)\n R[i, 1] = sum(Y %*% Y) }\nprint(sum(R))\n",
    ),
    (
        "functions that call themselves",
        "f = function(Double x) return (Double y) { y = f(x + 1) }\nprint(f(1))\n",
    ),
];

/// Data that claim to be large: a name, what they say, and metadata beside them.
const CLAIMS: [(&str, &str, &str); 6] = [
    (
        "m.mtx",
        "%%MatrixMarket matrix coordinate real general\n3000000000 3 1\n1 1 1\n",
        "",
    ),
    (
        "m.mtx",
        "%%MatrixMarket matrix array real general\n3000000000 3000000000\n1\n",
        "",
    ),
    (
        "m.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n2000000000 2000000000 4000000000000\n1 1 1\n",
        "",
    ),
    (
        "m.txt",
        "1 1 1\n",
        "{\"data_type\": \"matrix\", \"rows\": 3000000000, \"cols\": 300, \"format\": \"text\"}",
    ),
    (
        "m.csv",
        "1,2\n",
        "{\"data_type\": \"matrix\", \"rows\": 3000000000, \"cols\": 2, \"format\": \"csv\"}",
    ),
    ("m.txt", "900000000000 900000000000 1\n", ""),
];

pub(super) fn all() -> Vec<Escape> {
    let mut all = Vec::new();
    for (what, script) in ENDLESS {
        all.push(
            Escape::typed(
                format!("{what} that does not end within two seconds"),
                &["run", "a.dml", "--timeout", "2", "--memory", "400M"],
            )
            .text("a.dml", script)
            .within(2.0 + SLACK_SECONDS, 400 * MB + SLACK_BYTES),
        );
    }
    all.push(
        Escape::typed(
            "a loop, and a configuration that allows it an hour",
            &["run", "a.dml", "--timeout", "2"],
        )
        .text("a.dml", ENDLESS[0].1)
        .text("sumac.toml", "[engine]\ntime-limit = 3600\n")
        .within(2.0 + SLACK_SECONDS, 400 * MB),
    );
    for (what, script) in LARGE {
        all.push(
            Escape::typed(
                format!("{what} beyond 200 MB"),
                &["run", "a.dml", "--memory", "200M", "--timeout", "20"],
            )
            .text("a.dml", script)
            .within(20.0 + SLACK_SECONDS, 200 * MB + SLACK_BYTES),
        );
    }
    all.push(
        Escape::typed(
            "a matrix beyond 200 MB, and a configuration that allows it",
            &["run", "a.dml", "--memory", "200M", "--timeout", "20"],
        )
        .text("a.dml", LARGE[0].1)
        .text("sumac.toml", "[engine]\nmemory = \"20G\"\n")
        .within(20.0 + SLACK_SECONDS, 200 * MB + SLACK_BYTES),
    );
    for (name, text, metadata) in CLAIMS {
        let mut escape = Escape::typed(
            format!(
                "{name} that claims {:?}",
                if metadata.is_empty() { text } else { metadata }
            ),
            &["run", "a.dml", "--timeout", "20"],
        )
        .text("a.dml", format!("X = read(\"{name}\")\nprint(sum(X))\n"))
        .text(name, text)
        .ends(Ends::Either)
        .within(20.0, 400 * MB);
        if !metadata.is_empty() {
            escape = escape.text(&format!("{name}.mtd"), metadata);
        }
        all.push(escape);
    }
    // Numbers of a header of NumPy are claims too.
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3000000000, 3000), }";
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend([u8::try_from(header.len() + 1).unwrap_or(u8::MAX), 0]);
    npy.extend(header.bytes().chain([b'\n']));
    all.push(
        Escape::run(
            "an array of NumPy that claims more than there is",
            "X = read(\"m.npy\")\nprint(sum(X))\n",
        )
        .put(Put::Bytes("m.npy".to_owned(), npy))
        .within(20.0, 400 * MB),
    );
    for (name, words) in [
        ("big.dml", ["check", "big.dml"]),
        ("sumac.toml", ["check", "own.dml"]),
        ("library.sketch", ["check", "own.dml"]),
        (".gitignore", ["check", "."]),
    ] {
        all.push(
            Escape::typed(
                format!("{} where {name} has a gigabyte", words.join(" ")),
                &words,
            )
            .put(Put::Hollow(name.to_owned(), 1 << 30))
            .ends(Ends::Either)
            .within(30.0, 600 * MB),
        );
    }
    all.push(
        Escape::typed(
            "a flood that is kept for a report",
            &["run", "--format", "json", "a.dml", "--timeout", "30"],
        )
        .text(
            "a.dml",
            "x = \"0123456789abcdef\"\nfor (i in 1:16) { x = x + x }\nwhile (TRUE) { print(x) }\n",
        )
        .within(30.0 + SLACK_SECONDS, 600 * MB),
    );
    all.push(
        Escape::typed(
            "more files than anybody counts, all of them inside",
            &["run", "a.dml", "--timeout", "2"],
        )
        .text(
            "a.dml",
            "i = 0\nwhile (TRUE) {\n  i = i + 1\n  write(i, \"flood/f\" + i)\n}\n",
        )
        .put(Put::Folder("flood".to_owned()))
        .may("flood")
        .within(2.0 + SLACK_SECONDS, 400 * MB),
    );
    all
}
