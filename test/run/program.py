"""program.py - builds and runs program tests and compares the findings with the expected ones.

    program.py [--pf PF] [--level O0] [--runs N] [--work DIR] [--tsan | --sample LIST | --direct S,R |
        --predict R | --flip] FILE...

Without --level: every level that the test names. --tsan uses clang-19 -fsanitize=thread instead of
photofinish, to check the expectations themselves (variables and complete stacks are then not compared).
--sample runs the program under each of the sampling policies: every finding must be an expected one, with
the expected stacks, but expected findings may be missing.
--direct records the program in directed mode with S seeds and replays each recording R times; in
the trace of a race-free program, happens-before must order all conflicting accesses. (Predictions of other
orders are not checked: no analysis can see the synchronisation of order.h.)
--predict records the program with two seeds: pf predict must predict only expected races, and R replays
of each witness must reach the race.
--flip records the program with both orders of the accesses of each expected race (flips.py).
Exit: 0 as expected, 1 not, 2 usage. test/program/README.md describes what is compared.
"""

import argparse
import json
import os
import resource
import shlex
import shutil
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
FREE_TIMEOUT = 20  # a program built with ORDER_FREE may wait forever
FOUND = 66


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Failure(Exception):
    pass


class Endless(Failure):
    pass


def command(words, limit=TIMEOUT, **more):
    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=limit,
                              **more)
    except subprocess.TimeoutExpired as e:
        raise Endless(f"still running after {limit} s: {shlex.join(map(str, words))}\n{e.stderr or ''}")


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
        """Runs once more with a log of its events, and compares with the naive detector."""
        log = work / "oracle.log"
        env = {"PF_OPTIONS": f"oracle_log={log}:quiet=1:exitcode=0"}
        command([program, *test.args()], cwd=work, input=test.stdin(),
                env=os.environ | test.environment() | env)
        lines = log.read_text().splitlines()
        wrong = differences(lines)
        if bool(test.races) != any(" race " in line for line in lines):
            wrong.append(f"races expected in its log: {bool(test.races)}, found the opposite")
        if wrong:
            raise Failure("the oracle disagrees:\n" + "\n".join(wrong[:20]))

    def check_cases(self, test, program, work):
        """Runs the cases of the test. A recording must replay with the same status and output; the cases after it
        are about this recording, as far as they do not run the program themselves."""
        recordings = []
        for case in test.cases:
            env = os.environ | test.environment() | case.environment()
            if case.command.split()[0] in ("run", "record"):
                recordings = []
            for number, (verb, options, arguments) in enumerate(case.commands()):
                if verb == "run":
                    self.command(case, env, work, [self.pf, "run", *options, "--", program, *arguments])
                elif verb == "record":
                    recordings.append(work / f"case.{number}.clip")
                    words = [self.pf, "record", "-o", recordings[-1], *options, "--", program, *arguments]
                    recorded = self.command(case, env, work, words)
                    again = command([self.pf, "replay", recordings[-1]], cwd=work, input="", env=env)
                    if (again.returncode, again.stdout) != (recorded.returncode, recorded.stdout):
                        raise Failure(f"{shlex.join(map(str, words))}: status {recorded.returncode}, output "
                                      f"{recorded.stdout!r}; its replay: status {again.returncode}, output "
                                      f"{again.stdout!r}\n{again.stderr}")
                else:
                    for clip in recordings:
                        self.command(case, env, work, [self.pf, verb, *options, clip])

    @staticmethod
    def command(case, env, work, words):
        shutil.rmtree(f"{words[-1]}.hatched", ignore_errors=True)
        result = command(words, cwd=work, input=case.stdin(), env=env, preexec_fn=no_core)
        if wrong := case.wrong(result):
            raise Failure("\n".join([shlex.join(map(str, words)), *wrong, result.stdout, result.stderr]))
        return result

    exact = True


class Directed(Photofinish):
    """Records under several policies and replays each recording: output and status must be the same. (The
    replay itself checks that the threads do the same, event by event.)"""

    def __init__(self, pf, seeds, replays):
        super().__init__(pf)
        self.seeds, self.replays = seeds, replays

    def check(self, test, program, work):
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
                    raise Failure(f"replay of a recording with {policy}: exit status {again.returncode}, "
                                  f"expected {first.returncode}; output {again.stdout!r}, expected "
                                  f"{first.stdout!r}\n{again.stderr}")
        found = None if test.races else command([self.pf, "predict", "--analysis=hb", clip], cwd=work, env=env)
        if found and found.returncode:
            raise Failure(f"hb finds races in a recording with {policy}:\n{found.stdout}{found.stderr}")


