//! The engines that a person can choose, by name: an engine is a file in `engines/` and an entry in [`ENGINES`].
//!
//! Must know nothing of what an engine does, and of no option that only one of them has.

mod local;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Engine, EngineError};
pub use local::LocalEngine;

/// An engine that can be chosen.
#[derive(Debug)]
pub struct Entry {
    /// As the command line and the configuration write it.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Makes it ready for jobs. Nothing runs before the first one.
    pub start: fn() -> Result<Box<dyn Engine>, EngineError>,
}

/// All of them; the first is what runs where nobody chose.
pub const ENGINES: &[Entry] = &[Entry {
    name: "local",
    about: "The kernels of this program, in a worker process",
    start: || Ok(Box::new(LocalEngine::current()?)),
}];

/// The name of one of [`ENGINES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EngineName(usize);

impl EngineName {
    fn entry(self) -> &'static Entry {
        &ENGINES[self.0]
    }

    /// Makes the engine ready.
    ///
    /// # Errors
    /// [`EngineError::Start`] where it cannot run on this machine.
    pub fn start(self) -> Result<Box<dyn Engine>, EngineError> {
        (self.entry().start)()
    }
}

impl fmt::Display for EngineName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().name)
    }
}

impl FromStr for EngineName {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineName, String> {
        let known = ENGINES.iter().position(|entry| entry.name == text);
        known.map(EngineName).ok_or_else(|| {
            let names: Vec<&str> = ENGINES.iter().map(|entry| entry.name).collect();
            format!(
                "unknown engine `{text}`, expected `{}`",
                names.join("` or `")
            )
        })
    }
}

impl TryFrom<String> for EngineName {
    type Error = String;

    fn try_from(text: String) -> Result<EngineName, String> {
        text.parse()
    }
}

impl From<EngineName> for String {
    fn from(name: EngineName) -> String {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_known_by_its_name_and_others_are_not() {
        for (at, entry) in ENGINES.iter().enumerate() {
            assert_eq!(entry.name.parse(), Ok(EngineName(at)));
            let written = serde_json::to_string(&EngineName(at)).unwrap();
            assert_eq!(written, format!("{:?}", entry.name));
            assert_eq!(
                serde_json::from_str::<EngineName>(&written).unwrap(),
                EngineName(at)
            );
        }
        let wrong = "lokal".parse::<EngineName>().unwrap_err();
        assert!(
            wrong.starts_with("unknown engine `lokal`, expected `local`"),
            "{wrong}"
        );
        assert_eq!(EngineName::default().to_string(), "local");
    }
}
