//! Disks without room: `/dev/full`, and a limit of the size of files, whose signal is ignored so that a write fails as it does on a
//! full disk.

use std::fs::File;

use super::support::{Folder, LOSS};
use super::told;

const FULL: &str = "trap '' XFSZ; ulimit -f 0";

#[test]
fn results_that_cannot_be_written_are_told_and_are_no_success() {
    let folder = Folder::new(&[
        ("a.dml", LOSS),
        ("endless.dml", "while (TRUE) print(\"line\")\n"),
        ("once.dml", "print(\"line\")\n"),
        ("bad.dml", "print(nothing)\n"),
    ]);
    for args in [
        // It says what it finds there, and elsewhere how much.
        &["check", "bad.dml"][..],
        &["parse", "a.dml"],
        &["facts", "a.dml"],
        &["optimize", "a.dml"],
        &["optimize", "--format", "json", "a.dml"],
        &["fmt", "--diff", "a.dml"],
        &["run", "once.dml"],
        &["run", "endless.dml"],
        &["--help"],
        &["run", "--help"],
    ] {
        // It says nothing where there is nothing to change.
        if args[0] == "fmt" {
            std::fs::write(folder.path().join("a.dml"), LOSS.replace(" = ", "=")).unwrap();
        }
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = folder.command(args).stdout(full).output().unwrap();
        let (code, told) = told(&output);
        assert_eq!(code, 1, "{args:?}: {told}");
        assert_eq!(
            told.matches("the standard output cannot be written")
                .count(),
            1,
            "{args:?}: {told}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::new(&[("endless.dml", "while (TRUE) print(\"line\")\n")]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    for args in [&["run", "endless.dml"][..], &["--help"]] {
        let output = folder
            .command(args)
            .stdout(writer.try_clone().unwrap())
            .output();
        let (code, told) = told(&output.unwrap());
        assert_eq!((code, &*told), (0, ""), "{args:?}");
    }
}

#[test]
fn a_script_that_finds_no_room_for_its_new_text_keeps_the_old_one() {
    let untidy = LOSS.replace(" = ", "=");
    let folder = Folder::new(&[("a.dml", &untidy)]);
    for args in [&["fmt", "a.dml"][..], &["optimize", "--apply", "a.dml"]] {
        let output = folder.by_shell(FULL, args).output().unwrap();
        let (code, told) = told(&output);
        assert_eq!(code, 1, "{told}");
        assert!(
            told.contains("a.dml") && told.contains("cannot be written: File too large"),
            "{told}"
        );
        assert_eq!(folder.read("a.dml"), untidy);
        assert_eq!(folder.names(), ["a.dml"]);
    }
}

#[test]
fn data_that_finds_no_room_leaves_the_old_data_and_its_metadata() {
    for (format, name) in [
        ("csv", "out.csv"),
        ("text", "out.ijv"),
        ("mm", "out.mtx"),
        ("npy", "out.npy"),
        ("npz", "out.npz"),
        ("sumac", "out.smx"),
    ] {
        let script = format!(
            "X = rand(rows=100, cols=100, seed=1)\nwrite(X, \"{name}\", format=\"{format}\")\nprint(\"written\")\n"
        );
        let metadata = format!("{name}.mtd");
        let folder = Folder::new(&[("w.dml", &script), (name, "1 1 7\n"), (&metadata, "{}\n")]);
        let output = folder.by_shell(FULL, &["run", "w.dml"]).output().unwrap();
        let (code, told) = told(&output);
        assert_eq!((code, &*output.stdout), (1, &b""[..]), "{told}");
        assert!(
            told.contains("w.dml: line 2: ")
                && told.contains(name)
                && told.contains("File too large"),
            "{told}"
        );
        assert_eq!(folder.read(name), "1 1 7\n");
        assert_eq!(folder.read(&metadata), "{}\n");
        assert_eq!(folder.names().len(), 3);
    }
}
