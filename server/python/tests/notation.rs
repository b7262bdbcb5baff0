//! Forms written in the place of an expression.

mod common;

use std::sync::Arc;

use common::{atom, parsed, step, style};
use sumac_language::Notation;
use sumac_python::{Atom, DType, Place, Reader, Step, Style, Tree, Value, lower, raise};
use sumac_text::TextRange;

/// Reads only what it was told.
#[derive(Debug)]
struct Told(Vec<(&'static str, Tree)>);

impl Reader for Told {
    fn tree(&self, text: &str) -> Option<Tree> {
        let mut told = self.0.iter();
        told.find(|(known, _)| *known == text)
            .map(|(_, tree)| tree.clone())
    }
}

fn site(text: &str, tree: Tree, reader: Told) -> Place {
    Place {
        tree,
        text: text.into(),
        style: style(),
        range: TextRange::new(10, 10 + text.len()),
        is_bare: true,
        reader: Arc::new(reader),
    }
}

/// `A @ B @ w`, and the same the other way round.
fn chains() -> (Tree, Tree) {
    let (a, b, w) = (
        || atom("A", &["n", "n"]),
        || atom("B", &["n", "n"]),
        || atom("w", &["n"]),
    );
    let of = |a: Tree, b: Tree| step(Step::MatMul, [a, b]);
    (of(of(a(), b()), w()), of(a(), of(b(), w())))
}

#[test]
fn a_form_is_written_read_and_priced() {
    let (slow, fast) = chains();
    let form = parsed("MatMul(A, MatMul(B, w))");
    let told = || Told(vec![("A @ (B @ w)", fast.clone())]);
    let mut site = site("A @ B @ w", slow, told());
    let found = site.write(&form).expect("it can be written");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].text, "A @ (B @ w)");
    assert_eq!(found[0].edit.new_text, "A @ (B @ w)");
    assert_eq!(found[0].edit.range, TextRange::new(10, 19));
    assert_eq!(found[0].dag, lower(&fast).expect("it is linear algebra"));
    assert_eq!(found[0].price.flops.to_string(), "4 n²");
    site.is_bare = false;
    let found = site.write(&form).expect("it can be written");
    assert_eq!(found[0].edit.new_text, "(A @ (B @ w))");
    assert_eq!(found[0].text, "A @ (B @ w)");
}

#[test]
fn what_is_read_otherwise_is_left_out() {
    let (slow, _) = chains();
    let form = parsed("MatMul(A, MatMul(B, w))");
    for read in [None, Some(slow.clone()), Some(atom("A", &["n"]))] {
        let told = Told(read.into_iter().map(|tree| ("A @ (B @ w)", tree)).collect());
        let site = site("A @ B @ w", slow.clone(), told);
        // The other order of products is the same sum to nobody here.
        assert!(site.write(&form).is_err());
    }
    // Nor is anything written again.
    let site = site("A@B@w", slow.clone(), Told(vec![("A @ B @ w", slow)]));
    assert_eq!(
        site.write(&parsed("MatMul(MatMul(A, B), w)"))
            .err()
            .as_deref(),
        Some("it is what is written")
    );
}

#[test]
fn calls_run_as_often_and_in_the_same_order() {
    let call = |text: &str| Tree {
        step: Step::Atom(Atom {
            text: text.into(),
            is_pure: false,
        }),
        ..atom(text, &["n", "n"])
    };
    let of = |op, a: Tree, b: Tree| step(Step::Cell(op), [a, b]);
    use sumac_la::Op::{Add, Mul};
    let (f, g, w) = (|| call("A"), || call("B"), || atom("w", &["n"]));
    let written = step(Step::MatMul, [of(Add, f(), g()), w()]);
    let write = |form: &str, text: &'static str, read: Tree| {
        let told = Told(vec![(text, read)]);
        let found = site("(A + B) @ w", written.clone(), told).write(&parsed(form));
        found.map(|found| found[0].text.clone())
    };
    let of_w = |tree: Tree| step(Step::MatMul, [tree, w()]);
    let text = "A @ w + B @ w";
    let form = "Add(MatMul(A, w), MatMul(B, w))";
    assert_eq!(
        write(form, text, of(Add, of_w(f()), of_w(g()))).as_deref(),
        Ok(text)
    );
    let turned = "Add(MatMul(B, w), MatMul(A, w))";
    let text = "B @ w + A @ w";
    assert!(write(turned, text, of(Add, of_w(g()), of_w(f()))).is_err());
    let twice = "MatMul(Add(Add(A, B), Mul(A, 2)), w)";
    let two = step(
        Step::Number {
            value: 2.0,
            is_int: true,
        },
        [],
    );
    let read = of_w(of(Add, of(Add, f(), g()), of(Mul, f(), two)));
    assert!(write(twice, "(A + B + A * 2) @ w", read).is_err());
}

