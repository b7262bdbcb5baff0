//! Snippets of programs and what is read of them.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use sumac_python::{Reading, read};

/// Everything that was read, one line each.
fn shown(text: &str, reading: &Reading) -> String {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let mut out = String::new();
    for fact in &reading.facts {
        let number = fact.number.map(|n| format!(" {n}")).unwrap_or_default();
        let at = line(fact.range.start);
        writeln!(
            out,
            "{at} {}: {}{number} [{}]",
            fact.name, fact.shape, fact.source
        )
        .unwrap();
    }
    for site in &reading.sites {
        let mut said = String::new();
        for assumed in &site.assumes {
            if !assumed.contains("64-bit") {
                write!(said, " if {assumed}").unwrap();
            }
        }
        for (a, b) in &site.order {
            write!(said, " {a}<={b}").unwrap();
        }
        if !site.is_bare {
            said.push_str(" inner");
        }
        let at = line(site.range.start);
        writeln!(out, "{at} => {} {}{said}", site.tree, site.tree.value).unwrap();
        let again = sumac_python::expression(&text[site.range.start..site.range.end], &site.env);
        assert_eq!(
            again.as_ref(),
            Some(&site.tree),
            "read again: {}",
            site.tree
        );
    }
    for diagnostic in &reading.diagnostics {
        let at = line(diagnostic.range.start);
        writeln!(out, "{at} {}: {}", diagnostic.code, diagnostic.message).unwrap();
    }
    out
}

fn check(text: &str, expected: &Expect) {
    let text = format!("import numpy as np\n{text}");
    let reading = read(&text);
    expected.assert_eq(&shown(&text, &reading));
}

