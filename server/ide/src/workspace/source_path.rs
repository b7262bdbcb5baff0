//! Which file a `source` statement or a `read` means. Looks at paths only: whoever asks knows what exists.

use std::path::{Component, Path, PathBuf};

/// The files that `written` may mean in the script `from`, the likeliest first. SystemDS looks from the folder
/// that it was started in, which a script does not tell: the script's own folder comes first, then the folders
/// around it. After a `setwd`, that folder comes before all.
pub fn candidates<'a>(
    from: &'a Path,
    work_dir: Option<&str>,
    written: &'a str,
) -> impl Iterator<Item = PathBuf> + 'a {
    let own = from.parent().unwrap_or(Path::new(""));
    let work_dir = work_dir.map(|dir| own.join(dir));
    let folders = work_dir
        .into_iter()
        .chain(own.ancestors().map(Path::to_path_buf));
    folders.map(move |folder| normal(&folder.join(written)))
}

/// The path without `.` and `..`, as it is written: links are not followed.
#[must_use]
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(out.components().next_back(), Some(Component::Normal(_))) =>
            {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(from: &str, work_dir: Option<&str>, written: &str) -> Vec<String> {
        candidates(Path::new(from), work_dir, written)
            .map(|path| path.display().to_string())
            .collect()
    }

    #[test]
    fn the_script_s_own_folder_comes_first() {
        assert_eq!(
            all("/a/b/m.dml", None, "./l.dml"),
            ["/a/b/l.dml", "/a/l.dml", "/l.dml"]
        );
        assert_eq!(all("/a/m.dml", None, "../x/l.dml")[0], "/x/l.dml");
    }

    #[test]
    fn a_changed_folder_comes_before_it() {
        assert_eq!(
            all("/a/m.dml", Some("lib"), "l.dml")[..2],
            ["/a/lib/l.dml", "/a/l.dml"]
        );
    }
}
