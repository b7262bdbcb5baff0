//! What a site says beside its tree: style, statement, function, what stands around it, what is assumed; and warnings.

use sumac_python::{DType, Env, Product, Reading, expression, read};

fn of(text: &str) -> Reading {
    read(text)
}

const HEAD: &str = "import numpy as np\n#@ X: n x d\n#@ w: d\n#@ v: n\n";

#[test]
fn style_is_that_of_the_expression_and_then_of_the_file() {
    let text = format!(
        "{HEAD}np.sum(X.dot(w).dot(w), 0)\nX.T.dot(X)\nX @ w\nX.sum(axis=1)\nnp.mean(X, 1)\nnp.sum(X)\nX.T.dot(X)\n"
    );
    let styles: Vec<_> = of(&text).sites.into_iter().map(|site| site.style).collect();
    let products: Vec<Product> = styles.iter().map(|style| style.product).collect();
    // The first is no algebra as a whole: it sums up a number along an axis.
    assert_eq!(
        products,
        [
            Product::Method,
            Product::Method,
            Product::Sign,
            Product::Method,
            Product::Method,
            Product::Method,
            Product::Method
        ]
    );
    let sums: Vec<bool> = styles.iter().map(|style| style.sums_by_function).collect();
    assert_eq!(sums, [true, true, true, false, true, true, true]);
    let axes: Vec<bool> = styles.iter().map(|style| style.axis_without_name).collect();
    assert_eq!(axes, [true, true, true, false, true, true, true]);
    assert!(
        styles
            .iter()
            .all(|style| style.numpy.as_deref() == Some("np"))
    );
}

#[test]
fn the_library_is_the_one_that_is_in_use() {
    let names = |text: &str| -> Vec<Option<String>> {
        let sites = of(text).sites.into_iter();
        sites
            .map(|site| site.style.numpy.map(|name| name.to_string()))
            .collect()
    };
    let both = "import numpy as np\nimport jax.numpy as jnp\n#@ X: n x n\n";
    assert_eq!(
        names(&format!("{both}jnp.exp(X)\nnp.exp(X)\nX @ X\n")),
        [Some("jnp".to_owned()), Some("np".to_owned()), None]
    );
    assert_eq!(
        names("from numpy import exp\n#@ X: n x n\nexp(X)\n"),
        [None]
    );
    assert_eq!(
        names("import numpy\n#@ X: n x n\nnumpy.exp(X)\n"),
        [Some("numpy".to_owned())]
    );
}

#[test]
fn what_stands_around() {
    let rows = [
        ("y = X @ w", true),
        ("return X @ w", true),
        ("f(X @ w)", true),
        ("f(k=X @ w)", true),
        ("(X @ w) & q", true),
        ("X @ w & q", false),
        ("[X @ w]", true),
        ("q[X @ w]", true),
        ("q[X @ w:]", false),
        ("X @ w if q else 1", false),
        ("not X @ w", false),
        ("f(*X @ w)", false),
        ("q[0] = X @ w", true),
        ("q += X @ w", true),
        ("while X @ w: pass", true),
    ];
    for (statement, is_bare) in rows {
        let text = format!(
            "import numpy as np\ndef f(X, w, q):\n    'X : array (n, d); w : (d,)'\n    {statement}\n"
        );
        let sites = of(&text).sites;
        assert_eq!(sites.len(), 1, "{statement}");
        assert_eq!(sites[0].is_bare, is_bare, "{statement}");
        let range = sites[0].statement;
        assert!(
            statement.starts_with(&text[range.start..range.end]),
            "{statement}"
        );
        assert_eq!(sites[0].function.as_deref(), Some("f"));
    }
}

