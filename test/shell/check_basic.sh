# pf check: all stages on small programs. Every confirmed finding has a clip that replays. A
# race-free program has no findings, and the report states what was explored.
cp "$ROOT/test/shell/part/check_basic_bank.c" bank.c
"$PF" cc -g -O1 -pthread -DLOCK= -DUNLOCK= bank.c -o bank
"$PF" cc -g -O1 -pthread '-DLOCK=pthread_mutex_lock(&door);' '-DUNLOCK=pthread_mutex_unlock(&door);' bank.c -o safe
schema() { status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" "$@"; }

status 66 "$PF" check --runs 2 --json bank.json -- ./bank
has out "WARNING: photofinish: data race"
has out "Interleaving in the clip"
has out "See it again, every time: pf replay .photofinish/check/"
has out "explored: 2 free runs;"
has out "1 finding: 1 confirmed"
has err "1 confirmed, 0 observed"
schema bank.json
python3 - <<'END'
import json, subprocess, os
d = json.load(open("bank.json"))
assert d["complete"] and d["command"] == ["./bank"], d
(f,) = d["findings"]
assert f["status"] == "confirmed" and f["accesses"][0]["variable"] == "balance", f
stages = {(s["stage"], s["status"]) for s in f["stages"]}
assert {("run", "observed"), ("hatch", "confirmed")} <= stages, stages
assert f["count"] == sum(s["count"] for s in f["stages"]), f
for a in f["accesses"]:
    assert [p["function"] for p in a["stack"]] == ["pay_out", "teller"], a
c = d["check"]
assert c["runs"] == 2 and c["recordings"] == 1 and c["sampled"] >= 8 and c["events"] > 100 and not c["gaps"], c
for _ in range(3):
    r = subprocess.run([os.environ["PF"], "replay", f["clip"]], capture_output=True, text=True)
    assert r.returncode == 0 and r.stdout == "40 visits\n", r
END
# pf report shows the same findings in every output form.
status 66 "$PF" report --json -o again.json
python3 -c 'import json; a, b = (json.load(open(f))["findings"] for f in ("bank.json", "again.json")); assert a == b, (a, b)'

# The commands that are printed can be pasted into a shell.
status 66 "$PF" check --runs 1 --state "a state's" -- ./bank
has err "pf report --html -o report.html --state 'a state'\\''s'"
command=$(sed -n 's/^  See it again, every time: pf //p' out)
eval "status 0 \"\$PF\" $command"
has out "40 visits"

# Two jobs in parallel, and two checks at once: still one finding.
status 66 "$PF" check --runs 2 --jobs 2 --quiet --state two -- ./bank
[[ ! -s out && ! -s err ]] || fail "--quiet printed something"
"$PF" check --runs 1 --quiet --state two -- ./bank >first 2>&1 &
status 66 "$PF" check --runs 1 --quiet --state two -- ./bank
rc=0
wait $! || rc=$?
[[ $rc == 66 ]] || fail "the second check: exit status $rc"
status 66 "$PF" report --json --state two -o two.json
schema two.json
python3 - <<'END'
import json
d = json.load(open("two.json"))
assert d["check"]["checks"] == 3 and len(d["findings"]) == 1 and d["complete"], d["check"]
END

# A race-free program.
status 0 "$PF" check --runs 3 --json safe.json -- ./safe
grep -qE "explored: 3 free runs; [0-9]+ schedules \(1 recording, [1-9][0-9]+ in batches," out || fail "not what was explored"
has out "0 findings"
schema safe.json
python3 - <<'END'
import json
d = json.load(open("safe.json"))
assert d["complete"] and not d["findings"] and d["check"]["events"] > 100, d
END

# A program that was fixed and rebuilt: the old findings are gone from the report.
cp safe bank
status 0 "$PF" check --runs 1 --quiet -- ./bank
status 0 "$PF" report
has out "0 findings"

# The example of `make demo`.
"$PF" cc -O2 -g -pthread "$ROOT/example/tally.c" -o tally
"$PF" cc -O2 -g -pthread -DFIXED "$ROOT/example/tally.c" -o fixed
status 66 "$PF" check --runs 2 --json tally.json --state tally.s -- ./tally
schema tally.json
status 0 "$PF" replay "$(python3 -c 'import json; (f,) = json.load(open("tally.json"))["findings"]; print(f["clip"])')"
status 0 "$PF" check --runs 2 --state fixed.s -- ./fixed
has out "0 findings"

# On a terminal, a status line shows the current step and the findings so far; elsewhere there is
# none.
TERM=xterm script -qec "stty cols 200; '$PF' check --runs 2 --state terminal.s -- ./tally" terminal >/dev/null </dev/null || [[ $? == 66 ]]
grep -qE 'nothing found yet \| [0-9]+ schedules, 0 new behaviours/min, [0-9]+ targets open \| round 1: running freely' terminal ||
    fail "no status line of round 1"
grep -qE '1 confirmed, 0 observed \| [1-9][0-9]* schedules, [0-9]+ new behaviours/min, [0-9]+ targets open \| round 2: running schedules under' terminal ||
    fail "no status line of round 2"
TERM=xterm NO_COLOR=1 script -qec "'$PF' check --runs 1 --state plain.s -- ./tally" terminal >/dev/null </dev/null || [[ $? == 66 ]]
hasnt terminal $'\e[31m'
hasnt err "round 1"

# Suppressions apply in every stage.
echo 'race:^count_one$' >hidden
status 0 "$PF" check --runs 2 --suppressions hidden --state hidden.s -- ./tally
has out "0 findings"
echo 'rase:x' >hidden
status 2 "$PF" check --runs 2 --suppressions hidden --state bad.s -- ./tally
has err "hidden:1: "
