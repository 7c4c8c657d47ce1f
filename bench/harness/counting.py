"""Counts the instructions of the kernels, shapes and held-out programs with valgrind: the same on every machine, however busy.

Figures over native: without checking (flavour plain, PF_OPTIONS=plain=1), watched (flavour pf: every function
watched), and by ThreadSanitizer; and the ratio of the last two. valgrind starts the program itself, without `pf run`,
which only collects the findings; an instrumented program checks everything by default. The runtime maps its shadow at
fixed addresses, which valgrind permits. Small sizes; the instructions of process start are subtracted, because they
would dominate. Two runs differ by less than 1% where each thread uses memory of its own. Where threads wait for each
other (queue, hashtable), or read the same memory at the same time (list, matrix, pca, kmeans), the schedule decides
how many read sets are made: up to 15% on a busy machine.
"""
import os
import re
import subprocess
import sys

from harness import kernels, tables
from harness.flavour import FLAGS, Failed, run_quietly

EMPTY = "int main(void) { return 0; }\n"
FLAVOURS = ["native", "tsan", "plain", "pf"]
TITLES = {"tsan": "TSan/native", "plain": "plain/native", "pf": "watched/native", "pf/tsan": "watched/TSan"}
LIMITS = {"tsan": "", "plain": "1.08", "pf": "", "pf/tsan": ""}


def count(flavour, binary, args, folder):
    bare = os.path.join(folder, "counted")  # valgrind cannot read all debug information of clang-19
    run_quietly(["strip", "-g", "-o", bare, binary])
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--fair-sched=yes", "--cachegrind-out-file=/dev/null", bare, *args],
                          env=flavour.environment(), capture_output=True, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode or not found:
        raise Failed("%s under valgrind: %s" % (binary, done.stderr[-2000:]))
    return int(found.group(1).replace(",", ""))


def start(flavour, folder):
    source, out = os.path.join(folder, "empty.c"), os.path.join(folder, "empty-" + flavour.name)
    with open(source, "w") as f:
        f.write(EMPTY)
    run_quietly([flavour.cc, *FLAGS, source, "-o", out])
    return count(flavour, out, [], folder)


def measure(bench):
    folder = os.path.join(bench.work, "counting")
    os.makedirs(folder, exist_ok=True)
    chosen = {f.name: f for f in bench.flavours if f.name in FLAVOURS}
    if "native" not in chosen or len(chosen) < 2:
        raise Failed("counting instructions needs the flavour native, and plain or pf")
    checked = [name for name in chosen if name != "native"]
    starts = {name: start(f, folder) for name, f in chosen.items()}
    found = {}
    for k in [k for part in kernels.FOLDERS for k in kernels.all_kernels(part)]:
        if bench.wanted(k.name):
            args = [str(bench.args.threads), k.sizes["quick"]]
            one = {name: count(f, k.build(f, bench.work), args, folder) - starts[name] for name, f in chosen.items()}
            ratio = {name: one[name] / one["native"] for name in checked}
            if "tsan" in one and "pf" in one:
                ratio["pf/tsan"] = one["pf"] / one["tsan"]
            found[k.name] = {**one, "ratio": ratio}
            print("%-16s %s" % (k.name, "  ".join("%s %.3f" % r for r in ratio.items())), file=sys.stderr, flush=True)
    titles = [*checked, *(["pf/tsan"] if "tsan" in chosen and "pf" in chosen else [])]
    rows = [[name, "%.1f" % (f["native"] / 1e6), *("%.3f" % f["ratio"][c] for c in titles)] for name, f in found.items()]
    means = ["%.3f" % tables.geomean([f["ratio"][c] for f in found.values()]) for c in titles] if found else []
    rows.append(["mean", "", *means])
    rows.append(["start", "%.1f" % (starts["native"] / 1e6),
                 *("+ %.1f million" % ((starts[c] - starts["native"]) / 1e6) if c in starts else "" for c in titles)])
    rows.append(["at most", "", *(LIMITS[c] for c in titles)])
    return found, tables.table(["kernel", "million, native", *(TITLES[c] for c in titles)], rows)
