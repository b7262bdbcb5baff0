//! What the system itself refuses once a process is confined. The test program starts itself again, because a process
//! stays confined to its end.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use sumac_runtime::confine::{Enforced, confine};

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
    let enforced = confine(&[folder.join("in")]).unwrap();
    assert!(confine(&[]).is_err(), "once and for all");
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
