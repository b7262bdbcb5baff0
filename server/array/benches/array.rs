//! Array programs: four encodings of functions in an e-graph (Table 2), and products of matrices with and without
//! guides (Tables 3 and 4).
//!
//! `cargo xtask bars array` runs this in the release profile. It judges nothing: the bars do. The last lines are
//! `figure NAME VALUE` for programs. Memory is the most that was allocated at one time, of a run apart from the timed ones.
//! Names of parts behind `--` leave the others out.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::{Duration, Instant};

use sumac_array::encodings::{ENCODINGS, GOALS, goal, search};
use sumac_array::guided::{Failed, Reached, Step, guided};
use sumac_array::steps::{NESTS, library, steps};
use sumac_array::{Ended, Program, size};

/// What a search of the first table may take.
const NODES: usize = 1_000_000;
const SECONDS: Duration = Duration::from_secs(20);
/// Runs of a guided search; the median counts.
const RUNS: usize = 5;
/// What a goal of the second table may take, without guides.
const BUDGET: Duration = Duration::from_secs(1);

/// A part of the benchmark, which adds its figures.
type Part = fn(&mut Vec<(String, f64)>);

fn main() {
    let mut figures: Vec<(String, f64)> = Vec::new();
    let parts: [(&str, Part); 4] = [
        ("table2", table2),
        ("table4", table4),
        ("unguided", unguided),
        ("cancelled", cancelled),
    ];
    // Parts by name, or all of them.
    let asked: Vec<String> = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
        .collect();
    for (name, measure) in parts {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            measure(&mut figures);
        }
    }
    for (name, value) in figures {
        println!("figure {name} {value}");
    }
}

