#!/usr/bin/env python3
"""Writes conditions.tsv: 2,000 random conditions, and whether they hold for the results that
tests/unit/data/test_condition.c makes. Run by hand; the test reads the file. Conditions are
made as trees and judged as trees, so nothing is shared with the reader in C but the grammar."""
import random
import re
from decimal import Decimal, InvalidOperation
from pathlib import Path

random.seed(20261123)

# What references find; None: nothing.
VALUES = {
    "t1.row_count": "2",
    "t1.outcome": "rows",
    "t1.rows[0].vendor": "Ascend",
    "t1.rows[1].Vendor": "Hitachi",
    "t1.rows[0].price": "48.73",
    "t1.rows[1].price": "50.10",
    "t1.rows[0].day": "2026-01-02",
    "t1.rows[1].day": "2025-12-31T23:00:00",
    "t1.rows[7].price": None,
    "t1.rows[0].nothing": None,
    "t1.facts.gap": "2.66",
    "t1.facts.gap?": "2.66",
    "t1.facts.no": None,
    "t1.offline[0].vendor": "Ascend",
    "t1.offline[1].price": "50.10",
    "t1.online[0].vendor": None,
    "t3.row_count": None,
    "t3.outcome": None,
}
FILTERS = {"year": True, "hub_zone": False}
LITERALS = ["0", "2", "2.0", "2.66", "2.660", "48.73", "50.1", "-1", "1000000", "Ascend", "'Ascend'", '"Hitachi"',
            "'ascend'", "rows", "empty", "2026-01-02", "2026-01-01", "2025-12-31", "'it is'"]
SIGNS = {">": lambda o: o > 0, ">=": lambda o: o >= 0, "<": lambda o: o < 0, "<=": lambda o: o <= 0,
         "==": lambda o: o == 0, "!=": lambda o: o != 0}


def number(text):
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def is_date(text):
    return re.match(r"\d{4}-\d\d-\d\d", text) is not None


def order(a, b):
    return (a > b) - (a < b)


def compare(found, sign, literal):
    wanted = literal.strip("'\"")
    a, b = number(found), number(wanted)
    if (a is None) != (b is None):
        return False
    if a is not None:
        return SIGNS[sign](order(a, b))
    if sign not in ("==", "!=") and not is_date(found):
        return False
    return SIGNS[sign](order(found.encode(), wanted.encode()))


def literal_for(sign):
    if sign in ("==", "!="):
        return random.choice(LITERALS)
    return random.choice([x for x in LITERALS if number(x) is not None or is_date(x)])


def blank():
    return random.choice(["", " ", "  "])


def case(word):
    return random.choice([word, word.upper(), word.capitalize()])


def term():
    kind = random.random()
    if kind < 0.1:
        name = random.choice(list(FILTERS))
        return f"{case('missing')} {name}", not FILTERS[name]
    ref, found = random.choice(list(VALUES.items()))
    if kind < 0.3:
        values = [random.choice(LITERALS) for _ in range(random.randint(1, 4))]
        text = f"{ref} {case('in')}{blank()}({blank()}" + f"{blank()},{blank()}".join(values) + f"{blank()})"
        return text, found is not None and any(compare(found, "==", v) for v in values)
    sign = random.choice(list(SIGNS))
    literal = literal_for(sign)
    return f"{ref}{blank()}{sign}{blank()}{literal}", found is not None and compare(found, sign, literal)


# Each level returns its text and its value; `left` counts the terms that may still be made.
def tree_not(left, depth):
    if depth < 6 and left[0] > 1 and random.random() < 0.35:
        inner, value = tree_or(left, depth + 1)
        text = f"({blank()}{inner}{blank()})"
    else:
        left[0] -= 1
        text, value = term()
    if random.random() < 0.25:
        return f"{case('not')} {text}", not value
    return text, value


def joined(word, make, how):
    def read(left, depth):
        text, value = make(left, depth)
        while left[0] > 0 and random.random() < 0.45:
            more, other = make(left, depth)
            text, value = f"{text} {case(word)} {more}", how(value, other)
        return text, value
    return read


tree_and = joined("and", tree_not, lambda a, b: a and b)
tree_or = joined("or", tree_and, lambda a, b: a or b)

if __name__ == "__main__":
    lines = set()
    while len(lines) < 2000:
        text, value = tree_or([8], 0)
        lines.add(f"{int(value)}\t{text}\n")
    (Path(__file__).parent / "conditions.tsv").write_text("".join(sorted(lines)))
