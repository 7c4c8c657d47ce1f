"""kinds.py - every kind of finding has all that users of a kind expect: the test `kinds`.

Walks the table of kinds in src/report/finding.def. A kind of free runs (one with an option) must have a program in
test/drop_in, which run/drop_in.py runs, a row in docs/kinds.md, and an option that exists; if ThreadSanitizer has an
option of this name, with its default. Every kind must have a SARIF rule, a word in the JSON schema, and, unless it is
a failure, a type of suppressions.
"""

import json
import os
import re
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STRING = r'"([^"]*)"'
Kind = namedtuple("Kind", "name title suppression option")


def read_table(path, macro):
    """-> the arguments of each use of the macro in the table, as one text each"""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S)
    return [re.sub(r"\s+", " ", a) for a in re.findall(rf"^{macro}\((.*?)\)$", text, re.S | re.M)]


def read_kinds():
    words = dict(re.match(rf"(\w+), {STRING}", a).groups() for a in read_table("src/report/suppress.def", "PF_SUPPRESS"))
    kinds = []
    for a in read_table("src/report/finding.def", "PF_KIND"):
        m = re.fullmatch(rf"\w+, {STRING}, {STRING}, (\w+), {STRING}", a)
        kinds.append(Kind(m[1], m[2], words.get(m[3]), m[4]))
    return kinds


def read_options():
    """-> the defaults of our options"""
    return dict(re.match(r"\w+, (\w+), ([^,]+)", a).groups() for a in read_table("src/rt/options.def", "PF_OPTION"))


def threadsanitizer_options(work):
    """-> the defaults of ThreadSanitizer's options, as its help prints them"""
    (work / "empty.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["clang-19", "-fsanitize=thread", "empty.c", "-o", "empty"], cwd=work, check=True)
    r = subprocess.run(["setarch", "-R", "./empty"], cwd=work, env={**os.environ, "TSAN_OPTIONS": "help=1"}, capture_output=True, text=True)
    return dict(re.findall(r"^\t(\w+)\n\t\t- .*\(Current Value: (.*)\)$", r.stdout + r.stderr, re.M))


def sarif_rules(work):
    (work / "none").mkdir(exist_ok=True)
    r = subprocess.run([os.environ["PF"], "report", "--sarif", "none"], cwd=work, capture_output=True, text=True, check=True)
    return {rule["id"]: rule for rule in json.loads(r.stdout)["runs"][0]["tool"]["driver"]["rules"]}


def main():
    work = Path(os.environ["WORK"])
    work.mkdir(parents=True, exist_ok=True)
    rules, ours, theirs = sarif_rules(work), read_options(), threadsanitizer_options(work)
    schema = (ROOT / "docs/format/findings.schema.json").read_text()
    rows = [line for line in (ROOT / "docs/kinds.md").read_text().splitlines() if line.startswith("| `")]
    wanted = "\n".join(p.read_text() for p in (ROOT / "test/drop_in").glob("*.c*"))
    wrong = []
    if "detect_deadlocks" not in theirs:
        wrong.append("the help of ThreadSanitizer's options was not understood")
    for k in read_kinds():
        rule = rules.get(k.name, {})
        if not all([rule.get("name"), rule.get("shortDescription", {}).get("text"), rule.get("help", {}).get("text")]):
            wrong.append(f"{k.name}: no complete SARIF rule: {rule}")
        if f'"{k.name}"' not in schema:
            wrong.append(f"{k.name}: missing in docs/format/findings.schema.json")
        if not k.option:
            continue
        if not re.search(rf"^// want: {k.name}( suspicious)?$", wanted, re.M):
            wrong.append(f"{k.name}: no program in test/drop_in")
        row = [r for r in rows if f"`{k.name}`" in r.split("|")[1]]
        if len(row) != 1 or f"`{k.suppression}:`" not in row[0] or f"`{k.option}`" not in row[0]:
            wrong.append(f"{k.name}: docs/kinds.md needs one row with `{k.option}` and `{k.suppression}:`: {row}")
        if k.option not in ours:
            wrong.append(f"{k.name}: no option {k.option}")
        elif theirs.get(k.option, "false") != ("false" if ours[k.option] == "0" else "true"):
            wrong.append(f"{k.option} is {ours[k.option]}, ThreadSanitizer's {theirs.get(k.option, 'does not exist, so it must be 0')}")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
