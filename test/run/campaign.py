#!/usr/bin/env python3
"""campaign.py - pf check over whole collections of programs: every finding must be true, every command must work.

    test/run/campaign.py --pf build/stage/bin/pf --work DIR [--levels O0,O1,O2] [--runs 6] [FILE...]

Without files: every test program that can be recorded. Each is built at each level and checked.
  - A race-free program (`want: none`) must have no finding that counts, unless one of its cases wants findings of another kind.
  - A racy program is built without the order that no detector sees (ORDER_FREE), and checked. Program and state folder
    are copied to another folder, the first ones are removed, and each command that the report printed for a
    finding is executed there. It must say that it showed the finding.
Prints a line for each program that is not as expected, then one summary line. Exit status: 0, or 1 if there was one.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import program as harness
from expectation import Expectation

AGAIN = re.compile(r"See it again, every time: (pf replay .*)")


def named_pipes(folder, names):
    """Those that a schedule which was cut short has left behind; they cannot be copied."""
    return [name for name in names if (Path(folder) / name).is_fifo()]


class Campaign:
    def __init__(self, pf, work, runs):
        self.tool, self.work, self.runs = harness.Photofinish(pf), work, runs
        self.checks = self.findings = self.suspicious = self.commands = self.incomplete = 0
        self.wrong, self.skipped = [], []

    def check(self, test, level, folder):
        """Checks one build: -> (the findings document, the report)"""
        flags = ["-g"] + (["-DORDER_FREE"] if test.races and test.has_hidden_order() else [])
        program = harness.build(self.tool, test, level, folder, *flags)
        env = os.environ | test.environment() | {"PF_OPTIONS": "quiet=1"}
        words = [self.tool.pf, "check", "--runs", str(self.runs), "--quiet", "--json", "found.json", "--",
                 f"./{program.name}", *test.args()]
        said = harness.command(words, limit=600, cwd=folder, input=test.stdin() or "", env=env)
        if said.returncode not in (0, harness.FOUND):
            raise harness.Failure(f"pf check: exit status {said.returncode}\n{said.stderr}")
        self.checks += 1
        return json.loads((folder / "found.json").read_text()), said.stdout

    def race_free(self, document):
        self.incomplete += not document["complete"]
        counted = [f for f in document["findings"] if f.get("counts", True)]
        self.suspicious += len(document["findings"]) - len(counted)
        for f in counted:
            where = " ".join(f'{a["op"]}@{a.get("line")}' for a in f["accesses"])
            yield f'{f["kind"]} {f["status"]}: {where}: {f.get("harm") or "no harm"}'

    def racy(self, document, report, folder, copy):
        self.findings += len(document["findings"])
        confirmed = sum(f["status"] == "confirmed" and f.get("counts", True) for f in document["findings"])
        commands = list(dict.fromkeys(AGAIN.findall(report)))
        if confirmed and not commands:
            yield f"{confirmed} confirmed findings, and no command"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy, symlinks=True, ignore=named_pipes)
        shutil.rmtree(folder)
        for line in commands:
            words = [self.tool.pf, *shlex.split(line)[1:]]
            said = harness.command(words, cwd=copy, input="")
            self.commands += 1
            if "pf replay: shown: " not in said.stderr:
                yield f"{line}: exit status {said.returncode}: {said.stderr.strip()[-300:]}"

    def program(self, path, level):
        test = Expectation(path.resolve())
        name = f"{path.relative_to(harness.ROOT) if path.is_relative_to(harness.ROOT) else path} -{level}"
        if not test.wants() or test.no_direct() or (test.races and test.no_witness()):
            self.skipped.append(name)
            return
        folder, copy = self.work / "here", self.work / "a copy" / "elsewhere"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            document, report = self.check(test, level, folder)
            is_wrong = test.races or any(case.status() == harness.FOUND for case in test.cases)
            wrong = list(self.racy(document, report, folder, copy) if is_wrong else self.race_free(document))
        except harness.Failure as e:
            wrong = [str(e)]
        for line in wrong:
            print(f"{name}: {line}", flush=True)
        if wrong:
            self.wrong.append(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pf", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--levels", default="O0,O1,O2")
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("files", type=Path, nargs="*")
    args = parser.parse_args()
    campaign = Campaign(args.pf.resolve(), args.work.resolve(), args.runs)
    for path in args.files or sorted(p for p in (harness.ROOT / "test/program").rglob("*_*.c*") if p.parent.name != "part"):
        for level in args.levels.split(","):
            campaign.program(path, level)
    c = campaign
    print(f"campaign: {c.checks} checks, {c.findings} findings of racy programs, {c.commands} commands executed "
          f"elsewhere, {c.suspicious} suspicious findings and {c.incomplete} incomplete checks of "
          f"race-free programs; {len(c.skipped)} skipped; "
          f"{len(c.wrong)} wrong")
    for name in c.skipped:
        print(f"skipped: {name}")
    sys.exit(1 if c.wrong else 0)


main()
