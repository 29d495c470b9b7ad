#!/usr/bin/python3
"""Writes elasticity.tsv, in the form of golden.tsv: what statsmodels and scipy say of elasticities (least squares of logarithms, errors after
Newey and West) and of scores of percentile ranks that the kernels of src/calc are given, too. Run by hand (Debian 12: python3-statsmodels
0.13.5, python3-scipy 1.10.1); tests read the file and need none of them."""
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from scipy import optimize, stats

rng = np.random.default_rng(20261127)
lines = []


def put(kernel, params, columns, results):
    lines.append("\t".join([kernel, " ".join(f"{p:.17g}" for p in params),
                            "|".join(" ".join(f"{v:.17g}" for v in c) for c in columns),
                            " ".join(f"{float(r):.17g}" for r in results)]))


def elasticity(driver, response):
    both = (driver > 0) & (response > 0)
    x, y = np.log(driver[both]), np.log(response[both])
    x, y = x - x.mean(), y - y.mean()  # statsmodels loses digits far from zero; slope and errors are the same
    n, lags = len(x), int(4 * (len(x) / 100) ** (2 / 9))
    plain = sm.OLS(y, sm.add_constant(x)).fit()
    hac = sm.OLS(y, sm.add_constant(x)).fit(cov_type="HAC", cov_kwds={"maxlags": lags, "use_correction": False})
    error = max(plain.bse[1], hac.bse[1])
    # stats.t.ppf is right to 9 digits only
    reach = optimize.brentq(lambda t: stats.t.sf(t, n - 2) - 0.025, 1, 10, xtol=1e-15, rtol=1e-15) * error
    slope = plain.params[1]
    return [n, slope, slope - reach, slope + reach, 2 * stats.t.sf(abs(slope) / error, n - 2),
            np.std(driver[both], ddof=1) / np.mean(driver[both])]


for n, true, noise in ((24, -1.2, 0.05), (48, -1.2, 0.3), (60, 0.4, 0.2), (120, 0.0, 0.5), (36, -3.0, 0.02)):
    driver = 10 * np.exp(rng.normal(0, 0.2, n))
    errors = np.zeros(n)
    for i in range(n):  # each follows the one before it
        errors[i] = (0.4 * errors[i - 1] if i else 0) + rng.normal(0, noise)
    response = 5000 * (driver / 10) ** true * np.exp(errors)
    if n == 60:
        response[7], driver[20] = 0, -3  # left out: no logarithm
    put("elasticity", [], [driver, response], elasticity(driver, response))

for n in (10, 25, 40):
    a, b, c = np.round(rng.normal(0, 1, n), 1), rng.lognormal(0, 1, n), rng.integers(0, 4, n).astype(float)
    weights = [1, 2, 0.5]
    ranks = [[stats.percentileofscore(x, v, kind="mean") for v in x] for x in (a, b, c)]
    put("scores", weights, [a, b, c], np.average(ranks, axis=0, weights=weights))

Path(__file__).with_name("elasticity.tsv").write_text("\n".join(lines) + "\n")
print(len(lines), "lines")
