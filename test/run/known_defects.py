#!/usr/bin/env python3
"""known_defects.py - small programs on which pf was wrong once (test/known, test/program/region):
pf must now be right, every time.

    test/run/known_defects.py --pf build/stage/bin/pf --work DIR [--levels O0,O2] [--checks 20] [--runs 6] [--log FILE] [NAME...]

Each program is built at each level and examined `checks` times, in the way that the table below says. Prints a line
for each result that is not as wanted, then one summary line. Exit status: 0, or 1 if there was one.

--log appends one line of JSON for each program and level. What the log has for the same pf, program and numbers is
not examined again, so that the loop can be stopped and continued.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOUND = 66


class Wrong(Exception):
    pass


class Case:
    """One program, built at one level, in its own folder."""

    def __init__(self, pf, folder, runs):
        self.pf, self.folder, self.runs = pf, folder, runs

    def run(self, *words, wanted=None):
        done = subprocess.run([self.pf, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=300)
        if wanted is not None and done.returncode not in wanted:
            raise Wrong(f"pf {words[0]}: exit status {done.returncode}, expected {wanted}: {done.stderr.strip()[-300:]}")
        return done

    def check(self, runs=None):
        """The findings of pf check that count."""
        shutil.rmtree(self.folder / "state", ignore_errors=True)
        self.run("check", "--quiet", "--runs", str(runs or self.runs), "--state", "state", "--json", "found.json", "--", "./program",
                 wanted=(0, FOUND))
        return [f for f in json.loads((self.folder / "found.json").read_text())["findings"] if f.get("counts", True)]


def nothing_found(case):
    found = case.check()
    if found:
        raise Wrong("; ".join(f'{f["kind"]}, {f["status"]}, {f.get("harm")}' for f in found))


def nothing_found_freely(case):
    case.run("run", "--quiet", "--", "./program", wanted=(0,))
    nothing_found(case)


def found_confirmed(kind):
    def examine(case):
        found = case.check(runs=min(case.runs, 2))  # fewer rounds than the others: to find it there is harder
        if not any(f["kind"] == kind and f["status"] == "confirmed" and f.get("clip") for f in found):
            raise Wrong(f"no confirmed {kind}: {[(f['kind'], f['status']) for f in found]}")
    return examine


def only_races(case):
    for f in case.check():
        if f["kind"] != "race" or f.get("harm"):
            raise Wrong(f'{f["kind"]}, {f["status"]}: {f.get("harm")}')


def harm_is_failure(case):
    for f in case.check():
        if f["status"] != "confirmed" or "status 0" in f.get("harm", ""):
            raise Wrong(f'{f["kind"]}, {f["status"]}: {f.get("harm")}')


def crash_replays(case):
    case.run("record", "-o", "clip", "--", "./program", wanted=(139,))
    case.run("replay", "clip", wanted=(139,))


def is_predicted(case):
    case.run("record", "-o", "clip", "--", "./program")
    said = case.run("predict", "clip", wanted=(0, FOUND)).stderr
    if "inconsistent" in said:
        raise Wrong(said.strip()[-300:])


def never_crashes(case):
    for _ in range(100):
        case.run("run", "--quiet", "--sample", "atexrace", "--state", "state", "--", "./program", wanted=(0,))


EXAMINE = {  # programs of test/known, or of another folder below test
    "program/region/assertion_ok": nothing_found,
    "program/region/cas_retry_ok": nothing_found,
    "program/region/counter_twice_ok": nothing_found,
    "program/region/monitor_wait_ok": nothing_found,
    "program/region/outer_section_ok": nothing_found,
    "program/region/reread_other_lock_ok": nothing_found,
    "program/region/seqlock_ok": nothing_found,
    "crash_in_lock": crash_replays,
    "exit_while_threads_end": never_crashes,
    "freed_under_lock": found_confirmed("use-after-free"),
    "handler_in_ignored_region": nothing_found_freely,
    "init_again": is_predicted,
    "last_thread": found_confirmed("assertion"),
    "longjmp_from_fault": is_predicted,
    "not_joined": found_confirmed("race"),
    "own_suppressions": nothing_found_freely,
    "small_stack": nothing_found,
    "success_is_no_harm": harm_is_failure,
    "vla": only_races,
}


def examine(case, name, level, checks):
    """-> the lines about results that are not as wanted"""
    wrong = []
    case.run("cc", "-g", f"-{level}", "-pthread", str(program_of(name)), "-o", "program", wanted=(0,))
    for n in range(checks):
        try:
            EXAMINE[name](case)
        except (Wrong, subprocess.TimeoutExpired) as e:
            wrong.append(f"{name} -{level}, {n + 1}: {e}")
            print(wrong[-1], flush=True)
    return wrong


def program_of(name):
    return ROOT / "test" / (f"{name}.c" if "/" in name else f"known/{name}.c")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pf", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--levels", default="O0,O2")
    parser.add_argument("--checks", type=int, default=20)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--log", type=Path)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    lines = args.log.read_text().splitlines() if args.log and args.log.exists() else []
    done = {line["key"]: line for line in map(json.loads, lines)}
    build = [args.pf, *sorted((args.pf.parent.parent / "lib/photofinish").glob("libpf_*"))]
    pf = hashlib.sha256(b"".join(f.read_bytes() for f in build)).hexdigest()[:16]
    total = wrong = 0
    for name in args.names or sorted(EXAMINE):
        for level in args.levels.split(","):
            text = hashlib.sha256(program_of(name).read_bytes()).hexdigest()[:16]
            key = f"{name} -{level} {pf}.{text} --checks {args.checks} --runs {args.runs}"
            if key not in done:
                folder = args.work.resolve() / f"{Path(name).name}-{level}"
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                case = Case(args.pf.resolve(), folder, args.runs)
                done[key] = {"key": key, "checks": args.checks, "wrong": examine(case, name, level, args.checks)}
                if args.log:
                    with args.log.open("a") as f:
                        f.write(json.dumps(done[key]) + "\n")
            total += done[key]["checks"]
            wrong += len(done[key]["wrong"])
    print(f"known defects: {total} examinations, {wrong} wrong")
    sys.exit(1 if wrong else 0)


main()
