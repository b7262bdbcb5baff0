//! What a confined run may write: escapes tried by links, names and races.

use super::*;

fn below(folders: &[&Path]) -> Writable {
    Writable::below(folders.iter().map(|folder| folder.to_path_buf()))
        .resolved()
        .unwrap()
}

fn refusal(writable: &Writable, path: &Path) -> String {
    match writable.allows(path, What::Data) {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_lies_below_an_allowed_folder_may_be_written_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let inside = root.join("out");
    std::fs::create_dir_all(inside.join("deep")).unwrap();
    let allowed = below(&[&inside]);
    for path in [
        "out/a.csv",
        "out/deep/b.csv",
        "out/new/c.csv",
        "out/deep/../d.csv",
    ] {
        assert_eq!(refusal(&allowed, &root.join(path)), "", "{path}");
    }
    for path in [
        "a.csv",
        "outside/a.csv",
        "out/../a.csv",
        "out/new/../../a.csv",
        "out",
    ] {
        assert_ne!(refusal(&allowed, &root.join(path)), "", "{path}");
    }
    let told = refusal(&allowed, &root.join("a.csv"));
    assert!(
        told.contains("a.csv") && told.contains(&*inside.to_string_lossy()),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let inside = root.join("out");
    std::fs::create_dir(&inside).unwrap();
    std::os::unix::fs::symlink(&root, inside.join("up")).unwrap();
    std::os::unix::fs::symlink(root.join("gone"), inside.join("gone")).unwrap();
    std::os::unix::fs::symlink(&inside, root.join("in")).unwrap();
    let allowed = below(&[&inside]);
    assert_ne!(refusal(&allowed, &inside.join("up/a.csv")), "");
    assert_ne!(refusal(&allowed, &inside.join("gone")), "");
    assert_eq!(refusal(&allowed, &root.join("in/a.csv")), "");
}

#[test]
fn a_named_file_opens_its_own_name_only() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let given = root.join("x.csv");
    std::fs::write(&given, "1\n").unwrap();
    let writable = Writable {
        files: vec![root.join("out"), given.clone()],
        inputs: vec![given.clone()],
        ..Writable::default()
    };
    let writable = writable.resolved().unwrap();
    assert_eq!(refusal(&writable, &root.join("out")), "");
    assert_eq!(refusal(&writable, &root.join("out_w.csv")), "");
    assert_ne!(refusal(&writable, &root.join("other")), "");
    assert_ne!(refusal(&writable, &root.join("out/deep.csv")), "");
    assert!(refusal(&writable, &given).contains("given to be read"));
    assert_eq!(writable.opened(), [root]);
}

#[test]
fn closed_folders_are_not_opened_by_whatever_way_they_are_named() {
    for path in [
        "/",
        "/etc",
        "/usr/lib",
        "/tmp/..",
        "/proc/self/root",
        "/proc/self",
    ] {
        if !Path::new(path).exists() {
            continue;
        }
        let opened = Writable::below([PathBuf::from(path)]).resolved();
        let told = opened.unwrap_err().to_string();
        assert!(told.contains("never opened"), "{path}: {told}");
    }
    let file = Writable {
        files: vec![PathBuf::from("/etc/passwd")],
        ..Writable::default()
    };
    assert!(file.resolved().is_err());
}

#[test]
fn only_data_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let put = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    let allowed = below(&[root]);
    for name in ["thesis", "notes.model", "photo"] {
        put(name, "mine");
        assert!(
            refusal(&allowed, &root.join(name)).contains("no data"),
            "{name}"
        );
    }
    put("old.csv", "1,2");
    put("matrix", "%%MatrixMarket matrix array real general\n");
    put("cells", "1 1 1");
    put("cells.mtd", "{}");
    put("empty", "");
    for name in ["old.csv", "matrix", "cells", "empty"] {
        assert_eq!(refusal(&allowed, &root.join(name)), "", "{name}");
    }
    std::fs::create_dir(root.join("folder.csv")).unwrap();
    assert!(refusal(&allowed, &root.join("folder.csv")).contains("no regular file"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        put("run.csv", "#!/bin/sh");
        let program = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(root.join("run.csv"), program).unwrap();
        assert!(refusal(&allowed, &root.join("run.csv")).contains("a program"));
    }
}

#[test]
fn where_the_system_does_not_help_nothing_is_written_unless_that_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("a.csv");
    let confined = |without_system| Confined {
        writable: Writable {
            without_system,
            ..below(&[folder.path()])
        },
        enforced: Enforced::ByUs,
    };
    let told = confined(false).allows(&there, What::Data).unwrap_err();
    let told = told.to_string();
    assert!(
        told.contains("a.csv") && told.contains("--unconfined"),
        "{told}"
    );
    assert!(confined(true).allows(&there, What::Data).is_ok());
}

