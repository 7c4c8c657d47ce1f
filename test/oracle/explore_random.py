"""explore_random.py FROM TO [-O0] - compares pf explore with brute force on random programs (explore_model.py).

Seeds FROM to TO - 1 each give one program of two or three threads. A result that brute force does not find, and a
missing one of an exploration that is called complete, are wrong. Programs with too many states are left out. The
programs that are wrong are kept in $WORK as SEED.txt. The last argument is the level of optimisation. Needs PF and
WORK, as the tests do; `make test-explore` runs 200 seeds.
Exit: 0 nothing is wrong, 1 something is.
"""

import random
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import explore_model as model
import test_explore

STATES_MAX = 60_000
RUNS = "1500"
REGISTERS_MAX = 8


class Writer:
    """Writes one random program in the language of explore_model.py."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.threads = self.chance([2, 2, 3])
        kinds = set(self.rng.sample(["var", "atom", "lock", "rwlock", "cond", "barrier", "sem", "once"], self.rng.randint(2, 4)))
        if "once" in kinds:
            kinds.add("var")
        if "cond" in kinds:
            kinds.add("lock")
        if "atom" in kinds and self.often(0.5):
            kinds.add("futex")
        self.variables = ["x", "y"][:1 + self.often(0.4)] if "var" in kinds else []
        self.locks = ["m", "n"][:1 + self.often(0.3)] if "lock" in kinds else []
        self.kinds = kinds

    def chance(self, options):
        return self.rng.choice(options)

    def often(self, probability):
        return self.rng.random() < probability

    def program(self):
        out = [f"var {v} 0" for v in self.variables] + [f"lock {m}" for m in self.locks]
        declarations = {"atom": "atom a 0", "rwlock": "rwlock w", "cond": "cond c",
                        "barrier": f"barrier b {self.chance([2, 2, self.threads])}", "sem": f"sem s {self.rng.randint(0, 1)}",
                        "once": "once o x 7"}
        out += [declarations[k] for k in sorted(self.kinds & declarations.keys())]
        for self.thread in range(self.threads):
            self.registers = []
            out.append("thread")
            for _ in range(self.rng.randint(2, 4 if self.threads == 3 else 6)):
                out += self.block(0)
        return "\n".join(out) + "\n"

    def fresh(self):
        self.registers.append(f"r{len(self.registers)}")
        return self.registers[-1]

    def value(self):
        if self.registers and self.often(0.6):
            return f"{self.chance(self.registers)} + {self.rng.randint(1, 3)}"
        return str(self.rng.randint(1, 4))

    def printed(self):
        return [f"print {self.chance(self.registers)} + {10 * self.thread}" if self.registers else f"print {self.thread + 1}"]

    def basic(self):
        """One operation that never waits."""
        if self.often(0.1):
            return ["exit"]
        if self.often(0.05) and self.registers:
            return [f"assert {self.chance(self.registers)} != {self.rng.randint(0, 3)}"]
        stores = [f"store {v} {self.value()}" for v in self.variables]
        if "atom" in self.kinds:
            stores.append(f"astore a {self.value()}")
        options = [lambda: self.printed()] + [lambda s=s: [s] for s in stores]
        if len(self.registers) < REGISTERS_MAX:
            options += [lambda v=v: [f"load {self.fresh()} {v}"] for v in 2 * self.variables]
            if "atom" in self.kinds:
                options += [lambda: [f"aload {self.fresh()} a"],
                            lambda: [f"fetchadd {self.fresh()} a {self.rng.randint(1, 2)}"],
                            lambda: [f"cas {self.fresh()} a {self.rng.randint(0, 2)} {self.rng.randint(0, 3)}"],
                            lambda: [f"exchange {self.fresh()} a {self.rng.randint(1, 4)}"],
                            lambda: [f"fetchor {self.fresh()} a {self.rng.randint(1, 3)}"]]
        return self.chance(options)()

    def maybe(self, probability):
        return self.basic() if self.often(probability) else []

    def attempt(self, operation, lock):
        r, release = self.fresh(), "rwrelease" if lock == "w" else "release"
        return [f"{operation} {r} {lock}", f"if {r}", *self.basic(), f"{release} {lock}", "else", *self.basic(), "end"]

    def section(self):
        lock = self.chance(self.locks)
        inner = self.basic() + self.maybe(0.5)
        for other in self.locks:
            if other != lock and self.often(0.3):
                inner = [f"acquire {other}", *inner, f"release {other}"]
        return [f"acquire {lock}", *inner, f"release {lock}"]

    def spin(self):
        kind = self.chance(["spin", "spin", "spinor", "spinlock"])
        if kind == "spinor":
            mask = self.rng.randint(1, 2)
            return f"spinor a {mask} {3 - mask if self.often(0.5) else 0}"
        return "spinlock a" if kind == "spinlock" else f"spin a {self.rng.randint(0, 2)}"

    def branch(self, depth):
        out = [f"if {self.chance(self.registers)} == {self.rng.randint(0, 2)}", *self.block(depth + 1)]
        if self.often(0.4):
            out += ["else", *self.block(depth + 1)]
        return [*out, "end"]

    def block(self, depth):
        """One operation that may wait, with what belongs to it."""
        options = 3 * [self.basic]
        room = len(self.registers) < REGISTERS_MAX
        if self.locks:
            options.append(self.section)
        if self.locks and room:
            options += [lambda: self.attempt("try", self.chance(self.locks)), lambda: self.attempt("timedlock", self.chance(self.locks))]
        if "rwlock" in self.kinds:
            options += [lambda: ["rdlock w", *self.basic(), "rwrelease w"], lambda: ["wrlock w", *self.basic(), "rwrelease w"]]
            if room:
                options.append(lambda: self.attempt(self.chance(["timedrd", "timedwr"]), "w"))
        if "cond" in self.kinds:
            options += 2 * [lambda: ["acquire m", *self.maybe(0.3), "wait c m", *self.maybe(0.5), "release m"],
                            lambda: ["acquire m", *self.maybe(0.3), "signal c", "release m"]]
            options += [lambda: ["acquire m", "broadcast c", "release m"], lambda: ["signal c"]]
            if room:
                options.append(lambda: ["acquire m", f"timedwait {self.fresh()} c m", *self.maybe(0.6), "release m"])
        if "barrier" in self.kinds:
            options.append(lambda: ["arrive b"])
        if "sem" in self.kinds:
            options += 2 * [lambda: ["down s"], lambda: ["up s"]]
            if room:
                options += [lambda: [f"trydown {self.fresh()} s"], lambda: [f"timeddown {self.fresh()} s"]]
                options.append(lambda: [f"count {self.fresh()} s"])
        if "futex" in self.kinds:
            options += 2 * [lambda: ["fwake a"]] + [lambda: ["fwakeall a"]]
            if room:
                options += 3 * [lambda: [f"fwait {self.fresh()} a {self.rng.randint(0, 2)}"]]
        if "once" in self.kinds:
            options += 2 * [lambda: ["once o"]]
        if "atom" in self.kinds and self.often(0.3):
            options.append(lambda: [self.spin()])
        if self.registers and depth < 2:
            options.append(lambda: self.branch(depth))
        return self.basic() if depth >= 2 else self.chance(options)()


def compare(seed, level):
    """-> (what is wrong, or an empty text; whether the exploration was called complete), or None for too many states"""
    text = Writer(seed).program()
    program = model.Program(text)
    want = model.Interpreter(program).results(STATES_MAX)
    if want is None:
        return None
    program.wants["runs"] = RUNS
    name = f"random{seed}"
    explored = test_explore.explore(name, program, level)
    got = test_explore.seen(explored)
    wrong = [f"impossible: {r}" for r in sorted(got - want)[:2]]
    # at most 1,024 results are listed
    if explored["complete"] and len(explored["results"]) < 1024:
        wrong += [f"called complete, but missing: {r}" for r in sorted(want - got)[:2]]
    for path in test_explore.WORK.glob(f"{name}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if wrong:
        (test_explore.WORK / f"{seed}.txt").write_text(text)
    return "; ".join(wrong), explored["complete"]


def main():
    test_explore.WORK.mkdir(parents=True, exist_ok=True)
    compared = complete = wrong = 0
    level = sys.argv[3] if len(sys.argv) > 3 else "-O0"
    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        result = compare(seed, level)
        if result is None:
            continue
        compared += 1
        complete += result[1]
        wrong += bool(result[0])
        if result[0]:
            print(f"seed {seed}: {result[0]}", flush=True)
    print(f"{compared} programs, {complete} called complete, {wrong} wrong")
    sys.exit(1 if wrong or not compared else 0)


main()
