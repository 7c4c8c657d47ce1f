#!/usr/bin/env python3
"""fleet_failures.py - what a fleet does when something fails, step by step, without a batch system.

Uses `--on script:` with two scripts: the one for PBS in docs/fleet.md, with a small imitation of PBS's commands, and
one that starts no task, so that this test starts each task itself. Checks: collect (results in any order, twice),
results and nodes of another build, a full shared folder, a test that hangs, cancel, commands that continue a fleet,
and attempts that are counted over processes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import fleet_tools
from fleet_tools import PF, ROOT, WORK, document, done_tasks, empty_work, expect, findings, fleet_folder, wait_for, wrong

ENV = dict(os.environ, GIVEN="yes", SECRET="hidden", PATH=f"{WORK}/bin:{Path(PF).parent}:{os.environ['PATH']}")

FAKE_PBS = '''#!/usr/bin/env python3
"""qsub, qstat and qdel for one user of one machine: a job is a process."""
import json, os, signal, subprocess, sys
from pathlib import Path
jobs = Path(__file__).resolve().parent.parent / "pbs"
jobs.mkdir(exist_ok=True)
def alive(job):
    try:
        return Path(f"/proc/{job['pid']}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
name, words = Path(sys.argv[0]).name, sys.argv[1:]
if name == "qsub":
    options, command = words[:words.index("--")], words[words.index("--") + 1:]
    log = Path(options[options.index("-o") + 1])
    assert log.is_dir(), log
    assert any(o.startswith("walltime=") and int(o[9:]) > 120 for o in options), options
    env = {k: os.environ[k] for k in ["HOME", *options[options.index("-v") + 1].split(",")]}
    number = len(list(jobs.iterdir())) + 1
    with open(log / f"{number}.OU", "wb") as out:
        p = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    (jobs / str(number)).write_text(json.dumps({"pid": p.pid, "name": options[options.index("-N") + 1]}))
    print(f"{number}.server")
elif name == "qstat":
    assert words == ["-f", "-F", "json"], words
    found = {f"{j.name}.server": json.loads(j.read_text()) for j in jobs.iterdir()}
    print(json.dumps({"Jobs": {k: {"Job_Name": v["name"], "job_state": "R"} for k, v in found.items() if alive(v)}}))
else:
    for word in words:
        job = json.loads((jobs / word.split(".")[0]).read_text())
        if alive(job):
            os.killpg(job["pid"], signal.SIGTERM)
'''


def run(*words, **more):
    return fleet_tools.run(*words, env=ENV, **more)


def start(*words):
    return fleet_tools.start(*words, env=ENV)


def must_happen(ready, process):
    if not wait_for(ready, process):
        sys.exit(f"{ready}: did not happen\n{process.communicate()}")


def write(name, text, mode=0o644):
    path = WORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def build(name, *flags):
    run(PF, "cc", "-g", "-O1", *flags, "-pthread", "-o", name, ROOT / "test/fleet/suite.c", ok=(0,))


def tasks_of(state):
    folder = fleet_folder(state)
    return sorted(int(p.stem) for p in (folder / "tasks").glob("*.json")) if folder else []


def counts(state):
    return document(f"{state}.json")["suite"]


def seen(state):
    return findings(f"{state}.json", "executions", "count")


def words(state, *more, tests="tests"):
    return [PF, "suite", "--state", state, "--json", f"{state}.json", *more, tests]


def pasted(text, what, folder=WORK, ok=66):
    """Runs the command that pf has printed after "to go on: " in this folder."""
    command = re.search(r"to go on: (.*)", text)
    expect(command is not None, f"{what}: prints the command that continues")
    return run("sh", "-c", command.group(1), cwd=folder, ok=(ok,)) if command else None


def submit_only(state, *more, tests="tests"):
    """Starts a fleet whose tasks are submitted but not started, and kills the submitting pf."""
    process = start(*words(state, "--on", f"script:{WORK}/nothing", "--batch", "4", *more, tests=tests))
    must_happen(lambda: fleet_folder(state) and (fleet_folder(state) / "attempts").exists(), process)
    process.kill()
    process.communicate()
    return fleet_folder(state)


def test_collect():
    folder = submit_only("collect")
    numbers = tasks_of("collect")
    limits = [json.loads((folder / name).read_text())["limit_ms"] for name in ("plan.json", "tasks/1.json")]
    expect(limits[0] == limits[1] > 600000, f"the plan has the limit of the tasks, which is longer than that of a test {limits}")
    for n in reversed(numbers[1:]):
        run(PF, "fleet", "task", folder, n, ok=(0,))
    kept = WORK / "kept"
    shutil.copytree(folder / "results", kept)
    other = json.loads((kept / f"{numbers[1]}/journal").read_text().split("\n")[0])
    status = run(PF, "fleet", "status", "--state", "collect").stdout
    expect(status.count("has a result that is not merged") == len(numbers) - 1, "status: the results that wait are shown")
    done = run(PF, "fleet", "collect", "--state", "collect", ok=(2, 66))
    expect(counts("collect")["executions"] == 16, "collect: the results of four of five tasks are merged")
    expect(re.search(r"incomplete: task 1 \(tests 1 to 4, round 1\) did not end: it waits or runs", done.stderr), "collect: the fifth is named")
    first = seen("collect")
    # the same results again, as if pf had been killed between the merge and the mark
    for n in numbers[2:]:
        (folder / f"done/{n}.json").unlink()
        shutil.copytree(kept / str(n), folder / f"results/{n}")
    run(PF, "fleet", "collect", "--state", "collect", ok=(2, 66))
    expect(counts("collect")["executions"] == 16 and seen("collect") == first, "collect: merging twice changes nothing")
    # a result of another build
    shutil.copytree(kept / str(numbers[1]), folder / f"results/{numbers[0]}")
    journal = folder / f"results/{numbers[0]}/journal"
    journal.write_text(journal.read_text().replace(other["build"], "0x0000000000000001"))
    done = run(PF, "fleet", "collect", "--state", "collect", ok=(2, 66))
    expect("the result of another build of the program" in done.stderr and counts("collect")["executions"] == 16,
           "collect: the result of another build is refused")
    return folder


def test_foreign_node(folder):
    """A node on which the program has other contents."""
    build("suite.other", "-O2")
    (WORK / "suite").rename(WORK / "suite.first")
    (WORK / "suite.other").rename(WORK / "suite")
    done = run(PF, "fleet", "task", folder, 1, ok=(2,))
    expect("not the build with which the fleet was started" in done.stderr, "a node with another build refuses the task")
    done = run(*words("collect", "--on", f"script:{WORK}/nothing", "--batch", "4", "--collect"), ok=(2,))
    expect("another build" in done.stderr, "a fleet of another build is not continued")
    (WORK / "suite.first").rename(WORK / "suite")


def test_damaged(folder):
    """A result that is damaged below the first line of its journal is refused, and its task can return another one."""
    run(PF, "fleet", "task", folder, 1, ok=(0,))
    journal = folder / "results/1/journal"
    journal.write_text(journal.read_text().split("\n")[0] + "\n{")
    done = run(PF, "fleet", "collect", "--state", "collect", ok=(2, 66))
    expect(counts("collect")["executions"] == 16, "damaged: the result is refused")
    named = re.search(r"incomplete: task 1 \(tests 1 to 4, round 1\) did not end: .*/journal: damaged after its task wrote it", done.stderr)
    expect(named is not None, "damaged: the task counts as one that did not end")
    # the next attempt is damaged too; pf submits the task again
    write("node", f"""#!/bin/sh