#[test]
fn a_file_that_is_not_kept_leaves_what_was_there() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "old").unwrap();
    let mut lost = NewFile::data(&path).unwrap();
    lost.write_all(b"half").unwrap();
    drop(lost);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    let mut kept = NewFile::data(&path).unwrap();
    kept.write_all(b"new").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    kept.keep().unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_laid_meanwhile_leads_nowhere() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (inside, outside) = (root.join("in"), root.join("out"));
    for made in [&inside, &outside] {
        std::fs::create_dir(made).unwrap();
    }
    let mut file = NewFile::data(&inside.join("a.csv")).unwrap();
    file.write_all(b"1").unwrap();
    std::fs::rename(&inside, root.join("moved")).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    // Nothing confines this process: the file goes where its folder went.
    file.keep().unwrap();
    assert!(root.join("moved/a.csv").is_file());
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_link_laid_meanwhile_has_nothing_removed_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (inside, outside) = (root.join("in"), root.join("out"));
    for made in [&inside, &outside] {
        std::fs::create_dir(made).unwrap();
        std::fs::write(made.join("a.csv.mtd"), "{}").unwrap();
    }
    let old = new_file::OldFile::metadata(&inside.join("a.csv.mtd")).unwrap();
    std::fs::rename(&inside, root.join("moved")).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    old.unwrap().remove().unwrap();
    assert!(outside.join("a.csv.mtd").is_file());
    assert!(!root.join("moved/a.csv.mtd").exists());
    // A link goes itself; what is not there is no error.
    let link = root.join("moved/l.csv.mtd");
    std::os::unix::fs::symlink(outside.join("a.csv.mtd"), &link).unwrap();
    remove_metadata(&link).unwrap();
    assert!(!link.is_symlink() && outside.join("a.csv.mtd").is_file());
    remove_metadata(&link).unwrap();
    remove_metadata(&root.join("gone/l.csv.mtd")).unwrap();
}

/// Files and folders of a project, and beside it what is none of a script's business; the project's folder.
#[cfg(unix)]
fn project(root: &Path) -> PathBuf {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let project = root.join("project");
    for folder in [
        "project/.git/hooks",
        "project/.vscode",
        "project/sub",
        "outside",
    ] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in [
        "outside/secret.csv",
        "project/.git/config",
        "project/.vscode/settings.json",
        "project/sumac.toml",
        "project/a.dml",
        "project/Makefile",
        "project/program.csv",
        "project/notes.tex",
    ] {
        std::fs::write(root.join(file), "before").unwrap();
    }
    let program = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(project.join("program.csv"), program).unwrap();
    for (to, link) in [
        (root.to_owned(), "up"),
        (root.join("outside"), "out"),
        (root.join("outside/secret.csv"), "secret.csv"),
        (root.join("outside/new.csv"), "new.csv"),
        (project.join(".git"), "git"),
        (project.join(".git/config"), "config.csv"),
        (project.clone(), "self"),
        (project.join("loop"), "loop"),
        (PathBuf::from("/"), "root"),
        (PathBuf::from("/proc/self/root"), "proc"),
    ] {
        symlink(to, project.join(link)).unwrap();
    }
    project
}

