#!/usr/bin/python3
"""Writes compositions.tsv: what each analysis that is made of sums, ranks, quantiles and distances gives for a planted data set,
worked out anew in exact fractions by the definitions of docs/analytics.md, by nothing of Vesper's. Run by hand (Python 3.11, its
standard library alone; Node prints the data sets); tests/e2e/compositions.test.mjs reads the file and asks each question. A line is a
tool, a data set, the name it is uploaded by, a question, and the numbers and names that its answer states, in their order."""
import csv
import io
import subprocess
from collections import defaultdict
from datetime import date
from fractions import Fraction as F
from pathlib import Path

HERE = Path(__file__).parent
lines = []


def load(name):
    text = subprocess.run(["node", "--input-type=module", "-e",
                           f"import * as p from '{HERE}/planted/planted.mjs'; process.stdout.write(p.{name}())"],
                          check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(text)))


def put(tool, data, name, question, *wanted):
    lines.append("\t".join([tool, data, name, question,
                            " | ".join(w if isinstance(w, str) else f"{float(w):.12g}" for w in wanted)]))


def quantile(values, p):
    """Type 7."""
    v = sorted(values)
    at = (len(v) - 1) * F(p)
    low = int(at)
    return v[low] + (at - low) * (v[min(low + 1, len(v) - 1)] - v[low])


def mean(values):
    return sum(values, F(0)) / len(values)


def column(rows, name):
    return [F(r[name]) for r in rows]


def totals(rows, by, of):
    out = defaultdict(F)
    for r in rows:
        out[r[by]] += F(r[of])
    return out


def share(part, whole):
    return 100 * F(part) / whole


def gower(rows, features, at):
    """Mean over the columns of |a - b| / range."""
    cols = [column(rows, f) for f in features]
    spans = [max(c) - min(c) for c in cols]
    return [sum(abs(c[i] - c[at]) / s for c, s in zip(cols, spans) if s) / sum(1 for s in spans if s) for i in range(len(rows))]


def medoid(rows, features, members):
    return min(members, key=lambda m: (sum(gower(rows, features, m)[i] for i in members), m))


def percentile_ranks(values):
    return [(sum(w < v for w in values) + F(sum(w == v for w in values), 2)) / len(values) for v in values]


# segmentation
rows = load("tiers")
v = column(rows, "Sales")
low, high = quantile(v, F(1, 5)), quantile(v, F(4, 5))
top = [x for x in v if x >= high]
put("value_tiers", "tiers", "customers", "Segment the customers by sales", len(top), len(v), share(len(top), len(v)),
    share(sum(top), sum(v)), mean(top), sum(low <= x < high for x in v), sum(x < low for x in v), low, high)
rows = load("peers")
by = totals(rows, "Region", "Sales")
best = max(by, key=by.get)
put("group_profile", "peers", "customers", "Profile the regions by sales", len(by), best, by[best], share(by[best], sum(by.values())))
counts = defaultdict(int)
for r in rows:
    counts[r["Region"]] += 1
under = [g for g in by if (by[g] / sum(by.values())) / F(counts[g], len(rows)) < F(4, 5)]
put("underserved", "peers", "customers", "Which regions are underserved in sales?", len(under), len(by), under[0],
    share(counts[under[0]], len(rows)), share(by[under[0]], sum(by.values())))
mix = load("mix")
v = column(mix, "Sales")
high = quantile(v, F(4, 5))
tops = [r for r in mix if F(r["Sales"]) >= high]
lift = {g: F(sum(r["Region"] == g for r in tops) * len(mix), len(tops) * sum(r["Region"] == g for r in mix)) for g in by}
best = max(lift, key=lift.get)
put("cross_segment", "mix", "customers", "Show the tiers by region for sales", best, sum(r["Region"] == best for r in tops),
    share(sum(r["Region"] == best for r in tops), sum(r["Region"] == best for r in mix)), lift[best])

