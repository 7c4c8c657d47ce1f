"""fleet_tools.py - what the tests of fleets (fleet*.py) have in common. All commands run in $WORK."""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

PF, ROOT, WORK = os.environ["PF"], Path(os.environ["ROOT"]), Path(os.environ["WORK"])
wrong = []
began = time.monotonic()


def empty_work():
    """Makes $WORK an empty folder. A test that was killed may have left file systems mounted there."""
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for folder in mounted:
        if folder.startswith(f"{WORK}/"):
            subprocess.run(["umount", "-l", folder])
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)


def expect(condition, text):
    print(f"{time.monotonic() - began:5.1f} s {'ok' if condition else 'WRONG'}: {text}", flush=True)
    if not condition:
        wrong.append(text)


def run(*words, env=None, ok=(0, 66), cwd=WORK):
    done = subprocess.run([str(w) for w in words], cwd=cwd, env=env, capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
    if done.returncode not in ok:
        sys.exit(f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def start(*words, env=None):
    return subprocess.Popen([str(w) for w in words], cwd=WORK, env=env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(ready, process=None, seconds=120):
    """Waits until ready() is true. False: the process has ended, or the time is up."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end or (process and process.poll() is not None):
            return False
        time.sleep(0.05)
    return True


def document(name):
    return json.loads((WORK / name).read_text())


def findings(name, *members):
    """The findings of a document as a set of (id, members...)."""
    return {(f["id"], *(f.get(m) for m in members)) for f in document(name)["findings"]}


def fleet_folder(state):
    links = sorted((WORK / state / "fleet").glob("*.link"))
    return Path(links[-1].read_text()) if links else None


def done_tasks(state):
    folder = fleet_folder(state)
    return len(list((folder / "done").glob("*.json"))) if folder and (folder / "done").exists() else 0
