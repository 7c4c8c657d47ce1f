#!/usr/bin/env python3
"""fleet.py [--large|--limit] - the verbs of a fleet on a real Slurm, compared with the same verbs on one machine.

Starts a private Slurm with four nodes (slurm_cluster.py), and runs on it: a suite of 200 tests, while a node is lost,
a task is killed, the submitting pf is killed and the scratch disk of one node is full; a check of 2,000 schedules; a
hunt; a judgement of 20 races. Each must give the same findings as without --on, and count none twice. --large repeats
the suite ten times and the check with ten times as many schedules. --limit only tests that Slurm's own time limit
ends a task that hangs.

Prints the reason and exits with status 77 if Slurm cannot run here."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from fleet_tools import PF, ROOT, WORK, done_tasks, document, empty_work, expect, findings, fleet_folder, run, start, wait_for, wrong
from slurm_cluster import Cluster, why_not

LARGE = "--large" in sys.argv
LIMIT = "--limit" in sys.argv
TESTS = 200
CHECK = ["--runs", "180" if LARGE else "18", "--time", "30m", "--seed", "1"]
LEFT_TO_RUN = 2000


def finish(process, name):
    out, err = process.communicate(timeout=900)
    if process.returncode not in (0, 66):
        sys.exit(f"{name}: status {process.returncode}\n{out}\n{err}")
    return out, err


def build():
    for name in ("suite", "check", "judge"):
        run(PF, "cc", "-g", "-O1", "-pthread", "-o", name, ROOT / f"test/fleet/{name}.c", ok=(0,))
    run(PF, "cc", "--symbolic", "-g", "-O1", "-pthread", "-o", "hunted", ROOT / "bench/subject/hunt/after_swap.c", ok=(0,))
    (WORK / "tests").write_text("".join(f"./suite {i}\n" for i in range(TESTS)))


def running_task(folder):
    """The process id of a task of this fleet."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"task" in words and str(folder).encode() in words and words[0].endswith(b"pf"):
            return int(pid)
    return None


def suite_words(state):
    words = [PF, "suite", "--state", state, "--json", f"{state}.json"]
    return words + (["--repeat", "10"] if LARGE else [])


def test_suite(cluster, on):
    """A suite while the submitting pf, a task and a node are killed, and while a scratch disk is full."""
    words = suite_words("suite-fleet") + [*on, "--batch", "8", "tests"]
    first = start(*words, env=cluster.env)
    expect(wait_for(lambda: done_tasks("suite-fleet") >= 2, first), "the first results are merged")
    first.send_signal(signal.SIGKILL)
    notes = first.communicate()[1]
    before = done_tasks("suite-fleet")
    expect(before < TESTS / 8, f"the submitting pf was killed after {before} tasks")
    status = run(PF, "fleet", "status", "--state", "suite-fleet", env=cluster.env)
    expect("not ended" in status.stdout, "status: the fleet has not ended")

    second = start(*words, env=cluster.env)
    folder = fleet_folder("suite-fleet")
    expect(wait_for(lambda: running_task(folder), second), "tasks run after the continuation")
    victim = running_task(folder)
    if victim:
        os.kill(victim, signal.SIGKILL)
    busy = cluster.run("squeue", "-h", "-t", "R", "-o", "%N").stdout.split()
    lost = next((n for n in busy if n not in ("n4",)), "n2")
    cluster.kill_node(lost)
    time.sleep(1)
    cluster.start_node(lost)  # Slurm notices at once that the node's job is gone
    out, err = finish(second, "suite on the fleet")
    notes += err
    expect("is submitted again" in notes, "a lost task was submitted again")
    reasons = [json.loads(p.read_text())["why"] for p in (folder / "failed").glob("*.n4.*")]
    expect(reasons and all("No space left on device" in r for r in reasons), "the node with the full disk failed its task")
    expect("No space left on device" in notes or "submitted again" not in notes, "the full disk is named as the reason")
    return out


