"""drop_in.py - runs the programs of test/drop_in with pf and with ThreadSanitizer, and compares the reports.

Both must print the same titles ("data race", "thread leak"), each at least once, and no others. The expectation is in the
leading comments of a program: ../drop_in/README.md.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FOUND = 66
SECONDS = 60


def read_expectation(source):
    want = {"want": [], "options": [], "tsan": [], "text": [], "notext": [], "flags": []}
    for line in source.read_text().splitlines():
        m = re.match(r"// (want|options|tsan|text|notext|flags): (.*)", line)
        if m:
            want[m[1]].append(m[2].strip())
        elif not line.startswith("//"):
            break
    if not want["want"]:
        sys.exit(f"{source}: no line `// want: `")
    return want


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, stdin=subprocess.DEVNULL, **more)


def build(compiler, source, program, flags):
    r = run([*compiler, "-g", "-O1", "-I", str(source.resolve().parents[1] / "program"), *flags, "-o", str(program), str(source), "-pthread"])
    if r.returncode:
        sys.exit(f"{source} does not build:\n{r.stderr}")


def titles(text, tool):
    return set(re.findall(rf"^WARNING: {tool}: (.*) \(pid=\d+\)$", text, re.M))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("source", type=Path)
    a = p.parse_args()
    pf, work = os.environ["PF"], Path(os.environ["WORK"])
    work.mkdir(parents=True, exist_ok=True)
    want = read_expectation(a.source)
    cpp = a.source.suffix == ".cpp"
    wrong = []

    program, document, state = work / "program", work / "findings.json", work / "state"
    shutil.rmtree(state, ignore_errors=True)
    build([pf, "c++" if cpp else "cc"], a.source, program, want["flags"])
    environment = {**os.environ, "PF_OPTIONS": ":".join(["color=never", *want["options"]])}
    r = run([pf, "run", "--state", str(state), "--json", str(document), "--", str(program)], env=environment)
    findings = json.loads(document.read_text())["findings"]
    found = sorted({f["kind"] + ("" if f["counts"] else " suspicious") for f in findings})
    expected = sorted(set(want["want"]) - {"none"})
    if found != expected:
        wrong.append(f"findings {found}, expected {expected}")
    counted = any(f["counts"] for f in findings)
    if r.returncode != (FOUND if counted else 0):
        wrong.append(f"pf run exits with {r.returncode}")
    for text in want["text"]:
        if text not in r.stderr:
            wrong.append(f"the report does not contain: {text}")
    for text in want["notext"]:
        if text in r.stderr:
            wrong.append(f"the report contains: {text}")
    for form in ["--text", "--sarif", "--html"]:
        shown = run([pf, "report", form, "--state", str(state), "-o", str(work / "report")])
        if shown.returncode != (FOUND if counted else 0):
            wrong.append(f"pf report {form} exits with {shown.returncode}: {shown.stderr}")
    for f in findings:
        shown = run([pf, "explain", "--state", str(state), f["id"]])
        if shown.returncode:
            wrong.append(f"pf explain exits with {shown.returncode}: {shown.stderr}")
    mine = titles(r.stderr, "photofinish")
    if bool(mine) != bool(findings):
        wrong.append("the text and the JSON document do not agree")

    if not want["tsan"]:
        build(["clang++-19" if cpp else "clang-19", "-fsanitize=thread"], a.source, work / "tsan", want["flags"])
        environment = {**os.environ, "TSAN_OPTIONS": ":".join(["color=never", *want["options"]])}
        t = run(["setarch", "-R", str(work / "tsan")], env=environment)
        theirs = titles(t.stderr, "ThreadSanitizer")
        if mine != theirs:
            wrong.append(f"photofinish reports {sorted(mine)}, ThreadSanitizer {sorted(theirs)}\n{t.stderr}")
    if wrong:
        sys.exit("\n".join([str(a.source), *wrong, r.stderr]))


main()
