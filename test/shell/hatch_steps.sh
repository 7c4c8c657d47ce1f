# The steps of a confirmed finding: which thread ran what, in which order, with source lines, and
# which write each read sees.
cp "$ROOT/test/shell/part/hatch_steps_steps.c" steps.c
for part in 1 2 3 4; do
    "$PF" cc -O0 -g -include assert.h -DPART=$part steps.c -o part$part
    status 0 "$PF" record -o $part.clip -- ./part$part
    status 66 "$PF" hatch --json $part.json $part.clip
    mv out text.$part
    status 66 "$PF" report --from $part.json --sarif -o $part.sarif --fail-on=any
    python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" $part.json
done
# A race: the read is second and sees the value that the thread has just written.
has text.1 "   -> T1   write flag = 3  steps.c:7"
has text.1 "   -> main read flag = 3 (written by T1, steps.c:7)  steps.c:31"
has text.1 "  Consequence: the program died of signal 6 (Aborted): part1: steps.c:49: int main(void): Assertion \`PART != 1 || seen != 3' failed."
# An atomicity violation: main has read 7, the thread writes 50 in between, main overwrites it with
# 8.
python3 - <<'EOF'
import json

def steps(part, kind, lines):
    """The interleaving of the finding of this kind with accesses at these lines: (thread, op, name, value, line, from, marked)."""
    for f in json.load(open(f"{part}.json"))["findings"]:
        if f["kind"] == kind and [a["line"] for a in f["accesses"]] == lines:
            return [(m["thread"], m["op"], (m["name"] or "").split(":")[0], m["value"], m["line"],
                     (m["from"]["thread"], m["from"]["line"]) if "from" in m else None, m.get("marked", False))
                    for m in f["interleaving"]]
    raise SystemExit(f"{part}: no {kind} at {lines}")

race = steps(1, "race", [31, 7])
assert [m for m in race if m[-1]] == [("T1", "write", "flag", "3", 7, None, True), ("T0", "read", "flag", "3", 31, ("T1", 7), True)], race
av = steps(2, "atomicity", [34, 10, 35])
marked = [m for m in av if m[-1]]
assert marked == [("T0", "read", "balance", "7", 34, None, True), ("T1", "write", "balance", "50", 10, None, True),
                  ("T0", "write", "balance", "8", 35, None, True)], marked
order = [m[:3] for m in av]
assert order.index(("T0", "lock", "a")) < order.index(("T1", "lock", "b")), av
# An atomic-set violation: main reads the old low and the new high, which the thread has written.
asv = [m for m in steps(3, "atomic-set", [39, 14, 15, 40]) if m[-1]]
assert asv == [("T0", "read", "low", "1", 39, None, True), ("T1", "write", "low", "10", 14, None, True),
               ("T1", "write", "high", "20", 15, None, True), ("T0", "read", "high", "20", 40, ("T1", 15), True)], asv
# A deadlock: each thread wants the lock that the other holds.
dead = steps(4, "deadlock", [44, 19])
assert [m[:3] + m[5:] for m in dead[-2:]] == [("T0", "wants", "b", ("T1", 18), True), ("T1", "wants", "a", ("T0", 43), True)], dead
assert ("T0", "lock", "a", None, 43, None, False) in dead and ("T1", "lock", "b", None, 18, None, False) in dead, dead

for part, words in ((1, "read flag = 3 (written by T1, steps.c:7)"), (3, "read high = 20 (written by T1, steps.c:15)"),
                    (4, "wants b (held by T1, steps.c:18)")):
    flows = json.load(open(f"{part}.sarif"))["runs"][0]["results"]
    texts = [l["location"]["message"]["text"] for r in flows for l in r["codeFlows"][0]["threadFlows"][0]["locations"]]
    assert any(words in t for t in texts), (words, texts)
EOF
has text.4 "-> T1   wants a (held by main, steps.c:43)  steps.c:19"

# pf explain shows the source lines too.
status 66 "$PF" check --quiet --runs 1 --state s -- ./part1
status 66 "$PF" report --state s --json -o s.json
id=$(python3 -c 'import json; print(next(f["id"] for f in json.load(open("s.json"))["findings"] if f.get("interleaving")))')
status 0 "$PF" explain --state s "$id"
has out "Steps in the clip:"
has out " failed."
hasnt out " failed.."
has out " -> "
has out "steps.c:7 |     flag = (low++, high++, 3);"
has out "steps.c:31 |     seen = flag;"
# Steps of other memory are folded.
has out "thread T1: 4 steps that use other memory (--all shows them)"
hasnt out "write low = 2"
status 0 "$PF" explain --all --state s "$id"
hasnt out "steps that use other memory"
has out "thread T1: write low = 2"

# What orders threads through a descriptor has no name: the steps name the calls.
cp "$ROOT/test/shell/part/hatch_steps_pipe.c" pipe.c
"$PF" cc -O1 -g pipe.c -o pipe
status 0 "$PF" record -o pipe.clip -- ./pipe
status 66 "$PF" hatch pipe.clip
has out "T1   post by write  pipe.c:10"
has out "main take by read  pipe.c:23"

# A thread that sees another value than in the recording writes other values from then on. The steps
# are taken from the clip, so that all values are known.
cp "$ROOT/test/shell/part/hatch_steps_account.c" account.c
for level in O0 O2; do
    "$PF" cc -$level -g -pthread account.c -o account
    status 66 "$PF" check --runs 8 --time 20s --state $level.s --json $level.json -- ./account
done
python3 - <<'EOF'
import json
for level in ("O0", "O2"):
    found = json.load(open(level + ".json"))["findings"]
    assert sorted(f["kind"] for f in found) == ["atomicity", "race"], found
    for f in found:
        for m in f["interleaving"]:
            assert m["op"] not in ("read", "write") or m.get("value"), (level, m, f["interleaving"])
    (av,) = [f for f in found if f["kind"] == "atomicity"]
    marked = [(m["op"], m["value"]) for m in av["interleaving"] if m.get("marked")]
    assert marked in ([("read", "100"), ("write", "30"), ("write", "4294967266")],
                      [("read", "100"), ("write", "40"), ("write", "4294967266")]), (level, marked)
EOF
