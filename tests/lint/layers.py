#!/usr/bin/env python3
"""Fails on an include that src/LAYERS does not allow, on a header without an owner, and on a cycle between folders."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)

# Third-party headers, and the one folder that may include each of them (jansson of base may be used everywhere).
FOREIGN = {
    "uv.h": {"loop"},
    "libwebsockets.h": {"transport/ws", "ctl"},
    "microhttpd.h": {"transport/http"},
    "curl/curl.h": {"http", "ctl"},
    "sql.h": {"db", "ctl"},
    "sqlext.h": {"db", "ctl"},
    "sqlite3.h": {"db", "ctl"},
    "pcre2.h": {"base"},
}
SYSTEM = re.compile(r'^\s*#\s*include\s+<([^>]+)>', re.M)


def read_layers(path):
    allowed, owner, order = {}, {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [p.split() for p in line.split(":")]
        if len(parts) != 3 or len(parts[0]) != 1:
            sys.exit(f"{path}:{number}: expected 'folder : uses : headers'")
        folder = parts[0][0]
        uses = parts[1]
        for used in uses:
            if used != "*" and used not in order:
                sys.exit(f"{path}:{number}: {folder} uses {used}, which is not a row above it")
        allowed[folder] = set(order) if uses == ["*"] else set(uses)
        for header in parts[2]:
            if header in owner:
                sys.exit(f"{path}:{number}: {header}.h has two owners")
            owner[header] = folder
        order.append(folder)
    return allowed, owner


def folder_of(path, allowed):
    """The row of src/LAYERS for a file of src: that of its deepest folder with a row."""
    parts = path.relative_to(ROOT / "src").parts[:-1]
    for n in range(len(parts), 0, -1):
        if "/".join(parts[:n]) in allowed:
            return "/".join(parts[:n])
    return parts[0]


def main():
    problems = []
    allowed, owner = read_layers(ROOT / "src/LAYERS")
    headers = {p.stem for p in (ROOT / "include/vesper").glob("*.h")}
    problems += [f"include/vesper/{h}.h has no owner in src/LAYERS" for h in sorted(headers - owner.keys())]
    problems += [f"src/LAYERS names {h}.h, which does not exist" for h in sorted(owner.keys() - headers)]

    files = [(p, "main") for p in (ROOT / "src").glob("*.[ch]")]
    files += [(p, folder_of(p, allowed)) for p in (ROOT / "src").glob("*/**/*.[ch]")]
    files += [(p, owner.get(p.stem)) for p in (ROOT / "include/vesper").glob("*.h")]
    for path, folder in files:
        where = path.relative_to(ROOT)
        if folder is None:
            continue
        if folder not in allowed:
            problems.append(f"{where}: folder {folder} has no row in src/LAYERS")
            continue
        text = path.read_text()
        for include in INCLUDE.findall(text):
            if include.startswith("vesper/"):
                used = owner.get(pathlib.Path(include).stem)
                if used and used != folder.split("/")[0] and used != folder and used not in allowed[folder]:
                    problems.append(f"{where}: {folder} may not include {include} of {used}")
                continue
            top = ROOT / "src" / folder.split("/")[0]
            found = [p for p in (path.parent / include, top / include) if p.exists()]
            if "/" in include and not found:
                problems.append(f"{where}: includes {include} of another folder")
            elif found and (used := folder_of(found[0].resolve(), allowed)) not in {folder, *allowed[folder]}:
                problems.append(f"{where}: {folder} may not include {include} of {used}")
        for include in SYSTEM.findall(text):
            if include in FOREIGN and folder not in FOREIGN[include]:
                problems.append(f"{where}: <{include}> may be included only by {' and '.join(sorted(FOREIGN[include]))}")
    for problem in problems:
        print(problem)
    print(f"layers: {len(files)} files, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
