//! Prints expressions at random and what they are written back as, as lines of JSON: for comparing both in Python.

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use sumac_python::{Step, Tree, lower, price, print, raise};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |otherwise: usize| {
        let argument = arguments.next();
        argument
            .and_then(|text| text.parse().ok())
            .unwrap_or(otherwise)
    };
    let (count, most) = (number(1000), number(12));
    let mut out = std::io::stdout().lock();
    let mut random = common::Random(7);
    for at in 0..2 * count {
        let tree = if at < count {
            common::tree(&mut random, most)
        } else {
            let leaves = common::mixed(&mut random);
            common::tree_of(leaves, &mut random, most)
        };
        let Some(dag) = lower(&tree) else { continue };
        let (source, _) = print(&tree, &common::style()).expect("NumPy has a name");
        let atoms: BTreeMap<Arc<str>, Tree> = tree
            .nodes()
            .filter_map(|node| match &node.step {
                Step::Atom(atom) => Some((Arc::clone(&atom.text), node.clone())),
                Step::Size(text) => Some((Arc::clone(text), node.clone())),
                _ => None,
            })
            .collect();
        let raised = raise(&dag, &atoms, &tree.value);
        let kind = format!("tree {}", tree.value.dtype.name().unwrap_or_default());
        line(&mut out, &kind, &source, &dag.print(dag.roots()[0]), raised)?;
    }
    for _ in 0..count {
        let form = common::form(&mut random, most);
        let root = form.roots()[0];
        let source = common::in_python(&form, root);
        let raised = raise(&form, &common::atoms(), &common::wanted(&form));
        line(&mut out, "form", &source, &form.print(root), raised)?;
    }
    Ok(())
}

/// One pair.
fn line(
    out: &mut impl Write,
    kind: &str,
    source: &str,
    form: &str,
    raised: Result<Vec<Tree>, String>,
) -> std::io::Result<()> {
    let sizes = |name: &str| match name {
        "n" => Some(2000.0),
        "d" => Some(60.0),
        _ => Some(10.0),
    };
    let seconds: Vec<String> = raised
        .iter()
        .flatten()
        .filter_map(|tree| Some(price(tree)?.seconds.at(&sizes)?.to_string()))
        .collect();
    let (texts, problem) = match raised {
        Ok(trees) => {
            let texts = trees
                .iter()
                .filter_map(|tree| Some(format!("{:?}", print(tree, &common::style())?.0)));
            (texts.collect::<Vec<_>>(), String::new())
        }
        Err(problem) => (Vec::new(), problem),
    };
    writeln!(
        out,
        "{{\"kind\": {kind:?}, \"source\": {source:?}, \"form\": {form:?}, \"raised\": [{}], \"problem\": {problem:?}, \"seconds\": [{}]}}",
        texts.join(", "),
        seconds.join(", ")
    )
}
