"""The input of the compressors: text, tables, binary records and noise, always the same."""
import os
import random
import struct


def words(r, count):
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    return ["".join(letters[min(int(r.expovariate(0.18)), 25)] for _ in range(r.randint(2, 11)))
            for _ in range(count)]


def text(r, size):
    some = words(r, 4000)
    out, n = [], 0
    while n < size:
        line = " ".join(some[min(int(r.expovariate(0.002)), 3999)] for _ in range(12)) + ".\n"
        out.append(line)
        n += len(line)
    return "".join(out).encode()[:size]


def records(r, size):
    at, out = 0, []
    while len(out) * 24 < size:
        at += r.randint(1, 300)
        out.append(struct.pack("<IIHHfQ", at, r.randint(0, 50), r.randint(0, 7), 0xffff,
                               at * 0.25, at << 20))
    return b"".join(out)[:size]


def make(path, mib):
    """Writes `mib` MiB to path, unless the file exists already."""
    if os.path.exists(path) and os.path.getsize(path) == mib << 20:
        return path
    r = random.Random(20240607)
    with open(path + ".new", "wb") as f:
        for _ in range(mib * 2):
            block = text(r, 300000) + records(r, 150000)
            f.write(block + r.randbytes((1 << 19) - len(block)))
    os.rename(path + ".new", path)
    return path
