#!/usr/bin/env python3
"""bad_pointers.py - bad pointers end or fail a call in the same way in every mode.

usage: bad_pointers.py PF NATIVE DIRECTED STEP

NATIVE and DIRECTED are bad_pointers.c, built by clang and by pf cc. Every function is called with one
kind of bad pointer, which STEP chooses; with STEP 0, with every kind.
A recording must end like the native program, with the same output, where that is defined; its replay
like the recording; and a replay that traces must not diverge.
"""
import subprocess
import sys

NULL, UNMAPPED, NO_ACCESS, READ_ONLY, NOT_CANONICAL, FREED, GARBAGE, DESTROYED = range(8)
KINDS = 8
DEFINED = (NULL, UNMAPPED, NO_ACCESS, READ_ONLY)  # the others only have to replay
# Functions of synchronisation objects: glibc also defines what they do with a destroyed one.
OBJECTS = ("pthread_mutex", "pthread_rwlock", "pthread_spin", "pthread_cond", "pthread_barrier", "sem_", "mtx_", "cnd_")
# They would wait for ever if the object could be used.
ENDLESS = ("pthread_cond_wait", "sem_wait", "cnd_wait")


def without_case(directed, names):
    """The interposed functions of synchronisation objects that have no case in bad_pointers.c."""
    symbols = subprocess.run(["nm", directed], capture_output=True, text=True, check=True).stdout.split()
    for symbol in sorted(set(symbols)):
        name = symbol.removeprefix("pf_native_")
        if symbol != name and name.startswith(OBJECTS) and name not in names and name not in ENDLESS:
            yield name


def run(*command):
    """Returns status, output and messages of a command."""
    with open("stdin.txt", encoding="ascii") as stdin:
        r = subprocess.run(command, stdin=stdin, capture_output=True, timeout=120, check=False)
    status = 128 - r.returncode if r.returncode < 0 else r.returncode
    return status, r.stdout, r.stderr.decode(errors="replace")


def check(pf, native, directed, name, kind):
    """Yields what is wrong with one call."""
    recorded = run(pf, "record", "-o", "bad.clip", "--", directed, name, str(kind))
    if kind in DEFINED or (kind == DESTROYED and name.startswith(OBJECTS)):
        wanted = run(native, name, str(kind))
        if recorded[:2] != wanted[:2]:
            yield f"native {wanted[:2]}, recorded {recorded}"
    replayed = run(pf, "replay", "bad.clip")
    if replayed[:2] != recorded[:2]:
        yield f"recorded {recorded}, replayed {replayed}"
    traced = run(pf, "dump", "-o", "events.txt", "bad.clip")
    if "diverged" in traced[2]:
        yield f"traced: {traced[2]}"


def main():
    pf, native, directed, step = *sys.argv[1:4], int(sys.argv[4])
    with open("stdin.txt", "w", encoding="ascii") as stdin:
        stdin.write("12345678901234567890\n" * 3)
    wrong = 0
    names = run(native)[1].decode().split()
    for name in without_case(directed, names):
        print(f"{name}: has no case in bad_pointers.c", flush=True)
        wrong += 1
    for i, name in enumerate(names):
        kinds = [(i + step) % KINDS] if step else range(KINDS)
        for kind in kinds:
            for what in check(pf, native, directed, name, kind):
                print(f"{name} with pointer {kind}: {what}", flush=True)
                wrong += 1
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
