#!/usr/bin/env python3
"""Checks that each file and each attack test that docs/security.md names exists."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    text = (ROOT / "docs/security.md").read_text()
    problems = []
    files = re.findall(r"`((?:tests|src|docs|config)/[\w./-]*)`", text)
    for name in files:
        if not (ROOT / name).exists():
            problems.append(f"docs/security.md: {name} does not exist")
    # `tests/x.mjs`: name of a test, name of another one
    for name, tests in re.findall(r"`(tests/[\w./-]+\.mjs)`: ([^;|`]+)", text):
        path = ROOT / name
        if not path.exists():
            continue
        source = path.read_text()
        for test in re.split(r", (?!and |cut |while )", tests.strip()):
            if test.strip() and test.strip() not in source:
                problems.append(f"docs/security.md: {name} has no test named {test.strip()}")
    for problem in problems:
        print(problem)
    print(f"security: {len(files)} files, {len(problems)} problems")
    return bool(problems)


sys.exit(main())
