#!/usr/bin/env python3
"""judge.py PROGRAM.c LEVEL - records a program of test/judge, judges its races, and compares the classes with the
comments at its top (test/judge/README.md)."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

CLASSES = ["spec-violated", "output-differs", "undecided", "k-witness-harmless", "single-ordering"]
LINE = re.compile(r"^// (\w+): (.*)$")


def read(source):
    """-> {directive: [values]}"""
    found = {}
    for line in source.read_text().splitlines():
        if not line.startswith("//"):
            break
        m = LINE.match(line)
        if m:
            found.setdefault(m[1], []).append(m[2].strip())
    return found


def variable(finding):
    return (finding["accesses"][0]["variable"] or "heap").split(":")[0].split("+")[0]


def compare(wanted, document):
    """-> a list of complaints"""
    bad = []
    for line in wanted["judge"]:
        name, want = line.split()
        classes = [f["judged"]["class"] for f in document["findings"] if variable(f) == name]
        worst = min(classes, key=CLASSES.index) if classes else "no race"
        if worst != want:
            bad.append(f"{name}: expected {want}, got {worst} ({len(classes)} races: {classes})")
    for line in wanted.get("reason", []):
        name, text = line.split(" ", 1)
        reasons = [f["judged"]["reason"] for f in document["findings"] if variable(f) == name]
        if not any(text in r for r in reasons):
            bad.append(f"{name}: no reason contains '{text}': {reasons}")
    for line in wanted.get("evidence", []):
        name, text = line.split(" ", 1)
        texts = [e["text"] or "" for f in document["findings"] if variable(f) == name for e in f["judged"]["evidence"]]
        if not any(text in t for t in texts):
            bad.append(f"{name}: no evidence contains '{text}': {texts}")
    return bad


def run(words, **more):
    return subprocess.run(words, text=True, capture_output=True, timeout=300, **more)


def main(path, level):
    source, pf = Path(path).resolve(), os.environ["PF"]
    work = Path(os.environ["WORK"])
    work.mkdir(parents=True, exist_ok=True)
    wanted = read(source)
    if "judge" not in wanted:
        sys.exit(f"{source.name}: no line '// judge: VARIABLE CLASS'")
    flags = " ".join(wanted.get("flags", [])).split()
    built = run([pf, "cc", "-g", f"-{level}", *flags, "-o", str(work / "program"), str(source)])
    if built.returncode:
        sys.exit(built.stderr)
    args = " ".join(wanted.get("args", [])).split()
    schedule = ["--schedule", wanted["schedule"][0]] if "schedule" in wanted else []
    clip, out = str(work / "program.clip"), work / "judged.json"
    lines = work / "input"
    lines.write_text("".join(line + "\n" for line in wanted.get("input", [])))
    with open(lines) as given:
        recorded = run([pf, "record", "-o", clip, *schedule, "--", str(work / "program"), *args], stdin=given)
    if not Path(clip).exists():
        sys.exit(recorded.stderr)
    options = shlex.split(" ".join(wanted.get("options", [])))
    for _ in range(int(os.environ.get("PF_TEST_RUNS", "1"))):
        judged = run([pf, "judge", *options, "--json", str(out), clip])
        if judged.returncode not in (0, 66):
            sys.exit(judged.stderr)
        bad = compare(wanted, json.loads(out.read_text()))
        if bad:
            sys.exit("\n".join([f"{source.name} at -{level}:", *bad, judged.stdout, judged.stderr]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
