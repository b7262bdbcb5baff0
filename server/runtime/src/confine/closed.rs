//! Places that no run writes to, whoever asks: folders of the system, home folders, folders of version control and
//! of editors, and files that other programs act upon. Everything here is a table and looks at no disk.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// What lies below is the system's.
const SYSTEM: [&str; 18] = [
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/System",
    "/Library",
    "/private/etc",
    "/var/spool",
    "C:\\Windows",
    "C:\\Program Files",
];

/// What lies below these is a person's all the same.
const EXCEPT: [&str; 2] = ["/dev/shm", "/usr/src"];

/// Folders in which everything is somebody's: below them is fine.
const ROOTS: [&str; 12] = [
    "/", "/home", "/Users", "/root", "/var", "/opt", "/mnt", "/media", "/srv", "/run", "/private",
    "/Volumes",
];

/// Folders in which each folder is the home of somebody.
const HOMES: [&str; 3] = ["/home", "/Users", "C:\\Users"];

/// Folders that version control, editors and shells act upon.
const TOOLS: [&str; 17] = [
    ".git", ".hg", ".svn", ".bzr", ".jj", ".fossil", ".vscode", ".idea", ".vs", ".fleet", ".zed",
    ".vim", ".nvim", ".emacs.d", ".ssh", ".gnupg", ".github",
];

/// Endings of data. What else ends in some other way may be a program, a configuration, or what programs are made from: there are too
/// many of these to name them.
const ENDINGS: &[&str] = &[
    "arrow",
    "bak",
    "bin",
    "csv",
    "dat",
    "data",
    "feather",
    "h5",
    "hdf5",
    "idx",
    "ijv",
    "json",
    "jsonl",
    "labels",
    "libsvm",
    "log",
    "mat",
    "matrix",
    "metrics",
    "mm",
    "model",
    "mtx",
    "ndjson",
    "npy",
    "npz",
    "out",
    "parquet",
    "part",
    "pred",
    "predictions",
    "proto",
    "res",
    "result",
    "results",
    "scores",
    "smx",
    "stats",
    "svm",
    "test",
    "text",
    "tmp",
    "train",
    "tsv",
    "txt",
    "val",
    "vec",
    "weights",
];

/// What the names of texts begin with that programs and people act upon.
const TEXTS: &[&str] = &[
    "cmakelists",
    "conanfile",
    "constraints",
    "copying",
    "license",
    "licence",
    "meson_options",
    "notice",
    "readme",
    "requirements",
    "robots",
    "security",
];

/// Files without an ending, or with one of data, that programs act upon all the same.
const NAMES: &[&str] = &[
    "makefile",
    "gnumakefile",
    "bsdmakefile",
    "dockerfile",
    "containerfile",
    "vagrantfile",
    "jenkinsfile",
    "justfile",
    "rakefile",
    "gemfile",
    "procfile",
    "brewfile",
    "pipfile",
    "build",
    "workspace",
    "configure",
    "sconstruct",
    "sconscript",
    "wscript",
    "tiltfile",
    "earthfile",
    "fastfile",
    "appfile",
    "podfile",
    "codeowners",
    "license",
    "readme",
    "head",
    "config",
    "index",
    "packed-refs",
    "tasks.json",
    "launch.json",
    "settings.json",
    "extensions.json",
    "devcontainer.json",
    "angular.json",
    "bower.json",
    "firebase.json",
    "lerna.json",
    "nx.json",
    "renovate.json",
    "turbo.json",
    "vercel.json",
    "package.json",
    "package-lock.json",
    "composer.json",
    "tsconfig.json",
    "jsconfig.json",
    "deno.json",
    "pyrightconfig.json",
    "compile_commands.json",
    "cargo.lock",
    "authorized_keys",
    "known_hosts",
    "crontab",
    "tags",
];

/// Why a folder is never opened for writing. It is canonical: it has neither links nor `..`.
pub(super) fn folder(folder: &Path) -> Option<&'static str> {
    let is = |named: &&str| folder == Path::new(named);
    if folder.parent().is_none() || ROOTS.iter().any(is) {
        return Some("everybody's files lie below it");
    }
    let below = |named: &&str| folder.starts_with(named);
    if SYSTEM.iter().any(&below) && !EXCEPT.iter().any(&below) {
        return Some("it belongs to the system");
    }
    let is_home = |home: &Path| folder == home;
    if folder
        .parent()
        .is_some_and(|parent| HOMES.iter().any(|homes| parent == Path::new(homes)))
        || home().is_some_and(|home| is_home(&home))
    {
        return Some("it is a home folder");
    }
    tool_on(folder)
}

