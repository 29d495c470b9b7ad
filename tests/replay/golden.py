#!/usr/bin/env python3
"""Compares the output of every wire format for the replayed turns with the recordings in tests/replay/golden.

    golden.py REPLAY           fails on any difference except in IDs, times, durations and prompt sizes
    golden.py REPLAY --write   records again; review the difference before you commit it
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
TRANSCRIPT = re.compile(r"^== transcript\n.*?(?=^== )", re.M | re.S)
TRANSCRIBED = {"recover_partly", "numbers_right"}  # the others are recorded without their transcripts, which are long
SPAN = re.compile(r'"((?:latency|duration|elapsed|retry_after)_ms)":\d+')
# Each new tool makes the prompts longer; other tests count their tokens.
COUNTED = re.compile(r'^data: \{"type":"token\.count".*$', re.M)
PROMPT = re.compile(r'"(used|prompt|schema)":\d+')


def plain(text):
    """Numbers IDs in order of appearance and masks values that differ between runs."""
    ids = {}
    text = UUID.sub(lambda m: ids.setdefault(m.group(0), f"id{len(ids) + 1}"), text)
    text = COUNTED.sub(lambda m: PROMPT.sub(r'"\1":0', m.group(0)), text)
    return SPAN.sub(r'"\1":N', TIME.sub("TIME", text))


def record(replay, turn):
    with tempfile.NamedTemporaryFile("r", encoding="utf-8", errors="surrogateescape") as out:
        run = subprocess.run([replay, turn], env={**os.environ, "VESPER_RECORD": out.name},
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if run.returncode:
            sys.exit(f"{turn.name}: {run.stderr[-2000:]}")
        text = plain(out.read())
        return text if turn.stem in TRANSCRIBED else TRANSCRIPT.sub("", text)


def main():
    replay, write = sys.argv[1], "--write" in sys.argv
    differing = 0
    GOLDEN.mkdir(exist_ok=True)
    turns = sorted(HERE.glob("*.turn"))
    for turn in turns:
        path = GOLDEN / f"{turn.stem}.txt"
        have = record(replay, turn)
        if write:
            path.write_text(have, encoding="utf-8", errors="surrogateescape")
            continue
        want = path.read_text(encoding="utf-8", errors="surrogateescape") if path.exists() else ""
        if have != want:
            differing += 1
            lines = difflib.unified_diff(want.splitlines(), have.splitlines(), str(path.name), "now", n=0, lineterm="")
            for line, _ in zip(lines, range(12)):
                print(line[:600])
    left = {path.stem for path in GOLDEN.glob("*.txt")} - {turn.stem for turn in turns}
    for stem in sorted(left):
        print(f"golden/{stem}.txt: no such turn")
    print(f"golden: {len(turns)} turns, {differing} differ")
    return 1 if differing or left else 0


sys.exit(main())
