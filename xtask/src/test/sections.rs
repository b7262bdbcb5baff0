//! The sections of the test command, one row each: what part it belongs to, what it needs, what it runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use cargo_metadata::{Message, TargetKind};

use super::{Bench, Part, Section, slowest};
use crate::tools::Tool;
use crate::{codegen, shell, supply, tidy, workspace};

/// Quick ones first: a slip is told within seconds.
pub(super) const ALL: [Section; 11] = [
    Section {
        part: Part::Tidy,
        name: "Conventions",
        needs: &[],
        run: |_| tidy::run(&tidy::Args::default()),
    },
    Section {
        part: Part::Supply,
        name: "Supply chain: licences, sources, known faults",
        needs: &[Tool::CargoDeny, Tool::Node],
        run: |bench| supply::check(&bench.tools),
    },
    Section {
        part: Part::Rust,
        name: "Rust: format",
        needs: &[],
        run: format,
    },
    Section {
        part: Part::Rust,
        name: "Rust: lints",
        needs: &[],
        run: lints,
    },
    Section {
        part: Part::Rust,
        name: "Rust: tests",
        needs: &[],
        run: rust_tests,
    },
    Section {
        part: Part::Rust,
        name: "Rust: doc tests",
        needs: &[],
        run: doc_tests,
    },
    Section {
        part: Part::Grammar,
        name: "Grammar: generated files are up to date",
        needs: &[Tool::Node, Tool::TreeSitter],
        run: |bench| codegen::check(&bench.tools),
    },
    Section {
        part: Part::Grammar,
        name: "Grammar: corpus",
        needs: &[Tool::TreeSitter],
        run: corpus,
    },
    Section {
        part: Part::Vscode,
        name: "VS Code extension: types, unit tests, bundle",
        needs: &[Tool::Node],
        run: extension,
    },
    Section {
        part: Part::Vscode,
        name: "VS Code extension in the real workbench",
        needs: &[Tool::Node, Tool::System, Tool::Node24, Tool::CodeServer],
        run: workbench,
    },
    Section {
        part: Part::Neovim,
        name: "Neovim plugin in the real Neovim",
        needs: &[Tool::Neovim, Tool::TreeSitter],
        run: neovim,
    },
];

/// A real editor that hangs is ended after this time.
const EDITOR_LIMIT: Duration = Duration::from_secs(10 * 60);

fn cargo(bench: &Bench, arguments: &[&str]) -> Result<()> {
    shell::run(
        Command::new("cargo")
            .args(arguments)
            .current_dir(&bench.root),
    )
}

fn format(bench: &Bench) -> Result<()> {
    // Names of files are enough: `cargo fmt` shows and mends the rest.
    cargo(bench, &["fmt", "--all", "--", "--check", "-l"])
}

fn lints(bench: &Bench) -> Result<()> {
    cargo(
        bench,
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    )
}

fn rust_tests(bench: &Bench) -> Result<()> {
    if shell::on_path("cargo-nextest").is_some() {
        let report = slowest::Report::new(&workspace::target())?;
        let outcome = cargo(bench, &["nextest", "run", "--workspace", "--no-fail-fast"]);
        if let Some(text) = report.slowest()? {
            println!("{text}");
        }
        outcome
    } else {
        cargo(
            bench,
            &["test", "--workspace", "--all-targets", "--no-fail-fast"],
        )
    }
}

fn doc_tests(bench: &Bench) -> Result<()> {
    cargo(bench, &["test", "--workspace", "--doc", "--no-fail-fast"])
}

fn corpus(bench: &Bench) -> Result<()> {
    for grammar in workspace::grammars()? {
        let report = shell::read(
            Command::new(bench.tools.tree_sitter())
                .arg("test")
                .current_dir(&grammar)
                .env("TREE_SITTER_LIBDIR", bench.tools.dir.join("parsers")),
        )?;
        println!("{report}");
        // The command line finds it quite all right when there is nothing to test.
        anyhow::ensure!(
            !report.contains("Total parses: 0;"),
            "{}: no corpus test was run",
            grammar.display()
        );
    }
    Ok(())
}

