#!/usr/bin/env python3
"""Fails on calls that the program does not make, and lists the longest files and functions (a mirror, not a wall)."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BANNED = re.compile(r"\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atof|gets|system|alloca|popen)\s*\(")
RAW_MEMORY = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|free|strdup|strndup|asprintf)\s*\(")
# jansson's own constructors return NULL for invalid UTF-8; src/base/json/json_write.c has those that never fail.
RAW_JSON = re.compile(r"\b(json_v?pack(?:_ex)?|json_v?sprintf|json_stringn?(?:_nocheck)?)\s*\(")
# A precision counts bytes and may end inside a character: STR_CUT of vesper/str.h cuts between them.
BYTE_CUT = re.compile(r"%[-#0 +]*\d*\.\d+s")
# No byte from outside (client, model, row, Redis, file, environment) reaches an assert; one over a value that
# began outside says in a comment who has checked it. It may be compiled out, and its condition with it.
ASSERT_EFFECT = re.compile(r"\bassert\s*\([^;]*(\+\+|--|[^=!<>]=[^=])")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", re.S)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def functions(text):
    start = None
    name = ""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if line == "{" and number > 1:
            start, name = number, lines[number - 2].strip()
        elif line == "}" and start:
            yield number - start, start, name
            start = None


def main():
    problems, sizes, lengths = [], [], []
    for path in sorted((ROOT / "src").glob("**/*.[ch]")) + sorted((ROOT / "include").glob("**/*.h")):
        where = path.relative_to(ROOT)
        text = path.read_text()
        code = COMMENT.sub(blank, text)
        sizes.append((text.count("\n"), str(where)))
        lengths += [(n, f"{where}:{line} {name}") for n, line, name in functions(code)]
        for number, line in enumerate(code.splitlines(), 1):
            hit = BANNED.search(line)
            if hit:
                problems.append(f"{where}:{number}: {hit.group(1)}() is banned")
            hit = RAW_MEMORY.search(line)
            if hit and "base" not in where.parts:
                problems.append(f"{where}:{number}: {hit.group(1)}() outside src/base: use vesper/mem.h")
            if ASSERT_EFFECT.search(line):
                problems.append(f"{where}:{number}: an assert changes nothing")
            hit = RAW_JSON.search(line)
            if hit and "base" not in where.parts:
                problems.append(f"{where}:{number}: {hit.group(1)}() outside src/base: use vesper/json.h")
        for number, line in enumerate(text.splitlines(), 1):
            if BYTE_CUT.search(line):
                problems.append(f"{where}:{number}: a precision cuts inside characters: use STR_CUT")
        if UNFINISHED.search(text):
            problems.append(f"{where}: unfinished work is not committed")
    for problem in problems:
        print(problem)
    if "--sizes" in sys.argv:
        for title, items in (("files", sizes), ("functions", lengths)):
            print(f"longest {title}:")
            for n, what in sorted(items, reverse=True)[:12]:
                print(f"  {n:5d}  {what}")
    print(f"banned: {len(sizes)} files, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
