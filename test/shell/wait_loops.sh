# Loops with events that wait for another thread (spin locks, flags): the thread runs again when
# something that it read has changed, so schedules stay short, and no try spins for ever.
for level in O0 O2; do
    "$PF" cc -g -$level "$ROOT/test/shell/part/wait_loops.c" -o waits-$level
    for how in flag lock exchange pair; do
        for schedule in rr random:1 random:2 pct:1,3 pos:1; do
            status 0 "$PF" record -o waits.clip --schedule=$schedule -- ./waits-$level $how
            has out done
            status 0 "$PF" replay waits.clip
            has out done
            if [[ $schedule == rr ]]; then # other policies let a loop go on now and then
                "$PF" dump waits.clip >waits.txt
                [[ $(wc -l <waits.txt) -lt 400 ]] || fail "$level $how: $(wc -l <waits.txt) lines"
            fi
        done
    done

    # A loop that counts is not stopped for good: some schedules see it give up, others do not.
    ended=0 gave_up=0
    for ((seed = 1; seed <= 20; seed++)); do
        "$PF" record -o counts.clip --schedule=random:$seed -- ./waits-$level counting >out
        if grep -q "gave up" out; then gave_up=$((gave_up + 1)); else ended=$((ended + 1)); fi
    done
    [[ $ended -gt 0 && $gave_up -gt 0 ]] || fail "$level: $ended ended, $gave_up gave up"

    # A thread that waits in a loop for a sleeping thread lets time pass.
    status 0 "$PF" record -o sleeps.clip --schedule=pct:1,2 -- ./waits-$level sleeping
    has out done
done

# No other thread will ever end the wait: a hang, in a recording and in an exploration. A loop that
# counts until it gives up is not one.
for level in O0 O2; do
    "$PF" cc -g -$level "$ROOT/test/shell/part/wait_loops_for_ever.c" -o ever-$level
    for how in one two both plain; do
        status 66 timeout 60 "$PF" record -o ever.clip -- ./ever-$level $how
        has err "pf record: hang"
        has err "waits in a loop for a change of the memory at"
        status 66 "$PF" replay ever.clip
        status 66 timeout 60 "$PF" explore --clips-only -- ./ever-$level $how
        has out "hang in schedule 1; replay it with"
        has out "complete for this input"
    done
    for how in counts counts_own; do
        status 0 timeout 60 "$PF" record -o ever.clip -- ./ever-$level $how
        has out done
    done
done
# pf check reports it, with a clip, although no run of the program ends.
status 66 "$PF" check --runs 1 --time 60s --json ever.json --state ever-state -- ./ever-O2 two
python3 - <<'END'
import json
(f,) = json.load(open("ever.json"))["findings"]
assert f["kind"] == "hang" and f["status"] == "confirmed" and f["clip"], f
END

# A prediction whose schedule makes a thread wait for ever is given up at once: pf hatch ends.
cp "$ROOT/test/shell/part/wait_loops_wrong_lock.c" wrong.c
"$PF" cc -g -O1 wrong.c -o wrong
status 0 "$PF" record -o wrong.clip --schedule=rr -- ./wrong
status 0 timeout 60 "$PF" hatch wrong.clip
status 66 "$PF" check --runs 20 --state wrong-state -- ./wrong
has out "data race"
