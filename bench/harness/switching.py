"""Runs bench/micro/switch.c: compares directed mode's switches and checkpoints with futexes and fork."""
import os

from harness import tables
from harness.cputime import cpu_of
from harness.flavour import CLANG, ROOT, Failed, run_quietly

EVENTS = 1000000  # of each of two threads; each adds to a variable: a read and a write
WANTED = {"switch_decided": 200, "checkpoint_10MB": 1000000}


def build(bench):
    folder = os.path.join(bench.work, "switch")
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(ROOT, "bench/micro/switch.c")
    rt = os.path.join(ROOT, "src/rt")
    bare, recorded = os.path.join(folder, "bare"), os.path.join(folder, "recorded")
    run_quietly([CLANG, "-O2", "-DWITH_SWITCH", "-I" + rt, "-I" + os.path.join(ROOT, "src/abi"), source, os.path.join(rt, "direct/schedule/switch.S"),
                 os.path.join(rt, "sys.c"), "-pthread", "-o", bare])
    run_quietly([bench.pf, "cc", "-O2", "-g", source, "-pthread", "-o", recorded])
    return folder, bare, recorded


def decided(bench, folder, program, runs):
    """-> nanoseconds of a switch with its scheduling decision and its record: the difference between
    a run with a switch at every event and a run with none"""
    def record(policy):
        return cpu_of([bench.pf, "record", "-o", os.path.join(folder, "x.clip"), "--schedule=" + policy,
                       "--", program, "events", str(EVENTS)], folder)[0]
    each = [(record("rr:1"), record("rr:1000000000")) for _ in range(runs)]
    return min(a - b for a, b in each) * 1e9 / (4 * EVENTS)


def measure(bench):
    try:
        folder, bare, recorded = build(bench)
        _, out = cpu_of([bare, "bare", "15"], folder)
        found = {name: float(value) for name, value in (line.split() for line in out.decode().splitlines())}
        found["switch_decided"] = decided(bench, folder, recorded, max(3, bench.runs))
    except Failed as why:
        bench.problems.append(str(why))
        return {}, ""
    rows = [[name, tables.text(value), str(WANTED.get(name, ""))] for name, value in found.items()]
    return found, tables.table(["operation", "nanoseconds", "at most"], rows)
