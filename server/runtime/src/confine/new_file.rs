//! A file that takes its place when it is whole: whoever looks meanwhile, or after the writer was killed, finds what
//! stood there before. Where it is written is decided once, by folders that are held open: links that are laid
//! meanwhile lead nowhere.

use std::fs::{File, Permissions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{What, may_write, meant};
use crate::io::IoError;

/// A file on its way.
#[derive(Debug)]
pub(crate) struct NewFile {
    path: PathBuf,
    what: What,
    file: File,
    place: at::Place,
}

impl NewFile {
    /// Begins the data that will stand at `path`, if this process may write there.
    ///
    /// # Errors
    /// It may not, or the system refuses.
    pub(crate) fn data(path: &Path) -> Result<NewFile, IoError> {
        NewFile::begin(path, What::Data)
    }

    /// Begins the `.mtd` file that will stand at `path`.
    ///
    /// # Errors
    /// As [`NewFile::data`].
    pub(crate) fn metadata(path: &Path) -> Result<NewFile, IoError> {
        NewFile::begin(path, What::Metadata)
    }

    fn begin(path: &Path, what: What) -> Result<NewFile, IoError> {
        may_write(path, what)?;
        let meant = meant(path).map_err(IoError::system(path))?;
        let (place, file) = at::Place::begin(&meant).map_err(IoError::system(path))?;
        let new = NewFile {
            path: path.to_owned(),
            what,
            file,
            place,
        };
        new.still_allowed()?;
        Ok(new)
    }

    /// Who may do what with it, from now on and where it belongs.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.set_permissions(permissions)
    }

    /// Gives it to a user and a group, where it is not theirs already.
    ///
    /// # Errors
    /// The system refuses.
    #[cfg(unix)]
    pub(crate) fn set_owner(&self, user: u32, group: u32) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt as _, fchown};

        let fresh = self.file.metadata()?;
        if (user, group) == (fresh.uid(), fresh.gid()) {
            return Ok(());
        }
        fchown(&self.file, Some(user), Some(group))
    }

    /// Waits until it is on the disk.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Puts it where it belongs.
    ///
    /// # Errors
    /// The place is another one by now, or the system refuses.
    pub(crate) fn keep(mut self) -> Result<(), IoError> {
        self.still_allowed()?;
        let path = std::mem::take(&mut self.path);
        self.place.keep(&self.file).map_err(IoError::system(&path))
    }

    /// The folder that is held open may have been moved to where nothing may be written.
    fn still_allowed(&self) -> Result<(), IoError> {
        match self.place.now() {
            Some(now) => may_write(&now, self.what),
            None => Ok(()),
        }
    }
}

/// A file that is to go, in a folder that is held open.
#[derive(Debug)]
pub(super) struct OldFile {
    path: PathBuf,
    what: What,
    place: at::Place,
}

