"""Records the kernels with every event and its value: the cost of an event for the program and for pf (on another core), its bytes
on disk, and the speed of reading it back."""
import os

from harness import kernels, tables
from harness.cputime import cpu_apart, cpu_of
from harness.flavour import CLANG, ROOT, Failed, run_quietly

RATE_LEAST = 25  # million events per second and core
BYTES_MOST = 3.5
READ_LEAST = 50


def build_reader(folder):
    src = os.path.join(ROOT, "src")
    include = ["-I" + os.path.join(src, d) for d in ("abi", "base", "clip", "report")]
    sources = [os.path.join(src, "clip", n + ".c") for n in ("events", "names", "clip_read", "clip_write")]
    for folder_name in ("base", "report"):
        library = os.path.join(src, folder_name)
        sources += sorted(os.path.join(library, n) for n in os.listdir(library) if n.endswith(".c"))
    reader = os.path.join(folder, "read_back")
    run_quietly([CLANG, "-O2", "-std=gnu17", "-D_GNU_SOURCE=", "-DPF_CHANNEL_VERSION=0", *include, "-o", reader,
                 os.path.join(ROOT, "bench/trace/read_back.c"), *sources, "-lzstd", "-lxxhash", "-pthread"])
    return reader


def one_kernel(bench, kernel, flavour, folder, reader):
    clip = os.path.join(folder, kernel.name + ".clip")
    words = [bench.pf, "record", "--trace", "-o", clip, "--", kernel.build(flavour, bench.work),
             str(bench.args.threads), kernel.sizes["quick"]]
    runs = [cpu_apart(words, folder) for _ in range(bench.runs)]
    read = [cpu_of([reader, clip], folder)[1].split() for _ in range(bench.runs)]
    events = int(read[0][0])
    found = {"events": events, "bytes": os.path.getsize(clip), "pf": min(r[0] for r in runs),
             "program": min(r[1] for r in runs), "read": min(float(r[1]) for r in read)}
    os.unlink(clip)
    return found


def row(name, f):
    def rate(seconds):
        return "%.1f" % (f["events"] / max(seconds, 0.01) / 1e6)
    return [name, "%.1f" % (f["events"] / 1e6), rate(f["program"]), rate(f["pf"]), rate(f["program"] + f["pf"]),
            "%.2f" % (f["bytes"] / f["events"]), rate(f["read"])]


def measure(bench):
    flavours = {f.name: f for f in bench.flavours}
    if "pf" not in flavours:
        raise Failed("trace: the flavour pf is needed")
    folder = os.path.join(bench.work, "tracing")
    os.makedirs(folder, exist_ok=True)
    reader, found, rows = build_reader(folder), {}, []
    for kernel in kernels.all_kernels():
        if not bench.wanted(kernel.name):
            continue
        try:
            found[kernel.name] = one_kernel(bench, kernel, flavours["pf"], folder, reader)
        except Failed as why:
            bench.problems.append(str(why))
            continue
        rows.append(row(kernel.name, found[kernel.name]))
    total = {key: sum(f[key] for f in found.values()) for key in ("events", "bytes", "pf", "program", "read")}
    rows.append(row("all", total))
    rows.append(["target", "", "%d" % RATE_LEAST, "%d" % RATE_LEAST, "", "%.2f at most" % BYTES_MOST, "%d" % READ_LEAST])
    body = tables.table(["kernel", "million events", "program", "pf", "both", "bytes per event", "read back"], rows)
    return found, body