v = sorted(column(load("concentration"), "Sales"), reverse=True)
for80 = next(k for k in range(1, len(v)) if sum(v[:k]) >= F(4, 5) * sum(v))
gini = sum((2 * (i + 1) - len(v) - 1) * x for i, x in enumerate(sorted(v))) / (len(v) * sum(v))
put("concentration", "concentration", "customers", "How concentrated are sales?", share(sum(v[:5]), sum(v)), share(sum(v[:10]), sum(v)), for80,
    len(v), gini)
v = column(load("shift"), "Sales")
put("change", "shift", "sales", "How have sales changed over time?", v[-1], v[-2], v[-1] - v[-2], share(v[-1] - v[-2], v[-2]),
    share(v[-1] - v[-13], v[-13]), "2023-01", mean(v[24:]), mean(v[:24]))

# business impact
v = sorted(column(rows, "Sales"), reverse=True)
put("lose_top_n", "peers", "customers", "What would losing the top 5 customers do to sales?", 5, sum(v[:5]), sum(v), share(sum(v[:5]), sum(v)))
trend = load("trend")
v = column(trend, "Sales")
put("baseline", "trend", "sales", "What is the baseline of sales?", mean(v), v[-1], max(v), min(v), sum(v))
put("moving", "trend", "sales", "What is the moving average of sales?", 3, mean(v[-3:]), mean(v[-4:-1]), v[-1], sum(v))
base = sum(v)
put("sensitivity", "trend", "sales", "Run a sensitivity analysis of sales", base, base * F(11, 10), base * F(9, 10),
    base * F(6, 5), base * F(4, 5))
put("scenarios", "trend", "sales", "Compare scenarios of sales", 3, base * F(9, 10), base * F(11, 10), base)
base = sum(column(load("noise"), "Sales"))
put("what_if", "noise", "sales", "What if sales drop by 15 percent?", base, base * F(17, 20), -15)

# benchmark
name = "Borealis Foods"
mine = F(next(r["Sales"] for r in rows if r["Customer"] == name))
v = column(rows, "Sales")
others = [x for x in v if x != mine]
assert len(others) == len(v) - 1
put("vs_average", "peers", "customers", f"How does {name} compare to the average in sales?", name, mine, 1 + sum(x > mine for x in v), len(v),
    100 * (mine / mean(others) - 1), mean(others), share(2 * sum(x < mine for x in v) + 1, 2 * len(v)))
best = {}
for r in rows:
    if r["Region"] not in best or F(r["Sales"]) > F(best[r["Region"]]["Sales"]):
        best[r["Region"]] = r
ranked = sorted(best.values(), key=lambda r: -F(r["Sales"]))
put("best_in_class", "peers", "customers", "Who is best in each region by sales?", len(best),
    *[f'{r["Customer"]} in {r["Region"]}' for r in ranked], F(ranked[0]["Sales"]))
second = sorted((r for r in rows if r["Region"] == "North"), key=lambda r: -F(r["Sales"]))[1]
put("rank_in_group", "peers", "customers", f'Where does {second["Customer"]} rank within its region by sales?', second["Customer"],
    F(second["Sales"]), 2, counts["North"], "North")
climb = load("climber")
months = sorted({r["Order date"] for r in climb})


def at(day):
    v = {r["Customer"]: F(r["Sales"]) for r in climb if r["Order date"] == day}
    return share(2 * sum(x < v["Juniper Works"] for x in v.values()) + 1, 2 * len(v))


put("vs_history", "climber", "orders", "How does Juniper Works compare to its past in sales?", "Juniper Works", at(months[-13]), at(months[-1]),
    at(months[-1]) - at(months[-13]))

# opportunity
accounts = load("accounts")
visits, sales = column(accounts, "Visits"), column(accounts, "Sales")
high, low, middle = quantile(visits, F(7, 10)), quantile(sales, F(2, 5)), quantile(sales, F(1, 2))
found = sorted((s - middle, r["Account"]) for r, w, s in zip(accounts, visits, sales) if w >= high and s <= low and s < middle)
put("gap_candidates", "accounts", "accounts", "Find upsell candidates by visits and sales", len(found), len(accounts), *[n for _, n in found],
    high, low, middle, -sum(g for g, _ in found))
