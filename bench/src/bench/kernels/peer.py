"""NumPy and SciPy: the other side of `cargo xtask bench kernels`.

Each line of standard input names a case; the answer is its name and the seconds of one run, the median of some. Data
of a case is made when it is first asked for, and let go of by the line `forget`.
"""

import sys
import time

import numpy as np
import scipy
import scipy.sparse as sparse

# Seconds that the runs of one answer take together, at least, and their number.
BUDGET = 0.15
LEAST_RUNS = 3

SPARSE = (20_000, 10_000)


def dense(rows, cols, seed):
    return np.random.default_rng(seed).uniform(-1, 1, (rows, cols))


def stored(rows, cols, share, seed):
    rng = np.random.default_rng(seed)
    return sparse.random_array(
        (rows, cols), density=share, format="csr", rng=rng, data_sampler=lambda size: rng.uniform(-1, 1, size)
    )


def case(name):
    what, _, size = name.rpartition("-")
    if what == "gemm" and size.isdigit():
        a, b = dense(int(size), int(size), 1), dense(int(size), int(size), 2)
        return lambda: a @ b
    if what == "skinny":
        x, v = dense(20_000, 100, 1), dense(100, int(size), 2)
        return lambda: x @ v
    if what == "skinny-t":
        x, w = dense(20_000, 100, 1), dense(20_000, int(size), 2)
        return lambda: x.T @ w
    if name == "gemm-tsmm":
        x = dense(20_000, 100, 1)
        return lambda: x.T @ x
    if name == "sparse-dense":
        x, v = stored(*SPARSE, 0.01, 1), dense(SPARSE[1], 10, 2)
        return lambda: x @ v
    if name == "sparse-t-dense":
        x, w = stored(*SPARSE, 0.01, 1), dense(SPARSE[0], 10, 2)
        return lambda: x.T @ w
    if name == "dense-sparse":
        x, d = stored(*SPARSE, 0.01, 1), dense(200, SPARSE[0], 2)
        return lambda: d @ x
    if name == "sparse-sparse":
        x, y = stored(*SPARSE, 0.001, 1), stored(SPARSE[1], 2_000, 0.005, 2)
        return lambda: x @ y
    if name == "sparse-transpose":
        x = stored(*SPARSE, 0.01, 1)
        return lambda: x.T.tocsr()
    return None


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
        if name == "forget":
            made.clear()
        elif name == "about":
            blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
            print(f"NumPy {np.__version__} with {blas['name']} {blas['version']}, SciPy {scipy.__version__}", flush=True)
        else:
            if name not in made:
                made[name] = case(name)
            work = made[name]
            print(name, "unknown" if work is None else f"{seconds(work):e}", flush=True)


main()
