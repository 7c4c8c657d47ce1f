"""make_logs.py FOLDER N [hostile] - writes a findings log with N findings, for tests of reports.

With `hostile`, every name that a target controls is an injection attempt (HTML, JavaScript, control characters).
"""

import json
import os
import sys

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "'\"><svg/onload=document.title='owned'>",
    "a[b](c) \\ \u202e \u2028 \x01 & < > @@PF-DATA@@ ]]> -->",
    "operator[]",
]


def place(function, line, file="src/a b.c"):
    return {"function": function, "file": file, "line": line, "column": 3, "module": "/x/prog", "first_line": 1}


def access(i, k, name, file, locked):
    stack = [place(f"{name}_{k}", 10 + (i + k) % 50, file), place("main", 9), place("pthread_create", 0, None)]
    held = [{"name": name, "address": "0x20", "mode": "write", "stack": [place("take", 3)]}] if locked else []
    return {
        "thread": f"T{k + 1}", "op": "write" if k else "read", "size": 4, "file": file, "line": stack[0]["line"],
        "column": 3, "function": stack[0]["function"], "variable": f"{name}", "address": "0x10",
        "locks": [h["name"] for h in held], "held": held, "stack": stack,
    }


def finding(i, hostile):
    name = HOSTILE[i % len(HOSTILE)] if hostile else f"variable{i}"
    file = f"{name}.c" if hostile else "src/a b.c"
    thread = {"name": name, "tid": 7, "state": "finished", "created_by": "T0", "stack": [place("main", 7)]}
    return {
        "id": f"{i + 1:016x}", "kind": ["race", "atomicity"][i % 5 == 4],
        "status": ["observed", "confirmed", "predicted"][i % 3], "analysis": "fasttrack",
        "class": [None, "output-differs", None, "k-witness-harmless"][i % 4],
        "accesses": [access(i, 1, name, file, False), access(i, 0, name, file, True)],
        "location": {"kind": "heap", "address": "0x10", "size": 8, "thread": "T0", "freed": True, "stack": [place("malloc", 8)]},
        "threads": [{"thread": "T1", **thread}, {"thread": "T2", **thread}],
        "clip": f"{name}.clip" if i % 3 == 1 else None, "count": 1,
    }


def main():
    folder, n, hostile = sys.argv[1], int(sys.argv[2]), sys.argv[3:] == ["hostile"]
    os.makedirs(folder, exist_ok=True)
    words = HOSTILE if hostile else ["./prog", "a b"]
    lines = [{"type": "start", "version": 1, "tool": "photofinish", "abi": 1, "run": None, "pid": 100, "parent": 1,
              "time": 100, "ticks": 1, "exitcode": 66, "command": words}]
    lines += [{"type": "finding", "finding": finding(i, hostile)} for i in range(n)]
    lines.append({"type": "end", "how": "exit", "findings": n, "suppressed": 0, "limits": {}})
    with open(f"{folder}/100.1.pflog", "w") as f:
        for line in lines:
            f.write(json.dumps(line) + "\n")


main()
