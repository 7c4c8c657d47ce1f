# pf predict: text and JSON, exit statuses, refusals.
t=$ROOT/test/trace
status 66 "$PF" predict "$t/rdit/account.txt"
has out "Account:8"
has out "Account:5"
has out "rdit: 1 race (witnessed)"
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
printf 'T0|w(V1)|3\nT1|r(V1)|4\n' >trace.std
status 66 "$PF" predict --analysis=hb trace.std
has out "loc:4"
status 2 "$PF" predict "$t/trap/unmatched_read.txt"
has err "does not agree with itself: event 2 (T1 read): reads 7"
status 2 "$PF" predict "$PF"
has err "recordings are not available in this build"
status 2 "$PF" predict nowhere.txt
has err "nowhere.txt"
status 2 "$PF" predict --analysis=mac "$t/basic/style.txt"
has err "mc"
status 2 "$PF" predict
