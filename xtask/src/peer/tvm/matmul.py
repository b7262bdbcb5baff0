"""The product of two matrices in TVM, by seven schedules; prints `figure SIZE/TYPE/NAME MILLISECONDS` for each.

python3 matmul.py SIZE...
"""

import statistics
import sys
import time

import numpy as np
import tvm
from tvm import te
from tvm.s_tir import Schedule

TILE, STEP = 32, 4
# Runs at least and at most, and the seconds after which no further one begins.
RUNS, SECONDS = (5, 25), 1.0


def product(n, dtype, packed):
    a = te.placeholder((n, n), dtype, name="A")
    b = te.placeholder((n, n), dtype, name="B")
    k = te.reduce_axis((0, n), name="k")
    if packed:
        rows = te.compute(
            (n // TILE, n, TILE), lambda j, k, x: b[k, j * TILE + x], name="packed"
        )
        column = lambda k, j: rows[te.indexdiv(j, TILE), k, te.indexmod(j, TILE)]
    else:
        column = lambda k, j: b[k, j]
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * column(k, j), axis=k), name="C")
    return te.create_prim_func([a, b, c])


def schedule(name, n, dtype):
    packed = name in ("array_packing", "cache_blocks", "parallel")
    s = Schedule(product(n, dtype, packed))
    if name == "baseline":
        return s.mod
    block = s.get_sblock("C")
    if packed:
        j, _, x = s.get_loops(s.get_sblock("packed"))
        s.vectorize(x)
        s.parallel(j)
    copied = None
    if name in ("cache_blocks", "parallel"):
        copied = s.cache_write(block, 0, "global")
    i, j, k = s.get_loops(block)
    io, ii = s.split(i, [None, TILE])
    jo, ji = s.split(j, [None, TILE])
    ko, ki = s.split(k, [None, STEP])
    if name in ("blocking", "vectorization"):
        s.reorder(io, jo, ko, ki, ii, ji)
    else:
        s.reorder(io, jo, ko, ii, ki, ji)
    if copied is not None:
        s.reverse_compute_at(copied, jo)
        s.unroll(ki)
        *_, last = s.get_loops(copied)
        s.vectorize(last)
    if name != "blocking":
        s.vectorize(ji)
    if name == "parallel":
        s.parallel(io)
    s.decompose_reduction(block, ko)
    return s.mod


def measured(name, n, dtype):
    target = tvm.target.Target({"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()})
    run = tvm.compile(schedule(name, n, dtype), target=target)["main"]
    random = np.random.default_rng(1)
    a, b = ((random.random((n, n)) - 0.5).astype(dtype) for _ in range(2))
    x, y, out = (tvm.runtime.tensor(z) for z in (a, b, np.zeros((n, n), dtype)))
    run(x, y, out)
    assert np.abs(out.numpy() - a @ b).max() < 1e-2, name
    times, start = [], time.perf_counter()
    while len(times) < RUNS[1] and (len(times) < RUNS[0] or time.perf_counter() - start < SECONDS):
        begin = time.perf_counter()
        run(x, y, out)
        times.append((time.perf_counter() - begin) * 1e3)
        # Slow ones agree with each other soon.
        if time.perf_counter() - start > 2 * SECONDS:
            break
    return statistics.median(times)


NAMES = (
    "baseline",
    "blocking",
    "vectorization",
    "loop_perm",
    "array_packing",
    "cache_blocks",
    "parallel",
)

if __name__ == "__main__":
    print(f"TVM {tvm.__version__}, {tvm.target.codegen.llvm_get_system_cpu()}")
    for n in map(int, sys.argv[1:]):
        for dtype, short in (("float32", "f32"), ("float64", "f64")):
            for name in NAMES:
                print(f"figure {n}/{short}/{name} {measured(name, n, dtype):.3f}", flush=True)
