#!/usr/bin/env python3
"""Fails on banned calls, on folders with too many files and on structs with too many members. Option --sizes also lists
the longest files and functions, without a limit."""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BANNED = re.compile(r"\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atof|gets|system|alloca|popen)\s*\(")
RAW_MEMORY = re.compile(r"(?<![\w.>])(malloc|calloc|realloc|free|strdup|strndup|asprintf)\s*\(")
# jansson's constructors return NULL for invalid UTF-8; those of src/base/json/json_write.c never fail.
RAW_JSON = re.compile(r"\b(json_v?pack(?:_ex)?|json_v?sprintf|json_stringn?(?:_nocheck)?)\s*\(")
# A printf precision counts bytes and may cut a character in half; STR_CUT of vesper/str.h does not.
BYTE_CUT = re.compile(r"%[-#0 +]*\d*\.\d+s")
# Asserts never check external input (client, model, row, Redis, file, environment). An assert on a value of external
# origin has a comment that names who validated it. Asserts may be compiled out with their condition, so it must have no
# side effects.
ASSERT_EFFECT = re.compile(r"\bassert\s*\([^;]*(\+\+|--|[^=!<>]=[^=])")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"", re.S)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")


FOLDER_FILES_MAX = 25
STRUCT_MEMBERS_MAX = 30
STRUCT = re.compile(r"^(?:typedef |static )?(?:struct|union)\b([^;{}()]*)\{", re.M)


def members(body):
    """Number of members of a struct's body without nested bodies; `int a, b;` counts as two."""
    flat, depth = [], 0
    for c in body:
        depth += c == "{"
        if depth == 0:
            flat.append(c)
        depth -= c == "}"
    return sum(1 + re.sub(r"\([^()]*\)", "", one).count(",") for one in "".join(flat).split(";")[:-1])


def structs(code):
    """Yields the name and the number of members of each top-level struct."""
    for match in STRUCT.finditer(code):
        depth, at = 1, match.end()
        while depth and at < len(code):
            depth += (code[at] == "{") - (code[at] == "}")
            at += 1
        yield match.group(1).strip() or "(unnamed)", members(code[match.end():at - 1])


def folders():
    """The folders of src with the number of files tracked by git."""
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    count = collections.Counter(str(pathlib.PurePath(name).parent) for name in tracked.splitlines() if (ROOT / name).exists())
    return count.items()


def check_itself():
    sample = "struct a {\n\tint x, y;\n\tvoid (*f)(int p, int q);\n\tstruct {\n\t\tint deep;\n\t} s;\n};\nstruct b;\n"
    assert list(structs(sample)) == [("a", 4)], list(structs(sample))


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
    check_itself()
    problems, sizes, lengths = [], [], []
    for path in sorted((ROOT / "src").glob("**/*.[ch]")) + sorted((ROOT / "include").glob("**/*.h")):
        where = path.relative_to(ROOT)
        text = path.read_text()
        code = COMMENT.sub(blank, text)
        sizes.append((text.count("\n"), str(where)))
        lengths += [(n, f"{where}:{line} {name}") for n, line, name in functions(code)]
        for name, n in structs(code):
            what = f"{where}: struct {name}"
            if n > STRUCT_MEMBERS_MAX:
                problems.append(f"{what} has {n} members, more than {STRUCT_MEMBERS_MAX}: split it")
        for number, line in enumerate(code.splitlines(), 1):
            hit = BANNED.search(line)
            if hit:
                problems.append(f"{where}:{number}: {hit.group(1)}() is banned")
            hit = RAW_MEMORY.search(line)
            if hit and "base" not in where.parts:
                problems.append(f"{where}:{number}: {hit.group(1)}() outside src/base: use vesper/mem.h")
            if ASSERT_EFFECT.search(line):
                problems.append(f"{where}:{number}: an assert must not have side effects")
            hit = RAW_JSON.search(line)
            if hit and "base" not in where.parts:
                problems.append(f"{where}:{number}: {hit.group(1)}() outside src/base: use vesper/json.h")
        for number, line in enumerate(text.splitlines(), 1):
            if BYTE_CUT.search(line):
                problems.append(f"{where}:{number}: a precision may cut a character in half: use STR_CUT")
        if UNFINISHED.search(text):
            problems.append(f"{where}: must not contain TODO, FIXME, XXX or HACK")
    problems += [f"{folder}: {n} files, more than {FOLDER_FILES_MAX}: split it into subfolders"
                 for folder, n in folders() if n > FOLDER_FILES_MAX]
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
