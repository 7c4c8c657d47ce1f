# When a run leaves its schedule, other schedules are tried: first one of the engine, then one with
# other events of the same code. These programs are steered by memory that no trace contains,
# because it is accessed in assembly of more than one instruction.
cp "$ROOT/test/shell/part/hatch_retry_hidden.h" hidden.h
# The generated schedule lets all other threads run as they did, and one of them changes the switch.
# The engine's schedule avoids that.
cp "$ROOT/test/shell/part/hatch_retry_engine.c" engine.c
# The first pair of accesses never happens together; a later pair of the same code does.
cp "$ROOT/test/shell/part/hatch_retry_later.c" later.c
# The accesses never happen together.
cp "$ROOT/test/shell/part/hatch_retry_never.c" never.c
declare -A schedule=([never]=--schedule=random:1)
for name in engine later never; do
    "$PF" cc -O0 -g -I"$ROOT/include" $name.c -o $name
    status 0 "$PF" record -o $name.clip ${schedule[$name]:-} -- ./$name
done
tries() { # KIND: the number of schedules tried for the finding of this kind
    python3 -c 'import json, sys
print(*(f["tries"] for f in json.load(open(sys.argv[1]))["findings"] if f["kind"] == sys.argv[2]))' h.json "$1"
}
status 66 "$PF" predict --analysis=pecan engine.clip
has out "Witness: as recorded up to event 9, then 10 14-18 11"
status 66 "$PF" hatch --json h.json engine.clip
has out "atomicity violation"
has out "3 real, of these 0 with an error; 0 false"
[[ $(tries atomicity) == 2 ]] || fail "tries: $(tries atomicity)"
status 66 "$PF" hatch --json h.json later.clip
has out "1 real"
[[ $(tries race) -gt 1 ]] || fail "tries: $(tries race)"
for clip in engine.clip.hatched/*.clip later.clip.hatched/*.clip; do
    status 0 "$PF" replay --quiet "$clip"
done
# The recording itself shows the race, so the tries are looked at alone, with a file of candidates.
status 66 "$PF" predict --analysis=rdit,pecan --json never.json never.clip
status 0 "$PF" hatch --json h.json never.json
has out "false: "
has out "never.c:11: T1 did not reach this line: a step of a thread that has ended (and "
has out "hatch: 1 candidate: 0 real, of these 0 with an error; 1 false"
has h.json '"refuted":1,"undecided":0'
status 66 "$PF" hatch --json h.json never.clip
has out "replay it with: pf replay never.clip"
[[ $(tries race) -gt 1 ]] || fail "tries: $(tries race)"
