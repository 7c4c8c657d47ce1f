# pf judge: the findings of a state folder get a class, which all reports show.
cp "$ROOT/test/shell/part/judge_two.c" two.c
"$PF" cc -O0 -g two.c -o two
status 66 "$PF" run --state s -- ./two
status 66 "$PF" judge --state s --json j.json
has out "output-differs: race"
has out "k-witness-harmless (k = 6): race"
has out "output: descriptor 1, byte 0: primary:"
has out "judge: 2 races, 1 output-differs, 1 k-witness-harmless"
python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" j.json
python3 - <<'EOF'
import json, subprocess, os
d = json.load(open("j.json"))
by = {f["accesses"][0]["variable"]: f for f in d["findings"]}
kept = by["kept"]
assert kept["class"] == kept["judged"]["class"] == "output-differs", kept
assert kept["judged"]["paths"] == 1 and kept["judged"]["memory"] == "sc", kept["judged"]
assert kept["judged"]["cpu_ms"] > 0, kept["judged"]
clips = {e["kind"]: e["clip"] for e in kept["judged"]["evidence"] if e["clip"]}
assert all("\n* T" in e["text"] for e in kept["judged"]["evidence"] if e["clip"]), "the steps of both orders expected"
replay = subprocess.run([os.environ["PF"], "replay", clips["primary"]], capture_output=True, text=True)
assert "elsewhere" not in replay.stderr, replay.stderr
texts = {k: subprocess.run([os.environ["PF"], "replay", c], capture_output=True, text=True).stdout for k, c in clips.items()}
assert sorted(texts.values()) == ["1\n", "2\n"], texts
open("id", "w").write(kept["id"])
EOF

# Reports show the class and sort by it.
status 66 "$PF" report --state s
has out "Judged: output-differs"
has out "Judged: k-witness-harmless (k = 6)"
status 66 "$PF" report --state s --json -o r.json
python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" r.json
status 66 "$PF" report --state s --sarif -o r.sarif
python3 - <<'EOF'
import json
d = json.load(open("r.json"))
assert [f["class"] for f in d["findings"]] == ["output-differs", "k-witness-harmless"], d["findings"]
assert all(f["count"] == 1 for f in d["findings"]), "verdicts are not sightings"
results = json.load(open("r.sarif"))["runs"][0]["results"]
assert [(r["level"], r["rank"]) for r in results] == [("error", 80), ("note", 10)], results
EOF
status 66 "$PF" report --state s --fail-on=output-differs
status 0 "$PF" report --state s --fail-on=spec-violated
status 66 "$PF" judge --state s --fail-on=k-witness-harmless "$(cat id)"
status 0 "$PF" judge --state s --fail-on=spec-violated "$(cat id)" "$(cat id)"
has out "judge: 1 race,"
status 0 "$PF" baseline --state s -o base.json
has base.json '"class":"output-differs"'

# For comparison: the memory after the race differs only for the race that is printed.
status 66 "$PF" judge --method=record-replay-analyzer --state s2 --json r.json "s/judged/$(cat id).clip"
has out "spec-violated"

# A check judges what it has confirmed.
status 66 "$PF" check --runs 1 --time 60s --state c --json c.json -- ./two
has out "Judged: output-differs"
has out "judged: 1 output-differs, 1 k-witness-harmless"
python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" c.json
python3 - <<'EOF'
import json, os
d = json.load(open("c.json"))
assert [f["class"] for f in d["findings"]] == ["output-differs", "k-witness-harmless"], d["findings"]
for f in d["findings"]:
    clips = [e["clip"] for e in f["judged"]["evidence"] if e["clip"]]
    assert len(clips) == 2 and all(os.path.exists(c) for c in clips), clips
EOF

# A finding that was judged again has the worst of its classes.
sed 's/k-witness-harmless/spec-violated/g; s/output-differs/single-ordering/g' c.json > c/judged.json
status 66 "$PF" report --state c --json -o again.json
python3 -c '
import json
d = json.load(open("again.json"))
assert sorted(f["class"] for f in d["findings"]) == ["output-differs", "spec-violated"], d["findings"]'
rm c/judged.json

