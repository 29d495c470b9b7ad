#!/usr/bin/env python3
"""Fails if a folder writes a part of struct turn that another folder owns."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Part of struct turn: the folders or files that may write it.
WRITERS = {
    "core": {"src/turn"},
    "machine": {"src/turn"},
    "context": {"src/dialog"},
    "reading": {"src/planner"},
    "work": {"src/planner", "src/turn"},
    "dialog": {"src/dialog"},
    "answer": {"src/answer"},
    "end": {"src/turn/turn_end.c"},
}
FOLDERS = ["src/planner", "src/dialog", "src/answer", "src/turn"]

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.S)
PART = "|".join(WRITERS)
# t->answer.cut, turn->core.all->answers.llm[i], probe->turn->work->run
PLACE = rf"\b\w+(?:(?:->|\.)\w+)*?(?:->|\.)({PART})\b(?:(?:->|\.)\w+|\[[^][]*\])*"
RULES = [
    re.compile(PLACE + r"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)"),
    re.compile(PLACE + r"\s*(?:\+\+|--)"),
    re.compile(r"(?:\+\+|--)\s*" + PLACE),
    # writable pointers to a part
    re.compile(r"\bstruct turn_\w+ \*\w+ = &?" + PLACE + r"\s*[;,]"),
    # JSON modified in place
    re.compile(r"\bjson_(?:set\w*|push\w*|decref|object_(?:set|del|update|clear)\w*|array_(?:set|append|insert|remove|clear|extend)\w*)\(\s*" + PLACE),
]
CONST = re.compile(r"\bconst\s+$")

SAMPLES_BAD = [
    ("src/turn/x.c", "t->answer.cut = true;"),
    ("src/turn/x.c", "t->answer.usage[i].n += 1;"),
    ("src/turn/x.c", "json_push_take(t->dialog.suggestions, one);"),
    ("src/turn/x.c", "struct turn_reading *r = &t->reading;"),
    ("src/turn/x.c", "t->end.status = status;"),
    ("src/turn/x.c", "t->context.history_count--;"),
    ("src/answer/x.c", "t->work->plan = p;"),
    ("src/dialog/x.c", "++probe->turn->core->hops;"),
    ("src/planner/x.c", "t->context->standing\n\t\t= NULL;"),
]
SAMPLES_GOOD = [
    ("src/turn/x.c", "if (t->answer.cut == true) return;"),
    ("src/turn/x.c", "const struct turn_reply *reply = &t->dialog.reply;"),
    ("src/turn/x.c", "t->work.plan = p; t->machine.pending++;"),
    ("src/turn/turn_end.c", "t->end.status = status;"),
    ("src/answer/x.c", "t->answer->cut = t->dialog->reply.text != NULL;"),
    ("src/dialog/x.c", "/* t->answer->cut = true; */ x = t->work->plan;"),
]


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def wrong_writes(where, text):
    """(line, part) of each disallowed write in this file."""
    code = COMMENT.sub(blank, text)
    found = set()
    for rule in RULES:
        for hit in rule.finditer(code):
            part = hit.group(1)
            if CONST.search(code[:hit.start()]):
                continue
            if not any(where == w or where.startswith(w + "/") for w in WRITERS[part]):
                found.add((code.count("\n", 0, hit.start(1)) + 1, part))
    return sorted(found)


def check_itself():
    for where, line in SAMPLES_BAD:
        assert wrong_writes(where, line), f"not found in {where}: {line}"
    for where, line in SAMPLES_GOOD:
        assert not wrong_writes(where, line), f"found in {where}: {line}"


def main():
    problems = []
    check_itself()
    files = sorted(p for folder in FOLDERS for p in (ROOT / folder).glob("**/*.[ch]"))
    for path in files:
        where = str(path.relative_to(ROOT))
        problems += [f"{where}:{line}: writes `{part}`, which only {' and '.join(sorted(WRITERS[part]))} may write"
                     for line, part in wrong_writes(where, path.read_text())]
    print("\n".join(problems) or f"writers: {len(files)} files, each part of a turn has one writer")
    sys.exit(bool(problems))


main()
