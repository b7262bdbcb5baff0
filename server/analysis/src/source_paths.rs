//! Which files a `source("path") as ns` may mean. Paths only: nothing here looks at a disk.
//!
//! SystemDS resolves such a path against the folder that it was started in (or the one that `setwd` names),
//! not against the script. An editor cannot know that folder, so it tries the script's own folder and then each folder
//! above it, up to the workspace's.

use std::path::{Component, Path, PathBuf};

/// The files that `literal` may mean, the likeliest first; the first that exists is meant.
///
/// `script` is the file that holds the `source`, `working_dir` what the last `setwd` before it says. Folders above the
/// script count up to the innermost of `roots` that holds it; then the other roots follow. Without a root around the
/// script only its own folder counts.
#[must_use]
pub fn source_paths(
    script: &Path,
    working_dir: Option<&str>,
    literal: &str,
    roots: &[PathBuf],
) -> Vec<PathBuf> {
    // Other file systems are not ours to look into.
    let is_remote = |text: &str| text.contains("://") || text.starts_with("hdfs:");
    if literal.is_empty() || is_remote(literal) || working_dir.is_some_and(is_remote) {
        return Vec::new();
    }
    let written = Path::new(literal);
    let relative = match working_dir.map(Path::new) {
        // As SystemDS has it, a path that repeats the working directory is not prefixed again.
        Some(dir) if !written.is_absolute() && !written.starts_with(dir) => dir.join(written),
        _ => written.to_path_buf(),
    };
    if relative.is_absolute() {
        return vec![normal(&relative)];
    }
    let folder = script.parent().unwrap_or(Path::new(""));
    let around = roots
        .iter()
        .filter(|root| folder.starts_with(root))
        .max_by_key(|root| root.components().count());
    let above = folder
        .ancestors()
        .take_while(|above| *above == folder || around.is_some_and(|root| above.starts_with(root)));
    let mut found: Vec<PathBuf> = Vec::new();
    for base in above.chain(roots.iter().map(PathBuf::as_path)) {
        let path = normal(&base.join(&relative));
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// A path without `.`, and without `..` where a folder stands before it. Symbolic links are not followed.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match (part, out.components().next_back()) {
            (Component::CurDir, _) | (Component::ParentDir, Some(Component::RootDir)) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                out.pop();
            }
            _ => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "as expect! gives it")]
    fn check(
        script: &str,
        working_dir: Option<&str>,
        literal: &str,
        roots: &[&str],
        found: Expect,
    ) {
        let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
        let paths = source_paths(Path::new(script), working_dir, literal, &roots);
        let lines: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        found.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn the_scripts_folder_comes_first_then_the_folders_above_it_up_to_the_workspace() {
        check(
            "/w/scripts/nn/examples/mnist.dml",
            None,
            "nn/layers/affine.dml",
            &["/w"],
            expect![[r#"
                /w/scripts/nn/examples/nn/layers/affine.dml
                /w/scripts/nn/nn/layers/affine.dml
                /w/scripts/nn/layers/affine.dml
                /w/nn/layers/affine.dml"#]],
        );
    }

    #[test]
    fn the_innermost_workspace_folder_ends_the_climb_and_the_others_follow() {
        check(
            "/w/a/b/c.dml",
            None,
            "./u.dml",
            &["/w", "/w/a", "/other"],
            expect![[r#"
                /w/a/b/u.dml
                /w/a/u.dml
                /w/u.dml
                /other/u.dml"#]],
        );
    }

    #[test]
    fn without_a_workspace_only_the_scripts_folder_counts() {
        check("/w/a/b.dml", None, "u.dml", &[], expect!["/w/a/u.dml"]);
        check("b.dml", None, "u.dml", &[], expect!["u.dml"]);
    }

    #[test]
    fn dots_are_resolved_and_never_climb_over_the_root() {
        check(
            "/w/a/b.dml",
            None,
            "../x/./u.dml",
            &[],
            expect!["/w/x/u.dml"],
        );
        check("/b.dml", None, "../../u.dml", &[], expect!["/u.dml"]);
        check("b.dml", None, "../u.dml", &[], expect!["../u.dml"]);
    }

    #[test]
    fn setwd_goes_before_the_path_once() {
        check(
            "/w/a.dml",
            Some("scripts"),
            "nn/u.dml",
            &["/w"],
            expect!["/w/scripts/nn/u.dml"],
        );
        check(
            "/w/a.dml",
            Some("scripts"),
            "scripts/u.dml",
            &["/w"],
            expect!["/w/scripts/u.dml"],
        );
        check(
            "/w/a.dml",
            Some("/lib"),
            "u.dml",
            &["/w"],
            expect!["/lib/u.dml"],
        );
    }

    #[test]
    fn absolute_paths_mean_themselves_and_remote_ones_nothing() {
        check(
            "/w/a.dml",
            Some("x"),
            "/lib/u.dml",
            &["/w"],
            expect!["/lib/u.dml"],
        );
        check("/w/a.dml", None, "hdfs:/lib/u.dml", &["/w"], expect![""]);
        check("/w/a.dml", None, "s3://b/u.dml", &["/w"], expect![""]);
        check("/w/a.dml", None, "", &["/w"], expect![""]);
    }
}
