//! What a caller says beside the script.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sumac_syntax::ast::Fact;

/// What a caller says beside the script.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    /// Facts of the command line; each holds as if it were a `#@` line before the script.
    pub facts: Vec<Fact>,
    /// Values of `$` arguments, without the dollar sign.
    pub args: BTreeMap<String, String>,
    /// Where relative paths start, usually the script's folder. `None`: files with relative paths are not looked at.
    pub base_dir: Option<PathBuf>,
}
