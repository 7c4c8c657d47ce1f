"""Counts the instructions of the kernels without checking (PF_OPTIONS=plain=1) over native, with valgrind: the same on every
machine, however busy. Small sizes; the instructions of process start are subtracted, because they would dominate."""
import os
import re
import subprocess

from harness import kernels, tables
from harness.flavour import FLAGS, Failed, run_quietly

EMPTY = "int main(void) { return 0; }\n"


def count(flavour, binary, args, folder):
    bare = os.path.join(folder, "counted")  # valgrind cannot read all debug information of clang-19
    run_quietly(["strip", "-g", "-o", bare, binary])
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", bare, *args],
                          env=flavour.environment(), capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise Failed("%s under valgrind: %s" % (binary, done.stderr[-2000:]))
    return int(found.group(1))


def start(flavour, folder):
    source, out = os.path.join(folder, "empty.c"), os.path.join(folder, "empty-" + flavour.name)
    with open(source, "w") as f:
        f.write(EMPTY)
    run_quietly([flavour.cc, *FLAGS, source, "-o", out])
    return count(flavour, out, [], folder)


def measure(bench):
    folder = os.path.join(bench.work, "counting")
    os.makedirs(folder, exist_ok=True)
    both = [f for f in bench.flavours if f.name in ("native", "plain")]
    if len(both) < 2:
        raise Failed("counting instructions needs the flavours native and plain")
    starts = [start(f, folder) for f in both]
    found = {}
    for k in kernels.all_kernels():
        if bench.wanted(k.name):
            args = [str(bench.args.threads), k.sizes["quick"]]
            native, plain = (count(f, k.build(f, bench.work), args, folder) - s for f, s in zip(both, starts))
            found[k.name] = {"native": native, "plain": plain, "ratio": plain / native}
    rows = [[name, "%.1f" % (f["native"] / 1e6), "%.3f" % f["ratio"]] for name, f in found.items()]
    rows.append(["start", "%.1f" % (starts[0] / 1e6), "+ %.1f million" % ((starts[1] - starts[0]) / 1e6)])
    rows.append(["at most", "", "1.08"])
    return found, tables.table(["kernel", "million, native", "plain/native"], rows)
