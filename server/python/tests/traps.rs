//! Names that are bound again, changed in place, hidden, or unknown: what must be read, and what must not.

use sumac_python::read;

/// The algebra of a function's body over `X` and `Y` of (n, d) and `w` of (d,); the rest of the parameters is unknown.
fn sites(body: &str) -> String {
    let mut text = String::from(
        "import numpy as np\nimport scipy.sparse as sp\n\ndef f(X, Y, w, c, q):\n    \"\"\"X : array (n, d); Y : array (n, d); w : array (d,)\"\"\"\n",
    );
    for line in body.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    shown(&text)
}

fn shown(text: &str) -> String {
    let reading = read(text);
    let all: Vec<String> = reading
        .sites
        .iter()
        .map(|site| site.tree.to_string())
        .collect();
    all.join("; ")
}

/// Bodies and their algebra.
const BODIES: &[(&str, &str)] = &[
    // Names that are bound again.
    ("X = g(X)\nX @ w", ""),
    ("X = X.T\nX @ X", "mm(X, X)"),
    ("X = X.T\nX @ Y", "mm(X, Y)"),
    ("X = X @ w\nX + 1", "mm(X, w); add(X, 1)"),
    ("np = q\nnp.sum(X)", ""),
    ("np.sum(X)\nnp = q", ""),
    ("from other import np\nnp.exp(X)", ""),
    ("import numpy as np\nnp.exp(X)", "exp(X)"),
    ("X, Y = Y, X\nX @ w", "mm(X, w)"),
    ("X, Y = w, X\nX @ w", "mm(X, w)"),
    ("X, Y = g()\nX @ w", ""),
    ("*X, Y = g()\nX @ w", ""),
    ("[X, (Y, w)] = g()\nX @ w\nY @ Y", ""),
    ("for X in g():\n    X @ w\nX @ w", ""),
    (
        "for i, X in enumerate(q):\n    Y[i] @ w\n    X @ w",
        "mm(Y[i], w)",
    ),
    ("with g() as X:\n    X @ w", ""),
    ("try:\n    pass\nexcept E as X:\n    pass\nX @ w", ""),
    ("import X\nX @ w", ""),
    ("def X(): pass\nX @ w", ""),
    ("class X: pass\nX @ w", ""),
    ("del X\nX @ w", ""),
    (
        "match q:\n    case [X, *rest]:\n        X @ w\n    case {'a': Y}:\n        Y @ w\nX @ w",
        "",
    ),
    (
        "match q:\n    case [a]:\n        X @ w\nX @ w",
        "mm(X, w); mm(X, w)",
    ),
    ("if (X := g()) is None:\n    pass\nX @ w", ""),
    ("(X := q) @ w", ""),
    ("X @ w + (X := q)", ""),
    ("[Z := q for Z2 in c]\nX @ w", "mm(X, w)"),
    ("[X for X in q]\nX @ w", "mm(X, w)"),
    ("[(X := a) for a in q]\nX @ w", ""),
    ("global X\nX = q\nX @ w", ""),
    ("type X = int\nX @ w", ""),
    // Changes in place.
    ("X += 1\nX @ w", "mm(X, w)"),
    ("X[0] = 1\nX[:, 0] += 2\nX @ w", "mm(X, w)"),
    ("X += Y @ np.diag(w)", "mm(Y, diag(w))"),
    ("X[q] = Y @ w", "mm(Y, w)"),
    ("X @= g()\nX @ w", ""),
    ("np.exp(X, out=X)\nX @ w", "mm(X, w)"),
    ("np.fill_diagonal(X, 0)\nX.sort()\nX @ w", "mm(X, w)"),
    ("X.resize(3, 4)\nX @ w", ""),
    ("Z = X\nX.resize((3, 4))\nZ @ w", ""),
    ("X.shape = (3, 4)\nX @ w", ""),
    (
        "s = 0.0\ns += (X @ w).sum()\ns * X",
        "sum(mm(X, w)); mul(s, X)",
    ),
    ("s = 2\ns += 1\ns * X", "mul(s, X)"),
    ("s = 2\ns += q\ns * X", ""),
    // Ways that part and join.
    ("if c:\n    X = g()\nX @ w", ""),
    ("if c:\n    X = Y\nX @ w", "mm(X, w)"),
    ("if c:\n    X = Y.T\nelse:\n    X = Y.T\nX @ Y", "mm(X, Y)"),
    ("if c:\n    return 1\nelse:\n    X = Y.T\nX @ Y", "mm(X, Y)"),
    ("if c:\n    X = g()\n    return X\nX @ w", "mm(X, w)"),
    ("if c:\n    Z = X\nZ @ w", ""),
    ("while c:\n    X @ w\n    X = g()\nX @ w", ""),
    (
        "while c:\n    w = w - X.T @ (X @ w)\nX @ w",
        "sub(w, mm(t(X), mm(X, w))); mm(X, w)",
    ),
    (
        "w = np.zeros(3)\nZ = np.ones((4, 3))\nfor i in range(9):\n    w = w - Z.T @ (Z @ w)\nZ @ w",
        "sub(w, mm(t(Z), mm(Z, w))); mm(Z, w)",
    ),
    ("for i in range(9):\n    X = X.T\nX @ w", ""),
    (
        "for i in range(9):\n    if c:\n        break\n    X = q\nX @ w",
        "",
    ),
    (
        "for i in range(9):\n    Z = Y @ w\n    X = Y\nX @ w\nZ @ Z",
        "mm(Y, w); mm(X, w)",
    ),
    (
        "for i in range(9):\n    for j in range(9):\n        w = X[i] + w\nX @ w",
        "add(X[i], w); mm(X, w)",
    ),
    (
        "for i in range(9):\n    w = Y[i]\n    X @ w\nelse:\n    X @ w",
        "mm(X, w); mm(X, w)",
    ),
    (
        "try:\n    X = g()\n    X = Y\nexcept E:\n    X @ w\nX @ w",
        "",
    ),
    (
        "try:\n    X = Y\nexcept E:\n    X @ w\nX @ w",
        "mm(X, w); mm(X, w)",
    ),
    (
        "try:\n    X = g()\nexcept E:\n    raise\nfinally:\n    X @ w\nX @ w",
        "",
    ),
    (
        "try:\n    Z = X @ w\nexcept E:\n    return\nZ @ Z",
        "mm(X, w); mm(Z, Z)",
    ),
    ("with suppress(E):\n    X = Y.T\nX @ w", ""),
    ("X = Y if c else Y\nX @ w", "mm(X, w)"),
    ("X = Y if c else w\nX @ w", ""),
    // What is no dense array, or no real numbers.
    ("S = sp.csr_matrix(X)\nS @ w\nS.T @ X", ""),
    ("S = sp.csr_matrix(X)\nD = S.toarray()\nD @ w", "mm(D, w)"),
    ("S = sp.random(3, 4)\nn, d = S.shape\nS @ np.ones(d)", ""),
    ("M = np.matrix(X)\nM * M", ""),
    ("M = np.asmatrix(X)\nN = M.T\na, b = N.shape\nN @ X", ""),
    ("i = np.arange(3)\ni @ i\nX[i] @ w", ""),
    ("X = X > 0\nX @ w", ""),
    ("Z = X * 1j\nZ @ w", ""),
    ("X & Y\nX // Y\nX % Y\n~X", ""),
    // Calls, attributes, parts.
    ("g(X @ w, k=Y @ w)", "mm(X, w); mm(Y, w)"),
    ("g(X) @ w + Y @ w", "mm(Y, w)"),
    ("X @ g(w)", ""),
    ("np.foo(X) @ (X @ w)", "mm(X, w)"),
    ("(lambda X: X @ w)(Y)", ""),
    ("f'{X @ w}'", ""),
    ("[x @ w for x in X]", ""),
    ("'X @ w'", ""),
    ("yield X @ w\nZ = yield\nZ @ w", "mm(X, w)"),
    (
        "return [X @ w, {'a': Y @ w}, not X.sum() + 1]",
        "mm(X, w); mm(Y, w); add(sum(X), 1)",
    ),
    ("q.X = X @ w\nq.X @ q.X", "mm(X, w); mm(q.X, q.X)"),
    ("q.X = w\ng()\nX @ q.X", ""),
    ("q.X = w\nX @ q.X + g()", ""),
    ("q.X = w\nc.X = g()\nX @ q.X", ""),
    ("q.X = w\nq = c\nX @ q.X", ""),
    ("q.X = w\nwhile c:\n    X @ q.X\n    q.X = g()", ""),
    ("X[:, q] @ w", ""),
    ("X[q:] @ w", ""),
    ("k = 3\nX[:k] @ w\nk = g()\nX[:k] @ w", "mm(X[:k], w)"),
    (
        "for i in range(len(X)):\n    X[i] @ w\n    X[i, :] @ X[i + 1]\n    X[i, 0] * w",
        "mm(X[i], w); mm(X[i, :], X[i + 1]); mul(X[i, 0], w)",
    ),
    ("for x in X:\n    x @ w", "mm(x, w)"),
    ("X @ \\\n    w", "mm(X, w)"),
    ("(X\n    @ w)", "mm(X, w)"),
    ("X.sum(axis=q)", ""),
    ("X.sum(axis=5)", ""),
    ("X.dot(w, out=q)", ""),
    ("np.dot(2.0, X)", ""),
    ("np.dot(*q)", ""),
    ("dot = np.dot\ndot(X, w)", "mm(X, w)"),
    ("abs = q\nabs(X @ w)", "mm(X, w)"),
    (
        "n, d = X.shape\nn = 5\nX / n\nX.sum(axis=0) / d",
        "div(X, #n); div(sum0(X), #d)",
    ),
    ("n, d = X.shape\nn = g()\nX / n\nX.T @ np.ones(n)", ""),
    (
        "n, d = X.shape\nn, k = q.shape\nq @ q.T\nX.T @ q",
        "mm(q, t(q)); mm(t(X), q)",
    ),
    // What only looks like a step.
    ("w.diagonal()\nnp.diagonal(w)", ""),
    (
        "np.linalg.multi_dot([2.0, X])\nnp.linalg.multi_dot([X])",
        "",
    ),
    ("np.linalg.multi_dot([X, w, Y])", ""),
    ("np.einsum('ij,ki->jk', X, w)", ""),
    ("np.einsum('ij,kj->ki', X + 1, g(X))", "add(X, 1)"),
    (
        "Z = X.sum(axis=1, keepdims=True)\nnp.einsum('ij,kj->ik', X, Z)",
        "sum1k(X)",
    ),
    ("np.vdot(X, Y.T)", ""),
    ("(2).sum() * X\nlen(X).T * w", ""),
    ("np.square(2.0) * X\nabs(2.0) * X\nabs(len(X)) * X", ""),
    ("np.exp(X > 0) * X", ""),
    ("S = np.zeros(q)\nS @ w", ""),
    ("S = np.zeros((c, q))\nS.T @ S", "mm(t(S), S)"),
    ("S = np.arange(q) * 1.0\nS @ S", ""),
    ("S = np.eye(q)\nS @ S", "mm(S, S)"),
    ("S = np.zeros(3 + q)", ""),
    ("np.random.default_rng(0).normal(size=(3, 4)) @ X", ""),
    (
        "G = np.random.default_rng(0).normal(size=(3, 4))\nG @ G.T",
        "mm(G, t(G))",
    ),
    ("q.Z = g()  # (d, k)\nX @ q.Z", "mm(X, q.Z)"),
    ("X[:0] @ w", ""),
    ("X[()] @ w", "mm(X[()], w)"),
    ("X[None] @ w", ""),
    ("X[..., 0] @ w", ""),
    ("X[True] @ w", ""),
    ("not X @ w", "mm(X, w)"),
    ("X @ w and Y @ w", "mm(X, w); mm(Y, w)"),
    ("X ** w", ""),
    ("2 ** X", ""),
    ("X ** -1", "pow(X, -1)"),
    ("+X @ w", ""),
    ("np.sum(X, 0, None)", ""),
    ("np.sum(X, axis=(0, 1))", ""),
    ("X.mean(0).std()", "mean0(X)"),
];

