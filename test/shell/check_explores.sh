# pf check explores schedules in batches and by systematic search: a failure that needs a schedule
# is a finding with harm and a clip; the whole budget is used unless there is nothing left to
# explore, which the report then says; --seed and --runs determine the schedules.
cp "$ROOT/test/shell/part/check_explores_account.c" account.c
"$PF" cc -g -O1 -pthread -DSAFE=0 account.c -o account
cp "$ROOT/test/shell/part/check_explores_barren.c" barren.c
"$PF" cc -g -O1 -pthread barren.c -o barren
echo 'int main(void) { return 0; }' >one.c
"$PF" cc -g one.c -o one

# A check and an act in two critical sections: no access is a race, and only some schedules fail.
status 66 "$PF" check --runs 2 --quiet --json account.json --state account.s -- ./account
python3 - "$(grep -n HERE account.c | cut -d: -f1)" <<'END'
import json, os, subprocess, sys
d = json.load(open("account.json"))
(f,) = [f for f in d["findings"] if f["kind"] == "assertion"]
assert f["status"] == "confirmed" and f["harm"].startswith("assertion failed: balance >= SAFE"), f
assert f["accesses"][-1]["line"] == int(sys.argv[1]), f["accesses"]
for _ in range(3):
    r = subprocess.run([os.environ["PF"], "replay", f["clip"]], capture_output=True, text=True)
    assert r.returncode == 128 + 6 and "Assertion" in r.stderr, r
END

# Rounds without news do not end the check.
status 0 "$PF" check --runs 12 --time 10m --state barren.s -- ./barren
has out "12 free runs"
python3 - <<'END'
import glob, json
steps = [json.loads(l) for l in open(glob.glob("barren.s/check/*/journal")[0])]
first = [s["first"] for s in steps if s["kind"] == "batch"]
assert len(set(first)) == len(first) > 1, first
assert open(glob.glob("barren.s/check/*/end")[0]).read().split()[0] == "done"
slices = [s for s in steps if s["kind"] == "explore"]
assert slices and slices[-1]["left"] and not slices[-1]["complete"], slices
END
has out "in systematic search"
grep -qE "^systematic search: [0-9]+ different executions; [0-9]+ targets are left$" out || fail "not how much is left"

# A slice that was cut off early does not replace the result of a longer one.
python3 - <<'END'
import glob, json, shutil
(folder,) = glob.glob("barren.s/check/*")
lines = [json.loads(l) for l in open(folder + "/journal")]
last = max((s for s in lines if s["kind"] == "explore"), key=lambda s: s["schedules"])
shutil.copy(f"{folder}/exploration-{last['step']}.json", f"{folder}/exploration-9999.json")
with open(folder + "/journal", "a") as f:
    f.write(json.dumps(last | {"step": 9999, "how": "budget", "schedules": 3, "behaviours": 3, "left": 7}) + "\n")
open("longest", "w").write(str(last["behaviours"]))
END
"$PF" report --state barren.s >out 2>err || true
has out "systematic search: $(cat longest) different executions"

