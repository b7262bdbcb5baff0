//! The machine that costs are for: the default one, or one that `sumac calibrate` measured and kept in a file.
//!
//! What is kept holds for the hardware and the kernels that it was measured with, and for nothing else. A file that
//! cannot be used never stops anything, unless a person named it.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use sumac_cost::{Engine, Machine};
use sumac_runtime::calibrate::KERNELS;
use sumac_runtime::io::{keep_private, text_at_most};
use sumac_sumproduct::{CostModel, Options};
use sumac_vectors::Tier;

use crate::config::Search;

/// Names the machine where neither the command line nor the configuration does.
pub const VARIABLE: &str = "SUMAC_MACHINE";

/// How the default machine is called.
pub const DEFAULT: &str = "default";

/// Bytes that a file with a measured machine has at most.
const MOST_BYTES: u64 = 1 << 20;

/// The layout of the file.
const VERSION: u32 = 1;

/// A measured machine, and what it was measured with.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stored {
    version: u32,
    /// The kernels, with the vectors that they use.
    pub kernels: String,
    /// The model of the processor.
    pub cpu: String,
    /// Threads that kernels use.
    pub threads: usize,
    /// The figures.
    pub machine: Machine,
}

impl Stored {
    /// A machine that was measured here and now.
    #[must_use]
    pub fn here(machine: Machine) -> Self {
        let build = if cfg!(debug_assertions) { "-debug" } else { "" };
        Stored {
            version: VERSION,
            kernels: format!(
                "{}-{KERNELS}-{}{build}",
                env!("CARGO_PKG_VERSION"),
                Tier::here().name()
            ),
            cpu: PROCESSOR.clone(),
            threads: sumac_runtime::kernels::threads(),
            machine,
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is no measured machine: in words for people.
    pub fn read(path: &Path) -> Result<Self, String> {
        let said = |error: String| format!("the machine in {}: {error}", path.display());
        let text = text_at_most(path, MOST_BYTES).map_err(|error| said(error.to_string()))?;
        let stored: Stored = serde_json::from_str(&text)
            .map_err(|error| said(format!("not written by `sumac calibrate`: {error}")))?;
        if stored.version != VERSION {
            return Err(said(format!(
                "its layout has version {}, and this program reads {VERSION}",
                stored.version
            )));
        }
        match stored.machine.nonsense() {
            Some(nonsense) => Err(said(nonsense)),
            None => Ok(stored),
        }
    }

    /// Writes a file, and the folder that it lies in. Whoever reads it meanwhile reads the old one.
    ///
    /// # Errors
    /// The system refuses.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        keep_private(path, &serde_json::to_vec_pretty(self)?)
    }

    /// What is different here, in words; `None` if nothing is.
    fn elsewhere(&self) -> Option<String> {
        let here = Stored::here(self.machine);
        let differs = |what: &str, there: &str, here: &str| {
            (there != here)
                .then(|| format!("it was measured with {what} {there}, and this is {here}"))
        };
        differs("the kernels", &self.kernels, &here.kernels)
            .or_else(|| differs("the processor", &self.cpu, &here.cpu))
            .or_else(|| {
                differs(
                    "threads:",
                    &self.threads.to_string(),
                    &here.threads.to_string(),
                )
            })
    }
}

/// Which machine counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The default one.
    #[default]
    Default,
    /// One that was measured.
    Calibrated,
}

/// The machine that counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Used {
    /// Its figures.
    pub machine: Machine,
    /// Where they come from.
    pub origin: Origin,
    /// Why it is not the one that was kept.
    pub note: Option<String>,
}

impl Used {
    /// The options of a search for this machine, and which one its costs are for at last.
    #[must_use]
    pub fn by(&self, options: Options, memory: Option<u64>) -> (Options, Origin) {
        #[expect(
            clippy::cast_precision_loss,
            reason = "an estimate is compared with it"
        )]
        let memory = memory.map(|bytes| bytes as f64).or(self.machine.memory);
        let options = Options {
            machine: Machine {
                memory,
                ..self.machine
            },
            ..options
        };
        let counts = options.engine == Engine::Local && options.cost == CostModel::Time;
        (options, if counts { self.origin } else { Origin::Default })
    }
}

/// The machine that `named` says: the command line, or else the configuration. Reads the disk.
///
/// # Errors
/// A file that somebody named cannot be used: in words for people.
pub fn used(named: Option<&str>, search: &Search) -> Result<Used, String> {
    let variable = env::var(VARIABLE).ok().filter(|value| !value.is_empty());
    match named.or(search.machine.as_deref()).or(variable.as_deref()) {
        Some(DEFAULT) => Ok(Used::default()),
        Some(path) => Stored::read(Path::new(path)).map(|stored| measured(&stored)),
        None => Ok(kept(kept_at().as_deref())),
    }
}

