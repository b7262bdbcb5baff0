//! Kept results of searches: whatever a file holds, it is refused or it is a form with the shape of what was asked, which the
//! canonical form takes; and a guide is any text.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use sumac::store::Folder;
use sumac_cost::Machine;
use sumac_ide::searches::Store as _;
use sumac_la::{Dag, Op, Type};
use sumac_sumproduct::canonical::{Limits, decide_within};
use sumac_sumproduct::{NoOutcome, Options, Problem, Request};

/// A question, its text, and the file with the answer.
struct Asked {
    dag: Dag,
    problem: Problem,
    text: String,
    folder: Folder,
    file: PathBuf,
}

static ASKED: LazyLock<Asked> = LazyLock::new(|| {
    let mut dag = Dag::default();
    let (a, x) = (
        dag.input("A", Type::sparse(200, 100, 0.1)),
        dag.input("x", Type::matrix(200, 1)),
    );
    let mut op = |op, args: &[_]| dag.op(op, args.iter().copied()).expect("it fits");
    // sum(A * x) is sum(t(x) %*% A) by any rule.
    let product = op(Op::Mul, &[a, x]);
    let sum = op(Op::Sum, &[product]);
    dag.push_root(sum);
    let request = Request {
        dag: &dag,
        roots: dag.roots(),
        held: &[],
        machine: &Machine::default(),
        around: None,
        fusing: None,
    };
    let problem = Problem::new(&request, &Options::default());
    let text = problem.text();
    let place = std::env::temp_dir().join(format!("sumac-fuzz-store-{}", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    let folder = Folder::new(place.clone(), Path::new("none"));
    // Its name is the store's own matter.
    folder.put(&text, &Err(NoOutcome::OutOfReach));
    let mut files = fs::read_dir(&place).expect("the folder was made");
    let file = files
        .next()
        .expect("it was kept")
        .expect("it is there")
        .path();
    Asked {
        dag,
        problem,
        text,
        folder,
        file,
    }
});

pub fn check(data: &[u8]) {
    let asked = &*ASKED;
    // The bytes as a whole file, and as an answer to the question.
    answer(asked, data);
    let problem = serde_json::to_string(&asked.text).expect("a text is JSON");
    let mut file = format!("{{\"problem\":{problem},\"found\":").into_bytes();
    file.extend(data);
    file.push(b'}');
    answer(asked, &file);
}

fn answer(asked: &Asked, file: &[u8]) {
    fs::write(&asked.file, file).expect("a temporary file can be written");
    let Some(kept) = asked.folder.get(&asked.text) else {
        return;
    };
    let Some(Ok(outcome)) = asked.problem.restored(kept) else {
        return;
    };
    let outcome = asked.problem.named(outcome);
    let (asked_root, root) = (asked.dag.roots()[0], outcome.dag.roots()[0]);
    let (old, new) = (asked.dag.ty(asked_root), outcome.dag.ty(root));
    assert_eq!(
        (old.kind, &old.rows, &old.cols),
        (new.kind, &new.rows, &new.cols)
    );
    let _ = outcome.dag.print(root);
    let limits = Limits {
        max_terms: 256,
        max_atoms_per_term: 24,
        max_labelings: 500,
    };
    let _ = decide_within((&asked.dag, asked_root), (&outcome.dag, root), &limits);
}