#[test]
fn the_first_example() {
    check(
        r#"
def sandwich(X, w, B):
    """X : array of shape (n, d); w : (n,); B : (d, d)"""
    meat = X.T @ np.diag(w) @ X
    return np.diag(X @ B @ X.T)
"#,
        &expect![[r#"
            3 X: (n, d) [docstring, line 4]
            3 w: (n,) [docstring, line 4]
            3 B: (d, d) [docstring, line 4]
            5 meat: (d, d) [propagated]
            5 => mm(mm(t(X), diag(w)), X) (d, d)
            6 => diag(mm(mm(X, B), t(X))) (n,)
        "#]],
    );
}

#[test]
fn docstrings() {
    check(
        r#"
def numpydoc(X, y, alpha, S, name, Z):
    """Fits.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data (rows, columns).
    y : ndarray, shape (n_samples,), optional
    alpha : float, default=1.0
    S : {array-like, sparse matrix} of shape (n, n)
    name : str (optional, unused)
    Z : ndarray
        Of shape (n_features, k) always.

    Returns
    -------
    X : ndarray of shape (q, q)
    """
    a = alpha * X.T @ y
    b = S @ Z
    return X @ Z

def google(X, y, w):
    """Fits.

    Args:
        X (np.ndarray): the data, shape (n, d).
        y (ndarray of shape (n,)): the targets
        w: weights of shape (d,)
    """
    return X @ w - y

def sphinx(X, w):
    """:param X: the data, shape (n, d)
    :param np.ndarray w: an array (d,)
    :type w: ndarray (d,)
    """
    return X @ w
"#,
        &expect![[r#"
            3 X: (n_samples, n_features) [docstring, line 8]
            3 y: (n_samples,) [docstring, line 10]
            3 Z: (n_features, k) [docstring, line 15]
            21 a: (n_features,) [propagated]
            25 X: (n, d) [docstring, line 29]
            25 y: (n,) [docstring, line 30]
            25 w: (d,) [docstring, line 31]
            35 X: (n, d) [docstring, line 36]
            35 w: (d,) [docstring, line 38]
            21 => mm(mul(alpha, t(X)), y) (n_features,)
            23 => mm(X, Z) (n_samples, k)
            33 => sub(mm(X, w), y) (n,)
            40 => mm(X, w) (n,)
        "#]],
    );
}

#[test]
fn lines_for_sumac() {
    check(
        r#"
#@ G: 1000 x 50
G = load()
g = G @ G.T
#@ X: n x d, float32
#@ v: d
def f(X, v):
    #@ self.W: d x k
    #@ S: 100 x 100, csr_array, sparsity 1e-4
    Y = X @ self.W
    S @ S
    return X @ v
def g(X, v):
    return X @ v
"#,
        &expect![[r#"
            3 G: (1000, 50) [`#@` line 3]
            4 G: (1000, 50) [`#@` line 3]
            5 g: (1000, 1000) [propagated]
            6 X: (n, d) float32 [`#@` line 6]
            7 v: (d,) [`#@` line 7]
            11 Y: (n, k) [propagated]
            5 => mm(G, t(G)) (1000, 1000)
            11 => mm(X, self.W) (n, k)
            13 => mm(X, v) (n,)
        "#]],
    );
}

#[test]
fn annotations() {
    check(
        r#"
from jaxtyping import Float, Float32, Int
from jax import Array
import jax.numpy as jnp
def f(X: Float[Array, "n d"], y: Float32[np.ndarray, "n"], i: Int[Array, "n"], s: float, T: Float[Tensor, "n n"], b: Float[Array, "*b n"]):
    z: Float[Array, "d k"] = g(X)
    T @ T
    i + i
    s * y
    return jnp.sum(X @ z, axis=1)
"#,
        &expect![[r#"
            6 X: (n, d) [jaxtyping]
            6 y: (n,) float32 [jaxtyping]
            6 i: (n,) int64 [jaxtyping]
            7 z: (d, k) [jaxtyping]
            10 => mul(s, y) (n,)
            11 => sum1(mm(X, z)) (n,)
        "#]],
    );
}

#[test]
fn constructors() {
    check(
        r#"
def f(n, d):
    a = np.zeros((n, d))
    b = np.ones(d)
    c = np.empty((3, 4), dtype=np.float32)
    e = np.full((n, 2), 1.5)
    i = np.eye(n)
    j = np.identity(d)
    k = np.arange(n)
    l = np.linspace(0, 1, 20)
    m = np.random.rand(n, d)
    o = np.random.normal(size=(d, n))
    rng = np.random.default_rng(0)
    p = rng.normal(size=(n, d))
    q = rng.random(d)
    r = np.array([[1.0, 2], [3, 4]])
    s = np.asarray([1, 2, 3])
    t = np.zeros_like(a)
    u = rng.standard_normal((n, 2 * d + 1))
    v = np.zeros(n, dtype=int)
    w = a.astype(np.float32)
    x = np.zeros((n, d), dtype=complex)
    return i - np.ones((n, n)) / n, a @ u, v + 1, w @ b, x @ x
"#,
        &expect![[r#"
            4 a: (n, d) float64 [constructor]
            5 b: (d,) float64 [constructor]
            6 c: (3, 4) float32 [constructor]
            7 e: (n, 2) float64 [constructor]
            8 i: (n, n) float64 [constructor]
            9 j: (d, d) float64 [constructor]
            10 k: (n,) int64 [constructor]
            11 l: (20,) float64 [constructor]
            12 m: (n, d) float64 [constructor]
            13 o: (d, n) float64 [constructor]
            15 p: (n, d) float64 [constructor]
            16 q: (d,) float64 [constructor]
            17 r: (2, 2) float64 [constructor]
            18 s: (3,) int64 [constructor]
            19 t: (n, d) float64 [constructor]
            20 u: (n, 2 * d + 1) float64 [constructor]
            21 v: (n,) int64 [constructor]
            22 w: (n, d) float32 [propagated]
            23 x: (n, d) complex128 [constructor]
            24 => sub(i, div(fill1(#n, #n), #n)) (d, d) if `d` equals `n`
            24 => mm(a, u) (d, 2 * d + 1) if `d` equals `n`
            24 => mm(w, b) (d,) if `d` equals `n`
        "#]],
    );
}

#[test]
fn sizes_from_shapes() {
    check(
        r#"
def f(X, Y, w, v, Z, A):
    n, d = X.shape
    k = Y.shape[1]
    if w.shape != (d,):
        raise ValueError
    assert v.shape == (n,) and Z.ndim == 2
    assert d <= n
    if A.ndim != 2:
        raise ValueError
    m = len(A)
    a = A.T @ A / m
    return (X.T * v) @ X / n + np.eye(d), Z @ Z.T / Z.shape[0], X @ w / len(X)
"#,
        &expect![[r#"
            4 X: (n, d) [`n, d = X.shape`, line 4]
            6 w: (d,) [check, line 6]
            8 v: (n,) [assert, line 8]
            8 Z: (Z.shape[0], Z.shape[1]) [assert, line 8]
            10 A: (A.shape[0], A.shape[1]) [check, line 10]
            13 a: (A.shape[1], A.shape[1]) [propagated]
            13 => div(mm(t(A), A), #m) (A.shape[1], A.shape[1]) d<=n
            14 => add(div(mm(mul(t(X), v), X), #n), eye(#d)) (d, d) d<=n
            14 => div(mm(Z, t(Z)), #Z.shape[0]) (Z.shape[0], Z.shape[0]) d<=n
            14 => div(mm(X, w), #len(X)) (n,) d<=n
        "#]],
    );
}

#[test]
fn comments() {
    check(
        r#"
def f(
    X,  # (n, d)
    w,  # shape (d,), the weights
    p,  # (optional, unused)
):
    Y = load(X)  # (n, k)
    Z = load(X)  # shape: (k, k)
    q = load(X)  # (see, below) for it
    U = np.zeros((3, 4))  # (4, 4)
    return X.T @ Y @ Z
"#,
        &expect![[r#"
            4 X: (n, d) [comment, line 4]
            5 w: (d,) [comment, line 5]
            8 Y: (n, k) [comment, line 8]
            9 Z: (k, k) [comment, line 9]
            11 U: (3, 4) float64 [constructor]
            12 => mm(mm(t(X), Y), Z) (d, k)
            11 contradicting-fact: `U` is (3, 4), and comment, line 11 says (4, 4): correct one of them
        "#]],
    );
}

#[test]
fn steps() {
    check(
        r#"
#@ X: n x d
#@ Y: n x d
#@ B: d x d
#@ w: d
#@ u: n
np.matmul(X, w) + np.dot(X, w) - X.dot(w)
np.inner(w, w) * np.vdot(X, Y)
np.multiply(X, Y) / np.add(X, Y)
np.subtract(X, np.true_divide(Y, 2.0)) + np.power(X, 3) + X ** 2 + X ** 0.5
-abs(X) + np.exp(X) * np.log(Y)
np.transpose(X) @ X.transpose().T
np.diag(X @ B @ X.T) + (X @ B @ X.T).diagonal()
np.trace(B @ B) + B.trace()
np.sum(X, axis=0) + X.sum(0) + X.mean(axis=-2) + np.amax(X, 0)
np.sum(X) + X.prod() + X.sum(axis=1, keepdims=True)
np.outer(u, w) + np.linalg.norm(X) + np.linalg.norm(u)
np.linalg.multi_dot([X, B, w])
u[:, None] * X + w[None, :] + u.reshape(-1, 1) + w[np.newaxis, :]
(X @ w.reshape(-1, 1)).ravel()
X.sum(axis=1, dtype=float) @ X
np.sum(X, where=u)
np.linalg.norm(X, axis=1)
np.einsum('ij,jk->ik', X, B), np.einsum('ab,ab->a', X, Y), np.einsum('ij,ji->', B, B), np.einsum('ii', B), np.einsum('ij,kl->', B, B)
np.einsum('ij,j', X, w) + np.einsum('i,ij->j', u, X) @ B
float(X.sum() + 1)
X[1:] @ w, X[:, 0] @ u, X[:5] @ w, X[0] @ w, X[-3:, 1:] @ w[1:], X[::2] @ w, X[q] @ w
(X > 0) @ w
np.pi * X, X / np.sqrt(X.shape[0]), np.sqrt(w ** 2 + 1)
(X @ w if u.sum() > 0 else Y @ w)
"#,
        &expect![[r#"
            3 X: (n, d) [`#@` line 3]
            4 Y: (n, d) [`#@` line 4]
            5 B: (d, d) [`#@` line 5]
            6 w: (d,) [`#@` line 6]
            7 u: (n,) [`#@` line 7]
            8 => sub(add(mm(X, w), mm(X, w)), mm(X, w)) (n,)
            9 => mul(vdot(w, w), vdot(X, Y)) ()
            10 => div(mul(X, Y), add(X, Y)) (n, d)
            11 => add(add(add(sub(X, div(Y, 2.0)), pow(X, 3)), square(X)), pow(X, 0.5)) (n, d)
            12 => add(neg(abs(X)), mul(exp(X), log(Y))) (n, d)
            13 => mm(t(X), t(t(X))) (d, d)
            14 => add(diag(mm(mm(X, B), t(X))), diag(mm(mm(X, B), t(X)))) (n,)
            15 => add(trace(mm(B, B)), trace(B)) ()
            16 => add(add(add(sum0(X), sum0(X)), mean0(X)), max0(X)) (d,)
            17 => add(add(sum(X), prod(X)), sum1k(X)) (n, 1)
            18 => add(add(outer(u, w), norm(X)), norm(u)) (n, d)
            19 => mm(mm(X, B), w) (n,)
            20 => add(add(add(mul(column(u), X), row(w)), column(u)), row(w)) (n, d)
            21 => vector(mm(X, column(w))) (n,)
            25 => mm(X, B) (n, d)
            25 => sum1(mul(X, Y)) (n,)
            25 => trace(mm(B, B)) ()
            25 => trace(B) ()
            26 => add(mm(X, w), mm(mm(u, X), B)) (d,) if `n` equals `d`
            27 => add(sum(X), 1) () if `n` equals `d`
            28 => mm(X[1:], w) (d - 1,) if `n` equals `d`
            28 => mm(X[:, 0], u) () if `n` equals `d`
            28 => mm(X[:5], w) (min(5, d),) if `n` equals `d`
            28 => mm(X[0], w) () if `n` equals `d`
            28 => mm(X[-3:, 1:], w[1:]) (min(3, d),) if `n` equals `d`
            30 => mul(np.pi, X) (d, d) if `n` equals `d`
            30 => div(X, sqrt(#X.shape[0])) (d, d) if `n` equals `d`
            30 => sqrt(add(square(w), 1)) (d,) if `n` equals `d`
            31 => mm(X, w) (d,) if `n` equals `d` inner
            31 => sum(u) () if `n` equals `d` inner
            31 => mm(Y, w) (d,) if `n` equals `d` inner
        "#]],
    );
}

#[test]
fn sizes_that_differ() {
    check(
        r#"
def f(X, w, y):
    """X : array (n, d); w : (p,); y : (k,)"""
    r = X @ w - y
    return X.T @ r

def g():
    A = np.zeros((3, 4))
    B = np.zeros((5, 6))
    C = A @ B
    D = A + np.ones(3)
    return np.trace(np.ones(3))

def h(X):
    """X : array of shape (n, 1)"""
    v = X.sum(axis=1)
    a = X - v
    b = X * v[None, :]
    return v[:, None] - v
"#,
        &expect![[r#"
            3 X: (n, d) [docstring, line 4]
            3 w: (p,) [docstring, line 4]
            3 y: (k,) [docstring, line 4]
            5 r: (k,) [propagated]
            9 A: (3, 4) float64 [constructor]
            10 B: (5, 6) float64 [constructor]
            15 X: (n, 1) [docstring, line 16]
            17 v: (n,) [propagated]
            18 a: (n, n) [propagated]
            19 b: (n, n) [propagated]
            5 => sub(mm(X, w), y) (k,) if `d` equals `p` if `n` equals `k`
            6 => mm(t(X), r) (d,) if `d` equals `p` if `n` equals `k`
            17 => sum1(X) (n,)
            18 => sub(X, v) (n, n)
            19 => mul(X, row(v)) (n, n)
            20 => sub(column(v), v) (n, n)
            11 shape-mismatch: the sizes do not fit for a product with `@`: (3, 4) and (5, 6)
            12 shape-mismatch: the sizes do not fit for broadcasting: (3, 4) and (3,)
            13 shape-mismatch: a trace needs two axes, and this is (3,)
            18 accidental-broadcast: (n, 1) with (n,) gives (n, n): if cell by cell was meant, take `.ravel()` of the column
        "#]],
    );
}
