#!/usr/bin/python3
"""Writes crosstab.tsv, in the form of golden.tsv: what scipy says of counts of pairs (chi-squared of independence, without correction).
Params are rows and columns. Run by hand (Debian 12: python3-scipy 1.10.1); tests read the file and need none of it."""
from pathlib import Path

import numpy as np
from scipy import stats

rng = np.random.default_rng(20261128)
lines = []


def put(counts):
    chi2, p, df, expected = stats.chi2_contingency(counts, correction=False)
    assert expected.min() >= 5
    lift = counts / expected
    lines.append("\t".join(["crosstab", " ".join(str(n) for n in counts.shape), " ".join(str(v) for v in counts.ravel()),
                            " ".join(f"{float(r):.17g}" for r in [counts.sum(), chi2, df, p, *lift.ravel()])]))


for rows, columns in ((2, 2), (2, 5), (3, 4), (6, 3), (4, 8), (10, 10)):
    for spread in (0, 0.6):
        weights = np.exp(rng.normal(0, spread, (rows, columns)))
        put(rng.poisson(40 * weights) + 12)

Path(__file__).with_name("crosstab.tsv").write_text("\n".join(lines) + "\n")
print(len(lines), "lines")
