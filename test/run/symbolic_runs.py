"""symbolic_runs.py PF LEVEL WAY PROGRAM... - symbolic runs of program tests against ordinary recordings.

Each program is built with WAY, --symbolic or --on-demand, and recorded twice under the same policy: with event bodies
and with symbolic bodies. Schedule, output and status must be the same, so the events are the same, one by one. The
expression log must be true under the input of its own run (../oracle/symbolic.py), and a replay, which runs event
bodies, must follow the symbolic recording.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parent.parent / "oracle")]
import clip
import program
import symbolic
from expectation import Expectation

SCHEDULE, HEADER = 0, 40  # the header: process id and clocks
TIME, WOKEN, STUCK, SPUN, SPUN_BYTES = 5, 6, 7, 2, 432  # docs/format/schedule.md
POLICIES = ["rr:3", "random:1"]
# An error of the engine that it noticed itself: the label of a value has another value.
ENGINE_ERRORS = {"store", "condition", "address"}


class Symbolic(program.Photofinish):
    def __init__(self, pf, way):
        super().__init__(pf)
        self.way = way

    def compiler(self, cxx):
        return [self.pf, "c++" if cxx else "cc", self.way]


def record(pf, test, exe, file, *more):
    return program.command([pf, "record", "-o", file, *more, "--", exe, *test.args()], input=test.stdin(),
                           env=os.environ | test.environment() | {"PF_OPTIONS": "quiet=1:exitcode=0"}, cwd=exe.parent)


def schedule(file):
    """The records of the schedule without `time`: how long the program waited for something external is real time."""
    at, records = clip.Bytes(clip.read(file).streams[SCHEDULE][HEADER:]), []
    while at.at < len(at.data):
        n = at.varint()
        kind, n = n & 7, n >> 3
        thread = at.varint() if kind < TIME or kind == WOKEN else None
        more = at.byte() if kind < TIME else at.take(SPUN_BYTES) if kind == STUCK and n == SPUN else None
        if kind != TIME:
            records.append((kind, n, thread, more))
    return records


def varies(pf, test, exe, policy, work):
    """True if recordings of one kind differ: the program depends on other processes, such as its children."""
    for more in [], ["--symbolic"], [], ["--symbolic"]:
        first = work / ("labelled.clip" if more else "plain.clip")
        record(pf, test, exe, work / "again.clip", f"--schedule={policy}", *more)
        if schedule(first) != schedule(work / "again.clip"):
            return True
    return False


def wrong(pf, test, level, way, work):
    """Yields what is not as it should be."""
    exe = program.build(Symbolic(pf, way), test, level, work)
    for policy in POLICIES:
        plain = record(pf, test, exe, work / "plain.clip", f"--schedule={policy}")
        labelled = record(pf, test, exe, work / "labelled.clip", f"--schedule={policy}", "--symbolic")
        if (plain.returncode, plain.stdout) != (labelled.returncode, labelled.stdout):
            yield f"{policy}: status {labelled.returncode}, expected {plain.returncode}: {labelled.stderr}"
            continue
        b = clip.read(work / "labelled.clip")
        if schedule(work / "plain.clip") != schedule(work / "labelled.clip"):
            if not varies(pf, test, exe, policy, work):
                yield f"{policy}: the schedule differs"
        log = symbolic.read(b.streams[symbolic.STREAM])
        yield from (f"{policy}: {text}" for text in list(symbolic.check(log))[:5])
        yield from (f"{policy}: error of the engine: {name}" for _, name in log.lost if name in ENGINE_ERRORS)
        replay = program.command([pf, "replay", work / "labelled.clip"], input="", cwd=exe.parent)
        if (replay.returncode, replay.stdout) != (plain.returncode, plain.stdout):
            yield f"{policy}: the replay has status {replay.returncode}, expected {plain.returncode}: {replay.stderr}"


def main():
    pf, level, way, failed = *sys.argv[1:4], 0
    folder = os.environ.get("WORK")
    if folder:
        os.makedirs(folder, exist_ok=True)
    for path in sys.argv[4:]:
        test = Expectation(Path(path))
        if test.no_direct():
            print(f"skipped: {path}: {test.no_direct()}")
        if test.no_direct() or level not in test.levels():
            continue
        with tempfile.TemporaryDirectory(dir=folder) as work:
            try:
                bad = list(wrong(pf, test, level, way, Path(work)))
            except program.Failure as e:
                bad = [str(e)]
        failed += bool(bad)
        for text in bad:
            print(f"{path} -{level}: {text}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
