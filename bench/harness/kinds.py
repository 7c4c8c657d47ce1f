"""Counts what the kinds of findings other than races between accesses cost by default, in instructions.

Each program is built once with `pf cc` and counted by valgrind with all kinds, and with PF_OPTIONS=races_only=1,
which leaves out the work that only other kinds need (lock orders, stacks of acquisitions, allocations as writes,
freed memory, descriptors, condition variables). How the threads of some programs alternate changes the work of the
checks, and varies from run to run. So a program whose first two counts differ by more than NEAR is counted RUNS
times; its figure is the ratio of the means, and the page shows its standard error. A loop of malloc and free, the
worst case, is counted too.
"""
import os
import statistics
import sys

from harness import counting, kernels, tables
from harness.flavour import FLAGS, Failed, run_quietly

RUNS = 3
SHARE = {"kernels": 4, "shapes": 2, "holdout": 2}  # the small sizes are divided by this
NEAR = 0.01
LIMIT = 1.02
OPTIONS = {"all": "", "races": "races_only=1"}
LOOP = """#include <stdlib.h>
int main(void)
{
    for (int i = 0; i < 20000; i++) {
        volatile char *p = malloc(48);
        p[0] = p[8] = 1;
        free((void *)p);
    }
    return 0;
}
"""


def error(counts):
    """-> the relative standard error of the mean"""
    return statistics.stdev(counts) / len(counts) ** 0.5 / statistics.mean(counts) if len(counts) > 1 else 0


def compare(flavour, binary, args, folder, start):
    """-> the counts with each option, without the instructions of process start"""
    counts = {name: [] for name in OPTIONS}
    for _ in range(RUNS):
        for name, options in OPTIONS.items():
            flavour.env["PF_OPTIONS"] = options
            counts[name].append(counting.count(flavour, binary, args, folder) - start)
        if abs(counts["all"][0] / counts["races"][0] - 1) <= NEAR:
            break
    return counts


def row(name, counts):
    mean = {n: statistics.mean(c) for n, c in counts.items()}
    spread = (error(counts["all"]) ** 2 + error(counts["races"]) ** 2) ** 0.5
    ratio = mean["all"] / mean["races"]
    print("%-16s %.4f (error %.4f)" % (name, ratio, spread), file=sys.stderr, flush=True)
    return [name, len(counts["all"]), "%.1f" % (mean["races"] / 1e6), "%.1f" % (mean["all"] / 1e6), "%.4f" % ratio,
            "%.4f" % spread if spread else ""], ratio


def measure(bench):
    folder = os.path.join(bench.work, "kinds")
    os.makedirs(folder, exist_ok=True)
    chosen = [f for f in bench.flavours if f.name == "pf"]
    if not chosen:
        raise Failed("the cost of the kinds needs the flavour pf")
    flavour = chosen[0]
    start = counting.start(flavour, folder)
    found, rows, ratios = {}, [], []
    for k, share in [(k, SHARE[part]) for part in kernels.FOLDERS for k in kernels.all_kernels(part)]:
        if bench.wanted(k.name):
            args = [str(bench.args.threads), str(max(1, int(k.sizes["quick"]) // share))]
            found[k.name] = compare(flavour, k.build(flavour, bench.work), args, folder, start)
            line, ratio = row(k.name, found[k.name])
            rows.append(line)
            ratios.append(ratio)
    if bench.wanted("malloc and free"):
        source, out = os.path.join(folder, "loop.c"), os.path.join(folder, "loop")
        with open(source, "w") as f:
            f.write(LOOP)
        run_quietly([flavour.cc, *FLAGS, source, "-o", out])
        rows.append(row("malloc and free", compare(flavour, out, [], folder, start))[0])
    flavour.env.pop("PF_OPTIONS", None)
    mean = tables.geomean(ratios)
    rows += [["mean", "", "", "", "%.4f" % mean, ""], ["at most", "", "", "", "%.2f" % LIMIT, ""]]
    if mean > LIMIT:
        bench.problems.append("kinds: they cost %.4f, more than %.2f" % (mean, LIMIT))
    return found, tables.table(["program", "runs", "million, races only", "million, all kinds", "ratio", "error"], rows)
