#!/usr/bin/python3
"""Writes golden.tsv: what numpy, scipy and statsmodels say of columns that the kernels of src/calc are given, too. Run by hand
(Debian 12: python3-statsmodels 0.13.5); tests read the file and need none of them. A line is a kernel, its parameters, its input
and its results; lists are separated by blanks, columns of an input by "|"."""
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from scipy import stats
from statsmodels.robust.scale import mad
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(20260227)
lines = []


def put(kernel, params, columns, results):
    lines.append("\t".join([kernel, " ".join(f"{p:.17g}" for p in params),
                            "|".join(" ".join(f"{v:.17g}" for v in c) for c in columns),
                            " ".join(f"{float(r):.17g}" for r in results)]))


def columns():
    """Smooth, skewed, tied, small and far from zero."""
    yield rng.normal(50, 9, 40)
    yield rng.lognormal(3, 0.8, 61)
    yield np.round(rng.normal(20, 3, 48))
    yield rng.uniform(-1, 1, 23)
    yield 1e6 + rng.normal(0, 0.5, 120)


def ols(x, y):
    """Of centred columns, as statsmodels loses digits far from zero; the slope and its errors are the same."""
    lags = int(4 * (len(x) / 100) ** (2 / 9))
    x0, y0 = x - x.mean(), y - y.mean()
    plain = sm.OLS(y0, sm.add_constant(x0)).fit()
    hac = sm.OLS(y0, sm.add_constant(x0)).fit(cov_type="HAC", cov_kwds={"maxlags": lags, "use_correction": False})
    return [plain.params[1], y.mean() - plain.params[1] * x.mean(), plain.rsquared, plain.bse[1], hac.bse[1]]


for x in columns():
    for p in (0, 0.05, 0.25, 0.5, 0.9, 0.95, 1):
        put("quantile", [p], [x], [np.quantile(x, p)])
    put("mad", [], [x], [np.median(x), mad(x, c=1)])
    put("moments", [], [x], [np.mean(x), np.std(x, ddof=1), stats.skew(x, bias=False), stats.kurtosis(x, bias=False),
                             *stats.normaltest(x)])
    y = 3 * np.arange(len(x)) + x
    slope, intercept, _, _ = stats.theilslopes(y, np.arange(len(x)), method="separate")
    put("theil_sen", [], [y], [slope, intercept])
    z = x * rng.uniform(0.5, 1.5, len(x))
    put("spearman", [], [x, z], stats.spearmanr(x, z))
    put("line", [], [np.arange(len(x)), y], ols(np.arange(len(x), dtype=float), y))
    t = np.cumsum(rng.uniform(0.1, 1, len(x)))
    put("integral", [], [t, x], [np.trapz(x, t)])

for n in (20, 60):
    groups = rng.integers(0, 3, n)
    x = np.round(rng.normal(10, 2, n) + groups, 1)
    put("kruskal", [3], [x, groups], stats.kruskal(*(x[groups == g] for g in range(3))))

for shape in ((2, 2), (3, 4)):
    counts = rng.integers(10, 60, shape)
    chi2, p, df, _ = stats.chi2_contingency(counts, correction=False)
    put("independence", shape, [counts.flatten()], [chi2, df, p])

for n in (5, 30):
    p = rng.uniform(0, 0.3, n) ** 2
    put("adjust", [], [p], multipletests(p, method="fdr_bh")[1])

Path(__file__).with_name("golden.tsv").write_text("\n".join(lines) + "\n")
print(len(lines), "lines")
