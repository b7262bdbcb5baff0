//! The engine that a command runs on, and its limits: what the command line says, or else the configuration.

use std::time::Duration;

use sumac_engine::{Engine, EngineError, Limits};

use super::args;
use crate::config::Config;

/// The engine that the command line or the configuration names.
pub(super) fn engine(place: &args::Place, config: &Config) -> Result<Box<dyn Engine>, EngineError> {
    let name = place.engine.or(config.engine.name);
    name.unwrap_or_default().start()
}

/// The limits that the command line or the configuration sets.
pub(super) fn limits(place: &args::Place, timeout: Option<Duration>, config: &Config) -> Limits {
    let configured = &config.engine;
    Limits {
        memory_bytes: place.memory.or_else(|| config.run_memory()),
        seconds: timeout
            .map(|timeout| timeout.as_secs_f64())
            .or(configured.time_limit.map(|seconds| seconds.0)),
    }
}