case $1 in submit)
    {PF} fleet task $2 $4
    test -f damaged || truncate -s -9 $2/results/$4/findings.json
    touch damaged
esac
""", 0o755)
    (WORK / "nothing").rename(WORK / "kept-nothing")
    (WORK / "node").rename(WORK / "nothing")
    done = run(*words("collect", "--on", f"script:{WORK}/nothing", "--batch", "4"), ok=(66,))
    expect(re.search(r"task 1 \(.*\) is submitted again: .*/findings.json: damaged", done.stderr), "damaged: the task is submitted again")
    expect(counts("collect")["executions"] == 20 and seen("collect") == seen("local"), "damaged: all results are merged in the end")
    (WORK / "kept-nothing").rename(WORK / "nothing")


def test_full():
    """The shared folder is full while a task returns its result."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", WORK / "small"]).returncode == 0
    if not mounted and os.geteuid() != 0:
        print("skipped: a full shared folder: only root can mount a small file system", flush=True)
        return
    expect(mounted, "a small file system is mounted")
    if not mounted:
        return
    try:
        folder = submit_only("full", "--shared", WORK / "small")
        with open(WORK / "small/filler", "wb", buffering=0) as f:
            try:
                while f.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        done = run(PF, "fleet", "task", folder, 1, ok=(2,))
        expect("No space left on device" in done.stderr, "full shared folder: the task says so")
        expect(not any((folder / "results").iterdir()), "full shared folder: no part of a result is left")
        done = run(*words("fuller", "--on", f"script:{WORK}/nothing", "--batch", "4", "--shared", WORK / "small"), ok=(2,))
        expect("No space left on device" in done.stderr, "full shared folder: the submitting pf says so")
        (WORK / "small/filler").unlink()
        for n in tasks_of("full"):
            run(PF, "fleet", "task", folder, n, ok=(0,))
        run(PF, "fleet", "collect", "--state", "full", ok=(66,))
        expect(counts("full")["executions"] == 20 and seen("full") == seen("local"), "with space again, all results are merged")
    finally:
        subprocess.run(["umount", WORK / "small"])


