"""Executes statements on SQLite files: [[file, sql, [values]], ...] as JSON on stdin. A value {"hex": ""} is bytes,
{"text": ""} is text of those bytes even if they are invalid UTF-8, {"real": ""} is a number that JSON cannot express."""
import json
import sqlite3
import sys

files = {}


def value(v):
    if not isinstance(v, dict):
        return v
    return float(v["real"]) if "real" in v else bytes.fromhex(v.get("hex", v.get("text")))


def placeholder(v):
    return "CAST(? AS TEXT)" if isinstance(v, dict) and "text" in v else "?"


def with_placeholders(sql, values):
    parts = sql.split("?")
    return parts[0] + "".join(placeholder(v) + rest for v, rest in zip(values, parts[1:]))


for name, sql, values in json.load(sys.stdin):
    if name not in files:
        files[name] = sqlite3.connect(name)
        files[name].text_factory = bytes
        files[name].execute("PRAGMA ignore_check_constraints = 1")
    files[name].execute(with_placeholders(sql, values), [value(v) for v in values])
for db in files.values():
    db.commit()
    db.close()
