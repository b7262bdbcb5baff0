//! Greedy and exact extraction over the fixtures' scripts: what each costs, and that the exact one is never dearer.
//! `cargo nextest run --workspace --no-capture -E 'test(on_the_fixtures_exact)'` prints the table.

use sumac_analysis::{NoFiles, analyze};
use sumac_cost::{Cost, Machine, Regions};
use sumac_la::{Dag, NodeId};
use sumac_runtime::fused::regions;
use sumac_sumproduct::{
    CostModel, Extraction, NoOutcome, Options, Outcome, Request, optimize, price,
};
use sumac_syntax::parse;

fn run(dag: &Dag, roots: &[NodeId], cost: CostModel, extraction: Extraction) -> Option<Outcome> {
    run_fusing(dag, roots, (cost, extraction), None)
}

fn run_fusing(
    dag: &Dag,
    roots: &[NodeId],
    (cost, extraction): (CostModel, Extraction),
    fusing: Option<Regions>,
) -> Option<Outcome> {
    let machine = Machine::default();
    let request = Request {
        dag,
        roots,
        held: &[],
        machine: &machine,
        around: None,
        fusing,
    };
    let options = Options {
        cost,
        extraction,
        ..Options::default()
    };
    match optimize(request, &options, &|| false) {
        Ok(outcome) => Some(outcome),
        Err(NoOutcome::OutOfReach | NoOutcome::UnknownSize) => None,
        Err(NoOutcome::Cancelled) => unreachable!("nobody cancels"),
    }
}

/// The blocks of a script: their DAGs, and what their statements compute of which all sizes are known.
fn blocks(text: &str) -> Vec<(Dag, Vec<NodeId>)> {
    let parse = parse(text);
    let analysis = analyze(&parse, &sumac_analysis::Options::default(), &NoFiles);
    let known = |dag: &Dag, root: NodeId| {
        dag.reachable(&[root])
            .into_iter()
            .all(|id| dag.ty(id).is_sized())
    };
    analysis
        .blocks
        .iter()
        .map(|block| {
            let mut roots: Vec<NodeId> = block
                .statements
                .iter()
                .flat_map(|statement| &statement.parts)
                .map(|part| part.root)
                .filter(|root| !block.dag.args(*root).is_empty() && known(&block.dag, *root))
                .collect();
            roots.sort_unstable();
            roots.dedup();
            (block.dag.clone(), roots)
        })
        .filter(|(_, roots)| !roots.is_empty())
        .collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures behind the test")]
fn on_the_fixtures_exact_extraction_costs_at_most_what_greedy_does() {
    let (mut compared, mut proved) = (0, 0);
    for path in sumac_tests::fixtures() {
        let name = path
            .file_name()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&path).expect("readable");
        for (number, (dag, roots)) in blocks(&text).into_iter().enumerate() {
            // A whole block at once, in which statements share, and for time each statement by itself.
            let mut wanted: Vec<(Vec<NodeId>, CostModel)> =
                [CostModel::Time, CostModel::Flops, CostModel::Nnz]
                    .map(|cost| (roots.clone(), cost))
                    .into();
            if roots.len() > 1 {
                wanted.extend(roots.iter().map(|root| (vec![*root], CostModel::Time)));
            }
            for (roots, cost) in wanted {
                let of = |extraction| run(&dag, &roots, cost, extraction);
                let (greedy, exact) = (of(Extraction::Greedy), of(Extraction::Ilp));
                assert_eq!(greedy.is_some(), exact.is_some(), "{name}");
                let (Some(greedy), Some(exact)) = (greedy, exact) else {
                    continue;
                };
                compared += 1;
                proved += usize::from(exact.search.gap == Some(0.0));
                let figure = |cost_of: &Cost| cost.of(cost_of);
                let (before, after) = (figure(&greedy.after), figure(&exact.after));
                assert!(after <= before, "{name}: {after} instead of {before}");
                println!(
                    "{name} block {number}, {} roots, {}: {before:.4e} -> {after:.4e} ({:.2} %), gap {:?}, {:.0} -> {:.0} ms",
                    roots.len(),
                    cost.name(),
                    100.0 * (after / before.max(f64::MIN_POSITIVE) - 1.0),
                    exact.search.gap,
                    greedy.search.milliseconds,
                    exact.search.milliseconds,
                );
            }
        }
    }
    assert!(compared > 20, "only {compared} compared");
    println!("{compared} compared, {proved} proved");
    assert!(
        proved * 10 >= compared * 8,
        "only {proved} of {compared} proved"
    );
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures behind the test")]
fn on_the_fixtures_a_choice_by_plans_runs_at_least_as_fast_as_one_by_operators() {
    let how = (CostModel::Time, Extraction::Greedy);
    let planned =
        |dag: &Dag| price(dag, &Machine::default(), Some(regions)).map(|cost| cost.seconds);
    let (mut compared, mut faster) = (0, 0);
    for path in sumac_tests::fixtures() {
        let text = std::fs::read_to_string(&path).expect("readable");
        for (number, (dag, roots)) in blocks(&text).into_iter().enumerate() {
            let each = roots.iter().map(|root| vec![*root]);
            for wanted in std::iter::once(roots.clone()).chain(each) {
                let of = |fusing| run_fusing(&dag, &wanted, how, fusing);
                let (Some(alone), Some(joint)) = (of(None), of(Some(regions as Regions))) else {
                    continue;
                };
                let before = planned(&alone.dag).expect("sizes are known");
                let after = joint.after.seconds;
                compared += 1;
                assert!(
                    after <= before * (1.0 + 1e-6),
                    "{} block {number}: {after} instead of {before}: {}",
                    path.display(),
                    joint.dag.print(joint.dag.roots()[0])
                );
                if after < before * 0.99 {
                    faster += 1;
                    println!(
                        "{} block {number}, {} roots: {before:.3e} -> {after:.3e}",
                        path.display(),
                        wanted.len()
                    );
                }
            }
        }
    }
    println!("{compared} compared, {faster} faster");
    assert!(compared > 20 && faster > 0, "{faster} of {compared}");
}
