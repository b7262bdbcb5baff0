//! A small world for one escape: a workspace, and around it what is none of its business. Knows what was there before, and tells
//! what is different afterwards.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::escape::Escape;
use super::lay::{executable, lay, link, write};

/// What stands in files that are nobody's business.
const SECRET: &str = "canary-71f3-do-not-touch";
/// The same where a file holds numbers.
const SECRET_NUMBER: &str = "815471.1625";
/// Files are compared by their bytes up to this length, and by length and time beyond.
const COMPARED: u64 = 4 << 20;

/// What lies around every escape, by paths from the root: a text in which `S` is the secret and `N` the secret number.
const CANARIES: &[(&str, &str)] = &[
    ("home/.bashrc", "alias a='S'\n"),
    ("home/.profile", "# S\n"),
    ("home/.gitconfig", "[user]\n\tname = S\n"),
    ("home/.ssh/authorized_keys", "ssh-ed25519 S\n"),
    ("home/.ssh/id_ed25519", "S\n"),
    (
        "home/.config/systemd/user/a.service",
        "[Unit]\nDescription=S\n",
    ),
    ("home/notes.csv", "N,1\n"),
    ("etc/passwd", "root:x:0:0:S:/root:/bin/sh\n"),
    ("etc/cron.d/job", "# S\n"),
    ("beside/data.csv", "N,2\n"),
    (
        "beside/data.csv.mtd",
        "{\"data_type\": \"matrix\", \"rows\": 1, \"cols\": 2, \"format\": \"csv\", \"description\": \"S\"}\n",
    ),
    (
        "beside/theirs.dml",
        "secret=function(Double x) return (Double y) {y=x}\n# S\n",
    ),
    ("beside/theirs.sketch", "sketch theirs { goal ?^2 }\n# S\n"),
    ("beside/open/.git/config", "[core]\n# S\n"),
    ("beside/open-other/data.csv", "N,3\n"),
    ("opened-other/data.csv", "N,4\n"),
    ("opened/.git/config", "[core]\n# S\n"),
    ("opened/.git/HEAD", "ref: refs/heads/main\n"),
    ("opened/.git/hooks/post-checkout", "#!/bin/sh\n# S\n"),
    ("opened/sub/.git/config", "[core]\n# S\n"),
    ("opened/.vscode/settings.json", "{\"a\": \"S\"}\n"),
    ("opened/.vscode/tasks.json", "{}\n"),
    ("opened/.github/workflows/ci.yml", "on: push\n"),
    ("opened/own.dml", "x=1\nprint(x)\n"),
    ("opened/Makefile", "all:\n"),
    ("opened/README", "Ours.\n"),
    ("opened/thesis", "Text of a year.\n"),
    ("opened/notes.tex", "\\section{Text}\n"),
    ("opened/in.csv", "1,2\n3,4\n"),
    (
        "opened/in.csv.mtd",
        "{\"data_type\": \"matrix\", \"rows\": 2, \"cols\": 2, \"format\": \"csv\"}\n",
    ),
    ("opened/v.csv", "1\n2\n"),
];

/// Folders of the machine in which an escape could leave a file; names that begin with the probe's are looked for there.
const MACHINE: [&str; 9] = [
    "/",
    "/tmp",
    "/etc",
    "/var/tmp",
    "/dev/shm",
    "/root",
    "/usr/local/lib",
    "/home",
    "/sys/kernel",
];

/// The name of what planted programs and planted code leave.
const MARK: &str = "ran";

/// Where things of a world are.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) root: PathBuf,
    /// The beginning of names that nothing else on this machine has.
    probe: String,
}

impl Places {
    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(super) fn work(&self) -> PathBuf {
        self.root.join("opened")
    }

    /// What a planted program makes.
    pub(super) fn mark(&self) -> PathBuf {
        self.root.join(MARK)
    }

    /// What code makes that was planted in a folder of the cache.
    pub(super) fn mark_in(&self, folder: &Path) -> PathBuf {
        folder.join(MARK)
    }

    /// A text with its names in braces filled in.
    pub(super) fn fill(&self, text: &str) -> String {
        let at = |name: &str| self.root.join(name).display().to_string();
        text.replace("{root}", &self.root.display().to_string())
            .replace("{home}", &at("home"))
            .replace("{work}", &at("opened"))
            .replace("{beside}", &at("beside"))
            .replace("{etc}", &at("etc"))
            .replace("{probe}", &self.probe)
            .replace("{secret}", SECRET)
    }
}

/// What stands at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Stands {
    File(Vec<u8>, u32),
    Large(u64, Option<std::time::SystemTime>),
    Link(PathBuf),
    Folder,
    Other,
}

type Seen = BTreeMap<PathBuf, Stands>;

/// A world with an escape's files in it.
pub(super) struct World {
    pub(super) places: Places,
    before: Seen,
    /// Removes everything.
    _folder: tempfile::TempDir,
}

