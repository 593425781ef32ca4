"""Strategy parameters, updates and run times of PyPI's cma, for the questions on standard input."""

import json
import sys

import cma
import numpy as np


def strategy(n, active, mean, sigma, seed, **more):
    options = {"CMA_active": active, "verbose": -9, "verb_log": 0, "seed": seed, **more}
    return cma.CMAEvolutionStrategy(mean, sigma, options)


def parameters(n, active):
    es = strategy(n, active, n * [0.5], 0.3, 1)
    rates = es.sm.parameters(mueff=es.sp.weights.mueff, lam=es.sp.weights.lambda_)
    path = es.adapt_sigma
    return {
        "weights": list(es.sp.weights),
        "mueff": es.sp.weights.mueff,
        "cs": path.cs,
        "damps less cs": path.damps - path.cs,
        "cc": es.sp.cc,
        "c1": rates["c1"],
        "cmu": rates["cmu"],
        "chiN": cma.utilities.math.Mh.chiN(n),
    }


def ellipsoid(x):
    return float(np.sum(10 ** (6 * np.arange(len(x)) / (len(x) - 1)) * x**2))


def rosenbrock(x):
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


FUNCTIONS = {"sphere": lambda x: float(np.sum(x**2)), "ellipsoid": ellipsoid, "rosenbrock": rosenbrock}


def updates(n, active, function, sigma, cs, damps):
    es = strategy(n, active, n * [0.7], sigma, 3)
    es.adapt_sigma.cs, es.adapt_sigma.damps = cs, damps
    # The initial covariance of cma is not exactly the identity.
    es.sm.C, es.sm.B, es.sm.D = np.eye(n), np.eye(n), np.ones(n)
    generations = []
    for _ in range(20):
        points = es.ask()
        values = [FUNCTIONS[function](x) for x in points]
        es.tell(points, values)
        # Evaluated after the update, because it depends only on the evolution path of the step size and the
        # generation.
        stalls = not es.adapt_sigma.hsig(es)
        state = {"mean": list(es.mean), "sigma": es.sigma, "covariance": es.sm.C.tolist(), "path": list(es.pc), "stalls": stalls}
        generations.append({"points": [list(x) for x in points], "values": values, **state})
    return generations


def evaluations(n, active, function, mean, sigma, seeds):
    counts = []
    for seed in range(1, seeds + 1):
        es = strategy(n, active, n * [mean], sigma, seed, ftarget=1e-8)
        while not es.stop():
            points = es.ask()
            es.tell(points, [FUNCTIONS[function](x) for x in points])
        counts.append(es.countevals if es.best.f <= 1e-8 else None)
    return counts


TASKS = {"parameters": parameters, "updates": updates, "evaluations": evaluations}
questions = json.load(sys.stdin)
json.dump([TASKS[question.pop("task")](**question) for question in questions], sys.stdout)
