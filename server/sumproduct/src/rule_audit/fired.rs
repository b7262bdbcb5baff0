//! Which scripts fire which rules: every script below `fixtures`, and for each row of the audit a script of its own, generated from
//! what it fires on. The scripts are read as the product reads them; each of their expressions is searched by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use sumac_analysis::{NoFiles, analyze};
use sumac_la::{Dag, NodeId};
use sumac_syntax::parse;

use super::write::{Instance, Text};
use super::{fires, names};
use crate::expand::expand;
use crate::grow::islands;
use crate::rules::{self, Rule, apply};
use crate::translate::Translation;

/// Rounds of one search.
const ROUNDS: usize = 6;
/// Relations of one search.
const NODES: usize = 500;
/// Matches of one rule that are applied in one round.
const SAMPLE: usize = 30;

/// The rules that say something new of an expression within bounds, with its polyterm stated first, as searches do it, or not:
/// what is stated is nothing new for the rules that would find it.
fn fired(dag: &Dag, root: NodeId) -> BTreeSet<&'static str> {
    let mut said = fired_in(dag, root, true);
    said.extend(fired_in(dag, root, false));
    said
}

fn fired_in(dag: &Dag, root: NodeId, is_planned: bool) -> BTreeSet<&'static str> {
    let mut said = BTreeSet::new();
    let is_sized = |id: &NodeId| dag.ty(*id).is_sized();
    if !dag.reachable(&[root]).iter().all(is_sized) {
        return said;
    }
    let Some(mut t) = Translation::new(dag, &[root]) else {
        return said;
    };
    if is_planned {
        expand(&mut t, dag, &islands(dag, &[root]));
    }
    for _ in 0..ROUNDS {
        let usable = rules::usable(&t.relations);
        let mut found = Vec::new();
        for class in t.relations.classes() {
            rules::search(&t.relations, class, &usable, &mut found);
        }
        found.sort();
        let mut of_name: BTreeMap<&'static str, Vec<_>> = BTreeMap::new();
        for found in found {
            of_name.entry(found.rule.name()).or_default().push(found);
        }
        let mut is_new = false;
        for (name, found) in of_name {
            let step = found.len().div_ceil(SAMPLE);
            for found in found.iter().step_by(step) {
                if apply(&mut t.relations, found) {
                    is_new = true;
                    said.insert(name);
                }
            }
        }
        t.relations.rebuild();
        if !is_new || t.relations.graph.total_size() > NODES {
            break;
        }
    }
    said
}

/// The rules that say something new of some expression of a script, of those that are asked for.
fn fired_by(script: &str) -> BTreeSet<&'static str> {
    let parse = parse(script);
    let options = sumac_analysis::Options::default();
    let analysis = analyze(&parse, &options, &NoFiles);
    let mut said = BTreeSet::new();
    for block in &analysis.blocks {
        let parts = block.statements.iter().flat_map(|it| &it.parts);
        let roots: BTreeSet<NodeId> = parts.map(|part| part.root).collect();
        for root in roots {
            said.extend(fired(&block.dag, root));
        }
    }
    said
}

/// The scripts below a folder, in the order of their names.
fn scripts(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the fixtures are there");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            scripts(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "dml") {
            into.push(path);
        }
    }
}

/// A script that computes what a row fires on, its inputs being files of matrices.
fn script_of(text: &Text, instance: &Instance) -> String {
    let mut script = String::new();
    for (letter, shape) in text.letters().iter().zip(&instance.shapes) {
        let (rows, cols) = shape.unwrap_or((1, 1));
        script += &format!("#@ {letter}: {rows} x {cols}\n{letter} = read(${letter})\n");
    }
    script + &format!("R = {}\nwrite(R, $R)\n", text.as_dml())
}

/// The scripts of a row, one for each expression that fires over matrices.
fn scripts_of(rule: Rule) -> Vec<String> {
    let of_text = |text: &&str| {
        let text = Text::new(text);
        let mut instances = text.instances().filter(Instance::is_of_matrices);
        let instance = instances.find(|instance| fires(instance, rule))?;
        Some(script_of(&text, &instance))
    };
    rule.row()
        .audited
        .fires
        .iter()
        .filter_map(of_text)
        .collect()
}

#[test]
fn every_rule_fires_on_a_fixture_or_a_script_of_its_own() {
    let mut paths = Vec::new();
    scripts(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"),
        &mut paths,
    );
    assert!(!paths.is_empty(), "no fixtures");
    let mut by_fixtures: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &paths {
        let script = String::from_utf8_lossy(&std::fs::read(path).expect("readable")).into_owned();
        for name in fired_by(&script) {
            *by_fixtures.entry(name).or_default() += 1;
        }
    }
    let mut silent = Vec::new();
    for rule in Rule::all() {
        let fixtures = by_fixtures.get(rule.name()).copied().unwrap_or(0);
        let scripts = scripts_of(rule);
        let fired = scripts
            .iter()
            .filter(|script| fired_by(script).contains(rule.name()))
            .count();
        println!(
            "rule audit: {} fixtures={fixtures} of={} scripts={fired}",
            rule.name(),
            paths.len()
        );
        if fixtures == 0 && fired == 0 {
            silent.push(format!(
                "{} fires on no fixture, nor on\n{}",
                rule.name(),
                scripts.join("\n")
            ));
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
    assert!(by_fixtures.keys().all(|name| names().contains(name)));
}
