"""Runs functions as written and as rewritten on the same data, and compares what they return and what they leave in their arguments.

One JSON request on the standard input, one answer. Nothing of the product is used here.
"""

import json
import sys
import warnings

import numpy as np

PRELUDE = """
import numpy as np


def changed(X):
    X[...] = X * 0.5 + 0.25

"""


def arguments(rng, parameters, sizes, dtype):
    made = []
    for _, shape in parameters:
        cells = rng.standard_normal(tuple(sizes[name] for name in shape))
        made.append(np.asarray(cells, dtype=dtype))
    return made


def outcome(function, given):
    try:
        return function(*given), None
    except Exception as error:
        return None, type(error).__name__


def difference(before, after, tolerance):
    """Why two values are not alike; None where they are."""
    if type(before) is not type(after):
        return f"{type(before).__name__} became {type(after).__name__}"
    before, after = np.asarray(before), np.asarray(after)
    if before.shape != after.shape:
        return f"shape {before.shape} became {after.shape}"
    if before.dtype != after.dtype:
        return f"{before.dtype} became {after.dtype}"
    if before.size == 0:
        return None
    if not (np.all(np.isfinite(before)) and np.all(np.isfinite(after))):
        return None if np.array_equal(np.isfinite(before), np.isfinite(after)) else "infinite cells differ"
    scale = max(float(np.max(np.abs(before))), 1.0)
    gap = float(np.max(np.abs(before.astype(float) - after.astype(float))))
    return None if gap <= tolerance * scale else f"differs by {gap:.3g} at {scale:.3g}"


def compared(one):
    names = [{}, {}]
    for space, text in zip(names, (one["before"], one["after"])):
        exec(compile(PRELUDE + text, one["name"], "exec"), space)
    functions = [space[one["name"]] for space in names]
    tolerance = 1e-2 if one["dtype"] == "float32" else 1e-8
    for number, sizes in enumerate(one["sizes"]):
        rng = np.random.default_rng([one["seed"], number])
        given = arguments(rng, one["parameters"], sizes, one["dtype"])
        both = [[value.copy() for value in given] for _ in functions]
        results = [outcome(function, own) for function, own in zip(functions, both)]
        if results[0][1] is not None:
            # What fails as written may fail in another way.
            continue
        if results[1][1] is not None:
            return f"sizes {sizes}: raises {results[1][1]}"
        for before, after in zip(results[0][0], results[1][0]):
            why = difference(before, after, tolerance)
            if why is not None:
                return f"sizes {sizes}: a result: {why}"
        for before, after in zip(*both):
            why = difference(before, after, tolerance)
            if why is not None:
                return f"sizes {sizes}: an argument: {why}"
    return None


def main():
    warnings.simplefilter("ignore")
    answers = []
    for one in json.load(sys.stdin):
        try:
            answers.append(compared(one))
        except Exception as error:
            answers.append(f"cannot be run: {type(error).__name__}: {error}")
    json.dump({"numpy": np.__version__, "answers": answers}, sys.stdout)


main()
