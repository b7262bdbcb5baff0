//! Seven loop nests for a product of matrices, found by way of sketches, and each equal to the product.

use std::time::Duration;

use expect_test::expect;
use sumac_array::guided::{Failed, Reached, guided};
use sumac_array::steps::{NESTS, library, steps};
use sumac_array::value::{Input, Random, difference};
use sumac_array::{Ended, Limits, Program, Scalar, Sizes, interpret, size};

fn found(program: &Program, name: &str) -> Vec<Reached> {
    let steps = steps(program, &library([]), name).unwrap();
    match guided(program, &steps, &|| false) {
        Ok(reached) => reached,
        Err(Failed::Missed(missed)) => panic!("{name}: {} was not reached", missed.label),
        Err(Failed::Wrong(text)) => panic!("{name}: {text}"),
    }
}

fn sized(program: &Program, sizes: &[(&str, i64)]) -> Program {
    let sizes: Sizes = sizes.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
    program.sized(&sizes).unwrap()
}

#[test]
fn all_goals_are_found_and_every_program_on_the_way_is_the_same_product() {
    let program = Program::built_in("mm").unwrap();
    let mut random = Random::new(11);
    let mut lines = Vec::new();
    for name in NESTS {
        // So many tiles of all sketches.
        let mut tiles = |size: i64, most| size * random.whole(1, most);
        let sizes = [("m", tiles(32, 3)), ("n", tiles(32, 3)), ("k", tiles(4, 5))];
        let direct = sized(&program, &sizes);
        let (types, _) = direct.signature();
        let inputs: Vec<Input> = types
            .iter()
            .map(|ty| random.input(&direct.types, *ty).unwrap())
            .collect();
        let product = interpret(&direct, &inputs).unwrap();
        let reached = found(&program, name);
        let mut line = format!("{name}:");
        for step in &reached {
            let on_the_way = sized(&step.program, &sizes);
            let apart = difference(&interpret(&on_the_way, &inputs).unwrap(), &product);
            assert!(apart <= 1e-6, "{name}, {}, {sizes:?}: {apart}", step.label);
            // What is shown reads as the same program.
            let text = step.program.show();
            let again =
                Program::read(&text).unwrap_or_else(|e| panic!("{}\n{text}", e.show(&text)));
            assert_eq!(again.show(), text, "{name}, {}", step.label);
            let last = step.growth.rounds.last().unwrap();
            let (rounds, size) = (step.growth.rounds.len() - 1, size(&step.program.term));
            line += &format!(
                " {} {rounds} rounds, {} nodes, size {size};",
                step.label, last.nodes
            );
        }
        lines.push(line);
    }
    expect![[r#"
        baseline: goal 2 rounds, 48 nodes, size 39;
        blocking: guide split 5 rounds, 7871 nodes, size 65; goal blocked 9 rounds, 15467 nodes, size 174;
        vectorization: guide split 5 rounds, 7871 nodes, size 65; guide reorder 9 rounds, 15467 nodes, size 174; goal vectors 2 rounds, 357 nodes, size 219;
        loop_perm: guide split 5 rounds, 7871 nodes, size 65; guide reorder 7 rounds, 7830 nodes, size 140; goal vectors 2 rounds, 326 nodes, size 181;
        array_packing: guide split 5 rounds, 7871 nodes, size 65; guide reorder 7 rounds, 7830 nodes, size 140; guide store 3 rounds, 2980 nodes, size 168; goal vectors 3 rounds, 533 nodes, size 215;
        cache_blocks: guide split 5 rounds, 7871 nodes, size 65; guide reorder 7 rounds, 7830 nodes, size 140; guide store 3 rounds, 2980 nodes, size 168; goal vectors 3 rounds, 535 nodes, size 215;
        parallel: guide split 5 rounds, 7871 nodes, size 65; guide reorder 7 rounds, 7830 nodes, size 140; guide store 3 rounds, 2980 nodes, size 168; goal vectors 3 rounds, 535 nodes, size 215;
        register_tile: guide split 6 rounds, 13699 nodes, size 60; guide reorder 3 rounds, 320 nodes, size 105; guide store 4 rounds, 5095 nodes, size 133; goal vectors 3 rounds, 503 nodes, size 186;"#]].assert_eq(&lines.join("\n"));
}

#[test]
fn the_same_search_finds_the_same_program() {
    let program = Program::built_in("mm").unwrap().in_scalar(Scalar::F64);
    for name in NESTS {
        let [first, second] = [0, 1].map(|_| found(&program, name));
        assert_eq!(first.len(), second.len(), "{name}");
        for (first, second) in first.iter().zip(&second) {
            assert_eq!(first.program.show(), second.program.show(), "{name}");
            assert_eq!(first.growth, second.growth, "{name}");
        }
    }
    let first = found(&program, "baseline");
    expect![[r#"
        program mm(m, n, k)(A: [m][k]f64, B: [k][n]f64) =
        map(
          fun a => map(fun b => reduceSeq(fun c d => c + fst(d) * snd(d), 0f64, zip(a, b)), transpose(B)),
          A
        )
    "#]].assert_eq(&first[0].program.show());
}

#[test]
fn a_search_that_is_cut_short_says_why_and_what_came_nearest() {
    let program = Program::built_in("mm").unwrap();
    let mut steps = steps(&program, &library([]), "blocking").unwrap();
    steps[0].limits = Limits {
        rounds: 3,
        ..Limits::default()
    };
    let Err(Failed::Missed(missed)) = guided(&program, &steps, &|| false) else {
        panic!("three rounds are too few");
    };
    assert_eq!(
        (missed.label.as_str(), missed.growth.ended),
        ("guide split", Ended::Rounds)
    );
    let nearest = missed.nearest.expect("the graph is small");
    assert!(nearest.misses > 0);
    assert!(Program::read(&nearest.program.show()).is_ok());
    steps[0].limits.time = Some(Duration::ZERO);
    let Err(Failed::Missed(missed)) = guided(&program, &steps, &|| false) else {
        panic!("no time is too little");
    };
    assert_eq!(missed.growth.ended, Ended::Time);
    let Err(Failed::Missed(missed)) = guided(&program, &steps, &|| true) else {
        panic!("it was cancelled");
    };
    assert_eq!(missed.growth.ended, Ended::Cancelled);
}

#[test]
fn a_sketch_that_makes_no_sense_is_refused() {
    let program = Program::built_in("mm").unwrap();
    let refused = |text: &str| {
        let texts = [("a.sketch".into(), text.into())];
        steps(&program, &library(texts), "s").unwrap_err()
    };
    let shown = [
        refused("sketch s on array { goal contains(mapp(?)) }"),
        refused("sketch s on array { goal contains(map(?) : [q]?) }"),
        refused("sketch s on array { goal map(?) : row }"),
        refused("sketch s on array { goal ? using splitt }"),
        refused("sketch s { goal ? }"),
        refused("sketch s on array { goal ? ^ 2 }"),
    ];
    expect![[r#"
        the goal: there is no pattern `mapp`; did you mean `map`?
        the goal: the program has no size `q`; it has: m, n, k
        the goal: expected a type of array programs behind `:`, `[n]?`, `[n]f32`, `scalar` or `vector`
        the sketch `s` has an error: `splitt` is not a rule set or a rule; did you mean `split`?
        the sketch `s` is on linear algebra, and this is on `array`
        the goal: array programs have no operator `^`; expected +, -, * or /"#]].assert_eq(&shown.join("\n"));
}
