#!/usr/bin/env python3
"""patterns.py - the precision of the pattern analyses: tries all they predict in programs without a defect.

    test/run/patterns.py --pf build/stage/bin/pf [--schedules rr,random:1] [--limit 20s] [FILE...]

Builds every race-free test program (*_ok of test/program; the twins of bench/subject; the programs of test/known
whose first line says "Race-free"; or the given files) at -O0 and -O2, records it under each schedule, and runs pf
hatch on the recording. Each finding that counts is false. Prints a line for each program that has a finding or that
could not be tried, then the totals by kind: predicted, happened, suspicious, counted. Exit status 1 if one counts.
"""

import argparse
import collections
import json
import os
import sys
import tempfile
from pathlib import Path

import program as harness
from expectation import Expectation

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("race", "atomicity", "atomic-set", "deadlock")


def race_free_programs():
    """-> all programs without a defect"""
    tests = sorted(p for p in (ROOT / "test/program").rglob("*_ok.c*") if p.parent.name != "part")
    twins = sorted((ROOT / "bench/subject").glob("*.c"))
    known = sorted(p for p in (ROOT / "test/known").glob("*.c") if p.read_text().startswith("/* Race-free"))
    return tests + twins + known


class Plain:
    """The expectation of a program without one in its comments: no arguments, no input, status 0."""

    def environment(self):
        return {}

    def args(self):
        return []

    def stdin(self):
        return ""

    def own_status(self):
        return 0

    def no_direct(self):
        return False


def build(tool, test, path, level, work):
    if not isinstance(test, Plain):
        return harness.build(tool, test, level, work, "-g")
    program = work / path.stem
    harness.command([tool.pf, "cc", f"-{level}", "-g", "-DTWIN", path, "-o", program, "-pthread"], check=True)
    return program


def record_and_hatch(pf, test, program, schedule, limit, work):
    """-> (predicted candidates by kind, findings), or None if the program cannot be recorded"""
    env = os.environ | test.environment() | {"PF_OPTIONS": "quiet=1:exitcode=0"}
    clip, out = work / "a.clip", work / "a.json"
    words = [pf, "record", "-o", clip, f"--schedule={schedule}", "--", program, *test.args()]
    if harness.command(words, cwd=work, input=test.stdin(), env=env).returncode not in (test.own_status(), 66):
        return None
    harness.command([pf, "predict", f"--limit={limit}", "--analysis=pecan,deadlock", "--json", out, clip], cwd=work, env=env)
    if not out.exists():
        return None
    document = json.loads(out.read_text())
    predicted = collections.Counter(f["kind"] for f in document["findings"] + document.get("candidates", []))
    harness.command([pf, "hatch", f"--limit={limit}", "--json", out, clip], cwd=work, env=env)
    return predicted, json.loads(out.read_text())["findings"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pf", type=Path, required=True)
    parser.add_argument("--schedules", default="rr,random:1")
    parser.add_argument("--levels", default="O0,O2")
    parser.add_argument("--limit", default="20s")
    parser.add_argument("files", type=Path, nargs="*")
    args = parser.parse_args()
    tool = harness.Photofinish(args.pf.resolve())
    total = {what: collections.Counter() for what in ("predicted", "happened", "suspicious", "counted")}
    programs = runs = untried = 0
    for path in map(Path.resolve, args.files or race_free_programs()):
        test = Expectation(path) if (ROOT / "test/program") in path.parents else Plain()
        if test.no_direct():
            continue
        programs += 1
        for level in args.levels.split(","):
            with tempfile.TemporaryDirectory() as folder:
                work = Path(folder)
                program = build(tool, test, path, level, work)
                for schedule in args.schedules.split(","):
                    result = record_and_hatch(tool.pf, test, program, schedule, args.limit, work)
                    runs += 1
                    if result is None:
                        untried += 1
                        print(f"{path.name} -{level} {schedule}: could not be tried", flush=True)
                        continue
                    total["predicted"] += result[0]
                    for f in result[1]:
                        counts = f.get("counts", True)
                        total["happened"][f["kind"]] += 1
                        total["counted" if counts else "suspicious"][f["kind"]] += 1
                        where = " ".join(f'{a["op"]}@{a["line"]}' for a in f["accesses"])
                        why = f.get("harm", "counts") if counts else f["suspicious"]
                        print(f'{path.name} -{level} {schedule}: {f["kind"]}: {where}: {why}', flush=True)
    print(f"\n{programs} programs, {runs} recordings, {untried} of these not tried\n")
    print("| kind | predicted | happened | suspicious | counted |\n|---|--:|--:|--:|--:|")
    for kind in KINDS:
        print(f"| {kind} | " + " | ".join(str(c[kind]) for c in total.values()) + " |")
    return bool(sum(total["counted"].values()))


if __name__ == "__main__":
    sys.exit(main())
