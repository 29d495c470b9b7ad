#!/usr/bin/python3
"""Writes cluster.tsv: what scikit-learn says of clusters and R's diptest of dips (Debian 12: python3-sklearn 1.2.1, r-cran-diptest
0.76). Run by hand; tests read the file and need none of them. A line is a kernel, its parameters, its input (columns apart by "|")
and its results."""
import subprocess
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

rng = np.random.default_rng(20260301)
lines = []


def put(kernel, params, columns, results):
    lines.append("\t".join([kernel, " ".join(f"{p:.17g}" for p in params), "|".join(" ".join(f"{v:.17g}" for v in c) for c in columns),
                            " ".join(f"{float(r):.17g}" for r in results)]))


def dip(values):
    text = "library(diptest); cat(sprintf('%.17g', dip(c(" + ",".join(f"{v:.17g}" for v in values) + "))))"
    return float(subprocess.run(["Rscript", "-e", text], capture_output=True, text=True, check=True).stdout)


for n in (10, 37, 120, 250):
    for values in (rng.uniform(0, 1, n), rng.normal(0, 1, n), np.round(rng.normal(5, 2, n)),
                   np.concatenate([rng.normal(0, 1, n // 2), rng.normal(6, 1, n - n // 2)]), rng.exponential(1, n)):
        put("dip", [], [values], [dip(values)])

for k, centers in ((2, [(0, 0), (6, 1)]), (3, [(0, 0), (8, 0), (0, 9)]), (4, [(0, 0), (5, 5), (10, 0), (5, -6)]),
                   (5, [(0, 0), (9, 9), (-9, 9), (9, -9), (-9, -9)]), (6, [(0, 0), (7, 0), (14, 0), (0, 7), (7, 7), (14, 7)])):
    rows = np.concatenate([rng.normal(c, 1.1, (30, 2)) for c in centers])
    rng.shuffle(rows)
    fit = KMeans(k, n_init=50, random_state=1, tol=0, max_iter=1000).fit(rows)
    number = {old: new for new, old in enumerate(dict.fromkeys(fit.labels_))}
    put("kmeans", [k], rows.T, [fit.inertia_, silhouette_score(rows, fit.labels_), *(number[l] for l in fit.labels_)])

Path(__file__).with_name("cluster.tsv").write_text("\n".join(lines) + "\n")
print(len(lines), "lines")
