#!/usr/bin/env python3
"""Fails on user-visible sentences in C. They belong in config/language/<name>.json, member `sentences`, under a key of
include/vesper/sentences.h. Also fails on unused keys.

A string counts as a sentence if it has at least two words, and begins with a capital letter or ends like a sentence or
an introduction. Texts of logs, errors, assertions and a metric's `.help` are for operators and developers.
sentences.txt lists the files and folders whose texts have other readers, with the reason."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("turn", "dialog", "answer", "planner", "nlu", "agent", "view", "tool", "transport")
EXCEPTIONS = Path(__file__).with_suffix(".txt")
KEYS = ROOT / "include/vesper/sentences.h"
LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
# keys of months are computed from the first one
COUNTED = re.compile(r"SAY_MONTH_(SHORT_)?(?!JANUARY|SHORT)")


def code_of(path):
    """The file without comments and includes, with all line breaks."""
    return re.sub(r"/\*.*?\*/|^\s*#\s*include[^\n]*$", lambda m: "\n" * m.group().count("\n"), path.read_text(),
                  flags=re.S | re.M)


def caller(code, at):
    """The function or macro that has an argument at this position; "" outside of any."""
    depth = 0
    for i in range(at - 1, max(at - 2000, -1), -1):
        if code[i] == ")":
            depth += 1
        elif code[i] == "(":
            depth -= 1
            if depth < 0:
                name = re.search(r"(\w+)\s*$", code[:i])
                if name:
                    return name.group(1)
                depth = 0
        elif code[i] in ";{}" and depth == 0:
            break
    return ""


def is_sentence(text):
    text = text.replace("\\n", " ").replace('\\"', '"').strip()
    if not re.search(r"[A-Za-z]{2,},? [A-Za-z%\"]", text):
        return False
    return bool(re.match(r"[A-Z][a-z ]", text) or re.search(r"[a-z%sd][.?!:]$", text))


def sentences_of(code):
    for found in re.finditer(LITERAL + r"(?:\s*(?:PRI\w+\s*)?" + LITERAL + ")*", code):
        text = "".join(re.findall(LITERAL, found.group()))
        if re.search(r"\.help\s*=\s*$", code[:found.start()][-40:]):
            continue
        if is_sentence(text) and not re.match(r"(log|err|metric)_|(static_)?assert", caller(code, found.start())):
            yield code.count("\n", 0, found.start()) + 1, text


def main():
    exceptions, matched, problems = {}, set(), []
    for number, line in enumerate(EXCEPTIONS.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            if " | " not in line:
                sys.exit(f"{EXCEPTIONS.name}:{number}: expected FILE | reason")
            exceptions[line.split(" | ")[0]] = number
    for path in sorted(p for folder in FOLDERS for p in ROOT.glob(f"src/{folder}/**/*.[ch]")):
        name = str(path.relative_to(ROOT))
        for line, text in sentences_of(code_of(path)):
            exception = next((e for e in exceptions if name == e or e.endswith("/") and name.startswith(e)), None)
            matched.add(exception)
            if not exception:
                problems.append(f'{name}:{line}: "{text[:60]}" is shown to users: move it to config/language/en.json, sentences')
    problems += [f"{EXCEPTIONS.name}:{exceptions[name]}: {name} no longer has a sentence" for name in sorted(set(exceptions) - matched)]
    code = "\n".join(code_of(p) for p in ROOT.glob("src/**/*.[ch]"))
    used = set(re.findall(r"\bSAY_\w+", code))
    keys = re.findall(r"SENTENCE\((\w+),", KEYS.read_text())
    problems += [f"{KEYS.relative_to(ROOT)}: {key} is not used" for key in keys if key not in used and not COUNTED.match(key)]
    print("\n".join(problems) if problems else f"{len(keys)} user-visible sentences: all in config/language, all used")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
