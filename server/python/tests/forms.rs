//! How forms are written, one by one.

mod common;

use common::{atom, atoms, parsed, step, style, typed, wanted};
use sumac_python::{DType, Product, Step, Style, Tree, lower, price, print, raise};

/// The texts of a form, or why there is none.
fn written(form: &str, style: &Style) -> Vec<String> {
    let form = parsed(form);
    match raise(&form, &atoms(), &wanted(&form)) {
        Ok(trees) => trees
            .iter()
            .map(|tree| print(tree, style).map_or_else(|| "no text".to_owned(), |(text, _)| text))
            .collect(),
        Err(problem) => vec![problem],
    }
}

const FORMS: &[(&str, &[&str])] = &[
    // Scaling needs no matrix, and a column only where nothing else is turned.
    ("MatMul(Transpose(X), Mul(w, X))", &["(X.T * w) @ X"]),
    ("MatMul(Transpose(Mul(w, X)), X)", &["(X.T * w) @ X"]),
    ("MatMul(Transpose(Mul(X, w)), Y)", &["(X.T * w) @ Y"]),
    (
        "MatMul(Transpose(X), MatMul(Diag(w), X))",
        &["X.T @ (np.diag(w) @ X)"],
    ),
    ("Mul(w, X)", &["w[:, None] * X"]),
    ("Mul(X, Transpose(v))", &["X * v"]),
    ("Transpose(Mul(X, w))", &["X.T * w"]),
    ("MatMul(H, Mul(w, A))", &["H @ (w[:, None] * A)"]),
    ("MatMul(Mul(w, X), v)", &["(w[:, None] * X) @ v"]),
    ("Mul(w, MatMul(X, v))", &["w * (X @ v)"]),
    ("MatMul(Transpose(Add(A, B)), w)", &["(A + B).T @ w"]),
    (
        "MatMul(Transpose(Sub(X, Y)), Sub(X, Y))",
        &["(X - Y).T @ (X - Y)"],
    ),
    ("MatMul(Transpose(A), Transpose(B))", &["A.T @ B.T"]),
    (
        "MatMul(Transpose(Sub(X, Transpose(v))), w)",
        &["(X - v).T @ w"],
    ),
    (
        "Mul(Mul(w, Sub(A, MatMul(w, Transpose(u)))), Transpose(u))",
        &["w[:, None] * (A - np.outer(w, u)) * u"],
    ),
    // Diagonals and traces.
    (
        "RowSums(Mul(MatMul(X, C), X))",
        &["((X @ C) * X).sum(axis=1)"],
    ),
    (
        "Diag(MatMul(MatMul(X, C), Transpose(X)))",
        &["np.diag(X @ C @ X.T)"],
    ),
    (
        "Sum(Mul(A, Transpose(B)))",
        &["(A * B.T).sum()", "np.vdot(A, B.T)"],
    ),
    ("Sum(Mul(A, B))", &["(A * B).sum()", "np.vdot(A, B)"]),
    ("Sum(Mul(u, w))", &["(u * w).sum()", "u @ w"]),
    ("Sum(Pow(X, 2))", &["(X ** 2).sum()", "np.vdot(X, X)"]),
    ("Sum(Pow(Sub(X, Y), 2))", &["((X - Y) ** 2).sum()"]),
    ("Sqrt(Sum(Pow(X, 2)))", &["np.linalg.norm(X)"]),
    ("Transpose(ColSums(Pow(X, 2)))", &["(X ** 2).sum(axis=0)"]),
    ("Trace(MatMul(A, B))", &["np.trace(A @ B)"]),
    ("Diag(Fill(1, n, 1))", &["np.eye(n)"]),
    // Products with vectors, chains.
    ("AsScalar(MatMul(Transpose(u), w))", &["u @ w"]),
    ("MatMul(u, Transpose(v))", &["np.outer(u, v)"]),
    ("MatMul(Transpose(X), w)", &["X.T @ w"]),
    ("Transpose(MatMul(Transpose(w), X))", &["w @ X"]),
    ("MatMul(A, MatMul(B, w))", &["A @ (B @ w)"]),
    ("MatMul(MatMul(A, B), w)", &["A @ B @ w"]),
    (
        "MatMul(Sub(A, MatMul(Transpose(H), H)), w)",
        &["(A - H.T @ H) @ w"],
    ),
    (
        "Sub(MatMul(A, w), MatMul(Transpose(H), MatMul(H, w)))",
        &["A @ w - H.T @ (H @ w)"],
    ),
    (
        "Mul(AsScalar(MatMul(Transpose(u), w)), X)",
        &["(u @ w) * X"],
    ),
    ("Mul(MatMul(Transpose(u), w), X)", &["(u @ w) * X"]),
    (
        "AsScalar(MatMul(Transpose(u), MatMul(A, u)))",
        &["u @ (A @ u)"],
    ),
    // What repeats along an axis.
    ("Sub(X, ColMeans(X))", &["X - X.mean(axis=0)"]),
    ("Div(X, RowSums(X))", &["X / X.sum(axis=1, keepdims=True)"]),
    (
        "Div(X, Sqrt(RowSums(Pow(X, 2))))",
        &["X / np.sqrt((X ** 2).sum(axis=1, keepdims=True))"],
    ),
    ("Sub(c, r)", &["c - r"]),
    (
        "Sub(Add(MatMul(u, Fill(1, 1, n)), Transpose(u)), Mul(2, A))",
        &["u[:, None] + u - 2 * A"],
    ),
    ("ColSums(RowSums(X))", &["X.sum(axis=1).sum(keepdims=True)"]),
    ("Div(u, ColSums(u))", &["u / u.sum()"]),
    // Signs and numbers.
    ("Add(X, Mul(-1, Y))", &["X - Y"]),
    ("Mul(-1, X)", &["-X"]),
    ("Add(X, -2)", &["X - 2"]),
    ("Add(Neg(X), Y)", &["Y - X"]),
    ("Mul(0.5, X)", &["0.5 * X"]),
    ("Div(Sum(X), Mul(n, d))", &["X.sum() / (n * d)"]),
    ("Pow(Sub(X, Y), 3)", &["(X - Y) ** 3"]),
    ("Pow(s, -1)", &["s ** -1"]),
    (
        "Div(Sum(X), Length(X))",
        &["X.sum() / (X.shape[0] * X.shape[1])"],
    ),
    ("Div(Sum(H), Nrow(H))", &["H.sum() / H.shape[0]"]),
    // What NumPy has no step for.
    ("Round(X)", &["NumPy has no `round` here"]),
    ("Cbind(X, Y)", &["NumPy has no `cbind` here"]),
    ("Mul(u, Rev(w))", &["NumPy has no `rev` here"]),
];

