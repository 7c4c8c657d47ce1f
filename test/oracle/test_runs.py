"""test_runs.py - compares the runtime with the oracle on random runs (README.md).

    test_runs.py [SEED...]

Environment: PF is the installed pf, WORK a folder, PF_TEST_SEEDS the number of seeds. If the two differ
on a log, the log stays in WORK.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from detector import differences

HERE = Path(__file__).resolve().parent
SHAPES = [(2, 60), (4, 50), (12, 25)]  # threads, steps


def main():
    work = Path(os.environ["WORK"])
    work.mkdir(parents=True, exist_ok=True)
    seeds = [int(s) for s in sys.argv[1:]] or range(int(os.environ.get("PF_TEST_SEEDS", "40")))
    failed = runs = racy = 0
    for level in ("O0", "O2"):
        program = work / f"chaos-{level}"
        subprocess.run([os.environ["PF"], "cc", f"-{level}", "-pthread", "-o", program, HERE / "chaos.c"],
                       check=True)
        for seed in seeds:
            threads, steps = SHAPES[seed % len(SHAPES)]
            log = work / f"{level}-{seed}.log"
            env = os.environ | {"PF_OPTIONS": f"oracle_log={log}:quiet=1:exitcode=0"}
            subprocess.run([program, str(seed), str(threads), str(steps)], check=True, env=env, timeout=120)
            lines = log.read_text().splitlines()
            wrong = differences(lines)
            runs += 1
            racy += any(" race " in line for line in lines)
            if wrong:
                failed += 1
                print(f"FAILED seed {seed} at -{level}, see {log}:\n  " + "\n  ".join(wrong[:10]))
            else:
                log.unlink()
    print(f"{runs} runs, {racy} with races, {failed} with differences")
    return 1 if failed or racy == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
