"""program.py - builds and runs one program test and compares what is found with what is wanted.

    program.py [--pf PF] [--level O0] [--runs N] [--work DIR] [--tsan | --sample LIST | --direct S,R |
        --predict R | --flip] FILE...

Without --level: every level the test names. --tsan uses clang-19 -fsanitize=thread in place of
photofinish, to check the expectations (variables, complete stacks and the like are then not compared).
--sample runs the program under each of the sampling policies: what is found must be wanted, with the
stacks that are wanted, but nothing need be found.
--direct records the program in directed mode with S seeds and replays each recording R times; in
the trace of a race-free program everything must be ordered. (What may happen in other orders is not asked: order.h is
no synchronisation that an analysis could see.)
--predict records it with two seeds: pf predict takes the recordings and names only races that are wanted, and R
replays of each one's witness reach the race.
--flip records it with both orders of the accesses of each race that is wanted (flips.py).
Exit: 0 as wanted, 1 not, 2 usage. test/program/README.md says what is compared.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parents[1] / "oracle"))
import flips
from detector import differences
from expectation import BadTest, Expectation
from findings import BadFindings, read_json, read_tsan

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 120
FREE_TIMEOUT = 20  # without the order that it was written for, a program may wait for ever
FOUND = 66


class Failure(Exception):
    pass


class Endless(Failure):
    pass


def command(words, limit=TIMEOUT, **more):
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=limit,
                              **more)
    except subprocess.TimeoutExpired as e:
        raise Endless(f"no end after {limit} s: {shlex.join(map(str, words))}\n{e.stderr or ''}")


class Photofinish:
    name = "photofinish"

    def __init__(self, pf):
        self.pf = pf

    def compiler(self, cxx):
        return [self.pf, "c++" if cxx else "cc"]

    def run(self, test, program, work):
        out = work / "findings.json"
        out.unlink(missing_ok=True)
        words = [self.pf, "run", "--json", out, *test.pf_options(), "--", program, *test.args()]
        result = command(words, cwd=work, input=test.stdin(), env=os.environ | test.environment())
        findings, complete = read_json(out, {f.name for f in test.files()})
        if complete is not True:
            raise Failure("the result is not complete")
        return findings, result

    def oracle(self, test, program, work):
        """One more run with the log of its events, for the naive detector."""
        log = work / "oracle.log"
        env = {"PF_OPTIONS": f"oracle_log={log}:quiet=1:exitcode=0"}
        command([program, *test.args()], cwd=work, input=test.stdin(),
                env=os.environ | test.environment() | env)
        lines = log.read_text().splitlines()
        wrong = differences(lines)
        if bool(test.races) != any(" race " in line for line in lines):
            wrong.append(f"races in its log, wanted: {bool(test.races)}")
        if wrong:
            raise Failure("the oracle differs:\n" + "\n".join(wrong[:20]))

    exact = True


class Directed(Photofinish):
    """Recorded under several policies, each recording replayed: the same output and status. (That the
    threads did the same, event by event, the replay compares itself.)"""

    def __init__(self, pf, seeds, replays):
        super().__init__(pf)
        self.seeds, self.replays = seeds, replays

    def check(self, test, program, work):
        if test.no_direct():
            return
        clip = work / "direct.clip"
        env = os.environ | test.environment() | {"PF_OPTIONS": "quiet=1:exitcode=0"}
        for seed in range(1, self.seeds + 1):
            policy = ["random:%d", "pos:%d", "pct:%d,3", "rr:%d"][(seed - 1) % 4] % seed
            words = [self.pf, "record", "-o", clip, f"--schedule={policy}", "--", program, *test.args()]
            first = command(words, cwd=work, input=test.stdin(), env=env)
            if not test.races and first.returncode != test.own_status() or \
                    test.stdout() is not None and first.stdout.splitlines() != test.stdout():
                raise Failure(f"recorded with {policy}: exit status {first.returncode}, output "
                              f"{first.stdout!r}\n{first.stderr}")
            for _ in range(self.replays):
                again = command([self.pf, "replay", clip], cwd=work, input="", env=env)
                if (again.returncode, again.stdout) != (first.returncode, first.stdout):
                    raise Failure(f"replayed, recorded with {policy}: exit status {again.returncode} "
                                  f"for {first.returncode}, output {again.stdout!r} for "
                                  f"{first.stdout!r}\n{again.stderr}")
        found = None if test.races else command([self.pf, "predict", "--analysis=hb", clip], cwd=work, env=env)
        if found and found.returncode:
            raise Failure(f"predicted from a recording with {policy}:\n{found.stdout}{found.stderr}")


class Sampled(Photofinish):
    """The same under sampling policies, one after the other; the state is kept from run to run."""

    def __init__(self, pf, policies):
        super().__init__(pf)
        self.policies = policies

    def check(self, test, program, work):
        options = test.pf_options()
        for policy in self.policies:
            out = work / "findings.json"
            out.unlink(missing_ok=True)
            words = [self.pf, "run", "--json", out, f"--sample={policy}", "--state", work / "state",
                     *options, "--", program, *test.args()]
            result = command(words, cwd=work, input=test.stdin(), env=os.environ | test.environment())
            findings, complete = read_json(out, {f.name for f in test.files()})
            wanted = {race.lines() for race in test.races}
            wrong = [f"not wanted:\n{f}" for f in findings if f.lines() not in wanted]
            wrong += [w for w in compare_stacks(test, findings) if not w.startswith("no access")]
            status = FOUND if findings else test.own_status()
            if result.returncode != status or complete is not True:
                wrong.append(f"exit status {result.returncode}, {status} wanted; complete: {complete}")
            if test.stdout() is not None and result.stdout.splitlines() != test.stdout():
                wrong.append(f"standard output is {result.stdout.splitlines()}, {test.stdout()} wanted")
            if wrong:
                raise Failure(f"--sample={policy}:\n" + "\n".join(wrong) + "\n" + result.stderr)


class Predicted(Photofinish):
    """Recorded under several seeds: predict takes each recording, and names only races that are wanted; each
    has a clip, and all replays of it come to the race. Where the order of the threads is made by means that no
    trace can see (order.h, turns.h), names are not compared, and the clips are of a program without that
    order."""

    def __init__(self, pf, replays):
        super().__init__(pf)
        self.replays = replays
        self.witnesses = 0

    def check(self, test, program, work, free):
        if test.no_direct():
            return
        for policy in ("random:1", "pos:2"):
            self.predict(test, program, work, policy, free is None, free is None and not test.no_witness())
            if free and not test.no_witness():
                self.predict(test, free, work, policy, False, True)

    def predict(self, test, program, work, policy, exact, clips):
        clip, out = work / "predicted.clip", work / "findings.json"
        env = os.environ | test.environment() | {"PF_OPTIONS": "quiet=1:exitcode=0"}
        free = clips and not exact
        try:
            command([self.pf, "record", "-o", clip, f"--schedule={policy}", "--", program, *test.args()],
                    limit=FREE_TIMEOUT if free else TIMEOUT, cwd=work, input=test.stdin(), env=env)
        except Endless:
            if not free:
                raise
            print(f"left out: {test.path} without its order, which it needs to end ({policy})", flush=True)
            return
        out.unlink(missing_ok=True)
        said = command([self.pf, "predict", "--json", out, *(["--clips", work / "clips"] if clips else []), clip],
                       cwd=work, input=test.stdin() or "", env=env)
        if said.returncode not in (0, FOUND):
            raise Failure(f"predict, recorded with {policy}: status {said.returncode}\n{said.stderr}")
        findings, _ = read_json(out, {f.name for f in test.files()}, "predicted")
        wanted = {race.lines() for race in test.races}
        wrong = [f"not wanted:\n{f}" for f in findings if exact and f.lines() not in wanted]
        if wrong:
            raise Failure(f"predict, recorded with {policy}:\n" + "\n".join(wrong) + "\n" + said.stdout)
        for race in json.loads(out.read_text())["findings"] if clips else []:
            if not race["clip"]:
                raise Failure(f"predict, recorded with {policy}: a witness was not reached\n{said.stdout}")
            self.replay(race["clip"], work, env)

    def replay(self, clip, work, env):
        self.witnesses += 1
        for k in range(self.replays):
            again = command([self.pf, "replay", "--quiet", "--until", "race", clip], cwd=work, input="", env=env)
            if "stopped before" not in again.stderr:
                raise Failure(f"replay {k + 1} of {clip} did not come to the race: {again.stderr}")


class Flipped(Photofinish):
    """Both orders of every race that is wanted, or "infeasible" and why. Nobody waits at order points."""

    def compiler(self, cxx):
        return [*super().compiler(cxx), "-DORDER_FREE"]

    def check(self, test, program, work):
        if test.no_direct():
            return
        wrong, done, infeasible, unmet = flips.check(self.pf, test, program, work)
        print(f"{test.path.stem}: {done} flips, {infeasible} infeasible" +
              "".join(f"\n  not met: {race}" for race in unmet), flush=True)
        if wrong:
            raise Failure("\n".join(wrong))


class ThreadSanitizer:
    name = "tsan"
    exact = False

    def compiler(self, cxx):
        return ["clang++-19" if cxx else "clang-19", "-fsanitize=thread", "-g"]

    def run(self, test, program, work):
        options = ("history_size=7:detect_deadlocks=0:report_thread_leaks=0:report_mutex_bugs=0:"
                   "report_signal_unsafe=0:external_symbolizer_path=/usr/bin/llvm-symbolizer-19")
        result = command([program, *test.args()], cwd=work, input=test.stdin(),
                         env=os.environ | {"TSAN_OPTIONS": options} | test.environment())
        return read_tsan(result.stderr, {f.name for f in test.files()}), result


def build(tool, test, level, work, *more):
    common = [f"-{level}", f"-I{ROOT / 'test/program'}", *test.compile_flags(), *more]
    compiler = tool.compiler(test.is_cxx())
    for name, sources in test.shared:
        cxx = any(s.suffix == ".cpp" for s in sources)
        compile_and_show([*tool.compiler(cxx), *common, "-fPIC", "-shared", "-o", work / name, *sources])
    program = work / test.path.stem
    compile_and_show([*compiler, *common, "-pthread", "-o", program, *test.sources, f"-L{work}",
                      "-Wl,-rpath,$ORIGIN", *test.link_flags()])
    return program


def compile_and_show(words):
    result = command(words)
    if result.returncode or result.stderr.strip():
        raise Failure(f"building said (status {result.returncode}): {shlex.join(map(str, words))}\n"
                      f"{result.stdout}{result.stderr}")


def compare(tool, test, findings, result):
    """-> the list of what is wrong."""
    wrong = []
    for race in test.races:
        same = [f for f in findings if f.lines() == race.lines()]
        if not same:
            wrong.append(f"missing: {race}")
        elif tool.exact and not any(race.matches(f) for f in same):
            wrong.append(f"found, but not with this kind of access or variable: {race}")
    wanted = {race.lines() for race in test.races}
    wrong += [f"not wanted:\n{f}" for f in findings if f.lines() not in wanted]
    status = FOUND if test.races else test.own_status()
    if result.returncode != status:
        wrong.append(f"exit status {result.returncode}, {status} wanted")
    if test.stdout() is not None and result.stdout.splitlines() != test.stdout():
        wrong.append(f"standard output is {result.stdout.splitlines()}, {test.stdout()} wanted")
    if tool.exact:
        wrong += compare_stacks(test, findings)
    return wrong


def compare_stacks(test, findings):
    wrong = []
    for place, functions in test.stacks:
        stacks = [a.functions() for f in findings for a in f.accesses if place.matches(a)]
        if not stacks:
            wrong.append(f"no access at {place}")
        wrong += [f"stack at {place} is {s}, {functions} wanted" for s in stacks if s != functions]
    return wrong


def run_level(tool, test, level, runs, work):
    program = build(tool, test, level, work)
    if isinstance(tool, Predicted):
        free = None
        if any(s in f.read_text() for f in test.files() for s in ('"order.h"', '"turns.h"')):
            (work / "free").mkdir(exist_ok=True)
            free = build(tool, test, level, work / "free", "-DORDER_FREE")
        tool.check(test, program, work, free)
        return
    if isinstance(tool, (Sampled, Directed, Flipped)):
        for run in range(runs):
            tool.check(test, program, work)
        return
    for run in range(1, runs + 1):
        findings, result = [], None
        try:
            findings, result = tool.run(test, program, work)
            wrong = compare(tool, test, findings, result)
        except BadFindings as e:
            wrong = [f"bad JSON: {e}"]
        if wrong:
            said = f"\n--- the program's stderr:\n{result.stderr}" if result else ""
            raise Failure(f"run {run} of {runs}:\n" + "\n".join(wrong) + said)
    if tool.exact and not test.no_oracle():
        tool.oracle(test, program, work)


def run_test(tool, path, level, runs, work):
    test = Expectation(path)
    if not tool.exact and test.peer_differs():
        print(f"left out: {path}: {test.peer_differs()}")
        return
    for each in [level] if level else test.levels():
        folder = Path(work or tempfile.mkdtemp(prefix="pf-test-")).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            run_level(tool, test, each, runs, folder)
        except Failure as e:
            raise Failure(f"{path} at -{each}: {e}")
        if not work:
            subprocess.run(["rm", "-rf", folder], check=True)


def main():
    p = argparse.ArgumentParser(description="run program tests")
    p.add_argument("--pf", default=str(ROOT / "build/stage/bin/pf"))
    p.add_argument("--level")
    p.add_argument("--runs", type=int, default=int(os.environ.get("PF_TEST_RUNS", "5")))
    p.add_argument("--work")
    p.add_argument("--tsan", action="store_true")
    p.add_argument("--sample", help="policies, separated by commas")
    p.add_argument("--direct", help="seeds and replays of each, with a comma between")
    p.add_argument("--predict", type=int, metavar="R")
    p.add_argument("--flip", action="store_true")
    p.add_argument("files", nargs="+")
    args = p.parse_args()
    tool = (ThreadSanitizer() if args.tsan else
            Sampled(args.pf, args.sample.split(",")) if args.sample else
            Directed(args.pf, *map(int, args.direct.split(","))) if args.direct else
            Predicted(args.pf, args.predict) if args.predict else
            Flipped(args.pf) if args.flip else Photofinish(args.pf))
    failed = 0
    for path in args.files:
        try:
            run_test(tool, path, args.level, args.runs, args.work)
        except (Failure, BadTest) as e:
            print(f"FAILED {e}")
            failed += 1
        else:
            print(f"ok {path}", flush=True)
    if isinstance(tool, Predicted):
        print(f"{tool.witnesses} witnesses, each reached {tool.replays} times of {tool.replays}, {failed} programs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
