#!/usr/bin/env python3
"""same_names.py OBSERVED PREDICTED: compares the findings of a free run and of a prediction, both in JSON, field by
field. Every race that both report must be described in the same way: accesses, memory, locks, threads, stacks."""
import json
import sys


def frames(stack):
    return [tuple(p.get(k) for k in ("function", "file", "line", "column", "module", "first_line", "merged_lines", "folded"))
            for p in stack]


def offset(address, location):
    """The address relative to the memory of the finding: a heap block or a variable moves between runs."""
    base = int(location.get("address", "0x0"), 16)
    inside = base and 0 <= int(address, 16) - base < location["size"]
    return int(address, 16) - base if inside else None


def described(f):
    location = f["location"]
    accesses = {}
    for a in f["accesses"]:
        assert int(a["address"], 16) > 0x1000, a["address"]
        for held in a["held"]:
            assert int(held["address"], 16) > 0x1000, held
        accesses[a["op"], a["line"]] = {
            "thread": a["thread"], "size": a["size"], "file": a["file"], "column": a["column"], "function": a["function"],
            "variable": a["variable"], "offset": offset(a["address"], location), "stack": frames(a["stack"]),
            # a free run knows only the first acquisition of a lock, by any thread: its stack is not compared
            "locks": [(h["name"], h["mode"], offset(h["address"], location)) for h in a["held"] if h["stack"]]}
    memory = {k: location.get(k) for k in ("kind", "name", "file", "line", "size", "thread", "freed")}
    # the owner of a stack goes on while the race is reported: only its functions are known
    memory["stack"] = ([p["function"] for p in location["stack"]] if location["kind"] == "stack"
                       else frames(location.get("stack", [])))
    threads = {}
    for t in f["threads"]:
        assert t["tid"] > 1, t
        threads[t["thread"]] = (t["name"], t.get("created_by"), frames(t["stack"]))
    return {"kind": f["kind"], "accesses": accesses, "location": memory, "threads": threads}


observed, predicted = ({f["id"]: described(f) for f in json.load(open(path))["findings"]} for path in sys.argv[1:3])
both = observed.keys() & predicted.keys()
for i in sorted(both):
    for field in observed[i]:
        if observed[i][field] != predicted[i][field]:
            sys.exit(f"finding {i}, {field}:\nobserved:  {observed[i][field]}\npredicted: {predicted[i][field]}")
kinds = sorted(observed[i]["location"]["kind"] for i in both)
print(f"{len(both)} findings are the same: {' '.join(kinds)}")
