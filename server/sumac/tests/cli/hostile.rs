//! A workspace that means harm: its scripts, configuration, sketches, links and data are anybody's.

use super::{Folder, code, stderr, stdout};

/// A script that writes where `$out` says, or elsewhere.
fn writing(to: &str) -> String {
    format!("write(\"harm\", \"{to}\", format=\"text\")\n")
}

#[test]
fn what_a_workspace_says_opens_no_folder() {
    let elsewhere = Folder::new(&[("keys.txt", "mine")]);
    let outside = elsewhere.path().display().to_string();
    for named in [
        outside.clone(),
        format!("{outside}/keys.txt"),
        format!("{outside}/.."),
        "/tmp/..".to_owned(),
        "/".to_owned(),
        "/proc/self/root".to_owned(),
    ] {
        let folder = Folder::new(&[
            (
                "sumac.toml",
                &format!("[args]\nany = \"{named}\"\nout = \"{outside}/keys.txt\"\n"),
            ),
            ("a.dml", &writing(&format!("{outside}/keys.txt"))),
            (
                "b.dml",
                "#@ $out = \"x\"\nwrite(\"harm\", $out)\nx = $any\n",
            ),
        ]);
        for script in ["a.dml", "b.dml"] {
            let output = folder.sumac(&["run", script]);
            assert_eq!(code(&output), 1, "{named}: {}", stderr(&output));
            assert!(
                stderr(&output).contains("may not write there"),
                "{}",
                stderr(&output)
            );
            assert_eq!(elsewhere.read("keys.txt"), "mine", "{named}");
        }
    }
}

#[test]
fn files_that_programs_act_upon_are_not_written() {
    for to in [
        ".git/config",
        ".git/hooks/post-checkout",
        ".GIT/config",
        "sub/.git/config",
        ".vscode/settings.json",
        ".nvim.lua",
        ".envrc",
        "sumac.toml",
        "own.dml",
        "x.sketch",
        "Makefile",
        "link.csv",
        "git/config",
        "README",
        "pom.xml",
        "requirements-dev.txt",
        "libfoo.so.6",
        "SConstruct",
    ] {
        let folder = Folder::new(&[
            ("a.dml", &writing(to)),
            ("own.dml", "x = 1"),
            ("Makefile", "all:"),
            ("README", "mine"),
        ]);
        for made in [".git/hooks", ".vscode", "sub/.git"] {
            std::fs::create_dir_all(folder.path().join(made)).unwrap();
        }
        std::fs::write(folder.path().join(".git/config"), "before").unwrap();
        #[cfg(unix)]
        {
            let link = |to: &str, name: &str| {
                std::os::unix::fs::symlink(folder.path().join(to), folder.path().join(name))
                    .unwrap();
            };
            link(".git/config", "link.csv");
            link(".git", "git");
        }
        let output = folder.sumac(&["run", "a.dml"]);
        assert_eq!(code(&output), 1, "{to}: {}", stderr(&output));
        assert_eq!(folder.read(".git/config"), "before", "{to}");
        assert_eq!(folder.read("Makefile"), "all:");
        assert_eq!(folder.read("README"), "mine");
        assert_eq!(folder.read("own.dml"), "x = 1");
        assert!(!folder.path().join("sumac.toml").exists());
    }
}

