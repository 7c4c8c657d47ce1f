"""flips.py - records both orders of the racing accesses of a program, with `pf record --flip`.

For each race that the program's comments expect: finds the two accesses in a trace of the program, read by the
independent reader test/oracle/clip.py, and records the program again in both orders. A flip must succeed (the trace
of the new recording has the requested order, and the recording replays), or pf must answer "infeasible" with a
reason. When it is infeasible, the second thread is held earlier, 1, 3, 7, ... events before its access, because that
access may be in a critical section.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test/oracle"))
import clip as oracle

WORDS = re.findall(r'^PF_EVENT\(\w+, "(\w+)"', (ROOT / "src/abi/pf_event.def").read_text(), re.M)
TOUCHES = {"read", "write", "aread", "awrite", "rmw", "free", "alloc"}
SEEDS = 6  # number of schedules that are searched for the two accesses


def sh(words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", timeout=120, **more)


def accesses(file):
    """Yields the accesses of a recording in order: (thread, index, word, address, size, lines of the stack)."""
    recording = oracle.read(file)
    names = oracle.names(recording)
    lines = {s: {(Path(p[0]).name, p[3]) for p in (names.positions.get(i, ("", "", "", 0)) for i in at)}
             for s, at in names.sites.items()}
    for e in oracle.events(recording, names):
        if WORDS[e.kind] in TOUCHES:
            yield e.thread, e.index, WORDS[e.kind], e.what, max(e.more, 1), lines.get(e.site, set())


def meet(x, y):
    return x[0] != y[0] and x[3] < y[3] + y[4] and y[3] < x[3] + x[4]


def touched(e):
    return range(e[3], e[3] + min(e[4], 4096))


def find_pair(events, race):
    """-> two accesses of different threads that overlap, at the places of the race, or None."""
    there = {}
    for e in events:
        if (race.b.file, race.b.line) in e[5]:
            for g in touched(e):
                there.setdefault((g, e[0]), e)
    threads = {t for _, t in there}
    for e in events:
        if (race.a.file, race.a.line) in e[5]:
            for other in (there.get((g, t)) for g in touched(e) for t in threads):
                if other and meet(e, other):
                    return e, other
    return None


def came_about(file, first, second):
    """True if the recording has both events, in this order."""
    at = {}
    for i, e in enumerate(accesses(file)):
        at.setdefault(e[:2], i)
    return at.get(first[:2], 1 << 60) < at.get(second[:2], -1)


def flip(pf, program, args, policy, first, second, work, more):
    """-> None (success), "infeasible", or a description of the failure."""
    before = 0
    while (said := flip_held(pf, program, args, policy, first, second, before, work, more)) == "infeasible":
        if before + 1 >= second[1]:
            break
        before = min(2 * before + 1, second[1] - 1)
    return said


def flip_held(pf, program, args, policy, first, second, before, work, more):
    clip = work / "flip.clip"
    clip.unlink(missing_ok=True)
    order = "T%d:%d<T%d:%d" % (*first[:2], *second[:2])
    if before:
        order += "@%d" % (second[1] - before)
    r = sh([pf, "record", "--trace", "-o", clip, f"--schedule={policy}", f"--flip={order}", "--", program, *args], **more)
    if "infeasible" in r.stderr:
        reason = re.search(r"infeasible: \S+", r.stderr)
        return "infeasible" if reason else f"{order}: infeasible without a reason: {r.stderr}"
    if not came_about(clip, first, second):
        if "which access an event is may depend on the order" in r.stderr:
            return "infeasible"  # one of the accesses exists only in the other order
        return f"{order}: not the order in the trace: {r.stderr}"
    again = sh([pf, "replay", "--quiet", "--watch", clip], **more)
    if again.returncode != r.returncode:
        return f"{order}: exit status {r.returncode} recorded, {again.returncode} replayed: {again.stderr}"
    return None


def check(pf, test, program, work):
    """-> failures, number of successful flips, number of infeasible ones, races whose accesses were not found."""
    env = os.environ | test.environment() | {"PF_OPTIONS": "quiet=1:exitcode=0"}
    more = {"cwd": work, "input": test.stdin(), "env": env}
    wrong, done, infeasible, unmet = [], 0, 0, []
    left = list(test.races)
    for seed in range(1, SEEDS + 1):
        clip, policy = work / "both.clip", f"random:{seed}"
        if not left:
            break
        sh([pf, "record", "--trace", "-o", clip, f"--schedule={policy}", "--", program, *test.args()], **more)
        events = list(accesses(clip))
        for race in list(left):
            pair = find_pair(events, race)
            if not pair:
                continue
            left.remove(race)
            for first, second in (pair, pair[::-1]):
                said = flip(pf, program, test.args(), policy, first, second, work, more)
                done, infeasible = done + (said is None), infeasible + (said == "infeasible")
                if said not in (None, "infeasible"):
                    wrong.append(f"{race}: {said}")
    return wrong, done, infeasible, left
