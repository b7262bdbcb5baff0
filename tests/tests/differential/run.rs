//! One script under every way to run it, against the reference.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sumac_fusion::Policy;
use sumac_runtime::fused::Planning;
use sumac_runtime::interp::{Compression, RunOptions, run};
use sumac_runtime::{Cancel, Value};

use super::reference;
use super::script::{Env, Script, Stmt};
use super::value::Val;

/// A way to run a script.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    policy: Policy,
    any_size: bool,
    compression: Compression,
    blocks: bool,
    /// Whether variables are looked at, or only what is printed.
    wants_variables: bool,
}

const USUAL: Way = Way {
    policy: Policy::CostBased,
    any_size: true,
    compression: Compression::Never,
    blocks: true,
    wants_variables: true,
};

/// All that are tried.
pub(crate) const WAYS: [Way; 9] = [
    Way {
        policy: Policy::None,
        ..USUAL
    },
    USUAL,
    Way {
        policy: Policy::FuseAll,
        ..USUAL
    },
    Way {
        policy: Policy::FuseNoRedundancy,
        ..USUAL
    },
    Way {
        policy: Policy::FuseAll,
        wants_variables: false,
        ..USUAL
    },
    Way {
        blocks: false,
        ..USUAL
    },
    Way {
        policy: Policy::None,
        compression: Compression::Always,
        ..USUAL
    },
    Way {
        policy: Policy::FuseAll,
        compression: Compression::Always,
        ..USUAL
    },
    // As `sumac run` does it.
    Way {
        any_size: false,
        compression: Compression::Auto,
        wants_variables: false,
        ..USUAL
    },
];

/// What a run gave otherwise than the reference; `None` if nothing.
pub(crate) fn difference(script: &Script, env: &Env, way: Way) -> Option<String> {
    let text = script.text(env.iter());
    let parsed = sumac_syntax::parse(text.as_str());
    if !parsed.errors().is_empty() {
        return Some(format!("it is not read: {:?}", parsed.errors()));
    }
    let options = RunOptions {
        args: BTreeMap::new(),
        base: PathBuf::from("."),
        seed: 1,
        cancel: Cancel::default(),
        loader: &|_| Err("there is none".to_owned()),
        planning: Planning {
            policy: way.policy,
            any_size: way.any_size,
            ..Planning::default()
        },
        compression: way.compression,
        blocks: way.blocks,
        wants_variables: way.wants_variables,
        installation: None,
    };
    let mut printed = Vec::new();
    let outcome = match run(parsed.program(), &text, &options, &mut |line| {
        printed.push(line.to_owned());
    }) {
        Ok(outcome) => outcome,
        Err(error) => return Some(format!("it ends: {error}")),
    };
    if printed.len() != env.len() {
        return Some(format!("{} lines for {}", printed.len(), env.len()));
    }
    for ((name, val), line) in env.iter().zip(&printed) {
        let sum = match val.is_scalar {
            true => Some(val.clone()),
            false => reference::aggregate("sum", val),
        };
        // A sum that is not worth comparing is not compared; the cells are.
        let Some(sum) = sum else { continue };
        let number = line.split(' ').nth(1).and_then(|text| text.parse().ok());
        let Some(number) = number else {
            return Some(format!("`{line}` for {name}"));
        };
        if !is_near(number, sum.cells[0], &sum) {
            return Some(format!("{name} has the sum {number} for {}", sum.cells[0]));
        }
    }
    if !way.wants_variables {
        return None;
    }
    env.iter()
        .find_map(|(name, val)| match outcome.variables.get(name) {
            None => Some(format!("{name} is not there")),
            Some(found) => other(found, val).map(|what| format!("{name}: {what}")),
        })
}

/// What tells a value from that of the reference.
fn other(found: &Value, val: &Val) -> Option<String> {
    let (shape, cells) = match found.as_matrix() {
        Some(matrix) => (matrix.shape(), matrix.to_cells()),
        None => ((1, 1), vec![found.as_number()?]),
    };
    if found.as_matrix().is_none() != val.is_scalar || shape != val.shape() {
        return Some(format!("{} for {:?}", found.describe(), val.shape()));
    }
    let mut both = cells.iter().zip(&val.cells).enumerate();
    let (at, (a, b)) = both.find(|(_, (a, b))| !is_near(**a, **b, val))?;
    Some(format!(
        "cell {at} is {a} for {b}, off by {:e} of {:e}",
        a - b,
        val.error
    ))
}

fn is_near(a: f64, b: f64, val: &Val) -> bool {
    a == b || (a - b).abs() <= val.error
}

/// The first way in which a script gives something else, and what.
pub(crate) fn first_difference(script: &Script, env: &Env) -> Option<(Way, String)> {
    WAYS.iter()
        .find_map(|way| Some((*way, difference(script, env, *way)?)))
}

/// The script with as few statements as still show a difference.
pub(crate) fn smallest(script: &Script, way: Way) -> Script {
    let mut best = script.clone();
    let is_better = |script: &Script| {
        script
            .run()
            .is_some_and(|env| difference(script, &env, way).is_some())
    };
    loop {
        let mut smaller = Vec::new();
        for at in (0..best.statements.len()).rev() {
            let mut without = best.clone();
            let removed = without.statements.remove(at);
            smaller.push(without.clone());
            // A block whose statements stand by themselves.
            if let Stmt::If(_, body, _)
            | Stmt::For(_, _, body)
            | Stmt::ParFor(_, _, body)
            | Stmt::While(_, _, body) = removed
            {
                let mut flat = without.clone();
                flat.statements.splice(at..at, body);
                smaller.push(flat);
            }
        }
        match smaller.into_iter().find(&is_better) {
            Some(found) => best = found,
            None => return best,
        }
    }
}
