"""Measures single runs of a command, and the medians of alternating runs.

The main figure is CPU time (user + system), since the machine may be shared; wall time and peak
resident memory are kept too. The output of a program must be the same in every flavour.
"""
import hashlib
import os
import signal
import statistics
import subprocess
import sys
import tempfile

from harness.flavour import CLANG, ROOT, Failed, run_quietly

TIMEOUT = 1800


class Cost:
    def __init__(self, user, system, rss, wall, status):
        self.cpu = (user + system) / 1e6  # seconds
        self.rss = rss / 1024.0           # MiB
        self.wall = wall / 1e6
        self.status = status


def build_launcher(work):
    """-> the path of the launcher. From now on SIGTERM also ends the measured program."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    path = os.path.join(work, "measure")
    run_quietly([CLANG, "-O2", "-Wall", "-Wextra", "-Werror", "-static",
                 os.path.join(ROOT, "bench/measure.c"), "-o", path])
    return path


def run_once(launcher, flavour, job, cwd):
    """-> (cost of one run, digest of its output)"""
    with tempfile.TemporaryDirectory(dir=cwd) as scratch:
        figures, out = os.path.join(scratch, "figures"), os.path.join(scratch, "out")
        err = os.path.join(scratch, "err")
        argv = [launcher, figures] + flavour.command(job.argv(scratch))
        with open(out, "w+b") as o, open(err, "w+b") as e:
            child = subprocess.Popen(argv, stdout=o, stderr=e, stdin=subprocess.DEVNULL,
                                     env=flavour.environment(), cwd=scratch,
                                     start_new_session=True)
            try:
                job.drive(o)
                child.wait(TIMEOUT)
            except (subprocess.SubprocessError, OSError) as problem:
                raise Failed("%s %s: %s\n%s" % (flavour.name, job.name, problem, head(e)))
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
            if child.returncode:
                raise Failed("%s %s: could not be measured" % (flavour.name, job.name))
            with open(figures) as f:
                cost = Cost(*[int(word) for word in f.read().split()])
            cost.messages = head(e, 1 << 20)
            if cost.status and not (cost.status == 66 and job.races_known):
                raise Failed("%s %s: exit status %d\n%s" % (flavour.name, job.name, cost.status,
                                                            head(e)))
            o.seek(0)
            return cost, hashlib.sha256(o.read()).hexdigest()


def head(file, size=3000):
    file.seek(0)
    return file.read(size).decode(errors="replace")


def median(costs):
    """-> the median of each figure separately"""
    return {"cpu": statistics.median(c.cpu for c in costs),
            "wall": statistics.median(c.wall for c in costs),
            "rss": statistics.median(c.rss for c in costs),
            "cpus": [round(c.cpu, 3) for c in costs]}


def compare(launcher, flavours, job_of, runs, cwd):
    """-> ({flavour: medians} of a job, problems); job_of(flavour) may raise Failed for one flavour"""
    jobs, costs, digests, problems = {}, {}, {}, []
    for flavour in flavours:
        try:
            jobs[flavour.name] = job_of(flavour)
            costs[flavour.name] = []
        except Failed as why:
            problems.append(str(why))
    for _ in range(runs):
        for flavour in flavours:
            if flavour.name not in costs:
                continue
            try:
                cost, digest = run_once(launcher, flavour, jobs[flavour.name], cwd)
                costs[flavour.name].append(cost)
                digests.setdefault(digest, flavour.name)
            except Failed as why:
                problems.append(str(why))
                del costs[flavour.name]
    if len(digests) > 1:
        problems.append("results differ between " + " and ".join(sorted(digests.values())))
    return {name: median(list_) for name, list_ in costs.items() if list_}, problems