fn npm(script: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(script).current_dir(workspace::vscode());
    command
}

pub(super) fn npm_ci() -> Result<()> {
    shell::run(&mut npm(&[
        "ci",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ]))
}

fn extension(bench: &Bench) -> Result<()> {
    bench.node_modules()?;
    for script in ["check", "test:unit", "build"] {
        shell::run(&mut npm(&["run", "--silent", script]))?;
    }
    Ok(())
}

fn workbench(bench: &Bench) -> Result<()> {
    let server = bench.server()?;
    bench.node_modules()?;
    shell::run(&mut npm(&["run", "--silent", "package"]))?;
    shell::run_within(
        EDITOR_LIMIT,
        Command::new("node")
            .arg("test/e2e/run.mjs")
            .current_dir(workspace::vscode())
            .env("SUMAC_SERVER", server)
            .env("SUMAC_E2E_NODE", bench.tools.node24())
            .env("SUMAC_E2E_CODE_SERVER", bench.tools.code_server())
            .env("SUMAC_E2E_CHROMIUM", bench.tools.chromium()?)
            .env("SUMAC_E2E_OUT", workspace::editor_output().join("vscode")),
    )
}

fn neovim(bench: &Bench) -> Result<()> {
    let server = bench.server()?;
    let home = tempfile::tempdir()?;
    // The parser and its queries, laid out on the run-time path as the plugin's help describes.
    let grammar = bench.root.join("grammars/dml");
    let runtime = home.path().join("runtime");
    std::fs::create_dir_all(runtime.join("parser"))?;
    std::fs::create_dir_all(runtime.join("queries/dml"))?;
    shell::run(
        Command::new(bench.tools.tree_sitter())
            .arg("build")
            .arg("--output")
            .arg(runtime.join("parser/dml.so"))
            .arg(&grammar),
    )?;
    for query in std::fs::read_dir(grammar.join("queries"))? {
        let query = query?;
        std::fs::copy(
            query.path(),
            runtime.join("queries/dml").join(query.file_name()),
        )?;
    }
    shell::run_within(
        EDITOR_LIMIT,
        Command::new(bench.tools.neovim())
            .args([
                "--clean",
                "--headless",
                "-u",
                "test/init.lua",
                "-l",
                "test/run.lua",
            ])
            .current_dir(workspace::neovim())
            .env("SUMAC_SERVER", server)
            .env("SUMAC_E2E_RUNTIME", &runtime)
            .env("SUMAC_E2E_OUT", workspace::editor_output().join("neovim"))
            .env("XDG_STATE_HOME", home.path().join("state"))
            .env("XDG_DATA_HOME", home.path().join("data"))
            .env("XDG_CONFIG_HOME", home.path().join("config"))
            .env("XDG_CACHE_HOME", home.path().join("cache")),
    )
}

/// Builds the `sumac` binary of this checkout and returns its path.
pub(super) fn build_server(root: &Path) -> Result<PathBuf> {
    let mut command = Command::new("cargo");
    command
        .args([
            // As the tests are built: what they have built is not built again with other features.
            "test",
            "--workspace",
            "--no-run",
            "--message-format",
            "json-render-diagnostics",
        ])
        .current_dir(root)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    println!("$ {}", shell::shown(&command));
    let output = command.output().context("cannot start cargo")?;
    anyhow::ensure!(output.status.success(), "the server does not build");
    Message::parse_stream(output.stdout.as_slice())
        .filter_map(Result::ok)
        .find_map(|message| match message {
            Message::CompilerArtifact(artifact)
                if artifact.target.name == "sumac"
                    && !artifact.profile.test
                    && artifact.target.kind.contains(&TargetKind::Bin) =>
            {
                artifact.executable
            }
            _ => None,
        })
        .map(|path| path.into_std_path_buf())
        .context("cargo built no program called `sumac`")
}
