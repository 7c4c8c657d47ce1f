"""findings.py - reads the findings of a detector as pairs of places in the test's own files.

Two readers: the JSON of `pf run` (validated while it is read) and ThreadSanitizer's text (to check the
expectations themselves).
"""

import json
import re
from pathlib import Path

OPS = {"read", "write", "atomic-read", "atomic-write", "lock", "free"}


RACES = ["race", "vptr-race", "external-race", "descriptor-race"]


class BadFindings(Exception):
    pass


class Access:
    def __init__(self, op, stack, own, variable=None):
        self.op, self.stack, self.variable = op, stack, variable
        self.file, self.line = "?", 0
        for _, file, line in stack:
            if Path(file or "").name in own:
                self.file, self.line = Path(file).name, line
                break

    def functions(self):
        return [re.sub(r"\(.*", "", function or "?") for function, _, _ in self.stack]

    def __str__(self):
        frames = "\n".join(f"      #{i} {f} {file}:{line}" for i, (f, file, line) in enumerate(self.stack))
        return f"    {self.op} {self.variable or ''}\n{frames}"


class Finding:
    def __init__(self, accesses, group=None):
        self.accesses, self.group = accesses, group

    def lines(self):
        return frozenset((a.file, a.line) for a in self.accesses)

    def variables(self):
        return {a.variable for a in self.accesses}

    def __str__(self):
        return "  found:\n" + "\n".join(str(a) for a in self.accesses)


def need(condition, message):
    if not condition:
        raise BadFindings(message)


def _read_access(a, own):
    need(a.get("op") in OPS, f"op is {a.get('op')!r}")
    need(re.fullmatch(r"T\d+", str(a.get("thread"))), f"thread is {a.get('thread')!r}")
    need(isinstance(a.get("size"), int) and a["size"] >= 0, f"size is {a.get('size')!r}")
    need(isinstance(a.get("locks"), list), "locks is not a list")
    stack = a.get("stack")
    need(isinstance(stack, list) and stack, "an access without a stack")
    frames = [(f.get("function"), f.get("file"), f.get("line")) for f in stack]
    need(all(f for f, _, _ in frames), "a frame without a function")
    return Access(a["op"], frames, own, a.get("variable"))


def read_json(path, own, status="observed", skip_failures=False):
    """-> (findings, complete). `own`: the names of the test's files; `status`: expected of every race;
    `skip_failures`: leave out crashes, memory errors and other failures of the recorded run. Findings of other kinds than races
    that do not count are left out."""
    try:
        data = json.loads(Path(path).read_text())
    except (OSError, ValueError) as e:
        raise BadFindings(f"{path}: {e}")
    need(data.get("version") == 1 and data.get("tool") == "photofinish", "not photofinish's JSON, version 1")
    need(isinstance(data.get("command"), list), "command is not a list")
    findings, ids = [], set()
    for f in data["findings"]:
        if f.get("kind") not in RACES and (skip_failures or not f.get("counts", True)):
            continue
        need(f.get("kind") in RACES, f"kind is {f.get('kind')!r}")
        need(f.get("status") == status, f"status is {f.get('status')!r}")
        need(f.get("id") and f["id"] not in ids, f"fingerprint {f.get('id')!r} is missing or not unique")
        ids.add(f["id"])
        need(len(f.get("accesses", [])) == 2, "expected two accesses")
        need(re.fullmatch(r"[0-9a-f]{16}", str(f.get("group"))), f"group is {f.get('group')!r}")
        findings.append(Finding([_read_access(a, own) for a in f["accesses"]], f["group"]))
    return findings, data.get("complete")


TSAN_ACCESS = re.compile(r"^  (?:Previous )?(?P<atomic>atomic )?(?P<op>read|write) of size \d+ at ", re.I)
TSAN_FRAME = re.compile(r"^    #\d+ (?P<function>.*?) (?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)? \(")
TSAN_BARE = re.compile(r"^    #\d+ (?P<function>\S+) ")


def read_tsan(text, own):
    findings, accesses, frames = [], None, None
    for line in text.splitlines():
        if line.startswith("WARNING: ThreadSanitizer: "):
            accesses = []
            if "data race" in line or "heap-use-after-free" in line:
                findings.append(accesses)
            frames = None
        elif accesses is not None and (m := TSAN_ACCESS.match(line)):
            frames = []
            op = ("atomic-" if m["atomic"] else "") + m["op"].lower()
            accesses.append((op, frames))
        elif frames is not None and line.startswith("    #"):
            if m := TSAN_FRAME.match(line):
                frames.append((m["function"], m["file"], int(m["line"])))
            elif m := TSAN_BARE.match(line):
                frames.append((m["function"], "", 0))
        else:
            frames = None
    return [Finding([Access(op, stack, own) for op, stack in pair]) for pair in findings]
