"""The kernels in bench/prog, and the programs of bench/subject/shape and bench/holdout: a file dropped there becomes
one. Its sizes are in its head comment, `bench: size=… quick=… contention=…`, and `record=…` where directed mode needs
a longer run."""
import glob
import os
import re

from harness.flavour import FLAGS, ROOT, run_quietly

COMMON = os.path.join(ROOT, "bench/prog")
# part of bench/run -> its folder
FOLDERS = {"kernels": COMMON, "shapes": os.path.join(ROOT, "bench/subject/shape"),
           "holdout": os.path.join(ROOT, "bench/holdout")}


class Kernel:
    def __init__(self, path):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        with open(path) as f:
            head = re.search(r"bench: (.*)", f.read())
        self.sizes = dict(word.split("=") for word in head.group(1).split())

    def recorded_size(self):
        return self.sizes.get("record", self.sizes["size"])

    def build(self, flavour, work):
        folder = os.path.join(work, flavour.built_as)
        os.makedirs(folder, exist_ok=True)
        out = os.path.join(folder, self.name)
        compiler = flavour.cxx if self.path.endswith(".cc") else flavour.cc
        newest = max(os.path.getmtime(f) for f in [self.path, os.path.join(COMMON, "bench.h")])
        if flavour.built_as == "pf" or not os.path.exists(out) or os.path.getmtime(out) < newest:
            run_quietly([compiler, *FLAGS, "-pthread", "-I" + COMMON, self.path, "-o", out, "-lm"])
        return out

    def job(self, binary, threads, size):
        return KernelJob(self, binary, [str(threads), self.sizes[size]])


class KernelJob:
    races_known = False

    def __init__(self, kernel, binary, args):
        self.name, self.binary, self.args = kernel.name, binary, args

    def argv(self, scratch):
        return [self.binary] + self.args

    def drive(self, out):
        pass


def all_kernels(part="kernels"):
    """-> the programs of a part, by name"""
    files = glob.glob(os.path.join(FOLDERS[part], "*.c")) + glob.glob(os.path.join(FOLDERS[part], "*.cc"))
    return [Kernel(path) for path in sorted(files)]