def test_limit(cluster, on):
    """A task that hangs and does not keep its own limit. Slurm's limit, two minutes later, ends it; the suite is complete nevertheless."""
    (WORK / "slow").write_text("@name=slow sh -c 'until test -f go; do sleep 0.1; done'\n./suite 0\n")
    process = start(PF, "suite", "--any", "--state", "limit", "--json", "limit.json", *on, "--node-time", "1s", "--limit", "0", "slow", env=cluster.env)
    expect(wait_for(lambda: fleet_folder("limit") and running_task(fleet_folder("limit")), process), "limit: the task runs")
    victim = running_task(fleet_folder("limit"))
    os.kill(victim, signal.SIGSTOP)
    (WORK / "go").write_text("")
    finish(process, "limit")
    log = (WORK / "slurm/log/slurmctld").read_text()
    expect("Time limit exhausted" in log, "limit: Slurm has ended the job at its limit")
    expect(not Path(f"/proc/{victim}").exists(), "limit: the task is gone")
    counts = document("limit.json")["suite"]
    expect(counts["executions"] == 2 and counts["passed"] == 2, f"limit: both tests were run, none twice {counts}")


def compare_suite():
    local, fleet = document("suite-local.json"), document("suite-fleet.json")
    rounds = 10 if LARGE else 1
    expect(fleet["suite"]["executions"] == TESTS * rounds, f"suite: {TESTS * rounds} executions, none twice")
    expect(fleet["suite"]["passed"] == local["suite"]["passed"], "suite: the same tests passed")
    expect(fleet["complete"] and local["complete"], "suite: complete")
    same = findings("suite-local.json", "executions", "count") == findings("suite-fleet.json", "executions", "count")
    expect(same and len(fleet["findings"]) == 4, "suite: the same four findings, as often")
    folder = fleet_folder("suite-fleet")
    odd = [p.name for p in folder.rglob("*") if p.suffix in (".db", ".lock") or p.name == "lock"]
    expect(not odd, f"suite: no database and no lock in the shared folder {odd}")
    expect(not (folder.stat().st_mode & 0o077), "suite: the shared folder is private")
    # every result was merged exactly once
    db = sqlite3.connect(WORK / "suite-fleet/suite.db")
    expect(db.execute("SELECT count(*) FROM imported").fetchone()[0] == done_tasks("suite-fleet"), "suite: each result was merged once")


def hunt_lines(text):
    """The lines of a hunt's report below the findings, without its numbers and folders."""
    lines = [re.sub(r"/\S+|\d+", "#", s) for s in text.splitlines()]
    return sorted(s for s in lines if s.startswith(("hunt:", "  Found in phase", "  The program with", "  Happened")))


def hunt_reached(state):
    """The sites and directions of branches that a hunt has reached, as hashes. Its inputs depend on the order of its runs: several inputs
    have the same path, and a flip of this path changes the bytes of the input that had it first."""
    lines = [line.split() for line in (WORK / state / "hunt/journal").read_text().splitlines()]
    return {(words[0], words[1].rstrip(".")) for words in lines if words[0] in ("site", "took")}


def no_secrets(folders):
    text = b"".join(p.read_bytes() for f in folders for p in f.rglob("*") if p.is_file())
    expect(b"PF_TEST_SECRET_VALUE" not in text, "no file of a fleet contains the environment")


