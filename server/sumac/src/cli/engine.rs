//! The engine that a command runs on, and its limits: what the command line says, or else the configuration.

use std::time::Duration;

use sumac_engine::{EngineError, Limits, LocalEngine};

use super::args;
use crate::config::{Config, EngineName};

/// The engine that the command line or the configuration names.
pub(super) fn engine(place: &args::Place, config: &Config) -> Result<LocalEngine, EngineError> {
    let given = place.engine.map(|name| match name {
        args::EngineName::Local => EngineName::Local,
    });
    match given.or(config.engine.name).unwrap_or_default() {
        EngineName::Local => LocalEngine::current().map_err(|error| EngineError::Start {
            program: "sumac".to_owned(),
            reason: error.to_string(),
        }),
    }
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
