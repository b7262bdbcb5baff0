//! `cargo xtask supply`: what the programs are made of. Checks licences, sources and known faults of all packages, and writes the
//! notices and the bill of materials that go with a program that is handed out.
//!
//! Databases of known faults lie on the network: where one cannot be reached, that is said, and is never called a pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use serde_json::{Value, json};

use crate::setup;
use crate::shell;
use crate::tools::{Tool, Toolbox};
use crate::workspace;

/// The crate whose program is handed out.
const PROGRAM: &str = "sumac";
/// The name of the file with the licences of others.
const NOTICES: &str = "THIRD-PARTY-NOTICES.md";
/// The name of the bill of materials.
const BILL: &str = "sumac.cdx.json";
/// Beginnings of the names of files that hold a licence or a notice, in small letters.
const LEGAL: [&str; 5] = ["license", "licence", "copying", "copyright", "notice"];
/// A database of known faults that takes longer to fetch is not reached.
const FETCH_LIMIT: Duration = Duration::from_secs(120);

/// The command line of `cargo xtask supply`.
#[derive(clap::Args)]
pub struct Args {
    /// Also write the notices and the bill of materials (CycloneDX) of the program into this folder
    #[arg(long, value_name = "FOLDER")]
    write: Option<PathBuf>,
}

/// Checks all packages, and writes what goes with the program where that is asked for.
pub fn run(args: &Args) -> Result<()> {
    let tools = toolbox()?;
    if let Some(folder) = &args.write {
        write(folder)?;
    }
    check(&tools)
}

/// The tools, with the one that checks crates installed.
///
/// # Errors
/// It cannot be installed.
pub fn toolbox() -> Result<Toolbox> {
    let tools = Toolbox::open()?;
    let needs = [Tool::CargoDeny];
    setup::announce(&tools, &needs);
    if let Some(reason) = setup::install(&tools, &needs).into_values().next() {
        anyhow::bail!(reason);
    }
    Ok(tools)
}

/// Licences, sources and known faults of the crates, and of the packages of the VS Code extension.
pub fn check(tools: &Toolbox) -> Result<()> {
    let deny = |words: &[&str]| {
        let mut command = Command::new(tools.cargo_deny());
        command.args(words).current_dir(workspace::root());
        command
    };
    shell::run(&mut deny(&["check", "licenses", "bans", "sources"]))?;
    match shell::run_within(FETCH_LIMIT, &mut deny(&["fetch", "db"])) {
        Ok(()) => shell::run(&mut deny(&["check", "--disable-fetch", "advisories"]))?,
        Err(error) => println!(
            "NOT CHECKED: known faults of crates, since their database cannot be fetched: {error:#}"
        ),
    }
    audit_extension()
}

/// Known faults of the packages that the VS Code extension is built from and tested with.
fn audit_extension() -> Result<()> {
    let mut command = Command::new("npm");
    command
        .args(["audit", "--json"])
        .current_dir(workspace::vscode())
        .stdin(Stdio::null());
    println!("$ {}", shell::shown(&command));
    let output = command.output().context("cannot start npm")?;
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let Some(counts) = told["metadata"]["vulnerabilities"].as_object() else {
        println!(
            "NOT CHECKED: known faults of the extension's packages, since npm's registry did not answer"
        );
        return Ok(());
    };
    let count = |level: &str| {
        counts
            .get(level)
            .and_then(Value::as_u64)
            .unwrap_or_default()
    };
    println!("npm audit: {} known faults", count("total"));
    anyhow::ensure!(
        count("high") + count("critical") == 0,
        "packages of the extension have known faults: `npm audit` in {} names them",
        workspace::vscode().display()
    );
    Ok(())
}

/// Writes the notices and the bill of materials.
fn write(folder: &Path) -> Result<()> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace::root().join("Cargo.toml"))
        .exec()?;
    let packages = shipped(&metadata)?;
    let lock = std::fs::read_to_string(workspace::root().join("Cargo.lock"))?;
    std::fs::create_dir_all(folder)?;
    let files = [
        (NOTICES, notices(&packages)?),
        (
            BILL,
            serde_json::to_string_pretty(&bill(&metadata, &packages, &checksums(&lock)))?,
        ),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}: {} packages", path.display(), packages.len());
    }
    Ok(())
}

