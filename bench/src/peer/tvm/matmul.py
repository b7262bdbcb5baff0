"""The product of two matrices in TVM, by seven schedules, in turns with compiled loop nests of the same names; prints
`figure SIZE/TYPE/NAME/own MILLISECONDS` and the same for `tvm`.

python3 matmul.py NESTS SIZE...

NESTS is a folder with a shared object in each NESTS/SIZE/TYPE/NAME. Each side has a process for itself, which runs when it is
told to: threads of one would otherwise be bound to processors by the other.
"""

import ctypes
import glob
import importlib.metadata
import os
import statistics
import subprocess
import sys
import time

# By itself it takes half of the processors that it finds, for two of them may share a core. The other side takes all.
os.environ.setdefault("TVM_NUM_THREADS", str(len(os.sched_getaffinity(0))))
# Only what is computed is checked by it.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

TILE, STEP = 32, 4
# Runs at least and at most, and the seconds after which no further one begins.
RUNS, SECONDS = (5, 21), 1.5
# Seconds between runs: threads of the side before look for work for some time after its run.
PAUSE, LONG_PAUSE = 0.01, 0.15
PACKED = "array_packing", "cache_blocks", "parallel"
TYPES = {"float32": "f32", "float64": "f64"}


def product(n, dtype, packed):
    from tvm import te

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
    from tvm.s_tir import Schedule

    packed = name in PACKED
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


def tvm_side(name, n, dtype, a, b):
    """What runs once, and what gives the product then."""
    import tvm

    target = tvm.target.Target({"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()})
    run = tvm.compile(schedule(name, n, dtype), target=target)["main"]
    x, y, out = (tvm.runtime.tensor(z) for z in (a, b, np.zeros((n, n), dtype)))
    return lambda: run(x, y, out), out.numpy


def own_side(nests, name, n, dtype, a, b):
    """The same of the only shared object in a folder, whose function takes its inputs and the result as addresses."""
    folder = os.path.join(nests, str(n), TYPES[dtype], name)
    (path,) = glob.glob(os.path.join(glob.escape(folder), "*.so"))
    run = ctypes.CDLL(path).sumac_nest
    run.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    run.restype = None
    # As the other side allocates: numpy's own memory is in larger pages.
    allocate = ctypes.CDLL(None).aligned_alloc
    allocate.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    allocate.restype = ctypes.c_void_p
    places = [allocate(64, a.nbytes) for _ in range(3)]
    for place, z in zip(places, (a, b)):
        ctypes.memmove(place, z.ctypes.data, z.nbytes)
    inputs = (ctypes.c_void_p * 2)(*places[:2])

    def result():
        text = ctypes.string_at(places[2], a.nbytes)
        for place in places:
            ctypes.CDLL(None).free(ctypes.c_void_p(place))
        return np.frombuffer(text, dtype).reshape(n, n)

    return lambda: run(inputs, places[2]), result


def serve(prepare):
    """Runs what it is told to, line by line: `prepare NAME SIZE TYPE`, `run`, `check`."""
    for line in sys.stdin:
        command, *words = line.split()
        answer = "done"
        if command == "prepare":
            name, n, dtype = words[0], int(words[1]), words[2]
            random = np.random.default_rng(1)
            a, b = ((random.random((n, n)) - 0.5).astype(dtype) for _ in range(2))
            run, result = prepare(name, n, dtype, a, b)
            run()
        elif command == "run":
            begin = time.perf_counter()
            run()
            answer = (time.perf_counter() - begin) * 1e3
        else:
            assert np.abs(result() - a @ b).max() < 1e-2, name
        print(answer, flush=True)


def measured(tell, name, n, dtype):
    """Medians of both sides, which take turns and begin by turns."""
    for side in range(2):
        tell(side, f"prepare {name} {n} {dtype}")
    has_threads = name in PACKED
    times = [], []
    spent = 0.0
    while len(times[0]) < RUNS[1] and (len(times[0]) < RUNS[0] or spent < SECONDS):
        first = len(times[0]) % 2
        for side in (first, 1 - first):
            time.sleep(LONG_PAUSE if has_threads else PAUSE)
            if has_threads:
                # Threads that slept so long may begin on the processor of the one that wakes them, for some milliseconds.
                tell(side, "run")
            times[side].append(float(tell(side, "run")))
            spent += times[side][-1] / 1e3
        # Slow ones agree with each other soon.
        if spent > 2 * SECONDS:
            break
    for side in range(2):
        tell(side, "check")
    return map(statistics.median, times)


NAMES = (
    "baseline",
    "blocking",
    "vectorization",
    "loop_perm",
    "array_packing",
    "cache_blocks",
    "parallel",
)

def both(nests, sizes):
    print(f"TVM {importlib.metadata.version('apache-tvm')}")
    script = [sys.executable, __file__]
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    sides = [
        subprocess.Popen([*script, "--own", nests], **pipes),
        subprocess.Popen([*script, "--tvm"], **pipes),
    ]

    def tell(side, line):
        print(line, file=sides[side].stdin, flush=True)
        answer = sides[side].stdout.readline()
        assert answer, f"`{line}` ended the process"
        return answer

    for n in sizes:
        for dtype, short in TYPES.items():
            for name in NAMES:
                own, other = measured(tell, name, n, dtype)
                print(f"figure {n}/{short}/{name}/own {own:.3f}")
                print(f"figure {n}/{short}/{name}/tvm {other:.3f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--tvm":
        serve(tvm_side)
    elif sys.argv[1] == "--own":
        serve(lambda *what: own_side(sys.argv[2], *what))
    else:
        both(sys.argv[1], [int(n) for n in sys.argv[2:]])
