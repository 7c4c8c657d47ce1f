"""Every witnessed race is reached: records the programs, runs each witness (pf hatch), and replays each clip so made.

    witnesses.py --pf PF --work DIR [--replays N] [--slice K/N] FILE...

Fails when a witness of pf predict does not come true, or when a replay of its clip does not follow it. Prints a line for
each program. All programs, 20 replays each, are for a person to run:
    python3 test/run/witnesses.py --pf build/stage/bin/pf --work /tmp/w --replays 20 test/program/*/*_racy.c
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent / "program"


def sh(args, **more):
    return subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=600, errors="replace", **more)


def ids(file):
    return {f["id"] for f in json.loads(file.read_text())["findings"] if f["kind"] == "race"}


def one(pf, work, source, replays):
    """(witnessed, reached, failures), or None when the program cannot be recorded here."""
    exe, clip, hatched = work / source.stem, work / f"{source.stem}.clip", work / f"{source.stem}.d"
    cc = "c++" if source.suffix == ".cpp" else "cc"
    flags = re.findall(r"^// flags: (.*)$", source.read_text(), re.M)
    r = sh([pf, cc, "-O1", "-g", "-DORDER_FREE", "-I", INCLUDE, *" ".join(flags).split(), "-o", exe, source, "-pthread", "-lm"])
    if r.returncode:
        return None
    sh([pf, "record", "--trace", "--schedule=random:3", "-o", clip, "--", exe], cwd=work)
    if not clip.exists() or sh([pf, "predict", "--json", work / "p.json", clip]).returncode not in (0, 66):
        return None
    wanted = ids(work / "p.json")
    sh([pf, "hatch", "--json", work / "h.json", "-o", hatched, clip], cwd=work)
    real = ids(work / "h.json") & wanted
    failures = [f"{i} did not come true" for i in sorted(wanted - real)]
    for i in sorted(real):
        for k in range(replays):
            r = sh([pf, "replay", "--quiet", hatched / f"{i}.clip"], cwd=work)
            if "does not follow" in r.stderr or (r.returncode == 2 and "pf replay:" in r.stderr):
                failures.append(f"{i}: replay {k + 1}: {r.stderr.strip()[:120]}")
    return len(wanted), len(real), failures


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--pf", required=True, type=Path)
    p.add_argument("--work", required=True, type=Path)
    p.add_argument("--replays", default=20, type=int)
    p.add_argument("--slice", default="1/1")
    p.add_argument("files", nargs="+", type=Path)
    a = p.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    part, parts = map(int, a.slice.split("/"))
    total = reached = skipped = 0
    bad = []
    for source in a.files[part - 1 :: parts]:
        got = one(a.pf.resolve(), a.work.resolve(), source.resolve(), a.replays)
        if got is None:
            skipped += 1
            print(f"{source.stem}: cannot be recorded here", flush=True)
            continue
        total, reached = total + got[0], reached + got[1]
        bad += [f"{source}: {x}" for x in got[2]]
        print(f"{source.stem}: {got[0]} witnessed, {got[1]} reached" + "".join(f"\n  {x}" for x in got[2]), flush=True)
    print(f"{reached} of {total} witnessed races reached, {a.replays} replays each, {skipped} programs not recorded")
    sys.exit(1 if bad or not total else 0)


if __name__ == "__main__":
    main()
