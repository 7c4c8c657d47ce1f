# shellcheck shell=bash disable=SC2154
# Directed mode: the same run every time, deadlock reports with the waits, requested orders.

cp "$ROOT/test/shell/part/directed_race.c" race.c
"$PF" cc -O0 -g race.c -o race

# Every policy, each recording replayed: same output, same status. At least one policy loses
# increments.
lost=0
for policy in rr:7 random:1 random:2 pct:1,3 pos:1; do
    s=0
    "$PF" record -o r.clip --schedule=$policy -- ./race >recorded || s=$?
    for _ in 1 2; do
        status $s "$PF" replay r.clip
        cmp out recorded
    done
    [[ $(cat recorded) == 900 ]] || lost=1
    # The same seed makes the same run.
    status $s "$PF" record -o again.clip --schedule=$policy -- ./race
    cmp out recorded
done
[[ $lost == 1 ]] || fail "no policy interleaved the increments"

# A deadlock ends the run, is reported, and happens again in a replay.
cp "$ROOT/test/shell/part/directed_dead.c" dead.c
"$PF" cc -g dead.c -o dead
# Main's events: create, lock b, lock a ...; T1's: lock a, lock b ...
status 66 "$PF" record -o d.clip --flip='T1:1<T0:3' -- ./dead
has err "cycle: main thread -> thread T1 -> main thread"
has err "held by thread T1, in pthread_mutex_lock, called from main (dead.c:16)"
has err "held by main thread, in pthread_mutex_lock, called from f (dead.c:6)"
status 66 "$PF" replay d.clip
has err "cycle: main thread -> thread T1 -> main thread"

# Two threads that only yield to each other are a livelock.
cp "$ROOT/test/shell/part/directed_live.c" live.c
"$PF" cc -g live.c -o live
status 66 "$PF" record -o l.clip -- ./live
has err "hang"
has err "thread T1 can run, in f (live.c:5)"

# A flip: both orders of two writes; an impossible order is reported as infeasible.
cp "$ROOT/test/shell/part/directed_flip.c" flip.c
"$PF" cc -O0 -g flip.c -o flip
event() { # THREAD: the index of the thread's write of x
    local i
    for i in 1 2 3 4; do
        "$PF" record -o f.clip --flip="T$1:$i<T$((3 - $1)):1" -- ./flip >out 2>err || continue
        [[ $(cat out) == $((3 - $1)) ]] && { echo "$i"; return; }
    done
}
first=$(event 1) second=$(event 2)
status 0 "$PF" record -o f.clip --flip="T1:$first<T2:$second" -- ./flip
has out 2
status 0 "$PF" replay f.clip
has out 2
status 0 "$PF" record -o f.clip --flip="T2:$second<T1:$first" -- ./flip
has out 1
status 0 "$PF" replay f.clip
has out 1
status 2 "$PF" record -o f.clip --flip="T2:$second<T1:$first@$((first + 1))" -- ./flip
has err "expected two events"
status 2 "$PF" record -o f.clip --flip="T2:99<T1:$first" -- ./flip
has err "infeasible"

# Continuations from one point: each continues with all threads.
mkdir cont
status 0 "$PF" record -o c.clip --schedule=random:1 --at=T2:100 --continue=8 --tail='random:*' --folder=cont -- ./race

# A replay that diverges reports what was expected and what was found, the thread, the event and the
# source position.
if grep -qw rdrand /proc/cpuinfo; then
    cp "$ROOT/test/shell/part/directed_random.c" random.c
    "$PF" cc -O1 -g -pthread random.c -o random
    status 0 "$PF" record -o random.clip --schedule=rr:100000000 -- ./random
    status 2 "$PF" replay random.clip
    has err "the run diverged from the recording: "
    grep -qE "expected .*, found .* \(thread 1, event [0-9]+(, in work at random.c:[0-9]+)?\)" err ||
        fail "the divergence is not described: $(cat err)"
    # The same, for the pf that started this one.
    status 2 "$PF" --report-to report.json replay random.clip
    python3 - <<'END'
import json
r = json.load(open("report.json"))
assert r["version"] == 1 and r["status"] == 2 and "diverged from the recording" in r["error"], r
run = r["run"]
d = run["divergence"]
assert run["outcome"] == "diverged" and d["thread"] == 1 and d["event"] > 0 and d["what"], run
site = d["site"]  # null between two calls
assert d["expected"] != d["got"] and (not site or (site["function"] == "work" and site["line"] > 0)), d
END
fi

# Floating-point registers are live across accesses, where another thread may run: x87, and vectors
# of 16, 32 and 64 bytes. The wider ones only where the processor has them.
cp "$ROOT/test/shell/part/directed_vectors.c" vectors.c
"$PF" cc -O2 -g vectors.c -o vectors
for policy in rr:1 random:3; do
    status 0 "$PF" record -o v.clip --schedule=$policy -- ./vectors
    status 0 "$PF" replay v.clip
done
