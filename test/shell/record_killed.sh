# shellcheck shell=bash disable=SC2154
# pf record is killed: its program ends too, and everything recorded until then is kept and replays.

cp "$ROOT/test/shell/part/record_killed_ask.c" ask.c
"$PF" cc -O1 -g ask.c -o ask
mkfifo in

# Killed while the program waits for input, runs, and runs without reaching an event. The program
# holds the read end of the pipe: it has ended when a write to the pipe fails.
killed() { # ARGUMENT-OF-PF... -- ARGUMENT-OF-THE-PROGRAM...
    local options=() pf
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    rm -f k.clip said
    (exec "$PF" record -o k.clip "${options[@]}" -- ./ask "${@:2}" <in >said 2>&1) &
    pf=$!
    exec 9>in
    until grep -q 'counted that' said 2>/dev/null; do sleep 0.02; done
    kill -KILL $pf
    wait $pf 2>/dev/null || true
    for ((k = 0; k < 3000; k++)); do # up to a minute, if the machine is busy
        grep -q "photofinish: " said && break
        sleep 0.02
    done
    exec 9>&-
    has said "pf has ended: the program is ended too; its recording is saved up to here"
    hasnt said "not to be seen"
}
killed --
status 137 "$PF" replay k.clip
has err "is truncated"
has err "the recording ends here, before the program ended"
has out "counted 40000"
killed -- loop
status 137 "$PF" replay k.clip
has out "counted 40000"
killed -- no event
status 137 "$PF" replay k.clip
killed --trace -- loop
status 0 "$PF" dump -o k.txt k.clip
[[ $(grep -c ' rmw' k.txt) -ge 40000 ]] || fail "events were lost"

# A child's own output is not in a recording: a replay says so.
cp "$ROOT/test/shell/part/record_killed_child.c" child.c
"$PF" cc -O1 -g child.c -o child
status 0 "$PF" record -o c.clip -- ./child
has out "from the child"
status 0 "$PF" replay c.clip
has out "done 0"
hasnt out "from the child"
has err "started other processes (1), which are not replayed"
