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
# The printed command names the race, although the clip is an ordinary recording.
status 0 "$PF" $(sed -n 's/^  See it again, every time: pf //p' out)
has err "pf replay: shown: data race on the global variable 'raced' between "

# A search that cannot end within its share of the budget does not begin. The summary names what it
# counts, and shows how long the check took.
cp "$ROOT/test/shell/part/check_long_writes.c" writes.c
"$PF" cc -g -O0 -pthread writes.c -o writes
status 0 "$PF" check --runs 1 --time 10s --state writes.s -- ./writes
[[ $(cat writes.s/check/*/end) =~ ^early\ ([0-9]+)$ ]] || fail "no time in the file end"
has out "; 0 events searched for predictions; $(printf '%.1f' "${BASH_REMATCH[1]}e-3") s"
has out "pf: incomplete: the time budget ended before everything was tried; allow more with --time"
if grep hatch writes.s/check/*/journal; then fail "a search began that cannot end"; fi
