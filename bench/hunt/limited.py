"""Runs a command until it has used a given CPU time: on a busy machine, elapsed time says little."""

import os
import signal
import subprocess
import time
from pathlib import Path


def cpu(pid):
    """-> CPU seconds of the process, of its children, and of the processes that these have waited for"""
    used = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        if pid in (int(stat.parent.name), int(words[1])):
            used += sum(map(int, words[11:15]))
    return used / os.sysconf("SC_CLK_TCK")


def run_limited(words, seconds, is_done, **more):
    """Interrupts the command after so many CPU seconds, or once is_done(seconds so far) is true. -> its status, CPU seconds"""
    used, ending = 0, False
    p = subprocess.Popen(words, **more)
    try:
        while p.poll() is None:
            used = max(used, cpu(p.pid))
            if not ending and (used > seconds or is_done(used)):
                ending = True
                p.send_signal(signal.SIGINT)  # a second one would kill it
            time.sleep(0.5)
    finally:
        if p.poll() is None:
            p.kill()
    return p.returncode, used
