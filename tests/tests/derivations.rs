//! What the search reaches: for each hand-written rewrite of SystemML (SPORES, Figure 14) and of today's SystemDS, a
//! row of a table. Saturating its left side must find its right side, or, where the row says why not, must not.
//!
//! Rows are DML expressions over declared inputs whose sizes and sparsity satisfy the rewrite's condition. Both sides
//! of every derived row are also evaluated on random inputs, so no row can state what is not equal.

#![expect(
    clippy::print_stdout,
    reason = "the totals are figures that people ask for"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use sumac_analysis::{Analysis, NoFiles, Severity, StatementBlock};
use sumac_la::{Dag, NodeId};
use sumac_runtime::synthesize::Range;
use sumac_runtime::{Value, eval, synthesize};
use sumac_sumproduct::canonical::{Verdict, decide};
use sumac_sumproduct::{Derivation, Options, Strategy, derives};
use sumac_syntax::parse;

const FIGURE_14: &str = include_str!("derivations/figure14.tsv");
const SYSTEMDS: &str = include_str!("derivations/systemds.tsv");

/// Methods of Figure 14 with the number of patterns that it states. The numbers sum up to the 84 of its caption without
/// the first method, whose example stands in the figure and which SystemML implements as three patterns.
const METHODS: [(&str, usize); 31] = [
    ("UnnecessaryOuterProduct", 3),
    ("ColwiseAgg", 3),
    ("RowwiseAgg", 3),
    ("ColSumsMVMult", 1),
    ("RowSumsMVMult", 1),
    ("UnnecessaryAggregate", 9),
    ("EmptyAgg", 3),
    ("EmptyReorgOp", 5),
    ("EmptyMMult", 1),
    ("IdentityRepMatrixMult", 1),
    ("ScalarMatrixMult", 2),
    ("pushdownSumOnAdd", 2),
    ("DotProductSum", 2),
    ("reorderMinusMatrixMult", 2),
    ("SumMatrixMult", 3),
    ("EmptyBinaryOperation", 3),
    ("ScalarMVBinaryOperation", 1),
    ("UnnecessaryBinaryOperation", 6),
    ("BinaryToUnaryOperation", 3),
    ("MatrixMultScalarAdd", 2),
    ("DistributiveBinaryOperation", 4),
    ("BushyBinaryOperation", 3),
    ("UnaryAggReorgOperation", 3),
    ("UnnecessaryAggregates", 8),
    ("BinaryMatrixScalarOperation", 3),
    ("pushdownUnaryAggTransposeOp", 2),
    ("pushdownCSETransposeScalarOp", 1),
    ("pushdownSumBinaryMult", 2),
    ("UnnecessaryReorgOperation", 2),
    ("TransposeAggBinBinaryChains", 2),
    ("UnnecessaryMinus", 1),
];
/// E-nodes of a row's graph at most.
const MAX_NODES: usize = 3000;
/// What Figure 14's caption says.
const CAPTION: usize = 84;

/// A row of a table.
struct Row<'a> {
    line: usize,
    method: &'a str,
    given: &'a str,
    left: &'a str,
    right: &'a str,
    /// Why the search cannot find the right side; empty where it does.
    why_not: &'a str,
}

impl std::fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Row {
            line,
            method,
            left,
            right,
            ..
        } = self;
        write!(f, "line {line}: {method}: {left} -> {right}")
    }
}

fn rows(table: &str) -> Vec<Row<'_>> {
    let mut lines = table.lines().zip(1..);
    let (header, _) = lines.next().expect("a header");
    assert!(header.starts_with("method\tgiven\tleft\tright"), "{header}");
    let rows = lines.map(|(text, line)| {
        let cells: Vec<&str> = text.split('\t').collect();
        assert!(
            (2..=5).contains(&cells.len()),
            "line {line}: expected 4 or 5 cells, found {text:?}"
        );
        let cell = |at: usize| cells.get(at).copied().unwrap_or_default();
        Row {
            line,
            method: cell(0),
            given: cell(1),
            left: cell(2),
            right: cell(3),
            why_not: cell(4),
        }
    });
    rows.collect()
}

/// A row's two sides in one DAG.
struct Sides {
    dag: Dag,
    left: NodeId,
    right: NodeId,
}

impl Sides {
    /// `None` where a side is no expression of linear algebra.
    ///
    /// # Errors
    /// The analysis finds an error in the row.
    fn of(row: &Row<'_>) -> Result<Option<Self>, String> {
        let mut script = String::new();
        for declaration in row.given.split("; ").filter(|text| !text.is_empty()) {
            let (name, ty) = declaration
                .split_once(": ")
                .ok_or("a declaration is `name: type`")?;
            let _ = match ty {
                "scalar" => writeln!(script, "{name} = as.double(${name})"),
                _ => writeln!(script, "#@ {declaration}\n{name} = read(${name})"),
            };
        }
        let _ = writeln!(script, "left_side = {}", row.left);
        let _ = writeln!(script, "right_side = {}", row.right);
        let parse = parse(script);
        let options = sumac_analysis::Options::default();
        let analysis = sumac_analysis::analyze(&parse, &options, &NoFiles);
        // Names that only SystemDS's compiler knows stand for its fused operators.
        let error = analysis
            .diagnostics
            .iter()
            .find(|d| d.severity == Severity::Error && row.why_not.is_empty());
        match error {
            Some(error) => Err(error.message.clone()),
            None => Ok(Sides::found(&analysis)),
        }
    }

