# Times two NumPy expressions against each other: one request as a line of JSON on standard input, one answer as a
# line of JSON on what was standard output. Needs the standard library and NumPy. Must write no file, keep nothing,
# and evaluate nothing but the two expressions and the imports of the request. Its text is ASCII.
import sys

if sys.version_info < (3, 9):
    sys.stderr.write("Unknown option: Python 3.9 or later is needed")
    sys.exit(2)

import ast
import binascii
import builtins
import gc
import json
import keyword
import math
import os
import signal
import site
import threading
import time
import tracemalloc
import types

# Modules that a request may import, with all that lies below them.
MODULES = ("numpy", "scipy", "math", "cmath", "functools", "operator", "itertools")
# Seconds that one timed sample takes at least.
SAMPLE = 1e-3
# Pairs of samples: at least, and at most.
LEAST_PAIRS = 3
MOST_PAIRS = 2000
# Characters of a message that are told.
MOST_MESSAGE = 2000
# Bytes that the process may take beside values once it is limited.
RESERVE = 64 << 20
# Values that are compared at once.
BLOCK = 1 << 20


class Stop(Exception):
    """Ends the request with an error of a kind, perhaps of one of the forms."""

    def __init__(self, kind, message, form=None):
        super().__init__(message)
        self.told = {"kind": kind, "message": message, "form": form}


def told(error):
    """What is said of an exception: its type and its text."""
    try:
        text = str(error)
    except Exception:
        text = ""
    name = type(error).__name__.lstrip("_")
    return name + ": " + text if text else name


def take_streams():
    """Streams of our own; what the expressions print goes to the error stream, and they read nothing."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def read_request(stream):
    """The first line."""
    pieces = []
    while True:
        piece = os.read(stream, 1 << 16)
        pieces.append(piece)
        if not piece or b"\n" in piece:
            return json.loads(b"".join(pieces).decode("utf-8"))


def wait_for_end(stream):
    """Returns when nobody holds the other end of the input any more."""
    try:
        while os.read(stream, 1 << 16):
            pass
    except OSError:
        pass


def end_with_parent(requests, answers):
    """The end of the input ends this process and what it started: nobody waits any more. Where there are groups, a process
    of its own waits for that, for a thread might not get its turn; it ends with the group."""
    if not hasattr(os, "fork"):

        def watch():
            wait_for_end(requests)
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
        return
    driver, has_group = os.getpid(), os.getpgrp() == os.getpid()
    if os.fork() != 0:
        os.close(requests)
        return
    try:
        # The end of the driver must be seen by whoever reads from it.
        os.close(answers)
        for stream in (1, 2):
            os.dup2(0, stream)
        wait_for_end(requests)
        if has_group:
            os.killpg(0, signal.SIGKILL)
        elif os.getppid() == driver:
            os.kill(driver, signal.SIGKILL)
    finally:
        os._exit(1)


def limit_seconds(seconds):
    """Seconds that all threads compute; the parent counts those that pass."""
    try:
        import resource
    except ImportError:
        return
    all_threads = math.ceil(seconds * (os.cpu_count() or 1)) + 1
    for which, value in ((resource.RLIMIT_CPU, all_threads), (resource.RLIMIT_CORE, 0)):
        _, most = resource.getrlimit(which)
        if most != resource.RLIM_INFINITY:
            value = min(value, most)
        try:
            resource.setrlimit(which, (value, value))
        except (ValueError, OSError, OverflowError):
            pass


def limit_memory(values, is_asked):
    """From now on this process may take so many bytes more."""
    if values is None:
        return
    try:
        import resource

        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            taken = [line.split()[1] for line in status if line.startswith("VmData:")]
        limit = int(taken[0]) * 1024 + RESERVE + values
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        if most != resource.RLIM_INFINITY:
            limit = min(limit, most)
        # What is more than any process can have is no limit.
        if limit < 1 << 62:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    except (ImportError, OSError, ValueError, IndexError) as error:
        # Nobody asked for it where it follows from what the machine has left.
        if is_asked:
            raise Stop("failed", "the memory of Python cannot be limited here: " + told(error))


def add_user_site():
    """The person's own packages, where this Python would see them if it were not isolated: before those of the system."""
    if sys.prefix != sys.base_prefix:
        return
    if hasattr(os, "geteuid") and (os.geteuid() != os.getuid() or os.getegid() != os.getgid()):
        return
    folder = site.getusersitepackages()
    if folder in sys.path or not os.path.isdir(folder):
        return
    before = list(sys.path)
    site.addsitedir(folder)
    added = [path for path in sys.path if path not in before]
    ends = ("site-packages", "dist-packages")
    places = [at for at, path in enumerate(before) if path.endswith(ends)]
    at = places[0] if places else len(before)
    sys.path[:] = before[:at] + added + before[at:]


def load_numpy():
    try:
        import numpy
    except Exception as error:
        raise Stop("no_numpy", told(error))
    if not hasattr(getattr(numpy, "random", None), "default_rng"):
        version = getattr(numpy, "__version__", "without a version")
        raise Stop("no_numpy", "NumPy " + str(version) + " has no numpy.random.default_rng")
    return numpy


