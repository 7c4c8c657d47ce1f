# shellcheck shell=bash disable=SC2154
# The end of the process is a scheduling point: in some schedules the other threads run on first, in
# others the process ends at once. Every recording replays.

cp "$ROOT/test/shell/part/process_end_last.c" last.c
for level in -O0 -O2; do
    "$PF" cc $level -g last.c -o last
    # Each way to end the process: the thread runs in some schedules, and not in others.
    for end in r e _ q g; do
        ran=0 not=0
        for policy in rr:1000 pct:1,2 pct:2,2 pct:3,2 pct:4,2 random:1 random:5 random:8 pos:1 pos:4; do
            status 3 "$PF" record -o r.clip --schedule=$policy -- ./last 0 $end
            cp out recorded
            [[ $(cat out) == *T* ]] && ran=1
            [[ $(cat out) == *T* ]] || not=1
            status 3 "$PF" replay r.clip
            cmp out recorded
        done
        [[ $ran == 1 ]] || fail "$level $end: the thread never ran"
        [[ $not == 1 ]] || fail "$level $end: the process never ended at once"
        "$PF" record -o r.clip -- ./last 0 $end >recorded && fail "expected status 3"
        [[ $(cat recorded) == *T* ]] || fail "$level $end: round robin ended the process at once"
    done
    # Before the exit handlers, too.
    [[ $("$PF" record -o r.clip -- ./last 0 r) == TH ]] || fail "expected the thread before the handler"
    # Threads that wait, or run for ever, do not keep the process from ending.
    for n in 1 2 3; do
        for policy in rr:1000 random:1 pct:2,2 pos:1; do
            status 3 "$PF" record -o r.clip --schedule=$policy -- ./last $n
            grep -q never out && fail "ran past a held lock"
            status 3 "$PF" replay r.clip
        done
    done
    # Two threads that end the process do not wait for each other.
    for policy in rr:1000 random:1 pct:2,2 pos:1; do
        s=0
        "$PF" record -o r.clip --schedule=$policy -- ./last 4 >recorded || s=$?
        [[ $s == 3 || $s == 7 ]] || fail "expected status 3 or 7, found $s"
        status $s "$PF" replay r.clip
    done
done