    fn found(analysis: &Analysis) -> Option<Self> {
        let node = |block: &StatementBlock, name: &str| {
            let targets = block.statements.iter().filter_map(|s| s.target.as_ref());
            let mut named = targets.filter(|target| &*target.name == name);
            named.next().map(|target| target.version_node)
        };
        analysis.blocks.iter().find_map(|block| {
            Some(Sides {
                left: node(block, "left_side")?,
                right: node(block, "right_side")?,
                dag: block.dag.clone(),
            })
        })
    }

    /// A shape in which the two sides differ, or two values for random inputs.
    fn difference(&self, range: Range) -> Option<String> {
        let mut dag = self.dag.clone();
        let (a, b) = (dag.ty(self.left), dag.ty(self.right));
        if (a.kind, &a.rows, &a.cols) != (b.kind, &b.rows, &b.cols) {
            return Some(format!("{a} is not {b}"));
        }
        dag.push_root(self.left);
        dag.push_root(self.right);
        let inputs: Vec<Value> = dag
            .inputs()
            .iter()
            .zip(1..)
            .map(|(input, seed)| synthesize(&input.ty, seed, range).expect("sizes are small"))
            .collect();
        let values = match eval(&dag, &inputs) {
            Ok(values) => values,
            Err(error) => return Some(error.to_string()),
        };
        let cells = |value: &Value| match value.as_matrix() {
            Some(matrix) => matrix.to_cells(),
            None => value.as_number().into_iter().collect(),
        };
        let (x, y) = (cells(&values[0]), cells(&values[1]));
        let differ = |(x, y): (&f64, &f64)| {
            let unequal = (x - y).abs() > 1e-9 * (1.0 + x.abs());
            (unequal || x.is_nan() != y.is_nan()).then(|| format!("{x} is not {y}"))
        };
        x.iter().zip(&y).find_map(differ)
    }
}

/// Bounded, and without a sample that might miss a match.
fn options() -> Options {
    Options {
        strategy: Strategy::DepthFirst,
        max_nodes: Some(MAX_NODES),
        max_iterations: 24,
        ..Options::default()
    }
}

/// Whether the search finds the right side; false where a side is nothing that it can look into.
fn is_found(sides: Option<&Sides>, options: &Options) -> bool {
    let found = |sides: &Sides| derives(&sides.dag, sides.left, sides.right, options);
    matches!(
        sides.and_then(found),
        Some(Derivation { is_found: true, .. })
    )
}

/// Numbers of rows derived and of rows with a reason; all failures are told at once.
fn check(table: &str) -> (usize, usize) {
    let options = options();
    println!(
        "{} search, {} e-nodes and {} rounds at most",
        options.strategy.name(),
        MAX_NODES,
        options.max_iterations
    );
    let (mut derived, mut reasons, mut wrong) = (0, 0, Vec::new());
    for row in rows(table) {
        let sides = match Sides::of(&row) {
            Ok(sides) => sides,
            Err(error) => {
                wrong.push(format!("{row}: {error}"));
                continue;
            }
        };
        match (is_found(sides.as_ref(), &options), row.why_not) {
            (true, "") => derived += 1,
            (false, "") => wrong.push(format!("{row}: not found")),
            (true, why) => wrong.push(format!("{row}: found, although {why}")),
            (false, _) => reasons += 1,
        }
        if let Some(sides) = sides.filter(|_| row.why_not.is_empty()) {
            for range in [Range::Signed, Range::Positive] {
                if let Some(difference) = sides.difference(range) {
                    wrong.push(format!("{row}: {difference}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    (derived, reasons)
}

#[test]
fn every_rewrite_of_figure_14_is_derived() {
    let table = rows(FIGURE_14);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &table {
        *counts.entry(row.method).or_default() += 1;
    }
    let stated: BTreeMap<&str, usize> = METHODS.into_iter().collect();
    assert_eq!(counts, stated, "patterns of each method");
    let distinct: BTreeSet<(&str, &str)> = table.iter().map(|row| (row.left, row.right)).collect();
    let (derived, reasons) = check(FIGURE_14);
    let first = METHODS[0].1;
    println!(
        "figure 14: {} of {CAPTION}, and {first} of {first} of {}; {} different patterns",
        derived - first,
        METHODS[0].0,
        distinct.len()
    );
    assert_eq!((derived, reasons), (CAPTION + first, 0));
}

#[test]
fn every_rewrite_of_systemds_is_derived_or_has_a_reason() {
    let (derived, reasons) = check(SYSTEMDS);
    println!("SystemDS: {derived} derived, {reasons} with a reason");
    assert_eq!((derived, reasons), (237, 97));
}

/// A suggestion is shown only with a proof, so the search must not by default go where the canonical form cannot follow.
#[test]
fn what_the_search_finds_by_default_is_proved() {
    let mut counts = Vec::new();
    for (name, table) in [("figure 14", FIGURE_14), ("SystemDS", SYSTEMDS)] {
        let (mut found, mut unproved) = (0, Vec::new());
        for row in rows(table).iter().filter(|row| row.why_not.is_empty()) {
            let sides = Sides::of(row).expect("its own test tells");
            if !is_found(sides.as_ref(), &Options::default()) {
                continue;
            }
            found += 1;
            let sides = sides.expect("found");
            let verdict = decide((&sides.dag, sides.left), (&sides.dag, sides.right));
            if !matches!(verdict, Verdict::Equal(_)) {
                unproved.push(row.to_string());
            }
        }
        println!("{name}: the default search finds {found}");
        assert!(unproved.is_empty(), "{name}:\n{}", unproved.join("\n"));
        counts.push(found);
    }
    assert_eq!(counts, [CAPTION + METHODS[0].1, 237]);
}
