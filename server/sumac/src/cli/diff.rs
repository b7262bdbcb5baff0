//! Unified diffs, and writing a changed script back in one step.

use std::io::Write;
use std::path::Path;

use similar::{ChangeTag, TextDiff};

/// A unified diff from `old` to `new`, with three lines of context; empty if they are equal.
#[must_use]
pub fn unified(path: &Path, old: &str, new: &str, colored: bool) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut out = String::new();
    let mut unified = diff.unified_diff();
    unified.context_radius(3);
    for hunk in unified.iter_hunks() {
        if out.is_empty() {
            let path = path.display();
            out.push_str(&paint(
                colored,
                "1",
                &format!("--- a/{path}\n+++ b/{path}\n"),
            ));
        }
        out.push_str(&paint(colored, "36", &format!("{}\n", hunk.header())));
        for change in hunk.iter_changes() {
            let (sign, color) = match change.tag() {
                ChangeTag::Delete => ('-', "31"),
                ChangeTag::Insert => ('+', "32"),
                ChangeTag::Equal => (' ', ""),
            };
            let text = change.value();
            let line = format!("{sign}{}\n", text.strip_suffix('\n').unwrap_or(text));
            out.push_str(&paint(colored && !color.is_empty(), color, &line));
            if change.missing_newline() {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

fn paint(colored: bool, code: &str, line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(body) if colored => format!("\x1b[{code}m{body}\x1b[0m\n"),
        _ => line.to_owned(),
    }
}

/// Replaces the file's content in one step: a reader sees the old text or the new one, never half of it. What somebody wrote
/// there since it held `old` stays.
///
/// # Errors
/// The folder or the file cannot be written, the file holds another text by now, has several names (hard links), of which only
/// one could get the new text in one step, or belongs to somebody who could not be kept as its owner.
pub fn write_atomically(path: &Path, old: &str, text: &str) -> std::io::Result<()> {
    // A link keeps pointing at its file.
    let path = std::fs::canonicalize(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let metadata = std::fs::metadata(&path)?;
    let permissions = metadata.permissions();
    if permissions.readonly() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::PermissionDenied,
            "the file is read-only",
        ));
    }
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    keep_owner(&metadata, file.as_file())?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    // As late as can be.
    if std::fs::read(&path)? != old.as_bytes() {
        return Err(std::io::Error::other(
            "it was changed meanwhile and is left as it is; run the command again",
        ));
    }
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// Gives a file that is to take the place of another one its owner and group.
#[cfg(unix)]
fn keep_owner(old: &std::fs::Metadata, new: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};

    if old.nlink() > 1 {
        return Err(std::io::Error::other(format!(
            "the file has {} names (hard links), and only this one would get the new text; it is left as it is, so copy the file, or \
             make the change that is printed without writing",
            old.nlink()
        )));
    }
    let fresh = new.metadata()?;
    if (old.uid(), old.gid()) == (fresh.uid(), fresh.gid()) {
        return Ok(());
    }
    fchown(new, Some(old.uid()), Some(old.gid())).map_err(|error| {
        std::io::Error::new(
            error.kind(),
            "the file belongs to another user or group, which could not be kept; it is left as it is",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified(Path::new("a.dml"), "x = 1\n", "x = 1\n", false), "");
    }

    #[test]
    fn a_changed_line_is_a_hunk() {
        let diff = unified(Path::new("a.dml"), "x = 1\ny = 2", "x = 1\ny = 3", false);
        assert_eq!(
            diff,
            "--- a/a.dml\n+++ b/a.dml\n@@ -1,2 +1,2 @@\n x = 1\n-y = 2\n\
             \\ No newline at end of file\n+y = 3\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_write_replaces_the_whole_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.dml");
        std::fs::write(&file, "a long old text").unwrap();
        write_atomically(&file, "a long old text", "new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(write_atomically(&dir.path().join("no"), "", "x").is_err());
    }

    #[test]
    fn what_was_written_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.dml");
        std::fs::write(&file, "typed meanwhile").unwrap();
        let error = write_atomically(&file, "read before", "new").unwrap_err();
        assert!(error.to_string().contains("changed meanwhile"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "typed meanwhile");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_two_names_keeps_both() {
        let dir = tempfile::tempdir().unwrap();
        let (file, other) = (dir.path().join("a.dml"), dir.path().join("b.dml"));
        std::fs::write(&file, "old").unwrap();
        std::fs::hard_link(&file, &other).unwrap();
        let error = write_atomically(&file, "old", "new").unwrap_err();
        assert!(error.to_string().contains("2 names"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        std::fs::remove_file(&other).unwrap();
        write_atomically(&file, "old", "new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_owner() {
        use std::os::unix::fs::{MetadataExt, chown};

        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.dml");
        std::fs::write(&file, "old").unwrap();
        // Only a privileged user may give files away: for others the owner is their own, before and after.
        let _ = chown(&file, Some(12_345), Some(12_345));
        let owner = |metadata: std::fs::Metadata| (metadata.uid(), metadata.gid());
        let before = owner(std::fs::metadata(&file).unwrap());
        write_atomically(&file, "old", "new").unwrap();
        assert_eq!(owner(std::fs::metadata(&file).unwrap()), before);
    }
}
