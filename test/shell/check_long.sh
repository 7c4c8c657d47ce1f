# pf check of a program with long runs: a race that was observed is confirmed before the recording
# is searched for predictions, which may take the rest of the time.
cp "$ROOT/test/shell/part/check_long_many.c" many.c
"$PF" cc -g -O0 -pthread many.c -o many
status 66 "$PF" check --runs 1 --json many.json --state many.s -- ./many
python3 - <<'END'
import glob, json
d = json.load(open("many.json"))
(f,) = d["findings"]
assert f["status"] == "confirmed" and f["accesses"][0]["variable"] == "raced", f
(journal,) = glob.glob("many.s/check/*/journal")
steps = [json.loads(line) for line in open(journal)]
assert max(s["length"] for s in steps) > 1000000, steps
kinds = [s["kind"] for s in steps]
assert kinds.index("look") < kinds.index("hatch"), kinds
END
