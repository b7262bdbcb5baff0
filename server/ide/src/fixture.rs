//! Scripts for tests: `$0` is the cursor, and suggestions are stated instead of searched.

use std::sync::Arc;

use sumac_analysis::{NoFiles, Options, analyze};
use sumac_cost::Cost;
use sumac_la::{Dag, Op, Type};
use sumac_sumproduct::CostModel;
use sumac_sumproduct::canonical::Proof as CanonicalProof;
use sumac_syntax::parse;
use sumac_text::{TextEdit, TextRange};

use crate::snapshot::{Placed, Snapshot};
use crate::suggestion::{Advice, Forms, SearchStats, Suggestion, TimingPair};
use crate::timing::{Inputs, Measured, Timing};
use sumac_advice::{Accuracy, Check, Proof};

/// The loss of a factorization, with sizes.
pub(crate) const LOSS: &str = "\
#@ X: 2000 x 1000, sparsity 0.01
#@ U: 2000 x 10
#@ V: 1000 x 10
X = read($X)
U = read($U)
V = read($V)
loss = sum((X - U %*% t(V))^2) # as ALS has it
print(loss)
";

/// The snapshot of a script, and the cursor's place in it.
#[track_caller]
pub(crate) fn at_cursor(fixture: &str) -> (Snapshot, usize) {
    let offset = fixture.find("$0").expect("the fixture has a cursor");
    (snapshot(&fixture.replacen("$0", "", 1)), offset)
}

/// The snapshot of a script.
pub(crate) fn snapshot(text: &str) -> Snapshot {
    let parse = parse(text);
    let analysis = analyze(&parse, &Options::default(), &NoFiles);
    Snapshot::new(parse, analysis)
}

/// The empty range at `offset`.
pub(crate) fn cursor(offset: usize) -> TextRange {
    TextRange {
        start: offset,
        end: offset,
    }
}

impl Suggestion {
    /// What it says, to say something else.
    pub(crate) fn advice_mut(&mut self) -> &mut Advice {
        Arc::make_mut(&mut self.advice)
    }
}

impl Snapshot {
    /// The same snapshot with the suggestion to write `optimized` for `original`, a hundred times cheaper.
    #[track_caller]
    pub(crate) fn suggesting(&self, original: &str, optimized: &str) -> Snapshot {
        self.with(suggestion(self, original, optimized), true)
    }

    /// The same snapshot with one more suggestion.
    pub(crate) fn with(&self, suggestion: Suggestion, is_fresh: bool) -> Snapshot {
        let mut all = self.suggestions.to_vec();
        all.push(Placed {
            suggestion: Arc::new(suggestion),
            is_fresh,
        });
        Snapshot {
            suggestions: all.into(),
            ..self.clone()
        }
    }
}

/// The suggestion to write `optimized` for `original`, a hundred times cheaper.
#[track_caller]
pub(crate) fn suggestion(snapshot: &Snapshot, original: &str, optimized: &str) -> Suggestion {
    let start = snapshot
        .text()
        .find(original)
        .expect("the script has the expression");
    let place = TextRange {
        start,
        end: start + original.len(),
    };
    let (block, index) = snapshot
        .analysis
        .statement_at(start)
        .expect("it stands in a statement");
    let statement = block.statements[index].range;
    let edit = TextEdit {
        range: place,
        new_text: optimized.to_owned(),
    };
    let mut text = snapshot.text()[statement].to_owned();
    text.replace_range(
        place.start - statement.start..place.end - statement.start,
        optimized,
    );
    let cost = |scale: f64| Cost {
        flops: 4.6e9 * scale,
        bytes: 1.6e9 * scale,
        nnz: 2e8 * scale,
        peak_bytes: 3.2e9 * scale,
        seconds: 0.5 * scale,
    };
    let (original_dag, optimized_dag) = pair(original, optimized);
    let advice = Advice {
        targets: Vec::new(),
        original: original.to_owned(),
        optimized: optimized.to_owned(),
        statement: text,
        before_loop: None,
        sketch: None,
        model: CostModel::Time,
        cost: (100.0, 1.0),
        before: cost(1.0),
        after: cost(0.01),
        shared: None,
        runs: 1.0,
        memory: None,
        assumes: vec!["real arithmetic: rounding may differ".to_owned()],
        runs_as: Vec::new(),
        proof: proof(),
        check: Check {
            max_relative_error: 2e-15,
            rows: 64,
            cols: 32,
        },
        accuracy: Some(Accuracy::default()),
        needs: Vec::new(),
        equal_sizes: Vec::new(),
        search: SearchStats {
            strategy: "sampling".into(),
            extraction: "greedy".into(),
            iterations: 3,
            enodes: 100,
            eclasses: 50,
            stopped: "saturated".into(),
            gap: None,
            milliseconds: 1.0,
        },
        pair: TimingPair {
            original: original_dag,
            optimized: optimized_dag,
            once: None,
        }
        .into(),
        forms: Forms::default().into(),
    };
    Suggestion {
        range: statement,
        statement_ranges: [statement].into_iter().collect(),
        edits: [edit].into_iter().collect(),
        edits_with_temporaries: None,
        advice: Arc::new(advice),
    }
}

/// What timing found, in milliseconds, of both forms on the script's data.
pub(crate) fn timing(before: f64, after: f64) -> Timing {
    let measured = |ms_median: f64| Measured {
        ms_median,
        ..Measured::default()
    };
    Timing {
        original: measured(before),
        optimized: measured(after),
        engine: "local".into(),
        inputs: Inputs::Real,
        scale: 1.0,
        needs_bytes: None,
        needs_seconds: None,
        once_ms: None,
    }
}

fn proof() -> Proof {
    Proof(vec![CanonicalProof {
        polyterm: "sum".to_owned(),
        left_steps: Vec::new(),
        right_steps: Vec::new(),
        assumes: Vec::new(),
        conditions: Vec::new(),
    }])
}

/// Two DAGs that tell suggestions apart.
fn pair(original: &str, optimized: &str) -> (Dag, Dag) {
    let dag = |name: &str| {
        let mut dag = Dag::default();
        // No call of a function, whose value would be made up.
        let name = name.replace('(', "_");
        let input = dag.input(&name, Type::matrix(20, 10));
        let sum = dag.op(Op::Sum, [input]).expect("a sum takes a matrix");
        dag.push_root(sum);
        dag
    };
    (dag(original), dag(optimized))
}
