//! What the command line says about every script, and with what each one is read then.

use std::path::{Path, PathBuf};

use super::args::Common;
use super::exit::Usage;
use super::{input, render};
use crate::config::{self, Found, Layer};
use crate::script::{Context, Stated};

/// What the command line says about every script.
#[derive(Clone, Debug)]
pub(super) struct Said {
    /// Facts and arguments.
    pub(super) stated: Stated,
    /// What counts more than a file.
    pub(super) layer: Layer,
    file: Option<PathBuf>,
}

impl Said {
    /// Reads the common options.
    ///
    /// # Errors
    /// A fact or a setting cannot be read.
    pub(super) fn new(common: &Common) -> Result<Self, Usage> {
        let facts = common.facts.iter().map(|text| Stated::fact(text));
        let args = common.set.iter().map(|text| input::split_setting(text));
        let stated = Stated {
            facts: facts.collect::<Result<_, _>>()?,
            args: args.collect::<Result<_, _>>()?,
            ..Stated::default()
        };
        Ok(Said {
            stated,
            layer: Layer::default(),
            file: common.config.clone(),
        })
    }

    /// What the script at `path` is read with.
    ///
    /// # Errors
    /// Its `sumac.toml` is wrong: all that is wrong with it, a line each.
    pub(super) fn context(&self, path: &Path) -> Result<Context, Usage> {
        let found = match &self.file {
            Some(file) => Some(config::load(file.clone())),
            None => config::find(path, None),
        };
        let found = found.unwrap_or_default();
        if !found.problems.is_empty() {
            return Err(Usage(problems(&found)));
        }
        let config = self.layer.over(&found.layer).config();
        Ok(Context::new(config, &self.stated))
    }
}

fn problems(found: &Found) -> String {
    let lines = sumac_text::LineIndex::new(found.text.as_str());
    let problem = |problem: &config::Problem| {
        let (line, column) = render::line_column(&lines, problem.range.start);
        let path = found.path.display();
        format!("{path}:{line}:{column}: {}", problem.message)
    };
    let all: Vec<String> = found.problems.iter().map(problem).collect();
    all.join("\n")
}