fn megabytes(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
    let bytes = bytes as f64;
    bytes / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn count(n: usize) -> f64 {
    n as f64
}

fn table2(figures: &mut Vec<(String, f64)>) {
    println!(
        "goal       encoding               found       time      memory   applied   e-nodes  e-classes"
    );
    for name in GOALS {
        let goal = goal(name).expect("it is there");
        for encoding in ENCODINGS {
            let outcome = search(&goal, encoding, NODES, SECONDS);
            let counted = allocation_counter::measure(|| {
                // Where it is not found, the time ends it sooner or later than before.
                std::hint::black_box(search(
                    &goal,
                    encoding,
                    NODES.min(outcome.nodes * 2),
                    SECONDS,
                ));
            });
            let memory = megabytes(counted.bytes_max);
            println!(
                "{name:10} {:22} {:5} {:8.4} s {memory:8.1} MB {:9} {:9} {:10}",
                encoding.name(),
                if outcome.found { "yes" } else { "no" },
                outcome.time.as_secs_f64(),
                outcome.applied,
                outcome.nodes,
                outcome.classes
            );
            let label = encoding.name().replace(", ", "/").replace(' ', "-");
            let name = format!("table2/{name}/{label}");
            figures.push((format!("{name}/found"), f64::from(u8::from(outcome.found))));
            figures.push((format!("{name}/seconds"), outcome.time.as_secs_f64()));
            figures.push((format!("{name}/megabytes"), memory));
            figures.push((format!("{name}/nodes"), count(outcome.nodes)));
            figures.push((format!("{name}/classes"), count(outcome.classes)));
        }
    }
}

fn reached(program: &Program, steps: &[Step]) -> Option<Vec<Reached>> {
    guided(program, steps, &|| false).ok()
}

fn table4(figures: &mut Vec<(String, f64)>) {
    println!();
    let program = Program::built_in("mm").expect("it is there");
    let sketches = library([]);
    for name in NESTS {
        let steps = steps(&program, &sketches, name).expect("the sketch is right");
        let mut times: Vec<f64> = Vec::new();
        let mut last = None;
        for _ in 0..RUNS {
            let start = Instant::now();
            last = reached(&program, &steps);
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let counted = allocation_counter::measure(|| {
            reached(&program, &steps);
        });
        let memory = megabytes(counted.bytes_max);
        let seconds = times[RUNS / 2];
        let found = last.is_some();
        println!(
            "{name:14} {} guides, {}, {seconds:.3} s, {memory:.1} MB",
            steps.len() - 1,
            if found { "found" } else { "not found" }
        );
        for step in last.iter().flatten() {
            let round = step.growth.rounds.last().expect("there is a first one");
            println!(
                "  {:14} {:2} rounds {:6} e-nodes {:6} e-classes {:6} applied, program of {}",
                step.label,
                step.growth.rounds.len() - 1,
                round.nodes,
                round.classes,
                step.growth
                    .rounds
                    .iter()
                    .map(|round| round.applied)
                    .sum::<usize>(),
                size(&step.program.term)
            );
            let label = step.label.replace(' ', "-");
            figures.push((format!("table4/{name}/{label}/nodes"), count(round.nodes)));
        }
        figures.push((format!("table4/{name}/found"), f64::from(u8::from(found))));
        figures.push((format!("table4/{name}/seconds"), seconds));
        figures.push((format!("table4/{name}/megabytes"), memory));
    }
}

/// The goals without their guides, with all rules.
fn unguided(figures: &mut Vec<(String, f64)>) {
    println!("\nwithout guides, all rules, {} s:", BUDGET.as_secs());
    let program = Program::built_in("mm").expect("it is there");
    let sketches = library([]);
    for name in NESTS {
        let all = steps(&program, &sketches, name).expect("the sketch is right");
        let mut goal: Vec<Step> = all.into_iter().next_back().into_iter().collect();
        for step in &mut goal {
            step.rules.clear();
            step.limits.time = Some(BUDGET);
            step.limits.nodes = usize::MAX;
        }
        let mut outcome = (false, Ended::Saturated, 0);
        let counted = allocation_counter::measure(|| {
            outcome = match guided(&program, &goal, &|| false) {
                Ok(_) => (true, Ended::Found, 0),
                Err(Failed::Missed(missed)) => {
                    let last = missed.growth.rounds.last();
                    (
                        false,
                        missed.growth.ended,
                        last.map_or(0, |round| round.nodes),
                    )
                }
                Err(Failed::Wrong(text)) => panic!("{text}"),
            };
        });
        let memory = megabytes(counted.bytes_max);
        let (found, ended, nodes) = outcome;
        println!(
            "{name:14} {}: {}, {nodes} e-nodes, {memory:.0} MB",
            if found { "found" } else { "not found" },
            ended.words()
        );
        figures.push((format!("unguided/{name}/found"), f64::from(u8::from(found))));
        figures.push((format!("unguided/{name}/megabytes"), memory));
    }
}

/// Searches that are cancelled after some time: how long they go on.
fn cancelled(figures: &mut Vec<(String, f64)>) {
    let program = Program::built_in("mm").expect("it is there");
    let sketches = library([]);
    let mut longest = Duration::ZERO;
    let mut times = 0;
    for name in ["blocking", "cache_blocks", "register_tile"] {
        for is_guided in [true, false] {
            let mut steps = steps(&program, &sketches, name).expect("the sketch is right");
            if !is_guided {
                steps = steps.into_iter().next_back().into_iter().collect();
                steps.iter_mut().for_each(|step| step.rules.clear());
            }
            for after in (1..=20).map(|n| Duration::from_millis(n * 15)) {
                let start = Instant::now();
                let outcome = guided(&program, &steps, &|| start.elapsed() >= after);
                let Err(Failed::Missed(missed)) = outcome else {
                    continue;
                };
                if missed.growth.ended == Ended::Cancelled {
                    times += 1;
                    longest = longest.max(start.elapsed().saturating_sub(after));
                }
            }
        }
    }
    println!("\n{times} searches cancelled: the longest went on for {longest:?}");
    figures.push((
        "cancelled/milliseconds".to_owned(),
        longest.as_secs_f64() * 1e3,
    ));
    figures.push(("cancelled/times".to_owned(), count(times)));
}
