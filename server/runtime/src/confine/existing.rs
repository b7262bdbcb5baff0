//! What stands already where a run wants to write: data gives way to data, everything else stays.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// How data files usually end. What a run wrote by another name has metadata beside it.
const DATA: [&str; 14] = [
    "csv", "tsv", "txt", "ijv", "mtx", "mm", "npy", "npz", "smx", "dat", "data", "bin", "mat",
    "out",
];

/// Why nothing can take the place of what stands at a place, links resolved: it is no file, or a program.
pub(super) fn unusable(place: &Path) -> Option<&'static str> {
    let about = fs::symlink_metadata(place).ok()?;
    if !about.is_file() {
        return Some("what stands there is no regular file");
    }
    is_program(&about).then_some("what stands there is a program")
}

/// Why what stands at a place, links resolved, is not written over; `None` where nothing does, or data.
pub(super) fn foreign(place: &Path) -> Option<&'static str> {
    let about = fs::symlink_metadata(place).ok()?;
    if let Some(why) = unusable(place) {
        return Some(why);
    }
    let ending = place.extension().and_then(|ending| ending.to_str());
    let is_data = about.len() == 0
        || ending.is_some_and(|ending| DATA.contains(&&*ending.to_ascii_lowercase()))
        || crate::io::mtd_path(place).is_file()
        || begins_as_data(place);
    (!is_data).then_some(
        "what stands there is no data of a run; move it away first, or choose another name",
    )
}

#[cfg(unix)]
fn is_program(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    about.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_program(_: &fs::Metadata) -> bool {
    false
}

fn begins_as_data(place: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(place).and_then(|file| file.take(32).read_to_end(&mut start));
    read.is_ok() && crate::io::begins_as(&start).is_some()
}
