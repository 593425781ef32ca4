"""Results of SciPy and NumPy for the cases on standard input, one list of numbers per case."""

import itertools
import json
import sys

import numpy as np
from scipy import stats


def t_numbers(result, difference):
    low, high = result.confidence_interval(0.95)
    return [difference, result.statistic, result.df, result.pvalue, low, high]


def two(function):
    return lambda case: function(np.array(case["x"]), np.array(case["y"]))


def several(function):
    def numbers(case):
        result = function(*case["groups"])
        return [result.statistic, result.pvalue]
    return numbers


def mann_whitney(method):
    def numbers(x, y):
        result = stats.mannwhitneyu(x, y, method=method)
        return [result.statistic / (len(x) * len(y)), result.pvalue]
    return numbers


def every_arrangement(x, y):
    ranks = stats.rankdata(np.concatenate([x, y]))
    mean = len(x) * ranks.mean()
    distance = abs(ranks[: len(x)].sum() - mean)
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, len(x))]
    return [np.mean([abs(s - mean) >= distance - 1e-9 for s in sums])]


def rank_t(x, y):
    ranks = stats.rankdata(np.concatenate([x, y]))
    return [stats.ttest_ind(ranks[: len(x)], ranks[len(x) :]).pvalue]


def pooled(x, y):
    squares = sum(((s - s.mean()) ** 2).sum() for s in (x, y))
    return np.sqrt(squares / (len(x) + len(y) - 2))


def holm(p):
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate((len(p) - np.arange(len(p))) * np.array(p)[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1)
    return list(adjusted)


def line(x, y):
    fit = stats.linregress(x, y)
    return [fit.slope, fit.intercept, fit.stderr, fit.intercept_stderr, fit.pvalue, fit.intercept / (1 - fit.slope)]


def polynomial(case):
    fit, residual = np.polyfit(case["x"], case["y"], case["order"], full=True)[:2]
    return list(fit) + list(np.polyval(fit, case["at"])) + list(residual)


def median_interval(case):
    interval = stats.quantile_test(case["x"], p=0.5).confidence_interval(case["level"])
    return [interval.low, interval.high]


def shapiro(case):
    return list(stats.shapiro(case["x"]))


KINDS = {
    "welch": two(lambda x, y: t_numbers(stats.ttest_ind(x, y, equal_var=False), x.mean() - y.mean())),
    "student": two(lambda x, y: t_numbers(stats.ttest_ind(x, y), x.mean() - y.mean())),
    "paired": two(lambda x, y: t_numbers(stats.ttest_rel(x, y), (x - y).mean())),
    # SciPy's interval is that of the mean, not of the difference.
    "one sample": lambda c: t_numbers(stats.ttest_1samp(np.array(c["x"]) - c["mean"], 0), np.mean(c["x"]) - c["mean"]),
    "exact": two(mann_whitney("exact")),
    "asymptotic": two(mann_whitney("asymptotic")),
    "permutations": two(mann_whitney(stats.PermutationMethod())),
    "every arrangement": two(every_arrangement),
    "rank t": two(rank_t),
    "kruskal": several(stats.kruskal),
    "levene": several(lambda *groups: stats.levene(*groups, center="median")),
    "pearson": two(lambda x, y: list(stats.pearsonr(x, y))),
    "spearman": two(lambda x, y: list(stats.spearmanr(x, y))),
    "cohen": two(lambda x, y: [(x.mean() - y.mean()) / pooled(x, y)]),
    "cliff": two(lambda x, y: [np.sign(np.subtract.outer(x, y)).mean()]),
    "mean interval": lambda c: list(stats.ttest_1samp(c["x"], 0).confidence_interval(c["level"])),
    "median interval": median_interval,
    "shapiro": shapiro,
    "holm": lambda c: holm(c["p"]),
    "hochberg": lambda c: list(stats.false_discovery_control(c["p"], method="bh")),
    "line": two(line),
    "polynomial": polynomial,
    "density": lambda c: list(stats.gaussian_kde(c["x"])(c["at"])),
}

answers = [[float(x) for x in KINDS[case["kind"]](case)] for case in json.load(sys.stdin)]
json.dump(answers, sys.stdout)
