#!/usr/bin/env python3
"""hunt.py SUBJECT.c [--twin] [--on-demand] - hunts for the races of a subject of bench/subject/hunt, or of its race-free twin.

The header of the subject (bench/subject/hunt/hunt.h) names its seed command and its races. Every race must be found
from that seed, in the phase that is given, with a clip that replays and an input that its command uses. The twin must
have no findings."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

RUNS = 60  # bounds the search, unless the subject has a line `// runs: N`
LINE = re.compile(r"^// (\w+): (.*)$")


def read(source):
    """-> {directive: [values]}, {mark: line number}"""
    found, marks = {}, {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        m = LINE.match(line)
        if m:
            found.setdefault(m[1], []).append(m[2].strip())
        for mark in re.findall(r"/\* ([A-Z0-9]+) \*/", line):
            marks[mark] = number
    return found, marks


def run(words, **more):
    return subprocess.run(words, capture_output=True, timeout=550, **more)


def seed(wanted, work):
    """Writes the files of the seed command. -> its arguments, standard input, environment"""
    files = {}
    for name, line in (v.split("=", 1) for v in wanted.get("file", [])):
        files[name] = files.get(name, b"") + line.encode() + b"\n"
    for name, digits in (v.split("=", 1) for v in wanted.get("hex", [])):
        files[name] = bytes.fromhex(digits)
    for name, content in files.items():
        (work / name).write_bytes(content)
    text = "".join(line + "\n" for line in wanted.get("stdin", []))
    environment = dict(os.environ, **dict(v.split("=", 1) for v in wanted.get("env", [])))
    return " ".join(wanted.get("args", [])).split(), text.encode(), environment


def hunt(pf, source, wanted, work, way, flags):
    work.mkdir(parents=True, exist_ok=True)
    program = work / "program"
    built = run([pf, "cc", way, "-g", "-O1", *flags, "-pthread", "-o", str(program), str(source)])
    if built.returncode:
        sys.exit(built.stderr.decode())
    run(["rm", "-rf", str(work / "state")])
    runs = int(wanted.get("runs", [RUNS])[0])
    options = ["--state", "state", "--json", "out.json", "--runs", str(runs), "--time", "9m"]
    if "input" in wanted:
        options += ["--input", wanted["input"][0]]
    args, text, environment = seed(wanted, work)
    files = {f: f.read_bytes() for f in work.iterdir() if f.is_file() and f.name not in ("program", "out.json")}
    done = run([pf, "hunt", *options, "--", "./program", *args], cwd=work, input=text, env=environment)
    changed = [f.name for f, content in files.items() if f.read_bytes() != content]
    if changed:
        sys.exit(f"{source.name}: the hunt has changed {changed}")
    if done.returncode not in (0, 66):
        sys.exit(f"{source.name}: status {done.returncode}: {done.stderr.decode()}")
    return json.loads((work / "out.json").read_text()), done


def lines_of(finding):
    return sorted(a["line"] for a in finding["accesses"])


def check_race(pf, race, marks, document, work):
    """-> a list of complaints"""
    words = race.split()
    lines = sorted(marks[w] for w in words[:2])
    same = [f for f in document["findings"] if lines_of(f) == lines]
    if not same:
        found = [lines_of(f) for f in document["findings"]]
        return [f"race {race} at lines {lines} was not found; found: {found}; hunt: {json.dumps(document['hunt'])}"]
    finding, bad = same[0], []
    phase = [r["phase"] for r in document["hunt"]["races"] if r["id"] == finding["id"]]
    if len(words) == 5 and phase != [int(words[4])]:
        bad.append(f"race {race}: found in phase {phase}")
    if finding["status"] != "confirmed" or run([pf, "replay", "--quiet", finding["clip"]], cwd=work).returncode == 2:
        bad.append(f"race {race}: its clip does not replay")
    command = finding["input"]["command"]
    if not command or run(["sh", "-c", command], cwd="/").returncode in (2, 126, 127):
        bad.append(f"race {race}: its command does not run: {command}")
    return bad


def main(path, twin, way):
    source, pf, work = Path(path).resolve(), os.environ["PF"], Path(os.environ["WORK"])
    wanted, marks = read(source)
    document, done = hunt(pf, source, wanted, work, way, ["-DRACE_FREE"] if twin else [])
    print(done.stdout.decode())
    if twin:
        bad = [f"race-free, but found: {lines_of(f)}" for f in document["findings"]]
    else:
        bad = [b for race in wanted["race"] for b in check_race(pf, race, marks, document, work)]
    solver = document["hunt"]["solver"]
    if solver["followed"] < 0.95 * solver["predicted"]:
        bad.append(f"only {solver['followed']} of {solver['predicted']} new inputs took the predicted path")
    if solver["wrong"]:
        bad.append("conditions that do not hold under the input of their own run")
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main(sys.argv[1], "--twin" in sys.argv[2:], "--on-demand" if "--on-demand" in sys.argv[2:] else "--symbolic")