def main():
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    empty_work()
    build()
    scratch = WORK / "scratch"
    for node in ("n1", "n2", "n3", "n4"):
        (scratch / node).mkdir(parents=True)
    small = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1080k", "none", scratch / "n4"]).returncode == 0
    cluster = Cluster(str(WORK / "slurm"))
    cluster.env["SECRET"] = "PF_TEST_SECRET_VALUE"
    on = ["--on", "slurm:main", "--tasks", "4", "--node-time", "3m", "--scratch", f"{scratch}/%n"]
    try:
        cluster.start()
        if LARGE or LIMIT:
            test_limit(cluster, on)
        if LIMIT:
            return
        expect(small, "a small file system is mounted")
        local = start(*suite_words("suite-local"), "--jobs", "2", "tests")
        test_suite(cluster, on)
        finish(local, "suite")
        compare_suite()
        subprocess.run(["umount", scratch / "n4"])
        small = False

        run(PF, "run", "--quiet", "--state", "races", "--", "./judge")
        shutil.copytree(WORK / "races", WORK / "races-fleet")
        judge = ["--schedules", "1", "--control", "3", "--met", "0"]
        local = [start(PF, "check", *CHECK, "--state", "check-local", "--json", "check-local.json", "--quiet", "--", "./check"),
                 start(PF, "hunt", "--state", "hunt-local", "--json", "hunt-local.json", "--", "./hunted", "2"),
                 start(PF, "judge", *judge, "--state", "races", "--json", "judge-local.json")]
        fleet = [start(PF, "check", *CHECK, "--state", "check-fleet", "--json", "check-fleet.json", "--quiet", *on, "--", "./check", env=cluster.env),
                 start(PF, "hunt", "--state", "hunt-fleet", "--json", "hunt-fleet.json", *on, "--batch", "10", "--", "./hunted", "2", env=cluster.env),
                 start(PF, "judge", *judge, "--state", "races-fleet", "--json", "judge-fleet.json", *on, env=cluster.env)]
        texts = [finish(process, name)[0] for process, name in zip(local + fleet, ("check", "hunt", "judge") * 2)]

        expect(findings("check-local.json", "status", "class") == findings("check-fleet.json", "status", "class"),
               "check: the same findings with the same status and class")
        sampled = document("check-fleet.json")["check"]["sampled"]
        expect(sampled >= LEFT_TO_RUN and sampled == document("check-local.json")["check"]["sampled"],
               f"check: {sampled} schedules, as many as locally")
        expect(document("check-fleet.json")["complete"], "check: complete")
        clip = next(f["clip"] for f in document("check-fleet.json")["findings"] if f.get("clip"))
        (WORK / "elsewhere").mkdir()
        shutil.copy(WORK / "check", WORK / "elsewhere/renamed")
        shown = run(PF, "replay", "--program", "elsewhere/renamed", clip).stderr
        expect("shown: the race of" in shown and "diverge" not in shown, "check: a clip of another node replays, with the program at another path")
        # the same on a machine with another glibc, which is imitated for pf
        (WORK / "glibc.c").write_text('const char *gnu_get_libc_version(void) { return "2.99"; }\n')
        run("cc", "-shared", "-fPIC", "-o", "glibc.so", "glibc.c", ok=(0,))
        shown = run(PF, "replay", clip, env=dict(os.environ, LD_PRELOAD=WORK / "glibc.so")).stderr
        expect(re.search(r"was recorded on another machine: glibc \S+, here 2.99", shown) and "shown: the race of" in shown,
               "check: a clip says how its machine differs, and replays")
        expect(findings("hunt-local.json", "status") == findings("hunt-fleet.json", "status"), "hunt: the same findings")
        expect(hunt_lines(texts[1]) and hunt_lines(texts[1]) == hunt_lines(texts[4]), "hunt: the report has the same lines")
        expect(len(findings("hunt-fleet.json")) > 1, "hunt: found a race that needs another input")
        expect(all(document(f"hunt-{place}.json")["complete"] and not (WORK / f"hunt-{place}/hunt/open").read_text() for place in ("local", "fleet")),
               "hunt: nothing is left to try, locally and on the fleet")
        reached = hunt_reached("hunt-fleet")
        expect({kind for kind, _ in reached} == {"site", "took"} and reached == hunt_reached("hunt-local"),
               f"hunt: the same {len(reached)} sites and directions of branches were reached")
        judged = findings("judge-fleet.json", "class")
        expect(findings("judge-local.json", "class") == judged and len(judged) == 20, "judge: the same classes of 20 races")
        ended = run(PF, "fleet", "status", "--all", "--state", "hunt-fleet", env=cluster.env).stdout
        expect("ended" in ended and "not ended" not in ended, "status: the hunt has ended")
        no_secrets([fleet_folder(s) for s in ("suite-fleet", "check-fleet", "hunt-fleet", "races-fleet")])
        expect(not cluster.run("squeue", "-h").stdout.strip(), "no job is left")
        left = [p for p in scratch.rglob("pf-task-*")]
        expect(len(left) <= 2, f"scratch folders of killed tasks only: {len(left)}")
    finally:
        cluster.stop()
        if small:
            subprocess.run(["umount", scratch / "n4"])


main()
sys.exit(1 if wrong else 0)
