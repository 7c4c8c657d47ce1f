# racefuzzer and assetfuzzer: the policy drives the program into a suspected anomaly, and the
# recording states whether it happened.
cp "$ROOT/test/shell/part/fuzz_policies_race.c" race.c
"$PF" cc -O0 -g race.c -o race
"$PF" cc -O0 -g -DTWIN race.c -o twin
statuses=
for seed in 1 2 3 4 5 6; do # the pair happens every time, in either order
    s=0
    "$PF" record -o r.clip --schedule=racefuzzer:race.c:17,race.c:27,$seed --json=r.json -- ./race 2>err || s=$?
    has err "reached 1 time: "
    statuses+=$s
    status $s "$PF" replay --quiet r.clip
    "$PF" record -o t.clip --schedule=racefuzzer:race.c:17,race.c:27,$seed -- ./twin 2>err || true
    has err "not reached"
done
[[ $statuses == *7* && $statuses == *0* ]] || fail "only one of the two orders happened: $statuses"
python3 - <<'EOF'
import json
d = json.load(open("r.json"))
a, b = d["reached"]["accesses"]
assert d["reached"]["times"] == 1 and a["address"] == b["address"], d
assert {a["location"], b["location"]} == {"race.c:17", "race.c:27"} and a["write"] != b["write"], d
assert {a["thread"], b["thread"]} == {0, 1}, d
EOF
status 0 "$PF" dump --about r.clip
has out "reached 1 time: "
"$PF" record -o r.clip --json=r.json -- ./race || true
has r.json '"reached":null'

# From a checkpoint, with the number of the continuation as seed; each continuation is a clip that
# replays.
mkdir more
status 0 "$PF" record -o c.clip --at=T0:1 --continue=3 --tail='racefuzzer:race.c:17,race.c:27,*' --folder=more -- ./race
for i in 0 1 2; do
    status 0 "$PF" dump --about more/$i.clip
    has out "schedule racefuzzer:race.c:17,race.c:27,$i"
    has out "reached 1 time: "
    s=0
    "$PF" replay --quiet more/$i.clip 2>err || s=$?
    [[ $s == 0 || $s == 7 ]] || fail "more/$i.clip: status $s: $(cat err)"
done

# Two variables that belong together: an inconsistent pair is read.
cp "$ROOT/test/shell/part/fuzz_policies_pair.c" pair.c
"$PF" cc -O0 -g -DLOCK= -DUNLOCK= pair.c -o pair
"$PF" cc -O0 -g '-DLOCK=pthread_mutex_lock(&m)' '-DUNLOCK=pthread_mutex_unlock(&m)' pair.c -o pair_ok
reached=0
for seed in 1 2 3 4 5 6; do
    policy=assetfuzzer:1xw@pair.c:9,2x@pair.c:18,2y@pair.c:19,1yw@pair.c:10,$seed
    s=0
    "$PF" record -o p.clip --schedule=$policy -- ./pair 2>err || s=$?
    if grep -q "reached 1 time" err; then
        [[ $s == 134 ]] || fail "seed $seed: anomaly reached, but status $s"
        status 134 "$PF" replay --quiet p.clip
        reached=1
    fi
    status 0 "$PF" record -o p.clip --schedule=$policy -- ./pair_ok
    has err "not reached"
done
[[ $reached == 1 ]] || fail "no seed reached the inconsistent pair"

status 2 "$PF" record --schedule=racefuzzer:race.c,race.c:27 -- ./race
has err "a location such as file.c:10"
status 2 "$PF" record --schedule=racefuzzer:race.c:17 -- ./race
has err "at least two locations"
status 2 "$PF" record --schedule=assetfuzzer:race.c:17,race.c:27 -- ./race
has err "a step such as 1x@file.c:10"
status 2 "$PF" record --schedule=assetfuzzer:1x@race.c:17,1x@race.c:27 -- ./race
has err "two units"
