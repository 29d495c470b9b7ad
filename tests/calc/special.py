#!/usr/bin/env python3
"""Writes special.tsv: distribution functions to 20 digits, by power series in 120 digits of decimal
arithmetic. Run by hand; tests read the file. Nothing is shared with src/calc but the definitions."""
from decimal import Decimal as D, getcontext
from pathlib import Path

getcontext().prec = 120
# atan by its series is enough for pi (Machin).
def atan_inverse(n):
    total, power, k, sign = D(0), D(1) / n, 1, 1
    while power > D(10) ** -118:
        total += sign * power / k
        power /= n * n
        k, sign = k + 2, -sign
    return total
PI = 4 * (4 * atan_inverse(5) - atan_inverse(239))
BERNOULLI = [(1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798), (-174611, 330),
             (854513, 138), (-236364091, 2730), (8553103, 6), (-23749461029, 870), (8615841276005, 14322)]


def log_gamma(x):
    shift = D(0)
    while x < 4000:  # Stirling's series has 60 digits there
        shift += x.ln()
        x += 1
    total = (x - D("0.5")) * x.ln() - x + (2 * PI).ln() / 2
    for k, (n, d) in enumerate(BERNOULLI, 1):
        total += D(n) / d / (2 * k * (2 * k - 1) * x ** (2 * k - 1))
    return total - shift


def gamma_lower(a, x):
    if x == 0:
        return D(0)
    term, total, n = D(1), D(1), 0
    while term > total * D(10) ** -110 or n < x:
        n += 1
        term *= x / (a + n)
        total += term
    return (a * x.ln() - x - log_gamma(a + 1)).exp() * total


def beta(a, b, x):
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(b, a, 1 - x)
    if x == 0:
        return D(0)
    term, total, n = D(1), D(1), 0
    while term > total * D(10) ** -110:
        term *= (a + b + n) / (a + 1 + n) * x
        total += term
        n += 1
    front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (1 - x).ln()
    return front.exp() * total / a


def normal(z):
    tail = (1 - gamma_lower(D("0.5"), z * z / 2)) / 2
    return tail if z < 0 else 1 - tail


def student_two_sided(t, df):
    return beta(df / 2, D("0.5"), df / (df + t * t))


def f_upper(x, d1, d2):
    return beta(d2 / 2, d1 / 2, d2 / (d2 + d1 * x))


ROWS = []
for x in ("0.01 0.3 0.5 1 1.5 2.25 7 33.3 170 1000 123456.5").split():
    ROWS.append(("log_gamma", [x], log_gamma(D(x))))
for a in "0.1 0.5 1 2.5 9.9 10 50 1000".split():
    for f in "0.001 0.2 0.8 1 1.05 1.3 3".split():
        x = str(D(a) * D(f))
        low = gamma_lower(D(a), D(x))
        ROWS.append(("gamma_lower", [a, x], low))
        ROWS.append(("gamma_upper", [a, x], 1 - low))
for a, b in ((0.5, 0.5), (1, 3), (2.5, 0.5), (10, 10), (50, 0.5), (0.5, 200), (300, 700), (5000, 0.5)):
    for x in "0.001 0.1 0.4375 0.75 0.99".split():
        ROWS.append(("beta", [str(a), str(b), x], beta(D(str(a)), D(str(b)), D(x))))
for z in "-12 -5.5 -3 -1 -0.25 0.5 1.959963984540054 4".split():
    ROWS.append(("normal", [z], normal(D(z))))
for df in "1 2 3 5 10 30 100.5 4000".split():
    for t in "0.01 0.5 1 2 4 15".split():
        ROWS.append(("student_two_sided", [t, df], student_two_sided(D(t), D(df))))
for df in "1 2 3 7 20 300".split():
    for f in "0.1 0.9 1 2 5".split():
        x = str(D(df) * D(f))
        ROWS.append(("chi2_upper", [x, df], 1 - gamma_lower(D(df) / 2, D(x) / 2)))
for d1, d2 in ((1, 1), (1, 10), (4, 7), (30, 12), (200, 300)):
    for x in "0.1 0.7 1 2.5 9".split():
        ROWS.append(("f_upper", [x, str(d1), str(d2)], f_upper(D(x), D(d1), D(d2))))

with Path(__file__).with_suffix(".tsv").open("w") as out:
    for name, args, value in ROWS:
        if abs(value) < D(10) ** -90:  # what is left of a difference in 120 digits: nothing
            if name != "log_gamma":
                continue
            value = D(0)
        args = [*args, "0", "0"][:3]
        out.write("\t".join([name, *args, f"{value:.20e}"]) + "\n")
