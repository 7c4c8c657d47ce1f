"""Records and replays the kernels in directed mode: CPU time over native, all on one core, alternating. A ratio is the median
over the rounds, because a disturbance of the machine slows down all runs of one round alike."""
import os
import statistics

from harness import kernels, tables
from harness.cputime import cpu_of
from harness.flavour import Failed

RECORD_MOST = 2.5  # times native
REPLAY_MOST = 1.0  # times recording
MIN_ROUNDS = 5


def one_kernel(bench, kernel, flavours, folder):
    binary = {f: kernel.build(flavours[f], bench.work) for f in ("native", "pf")}
    args = [str(bench.args.threads), kernel.sizes[bench.size] if bench.args.quick else kernel.recorded_size()]
    clip = os.path.join(folder, kernel.name + ".clip")
    commands = {"native": [binary["native"]] + args,
            "record": [bench.pf, "record", "-o", clip, "--"] + [binary["pf"]] + args,
            "replay": [bench.pf, "replay", clip]}
    rounds = []
    for _ in range(bench.runs if bench.args.quick else max(MIN_ROUNDS, bench.runs)):
        output, seconds = set(), {}
        for name, words in commands.items():
            seconds[name], out = cpu_of(words, folder, one_core=True)
            output.add(out)
        if len(output) != 1:
            raise Failed("%s: results differ between native, recording and replay" % kernel.name)
        rounds.append(seconds)
    os.unlink(clip)
    return rounds


def ratio(rounds, of, over):
    """-> (median, smallest, largest)"""
    all_ = sorted(t[of] / t[over] for t in rounds)
    return statistics.median(all_), all_[0], all_[-1]


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
        rows.append([kernel.name, statistics.median(t["native"] for t in s), ratio(s, "record", "native"),
                     ratio(s, "replay", "record")])
    lines = [[r[0], "%.2f" % r[1]] + [text for i in (2, 3) for text in
                                      (tables.text(r[i][0]), "%.2f to %.2f" % r[i][1:])] for r in rows]
    means = [tables.geomean([r[i][0] for r in rows]) for i in (2, 3)]
    lines.append(["geometric mean", "", tables.text(means[0]), "", tables.text(means[1]), ""])
    lines.append(["at most", "", tables.text(RECORD_MOST), "", tables.text(REPLAY_MOST), ""])
    body = tables.table(["kernel", "native s", "record/native", "range", "replay/record", "range"], lines)
    return found, body
