//! Data files that were cut off: in each format an error that names the file, never the values of half a file.

use super::{Folder, told};

#[test]
fn a_data_file_that_was_cut_off_is_an_error_that_names_it() {
    for (format, name) in [
        ("csv", "data.csv"),
        ("text", "data.ijv"),
        ("mm", "data.mtx"),
        ("npy", "data.npy"),
        ("npz", "data.npz"),
        ("sumac", "data.smx"),
    ] {
        let write = format!(
            "X = rand(rows=12, cols=7, seed=1)\nwrite(X, \"{name}\", format=\"{format}\")\n"
        );
        let read = format!("X = read(\"{name}\")\nprint(nrow(X))\n");
        let folder = Folder::new(&[("w.dml", &write), ("r.dml", &read)]);
        let run = |script: &str| folder.command(&["run", script]).output().unwrap();
        assert_eq!(told(&run("w.dml")).0, 0);
        let whole = run("r.dml");
        assert_eq!(
            (told(&whole).0, &*whole.stdout),
            (0, &b"12\n"[..]),
            "{format}"
        );
        let path = folder.path().join(name);
        let bytes = std::fs::read(&path).unwrap();
        for parts in [0, 1, 3, 7, 9] {
            std::fs::write(&path, &bytes[..bytes.len() * parts / 10]).unwrap();
            let cut = run("r.dml");
            let (code, told) = told(&cut);
            assert_eq!(
                (code, &*cut.stdout),
                (1, &b""[..]),
                "{format}, {parts}: {told}"
            );
            assert!(told.contains(name), "{told}");
        }
        let metadata = path.with_file_name(format!("{name}.mtd"));
        if let Ok(bytes) = std::fs::read(&metadata) {
            std::fs::write(&metadata, &bytes[..bytes.len() / 2]).unwrap();
            let (code, told) = told(&run("r.dml"));
            assert_eq!(code, 1, "{format}");
            assert!(told.contains(&format!("{name}.mtd")), "{told}");
        }
    }
}
