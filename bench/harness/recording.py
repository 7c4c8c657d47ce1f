"""The kernels recorded and replayed in directed mode: CPU time over native, all on one core, in turns."""
import os
import statistics
import subprocess

from harness import kernels, tables
from harness.flavour import Failed

RECORD_MOST = 2.5  # times native
REPLAY_MOST = 1.0  # times recording


def cpu_of(words, folder):
    """CPU seconds of a command and its children, on one core."""
    one = min(os.sched_getaffinity(0))
    before = os.times()
    done = subprocess.run(words, cwd=folder, capture_output=True, timeout=600,
                          preexec_fn=lambda: os.sched_setaffinity(0, {one}))
    after = os.times()
    if done.returncode:
        raise Failed("%s: exit status %d\n%s" % (" ".join(words), done.returncode,
                                                 done.stderr[:2000].decode(errors="replace")))
    return (after.children_user + after.children_system - before.children_user -
            before.children_system), done.stdout


def one_kernel(bench, kernel, flavours, folder):
    binary = {f: kernel.build(flavours[f], bench.work) for f in ("native", "pf")}
    args = [str(bench.args.threads), kernel.sizes[bench.size]]
    clip = os.path.join(folder, kernel.name + ".clip")
    ways = {"native": [binary["native"]] + args,
            "record": [bench.pf, "record", "-o", clip, "--", binary["pf"]] + args,
            "replay": [bench.pf, "replay", clip]}
    seconds = {w: [] for w in ways}
    for _ in range(bench.runs):
        output = set()
        for way, words in ways.items():
            took, out = cpu_of(words, folder)
            seconds[way].append(took)
            output.add(out)
        if len(output) != 1:
            raise Failed("%s: results differ between native, recording and replay" % kernel.name)
    os.unlink(clip)
    return {w: statistics.median(s) for w, s in seconds.items()}


def measure(bench):
    flavours = {f.name: f for f in bench.flavours}
    if "native" not in flavours or "pf" not in flavours:
        raise Failed("recording: the flavours native and pf are needed")
    folder = os.path.join(bench.work, "recording")
    os.makedirs(folder, exist_ok=True)
    found, rows = {}, []
    for kernel in kernels.all_kernels():
        if not bench.wanted(kernel.name):
            continue
        try:
            s = found[kernel.name] = one_kernel(bench, kernel, flavours, folder)
        except Failed as why:
            bench.problems.append(str(why))
            continue
        rows.append([kernel.name, "%.2f" % s["native"], s["record"] / s["native"],
                     s["replay"] / s["record"]])
    means = [tables.geomean([r[i] for r in rows]) for i in (2, 3)]
    rows.append(["geometric mean", ""] + means)
    rows.append(["at most", "", RECORD_MOST, REPLAY_MOST])
    body = tables.table(["kernel", "native s", "record/native", "replay/record"],
                        [r[:2] + [tables.text(r[2]), tables.text(r[3])] for r in rows])
    return found, body