#[test]
fn folders_that_belong_to_everybody_are_never_opened() {
    let folder = Folder::new(&[("a.dml", "print(1)")]);
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    for named in [
        "/",
        "/etc",
        "/tmp/..",
        "/proc/self/root",
        home.to_str().unwrap(),
    ] {
        if !std::path::Path::new(named).exists() {
            continue;
        }
        let mut command = folder.command(&["run", "a.dml", "--allow-write", named]);
        let output = command.env("HOME", &home).output().unwrap();
        assert_eq!(code(&output), 64, "{named}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("never opened"),
            "{}",
            stderr(&output)
        );
    }
    // A home folder where the command is typed is not opened either.
    std::fs::write(home.join("a.dml"), writing("out.csv")).unwrap();
    let mut command = folder.command(&["run", "a.dml"]);
    let output = command
        .current_dir(&home)
        .env("HOME", &home)
        .output()
        .unwrap();
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("home folder"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn inputs_are_not_outputs() {
    let data = Folder::new(&[("in.csv", "1,2\n")]);
    let at = |name: &str| data.path().join(name).display().to_string();
    let beside = format!(
        "X = read($1, format=\"csv\")\nwrite(X, \"{}\", format=\"csv\")\n",
        at("beside.csv")
    );
    let over = "X = read($1, format=\"csv\")\nwrite(X * 2, $1, format=\"csv\")\n";
    let out = "X = read($1, format=\"csv\")\nwrite(X * 2, $2, format=\"csv\")\n";
    let folder = Folder::new(&[
        ("beside.dml", &beside),
        ("over.dml", over),
        ("out.dml", out),
    ]);
    for script in ["beside.dml", "over.dml"] {
        let output = folder.sumac(&["run", script, "-args", &at("in.csv")]);
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        assert_eq!(data.read("in.csv"), "1,2\n");
        assert!(!data.path().join("beside.csv").exists());
    }
    // Twice: what a run wrote, the next one writes again.
    for _ in 0..2 {
        let output = folder.sumac(&["run", "out.dml", "-args", &at("in.csv"), &at("out.csv")]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(data.read("out.csv"), "2.0,4.0\n");
    }
    let output = folder.sumac(&[
        "run",
        "out.dml",
        "-args",
        &at("in.csv"),
        "/etc/sumac-out.csv",
    ]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
}

#[test]
fn a_header_of_a_few_bytes_takes_no_memory() {
    let header = "%%MatrixMarket matrix coordinate real general\n3000000000 3 1\n1 1 1\n";
    let folder = Folder::new(&[
        ("big.mtx", header),
        ("column.mtx", &header.replace(" 3 1\n", " 1 1\n")),
        ("a.dml", "print(sum(read($X)))"),
        ("big.txt", "1 1 1\n"),
        (
            "big.txt.mtd",
            r#"{"rows": 3000000000, "cols": 2, "format": "text"}"#,
        ),
    ]);
    for name in ["big.mtx", "column.mtx", "big.txt"] {
        let output = folder.sumac(&["run", "a.dml", "-nvargs", &format!("X={name}")]);
        assert_eq!(code(&output), 1);
        assert!(
            stderr(&output).contains("a matrix that"),
            "{}",
            stderr(&output)
        );
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new(&[("a.dml", "x = 1\nprint(x)\n")]);
    let place = |name: &str| folder.path().join(name);
    symlink("/dev/zero", place("z.sketch")).unwrap();
    symlink("/dev/zero", place("b.dml")).unwrap();
    symlink("/dev/zero", place("data.csv")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .args([place("pipe.sketch"), place("pipe.csv"), place("pipe.json")])
        .status();
    assert!(made.is_ok_and(|status| status.success()));
    let output = folder.sumac(&["check", "a.dml"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let output = folder.sumac(&["sketch", "a.dml:1"]);
    assert!(code(&output) <= 2, "{}", stderr(&output));
    for name in ["b.dml", "pipe.csv"] {
        let output = folder.sumac(&["check", name]);
        assert_eq!(code(&output), 1, "{}", stdout(&output));
    }
    for name in ["data.csv", "pipe.csv"] {
        std::fs::write(place("c.dml"), format!("print(sum(read(\"{name}\")))")).unwrap();
        let output = folder.sumac(&["run", "c.dml"]);
        assert_eq!(code(&output), 1);
        assert!(
            stderr(&output).contains("no regular file"),
            "{}",
            stderr(&output)
        );
    }
    for machine in [
        "/dev/zero",
        "/etc/passwd",
        "../machine.json",
        "pipe.json",
        "data.csv",
    ] {
        std::fs::write(
            place("sumac.toml"),
            format!("[search]\nmachine = \"{machine}\"\n"),
        )
        .unwrap();
        let mut command = folder.command(&["optimize", "a.dml"]);
        let output = command.env_remove("SUMAC_MACHINE").output().unwrap();
        assert_eq!(code(&output), 64, "{machine}: {}", stderr(&output));
    }
    symlink("/dev/zero", place("new.toml")).unwrap();
    std::fs::rename(place("new.toml"), place("sumac.toml")).unwrap();
    let output = folder.sumac(&["check", "a.dml"]);
    // A link to what is no file is no configuration.
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn numbers_of_a_configuration_have_a_range() {
    let folder = Folder::new(&[("a.dml", "if (TRUE) { x = 1 }\nprint(1)\n")]);
    for line in [
        "[format]\nindent-width = 2000000000",
        "[format]\nmax-blank-lines = 99999999999",
        "[engine]\ntime-limit = 1e30",
        "[search]\nmax-nodes = 99999999999",
    ] {
        std::fs::write(folder.path().join("sumac.toml"), line).unwrap();
        let output = folder.sumac(&["fmt", "--diff", "a.dml"]);
        assert_eq!(code(&output), 64, "{line}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("expected a number from"),
            "{}",
            stderr(&output)
        );
    }
    for line in ["[engine]\ntime-limit = nan", "[search]\nmin-speedup = inf"] {
        std::fs::write(folder.path().join("sumac.toml"), line).unwrap();
        let output = folder.sumac(&["fmt", "--diff", "a.dml"]);
        assert_eq!(code(&output), 64, "{line}: {}", stderr(&output));
        assert!(stderr(&output).contains("expected a finite number"));
    }
    let long = format!("[args]\nx = \"{}\"\n", "x".repeat(2 << 20));
    std::fs::write(folder.path().join("sumac.toml"), long).unwrap();
    let output = folder.sumac(&["check", "a.dml"]);
    assert_eq!(code(&output), 64, "{}", stderr(&output));
    std::fs::remove_file(folder.path().join("sumac.toml")).unwrap();
    let output = folder.sumac(&["fmt", "--diff", "--indent-width", "2000000000", "a.dml"]);
    assert!(code(&output) <= 1, "{}", stderr(&output));
}

#[test]
fn long_names_and_many_of_them_are_shown() {
    let name = "x".repeat(70_000);
    let many: String = (0..20_000).map(|n| format!("x{n} = {n}\n")).collect();
    let folder = Folder::new(&[
        ("long.dml", &format!("{name} = 1\nprint({name})\n")),
        ("many.dml", &many),
        ("power.dml", &format!("x = 2{}\n", "^1".repeat(40_000))),
        (
            "else.dml",
            &format!(
                "if (1 == 1) {{ print(1) }}{}\n",
                " else if (1 == 2) { print(2) }".repeat(40_000)
            ),
        ),
        ("mark.dml", "\u{feff}x = 1\nprint(x)\n"),
    ]);
    let output = folder.sumac(&["facts", "long.dml"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains(&name));
    let output = folder.sumac(&["check", "many.dml"]);
    assert_eq!(code(&output), 0);
    assert!(stdout(&output).contains("many.dml:19999:1"));
    // Deeper than anything is read, and said so at once.
    for deep in ["power.dml", "else.dml"] {
        let output = folder.sumac(&["parse", deep]);
        assert_eq!(code(&output), 1, "{}", stdout(&output));
    }
    for command in [&["parse"][..], &["check"], &["run"], &["fmt", "--check"]] {
        let output = folder.sumac(&[command, &["mark.dml"]].concat());
        assert_eq!(
            code(&output),
            0,
            "{command:?}: {}{}",
            stdout(&output),
            stderr(&output)
        );
    }
}

#[test]
fn a_flood_of_prints_is_not_kept() {
    let script =
        "x = \"0123456789abcdef\"\nfor (i in 1:16) { x = x + x }\nwhile (TRUE) { print(x) }\n";
    let folder = Folder::new(&[("a.dml", script)]);
    let output = folder.sumac(&["run", "--format", "json", "a.dml"]);
    assert_eq!(code(&output), 1);
    assert!(
        stderr(&output).contains("printed more than"),
        "{}",
        stderr(&output)
    );
}

#[cfg(unix)]
#[test]
fn without_a_folder_of_its_own_nothing_compiled_is_kept() {
    let folder = Folder::new(&[]);
    let mut command = folder.command(&[
        "array",
        "dot",
        "--emit",
        "run",
        "--backend",
        "c",
        "--size",
        "n=64",
    ]);
    let output = command
        .env_remove("HOME")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("runs without"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_run_ends_when_nobody_reads_it_any_more() {
    use std::io::{BufRead, BufReader};
    use std::time::{Duration, Instant};
    let folder = Folder::new(&[(
        "a.dml",
        "i = 0\nwhile (TRUE) {\n  i = i + 1\n  print(i)\n}\n",
    )]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_sumac"))
        .args(["run", "a.dml"])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut first).unwrap();
    assert_eq!(first, "1\n");
    drop(output);
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it runs on");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
