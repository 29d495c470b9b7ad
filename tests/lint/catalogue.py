#!/usr/bin/env python3
"""Fails on a copy of a list in a pack's catalogue.json: known values of a dimension, or views.

A single value is allowed where its meaning matters (the worst color, the default case). Two values of one
dimension in the strings of a C file, in a prompt or in a tool's description are a list, which belongs to the
catalogue ({values.<dimension>} inserts it into a text)."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKS = [pack["name"] for pack in json.loads((ROOT / "config/packs.json").read_text())["packs"]]
catalogues = [json.loads(path.read_text()) for path in sorted(ROOT.glob("config/*/catalogue.json"))]


def tool_files():
    return sorted(path for pack in PACKS for path in ROOT.glob(f"sql/{pack}/*/*.sql"))


def known_values(dimension):
    values = dimension.get("values", [])
    return [v for some in values.values() for v in some] if isinstance(values, dict) else values


DIMENSIONS = {d["name"]: known_values(d) for c in catalogues for d in c.get("dimensions", [])}
# Common words that name the ends of a range.
WORDS = {"High", "Low"}
VIEWS = [v["name"] for c in catalogues for v in c.get("views", [])]


def columns_and_labels():
    """Column names may also be values of a dimension ("Budget" is a changed field too)."""
    names = set()
    for path in tool_files():
        for column, rest in re.findall(r'^-- column "([^"]+)"(.*)$', path.read_text(), re.M):
            names.add(column)
            names.update(a or b for a, b in re.findall(r'label=(?:"([^"]+)"|(\S+))', rest))
    return names


def c_strings(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#include.*$", "", text, flags=re.M)
    return re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)


def named_in(text, value):
    return re.search(r"(?<![\w-])" + re.escape(value) + r"(?![\w-])", text)


def prompt_text(text):
    return re.sub(r"^examples:\n(?:  - .*\n)+", "", text, flags=re.M)


def header_text(text):
    return "\n".join(re.findall(r"^-- (?:about:|param ).*$", text, re.M))


def main():
    problems = []
    labels = columns_and_labels() | WORDS

    def check(path, is_named, allowed=()):
        for dimension, values in DIMENSIONS.items():
            found = [v for v in values if v not in allowed and is_named(v)]
            if len(found) > 1:
                problems.append(f"{path}: {', '.join(found)}: a list of {dimension}")

    files = 0
    for path in sorted([*ROOT.glob("src/**/*.[ch]"), *ROOT.glob("include/**/*.h")]):
        name = path.relative_to(ROOT)
        if str(name).startswith("src/ctl/demo"):
            continue  # the demo's rows are data
        strings = c_strings(path.read_text())
        check(name, lambda v: v in strings, labels)
        for view in VIEWS:
            if any(view.lower() in s.lower() for s in strings):
                problems.append(f"{name}: {view}: views are named in catalogue.json of their pack")
        files += 1
    for path in sorted(ROOT.glob("prompts/**/*.md")):
        text = prompt_text(path.read_text())
        check(path.relative_to(ROOT), lambda v: named_in(text, v))
        for view in VIEWS:
            if view.lower() in text.lower():
                problems.append(f"{path.relative_to(ROOT)}: {view}: views are named in catalogue.json of their pack")
        files += 1
    for path in tool_files():
        text = header_text(path.read_text())
        check(path.relative_to(ROOT), lambda v: named_in(text, v), labels)
        files += 1
    for problem in problems:
        print(problem)
    print(f"catalogue: {files} files, {len(problems)} problems")
    return bool(problems)


sys.exit(main())
