#!/usr/bin/env python3
"""Fails on words of a pack in C or in the prompts that all packs share. Terms of a company's data belong in the files
of its pack only.

Also fails on words of a natural language in the folders that parse questions: they belong in config/language.

Packs are those of config and of tests/packs. Their words are all values, aliases, synonyms, nouns, states, aspects and
names of units. None may occur in a string or an identifier of a C file, except in src/domain (derivations of packs), in
the demo generator and in tests. vocabulary.txt lists the words that have another meaning in C, and the files that still
contain such words, each with its reason."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LISTS = Path(__file__).with_suffix(".txt")
EXEMPT = ("src/domain/", "src/ctl/demo")
READERS = ("src/text/", "src/nlu/", "src/names/")


def pack_files(name):
    """Paths of this file in the shipped packs and in those of tests/packs."""
    return sorted(path for folder in ("config", "tests/packs/config") for path in ROOT.glob(f"{folder}/*/{name}"))


def pack_words():
    words = set()
    for path in pack_files("words.json"):
        pack = json.loads(path.read_text())
        for group in [*pack.get("synonyms", []), pack.get("nouns", []), pack.get("states", []), pack.get("aspects", [])]:
            words.update(group)
    for path in pack_files("catalogue.json"):
        for dimension in json.loads(path.read_text()).get("dimensions", []):
            values = dimension.get("values", [])
            words.update(v for some in values.values() for v in some) if isinstance(values, dict) else words.update(values)
            words.add(dimension["name"])
    for path in pack_files("entities.json"):
        for aliases in json.loads(path.read_text()).values():
            words.update(alias["text"] for alias in aliases)
    for path in [ROOT / "config/units.json", *pack_files("catalogue.json")]:
        for unit in json.loads(path.read_text()).get("units", []) if path.exists() else []:
            words.update(w for w in [unit["symbol"], *unit.get("spellings", [])] if re.search("[a-z]", w))
    return {plain(w) for w in words if len(plain(w)) > 2 and not plain(w).isdigit()}


def glossary_terms():
    return {plain(entry["term"]) for path in pack_files("words.json")
            for entry in json.loads(path.read_text()).get("glossary", [])}


def language_words():
    """Words of the lists, without the names that the program itself uses in its files."""
    words = set()

    def collect(value):
        if isinstance(value, dict):
            for name, below in value.items():
                if name not in ("pattern", "answer", "sentences", "endings"):
                    collect(below)
        elif isinstance(value, list):
            for below in value:
                collect(below)
        elif isinstance(value, str):
            words.update(plain(value).split())

    for path in ROOT.glob("config/language/*.json"):
        collect(json.loads(path.read_text()))
    return {w for w in words if len(w) > 1}


def prompt_lines(text):
    """Lines of a prompt; names in camel case are split into words."""
    for number, line in enumerate(text.split("\n"), 1):
        yield number, plain(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", line))


def plain(text):
    """Lower case, words separated by one blank."""
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def read_lists():
    allowed, exceptions = set(), {}
    for number, line in enumerate(LISTS.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if ": " in line:
            name, rest = line.split(": ", 1)
            if " | " not in rest:
                sys.exit(f"{LISTS.name}:{number}: expected FILE: words | reason")
            exceptions[name] = {w if w == "*" else plain(w) for w in rest.split(" | ")[0].split(", ")}
        else:
            allowed.update(plain(w) for w in line.split(", "))
    return allowed, exceptions


def tokens_of(text):
    """Strings and identifiers of C, without comments and includes, as lines of plain words."""
    text = re.sub(r"/\*.*?\*/|^\s*#\s*include[^\n]*$", lambda m: "\n" * m.group().count("\n"), text, flags=re.S | re.M)
    for number, line in enumerate(text.split("\n"), 1):
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
        names = re.findall(r"[A-Za-z_]\w*", re.sub(r'"(?:[^"\\]|\\.)*"', " ", line))
        for some in [*strings, *names]:
            yield number, plain(re.sub(r"\\[a-z]", " ", some).replace("_", " "))


def words_in(text, single_words, phrases):
    """The words that occur in a plain text; single words also match in the plural."""
    hits = {w for w in text.split() if w in single_words or (w.endswith("s") and w[:-1] in single_words)}
    return hits | {r for r in phrases if f" {r} " in f" {text} "}


def strings_of(text):
    text = re.sub(r"/\*.*?\*/|^\s*#[^\n]*$", lambda m: "\n" * m.group().count("\n"), text, flags=re.S | re.M)
    for number, line in enumerate(text.split("\n"), 1):
        for some in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
            yield number, some


def main():
    words, language, (allowed, exceptions) = pack_words(), language_words(), read_lists()
    single_words = {w for w in words if " " not in w} - allowed
    phrases = [w for w in words if " " in w and w not in allowed]
    terms = glossary_terms() - allowed
    problems, matched = [], {name: set() for name in exceptions}
    for path in sorted([*ROOT.glob("src/**/*.[ch]"), *ROOT.glob("include/**/*.h")]):
        name = str(path.relative_to(ROOT))
        if name.startswith(EXEMPT) or "node_modules" in name:
            continue
        code = path.read_text()
        if name.startswith(READERS):
            for number, text in strings_of(code):
                if text in language and not ({text, "*"} & exceptions.get(name, set())):
                    problems.append(f"{name}:{number}: \"{text}\" is a word of the language")
                elif text in language:
                    matched[name].update({text, "*"} & exceptions[name])
        for number, text in tokens_of(code):
            for hit in sorted(words_in(text, single_words, phrases)):
                one = hit if hit in words else hit[:-1]
                if {one, "*"} & exceptions.get(name, set()):
                    matched[name].update({one, "*"} & exceptions[name])
                    continue
                problems.append(f"{name}:{number}: \"{hit}\" is a word of a pack")
    for path in sorted(ROOT.glob("prompts/*.md")):
        for number, text in prompt_lines(path.read_text()):
            for hit in sorted(words_in(text, single_words, phrases) | words_in(text, terms, terms)):
                problems.append(f"{path.relative_to(ROOT)}:{number}: \"{hit}\" is a word of a pack: config/<pack>/words.json has rules")
    for name, listed in exceptions.items():
        for word in sorted(listed - matched[name]):
            problems.append(f"{LISTS.name}: {name}: \"{word}\" no longer occurs")
    for word in sorted(allowed - words):
        problems.append(f"{LISTS.name}: \"{word}\" is not a word of a pack")
    print("\n".join(problems) if problems else f"{len(words)} words of packs and {len(language)} of the language: none in C and shared prompts "
          f"except in {len(exceptions)} files of {LISTS.name}")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
