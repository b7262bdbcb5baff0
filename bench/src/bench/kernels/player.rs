//! The programs that are timed. Each is started once and answers on a line what a case takes, in seconds.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use xtask::tools::{Tool, Toolbox};
use xtask::{setup, shell, workspace};

/// Who answers with times.
pub(crate) trait Player {
    /// The program's lines.
    fn lines(&mut self) -> &mut Lines;

    /// What one run of the case takes: the median of some.
    ///
    /// # Errors
    /// The program does not know the case, or has ended.
    fn seconds(&mut self, case: &str) -> Result<f64> {
        self.lines().seconds(case)
    }

    /// Lets go of the data of earlier cases.
    ///
    /// # Errors
    /// The program has ended.
    fn forget(&mut self) -> Result<()> {
        self.lines().say("forget")
    }
}

/// A program that reads and writes lines.
pub(crate) struct Lines {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    shown: String,
}

impl Lines {
    fn start(command: &mut Command) -> Result<Lines> {
        let shown = shell::shown(command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start `{shown}`"))?;
        let stdin = child.stdin.take().context("its input is a pipe")?;
        let stdout = child.stdout.take().context("its output is a pipe")?;
        Ok(Lines {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            shown,
        })
    }

    fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.stdin, "{line}")
            .and_then(|()| self.stdin.flush())
            .with_context(|| format!("`{}` has ended", self.shown))
    }

    fn ask(&mut self, line: &str) -> Result<String> {
        self.say(line)?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        anyhow::ensure!(!answer.is_empty(), "`{}` ended at `{line}`", self.shown);
        Ok(answer.trim_end().to_owned())
    }

    fn seconds(&mut self, case: &str) -> Result<f64> {
        let answer = self.ask(case)?;
        let Some((name, seconds)) = answer.split_once(' ') else {
            bail!("`{case}` was answered by `{answer}`: a name and seconds expected");
        };
        anyhow::ensure!(name == case, "`{case}` was answered as `{name}`");
        seconds
            .parse()
            .with_context(|| format!("`{case}` took `{seconds}`: a number of seconds expected"))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // It has nothing to lose; that it may have ended by itself is of no consequence.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The kernels and the machine's limits: a benchmark of the runtime, in the release profile.
pub(super) struct Kernels(Lines);

impl Kernels {
    /// Builds and starts it.
    ///
    /// # Errors
    /// It does not build.
    pub(super) fn start() -> Result<Kernels> {
        let mut command = Command::new(env!("CARGO"));
        command
            .args(["bench", "--package", "sumac-runtime", "--bench", "kernels"])
            .current_dir(workspace::root());
        Ok(Kernels(Lines::start(&mut command)?))
    }
}

impl Player for Kernels {
    fn lines(&mut self) -> &mut Lines {
        &mut self.0
    }
}

/// A program in Python with NumPy and SciPy.
pub(crate) struct Peer(Lines);

impl Peer {
    /// Installs them if need be, and starts them.
    ///
    /// # Errors
    /// They cannot be installed.
    pub(super) fn start() -> Result<Peer> {
        Peer::of(Tool::NumPy, "bench/src/bench/kernels/peer.py")
    }

    /// Installs a tool with NumPy in it if need be, and starts a program in its Python. OpenBLAS is told to use its kernels
    /// for AVX-512, for it does not know every processor that has it, and to use two threads.
    ///
    /// # Errors
    /// It cannot be installed.
    pub(crate) fn of(tool: Tool, program: &str) -> Result<Peer> {
        let tools = Toolbox::open()?;
        if !tool.ready(&tools) {
            setup::announce(&tools, &[tool]);
        }
        if let Some((tool, why)) = setup::install(&tools, &[tool]).iter().next() {
            bail!("{} is needed: {why}", tool.title());
        }
        let mut command = Command::new(tools.python_of(tool));
        command
            .arg(workspace::root().join(program))
            .env_remove("OPENBLAS_L2_SIZE")
            .env("OPENBLAS_CORETYPE", "SkylakeX")
            .env("OPENBLAS_NUM_THREADS", "2");
        Ok(Peer(Lines::start(&mut command)?))
    }

    /// Versions, for the report.
    ///
    /// # Errors
    /// The program has ended.
    pub(crate) fn about(&mut self) -> Result<String> {
        self.0.ask("about")
    }
}

impl Player for Peer {
    fn lines(&mut self) -> &mut Lines {
        &mut self.0
    }

    /// As for all, and then some rest: a thread of OpenBLAS waits busily for about 0.1 s after its last product, on a core
    /// that belongs to who is timed next.
    fn seconds(&mut self, case: &str) -> Result<f64> {
        const REST: Duration = Duration::from_millis(300);
        let seconds = self.0.seconds(case)?;
        std::thread::sleep(REST);
        Ok(seconds)
    }
}
