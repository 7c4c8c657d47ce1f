"""Compile time and code size: of sqlite3.c, in every flavour with its own compiler; of the programs written here, with and without
bodies on demand, over ThreadSanitizer's."""
import os
import subprocess
import sys

from harness import kernels, tables
from harness.flavour import FLAGS, Failed
from real import recipes


def text_size(path):
    """-> bytes of code, of data and of bss, as `size` counts them, and of the whole file"""
    out = subprocess.run(["size", path], capture_output=True, text=True).stdout.splitlines()
    text, data, bss = (int(w) for w in out[1].split()[:3])
    return {"text": text, "data": data, "bss": bss, "file": os.path.getsize(path)}


def compile_one(bench, name, command, out):
    figures = os.path.join(bench.work, "figures")
    done = subprocess.run([bench.launcher, figures, *command, "-o", out], capture_output=True, text=True)
    with open(figures) as f:
        user, system, rss, _, status = (int(w) for w in f.read().split())
    if status:
        raise Failed("%s: %s" % (name, done.stderr[:2000]))
    return {"seconds": (user + system) / 1e6, "compiler_mib": rss / 1024, **text_size(out)}


def measure(bench):
    source = recipes.sqlite_amalgamation(bench.real_work)
    found = {}
    for flavour in bench.flavours:
        if flavour.name != "plain":
            found[flavour.name] = compile_one(bench, "sqlite3.c, " + flavour.name, [flavour.cc, *FLAGS, "-c", source],
                                              os.path.join(bench.work, "sqlite3-%s.o" % flavour.name))
    rows = [[name, "%.1f" % f["seconds"], "%.0f" % f["compiler_mib"], "%.2f" % (f["text"] / 1e6),
             "%.2f" % (f["file"] / 1e6)] for name, f in found.items()]
    return found, tables.table(["build", "CPU s", "compiler MiB", "text MB", "object MB"], rows)


def measure_programs(bench):
    """The best CPU time of the runs; the geometric mean of the ratios."""
    flavours = {f.name: f for f in bench.flavours if f.name in ("tsan", "pf")}
    if len(flavours) < 2:
        raise Failed("sizes need the flavours tsan and pf")
    builds = {"tsan": ("tsan", []), "pf": ("pf", []), "on demand": ("pf", ["--on-demand"])}
    found, rows = {}, []
    for kernel in [k for part in kernels.FOLDERS for k in kernels.all_kernels(part) if bench.wanted(k.name)]:
        of = found[kernel.name] = {}
        for _ in range(bench.runs):
            for name, (flavour, flags) in builds.items():
                cc = flavours[flavour].cxx if kernel.path.endswith(".cc") else flavours[flavour].cc
                got = compile_one(bench, "%s, %s" % (kernel.name, name), [cc, *FLAGS, *flags, "-I" + kernels.COMMON, "-c", kernel.path],
                                  os.path.join(bench.work, "size.o"))
                best = min(got["seconds"], of[name]["seconds"]) if name in of else got["seconds"]
                of[name] = {**got, "seconds": best}
        print("%-16s %s" % (kernel.name, "  ".join("%s %d %.2fs" % (n, f["text"], f["seconds"]) for n, f in of.items())),
              file=sys.stderr, flush=True)

    def ratios(name, what):
        return [f[name][what] / f["tsan"][what] for f in found.values()]
    columns = [(name, what) for what in ("text", "seconds") for name in ("pf", "on demand")]
    for i, (name, f) in enumerate(found.items()):
        rows.append([name, str(f["tsan"]["text"]), *("%.2f" % ratios(*c)[i] for c in columns)])
    rows.append(["geometric mean", "", *(tables.text(tables.geomean(ratios(*c))) for c in columns)])
    return found, tables.table(["program", "tsan, bytes", "pf text", "on demand", "pf CPU", "on demand"], rows)
