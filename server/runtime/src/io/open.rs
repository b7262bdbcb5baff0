//! Opening what a name leads to, where that is a regular file: a pipe would wait for ever, and a device has no end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file to be read.
///
/// # Errors
/// It is none, or the system refuses.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    without_waiting(&mut options);
    let file = options.open(path)?;
    // What was opened is asked, not the name: that may lead elsewhere by now.
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !about.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file but a pipe, a device or a socket",
        ));
    }
    Ok(file)
}

#[cfg(unix)]
fn without_waiting(options: &mut std::fs::OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
}

#[cfg(not(unix))]
fn without_waiting(_: &mut std::fs::OpenOptions) {}

/// The bytes of a regular file that has at most so many.
///
/// # Errors
/// It has more, is no regular file, or the system refuses.
pub fn read_at_most(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    let too_long = |found: String| {
        let message = format!("it has {found}; {most} bytes are read at most");
        io::Error::new(io::ErrorKind::FileTooLarge, message)
    };
    if length > most {
        return Err(too_long(format!("{length} bytes")));
    }
    // Some files say nothing of their length, and others grow.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_long("more".to_owned()));
    }
    Ok(bytes)
}

/// The text of a regular file that has at most so many bytes.
///
/// # Errors
/// As [`read_at_most`], and where it is no UTF-8.
pub fn text_at_most(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read_at_most(path, most)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_stated_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(text_at_most(&path, 5).unwrap(), "12345");
        let error = text_at_most(&path, 4).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{error}");
        let kind = |path: &Path| open_regular(path).unwrap_err().kind();
        assert_eq!(kind(folder.path()), io::ErrorKind::IsADirectory);
        assert_eq!(kind(&folder.path().join("no")), io::ErrorKind::NotFound);
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(
            text_at_most(&path, 4).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [&pipe, &link] {
            let error = open_regular(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
        }
    }
}
