#!/usr/bin/env python3
"""Checks that what the documents name exists: files, links, headings, verbs of ./run and vesperctl, settings, routes.
Checks that the README stays short."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README_LINES_MAX = 200
FOLDERS = "src|include|tests|config|prompts|sql|docs|docker"
problems = []


def documents():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def anchor(heading):
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def anchors(text):
    return {anchor(h) for h in re.findall(r"^#+ (.+)$", text, re.M)}


def check_links(path, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:|mailto:", target):
            continue
        name, _, part = target.partition("#")
        file = path.parent / name if name else path
        if not file.exists():
            problems.append(f"{path.name}: link to {target}, which does not exist")
        elif part and part not in anchors(file.read_text()):
            problems.append(f"{path.name}: {file.name} has no heading for #{part}")


def check_files(path, text):
    """File names with a folder; examples are in fences or contain <, {, … or a home folder."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for name in re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", prose):
        if not (ROOT / name).exists() and not list(ROOT.glob(f"{name}*")) and name not in EXAMPLES:
            problems.append(f"{path.name}: {name} does not exist")


# Files that the reader creates while following the text.
EXAMPLES = {"sql/energy/places/get_project_places.sql", "prompts/energy/places.md", "sql/resort/tables.json", "sql/resort/rides/get_rides_by_lift.sql",
            "sql/resort/fragments.sql", "prompts/resort/rides.md", "config/resort/catalogue.json", "config/resort/entities.json",
            "config/resort/words.json", "config/resort/permissions.json", "config/shop/catalogue.json", "config/shop/review.json",
            "config/shop/golden.jsonl", "prompts/shop/shop.md", "config/shop/permissions.json", "sql/schema/<dialect>/sources/S/001_tables.sql"}


def check_commands(path, text, run_verbs, ctl_verbs):
    for verb in re.findall(r"\./run (\w[\w-]*)", text):
        if verb not in run_verbs:
            problems.append(f"{path.name}: ./run has no verb {verb}")
    for verb in re.findall(r"vesperctl (\w[\w-]*)", text):
        if verb not in ctl_verbs:
            problems.append(f"{path.name}: vesperctl has no verb {verb}")


def check_settings(path, text, keys, source):
    groups = {k.split(".")[0] for k in keys if "." in k}
    for name in re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", text):
        parts = name.split(".")
        whole = any(k == name or k.startswith(name + ".") for k in keys)
        if parts[0] in groups and not whole and f'"{name}"' not in source and not re.search(r"\.(md|c|h|json|sql|txt|mjs|db|py|sh|jsonl|io|com)$", name):
            problems.append(f"{path.name}: unknown setting {name}")


def check_routes(path, text, routes):
    for route in re.findall(r"`(?:(?:GET|POST|PUT|PATCH|DELETE) )(/[\w./{}-]+)", text):
        shape = re.sub(r"\{\w*\}", "{}", route)
        if shape not in routes:
            problems.append(f"{path.name}: unknown address {route}")


def main():
    run = (ROOT / "run").read_text()
    ctl = (ROOT / "src/ctl/vesperctl.c").read_text()
    run_verbs = set(re.findall(r"^#\s+\./run (\w[\w-]*)", run, re.M))
    ctl_verbs = set(re.findall(r'^\t\{"(\w[\w-]*)", \w+,', ctl, re.M))
    keys = set(re.findall(r'^(?:TEXT|SECRET|INT|BOOL|OTHER)\s*\("([\w.]+)"', (ROOT / "src/config/config_keys.c").read_text(), re.M))
    table = (ROOT / "src/transport/rest/http_route.c").read_text()
    source = "".join(p.read_text() for p in (ROOT / "src").rglob("*.c"))  # log events are named like settings
    routes = {re.sub(r"^\s*API ", "/api/v1", r).replace('"', "").replace("/api/v1 ", "/api/v1")
              for r in re.findall(r'\{"[A-Z]+", ((?:API )?"[^"]*")', table)} | {"/ws/v1/chat", "/ws/echo"}
    for path in documents():
        text = path.read_text()
        check_links(path, text)
        check_files(path, text)
        check_commands(path, text, run_verbs, ctl_verbs)
        check_settings(path, text, keys, source)
        check_routes(path, text, routes)
    lines = (ROOT / "README.md").read_text().count("\n")
    if lines > README_LINES_MAX:
        problems.append(f"README.md: {lines} lines, more than {README_LINES_MAX}: move details to docs/")
    for problem in problems:
        print(problem)
    print(f"documents: {len(documents())} files, {len(problems)} problems")
    return bool(problems)


sys.exit(main())