#[test]
fn bodies() {
    let mut wrong = String::new();
    for (body, expected) in BODIES {
        let found = sites(body);
        if found != *expected {
            wrong.push_str(&format!(
                "{body}\n  found    {found}\n  expected {expected}\n\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Programs and their algebra.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "import numpy as np\nX = np.ones((3, 4))\ndef f():\n    return X @ X.T\nX @ X.T",
        "mm(X, t(X))",
    ),
    (
        "import numpy as np\nX = np.ones((3, 4))\ndef f():\n    global X\n    X = 1\nX @ X.T",
        "",
    ),
    (
        "import numpy as np\ndef f():\n    X = np.ones((3, 4))\n    def g():\n        nonlocal X\n        X = 1\n    X @ X.T",
        "",
    ),
    (
        "import numpy as np\ndef f():\n    X = np.ones((3, 4))\n    def g():\n        return X @ X.T",
        "",
    ),
    (
        "import numpy as np\ndef f():\n    np = 1\n    def g():\n        X = np.ones((3, 4))\n        X @ X.T",
        "",
    ),
    (
        "import numpy as np\nnp = 1\ndef f():\n    X = np.ones((3, 4))\n    X @ X.T",
        "",
    ),
    (
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None\ndef f():\n    X = np.ones((3, 4))\n    X @ X.T",
        "",
    ),
    (
        "import numpy as np\nfrom other import *\nX = np.ones((3, 4))\nX @ X.T",
        "",
    ),
    (
        "from other import *\nimport numpy as np\nX = np.ones((3, 4))\nX @ X.T",
        "mm(X, t(X))",
    ),
    ("from numpy import *\nX = ones((3, 4))\nX @ X.T", ""),
    (
        "from numpy import ones, trace as tr\nfrom numpy.linalg import norm\nX = ones((3, 4))\ntr(X @ X.T) + norm(X)",
        "add(trace(mm(X, t(X))), norm(X))",
    ),
    (
        "import numpy\nX = numpy.ones((3, 4))\nnumpy.linalg.norm(X)",
        "norm(X)",
    ),
    (
        "import jax.numpy as jnp\nX = jnp.ones((3, 4))\njnp.exp(X)",
        "exp(X)",
    ),
    (
        "import numpy as np\nimport torch\ndef f(X):\n    n, d = X.shape\n    X @ X.T",
        "",
    ),
    (
        "import numpy as np\nimport torch\ndef f(X):\n    'X : array (n, d)'\n    X @ X.T",
        "mm(X, t(X))",
    ),
    (
        "import numpy as np\n#@ X: n x d\nX = X.T\nX @ X.T",
        "mm(X, t(X))",
    ),
    (
        "import torch\ndef f(X):\n    n, d = X.shape\n    X @ X.T",
        "",
    ),
    (
        "import numpy as np\nclass A:\n    X = np.ones((3, 4))\n    Z = X @ X.T\n    def f(self, Y):\n        n, d = Y.shape\n        return Y.T @ Y + X @ Y",
        "mm(X, t(X)); mm(t(Y), Y)",
    ),
    (
        "import numpy as np\nasync def f(Y):\n    n, d = Y.shape\n    await g(Y.T @ Y)\n    return await Y @ Y",
        "mm(t(Y), Y)",
    ),
    (
        "import numpy as np\n@g(np.ones(3) + 1)\ndef f(Y=np.ones(3) + 1):\n    return 1",
        "",
    ),
    (
        "import numpy as np\nX = np.ones((3, 4))\nX @ X.T\nY = X @ (\nX @ X.T",
        "mm(X, t(X))",
    ),
    (
        "import numpy as np\nX = np.ones((3, 4))\nX = X +\nX @ X.T",
        "",
    ),
    (
        "import numpy as np\nX = np.ones((3, 4))\nif X @ :\n    X @ X.T\nX @ X.T",
        "mm(X, t(X)); mm(X, t(X))",
    ),
];

#[test]
fn programs() {
    let mut wrong = String::new();
    for (text, expected) in PROGRAMS {
        let found = shown(text);
        if found != *expected {
            wrong.push_str(&format!(
                "{text}\n  found    {found}\n  expected {expected}\n\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What a program asks of a variable holds on one way only, and what is allowed beside an array is no array.
#[test]
fn questions_and_other_kinds() {
    let sites = |body: &str, doc: &str| {
        let text = format!(
            "import numpy as np\n\n\ndef f(X, w, s=1.0):\n    \"\"\"\n    X : array of shape (n, n)\n    w : {doc}\n    \"\"\"\n{body}"
        );
        sumac_python::read(&text).sites.len()
    };
    let vector = "array of shape (n,)";
    assert_eq!(sites("    return w @ X @ w\n", vector), 1);
    for question in [
        "w.ndim == 0",
        "np.ndim(w) == 0",
        "np.isscalar(w)",
        "not w.shape",
        "isinstance(w, float)",
    ] {
        let body = format!("    if {question}:\n        return w * w * X\n    return w @ X @ w\n");
        assert_eq!(sites(&body, vector), 0, "{question}");
        let chosen = format!("    return w * X * X if {question} else X @ w @ X\n");
        assert_eq!(sites(&chosen, vector), 0, "{question}");
        let check =
            format!("    if {question}:\n        raise ValueError(w)\n    return w @ X @ w\n");
        assert_eq!(sites(&check, vector), 1, "{question}");
    }
    // A question about a size alone leaves what it is.
    assert_eq!(
        sites(
            "    if w.shape[0] > 3:\n        w = w + w\n    return w @ X @ w\n",
            vector
        ),
        2
    );
    let caught = "    try:\n        n, d = w.shape\n    except ValueError:\n        return w @ w @ w\n    return X @ X @ X\n";
    assert_eq!(sites(caught, vector), 1);
    for doc in [
        "float or ndarray of shape (n,)",
        "array of shape (n,) or scalar",
        "None or array of shape (n,)",
        "csr_matrix of shape (n,)",
        "masked array of shape (n,)",
        "array (n,) of indices",
        "array broadcastable to shape (n,)",
        "(n,) uint8 image",
    ] {
        assert_eq!(sites("    return w @ X @ w\n", doc), 0, "{doc}");
    }
}
