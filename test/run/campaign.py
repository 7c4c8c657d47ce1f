#!/usr/bin/env python3
"""campaign.py - pf check over whole collections of programs: every finding must be true, every command must work.

    test/run/campaign.py --pf build/stage/bin/pf --work DIR [--levels O0,O1,O2] [--runs 6] [--time 60s] [--log FILE] [--slice K/N] [FILE...]

Without files: every test program that can be recorded. Each is built at each level and checked.
  - A race-free program (`want: none`) must have no finding, unless one of its cases wants findings of another kind. A
    finding that does not count must be of a kind that the program announces (`// suspicious: KIND`).
  - A racy program is built without the order that no detector sees (ORDER_FREE), and checked. Program and state
    folder are copied to another folder, the first ones are removed, and each command that the report printed for a
    finding is executed there. It must say that it showed the finding. Every finding that counts must have a command,
    unless the program says that no directed run can show it (`// clip: reason`).
A build that is byte for byte that of an earlier level is not checked again: the result of that level counts for both.
Prints a line for each program that is not as expected, then the findings that have no command and the suspicious ones
by reason, and one summary line. Exit status: 0, or 1 if a program was not as expected.

--log appends one line of JSON for each build that was examined, with the seconds of CPU that it took. A program that
the log has for the same name, level, budget (--runs, --time), and hash of its text and of pf is not examined again;
its line counts in the summary. So a campaign can be stopped and continued, and several slices (--slice 0/4 ... 3/4:
every fourth program) can have one log.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import sys
from collections import Counter
from pathlib import Path

import program as harness
from expectation import Expectation

AGAIN = re.compile(r"See it again, every time: (pf replay .*)")
ENDED = re.compile(r"the program ended with status \d+\s*")  # and no finding


def reason_of(f):
    """Why the report has no command for this finding, or why it does not count; numbers are left out."""
    if not f.get("counts", True):
        return "suspicious: " + re.sub(r"\d+", "N", f.get("suspicious", "no reason"))
    if f["clip"]:
        return "has a clip, but no printed command"
    if f.get("unconfirmed"):
        return re.sub(r"\S*/\S*", "PATH", f["unconfirmed"])
    return "schedules aimed at it did not show it" if f.get("tries") else "no explored schedule showed it"


def kept(f):
    """What the log keeps of a finding without a command, or of a suspicious one."""
    where = [f'{a["op"]} {a["file"]}:{a["line"]}' for a in f["accesses"]]
    return {"kind": f["kind"], "id": f["id"], "status": f["status"], "where": where, "reason": reason_of(f)}


def named_pipes(folder, names):
    """Those that a schedule which was cut short has left behind; they cannot be copied."""
    return [name for name in names if (Path(folder) / name).is_fifo()]


def hash_of(paths):
    result = hashlib.sha256()
    for path in paths:
        result.update(path.read_bytes())
    return result.hexdigest()[:16]


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Log:
    """What was examined before, by (name, level, hash, budget): {"wrong": [line...], COUNT: n...}."""

    PARTS = ("program", "level", "hash", "budget")

    def __init__(self, path, pf, budget):
        self.path, self.budget, self.done, self.same = path, " ".join(budget), {}, {}
        installed = pf.parent.parent / "lib/photofinish"
        self.build = hash_of([pf, *(installed / f for f in ("libpf_rt.a", "libpf_rt.so", "libpf_plugin.so", "pf-z3"))])
        if path and path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.remember(tuple(map(entry.get, self.PARTS)), entry)

    def remember(self, key, entry):
        """`same` finds the entry of an equal build of any level, by (name, hash, budget, hash of the built files)."""
        self.done[key] = entry
        if entry.get("built"):
            self.same.setdefault((key[0], *key[2:], entry["built"]), entry)

    def key(self, name, path, level):
        return name, level, f"{self.build}.{hash_of([path])}", self.budget

    def add(self, key, entry):
        self.remember(key, entry)
        if self.path:
            with self.path.open("a") as f:
                f.write(json.dumps(dict(zip(self.PARTS, key)) | entry) + "\n")


class Campaign:
    COUNTS = ("checks", "findings", "suspicious", "commands", "uncounted", "no_clip", "incomplete", "skipped", "equal")

    def __init__(self, pf, work, budget, log):
        self.tool, self.work, self.budget, self.log = harness.Photofinish(pf), work, budget, log
        self.total = dict.fromkeys(self.COUNTS, 0)
        self.wrong, self.skipped, self.reasons = [], [], Counter()

    def build(self, test, level, folder):
        flags = ["-g"] + (["-DORDER_FREE"] if test.races and test.has_hidden_order() else [])
        return harness.build(self.tool, test, level, folder, *flags)

    def check(self, test, program, folder):
        """Checks one build: -> (the findings document, the report)"""
        env = os.environ | test.environment() | {"PF_OPTIONS": "quiet=1"}
        words = [self.tool.pf, "check", *self.budget, "--json", "found.json", "--",
                 f"./{program.name}", *test.args()]
        said = harness.command(words, limit=600, cwd=folder, input=test.stdin() or "", env=env)
        if said.returncode not in (0, harness.FOUND):
            raise harness.Failure(f"pf check: exit status {said.returncode}\n{said.stderr}")
        self.now["checks"] += 1
        return json.loads((folder / "found.json").read_text()), said.stdout

    def race_free(self, test, document):
        self.now["incomplete"] += not document["complete"]
        for f in document["findings"]:
            if f.get("counts", True) or f["kind"] not in test.suspicious():
                where = " ".join(f'{a["op"]}@{a.get("line")}' for a in f["accesses"])
                why = f.get("harm") or "no harm" if f.get("counts", True) else reason_of(f)
                yield f'{f["kind"]} {f["status"]}: {where}: {why}'
            if not f.get("counts", True):
                self.now["suspicious"] += 1
                self.kept.append(kept(f))

    def racy(self, test, document, report, folder, copy):
        self.now["findings"] += len(document["findings"])
        commands = list(dict.fromkeys(AGAIN.findall(report)))
        clips = {word for line in commands for word in shlex.split(line)}
        for f in document["findings"]:
            if f["clip"] in clips:
                continue
            self.kept.append(kept(f))
            if not f.get("counts", True):
                self.now["uncounted"] += 1
            elif test.no_clip():
                self.now["no_clip"] += 1
            else:
                yield f'{f["kind"]} {f["id"]} {f["status"]}: no command: {reason_of(f)}'
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy, symlinks=True, ignore=named_pipes)
        shutil.rmtree(folder)
        for line in commands:
            words = [self.tool.pf, *shlex.split(line)[1:]]
            said = harness.command(words, cwd=copy, input="")
            self.now["commands"] += 1
            shown = said.stderr.rpartition("pf replay: shown: ")
            if not shown[1] or ENDED.fullmatch(shown[2]) or ("--watch" in words and "memory error" not in shown[2]):
                yield f"{line}: exit status {said.returncode}: {said.stderr.strip()[-300:]}"

    def examine(self, path, level, key):
        """-> the entry of the log"""
        test = Expectation(path.resolve())
        if not test.wants() or test.no_direct() or (test.races and test.no_witness()):
            return self.now | {"wrong": [], "skipped": 1}
        folder, copy = self.work / "here", self.work / "a copy" / "elsewhere"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            program = self.build(test, level, folder)
            built = hash_of(sorted(f for f in folder.iterdir() if f.is_file()))
            same = self.log.same.get((key[0], *key[2:], built))
            if same:
                return same | {"equal": 1}
            document, report = self.check(test, program, folder)
            is_wrong = test.races or any(case.status() == harness.FOUND for case in test.cases)
            wrong = list(self.racy(test, document, report, folder, copy) if is_wrong else self.race_free(test, document))
            return self.now | {"wrong": wrong, "built": built, "kept": self.kept}
        except harness.Failure as e:
            return self.now | {"wrong": [str(e)]}

    def program(self, path, level):
        name = str(path.relative_to(harness.ROOT) if path.is_relative_to(harness.ROOT) else path)
        key = self.log.key(name, path, level)
        entry = self.log.done.get(key)
        if not entry:
            self.now, self.kept, cpu = dict.fromkeys(self.COUNTS, 0), [], cpu_of_children()
            entry = self.examine(path, level, key) | dict(zip(Log.PARTS, key))
            entry["cpu"] = round(cpu_of_children() - cpu, 2)
            self.log.add(key, entry)
        for line in entry["wrong"]:
            print(f"{name} -{level}: {line}", flush=True)
        if entry["wrong"]:
            self.wrong.append(name)
        if entry["skipped"]:
            self.skipped.append(f"{name} -{level}")
        for f in entry.get("kept", []):
            self.reasons[f'{f["kind"]} {f["status"]}: {f["reason"]}'] += 1
        for count in self.COUNTS:
            self.total[count] += entry.get(count, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pf", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--levels", default="O0,O1,O2")
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--time", default="60s")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--slice", default="0/1")
    parser.add_argument("files", type=Path, nargs="*")
    args = parser.parse_args()
    pf = args.pf.resolve()
    budget = ["--runs", str(args.runs), "--time", args.time]
    campaign = Campaign(pf, args.work.resolve(), budget, Log(args.log, pf, budget))
    first, step = map(int, args.slice.split("/"))
    programs = args.files or sorted(p for p in (harness.ROOT / "test/program").rglob("*_*.c*") if p.parent.name != "part")
    for level in args.levels.split(","):
        for path in programs[first::step]:
            campaign.program(path, level)
    n = campaign.total
    for reason, count in campaign.reasons.most_common():
        print(f"no command or suspicious: {count} x {reason}")
    print(f"campaign: {n['checks']} builds checked ({n['equal']} of them by the check of an equal build), {n['findings']} findings of racy programs, {n['commands']} commands executed "
          f"elsewhere, no command: {n['uncounted']} that do not count, {n['no_clip']} that no directed run can show; {n['suspicious']} suspicious findings and {n['incomplete']} incomplete checks of "
          f"race-free programs; {n['skipped']} skipped; {len(campaign.wrong)} wrong")
    for name in campaign.skipped:
        print(f"skipped: {name}")
    sys.exit(1 if campaign.wrong else 0)


main()
