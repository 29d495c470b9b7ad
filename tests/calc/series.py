#!/usr/bin/python3
"""Writes series.tsv, in the form of golden.tsv: what statsmodels and R (STL), statsmodels (exponential smoothing), R (Mann-Kendall), pandas
and scipy (Hampel) say of series that the kernels of src/calc are given, too. The choice among methods, the rolling origins and the conformal
bands of a forecast are written down here once more from their definitions, on statsmodels' own smoothing: no library has them. Run by
hand (Debian 12: python3-statsmodels 0.13.5, R 4.2.2); tests read the file and need none of them."""
import math
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.tsa.holtwinters import SimpleExpSmoothing
from statsmodels.tsa.seasonal import STL

rng = np.random.default_rng(20260228)
lines = []


def put(kernel, params, columns, results):
    lines.append("\t".join([kernel, " ".join(f"{p:.17g}" for p in params),
                            "|".join(" ".join(f"{v:.17g}" for v in c) for c in columns),
                            " ".join(f"{float(r):.17g}" for r in results)]))


def ask_r(x, code):
    text = " ".join(f"{v:.17g}" for v in x)
    out = subprocess.run(["Rscript", "-e", f'x <- scan(text="{text}", quiet=TRUE); {code}'], check=True, capture_output=True, text=True)
    return np.array([float(v) for v in out.stdout.split()])


# ---- STL ----

def odd(x):
    n = math.ceil(x)
    return n + (n % 2 == 0)


# Odd numbers of values: of even ones statsmodels and R differ from each other, by up to 0.2, so that neither is a reference.
for period, n in ((7, 85), (4, 41), (12, 75), (24, 101)):
    t = np.arange(n)
    y = 100 + 0.2 * t + 8 * np.sin(2 * np.pi * t / period) + rng.normal(0, 1.5, n)
    y[n // 3] += 60
    y[2 * n // 3] -= 45
    trend, low = odd(1.5 * period / (1 - 1.5 / 7)), odd(period)
    if low > period:
        fit = STL(y, period=period, seasonal=7, trend=trend, low_pass=low, seasonal_deg=1, trend_deg=1, low_pass_deg=1,
                  robust=True).fit(inner_iter=2, outer_iter=15)
        parts = [*fit.seasonal, *fit.trend]
    else:  # statsmodels takes no low pass as wide as an odd period
        parts = ask_r(y, f"""s <- stl(ts(x, frequency={period}), s.window=7, s.degree=1, t.window={trend}, t.degree=1, l.window={low}, l.degree=1,
            s.jump=1, t.jump=1, l.jump=1, robust=TRUE, inner=2, outer=15)$time.series; cat(sprintf("%.17g", s[, 1:2]))""")
    put("stl", [period], [y], parts)
    season, rest = np.array(parts[:n]), y - parts[:n] - parts[n:]
    put("strength", [period], [y], [max(0, 1 - np.var(rest) / np.var(season + rest))])

# ---- Hampel ----

for window, k in ((7, 3), (11, 2), (5, 3)):
    x = np.cumsum(rng.normal(0, 1, 90))
    x[[7, 40, 88]] += (25, -30, 19)
    around = pd.Series(x).rolling(window, center=True, min_periods=1)
    spread = around.apply(lambda w: stats.median_abs_deviation(w, scale=1 / 1.4826), raw=True)
    put("hampel", [window, k], [x], (np.abs(x - around.median()) > k * spread).astype(int))

# ---- Mann-Kendall ----

def kendall(x):
    return ask_r(x, """i <- seq_along(x); exact <- length(x) <= 10 && !anyDuplicated(x)
        z <- suppressWarnings(cor.test(x, i, method="kendall", exact=FALSE, continuity=TRUE))
        p <- if (exact) cor.test(x, i, method="kendall", exact=TRUE)$p.value else z$p.value
        cat(sprintf("%.17g", c(z$statistic, p)))""")


for x in (rng.normal(0, 1, 10), rng.normal(0, 1, 6), rng.normal(0, 1, 40) + 0.02 * np.arange(40), np.round(rng.normal(20, 2, 60)),
          np.round(rng.normal(5, 1, 9)), 1e6 - 0.3 * np.arange(120) + rng.normal(0, 9, 120)):
    put("mann_kendall", [], [x], kendall(x))

# ---- forecasts ----

ALPHAS = [i * 0.05 for i in range(1, 20)]


def smooth(x, horizon):
    fits = [SimpleExpSmoothing(x, initialization_method="known", initial_level=x[0]).fit(smoothing_level=a, optimized=False) for a in ALPHAS]
    best = min(range(19), key=lambda i: (fits[i].sse, i))
    return ALPHAS[best], fits[best].forecast(horizon)


def predict(method, x, horizon, season):
    if method == 0:
        return np.full(horizon, x[-1])
    if method == 1:
        return np.full(horizon, np.mean(x[-season:]))
    if method == 2:
        return np.array([x[len(x) - season + h % season] for h in range(horizon)])
    return smooth(x, horizon)[1]


def band(errors, level):
    e, n = np.sort(errors), len(errors)
    low, high = math.ceil(round((n + 1) * (1 - level) / 2, 9)), math.ceil(round((n + 1) * (1 + level) / 2, 9))
    return (np.nan, np.nan) if n < 20 or high > n or low < 1 else (e[low - 1], e[high - 1])


def forecast(x, horizon, season, before):
    origins = range(max(before, len(x) - horizon - 89), len(x) - horizon + 1)
    errors = [np.array([np.sum(x[o:o + horizon] - predict(m, x[:o], horizon, season)) for o in origins]) for m in range(4)]
    mae = [np.mean(np.abs(e)) for e in errors]
    best = int(np.argmin(mae))
    values = predict(best, x, horizon, season)
    total = np.sum(values)
    return [best, len(origins), *mae, total, *(total + np.array(band(errors[best], 0.8))), *(total + np.array(band(errors[best], 0.95))), *values]


level = np.cumsum(rng.normal(0, 1, 130)) + 50
weekly = 40 + 10 * np.sin(2 * np.pi * np.arange(100) / 7) + rng.normal(0, 1, 100)
for x, horizon in ((level, 7), (weekly, 7), (rng.normal(30, 4, 90), 3), (level[:60], 14),
                   (30 + np.cumsum(rng.normal(0, 0.6, 120)) + rng.normal(0, 2, 120), 7)):
    put("forecast", [horizon, 7, 30], [x], forecast(x, horizon, 7, 30))

Path(__file__).with_name("series.tsv").write_text("\n".join(lines) + "\n")
print(len(lines), "lines")