def test_hung(on):
    """A test that hangs among others. Its tasks reach their limit; the other tests are run, and the report names it."""
    write("hanging", "./suite 0\n@name=hangs sleep 1000\n./suite 1\n")
    return start(*words("hung", *on, "--any", "--limit", "0", "--grace", "100ms", "--batch", "3", "--node-time", "4s", tests="hanging"))


def check_hung(process):
    out, err = process.communicate(timeout=200)
    got = counts("hung")
    expect(process.returncode == 66 and got["executions"] == 2, f"hung: the two other tests were run ({got['executions']})")
    named = re.search(r"incomplete: task \d+ \(tests 2 to 2, round 1\) did not end: its test did not end within the time limit", err)
    expect(named is not None, "hung: the report names the test")
    if not named:
        print(out, err)


def test_cancel(on):
    """Cancels a fleet while its tasks run; the submitting pf stops, too, and the printed command continues."""
    write("slow", "@name=slow sh -c 'test -f go || exec sleep 1000'\n" + "".join(f"./suite {i}\n" for i in range(5)))
    process = start(*words("cancel", *on, "--any", "--batch", "1", tests="slow"))
    must_happen(lambda: done_tasks("cancel") == 5, process)
    done = run(PF, "fleet", "cancel", "--state", WORK / "cancel", cwd="/")
    out, err = process.communicate(timeout=60)
    expect(process.returncode == 66 and "cancelled by pf fleet cancel" in err, "cancel: the submitting pf stops")
    expect("did not end" in err, "cancel: the task that did not end is named")
    write("go", "")
    go_on = pasted(done.stdout, "cancel", "/")
    expect(go_on and counts("cancel")["executions"] == 6, "cancel: the command runs the rest, nothing twice")


def test_attempts():
    """Attempts are counted over processes: the first one sees two attempts fail, so the second one makes only one more."""
    write("one", "./suite 0\n")
    write("node", "#!/bin/sh\ntest $1 != submit\n", 0o755)
    run(*words("attempts", "--on", f"script:{WORK}/node", tests="one"), ok=(2,))
    write("node", """#!/bin/sh\ntest $1 != submit || echo '{"node":"n","why":"broken"}' >$2/failed/$4.n.$$.json\n""", 0o755)
    process = start(*words("attempts", "--on", f"script:{WORK}/node", tests="one"))
    must_happen(lambda: "submitted 1\nsubmitted 1\n" in (fleet_folder("attempts") / "attempts").read_text()
             if fleet_folder("attempts") and (fleet_folder("attempts") / "attempts").exists() else False, process)
    process.kill()
    process.communicate()
    done = run(*words("attempts", "--on", f"script:{WORK}/node", tests="one"), ok=(2,))
    text = (fleet_folder("attempts") / "attempts").read_text()
    expect(text == "submitted 1\nrefused 1\n" + "submitted 1\n" * 3 + "given-up 1\n", f"attempts: three in all, without the refused one {text!r}")
    expect("is given up: n: broken" in done.stderr, "attempts: the task is given up, with the reason")
    write("node", "#!/bin/sh\n" f"test $1 != submit || {PF} fleet task $2 $4\n", 0o755)
    go_on = pasted(done.stderr, "incomplete")
    expect(go_on and counts("attempts")["executions"] == 1, "attempts: the command tries again")


