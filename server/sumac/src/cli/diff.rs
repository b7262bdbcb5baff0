//! Unified diffs, and writing a changed script back in one step.

use std::io::ErrorKind;
use std::path::Path;

use similar::{ChangeTag, TextDiff};
use sumac_runtime::io::{read_at_most, replace};

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
    if std::fs::metadata(&path)?.permissions().readonly() {
        return Err(std::io::Error::new(
            std::io::ErrorKind::PermissionDenied,
            "the file is read-only",
        ));
    }
    replace(&path, text.as_bytes(), || is_still(&path, old))
}

/// Whether a file holds a text: what stands there instead of it is never waited for.
fn is_still(path: &Path, text: &str) -> std::io::Result<()> {
    let is_same = match read_at_most(path, text.len() as u64) {
        Ok(found) => found == text.as_bytes(),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => false,
        Err(error) => return Err(error),
    };
    if is_same {
        return Ok(());
    }
    Err(std::io::Error::other(
        "it was changed meanwhile and is left as it is; run the command again",
    ))
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
        let longer = write_atomically(&file, "typed", "new").unwrap_err();
        assert_eq!(longer.to_string(), error.to_string());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_script_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("a.dml");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        let error = write_atomically(&pipe, "read before", "new").unwrap_err();
        assert!(error.to_string().contains("no regular file"), "{error}");
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