scores = [100 * (a + b) / 2 for a, b in zip(percentile_ranks(visits), percentile_ranks(column(accounts, "Calls")))]
best = max(range(len(scores)), key=lambda i: scores[i])
put("opportunity_scores", "accounts", "accounts", "Which accounts have the highest potential by visits and calls?", accounts[best]["Account"],
    len(accounts), scores[best])
alikes = load("alikes")
v = column(alikes, "Sales")
second, first = quantile(v, F(4, 5)), quantile(v, F(9, 10))
members = [i for i, x in enumerate(v) if x >= first]
model = medoid(alikes, ["Visits", "Calls"], members)
d = gower(alikes, ["Visits", "Calls"], model)
reach = quantile([d[i] for i in members], F(1, 2))
near = sorted((d[i], i) for i, x in enumerate(v) if x < second and d[i] <= reach)
put("lookalikes", "alikes", "accounts", "Find lookalikes by sales, visits and calls", len(near), alikes[model]["Account"],
    *[alikes[i]["Account"] for _, i in near], len(alikes))

# risk
losses = load("losses")
lost = [i for i, r in enumerate(losses) if r["Churned"] == "yes"]
rest = [i for i, r in enumerate(losses) if r["Churned"] == "no"]
dl, dr = (gower(losses, ["Sales", "Visits"], medoid(losses, ["Sales", "Visits"], g)) for g in (lost, rest))
nearer = sorted((dl[i], i) for i in rest if dl[i] < dr[i])
put("like_losses", "losses", "customers", "Which customers are like the lost ones by sales and visits per churned?", len(nearer), len(rest),
    len(lost), *[losses[i]["Customer"] for _, i in nearer])
days = defaultdict(list)
for r in load("quiet"):
    days[r["Customer"]].append(date.fromisoformat(r["Order date"]))
last = max(d for v in days.values() for d in v)
silent = []
for name, v in days.items():
    v = sorted(set(v))
    usual = quantile([(b - a).days for a, b in zip(v, v[1:])], F(1, 2))
    if (last - v[-1]).days > 2 * usual:
        silent.append((-F((last - v[-1]).days) / usual, name, (last - v[-1]).days, usual))
silent.sort()
put("inactivity", "quiet", "orders", "Which customers have gone quiet?", len(silent), len(days), *[s[1] for s in silent], silent[0][2], silent[0][3])

# semantic search
d = gower(rows, ["Sales", "Visits"], next(i for i, r in enumerate(rows) if r["Customer"] == "Borealis Foods"))
near = min((x, i) for i, x in enumerate(d) if rows[i]["Customer"] != "Borealis Foods")
put("similar_to_entity", "peers", "customers", "Which customers are most similar to Borealis Foods by sales and visits?", "Borealis Foods",
    rows[near[1]]["Customer"], near[0], F(rows[near[1]]["Sales"]), mine, len(rows) - 1)

# semantic text, without a model: the words that are looked for stand in the texts
comments = [r["Comment"] for r in load("feedback")]
different = sorted(set(comments), key=lambda c: (-comments.count(c), c))


def said(word):
    return [c for c in different if word in c.lower()]


def rows_of(texts):
    return sum(comments.count(c) for c in texts)


put("match_values", "feedback", "survey", "Which comments look like complaints?", len(said("complaint")), len(different), *said("complaint"),
    rows_of(said("complaint")))
classes = ["complaint", "praise", "question"]
put("classify_values", "feedback", "survey", "Classify the comments as complaint, praise or question",
    *[w for c in classes for w in (c, rows_of(said(c)))], rows_of([t for t in different if not any(c in t.lower() for c in classes)]), len(different))

(HERE / "compositions.tsv").write_text("\n".join(lines) + "\n")
print(len(lines), "lines")
