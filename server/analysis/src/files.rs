//! How the analysis looks at files: the first bytes only. Nothing else in this crate touches the file system.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Where metadata comes from. Tests use a map in memory.
pub trait Files {
    /// At most `max_bytes` from the start of the file; `0` only finds out whether it can be opened.
    ///
    /// # Errors
    /// As the operating system says; a directory is [`io::ErrorKind::IsADirectory`].
    fn read_prefix(&self, path: &Path, max_bytes: usize) -> io::Result<Vec<u8>>;
}

/// The real file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFiles;

impl Files for DiskFiles {
    fn read_prefix(&self, path: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
        // Opening or reading a pipe or a device could block forever.
        let mut options = File::options();
        options.read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(
            &mut options,
            libc::O_NONBLOCK | libc::O_NOCTTY,
        );
        let file = options.open(path)?;
        // What was opened is asked, not the name: that may lead elsewhere by now.
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        let mut bytes = Vec::new();
        file.take(max_bytes as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// No files at all: everything is [`io::ErrorKind::NotFound`].
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read_prefix(&self, _: &Path, _: usize) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

impl Files for std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    fn read_prefix(&self, path: &Path, max_bytes: usize) -> io::Result<Vec<u8>> {
        match self.get(path) {
            Some(bytes) => Ok(bytes[..bytes.len().min(max_bytes)].to_vec()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}
