"""Measures sampling by AtexRace on the kernels, shapes and held-out programs: CPU time over native.

The function pairs that an execution has seen are kept in a state folder, so the cost falls from execution to
execution; the figure is that of the last fifth of the executions. The native build and full detection run in turns
with these.
"""
import os
import shutil
import sys

from harness import kernels, tables
from harness.cputime import cpu_of
from harness.flavour import Failed

MEAN, ANY = 1.2, 1.5  # at most


def mean(values):
    return sum(values) / len(values)


def one(bench, kernel, binaries, executions):
    args = [str(bench.args.threads), kernel.sizes[bench.size]]
    state = os.path.join(bench.work, "sampled-" + kernel.name)
    shutil.rmtree(state, ignore_errors=True)
    last = max(1, executions // 5)
    seconds = {"native": [], "full": [], "sampled": []}
    for i in range(executions):
        steady = i >= executions - last
        seconds["sampled"].append(cpu_of([bench.pf, "run", "--quiet", "--sample=atexrace", "--state", state, "--",
                                          binaries["pf"], *args], bench.work)[0])
        if steady:
            seconds["native"].append(cpu_of([binaries["native"], *args], bench.work)[0])
        if steady and (executions - i) % 5 == 0 or i + 1 == executions:
            seconds["full"].append(cpu_of([bench.pf, "run", "--quiet", "--", binaries["pf"], *args], bench.work)[0])
    shutil.rmtree(state, ignore_errors=True)
    native = mean(seconds["native"])
    return {"native": native, "full": mean(seconds["full"]) / native, "first": seconds["sampled"][0] / native,
            "sampled": mean(seconds["sampled"][-last:]) / native}


def measure(bench):
    chosen = {f.name: f for f in bench.flavours if f.name in ("native", "pf")}
    if len(chosen) < 2:
        raise Failed("sampling needs the flavours native and pf")
    executions = bench.args.executions
    found, means, rows = {}, {}, []
    for part in kernels.FOLDERS:
        for k in kernels.all_kernels(part):
            if not bench.wanted(k.name):
                continue
            binaries = {name: k.build(f, bench.work) for name, f in chosen.items()}
            figures = found[k.name] = one(bench, k, binaries, executions)
            means.setdefault("held out" if part == "holdout" else "profiled", []).append(figures["sampled"])
            print("%-16s %s" % (k.name, "  ".join("%s %.2f" % f for f in figures.items())), file=sys.stderr, flush=True)
            rows.append([k.name, "%.2f" % figures["native"], *("%.2f" % figures[c] for c in ("full", "first", "sampled"))])
    for name, values in [*means.items(), ("all", [v for m in means.values() for v in m])]:
        rows.append(["geometric mean, " + name, "", "", "", tables.text(tables.geomean(values))])
    rows.append(["at most, in the mean and for any program", "", "", "", "%.1f, %.1f" % (MEAN, ANY)])
    title = "last %d of %d" % (max(1, executions // 5), executions)
    return found, tables.table(["program", "native s", "full/native", "first/native", title], rows)
