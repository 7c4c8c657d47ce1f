"""drop_in.py - runs the programs of test/drop_in with pf and with ThreadSanitizer, and compares the reports.

Both must print the same titles ("data race", "thread leak"), each at least once, and no others. The expectation is in
the
leading comments of a program: ../drop_in/README.md. Each kind of finding must also appear in SARIF and HTML, and disappear with a
suppression of its type and with its option at 0. The table of kinds (src/report/finding.def) names the type and the
option.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from kinds import read_kinds

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


def check_forms(kind, findings, work):
    """-> what is wrong with the SARIF and the HTML report of the findings of this kind"""
    wrong = []
    (sarif,) = json.loads((work / "report--sarif").read_text())["runs"]
    rules = sarif["tool"]["driver"]["rules"]
    for f in (f for f in findings if f["kind"] == kind.name):
        shown = [r for r in sarif["results"] if f["id"] in r["partialFingerprints"].values()]
        if [rules[r["ruleIndex"]]["id"] for r in shown] != [kind.name] or (shown[0]["level"] == "note") == f["counts"]:
            wrong.append(f"SARIF has {shown} for {f['id']}, a {kind.name}")
        if f["id"] not in (work / "report--html").read_text():
            wrong.append(f"the HTML page lacks {f['id']}, a {kind.name}")
    return wrong


def check_hidden(kind, run_pf, options, work):
    """-> what is wrong if the kind is suppressed, and if its option is 0"""
    wrong = []
    (work / "suppressions").write_text(f"{kind.suppression}:*\n")
    for hidden in [f"suppressions={work / 'suppressions'}", f"{kind.option}=0"]:
        _, findings = run_pf([*options, hidden])
        if any(f["kind"] == kind.name for f in findings):
            wrong.append(f"{hidden} does not hide the {kind.name}")
    return wrong


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

    def run_pf(options, *more):
        environment = {**os.environ, "PF_OPTIONS": ":".join(["color=never", *options])}
        r = run([pf, "run", *more, "--json", str(document), "--", str(program)], env=environment)
        return r, json.loads(document.read_text())["findings"]

    r, findings = run_pf(want["options"], "--state", str(state))
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
        shown = run([pf, "report", form, "--state", str(state), "-o", str(work / f"report{form}")])
        if shown.returncode != (FOUND if counted else 0):
            wrong.append(f"pf report {form} exits with {shown.returncode}: {shown.stderr}")
    for kind in (k for k in read_kinds() if any(f["kind"] == k.name for f in findings)):
        wrong += check_forms(kind, findings, work)
        if "halt_on_error=1" not in want["options"]:  # else the program would go on to wait for itself
            wrong += check_hidden(kind, run_pf, want["options"], work)
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
