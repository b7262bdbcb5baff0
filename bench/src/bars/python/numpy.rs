//! The NumPy that figures are held against: a tool of its own, which is installed where it is missing.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use xtask::setup;
use xtask::tools::{Tool, Toolbox};
use xtask::workspace;

/// Runs a program of this folder in it, with a request on its standard input; its answer is JSON.
///
/// # Errors
/// It cannot be installed, or the program fails.
pub(super) fn asked(program: &str, request: &Value) -> Result<Value> {
    let tools = Toolbox::open()?;
    if !Tool::NumPy.ready(&tools) {
        setup::announce(&tools, &[Tool::NumPy]);
    }
    if let Some((tool, why)) = setup::install(&tools, &[Tool::NumPy]).iter().next() {
        bail!("{} is needed: {why}", tool.title());
    }
    let mut child = Command::new(tools.python_of(Tool::NumPy))
        .arg(
            workspace::root()
                .join("bench/src/bars/python")
                .join(program),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("the Python of the tools does not start")?;
    let mut stdin = child.stdin.take().context("it has a standard input")?;
    let text = request.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let ended = child.wait_with_output()?;
    writer
        .join()
        .ok()
        .context("the request was not written")??;
    ensure!(ended.status.success(), "{program} failed: {}", ended.status);
    serde_json::from_slice(&ended.stdout).with_context(|| format!("{program} answers no JSON"))
}
