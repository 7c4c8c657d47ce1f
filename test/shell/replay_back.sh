# pf-back in gdb: goes back in a replay, by events or to the last access of a variable.
cp "$ROOT/test/shell/part/replay_back_steps.c" steps.c
"$PF" cc -O0 -g steps.c -o steps
status 0 "$PF" record -o steps.clip -- ./steps
gdb() { status "$1" "$PF" replay --gdb "${@:2}"; }

# From the end of the run back to each write in turn: main's last, the other thread's, main's first.
gdb 0 steps.clip -- -batch -ex 'pf-back write value' -ex 'print value' -ex 'pf-back write value' \
    -ex 'print value' -ex 'bt 1' -ex 'pf-back write value' -ex 'print value' -ex 'pf-back write value' -ex 'print 0'
[[ $(grep -oE '^\$[0-9]+ = .*' out | sed 's/.* = //' | tr '\n' ' ') == "2 1 0 0 " ]] || fail "wrong values"
grep -qE 'main .*steps.c:23' out || fail "not at main's last write"
grep -qE '^#0 .*writes .*steps.c:9' out || fail "not at the write of the other thread"
grep -qE 'main .*steps.c:17' out || fail "not at main's first write"
has err "no write of value before this point"
hasnt err "pf replay"

# Accesses include reads; N events back; the run goes on from there as recorded.
gdb 0 steps.clip -- -batch -ex 'break printf' -ex 'pf-back write value' -ex 'pf-back access value' \
    -ex 'pf-back' -ex 'pf-back 2' -ex 'print other' -ex 'continue' -ex 'delete' -ex 'continue'
grep -qE 'main .*steps.c:21' out || fail "not at the read"
grep -qE 'main .*steps.c:20' out || fail "not one event before the read"
has out "Breakpoint 1"
has out "exited normally"
gdb 0 steps.clip --until T0:2 -- -batch -ex 'pf-back 9' -ex 'pf-back sideways' -ex 'pf-back write 1+1' -ex 'pf-back 1' -ex 'print value'
has err "has performed only 1 events"
has err "expected: pf-back [N], pf-back write X or pf-back access X"
has err "1+1 is not in memory"
has out '$1 = 0'

# A breakpoint at a line stops in the body that the replay runs, and can be deleted.
gdb 0 steps.clip --until T0:1 -- -batch -ex 'break steps.c:9' -ex 'continue' -ex 'bt 1' -ex 'delete' -ex 'continue'
grep -qE '^#0 .*writes .*steps.c:9' out || fail "not at line 9"
has out "exited normally"

# At a race: from the second access to the first.
cp "$ROOT/test/shell/part/replay_elsewhere_bank.c" bank.c
"$PF" cc -g -O1 -pthread bank.c -o bank
status 0 "$PF" record -o bank.clip -- ./bank
status 66 "$PF" hatch -o tried bank.clip
clip=$(ls tried/*.clip | head -n 1)
first=$("$PF" dump --about "$clip" | sed -n 's/^race \(T[0-9]*:[0-9]*\)<.*/\1/p')
[[ -n $first ]] || fail "no race in $clip"
gdb 0 "$clip" -- -batch -ex 'pf-back access balance'
has out "at $first"
# No process is left.
! pgrep -f "$PWD/" >/dev/null || fail "processes are left: $(pgrep -af "$PWD/")"
