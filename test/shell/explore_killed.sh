# pf is killed while a copy of the program runs and does not end: all processes of the program end.
"$PF" cc -g -O1 "$ROOT/test/shell/part/explore_killed_loop.c" -o loop -pthread
mkfifo held

children() { cat "/proc/$1/task/$1/children" 2>/dev/null || true; }
# True if a child of a child of this process exists: a copy of the program.
has_copy() {
    local child
    for child in $(children "$1"); do
        [[ -z $(children "$child") ]] || return 0
    done
    return 1
}

# Every process inherits the pipe: a reader sees the end of it when all have ended.
killed() { # SIGNAL ARGUMENT-OF-PF...
    local pf reader
    timeout 60 cat held >said &
    reader=$!
    (exec "$PF" "${@:2}" -- ./loop >out 2>err 8>held) &
    pf=$!
    until has_copy $pf; do
        [[ -d /proc/$pf ]] || fail "pf $2 has ended: $(cat err)"
        sleep 0.02
    done
    kill -"$1" $pf
    wait $pf 2>/dev/null || true
    wait $reader || fail "pf $2, signal $1: a process of the program still runs"
}
killed KILL explore
killed KILL explore --jobs 2
killed TERM explore
mkdir continued
killed KILL record -o k.clip --at=T0:1 --continue=4 --tail='random:*' --first=1 --folder=continued --each=60s