impl OldFile {
    /// The `.mtd` file at `path`; `None` where its folder is not there.
    ///
    /// # Errors
    /// It may not be changed, or the system refuses.
    pub(super) fn metadata(path: &Path) -> Result<Option<OldFile>, IoError> {
        let what = What::Metadata;
        may_write(path, what)?;
        // A link is removed itself, and not what it leads to: only its folder is looked for.
        let whole = std::path::absolute(path).map_err(IoError::system(path))?;
        let (Some(parent), Some(name)) = (whole.parent(), whole.file_name()) else {
            return Err(IoError::system(path)(io::ErrorKind::IsADirectory.into()));
        };
        let folder = meant(parent).map_err(IoError::system(path))?;
        match at::Place::of(&folder.join(name)) {
            Ok(place) => Ok(Some(OldFile {
                path: path.to_owned(),
                what,
                place,
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(IoError::system(path)(error)),
        }
    }

    /// Removes it, if it is there.
    ///
    /// # Errors
    /// Its folder is another one by now, or the system refuses.
    pub(super) fn remove(self) -> Result<(), IoError> {
        if let Some(now) = self.place.now() {
            may_write(&now, self.what)?;
        }
        match self.place.remove() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(IoError::system(&self.path)(error))
            }
            _ => Ok(()),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// A name that nobody else uses in this folder.
fn other_name(name: &std::ffi::OsStr) -> std::ffi::OsString {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut other = std::ffi::OsString::from(".");
    // Names have a longest length.
    other.push(name.to_string_lossy().chars().take(40).collect::<String>());
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    other.push(format!(".{}-{number}.part", std::process::id()));
    other
}

#[cfg(unix)]
mod at {
    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsRawFd as _, OwnedFd};
    use std::path::{Component, Path, PathBuf};

    use rustix::fs::{
        AtFlags, CWD, Mode, OFlags, fchmod, linkat, open, openat, renameat, statat, unlinkat,
    };

    use super::other_name;

    /// Where a file will stand.
    #[derive(Debug)]
    pub(super) struct Place {
        folder: OwnedFd,
        name: OsString,
        /// What the file is called meanwhile; a file without a name is gone with its process.
        meanwhile: Option<OsString>,
    }

    /// Only to go through; following no link.
    #[cfg(target_os = "linux")]
    const THROUGH: OFlags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    const THROUGH: OFlags = OFlags::RDONLY;

    const NEW: Mode = Mode::from_raw_mode(0o666);

    impl Place {
        /// The place of a canonical path; nothing is made.
        pub(super) fn of(path: &Path) -> io::Result<Place> {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(io::Error::from(io::ErrorKind::IsADirectory));
            };
            Ok(Place {
                folder: folder(parent)?,
                name: name.to_owned(),
                meanwhile: None,
            })
        }

        /// The file for a canonical path, empty.
        pub(super) fn begin(path: &Path) -> io::Result<(Place, File)> {
            let mut place = Place::of(path)?;
            let mode = statat(&place.folder, &place.name, AtFlags::SYMLINK_NOFOLLOW)
                .ok()
                .map(|about| Mode::from_raw_mode(about.st_mode & 0o666));
            let (file, meanwhile) = match unnamed(&place.folder) {
                Some(file) => (file, None),
                None => {
                    let other = other_name(&place.name);
                    let flags = OFlags::WRONLY
                        | OFlags::CREATE
                        | OFlags::EXCL
                        | OFlags::NOFOLLOW
                        | OFlags::CLOEXEC;
                    (openat(&place.folder, &other, flags, NEW)?, Some(other))
                }
            };
            place.meanwhile = meanwhile;
            if let Some(mode) = mode {
                // Whoever could read the file before still can, and nobody else.
                fchmod(&file, mode)?;
            }
            Ok((place, file.into()))
        }

        /// Removes what stands there.
        pub(super) fn remove(&self) -> io::Result<()> {
            Ok(unlinkat(&self.folder, &self.name, AtFlags::empty())?)
        }

        /// Where the folder is by now, with the file's name; `None` where the system does not tell.
        pub(super) fn now(&self) -> Option<PathBuf> {
            let link = format!("/proc/self/fd/{}", self.folder.as_raw_fd());
            let folder = std::fs::read_link(link).ok()?;
            Some(folder.join(&self.name))
        }

        pub(super) fn keep(&mut self, file: &File) -> io::Result<()> {
            let meanwhile = match &self.meanwhile {
                Some(name) => name.clone(),
                None => {
                    let other = other_name(&self.name);
                    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
                    linkat(CWD, unnamed, &self.folder, &other, AtFlags::SYMLINK_FOLLOW)?;
                    self.meanwhile = Some(other.clone());
                    other
                }
            };
            renameat(&self.folder, &meanwhile, &self.folder, &self.name)?;
            self.meanwhile = None;
            Ok(())
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            if let Some(name) = &self.meanwhile {
                // Nobody is left to be told.
                let _ = unlinkat(&self.folder, name, AtFlags::empty());
            }
        }
    }

    /// A canonical folder, held open.
    fn folder(path: &Path) -> io::Result<OwnedFd> {
        let flags = THROUGH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let names = path.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        });
        let mut at = open("/", flags, Mode::empty())?;
        for name in names {
            at = openat(&at, name, flags, Mode::empty())?;
        }
        Ok(at)
    }

    #[cfg(target_os = "linux")]
    fn unnamed(folder: &OwnedFd) -> Option<OwnedFd> {
        if !Path::new("/proc/self/fd").is_dir() {
            return None;
        }
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        openat(folder, OsStr::new("."), flags, NEW).ok()
    }

    #[cfg(not(target_os = "linux"))]
    fn unnamed(_: &OwnedFd) -> Option<OwnedFd> {
        let _: Option<&OsStr> = None;
        None
    }
}

#[cfg(not(unix))]
mod at {
    use std::fs::{self, File};
    use std::io;
    use std::path::{Path, PathBuf};

    use super::other_name;

    /// Where a file will stand.
    #[derive(Debug)]
    pub(super) struct Place {
        path: PathBuf,
        meanwhile: Option<PathBuf>,
    }

    impl Place {
        /// The place of a canonical path; nothing is made.
        pub(super) fn of(path: &Path) -> io::Result<Place> {
            Ok(Place {
                path: path.to_owned(),
                meanwhile: None,
            })
        }

        /// Removes what stands there.
        pub(super) fn remove(&self) -> io::Result<()> {
            fs::remove_file(&self.path)
        }

        /// The file for a canonical path, empty.
        pub(super) fn begin(path: &Path) -> io::Result<(Place, File)> {
            let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            let meanwhile = path.with_file_name(other_name(name));
            let file = File::create_new(&meanwhile)?;
            let place = Place {
                path: path.to_owned(),
                meanwhile: Some(meanwhile),
            };
            Ok((place, file))
        }

        pub(super) fn now(&self) -> Option<PathBuf> {
            None
        }

        pub(super) fn keep(&mut self, _: &File) -> io::Result<()> {
            if let Some(meanwhile) = &self.meanwhile {
                fs::rename(meanwhile, &self.path)?;
                self.meanwhile = None;
            }
            Ok(())
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            if let Some(name) = &self.meanwhile {
                // Nobody is left to be told.
                let _ = fs::remove_file(name);
            }
        }
    }
}
