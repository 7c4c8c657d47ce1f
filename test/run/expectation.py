"""expectation.py - parses the expectations of a program test from the comments at its top.

Model:  an expectation is a set of races; a race is an unordered pair of places; a place is a line of the
        test's own files and, if the test states it, the kind of the access. test/program/README.md has
        the grammar.
Errors: a test that cannot be parsed is a failed test (BadTest), never a skipped one.
"""

import re
import shlex
from pathlib import Path

KEYS = {"want", "stack", "flags", "libs", "std", "sources", "shared", "args", "env", "pf", "stdin",
        "stdout", "exit", "levels", "oracle", "tsan", "direct", "witness", "causes", "clip", "suspicious"}
CASE_KEYS = {"exit", "stdout", "env", "stdin", "err", "noerr", "out", "noout"}
OPS = {"read", "write", "atomic-read", "atomic-write", "lock", "free"}
MARK = re.compile(r"/\*\s*([A-Z][A-Z0-9_]*(?:\s+[A-Z][A-Z0-9_]*)*)\s*\*/")
RACE = re.compile(r"^race(?:\s+(?P<name>\S+))?\s+at\s+(?P<a>\S+)\s+(?P<b>\S+)$")


class BadTest(Exception):
    pass


class Place:
    """A file, a line, and the kind of the access there (None: any)."""

    def __init__(self, mark, file, line, op=None):
        self.mark, self.file, self.line, self.op = mark, file, line, op

    def matches(self, access):
        return (access.file, access.line) == (self.file, self.line) and self.op in (None, access.op)

    def __str__(self):
        return f"{self.mark} ({self.file}:{self.line}{' ' + self.op if self.op else ''})"


class Race:
    def __init__(self, a, b, name):
        self.a, self.b, self.name = a, b, name

    def lines(self):
        return frozenset([(self.a.file, self.a.line), (self.b.file, self.b.line)])

    def matches(self, finding):
        x, y = finding.accesses
        pair = (self.a.matches(x) and self.b.matches(y)) or (self.a.matches(y) and self.b.matches(x))
        return pair and (self.name is None or self.name in finding.variables())

    def __str__(self):
        return f"race{' ' + self.name if self.name else ''} at {self.a} and {self.b}"


def expand(text):
    """-> the texts for all choices of `{a,b}` in it"""
    m = re.search(r"\{([^{}]*)\}", text)
    if not m:
        return [text]
    return [one for choice in m[1].split(",") for one in expand(text[:m.start()] + choice + text[m.end():])]


class Case:
    """One command of pf with the program, and what it must do."""

    def __init__(self, command):
        self.command = command
        self.values = {key: [] for key in CASE_KEYS}

    def commands(self):
        """-> (verb, options, arguments of the program) for all choices"""
        for text in expand(self.command):
            words = shlex.split(text)
            at = words.index("--") if "--" in words else len(words)
            yield words[0], words[1:at], words[at + 1:]

    def status(self):
        return int(self.values["exit"][-1]) if self.values["exit"] else 0

    def environment(self):
        return dict(e.split("=", 1) for text in self.values["env"] for e in shlex.split(text))

    def stdin(self):
        return "".join(line + "\n" for line in self.values["stdin"])

    def wrong(self, result):
        """-> a list of differences, empty if the result is as expected"""
        found = []
        if result.returncode != self.status():
            found.append(f"exit status {result.returncode}, expected {self.status()}")
        if self.values["stdout"] and result.stdout.splitlines() != self.values["stdout"]:
            found.append(f"standard output is {result.stdout.splitlines()}, expected {self.values['stdout']}")
        for name, text in (("err", result.stderr), ("out", result.stdout)):
            found += [f"std{name} does not contain '{t}'" for t in self.values[name] if t not in text]
            found += [f"std{name} must not contain '{t}'" for t in self.values["no" + name] if t in text]
        return found


