#!/usr/bin/env python3
"""litmus.py PROGRAM.c [MODEL...] - enumerates the outcomes of a program of test/litmus under each memory model, and
compares them with the sets in the comment at its top (test/litmus/README.md).

A schedule is an order of the accesses of the threads; orders that differ only in accesses that cannot influence each
other are run once. For each schedule, every sequence of choices of memory contents is run, the last choice first:
a run with the choices c1 ... cn, of which ci has more options, is followed by c1 ... ci+1."""

import os
import re
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "oracle"))
import clip as clips  # noqa: E402

READ, WRITE, AREAD, AWRITE, RMW, FORK, FENCE, SYNC = range(8)
KINDS = {"READ": READ, "WRITE": WRITE, "AREAD": AREAD, "AWRITE": AWRITE, "RMW": RMW, "FORK": FORK, "FENCE": FENCE}
KINDS.update({name: SYNC for name in ("LOCK", "UNLOCK", "ARRIVE", "DEPART", "POST", "TAKE")})
END = (1 << 64) - 1
MODELS = ("sc", "tso", "weak")
RUNS_MAX = 5000


def kinds():
    """-> {number of an event kind: READ, ...}"""
    text = (Path(__file__).resolve().parents[2] / "src/abi/pf_event.def").read_text()
    names = re.findall(r"^PF_EVENT\((\w+),", text, re.M)
    return {i: KINDS[n] for i, n in enumerate(names) if n in KINDS}


def run(words, infeasible=None):
    """-> its output; None: it failed with this text in its message"""
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if done.returncode and infeasible and infeasible in done.stderr:
        return None
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Program:
    def __init__(self, source, folder):
        self.pf, self.folder = os.environ["PF"], Path(folder)
        self.path = str(self.folder / source.stem)
        run([self.pf, "cc", "-O1", "-g", "-o", self.path, str(source)])
        self.plan, self.clip = str(self.folder / "plan"), str(self.folder / "run.clip")
        self.threads, self.created = {}, 0
        self.ordered = "seq_cst)" in source.read_text().replace("FENCE(seq_cst)", "")
        self.look()

    def look(self):
        """Finds the accesses of each thread, from a trace."""
        trace = str(self.folder / "trace.clip")
        run([self.pf, "record", "--trace", "-o", trace, "--", self.path])
        recording, names = clips.read(trace), kinds()
        for e in clips.events(recording, clips.names(recording)):
            kind = names.get(e.kind)
            if kind == FORK and e.thread == 0:
                self.created = e.index
            elif kind is not None and kind != FORK and e.thread > 0:
                accesses = self.threads.setdefault(e.thread, [])
                if not accesses or accesses[-1][0] < e.index:  # one event for each operation
                    accesses.append((e.index, kind, e.what, e.flags))

    def record(self, model, order, choices):
        """-> (outcome, [(options, chosen)]) of one run; None: a thread waits, so this order is not possible"""
        steps = [(0, self.created)] + [(t, index) for t, (index, *_) in order]
        steps += [(t, END) for t in self.threads] + [(0, END)]
        Path(self.plan).write_bytes(b"".join(struct.pack("<IIQ", t, 0, until) for t, until in steps))
        words = [self.pf, "record", f"--plan={self.plan}", f"--memory={model}", "-o", self.clip]
        words += ["--choices=" + (",".join(map(str, choices)) or "0")]
        outcome = run(words + ["--", self.path], "the plan could not be followed")
        if outcome is None:
            return None
        data = clips.read(self.clip).streams[clips.MEMORY]
        made = [struct.unpack_from("<IHHQ", data, at)[1:3] for at in range(0, len(data), 16)]
        return outcome.strip(), made

    def replay(self):
        run([self.pf, "replay", "--quiet", self.clip])


def conflict(a, b, ordered):
    """Can the order of the two accesses, of different threads, matter? ordered: the program has sequentially consistent
    atomics, whose order matters; the trace does not tell them from other atomics that are not relaxed."""
    fence = lambda e: e[1] in (FENCE, SYNC) or (ordered and e[1] in (AREAD, AWRITE, RMW) and not e[3] & 2)  # noqa: E731
    if fence(a) and fence(b) or a[2] in b[4] or b[2] in a[4]:
        return True
    return a[2] == b[2] and not {a[1], b[1]} <= {READ, AREAD}


def with_drains(accesses):
    """Adds to each access the memory whose buffered stores it may drain."""
    stored, out = set(), []
    for index, kind, what, flags in accesses:
        out.append((index, kind, what, flags, frozenset(stored) if kind in (AWRITE, RMW, FENCE, SYNC) else frozenset()))
        stored |= {what} if kind in (WRITE, AWRITE, RMW) else set()
    return out


def orders(threads, ordered):
    """Yields one order for each class of orders that differ only in accesses without conflict."""
    seen = set()
    threads = {t: with_drains(accesses) for t, accesses in threads.items()}

    def extend(prefix, left):
        if not any(left.values()):
            key = frozenset(
                (t, a[0], u, b[0])
                for i, (t, a) in enumerate(prefix)
                for u, b in prefix[i + 1 :]
                if t != u and conflict(a, b, ordered)
            )
            if key not in seen:
                seen.add(key)
                yield list(prefix)
            return
        for t in left:
            if left[t]:
                yield from extend(prefix + [(t, left[t][0])], {**left, t: left[t][1:]})

    yield from extend([], threads)


def next_choices(made):
    """The next sequence of choices after this run; None: this was the last one."""
    while made and made[-1][0] == made[-1][1] + 1:
        made.pop()
    return [c for _, c in made[:-1]] + [made[-1][1] + 1] if made else None


def outcomes(program, model):
    """-> (the set of outcomes, number of runs)"""
    found, runs = set(), 0
    for order in orders(program.threads, model == "weak" and program.ordered):
        choices = []
        while choices is not None:
            result = program.record(model, order, choices)
            if not result:
                break
            outcome, made = result
            runs += 1
            if runs > RUNS_MAX:
                sys.exit(f"{model}: more than {RUNS_MAX} runs")
            if outcome not in found:
                found.add(outcome)
                program.replay()
            choices = next_choices(made)
    return found, runs


def expected(source):
    wanted = {}
    for line in source.read_text().split("*/")[0].splitlines():
        m = re.match(r" \* (sc|tso|weak): (.*?)$", line.rstrip(" "))
        if m:
            wanted[m[1]] = set(m[2].split())
    return wanted


def main(path, *models):
    source = Path(path).resolve()
    folder = Path(os.environ.get("WORK", ".")).resolve() / f"litmus.{source.stem}"
    folder.mkdir(parents=True, exist_ok=True)
    wanted, program, bad = expected(source), Program(source, folder), 0
    for model in models or MODELS:
        found, runs = outcomes(program, model)
        print(f"{source.stem} {model}: {' '.join(sorted(found))} ({runs} runs)")
        for what, difference in (("forbidden", found - wanted[model]), ("missing", wanted[model] - found)):
            if difference:
                bad += 1
                print(f"  {what}: {' '.join(sorted(difference))}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