#[test]
fn forms_are_written_as_people_do() {
    let wrong: Vec<String> = FORMS
        .iter()
        .map(|(form, expected)| (form, expected, written(form, &style())))
        .filter(|(_, expected, found)| found != *expected)
        .map(|(form, _, found)| format!("{form}: {found:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn habits_are_kept() {
    let functions = Style {
        product: Product::Function,
        sums_by_function: true,
        axis_without_name: true,
        numpy: Some("numpy".into()),
    };
    let methods = Style {
        product: Product::Method,
        ..style()
    };
    let nothing = Style {
        numpy: None,
        ..style()
    };
    let cases = [
        (
            &functions,
            "MatMul(Transpose(X), Mul(w, X))",
            "numpy.dot(X.T * w, X)",
        ),
        (&functions, "RowSums(Mul(X, Y))", "numpy.sum(X * Y, 1)"),
        (&functions, "ColSums(X)", "numpy.sum(X, 0, keepdims=True)"),
        (
            &methods,
            "MatMul(MatMul(A, Sub(A, B)), w)",
            "A.dot(A - B).dot(w)",
        ),
        (&methods, "Sum(Mul(A, B))", "(A * B).sum()"),
        (&nothing, "MatMul(u, Transpose(v))", "no text"),
        (&nothing, "Trace(MatMul(A, B))", "(A @ B).trace()"),
        (&nothing, "Sum(X)", "X.sum()"),
        (&nothing, "Exp(X)", "no text"),
    ];
    for (style, form, expected) in cases {
        assert_eq!(written(form, style)[0], expected, "{form}");
    }
}

#[test]
fn the_kind_of_numbers_stays() {
    let form = parsed("Mul(2, X)");
    let with = |dtype: DType| {
        let x = typed("X", &["n", "d"], dtype);
        let atoms = [("X".into(), x.clone())].into();
        let trees = raise(&form, &atoms, &typed("", &["n", "d"], DType::Float64).value);
        trees.map(|trees| print(&trees[0], &style()).map(|(text, _)| text))
    };
    assert_eq!(with(DType::Float64), Ok(Some("2 * X".to_owned())));
    // Only by a number with a point whole numbers become floats.
    assert_eq!(with(DType::Int), Ok(Some("2.0 * X".to_owned())));
    assert!(with(DType::Float32).is_err());
    assert!(with(DType::Complex).is_err());
}

#[test]
fn what_other_numbers_do_is_no_algebra() {
    let both = |dtype: DType, with: Step| {
        let args = [
            typed("P", &["n", "n"], dtype),
            typed("Q", &["n", "n"], dtype),
        ];
        lower(&step(with, args)).is_some()
    };
    assert!(!both(DType::Bool, Step::Cell(sumac_la::Op::Add)));
    assert!(!both(DType::Bool, Step::MatMul));
    assert!(both(DType::Int, Step::MatMul));
    assert!(both(DType::Complex, Step::MatMul));
    assert!(!both(DType::Complex, Step::Vdot));
    assert!(!both(DType::Int, Step::Cell(sumac_la::Op::Pow)));
    assert!(both(DType::Float64, Step::Cell(sumac_la::Op::Pow)));
}

#[test]
fn whoever_reads_the_text_sees_the_same_tree() {
    use sumac_la::Op;
    let x = || atom("x", &["n"]);
    let neg = |tree: Tree| step(Step::Map(Op::Neg), [tree]);
    let two = |op: Op, a: Tree, b: Tree| step(Step::Cell(op), [a, b]);
    let mat = |a: Tree, b: Tree| step(Step::MatMul, [a, b]);
    let a = || atom("A", &["n", "n"]);
    let cases = [
        (two(Op::Sub, x(), two(Op::Sub, x(), x())), "x - (x - x)"),
        (two(Op::Sub, two(Op::Sub, x(), x()), x()), "x - x - x"),
        (two(Op::Add, x(), two(Op::Add, x(), x())), "x + (x + x)"),
        (two(Op::Mul, x(), two(Op::Div, x(), x())), "x * (x / x)"),
        (two(Op::Div, two(Op::Mul, x(), x()), x()), "x * x / x"),
        (neg(two(Op::Mul, x(), x())), "-(x * x)"),
        (two(Op::Mul, neg(x()), x()), "-x * x"),
        (neg(step(Step::Square, [x()])), "-x ** 2"),
        (step(Step::Square, [neg(x())]), "(-x) ** 2"),
        (
            step(Step::Square, [step(Step::Square, [x()])]),
            "(x ** 2) ** 2",
        ),
        (two(Op::Pow, x(), neg(x())), "x ** -x"),
        (two(Op::Lt, two(Op::Lt, x(), x()), x()), "(x < x) < x"),
        (mat(two(Op::Mul, a(), a()), a()), "(A * A) @ A"),
        (two(Op::Mul, mat(a(), a()), a()), "(A @ A) * A"),
        (two(Op::Mul, a(), mat(a(), a())), "A * (A @ A)"),
        (mat(mat(a(), a()), mat(a(), a())), "A @ A @ (A @ A)"),
        (mat(neg(a()), a()), "-A @ A"),
        (step(Step::Transpose, [mat(a(), a())]), "(A @ A).T"),
        (
            mat(atom("f(x, [1])[0].y", &["n", "n"]), a()),
            "f(x, [1])[0].y @ A",
        ),
        (
            mat(atom("a if b else c", &["n", "n"]), a()),
            "(a if b else c) @ A",
        ),
        (mat(atom("(a) + (b)", &["n", "n"]), a()), "((a) + (b)) @ A"),
        (mat(atom("x[1]or[y]", &["n", "n"]), a()), "(x[1]or[y]) @ A"),
        (mat(atom("f(')')", &["n", "n"]), a()), "f(')') @ A"),
    ];
    for (tree, text) in cases {
        assert_eq!(print(&tree, &style()).expect("it has a text").0, text);
    }
}

#[test]
fn the_cheaper_way_has_the_lower_price() {
    use sumac_cost::Order;
    let cheaper = [
        (
            "MatMul(Transpose(X), Mul(w, X))",
            "MatMul(MatMul(Transpose(X), Diag(w)), X)",
        ),
        (
            "MatMul(Transpose(X), Mul(w, X))",
            "MatMul(Transpose(X), MatMul(Diag(w), X))",
        ),
        ("Mul(w, X)", "MatMul(Diag(w), X)"),
        ("Mul(X, Transpose(v))", "MatMul(X, Diag(v))"),
        ("Sum(Mul(A, Transpose(B)))", "Trace(MatMul(A, B))"),
        ("Sum(Mul(A, B))", "Trace(MatMul(Transpose(A), B))"),
        ("Sum(Mul(X, Y))", "Trace(MatMul(Transpose(X), Y))"),
        (
            "Sum(Mul(X, MatMul(A, X)))",
            "Trace(MatMul(MatMul(Transpose(X), A), X))",
        ),
        (
            "RowSums(Mul(MatMul(X, C), X))",
            "Diag(MatMul(MatMul(X, C), Transpose(X)))",
        ),
        (
            "Transpose(ColSums(Pow(X, 2)))",
            "Diag(MatMul(Transpose(X), X))",
        ),
        ("RowSums(Pow(X, 2))", "Diag(MatMul(X, Transpose(X)))"),
        ("MatMul(A, MatMul(B, w))", "MatMul(MatMul(A, B), w)"),
        (
            "MatMul(Transpose(A), MatMul(B, w))",
            "MatMul(MatMul(Transpose(A), B), w)",
        ),
        (
            "MatMul(X, MatMul(Transpose(X), w))",
            "MatMul(MatMul(X, Transpose(X)), w)",
        ),
        (
            "MatMul(u, MatMul(Transpose(w), X))",
            "MatMul(MatMul(u, Transpose(w)), X)",
        ),
        (
            "Add(A, Transpose(w))",
            "Add(A, MatMul(Fill(1, n, 1), Transpose(w)))",
        ),
        ("A", "MatMul(Diag(Fill(1, n, 1)), A)"),
    ];
    let of = |form: &str| {
        let form = parsed(form);
        let trees = raise(&form, &atoms(), &wanted(&form)).expect("it can be written");
        price(&trees[0]).expect("it has a price")
    };
    let mut wrong = Vec::new();
    for (good_form, bad_form) in cheaper {
        let (good, bad) = (of(good_form), of(bad_form));
        let order = Order::default();
        // Rows of one or two cells take as long as longer ones.
        let from = |price: &sumac_cost::Polynomial| price.in_units(&|_| 4.0);
        if !from(&good.seconds).is_at_most(&from(&bad.seconds), &order) {
            wrong.push(format!("{good_form}: {}; {}", good.seconds, bad.seconds));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let temporaries = of("Sum(Mul(Add(X, Y), Sub(X, Y)))");
    assert_eq!(temporaries.peak_bytes.to_string(), "24 d·n");
    let half = of("MatMul(Transpose(X), X)");
    assert_eq!(half.flops.to_string(), "d²·n");
}

#[test]
fn what_is_too_deep_is_left_alone() {
    let mut deep = atom("A", &["n", "n"]);
    for _ in 0..1000 {
        deep = step(Step::Transpose, [deep]);
    }
    assert!(lower(&deep).is_none() && price(&deep).is_none());
    assert!(print(&deep, &style()).is_none());
}

#[test]
fn all_axes_are_kept_where_they_were() {
    let reduced = Step::Reduce {
        by: sumac_la::Op::Mean,
        axis: None,
        keepdims: true,
    };
    for (shape, text) in [
        (&["n", "d"][..], "X.mean(keepdims=True)"),
        (&["n"][..], "X.mean(keepdims=True)"),
    ] {
        let x = atom("X", shape);
        let tree = step(reduced.clone(), [x.clone()]);
        let form = lower(&tree).expect("it is linear algebra");
        let trees = raise(&form, &[("X".into(), x)].into(), &tree.value).expect("it is written");
        assert_eq!(print(&trees[0], &style()).expect("it has a text").0, text);
    }
}
