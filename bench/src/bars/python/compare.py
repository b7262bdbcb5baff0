"""Times expressions of NumPy side by side, and compares their values. One JSON request on the standard input, one answer.

Nothing of the product is used here: it is what its own figures are held against.
"""

import json
import sys
import time

import numpy as np


def made(rng, shape, dtype):
    # Positive: roots and powers of what is summed have a value.
    return np.asarray(rng.uniform(0.1, 1.1, shape), dtype=dtype)


def once(code, names):
    start = time.perf_counter()
    eval(code, names)
    return time.perf_counter() - start


def compared(case):
    rng = np.random.default_rng(case["seed"])
    names = {"np": np}
    for name, shape in sorted(case["inputs"].items()):
        names[name] = made(rng, tuple(shape), case["dtype"])
    names.update(case["sizes"])
    codes = {key: compile(text, key, "eval") for key, text in case["forms"].items()}
    values = {key: eval(code, dict(names)) for key, code in codes.items()}
    written = np.asarray(values["written"])
    answer = {"times": {}, "differences": {}, "alike": {}}
    for key, value in values.items():
        value = np.asarray(value)
        alike = value.shape == written.shape and value.dtype == written.dtype
        answer["alike"][key] = bool(alike)
        scale = float(np.max(np.abs(written))) if written.size else 0.0
        same = value.shape == written.shape
        gap = float(np.max(np.abs(value - written))) if same and written.size else 0.0
        answer["differences"][key] = (gap / scale if scale else gap) if same else None
    repeats = {}
    for key, code in codes.items():
        first = max(min(once(code, names) for _ in range(2)), 1e-7)
        repeats[key] = max(1, min(10000, int(0.002 / first)))
    samples = {key: [] for key in codes}
    end = time.perf_counter() + case["seconds"]
    rounds = 0
    while rounds < 5 or (time.perf_counter() < end and rounds < 200):
        order = list(codes) if rounds % 2 == 0 else list(reversed(codes))
        for key in order:
            start = time.perf_counter()
            for _ in range(repeats[key]):
                eval(codes[key], names)
            samples[key].append((time.perf_counter() - start) / repeats[key])
        rounds += 1
    for key, found in samples.items():
        # The fastest: whatever else the machine does only adds.
        answer["times"][key] = min(found)
    return answer


def main():
    answers = []
    for case in json.load(sys.stdin):
        try:
            answers.append(compared(case))
        except Exception as error:
            answers.append({"error": f"{type(error).__name__}: {error}"})
    json.dump({"numpy": np.__version__, "answers": answers}, sys.stdout)


main()
