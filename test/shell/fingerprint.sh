# The same race has the same fingerprint in every run, at other addresses, in another folder, after
# a rebuild.
ids() { python3 -c 'import json,sys; print(sorted(f["id"] for f in json.load(open(sys.argv[1]))["findings"]))' "$1"; }
status 0 "$PF" cc -O2 -g -pthread -o one "$ROOT/example/tally.c"
status 66 "$PF" run --json 1.json -- ./one
for n in 2 3 4; do
    status 66 "$PF" run --json $n.json -- ./one
    [[ $(ids 1.json) == "$(ids $n.json)" ]] || fail "$(ids 1.json) and $(ids $n.json)"
done
mkdir elsewhere
cp "$ROOT/example/tally.c" elsewhere
(cd elsewhere && "$PF" cc -O2 -g -pthread -o other tally.c)
status 66 "$PF" run --json 5.json -- elsewhere/other
[[ $(ids 1.json) == "$(ids 5.json)" ]] || fail "in another folder: $(ids 1.json) and $(ids 5.json)"

# Observed in many runs it is one finding with a count.
status 66 "$PF" run --state state -- ./one
status 66 "$PF" run --state state -- ./one
status 66 "$PF" report --json --state state -o all.json
[[ $(ids 1.json) == "$(ids all.json)" ]] || fail "$(ids all.json)"
