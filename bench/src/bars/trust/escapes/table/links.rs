//! Links in the workspace: laid before a run, and while it runs.

use super::super::escape::{Ends, Escape, Put, TRIED, writing};

/// A link's name and what it says, and what a script writes.
const LINKS: &[(&str, &str, &str)] = &[
    ("l.csv", "../beside/data.csv", "l.csv"),
    ("l.csv", "{beside}/data.csv", "l.csv"),
    ("l.csv", "../beside/new.csv", "l.csv"),
    ("l.csv", "{home}/.bashrc", "l.csv"),
    ("l.csv", "{home}/gone/new.csv", "l.csv"),
    ("l.csv", ".git/config", "l.csv"),
    ("l.csv", "own.dml", "l.csv"),
    ("l.csv", "/dev/null", "l.csv"),
    ("l.csv", "/proc/self/fd/1", "l.csv"),
    ("l.csv", "l.csv", "l.csv"),
    ("out", "../beside", "out/new.csv"),
    ("out", "../beside", "out/data.csv"),
    ("out", "{home}", "out/new.csv"),
    ("out", "{home}/.ssh", "out/new.csv"),
    ("out", "{etc}", "out/cron.d/new.csv"),
    ("out", "/", "out/tmp/{probe}.csv"),
    ("out", "/proc/self/root", "out/tmp/{probe}.csv"),
    ("out", "/proc/self/cwd", "out/.git/new.csv"),
    ("out", "..", "out/beside/new.csv"),
    ("out", ".git", "out/new.csv"),
    ("out", ".git/hooks", "out/new.csv"),
    ("out", ".vscode", "out/new.csv"),
    ("out", "sub", "out/../../beside/new.csv"),
    ("out", "gone", "out/new.csv"),
];

/// Metadata that are links, beside data that is written.
const METADATA: [&str; 7] = [
    "{home}/.bashrc",
    "{beside}/data.csv",
    "{beside}/data.csv.mtd",
    "{beside}/new.csv.mtd",
    ".git/config",
    ".git/new.mtd",
    "sumac.toml",
];

/// What stands at a place while a run writes there again and again: the place, what it is at the next moment, what is written, and
/// as what. Of a file in the format of Matrix Market the metadata are removed.
const RACES: [(&str, &str, &str, &str); 10] = [
    ("spot", "../beside", "spot/new.csv", "csv"),
    ("spot", "{home}", "spot/new.csv", "csv"),
    ("spot", "{home}/.ssh", "spot/new.csv", "csv"),
    ("spot", ".git", "spot/new.csv", "csv"),
    ("spot", ".git/hooks", "spot/new.csv", "csv"),
    ("spot", "/proc/self/root/tmp", "spot/{probe}.csv", "csv"),
    ("spot", "../beside", "spot/data.csv", "csv"),
    ("spot", "../beside", "spot/deep/new.csv", "csv"),
    ("spot", "../beside", "spot/data.csv", "mm"),
    ("spot", "{home}/.ssh", "spot/new.csv", "npy"),
];

pub(super) fn all() -> Vec<Escape> {
    let mut all: Vec<Escape> = LINKS
        .iter()
        .map(|(link, to, place)| {
            Escape::run(
                format!("{link} is a link to {to:?}, and a script writes {place}"),
                writing(place),
            )
            .link(link, to)
        })
        .collect();
    all.extend(METADATA.iter().map(|to| {
        Escape::run(
            format!("o.csv.mtd is a link to {to:?}, and a script writes o.csv"),
            writing("o.csv"),
        )
        .link("o.csv.mtd", to)
        .ends(Ends::Either)
        .may("o.csv")
        .may("o.csv.mtd")
    }));
    all.push(
        Escape::run("a chain of links leads out", writing("one.csv"))
            .link("one.csv", "two.csv")
            .link("two.csv", "sub/three.csv")
            .link("sub/three.csv", "../../beside/data.csv"),
    );
    // A second name is another name: the file that both named stays.
    for to in ["{beside}/data.csv", ".git/config", "{home}/.bashrc"] {
        all.push(
            Escape::run(
                format!("h.csv is a second name of {to:?}, and a script writes it"),
                writing("h.csv"),
            )
            .put(Put::Hard("h.csv".to_owned(), to.to_owned()))
            .ends(Ends::Either)
            .may("h.csv"),
        );
        all.push(
            Escape::run(
                format!("o.csv.mtd is a second name of {to:?}, and a script writes o.csv"),
                writing("o.csv"),
            )
            .put(Put::Hard("o.csv.mtd".to_owned(), to.to_owned()))
            .ends(Ends::Either)
            .may("o.csv"),
        );
    }
    all.extend(folders());
    all.extend(RACES.iter().map(|(place, to, written, format)| {
        // Each time it is refused or written: a run ends at the first refusal, so many are begun by the loop of the bar.
        let script = format!(
            "print(\"{TRIED}\")\nX = matrix(7, rows=2, cols=2)\nfor (i in 1:300) {{ write(X, \"{written}\", format=\"{format}\") }}\n"
        );
        Escape::run(
            format!("while a script writes {written} as {format}, {place} becomes a link to {to:?}"),
            script,
        )
        .put(Put::Folder(format!("{place}/deep")))
        .race(place, to)
        .ends(Ends::Either)
        .may(place)
    }));
    all
}

/// The folder in which the command is typed.
fn folders() -> Vec<Escape> {
    let mut all: Vec<Escape> = ["{home}", ".git", ".git/hooks", ".vscode", "{home}/.ssh"]
        .iter()
        .map(|folder| {
            Escape::typed(
                format!("a run that is typed in {folder}"),
                &["run", "{work}/a.dml"],
            )
            .text("a.dml", writing("new.csv"))
            .from(folder)
        })
        .collect();
    all.push(
        Escape::typed(
            "a run that is typed in a link to the home folder",
            &["run", "{work}/a.dml"],
        )
        .text("a.dml", writing("new.csv"))
        .link("house", "{home}")
        .from("house"),
    );
    all
}
