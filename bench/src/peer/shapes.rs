//! Sizes: what we know of each variable, beside what SystemDS's compiler knows of it.
//!
//! Both get the same made-up arguments and inputs. Two sizes that are both known must be equal; which side knows more is
//! counted. SystemDS never runs a script here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sumac_analysis::{DiskFiles, Options, ValueKind, VariableFact, analyze};
use sumac_la::Dim;
use sumac_syntax::ast::{Program, StmtKind};
use sumac_syntax::parse;
use sumac_syntax::walk::{Node, walk};

use super::compiler::{Compiler, Outcome, Write};
use super::guess::{GUESSES, Inputs};
use super::reviewed::Reviewed;
use super::scripts;
use super::systemds::SystemDs;
use crate::report::Report;

/// Scripts that must have something to compare.
const LEAST: usize = 100;

/// How one size compares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Agrees,
    WeMore,
    TheyMore,
    NeitherKnows,
    Disagrees,
}

/// A variable after a statement, both ways.
struct Compared {
    name: String,
    line: usize,
    ours: String,
    theirs: String,
    sides: Vec<Side>,
}

/// Compares, and prints what differs; with `verbose` also what only one side knows.
///
/// # Errors
/// SystemDS cannot be asked.
pub(crate) fn measure(report: &mut Report, checkout: &Path, verbose: bool) -> Result<()> {
    report.heading("Sizes beside those of SystemDS's compiler");
    let files = scripts::below(checkout)?;
    let systemds = SystemDs::open()?;
    let program = systemds.compile("CompileScripts")?;
    let scratch = tempfile::tempdir()?;
    let inputs = Inputs::create(scratch.path())?;
    let results = scripts::on_two_threads(
        &files,
        || Compiler::start(&program, checkout),
        |compiler, file| compare(checkout, file, &inputs, compiler),
    )?;
    let reviewed = Reviewed::load("shapes");
    let mut totals: BTreeMap<Side, usize> = BTreeMap::new();
    let (mut compiled, mut with_sizes, mut variables, mut open) = (0, 0, 0, 0);
    for (file, compared) in files.iter().zip(results) {
        let Some(compared) = compared else { continue };
        compiled += 1;
        variables += compared.len();
        let known =
            |c: &Compared| c.sides.contains(&Side::Agrees) || c.sides.contains(&Side::Disagrees);
        with_sizes += usize::from(compared.iter().any(known));
        for variable in compared {
            for side in &variable.sides {
                *totals.entry(*side).or_default() += 1;
            }
            let differs = variable.sides.contains(&Side::Disagrees);
            let less = variable.sides.contains(&Side::TheyMore);
            let is_open = differs && !reviewed.has(&file.to_string_lossy(), &variable.name);
            open += usize::from(is_open);
            let more = variable.sides.contains(&Side::WeMore);
            if is_open || verbose && (less || more || differs) {
                let word = if differs {
                    "differs"
                } else if less {
                    "theirs"
                } else {
                    "ours"
                };
                println!(
                    "{word}: {}:{}: {}: ours {}, SystemDS {}",
                    file.display(),
                    variable.line,
                    variable.name,
                    variable.ours,
                    variable.theirs
                );
            }
        }
    }
    let count = |side: Side| totals.get(&side).copied().unwrap_or(0);
    report.note(&format!(
        "{compiled} of {} scripts compile with made-up arguments",
        files.len()
    ));
    report.bar(
        "scripts with sizes that both know",
        &with_sizes.to_string(),
        &format!("at least {LEAST}"),
        with_sizes >= LEAST,
    );
    report.note(&format!(
        "{variables} assignments compared, each by kind, rows and columns: {} agree, {} only SystemDS knows, {} only we \
         know, {} neither knows",
        count(Side::Agrees),
        count(Side::TheyMore),
        count(Side::WeMore),
        count(Side::NeitherKnows),
    ));
    report.bar(
        "differing and not explained in the reviewed list",
        &format!("{open} of {} that differ", count(Side::Disagrees)),
        "0",
        open == 0,
    );
    Ok(())
}

