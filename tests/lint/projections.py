#!/usr/bin/env python3
"""Fails if a wire format depends on more than events: a projection includes only the event header and the writer."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
# What every projection may include; no allocation, no store, no loop.
ALLOWED = {"markdown.h", "projection.h", "vesper/event.h", "vesper/json_out.h", "vesper/limits.h", "vesper/str.h", "vesper/wire.h"}
# Times in events; then files that are not formats: tables as text, the log as items, and views until the end.
READERS = {"sse.c": {"vesper/clock.h"}, "markdown.c": {"vesper/json.h", "vesper/mem.h"}, "reader.c": {"vesper/mem.h"}, "response.c": {"vesper/arena.h"}}


def main():
    problems = []
    for path in sorted((ROOT / "src/wire").glob("*.[ch]")):
        extra = set(INCLUDE.findall(path.read_text())) - ALLOWED - READERS.get(path.name, set())
        problems += [f"src/wire/{path.name} includes {name}: a projection may include only the event header and the writer" for name in sorted(extra)]
    print("\n".join(problems) or "projections: events and the writer only")
    sys.exit(bool(problems))


main()
