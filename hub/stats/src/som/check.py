"""Errors of PyPI's minisom before and after training, for the cases on standard input."""

import json
import sys

import numpy as np
from minisom import MiniSom


def som(case):
    made = MiniSom(
        case["columns"], case["rows"], len(case["samples"][0]), sigma=case["sigma"], learning_rate=0.5,
        topology=case["topology"], random_seed=1,
    )
    # Our units are numbered along the rows; minisom's first index is the column.
    weights = np.array(case["weights"]).reshape(case["rows"], case["columns"], -1)
    made._weights = weights.transpose(1, 0, 2).copy()
    return made


def answer(case):
    samples = np.array(case["samples"])
    made = som(case)
    same = [made.quantization_error(samples), made.topographic_error(samples)]
    made.train(samples, case["iterations"], random_order=False)
    return {"same": same, "trained": [made.quantization_error(samples), made.topographic_error(samples)]}


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