def check_import(statement):
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
    elif isinstance(statement, ast.ImportFrom) and statement.level == 0:
        names = [statement.module or ""]
    else:
        raise Stop("refused", "only imports stand before the expressions")
    for name in names:
        if name.split(".")[0] not in MODULES:
            raise Stop("refused", "the module " + name + " is not imported for timing")


def do_imports(lines, scope):
    for line in lines:
        try:
            tree = ast.parse(line)
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            raise Stop("refused", "`" + line + "` is no import: " + told(error))
        for statement in tree.body:
            check_import(statement)
        try:
            exec(compile(tree, "<imports>", "exec"), scope)
        except MemoryError:
            raise
        except Exception as error:
            raise Stop("failed", "`" + line + "` does not work: " + told(error))


def put(scope, target, value):
    """Assigns to a name, or to a field of objects that are made for it."""
    *owners, name = parts = target.split(".")
    for part in parts:
        if not part.isidentifier() or keyword.iskeyword(part) or part.startswith("__"):
            raise Stop("refused", "`" + target + "` is nothing that can be assigned")
    for owner in owners:
        found = scope.setdefault(owner, types.SimpleNamespace())
        if not isinstance(found, types.SimpleNamespace):
            raise Stop("refused", "`" + target + "` belongs to something else that is given")
        scope = found.__dict__
    if name in scope:
        raise Stop("refused", "`" + target + "` is given twice")
    scope[name] = value


def make_inputs(np, request, scope):
    """Standard normal values from a seed; the arrays."""
    numbers = np.random.default_rng(request["seed"])
    arrays = []
    for given in request["inputs"]:
        dtype, shape = given["dtype"], tuple(given["shape"])
        if dtype not in ("float64", "float32"):
            raise Stop("refused", "values of " + str(dtype) + " cannot be made")
        try:
            value = numbers.standard_normal(shape, dtype=dtype)
        except (ValueError, OverflowError):
            # More than an address can say.
            raise MemoryError()
        if shape:
            arrays.append(value)
        else:
            value = float(value) if dtype == "float64" else np.float32(value)
        put(scope, given["target"], value)
    for target, value in request["integers"]:
        put(scope, target, value)
    return arrays


def form_of(name, text, scope):
    """A function without arguments that evaluates one expression."""
    try:
        # Brackets of two kinds: a text that closes the one would not close the other.
        ast.parse("[\n" + text + "\n]", "<" + name + ">", "eval")
        tree = ast.parse("(\n" + text + "\n)", "<" + name + ">", "eval")
        for node in ast.walk(tree):
            if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom)):
                raise Stop("refused", "what waits or yields cannot be timed", name)
        around = ast.parse("lambda: None", "<" + name + ">", "eval")
        around.body.body = tree.body
        return eval(compile(around, "<" + name + ">", "eval"), scope)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise Stop("raised", told(error), name)


def call(name, form):
    """One evaluation; whatever it raises is told as its own."""
    try:
        return form()
    except MemoryError as error:
        raise Stop("memory", told(error), name)
    except BaseException as error:
        raise Stop("raised", told(error), name)


def check_sums(arrays):
    return [binascii.crc32(array) for array in arrays]


def parts_of(np, value):
    """The arrays of a value, which may be a tuple of several."""
    if isinstance(value, tuple):
        return [part for each in value for part in parts_of(np, each)]
    if hasattr(value, "toarray"):
        value = value.toarray()
    return [np.asarray(value)]


def difference(np, first, second):
    """The largest difference and the largest magnitude of two arrays of one shape."""
    if first.dtype.kind not in "biufc" or second.dtype.kind not in "biufc":
        return (0.0 if bool(np.all(first == second)) else math.inf), 1.0
    apart = most = 0.0
    for at in range(0, first.size, BLOCK):
        a, b = (x.flat[at : at + BLOCK] for x in (first, second))
        a, b = (x.astype(np.result_type(x.dtype, np.float64), copy=False) for x in (a, b))
        with np.errstate(all="ignore"):
            gap = np.abs(a - b)
            # Equal infinities have no difference, and what is no number on both sides neither.
            gap[(a == b) | (np.isnan(a) & np.isnan(b))] = 0.0
            gap[np.isnan(gap)] = math.inf
            size = np.abs(a)
        size = size[np.isfinite(size)]
        apart = max(apart, float(gap.max()))
        most = max(most, float(size.max()) if size.size else 0.0)
    return apart, most


def compare(np, first, second):
    """Whether shapes and types agree, and the largest difference over the largest magnitude, `None` for infinity."""
    first, second = parts_of(np, first), parts_of(np, second)
    shapes = [[part.shape for part in each] for each in (first, second)]
    dtypes = [[part.dtype for part in each] for each in (first, second)]
    error = None
    if shapes[0] == shapes[1]:
        pairs = [difference(np, a, b) for a, b in zip(first, second)]
        apart = max([pair[0] for pair in pairs], default=0.0)
        most = max([pair[1] for pair in pairs], default=0.0)
        error = apart / most if most > 0.0 else (0.0 if apart == 0.0 else math.inf)
        error = error if math.isfinite(error) else None
    return {
        "same_shape": shapes[0] == shapes[1],
        "same_dtype": dtypes[0] == dtypes[1],
        "max_relative_error": error,
    }


