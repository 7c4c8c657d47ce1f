"""test_clip.py - compares the second reader of recordings (clip.py) with pf dump on recorded programs."""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import clip as oracle

PF, ROOT, WORK = os.environ["PF"], Path(os.environ["ROOT"]), Path(os.environ["WORK"])
PROGRAMS = ["basic/plain_4_racy.c", "sync/mutex_try_ok.c", "sync/cond_ok.c", "sync/rwlock_ok.c", "basic/heap_free_racy.c",
            "atomic/refcount_ok.c", "basic/vector_racy.c"]
WORDS = re.findall(r'^PF_EVENT\(\w+, "(\w+)"', (ROOT / "src/abi/pf_event.def").read_text(), re.M)
PLACES = {"read", "write", "aread", "awrite", "rmw", "alloc", "free"}
LINE = re.compile(r"\d+ T(\d+) (\w+)(\?)?(?: (\S+))?.*?(?: @(\S+):(\d+))?$")


def place_of(n, clip_names):
    """The innermost position that has a file, as pf prints it."""
    stack = [clip_names.positions.get(p, ("", "", "", 0)) for p in clip_names.sites[n]]
    return next(((p[0], p[3]) for p in stack if p[0]), ("", 0))


def wanted(clip_names, events):
    """What pf dump should print for each event: thread, word, decided, value, file, line."""
    for e in events:
        word = WORDS[e.kind]
        if (word == "call" and e.attached) or (word == "alloc" and e.flags & 16):
            continue  # a range that a call reaches, or a stack: pf dump prints no event
        file, line = place_of(e.site, clip_names)
        decided = clip_names.flags[e.site] != 0
        if word in PLACES and word not in ("alloc", "free") and e.more > 8 and len(e.data) == e.more:
            for at in range(0, e.more, 8):
                value = int.from_bytes(e.data[at : at + 8], "little")
                yield e.thread, word, decided and at == 0, value, file, line
            continue
        value = e.value if word in PLACES and e.more <= 8 else None
        yield e.thread, word, decided, value, file, line


def dumped(text):
    for line in text.splitlines():
        if line.startswith(("init ", "recorded")):
            continue
        m = LINE.match(line)
        assert m, line
        thread, word, decided, operand, file, number = m.groups()
        value = None
        if word in PLACES and operand and "=" in operand:
            value = int(operand.split("=")[1].split("->")[-1])
        yield int(thread), word, bool(decided), value, file or "", int(number or 0)


def one(name):
    source = ROOT / "test/program" / name
    if not source.exists():
        return 0
    exe, file = WORK / source.stem, WORK / (source.stem + ".clip")
    subprocess.run([PF, "cc", "-g", "-O1", "-I", ROOT / "test/program", "-o", exe, source, "-pthread", "-lm"], check=True)
    run = subprocess.run([PF, "record", "--trace", "--schedule=random:5", "-o", file, "--", exe],
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
    c = oracle.read(file)
    assert c.end is not None, (name, run)
    n = oracle.names(c)
    mine = list(wanted(n, oracle.events(c, n)))
    dump = subprocess.run([PF, "dump", file], check=True, capture_output=True, text=True, timeout=300)
    theirs = list(dumped(dump.stdout))
    for k, (a, b) in enumerate(zip(mine, theirs)):
        assert a == b, f"{name}: event {k + 1}: the second reader has {a}, pf dump {b}"
    assert len(mine) == len(theirs), (name, len(mine), len(theirs))
    return len(mine)


def main():
    assert oracle.xxh64(b"") == 0xEF46DB3751D8E999 and oracle.xxh64(b"abc") == 0x44BC2CF5AD770999
    WORK.mkdir(parents=True, exist_ok=True)
    counts = {name: one(name) for name in PROGRAMS}
    print(counts)
    assert sum(count > 0 for count in counts.values()) >= 3, "too few programs had events"


if __name__ == "__main__":
    main()