#[test]
fn numbers_stay_as_they_are_written() {
    let (a, w) = (atom("A", &["n", "n"]), atom("w", &["n"]));
    let two = step(
        Step::Number {
            value: 2.0,
            is_int: false,
        },
        [],
    );
    let scaled = step(Step::Cell(sumac_la::Op::Mul), [two.clone(), a.clone()]);
    let slow = step(Step::MatMul, [scaled, w.clone()]);
    let product = step(Step::MatMul, [a, w]);
    let fast = step(Step::Cell(sumac_la::Op::Mul), [two, product]);
    let site = site("(2.0 * A) @ w", slow, Told(vec![("2.0 * (A @ w)", fast)]));
    let found = site.write(&parsed("Mul(2, MatMul(A, w))"));
    assert_eq!(found.expect("it can be written")[0].text, "2.0 * (A @ w)");
}

#[test]
fn without_a_name_for_numpy_only_signs_and_methods_are_written() {
    let (u, v) = (atom("u", &["n"]), atom("v", &["d"]));
    let column = step(Step::AsColumn, [u]);
    let tree = step(Step::Cell(sumac_la::Op::Mul), [column, v]);
    let mut site = site(
        "u[:,None]*v + 0",
        tree.clone(),
        Told(vec![("u[:, None] * v", tree)]),
    );
    site.style = Style {
        numpy: None,
        ..style()
    };
    let found = site.write(&parsed("MatMul(u, Transpose(v))"));
    assert_eq!(found.expect("it can be written")[0].text, "u[:, None] * v");
    let problem = site.write(&parsed("Exp(MatMul(u, Transpose(v)))")).err();
    assert_eq!(
        problem.as_deref(),
        Some("`exp` is a function, and NumPy is not imported by a name")
    );
}

#[test]
fn long_forms_end() {
    let mut form = sumac_la::Dag::default();
    let mut id = form.input(
        "A",
        sumac_la::Type::matrix(common::dim("n"), common::dim("n")),
    );
    for _ in 0..200 {
        id = form.op(sumac_la::Op::Add, [id, id]).expect("sizes fit");
    }
    form.push_root(id);
    let wanted = Value::array(vec![common::dim("n"), common::dim("n")], DType::Float64);
    assert!(raise(&form, &common::atoms(), &wanted).is_err());
}

/// Nothing that is there already takes the place of a new array, and numbers of Python are computed with as they are written.
#[test]
fn what_is_suggested_is_as_new_and_as_safe_as_what_is_written() {
    use sumac_language::Language;
    let forms = |expression: &str, form: &dyn Fn(&sumac_la::Dag) -> sumac_la::Dag| {
        let text = format!(
            "import numpy as np\n\n\ndef f(X, s):\n    #@ X: n x n\n    #@ s: float\n    return {expression}\n"
        );
        let found = sumac_python::Python.read(&text).expressions;
        let [one] = found.as_slice() else {
            panic!("{expression}: {} expressions", found.len())
        };
        one.notation.write(&form(&one.dag))
    };
    let itself = |dag: &sumac_la::Dag| {
        let mut form = sumac_la::Dag::default();
        let input = dag
            .inputs()
            .iter()
            .find(|input| &*input.name == "X")
            .expect("it reads X");
        let root = form.input("X", input.ty.clone());
        form.push_root(root);
        form
    };
    for expression in [
        "np.log(np.exp(X))",
        "2.0 * X / 2.0",
        "X @ np.eye(len(X))",
        "-(-X)",
    ] {
        let why = forms(expression, &itself).expect_err(expression);
        assert!(why.contains("already"), "{expression}: {why}");
    }
    let squared = |dag: &sumac_la::Dag| {
        let mut form = sumac_la::Dag::default();
        let nodes: Vec<_> = dag
            .inputs()
            .iter()
            .map(|input| {
                (
                    input.name.clone(),
                    form.input(&input.name, input.ty.clone()),
                )
            })
            .collect();
        let of = |name: &str| {
            nodes
                .iter()
                .find(|(known, _)| &**known == name)
                .expect("it is read")
                .1
        };
        let two = form.num(2.0);
        let square = form
            .op(sumac_la::Op::Pow, [of("s"), two])
            .expect("a number");
        let root = form
            .op(sumac_la::Op::Mul, [square, of("X")])
            .expect("cells");
        form.push_root(root);
        form
    };
    let why = forms("X * s * s", &squared).expect_err("it may overflow");
    assert!(why.contains("overflow"), "{why}");
}