def sample(name, form, batch):
    """Seconds of one evaluation, from so many in a row."""
    try:
        start = time.perf_counter()
        for _ in range(batch):
            form()
        return (time.perf_counter() - start) / batch
    except MemoryError as error:
        raise Stop("memory", told(error), name)
    except BaseException as error:
        raise Stop("raised", told(error), name)


def batch_of(name, form):
    """How many evaluations make a sample; warms up on the way."""
    batch = 1
    while True:
        # The first of a kind may be slow for reasons of its own.
        seconds = min(sample(name, form, batch) for _ in range(2))
        if seconds * batch >= SAMPLE or batch >= 1 << 20:
            return batch
        if seconds * batch > SAMPLE / 10:
            return math.ceil(1.1 * SAMPLE / seconds)
        batch *= 2


def time_pairs(forms, first_runs, budget):
    """Samples of both forms, side by side, in turning order; the batches."""
    (a, b), batches = forms, []
    for (name, form), seconds in zip(forms, first_runs):
        # What is slow was warm enough after its first run.
        is_slow = seconds > max(SAMPLE, budget / 10)
        batches.append(1 if is_slow else batch_of(name, form))
    samples = ([], [])
    start = time.perf_counter()
    for pair in range(MOST_PAIRS):
        passed = time.perf_counter() - start
        # The next pair takes as long as those before it.
        if pair >= LEAST_PAIRS and passed * (pair + 1) / pair > budget:
            break
        for which in (0, 1) if pair % 2 == 0 else (1, 0):
            name, form = forms[which]
            samples[which].append(sample(name, form, batches[which]))
    return samples, batches


def peak_of(name, form):
    """Bytes that one evaluation takes at most at once, beside its inputs; `None` where that cannot be seen."""
    gc.collect()
    try:
        tracemalloc.start(1)
        before, _ = tracemalloc.get_traced_memory()
        form()
        _, peak = tracemalloc.get_traced_memory()
        return max(peak - before, 0)
    except BaseException:
        return None
    finally:
        tracemalloc.stop()


def measured(np, samples, batch, peak):
    return {
        "seconds_median": float(np.median(samples)),
        "seconds_min": float(np.min(samples)),
        "runs": len(samples),
        "batch": batch,
        "peak_bytes": peak,
    }


def perform(request):
    limit_seconds(request["limit_seconds"])
    add_user_site()
    np = load_numpy()
    scope = {"__builtins__": builtins, "__name__": "timing"}
    do_imports(request["imports"], scope)
    # What libraries keep for their threads is there before memory is limited.
    square = np.ones((256, 256))
    square = square @ square
    limit_memory(request["limit_bytes"], request["is_limit_asked"])
    arrays = make_inputs(np, request, scope)
    forms = [(name, form_of(name, request[name], scope)) for name in ("original", "optimized")]
    sums = check_sums(arrays)
    values, first_runs = [], []
    for name, form in forms:
        start = time.perf_counter()
        values.append(call(name, form))
        first_runs.append(time.perf_counter() - start)
        if check_sums(arrays) != sums:
            raise Stop("raised", "it changes its inputs, so it cannot be run twice", name)
    try:
        answer = compare(np, *values)
    except MemoryError:
        raise
    except Exception as error:
        raise Stop("failed", "the values cannot be compared: " + told(error))
    del values
    gc.collect()
    gc.disable()
    samples, batches = time_pairs(forms, first_runs, request["seconds"])
    ratios = [a / max(b, 1e-12) for a, b in zip(*samples)]
    low, high = np.percentile(ratios, [25, 75])
    gc.enable()
    for (name, form), times, batch in zip(forms, samples, batches):
        answer[name] = measured(np, times, batch, peak_of(name, form))
    answer["ratio_low"], answer["ratio_high"] = float(low), float(high)
    answer["python"] = ".".join(str(part) for part in sys.version_info[:3])
    answer["numpy"] = str(np.__version__)
    return {"timing": answer}


def send(stream, answer):
    data = json.dumps(answer).encode("ascii") + b"\n"
    while data:
        data = data[os.write(stream, data) :]


def main():
    requests, answers = take_streams()
    try:
        request = read_request(requests)
        end_with_parent(requests, answers)
        answer = perform(request)
    except Stop as stop:
        answer = {"error": stop.told}
    except MemoryError as error:
        answer = {"error": {"kind": "memory", "message": told(error), "form": None}}
    except BaseException as error:
        answer = {"error": {"kind": "failed", "message": told(error), "form": None}}
    if "error" in answer:
        text = answer["error"]["message"][:MOST_MESSAGE]
        answer["error"]["message"] = text.encode("utf-8", "replace").decode("utf-8")
    send(answers, answer)
    # Nothing that was started holds up the end.
    os._exit(0)


main()
