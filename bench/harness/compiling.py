"""Compile time and code size of sqlite3.c, in every flavour with its own compiler."""
import os
import subprocess

from harness import tables
from harness.flavour import FLAGS, Failed
from real import recipes


def text_size(path):
    """-> bytes of code, of data and of bss, as `size` counts them, and of the whole file"""
    out = subprocess.run(["size", path], capture_output=True, text=True).stdout.splitlines()
    text, data, bss = (int(w) for w in out[1].split()[:3])
    return {"text": text, "data": data, "bss": bss, "file": os.path.getsize(path)}


def measure(bench):
    source = recipes.sqlite_amalgamation(bench.real_work)
    found = {}
    for flavour in bench.flavours:
        if flavour.name == "plain":
            continue
        out = os.path.join(bench.work, "sqlite3-%s.o" % flavour.name)
        figures = os.path.join(bench.work, "figures")
        done = subprocess.run([bench.launcher, figures, flavour.cc, *FLAGS, "-c", source, "-o", out],
                              capture_output=True, text=True)
        with open(figures) as f:
            user, system, rss, _, status = (int(w) for w in f.read().split())
        if status:
            raise Failed("sqlite3.c, %s: %s" % (flavour.name, done.stderr[:2000]))
        found[flavour.name] = {"seconds": (user + system) / 1e6, "compiler_mib": rss / 1024,
                               **text_size(out)}
    rows = [[name, "%.1f" % f["seconds"], "%.0f" % f["compiler_mib"], "%.2f" % (f["text"] / 1e6),
             "%.2f" % (f["file"] / 1e6)] for name, f in found.items()]
    return found, tables.table(["build", "CPU s", "compiler MiB", "text MB", "object MB"], rows)