/// The home folder of who runs this, as canonical as it can be.
fn home() -> Option<PathBuf> {
    let home = std::env::home_dir().filter(|home| home.is_absolute())?;
    Some(std::fs::canonicalize(&home).unwrap_or(home))
}

/// Why nothing is written below a folder that stands anywhere on a path.
pub(super) fn tool_on(path: &Path) -> Option<&'static str> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let mut names = names.map(plain);
    names
        .any(|name| is_tool(&name))
        .then_some("version control, editors and shells act upon what lies there")
}

/// Why a file or folder of this name is never written where a whole folder is open.
pub(super) fn name(name: &OsStr) -> Option<&'static str> {
    let name = plain(name);
    if name.starts_with('.') || is_tool(&name) {
        return Some("a name that begins with a dot is a program's configuration");
    }
    let (stem, endings) = name.split_once('.').unwrap_or((&name, ""));
    // Of `x.so.1` the number is no ending.
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let ending = endings.split('.').rev().find(|part| !is_number(part));
    (ending.is_some_and(|ending| !ENDINGS.contains(&ending))
        || NAMES.contains(&name.as_str())
        || (ending == Some("txt") && TEXTS.iter().any(|begin| name.starts_with(begin)))
        // `Makefile.am`, `Dockerfile.dev`.
        || (stem.ends_with("file") && NAMES.contains(&stem)))
    .then_some("programs may act upon files of this name; data ends in .csv, .txt, .mtx, .bin, .npy and the like, or has no ending")
}

/// A name as file systems compare it that do not tell letters apart: without case, without what some of them leave out
/// at the end, and without the streams of NTFS.
fn plain(name: &OsStr) -> String {
    let name = name.to_string_lossy().to_lowercase();
    let is_seen = |c: &char| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = name.chars().filter(is_seen).collect();
    let name = name.split(':').next().unwrap_or("");
    name.trim_end_matches(['.', ' ']).to_owned()
}

fn is_tool(name: &str) -> bool {
    // `git~1` is how old Windows programs call `.git`.
    TOOLS.contains(&name) || name.starts_with(".nvim") || is_short(name)
}

fn is_short(name: &str) -> bool {
    name.rsplit_once('~').is_some_and(|(stem, number)| {
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        is_number && TOOLS.iter().any(|tool| tool[1..].starts_with(stem))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_everybody_of_the_system_and_of_tools_are_closed() {
        for path in [
            "/",
            "/home",
            "/home/ada",
            "/root",
            "/Users/ada",
            "/etc",
            "/etc/cron.d",
            "/usr/lib/python3",
            "/proc/self",
            "/data/project/.git",
            "/data/project/.git/hooks",
            "/data/.GIT/hooks",
            "/data/project/.vscode",
            "/data/.nvim/lua",
            "/data/git~1",
        ] {
            assert!(folder(Path::new(path)).is_some(), "{path}");
        }
        for path in [
            "/home/ada/project",
            "/tmp",
            "/tmp/.tmp123",
            "/data",
            "/usr/src/app",
            "/dev/shm/x",
            "/home/ada/.cache/sumac/nests",
            "/mnt/data",
        ] {
            assert_eq!(folder(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn files_that_programs_act_upon_are_closed_and_data_is_not() {
        for file in [
            ".bashrc",
            ".envrc",
            "sumac.toml",
            "Sumac.TOML",
            "sumac.toml.",
            "sumac.toml ",
            "a.dml",
            "A.DML",
            "x.sketch",
            "run.sh",
            "setup.py",
            "Makefile",
            "makefile",
            "Dockerfile.dev",
            "package.json",
            "lib.so",
            "sumac.toml:x",
            "x.csv.mtd",
            "\u{200c}.git",
            "GIT~1",
            "SConstruct",
            "pom.xml",
            "meson.build",
            "x.csproj",
            "main.tf",
            "libfoo.so.6",
            "x.command",
            "x.AppImage",
            "CODEOWNERS",
            "AGENTS.md",
            "tasks.json",
            "go.mod",
            "HEAD",
            "config",
            "x.pkl",
            "requirements-dev.txt",
            "conanfile.txt",
            "LICENSE.txt",
            "x.dml.1",
        ] {
            assert!(name(OsStr::new(file)).is_some(), "{file}");
        }
        for file in [
            "x.csv",
            "X",
            "model.txt",
            "w.mtx",
            "a.b.npz",
            "out.smx",
            "result",
            "build.csv",
            "x.json",
            "log.out",
            "v1.2",
            "w.model",
            "weights.2",
            "config.csv",
        ] {
            assert_eq!(name(OsStr::new(file)), None, "{file}");
        }
    }
}
