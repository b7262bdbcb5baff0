//! Whose operators an estimate is for. Says names only: what each engine fuses and costs stands elsewhere.

use serde::{Deserialize, Serialize};

/// Whose operators an estimate is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Our own kernels.
    #[default]
    Local,
    /// SystemDS in one process.
    #[serde(rename = "systemds")]
    SystemDs,
    /// SystemDS with a cluster that runs Spark.
    Spark,
    /// NumPy: each operator for itself. No script in DML runs there, so that none of their settings can name it.
    #[serde(skip_deserializing)]
    NumPy,
}

impl Engine {
    /// As the command line writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Engine::Local => "local",
            Engine::SystemDs => "systemds",
            Engine::Spark => "spark",
            Engine::NumPy => "numpy",
        }
    }
}
