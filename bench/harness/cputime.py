"""CPU seconds of a command and all its children, to the microsecond."""
import os
import resource
import subprocess

from harness.flavour import Failed


def used():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def cpu_of(words, folder, one_core=False):
    """-> (CPU seconds, standard output). Raises Failed with the command's message."""
    one = min(os.sched_getaffinity(0))
    before = used()
    done = subprocess.run([str(w) for w in words], cwd=folder, capture_output=True, timeout=600,
                          preexec_fn=(lambda: os.sched_setaffinity(0, {one})) if one_core else None)
    if done.returncode:
        raise Failed("%s: exit status %d\n%s" % (" ".join(map(str, words)), done.returncode,
                                                 done.stderr[:2000].decode(errors="replace")))
    return used() - before, done.stdout


def cpu_apart(words, folder):
    """-> (CPU seconds of pf itself, of the program it runs); resolution 10 ms"""
    p = subprocess.Popen([str(w) for w in words], cwd=folder, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE)
    message = p.stderr.read()
    os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)  # it has ended and is still a zombie
    with open("/proc/%d/stat" % p.pid) as f:
        own, system, child, child_system = (int(w) for w in f.read().rpartition(")")[2].split()[11:15])
    if p.wait():
        raise Failed("%s: exit status %d\n%s" % (" ".join(map(str, words)), p.returncode,
                                                 message[:2000].decode(errors="replace")))
    tick = os.sysconf("SC_CLK_TCK")
    return (own + system) / tick, (child + child_system) / tick