def test_cut():
    """The tasks of three waves are cut off before they have judged their race; the printed command tries again."""
    write("node", """#!/usr/bin/env python3
import ctypes, json, pathlib, sys
hash_of = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
hash_of.argtypes, hash_of.restype = [ctypes.c_char_p, ctypes.c_size_t], ctypes.c_uint64
if sys.argv[1] == "submit":
    folder = pathlib.Path(sys.argv[2])
    for n in sys.argv[4:]:
        task, result = json.loads((folder / f"tasks/{n}.json").read_text()), folder / f"results/{n}"
        (result / "judged").mkdir(parents=True)
        (result / "findings.json").write_text(task["races"])
        (result / "journal").write_text(json.dumps({"version": 1, "build": task["build"], "ended": "limit"}) + "\\n")
        sums = [(name, (result / name).read_bytes()) for name in ("journal", "findings.json")]
        (result / "sums").write_text("".join(f"{hash_of(data, len(data)):016x} {len(data)} {name}\\0" for name, data in sums))
""", 0o755)
    run(PF, "run", "--quiet", "--state", "cut", "--", "./suite", "0", ok=(66,))
    judge = [PF, "judge", "--state", "cut", "--json", "cut.json", "--schedules", "1", "--control", "3", "--met", "0", "--on", f"script:{WORK}/node"]
    for waves in (3, 6):
        done = run(*judge, ok=(2,))
        expect(len(tasks_of("cut")) == waves and "not judged within the time limit" in done.stderr, f"cut off: given up after {len(tasks_of('cut'))} waves")
    write("node", "#!/bin/sh\n" f"test $1 != submit || {PF} fleet task $2 $4\n", 0o755)
    pasted(done.stderr, "cut off", ok=0)
    classes = [f.get("class") for f in document("cut.json")["findings"]]
    expect(classes and all(classes), f"cut off: the command judges the race {classes}")


def test_error(on):
    """The pf command of a task fails: the report names the task and the reason."""
    check = run(PF, "check", *on, "--any", "--runs", "2", "--state", "error", "--", "./nothing", ok=(2,))
    named = re.search(r"incomplete: task 1 \(rounds 1 to 1\) did not end: .*no instrumented process ran", check.stderr)
    expect(named is not None, "the report names a task whose command failed")


def test_time(on):
    """--time ends a check that has more rounds than fit into it, as it does without --on."""
    check = run(PF, "check", *on, "--runs", "100000", "--time", "4s", "--seed", "1", "--state", "time", "--json", "time.json", "--", "./suite", "1")
    rounds = document("time.json")["check"]["runs"]
    expect(check.returncode in (0, 66) and 0 < rounds < 100000, f"--time ends a check on a fleet: {rounds} rounds")
    run(PF, "run", "--quiet", "--state", "brief", "--", "./suite", "0", ok=(66,))
    brief = run(PF, "judge", *on, "--state", "brief", "--time", "1ms")
    expect("1 not judged: the time was up" in brief.stdout, "--time ends a judgement on a fleet")
    write("many", "./suite wait\n" * 100)
    early = run(PF, "check", *on, "--time", "1s", "--state", "early", "--suite", "many")
    expect("incomplete: the time budget ended before everything was tried" in early.stdout, "a fleet says that its first round was cut")


def main():
    empty_work()
    (WORK / "small").mkdir()
    build("suite")
    write("tests", "".join(f"./suite {i}\n" for i in range(20)))
    write("nothing", "#!/bin/sh\nexit 0\n", 0o755)
    fake = write("bin/qsub", FAKE_PBS, 0o755)
    for name in ("qstat", "qdel"):
        (WORK / "bin" / name).symlink_to(fake)
    page = (ROOT / "docs/fleet.md").read_text()
    write("pbs.sh", page.split("For PBS:")[1].split("```sh\n")[1].split("```")[0], 0o755)
    on = ["--on", f"script:{WORK}/pbs.sh", "--tasks", "4"]

    hung = test_hung(on)
    run(*words("local"))
    folder = test_collect()
    test_foreign_node(folder)
    test_damaged(folder)
    test_full()
    test_cancel(on)
    test_attempts()
    test_cut()
    test_error(on)
    test_time(on)
    write("tests", (WORK / "tests").read_text() + """@name=variables sh -c 'test "$GIVEN" = yes && test -z "$SECRET"'\n""")
    run(*words("pbs", *on, "--any", "--env", "GIVEN"))
    expect(seen("pbs") == seen("local") and counts("pbs")["executions"] == 21, "PBS: the same findings as without --on")
    expect(counts("pbs")["passed"] == 21, "PBS: tasks get the variables of --env and no others")
    check_hung(hung)
    sys.exit(1 if wrong else 0)


main()