# What makes a check fail.
status 0 "$PF" check --runs 1 --time 60s --state c2 --fail-on=spec-violated -- ./two
status 66 "$PF" check --runs 1 --time 60s --state c3 --fail-on=output-differs -- ./two

# Wrong input.
status 2 "$PF" check --fail-on=new -- ./two
has err "expected any, confirmed or a class"
status 2 "$PF" judge --state s 0000000000000000
has err "no finding has this id"
status 2 "$PF" judge nowhere.clip
has err "nowhere.clip: expected one recording, or ids of findings"
status 2 "$PF" judge 0000000000000000 --state s
has err "--state: options come before"
status 2 "$PF" judge --method=none
has err "--method=none"
status 2 "$PF" judge --schedules=many
has err "--schedules=many"
status 2 "$PF" judge --require='x = 1'
has err "expected a condition such as"
status 2 "$PF" judge --fail-on=bad
has err "--fail-on=bad"
status 2 "$PF" judge --state s --memory-runs 5
has err "--memory-runs needs --memory=tso or --memory=weak"
status 2 "$PF" judge --state s --memory=sc --memory-runs 5
has err "--memory-runs needs --memory=tso or --memory=weak"
status 2 "$PF" judge --state s --blind
has err "--blind needs a recording"
status 0 "$PF" record -o two.clip -- ./two
# A class that needs more runs than the budget permits is not claimed.
status 66 "$PF" judge --runs 7 --met 0 --json short.json two.clip
has out "judge: 2 races, 1 output-differs, 1 undecided"
has out "so far: 2 runs of the alternate order gave results of the primary one"
python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" short.json
python3 -c '
import json
judged = {f["judged"]["class"]: f["judged"] for f in json.load(open("short.json"))["findings"]}
assert judged["undecided"]["incomplete"] and judged["undecided"]["k"] == 0, judged
assert judged["undecided"]["reason"].startswith("the budget was used up after "), judged'
status 2 "$PF" judge --race=T1 two.clip
has err "expected two events such as T1:137,T2:40"
status 2 "$PF" judge --race=T1:1,T2:999 two.clip
has err "no two conflicting accesses"
echo 'int changed;' >>two.c
"$PF" cc -O0 -g two.c -o two
status 2 "$PF" judge two.clip
has err "another build of"
grep -Eq 'recorded: [0-9a-f]{16}, now: [0-9a-f]{16}' err || fail "both build ids expected"

# The output of the recording is not there when the program runs again, and stays as it is.
"$PF" cc -g -O1 "$ROOT/test/shell/part/judge_refuses.c" -o refuses
status 0 "$PF" record -o refuses.clip -- ./refuses
cp result.txt result.before
status 66 "$PF" judge refuses.clip
has out 'output: descriptor 3, byte 0: primary: "2"; alternate: "1"'
[ "$(grep -c "order:$" out)" = 2 ] || fail "the stacks of both orders expected"
cmp result.txt result.before || fail "judging has changed the output of the recording"

# A loop that counts is not ad hoc synchronisation.
"$PF" cc -g -O1 -pthread "$ROOT/example/tally.c" -o tally
"$PF" record -o tally.clip --schedule=random:1 -- ./tally >/dev/null
"$PF" judge tally.clip >out || true
has out "output-differs"
hasnt out "ad hoc synchronisation"

# A race that was met while judging is in all later reports.
"$PF" cc -g -O1 "$ROOT/test/judge/met_race.c" -o met
status 66 "$PF" run --state m -- ./met
status 66 "$PF" judge --state m
has out "judge: 2 races, 2 output-differs"
for again in 1 2; do
    status 66 "$PF" report --state m
    has out "2 findings"
    has out "Location is global 'slow'"
    [ $again = 2 ] || status 66 "$PF" judge --met 0 --recordings 0 --state m
done

# Memory without a name is described.
"$PF" cc -g -O0 "$ROOT/test/judge/long_beginning.c" -o long
"$PF" record -o long.clip -- ./long >/dev/null
status 66 "$PF" judge --recordings 0 long.clip
has out "on a heap block of 4194304 bytes"

# --time includes finding the races of the recording, here a long one.
status 2 "$PF" judge --time 1ms long.clip
has err "long.clip: the time was up before its events were read"
