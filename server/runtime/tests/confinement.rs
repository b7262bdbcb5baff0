//! What the system itself refuses once a process is confined. The test program starts itself again, because a process
//! stays confined to its end.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use sumac_runtime::confine::{Enforced, Writable, confine};

const CHILD: &str = "SUMAC_TEST_CONFINED_BELOW";

#[test]
fn the_system_refuses_what_is_not_allowed() {
    if let Some(folder) = std::env::var_os(CHILD) {
        confined(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for made in ["in", "out"] {
        std::fs::create_dir(folder.path().join(made)).unwrap();
    }
    std::fs::write(folder.path().join("out/there.txt"), "data").unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_system_refuses_what_is_not_allowed"])
        .env(CHILD, folder.path())
        .status()
        .unwrap();
    assert!(status.success());
    let left = std::fs::read_to_string(folder.path().join("out/there.txt")).unwrap();
    assert_eq!(left, "data");
}

fn confined(folder: &Path) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let enforced = confine(&Writable::below([folder.join("in")])).unwrap();
    assert!(confine(&Writable::default()).is_err(), "once and for all");
    std::fs::write(folder.join("in/new.txt"), "new").unwrap();
    assert_eq!(
        std::fs::read_to_string(folder.join("out/there.txt")).unwrap(),
        "data"
    );
    if enforced == Enforced::ByUs {
        return;
    }
    // Past everything that looks at paths before it writes, and in a thread of its own.
    let there = folder.join("out/there.txt");
    let new = folder.join("out/new.txt");
    std::thread::spawn(move || {
        for path in [&there, &new] {
            let refused = std::fs::write(path, "x").unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
        }
        assert!(std::fs::remove_file(&there).is_err());
    })
    .join()
    .unwrap();
    // Kernels that know Landlock learned of the network later.
    if let Err(error) = std::net::TcpStream::connect(address) {
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }
}

const RACING: &str = "SUMAC_TEST_RACING_BELOW";

/// A folder that is a link at one moment and a folder at the next: what is written goes into the folder or nowhere.
#[cfg(unix)]
#[test]
fn who_lays_links_meanwhile_leads_nothing_astray() {
    if let Some(folder) = std::env::var_os(RACING) {
        racing(Path::new(&folder));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    for made in [
        &inside,
        &outside,
        &inside.join(".git"),
        &inside.join("spot"),
    ] {
        std::fs::create_dir(made).unwrap();
    }
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "who_lays_links_meanwhile_leads_nothing_astray"])
        .env(RACING, folder.path())
        .spawn()
        .unwrap();
    let (spot, away) = (inside.join("spot"), inside.join("away"));
    let status = loop {
        for to in ["../out", ".git"] {
            std::fs::rename(&spot, &away).unwrap();
            std::os::unix::fs::symlink(to, &spot).unwrap();
            std::thread::yield_now();
            std::fs::remove_file(&spot).unwrap();
            std::fs::rename(&away, &spot).unwrap();
            std::thread::yield_now();
        }
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
    };
    assert!(status.success());
    for closed in [&outside, &inside.join(".git")] {
        assert_eq!(std::fs::read_dir(closed).unwrap().count(), 0);
    }
}

#[cfg(unix)]
fn racing(folder: &Path) {
    use sumac_runtime::Value;
    use sumac_runtime::io::{Format, Layout, write};
    let writable = Writable {
        without_system: true,
        ..Writable::below([folder.join("in")])
    };
    confine(&writable).unwrap();
    let path = folder.join("in/spot/a.csv");
    let (mut tried, mut written) = (0, 0);
    // On a busy machine it may be no folder for long.
    while tried < 2000 || written == 0 && tried < 1_000_000 {
        let layout = Layout::default();
        written += usize::from(write(&path, &Value::Double(1.0), Format::Csv, &layout).is_ok());
        tried += 1;
    }
    assert!(written > 0, "it is a folder half of the time");
}