impl World {
    /// # Errors
    /// The system makes no such files.
    pub(super) fn new(escape: &Escape) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("escape").tempdir()?;
        let root = fs::canonicalize(folder.path())?;
        let probe = root.file_name().unwrap_or_default().to_string_lossy();
        let places = Places {
            probe: format!("sumac-probe-{probe}"),
            root,
        };
        for (path, text) in CANARIES {
            let text = text.replace('S', SECRET).replace('N', SECRET_NUMBER);
            write(&places.root.join(path), text.as_bytes())?;
        }
        fs::create_dir_all(places.home().join(".cache"))?;
        link(
            Path::new("../../home"),
            &places.root.join("beside/open/link"),
        )?;
        write(&places.work().join("program.csv"), b"#!/bin/sh\n")?;
        executable(&places.work().join("program.csv"))?;
        for put in &escape.put {
            lay(&places, put).with_context(|| format!("{put:?}"))?;
        }
        let mut world = World {
            places,
            before: Seen::new(),
            _folder: folder,
        };
        world.remember()?;
        Ok(world)
    }

    /// From now on, what is here counts as having been here.
    pub(super) fn remember(&mut self) -> Result<()> {
        self.before = seen(&self.places.root)?;
        Ok(())
    }

    /// What is different now, and should not be: what an escape may change is left out, and so is the program's own cache.
    ///
    /// # Errors
    /// The system does not list the files.
    pub(super) fn harm(&self, may: &[String]) -> Result<Vec<String>> {
        let after = seen(&self.places.root)?;
        let mut harm = Vec::new();
        for path in self.before.keys().chain(after.keys()) {
            let (was, is) = (self.before.get(path), after.get(path));
            if was == is || self.is_allowed(path, may) {
                continue;
            }
            let shown = path
                .strip_prefix(&self.places.root)
                .unwrap_or(path)
                .display();
            let told = match (was, is) {
                (None, _) => format!("{shown} was made"),
                (_, None) => format!("{shown} is gone"),
                _ => format!("{shown} was changed"),
            };
            if !harm.contains(&told) {
                harm.push(told);
            }
        }
        for folder in MACHINE {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry
                    .file_name()
                    .to_string_lossy()
                    .contains(&self.places.probe)
                {
                    harm.push(format!("{} was made", entry.path().display()));
                    // Nothing else has such a name.
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
        if after.keys().any(|path| path.ends_with(MARK)) {
            harm.push("planted code ran".to_owned());
        }
        Ok(harm)
    }

    fn is_allowed(&self, path: &Path, may: &[String]) -> bool {
        let Ok(inside) = path.strip_prefix(self.places.work()) else {
            return path.starts_with(self.places.home().join(".cache"));
        };
        may.iter().any(|may| {
            // Metadata stand beside what they describe.
            inside.starts_with(may) || inside == Path::new(&format!("{may}.mtd"))
        })
    }

    /// What of other people's files a text shows.
    pub(super) fn shown(&self, text: &str, unsaid: &[String]) -> Vec<String> {
        unsaid
            .iter()
            .map(|unsaid| self.places.fill(unsaid))
            .filter(|unsaid| text.contains(&**unsaid))
            .map(|unsaid| format!("{unsaid:?} was said"))
            .collect()
    }
}

/// Everything below a folder; links are not followed.
fn seen(root: &Path) -> Result<Seen> {
    let mut all = Seen::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let about = fs::symlink_metadata(&path)?;
            let stands = if about.is_symlink() {
                Stands::Link(fs::read_link(&path)?)
            } else if about.is_dir() {
                folders.push(path.clone());
                Stands::Folder
            } else if !about.is_file() {
                Stands::Other
            } else if about.len() > COMPARED {
                Stands::Large(about.len(), about.modified().ok())
            } else {
                Stands::File(fs::read(&path)?, mode(&about))
            };
            all.insert(path, stands);
        }
    }
    Ok(all)
}

#[cfg(unix)]
fn mode(about: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    about.permissions().mode()
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::escape::Escape;
    use super::*;

    fn harm_of(act: impl Fn(&Places), may: &[&str]) -> Vec<String> {
        let escape = Escape::run("none", "print(1)\n");
        let world = World::new(&escape).unwrap();
        act(&world.places);
        let may: Vec<String> = may.iter().map(|may| (*may).to_owned()).collect();
        world.harm(&may).unwrap()
    }

    #[test]
    fn whatever_is_changed_is_seen() {
        let write = |path: &'static str| {
            move |places: &Places| fs::write(places.root.join(path), "evil").unwrap()
        };
        for path in [
            "home/.bashrc",
            "home/new",
            "beside/data.csv",
            "opened/.git/config",
            "opened/new.csv",
            "new",
        ] {
            assert_eq!(harm_of(write(path), &["other.csv"]).len(), 1, "{path}");
        }
        assert_eq!(harm_of(write("opened/new.csv"), &["new.csv"]), [""; 0]);
        assert_eq!(harm_of(write("ran"), &[]).len(), 2);
        assert_eq!(harm_of(|_| (), &[]), [""; 0]);
        let removed = |places: &Places| fs::remove_file(places.root.join("etc/passwd")).unwrap();
        assert_eq!(harm_of(removed, &[]), ["etc/passwd is gone"]);
        let executable = |places: &Places| executable(&places.root.join("home/.profile")).unwrap();
        assert_eq!(harm_of(executable, &[]), ["home/.profile was changed"]);
    }

    #[test]
    fn what_is_left_in_folders_of_the_machine_is_seen_and_taken_away() {
        let left = |places: &Places| {
            fs::write(format!("/tmp/{}.csv", places.probe), "evil").unwrap();
        };
        assert_eq!(harm_of(left, &[]).len(), 1);
    }

    #[test]
    fn a_secret_that_is_said_is_heard() {
        let world = World::new(&Escape::run("none", "print(1)\n")).unwrap();
        let unsaid = ["{secret}".to_owned()];
        let said = fs::read_to_string(world.places.home().join(".ssh/id_ed25519")).unwrap();
        assert_eq!(world.shown(&said, &unsaid).len(), 1);
        assert!(world.shown("nothing of it", &unsaid).is_empty());
    }
}
