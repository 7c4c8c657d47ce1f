# A failure belongs to a finding only if it comes and goes with the order of the finding's accesses.
# Otherwise it is a finding of its own.
cp "$ROOT/test/shell/part/harm_cause_innocent.c" innocent.c
for level in -O0 -O2; do
    "$PF" cc -g $level -pthread innocent.c -o innocent
    status 0 "$PF" record --schedule=rr -o works.clip -- ./innocent
    status 66 "$PF" hatch --json hatched.json works.clip
    has out "2 real, of these 1 with an error"
    has out "Not its consequence: the program died of signal 11 (Segmentation fault) (the program also fails in this way if the accesses are in the other order)"
    # the crash has a cause, so it is not reported a second time
    hasnt out "WARNING: photofinish: crash"
    python3 - hatched.json <<'EOF'
import json, sys
found = json.load(open(sys.argv[1]))["findings"]
harm = {f["accesses"][0]["variable"]: f.get("harm") for f in found}
assert harm == {"hits": None, "shared": "the program died of signal 11 (Segmentation fault)"}, harm
json.dump(next(f["clip"] for f in found if f.get("harm")), open("crashed", "w"))
EOF
    # The same for the races of a recording that crashed.
    crashed=$(python3 -c 'import json; print(json.load(open("crashed")))')
    status 66 "$PF" predict --analysis=hb --verify --json shown.json "$crashed"
    python3 - <<'EOF'
import json
found = json.load(open("shown.json"))["findings"]
harm = {(f["kind"], f["accesses"][0]["variable"]): f.get("harm") is not None for f in found}
assert harm == {("crash", None): True, ("race", "hits"): False, ("race", "shared"): True}, harm
EOF
done
# A failure that every schedule shows is one finding, and none of the races gets it.
"$PF" cc -g -O0 -pthread "$ROOT/test/shell/part/harm_cause_always.c" -o always
status 66 "$PF" check --runs 3 --state s --json always.json -- ./always
python3 - <<'EOF'
import json
found = json.load(open("always.json"))["findings"]
kinds = sorted(f["kind"] for f in found if f.get("harm"))
assert kinds == ["assertion"], kinds
races = [f for f in found if f["kind"] == "race"]
assert len(races) == 5 and not any(f.get("harm") for f in races), [(f["id"], f.get("harm")) for f in races]
assert all(f["status"] == "confirmed" for f in races), [f["status"] for f in races]
EOF
# A program that pf ends itself has not failed.
cp "$ROOT/test/shell/part/harm_cause_stays.c" stays.c
"$PF" cc -g -O0 -pthread stays.c -o stays
status 66 "$PF" check --runs 2 --for 300ms --state t --json stays.json -- ./stays
python3 - <<'EOF'
import json
found = json.load(open("stays.json"))["findings"]
assert [f["kind"] for f in found] == ["race"], found
assert found[0].get("harm") is None, found[0].get("harm")
EOF
