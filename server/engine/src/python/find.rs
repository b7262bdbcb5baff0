//! Which Python is the person's.
//!
//! Must run nothing, and must never choose a program that a cloned repository could bring unless the workspace is
//! trusted: neither its own environment nor a relative path.

use std::env;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::{Interpreter, NoPython};

/// Where environments keep their interpreter, from their folder.
const IN_ENVIRONMENT: &[&str] = if cfg!(windows) {
    &["Scripts\\python.exe", "python.exe"]
} else {
    &["bin/python3", "bin/python"]
};

/// Names of interpreters on the search path, the better ones first.
const IN_PATH: &[&str] = if cfg!(windows) {
    &["python3.exe", "python.exe"]
} else {
    &["python3", "python"]
};

/// Folders of a project that may be an environment.
const OF_PROJECT: [&str; 2] = [".venv", "venv"];

/// What of the process's environment says where Python is.
#[derive(Clone, Debug, Default)]
struct Surroundings {
    virtual_env: Option<OsString>,
    conda_prefix: Option<OsString>,
    path: Option<OsString>,
    home: Option<PathBuf>,
}

/// Finds the person's Python. In this order: the one that was chosen (a program, an environment's folder, or a name on the search
/// path); `VIRTUAL_ENV`; `.venv` or `venv` in `start` or a folder above it in the same repository, only if
/// `trusts_workspace`; `CONDA_PREFIX`; `python3` and `python` on the search path.
///
/// A workspace's own environment is a program that a cloned repository could bring: `trusts_workspace` is for where a person has
/// said that they trust it, or has typed the command themselves. `chosen` must not come from a file of a workspace that is not trusted.
///
/// # Errors
/// The chosen one is none, or there is none anywhere. What was chosen is never replaced by another.
pub fn find(
    chosen: Option<&Path>,
    start: &Path,
    trusts_workspace: bool,
) -> Result<Interpreter, NoPython> {
    let surroundings = Surroundings {
        virtual_env: env::var_os("VIRTUAL_ENV"),
        conda_prefix: env::var_os("CONDA_PREFIX"),
        path: env::var_os("PATH"),
        home: env::home_dir(),
    };
    surroundings.find(chosen, start, trusts_workspace)
}

impl Surroundings {
    fn find(
        &self,
        chosen: Option<&Path>,
        start: &Path,
        trusts_workspace: bool,
    ) -> Result<Interpreter, NoPython> {
        if let Some(chosen) = chosen.filter(|chosen| !chosen.as_os_str().is_empty()) {
            let found = self.chosen(chosen, start, trusts_workspace);
            return found
                .map(|path| found_by(path, "the setting".to_owned()))
                .map_err(|reason| NoPython::Chosen {
                    path: chosen.to_owned(),
                    reason,
                });
        }
        let mut looked = vec!["VIRTUAL_ENV".to_owned()];
        if let Some(path) = of_variable(self.virtual_env.as_ref()) {
            return Ok(found_by(path, looked.remove(0)));
        }
        let mut passed_over = None;
        if let Some((folder, name, path)) = of_project(start) {
            if trusts_workspace {
                return Ok(found_by(path, format!("{name} in {}", folder.display())));
            }
            passed_over = Some(folder.join(name));
        } else {
            looked.push(format!(".venv and venv of {}", start.display()));
        }
        let mut found = None;
        if let Some(path) = of_variable(self.conda_prefix.as_ref()) {
            found = Some(found_by(path, "CONDA_PREFIX".to_owned()));
        }
        looked.push("CONDA_PREFIX".to_owned());
        let found = found.or_else(|| {
            IN_PATH.iter().find_map(|name| {
                let path = self.in_path(name)?;
                Some(found_by(path, format!("{} in PATH", stem(name))))
            })
        });
        looked.push("PATH".to_owned());
        match found {
            Some(found) => Ok(Interpreter {
                passed_over,
                ..found
            }),
            None => Err(NoPython::Nowhere {
                looked,
                passed_over,
            }),
        }
    }

    /// What a person chose.
    fn chosen(
        &self,
        chosen: &Path,
        start: &Path,
        trusts_workspace: bool,
    ) -> Result<PathBuf, &'static str> {
        let mut parts = chosen.components();
        let path = match (parts.next(), parts.as_path()) {
            (Some(Component::Normal(first)), rest) if first == "~" => self
                .home
                .as_ref()
                .ok_or("there is no home folder")?
                .join(rest),
            // A name alone.
            (Some(Component::Normal(name)), rest)
                if rest.as_os_str().is_empty() && chosen.as_os_str() == name =>
            {
                return self
                    .in_path(&name.to_string_lossy())
                    .ok_or("there is no such program on the search path");
            }
            _ if chosen.is_absolute() => chosen.to_owned(),
            _ if trusts_workspace && start.is_absolute() => start.join(chosen),
            _ => return Err("it is a relative path, and the workspace is not trusted"),
        };
        if path.is_dir() {
            return of_environment(&path).ok_or("the folder has no Python");
        }
        if !path.exists() {
            return Err("there is no such file");
        }
        if !is_program(&path) {
            return Err("it is no program that may be run");
        }
        Ok(path)
    }

    /// A program on the search path. Relative folders on it mean the current folder, so they are passed over.
    fn in_path(&self, name: &str) -> Option<PathBuf> {
        let folders = self.path.as_ref()?;
        let names = [name.to_owned(), format!("{name}.exe")];
        let names = if cfg!(windows) {
            &names[..]
        } else {
            &names[..1]
        };
        env::split_paths(folders)
            .filter(|folder| folder.is_absolute() && !is_store(folder))
            .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
            .find(|path| is_program(path))
    }
}

fn found_by(path: PathBuf, found_by: String) -> Interpreter {
    Interpreter {
        path,
        found_by,
        passed_over: None,
    }
}

/// The name of a program without what only Windows writes.
fn stem(name: &str) -> &str {
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Whether a folder holds no programs but stands for those of a store that could be installed.
fn is_store(folder: &Path) -> bool {
    cfg!(windows) && folder.ends_with("WindowsApps")
}

/// The interpreter of the environment that a variable names.
fn of_variable(folder: Option<&OsString>) -> Option<PathBuf> {
    let folder = Path::new(folder?);
    // From a relative path follows another program in each folder.
    folder.is_absolute().then(|| of_environment(folder))?
}

fn of_environment(folder: &Path) -> Option<PathBuf> {
    let places = IN_ENVIRONMENT.iter().map(|place| folder.join(place));
    places.into_iter().find(|path| is_program(path))
}

/// An environment in a folder from `start` up to the root of its repository, or in `start` alone where that is in none: its
/// folder, its name and its interpreter.
fn of_project(start: &Path) -> Option<(PathBuf, &'static str, PathBuf)> {
    let start = if start.is_absolute() {
        start.to_owned()
    } else {
        std::path::absolute(start).ok()?
    };
    let root = start
        .ancestors()
        .position(|folder| folder.join(".git").exists());
    start
        .ancestors()
        .take(root.unwrap_or(0) + 1)
        .find_map(|folder| {
            OF_PROJECT.iter().find_map(|name| {
                let path = of_environment(&folder.join(name))?;
                Some((folder.to_owned(), *name, path))
            })
        })
}

/// Whether the system would run it.
fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.is_file() && may_run(&file))
}

#[cfg(unix)]
fn may_run(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_run(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests;