/// What is kept at a place, where it holds here.
fn kept(path: Option<&Path>) -> Used {
    let Some(path) = path.filter(|path| path.exists()) else {
        return Used::default();
    };
    let read = Stored::read(path).and_then(|stored| match stored.elsewhere() {
        Some(why) => Err(format!("the machine in {}: {why}", path.display())),
        None => Ok(stored),
    });
    match read {
        Ok(stored) => measured(&stored),
        Err(why) => Used {
            note: Some(format!(
                "{why}; estimates are for the default machine until `sumac calibrate` runs"
            )),
            ..Used::default()
        },
    }
}

fn measured(stored: &Stored) -> Used {
    Used {
        machine: stored.machine,
        origin: Origin::Calibrated,
        note: None,
    }
}

/// Where all commands look for what was measured; `None` where the system has no place for such files.
#[must_use]
pub fn kept_at() -> Option<PathBuf> {
    Some(cache_folder()?.join("machine.json"))
}

/// Where this program keeps what it can make again; `None` where the system has no place for such files.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let cache = folder("XDG_CACHE_HOME").or_else(|| {
        if cfg!(windows) {
            folder("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            Some(folder("HOME")?.join("Library/Caches"))
        } else {
            Some(folder("HOME")?.join(".cache"))
        }
    })?;
    Some(cache.join("sumac"))
}

/// The processor's model, where the system tells; at least its architecture. Asked once: it does not change, and the
/// answer can be long.
static PROCESSOR: LazyLock<String> = LazyLock::new(|| {
    let model = |text: String| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let told = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(model);
    told.unwrap_or_else(|| env::consts::ARCH.to_owned())
});

#[cfg(test)]
mod tests {
    use super::*;

    fn stored() -> Stored {
        Stored::here(Machine {
            bandwidth: 3e10,
            memory: Some(8e9),
            ..Machine::default()
        })
    }

    #[test]
    fn what_was_written_is_read_and_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/machine.json");
        assert_eq!(kept(Some(&path)), Used::default());
        stored().write(&path).unwrap();
        assert_eq!(Stored::read(&path), Ok(stored()));
        let used = kept(Some(&path));
        assert_eq!(
            (used.machine, used.origin),
            (stored().machine, Origin::Calibrated)
        );
    }

    #[test]
    fn another_machine_or_a_broken_file_is_told_and_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("machine.json");
        let text = serde_json::to_string(&stored()).unwrap();
        let cpu = stored().cpu;
        for (from, to, said) in [
            (cpu.as_str(), "Z80", "the processor Z80"),
            ("\"threads\":", "\"threads\":1", "threads: 1"),
            ("\"version\":1", "\"version\":7", "version 7"),
            ("\"bandwidth\":", "\"bandwidth\":-", "`bandwidth`"),
            ("{\"version\"", "\"version\"", "not written by"),
        ] {
            std::fs::write(&path, text.replace(from, to)).unwrap();
            let used = kept(Some(&path));
            assert_eq!(
                (used.machine, used.origin),
                (Machine::default(), Origin::Default)
            );
            let note = used.note.unwrap();
            assert!(
                note.contains(said) && note.contains("sumac calibrate"),
                "{note}"
            );
        }
    }

    #[test]
    fn a_machine_that_is_named_need_not_be_this_one_but_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.json");
        let other = Stored {
            cpu: "Z80".to_owned(),
            ..stored()
        };
        other.write(&path).unwrap();
        let named = |path: &Path| used(path.to_str(), &Search::default());
        assert_eq!(named(&path).unwrap().machine, stored().machine);
        let error = named(&folder.path().join("none.json")).unwrap_err();
        assert!(error.contains("none.json"), "{error}");
        let configured = Search {
            machine: path.to_str().map(str::to_owned),
            ..Search::default()
        };
        assert_eq!(used(None, &configured).unwrap().origin, Origin::Calibrated);
        assert_eq!(used(Some(DEFAULT), &configured).unwrap(), Used::default());
    }

    #[test]
    fn measured_figures_count_for_our_own_operators_and_time_alone() {
        let machine = measured(&stored());
        let (options, origin) = machine.by(Options::default(), None);
        assert_eq!(
            (options.machine().bandwidth, origin),
            (3e10, Origin::Calibrated)
        );
        let by_systemds = Options {
            engine: Engine::SystemDs,
            ..Options::default()
        };
        let by_flops = Options {
            cost: CostModel::Flops,
            ..Options::default()
        };
        for options in [by_systemds, by_flops] {
            let (options, origin) = machine.by(options, Some(1 << 30));
            assert_eq!(
                (options.machine().bandwidth, origin),
                (Machine::of(options.engine).bandwidth, Origin::Default)
            );
            assert_eq!(options.machine().memory, Some(f64::from(1 << 30)));
        }
    }
}
