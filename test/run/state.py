"""state.py - an independent reader of the function-pair files (docs/format/state.md), for tests.

    state.py check FOLDER            checks that every file follows the format; prints "executions N pairs N covered N"
    state.py storm FOLDER N COMMAND  runs N copies of COMMAND in parallel (HOLD in the environment tells it to wait for the
                                     end of its input before it exits) and kills every fourth copy at a random moment;
                                     the state must then be valid and contain all executions that were not killed
"""

import os
import random
import struct
import subprocess
import sys
import time
from pathlib import Path

HEADER = struct.Struct("<QIIQQQQQ")
ENTRY = struct.Struct("<QII")
COVERAGE = struct.Struct("<QQQII")
MERGED = struct.Struct("<QQ")
UNSEEN_MAX = 200
MAGIC = int.from_bytes(b"pfpairs\n", "little")


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def read(path, kind):
    data = path.read_bytes()
    magic, version, found, npairs, ncovered, nmerged, executions, total = HEADER.unpack_from(data)
    assert magic == MAGIC and version == 2 and found == kind, f"{path}: header"
    assert len(data) == HEADER.size + npairs * ENTRY.size + ncovered * COVERAGE.size + nmerged * MERGED.size, f"{path}: length"
    assert fnv(data[:HEADER.size - 8] + bytes(8) + data[HEADER.size:]) == total, f"{path}: sum"
    pairs = {}
    for i in range(npairs):
        key, count, streak = ENTRY.unpack_from(data, HEADER.size + i * ENTRY.size)
        assert key and count and streak and key not in pairs, f"{path}: entry {i}"
        pairs[key] = (count, streak)
    at = HEADER.size + npairs * ENTRY.size
    covered = {}
    for i in range(ncovered):
        key, first, second, flags, unseen = COVERAGE.unpack_from(data, at + i * COVERAGE.size)
        assert key and key not in covered and flags < 4 and unseen <= UNSEEN_MAX, f"{path}: coverage {i}"
        covered[key] = (first, second, flags, unseen)
    at += ncovered * COVERAGE.size
    merged = {MERGED.unpack_from(data, at + i * MERGED.size) for i in range(nmerged)}
    return pairs, covered, executions, merged


def check(folder):
    programs = list(Path(folder, "pairs").iterdir())
    assert len(programs) == 1, f"{programs}"
    bad = [f for f in programs[0].iterdir() if f.name.startswith("bad-")]
    assert not bad, f"set aside: {bad}"
    base = programs[0] / "base"
    pairs, covered, executions, merged = read(base, 1) if base.exists() else ({}, {}, 0, set())
    for path in sorted(programs[0].glob("*.pairs")):
        if path.name.startswith("new-"):
            continue
        name = int(path.name[:16], 16), int(path.name[17:25], 16)
        seen, now, one, none = read(path, 2)
        assert one == 1 and not none and not any(unseen for *_, unseen in now.values())
        if name not in merged:
            executions += 1
            pairs = {k: (pairs.get(k, (0, 0))[0] + c, min(pairs.get(k, (0, 0))[1] + 1, 255))
                     for k, (c, _) in seen.items()}
            aged = {k: (a, b, f, unseen + 1) for k, (a, b, f, unseen) in covered.items()}
            for k, (a, b, f, _) in now.items():
                was = aged.get(k, (0, 0, 0, 0))
                aged[k] = (a | was[0], b | was[1], f | was[2], 0)
            covered = {k: v for k, v in aged.items() if v[3] <= UNSEEN_MAX}
    return executions, len(pairs), len(covered)


def storm(folder, n, command):
    rng = random.Random(3)
    hold, release = os.pipe()
    running = [subprocess.Popen(command, stdin=hold, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env={**os.environ, "HOLD": "1"}) for _ in range(n)]
    victims = running[3::4]
    rng.shuffle(victims)
    victims[0].kill()  # surely still running; the other victims may exit before they are killed
    os.close(hold)
    os.close(release)  # end of input: all copies run to their exit
    for p in victims[1:]:
        time.sleep(rng.random() * 0.004)
        p.kill()
    killed = sum(p.wait() < 0 for p in running)
    executions, pairs, covered = check(folder)
    assert killed <= len(victims), f"{killed} ended by a signal"
    assert n - killed <= executions <= n, f"{executions} kept of {n}, {killed} of them killed"
    print(f"lived {n - killed} killed {killed} kept {executions} pairs {pairs} covered {covered}")


if sys.argv[1] == "check":
    print("executions %d pairs %d covered %d" % check(sys.argv[2]))
else:
    storm(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
