//! What `sumac prove` says of pairs that are not equal: the inputs that it prints really tell the sides apart.

use std::collections::BTreeMap;
use std::path::PathBuf;

use sumac_ide::{Answer, prove};
use sumac_runtime::Cancel;
use sumac_runtime::interp::{RunOptions, run};
use sumac_syntax::{parse, parse_fact};

use super::pairs::{Pair, pairs};

/// Pairs that are not equal.
const REFUTED: usize = 1_000;

/// What `sumac prove` answers; nothing of what no script can compute, as a vector that is repeated on the left of an operator.
pub fn ask(pair: &Pair) -> Option<Answer> {
    let (mut facts, mut scalars) = (Vec::new(), Vec::new());
    for (name, size) in pair.facts() {
        match size {
            Some(size) => facts.push(parse_fact(&format!("{name}: {size}"), 0)),
            None => scalars.push(name),
        }
    }
    let [left, right] = pair.texts();
    match prove(&left, &right, &facts, &scalars) {
        Ok(answer) => Some(answer),
        Err(error)
            if error.contains("only a vector on the right side is repeated")
                || error.contains("a matrix of one cell is no scalar")
                || error.contains("a column and a row make no matrix") =>
        {
            None
        }
        Err(error) => panic!("{error}: {pair}"),
    }
}

/// How far both sides are apart in a run of SystemDS's language, for these inputs.
fn distance(pair: &Pair, inputs: &[(String, String)]) -> f64 {
    let [left, right] = pair.texts();
    let mut script = String::new();
    for (name, value) in inputs {
        script.push_str(&format!("{name} = {value}\n"));
    }
    let is_scalar = pair.dag.is_scalar(pair.left);
    let difference = format!("({left}) - ({right})");
    let difference = if is_scalar {
        format!("abs({difference})")
    } else {
        format!("max(abs({difference}))")
    };
    script.push_str(&format!("print({difference})\n"));
    let parsed = parse(&*script);
    assert!(parsed.errors().is_empty(), "{script}");
    let mut printed = String::new();
    let options = RunOptions {
        args: BTreeMap::new(),
        base: PathBuf::new(),
        seed: 0,
        cancel: Cancel::default(),
        loader: &|_| Err("there is none".to_owned()),
        planning: sumac_runtime::fused::Planning::default(),
        compression: sumac_runtime::interp::Compression::default(),
        blocks: true,
        wants_variables: true,
        installation: None,
    };
    run(parsed.program(), &script, &options, &mut |line| {
        printed.push_str(line);
    })
    .unwrap_or_else(|error| panic!("{error}: {script}"));
    printed
        .parse()
        .unwrap_or_else(|_| panic!("{printed}: {script}"))
}

#[test]
fn every_refuted_pair_comes_with_inputs_that_tell_it_apart() {
    let mut refuted = 0;
    let computed = pairs(u64::MAX).filter(Pair::is_computed_by_scripts);
    for pair in computed.filter(|pair| !pair.is_equal_by_law && !pair.holds()) {
        let Some(answer) = ask(&pair) else {
            continue;
        };
        let Answer::Refuted(found) = answer else {
            panic!("{answer:?}: {pair}");
        };
        let distance = distance(&pair, &found.inputs);
        assert!(distance > 1e-9, "{found:?} tells nothing: {pair}");
        refuted += 1;
        if refuted == REFUTED {
            break;
        }
    }
}