class Expectation:
    def __init__(self, path):
        self.path = Path(path)
        self.values = {key: [] for key in KEYS}
        self.cases = []
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            if line.strip() and not line.startswith("//"):
                break
            self._header_line(number, line)
        if not self.values["want"] and not self.cases:
            raise BadTest(f"{path}: expected a `// want:` or a `// case:` line at the top")
        self.sources = [self.path] + [self._near(s) for s in self._words("sources")]
        self.shared = [self._library(words) for words in self.values["shared"]]
        self._check_that_libraries_are_used()
        self.marks = self._read_marks()
        self.races = [self._race(w) for w in self.values["want"] if w != "none"]
        if self.races and "none" in self.values["want"]:
            raise BadTest(f"{path}: has both `want: none` and `want: race`")
        self.stacks = [self._stack(s) for s in self.values["stack"]]

    def _header_line(self, number, line):
        m = re.match(r"//\s*([a-z]+):(?:\s(.*))?$", line)
        if not m:
            return
        key, value = m[1], m[2] or ""
        if key == "case":
            self.cases.append(Case(value))
            return
        values = self.cases[-1].values if self.cases else self.values
        if key not in values:
            raise BadTest(f"{self.path}:{number}: unknown line `{key}:`" + (" of a case" if self.cases else ""))
        values[key].append(value if key in ("stdout", "stdin") else value.strip())

    def _words(self, key):
        return [w for value in self.values[key] for w in shlex.split(value)]

    def _near(self, name):
        path = self.path.parent / name
        if not path.exists():
            raise BadTest(f"{self.path}: {name} does not exist")
        return path

    def _library(self, words):
        name, *sources = shlex.split(words)
        if not sources:
            raise BadTest(f"{self.path}: `shared: {words}` names no source")
        return name, [self._near(s) for s in sources]

    def _check_that_libraries_are_used(self):
        code = "".join(s.read_text() for s in self.sources)
        for name, _ in self.shared:
            linked = f"-l{name.removeprefix('lib').removesuffix('.so')}" in self.link_flags()
            if not linked and f'"{name}"' not in code and f"/{name}" not in code:
                raise BadTest(f"{self.path}: {name} is neither linked (`libs:`) nor opened")

    def files(self):
        return self.sources + [s for _, sources in self.shared for s in sources]

    def _read_marks(self):
        marks = {}
        for file in self.files():
            for number, line in enumerate(file.read_text().splitlines(), 1):
                for m in MARK.finditer(line):
                    for word in m.group(1).split():
                        marks.setdefault(word, []).append((file.name, number))
        return marks

    def _place(self, text):
        mark, _, op = text.partition(":")
        where = self.marks.get(mark, [])
        if len(where) != 1:
            raise BadTest(f"{self.path}: mark {mark} is on {len(where)} lines, expected 1")
        if op and op not in OPS:
            raise BadTest(f"{self.path}: unknown kind of access '{op}'")
        return Place(mark, *where[0], op or None)

    def _race(self, text):
        m = RACE.match(text)
        if not m:
            raise BadTest(f"{self.path}: cannot parse `want: {text}`")
        return Race(self._place(m["a"]), self._place(m["b"]), m["name"])

    def _stack(self, text):
        mark, *functions = text.split()
        return self._place(mark), functions

    def wants(self):
        """False: the test has only cases."""
        return bool(self.values["want"])

    def levels(self):
        return self._words("levels") or ["O0", "O2"]

    def compile_flags(self):
        return [f"-std={s}" for s in self._words("std")] + self._words("flags")

    def link_flags(self):
        return self._words("libs")

    def args(self):
        return self._words("args")

    def environment(self):
        return dict(e.split("=", 1) for e in self._words("env"))

    def pf_options(self):
        return self._words("pf")

    def stdin(self):
        return "".join(line + "\n" for line in self.values["stdin"])

    def stdout(self):
        """The lines expected on standard output; None: not compared."""
        return self.values["stdout"] or None

    def own_status(self):
        return int(self.values["exit"][-1]) if self.values["exit"] else 0

    def causes(self):
        """The number of groups that the findings form; None: not compared."""
        return int(self.values["causes"][-1]) if self.values["causes"] else None

    def peer_differs(self):
        return "; ".join(self.values["tsan"])

    def no_oracle(self):
        return bool(self.values["oracle"])

    def no_witness(self):
        """Why the witnesses of its races are not run; empty: they are."""
        return "; ".join(self.values["witness"])

    def no_clip(self):
        return bool(self.values["clip"])

    def suspicious(self):
        """The kinds of findings that do not count, and that a check may have."""
        return self._words("suspicious")

    def no_direct(self):
        """Why it is not recorded; empty: it is."""
        return "; ".join(self.values["direct"])

    def has_hidden_order(self):
        """True if it orders its threads by means that no analysis sees; -DORDER_FREE removes that order."""
        return any(s in f.read_text() for f in self.files() for s in ('"order.h"', '"turns.h"'))

    def is_cxx(self):
        return self.path.suffix == ".cpp"
