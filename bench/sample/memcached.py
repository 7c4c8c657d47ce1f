"""memcached's own tests (t/*.t of Debian's source) as a list for `pf suite`.

Each is a Perl script that starts servers and talks to them; its CPU time is that of all its processes, the script
too. Tests that need another build (TLS, SASL, external storage, the proxy), that skip themselves or that do not pass natively
in 15 seconds are left out.
"""

import fnmatch
import subprocess
from pathlib import Path

from harness.flavour import flavours
from real import recipes

APART = ["ssl_*", "*sasl*", "*extstore*", "daemonize*", "proxy*"]


class Memcached(recipes.Memcached):
    """As the tests want it: the debug build, and their launcher."""
    product = "memcached/memcached-debug"

    def steps(self):
        super().steps()
        self.make("memcached", "memcached-debug", "timedrun")


def runner(path, folder):
    """A script that runs a test in the folder of one build."""
    path.write_text(f'#!/bin/sh\ncd "{folder}" && exec perl "$@"\n')
    path.chmod(0o755)


def usable(folder, pattern):
    for test in sorted((folder / "t").glob("*.t")):
        if any(fnmatch.fnmatch(test.name, a) for a in APART) or not fnmatch.fnmatch(test.name, pattern):
            continue
        try:
            done = subprocess.run(["perl", f"t/{test.name}"], cwd=folder, capture_output=True, timeout=15)
        except subprocess.TimeoutExpired:
            continue
        if done.returncode == 0 and b"# skip" not in done.stdout.lower():
            yield test.name


def tests(pf, work, pattern="*"):
    """-> lines of a list of tests"""
    program = Memcached()
    program.prepare(str(work / "real"))
    folders = {f.name: Path(program.build(f)).parent for f in flavours(str(work / "real"), pf, ["native", "pf"])}
    for name, folder in folders.items():
        runner(work / f"{name}-test", folder)
    return [f"@name={t} @native={work}/native-test {work}/pf-test t/{t}" for t in usable(folders["native"], pattern)]