/// `None` where SystemDS accepts the script with no guess.
fn compare(
    checkout: &Path,
    file: &PathBuf,
    inputs: &Inputs,
    compiler: &mut Compiler,
) -> Result<Option<Vec<Compared>>> {
    let path = checkout.join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(None);
    };
    let parsed = parse(text.as_str());
    let mut tried = Vec::new();
    for guess in &GUESSES {
        let args = inputs.arguments(parsed.program(), guess);
        if tried.contains(&args) {
            continue;
        }
        let answer = compiler.compile(file, &args)?;
        let (statements, plan) = match (answer.statements, answer.plan) {
            (Err(refusal), Err(_)) if refusal.stage == "parse" => return Ok(None),
            (Err(_), Err(_)) => {
                tried.push(args);
                continue;
            }
            found => found,
        };
        let options = Options {
            args,
            base_dir: path.parent().map(Path::to_path_buf),
            ..Options::default()
        };
        let analysis = analyze(&parsed, &options, &DiskFiles);
        let mut facts = analysis.variables.clone();
        if assigns_into_frame_or_list(parsed.program(), &facts) {
            // SystemDS types whatever is assigned into as a matrix from there on; when it runs, the kind stays.
            facts.retain(|fact| !matches!(fact.kind, ValueKind::Frame | ValueKind::List));
        }
        let mut all = pair(&text, &facts, &statements);
        let seen: Vec<(String, usize)> = all.iter().map(|c| (c.name.clone(), c.line)).collect();
        // The plan adds what only rewriting and inlining find out.
        all.extend(pair(&text, &facts, &plan).into_iter().filter(|c| {
            !seen.contains(&(c.name.clone(), c.line)) || c.sides.contains(&Side::Disagrees)
        }));
        return Ok(Some(all));
    }
    Ok(None)
}

fn assigns_into_frame_or_list(program: &Program, facts: &[VariableFact]) -> bool {
    let is_one = |name: &str| {
        facts.iter().any(|fact| {
            *fact.name == *name && matches!(fact.kind, ValueKind::Frame | ValueKind::List)
        })
    };
    let mut found = false;
    walk(program, &mut |node| {
        if let Node::Stmt(stmt) = node
            && let StmtKind::Assign { target, .. } = &stmt.kind
        {
            found |= target.index.is_some() && is_one(&target.name.name);
        }
    });
    found
}

/// Assignments of one variable on one line meet in their order, where there are as many on both sides.
fn pair(text: &str, ours: &[VariableFact], theirs: &Outcome) -> Vec<Compared> {
    let Ok(theirs) = theirs else {
        return Vec::new();
    };
    type Both<'a> = (Vec<&'a VariableFact>, Vec<&'a Write>);
    let mut places: BTreeMap<(&str, usize), Both<'_>> = BTreeMap::new();
    for fact in ours {
        let line = text[..fact.range.start].matches('\n').count() + 1;
        places.entry((&fact.name, line)).or_default().0.push(fact);
    }
    for write in theirs {
        let place = places.entry((&write.name, write.line)).or_default();
        place.1.push(write);
    }
    let mut all = Vec::new();
    for ((name, line), (facts, writes)) in places {
        if facts.len() != writes.len() {
            continue;
        }
        for (fact, write) in facts.into_iter().zip(writes) {
            all.push(Compared {
                name: name.to_owned(),
                line,
                ours: format!("{} {} x {}", fact.kind.name(), fact.ty.rows, fact.ty.cols),
                theirs: shown(write),
                sides: sides(fact, write),
            });
        }
    }
    all
}

fn sides(fact: &VariableFact, write: &Write) -> Vec<Side> {
    let kind = match (fact.kind, write.kind.as_str()) {
        (ValueKind::Unknown, "UNKNOWN") => Side::NeitherKnows,
        (ValueKind::Unknown, _) => Side::TheyMore,
        (_, "UNKNOWN") => Side::WeMore,
        (ValueKind::Matrix, "MATRIX") | (ValueKind::Frame, "FRAME") | (ValueKind::List, "LIST") => {
            Side::Agrees
        }
        (kind, "SCALAR") if kind.is_scalar() => Side::Agrees,
        _ => Side::Disagrees,
    };
    let mut all = vec![kind];
    if kind == Side::Agrees && matches!(fact.kind, ValueKind::Matrix | ValueKind::Frame) {
        all.push(side(&fact.ty.rows, write.rows));
        all.push(side(&fact.ty.cols, write.cols));
    }
    all
}

fn side(ours: &Dim, theirs: Option<u64>) -> Side {
    match (ours.known(), theirs) {
        (Some(a), Some(b)) if a == b => Side::Agrees,
        (Some(_), Some(_)) => Side::Disagrees,
        (Some(_), None) => Side::WeMore,
        (None, Some(_)) => Side::TheyMore,
        (None, None) => Side::NeitherKnows,
    }
}

fn shown(write: &Write) -> String {
    let size = |size: Option<u64>| size.map_or_else(|| "?".to_owned(), |n| n.to_string());
    format!(
        "{} {} x {}",
        write.kind.to_ascii_lowercase(),
        size(write.rows),
        size(write.cols)
    )
}
