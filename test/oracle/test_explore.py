"""test_explore.py - compares pf explore with all executions that brute force finds (explore_model.py).

For every program of explore/*.txt: the results (output and end of the run) are the same; "complete" is claimed unless
the program's header says why it cannot be; and at most 1.5 runs were needed for each class.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import explore_model as model

PF, WORK = os.environ["PF"], Path(os.environ["WORK"])
ENDS = {"": "exit", "deadlock": "stuck", "hang": "stuck", "signal 6 (Aborted)": "abort"}
FACTOR = 1.5  # most runs for each class


def explore(name, program, level="-O0"):
    source, binary, out = WORK / f"{name}.c", WORK / name, WORK / f"{name}.json"
    source.write_text(model.to_c(program))
    subprocess.run([PF, "cc", "-g", level, source, "-o", binary, "-pthread"], check=True)
    command = [PF, "explore", "--runs", program.wants.get("runs", "20000"), "--json", out, "-o", WORK / f"{name}.clips", "--"]
    done = subprocess.run([*command, binary], capture_output=True, text=True, timeout=300, cwd=WORK)
    if done.returncode not in (0, 66):
        raise RuntimeError(f"pf explore: status {done.returncode}: {done.stderr}")
    return json.loads(out.read_text())["exploration"]


def seen(exploration):
    """The results without what assert prints, and without the order of final output in runs that did not finish."""
    found = set()
    for r in exploration["results"]:
        end = ENDS.get(r["end"], r["end"])
        output = "".join(line + "\n" for line in r["output"].splitlines() if "Assertion" not in line)
        found.add((end, output))
    return found


def check(path):
    program = model.Program(path.read_text())
    exploration = explore(path.stem, program)
    got, all_results = seen(exploration), model.results(program)
    errors = [f"shows what cannot happen: {r}" for r in sorted(got - all_results)]
    complete = program.wants.get("complete", "yes")
    if exploration["complete"] or complete == "yes":
        errors += [f"misses {r}" for r in sorted(all_results - got)]
    if exploration["complete"] != (complete == "yes"):
        errors.append(f"complete is {exploration['complete']}: {exploration['open']}")
    if exploration["schedules"] > FACTOR * exploration["classes"]:
        errors.append(f"{exploration['schedules']} runs for {exploration['classes']} classes")
    print(f"{path.stem}: {exploration['schedules']} runs, {exploration['classes']} classes, {len(got)} of"
          f" {len(all_results)} results, {exploration['milliseconds']} ms", flush=True)
    return [f"{path.stem}: {e}" for e in errors]


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    paths = sorted((Path(__file__).parent / "explore").glob("*.txt"))
    if len(sys.argv) > 1:
        paths = [p for p in paths if p.stem in sys.argv[1:]]
    errors = [e for p in paths for e in check(p)]
    print("\n".join(errors))
    sys.exit(bool(errors) or not paths)


if __name__ == "__main__":
    main()