class Sampled(Photofinish):
    """Runs under each sampling policy in turn; the state folder is kept from run to run."""

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
            wrong = [f"unexpected:\n{f}" for f in findings if f.lines() not in wanted]
            wrong += [w for w in compare_stacks(test, findings) if not w.startswith("no access")]
            status = FOUND if findings else test.own_status()
            if result.returncode != status or complete is not True:
                wrong.append(f"exit status {result.returncode}, expected {status}; complete: {complete}")
            if test.stdout() is not None and result.stdout.splitlines() != test.stdout():
                wrong.append(f"standard output is {result.stdout.splitlines()}, expected {test.stdout()}")
            if wrong:
                raise Failure(f"--sample={policy}:\n" + "\n".join(wrong) + "\n" + result.stderr)


class Predicted(Photofinish):
    """Records with two policies: pf predict must predict only expected races; each must have a clip, and every
    replay of the clip must reach the race. order.h and turns.h order threads by means that no trace contains. For
    programs that use them the predicted races are not compared, and the clips come from a build without that order
    (ORDER_FREE)."""

    def __init__(self, pf, replays):
        super().__init__(pf)
        self.replays = replays
        self.witnesses = 0

    def check(self, test, program, work, free):
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
            print(f"skipped: {test.path} does not end when built with ORDER_FREE ({policy})", flush=True)
            return
        out.unlink(missing_ok=True)
        said = command([self.pf, "predict", "--json", out, *(["--clips", work / "clips"] if clips else []), clip],
                       cwd=work, input=test.stdin() or "", env=env)
        if said.returncode not in (0, FOUND):
            raise Failure(f"predict, recorded with {policy}: status {said.returncode}\n{said.stderr}")
        # A race or a missing order point may make a recorded run fail; a race-free program must not fail otherwise.
        findings, _ = read_json(out, {f.name for f in test.files()}, "predicted",
                                skip_failures=bool(test.races) or free)
        wanted = {race.lines() for race in test.races}
        wrong = [f"unexpected:\n{f}" for f in findings if exact and f.lines() not in wanted]
        if wrong:
            raise Failure(f"predict, recorded with {policy}:\n" + "\n".join(wrong) + "\n" + said.stdout)
        for race in json.loads(out.read_text())["findings"] if clips else []:
            if race["kind"] != "race":
                continue
            if not race["clip"]:
                raise Failure(f"predict, recorded with {policy}: the run of a witness did not reach the race\n{said.stdout}")
            self.replay(race["clip"], work, env)

    def replay(self, clip, work, env):
        self.witnesses += 1
        for k in range(self.replays):
            again = command([self.pf, "replay", "--quiet", "--until", "race", clip], cwd=work, input="", env=env)
            if "stopped before" not in again.stderr:
                raise Failure(f"replay {k + 1} of {clip} did not reach the race: {again.stderr}")


class Flipped(Photofinish):
    """Records both orders of every expected race; pf may answer "infeasible" with a reason. Built with ORDER_FREE, so
    that no thread waits at the order points of order.h."""

    def compiler(self, cxx):
        return [*super().compiler(cxx), "-DORDER_FREE"]

    def check(self, test, program, work):
        wrong, done, infeasible, unmet = flips.check(self.pf, test, program, work)
        print(f"{test.path.stem}: {done} flips, {infeasible} infeasible" +
              "".join(f"\n  accesses not found in any trace: {race}" for race in unmet), flush=True)
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
        raise Failure(f"the build printed messages or failed (status {result.returncode}): {shlex.join(map(str, words))}\n"
                      f"{result.stdout}{result.stderr}")


