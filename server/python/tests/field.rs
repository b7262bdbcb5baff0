//! Expressions from public code: each is read as one piece of algebra.

use sumac_python::read;

/// Shapes, an expression, and what it is.
const CASES: &[(&str, &str, &str)] = &[
    ("A B: n x n", "np.trace(A @ B)", "trace(mm(A, B))"),
    ("A B: n x n", "np.trace(A.T @ B)", "trace(mm(t(A), B))"),
    ("K: n x n", "np.trace(K @ K)", "trace(mm(K, K))"),
    ("a b: n x n", "np.trace(np.dot(a, b))", "trace(mm(a, b))"),
    ("a b: n x k", "np.trace(b.T.dot(a))", "trace(mm(t(b), a))"),
    (
        "U: d x k; V: d x d",
        "np.trace(U.T.dot(V.dot(U)))",
        "trace(mm(t(U), mm(V, U)))",
    ),
    (
        "P: n x n; C: n x j",
        "np.trace(P @ C @ C.T)",
        "trace(mm(mm(P, C), t(C)))",
    ),
    (
        "A: n x p; B: p x p",
        "np.diag(A.dot(B).dot(A.T))",
        "diag(mm(mm(A, B), t(A)))",
    ),
    (
        "X: n x k; V: k x k",
        "np.sqrt(np.diag(X @ V @ X.T))",
        "sqrt(diag(mm(mm(X, V), t(X))))",
    ),
    ("V: n x k", "np.diag(V.T.dot(V))", "diag(mm(t(V), V))"),
    (
        "X: n x d; p: n",
        "X.T @ np.diag(p*(1-p)) @ X",
        "mm(mm(t(X), diag(mul(p, sub(1, p)))), X)",
    ),
    (
        "y: n x d; Wc: n",
        "np.dot(y.T, np.dot(np.diag(Wc), y))",
        "mm(t(y), mm(diag(Wc), y))",
    ),
    (
        "X: n x d; U: d x k; ones: n x m",
        "np.diag(np.diag(X.dot(U @ U.T @ X.T))).dot(ones)",
        "mm(diag(diag(mm(X, mm(mm(U, t(U)), t(X))))), ones)",
    ),
    ("s: n; V: n x k", "np.dot(np.diag(s), V)", "mm(diag(s), V)"),
    (
        "X: n x p; r: n; c: p",
        "np.diag(r**-.5) @ (X - np.outer(r,c)) @ np.diag(c**-.5)",
        "mm(mm(diag(pow(r, -0.5)), sub(X, outer(r, c))), diag(pow(c, -0.5)))",
    ),
    (
        "M: n x d; p: d",
        "M + np.outer(np.ones(len(M)), p)",
        "add(M, outer(fill1(#len(M)), p))",
    ),
    ("A B C D: n x n", "A @ B @ C @ D", "mm(mm(mm(A, B), C), D)"),
    (
        "H: n x d; y: n x k; x: n x k",
        "H.T @ y @ x.T @ H",
        "mm(mm(mm(t(H), y), t(x)), H)",
    ),
    (
        "A: n x n; H: k x n; x: n",
        "(A - H.T @ H) @ x",
        "mm(sub(A, mm(t(H), H)), x)",
    ),
    (
        "X: n x m; W: n x k; H: k x m",
        "np.linalg.norm(X - W @ H)",
        "norm(sub(X, mm(W, H)))",
    ),
    (
        "M: n x d; v: d",
        "np.sum((M - v)**2, axis=1)",
        "sum1(square(sub(M, v)))",
    ),
    (
        "H K L: n x n",
        "np.trace(H @ K @ H @ L)",
        "trace(mm(mm(mm(H, K), H), L))",
    ),
    ("C: n x d", "np.eye(len(C)) @ C", "mm(eye(#len(C)), C)"),
    (
        "x y: d; V: d x d",
        "(x-y).T @ V @ (x-y)",
        "mm(mm(t(sub(x, y)), V), sub(x, y))",
    ),
];

#[test]
fn expressions_of_the_field() {
    for (shapes, expression, expected) in CASES {
        let mut text = String::from("import numpy as np\n");
        for shape in shapes.split("; ") {
            let (names, size) = shape.split_once(": ").unwrap();
            for name in names.split(' ') {
                text.push_str(&format!("#@ {name}: {size}\n"));
            }
        }
        let start = text.len() + "result = ".len();
        text.push_str(&format!("result = {expression}\n"));
        let reading = read(&text);
        let found: Vec<(usize, usize, String)> = reading
            .sites
            .iter()
            .map(|site| (site.range.start, site.range.end, site.tree.to_string()))
            .collect();
        let end = start + expression.len();
        assert_eq!(
            found,
            [(start, end, (*expected).to_owned())],
            "{expression}"
        );
        assert!(reading.diagnostics.is_empty(), "{expression}");
        assert!(reading.sites[0].is_bare);
    }
}
