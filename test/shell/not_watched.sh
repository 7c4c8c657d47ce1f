# shellcheck shell=bash disable=SC2154
# pf reports what was not recorded or watched: forked children that cannot be recorded, runs without
# instrumented code, runs without memory for the runtime.

cp "$ROOT/test/shell/part/not_watched_harness.c" harness.c
for level in -O0 -O2; do
    "$PF" cc $level -g harness.c -o harness
    status 0 "$PF" record -o h.clip -- ./harness fork limit # no descriptor for a child's log
    has err "pf record: incomplete: 3 children were not recorded"
    status 0 "$PF" replay h.clip
    status 0 "$PF" record -o h.clip -- ./harness fork
    hasnt err incomplete
    status 0 "$PF" record -o h.clip -- ./harness
    hasnt err incomplete
done
s=0
"$PF" check --runs 1 --time 60s --state fork -- ./harness fork limit >out 2>err || s=$?
has out "incomplete: 3 children were not recorded"

# Nothing instrumented runs.
status 2 "$PF" run --any -- /bin/true
echo /bin/true >list
status 2 "$PF" suite --any --state suite list
status 2 "$PF" check --any --suite list --runs 1 --time 60s --state any

# No room for the runtime's memory: neither for the shadow, nor for the tables behind it.
cp "$ROOT/example/tally.c" race.c
"$PF" cc -g race.c -o race
for gigabytes in 61000 61272 61273 61275 61278 61281 61284 61300; do
    s=0
    (
        ulimit -v ${gigabytes}000000
        exec ./race
    ) >out 2>err || s=$?
    if grep -q "cannot map the shadow memory" err; then last=unmapped; else last=mapped; fi
    [[ $gigabytes != 61000 || $last == unmapped ]] || fail "the shadow fits into 61 TB"
    [[ $last == unmapped && $s == 0 || $last == mapped && $s == 66 ]] || fail "$gigabytes GB: status $s"
done
[[ $last == mapped ]] || fail "the tables do not fit into $gigabytes GB"
(
    ulimit -v 2000000
    status 2 "$PF" run -- ./harness
    status 2 "$PF" record -o v.clip -- ./harness
    has err "nothing could be watched"
    status 2 "$PF" check --runs 1 --time 60s --state limited -- ./harness
)