/// The packages of others that the program is built from, by name and version.
fn shipped(metadata: &Metadata) -> Result<Vec<&Package>> {
    let resolve = metadata.resolve.as_ref().context("nothing is resolved")?;
    let program = metadata
        .workspace_packages()
        .into_iter()
        .find(|package| package.name.as_str() == PROGRAM)
        .context("the program's crate is not in the workspace")?;
    let mut met = BTreeSet::from([program.id.clone()]);
    let mut waiting = vec![program.id.clone()];
    while let Some(id) = waiting.pop() {
        let node = resolve.nodes.iter().find(|node| node.id == id);
        for needed in node.into_iter().flat_map(|node| &node.deps) {
            let is_linked =
                |kind: &cargo_metadata::DepKindInfo| kind.kind == DependencyKind::Normal;
            if needed.dep_kinds.iter().any(is_linked) && met.insert(needed.pkg.clone()) {
                waiting.push(needed.pkg.clone());
            }
        }
    }
    let mut found: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|package| package.source.is_some() && met.contains(&package.id))
        .collect();
    found.sort_by_key(|package| (package.name.as_str(), package.version.clone()));
    Ok(found)
}

fn licence_of(package: &Package) -> &str {
    package.license.as_deref().unwrap_or("see its text")
}

/// All licences and notices, each text once.
fn notices(packages: &[&Package]) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut text = String::from(
        "# Notices of others\n\nThe program holds code of these packages, under the licences beside them. Their texts follow.\n\n",
    );
    for package in packages {
        let name = format!("{} {}", package.name, package.version);
        let authors = match package.authors.as_slice() {
            [] => String::new(),
            authors => format!(" ({})", authors.join(", ")),
        };
        let _ = writeln!(text, "- {name}: {}{authors}", licence_of(package));
        for file in legal_files(package)? {
            texts.entry(file).or_default().push(name.clone());
        }
    }
    for (legal, owners) in texts {
        let _ = write!(
            text,
            "\n## {}\n\n```text\n{}\n```\n",
            owners.join(", "),
            legal.trim_end()
        );
    }
    Ok(text)
}

/// The texts of a package's files about its licence.
fn legal_files(package: &Package) -> Result<BTreeSet<String>> {
    let folder = package
        .manifest_path
        .parent()
        .context("a manifest lies in a folder")?;
    let mut texts = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_lowercase();
        if path.is_file() && LEGAL.iter().any(|start| name.starts_with(start)) {
            texts.insert(String::from_utf8_lossy(&std::fs::read(&path)?).replace('\r', ""));
        }
    }
    Ok(texts)
}

/// The SHA-256 of each package by name and version, from `Cargo.lock`.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let field = |package: &'_ str, name: &str| -> Option<(usize, usize)> {
        let start = package.find(&format!("\n{name} = \""))? + name.len() + 5;
        Some((start, start + package[start..].find('"')?))
    };
    lock.split("[[package]]")
        .filter_map(|package| {
            let get = |name| field(package, name).map(|(start, end)| &package[start..end]);
            Some(((get("name")?, get("version")?), get("checksum")?))
        })
        .collect()
}

/// The bill of materials as CycloneDX 1.5 describes it.
fn bill(
    metadata: &Metadata,
    packages: &[&Package],
    checksums: &BTreeMap<(&str, &str), &str>,
) -> Value {
    let reference = |package: &Package| format!("pkg:cargo/{}@{}", package.name, package.version);
    let component = |package: &&Package| {
        let version = package.version.to_string();
        let sums = checksums.get(&(package.name.as_str(), version.as_str()));
        json!({
            "type": "library",
            "bom-ref": reference(package),
            "purl": reference(package),
            "name": package.name.as_str(),
            "version": version,
            "licenses": [{ "expression": licence_of(package).replace('/', " OR ") }],
            "hashes": sums.iter().map(|sum| json!({ "alg": "SHA-256", "content": sum })).collect::<Vec<_>>(),
        })
    };
    let own = metadata.workspace_packages();
    let program = own.iter().find(|package| package.name.as_str() == PROGRAM);
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": PROGRAM,
                "version": program.map(|package| package.version.to_string()),
            },
        },
        "components": packages.iter().map(component).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.2.0\"\nchecksum = \"ab12\"\n\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
        assert_eq!(checksums(lock), BTreeMap::from([(("a", "1.2.0"), "ab12")]));
    }

    #[test]
    fn notices_hold_every_package_and_its_licence() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path()).expect("written");
        let notices = std::fs::read_to_string(folder.path().join(NOTICES)).expect("there");
        let bill = std::fs::read(folder.path().join(BILL)).expect("there");
        let bill: Value = serde_json::from_slice(&bill).expect("JSON");
        let components = bill["components"].as_array().expect("a list");
        assert!(components.len() > 100, "{}", components.len());
        for one in components {
            let (name, version) = (one["name"].as_str(), one["version"].as_str());
            let name = format!(
                "- {} {}: ",
                name.expect("named"),
                version.expect("numbered")
            );
            assert!(notices.contains(&name), "{name}");
            let sum = one["hashes"][0]["content"].as_str().expect("a checksum");
            assert_eq!(sum.len(), 64, "{name}");
        }
        // What is under the Mozilla licence comes with its text.
        assert!(notices.contains("Mozilla Public License"));
    }
}
