# pf predict: text and JSON, exit statuses, rejected arguments.
t=$ROOT/test/trace
status 66 "$PF" predict "$t/rdit/account.txt"
has out "Account:8"
has out "Account:5"
has out "predict: 1 race (witnessed)"
status 0 "$PF" predict "$t/basic/locked.txt"
status 66 "$PF" predict --analysis=mc,hybrid --json r.json "$t/basic/style.txt"
python3 - <<'EOF'
import json
d = json.load(open("r.json"))
assert d["version"] == 1 and d["complete"] is True and len(d["findings"]) == 2, d
f = d["findings"][0]
assert f["analysis"] == "mc" and f["status"] == "predicted" and f["kind"] == "race", f
assert [a["op"] for a in f["accesses"]] == ["write", "write"], f
assert d["findings"][1]["id"] == f["id"], "one race, one fingerprint"
EOF
status 66 "$PF" predict --analysis=pecan --json p.json "$t/pecan/figure3.txt"
has out "atomicity violation"
has out "Pattern stale-read-written. Witness: as recorded up to event 1, then 2-4 10-13 5 6"
python3 - <<'EOF'
import json
d = json.load(open("p.json"))
[f] = d["findings"]
assert f["kind"] == "atomicity" and f["analysis"] == "pecan" and d["candidates"] == [], d
assert [a["line"] for a in f["accesses"]] == [2, 8, 5], f
EOF
status 0 "$PF" predict --analysis=pecan --json p.json "$t/pecan/asv.txt" # a candidate does not count as a finding
has out "(0 witnessed, the others can be tried with pf hatch)"
python3 - <<'EOF'
import json
d = json.load(open("p.json"))
assert d["findings"] == [] and len(d["candidates"]) == 1 and len(d["candidates"][0]["accesses"]) == 4, d
EOF
cat >own.pattern <<'EOF'
pattern twice kind atomicity E a-b-c T t-u-u SV x-x-x AR p-q-q AT w-r-r
EOF
status 66 "$PF" predict --patterns own.pattern "$t/pecan/figure1.txt"
has out "predict: 3 races"
echo 'pattern p kind race E a-b' >own.pattern
status 2 "$PF" predict --patterns own.pattern "$t/pecan/figure1.txt"
has err "own.pattern:1: pattern p has no T"
status 2 "$PF" predict --patterns nowhere.pattern "$t/pecan/figure1.txt"
has err "nowhere.pattern"
# The first two regions of a pattern may belong to one thread.
cat >after.pattern <<'END'
pattern after kind race
  E a - b - c  T t - t - u  SV y - x - x  AR 1 - 2 - 3  AT w - w - w
  next b c
END
cat >after.txt <<'END'
T0 fork T1  T0 fork T2
T1 begin  T1 write y=1 @f.c:1  T1 write x=1 @f.c:2
T2 begin  T2 write x=2 @f.c:3  T2 read y=1 @f.c:4
END
status 66 "$PF" predict --patterns after.pattern after.txt
has out "Pattern after. Witness: as recorded up to event 3, then 4 6 5 7"
printf 'T0|w(V1)|3\nT1|r(V1)|4\n' >trace.std
status 66 "$PF" predict --analysis=hb trace.std
has out "loc:4"
status 2 "$PF" predict "$t/trap/unmatched_read.txt"
has err "the trace is inconsistent: event 2 (T1 read): reads 7"
status 2 "$PF" predict "$PF"
has err "neither a trace nor a recording"
printf '\211PF' >begun.clip # the first bytes of a recording
status 2 "$PF" predict begun.clip
has err "begun.clip: neither a trace nor a recording"
: >empty.txt
status 2 "$PF" predict empty.txt
has err "empty.txt: has no events"
status 2 "$PF" predict nowhere.txt
has err "nowhere.txt"
status 2 "$PF" predict --analysis=mac "$t/basic/style.txt"
has err "mc"
status 2 "$PF" predict

# A long witness is cut in the text, not in the JSON document.
python3 - >long.txt <<'EOF'
print("T0 fork T1\nT0 fork T2\nT2 write x=1")
for i in range(60):
    print("T1 write y=%d\nT2 write z=%d" % (i, i))
print("T1 write x=2")
EOF
status 66 "$PF" predict --analysis=mc long.txt
has out "Witness: events 1 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 and 37 more events (--json has all); now 3 and 124"

# A race between a fiber and a thread: the announced switches of fibers are not missing calls.
status 0 "$PF" cc -g -O1 -o fiber "$ROOT/test/shell/part/predict_fiber.c" -pthread
status 0 "$PF" record -o fiber.clip -- ./fiber
status 66 "$PF" predict fiber.clip
has out "predict: 1 race (witnessed)"
status 66 "$PF" hatch fiber.clip
has out "1 real"

# --quiet prints nothing, also if there are findings; --verbose names the analysis.
for verb in predict hatch; do
    status 66 "$PF" $verb --quiet --json quiet.json fiber.clip
    [[ ! -s out && ! -s err ]] || fail "pf $verb --quiet prints: $(cat out err)"
    has quiet.json '"kind":"race"'
done
status 0 "$PF" record --quiet -o fiber.clip -- ./fiber
[[ ! -s out && ! -s err ]] || fail "pf record --quiet prints: $(cat out err)"
status 66 "$PF" predict --verbose fiber.clip
has out "rdit: 1 race (witnessed)"
