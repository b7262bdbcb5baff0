//! A disk that is full: a small one of its own where it can be mounted, else a limit of the size of files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// What a full disk holds besides what is there.
const FILLER: &str = "filler.dat";
/// Bytes of a page: a file takes no less.
const PAGE: usize = 4096;

/// Something that takes no more than so much.
pub(super) enum Disk {
    /// A file system in memory at a folder.
    Mounted(PathBuf),
    /// No file may become longer than so many blocks of 512 bytes.
    Limited(usize),
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Disk::Mounted(at) = self {
            // Lazily: what still runs there goes on until it is ended.
            let _ = Command::new("umount").arg("-l").arg(&*at).output();
        }
    }
}

impl Disk {
    /// An empty disk of so many kilobytes at a folder, which must be empty.
    pub(super) fn small(at: &Path, kilobytes: usize) -> Disk {
        match mount(at, kilobytes) {
            true => Disk::Mounted(at.to_owned()),
            false => Disk::Limited(0),
        }
    }

    /// Fills it up, so that at most about so many bytes can still be written.
    ///
    /// # Errors
    /// The system refuses what it should not.
    pub(super) fn fill(&mut self, left: usize) -> Result<()> {
        match self {
            Disk::Limited(blocks) => *blocks = left / 512,
            Disk::Mounted(at) => {
                let path = at.join(FILLER);
                let mut file = fs::File::create(&path).context("the disk takes no file")?;
                let page = [b'x'; PAGE];
                let mut length = 0;
                while file.write_all(&page).is_ok() {
                    length += PAGE as u64;
                }
                let left = (left / PAGE * PAGE) as u64;
                file.set_len(length.saturating_sub(left))?;
            }
        }
        Ok(())
    }

    /// What a shell does before the program, so that it meets the end of the disk.
    pub(super) fn before(&self) -> String {
        match self {
            Disk::Mounted(_) => ":".to_owned(),
            // The signal would end the program; without it a write fails as on a full disk.
            Disk::Limited(blocks) => format!("trap '' XFSZ; ulimit -f {blocks}"),
        }
    }
}

/// Whether a name is that of what fills the disk.
pub(super) fn is_filler(name: &str) -> bool {
    name == FILLER
}

fn mount(at: &Path, kilobytes: usize) -> bool {
    let mut command = Command::new("mount");
    let size = format!("size={kilobytes}k,mode=755");
    command.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(at);
    command.output().is_ok_and(|output| output.status.success())
}

/// How disks are full here, in words.
pub(super) fn means() -> String {
    let folder = tempfile::tempdir();
    let is_mounted =
        folder.is_ok_and(|folder| matches!(Disk::small(folder.path(), 64), Disk::Mounted(_)));
    let how = if is_mounted {
        "small file systems in memory (tmpfs), filled up"
    } else {
        "a limit of the size of files (RLIMIT_FSIZE), for nothing can be mounted here"
    };
    format!("full disks: {how}; full standard output: /dev/full")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_is_full_takes_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = Disk::small(folder.path(), 256);
        disk.fill(2 * PAGE).unwrap();
        let file = folder.path().join("a");
        let script = format!("{}; head -c 100000 /dev/zero > \"$0\"", disk.before());
        let status = Command::new("/bin/sh")
            .args(["-c", &script])
            .arg(&file)
            .output();
        assert!(!status.unwrap().status.success());
        assert!(fs::metadata(&file).unwrap().len() < 100_000);
    }
}
