"""NumPy, SciPy and JAX: the other sides of `cargo xtask peer fusion`.

A line of standard input is `numpy/CASE` or `jax/CASE`; the answer is the line and the seconds of one run, the median of
some. Both must give the same values. Data of a case is made when it is first asked for, and let go of by `forget`.
"""

import os
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"

import jax
import jax.numpy as jnp
import numpy as np
import scipy
import scipy.sparse as sparse

# Seconds that the runs of one answer take together, at least, and their number.
BUDGET = 1.0
LEAST_RUNS = 11
# Cells of a sparse matrix whose rows of the factors are gathered at once.
GATHERED = 1 << 16
# From this density on the dense product is cheaper in JAX.
DENSE_FROM = 0.05
EPS = 1e-15
CHAIN = [1 + i * 1e-3 for i in range(1, 101)]


def dense(rows, cols, seed):
    return np.random.default_rng(seed).uniform(0.1, 1, (rows, cols))


def stored(rows, cols, share, seed):
    rng = np.random.default_rng(seed)
    return sparse.random_array(
        (rows, cols), density=share, format="csr", rng=rng, data_sampler=lambda size: rng.uniform(0.1, 1, size)
    )


def positions(x):
    """Row and column of each stored cell, in the order of the cells."""
    rows = np.repeat(np.arange(x.shape[0]), np.diff(x.indptr))
    return rows, x.indices


def products(rows, cols, u, v):
    """The cells of `u @ v.T` at these places, some at a time so that nothing large is gathered."""
    found = np.empty(len(rows))
    for start in range(0, len(rows), GATHERED):
        some = slice(start, start + GATHERED)
        np.einsum("ij,ij->i", u[rows[some]], v[cols[some]], out=found[some])
    return found


def cells():
    return [dense(10_000, 1000, seed) for seed in (1, 2, 3)]


def xyz():
    x, y, z = cells()
    on_jax = jax.jit(lambda x, y, z: jnp.sum(x * y * z))
    return (lambda: np.einsum("ij,ij,ij->", x, y, z)), on_jax, (x, y, z)


def two_sums():
    x, y, z = cells()
    on_jax = jax.jit(lambda x, y, z: jnp.sum(x * y) - 0.5 * jnp.sum(x * z))
    return (lambda: np.vdot(x, y) - 0.5 * np.vdot(x, z)), on_jax, (x, y, z)


def chain(cols):
    x, v = dense(400_000, 100, 1), dense(100, cols, 2)
    return (lambda: x.T @ (x @ v)), jax.jit(lambda x, v: x.T @ (x @ v)), (x, v)


def outer(share):
    x, u, v = stored(10_000, 10_000, share, 1), dense(10_000, 100, 2), dense(10_000, 100, 3)
    rows, cols = positions(x)
    on_numpy = lambda: x.data @ np.log(products(rows, cols, u, v) + EPS)
    if share >= DENSE_FROM:
        on_jax = jax.jit(lambda x, u, v: jnp.sum(x * jnp.log(u @ v.T + EPS)))
        return on_numpy, on_jax, (x.toarray(), u, v)
    on_jax = jax.jit(lambda w, r, c, u, v: w @ jnp.log(jnp.sum(u[r] * v[c], axis=1) + EPS))
    return on_numpy, on_jax, (x.data, rows, cols, u, v)


def als_cg():
    x = stored(50_000, 20_000, 0.005, 1)
    u, v, r = dense(50_000, 20, 2), dense(20_000, 20, 3), dense(50_000, 1, 4)
    rows, cols = positions(x)

    def on_numpy():
        sampled = sparse.csr_array((products(rows, cols, u, v), x.indices, x.indptr), shape=x.shape)
        return sampled @ v + 1e-6 * u * r

    @jax.jit
    def on_jax(rows, cols, u, v, r):
        near = v[cols]
        weighted = jnp.sum(u[rows] * near, axis=1)[:, None] * near
        sums = jax.ops.segment_sum(weighted, rows, num_segments=u.shape[0], indices_are_sorted=True)
        return sums + 1e-6 * u * r

    return on_numpy, on_jax, (rows, cols, u, v, r)


def mlogreg():
    x, p, v = dense(400_000, 100, 1), dense(400_000, 5, 2), dense(100, 4, 3)

    def on_numpy():
        q = p[:, :4] * (x @ v)
        return x.T @ (q - p[:, :4] * q.sum(axis=1, keepdims=True))

    @jax.jit
    def on_jax(x, p, v):
        q = p[:, :4] * (x @ v)
        return x.T @ (q - p[:, :4] * jnp.sum(q, axis=1, keepdims=True))

    return on_numpy, on_jax, (x, p, v)


def row_chain():
    x = dense(100_000, 100, 1)

    def whole(x, total):
        value = x / x.sum(axis=1, keepdims=True)
        for factor in CHAIN:
            value = value * factor
        return total(value)

    return (lambda: whole(x, np.sum)), jax.jit(lambda x: whole(x, jnp.sum)), (x,)


CASES = {
    "xyz": xyz,
    "two-sums": two_sums,
    "chain-vector": lambda: chain(1),
    "chain-matrix": lambda: chain(2),
    "outer-1e-4": lambda: outer(1e-4),
    "outer-1e-3": lambda: outer(1e-3),
    "outer-1e-2": lambda: outer(1e-2),
    "outer-1e-1": lambda: outer(1e-1),
    "als-cg": als_cg,
    "mlogreg": mlogreg,
    "row-chain": row_chain,
}


def sides(name):
    """What NumPy and JAX run of a case, after they were seen to agree."""
    on_numpy, function, data = CASES[name]()
    data = [jnp.asarray(value) for value in data]
    on_jax = lambda: jax.block_until_ready(function(*data))
    np.testing.assert_allclose(on_numpy(), np.asarray(on_jax()), rtol=1e-6)
    return {"numpy": on_numpy, "jax": on_jax}


def seconds(work):
    work()
    runs, began = [], time.perf_counter()
    while len(runs) < LEAST_RUNS or time.perf_counter() - began < BUDGET:
        start = time.perf_counter()
        made = work()
        runs.append(time.perf_counter() - start)
        del made
    return float(np.median(runs))


def main():
    made = {}
    for line in sys.stdin:
        name = line.strip()
        side, _, case = name.partition("/")
        if name == "forget":
            made.clear()
        elif name == "about":
            blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
            print(
                f"NumPy {np.__version__} with {blas['name']} {blas['version']}, SciPy {scipy.__version__}, "
                f"JAX {jax.__version__}",
                flush=True,
            )
        elif case not in CASES:
            print(name, "unknown", flush=True)
        else:
            if case not in made:
                made[case] = sides(case)
            print(name, f"{seconds(made[case][side]):e}", flush=True)


main()
