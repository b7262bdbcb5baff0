//! Running other programs: shown before they start, never through a shell, failures told with their command line.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The command as a person would type it, without its environment.
pub fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            if word.is_empty() || word.contains([' ', '\n', '"', '\'']) {
                format!("{word:?}")
            } else {
                word.into_owned()
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs the command with its output going straight to the terminal.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    anyhow::ensure!(status.success(), "`{}` failed: {status}", shown(command));
    Ok(())
}

/// Like [`run`], but the program is killed when it takes longer than `limit`.
pub fn run_within(limit: Duration, command: &mut Command) -> Result<()> {
    println!("$ {}", shown(command));
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            anyhow::ensure!(status.success(), "`{}` failed: {status}", shown(command));
            return Ok(());
        }
        if started.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            bail!(
                "`{}` did not end within {} s",
                shown(command),
                limit.as_secs()
            );
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Runs the command and returns what it wrote to stdout; all it wrote is part of the error.
pub fn read(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{}`", shown(command)))?;
    anyhow::ensure!(
        output.status.success(),
        "`{}` failed: {}\n{}{}",
        shown(command),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).with_context(|| format!("`{}` wrote no UTF-8", shown(command)))
}

/// The program of that name on the search path.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_spaces_are_quoted() {
        assert_eq!(
            shown(Command::new("a").args(["b c", "d", ""])),
            r#"a "b c" d """#
        );
    }

    #[test]
    fn a_failing_program_is_named_with_its_status() {
        let error = run(Command::new("sh").args(["-c", "exit 3"]))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("exit 3") && error.contains("status: 3"),
            "{error}"
        );
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = read(&mut Command::new("no-such-program-here"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("no-such-program-here"), "{error}");
    }

    #[test]
    fn a_program_over_its_limit_is_killed() {
        let error = run_within(
            Duration::ZERO,
            Command::new("sh").args(["-c", "while :; do :; done"]),
        )
        .unwrap_err()
        .to_string();
        assert!(error.contains("did not end"), "{error}");
    }
}
