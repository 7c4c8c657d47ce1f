"""memcached's own tests (t/*.t of Debian's source) as a test list for `pf suite`.

Each is a Perl script that starts servers and sends requests to them; its CPU time is that of all its processes,
including the script. Tests that need another build (TLS, SASL, external storage, the proxy), that skip themselves or
that do not pass natively within 15 seconds are excluded.
"""

import fnmatch
import subprocess
from pathlib import Path

from harness.flavour import flavours
from real import recipes

EXCLUDED = ["ssl_*", "*sasl*", "*extstore*", "daemonize*", "proxy*"]


class Memcached(recipes.Memcached):
    """The build that the tests need: the debug build, and their launcher."""
    product = "memcached/memcached-debug"

    def steps(self):
        super().steps()
        self.make("memcached", "memcached-debug", "timedrun")


def runner(path, folder):
    """Writes a script that runs a test in the folder of one build."""
    path.write_text(f'#!/bin/sh\ncd "{folder}" && exec perl "$@"\n')
    path.chmod(0o755)


def usable(folder, pattern):
    for test in sorted((folder / "t").glob("*.t")):
        if any(fnmatch.fnmatch(test.name, a) for a in EXCLUDED) or not fnmatch.fnmatch(test.name, pattern):
            continue
        try:
            done = subprocess.run(["perl", f"t/{test.name}"], cwd=folder, capture_output=True, timeout=15)
        except subprocess.TimeoutExpired:
            continue
        if done.returncode == 0 and b"# skip" not in done.stdout.lower():
            yield test.name


def tests(pf, work, pattern="*"):
    """-> the lines of a test list"""
    program = Memcached()
    program.prepare(str(work / "real"))
    folders = {f.name: Path(program.build(f)).parent for f in flavours(str(work / "real"), pf, ["native", "pf"])}
    for name, folder in folders.items():
        runner(work / f"{name}-test", folder)
    return [f"@name={t} @native={work}/native-test {work}/pf-test t/{t}" for t in usable(folders["native"], pattern)]