def compare(tool, test, findings, result):
    """-> a list of differences, empty if the run is as expected."""
    wrong = []
    for race in test.races:
        same = [f for f in findings if f.lines() == race.lines()]
        if not same:
            wrong.append(f"missing: {race}")
        elif tool.exact and not any(race.matches(f) for f in same):
            wrong.append(f"found, but with another kind of access or variable: {race}")
    wanted = {race.lines() for race in test.races}
    wrong += [f"unexpected:\n{f}" for f in findings if f.lines() not in wanted]
    status = FOUND if test.races else test.own_status()
    if result.returncode != status:
        wrong.append(f"exit status {result.returncode}, expected {status}")
    if test.stdout() is not None and result.stdout.splitlines() != test.stdout():
        wrong.append(f"standard output is {result.stdout.splitlines()}, expected {test.stdout()}")
    if tool.exact:
        wrong += compare_stacks(test, findings)
        causes = len({f.group for f in findings})
        if test.causes() not in (None, causes):
            wrong.append(f"the findings have {causes} causes, expected {test.causes()}")
    return wrong


def compare_stacks(test, findings):
    wrong = []
    for place, functions in test.stacks:
        stacks = [a.functions() for f in findings for a in f.accesses if place.matches(a)]
        if not stacks:
            wrong.append(f"no access at {place}")
        wrong += [f"stack at {place} is {s}, expected {functions}" for s in stacks if s != functions]
    return wrong


def run_level(tool, test, level, runs, work):
    program = build(tool, test, level, work)
    if isinstance(tool, Predicted):
        free = None
        if test.has_hidden_order():
            (work / "free").mkdir(exist_ok=True)
            free = build(tool, test, level, work / "free", "-DORDER_FREE")
        tool.check(test, program, work, free)
        return
    if isinstance(tool, (Sampled, Directed, Flipped)):
        for run in range(runs):
            tool.check(test, program, work)
        return
    for run in range(1, runs + 1 if test.wants() else 1):
        findings, result = [], None
        try:
            findings, result = tool.run(test, program, work)
            wrong = compare(tool, test, findings, result)
        except BadFindings as e:
            wrong = [f"bad JSON: {e}"]
        if wrong:
            said = f"\n--- the program's stderr:\n{result.stderr}" if result else ""
            raise Failure(f"run {run} of {runs}:\n" + "\n".join(wrong) + said)
    if tool.exact and test.wants() and not test.no_oracle():
        tool.oracle(test, program, work)
    if tool.exact:
        tool.check_cases(test, program, work)


def run_test(tool, path, level, runs, work):
    """True if the test ran, False if it was skipped (the reason is printed)."""
    test = Expectation(path)
    if type(tool) is not Photofinish and not test.wants():
        print(f"skipped: {path}: has only cases")
        return False
    if isinstance(tool, (Directed, Flipped, Predicted)) and test.no_direct():
        print(f"skipped: {path}: {test.no_direct()}")
        return False
    if isinstance(tool, Predicted) and test.no_witness():
        print(f"skipped: {path}: its witnesses: {test.no_witness()}")
    if not tool.exact and test.peer_differs():
        print(f"skipped: {path}: {test.peer_differs()}")
        return False
    for each in [level] if level else test.levels():
        folder = Path(work or tempfile.mkdtemp(prefix="pf-test-")).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            run_level(tool, test, each, runs, folder)
        except Failure as e:
            raise Failure(f"{path} at -{each}: {e}")
        if not work:
            subprocess.run(["rm", "-rf", folder], check=True)
    return True


def main():
    p = argparse.ArgumentParser(description="run program tests")
    p.add_argument("--pf", type=os.path.abspath, default=str(ROOT / "build/stage/bin/pf"))
    p.add_argument("--level")
    p.add_argument("--runs", type=int, default=int(os.environ.get("PF_TEST_RUNS", "3")))
    p.add_argument("--work")
    p.add_argument("--tsan", action="store_true")
    p.add_argument("--sample", help="sampling policies, separated by commas")
    p.add_argument("--direct", metavar="S,R", help="number of seeds, and of replays for each")
    p.add_argument("--predict", type=int, metavar="R", help="number of replays of each witness")
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
            done = run_test(tool, path, args.level, args.runs, args.work)
        except (Failure, BadTest) as e:
            print(f"FAILED {e}")
            failed += 1
        else:
            if done:
                print(f"ok {path}", flush=True)
    if isinstance(tool, Predicted):
        print(f"{tool.witnesses} witnesses, each replayed {tool.replays} times; {failed} programs failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
