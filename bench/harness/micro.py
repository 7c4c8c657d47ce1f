"""Runs bench/micro/micro.c in every flavour: nanoseconds of single operations."""
import os
import subprocess

from harness import tables
from harness.flavour import FLAGS, ROOT, Failed, run_quietly


def run(flavour, work):
    folder = os.path.join(work, flavour.built_as)
    os.makedirs(folder, exist_ok=True)
    binary = os.path.join(folder, "micro")
    run_quietly([flavour.cc, *FLAGS, "-pthread", os.path.join(ROOT, "bench/micro/micro.c"), "-o",
                 binary])
    done = subprocess.run(flavour.command([binary]), env=flavour.environment(), text=True,
                          capture_output=True, timeout=600)
    if done.returncode:
        raise Failed("micro %s: exit status %d\n%s" % (flavour.name, done.returncode,
                                                       done.stderr[:2000]))
    return {name: float(value) for name, value in (l.split() for l in done.stdout.splitlines())}


def measure(bench):
    found = {}
    for flavour in bench.flavours:
        try:
            found[flavour.name] = run(flavour, bench.work)
        except Failed as why:
            bench.problems.append(str(why))
    first = next(iter(found.values()), {})
    rows = [[name] + [tables.text(found[f].get(name)) for f in found] for name in first]
    return found, tables.table(["operation"] + list(found), rows)
