"""The compared builds (flavours): their compiler and how they are run.

native and tsan are the peers. pf is built by `pf cc` and run under `pf run` (everything watched).
plain is the same binary with all checking turned off (PF_OPTIONS=plain=1): functions enter at their
bare entry. The compilers are small scripts in the work folder, so that any build system can use them
as CC and CXX.
"""
import os
import stat
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLANG, CLANGXX = "clang-19", "clang++-19"
FLAGS = ["-O2", "-g"]
ORDER = ["native", "tsan", "pf", "plain"]


class Failed(Exception):
    """Something could not be measured, with the reason; the driver prints it and continues."""


class Flavour:
    def __init__(self, name, built_as, cc, cxx, prefix, env):
        self.name = name          # in tables
        self.built_as = built_as  # folder of the build: plain uses pf's
        self.cc, self.cxx = cc, cxx
        self.prefix = prefix      # words before the command
        self.env = env            # added to the environment
        self.cc_tool = cc         # its modification time shows when the compiler changed

    def command(self, argv):
        return self.prefix + argv

    def environment(self):
        return {**os.environ, **self.env}


def script(path, words):
    """Writes a compiler script: autotools and make need a path without arguments."""
    with open(path, "w") as f:
        f.write("#!/bin/sh\nexec %s \"$@\"\n" % " ".join(words))
    os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
    return path


def find_pf(given):
    for path in [given, os.environ.get("PF"), os.path.join(ROOT, "build/stage/bin/pf")]:
        if path:
            path = os.path.abspath(path)
            if os.access(path, os.X_OK):
                return path
    return None


def flavours(work, pf, names, run_options=()):
    """-> the requested flavours, in the order in which they alternate"""
    os.makedirs(work, exist_ok=True)
    made = []
    for name in ORDER:
        if name not in names:
            continue
        if name == "native":
            made.append(Flavour(name, name, CLANG, CLANGXX, [], {}))
        elif name == "tsan":
            cc = script(os.path.join(work, "tsan-cc"), [CLANG, "-fsanitize=thread"])
            cxx = script(os.path.join(work, "tsan-c++"), [CLANGXX, "-fsanitize=thread"])
            made.append(Flavour(name, name, cc, cxx, [], {}))
        elif pf is None:
            print("bench: no pf found (--pf FILE): skipping %s" % name, file=sys.stderr)
        else:
            cc = script(os.path.join(work, "pf-cc"), [pf, "cc"])
            cxx = script(os.path.join(work, "pf-c++"), [pf, "c++"])
            if name == "pf":
                prefix, env = [pf, "run", *run_options, "--"], {}
            else:
                prefix, env = [], {"PF_OPTIONS": "plain=1"}
            made.append(Flavour(name, "pf", cc, cxx, prefix, env))
            made[-1].cc_tool = pf
    return made


def run_quietly(argv, cwd=None, env=None, log=None):
    """Runs a build step: silent on success; raises Failed with its output otherwise."""
    done = subprocess.run(argv, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    if log:
        with open(log, "a") as f:
            f.write("$ %s\n%s" % (" ".join(argv), done.stdout))
    if done.returncode:
        raise Failed("%s: exit status %d\n%s" % (" ".join(argv), done.returncode,
                                                 done.stdout[-3000:]))
    return done.stdout