# A small program is explored completely, which ends the check; the report says what that means.
status 66 "$PF" check --time 10m --json whole.json --state whole.s -- ./account
has out "complete for this input: 6 executions are possible, and all were seen (C11: there is no data race, "
[[ $(cat whole.s/check/*/end) == complete\ * ]] || fail "not complete"
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" whole.json
python3 - <<'END'
import json
d = json.load(open("whole.json"))
(x,) = d["check"]["explorations"]
assert x["complete"] and x["model"] == "c11" and not x["targets"] and not x["open"] and not x["failed"], x
(f,) = [f for f in d["findings"] if f["kind"] == "assertion"]
assert f["status"] == "confirmed" and f["clip"], f
END
part="$ROOT/test/shell/part"
"$PF" cc -g -O1 -pthread -DREASON=relaxed "$part/explore_open.c" -o relaxed
status 0 "$PF" check --time 10m --state relaxed.s -- ./relaxed
has out "executions are possible, and all were seen (sequential consistency only)"
# A report on checks of two programs says which one is complete in which sense.
cp -r relaxed.s/check/* whole.s/check/
status 66 "$PF" report --state whole.s
has out "./account: complete for this input: 6 executions are possible, and all were seen (C11: "
grep -q "^./relaxed: complete for this input: .* (sequential consistency only)$" out || fail "the search of ./relaxed is not reported"
# Something that was not explored is listed, and the check uses its budget.
"$PF" cc -g -O1 -pthread -DREASON=time_read "$part/explore_open.c" -o drawn
status 0 "$PF" check --runs 2 --json drawn.json --state drawn.s -- ./drawn
has out "  not explored: "
hasnt out "complete for this input"
[[ $(cat drawn.s/check/*/end) == done\ * ]] || fail "the check ended early"
status 0 python3 "$ROOT/test/run/schema.py" "$ROOT/docs/format/findings.schema.json" drawn.json
# A data race that only some schedules show: the search reports it with a clip.
cp "$ROOT/test/shell/part/check_explores_seldom.c" seldom.c
"$PF" cc -g -O1 -pthread seldom.c -o seldom
status 66 "$PF" check --time 10m --json seldom.json --state seldom.s -- ./seldom
has out "(sequential consistency only)"
python3 - <<'END'
import json
(f,) = [f for f in json.load(open("seldom.json"))["findings"] if f["kind"] == "race"]
assert f["status"] == "confirmed" and f["clip"], f
END
# A program with one thread has one schedule.
status 0 "$PF" check --time 10m --state one.s -- ./one
has out "explored: 1 free run; 1 schedule"
[[ $(cat one.s/check/*/end) == complete\ * ]] || fail "not complete"

# The same seed and number of rounds: the same schedules and behaviours. Another seed: others.
for s in a b; do status 66 "$PF" check --runs 4 --seed 5 --quiet --state same.$s -- ./account; done
status 66 "$PF" check --runs 4 --seed 6 --quiet --state same.c -- ./account
status 66 "$PF" check --runs 4 --seed 5 --jobs 2 --quiet --state same.d -- ./account
python3 - <<'END'
import glob, json
def batches(name):
    steps = [json.loads(l) for l in open(glob.glob(f"same.{name}/check/*/journal")[0])]
    return [tuple(s[k] for k in ("schedule", "first", "schedules", "behaviours", "failures")) for s in steps if s["kind"] == "batch"]
def explored(name):
    steps = [json.loads(l) for l in open(glob.glob(f"same.{name}/check/*/journal")[0])]
    return [tuple(s[k] for k in ("round", "schedules", "behaviours", "failures", "left")) for s in steps if s["kind"] == "explore"]
assert explored("a") and explored("a") == explored("b"), (explored("a"), explored("b"))
assert len(batches("a")) == 3 and batches("a") == batches("b"), (batches("a"), batches("b"))
assert explored("a") == explored("d") and batches("a") == batches("d"), (batches("a"), batches("d"))
assert batches("a") != batches("c") and batches("c")[0][1] == 6, batches("c")
END
# A resumed check goes on with further seeds.
status 66 "$PF" check --continue --runs 2 --quiet --state same.a
python3 - <<'END'
import glob, json
steps = [json.loads(l) for l in open(glob.glob("same.a/check/*/journal")[0])]
first = [(s["first"], s["schedules"]) for s in steps if s["kind"] == "batch"]
assert len(first) > 3 and all(a + n <= b for (a, n), (b, _) in zip(first, first[1:])), first
END
status 2 "$PF" check --seed x -- ./account
has err "--seed=x: expected a number"

# A program sees the same number of cores in every run, although directed runs use one core.
"$PF" cc -g -O1 -pthread "$part/check_explores_cores.c" -o cores_seen
status 0 ./cores_seen
for jobs in 1 2; do
    status 0 "$PF" check --runs 2 --jobs $jobs --state cores.s -- ./cores_seen
    status 0 "$PF" explore --jobs $jobs --json cores.json -- ./cores_seen
    python3 -c 'import json; (r,) = json.load(open("cores.json"))["exploration"]["results"]; assert r["output"] == open("cores").readline(), r'
done
[[ $(sort -u cores | wc -l) == 1 ]] || fail "other numbers of cores: $(sort cores | uniq -c)"