#[test]
fn what_is_assumed() {
    let text = "import numpy as np\nclass A:\n    class B:\n        def f(self, X, w, Y, m):\n            '''X : array (n, d); w : (m,) array; Y : float32 array (n, d)'''\n            a = X @ w\n            b = Y @ w\n            c = Y @ Y.T\n            return X.T @ a / m\n";
    let sites = of(text).sites;
    let assumes: Vec<String> = sites.iter().map(|site| site.assumes.join("; ")).collect();
    assert_eq!(
        assumes,
        [
            "`X` and `w` are arrays of NumPy that hold 64-bit floats; `d` equals `m`",
            "`w` is an array of NumPy that holds 64-bit floats; `d` equals `m`",
            "`d` equals `m`",
            "`X` and `a` are arrays of NumPy that hold 64-bit floats; `d` equals `m`",
        ]
    );
    assert!(
        sites
            .iter()
            .all(|site| site.function.as_deref() == Some("A.B.f"))
    );
    assert_eq!(sites[2].tree.value.dtype, DType::Float32);
    let env: &Env = &sites[3].env;
    assert_eq!(
        env.size_of("m").map(|dim| dim.to_string()).as_deref(),
        Some("d")
    );
    assert_eq!(
        env.size_of("X.shape[1] + 1")
            .map(|dim| dim.to_string())
            .as_deref(),
        Some("d + 1")
    );
    assert_eq!(env.size_of("q"), None);
    assert!(expression("X.T @ (X @ w)", env).is_some());
    assert!(expression("X @ X", env).is_none(), "it takes n for d");
    assert!(expression("X @", env).is_none());
    assert!(expression("X; w", env).is_none());
    assert!(expression("foo(X)", env).is_none());
}

#[test]
fn one_way_does_not_speak_for_the_other() {
    let text = format!(
        "{HEAD}if len(X) == len(w):\n    X @ v\nX + v\nif len(w) != 5:\n    raise ValueError\nX @ w\n"
    );
    let found: Vec<String> = of(&text)
        .sites
        .iter()
        .map(|site| format!("{} {} {:?}", site.tree, site.tree.value, &site.assumes[1..]))
        .collect();
    assert_eq!(
        found,
        [
            "mm(X, v) (d,) []",
            "add(X, v) (d, d) [\"`d` equals `n`\"]",
            "mm(X, w) (5,) [\"`d` equals `n`\"]",
        ]
    );
}

#[test]
fn warnings() {
    let rows = [
        ("c = X.sum(axis=1, keepdims=True)\nc - v", ""),
        ("c = np.ones((len(v), 1))\nc - v", "accidental-broadcast"),
        ("c = np.ones((len(v), 1))\nc * v[None, :]", ""),
        ("c = np.ones((len(v), 1))\nc @ v", "shape-mismatch?"),
        ("np.ones((2, 3)) @ np.ones((4, 5))", "shape-mismatch"),
        ("np.ones((2, 3)) + np.ones(2)", "shape-mismatch"),
        ("np.ones((2, 3)).sum(axis=2)", "shape-mismatch"),
        ("q = np.ones((2, 3)) @ np.ones(4) if v is None else 1", ""),
        ("v is None or np.ones((2, 3)) @ np.ones(4)", ""),
        (
            "try:\n    np.ones((2, 3)) @ np.ones(4)\nexcept ValueError:\n    pass",
            "",
        ),
        (
            "with raises(ValueError):\n    np.ones((2, 3)) @ np.ones(4)",
            "",
        ),
        (
            "for i in range(3):\n    np.ones((2, 3)) @ np.ones(4)",
            "shape-mismatch",
        ),
        ("Y = np.ones((2, 3))  # (2, 4)", "contradicting-fact"),
        ("Y = np.ones((2, 3))  # (k, 3)\nY @ Y.T", ""),
        ("X = X.T\nX @ v", ""),
    ];
    for (body, expected) in rows {
        let found: Vec<&str> = of(&format!("{HEAD}{body}\n"))
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect();
        // Two names that differ are no error, even if one of them is a number.
        let expected = expected.strip_suffix('?').map_or(expected, |_| "");
        assert_eq!(found.join(" "), expected, "{body}");
    }
}

#[test]
fn a_line_about_a_scope_does_not_rename_sizes() {
    let text = format!("{HEAD}X = X.T\nX @ v\nY = np.ones((len(v), 3))\n#@ Y: 7 x k\nY.T @ Y\n");
    let reading = of(&text);
    let found: Vec<String> = reading
        .sites
        .iter()
        .map(|site| format!("{} {}", site.tree, site.tree.value))
        .collect();
    assert_eq!(found, ["mm(X, v) (d,)", "mm(t(Y), Y) (3, 3)"]);
    assert!(reading.sites.iter().all(|site| site.assumes.len() < 2));
}