/// Places in a project that no script writes, by their paths from its folder.
#[cfg(unix)]
const CLOSED: [&str; 56] = [
    "../outside/secret.csv",
    "../outside/new.csv",
    "../beside.csv",
    "../project2/a.csv",
    "up/a.csv",
    "up/outside/secret.csv",
    "up/project/.git/config",
    "out/a.csv",
    "secret.csv",
    "new.csv",
    "loop",
    "root/tmp/a.csv",
    "proc/tmp/a.csv",
    "git/a.csv",
    "git/hooks/post-checkout",
    "config.csv",
    ".git/config",
    ".git/hooks/post-checkout",
    ".git/a.csv",
    ".GIT/config",
    ".Git/a.csv",
    "GIT~1/config",
    ".git./config",
    ".git /config",
    ".hg/hgrc",
    ".svn/a.csv",
    ".jj/a.csv",
    ".vscode/settings.json",
    ".vscode/tasks.json",
    ".idea/a.csv",
    ".nvim/a.csv",
    ".nvim.lua",
    ".nvimrc",
    ".exrc",
    ".bashrc",
    ".envrc",
    ".github/workflows/a.csv",
    "sub/.git/config",
    "sub/.a.csv",
    "sumac.toml",
    "SUMAC.TOML",
    "sub/sumac.toml",
    "sumac.toml.",
    "a.dml",
    "new.dml",
    "A.DML",
    "a.sketch",
    "Makefile",
    "sub/setup.py",
    "a.sh",
    "a.so",
    "package.json",
    "program.csv",
    "notes.tex",
    "a.csv.mtd",
    "sub",
];

#[cfg(unix)]
#[test]
fn more_than_a_hundred_ways_out_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let project = project(&root);
    let allowed = below(&[&project]);
    let mut ways: Vec<PathBuf> = Vec::new();
    for place in CLOSED {
        let direct = project.join(place);
        ways.push(project.join("sub/..").join(place));
        ways.push(project.join("./sub/./..").join(place));
        ways.push(project.join("self/self").join(place));
        ways.push(PathBuf::from(format!("/{}", direct.display())));
        if Path::new("/proc/self/root").exists() {
            ways.push(PathBuf::from(format!(
                "/proc/self/root{}",
                direct.display()
            )));
        }
        ways.push(direct);
    }
    for way in [
        project.clone(),
        project.join("."),
        project.join(".."),
        root.clone(),
    ] {
        ways.push(way);
    }
    assert!(ways.len() > 100);
    for way in &ways {
        assert_ne!(refusal(&allowed, way), "", "{}", way.display());
    }
    // Data is written by all of these ways.
    for place in [
        "a.csv",
        "sub/a.csv",
        "self/sub/b.mtx",
        "sub/../c",
        "sub/d.txt",
    ] {
        assert_eq!(refusal(&allowed, &project.join(place)), "", "{place}");
    }
}

#[cfg(unix)]
#[test]
fn metadata_that_is_a_link_is_followed_to_metadata_only() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let project = project(&root);
    let allowed = below(&[&project]);
    let may = |name: &str| allowed.allows(&project.join(name), What::Metadata);
    for (to, link) in [
        (root.join("outside/secret.csv"), "a.csv.mtd"),
        (project.join(".git/config"), "b.csv.mtd"),
        (project.join("sumac.toml"), "c.csv.mtd"),
        (project.join(".git/x.mtd"), "d.csv.mtd"),
        (root.join("outside/y.csv.mtd"), "e.csv.mtd"),
    ] {
        std::os::unix::fs::symlink(to, project.join(link)).unwrap();
        assert!(may(link).is_err(), "{link}");
    }
    assert!(may("f.csv.mtd").is_ok());
}
