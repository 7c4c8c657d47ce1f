#!/usr/bin/env python3
"""fleet_ssh.py - a suite on two hosts through ssh and GNU parallel (ssh_hosts.py).

The program has other contents on one of the hosts, so that its tasks must move to the other host. Then a fleet is cancelled:
its processes on the hosts end. Prints the reason and exits with status 77 if sshd cannot run here."""

import os
import re
import sys
from pathlib import Path

from fleet_tools import PF, ROOT, WORK, document, empty_work, expect, findings, run, start, wait_for, wrong
from ssh_hosts import Hosts, why_not

TESTS = 24

def suite(state, tests, *more):
    return [PF, "suite", "--any", "--state", state, "--json", f"{state}.json", "--quiet", *more, tests]


def seen(state):
    return findings(f"{state}.json", "executions", "count")


def counts(state):
    return document(f"{state}.json")["suite"]


def sleepers():
    """Processes of the test that sleeps, by their working folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if words[:2] == [b"sleep", b"1000"] and os.readlink(f"/proc/{pid}/cwd") == str(WORK):
                found.append(int(pid))
        except OSError:
            pass
    return found


def test_suite(hosts):
    run(*suite("local", "tests"), env=dict(os.environ, GIVEN="a value"))
    done = run(*suite("remote", "tests", "--on", "ssh:alpha,beta", "--tasks", "4", "--batch", "5", "--env", "GIVEN"), env=hosts.env)
    status = run(PF, "fleet", "status", "--all", "--state", "remote", env=hosts.env).stdout
    nodes = set(re.findall(r"done on (\w+)", status))
    expect(counts("remote")["executions"] == TESTS + 1, f"{TESTS + 1} executions, none twice")
    expect(seen("remote") == seen("local") and len(seen("local")) == 4, "the same four findings, as often")
    expect(counts("remote")["passed"] == TESTS + 1, "tasks get the variables of --env and no others")
    expect("beta: " in done.stderr and "another build than where the fleet was started" in done.stderr, "beta refused its tasks")
    expect(nodes == {"alpha"}, f"all tasks ended on alpha: {nodes}")


def test_cancel(hosts):
    words = suite("cancel", "slow", "--on", "ssh:alpha,alpha", "--batch", "1")
    process = start(*words, env=hosts.env)
    expect(wait_for(sleepers, process), "the test starts")
    process.kill()
    process.communicate()
    expect(sleepers(), "the task runs without the submitting pf")
    run(PF, "fleet", "cancel", "--state", "cancel", env=hosts.env)
    expect(wait_for(lambda: not sleepers()), "cancel ended the processes on the host")
    (WORK / "go").write_text("")
    run(*words, env=hosts.env)
    expect(counts("cancel")["passed"] == 2, "the same command runs the rest")


def main():
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    empty_work()
    for name, level in (("suite", "-O1"), ("other", "-O2")):
        run(PF, "cc", "-g", level, "-pthread", "-o", name, ROOT / "test/fleet/suite.c", ok=(0,))
    variables = """@name=variables sh -c 'test "$GIVEN" = "a value" && test -z "$SECRET"'\n"""
    (WORK / "tests").write_text("".join(f"./suite {i}\n" for i in range(TESTS)) + variables)
    (WORK / "slow").write_text("@name=slow sh -c 'test -f go || exec sleep 1000'\n./suite 0\n")
    hosts = Hosts(str(WORK / "ssh"), {"alpha": "true", "beta": f"mount --bind {WORK}/other {WORK}/suite"})
    hosts.env.update(SECRET="hidden", GIVEN="a value")
    try:
        hosts.start()
        test_suite(hosts)
        test_cancel(hosts)
    finally:
        hosts.stop()
    sys.exit(1 if wrong else 0)


main()
