#!/usr/bin/env python3
"""fleet_ssh.py - a suite on two hosts through ssh and GNU parallel (ssh_hosts.py).

The program has other contents on one of the hosts, so that its tasks must move to the other host. Then a fleet is
cancelled: its processes on the hosts end. Prints the reason and exits with status 77 if sshd cannot run here."""

import hashlib
import os
import re
import sys
from pathlib import Path

from fleet_tools import PF, ROOT, WORK, document, empty_work, expect, findings, fleet_folder, run, start, wait_for, wrong
from ssh_hosts import Hosts, why_not

TESTS = 24
VALUE = "secretvalue with blanks"
SUM = hashlib.md5(VALUE.encode()).hexdigest()

def suite(state, tests, *more):
    return [PF, "suite", "--any", "--state", state, "--json", f"{state}.json", *more, tests]


def seen(state):
    return findings(f"{state}.json", "executions", "count")


def counts(state):
    return document(f"{state}.json")["suite"]


def command_lines():
    """The processes of this machine and their command lines."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            yield int(pid), Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            pass


def in_work(line):
    """Processes with this command line in the folder of this test."""
    found = []
    for pid, text in command_lines():
        try:
            if text.startswith(line) and os.readlink(f"/proc/{pid}/cwd") == str(WORK):
                found.append(pid)
        except OSError:
            pass
    return found


def sleepers():
    return in_work(b"sleep\x001000\0")


def waiters():
    return in_work(b"sh\0-c\0until test -f seen")


def test_suite(hosts):
    (WORK / "seen").write_text("")
    run(*suite("local", "tests"), env=dict(os.environ, GIVEN=VALUE))
    (WORK / "seen").unlink()
    process = start(*suite("remote", "tests", "--on", "ssh:alpha,beta", "--tasks", "4", "--batch", "5", "--env", "GIVEN"), env=hosts.env)
    expect(wait_for(waiters, process), "the test that waits starts")
    secret = VALUE.split()[0].encode()  # parallel writes its commands in hexadecimal
    shown = [pid for pid, line in command_lines() if secret in line or secret.hex().encode() in line.replace(b"\0", b"")]
    expect(not shown, f"no command line has the value of a variable {shown}")
    (WORK / "seen").write_text("")
    err = process.communicate(timeout=200)[1]
    status = run(PF, "fleet", "status", "--all", "--state", "remote", env=hosts.env).stdout
    nodes = set(re.findall(r"done on (\w+)", status))
    expect(counts("remote")["executions"] == TESTS + 1, f"{TESTS + 1} executions, none twice")
    expect(seen("remote") == seen("local") and len(seen("local")) == 4, "the same four findings, as often")
    expect(counts("remote")["passed"] == TESTS + 1, "tasks get the variables of --env and no others")
    expect("beta: " in err and "not the build with which the fleet was started" in err, "beta refused its tasks")
    folder = fleet_folder("remote")
    text = b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())
    expect(VALUE.split()[0].encode() not in text and b"hidden" not in text, "no file of the fleet contains the environment")
    expect(not folder.stat().st_mode & 0o077, "only their owner can read the files of the fleet")
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
    variables = f"""@name=variables sh -c 'until test -f seen; do sleep 0.1; done; test "$(printf %s "$GIVEN" | md5sum)" = "{SUM}  -" && test -z "$SECRET"'\n"""
    (WORK / "tests").write_text("".join(f"./suite {i}\n" for i in range(TESTS)) + variables)
    (WORK / "slow").write_text("@name=slow sh -c 'test -f go || exec sleep 1000'\n./suite 0\n")
    hosts = Hosts(str(WORK / "ssh"), {"alpha": "true", "beta": f"mount --bind {WORK}/other {WORK}/suite"})
    hosts.env.update(SECRET="hidden", GIVEN=VALUE)
    try:
        hosts.start()
        test_suite(hosts)
        test_cancel(hosts)
    finally:
        hosts.stop()
    sys.exit(1 if wrong else 0)


main()
